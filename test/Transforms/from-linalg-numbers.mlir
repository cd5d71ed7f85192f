// RUN: nacho-opt --nacho-from-linalg %s | FileCheck %s

// func(number) { use from_elements(number) }  ->  func(tensor) { use tensor }

// CHECK-LABEL: func.func @operand(
// CHECK-SAME:    %[[A:.*]]: tensor<?xf64>, %[[T:.*]]: tensor<f64>) -> tensor<?xf64>
// CHECK-NEXT:    nacho.assign (%{{.*}} = %[[A]][i] : tensor<?xf64>, %{{.*}} = %[[T]][] : tensor<f64>)
func.func @operand(%A: tensor<?xf64>, %s: f64) -> tensor<?xf64> {
  %t = tensor.from_elements %s : tensor<f64>
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64>, %f = %t[] : tensor<f64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %f : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64>
}

// An index is passed as an integer.

// CHECK-LABEL: func.func @index(
// CHECK-SAME:    %[[T:.*]]: tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    return %[[T]]
func.func @index(%n: index) -> tensor<i64> {
  %0 = arith.index_cast %n : index to i64
  %t = tensor.from_elements %0 : tensor<i64>
  return %t : tensor<i64>
}

// func(index) { slice by index }  ->  func(tensor) { slice by what the tensor has }

// CHECK-LABEL: func.func @sliced(
// CHECK-SAME:    %[[A:.*]]: tensor<?xi64>, %[[T:.*]]: tensor<i64>) -> tensor<4xi64>
// CHECK-NEXT:    %[[I64:.*]] = tensor.extract %[[T]][] : tensor<i64>
// CHECK-NEXT:    %[[N:.*]] = arith.index_cast %[[I64]] : i64 to index
// CHECK-NEXT:    %[[S:.*]] = nacho.slice %[[A]] [%[[N]]] [4] [%[[N]]]
// CHECK-NEXT:    nacho.assign (%{{.*}} = %[[S]][i] : tensor<4xi64>, %{{.*}} = %[[T]][] : tensor<i64>)
func.func @sliced(%A: tensor<?xi64>, %n: index) -> tensor<4xi64> {
  %S = nacho.slice %A[%n] [4] [%n] : tensor<?xi64> to tensor<4xi64>
  %i = arith.index_cast %n : index to i64
  %t = tensor.from_elements %i : tensor<i64>
  %Z = nacho.assign (%a = %S[i] : tensor<4xi64>, %f = %t[] : tensor<i64>)
      -> [i] : tensor<4xi64> {
    %0 = nacho.binary mul %a, %f : i64
    nacho.yield %0 : i64
  }
  return %Z : tensor<4xi64>
}

// The callers of a function give it numbers.

// CHECK-LABEL: func.func private @negative_called(
// CHECK-SAME:    %[[S:.*]]: f64)
// CHECK:         tensor.from_elements %[[S]]
func.func private @negative_called(%s: f64) -> tensor<f64> {
  %t = tensor.from_elements %s : tensor<f64>
  return %t : tensor<f64>
}
func.func @caller(%x: f64) -> tensor<f64> {
  %0 = call @negative_called(%x) : (f64) -> tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @negative_used_otherwise(
// CHECK-SAME:    %[[S:.*]]: f64)
func.func @negative_used_otherwise(%s: f64) -> (tensor<f64>, f64) {
  %t = tensor.from_elements %s : tensor<f64>
  return %t, %s : tensor<f64>, f64
}
