// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// One matrix of integers is printed in fourteen formats.

#Dense = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : dense) }>

#DenseT = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : dense) }>

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

#DCSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : compressed) }>

#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>

#DCSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : compressed, i : compressed) }>

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 3 : compressed, j floordiv 2 : compressed,
                   i mod 3 : dense, j mod 2 : dense)
}>

#BSRC = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 3 : compressed, j floordiv 2 : compressed,
                   j mod 2 : dense, i mod 3 : dense)
}>

#BSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j floordiv 2 : compressed, i floordiv 3 : compressed,
                   i mod 3 : dense, j mod 2 : dense)
}>

#BSCC = #sparse_tensor.encoding<{
  map = (i, j) -> (j floordiv 2 : compressed, i floordiv 3 : compressed,
                   j mod 2 : dense, i mod 3 : dense)
}>

#BSR0 = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 3 : dense, j floordiv 2 : compressed,
                   i mod 3 : dense, j mod 2 : dense)
}>

#BSC0 = #sparse_tensor.encoding<{
  map = (i, j) -> (j floordiv 2 : dense, i floordiv 3 : compressed,
                   i mod 3 : dense, j mod 2 : dense)
}>

#Pairs = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

#Columns = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton(soa))
}>

func.func @main() {
  %matrix = arith.constant dense<[
    [0, 0, 1, 0, 0, 0],
    [0, 0, 0, -2, 0, 0],
    [0, 0, 0, 0, 0, 0],
    [7, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0],
    [4, 9, 0, 0, 0, 6]
  ]> : tensor<6x6xi32>

  %dense = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #Dense>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 36
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: values : ( 0, 0, 1, 0, 0, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 9, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %dense : tensor<6x6xi32, #Dense>

  %denset = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #DenseT>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 36
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: values : ( 0, 0, 0, 7, 0, 4, 0, 0, 0, 0, 0, 9, 1, 0, 0, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %denset : tensor<6x6xi32, #DenseT>

  %csr = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #CSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 2, 3, 3, 6 )
  // CHECK-NEXT: crd[1] : ( 2, 3, 0, 0, 1, 5 )
  // CHECK-NEXT: values : ( 1, -2, 7, 4, 9, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %csr : tensor<6x6xi32, #CSR>

  %dcsr = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 3, 6 )
  // CHECK-NEXT: crd[1] : ( 2, 3, 0, 0, 1, 5 )
  // CHECK-NEXT: values : ( 1, -2, 7, 4, 9, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %dcsr : tensor<6x6xi32, #DCSR>

  %csc = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #CSC>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 4, 5, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 3, 5, 5, 0, 1, 5 )
  // CHECK-NEXT: values : ( 7, 4, 9, 1, -2, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %csc : tensor<6x6xi32, #CSC>

  %dcsc = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #DCSC>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 4, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 3, 5, 5, 0, 1, 5 )
  // CHECK-NEXT: values : ( 7, 4, 9, 1, -2, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %dcsc : tensor<6x6xi32, #DCSC>

  %bsr = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #BSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 18
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 2, 3, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2 )
  // CHECK-NEXT: values : ( 1, 0, 0, -2, 0, 0, 7, 0, 0, 0, 4, 9, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %bsr : tensor<6x6xi32, #BSR>

  %bsrc = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #BSRC>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 18
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 2, 3, 2, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2 )
  // CHECK-NEXT: values : ( 1, 0, 0, 0, -2, 0, 7, 0, 4, 0, 0, 9, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %bsrc : tensor<6x6xi32, #BSRC>

  %bsc = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #BSC>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 18
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 3, 2, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 1 )
  // CHECK-NEXT: values : ( 7, 0, 0, 0, 4, 9, 1, 0, 0, -2, 0, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %bsc : tensor<6x6xi32, #BSC>

  %bscc = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #BSCC>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 18
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 3, 2, 2, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 1 )
  // CHECK-NEXT: values : ( 7, 0, 4, 0, 0, 9, 1, 0, 0, 0, -2, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %bscc : tensor<6x6xi32, #BSCC>

  %bsr0 = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #BSR0>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 18
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 2, 3, 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2 )
  // CHECK-NEXT: values : ( 1, 0, 0, -2, 0, 0, 7, 0, 0, 0, 4, 9, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %bsr0 : tensor<6x6xi32, #BSR0>

  %bsc0 = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #BSC0>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 18
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 3, 2, 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 1 )
  // CHECK-NEXT: values : ( 7, 0, 0, 0, 4, 9, 1, 0, 0, -2, 0, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %bsc0 : tensor<6x6xi32, #BSC0>

  %pairs = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #Pairs>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 6 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 1, 3, 3, 0, 5, 0, 5, 1, 5, 5 )
  // CHECK-NEXT: values : ( 1, -2, 7, 4, 9, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %pairs : tensor<6x6xi32, #Pairs>

  %columns = sparse_tensor.convert %matrix
      : tensor<6x6xi32> to tensor<6x6xi32, #Columns>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 6 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3, 5, 5, 5 )
  // CHECK-NEXT: crd[1] : ( 2, 3, 0, 0, 1, 5 )
  // CHECK-NEXT: values : ( 1, -2, 7, 4, 9, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %columns : tensor<6x6xi32, #Columns>

  bufferization.dealloc_tensor %dense : tensor<6x6xi32, #Dense>
  bufferization.dealloc_tensor %denset : tensor<6x6xi32, #DenseT>
  bufferization.dealloc_tensor %csr : tensor<6x6xi32, #CSR>
  bufferization.dealloc_tensor %dcsr : tensor<6x6xi32, #DCSR>
  bufferization.dealloc_tensor %csc : tensor<6x6xi32, #CSC>
  bufferization.dealloc_tensor %dcsc : tensor<6x6xi32, #DCSC>
  bufferization.dealloc_tensor %bsr : tensor<6x6xi32, #BSR>
  bufferization.dealloc_tensor %bsrc : tensor<6x6xi32, #BSRC>
  bufferization.dealloc_tensor %bsc : tensor<6x6xi32, #BSC>
  bufferization.dealloc_tensor %bscc : tensor<6x6xi32, #BSCC>
  bufferization.dealloc_tensor %bsr0 : tensor<6x6xi32, #BSR0>
  bufferization.dealloc_tensor %bsc0 : tensor<6x6xi32, #BSC0>
  bufferization.dealloc_tensor %pairs : tensor<6x6xi32, #Pairs>
  bufferization.dealloc_tensor %columns : tensor<6x6xi32, #Columns>
  return
}
