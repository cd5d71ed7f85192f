// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

// CHECK-LABEL: func.func @parallel(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[THREADS:[^ ]+]]: index, %[[OUT:[^ ]+]]: memref<?xindex>)
// CHECK-NEXT:    nacho.parallel %[[WORKER:.+]] in %[[N]] threads %[[THREADS]] {
// CHECK-NEXT:      memref.store %[[WORKER]], %[[OUT]][%[[WORKER]]] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:    nacho.parallel %{{.+}} in %[[N]] threads %[[N]] {
// CHECK-NEXT:    } {note = "kept"}
func.func @parallel(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %threads {
    memref.store %worker, %out[%worker] : memref<?xindex>
  }
  nacho.parallel %worker in %n threads %n {
  } {note = "kept"}
  return
}

// Workers that are calls.
//
// CHECK-LABEL: func.func @parallel_call(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[X:[^ ]+]]: f64)
// CHECK-NEXT:    nacho.parallel_call @alone in %[[N]] threads %[[N]] {note = "kept"}
// CHECK-NEXT:    nacho.parallel_call @scale(%[[X]], %[[N]] : f64, index) in %[[N]] threads %[[N]]
func.func private @alone(index, index, i64)
func.func private @scale(index, index, i64, f64, index)
func.func @parallel_call(%n: index, %x: f64) {
  %0 = nacho.parallel_call @alone in %n threads %n {note = "kept"}
  %1 = nacho.parallel_call @scale(%x, %n : f64, index) in %n threads %n
  return
}

// The number of a worker's memory, also in a loop.
//
// CHECK-LABEL: func.func @slot(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[OUT:[^ ]+]]: memref<?xindex>)
// CHECK-NEXT:    nacho.parallel %[[WORKER:.+]] in %[[N]] threads %[[N]] {
// CHECK-NEXT:      scf.for %[[I:.+]] = %[[WORKER]] to %[[N]] step %[[N]] {
// CHECK-NEXT:        %[[SLOT:.+]] = nacho.slot
// CHECK-NEXT:        memref.store %[[SLOT]], %[[OUT]][%[[I]]] : memref<?xindex>
func.func @slot(%n: index, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %n {
    scf.for %i = %worker to %n step %n {
      %slot = nacho.slot
      memref.store %slot, %out[%i] : memref<?xindex>
    }
  }
  return
}

// A scan of pairs: the first column is added, of the second the last one counts.
//
// CHECK-LABEL: func.func @exclusive_scan(
// CHECK-SAME:    %[[COUNTS:[^ ]+]]: memref<?x2xindex>, %[[OFFSETS:[^ ]+]]: memref<?x2xindex>)
// CHECK-NEXT:    nacho.exclusive_scan %[[COUNTS]] into %[[OFFSETS]] : memref<?x2xindex> {
// CHECK-NEXT:    ^{{.+}}(%[[X0:.+]]: index, %{{.+}}: index, %[[Y0:.+]]: index, %[[Y1:.+]]: index):
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi %[[X0]], %[[Y0]] : index
// CHECK-NEXT:      nacho.yield %[[SUM]], %[[Y1]] : index, index
// CHECK-NEXT:    }
func.func @exclusive_scan(%counts: memref<?x2xindex>, %offsets: memref<?x2xindex>) {
  nacho.exclusive_scan %counts into %offsets : memref<?x2xindex> {
  ^bb0(%x0: index, %x1: index, %y0: index, %y1: index):
    %sum = arith.addi %x0, %y0 : index
    nacho.yield %sum, %y1 : index, index
  }
  return
}

// A row: the cost, a coordinate per loop, a position per operand of each loop.
//
// CHECK-LABEL: func.func @cuts_in_buffers(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x6xindex>, %[[P:[^ ]+]]: index)
// CHECK-NEXT:    %[[CUT:.+]] = nacho.load_cut %[[BOUNDS]][%[[P]]] : memref<?x6xindex> -> <1, 2>
// CHECK-NEXT:    nacho.store_cut %[[CUT]], %[[BOUNDS]][%[[P]]] : <1, 2>, memref<?x6xindex>
func.func @cuts_in_buffers(%bounds: memref<?x6xindex>, %p: index) {
  %cut = nacho.load_cut %bounds[%p] : memref<?x6xindex> -> !nacho.cut<1, 2>
  nacho.store_cut %cut, %bounds[%p] : !nacho.cut<1, 2>, memref<?x6xindex>
  return
}

// A tile, and the windows of arrays that its parts read and write: elements, or rows.
//
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[BOUNDS:[^ ]+]]: memref<?x3xindex>, %[[IN:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xi32>)
// CHECK-NEXT:    nacho.parallel %[[PART:.+]] in %[[N]] threads %[[N]] {
// CHECK-NEXT:      %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[PART]] of %[[N]] by 64
// CHECK-NEXT:      nacho.stage_in %[[BOUNDS]][%[[BEGIN]] to %[[END]]] : memref<?x3xindex>
// CHECK-NEXT:      nacho.stage_in %[[IN]][%[[BEGIN]] to %[[END]]] : memref<?xf64>
// CHECK-NEXT:      nacho.stage_out %[[OUT]][%[[BEGIN]] to %[[END]]] : memref<?xi32>
func.func @tiles(%n: index, %bounds: memref<?x3xindex>, %in: memref<?xf64>,
                 %out: memref<?xi32>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 64
    nacho.stage_in %bounds[%begin to %end] : memref<?x3xindex>
    nacho.stage_in %in[%begin to %end] : memref<?xf64>
    nacho.stage_out %out[%begin to %end] : memref<?xi32>
  }
  return
}
