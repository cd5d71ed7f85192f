// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The stored entries of each row are multiplied, with the matrix stored by rows or by
// columns, into a sparse vector.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>

#by_row = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

func.func @from_rows(%matrix: tensor<?x?xf64, #CSR>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %rows = tensor.dim %matrix, %c0 : tensor<?x?xf64, #CSR>
  %empty = tensor.empty(%rows) : tensor<?xf64, #Vector>
  %result = linalg.generic #by_row
      ins(%matrix : tensor<?x?xf64, #CSR>) outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64, %partial: f64):
    %next = sparse_tensor.reduce %value, %partial, %one : f64 {
    ^bb0(%x: f64, %y: f64):
      %product = arith.mulf %x, %y : f64
      sparse_tensor.yield %product : f64
    }
    linalg.yield %next : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @from_columns(%matrix: tensor<?x?xf64, #CSC>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %rows = tensor.dim %matrix, %c0 : tensor<?x?xf64, #CSC>
  %empty = tensor.empty(%rows) : tensor<?xf64, #Vector>
  %result = linalg.generic #by_row
      ins(%matrix : tensor<?x?xf64, #CSC>) outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64, %partial: f64):
    %next = sparse_tensor.reduce %value, %partial, %one : f64 {
    ^bb0(%x: f64, %y: f64):
      %product = arith.mulf %x, %y : f64
      sparse_tensor.yield %product : f64
    }
    linalg.yield %next : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @main() {
  %dense = arith.constant sparse<
    [[0, 2], [1, 0], [1, 1], [1, 4], [2, 3], [2, 4], [3, 0]],
    [2.5, 4.0, -1.0, 0.5, 8.0, 3.0, 7.0]> : tensor<4x5xf64>
  %rows = sparse_tensor.convert %dense : tensor<4x5xf64> to tensor<?x?xf64, #CSR>
  %columns = sparse_tensor.convert %dense : tensor<4x5xf64> to tensor<?x?xf64, #CSC>

  %from_rows = call @from_rows(%rows)
      : (tensor<?x?xf64, #CSR>) -> tensor<?xf64, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 4 )
  // CHECK-NEXT: lvl = ( 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: values : ( 2.5, -2, 24, 7 )
  // CHECK-NEXT: ----
  sparse_tensor.print %from_rows : tensor<?xf64, #Vector>
  %from_columns = call @from_columns(%columns)
      : (tensor<?x?xf64, #CSC>) -> tensor<?xf64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 4 )
  // CHECK-NEXT: lvl = ( 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: values : ( 2.5, -2, 24, 7 )
  // CHECK-NEXT: ----
  sparse_tensor.print %from_columns : tensor<?xf64, #Vector>

  bufferization.dealloc_tensor %rows : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %columns : tensor<?x?xf64, #CSC>
  bufferization.dealloc_tensor %from_rows : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %from_columns : tensor<?xf64, #Vector>
  return
}
