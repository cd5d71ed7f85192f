// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Coordinates enter products, which stay sparse, and sums, which fill the result.

#Vector = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

#Matrix = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed)
}>

#vectors = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

#matrices = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @weigh(%vector: tensor<7xi64, #Vector>) -> tensor<7xi64, #Vector> {
  %empty = tensor.empty() : tensor<7xi64, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<7xi64, #Vector>)
      outs(%empty : tensor<7xi64, #Vector>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %place = arith.index_cast %i : index to i64
    %product = arith.muli %value, %place : i64
    linalg.yield %product : i64
  } -> tensor<7xi64, #Vector>
  return %result : tensor<7xi64, #Vector>
}

func.func @shift(%vector: tensor<7xi64, #Vector>) -> tensor<7xi64, #Vector> {
  %empty = tensor.empty() : tensor<7xi64, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<7xi64, #Vector>)
      outs(%empty : tensor<7xi64, #Vector>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %place = arith.index_cast %i : index to i64
    %sum = arith.addi %value, %place : i64
    linalg.yield %sum : i64
  } -> tensor<7xi64, #Vector>
  return %result : tensor<7xi64, #Vector>
}

func.func @weigh_twice(%matrix: tensor<4x3xi64, #Matrix>) -> tensor<4x3xi64, #Matrix> {
  %empty = tensor.empty() : tensor<4x3xi64, #Matrix>
  %result = linalg.generic #matrices
      ins(%matrix : tensor<4x3xi64, #Matrix>)
      outs(%empty : tensor<4x3xi64, #Matrix>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %col = arith.index_cast %j : index to i64
    %once = arith.muli %row, %value : i64
    %twice = arith.muli %col, %once : i64
    linalg.yield %twice : i64
  } -> tensor<4x3xi64, #Matrix>
  return %result : tensor<4x3xi64, #Matrix>
}

func.func @shift_twice(%matrix: tensor<4x3xi64, #Matrix>) -> tensor<4x3xi64, #Matrix> {
  %empty = tensor.empty() : tensor<4x3xi64, #Matrix>
  %result = linalg.generic #matrices
      ins(%matrix : tensor<4x3xi64, #Matrix>)
      outs(%empty : tensor<4x3xi64, #Matrix>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %col = arith.index_cast %j : index to i64
    %once = arith.addi %row, %value : i64
    %twice = arith.addi %col, %once : i64
    linalg.yield %twice : i64
  } -> tensor<4x3xi64, #Matrix>
  return %result : tensor<4x3xi64, #Matrix>
}

func.func @shift_rows(%matrix: tensor<3x2xf32, #Matrix>) -> tensor<3x2xf32, #Matrix> {
  %empty = tensor.empty() : tensor<3x2xf32, #Matrix>
  %result = linalg.generic #matrices
      ins(%matrix : tensor<3x2xf32, #Matrix>)
      outs(%empty : tensor<3x2xf32, #Matrix>) {
  ^bb0(%value: f32, %unused: f32):
    %i = linalg.index 0 : index
    %whole = arith.index_cast %i : index to i64
    %row = arith.uitofp %whole : i64 to f32
    %sum = arith.addf %value, %row : f32
    linalg.yield %sum : f32
  } -> tensor<3x2xf32, #Matrix>
  return %result : tensor<3x2xf32, #Matrix>
}

// The sums are printed dense: whether a zero of theirs is stored is left open.
func.func @show_vector(%vector: tensor<7xi64, #Vector>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : i64
  %dense = sparse_tensor.convert %vector : tensor<7xi64, #Vector> to tensor<7xi64>
  %values = vector.transfer_read %dense[%c0], %none : tensor<7xi64>, vector<7xi64>
  vector.print %values : vector<7xi64>
  bufferization.dealloc_tensor %dense : tensor<7xi64>
  return
}

func.func @show_matrix(%matrix: tensor<4x3xi64, #Matrix>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : i64
  %dense = sparse_tensor.convert %matrix : tensor<4x3xi64, #Matrix> to tensor<4x3xi64>
  %values = vector.transfer_read %dense[%c0, %c0], %none
      : tensor<4x3xi64>, vector<4x3xi64>
  vector.print %values : vector<4x3xi64>
  bufferization.dealloc_tensor %dense : tensor<4x3xi64>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f32

  %few = arith.constant sparse<[[1], [5]], [30, 7]> : tensor<7xi64>
  %few_sparse = sparse_tensor.convert %few : tensor<7xi64> to tensor<7xi64, #Vector>
  %all = arith.constant dense<[3, 1, 4, 1, 5, 9, 2]> : tensor<7xi64>
  %all_sparse = sparse_tensor.convert %all : tensor<7xi64> to tensor<7xi64, #Vector>

  %weighed_few = call @weigh(%few_sparse)
      : (tensor<7xi64, #Vector>) -> tensor<7xi64, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 7 )
  // CHECK-NEXT: lvl = ( 7 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 5 )
  // CHECK-NEXT: values : ( 30, 35 )
  // CHECK-NEXT: ----
  sparse_tensor.print %weighed_few : tensor<7xi64, #Vector>
  %shifted_few = call @shift(%few_sparse)
      : (tensor<7xi64, #Vector>) -> tensor<7xi64, #Vector>
  // CHECK-NEXT: ( 0, 31, 2, 3, 4, 12, 6 )
  call @show_vector(%shifted_few) : (tensor<7xi64, #Vector>) -> ()
  %weighed_all = call @weigh(%all_sparse)
      : (tensor<7xi64, #Vector>) -> tensor<7xi64, #Vector>
  // CHECK-NEXT: ( 0, 1, 8, 3, 20, 45, 12 )
  call @show_vector(%weighed_all) : (tensor<7xi64, #Vector>) -> ()
  %shifted_all = call @shift(%all_sparse)
      : (tensor<7xi64, #Vector>) -> tensor<7xi64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 7 )
  // CHECK-NEXT: lvl = ( 7 )
  // CHECK-NEXT: pos[0] : ( 0, 7 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3, 4, 5, 6 )
  // CHECK-NEXT: values : ( 3, 2, 6, 4, 9, 14, 8 )
  // CHECK-NEXT: ----
  sparse_tensor.print %shifted_all : tensor<7xi64, #Vector>

  %pair = arith.constant sparse<[[1, 2], [3, 1]], [6, -5]> : tensor<4x3xi64>
  %pair_sparse = sparse_tensor.convert %pair
      : tensor<4x3xi64> to tensor<4x3xi64, #Matrix>
  %full = arith.constant dense<[[2, 1, 1], [1, 3, 1], [1, 1, 4], [5, 1, 1]]>
      : tensor<4x3xi64>
  %full_sparse = sparse_tensor.convert %full
      : tensor<4x3xi64> to tensor<4x3xi64, #Matrix>

  %weighed_pair = call @weigh_twice(%pair_sparse)
      : (tensor<4x3xi64, #Matrix>) -> tensor<4x3xi64, #Matrix>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 4, 3 )
  // CHECK-NEXT: lvl = ( 4, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2 )
  // CHECK-NEXT: crd[1] : ( 2, 1 )
  // CHECK-NEXT: values : ( 12, -15 )
  // CHECK-NEXT: ----
  sparse_tensor.print %weighed_pair : tensor<4x3xi64, #Matrix>
  %shifted_pair = call @shift_twice(%pair_sparse)
      : (tensor<4x3xi64, #Matrix>) -> tensor<4x3xi64, #Matrix>
  // CHECK-NEXT: ( ( 0, 1, 2 ), ( 1, 2, 9 ), ( 2, 3, 4 ), ( 3, -1, 5 ) )
  call @show_matrix(%shifted_pair) : (tensor<4x3xi64, #Matrix>) -> ()
  %weighed_full = call @weigh_twice(%full_sparse)
      : (tensor<4x3xi64, #Matrix>) -> tensor<4x3xi64, #Matrix>
  // CHECK-NEXT: ( ( 0, 0, 0 ), ( 0, 3, 2 ), ( 0, 2, 16 ), ( 0, 3, 6 ) )
  call @show_matrix(%weighed_full) : (tensor<4x3xi64, #Matrix>) -> ()
  %shifted_full = call @shift_twice(%full_sparse)
      : (tensor<4x3xi64, #Matrix>) -> tensor<4x3xi64, #Matrix>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 12
  // CHECK-NEXT: dim = ( 4, 3 )
  // CHECK-NEXT: lvl = ( 4, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6, 9, 12 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: values : ( 2, 2, 3, 2, 5, 4, 3, 4, 8, 8, 5, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %shifted_full : tensor<4x3xi64, #Matrix>

  %reals = arith.constant sparse<[[0, 1], [2, 0]], [2.5, -7.0]> : tensor<3x2xf32>
  %reals_sparse = sparse_tensor.convert %reals
      : tensor<3x2xf32> to tensor<3x2xf32, #Matrix>
  %rows = call @shift_rows(%reals_sparse)
      : (tensor<3x2xf32, #Matrix>) -> tensor<3x2xf32, #Matrix>
  %rows_dense = sparse_tensor.convert %rows
      : tensor<3x2xf32, #Matrix> to tensor<3x2xf32>
  %rows_values = vector.transfer_read %rows_dense[%c0, %c0], %none
      : tensor<3x2xf32>, vector<3x2xf32>
  // CHECK-NEXT: ( ( 0, 2.5 ), ( 1, 1 ), ( -5, 2 ) )
  vector.print %rows_values : vector<3x2xf32>

  bufferization.dealloc_tensor %few_sparse : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %all_sparse : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %weighed_few : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %shifted_few : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %weighed_all : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %shifted_all : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %pair_sparse : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %full_sparse : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %weighed_pair : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %shifted_pair : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %weighed_full : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %shifted_full : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %reals_sparse : tensor<3x2xf32, #Matrix>
  bufferization.dealloc_tensor %rows : tensor<3x2xf32, #Matrix>
  bufferization.dealloc_tensor %rows_dense : tensor<3x2xf32>
  return
}
