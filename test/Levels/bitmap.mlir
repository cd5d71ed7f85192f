// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

// A bitmap level has a bit for each coordinate: of every m coordinates, a fiber stores any
// number. For each word of m bits there is the number of entries before it.

#BITMAP = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : structured[0, 8]), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #BITMAP>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #BITMAP>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #BITMAP>, 2>

// With w words per fiber, the children of p are [pos[w * p], pos[w * (p + 1)]), whatever
// the positions say not beyond the values. The word of a child is found by bisection among
// the words of the fiber, and its bit by halving the word.
//
// w = ceil(N / 8)
// for p in 0 ... P:
//   for q in min(pos[w * p], size) ... min(pos[w * (p + 1)], size):
//     k = the last word with pos[w * p + k] <= q
//     j = 8 * k + place of bit q - pos[w * p + k] of crd[w * p + k]
//     out[p, j] = values[q]
//
// CHECK-LABEL: func.func @operand(
// CHECK:         scf.for %[[P:.+]] = %c0 to %{{.+}} step %c1{{.*}} {
// CHECK:           %[[MORE:.+]] = arith.addi %{{.+}}, %c7
// CHECK-NEXT:      %[[WORDS:.+]] = arith.divui %[[MORE]], %c8
// CHECK-NEXT:      %[[FIRST:.+]] = arith.muli %[[P]], %[[WORDS]]
// CHECK-NEXT:      %[[POS:.+]] = sparse_tensor.positions %{{.+}} {level = 1 : index}
// CHECK:           %[[AT:.+]] = arith.minui %[[FIRST]], %[[LAST:.+]] : index
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %[[POS]][%[[AT]]]
// CHECK-NEXT:      %[[WIDE:.+]] = arith.index_castui %[[STORED]]
// CHECK-NEXT:      %[[VALUES:.+]] = sparse_tensor.values
// CHECK-NEXT:      %[[SIZE:.+]] = memref.dim %[[VALUES]]
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.minui %[[WIDE]], %[[SIZE]]
// CHECK:           %[[END:.+]] = arith.minui %{{.+}}, %[[SIZE]]
// CHECK-NEXT:      scf.for %[[Q:.+]] = %[[BEGIN]] to %[[END]] step %c1
// CHECK:             %[[K:.+]]:2 = scf.while (%[[LOW:.+]] = %c0, %[[HIGH:.+]] = %{{.+}})
// CHECK:             } do {
// CHECK:               %[[COUNT:.+]] = memref.load %[[POS]]
// CHECK:               arith.cmpi ule, %{{.+}}, %[[Q]]
// CHECK:             }
// CHECK-NEXT:        %[[WORD:.+]] = arith.addi %[[FIRST]], %[[K]]#0
// CHECK:             %[[RANK:.+]] = arith.subi %[[Q]],
// CHECK-NEXT:        %[[START:.+]] = arith.muli %[[K]]#0, %c8
// CHECK:             arith.andi %{{.+}}, %c15
// CHECK:             math.ctpop
// CHECK:             arith.andi %{{.+}}, %c3
// CHECK:             math.ctpop
// CHECK:             arith.andi %{{.+}}, %c1
// CHECK:             math.ctpop
// CHECK-NOT:         math.ctpop
// CHECK:             %[[J:.+]] = arith.addi %[[START]],
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[P]], %[[J]]]
func.func @operand(%A: tensor<?x?xf64, #BITMAP>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #BITMAP>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A coordinate is looked up without a search: its position is the number of entries before
// its word, and of the bits below its own.
//
// CHECK-LABEL: func.func @seek(
// CHECK-NOT:     scf.while
// CHECK:         %[[WORD:.+]] = arith.divui %arg1, %c8
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[WORD]], %{{.+}}
// CHECK:         %[[BIT:.+]] = arith.remui %arg1, %c8
// CHECK:         %[[ONE:.+]] = arith.shli %c1, %[[BIT]]
// CHECK-NEXT:    %[[MASK:.+]] = arith.subi %[[ONE]], %c1
// CHECK-NEXT:    %[[BELOW:.+]] = arith.andi %{{.+}}, %[[MASK]]
// CHECK:         math.ctpop
func.func @seek(%A: tensor<?x?xf64, #BITMAP>, %j: index, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #BITMAP>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    %A2 = nacho.seek %j in %A1 : !A1
    %a = nacho.load %A2 : !A2
    memref.store %a, %out[%i] : memref<?xf64>
  }
  return
}
