// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The same matrix is stored as 2x3 blocks in four orders: blocks by rows or by
// columns, and the elements of a block by rows or by columns.

#RowsOfRows = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>

#RowsOfColumns = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   j mod 3 : dense, i mod 2 : dense)
}>

#ColumnsOfRows = #sparse_tensor.encoding<{
  map = (i, j) -> (j floordiv 3 : dense, i floordiv 2 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>

#ColumnsOfColumns = #sparse_tensor.encoding<{
  map = (i, j) -> (j floordiv 3 : dense, i floordiv 2 : compressed,
                   j mod 3 : dense, i mod 2 : dense)
}>

func.func @rows_of_rows(%dense: tensor<4x9xf64>) {
  %blocks = sparse_tensor.convert %dense
      : tensor<4x9xf64> to tensor<?x?xf64, #RowsOfRows>
  sparse_tensor.print %blocks : tensor<?x?xf64, #RowsOfRows>
  bufferization.dealloc_tensor %blocks : tensor<?x?xf64, #RowsOfRows>
  return
}

func.func @rows_of_columns(%dense: tensor<4x9xf64>) {
  %blocks = sparse_tensor.convert %dense
      : tensor<4x9xf64> to tensor<?x?xf64, #RowsOfColumns>
  sparse_tensor.print %blocks : tensor<?x?xf64, #RowsOfColumns>
  bufferization.dealloc_tensor %blocks : tensor<?x?xf64, #RowsOfColumns>
  return
}

func.func @columns_of_rows(%dense: tensor<4x9xf64>) {
  %blocks = sparse_tensor.convert %dense
      : tensor<4x9xf64> to tensor<?x?xf64, #ColumnsOfRows>
  sparse_tensor.print %blocks : tensor<?x?xf64, #ColumnsOfRows>
  bufferization.dealloc_tensor %blocks : tensor<?x?xf64, #ColumnsOfRows>
  return
}

func.func @columns_of_columns(%dense: tensor<4x9xf64>) {
  %blocks = sparse_tensor.convert %dense
      : tensor<4x9xf64> to tensor<?x?xf64, #ColumnsOfColumns>
  sparse_tensor.print %blocks : tensor<?x?xf64, #ColumnsOfColumns>
  bufferization.dealloc_tensor %blocks : tensor<?x?xf64, #ColumnsOfColumns>
  return
}

func.func @main() {
  %dense = arith.constant sparse<
    [[0, 2], [1, 0], [1, 7], [2, 4], [3, 3], [3, 8]],
    [1.5, 2.5, 3.0, 4.0, 5.0, 6.0]
  > : tensor<4x9xf64>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 24
  // CHECK-NEXT: dim = ( 4, 9 )
  // CHECK-NEXT: lvl = ( 2, 3, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 1, 2 )
  // CHECK-NEXT: values : ( 0, 0, 1.5, 2.5, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  call @rows_of_rows(%dense) : (tensor<4x9xf64>) -> ()
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 24
  // CHECK-NEXT: dim = ( 4, 9 )
  // CHECK-NEXT: lvl = ( 2, 3, 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 1, 2 )
  // CHECK-NEXT: values : ( 0, 2.5, 0, 0, 1.5, 0, 0, 0, 0, 3, 0, 0, 0, 5, 4, 0, 0, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  call @rows_of_columns(%dense) : (tensor<4x9xf64>) -> ()
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 24
  // CHECK-NEXT: dim = ( 4, 9 )
  // CHECK-NEXT: lvl = ( 3, 2, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: values : ( 0, 0, 1.5, 2.5, 0, 0, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  call @columns_of_rows(%dense) : (tensor<4x9xf64>) -> ()
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 24
  // CHECK-NEXT: dim = ( 4, 9 )
  // CHECK-NEXT: lvl = ( 3, 2, 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: values : ( 0, 2.5, 0, 0, 1.5, 0, 0, 5, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 6 )
  // CHECK-NEXT: ----
  call @columns_of_columns(%dense) : (tensor<4x9xf64>) -> ()
  return
}
