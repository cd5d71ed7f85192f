// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Coordinates enter products and sums whose results are dense arguments.

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

func.func @weigh(%vector: tensor<7xi64, #Vector>, %into: tensor<7xi64>) -> tensor<7xi64> {
  %result = linalg.generic #vectors
      ins(%vector : tensor<7xi64, #Vector>) outs(%into : tensor<7xi64>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %place = arith.index_cast %i : index to i64
    %product = arith.muli %value, %place : i64
    linalg.yield %product : i64
  } -> tensor<7xi64>
  return %result : tensor<7xi64>
}

func.func @shift(%vector: tensor<7xi64, #Vector>, %into: tensor<7xi64>) -> tensor<7xi64> {
  %result = linalg.generic #vectors
      ins(%vector : tensor<7xi64, #Vector>) outs(%into : tensor<7xi64>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %place = arith.index_cast %i : index to i64
    %sum = arith.addi %value, %place : i64
    linalg.yield %sum : i64
  } -> tensor<7xi64>
  return %result : tensor<7xi64>
}

func.func @weigh_twice(%matrix: tensor<4x3xi64, #Matrix>,
                       %into: tensor<4x3xi64>) -> tensor<4x3xi64> {
  %result = linalg.generic #matrices
      ins(%matrix : tensor<4x3xi64, #Matrix>) outs(%into : tensor<4x3xi64>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %col = arith.index_cast %j : index to i64
    %once = arith.muli %row, %value : i64
    %twice = arith.muli %col, %once : i64
    linalg.yield %twice : i64
  } -> tensor<4x3xi64>
  return %result : tensor<4x3xi64>
}

func.func @shift_twice(%matrix: tensor<4x3xi64, #Matrix>,
                       %into: tensor<4x3xi64>) -> tensor<4x3xi64> {
  %result = linalg.generic #matrices
      ins(%matrix : tensor<4x3xi64, #Matrix>) outs(%into : tensor<4x3xi64>) {
  ^bb0(%value: i64, %unused: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %col = arith.index_cast %j : index to i64
    %once = arith.addi %row, %value : i64
    %twice = arith.addi %col, %once : i64
    linalg.yield %twice : i64
  } -> tensor<4x3xi64>
  return %result : tensor<4x3xi64>
}

func.func @show_vector(%vector: tensor<7xi64>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : i64
  %values = vector.transfer_read %vector[%c0], %none : tensor<7xi64>, vector<7xi64>
  vector.print %values : vector<7xi64>
  return
}

func.func @show_matrix(%matrix: tensor<4x3xi64>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : i64
  %values = vector.transfer_read %matrix[%c0, %c0], %none
      : tensor<4x3xi64>, vector<4x3xi64>
  vector.print %values : vector<4x3xi64>
  return
}

func.func @main() {
  %few = arith.constant sparse<[[2], [6]], [8, -3]> : tensor<7xi64>
  %few_sparse = sparse_tensor.convert %few : tensor<7xi64> to tensor<7xi64, #Vector>
  %all = arith.constant dense<[2, 7, 1, 8, 2, 8, 1]> : tensor<7xi64>
  %all_sparse = sparse_tensor.convert %all : tensor<7xi64> to tensor<7xi64, #Vector>
  %vector = arith.constant dense<-1> : tensor<7xi64>

  %weighed_few = call @weigh(%few_sparse, %vector)
      : (tensor<7xi64, #Vector>, tensor<7xi64>) -> tensor<7xi64>
  %shifted_few = call @shift(%few_sparse, %vector)
      : (tensor<7xi64, #Vector>, tensor<7xi64>) -> tensor<7xi64>
  %weighed_all = call @weigh(%all_sparse, %vector)
      : (tensor<7xi64, #Vector>, tensor<7xi64>) -> tensor<7xi64>
  %shifted_all = call @shift(%all_sparse, %vector)
      : (tensor<7xi64, #Vector>, tensor<7xi64>) -> tensor<7xi64>
  // CHECK:      ( 0, 0, 16, 0, 0, 0, -18 )
  // CHECK-NEXT: ( 0, 1, 10, 3, 4, 5, 3 )
  // CHECK-NEXT: ( 0, 7, 2, 24, 8, 40, 6 )
  // CHECK-NEXT: ( 2, 8, 3, 11, 6, 13, 7 )
  call @show_vector(%weighed_few) : (tensor<7xi64>) -> ()
  call @show_vector(%shifted_few) : (tensor<7xi64>) -> ()
  call @show_vector(%weighed_all) : (tensor<7xi64>) -> ()
  call @show_vector(%shifted_all) : (tensor<7xi64>) -> ()

  %pair = arith.constant sparse<[[0, 1], [3, 2]], [6, 9]> : tensor<4x3xi64>
  %pair_sparse = sparse_tensor.convert %pair
      : tensor<4x3xi64> to tensor<4x3xi64, #Matrix>
  %full = arith.constant dense<[[1, 2, 1], [4, 1, 1], [1, 1, 3], [1, 5, 1]]>
      : tensor<4x3xi64>
  %full_sparse = sparse_tensor.convert %full
      : tensor<4x3xi64> to tensor<4x3xi64, #Matrix>
  %matrix = arith.constant dense<-1> : tensor<4x3xi64>

  %weighed_pair = call @weigh_twice(%pair_sparse, %matrix)
      : (tensor<4x3xi64, #Matrix>, tensor<4x3xi64>) -> tensor<4x3xi64>
  %shifted_pair = call @shift_twice(%pair_sparse, %matrix)
      : (tensor<4x3xi64, #Matrix>, tensor<4x3xi64>) -> tensor<4x3xi64>
  %weighed_full = call @weigh_twice(%full_sparse, %matrix)
      : (tensor<4x3xi64, #Matrix>, tensor<4x3xi64>) -> tensor<4x3xi64>
  %shifted_full = call @shift_twice(%full_sparse, %matrix)
      : (tensor<4x3xi64, #Matrix>, tensor<4x3xi64>) -> tensor<4x3xi64>
  // CHECK-NEXT: ( ( 0, 0, 0 ), ( 0, 0, 0 ), ( 0, 0, 0 ), ( 0, 0, 54 ) )
  // CHECK-NEXT: ( ( 0, 7, 2 ), ( 1, 2, 3 ), ( 2, 3, 4 ), ( 3, 4, 14 ) )
  // CHECK-NEXT: ( ( 0, 0, 0 ), ( 0, 1, 2 ), ( 0, 2, 12 ), ( 0, 15, 6 ) )
  // CHECK-NEXT: ( ( 1, 3, 3 ), ( 5, 3, 4 ), ( 3, 4, 7 ), ( 4, 9, 6 ) )
  call @show_matrix(%weighed_pair) : (tensor<4x3xi64>) -> ()
  call @show_matrix(%shifted_pair) : (tensor<4x3xi64>) -> ()
  call @show_matrix(%weighed_full) : (tensor<4x3xi64>) -> ()
  call @show_matrix(%shifted_full) : (tensor<4x3xi64>) -> ()

  bufferization.dealloc_tensor %few_sparse : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %all_sparse : tensor<7xi64, #Vector>
  bufferization.dealloc_tensor %weighed_few : tensor<7xi64>
  bufferization.dealloc_tensor %shifted_few : tensor<7xi64>
  bufferization.dealloc_tensor %weighed_all : tensor<7xi64>
  bufferization.dealloc_tensor %shifted_all : tensor<7xi64>
  bufferization.dealloc_tensor %pair_sparse : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %full_sparse : tensor<4x3xi64, #Matrix>
  bufferization.dealloc_tensor %weighed_pair : tensor<4x3xi64>
  bufferization.dealloc_tensor %shifted_pair : tensor<4x3xi64>
  bufferization.dealloc_tensor %weighed_full : tensor<4x3xi64>
  bufferization.dealloc_tensor %shifted_full : tensor<4x3xi64>
  return
}
