// RUN: nacho-opt %s -nacho-scan-tiles -split-input-file | FileCheck %s

// Parts append where they were counted, to slots of their tile: a part has as many as there
// are positions between its cuts. When the tile is scanned, they become entries of the
// result. The last part stores the sizes, and what the first part alone had to know of all
// parts: how many entries there are.
//
//   parallel part in parts:
//     begin, end = tile of part
//     cuts[part - begin] = cut
//     sync
//     slots = memory of the tile, from the position of its first cut to that of its last
//     the first part: disorder = 0
//     sync
//     slot, limit = positions of the cuts of the part, from there
//     if not slot <= limit <= all: disorder = 1
//     sync
//     if the tile has room, and disorder == 0:
//       end = slot
//       for i of A: if end < limit: slots[end] = a; end += 1; say so if i is wrong
//       count = min(end - slot, limit - slot), and say so if that is not the count
//     else: say so; count = 0
//     rows = scan of the counts, with those of all parts before
//     if part + 1 == parts: sizes[0] = rows[part + 1 - begin]
//     if the tile has room, and disorder == 0:
//       if part + 1 == parts: pos[0] = rows[part + 1 - begin]
//     out[rows[part - begin] to rows[part + 1 - begin]] = slots from slot on
//
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @run(
// CHECK-NOT:     call
// CHECK:         nacho.parallel %[[PART:.+]] in %[[N:.+]] threads
// CHECK:           %begin, %end = nacho.tile %[[PART]] of %[[N]] by 32
// CHECK:           %cuts = nacho.tile_cuts %{{.+}} alone
// CHECK:           nacho.tile_sync
// CHECK:           %[[FIRST:.+]] = nacho.cut_position %{{.+}}[0, 0]
// CHECK:           %[[LAST:.+]] = nacho.cut_position %{{.+}}[0, 0]
// CHECK-NEXT:      %[[ALL:.+]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK:           %[[SLOTS:.+]] = nacho.tile_memory of %[[ALL]] : memref<?xf64>
// CHECK:           %[[DISORDER:.+]] = nacho.tile_memory of %c1{{.*}} : memref<?xi32>
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %[[PART]], %begin
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        memref.store %{{.+}}, %[[DISORDER]]
// CHECK:           nacho.tile_sync
// CHECK:           arith.cmpi ule
// CHECK:           arith.cmpi ule
// CHECK:           scf.if
// CHECK-NEXT:        memref.atomic_rmw ori %{{.+}}, %[[DISORDER]]
// CHECK:           nacho.tile_sync
// CHECK:           nacho.cut_position
// CHECK:           nacho.cut_position
// CHECK:           nacho.cut_position
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.subi
// CHECK:           nacho.cut_position
// CHECK-NEXT:      %[[LIMIT:.+]] = arith.subi
// CHECK-NEXT:      %[[ROOM:.+]] = nacho.tile_room
// CHECK:           %[[FOUND:.+]] = memref.load %[[DISORDER]]
// CHECK:           %[[ORDERED:.+]] = arith.cmpi eq, %[[FOUND]]
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[ROOM]], %[[ORDERED]]
// CHECK-NEXT:      %[[COUNT:.+]] = scf.if %[[BOTH]] -> (index) {
// CHECK:             %[[TO:.+]] = nacho.coiterate %i of
// CHECK-SAME:          iter_args(%[[AT:.+]] = %[[BEGIN]] : index)
// CHECK:               %[[A:.+]] = nacho.load
// CHECK:               %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %[[LIMIT]]
// CHECK:               scf.if %[[INSIDE]] {
// CHECK-NEXT:            memref.store %[[A]], %[[SLOTS]][%[[AT]]]
// CHECK-NEXT:          }
// CHECK:               scf.if
// CHECK-NEXT:            %[[WRONG:.+]] = arith.constant false
// CHECK-NEXT:            %[[WHAT:.+]] = arith.select %[[WRONG]],
// CHECK-NEXT:            memref.atomic_rmw ori %[[WHAT]]
// CHECK:             %[[FOUND:.+]] = arith.subi %[[TO]], %[[BEGIN]]
// CHECK:             %[[MOST:.+]] = arith.subi %[[LIMIT]], %[[BEGIN]]
// CHECK-NEXT:        %[[WRONG:.+]] = arith.cmpi ugt, %[[FOUND]], %[[MOST]]
// CHECK-NEXT:        %[[KEPT:.+]] = arith.minui %[[FOUND]], %[[MOST]]
// CHECK-NEXT:        scf.if %[[WRONG]] {
// CHECK:               memref.atomic_rmw ori
// CHECK:             scf.yield %[[KEPT]]
// CHECK-NEXT:      } else {
// CHECK:             memref.atomic_rmw ori
// CHECK:             scf.yield %{{.+}} : index
// CHECK-NEXT:      }
// CHECK-NOT:       memref.store
// CHECK:           %rows = nacho.tile_scan(%[[COUNT]]) into %{{.+}} : memref<?x1xindex> -> memref<33x1xindex> {
// CHECK:           %[[NEXT:.+]] = arith.addi %[[PART]]
// CHECK-NEXT:      %[[LAST:.+]] = arith.cmpi eq, %[[NEXT]], %[[N]]
// CHECK-NEXT:      scf.if %[[LAST]] {
// CHECK-NEXT:        %[[ROW:.+]] = arith.subi %[[NEXT]], %begin
// CHECK-NEXT:        %[[ALL:.+]] = memref.load %rows[%[[ROW]], %{{.+}}]
// CHECK-NEXT:        memref.store %[[ALL]], %{{.+}}
// CHECK:           %[[ROOM:.+]] = nacho.tile_room
// CHECK:           memref.load %[[DISORDER]]
// CHECK:           %[[BOTH:.+]] = arith.andi %[[ROOM]]
// CHECK-NEXT:      scf.if %[[BOTH]] {
// CHECK-NOT:         nacho.coiterate
// CHECK:             %[[LAST:.+]] = arith.cmpi eq, %{{.+}}, %[[N]]
// CHECK-NEXT:        scf.if %[[LAST]] {
// CHECK:               %[[ALL:.+]] = memref.load %rows
// CHECK-NEXT:          memref.store %[[ALL]], %{{.+}}
// CHECK-NOT:         nacho.coiterate
// CHECK:           nacho.tile_append %[[SLOTS]][%{{.+}}] to %{{.+}}[%{{.+}} to %{{.+}} in %{{.+}} to %{{.+}}]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!A = tensor<?xf64, #SV>
!A0 = !nacho.fiber<!A, 0>
!A1 = !nacho.fiber<!A, 1>
!cuts = memref<?x3xindex>
!rows = memref<?x1xindex>
!out = memref<?xf64>
!status = memref<i32>
func.func private @scan(%counts: !rows, %offsets: !rows, %sizes: memref<1xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.exclusive_scan %counts into %offsets : !rows {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  %all = memref.load %offsets[%n, %c0] : !rows
  memref.store %all, %sizes[%c0] : memref<1xindex>
  return
}
func.func private @append(%A: !A, %bounds: !cuts, %offsets: !rows, %counts: !rows,
    %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %is_first = arith.cmpi eq, %part, %c0 : index
    scf.if %is_first {
      %all = memref.load %offsets[%n, %c0] : !rows
      memref.store %all, %pos[%c0] : memref<?xindex>
    }
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : !cuts -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1>
    %at = memref.load %offsets[%part, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%p = %at : index) {
      %a = nacho.load %A1 : !A1
      %q = arith.addi %p, %c1 : index
      %in_part = arith.cmpi ult, %p, %to : index
      %valid = arith.cmpi ult, %i, %n : index
      %ok = arith.andi %in_part, %valid : i1
      scf.if %ok {
        memref.store %a, %out[%p] : !out
      } else {
        %wrong = arith.select %valid, %c2_i32, %c1_i32 : i32
        memref.atomic_rmw ori %wrong, %status[] : (i32, !status) -> i32
      }
      nacho.yield %q : index
    }
  }
  return
}
func.func @run(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @append(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}

// -----

// Where loops are around the one over entries, all of them carry the next slot.
//
// CHECK-LABEL: func.func @rows(
// CHECK:         nacho.tile_room
// CHECK:         scf.if %{{.+}} -> (index) {
// CHECK:           %[[TO:.+]] = nacho.coiterate %i of
// CHECK-SAME:        iter_args(%[[ROW:.+]] = %[[BEGIN:.+]] : index)
// CHECK-NEXT:        %[[NEXT:.+]] = nacho.coiterate %j of
// CHECK-SAME:          iter_args(%[[AT:.+]] = %[[ROW]] : index)
// CHECK:                 memref.store %{{.+}}, %{{.+}}[%[[AT]]]
// CHECK:               nacho.yield
// CHECK-NEXT:        }
// CHECK-NEXT:        nacho.yield %[[NEXT]] : index
// CHECK-NEXT:      }
// CHECK:           arith.subi %[[TO]], %[[BEGIN]]
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!A = tensor<?x?xf64, #CSR>
!A0 = !nacho.fiber<!A, 0>
!A1 = !nacho.fiber<!A, 1>
!A2 = !nacho.fiber<!A, 2>
!cuts = memref<?x5xindex>
!rows = memref<?x1xindex>
func.func private @scan(%counts: !rows, %offsets: !rows) {
  nacho.exclusive_scan %counts into %offsets : !rows {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  return
}
func.func private @append(%A: !A, %bounds: !cuts, %offsets: !rows, %out: memref<?xf64>,
    %status: memref<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : !cuts -> !nacho.cut<1, 1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1, 1>
    %at = memref.load %offsets[%part, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) iter_args(%p = %at : index) {
      %last = nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2
          between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) iter_args(%q = %p : index) {
        %a = nacho.load %A2 : !A2
        %more = arith.addi %q, %c1 : index
        %in_part = arith.cmpi ult, %q, %to : index
        scf.if %in_part {
          memref.store %a, %out[%q] : memref<?xf64>
        } else {
          memref.atomic_rmw ori %c2_i32, %status[] : (i32, memref<i32>) -> i32
        }
        nacho.yield %more : index
      }
      nacho.yield %last : index
    }
  }
  return
}
func.func @rows(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows, %out: memref<?xf64>,
    %status: memref<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x5xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1, 1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1, 1>, memref<33x5xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x5xindex> -> !nacho.cut<1, 1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x5xindex> -> !nacho.cut<1, 1>
    %sum = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) iter_args(%so_far = %c0 : index) {
      %count = nacho.count of (%A1 : !A1) in %A1 between (%lo1, %hi1 : !nacho.cut<1>)
      %more = arith.addi %so_far, %count : index
      nacho.yield %more : index
    }
    memref.store %sum, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets) : (!rows, !rows) -> ()
  call @append(%A, %bounds, %offsets, %out, %status, %n)
      : (!A, !cuts, !rows, memref<?xf64>, memref<i32>, index) -> ()
  return
}

// -----

// Parts load offsets of others, or cuts of others, or what was counted; or they store to
// what was accessed before; or a count is not always stored, or is another one; or they
// store what is no entry, or entries without asking whether they were counted.
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
// CHECK-LABEL: func.func @negative_unguarded(
// CHECK:         call @scan
// CHECK-NEXT:    call @unguarded
// CHECK-LABEL: func.func @negative_twice(
// CHECK:         call @scan
// CHECK-NEXT:    call @twice
// CHECK-LABEL: func.func @negative_same_array(
// CHECK:         call @scan
// CHECK-NEXT:    call @append
// CHECK-LABEL: func.func @negative_some_counts(
// CHECK:         call @scan
// CHECK-NEXT:    call @append
// CHECK-LABEL: func.func @negative_other_count(
// CHECK:         call @scan
// CHECK-NEXT:    call @append
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!A = tensor<?xf64, #SV>
!A0 = !nacho.fiber<!A, 0>
!A1 = !nacho.fiber<!A, 1>
!cuts = memref<?x3xindex>
!rows = memref<?x1xindex>
!out = memref<?xf64>
!status = memref<i32>
func.func private @scan(%counts: !rows, %offsets: !rows, %sizes: memref<1xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  nacho.exclusive_scan %counts into %offsets : !rows {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  %all = memref.load %offsets[%n, %c0] : !rows
  memref.store %all, %sizes[%c0] : memref<1xindex>
  return
}
func.func private @append(%A: !A, %bounds: !cuts, %offsets: !rows, %counts: !rows,
    %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : !cuts -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1>
    %at = memref.load %offsets[%part, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%p = %at : index) {
      %a = nacho.load %A1 : !A1
      %q = arith.addi %p, %c1 : index
      %in_part = arith.cmpi ult, %p, %to : index
      %valid = arith.cmpi ult, %i, %n : index
      %ok = arith.andi %in_part, %valid : i1
      scf.if %ok {
        memref.store %a, %out[%p] : !out
      } else {
        %wrong = arith.select %valid, %c2_i32, %c1_i32 : i32
        memref.atomic_rmw ori %wrong, %status[] : (i32, !status) -> i32
      }
      nacho.yield %q : index
    }
  }
  return
}
func.func private @before(%A: !A, %bounds: !cuts, %offsets: !rows, %counts: !rows,
    %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : !cuts -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1>
    %at = memref.load %offsets[%c0, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%p = %at : index) {
      %a = nacho.load %A1 : !A1
      %q = arith.addi %p, %c1 : index
      %in_part = arith.cmpi ult, %p, %to : index
      %valid = arith.cmpi ult, %i, %n : index
      %ok = arith.andi %in_part, %valid : i1
      scf.if %ok {
        memref.store %a, %out[%p] : !out
      } else {
        %wrong = arith.select %valid, %c2_i32, %c1_i32 : i32
        memref.atomic_rmw ori %wrong, %status[] : (i32, !status) -> i32
      }
      nacho.yield %q : index
    }
  }
  return
}
func.func private @first_cut(%A: !A, %bounds: !cuts, %offsets: !rows, %counts: !rows,
    %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%c0] : !cuts -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1>
    %at = memref.load %offsets[%part, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%p = %at : index) {
      %a = nacho.load %A1 : !A1
      %q = arith.addi %p, %c1 : index
      %in_part = arith.cmpi ult, %p, %to : index
      %valid = arith.cmpi ult, %i, %n : index
      %ok = arith.andi %in_part, %valid : i1
      scf.if %ok {
        memref.store %a, %out[%p] : !out
      } else {
        %wrong = arith.select %valid, %c2_i32, %c1_i32 : i32
        memref.atomic_rmw ori %wrong, %status[] : (i32, !status) -> i32
      }
      nacho.yield %q : index
    }
  }
  return
}
func.func private @counted(%A: !A, %bounds: !cuts, %offsets: !rows, %counts: !rows,
    %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %count = memref.load %counts[%part, %c0] : !rows
    memref.store %count, %pos[%part] : memref<?xindex>
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : !cuts -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1>
    %at = memref.load %offsets[%part, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%p = %at : index) {
      %a = nacho.load %A1 : !A1
      %q = arith.addi %p, %c1 : index
      %in_part = arith.cmpi ult, %p, %to : index
      %valid = arith.cmpi ult, %i, %n : index
      %ok = arith.andi %in_part, %valid : i1
      scf.if %ok {
        memref.store %a, %out[%p] : !out
      } else {
        %wrong = arith.select %valid, %c2_i32, %c1_i32 : i32
        memref.atomic_rmw ori %wrong, %status[] : (i32, !status) -> i32
      }
      nacho.yield %q : index
    }
  }
  return
}
func.func private @unguarded(%A: !A, %bounds: !cuts, %offsets: !rows, %counts: !rows,
    %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : !cuts -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1>
    %at = memref.load %offsets[%part, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%p = %at : index) {
      %a = nacho.load %A1 : !A1
      %q = arith.addi %p, %c1 : index
      %in_part = arith.cmpi ult, %p, %to : index
      %valid = arith.cmpi ult, %i, %n : index
      %ok = arith.andi %in_part, %valid : i1
      memref.store %a, %out[%p] : !out
      nacho.yield %q : index
    }
  }
  return
}
func.func private @twice(%A: !A, %bounds: !cuts, %offsets: !rows, %counts: !rows,
    %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %next = arith.addi %part, %c1 : index
    %lo = nacho.load_cut %bounds[%part] : !cuts -> !nacho.cut<1>
    %hi = nacho.load_cut %bounds[%next] : !cuts -> !nacho.cut<1>
    %at = memref.load %offsets[%part, %c0] : !rows
    %to = memref.load %offsets[%next, %c0] : !rows
    %end = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) iter_args(%p = %at : index) {
      %a = nacho.load %A1 : !A1
      %before = arith.subi %p, %c1 : index
      memref.store %a, %out[%before] : !out
      %q = arith.addi %p, %c1 : index
      %in_part = arith.cmpi ult, %p, %to : index
      %valid = arith.cmpi ult, %i, %n : index
      %ok = arith.andi %in_part, %valid : i1
      scf.if %ok {
        memref.store %a, %out[%p] : !out
      } else {
        %wrong = arith.select %valid, %c2_i32, %c1_i32 : i32
        memref.atomic_rmw ori %wrong, %status[] : (i32, !status) -> i32
      }
      nacho.yield %q : index
    }
  }
  return
}
func.func @negative_other_offset(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @before(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
func.func @negative_other_cut(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @first_cut(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
func.func @negative_counts(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @counted(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
func.func @negative_unguarded(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @unguarded(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
func.func @negative_twice(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @twice(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
func.func @negative_same_array(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    %x = memref.load %out[%part] : !out
    memref.store %x, %out[%part] : !out
    memref.store %count, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @append(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
func.func @negative_some_counts(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index, %some: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    scf.if %some {
      memref.store %count, %counts[%part, %c0] : !rows
    }
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @append(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
func.func @negative_other_count(%A: !A, %bounds: !cuts, %counts: !rows, %offsets: !rows,
    %sizes: memref<1xindex>, %pos: memref<?xindex>, %out: !out, %status: !status, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : !A
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %cuts = nacho.tile_cuts %bounds : !cuts -> memref<33x3xindex>
    %row = arith.subi %part, %begin : index
    %cut = nacho.origin : !nacho.cut<1>
    nacho.store_cut %cut, %cuts[%row] : !nacho.cut<1>, memref<33x3xindex>
    nacho.tile_sync
    %after = arith.addi %row, %c1 : index
    %lo = nacho.load_cut %cuts[%row] : memref<33x3xindex> -> !nacho.cut<1>
    %hi = nacho.load_cut %cuts[%after] : memref<33x3xindex> -> !nacho.cut<1>
    %count = nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
    %more = arith.addi %count, %c1 : index
    memref.store %more, %counts[%part, %c0] : !rows
  }
  call @scan(%counts, %offsets, %sizes, %n) : (!rows, !rows, memref<1xindex>, index) -> ()
  call @append(%A, %bounds, %offsets, %counts, %pos, %out, %status, %n)
      : (!A, !cuts, !rows, !rows, memref<?xindex>, !out, !status, index) -> ()
  return
}
