// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Matrices of several formats are filled by the same insertions.

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa))
}>

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed)
}>

#Rows = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense) }>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %v0 = arith.constant 2.5 : f64
  %v1 = arith.constant -1.0 : f64
  %v2 = arith.constant 4.0 : f64
  %v3 = arith.constant 0.5 : f64

  %dense_0 = tensor.empty() : tensor<3x5xf64, #Dense>
  %dense_1 = tensor.insert %v0 into %dense_0[%c0, %c1] : tensor<3x5xf64, #Dense>
  %dense_2 = tensor.insert %v1 into %dense_1[%c0, %c4] : tensor<3x5xf64, #Dense>
  %dense_3 = tensor.insert %v2 into %dense_2[%c2, %c0] : tensor<3x5xf64, #Dense>
  %dense_4 = tensor.insert %v3 into %dense_3[%c2, %c3] : tensor<3x5xf64, #Dense>
  %dense = sparse_tensor.load %dense_4 hasInserts : tensor<3x5xf64, #Dense>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 15
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: values : ( 0, 2.5, 0, 0, -1, 0, 0, 0, 0, 0, 4, 0, 0, 0.5, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %dense : tensor<3x5xf64, #Dense>

  %coo_0 = tensor.empty() : tensor<3x5xf64, #COO>
  %coo_1 = tensor.insert %v0 into %coo_0[%c0, %c1] : tensor<3x5xf64, #COO>
  %coo_2 = tensor.insert %v1 into %coo_1[%c0, %c4] : tensor<3x5xf64, #COO>
  %coo_3 = tensor.insert %v2 into %coo_2[%c2, %c0] : tensor<3x5xf64, #COO>
  %coo_4 = tensor.insert %v3 into %coo_3[%c2, %c3] : tensor<3x5xf64, #COO>
  %coo = sparse_tensor.load %coo_4 hasInserts : tensor<3x5xf64, #COO>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 2, 2 )
  // CHECK-NEXT: crd[1] : ( 1, 4, 0, 3 )
  // CHECK-NEXT: values : ( 2.5, -1, 4, 0.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %coo : tensor<3x5xf64, #COO>

  %csr_0 = tensor.empty() : tensor<3x5xf64, #CSR>
  %csr_1 = tensor.insert %v0 into %csr_0[%c0, %c1] : tensor<3x5xf64, #CSR>
  %csr_2 = tensor.insert %v1 into %csr_1[%c0, %c4] : tensor<3x5xf64, #CSR>
  %csr_3 = tensor.insert %v2 into %csr_2[%c2, %c0] : tensor<3x5xf64, #CSR>
  %csr_4 = tensor.insert %v3 into %csr_3[%c2, %c3] : tensor<3x5xf64, #CSR>
  %csr = sparse_tensor.load %csr_4 hasInserts : tensor<3x5xf64, #CSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 4, 0, 3 )
  // CHECK-NEXT: values : ( 2.5, -1, 4, 0.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %csr : tensor<3x5xf64, #CSR>

  %dcsr_0 = tensor.empty() : tensor<3x5xf64, #DCSR>
  %dcsr_1 = tensor.insert %v0 into %dcsr_0[%c0, %c1] : tensor<3x5xf64, #DCSR>
  %dcsr_2 = tensor.insert %v1 into %dcsr_1[%c0, %c4] : tensor<3x5xf64, #DCSR>
  %dcsr_3 = tensor.insert %v2 into %dcsr_2[%c2, %c0] : tensor<3x5xf64, #DCSR>
  %dcsr_4 = tensor.insert %v3 into %dcsr_3[%c2, %c3] : tensor<3x5xf64, #DCSR>
  %dcsr = sparse_tensor.load %dcsr_4 hasInserts : tensor<3x5xf64, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 4, 0, 3 )
  // CHECK-NEXT: values : ( 2.5, -1, 4, 0.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %dcsr : tensor<3x5xf64, #DCSR>

  %rows_0 = tensor.empty() : tensor<3x5xf64, #Rows>
  %rows_1 = tensor.insert %v0 into %rows_0[%c0, %c1] : tensor<3x5xf64, #Rows>
  %rows_2 = tensor.insert %v1 into %rows_1[%c0, %c4] : tensor<3x5xf64, #Rows>
  %rows_3 = tensor.insert %v2 into %rows_2[%c2, %c0] : tensor<3x5xf64, #Rows>
  %rows_4 = tensor.insert %v3 into %rows_3[%c2, %c3] : tensor<3x5xf64, #Rows>
  %rows = sparse_tensor.load %rows_4 hasInserts : tensor<3x5xf64, #Rows>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 10
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: values : ( 0, 2.5, 0, 0, -1, 4, 0, 0, 0.5, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %rows : tensor<3x5xf64, #Rows>

  bufferization.dealloc_tensor %dense : tensor<3x5xf64, #Dense>
  bufferization.dealloc_tensor %coo : tensor<3x5xf64, #COO>
  bufferization.dealloc_tensor %csr : tensor<3x5xf64, #CSR>
  bufferization.dealloc_tensor %dcsr : tensor<3x5xf64, #DCSR>
  bufferization.dealloc_tensor %rows : tensor<3x5xf64, #Rows>
  return
}
