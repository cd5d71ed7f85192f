// RUN: nacho-opt %s -nacho-branch-on-lookups -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// A sum is added to if a position is found inside of a row. Elements are loaded, and the
// position is compared, only where one was found.
//
// CHECK-LABEL: func.func @add(
// CHECK:         scf.if %marked {
// CHECK-NEXT:      %[[P:.+]] = memref.load %positions[%key]
// CHECK-NEXT:      %[[SOME:.+]] = arith.cmpi ne, %[[P]], %c0
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %[[P]], %end : index
// CHECK-NEXT:      %[[THERE:.+]] = arith.andi %[[SOME]], %[[INSIDE]] : i1
// CHECK-NEXT:      scf.if %[[THERE]] {
// CHECK-NEXT:        %[[X:.+]] = memref.load %x[%key]
// CHECK-NEXT:        %[[Y:.+]] = memref.load %y[%[[P]]]
// CHECK-NEXT:        %[[XY:.+]] = arith.mulf %[[X]], %[[Y]] : f64
// CHECK-NEXT:        memref.store %[[XY]], %sums[%key]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @add(%marked: i1 loc("marked"), %key: index loc("key"), %end: index loc("end"),
               %positions: memref<?xindex> loc("positions"), %x: memref<?xf64> loc("x"),
               %y: memref<?xf64> loc("y"), %sums: memref<?xf64> loc("sums")) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %p, %found = scf.if %marked -> (index, i1) {
    %position = memref.load %positions[%key] : memref<?xindex>
    %some = arith.cmpi ne, %position, %c0 : index
    scf.yield %position, %some : index, i1
  } else {
    scf.yield %c0, %false : index, i1
  }
  %inside = arith.cmpi ult, %p, %end : index
  %there = arith.andi %found, %inside : i1
  %0 = memref.load %x[%key] : memref<?xf64>
  %1 = memref.load %y[%p] : memref<?xf64>
  %2 = arith.mulf %0, %1 : f64
  scf.if %there {
    memref.store %2, %sums[%key] : memref<?xf64>
  }
  return
}

// What the second branch says is false where the first one was not taken. What others
// need stays outside.
//
// CHECK-LABEL: func.func @count(
// CHECK:         %[[BIT:.+]] = memref.load %bits[%key]
// CHECK-NEXT:    %[[NEW:.+]] = scf.if %marked -> (i1) {
// CHECK-NEXT:      %[[FOUND:.+]] = memref.load %flags[%key]
// CHECK-NEXT:      %[[ISNEW:.+]] = arith.select %[[FOUND]], %[[BIT]], %false
// CHECK-NEXT:      scf.if %[[FOUND]] {
// CHECK-NEXT:        memref.store %true, %bits[%key]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[ISNEW]] : i1
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %false : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[NEW]], %[[BIT]] : i1, i1
func.func @count(%marked: i1 loc("marked"), %key: index loc("key"),
                 %flags: memref<?xi1> loc("flags"), %bits: memref<?xi1> loc("bits"))
    -> (i1, i1) {
  %false = arith.constant false
  %true = arith.constant true
  %found = scf.if %marked -> (i1) {
    %flag = memref.load %flags[%key] : memref<?xi1>
    scf.yield %flag : i1
  } else {
    scf.yield %false : i1
  }
  %bit = memref.load %bits[%key] : memref<?xi1>
  %new = scf.if %found -> (i1) {
    memref.store %true, %bits[%key] : memref<?xi1>
    scf.yield %bit : i1
  } else {
    scf.yield %false : i1
  }
  return %new, %bit : i1, i1
}

// Something is written in between, which the branch may read.
//
// CHECK-LABEL: func.func @negative_write(
// CHECK:         scf.if %marked -> (i1)
// CHECK:         memref.store
// CHECK-NEXT:    scf.if
func.func @negative_write(%marked: i1 loc("marked"), %key: index, %flags: memref<?xi1>,
                          %x: memref<?xf64>, %sums: memref<?xf64>, %one: f64) {
  %false = arith.constant false
  %found = scf.if %marked -> (i1) {
    %flag = memref.load %flags[%key] : memref<?xi1>
    scf.yield %flag : i1
  } else {
    scf.yield %false : i1
  }
  memref.store %one, %x[%key] : memref<?xf64>
  scf.if %found {
    %0 = memref.load %x[%key] : memref<?xf64>
    memref.store %0, %sums[%key] : memref<?xf64>
  }
  return
}

// The second branch may be taken where the first one is not.
//
// CHECK-LABEL: func.func @negative_true(
// CHECK:         scf.if %marked -> (i1)
// CHECK:         scf.yield %true
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if
func.func @negative_true(%marked: i1 loc("marked"), %key: index, %flags: memref<?xi1>,
                         %sums: memref<?xf64>, %one: f64) {
  %true = arith.constant true
  %found = scf.if %marked -> (i1) {
    %flag = memref.load %flags[%key] : memref<?xi1>
    scf.yield %flag : i1
  } else {
    scf.yield %true : i1
  }
  scf.if %found {
    memref.store %one, %sums[%key] : memref<?xf64>
  }
  return
}

// Something else needs to know what was found.
//
// CHECK-LABEL: func.func @negative_used(
// CHECK:         %[[FOUND:.+]] = scf.if %marked -> (i1)
// CHECK:         scf.if %[[FOUND]] {
// CHECK:         return %[[FOUND]]
func.func @negative_used(%marked: i1 loc("marked"), %key: index, %flags: memref<?xi1>,
                         %sums: memref<?xf64>, %one: f64) -> i1 {
  %false = arith.constant false
  %found = scf.if %marked -> (i1) {
    %flag = memref.load %flags[%key] : memref<?xi1>
    scf.yield %flag : i1
  } else {
    scf.yield %false : i1
  }
  scf.if %found {
    memref.store %one, %sums[%key] : memref<?xf64>
  }
  return %found : i1
}

// The condition may be that of the first branch itself.
//
// CHECK-LABEL: func.func @same(
// CHECK:         scf.if %marked {
// CHECK-NEXT:      %[[P:.+]] = memref.load %positions[%key]
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %[[P]], %end : index
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK-NEXT:        memref.store %one, %sums[%[[P]]]
func.func @same(%marked: i1 loc("marked"), %key: index loc("key"), %end: index loc("end"),
                %positions: memref<?xindex> loc("positions"),
                %sums: memref<?xf64> loc("sums"), %one: f64 loc("one")) {
  %c0 = arith.constant 0 : index
  %p = scf.if %marked -> (index) {
    %position = memref.load %positions[%key] : memref<?xindex>
    scf.yield %position : index
  } else {
    scf.yield %c0 : index
  }
  %inside = arith.cmpi ult, %p, %end : index
  %there = arith.andi %inside, %marked : i1
  scf.if %there {
    memref.store %one, %sums[%p] : memref<?xf64>
  }
  return
}
