// RUN: nacho-opt %s -nacho-concretize | FileCheck %s
// RUN: nacho-opt %s -nacho-concretize --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 64, crdWidth = 64 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>

// Loops that are there already stay as they are.
//
// CHECK-LABEL: func.func @negative_loops(
// CHECK-COUNT-1: nacho.root
// CHECK-COUNT-2: nacho.coiterate
// CHECK-COUNT-1: nacho.append
func.func @negative_loops(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %Z = nacho.nest : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
        %a = nacho.load %A2 : !A2
        nacho.append %a at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] + B[i, j], the paper's listing.
//
// CHECK-LABEL: func.func @union_two_dcsr(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor
// CHECK-NEXT:    %[[A0:.+]] = nacho.root %[[A]]
// CHECK-NEXT:    %[[B0:.+]] = nacho.root %[[B]]
// CHECK-NEXT:    %[[Z:.+]] = nacho.nest
//
// while i <- rows(A) u rows(B):
// CHECK-NEXT:      nacho.coiterate %[[I:.+]] of (%[[A1:[^ ]+]] = %[[A0]] : {{[^ ]+}}, %[[B1:[^ ]+]] = %[[B0]] : {{[^ ]+}})
// CHECK-SAME:        in union(%[[A1]], %[[B1]]) {
//
//   while j <- cols(A[i]) u cols(B[i]):
// CHECK-NEXT:        nacho.coiterate %[[J:.+]] of (%[[A2:[^ ]+]] = %[[A1]] : {{[^ ]+}}, %[[B2:[^ ]+]] = %[[B1]] : {{[^ ]+}})
// CHECK-SAME:          in union(%[[A2]], %[[B2]]) {
//
//     Z[i, j] = A[i, j] + B[i, j]
// CHECK-NEXT:          %[[a:.+]] = nacho.load %[[A2]]
// CHECK-NEXT:          %[[b:.+]] = nacho.load %[[B2]]
// CHECK-NEXT:          %[[z:.+]] = nacho.binary add %[[a]], %[[b]] : f64
// CHECK-NEXT:          nacho.append %[[z]] at(%[[I]], %[[J]]) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Z]]
//
// Values have names for those who ask: an operand's, or a letter; an index's.
//
// NAMES-LABEL: func.func @union_two_dcsr(
// NAMES:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A1, %B1) {
// NAMES-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}, %B2 = %B1 : {{[^ ]+}}) in union(%A2, %B2) {
// NAMES-NEXT:        %a = nacho.load %A2
// NAMES-NEXT:        %b = nacho.load %B2
func.func @union_two_dcsr(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, j] * B[i, j]: the same loops over an intersection.
//
// CHECK-LABEL: func.func @intersection_csr_dcsr(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] =
// CHECK-SAME:      in intersect(%[[A1]], %[[B1]]) {
// CHECK-NEXT:        nacho.coiterate {{.+}} of (%[[A2:[^ ]+]] = %[[A1]] : {{[^ ]+}}, %[[B2:[^ ]+]] = %[[B1]] :
// CHECK-SAME:          in intersect(%[[A2]], %[[B2]]) {
// CHECK-NOT:         nacho.restrict
// CHECK:             nacho.binary mul
func.func @intersection_csr_dcsr(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The loops run in the order of storage: over columns first.
//
// CHECK-LABEL: func.func @csc(
// CHECK:         nacho.coiterate %[[J:.+]] of (%[[A1:[^ ]+]] =
// CHECK-NEXT:      nacho.coiterate %[[I:.+]] of (%[[A2:[^ ]+]] = %[[A1]] : {{[^ ]+}}) in %[[A2]] {
// CHECK-NEXT:        %[[a:.+]] = nacho.load %[[A2]]
// CHECK-NEXT:        %[[z:.+]] = nacho.unary neg %[[a]] : f64
// CHECK-NEXT:        nacho.append %[[z]] at(%[[J]], %[[I]]) : f64
func.func @csc(%A: tensor<?x?xf64, #CSC>) -> tensor<?x?xf64, #CSC> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSC>)
      -> [i, j] : tensor<?x?xf64, #CSC> {
    %0 = nacho.unary neg %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSC>
}

// A transposed access of an operand stored the other way round fits.
//
// CHECK-LABEL: func.func @csc_transposed(
// CHECK:         nacho.coiterate %[[I:.+]] of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] =
// CHECK-SAME:      in union(%[[A1]], %[[B1]]) {
func.func @csc_transposed(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSC>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, i] : tensor<?x?xf64, #CSC>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary sub %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z = A * B + C * D + A: nested operators of a kind are one, and an operand
// that occurs twice is iterated once. The products are 0 wherever one of their
// factors is absent, whatever the other one is there: inf, perhaps.
//
// CHECK-LABEL: func.func @union_of_intersections(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}},
// CHECK-SAME:      %[[C1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[D1:[^ ]+]] =
// CHECK-SAME:      in union(intersect(%[[A1]], %[[B1]]), intersect(%[[C1]], %[[D1]]), %[[A1]]) {
// CHECK:           nacho.coiterate {{.+}} of (%[[A2:[^ ]+]] = %[[A1]] : {{[^ ]+}}, %[[B2:[^ ]+]] = %[[B1]] : {{[^ ]+}},
// CHECK-SAME:        %[[C2:[^ ]+]] = %[[C1]] : {{[^ ]+}}, %[[D2:[^ ]+]] =
// CHECK-SAME:        in union(intersect(%[[A2]], %[[B2]]), intersect(%[[C2]], %[[D2]]), %[[A2]]) {
// CHECK-DAG:         %[[a:.+]] = nacho.load %[[A2]]
// CHECK-DAG:         %[[b:.+]] = nacho.load %[[B2]]
// CHECK-DAG:         %[[c:.+]] = nacho.load %[[C2]]
// CHECK-DAG:         %[[d:.+]] = nacho.load %[[D2]]
// CHECK:             %[[AB:.+]] = nacho.binary mul %[[a]], %[[b]] : f64
// CHECK-NEXT:        %[[AB0:.+]] = nacho.restrict %[[AB]] to intersect(%[[A2]], %[[B2]]) : f64
// CHECK-NEXT:        %[[CD:.+]] = nacho.binary mul %[[c]], %[[d]] : f64
// CHECK-NEXT:        %[[CD0:.+]] = nacho.restrict %[[CD]] to intersect(%[[C2]], %[[D2]]) : f64
// CHECK-NEXT:        %[[SUM:.+]] = nacho.binary add %[[AB0]], %[[CD0]] : f64
// CHECK-NEXT:        %[[Z:.+]] = nacho.binary add %[[SUM]], %[[a]] : f64
// CHECK-NEXT:        nacho.append %[[Z]]
func.func @union_of_intersections(
    %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %C: tensor<?x?xf64, #CSR>,
    %D: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>,
                     %c = %C[i, j] : tensor<?x?xf64, #CSR>,
                     %d = %D[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %c, %d : f64
    %2 = nacho.binary add %0, %1 : f64
    %3 = nacho.binary add %2, %a : f64
    nacho.yield %3 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z = (A + B) * C: B is not visited where A and C are absent.
//
// CHECK-LABEL: func.func @intersection_of_unions(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[C1:[^ ]+]] =
// CHECK-SAME:      in intersect(union(%[[A1]], %[[B1]]), %[[C1]]) {
// CHECK-NOT:     nacho.restrict
func.func @intersection_of_unions(
    %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %C: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>,
                     %c = %C[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// A number is no operand of a loop. s * A is 0 where A is absent also for an
// infinite s; 2.0 * B needs no such care.
//
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    %[[S:[^ ]+]]: tensor<f64>)
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}})
// CHECK-SAME:      in union(%[[A1]], %[[B1]]) {
// CHECK-NEXT:      nacho.coiterate {{.+}} of (%[[A2:[^ ]+]] = %[[A1]] : {{[^ ]+}}, %[[B2:[^ ]+]] = %[[B1]] :
// CHECK-NEXT:        %[[a:.+]] = nacho.load %[[A2]]
// CHECK-NEXT:        %[[b:.+]] = nacho.load %[[B2]]
// CHECK-NEXT:        %[[s:.+]] = tensor.extract %[[S]][] : tensor<f64>
// CHECK-NEXT:        %[[SA:.+]] = nacho.binary mul %[[s]], %[[a]] : f64
// CHECK-NEXT:        %[[SA0:.+]] = nacho.restrict %[[SA]] to %[[A2]] : f64
// CHECK-NEXT:        %[[TWO:.+]] = arith.constant 2.0{{.*}} : f64
// CHECK-NEXT:        %[[WIDE:.+]] = nacho.cast %[[b]] : f32 to f64
// CHECK-NEXT:        %[[B2:.+]] = nacho.binary mul %[[TWO]], %[[WIDE]] : f64
// CHECK-NEXT:        nacho.binary add %[[SA0]], %[[B2]] : f64
func.func @scalars(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf32, #CSR>, %s: tensor<f64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf32, #CSR>, %f = %s[] : tensor<f64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %f, %a : f64
    %two = arith.constant 2.0 : f64
    %wide = nacho.cast %b : f32 to f64
    %1 = nacho.binary mul %two, %wide : f64
    %2 = nacho.binary add %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// (A + s) * B is zero where B is: A goes along, but decides nothing.
//
// CHECK-LABEL: func.func @dense_factor(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}) in %[[B1]] {
// CHECK-NOT:     nacho.restrict
func.func @dense_factor(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                        %s: tensor<f64>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>, %f = %s[] : tensor<f64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %f : f64
    %1 = nacho.binary mul %0, %b : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// (1.0 - 1.0) + A: numbers cancel at compile time.
//
// CHECK-LABEL: func.func @cancelled(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}) in %[[A1]] {
func.func @cancelled(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %one = arith.constant 1.0 : f64
    %0 = nacho.binary sub %one, %one : f64
    %1 = nacho.binary add %0, %a : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// An operand that the value does not depend on is not iterated.
//
// CHECK-LABEL: func.func @unused_operand(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor
// CHECK-NEXT:    %[[B0:.+]] = nacho.root %[[B]]
// CHECK-NEXT:    nacho.nest
// CHECK-NEXT:      nacho.coiterate {{.+}} of (%[[B1:[^ ]+]] = %[[B0]] : {{[^ ]+}}) in %[[B1]] {
func.func @unused_operand(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    nacho.yield %b : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// COO: the second level has the rows of the first one apart. The loops are the same
// ones, whatever the formats.
//
// CHECK-LABEL: func.func @coo(
// CHECK:         %[[Z:.+]] = nacho.nest : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %[[I:.+]] of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}})
// CHECK-SAME:        in union(%[[A1]], %[[B1]]) {
// CHECK-NEXT:        nacho.coiterate %[[J:.+]] of (%[[A2:[^ ]+]] = %[[A1]] : {{[^ ]+}}, %[[B2:[^ ]+]] = %[[B1]] : {{[^ ]+}})
// CHECK-SAME:          in union(%[[A2]], %[[B2]]) {
// CHECK:               nacho.append %{{.+}} at(%[[I]], %[[J]]) : f64
func.func @coo(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// Casts keep what they are given: 0 is 0 in any type, and a number that was an integer
// is a finite one.
//
// CHECK-LABEL: func.func @casts(
// CHECK:         nacho.coiterate {{.+}} in %{{[^ ]+}} {
// CHECK-NEXT:      nacho.coiterate {{.+}} in %{{[^ ]+}} {
// CHECK-NEXT:        %[[a:.+]] = nacho.load
// CHECK-NEXT:        %[[TWO:.+]] = arith.constant 2 : i8
// CHECK-NEXT:        %[[WIDE:.+]] = nacho.cast %[[TWO]] : i8 to f64
// CHECK-NEXT:        %[[A:.+]] = nacho.cast %[[a]] : ui8 to f64
// CHECK-NEXT:        %[[Z:.+]] = nacho.binary mul %[[WIDE]], %[[A]] : f64
// CHECK-NEXT:        nacho.append %[[Z]]
func.func @casts(%A: tensor<?x?xui8, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xui8, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %two = arith.constant 2 : i8
    %0 = nacho.cast %two : i8 to f64
    %1 = nacho.cast %a : ui8 to f64
    %2 = nacho.binary mul %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// min(A, B) and max(A, B) have entries where either has.
//
// CHECK-LABEL: func.func @extrema(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}, %[[B1:[^ ]+]] = {{[^ ]+}} : {{[^ ]+}}) in union(%[[A1]], %[[B1]]) {
func.func @extrema(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary min %a, %b : f64
    %1 = nacho.binary max %0, %a : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
