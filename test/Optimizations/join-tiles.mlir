// RUN: nacho-opt %s -nacho-join-tiles -split-input-file | FileCheck %s

// A tile is cut, and what its parts append is counted, by the same workers. Both functions
// are gone, since nobody else calls them. Both may add to the status.
//
//   parallel part in parts:
//     begin, end = tile of part
//     cuts[part - begin] = cut
//     status |= 1
//     sync
//     counts[part] = cost of the cut with which the next part begins
//     status |= 1
//
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @plan(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x3xindex>, %[[COUNTS:[^ ]+]]: memref<?xindex>, %[[STATUS:[^ ]+]]: memref<i32>, %[[T:[^ ]+]]: index)
// CHECK:         %[[N:.+]] = memref.dim %[[BOUNDS]]
// CHECK-NOT:     call
// CHECK:         nacho.parallel %[[PART:.+]] in %[[N]] threads %[[T]] {
// CHECK-NEXT:      %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[PART]] of %[[N]] by 32
// CHECK-NEXT:      %[[CUTS:.+]] = nacho.tile_cuts %[[BOUNDS]]
// CHECK-NEXT:      %[[ROW:.+]] = arith.subi %[[PART]], %[[BEGIN]]
// CHECK-NEXT:      %[[CUT:.+]] = nacho.origin
// CHECK-NEXT:      nacho.store_cut %[[CUT]], %[[CUTS]][%[[ROW]]]
// CHECK-NEXT:      memref.atomic_rmw ori %{{.+}}, %[[STATUS]]
// CHECK-NEXT:      nacho.tile_sync
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[PART]]
// CHECK-NEXT:      %[[BELOW:.+]] = arith.subi %[[NEXT]], %[[BEGIN]]
// CHECK-NEXT:      %[[HI:.+]] = nacho.load_cut %[[CUTS]][%[[BELOW]]]
// CHECK-NEXT:      %[[COST:.+]] = nacho.cut_cost %[[HI]]
// CHECK-NEXT:      memref.store %[[COST]], %[[COUNTS]][%[[PART]]]
// CHECK-NEXT:      memref.atomic_rmw ori %{{.+}}, %[[STATUS]]
// CHECK-NEXT:    }
// CHECK-NOT:     nacho.parallel
// CHECK:         return
func.func private @cuts(%bounds: memref<?x3xindex>, %status: memref<i32>, %threads: index) {
  %c0 = arith.constant 0 : index
  %bit = arith.constant 1 : i32
  %n = memref.dim %bounds, %c0 : memref<?x3xindex>
  nacho.parallel %part in %n threads %threads {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    %old = memref.atomic_rmw ori %bit, %status[] : (i32, memref<i32>) -> i32
  }
  return
}
func.func private @count(%bounds: memref<?x3xindex>, %counts: memref<?xindex>,
                         %status: memref<i32>, %threads: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bit = arith.constant 1 : i32
  %n = memref.dim %bounds, %c0 : memref<?x3xindex>
  nacho.parallel %part in %n threads %threads {
    %next = arith.addi %part, %c1 : index
    %hi = nacho.load_cut %bounds[%next] : memref<?x3xindex> -> !nacho.cut<1>
    %cost = nacho.cut_cost %hi : !nacho.cut<1>
    memref.store %cost, %counts[%part] : memref<?xindex>
    %old = memref.atomic_rmw ori %bit, %status[] : (i32, memref<i32>) -> i32
  }
  return
}
func.func @plan(%bounds: memref<?x3xindex>, %counts: memref<?xindex>, %status: memref<i32>,
                %threads: index) {
  call @cuts(%bounds, %status, %threads) : (memref<?x3xindex>, memref<i32>, index) -> ()
  call @count(%bounds, %counts, %status, %threads)
      : (memref<?x3xindex>, memref<?xindex>, memref<i32>, index) -> ()
  return
}

// -----

// The first workers store cuts where other tiles load them.
//
// CHECK-LABEL: func.func @negative_first_cut(
// CHECK-NEXT:    call @cuts
// CHECK-NEXT:    call @count
func.func private @cuts(%bounds: memref<?x3xindex>, %n: index) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %bounds[%part] : !nacho.cut<1>, memref<?x3xindex>
  }
  return
}
func.func private @count(%bounds: memref<?x3xindex>, %counts: memref<?xindex>, %n: index) {
  nacho.parallel %part in %n threads %n {
    %lo = nacho.load_cut %bounds[%part] : memref<?x3xindex> -> !nacho.cut<1>
    %cost = nacho.cut_cost %lo : !nacho.cut<1>
    memref.store %cost, %counts[%part] : memref<?xindex>
  }
  return
}
func.func @negative_first_cut(%bounds: memref<?x3xindex>, %counts: memref<?xindex>, %n: index) {
  call @cuts(%bounds, %n) : (memref<?x3xindex>, index) -> ()
  call @count(%bounds, %counts, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  return
}

// -----

// The second workers load cuts of other tiles, or are of another number, or store to what
// the first are given, or load what these store, or memory changes between the calls.
//
// CHECK-LABEL: func.func @negative_other_cuts(
// CHECK-NEXT:    call @cuts
// CHECK-NEXT:    call @others
// CHECK-LABEL: func.func @negative_other_number(
// CHECK-NEXT:    call @cuts
// CHECK-NEXT:    call @count
// CHECK-LABEL: func.func @negative_same_array(
// CHECK-NEXT:    call @cuts
// CHECK-NEXT:    call @count
// CHECK-LABEL: func.func @negative_loaded_array(
// CHECK-NEXT:    call @cuts
// CHECK-NEXT:    call @load
// CHECK-LABEL: func.func @negative_between(
// CHECK:         call @cuts
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    call @count
func.func private @cuts(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>, %n: index) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    memref.store %row, %numbers[%part] : memref<?xindex>
  }
  return
}
func.func private @count(%bounds: memref<?x3xindex>, %counts: memref<?xindex>, %n: index) {
  nacho.parallel %part in %n threads %n {
    %lo = nacho.load_cut %bounds[%part] : memref<?x3xindex> -> !nacho.cut<1>
    %cost = nacho.cut_cost %lo : !nacho.cut<1>
    memref.store %cost, %counts[%part] : memref<?xindex>
  }
  return
}
func.func private @others(%bounds: memref<?x3xindex>, %counts: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %lo = nacho.load_cut %bounds[%c0] : memref<?x3xindex> -> !nacho.cut<1>
    %cost = nacho.cut_cost %lo : !nacho.cut<1>
    memref.store %cost, %counts[%part] : memref<?xindex>
  }
  return
}
func.func private @load(%numbers: memref<?xindex>, %counts: memref<?xindex>, %n: index) {
  nacho.parallel %part in %n threads %n {
    %number = memref.load %numbers[%part] : memref<?xindex>
    memref.store %number, %counts[%part] : memref<?xindex>
  }
  return
}
func.func @negative_other_cuts(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>,
                               %counts: memref<?xindex>, %n: index) {
  call @cuts(%bounds, %numbers, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  call @others(%bounds, %counts, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  return
}
func.func @negative_other_number(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>,
                                 %counts: memref<?xindex>, %n: index, %m: index) {
  call @cuts(%bounds, %numbers, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  call @count(%bounds, %counts, %m) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  return
}
func.func @negative_same_array(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>, %n: index) {
  call @cuts(%bounds, %numbers, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  call @count(%bounds, %numbers, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  return
}
func.func @negative_loaded_array(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>,
                                 %counts: memref<?xindex>, %n: index) {
  call @cuts(%bounds, %numbers, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  call @load(%numbers, %counts, %n) : (memref<?xindex>, memref<?xindex>, index) -> ()
  return
}
func.func @negative_between(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>,
                            %counts: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  call @cuts(%bounds, %numbers, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  memref.store %n, %numbers[%c0] : memref<?xindex>
  call @count(%bounds, %counts, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  return
}
