// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse \
// RUN:   | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-loops-to-scf -convert-nacho-storage-to-memref \
// RUN:   | FileCheck %s --check-prefix=STORAGE

// The arrays of a tensor in batches have a row for each batch. They are read as one
// array each, one row after the other, and functions take them so.

#BATCHED = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?x?xf64, #BATCHED>, 0>
!A1 = !nacho.fiber<tensor<?x?x?xf64, #BATCHED>, 1>
!A2 = !nacho.fiber<tensor<?x?x?xf64, #BATCHED>, 2>
!A3 = !nacho.fiber<tensor<?x?x?xf64, #BATCHED>, 3>

// N batches of R rows; `length` positions and `capacity` coordinates belong to each.
//
// for n in 0 ... N:
//   for i in 0 ... R:
//     p = n * R + i
//     at(batch, p) = min(batch * capacity + min(pos[batch * length + (p - batch * R)], capacity), size)
//     begin = at(p / R, p)
//     end = max(begin, at((max(p + 1, 1) - 1) / R, p + 1))
//     for q in begin ... end: out[n, i, crd[q]] = values[q]
//
// CHECK-LABEL: func.func @operand(
// CHECK:         %[[N:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// CHECK:         scf.for %[[n:.+]] = %c0 to %[[N]]
// CHECK:           %[[R:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK:           %[[FIRST:.+]] = arith.muli %[[n]], %[[R]]
// CHECK:           scf.for %[[i:.+]] = %c0 to %[[R]]
// CHECK:             %[[P:.+]] = arith.addi %[[FIRST]], %[[i]]
// CHECK:             %[[POS2:.+]] = sparse_tensor.positions {{.+}} to memref<?x?xi32>
// CHECK-NEXT:        %[[POS:.+]] = memref.collapse_shape %[[POS2]] {{\[\[0, 1\]\]}}
// CHECK:             %[[CRD2:.+]] = sparse_tensor.coordinates {{.+}} to memref<?x?xi32>
// CHECK-NEXT:        %[[CRD:.+]] = memref.collapse_shape %[[CRD2]] {{\[\[0, 1\]\]}}
// CHECK:             %[[SIZE:.+]] = memref.dim %[[CRD]], %c0
// CHECK:             %[[SOME:.+]] = arith.maxui %[[N]], %c1
// CHECK:             %[[ROWS:.+]] = arith.divui %{{.+}}, %[[SOME]]
// CHECK:             %[[DIVISOR:.+]] = arith.maxui %[[ROWS]], %c1
// CHECK:             %[[BATCH:.+]] = arith.divui %[[P]], %[[DIVISOR]]
// CHECK:             %[[CAPACITY:.+]] = arith.divui %[[SIZE]], %[[SOME]]
// CHECK:             %[[ALL:.+]] = memref.dim %[[POS]], %c0
// CHECK:             %[[LENGTH:.+]] = arith.divui %[[ALL]], %[[SOME]]
// CHECK:             %[[BEFORE:.+]] = arith.muli %[[BATCH]], %[[ROWS]]
// CHECK:             %[[ROW:.+]] = arith.subi %[[P]], %[[BEFORE]]
// CHECK:             %[[START:.+]] = arith.muli %[[BATCH]], %[[LENGTH]]
// CHECK:             %[[PLACE:.+]] = arith.addi %[[START]], %[[ROW]]
// CHECK:             %[[SAFE:.+]] = arith.minui %[[PLACE]],
// CHECK:             %[[STORED:.+]] = memref.load %[[POS]][%[[SAFE]]]
// CHECK:             %[[WIDE:.+]] = arith.index_castui %[[STORED]]
// CHECK:             %[[INSIDE:.+]] = arith.minui %[[WIDE]], %[[CAPACITY]]
// CHECK:             %[[SHIFT:.+]] = arith.muli %[[BATCH]], %[[CAPACITY]]
// CHECK:             %[[AT:.+]] = arith.addi %[[SHIFT]], %[[INSIDE]]
// CHECK:             %[[BEGIN:.+]] = arith.minui %[[AT]], %[[SIZE]]
// CHECK:             %[[END:.+]] = arith.maxui %[[BEGIN]],
// CHECK:             scf.for %[[Q:.+]] = %[[BEGIN]] to %[[END]]
// CHECK:               memref.load %[[CRD]][%[[Q]]]
// CHECK:               %[[VALUES2:.+]] = sparse_tensor.values {{.+}} to memref<?x?xf64>
// CHECK-NEXT:          %[[VALUES:.+]] = memref.collapse_shape %[[VALUES2]] {{\[\[0, 1\]\]}}
// CHECK-NEXT:          memref.load %[[VALUES]][%[[Q]]]
//
// STORAGE-LABEL: func.func @operand(
// STORAGE-SAME:    %[[POS:.+]]: memref<?xi32>, %[[CRD:.+]]: memref<?xi32>, %[[VALUES:.+]]: memref<?xf64>, %[[N:[^:]+]]: index, %[[R:[^:]+]]: index,
// STORAGE-NOT:     memref.collapse_shape
// STORAGE:         memref.load %[[POS]]
// STORAGE:         memref.load %[[CRD]]
// STORAGE:         memref.load %[[VALUES]]
func.func @operand(%A: tensor<?x?x?xf64, #BATCHED>, %out: memref<?x?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?x?xf64, #BATCHED>
  nacho.coiterate %n of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %i of (%A2 = %A1 : !A1) in %A2 {
      nacho.coiterate %j of (%A3 = %A2 : !A2) in %A3 {
        %a = nacho.load %A3 : !A3
        memref.store %a, %out[%n, %i, %j] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// A batch costs as much as it has entries: its last row ends where the batch does, and
// not where the next one begins.
//
// CHECK-LABEL: func.func @cost(
// CHECK:         %[[R:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK:         %[[P:.+]] = arith.muli %{{.+}}, %[[R]]
// CHECK:         %[[AFTER:.+]] = arith.addi %[[P]],
// CHECK:         %[[BATCH:.+]] = arith.divui %[[P]],
// CHECK:         %[[BEGIN:.+]] = arith.minui
// CHECK:         %[[SOME:.+]] = arith.maxui %[[AFTER]], %c1
// CHECK:         %[[LAST:.+]] = arith.subi %[[SOME]], %c1
// CHECK:         %[[SAME:.+]] = arith.divui %[[LAST]],
// CHECK:         %[[SHIFT:.+]] = arith.muli %[[SAME]], %{{.+}}
// CHECK:         %[[END:.+]] = arith.maxui
// CHECK:         %[[COST:.+]] = arith.subi %[[END]],
// CHECK:         return %[[COST]]
func.func @cost(%A: tensor<?x?x?xf64, #BATCHED>, %n: index) -> index {
  %A0 = nacho.root %A : tensor<?x?x?xf64, #BATCHED>
  %A1 = nacho.fiber_at %A0[%n] : !A0 -> !A1
  %cost = nacho.cost <nnz> %A1 : !A1
  return %cost : index
}
