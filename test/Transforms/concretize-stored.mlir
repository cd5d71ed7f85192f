// RUN: nacho-opt %s -nacho-concretize | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// Where the loops only visit entries of the operand, all are stored.
//
// CHECK-LABEL: func.func @alone(
// CHECK-NOT:     nacho.restrict
// CHECK:         %true = arith.constant true
// CHECK:         nacho.append %true
func.func @alone(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xi1, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xi1, #CSR> {
    %0 = nacho.stored %a : f64
    nacho.yield %0 : i1
  }
  return %Z : tensor<?x?xi1, #CSR>
}

// In a union, that depends on the coordinates.
//
// CHECK-LABEL: func.func @union(
// CHECK:         %true = arith.constant true
// CHECK:         %[[STORED:.+]] = nacho.restrict %true
// CHECK:         nacho.binary add %[[STORED]], %{{.+}} : i1
func.func @union(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xi1, #CSR>)
    -> tensor<?x?xi1, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xi1, #CSR>)
      -> [i, j] : tensor<?x?xi1, #CSR> {
    %0 = nacho.stored %a : f64
    %1 = nacho.binary add %0, %b : i1
    nacho.yield %1 : i1
  }
  return %Z : tensor<?x?xi1, #CSR>
}

// Not twice: a bool has one bit. (The result is 0 where there is no entry.)
//
// CHECK-LABEL: func.func @not_not(
// CHECK:         nacho.unary notbits %{{.+}} : i1
// CHECK:         nacho.unary notbits %{{.+}} : i1
// CHECK:         nacho.append
func.func @not_not(%A: tensor<?x?xi1, #CSR>) -> tensor<?x?xi1, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xi1, #CSR>)
      -> [i, j] : tensor<?x?xi1, #CSR> {
    %0 = nacho.unary notbits %a : i1
    %1 = nacho.unary notbits %0 : i1
    nacho.yield %1 : i1
  }
  return %Z : tensor<?x?xi1, #CSR>
}
