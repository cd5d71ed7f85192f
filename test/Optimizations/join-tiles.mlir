// RUN: nacho-opt %s -nacho-join-tiles -split-input-file | FileCheck %s

// A tile is cut, and what its parts append is counted, by the same workers. Both functions
// are gone, since nobody else calls them.
//
//   parallel part in parts:
//     begin, end = tile of part
//     if part is not begin: bounds[part] = cut
//     sync
//     counts[part] = number of the row of the cut between parts
//
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @plan(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x3xindex>, %[[COUNTS:[^ ]+]]: memref<?xindex>, %[[T:[^ ]+]]: index)
// CHECK:         %[[N:.+]] = memref.dim %[[BOUNDS]]
// CHECK-NOT:     call
// CHECK:         nacho.parallel %[[PART:.+]] in %[[N]] threads %[[T]] {
// CHECK-NEXT:      %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[PART]] of %[[N]] by 32
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ne, %[[PART]], %[[BEGIN]]
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK-NEXT:        %[[CUT:.+]] = nacho.load_cut %[[BOUNDS]][%[[BEGIN]]]
// CHECK-NEXT:        nacho.store_cut %[[CUT]], %[[BOUNDS]][%[[PART]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.tile_sync
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[PART]]
// CHECK-NEXT:      %[[HI:.+]] = nacho.load_cut %[[BOUNDS]][%[[NEXT]]]
// CHECK-NEXT:      %[[COST:.+]] = nacho.cut_cost %[[HI]]
// CHECK-NEXT:      memref.store %[[COST]], %[[COUNTS]][%[[PART]]]
// CHECK-NEXT:    }
// CHECK-NOT:     nacho.parallel
// CHECK:         return
func.func private @cuts(%bounds: memref<?x3xindex>, %threads: index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %bounds, %c0 : memref<?x3xindex>
  nacho.parallel %part in %n threads %threads {
    %begin, %end = nacho.tile %part of %n by 32
    %inside = arith.cmpi ne, %part, %begin : index
    scf.if %inside {
      %cut = nacho.load_cut %bounds[%begin] : memref<?x3xindex> -> !nacho.cut<1>
      nacho.store_cut %cut, %bounds[%part] : !nacho.cut<1>, memref<?x3xindex>
    }
  }
  return
}
func.func private @count(%bounds: memref<?x3xindex>, %counts: memref<?xindex>, %threads: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %bounds, %c0 : memref<?x3xindex>
  nacho.parallel %part in %n threads %threads {
    %next = arith.addi %part, %c1 : index
    %hi = nacho.load_cut %bounds[%next] : memref<?x3xindex> -> !nacho.cut<1>
    %cost = nacho.cut_cost %hi : !nacho.cut<1>
    memref.store %cost, %counts[%part] : memref<?xindex>
  }
  return
}
func.func @plan(%bounds: memref<?x3xindex>, %counts: memref<?xindex>, %threads: index) {
  call @cuts(%bounds, %threads) : (memref<?x3xindex>, index) -> ()
  call @count(%bounds, %counts, %threads) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  return
}

// -----

// The first workers also store the cut with which a tile begins, where another one ends.
//
// CHECK-LABEL: func.func @negative_first_cut(
// CHECK-NEXT:    call @cuts
// CHECK-NEXT:    call @count
func.func private @cuts(%bounds: memref<?x3xindex>, %n: index) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cut = nacho.load_cut %bounds[%end] : memref<?x3xindex> -> !nacho.cut<1>
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
// the first are given, or memory changes between the calls.
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
// CHECK-LABEL: func.func @negative_between(
// CHECK:         call @cuts
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    call @count
func.func private @cuts(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>, %n: index) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %inside = arith.cmpi ne, %part, %begin : index
    scf.if %inside {
      %cut = nacho.load_cut %bounds[%end] : memref<?x3xindex> -> !nacho.cut<1>
      nacho.store_cut %cut, %bounds[%part] : !nacho.cut<1>, memref<?x3xindex>
    }
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
func.func @negative_between(%bounds: memref<?x3xindex>, %numbers: memref<?xindex>,
                            %counts: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  call @cuts(%bounds, %numbers, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  memref.store %n, %numbers[%c0] : memref<?xindex>
  call @count(%bounds, %counts, %n) : (memref<?x3xindex>, memref<?xindex>, index) -> ()
  return
}
