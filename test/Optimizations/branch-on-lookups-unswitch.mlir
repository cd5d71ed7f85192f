// RUN: nacho-opt %s -nacho-branch-on-lookups -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// A place of a table is the key itself, or is searched for. The loop with dense tables has
// no loop inside.
//
// CHECK-LABEL: func.func @lookups(
// CHECK:         %[[SUM:.+]] = scf.if %dense -> (index) {
// CHECK-NEXT:      %[[FIRST:.+]] = scf.for %[[P:.+]] = %begin to %end step %c1{{.*}} iter_args(%[[S:.+]] = %c0{{.*}}) -> (index) {
// CHECK-NEXT:        %[[K:.+]] = memref.load %keys[%[[P]]]
// CHECK-NEXT:        %[[X:.+]] = memref.load %table[%[[K]]]
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[S]], %[[X]] : index
// CHECK-NEXT:        scf.yield %[[NEXT]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[FIRST]] : index
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[SECOND:.+]] = scf.for
// CHECK:             scf.while
// CHECK-NOT:         scf.if
// CHECK:           scf.yield %[[SECOND]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SUM]] : index
func.func @lookups(%dense: i1 loc("dense"), %begin: index loc("begin"), %end: index loc("end"),
                   %keys: memref<?xindex> loc("keys"), %table: memref<?xindex> loc("table"))
    -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %p = %begin to %end step %c1 iter_args(%s = %c0) -> (index) {
    %k = memref.load %keys[%p] : memref<?xindex>
    %place = scf.if %dense -> (index) {
      scf.yield %k : index
    } else {
      %found = scf.while (%at = %k) : (index) -> index {
        %there = memref.load %table[%at] : memref<?xindex>
        %more = arith.cmpi ne, %there, %k : index
        scf.condition(%more) %at : index
      } do {
      ^bb0(%at: index):
        %next = arith.addi %at, %c1 : index
        scf.yield %next : index
      }
      scf.yield %found : index
    }
    %x = memref.load %table[%place] : memref<?xindex>
    %next = arith.addi %s, %x : index
    scf.yield %next : index
  }
  return %sum : index
}

// The choice is made inside of the loop.
//
// CHECK-LABEL: func.func @negative_varying(
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             scf.for
func.func @negative_varying(%end: index, %flags: memref<?xi1>, %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %end step %c1 {
    %flag = memref.load %flags[%p] : memref<?xi1>
    scf.if %flag {
      scf.for %q = %c0 to %p step %c1 {
        memref.store %p, %sums[%q] : memref<?xindex>
      }
    }
  }
  return
}

// Another loop inside remains: two copies would be long, and hardly faster.
//
// CHECK-LABEL: func.func @negative_outer(
// CHECK:         scf.for
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        scf.for
// CHECK:           scf.for
func.func @negative_outer(%flag: i1, %end: index, %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %end step %c1 {
    scf.if %flag {
      scf.for %q = %c0 to %p step %c1 {
        memref.store %p, %sums[%q] : memref<?xindex>
      }
    }
    scf.for %q = %p to %end step %c1 {
      memref.store %q, %sums[%q] : memref<?xindex>
    }
  }
  return
}
