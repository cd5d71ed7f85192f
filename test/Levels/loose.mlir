// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// A loose level stores where the fiber of each position of the level above begins, and
// where it ends: there may be gaps between fibers.

#LOOSE = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : loose_compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #LOOSE>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #LOOSE>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #LOOSE>, 2>

// The children of p are [pos[2 * p], pos[2 * p + 1]), whatever the positions say not
// beyond the coordinates, and no position is read beyond the last one.
//
// last = 2 * N - 1
// for p in 0 ... N:
//   begin = min(pos[min(2 * p, last)], size)
//   end = max(begin, min(pos[min(max(2 * (p + 1), 1) - 1, last)], size))
//   for q in begin ... end: out[p, crd[q]] = values[q]
//
// CHECK-LABEL: func.func @operand(
// CHECK:         %[[ROWS:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// CHECK:         scf.for %[[P:.+]] = %c0 to %[[ROWS]] step %c1{{.*}} {
// CHECK-NEXT:      %[[TWICE:.+]] = arith.muli %[[P]], %c2
// CHECK-DAG:       %[[POS:.+]] = sparse_tensor.positions %{{.+}} {level = 1 : index}
// CHECK-DAG:       %[[CRD:.+]] = sparse_tensor.coordinates %{{.+}} {level = 1 : index}
// CHECK-DAG:       %[[SIZE:.+]] = memref.dim %[[CRD]]
// CHECK-DAG:       %[[LENGTH:.+]] = arith.muli %[[ROWS]], %c2
// CHECK-DAG:       %[[LAST:.+]] = arith.subi %[[LENGTH]], %c1
// CHECK:           %[[AT:.+]] = arith.minui %[[TWICE]], %[[LAST]]
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %[[POS]][%[[AT]]]
// CHECK-NEXT:      %[[WIDE:.+]] = arith.index_castui %[[STORED]]
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.minui %[[WIDE]], %[[SIZE]]
// CHECK:           %[[AFTER:.+]] = arith.addi %[[P]], %c1
// CHECK-NEXT:      %[[TWICE:.+]] = arith.muli %[[AFTER]], %c2
// CHECK-NEXT:      %[[SOME:.+]] = arith.maxui %[[TWICE]], %c1
// CHECK-NEXT:      %[[ODD:.+]] = arith.subi %[[SOME]], %c1
// CHECK-NEXT:      %[[AT:.+]] = arith.minui %[[ODD]], %[[LAST]]
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %[[POS]][%[[AT]]]
// CHECK-NEXT:      %[[WIDE:.+]] = arith.index_castui %[[STORED]]
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.minui %[[WIDE]], %[[SIZE]]
// CHECK-NEXT:      %[[END:.+]] = arith.maxui %[[BEGIN]], %[[INSIDE]]
// CHECK-NEXT:      scf.for %[[Q:.+]] = %[[BEGIN]] to %[[END]] step %c1
func.func @operand(%A: tensor<?x?xf64, #LOOSE>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #LOOSE>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The first cut of all is at position 0, which may lie in a gap: the fiber in which a
// part begins has no children before its first one.
//
// CHECK-LABEL: func.func @part(
// CHECK:         %[[CUT:.+]] = memref.load %{{.+}}[%c0, %c4]
// CHECK:         scf.for
// CHECK:         %[[STORED:.+]] = arith.index_castui
// CHECK:         %[[FIRST:.+]] = arith.minui %[[STORED]]
// CHECK:         %[[BEGIN:.+]] = arith.maxui %[[CUT]], %[[FIRST]]
// CHECK:         arith.select %{{.+}}, %[[BEGIN]], %[[FIRST]]
func.func @part(%A: tensor<?x?xf64, #LOOSE>, %bounds: memref<?x5xindex>, %out: memref<?x?xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %lo = nacho.load_cut %bounds[%zero] : memref<?x5xindex> -> <1, 1>
  %hi = nacho.load_cut %bounds[%one] : memref<?x5xindex> -> <1, 1>
  %A0 = nacho.root %A : tensor<?x?xf64, #LOOSE>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
