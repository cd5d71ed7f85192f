// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A COO tensor of three dimensions is collapsed to a matrix, multiplied by a dense
// or a COO matrix, and the dense product is expanded again.

#COO2 = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton),
  posWidth = 32,
  crdWidth = 32
}>

#COO3 = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique),
                      k : singleton),
  posWidth = 32,
  crdWidth = 32
}>

func.func @dense(%a: tensor<3x4xf32>, %b: tensor<4x2x3xf32>)
    -> tensor<?x?x?xf32> {
  %matrix = tensor.collapse_shape %b [[0], [1, 2]]
      : tensor<4x2x3xf32> into tensor<4x6xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x6xf32>)
      -> tensor<3x6xf32>
  %c = linalg.matmul ins(%a, %matrix : tensor<3x4xf32>, tensor<4x6xf32>)
                     outs(%zeros : tensor<3x6xf32>) -> tensor<3x6xf32>
  %cube = tensor.expand_shape %c [[0], [1, 2]] output_shape [3, 2, 3]
      : tensor<3x6xf32> into tensor<3x2x3xf32>
  %x = tensor.cast %cube : tensor<3x2x3xf32> to tensor<?x?x?xf32>
  return %x : tensor<?x?x?xf32>
}

func.func @right_sparse(%a: tensor<3x4xf32>, %b: tensor<4x2x3xf32, #COO3>)
    -> tensor<?x?x?xf32> {
  %matrix = tensor.collapse_shape %b [[0], [1, 2]]
      : tensor<4x2x3xf32, #COO3> into tensor<4x6xf32, #COO2>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x6xf32>)
      -> tensor<3x6xf32>
  %c = linalg.matmul ins(%a, %matrix : tensor<3x4xf32>, tensor<4x6xf32, #COO2>)
                     outs(%zeros : tensor<3x6xf32>) -> tensor<3x6xf32>
  %cube = tensor.expand_shape %c [[0], [1, 2]] output_shape [3, 2, 3]
      : tensor<3x6xf32> into tensor<3x2x3xf32>
  %x = tensor.cast %cube : tensor<3x2x3xf32> to tensor<?x?x?xf32>
  bufferization.dealloc_tensor %matrix : tensor<4x6xf32, #COO2>
  return %x : tensor<?x?x?xf32>
}

// A function of its own: where the product is expanded, MLIR's sparsifier would expand
// sparse operands too, into dense tensors that it never releases.
func.func @expand(%c: tensor<3x6xf32>) -> tensor<?x?x?xf32> {
  %cube = tensor.expand_shape %c [[0], [1, 2]] output_shape [3, 2, 3]
      : tensor<3x6xf32> into tensor<3x2x3xf32>
  %x = tensor.cast %cube : tensor<3x2x3xf32> to tensor<?x?x?xf32>
  return %x : tensor<?x?x?xf32>
}

func.func @both_sparse(%a: tensor<3x4xf32, #COO2>, %b: tensor<4x2x3xf32, #COO3>)
    -> tensor<?x?x?xf32> {
  %matrix = tensor.collapse_shape %b [[0], [1, 2]]
      : tensor<4x2x3xf32, #COO3> into tensor<4x6xf32, #COO2>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x6xf32>)
      -> tensor<3x6xf32>
  %c = linalg.matmul ins(%a, %matrix : tensor<3x4xf32, #COO2>, tensor<4x6xf32, #COO2>)
                     outs(%zeros : tensor<3x6xf32>) -> tensor<3x6xf32>
  %x = call @expand(%c) : (tensor<3x6xf32>) -> tensor<?x?x?xf32>
  bufferization.dealloc_tensor %matrix : tensor<4x6xf32, #COO2>
  return %x : tensor<?x?x?xf32>
}

func.func @reduced_collapsed(%a: tensor<3x4xf32, #COO2>, %b: tensor<2x2x6xf32, #COO3>)
    -> tensor<?x?x?xf32> {
  %matrix = tensor.collapse_shape %b [[0, 1], [2]]
      : tensor<2x2x6xf32, #COO3> into tensor<4x6xf32, #COO2>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x6xf32>)
      -> tensor<3x6xf32>
  %c = linalg.matmul ins(%a, %matrix : tensor<3x4xf32, #COO2>, tensor<4x6xf32, #COO2>)
                     outs(%zeros : tensor<3x6xf32>) -> tensor<3x6xf32>
  %x = call @expand(%c) : (tensor<3x6xf32>) -> tensor<?x?x?xf32>
  bufferization.dealloc_tensor %matrix : tensor<4x6xf32, #COO2>
  return %x : tensor<?x?x?xf32>
}

func.func @show(%x: tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32
  %read = vector.transfer_read %x[%c0, %c0, %c0], %pad
      : tensor<?x?x?xf32>, vector<3x2x3xf32>
  vector.print %read : vector<3x2x3xf32>
  return
}

func.func @main() {
  %a = arith.constant sparse<
    [[0, 1], [0, 3], [2, 0], [2, 1]], [2.0, 1.0, 4.0, 0.5]
  > : tensor<3x4xf32>
  %b = arith.constant sparse<
    [[0, 0, 2], [0, 1, 1], [1, 1, 0], [1, 1, 1], [3, 0, 0], [3, 1, 0]],
    [3.0, 5.0, 6.0, 1.0, 7.0, 8.0]
  > : tensor<4x2x3xf32>
  %shape = arith.constant dense<[2, 2, 6]> : tensor<3xi32>
  %wide = tensor.reshape %b(%shape)
      : (tensor<4x2x3xf32>, tensor<3xi32>) -> tensor<2x2x6xf32>
  %sa = sparse_tensor.convert %a : tensor<3x4xf32> to tensor<3x4xf32, #COO2>
  %sb = sparse_tensor.convert %b
      : tensor<4x2x3xf32> to tensor<4x2x3xf32, #COO3>
  %sw = sparse_tensor.convert %wide
      : tensor<2x2x6xf32> to tensor<2x2x6xf32, #COO3>

  // CHECK:      ( ( ( 7, 0, 0 ), ( 20, 2, 0 ) ), ( ( 0, 0, 0 ), ( 0, 0, 0 ) ), ( ( 0, 0, 12 ), ( 3, 20.5, 0 ) ) )
  %0 = call @dense(%a, %b)
      : (tensor<3x4xf32>, tensor<4x2x3xf32>) -> tensor<?x?x?xf32>
  call @show(%0) : (tensor<?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( 7, 0, 0 ), ( 20, 2, 0 ) ), ( ( 0, 0, 0 ), ( 0, 0, 0 ) ), ( ( 0, 0, 12 ), ( 3, 20.5, 0 ) ) )
  %1 = call @right_sparse(%a, %sb)
      : (tensor<3x4xf32>, tensor<4x2x3xf32, #COO3>) -> tensor<?x?x?xf32>
  call @show(%1) : (tensor<?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( 7, 0, 0 ), ( 20, 2, 0 ) ), ( ( 0, 0, 0 ), ( 0, 0, 0 ) ), ( ( 0, 0, 12 ), ( 3, 20.5, 0 ) ) )
  %2 = call @both_sparse(%sa, %sb)
      : (tensor<3x4xf32, #COO2>, tensor<4x2x3xf32, #COO3>)
      -> tensor<?x?x?xf32>
  call @show(%2) : (tensor<?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( 7, 0, 0 ), ( 20, 2, 0 ) ), ( ( 0, 0, 0 ), ( 0, 0, 0 ) ), ( ( 0, 0, 12 ), ( 3, 20.5, 0 ) ) )
  %3 = call @reduced_collapsed(%sa, %sw)
      : (tensor<3x4xf32, #COO2>, tensor<2x2x6xf32, #COO3>)
      -> tensor<?x?x?xf32>
  call @show(%3) : (tensor<?x?x?xf32>) -> ()

  bufferization.dealloc_tensor %sa : tensor<3x4xf32, #COO2>
  bufferization.dealloc_tensor %sb : tensor<4x2x3xf32, #COO3>
  bufferization.dealloc_tensor %sw : tensor<2x2x6xf32, #COO3>
  bufferization.dealloc_tensor %0 : tensor<?x?x?xf32>
  bufferization.dealloc_tensor %1 : tensor<?x?x?xf32>
  bufferization.dealloc_tensor %2 : tensor<?x?x?xf32>
  bufferization.dealloc_tensor %3 : tensor<?x?x?xf32>
  return
}
