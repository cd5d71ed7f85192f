// REQUIRES: thorough
// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="threads=2 parts=3 remarks=true" 2>%t.err | %run-main | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK --allow-empty
// REMARK-NOT: remark

// Slices of CSR, DCSR and COO matrices are multiplied, with strides, with offsets,
// and with offsets and strides that are known only at run time.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

#CSRRows = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 3, 1)>,
         j : #sparse_tensor<slice(0, 6, 1)>)
      -> (i : dense, j : compressed)
}>

#DCSRRows = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 3, 1)>,
         j : #sparse_tensor<slice(0, 6, 1)>)
      -> (i : compressed, j : compressed)
}>

#CSRSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 4, 2)>,
         j : #sparse_tensor<slice(0, 4, 1)>)
      -> (i : dense, j : compressed)
}>

#DCSRSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 4, 2)>,
         j : #sparse_tensor<slice(1, 4, 1)>)
      -> (i : compressed, j : compressed)
}>

#COOLeft = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 4, 2)>,
         j : #sparse_tensor<slice(0, 4, 1)>)
      -> (i : compressed(nonunique), j : singleton)
}>

#COORight = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 4, 2)>,
         j : #sparse_tensor<slice(1, 4, 1)>)
      -> (i : compressed(nonunique), j : singleton)
}>

#CSRAny = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 4, ?)>,
         j : #sparse_tensor<slice(?, 4, ?)>)
      -> (i : dense, j : compressed)
}>

#DCSRAny = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 4, ?)>,
         j : #sparse_tensor<slice(?, 4, ?)>)
      -> (i : compressed, j : compressed)
}>

func.func @any_slices(%a: tensor<4x4xf64, #CSRAny>,
                      %b: tensor<4x4xf64, #DCSRAny>) -> tensor<4x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x4xf64, #CSR>
  %c = linalg.matmul
      ins(%a, %b : tensor<4x4xf64, #CSRAny>, tensor<4x4xf64, #DCSRAny>)
      outs(%empty : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  return %c : tensor<4x4xf64, #CSR>
}

func.func @csr_slice_and_dcsr_slice(%a: tensor<4x4xf64, #CSRSlice>,
                                    %b: tensor<4x4xf64, #DCSRSlice>) -> tensor<4x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x4xf64, #CSR>
  %c = linalg.matmul
      ins(%a, %b : tensor<4x4xf64, #CSRSlice>, tensor<4x4xf64, #DCSRSlice>)
      outs(%empty : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  return %c : tensor<4x4xf64, #CSR>
}

func.func @csr_rows(%a: tensor<3x6xf64, #CSRRows>,
                    %b: tensor<6x4xf64, #CSR>) -> tensor<3x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<3x4xf64, #CSR>
  %c = linalg.matmul
      ins(%a, %b : tensor<3x6xf64, #CSRRows>, tensor<6x4xf64, #CSR>)
      outs(%empty : tensor<3x4xf64, #CSR>) -> tensor<3x4xf64, #CSR>
  return %c : tensor<3x4xf64, #CSR>
}

func.func @dcsr_rows(%a: tensor<3x6xf64, #DCSRRows>,
                     %b: tensor<6x4xf64, #DCSR>) -> tensor<3x4xf64, #DCSR> {
  %empty = tensor.empty() : tensor<3x4xf64, #DCSR>
  %c = linalg.matmul
      ins(%a, %b : tensor<3x6xf64, #DCSRRows>, tensor<6x4xf64, #DCSR>)
      outs(%empty : tensor<3x4xf64, #DCSR>) -> tensor<3x4xf64, #DCSR>
  return %c : tensor<3x4xf64, #DCSR>
}

func.func @coo_slices(%a: tensor<4x4xf64, #COOLeft>,
                      %b: tensor<4x4xf64, #COORight>) -> tensor<4x4xf64, #COO> {
  %empty = tensor.empty() : tensor<4x4xf64, #COO>
  %c = linalg.matmul
      ins(%a, %b : tensor<4x4xf64, #COOLeft>, tensor<4x4xf64, #COORight>)
      outs(%empty : tensor<4x4xf64, #COO>) -> tensor<4x4xf64, #COO>
  return %c : tensor<4x4xf64, #COO>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %pad = arith.constant -1.0 : f64
  %p = arith.constant dense<[
    [2.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 8.0, 0.0, 0.0, 8.0, 0.0],
    [0.0, 0.5, 3.0, 0.0, 0.0, 4.0],
    [8.0, 0.0, 0.0, 8.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 6.0, 0.0, 0.0],
    [0.0, 8.0, 0.0, 0.0, 0.0, 8.0],
    [1.0, 0.0, 2.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 8.0, 0.0, 8.0, 0.0]
  ]> : tensor<8x6xf64>
  %q = arith.constant dense<[
    [1.0, 0.0, 0.0, 2.0],
    [0.0, 4.0, 0.0, 0.0],
    [3.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 5.0, 0.0],
    [0.0, 2.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0]
  ]> : tensor<6x4xf64>
  %r = arith.constant dense<[
    [7.0, 1.0, 0.0, 0.0, 2.0],
    [7.0, 7.0, 0.0, 0.0, 7.0],
    [7.0, 0.0, 3.0, 0.0, 0.0],
    [0.0, 7.0, 0.0, 7.0, 0.0],
    [7.0, 0.0, 0.0, 4.0, 0.0],
    [7.0, 0.0, 7.0, 0.0, 0.0],
    [0.0, 5.0, 0.0, 0.0, 6.0],
    [7.0, 0.0, 0.0, 0.0, 7.0]
  ]> : tensor<8x5xf64>

  %dcsr = sparse_tensor.convert %p : tensor<8x6xf64> to tensor<8x6xf64, #DCSR>
  %csr = sparse_tensor.convert %p : tensor<8x6xf64> to tensor<8x6xf64, #CSR>
  %coo = sparse_tensor.convert %p : tensor<8x6xf64> to tensor<8x6xf64, #COO>
  %qdcsr = sparse_tensor.convert %q : tensor<6x4xf64> to tensor<6x4xf64, #DCSR>
  %qcsr = sparse_tensor.convert %q : tensor<6x4xf64> to tensor<6x4xf64, #CSR>
  %rdcsr = sparse_tensor.convert %r : tensor<8x5xf64> to tensor<8x5xf64, #DCSR>
  %rcoo = sparse_tensor.convert %r : tensor<8x5xf64> to tensor<8x5xf64, #COO>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4, 7 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 3, 1, 0, 1, 3 )
  // CHECK-NEXT: values : ( 2, 5, 4, 48, 9, 2, 4 )
  // CHECK-NEXT: ----
  %a0 = tensor.extract_slice %dcsr[0, 0][3, 6][1, 1]
      : tensor<8x6xf64, #DCSR> to tensor<3x6xf64, #DCSRRows>
  %0 = call @dcsr_rows(%a0, %qdcsr)
      : (tensor<3x6xf64, #DCSRRows>, tensor<6x4xf64, #DCSR>)
      -> tensor<3x4xf64, #DCSR>
  sparse_tensor.print %0 : tensor<3x4xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4, 7 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 3, 1, 0, 1, 3 )
  // CHECK-NEXT: values : ( 2, 5, 4, 48, 9, 2, 4 )
  // CHECK-NEXT: ----
  %a1 = tensor.extract_slice %csr[0, 0][3, 6][1, 1]
      : tensor<8x6xf64, #CSR> to tensor<3x6xf64, #CSRRows>
  %1 = call @csr_rows(%a1, %qcsr)
      : (tensor<3x6xf64, #CSRRows>, tensor<6x4xf64, #CSR>)
      -> tensor<3x4xf64, #CSR>
  sparse_tensor.print %1 : tensor<3x4xf64, #CSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6, 9 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 2, 0, 3, 0, 2, 3 )
  // CHECK-NEXT: values : ( 7, 10, 1.5, 12, 30, 36, 1, 8, 2 )
  // CHECK-NEXT: ----
  %a2 = tensor.extract_slice %csr[0, 0][4, 4][2, 1]
      : tensor<8x6xf64, #CSR> to tensor<4x4xf64, #CSRSlice>
  %b2 = tensor.extract_slice %rdcsr[0, 1][4, 4][2, 1]
      : tensor<8x5xf64, #DCSR> to tensor<4x4xf64, #DCSRSlice>
  %2 = call @csr_slice_and_dcsr_slice(%a2, %b2)
      : (tensor<4x4xf64, #CSRSlice>, tensor<4x4xf64, #DCSRSlice>)
      -> tensor<4x4xf64, #CSR>
  sparse_tensor.print %2 : tensor<4x4xf64, #CSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 9 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 0, 3, 1, 1, 1, 2, 2, 0, 2, 3, 3, 0, 3, 2, 3, 3 )
  // CHECK-NEXT: values : ( 7, 10, 1.5, 12, 30, 36, 1, 8, 2 )
  // CHECK-NEXT: ----
  %a3 = tensor.extract_slice %coo[0, 0][4, 4][2, 1]
      : tensor<8x6xf64, #COO> to tensor<4x4xf64, #COOLeft>
  %b3 = tensor.extract_slice %rcoo[0, 1][4, 4][2, 1]
      : tensor<8x5xf64, #COO> to tensor<4x4xf64, #COORight>
  %3 = call @coo_slices(%a3, %b3)
      : (tensor<4x4xf64, #COOLeft>, tensor<4x4xf64, #COORight>)
      -> tensor<4x4xf64, #COO>
  sparse_tensor.print %3 : tensor<4x4xf64, #COO>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6, 9 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 2, 0, 3, 0, 2, 3 )
  // CHECK-NEXT: values : ( 7, 10, 1.5, 12, 30, 36, 1, 8, 2 )
  // CHECK-NEXT: ----
  %a4 = tensor.extract_slice %csr[%c0, %c0][4, 4][%c2, %c1]
      : tensor<8x6xf64, #CSR> to tensor<4x4xf64, #CSRAny>
  %b4 = tensor.extract_slice %rdcsr[%c0, %c1][4, 4][%c2, %c1]
      : tensor<8x5xf64, #DCSR> to tensor<4x4xf64, #DCSRAny>
  %4 = call @any_slices(%a4, %b4)
      : (tensor<4x4xf64, #CSRAny>, tensor<4x4xf64, #DCSRAny>)
      -> tensor<4x4xf64, #CSR>
  sparse_tensor.print %4 : tensor<4x4xf64, #CSR>

  // CHECK-NEXT: ( ( 7, 0, 0, 10 ), ( 0, 1.5, 12, 0 ), ( 30, 0, 0, 36 ), ( 1, 0, 8, 2 ) )
  %a5 = tensor.extract_slice %p[0, 0][4, 4][2, 1]
      : tensor<8x6xf64> to tensor<4x4xf64>
  %b5 = tensor.extract_slice %r[0, 1][4, 4][2, 1]
      : tensor<8x5xf64> to tensor<4x4xf64>
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<4x4xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<4x4xf64>)
      -> tensor<4x4xf64>
  %5 = linalg.matmul ins(%a5, %b5 : tensor<4x4xf64>, tensor<4x4xf64>)
                     outs(%zeros : tensor<4x4xf64>) -> tensor<4x4xf64>
  %read = vector.transfer_read %5[%c0, %c0], %pad
      : tensor<4x4xf64>, vector<4x4xf64>
  vector.print %read : vector<4x4xf64>

  bufferization.dealloc_tensor %dcsr : tensor<8x6xf64, #DCSR>
  bufferization.dealloc_tensor %csr : tensor<8x6xf64, #CSR>
  bufferization.dealloc_tensor %coo : tensor<8x6xf64, #COO>
  bufferization.dealloc_tensor %qdcsr : tensor<6x4xf64, #DCSR>
  bufferization.dealloc_tensor %qcsr : tensor<6x4xf64, #CSR>
  bufferization.dealloc_tensor %rdcsr : tensor<8x5xf64, #DCSR>
  bufferization.dealloc_tensor %rcoo : tensor<8x5xf64, #COO>
  bufferization.dealloc_tensor %0 : tensor<3x4xf64, #DCSR>
  bufferization.dealloc_tensor %1 : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %2 : tensor<4x4xf64, #CSR>
  bufferization.dealloc_tensor %3 : tensor<4x4xf64, #COO>
  bufferization.dealloc_tensor %4 : tensor<4x4xf64, #CSR>
  bufferization.dealloc_tensor %empty : tensor<4x4xf64>
  return
}
