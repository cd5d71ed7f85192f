// RUN: nacho-opt %s -nacho-scan-tiles -split-input-file | FileCheck %s

// Parts that were counted append in the same launch. The last one stores the sizes, and
// what the first part alone had to know of all parts: how many entries there are.
//
//   parallel part in parts:
//     begin, end = tile of part
//     cuts[part - begin] = cut
//     counts[part] = part
//     rows = scan of part, with those of all parts before
//     if part + 1 == parts: sizes[0] = rows[part + 1 - begin]
//     if part + 1 == parts: pos[0] = rows[part + 1 - begin]
//     at = rows[part - begin]
//     if at < size of out: out[at] = cost of the next cut
//
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @run(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x3xindex>, %[[COUNTS:[^ ]+]]: memref<?x1xindex>, %[[OFFSETS:[^ ]+]]: memref<?x1xindex>, %[[SIZES:[^ ]+]]: memref<1xindex>, %[[POS:[^ ]+]]: memref<?xindex>, %[[OUT:[^ ]+]]: memref<?xindex>, %[[N:[^ ]+]]: index)
// CHECK-NOT:     call
// CHECK:         nacho.parallel %[[PART:.+]] in %[[N]] threads
// CHECK:           %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[PART]] of %[[N]] by 32
// CHECK:           %[[CUTS:.+]] = nacho.tile_cuts
// CHECK:           memref.store %[[PART]], %[[COUNTS]][%[[PART]], %{{.+}}]
// CHECK-NEXT:      %[[ROWS:.+]] = nacho.tile_scan(%[[PART]]) into %[[OFFSETS]] : memref<?x1xindex> -> memref<33x1xindex> {
// CHECK-NEXT:      ^bb0(%[[X:.+]]: index, %[[Y:.+]]: index):
// CHECK-NEXT:        %[[SUM:.+]] = arith.addi %[[X]], %[[Y]]
// CHECK-NEXT:        nacho.yield %[[SUM]]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[PART]]
// CHECK-NEXT:      %[[LAST:.+]] = arith.cmpi eq, %[[NEXT]], %[[N]]
// CHECK-NEXT:      scf.if %[[LAST]] {
// CHECK-NEXT:        %[[ROW:.+]] = arith.subi %[[NEXT]], %[[BEGIN]]
// CHECK-NEXT:        %[[ALL:.+]] = memref.load %[[ROWS]][%[[ROW]], %{{.+}}]
// CHECK-NEXT:        memref.store %[[ALL]], %[[SIZES]]
// CHECK:           %[[LAST:.+]] = arith.cmpi eq, %{{.+}}, %[[N]]
// CHECK-NEXT:      scf.if %[[LAST]] {
// CHECK:             %[[ALL:.+]] = memref.load %[[ROWS]]
// CHECK-NEXT:        memref.store %[[ALL]], %[[POS]]
// CHECK:           nacho.load_cut %[[CUTS]]
// CHECK:           %[[ROW:.+]] = arith.subi %[[PART]], %[[BEGIN]]
// CHECK-NEXT:      %[[AT:.+]] = memref.load %[[ROWS]][%[[ROW]], %{{.+}}]
// CHECK:           %[[SIZE:.+]] = memref.dim %[[OUT]]
// CHECK-NEXT:      %[[THERE:.+]] = arith.cmpi ult, %[[AT]], %[[SIZE]]
// CHECK-NEXT:      scf.if %[[THERE]] {
// CHECK-NEXT:        memref.store %{{.+}}, %[[OUT]][%[[AT]]]
// CHECK:         return
func.func private @scan(%counts: memref<?x1xindex>, %offsets: memref<?x1xindex>,
                        %sizes: memref<1xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.exclusive_scan %counts into %offsets : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  %all = memref.load %offsets[%n, %c0] : memref<?x1xindex>
  memref.store %all, %sizes[%c0] : memref<1xindex>
  return
}
func.func private @append(%bounds: memref<?x3xindex>, %offsets: memref<?x1xindex>,
                          %pos: memref<?xindex>, %out: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %n threads %n {
    %is_first = arith.cmpi eq, %part, %c0 : index
    scf.if %is_first {
      %all = memref.load %offsets[%n, %c0] : memref<?x1xindex>
      memref.store %all, %pos[%c0] : memref<?xindex>
    }
    %next = arith.addi %part, %c1 : index
    %hi = nacho.load_cut %bounds[%next] : memref<?x3xindex> -> !nacho.cut<1>
    %cost = nacho.cut_cost %hi : !nacho.cut<1>
    %at = memref.load %offsets[%part, %c0] : memref<?x1xindex>
    memref.store %cost, %out[%at] : memref<?xindex>
  }
  return
}
func.func @run(%bounds: memref<?x3xindex>, %counts: memref<?x1xindex>,
               %offsets: memref<?x1xindex>, %sizes: memref<1xindex>,
               %pos: memref<?xindex>, %out: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    memref.store %part, %counts[%part, %c0] : memref<?x1xindex>
  }
  call @scan(%counts, %offsets, %sizes, %n)
      : (memref<?x1xindex>, memref<?x1xindex>, memref<1xindex>, index) -> ()
  call @append(%bounds, %offsets, %pos, %out, %n)
      : (memref<?x3xindex>, memref<?x1xindex>, memref<?xindex>, memref<?xindex>, index) -> ()
  return
}

// -----

// Parts load offsets of others, or cuts of others, or what was counted; or they store to
// what was accessed before; or a count is not always stored; or lanes do the dense loop.
//
// CHECK-LABEL: func.func @negative_other_offset(
// CHECK:         call @scan
// CHECK-NEXT:    call @before
// CHECK-LABEL: func.func @negative_other_cut(
// CHECK:         call @scan
// CHECK-NEXT:    call @first_cut
// CHECK-LABEL: func.func @negative_counts(
// CHECK:         call @scan
// CHECK-NEXT:    call @counted
// CHECK-LABEL: func.func @negative_same_array(
// CHECK:         call @scan
// CHECK-NEXT:    call @append
// CHECK-LABEL: func.func @negative_some_counts(
// CHECK:         call @scan
// CHECK-NEXT:    call @append
// CHECK-LABEL: func.func @negative_dense_loop(
// CHECK:         call @scan
// CHECK-NEXT:    call @dense
!rows = memref<?x1xindex>
func.func private @scan(%counts: !rows, %offsets: !rows) {
  nacho.exclusive_scan %counts into %offsets : !rows {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  return
}
func.func private @append(%bounds: memref<?x3xindex>, %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %at = memref.load %offsets[%part, %c0] : !rows
    memref.store %at, %out[%at, %c0] : !rows
  }
  return
}
func.func private @before(%bounds: memref<?x3xindex>, %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %at = memref.load %offsets[%c0, %c0] : !rows
    memref.store %at, %out[%at, %c0] : !rows
  }
  return
}
func.func private @first_cut(%bounds: memref<?x3xindex>, %offsets: !rows, %out: !rows,
                             %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %lo = nacho.load_cut %bounds[%c0] : memref<?x3xindex> -> !nacho.cut<1>
    %cost = nacho.cut_cost %lo : !nacho.cut<1>
    memref.store %cost, %out[%part, %c0] : !rows
  }
  return
}
func.func private @counted(%bounds: memref<?x3xindex>, %counts: !rows, %out: !rows,
                           %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %count = memref.load %counts[%part, %c0] : !rows
    memref.store %count, %out[%part, %c0] : !rows
  }
  return
}
func.func private @dense(%bounds: memref<?x3xindex>, %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %sum = nacho.coiterate %i to %n of () in intersect() iter_args(%s = %c0 : index) {
      %t = arith.addi %s, %i : index
      nacho.yield %t : index
    }
    memref.store %sum, %out[%part, %c0] : !rows
  }
  return
}
func.func @negative_other_offset(%bounds: memref<?x3xindex>, %counts: !rows,
                                 %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    memref.store %part, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets) : (!rows, !rows) -> ()
  call @before(%bounds, %offsets, %out, %n) : (memref<?x3xindex>, !rows, !rows, index) -> ()
  return
}
func.func @negative_other_cut(%bounds: memref<?x3xindex>, %counts: !rows,
                              %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    memref.store %part, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets) : (!rows, !rows) -> ()
  call @first_cut(%bounds, %offsets, %out, %n) : (memref<?x3xindex>, !rows, !rows, index) -> ()
  return
}
func.func @negative_counts(%bounds: memref<?x3xindex>, %counts: !rows,
                           %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    memref.store %part, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets) : (!rows, !rows) -> ()
  call @counted(%bounds, %counts, %out, %n) : (memref<?x3xindex>, !rows, !rows, index) -> ()
  return
}
func.func @negative_same_array(%bounds: memref<?x3xindex>, %counts: !rows,
                               %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    %count = memref.load %out[%part, %c0] : !rows
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets) : (!rows, !rows) -> ()
  call @append(%bounds, %offsets, %out, %n) : (memref<?x3xindex>, !rows, !rows, index) -> ()
  return
}
func.func @negative_some_counts(%bounds: memref<?x3xindex>, %counts: !rows,
                                %offsets: !rows, %out: !rows, %n: index, %some: i1) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    scf.if %some {
      memref.store %part, %counts[%part, %c0] : !rows
    }
  }
  call @scan(%counts, %offsets) : (!rows, !rows) -> ()
  call @append(%bounds, %offsets, %out, %n) : (memref<?x3xindex>, !rows, !rows, index) -> ()
  return
}
func.func @negative_dense_loop(%bounds: memref<?x3xindex>, %counts: !rows,
                               %offsets: !rows, %out: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    memref.store %part, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets) : (!rows, !rows) -> ()
  call @dense(%bounds, %offsets, %out, %n) : (memref<?x3xindex>, !rows, !rows, index) -> ()
  return
}
