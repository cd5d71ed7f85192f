// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu=block-size=32 | FileCheck %s --check-prefixes=CHECK,SMALL

// CHECK-LABEL: func.func @negative_loop(
// CHECK:         scf.for
// CHECK-NOT:     gpu.
// CHECK:         return
func.func @negative_loop(%n: index, %one: index, %out: memref<?xindex>) {
  scf.for %i = %one to %n step %one {
    memref.store %i, %out[%i] : memref<?xindex>
  }
  return
}

// Whole blocks, of which the last may have threads without work. The number of
// threads that a CPU would use is of no interest.
//
// CHECK-LABEL: func.func @parallel(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %{{[^ ]+}}: index, %[[OUT:[^ ]+]]: memref<?xindex>)
// DEFAULT:       %[[SIZE:.+]] = arith.constant 128 : index
// SMALL:         %[[SIZE:.+]] = arith.constant 32 : index
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui %[[N]], %[[SIZE]] : index
// CHECK:         gpu.launch blocks(%[[BX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[BLOCKS]], {{.+}}) threads(%[[TX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[SIZE]], {{.+}}) {
// CHECK-NEXT:      %[[FIRST:.+]] = arith.muli %[[BX]], %[[SIZE]] : index
// CHECK-NEXT:      %[[WORKER:.+]] = arith.addi %[[FIRST]], %[[TX]] : index
// CHECK-NEXT:      %[[EXISTS:.+]] = arith.cmpi ult, %[[WORKER]], %[[N]] : index
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK-NEXT:        memref.store %[[WORKER]], %[[OUT]][%[[WORKER]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.terminator
// CHECK-NOT:     nacho.
func.func @parallel(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %threads {
    memref.store %worker, %out[%worker] : memref<?xindex>
  }
  return
}

// While one thread waits for memory, others work: nothing is fetched ahead.
//
// CHECK-LABEL: func.func @prefetch(
// CHECK-NOT:     memref.prefetch
// CHECK:         memref.load
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @prefetch(%n: index, %in: memref<?xindex>, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %n {
    memref.prefetch %in[%n], read, locality<3>, data : memref<?xindex>
    %a = memref.load %in[%worker] : memref<?xindex>
    memref.store %a, %out[%worker] : memref<?xindex>
  }
  return
}

// CHECK-LABEL: func.func @exclusive_scan(
// CHECK-SAME:    %[[COUNTS:[^ ]+]]: memref<?x1xindex>, %[[OFFSETS:[^ ]+]]: memref<?x1xindex>)
// CHECK:         %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         gpu.launch blocks({{.+}}) in (%{{[^ ]+}} = %[[ONE]], {{.+}}) threads({{.+}}) in (%{{[^ ]+}} = %[[ONE]], {{.+}}) {
// CHECK:           %[[TOTAL:.+]] = scf.for %[[P:.+]] = {{.+}} iter_args(%[[X:.+]] = %{{.+}}) -> (index) {
// CHECK:             memref.store %[[X]], %[[OFFSETS]][%[[P]], %{{.+}}]
// CHECK:             %[[Y:.+]] = memref.load %[[COUNTS]][%[[P]], %{{.+}}]
// CHECK:             %[[SUM:.+]] = arith.addi %[[X]], %[[Y]] : index
// CHECK:             scf.yield %[[SUM]] : index
// CHECK:           memref.store %[[TOTAL]], %[[OFFSETS]][%{{.+}}, %{{.+}}]
// CHECK:           gpu.terminator
func.func @exclusive_scan(%counts: memref<?x1xindex>, %offsets: memref<?x1xindex>) {
  nacho.exclusive_scan %counts into %offsets : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  return
}

// CHECK-LABEL: func.func @prefix_sum(
// CHECK-SAME:    %[[COSTS:[^ ]+]]: memref<?xi64>
// CHECK:         %[[N:.+]] = memref.dim %[[COSTS]]
// CHECK:         gpu.launch
// CHECK:           scf.for %[[AT:.+]] = {{.+}} to %[[N]] {{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (i64) {
// CHECK:             %[[COST:.+]] = memref.load %[[COSTS]][%[[AT]]]
// CHECK:             %[[NEXT:.+]] = arith.addi %[[SUM]], %[[COST]] : i64
// CHECK:             memref.store %[[NEXT]], %[[COSTS]][%[[AT]]]
// CHECK:             scf.yield %[[NEXT]] : i64
func.func @prefix_sum(%costs: memref<?xi64>, %threads: index) {
  nacho.prefix_sum %costs threads %threads : memref<?xi64>
  return
}
