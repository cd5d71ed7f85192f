// RUN: nacho-opt --nacho-separate-ops -split-input-file -verify-diagnostics %s | FileCheck %s

// f: T = op(A), Z = op(T, s)  ->  f: T = call f_0(A), Z = call f_1(T, s)

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// The number %s stays one; the zeros of the output are known to the kernel.
//
// CHECK-LABEL: func.func private @twice_0(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf64, #[[CSR:.+]]>, %[[S:.*]]: f64) -> tensor<?x?xf64, #[[CSR]]>
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[A]]
// CHECK:           arith.mulf %{{.*}}, %[[S]]
// CHECK:         return %[[T]]
// CHECK-LABEL: func.func private @twice_1(
// CHECK-SAME:    %[[T:.*]]: tensor<?x?xf64, #[[CSR]]>, %[[X:.*]]: tensor<?xf64>) -> tensor<?xf64>
// CHECK:         %[[ZEROS:.*]] = linalg.fill
// CHECK:         %[[Y:.*]] = linalg.matvec ins(%[[T]], %[[X]] {{.*}} outs(%[[ZEROS]]
// CHECK:         return %[[Y]]
// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf64, #[[CSR]]>, %[[S:.*]]: f64, %[[X:.*]]: tensor<?xf64>)
// CHECK-NEXT:    %[[T:.*]] = call @twice_0(%[[A]], %[[S]])
// CHECK-NEXT:    %[[Y:.*]] = call @twice_1(%[[T]], %[[X]])
// CHECK-NEXT:    return %[[T]], %[[Y]]
func.func @twice(%A: tensor<?x?xf64, #CSR>, %s: f64, %x: tensor<?xf64>)
    -> (tensor<?x?xf64, #CSR>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %n = tensor.dim %A, %c1 : tensor<?x?xf64, #CSR>
  %empty = bufferization.alloc_tensor(%m, %n) : tensor<?x?xf64, #CSR>
  %T = linalg.generic #each ins(%A : tensor<?x?xf64, #CSR>)
      outs(%empty : tensor<?x?xf64, #CSR>) {
  ^bb0(%a: f64, %t: f64):
    %0 = arith.mulf %a, %s : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64, #CSR>
  %zero = arith.constant 0.0 : f64
  %made = tensor.empty(%m) : tensor<?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%made : tensor<?xf64>) -> tensor<?xf64>
  %y = linalg.matvec ins(%T, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
      outs(%zeros : tensor<?xf64>) -> tensor<?xf64>
  return %T, %y : tensor<?x?xf64, #CSR>, tensor<?xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>

// A conversion copies. That of a dense tensor would have to look for zeros. A fill whose
// result is not only an output is an op like others, and the element of a tensor is
// passed as the tensor.
//
// CHECK-LABEL: func.func private @converted_0(
// CHECK:         linalg.copy ins(%{{.*}} : tensor<4x5xf64, #[[CSR:.+]]>) outs(%{{.*}} : tensor<4x5xf64, #[[CSC:.+]]>)
// CHECK-LABEL: func.func private @converted_1(
// CHECK-SAME:    %[[T:.*]]: tensor<f64>) -> tensor<5xf64>
// CHECK:         tensor.extract %[[T]][]
// CHECK:         linalg.generic
// CHECK-LABEL: func.func @converted(
// CHECK-NEXT:    call @converted_0(
// CHECK-NEXT:    sparse_tensor.convert
// CHECK-NEXT:    call @converted_1(
func.func @converted(%A: tensor<4x5xf64, #CSR>, %D: tensor<4x5xf64>, %t: tensor<f64>)
    -> (tensor<4x5xf64, #CSC>, tensor<4x5xf64, #CSC>, tensor<5xf64>) {
  %B = sparse_tensor.convert %A : tensor<4x5xf64, #CSR> to tensor<4x5xf64, #CSC>
  %C = sparse_tensor.convert %D : tensor<4x5xf64> to tensor<4x5xf64, #CSC>
  %s = tensor.extract %t[] : tensor<f64>
  %made = tensor.empty() : tensor<5xf64>
  %x = linalg.fill ins(%s : f64) outs(%made : tensor<5xf64>) -> tensor<5xf64>
  return %B, %C, %x : tensor<4x5xf64, #CSC>, tensor<4x5xf64, #CSC>, tensor<5xf64>
}

// -----

// CHECK-LABEL: func.func @negative_one_op(
// CHECK:         linalg.matvec
// CHECK:         return
func.func @negative_one_op(%A: tensor<4x5xf64>, %x: tensor<5xf64>, %y: tensor<4xf64>)
    -> tensor<4xf64> {
  %z = linalg.matvec ins(%A, %x : tensor<4x5xf64>, tensor<5xf64>)
      outs(%y : tensor<4xf64>) -> tensor<4xf64>
  return %z : tensor<4xf64>
}

// -----

#both = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @two_results(%a: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %empty = tensor.empty() : tensor<4xf64>
  // expected-error @below {{'linalg.generic' op cannot be a kernel, since it has not one result: not supported}}
  %0:2 = linalg.generic #both ins(%a : tensor<4xf64>)
      outs(%empty, %empty : tensor<4xf64>, tensor<4xf64>) {
  ^bb0(%in: f64, %x: f64, %y: f64):
    linalg.yield %in, %in : f64, f64
  } -> (tensor<4xf64>, tensor<4xf64>)
  return %0#0, %0#1 : tensor<4xf64>, tensor<4xf64>
}
