// RUN: nacho-opt %s -convert-nacho-parallel-to-cpu | FileCheck %s

// CHECK-LABEL: func.func @negative_loop(
// CHECK:         scf.for
// CHECK-NOT:     nacho.
// CHECK:         return
func.func @negative_loop(%n: index, %one: index, %out: memref<?xindex>) {
  scf.for %i = %one to %n step %one {
    memref.store %i, %out[%i] : memref<?xindex>
  }
  return
}

// The body is a function of the number of the worker, its slot and the address of the
// word that a signal sets; and of what it uses from outside, but for constants.
//
// CHECK-LABEL: func.func private @parallel_worker(
// CHECK-SAME:    %[[WORKER:[^ ]+]]: index, %{{[^ ]+}}: index, %{{[^ ]+}}: i64,
// CHECK-SAME:    %[[OUT:[^ ]+]]: memref<?xindex>) {
// CHECK-NEXT:    %[[SEVEN:.+]] = arith.constant 7 : index
// CHECK-NEXT:    scf.for %{{.+}} = %[[WORKER]] to %[[SEVEN]] step %[[SEVEN]] {
// CHECK-NEXT:      memref.store %[[WORKER]], %[[OUT]][%[[WORKER]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
//
// CHECK-LABEL: func.func @parallel(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[THREADS:[^ ]+]]: index, %[[OUT:[^ ]+]]: memref<?xindex>)
// CHECK:         nacho.parallel_call @parallel_worker(%[[OUT]] : memref<?xindex>) in %[[N]] threads %[[THREADS]]
// CHECK-NEXT:    return
func.func @parallel(%n: index, %threads: index, %out: memref<?xindex>) {
  %seven = arith.constant 7 : index
  nacho.parallel %worker in %n threads %threads {
    scf.for %i = %worker to %seven step %seven {
      memref.store %worker, %out[%worker] : memref<?xindex>
    }
  }
  return
}

// A worker gets its slot from whoever calls it. What it has on the stack does not depend
// on anything, and is there before any loop begins. A function may have several bodies.
//
// CHECK-LABEL: func.func private @slot_worker(
// CHECK-SAME:    %{{[^ ]+}}: index, %[[SLOT:[^ ]+]]: index,
// CHECK-NEXT:    %[[SUM:.+]] = memref.alloca() : memref<1xindex>
// CHECK:         scf.for
// CHECK-NEXT:      memref.store %[[SLOT]], %[[SUM]]
//
// CHECK-LABEL: func.func private @slot_worker_0(
//
// CHECK-LABEL: func.func @slot(
// CHECK:         nacho.parallel_call @slot_worker(
// CHECK:         nacho.parallel_call @slot_worker_0(
func.func @slot(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %threads {
    %slot = nacho.slot
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %worker step %c1 {
      %sum = memref.alloca() : memref<1xindex>
      memref.store %slot, %sum[%c0] : memref<1xindex>
      memref.copy %sum, %out : memref<1xindex> to memref<?xindex>
    }
  }
  nacho.parallel %worker in %n threads %threads {
    memref.store %worker, %out[%worker] : memref<?xindex>
  }
  return
}

// offsets[0] = zeros; offsets[p + 1] = combine(offsets[p], counts[p])
//
// CHECK-LABEL: func.func @exclusive_scan(
// CHECK-SAME:    %[[COUNTS:[^ ]+]]: memref<?x2xindex>, %[[OFFSETS:[^ ]+]]: memref<?x2xindex>)
// CHECK:         %[[ROWS:.+]] = memref.dim %[[COUNTS]]
// CHECK:         %[[TOTAL:.+]]:2 = scf.for %[[P:.+]] = %c0{{.*}} to %[[ROWS]] step %c1{{.*}} iter_args(%[[X0:.+]] = %c0{{.*}}, %[[X1:.+]] = %c0{{.*}}) -> (index, index) {
// CHECK-DAG:       memref.store %[[X0]], %[[OFFSETS]][%[[P]], %c0{{.*}}]
// CHECK-DAG:       memref.store %[[X1]], %[[OFFSETS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:       %[[Y0:.+]] = memref.load %[[COUNTS]][%[[P]], %c0{{.*}}]
// CHECK-DAG:       %[[Y1:.+]] = memref.load %[[COUNTS]][%[[P]], %c1{{.*}}]
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi %[[X0]], %[[Y0]] : index
// CHECK-NEXT:      scf.yield %[[SUM]], %[[Y1]] : index, index
// CHECK:         memref.store %[[TOTAL]]#0, %[[OFFSETS]][%[[ROWS]], %c0{{.*}}]
// CHECK-NEXT:    memref.store %[[TOTAL]]#1, %[[OFFSETS]][%[[ROWS]], %c1{{.*}}]
func.func @exclusive_scan(%counts: memref<?x2xindex>, %offsets: memref<?x2xindex>) {
  nacho.exclusive_scan %counts into %offsets : memref<?x2xindex> {
  ^bb0(%x0: index, %x1: index, %y0: index, %y1: index):
    %sum = arith.addi %x0, %y0 : index
    nacho.yield %sum, %y1 : index, index
  }
  return
}

// The runtime gets for each array of coordinates its address, the bytes of an element
// and the extent, which those that are not compared do not need; how many arrays there
// are and how many are compared; and the values' address and bytes.
//
// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[CRD:[^ ]+]]: memref<?xi32>, %[[REST:[^ ]+]]: memref<?xi64>, %[[VALUES:[^ ]+]]: memref<?xcomplex<f32>>, %[[N:[^ ]+]]: index, %[[STATUS:[^ ]+]]: memref<i32>, %[[THREADS:[^ ]+]]: index)
// CHECK:         %[[EXTENT:.+]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[COLUMNS:.+]] = memref.alloca() : memref<6xi64>
// CHECK:         %[[ADDRESS:.+]] = memref.extract_aligned_pointer_as_index %[[CRD]]
// CHECK:         %[[WORD:.+]] = arith.index_cast %[[ADDRESS]] : index to i64
// CHECK:         %[[BYTES:.+]] = arith.constant 4 : i64
// CHECK:         memref.store %[[WORD]], %[[COLUMNS]][%c0
// CHECK:         memref.store %[[BYTES]], %[[COLUMNS]][%c1
// CHECK:         memref.store %[[EXTENT]], %[[COLUMNS]][%c2
// CHECK:         memref.extract_aligned_pointer_as_index %[[REST]]
// CHECK:         %[[WIDER:.+]] = arith.constant 8 : i64
// CHECK:         memref.store %[[WIDER]], %[[COLUMNS]][%c4
// CHECK-DAG:     %[[ARRAYS:.+]] = arith.constant 2 : i64
// CHECK-DAG:     %[[KEYS:.+]] = arith.constant 1 : i64
// CHECK-DAG:     memref.extract_aligned_pointer_as_index %[[VALUES]]
// CHECK:         memref.dim %[[CRD]]
// CHECK:         %[[SORTED:.+]] = call @nacho_sort_entries(%{{.+}}, %[[ARRAYS]], %[[KEYS]],
// CHECK:         %[[BEFORE:.+]] = memref.load %[[STATUS]][]
// CHECK:         %[[AFTER:.+]] = arith.ori %[[BEFORE]], %[[SORTED]] : i32
// CHECK:         memref.store %[[AFTER]], %[[STATUS]][]
func.func @sort(%crd: memref<?xi32>, %rest: memref<?xi64>, %values: memref<?xcomplex<f32>>,
                %N: index, %status: memref<i32>, %threads: index) {
  nacho.sort (%crd) below (%N) along (%rest) with %values status %status threads %threads
      : (memref<?xi32>) along (memref<?xi64>) with memref<?xcomplex<f32>> status memref<i32>
  return
}

// CHECK-LABEL: func.func @prefix_sum(
// CHECK-SAME:    %[[COSTS:[^ ]+]]: memref<?xi64>, %[[THREADS:[^ ]+]]: index, %{{.+}}: memref<?xi32>)
// CHECK-DAG:     memref.extract_aligned_pointer_as_index %[[COSTS]]
// CHECK-DAG:     memref.dim %[[COSTS]]
// CHECK:         call @nacho_prefix_sum(%{{.+}}, %c8_i64, %{{.+}}, %{{.+}}) : (i64, i64, i64, i64) -> ()
// CHECK:         call @nacho_prefix_sum(%{{.+}}, %c4_i64, %{{.+}}, %{{.+}}) : (i64, i64, i64, i64) -> ()
func.func @prefix_sum(%costs: memref<?xi64>, %threads: index, %positions: memref<?xi32>) {
  nacho.prefix_sum %costs threads %threads : memref<?xi64>
  nacho.prefix_sum %positions threads %threads : memref<?xi32>
  return
}

// Workers pass the sums of rows on, each to the next one: the number in the last column
// is negative until the row is there. A tile is a single part.
//
// CHECK-LABEL: func.func private @in_turn_worker(
// CHECK-SAME:    %[[PART:[^ ]+]]: index, %{{[^ ]+}}: index, %[[WORD:[^ ]+]]: i64,
// CHECK-SAME:    %[[ALL:[^ ]+]]: memref<?x2xindex>,
// CHECK:         %[[ROWS:.+]] = memref.alloca() : memref<2x2xindex>
// CHECK:         %[[END:.+]] = arith.addi %[[PART]], %{{.+}}
// CHECK-NEXT:    %{{.+}} = arith.constant 1
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[PART]],
// CHECK:         %[[SUM:.+]] = call @nacho_await_turn(%[[LAST:.+]], %[[WORD]]) : (i64, i64) -> i64
// CHECK-NEXT:    %[[X0:.+]] = memref.load %[[ALL]][%[[PART]], %[[C0:.+]]]
// CHECK-NEXT:    %[[X1:.+]] = arith.index_castui %[[SUM]]
// CHECK-NEXT:    %[[Z0:.+]] = arith.addi %[[X0]], %[[PART]]
// CHECK-NEXT:    %[[Z1:.+]] = arith.maxui %[[X1]], %[[END]]
// CHECK:         memref.store %[[X0]], %[[ROWS]]
// CHECK-NEXT:    memref.store %[[Z0]], %[[ROWS]]
// CHECK-NEXT:    memref.store %[[Z0]], %[[ALL]][%[[NEXT]], %[[C0]]]
// CHECK:         memref.store %[[X1]], %[[ROWS]]
// CHECK-NEXT:    memref.store %[[Z1]], %[[ROWS]]
// CHECK:         %[[AFTER:.+]] = arith.addi %[[LAST]], %{{.+}}
// CHECK-NEXT:    %[[PASSED:.+]] = arith.index_cast %[[Z1]]
// CHECK-NEXT:    call @nacho_pass_turn(%[[AFTER]], %[[PASSED]]) : (i64, i64) -> ()
//
// CHECK-LABEL: func.func @in_turn(
// CHECK:         scf.for %[[ROW:.+]] =
// CHECK-NEXT:      %[[MINUS:.+]] = arith.constant -1 : index
// CHECK-NEXT:      memref.store %[[MINUS]], %{{.+}}[%[[ROW]], %{{.+}}]
// CHECK:         nacho.parallel_call @in_turn_worker(
func.func @in_turn(%parts: index, %threads: index, %all: memref<?x2xindex>,
                   %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 1
    %rows = nacho.tile_scan(%part, %end) into %all : memref<?x2xindex> -> memref<2x2xindex> {
    ^bb0(%x0: index, %x1: index, %y0: index, %y1: index):
      %sum = arith.addi %x0, %y0 : index
      %most = arith.maxui %x1, %y1 : index
      nacho.yield %sum, %most : index, index
    }
    %before = memref.load %rows[%c0, %c0] : memref<2x2xindex>
    %after = memref.load %rows[%c1, %c1] : memref<2x2xindex>
    %at = arith.addi %before, %after : index
    memref.store %at, %out[%begin] : memref<?xindex>
  }
  return
}

// What a part has kept is copied as bytes, up to the end of the array; into a view that
// is not contiguous, element by element.
//
// CHECK-LABEL: func.func private @append_worker(
// CHECK:         %[[SIZE:.+]] = memref.dim %[[OUT:.+]], %{{.+}}
// CHECK:         %[[LEAST:.+]] = arith.minui %{{.+}}, %[[SIZE]]
// CHECK:         %[[COUNT:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : index
// CHECK:         arith.constant 8 : i64
// CHECK:         call @memcpy(%{{.+}}, %{{.+}}, %{{.+}}) : (i64, i64, i64) -> i64
// CHECK-NOT:     @memcpy
// CHECK:         scf.for %[[N:.+]] =
// CHECK:           memref.load
// CHECK:           memref.store %{{.+}} : memref<?xf64, strided<[2]>>
func.func @append(%parts: index, %threads: index, %all: memref<?x1xindex>,
                  %kept: memref<?xf64>, %out: memref<?xf64>,
                  %view: memref<?xf64, strided<[2]>>) {
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 1
    nacho.tile_append %kept, %kept[%part] to %out, %view[%begin to %end in %begin to %end]
        : memref<?xf64>, memref<?xf64> to memref<?xf64>, memref<?xf64, strided<[2]>>
  }
  return
}
