// RUN: nacho-opt %s -nacho-order-loops -cse -nacho-concretize -cse -nacho-isolate-nests --mlir-use-nameloc-as-prefix | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 32, crdWidth = 32 }>

// One nest: nothing changes.
//
// CHECK-LABEL: func.func @negative_one_nest(
// CHECK-SAME:    %{{[^ ]+}}: tensor<?x?xf64, #{{[^ ]+}}>) -> tensor<?xf64>
// CHECK-NOT:   func.func @negative_one_nest_0(
func.func @negative_one_nest(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64>
}

// y[j] = s[] * sum_i A[i, j] + x[j]: the scalar and the vector are only read by the
// second, the matrix by the first. What a nest reads of the extents goes along.
//
// CHECK-LABEL: func.func @two_steps_0(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?xf64, #[[CSR:[^ ]+]]> {nacho.operand = 1 : i64}) -> tensor<?x?xf64, #[[LIST:[^ ]+]]> {
// CHECK:         %A0 = nacho.root %[[A]]
// CHECK:         %[[T:.+]] = nacho.nest sorted : tensor<?x?xf64, #[[LIST]]> {
// CHECK:             nacho.append %{{.+}} at(%j, %i) : f64
// CHECK:         return %[[T]]
//
// CHECK-LABEL: func.func @two_steps(
// CHECK-SAME:    %[[S:[^ ]+]]: tensor<f64> {nacho.operand = 0 : i64}, %[[X:[^ ]+]]: tensor<?xf64> {nacho.operand = 2 : i64}, %[[E:[^ ]+]]: tensor<?x?xf64, #[[LIST]]> {nacho.step = 0 : i64}) -> tensor<?xf64> {
// CHECK:         nacho.root %[[E]]
// CHECK:         %[[Y:.+]] = nacho.nest reduce add : tensor<?xf64> {
// CHECK:         return %[[Y]]
func.func @two_steps(%s: tensor<f64>, %A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%f = %s[] : tensor<f64>, %a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [j] : tensor<?xf64> {
    %0 = nacho.binary mul %f, %a : f64
    %1 = nacho.reduce add %0 over [i] : f64
    %2 = nacho.binary add %1, %b : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}
