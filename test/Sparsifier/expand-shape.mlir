// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A dimension is expanded into two from and to dense and sparse tensors of static
// and of dynamic size.

#C = #sparse_tensor.encoding<{
  map = (d0) -> (d0 : compressed)
}>

#CC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed)
}>

#CCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed)
}>

func.func @dense_to_dense_matrix(%a: tensor<10xf64>)
    -> tensor<2x5xf64> {
  %x = tensor.expand_shape %a [[0, 1]] output_shape [2, 5]
      : tensor<10xf64> into tensor<2x5xf64>
  return %x : tensor<2x5xf64>
}

func.func @sparse_to_dense_matrix(%a: tensor<10xf64, #C>)
    -> tensor<2x5xf64> {
  %x = tensor.expand_shape %a [[0, 1]] output_shape [2, 5]
      : tensor<10xf64, #C> into tensor<2x5xf64>
  return %x : tensor<2x5xf64>
}

func.func @dense_to_sparse_matrix(%a: tensor<10xf64>)
    -> tensor<2x5xf64, #CC> {
  %x = tensor.expand_shape %a [[0, 1]] output_shape [2, 5]
      : tensor<10xf64> into tensor<2x5xf64, #CC>
  return %x : tensor<2x5xf64, #CC>
}

func.func @sparse_to_sparse_matrix(%a: tensor<10xf64, #C>)
    -> tensor<2x5xf64, #CC> {
  %x = tensor.expand_shape %a [[0, 1]] output_shape [2, 5]
      : tensor<10xf64, #C> into tensor<2x5xf64, #CC>
  return %x : tensor<2x5xf64, #CC>
}

func.func @dense_to_dense_tensor(%a: tensor<3x4xf64>)
    -> tensor<3x2x2xf64> {
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [3, 2, 2]
      : tensor<3x4xf64> into tensor<3x2x2xf64>
  return %x : tensor<3x2x2xf64>
}

func.func @sparse_to_dense_tensor(%a: tensor<3x4xf64, #CC>)
    -> tensor<3x2x2xf64> {
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [3, 2, 2]
      : tensor<3x4xf64, #CC> into tensor<3x2x2xf64>
  return %x : tensor<3x2x2xf64>
}

func.func @dense_to_sparse_tensor(%a: tensor<3x4xf64>)
    -> tensor<3x2x2xf64, #CCC> {
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [3, 2, 2]
      : tensor<3x4xf64> into tensor<3x2x2xf64, #CCC>
  return %x : tensor<3x2x2xf64, #CCC>
}

func.func @sparse_to_sparse_tensor(%a: tensor<3x4xf64, #CC>)
    -> tensor<3x2x2xf64, #CCC> {
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [3, 2, 2]
      : tensor<3x4xf64, #CC> into tensor<3x2x2xf64, #CCC>
  return %x : tensor<3x2x2xf64, #CCC>
}

func.func @dense_to_dense_dynamic(%a: tensor<?x?xf64>)
    -> tensor<?x2x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64>
  %half = arith.divui %columns, %c2 : index
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%rows, 2, %half]
      : tensor<?x?xf64> into tensor<?x2x?xf64>
  return %x : tensor<?x2x?xf64>
}

func.func @sparse_to_dense_dynamic(%a: tensor<?x?xf64, #CC>)
    -> tensor<?x2x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #CC>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64, #CC>
  %half = arith.divui %columns, %c2 : index
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%rows, 2, %half]
      : tensor<?x?xf64, #CC> into tensor<?x2x?xf64>
  return %x : tensor<?x2x?xf64>
}

func.func @dense_to_sparse_dynamic(%a: tensor<?x?xf64>)
    -> tensor<?x2x?xf64, #CCC> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64>
  %half = arith.divui %columns, %c2 : index
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%rows, 2, %half]
      : tensor<?x?xf64> into tensor<?x2x?xf64, #CCC>
  return %x : tensor<?x2x?xf64, #CCC>
}

func.func @sparse_to_sparse_dynamic(%a: tensor<?x?xf64, #CC>)
    -> tensor<?x2x?xf64, #CCC> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #CC>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64, #CC>
  %half = arith.divui %columns, %c2 : index
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%rows, 2, %half]
      : tensor<?x?xf64, #CC> into tensor<?x2x?xf64, #CCC>
  return %x : tensor<?x2x?xf64, #CCC>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %vector = arith.constant dense<[0.0, 1.5, 0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 4.0, 0.0]> : tensor<10xf64>
  %matrix = arith.constant dense<[
    [0.0, 6.0, 7.0, 0.0], [0.0, 0.0, 0.0, 0.0], [8.0, 0.5, 0.0, 9.0]
  ]> : tensor<3x4xf64>
  %vectorsparse = sparse_tensor.convert %vector
      : tensor<10xf64> to tensor<10xf64, #C>
  %matrixsparse = sparse_tensor.convert %matrix
      : tensor<3x4xf64> to tensor<3x4xf64, #CC>
  %matrixdynamic = tensor.cast %matrix : tensor<3x4xf64> to tensor<?x?xf64>
  %matrixdynamicsparse = sparse_tensor.convert %matrixdynamic
      : tensor<?x?xf64> to tensor<?x?xf64, #CC>

  // CHECK:      ( ( 0, 1.5, 0, 2, 3 ), ( 0, 0, 0, 4, 0 ) )
  %0 = call @dense_to_dense_matrix(%vector)
      : (tensor<10xf64>) -> tensor<2x5xf64>
  %v0 = vector.transfer_read %0[%c0, %c0], %pad
      : tensor<2x5xf64>, vector<2x5xf64>
  vector.print %v0 : vector<2x5xf64>

  // CHECK-NEXT: ( ( 0, 1.5, 0, 2, 3 ), ( 0, 0, 0, 4, 0 ) )
  %1 = call @sparse_to_dense_matrix(%vectorsparse)
      : (tensor<10xf64, #C>) -> tensor<2x5xf64>
  %v1 = vector.transfer_read %1[%c0, %c0], %pad
      : tensor<2x5xf64>, vector<2x5xf64>
  vector.print %v1 : vector<2x5xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 2, 5 )
  // CHECK-NEXT: lvl = ( 2, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 4, 3 )
  // CHECK-NEXT: values : ( 1.5, 2, 3, 4 )
  // CHECK-NEXT: ----
  %2 = call @dense_to_sparse_matrix(%vector)
      : (tensor<10xf64>) -> tensor<2x5xf64, #CC>
  sparse_tensor.print %2 : tensor<2x5xf64, #CC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 2, 5 )
  // CHECK-NEXT: lvl = ( 2, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 4, 3 )
  // CHECK-NEXT: values : ( 1.5, 2, 3, 4 )
  // CHECK-NEXT: ----
  %3 = call @sparse_to_sparse_matrix(%vectorsparse)
      : (tensor<10xf64, #C>) -> tensor<2x5xf64, #CC>
  sparse_tensor.print %3 : tensor<2x5xf64, #CC>

  // CHECK-NEXT: ( ( ( 0, 6 ), ( 7, 0 ) ), ( ( 0, 0 ), ( 0, 0 ) ), ( ( 8, 0.5 ), ( 0, 9 ) ) )
  %4 = call @dense_to_dense_tensor(%matrix)
      : (tensor<3x4xf64>) -> tensor<3x2x2xf64>
  %v4 = vector.transfer_read %4[%c0, %c0, %c0], %pad
      : tensor<3x2x2xf64>, vector<3x2x2xf64>
  vector.print %v4 : vector<3x2x2xf64>

  // CHECK-NEXT: ( ( ( 0, 6 ), ( 7, 0 ) ), ( ( 0, 0 ), ( 0, 0 ) ), ( ( 8, 0.5 ), ( 0, 9 ) ) )
  %5 = call @sparse_to_dense_tensor(%matrixsparse)
      : (tensor<3x4xf64, #CC>) -> tensor<3x2x2xf64>
  %v5 = vector.transfer_read %5[%c0, %c0, %c0], %pad
      : tensor<3x2x2xf64>, vector<3x2x2xf64>
  vector.print %v5 : vector<3x2x2xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 3, 2, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5 )
  // CHECK-NEXT: crd[2] : ( 1, 0, 0, 1, 1 )
  // CHECK-NEXT: values : ( 6, 7, 8, 0.5, 9 )
  // CHECK-NEXT: ----
  %6 = call @dense_to_sparse_tensor(%matrix)
      : (tensor<3x4xf64>) -> tensor<3x2x2xf64, #CCC>
  sparse_tensor.print %6 : tensor<3x2x2xf64, #CCC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 3, 2, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5 )
  // CHECK-NEXT: crd[2] : ( 1, 0, 0, 1, 1 )
  // CHECK-NEXT: values : ( 6, 7, 8, 0.5, 9 )
  // CHECK-NEXT: ----
  %7 = call @sparse_to_sparse_tensor(%matrixsparse)
      : (tensor<3x4xf64, #CC>) -> tensor<3x2x2xf64, #CCC>
  sparse_tensor.print %7 : tensor<3x2x2xf64, #CCC>

  // CHECK-NEXT: ( ( ( 0, 6 ), ( 7, 0 ) ), ( ( 0, 0 ), ( 0, 0 ) ), ( ( 8, 0.5 ), ( 0, 9 ) ) )
  %8 = call @dense_to_dense_dynamic(%matrixdynamic)
      : (tensor<?x?xf64>) -> tensor<?x2x?xf64>
  %v8 = vector.transfer_read %8[%c0, %c0, %c0], %pad
      : tensor<?x2x?xf64>, vector<3x2x2xf64>
  vector.print %v8 : vector<3x2x2xf64>

  // CHECK-NEXT: ( ( ( 0, 6 ), ( 7, 0 ) ), ( ( 0, 0 ), ( 0, 0 ) ), ( ( 8, 0.5 ), ( 0, 9 ) ) )
  %9 = call @sparse_to_dense_dynamic(%matrixdynamicsparse)
      : (tensor<?x?xf64, #CC>) -> tensor<?x2x?xf64>
  %v9 = vector.transfer_read %9[%c0, %c0, %c0], %pad
      : tensor<?x2x?xf64>, vector<3x2x2xf64>
  vector.print %v9 : vector<3x2x2xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 3, 2, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5 )
  // CHECK-NEXT: crd[2] : ( 1, 0, 0, 1, 1 )
  // CHECK-NEXT: values : ( 6, 7, 8, 0.5, 9 )
  // CHECK-NEXT: ----
  %10 = call @dense_to_sparse_dynamic(%matrixdynamic)
      : (tensor<?x?xf64>) -> tensor<?x2x?xf64, #CCC>
  sparse_tensor.print %10 : tensor<?x2x?xf64, #CCC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 3, 2, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5 )
  // CHECK-NEXT: crd[2] : ( 1, 0, 0, 1, 1 )
  // CHECK-NEXT: values : ( 6, 7, 8, 0.5, 9 )
  // CHECK-NEXT: ----
  %11 = call @sparse_to_sparse_dynamic(%matrixdynamicsparse)
      : (tensor<?x?xf64, #CC>) -> tensor<?x2x?xf64, #CCC>
  sparse_tensor.print %11 : tensor<?x2x?xf64, #CCC>

  bufferization.dealloc_tensor %vectorsparse : tensor<10xf64, #C>
  bufferization.dealloc_tensor %1 : tensor<2x5xf64>
  bufferization.dealloc_tensor %2 : tensor<2x5xf64, #CC>
  bufferization.dealloc_tensor %3 : tensor<2x5xf64, #CC>
  bufferization.dealloc_tensor %matrixsparse : tensor<3x4xf64, #CC>
  bufferization.dealloc_tensor %5 : tensor<3x2x2xf64>
  bufferization.dealloc_tensor %6 : tensor<3x2x2xf64, #CCC>
  bufferization.dealloc_tensor %7 : tensor<3x2x2xf64, #CCC>
  bufferization.dealloc_tensor %matrixdynamicsparse : tensor<?x?xf64, #CC>
  bufferization.dealloc_tensor %9 : tensor<?x2x?xf64>
  bufferization.dealloc_tensor %10 : tensor<?x2x?xf64, #CCC>
  bufferization.dealloc_tensor %11 : tensor<?x2x?xf64, #CCC>
  return
}
