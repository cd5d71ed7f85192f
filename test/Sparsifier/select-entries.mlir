// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Entries are kept by their values, or by their coordinates, and all others dropped.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

#vectors = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

#matrices = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @at_least_one(%vector: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %size = tensor.dim %vector, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xf64, #Vector>) outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64, %unused: f64):
    %kept = sparse_tensor.select %value : f64 {
    ^bb0(%x: f64):
      %keep = arith.cmpf oge, %x, %one : f64
      sparse_tensor.yield %keep : i1
    }
    linalg.yield %kept : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @above_diagonal(%matrix: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %matrix, %c0 : tensor<?x?xf64, #CSR>
  %cols = tensor.dim %matrix, %c1 : tensor<?x?xf64, #CSR>
  %empty = tensor.empty(%rows, %cols) : tensor<?x?xf64, #CSR>
  %result = linalg.generic #matrices
      ins(%matrix : tensor<?x?xf64, #CSR>) outs(%empty : tensor<?x?xf64, #CSR>) {
  ^bb0(%value: f64, %unused: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %kept = sparse_tensor.select %value : f64 {
    ^bb0(%x: f64):
      %keep = arith.cmpi ugt, %j, %i : index
      sparse_tensor.yield %keep : i1
    }
    linalg.yield %kept : f64
  } -> tensor<?x?xf64, #CSR>
  return %result : tensor<?x?xf64, #CSR>
}

func.func @main() {
  %vector_dense = arith.constant sparse<
    [[0], [2], [3], [8], [11]], [1.0, 0.5, 6.0, -2.0, 1.5]> : tensor<12xf64>
  %matrix_dense = arith.constant sparse<
    [[0, 0], [0, 2], [1, 0], [1, 1], [2, 3], [3, 1], [3, 3]],
    [5.0, 1.5, 7.0, 2.0, -4.0, 6.0, 8.0]> : tensor<4x4xf64>
  %vector = sparse_tensor.convert %vector_dense
      : tensor<12xf64> to tensor<?xf64, #Vector>
  %matrix = sparse_tensor.convert %matrix_dense
      : tensor<4x4xf64> to tensor<?x?xf64, #CSR>

  %large = call @at_least_one(%vector)
      : (tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 12 )
  // CHECK-NEXT: lvl = ( 12 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 3, 11 )
  // CHECK-NEXT: values : ( 1, 6, 1.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %large : tensor<?xf64, #Vector>
  %above = call @above_diagonal(%matrix)
      : (tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 1, 2, 2 )
  // CHECK-NEXT: crd[1] : ( 2, 3 )
  // CHECK-NEXT: values : ( 1.5, -4 )
  // CHECK-NEXT: ----
  sparse_tensor.print %above : tensor<?x?xf64, #CSR>

  bufferization.dealloc_tensor %vector : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %matrix : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %large : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %above : tensor<?x?xf64, #CSR>
  return
}
