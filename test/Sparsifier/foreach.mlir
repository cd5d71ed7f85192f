// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The entries of a constant, of a dense tensor and of sparse tensors are visited
// in the order in which they are stored.

#CD = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : dense) }>
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#DCSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : compressed, i : compressed)
}>
#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>
#COOColumns = #sparse_tensor.encoding<{
  map = (i, j) -> (j : compressed(nonunique), i : singleton)
}>
#Rotated = #sparse_tensor.encoding<{
  map = (i, j, k) -> (j : compressed, k : compressed, i : compressed)
}>

func.func @of_constant() {
  %constant = arith.constant sparse<[[2, 1], [5, 0]], [3.5, 8.0]>
      : tensor<6x4xf32>
  sparse_tensor.foreach in %constant : tensor<6x4xf32> do {
  ^bb0(%i: index, %j: index, %value: f32):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f32
  }
  return
}

func.func @of_dense(%a: tensor<2x3xf64>) {
  sparse_tensor.foreach in %a : tensor<2x3xf64> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_compressed_dense(%a: tensor<2x3xf64, #CD>) {
  sparse_tensor.foreach in %a : tensor<2x3xf64, #CD> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_csr(%a: tensor<2x3xf64, #CSR>) {
  sparse_tensor.foreach in %a : tensor<2x3xf64, #CSR> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_dcsc(%a: tensor<2x3xf64, #DCSC>) {
  sparse_tensor.foreach in %a : tensor<2x3xf64, #DCSC> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_coo(%a: tensor<2x3xf64, #COO>) {
  sparse_tensor.foreach in %a : tensor<2x3xf64, #COO> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_coo_columns(%a: tensor<2x3xf64, #COOColumns>) {
  sparse_tensor.foreach in %a : tensor<2x3xf64, #COOColumns> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_rotated(%a: tensor<3x4x5xf64, #Rotated>) {
  sparse_tensor.foreach in %a : tensor<3x4x5xf64, #Rotated> do {
  ^bb0(%i: index, %j: index, %k: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %k : index
    vector.print %value : f64
  }
  return
}

func.func @main() {
  %matrix = arith.constant dense<[[4.0, 1.5, 7.0], [2.0, 9.0, 3.0]]>
      : tensor<2x3xf64>
  %cube = arith.constant sparse<
    [[0, 3, 4], [1, 0, 2], [2, 0, 2]], [6.0, 5.0, 0.5]
  > : tensor<3x4x5xf64>
  %cd = sparse_tensor.convert %matrix : tensor<2x3xf64> to tensor<2x3xf64, #CD>
  %csr = sparse_tensor.convert %matrix : tensor<2x3xf64> to tensor<2x3xf64, #CSR>
  %dcsc = sparse_tensor.convert %matrix
      : tensor<2x3xf64> to tensor<2x3xf64, #DCSC>
  %coo = sparse_tensor.convert %matrix : tensor<2x3xf64> to tensor<2x3xf64, #COO>
  %columns = sparse_tensor.convert %matrix
      : tensor<2x3xf64> to tensor<2x3xf64, #COOColumns>
  %rotated = sparse_tensor.convert %cube
      : tensor<3x4x5xf64> to tensor<3x4x5xf64, #Rotated>

  // CHECK:      2
  // CHECK-NEXT: 1
  // CHECK-NEXT: 3.5
  // CHECK-NEXT: 5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 8
  call @of_constant() : () -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 0
  // CHECK-NEXT: 4
  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  // CHECK-NEXT: 1
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1
  // CHECK-NEXT: 9
  // CHECK-NEXT: 1
  // CHECK-NEXT: 2
  // CHECK-NEXT: 3
  call @of_dense(%matrix) : (tensor<2x3xf64>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 0
  // CHECK-NEXT: 4
  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  // CHECK-NEXT: 1
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1
  // CHECK-NEXT: 9
  // CHECK-NEXT: 1
  // CHECK-NEXT: 2
  // CHECK-NEXT: 3
  call @of_compressed_dense(%cd) : (tensor<2x3xf64, #CD>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 0
  // CHECK-NEXT: 4
  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  // CHECK-NEXT: 1
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1
  // CHECK-NEXT: 9
  // CHECK-NEXT: 1
  // CHECK-NEXT: 2
  // CHECK-NEXT: 3
  call @of_csr(%csr) : (tensor<2x3xf64, #CSR>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 0
  // CHECK-NEXT: 4
  // CHECK-NEXT: 1
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1
  // CHECK-NEXT: 9
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  // CHECK-NEXT: 1
  // CHECK-NEXT: 2
  // CHECK-NEXT: 3
  call @of_dcsc(%dcsc) : (tensor<2x3xf64, #DCSC>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 0
  // CHECK-NEXT: 4
  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  // CHECK-NEXT: 1
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1
  // CHECK-NEXT: 9
  // CHECK-NEXT: 1
  // CHECK-NEXT: 2
  // CHECK-NEXT: 3
  call @of_coo(%coo) : (tensor<2x3xf64, #COO>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 0
  // CHECK-NEXT: 4
  // CHECK-NEXT: 1
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1
  // CHECK-NEXT: 9
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  // CHECK-NEXT: 1
  // CHECK-NEXT: 2
  // CHECK-NEXT: 3
  call @of_coo_columns(%columns) : (tensor<2x3xf64, #COOColumns>) -> ()

  // CHECK-NEXT: 1
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 5
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 3
  // CHECK-NEXT: 4
  // CHECK-NEXT: 6
  call @of_rotated(%rotated) : (tensor<3x4x5xf64, #Rotated>) -> ()

  bufferization.dealloc_tensor %cd : tensor<2x3xf64, #CD>
  bufferization.dealloc_tensor %csr : tensor<2x3xf64, #CSR>
  bufferization.dealloc_tensor %dcsc : tensor<2x3xf64, #DCSC>
  bufferization.dealloc_tensor %coo : tensor<2x3xf64, #COO>
  bufferization.dealloc_tensor %columns : tensor<2x3xf64, #COOColumns>
  bufferization.dealloc_tensor %rotated : tensor<3x4x5xf64, #Rotated>
  return
}
