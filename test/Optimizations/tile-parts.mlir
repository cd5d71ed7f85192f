// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix -nacho-tile-parts=parts=64 | FileCheck %s

// What the parts of a tile read lies between the cuts with which the tile begins and
// ends, in every level that a cut loop steps through.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!csr = tensor<?x?xf64, #CSR>
!coo = tensor<?x?xf64, #COO>
!sv = tensor<?xf64, #SV>

// The rows of a CSR matrix have positions of their own: the window of the array of
// positions has one more element than there are rows, and one more for the last row, in
// which the tile may end.
//
//   begin, end = the parts of the tile
//   stage_in bounds[begin to end + 1]
//   stage_in pos1[position in level 0 to that of the last cut + 2]
//   stage_in crd1[position in level 1 to that of the last cut + 1]; no values: nobody loads
//     any
//
// The parts step through both levels once, and so need nothing else of these arrays.
//
// Each of 65 parts, one of which begins in the next tile, may need 8 bytes for each entry of
// its share, 32 entries and a quarter, and a cut of 40 bytes: 65 * (8 * 40 + 40).
//
// CHECK-LABEL: func.func @csr(
// CHECK-SAME:    %[[A:[^ ]+]]: {{.+}}, %[[BOUNDS:[^ ]+]]: memref<?x5xindex>, %{{[^ ]+}}: memref<?x1xindex>, %[[N:[^ ]+]]: index
// CHECK:         nacho.parallel %[[PART:.+]] in %[[N]] threads %[[N]] {
// CHECK-NEXT:      %begin, %end = nacho.tile %[[PART]] of %[[N]] by 64 sharing 14304
// CHECK-NEXT:      %[[ONE:.+]] = arith.constant 1 : index
// CHECK-NEXT:      %first = nacho.load_cut %[[BOUNDS]][%begin]
// CHECK-NEXT:      %last = nacho.load_cut %[[BOUNDS]][%end]
// CHECK-NEXT:      %[[AFTER:.+]] = arith.addi %end, %[[ONE]]
// CHECK-NEXT:      nacho.stage_in %[[BOUNDS]][%begin to %[[AFTER]]] alone : memref<?x5xindex>
// CHECK-NEXT:      %[[POS:.+]] = sparse_tensor.positions %[[A]] {level = 1 : index}
// CHECK:           nacho.cut_position %first[0, 0]
// CHECK:           nacho.cut_position %last[0, 0]
// CHECK:           nacho.stage_in %[[POS]][%{{.+}} to %{{.+}}] alone : memref<?xi32>
// CHECK:           %[[CRD:.+]] = sparse_tensor.coordinates %[[A]] {level = 1 : index}
// CHECK:           nacho.cut_position %first[1, 0]
// CHECK:           nacho.cut_position %last[1, 0]
// CHECK:           nacho.stage_in %[[CRD]][%{{.+}} to %{{.+}}] alone : memref<?xi32>
// CHECK-NOT:       nacho.stage
// CHECK:           nacho.load_cut %[[BOUNDS]][%[[PART]]]
func.func @csr(%A: !csr, %bounds: memref<?x5xindex>, %counts: memref<?x1xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !csr
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %hi = nacho.load_cut %bounds[%next] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %sum = nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<!csr, 0>) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) iter_args(%s = %c0 : index) {
      %count = nacho.count of (%A1 : !nacho.fiber<!csr, 1>) in %A1
          between (%lo1, %hi1 : !nacho.cut<1>)
      %t = arith.addi %s, %count : index
      nacho.yield %t : index
    }
    memref.store %sum, %counts[%part, %c0] : memref<?x1xindex>
  }
  return
}

// In a list, the entry in which a cut is decides about all arrays; what is appended lies
// between two offsets. The windows of 64 parts would take more than 48 KiB.
// The values are needed for more than what is appended. A part looks at the entry before its
// own, too.
//
// CHECK-LABEL: func.func @coo(
// CHECK-SAME:    %[[A:[^ ]+]]: {{.+}}, %{{[^ ]+}}: memref<?x5xindex>, %[[OFFSETS:[^ ]+]]: memref<?x1xindex>, %[[VALUES:[^ ]+]]: memref<?xf64>
// CHECK:         nacho.parallel
// CHECK-NEXT:      %begin, %end = nacho.tile %{{.+}} of %{{.+}} by 32 sharing 29840
// CHECK-NOT:       sparse_tensor.positions
// CHECK:           %[[CRD0:.+]] = sparse_tensor.coordinates %[[A]] {level = 0 : index}
// CHECK:           %[[FIRST:.+]] = nacho.cut_position %first[1, 0]
// CHECK:           %[[SOME:.+]] = arith.maxui %[[FIRST]], %[[ONE:.+]] : index
// CHECK-NEXT:      %[[BEFORE:.+]] = arith.subi %[[SOME]], %[[ONE]]
// CHECK:           nacho.stage_in %[[CRD0]][%[[BEFORE]] to %{{.+}}] alone
// CHECK:           %[[CRD1:.+]] = sparse_tensor.coordinates %[[A]] {level = 1 : index}
// CHECK:           nacho.cut_position %first[1, 0]
// CHECK:           nacho.stage_in %[[CRD1]]
// CHECK:           nacho.cut_position %first[1, 0]
// CHECK:           nacho.stage_in %{{.+}} : memref<?xf64>
// CHECK:           %[[FROM:.+]] = memref.load %[[OFFSETS]][%begin, %c0]
// CHECK:           %[[TO:.+]] = memref.load %[[OFFSETS]][%end, %c0]
// CHECK:           nacho.stage_out %[[VALUES]][%[[FROM]] to %[[TO]]] : memref<?xf64>
// CHECK-NOT:       nacho.stage
// CHECK:           return
func.func @coo(%A: !coo, %bounds: memref<?x5xindex>, %offsets: memref<?x1xindex>,
               %values: memref<?xf64>, %rows: memref<?xi32>, %more: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !coo
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %from = memref.load %offsets[%part, %c0] : memref<?x1xindex>
    %to = memref.load %offsets[%next, %c0] : memref<?x1xindex>
    %lo = nacho.load_cut %bounds[%part] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %hi = nacho.load_cut %bounds[%next] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %end = nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<!coo, 0>) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) iter_args(%s = %from : index) {
      %t = nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<!coo, 1>) in %A2
          between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) iter_args(%at = %s : index) {
        %a = nacho.load %A2 : !nacho.fiber<!coo, 2>
        memref.store %a, %values[%at] : memref<?xf64>
        memref.store %a, %more[%i] : memref<?xf64>
        %row = arith.index_cast %i : index to i32
        memref.store %row, %rows[%i] : memref<?xi32>
        %after = arith.addi %at, %c1 : index
        nacho.yield %after : index
      }
      nacho.yield %t : index
    }
  }
  return
}

// If they are not, a block has words of 4 bytes for what is appended, and no values.
//
// CHECK-LABEL: func.func @late(
// CHECK:         nacho.tile %{{.+}} of %{{.+}} by 64 sharing 30688
func.func @late(%A: !coo, %bounds: memref<?x5xindex>, %offsets: memref<?x1xindex>,
               %values: memref<?xf64>, %rows: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !coo
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %from = memref.load %offsets[%part, %c0] : memref<?x1xindex>
    %to = memref.load %offsets[%next, %c0] : memref<?x1xindex>
    %lo = nacho.load_cut %bounds[%part] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %hi = nacho.load_cut %bounds[%next] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %end = nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<!coo, 0>) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) iter_args(%s = %from : index) {
      %t = nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<!coo, 1>) in %A2
          between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) iter_args(%at = %s : index) {
        %a = nacho.load %A2 : !nacho.fiber<!coo, 2>
        memref.store %a, %values[%at] : memref<?xf64>
        %row = arith.index_cast %i : index to i32
        memref.store %row, %rows[%i] : memref<?xi32>
        %after = arith.addi %at, %c1 : index
        nacho.yield %after : index
      }
      nacho.yield %t : index
    }
  }
  return
}

// Steps through B begin again for each entry of A: parts also read what lies outside of the
// cuts of their tile.
//
// CHECK-LABEL: func.func @again(
// CHECK:           nacho.stage_in %{{.+}} alone : memref<?x5xindex>
// CHECK:           sparse_tensor.coordinates %arg0
// CHECK:           nacho.stage_in %{{.+}} alone : memref<?xi32>
// CHECK:           sparse_tensor.coordinates %arg1
// CHECK-NOT:       alone
// CHECK:           nacho.stage_in
// CHECK-NOT:       alone
// CHECK:           return
func.func @again(%A: !sv, %B: !sv, %bounds: memref<?x5xindex>, %counts: memref<?x1xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !sv
  %B0 = nacho.root %B : !sv
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %hi = nacho.load_cut %bounds[%next] : memref<?x5xindex> -> !nacho.cut<1, 1>
    %sum = nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<!sv, 0>) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) iter_args(%s = %c0 : index) {
      %count = nacho.count of (%B0 : !nacho.fiber<!sv, 0>) in %B0
          between (%lo1, %hi1 : !nacho.cut<1>)
      %t = arith.addi %s, %count : index
      nacho.yield %t : index
    }
    memref.store %sum, %counts[%part, %c0] : memref<?x1xindex>
  }
  return
}

// A range of the rows of B is found by search in each part: parts also read coordinates that
// lie outside of the cuts of their tile.
//
// CHECK-LABEL: func.func @negative_range(
// CHECK:           nacho.stage_in %{{.+}} alone : memref<?x3xindex>
// CHECK:           sparse_tensor.coordinates %arg0 {level = 0 : index}
// CHECK-NOT:       alone
// CHECK:           nacho.stage_in
// CHECK-NOT:       alone
// CHECK:           return
func.func @negative_range(%B: !coo, %bounds: memref<?x3xindex>, %counts: memref<?x1xindex>,
                          %from: index, %size: index, %columns: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part_of_B = nacho.slice %B [%from, 0] [%size, %columns] [1, 1] : !coo to !coo
  %B0 = nacho.root %part_of_B : !coo
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : memref<?x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : memref<?x3xindex> -> !nacho.cut<1>
    %sum = nacho.coiterate %i of (%B1 = %B0 : !nacho.fiber<!coo, 0>) in %B1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%s = %c0 : index) {
      %t = arith.addi %s, %c1 : index
      nacho.yield %t : index
    }
    memref.store %sum, %counts[%part, %c0] : memref<?x1xindex>
  }
  return
}

// Workers that have found the cuts of their tile have windows after they have waited for each
// other: none of the cuts, which lie in memory that they share.
//
// CHECK-LABEL: func.func @cut_and_count(
// CHECK:           %begin, %end = nacho.tile %{{.+}} of %{{.+}} by 32 sharing 4224
// CHECK-NEXT:      %[[CUTS:.+]] = nacho.tile_cuts
// CHECK-NOT:       nacho.load_cut
// CHECK:           nacho.tile_sync
// CHECK:           %[[SIZE:.+]] = arith.subi %end, %begin
// CHECK-NEXT:      %last = nacho.load_cut %[[CUTS]][%[[SIZE]]]
// CHECK:           nacho.cut_position %first[0, 0]
// CHECK:           nacho.cut_position %last[0, 0]
// CHECK:           nacho.stage_in %{{.+}} : memref<?xi32>
// CHECK-NOT:       nacho.stage
// CHECK:           nacho.tile_sync
func.func @cut_and_count(%A: !sv, %bounds: memref<?x3xindex>, %counts: memref<?xindex>,
                         %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !sv
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    %origin = nacho.origin : !nacho.cut<1>
    nacho.store_cut %origin, %cuts[%c0] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %row = arith.subi %part, %begin : index
    %first = nacho.load_cut %cuts[%c0] : memref<33x3xindex> -> !nacho.cut<1>
    nacho.store_cut %first, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %next = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%next] : memref<33x3xindex> -> !nacho.cut<1>
    %sum = nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<!sv, 0>) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%s = %c0 : index) {
      %t = arith.addi %s, %c1 : index
      nacho.yield %t : index
    }
    memref.store %sum, %counts[%part] : memref<?xindex>
  }
  return
}

// What parts keep until their tile is scanned takes room, too: 4 bytes for an entry, besides
// those of its coordinate. So does a row of a table of ends, but what it costs leaves more
// than that.
//
// CHECK-LABEL: func.func @kept(
// CHECK:           nacho.tile %{{.+}} of %{{.+}} by 32 sharing 8448
// CHECK:           nacho.tile_sync
// CHECK:           nacho.stage_in
// CHECK-NOT:       nacho.stage_out
// CHECK:           return
func.func @kept(%A: !sv, %bounds: memref<?x3xindex>, %all: memref<?x1xindex>,
                %out: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !sv
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %origin = nacho.origin : !nacho.cut<1>
    nacho.store_cut %origin, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %slots = nacho.tile_memory of %n : memref<?xi32>
    %ends = nacho.tile_memory of %n : memref<?xi32>
    %next = arith.addi %part, %c1 : index
    %below = arith.subi %next, %begin : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%below] : memref<33x3xindex> -> !nacho.cut<1>
    %hasRoom = nacho.tile_room
    %count = scf.if %hasRoom -> (index) {
      %sum = nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<!sv, 0>) in %A1
          between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%at = %c0 : index) {
        %x = arith.index_cast %i : index to i32
        memref.store %x, %slots[%at] : memref<?xi32>
        memref.store %x, %ends[%c0] : memref<?xi32>
        %t = arith.addi %at, %c1 : index
        nacho.yield %t : index
      }
      scf.yield %sum : index
    } else {
      scf.yield %c0 : index
    }
    %rows = nacho.tile_scan(%count) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      %both = arith.addi %x, %y : index
      nacho.yield %both : index
    }
    %from = memref.load %rows[%row, %c0] : memref<33x1xindex>
    %to = memref.load %rows[%below, %c0] : memref<33x1xindex>
    nacho.tile_append %slots[%c0] to %out[%from to %to in %c0 to %to]
        : memref<?xi32> to memref<?xi32>
  }
  return
}

// A search that counts the entries of one operand reads the coordinate of a single one: there
// is no window for these, but for the positions of rows, which the search outside of it
// bisects.
//
// CHECK-LABEL: func.func @search(
// CHECK:           nacho.tile_sync
// CHECK:           nacho.stage_in %{{.+}}[%{{.+}} to %{{.+}}] : memref<?xi32>
// CHECK-NOT:       nacho.stage_in
// CHECK:           nacho.search
// CHECK:           nacho.search
// CHECK:         return
func.func @search(%A: !csr, %bounds: memref<?x5xindex>, %cost: index, %n: index) {
  %c0 = arith.constant 0 : index
  %A0 = nacho.root %A : !csr
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : memref<?x5xindex> -> memref<33x5xindex>
    %row = arith.subi %part, %begin : index
    %size = arith.subi %end, %begin : index
    %origin = nacho.origin : !nacho.cut<1, 1>
    nacho.store_cut %origin, %cuts[%c0] : !nacho.cut<1, 1>, memref<33x5xindex>
    nacho.tile_sync
    %lo = nacho.load_cut %cuts[%c0] : memref<33x5xindex> -> !nacho.cut<1, 1>
    %hi = nacho.load_cut %cuts[%size] : memref<33x5xindex> -> !nacho.cut<1, 1>
    %i, %left, %A1, %lo1, %hi1 = nacho.search %cost of(%A0) between %lo, %hi
        : !nacho.fiber<!csr, 0>, !nacho.cut<1, 1> {
    ^bb0(%at: index, %pos: index):
      %before = nacho.cost <nnz> %A0 to %pos : !nacho.fiber<!csr, 0>
      nacho.yield %before : index
    }
    %j, %rest, %A2, %lo2, %hi2 = nacho.search %left of(%A1) between %lo1, %hi1
        : !nacho.fiber<!csr, 1>, !nacho.cut<1> {
    ^bb0(%at: index, %pos: index):
      %before = nacho.cost <nnz> %A1 to %pos : !nacho.fiber<!csr, 1>
      nacho.yield %before : index
    }
    %cut = nacho.cut %cost at(%i, %j) of(%A1, %A2)
        : !nacho.fiber<!csr, 1>, !nacho.fiber<!csr, 2> -> !nacho.cut<1, 1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1, 1>, memref<33x5xindex>
  }
  return
}

// Workers that do no parts, parts in an order of their own, and workers that need rows of
// workspaces, stay alone.
//
// CHECK-LABEL: func.func @negative_workers(
// CHECK-NOT:     nacho.tile
// CHECK:         return
func.func @negative_workers(%A: !sv, %bounds: memref<?x3xindex>, %order: memref<?xindex>,
                            %counts: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !sv
  nacho.parallel %worker in %n threads %n {
    memref.store %worker, %counts[%worker] : memref<?xindex>
  }
  nacho.parallel %worker in %n threads %n {
    %part = memref.load %order[%worker] : memref<?xindex>
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : memref<?x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : memref<?x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !nacho.fiber<!sv, 0>) in %A0
        between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%part] : memref<?xindex>
  }
  nacho.parallel %part in %n threads %n {
    %slot = nacho.slot
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : memref<?x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : memref<?x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !nacho.fiber<!sv, 0>) in %A0
        between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%slot] : memref<?xindex>
  }
  return
}
