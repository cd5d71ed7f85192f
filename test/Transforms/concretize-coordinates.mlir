// RUN: nacho-opt %s -nacho-concretize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Z[i] = A[i] * i: nothing is read for the coordinate of the loop.

// CHECK-LABEL: func.func @weigh(
// CHECK-NOT:     nacho.coordinates
// CHECK:         nacho.coiterate %[[I:.+]] of
// CHECK:           %[[NUMBER:.+]] = arith.index_cast %[[I]] : index to i64
// CHECK:           nacho.binary mul %{{.+}}, %[[NUMBER]] : i64
func.func @weigh(%A: tensor<8xi64, #SV>) -> tensor<8xi64, #SV> {
  %I = nacho.coordinates : tensor<8xi64>
  %Z = nacho.assign (%a = %A[i] : tensor<8xi64, #SV>, %i = %I[i] : tensor<8xi64>)
      -> [i] : tensor<8xi64, #SV> {
    %0 = nacho.binary mul %a, %i : i64
    nacho.yield %0 : i64
  }
  return %Z : tensor<8xi64, #SV>
}

// Z[i] = i, for all i < N: a sparse result has all entries.

// CHECK-LABEL: func.func @number(
// CHECK-SAME:    %[[N:.+]]: index)
// CHECK-NOT:     nacho.coordinates
// CHECK:         nacho.coiterate %[[I:.+]] to %[[N]] of ()
// CHECK:           %[[NUMBER:.+]] = arith.index_cast %[[I]] : index to i64
// CHECK:           nacho.append %[[NUMBER]]
func.func @number(%N: index) -> tensor<?xi64, #SV> {
  %I = nacho.coordinates %N : tensor<?xi64>
  %Z = nacho.assign (%i = %I[i] : tensor<?xi64>) -> [i] : tensor<?xi64, #SV> {
    nacho.yield %i : i64
  }
  return %Z : tensor<?xi64, #SV>
}
