// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: nacho-opt %s -canonicalize | FileCheck %s --check-prefix=ISOLATED

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 64, crdWidth = 32 }>

// CHECK: #[[CSR:[^ ]+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed)

// The names of the indices survive, those of the elements need not.
//
// GENERIC: "nacho.assign"
// GENERIC-SAME{LITERAL}: accesses = [["i", "j"], ["i", "j"]], resultAccess = ["i", "j"]
//
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?xf64, #[[CSR]]>,
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<?x?xf64, #[[CSR]]>)
// CHECK:         %[[Z:.+]] = nacho.assign
// CHECK-SAME:      (%[[a:[^ ]+]] = %[[A]][i, j] : tensor<?x?xf64, #[[CSR]]>,
// CHECK-SAME:       %[[b:[^ ]+]] = %[[B]][i, j] : tensor<?x?xf64, #[[CSR]]>)
// CHECK-SAME:      -> [i, j] : tensor<?x?xf64, #[[CSR]]> {
// CHECK-NEXT:      %[[SUM:.+]] = nacho.binary add %[[a]], %[[b]] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Z]]
func.func @matrices(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %sum = nacho.binary add %a, %b : f64
    nacho.yield %sum : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// An index is any identifier; a transposed access and one of a scalar, which
// has no index; another element type than that of the result.
//
// CHECK-LABEL: func.func @accesses(
// CHECK:         nacho.assign
// CHECK-SAME:      = %{{.+}}[row, col_2] : tensor<3x?xf32, #[[CSR]]>
// CHECK-SAME:      = %{{.+}}[col_2, row] : tensor<?x3xf32,
// CHECK-SAME:      = %{{.+}}[] : tensor<f32>) -> [row, col_2] : tensor<3x?xf64, #[[CSR]]> {
func.func @accesses(%A: tensor<3x?xf32, #CSR>, %B: tensor<?x3xf32, #CSC>,
                    %s: tensor<f32>) -> tensor<3x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[row, col_2] : tensor<3x?xf32, #CSR>,
                     %b = %B[col_2, row] : tensor<?x3xf32, #CSC>,
                     %f = %s[] : tensor<f32>)
      -> [row, col_2] : tensor<3x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f32
    %1 = nacho.binary mul %f, %0 : f32
    %2 = arith.extf %1 : f32 to f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<3x?xf64, #CSR>
}

// No operands and a result without indices. A literal stays where it is: the body
// is isolated from what is around it.
//
// ISOLATED-LABEL: func.func @nothing(
// ISOLATED-NEXT:    nacho.assign
// ISOLATED-NEXT:      arith.constant
//
// CHECK-LABEL: func.func @nothing(
// CHECK:         nacho.assign () -> [] : tensor<f64> {
// CHECK:         } {note = "kept"}
func.func @nothing() -> tensor<f64> {
  %Z = nacho.assign () -> [] : tensor<f64> {
    %0 = arith.constant 1.0 : f64
    nacho.yield %0 : f64
  } {note = "kept"}
  return %Z : tensor<f64>
}

// CHECK-LABEL: func.func @operators(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f64, %[[H:.+]]: f16)
// CHECK-NEXT:    %[[ADD:.+]] = nacho.binary add %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[SUB:.+]] = nacho.binary sub %[[ADD]], %[[Y]] : f64
// CHECK-NEXT:    %[[MUL:.+]] = nacho.binary mul %[[SUB]], %[[X]] {note = "kept"} : f64
// CHECK-NEXT:    %[[NEG:.+]] = nacho.unary neg %[[MUL]] : f64
// CHECK-NEXT:    %[[HALF:.+]] = nacho.unary neg %[[H]] : f16
// CHECK-NEXT:    return %[[NEG]], %[[HALF]]
//
// GENERIC-LABEL: sym_name = "operators"
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind add>}>
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind sub>}>
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind mul>}>
// GENERIC:         "nacho.unary"({{.+}}) <{kind = #nacho<unary_kind neg>}>
func.func @operators(%x: f64, %y: f64, %h: f16) -> (f64, f16) {
  %0 = nacho.binary add %x, %y : f64
  %1 = nacho.binary sub %0, %y : f64
  %2 = nacho.binary mul %1, %x {note = "kept"} : f64
  %3 = nacho.unary neg %2 : f64
  %4 = nacho.unary neg %h : f16
  return %3, %4 : f64, f16
}
