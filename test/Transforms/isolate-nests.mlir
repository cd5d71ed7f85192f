// RUN: nacho-opt %s -nacho-order-loops -cse -nacho-concretize -cse -nacho-isolate-nests --mlir-use-nameloc-as-prefix | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>

#C3 = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>

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

// Z[j, i] = s[] * A[i, j] * x[j]: the scalar and the vector are only read by the second,
// the matrix by the first.
//
// CHECK-LABEL: func.func @two_steps_0(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?xf64, #[[DCSR:[^ ]+]]>) -> tensor<?x?xf64, #[[LIST:[^ ]+]]>
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 1]>} {
// CHECK:         %A0 = nacho.root %[[A]]
// CHECK:         %[[T:.+]] = nacho.nest collect<sorted_list> : tensor<?x?xf64, #[[LIST]]> {
// CHECK:             nacho.append %{{.+}} at(%j, %i) : f64
// CHECK:         return %[[T]]
//
// CHECK-LABEL: func.func @two_steps(
// CHECK-SAME:    %[[S:[^ ]+]]: tensor<f64>, %[[X:[^ ]+]]: tensor<?xf64>, %[[E:[^ ]+]]: tensor<?x?xf64, #[[LIST]]>) -> tensor<?x?xf64, #[[DCSR]]>
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 0, operand 2, step 0]>} {
// CHECK:         nacho.root %[[E]]
// CHECK:         %[[Z:.+]] = nacho.nest : tensor<?x?xf64, #[[DCSR]]> {
// CHECK:             tensor.extract %[[S]][]
// CHECK:             nacho.locate %[[X]][%j]
// CHECK:         return %[[Z]]
func.func @two_steps(%s: tensor<f64>, %A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%f = %s[] : tensor<f64>, %a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[j] : tensor<?xf64>)
      -> [j, i] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %f, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j, k] = A[i, j, k] + A[k, j, i]: a list is sorted, rows are made of it, and these are added
// to A. What was made has the number of its step.
//
// CHECK-LABEL: func.func @three_steps_0(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?x?xf64, #[[C3:[^ ]+]]>) -> tensor<?x?x?xf64, #[[LIST3:[^ ]+]]>
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 0]>} {
// CHECK:         nacho.nest collect<sorted_list> : tensor<?x?x?xf64, #[[LIST3]]> {
//
// CHECK-LABEL: func.func @three_steps_1(
// CHECK-SAME:    %[[L:[^ ]+]]: tensor<?x?x?xf64, #[[LIST3]]>) -> tensor<?x?x?xf64, #[[C3]]>
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [step 0]>} {
// CHECK:         nacho.root %[[L]]
// CHECK:         nacho.nest : tensor<?x?x?xf64, #[[C3]]> {
//
// CHECK-LABEL: func.func @three_steps(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?x?xf64, #[[C3]]>, %[[R:[^ ]+]]: tensor<?x?x?xf64, #[[C3]]>) -> tensor<?x?x?xf64, #[[C3]]>
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 0, step 1]>} {
// CHECK:         %A0 = nacho.root %[[A]]
// CHECK-NEXT:    %B0 = nacho.root %[[R]]
// CHECK:         nacho.nest : tensor<?x?x?xf64, #[[C3]]> {
func.func @three_steps(%A: tensor<?x?x?xf64, #C3>) -> tensor<?x?x?xf64, #C3> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #C3>, %b = %A[k, j, i] : tensor<?x?x?xf64, #C3>)
      -> [i, j, k] : tensor<?x?x?xf64, #C3> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64, #C3>
}

// y[j] = s[] * sum_i A[i, j] + x[j]: the vector is only read by the second, all else by the
// first, of which the sums are dense. What a nest reads of the extents goes along.
//
// CHECK-LABEL: func.func @sums_0(
// CHECK-SAME:    %[[S:[^ ]+]]: tensor<f64>, %[[A:[^ ]+]]: tensor<?x?xf64, #[[CSR:[^ ]+]]>) -> tensor<?xf64>
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 0, operand 1]>} {
// CHECK:         nacho.root %[[A]]
// CHECK:         %[[T:.+]] = nacho.nest reduce add : tensor<?xf64> {
// CHECK:             tensor.extract %[[S]][]
// CHECK:             nacho.append %{{.+}} at(%j) : f64
// CHECK:         return %[[T]]
//
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<?xf64>, %[[T:[^ ]+]]: tensor<?xf64>) -> tensor<?xf64>
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 2, step 0]>} {
// CHECK:         %N_j = tensor.dim %[[X]]
// CHECK:         %[[Y:.+]] = nacho.nest : tensor<?xf64> {
// CHECK-NEXT:      nacho.coiterate %j to %N_j
// CHECK:             nacho.locate %[[X]][%j]
// CHECK:             nacho.locate %[[T]][%j]
// CHECK:         return %[[Y]]
func.func @sums(%s: tensor<f64>, %A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%f = %s[] : tensor<f64>, %a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [j] : tensor<?xf64> {
    %0 = nacho.binary mul %f, %a : f64
    %1 = nacho.reduce add %0 over [i] : f64
    %2 = nacho.binary add %1, %b : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}
