// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The arrays of a matrix in several formats are read one by one.

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed)
}>

#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>

#DCSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : compressed, d0 : compressed)
}>

#Rows = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense) }>

#Columns = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : compressed, d0 : dense) }>

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %matrix = arith.constant dense<[
    [0.0, 1.5, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 5.5],
    [0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 7.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [8.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0]
  ]> : tensor<6x8xf64>

  %dense = sparse_tensor.convert %matrix : tensor<6x8xf64> to tensor<6x8xf64, #Dense>
  %dense_values = sparse_tensor.values %dense : tensor<6x8xf64, #Dense> to memref<?xf64>
  %dense_values_read = vector.transfer_read %dense_values[%c0], %zero
      : memref<?xf64>, vector<48xf64>
  // CHECK:      ( 0, 1.5, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 5.5, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0 )
  vector.print %dense_values_read : vector<48xf64>

  %csr = sparse_tensor.convert %matrix : tensor<6x8xf64> to tensor<6x8xf64, #CSR>
  %csr_pos_1 = sparse_tensor.positions %csr { level = 1 : index }
      : tensor<6x8xf64, #CSR> to memref<?xindex>
  %csr_pos_1_read = vector.transfer_read %csr_pos_1[%c0], %c0
      : memref<?xindex>, vector<7xindex>
  // CHECK-NEXT: ( 0, 2, 2, 5, 7, 7, 9 )
  vector.print %csr_pos_1_read : vector<7xindex>
  %csr_crd_1 = sparse_tensor.coordinates %csr { level = 1 : index }
      : tensor<6x8xf64, #CSR> to memref<?xindex>
  %csr_crd_1_read = vector.transfer_read %csr_crd_1[%c0], %c0
      : memref<?xindex>, vector<9xindex>
  // CHECK-NEXT: ( 1, 4, 0, 2, 7, 2, 6, 0, 4 )
  vector.print %csr_crd_1_read : vector<9xindex>
  %csr_values = sparse_tensor.values %csr : tensor<6x8xf64, #CSR> to memref<?xf64>
  %csr_values_read = vector.transfer_read %csr_values[%c0], %zero
      : memref<?xf64>, vector<9xf64>
  // CHECK-NEXT: ( 1.5, 2, 3, 4, 5.5, 6, 7, 8, 9 )
  vector.print %csr_values_read : vector<9xf64>

  %dcsr = sparse_tensor.convert %matrix : tensor<6x8xf64> to tensor<6x8xf64, #DCSR>
  %dcsr_pos_0 = sparse_tensor.positions %dcsr { level = 0 : index }
      : tensor<6x8xf64, #DCSR> to memref<?xindex>
  %dcsr_pos_0_read = vector.transfer_read %dcsr_pos_0[%c0], %c0
      : memref<?xindex>, vector<2xindex>
  // CHECK-NEXT: ( 0, 4 )
  vector.print %dcsr_pos_0_read : vector<2xindex>
  %dcsr_crd_0 = sparse_tensor.coordinates %dcsr { level = 0 : index }
      : tensor<6x8xf64, #DCSR> to memref<?xindex>
  %dcsr_crd_0_read = vector.transfer_read %dcsr_crd_0[%c0], %c0
      : memref<?xindex>, vector<4xindex>
  // CHECK-NEXT: ( 0, 2, 3, 5 )
  vector.print %dcsr_crd_0_read : vector<4xindex>
  %dcsr_pos_1 = sparse_tensor.positions %dcsr { level = 1 : index }
      : tensor<6x8xf64, #DCSR> to memref<?xindex>
  %dcsr_pos_1_read = vector.transfer_read %dcsr_pos_1[%c0], %c0
      : memref<?xindex>, vector<5xindex>
  // CHECK-NEXT: ( 0, 2, 5, 7, 9 )
  vector.print %dcsr_pos_1_read : vector<5xindex>
  %dcsr_crd_1 = sparse_tensor.coordinates %dcsr { level = 1 : index }
      : tensor<6x8xf64, #DCSR> to memref<?xindex>
  %dcsr_crd_1_read = vector.transfer_read %dcsr_crd_1[%c0], %c0
      : memref<?xindex>, vector<9xindex>
  // CHECK-NEXT: ( 1, 4, 0, 2, 7, 2, 6, 0, 4 )
  vector.print %dcsr_crd_1_read : vector<9xindex>
  %dcsr_values = sparse_tensor.values %dcsr : tensor<6x8xf64, #DCSR> to memref<?xf64>
  %dcsr_values_read = vector.transfer_read %dcsr_values[%c0], %zero
      : memref<?xf64>, vector<9xf64>
  // CHECK-NEXT: ( 1.5, 2, 3, 4, 5.5, 6, 7, 8, 9 )
  vector.print %dcsr_values_read : vector<9xf64>

  %csc = sparse_tensor.convert %matrix : tensor<6x8xf64> to tensor<6x8xf64, #CSC>
  %csc_pos_1 = sparse_tensor.positions %csc { level = 1 : index }
      : tensor<6x8xf64, #CSC> to memref<?xindex>
  %csc_pos_1_read = vector.transfer_read %csc_pos_1[%c0], %c0
      : memref<?xindex>, vector<9xindex>
  // CHECK-NEXT: ( 0, 2, 3, 5, 5, 7, 7, 8, 9 )
  vector.print %csc_pos_1_read : vector<9xindex>
  %csc_crd_1 = sparse_tensor.coordinates %csc { level = 1 : index }
      : tensor<6x8xf64, #CSC> to memref<?xindex>
  %csc_crd_1_read = vector.transfer_read %csc_crd_1[%c0], %c0
      : memref<?xindex>, vector<9xindex>
  // CHECK-NEXT: ( 2, 5, 0, 2, 3, 0, 5, 3, 2 )
  vector.print %csc_crd_1_read : vector<9xindex>
  %csc_values = sparse_tensor.values %csc : tensor<6x8xf64, #CSC> to memref<?xf64>
  %csc_values_read = vector.transfer_read %csc_values[%c0], %zero
      : memref<?xf64>, vector<9xf64>
  // CHECK-NEXT: ( 3, 8, 1.5, 4, 6, 2, 9, 7, 5.5 )
  vector.print %csc_values_read : vector<9xf64>

  %dcsc = sparse_tensor.convert %matrix : tensor<6x8xf64> to tensor<6x8xf64, #DCSC>
  %dcsc_pos_0 = sparse_tensor.positions %dcsc { level = 0 : index }
      : tensor<6x8xf64, #DCSC> to memref<?xindex>
  %dcsc_pos_0_read = vector.transfer_read %dcsc_pos_0[%c0], %c0
      : memref<?xindex>, vector<2xindex>
  // CHECK-NEXT: ( 0, 6 )
  vector.print %dcsc_pos_0_read : vector<2xindex>
  %dcsc_crd_0 = sparse_tensor.coordinates %dcsc { level = 0 : index }
      : tensor<6x8xf64, #DCSC> to memref<?xindex>
  %dcsc_crd_0_read = vector.transfer_read %dcsc_crd_0[%c0], %c0
      : memref<?xindex>, vector<6xindex>
  // CHECK-NEXT: ( 0, 1, 2, 4, 6, 7 )
  vector.print %dcsc_crd_0_read : vector<6xindex>
  %dcsc_pos_1 = sparse_tensor.positions %dcsc { level = 1 : index }
      : tensor<6x8xf64, #DCSC> to memref<?xindex>
  %dcsc_pos_1_read = vector.transfer_read %dcsc_pos_1[%c0], %c0
      : memref<?xindex>, vector<7xindex>
  // CHECK-NEXT: ( 0, 2, 3, 5, 7, 8, 9 )
  vector.print %dcsc_pos_1_read : vector<7xindex>
  %dcsc_crd_1 = sparse_tensor.coordinates %dcsc { level = 1 : index }
      : tensor<6x8xf64, #DCSC> to memref<?xindex>
  %dcsc_crd_1_read = vector.transfer_read %dcsc_crd_1[%c0], %c0
      : memref<?xindex>, vector<9xindex>
  // CHECK-NEXT: ( 2, 5, 0, 2, 3, 0, 5, 3, 2 )
  vector.print %dcsc_crd_1_read : vector<9xindex>
  %dcsc_values = sparse_tensor.values %dcsc : tensor<6x8xf64, #DCSC> to memref<?xf64>
  %dcsc_values_read = vector.transfer_read %dcsc_values[%c0], %zero
      : memref<?xf64>, vector<9xf64>
  // CHECK-NEXT: ( 3, 8, 1.5, 4, 6, 2, 9, 7, 5.5 )
  vector.print %dcsc_values_read : vector<9xf64>

  %rows = sparse_tensor.convert %matrix : tensor<6x8xf64> to tensor<6x8xf64, #Rows>
  %rows_pos_0 = sparse_tensor.positions %rows { level = 0 : index }
      : tensor<6x8xf64, #Rows> to memref<?xindex>
  %rows_pos_0_read = vector.transfer_read %rows_pos_0[%c0], %c0
      : memref<?xindex>, vector<2xindex>
  // CHECK-NEXT: ( 0, 4 )
  vector.print %rows_pos_0_read : vector<2xindex>
  %rows_crd_0 = sparse_tensor.coordinates %rows { level = 0 : index }
      : tensor<6x8xf64, #Rows> to memref<?xindex>
  %rows_crd_0_read = vector.transfer_read %rows_crd_0[%c0], %c0
      : memref<?xindex>, vector<4xindex>
  // CHECK-NEXT: ( 0, 2, 3, 5 )
  vector.print %rows_crd_0_read : vector<4xindex>
  %rows_values = sparse_tensor.values %rows : tensor<6x8xf64, #Rows> to memref<?xf64>
  %rows_values_read = vector.transfer_read %rows_values[%c0], %zero
      : memref<?xf64>, vector<32xf64>
  // CHECK-NEXT: ( 0, 1.5, 0, 0, 2, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 5.5, 0, 0, 6, 0, 0, 0, 7, 0, 8, 0, 0, 0, 9, 0, 0, 0 )
  vector.print %rows_values_read : vector<32xf64>

  %columns = sparse_tensor.convert %matrix : tensor<6x8xf64> to tensor<6x8xf64, #Columns>
  %columns_pos_0 = sparse_tensor.positions %columns { level = 0 : index }
      : tensor<6x8xf64, #Columns> to memref<?xindex>
  %columns_pos_0_read = vector.transfer_read %columns_pos_0[%c0], %c0
      : memref<?xindex>, vector<2xindex>
  // CHECK-NEXT: ( 0, 6 )
  vector.print %columns_pos_0_read : vector<2xindex>
  %columns_crd_0 = sparse_tensor.coordinates %columns { level = 0 : index }
      : tensor<6x8xf64, #Columns> to memref<?xindex>
  %columns_crd_0_read = vector.transfer_read %columns_crd_0[%c0], %c0
      : memref<?xindex>, vector<6xindex>
  // CHECK-NEXT: ( 0, 1, 2, 4, 6, 7 )
  vector.print %columns_crd_0_read : vector<6xindex>
  %columns_values = sparse_tensor.values %columns
      : tensor<6x8xf64, #Columns> to memref<?xf64>
  %columns_values_read = vector.transfer_read %columns_values[%c0], %zero
      : memref<?xf64>, vector<36xf64>
  // CHECK-NEXT: ( 0, 0, 3, 0, 0, 8, 1.5, 0, 0, 0, 0, 0, 0, 0, 4, 6, 0, 0, 2, 0, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 0, 5.5, 0, 0, 0 )
  vector.print %columns_values_read : vector<36xf64>

  bufferization.dealloc_tensor %dense : tensor<6x8xf64, #Dense>
  bufferization.dealloc_tensor %csr : tensor<6x8xf64, #CSR>
  bufferization.dealloc_tensor %dcsr : tensor<6x8xf64, #DCSR>
  bufferization.dealloc_tensor %csc : tensor<6x8xf64, #CSC>
  bufferization.dealloc_tensor %dcsc : tensor<6x8xf64, #DCSC>
  bufferization.dealloc_tensor %rows : tensor<6x8xf64, #Rows>
  bufferization.dealloc_tensor %columns : tensor<6x8xf64, #Columns>
  return
}
