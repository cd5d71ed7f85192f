// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Dimensions are collapsed from and to dense and sparse tensors of static and of
// dynamic size.

#C = #sparse_tensor.encoding<{
  map = (d0) -> (d0 : compressed)
}>

#CC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed)
}>

#CCCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : compressed, d2 : compressed, d3 : compressed)
}>

func.func @dense_to_dense_vector(%a: tensor<2x4xf64>)
    -> tensor<8xf64> {
  %x = tensor.collapse_shape %a [[0, 1]]
      : tensor<2x4xf64> into tensor<8xf64>
  return %x : tensor<8xf64>
}

func.func @sparse_to_dense_vector(%a: tensor<2x4xf64, #CC>)
    -> tensor<8xf64> {
  %x = tensor.collapse_shape %a [[0, 1]]
      : tensor<2x4xf64, #CC> into tensor<8xf64>
  return %x : tensor<8xf64>
}

func.func @dense_to_sparse_vector(%a: tensor<2x4xf64>)
    -> tensor<8xf64, #C> {
  %x = tensor.collapse_shape %a [[0, 1]]
      : tensor<2x4xf64> into tensor<8xf64, #C>
  return %x : tensor<8xf64, #C>
}

func.func @sparse_to_sparse_vector(%a: tensor<2x4xf64, #CC>)
    -> tensor<8xf64, #C> {
  %x = tensor.collapse_shape %a [[0, 1]]
      : tensor<2x4xf64, #CC> into tensor<8xf64, #C>
  return %x : tensor<8xf64, #C>
}

func.func @dense_to_dense_matrix(%a: tensor<2x3x2x2xf64>)
    -> tensor<6x4xf64> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<2x3x2x2xf64> into tensor<6x4xf64>
  return %x : tensor<6x4xf64>
}

func.func @sparse_to_dense_matrix(%a: tensor<2x3x2x2xf64, #CCCC>)
    -> tensor<6x4xf64> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<2x3x2x2xf64, #CCCC> into tensor<6x4xf64>
  return %x : tensor<6x4xf64>
}

func.func @dense_to_sparse_matrix(%a: tensor<2x3x2x2xf64>)
    -> tensor<6x4xf64, #CC> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<2x3x2x2xf64> into tensor<6x4xf64, #CC>
  return %x : tensor<6x4xf64, #CC>
}

func.func @sparse_to_sparse_matrix(%a: tensor<2x3x2x2xf64, #CCCC>)
    -> tensor<6x4xf64, #CC> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<2x3x2x2xf64, #CCCC> into tensor<6x4xf64, #CC>
  return %x : tensor<6x4xf64, #CC>
}

func.func @dense_to_dense_dynamic(%a: tensor<?x?x?x?xf64>)
    -> tensor<?x?xf64> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<?x?x?x?xf64> into tensor<?x?xf64>
  return %x : tensor<?x?xf64>
}

func.func @sparse_to_dense_dynamic(%a: tensor<?x?x?x?xf64, #CCCC>)
    -> tensor<?x?xf64> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<?x?x?x?xf64, #CCCC> into tensor<?x?xf64>
  return %x : tensor<?x?xf64>
}

func.func @dense_to_sparse_dynamic(%a: tensor<?x?x?x?xf64>)
    -> tensor<?x?xf64, #CC> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<?x?x?x?xf64> into tensor<?x?xf64, #CC>
  return %x : tensor<?x?xf64, #CC>
}

func.func @sparse_to_sparse_dynamic(%a: tensor<?x?x?x?xf64, #CCCC>)
    -> tensor<?x?xf64, #CC> {
  %x = tensor.collapse_shape %a [[0, 1], [2, 3]]
      : tensor<?x?x?x?xf64, #CCCC> into tensor<?x?xf64, #CC>
  return %x : tensor<?x?xf64, #CC>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %matrix = arith.constant dense<[
    [0.0, 2.5, 0.0, 0.0], [4.0, 0.0, 0.0, 1.0]
  ]> : tensor<2x4xf64>
  %tensor = arith.constant dense<[
    [[[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 5.0], [0.0, 0.0]]],
    [[[0.0, 0.0], [0.0, 0.0]], [[7.5, 0.0], [8.0, 0.0]], [[0.0, 0.0], [0.0, 3.0]]]
  ]> : tensor<2x3x2x2xf64>
  %matrixsparse = sparse_tensor.convert %matrix
      : tensor<2x4xf64> to tensor<2x4xf64, #CC>
  %tensorsparse = sparse_tensor.convert %tensor
      : tensor<2x3x2x2xf64> to tensor<2x3x2x2xf64, #CCCC>
  %tensordynamic = tensor.cast %tensor : tensor<2x3x2x2xf64> to tensor<?x?x?x?xf64>
  %tensordynamicsparse = sparse_tensor.convert %tensordynamic
      : tensor<?x?x?x?xf64> to tensor<?x?x?x?xf64, #CCCC>

  // CHECK:      ( 0, 2.5, 0, 0, 4, 0, 0, 1 )
  %0 = call @dense_to_dense_vector(%matrix)
      : (tensor<2x4xf64>) -> tensor<8xf64>
  %v0 = vector.transfer_read %0[%c0], %pad
      : tensor<8xf64>, vector<8xf64>
  vector.print %v0 : vector<8xf64>

  // CHECK-NEXT: ( 0, 2.5, 0, 0, 4, 0, 0, 1 )
  %1 = call @sparse_to_dense_vector(%matrixsparse)
      : (tensor<2x4xf64, #CC>) -> tensor<8xf64>
  %v1 = vector.transfer_read %1[%c0], %pad
      : tensor<8xf64>, vector<8xf64>
  vector.print %v1 : vector<8xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 8 )
  // CHECK-NEXT: lvl = ( 8 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 1, 4, 7 )
  // CHECK-NEXT: values : ( 2.5, 4, 1 )
  // CHECK-NEXT: ----
  %2 = call @dense_to_sparse_vector(%matrix)
      : (tensor<2x4xf64>) -> tensor<8xf64, #C>
  sparse_tensor.print %2 : tensor<8xf64, #C>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 8 )
  // CHECK-NEXT: lvl = ( 8 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 1, 4, 7 )
  // CHECK-NEXT: values : ( 2.5, 4, 1 )
  // CHECK-NEXT: ----
  %3 = call @sparse_to_sparse_vector(%matrixsparse)
      : (tensor<2x4xf64, #CC>) -> tensor<8xf64, #C>
  sparse_tensor.print %3 : tensor<8xf64, #C>

  // CHECK-NEXT: ( ( 1, 0, 0, 2 ), ( 0, 0, 0, 0 ), ( 0, 5, 0, 0 ), ( 0, 0, 0, 0 ), ( 7.5, 0, 8, 0 ), ( 0, 0, 0, 3 ) )
  %4 = call @dense_to_dense_matrix(%tensor)
      : (tensor<2x3x2x2xf64>) -> tensor<6x4xf64>
  %v4 = vector.transfer_read %4[%c0, %c0], %pad
      : tensor<6x4xf64>, vector<6x4xf64>
  vector.print %v4 : vector<6x4xf64>

  // CHECK-NEXT: ( ( 1, 0, 0, 2 ), ( 0, 0, 0, 0 ), ( 0, 5, 0, 0 ), ( 0, 0, 0, 0 ), ( 7.5, 0, 8, 0 ), ( 0, 0, 0, 3 ) )
  %5 = call @sparse_to_dense_matrix(%tensorsparse)
      : (tensor<2x3x2x2xf64, #CCCC>) -> tensor<6x4xf64>
  %v5 = vector.transfer_read %5[%c0, %c0], %pad
      : tensor<6x4xf64>, vector<6x4xf64>
  vector.print %v5 : vector<6x4xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 4 )
  // CHECK-NEXT: lvl = ( 6, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 4, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 0, 2, 3 )
  // CHECK-NEXT: values : ( 1, 2, 5, 7.5, 8, 3 )
  // CHECK-NEXT: ----
  %6 = call @dense_to_sparse_matrix(%tensor)
      : (tensor<2x3x2x2xf64>) -> tensor<6x4xf64, #CC>
  sparse_tensor.print %6 : tensor<6x4xf64, #CC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 4 )
  // CHECK-NEXT: lvl = ( 6, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 4, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 0, 2, 3 )
  // CHECK-NEXT: values : ( 1, 2, 5, 7.5, 8, 3 )
  // CHECK-NEXT: ----
  %7 = call @sparse_to_sparse_matrix(%tensorsparse)
      : (tensor<2x3x2x2xf64, #CCCC>) -> tensor<6x4xf64, #CC>
  sparse_tensor.print %7 : tensor<6x4xf64, #CC>

  // CHECK-NEXT: ( ( 1, 0, 0, 2 ), ( 0, 0, 0, 0 ), ( 0, 5, 0, 0 ), ( 0, 0, 0, 0 ), ( 7.5, 0, 8, 0 ), ( 0, 0, 0, 3 ) )
  %8 = call @dense_to_dense_dynamic(%tensordynamic)
      : (tensor<?x?x?x?xf64>) -> tensor<?x?xf64>
  %v8 = vector.transfer_read %8[%c0, %c0], %pad
      : tensor<?x?xf64>, vector<6x4xf64>
  vector.print %v8 : vector<6x4xf64>

  // CHECK-NEXT: ( ( 1, 0, 0, 2 ), ( 0, 0, 0, 0 ), ( 0, 5, 0, 0 ), ( 0, 0, 0, 0 ), ( 7.5, 0, 8, 0 ), ( 0, 0, 0, 3 ) )
  %9 = call @sparse_to_dense_dynamic(%tensordynamicsparse)
      : (tensor<?x?x?x?xf64, #CCCC>) -> tensor<?x?xf64>
  %v9 = vector.transfer_read %9[%c0, %c0], %pad
      : tensor<?x?xf64>, vector<6x4xf64>
  vector.print %v9 : vector<6x4xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 4 )
  // CHECK-NEXT: lvl = ( 6, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 4, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 0, 2, 3 )
  // CHECK-NEXT: values : ( 1, 2, 5, 7.5, 8, 3 )
  // CHECK-NEXT: ----
  %10 = call @dense_to_sparse_dynamic(%tensordynamic)
      : (tensor<?x?x?x?xf64>) -> tensor<?x?xf64, #CC>
  sparse_tensor.print %10 : tensor<?x?xf64, #CC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 4 )
  // CHECK-NEXT: lvl = ( 6, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 4, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 0, 2, 3 )
  // CHECK-NEXT: values : ( 1, 2, 5, 7.5, 8, 3 )
  // CHECK-NEXT: ----
  %11 = call @sparse_to_sparse_dynamic(%tensordynamicsparse)
      : (tensor<?x?x?x?xf64, #CCCC>) -> tensor<?x?xf64, #CC>
  sparse_tensor.print %11 : tensor<?x?xf64, #CC>

  bufferization.dealloc_tensor %matrixsparse : tensor<2x4xf64, #CC>
  bufferization.dealloc_tensor %1 : tensor<8xf64>
  bufferization.dealloc_tensor %2 : tensor<8xf64, #C>
  bufferization.dealloc_tensor %3 : tensor<8xf64, #C>
  bufferization.dealloc_tensor %tensorsparse : tensor<2x3x2x2xf64, #CCCC>
  bufferization.dealloc_tensor %5 : tensor<6x4xf64>
  bufferization.dealloc_tensor %6 : tensor<6x4xf64, #CC>
  bufferization.dealloc_tensor %7 : tensor<6x4xf64, #CC>
  bufferization.dealloc_tensor %tensordynamicsparse : tensor<?x?x?x?xf64, #CCCC>
  bufferization.dealloc_tensor %9 : tensor<?x?xf64>
  bufferization.dealloc_tensor %10 : tensor<?x?xf64, #CC>
  bufferization.dealloc_tensor %11 : tensor<?x?xf64, #CC>
  return
}
