// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Tensors are assembled from arrays, visited, and taken apart into arrays.

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton)
}>

#COO32 = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton),
  posWidth = 32,
  crdWidth = 32
}>

#CSR32 = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed),
  posWidth = 32,
  crdWidth = 32
}>

#BatchedCOO = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : loose_compressed(nonunique), d2 : singleton)
}>

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f64
  %none_32 = arith.constant -1 : i32

  %values = arith.constant dense<[0.5, -4.0, 6.0, 2.5]> : tensor<4xf64>
  %pos = arith.constant dense<[0, 4]> : tensor<2xindex>
  %crd = arith.constant dense<[[0, 3], [2, 0], [2, 6], [5, 1]]> : tensor<4x2xindex>
  %pos_32 = arith.constant dense<[0, 4]> : tensor<2xi32>
  %crd_32 = arith.constant dense<[[0, 3], [2, 0], [2, 6], [5, 1]]> : tensor<4x2xi32>
  %coo = sparse_tensor.assemble (%pos, %crd), %values
      : (tensor<2xindex>, tensor<4x2xindex>), tensor<4xf64> to tensor<6x8xf64, #COO>
  %coo_32 = sparse_tensor.assemble (%pos_32, %crd_32), %values
      : (tensor<2xi32>, tensor<4x2xi32>), tensor<4xf64> to tensor<6x8xf64, #COO32>

  %row_pos = arith.constant dense<[0, 1, 1, 4]> : tensor<4xi32>
  %row_crd = arith.constant dense<[1, 0, 1, 2]> : tensor<4xi32>
  %csr = sparse_tensor.assemble (%row_pos, %row_crd), %values
      : (tensor<4xi32>, tensor<4xi32>), tensor<4xf64> to tensor<3x3xf64, #CSR32>

  %batch_values = arith.constant dense<[3.0, 1.0, 4.0, 1.5, 9.0]> : tensor<5xf64>
  %batch_pos = arith.constant dense<[0, 2, 2, 5]> : tensor<4xindex>
  %batch_crd = arith.constant dense<
    [[0, 2], [3, 1], [1, 1], [1, 3], [2, 0], [7, 7]]> : tensor<6x2xindex>
  %batch = sparse_tensor.assemble (%batch_pos, %batch_crd), %batch_values
      : (tensor<4xindex>, tensor<6x2xindex>), tensor<5xf64>
      to tensor<2x4x4xf64, #BatchedCOO>

  // CHECK:      {{^0$}}
  // CHECK-NEXT: {{^3$}}
  // CHECK-NEXT: {{^0\.5$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^-4$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^6$}}
  // CHECK-NEXT: {{^6$}}
  // CHECK-NEXT: {{^5$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^2\.5$}}
  sparse_tensor.foreach in %coo : tensor<6x8xf64, #COO> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }

  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^3$}}
  // CHECK-NEXT: {{^0\.5$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^-4$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^6$}}
  // CHECK-NEXT: {{^6$}}
  // CHECK-NEXT: {{^5$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^2\.5$}}
  sparse_tensor.foreach in %coo_32 : tensor<6x8xf64, #COO32> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }

  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^0\.5$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^-4$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^6$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^2\.5$}}
  sparse_tensor.foreach in %csr : tensor<3x3xf64, #CSR32> do {
  ^bb0(%i: index, %j: index, %value: f64):
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }

  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^3$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^3$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^4$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^3$}}
  // CHECK-NEXT: {{^1\.5$}}
  // CHECK-NEXT: {{^1$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^9$}}
  sparse_tensor.foreach in %batch : tensor<2x4x4xf64, #BatchedCOO> do {
  ^bb0(%b: index, %i: index, %j: index, %value: f64):
    vector.print %b : index
    vector.print %i : index
    vector.print %j : index
    vector.print %value : f64
  }

  %coo_out_values = tensor.empty() : tensor<4xf64>
  %coo_out_pos = tensor.empty() : tensor<2xi32>
  %coo_out_crd = tensor.empty() : tensor<4x2xi32>
  %p0, %c_0, %v0, %p0_size, %c0_size, %v0_size = sparse_tensor.disassemble %coo_32
      : tensor<6x8xf64, #COO32>
      out_lvls(%coo_out_pos, %coo_out_crd : tensor<2xi32>, tensor<4x2xi32>)
      out_vals(%coo_out_values : tensor<4xf64>)
      -> (tensor<2xi32>, tensor<4x2xi32>), tensor<4xf64>, (i32, i64), index
  %v0_read = vector.transfer_read %v0[%c0], %none : tensor<4xf64>, vector<4xf64>
  %c0_read = vector.transfer_read %c_0[%c0, %c0], %none_32
      : tensor<4x2xi32>, vector<4x2xi32>
  // CHECK-NEXT: ( 0.5, -4, 6, 2.5 )
  // CHECK-NEXT: ( ( 0, 3 ), ( 2, 0 ), ( 2, 6 ), ( 5, 1 ) )
  // CHECK-NEXT: {{^4$}}
  vector.print %v0_read : vector<4xf64>
  vector.print %c0_read : vector<4x2xi32>
  vector.print %v0_size : index

  // The array of values may be longer than what it takes.
  %csr_out_values = tensor.empty() : tensor<6xf64>
  %csr_out_pos = tensor.empty() : tensor<4xi32>
  %csr_out_crd = tensor.empty() : tensor<4xi32>
  %p1, %c_1, %v1, %p1_size, %c1_size, %v1_size = sparse_tensor.disassemble %csr
      : tensor<3x3xf64, #CSR32>
      out_lvls(%csr_out_pos, %csr_out_crd : tensor<4xi32>, tensor<4xi32>)
      out_vals(%csr_out_values : tensor<6xf64>)
      -> (tensor<4xi32>, tensor<4xi32>), tensor<6xf64>, (i32, i64), index
  %v1_read = vector.transfer_read %v1[%c0], %none : tensor<6xf64>, vector<4xf64>
  // CHECK-NEXT: ( 0.5, -4, 6, 2.5 )
  // CHECK-NEXT: {{^4$}}
  vector.print %v1_read : vector<4xf64>
  vector.print %v1_size : index

  %batch_out_values = tensor.empty() : tensor<6xf64>
  %batch_out_pos = tensor.empty() : tensor<4xindex>
  %batch_out_crd = tensor.empty() : tensor<6x2xindex>
  %p2, %c_2, %v2, %p2_size, %c2_size, %v2_size = sparse_tensor.disassemble %batch
      : tensor<2x4x4xf64, #BatchedCOO>
      out_lvls(%batch_out_pos, %batch_out_crd : tensor<4xindex>, tensor<6x2xindex>)
      out_vals(%batch_out_values : tensor<6xf64>)
      -> (tensor<4xindex>, tensor<6x2xindex>), tensor<6xf64>, (i32, tensor<i64>), index
  %v2_read = vector.transfer_read %v2[%c0], %none : tensor<6xf64>, vector<5xf64>
  %c2_read = vector.transfer_read %c_2[%c0, %c0], %c0
      : tensor<6x2xindex>, vector<5x2xindex>
  %c2_count = tensor.extract %c2_size[] : tensor<i64>
  // CHECK-NEXT: ( 3, 1, 4, 1.5, 9 )
  // CHECK-NEXT: {{^5$}}
  // CHECK-NEXT: ( ( 0, 2 ), ( 3, 1 ), ( 1, 1 ), ( 1, 3 ), ( 2, 0 ) )
  // CHECK-NEXT: {{^10$}}
  vector.print %v2_read : vector<5xf64>
  vector.print %v2_size : index
  vector.print %c2_read : vector<5x2xindex>
  vector.print %c2_count : i64

  // Only the runtime library copies the arrays.
  %copied = sparse_tensor.has_runtime_library
  scf.if %copied {
    bufferization.dealloc_tensor %coo : tensor<6x8xf64, #COO>
    bufferization.dealloc_tensor %coo_32 : tensor<6x8xf64, #COO32>
    bufferization.dealloc_tensor %csr : tensor<3x3xf64, #CSR32>
    bufferization.dealloc_tensor %batch : tensor<2x4x4xf64, #BatchedCOO>
  }
  bufferization.dealloc_tensor %c2_size : tensor<i64>
  bufferization.dealloc_tensor %coo_out_values : tensor<4xf64>
  bufferization.dealloc_tensor %coo_out_pos : tensor<2xi32>
  bufferization.dealloc_tensor %coo_out_crd : tensor<4x2xi32>
  bufferization.dealloc_tensor %csr_out_values : tensor<6xf64>
  bufferization.dealloc_tensor %csr_out_pos : tensor<4xi32>
  bufferization.dealloc_tensor %csr_out_crd : tensor<4xi32>
  bufferization.dealloc_tensor %batch_out_values : tensor<6xf64>
  bufferization.dealloc_tensor %batch_out_pos : tensor<4xindex>
  bufferization.dealloc_tensor %batch_out_crd : tensor<6x2xindex>
  return
}
