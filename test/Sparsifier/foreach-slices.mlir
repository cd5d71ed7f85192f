// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s

// The entries of a slice with strides, of static and of dynamic extent, are those
// of the sparse matrix that is made of the same slice of a dense matrix.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

#CSRSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(1, 3, 2)>,
         j : #sparse_tensor<slice(0, 4, 2)>) -> (i : dense, j : compressed)
}>

#CSRAnySlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, ?, ?)>,
         j : #sparse_tensor<slice(?, ?, ?)>) -> (i : dense, j : compressed)
}>

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

#COOSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(1, 3, 2)>,
         j : #sparse_tensor<slice(0, 4, 2)>)
      -> (i : compressed(nonunique), j : singleton)
}>

#COOAnySlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, ?, ?)>,
         j : #sparse_tensor<slice(?, ?, ?)>)
      -> (i : compressed(nonunique), j : singleton)
}>

func.func @of_csr(%a: tensor<3x4xf64, #CSR>) {
  sparse_tensor.foreach in %a : tensor<3x4xf64, #CSR> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_csr_slice(%a: tensor<3x4xf64, #CSRSlice>) {
  sparse_tensor.foreach in %a : tensor<3x4xf64, #CSRSlice> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_csr_any_slice(%a: tensor<?x?xf64, #CSRAnySlice>) {
  sparse_tensor.foreach in %a : tensor<?x?xf64, #CSRAnySlice> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_coo_slice(%a: tensor<3x4xf64, #COOSlice>) {
  sparse_tensor.foreach in %a : tensor<3x4xf64, #COOSlice> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @of_coo_any_slice(%a: tensor<?x?xf64, #COOAnySlice>) {
  sparse_tensor.foreach in %a : tensor<?x?xf64, #COOAnySlice> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = arith.constant dense<[
    [9.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0],
    [0.0, 9.0, 1.5, 0.0, 0.0, 0.0, 4.0],
    [9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0],
    [0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0],
    [2.0, 0.0, 0.0, 9.0, 7.0, 0.0, 0.0]
  ]> : tensor<6x7xf64>

  %csr = sparse_tensor.convert %a : tensor<6x7xf64> to tensor<6x7xf64, #CSR>
  %coo = sparse_tensor.convert %a : tensor<6x7xf64> to tensor<6x7xf64, #COO>
  %csr1 = sparse_tensor.convert %a : tensor<6x7xf64> to tensor<6x7xf64, #CSR>
  %coo1 = sparse_tensor.convert %a : tensor<6x7xf64> to tensor<6x7xf64, #COO>

  // CHECK:      0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 3
  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  %0 = tensor.extract_slice %csr[1, 0][3, 4][2, 2]
      : tensor<6x7xf64, #CSR> to tensor<3x4xf64, #CSRSlice>
  call @of_csr_slice(%0) : (tensor<3x4xf64, #CSRSlice>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 3
  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  %1 = tensor.extract_slice %coo[1, 0][3, 4][2, 2]
      : tensor<6x7xf64, #COO> to tensor<3x4xf64, #COOSlice>
  call @of_coo_slice(%1) : (tensor<3x4xf64, #COOSlice>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 3
  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  %2 = tensor.extract_slice %a[1, 0][3, 4][2, 2]
      : tensor<6x7xf64> to tensor<3x4xf64>
  %3 = sparse_tensor.convert %2 : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  call @of_csr(%3) : (tensor<3x4xf64, #CSR>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 3
  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  %4 = tensor.extract_slice %csr1[%c1, %c0][%c3, %c4][%c2, %c2]
      : tensor<6x7xf64, #CSR> to tensor<?x?xf64, #CSRAnySlice>
  call @of_csr_any_slice(%4) : (tensor<?x?xf64, #CSRAnySlice>) -> ()

  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 1.5
  // CHECK-NEXT: 0
  // CHECK-NEXT: 3
  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 0
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 7
  %5 = tensor.extract_slice %coo1[%c1, %c0][%c3, %c4][%c2, %c2]
      : tensor<6x7xf64, #COO> to tensor<?x?xf64, #COOAnySlice>
  call @of_coo_any_slice(%5) : (tensor<?x?xf64, #COOAnySlice>) -> ()

  bufferization.dealloc_tensor %csr : tensor<6x7xf64, #CSR>
  bufferization.dealloc_tensor %coo : tensor<6x7xf64, #COO>
  bufferization.dealloc_tensor %csr1 : tensor<6x7xf64, #CSR>
  bufferization.dealloc_tensor %coo1 : tensor<6x7xf64, #COO>
  bufferization.dealloc_tensor %3 : tensor<3x4xf64, #CSR>
  return
}
