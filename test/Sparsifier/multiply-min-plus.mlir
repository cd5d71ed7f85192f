// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Paths of two edges are found by sums whose smallest counts: matrices are multiplied
// in the min-plus semiring, the second one stored by rows or by columns.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>

#multiply = {
  indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                   affine_map<(i, j, k) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}

func.func @by_rows(%a: tensor<?x?xf64, #CSR>,
                   %b: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #CSR>
  %cols = tensor.dim %b, %c1 : tensor<?x?xf64, #CSR>
  %empty = tensor.empty(%rows, %cols) : tensor<?x?xf64, #CSR>
  %result = linalg.generic #multiply
      ins(%a, %b : tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>)
      outs(%empty : tensor<?x?xf64, #CSR>) {
  ^bb0(%first: f64, %second: f64, %shortest: f64):
    %path = sparse_tensor.binary %first, %second : f64, f64 to f64
      overlap = {
      ^bb0(%x: f64, %y: f64):
        %sum = arith.addf %x, %y : f64
        sparse_tensor.yield %sum : f64
      }
      left = {}
      right = {}
    %next = sparse_tensor.reduce %path, %shortest, %infinity : f64 {
    ^bb0(%x: f64, %y: f64):
      %less = arith.cmpf olt, %x, %y : f64
      %smaller = arith.select %less, %x, %y : f64
      sparse_tensor.yield %smaller : f64
    }
    linalg.yield %next : f64
  } -> tensor<?x?xf64, #CSR>
  return %result : tensor<?x?xf64, #CSR>
}

func.func @by_columns(%a: tensor<?x?xf64, #CSR>,
                   %b: tensor<?x?xf64, #CSC>) -> tensor<?x?xf64, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #CSR>
  %cols = tensor.dim %b, %c1 : tensor<?x?xf64, #CSC>
  %empty = tensor.empty(%rows, %cols) : tensor<?x?xf64, #CSR>
  %result = linalg.generic #multiply
      ins(%a, %b : tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSC>)
      outs(%empty : tensor<?x?xf64, #CSR>) {
  ^bb0(%first: f64, %second: f64, %shortest: f64):
    %path = sparse_tensor.binary %first, %second : f64, f64 to f64
      overlap = {
      ^bb0(%x: f64, %y: f64):
        %sum = arith.addf %x, %y : f64
        sparse_tensor.yield %sum : f64
      }
      left = {}
      right = {}
    %next = sparse_tensor.reduce %path, %shortest, %infinity : f64 {
    ^bb0(%x: f64, %y: f64):
      %less = arith.cmpf olt, %x, %y : f64
      %smaller = arith.select %less, %x, %y : f64
      sparse_tensor.yield %smaller : f64
    }
    linalg.yield %next : f64
  } -> tensor<?x?xf64, #CSR>
  return %result : tensor<?x?xf64, #CSR>
}

func.func @main() {
  %a_dense = arith.constant sparse<
    [[0, 1], [0, 3], [1, 0], [1, 2], [2, 3], [2, 4]],
    [2.0, 7.5, 1.0, 4.0, 0.5, 3.0]> : tensor<3x5xf64>
  %b_dense = arith.constant sparse<
    [[0, 0], [0, 2], [1, 1], [2, 0], [2, 3], [3, 1], [3, 2], [4, 2]],
    [5.0, 2.5, 6.0, 1.5, 9.0, 0.25, 3.0, 1.0]> : tensor<5x4xf64>
  %a = sparse_tensor.convert %a_dense : tensor<3x5xf64> to tensor<?x?xf64, #CSR>
  %b_rows = sparse_tensor.convert %b_dense : tensor<5x4xf64> to tensor<?x?xf64, #CSR>
  %b_columns = sparse_tensor.convert %b_dense
      : tensor<5x4xf64> to tensor<?x?xf64, #CSC>

  %by_rows = call @by_rows(%a, %b_rows)
      : (tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 5, 7 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2, 3, 1, 2 )
  // CHECK-NEXT: values : ( 7.75, 10.5, 5.5, 3.5, 13, 0.75, 3.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %by_rows : tensor<?x?xf64, #CSR>
  %by_columns = call @by_columns(%a, %b_columns)
      : (tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSC>) -> tensor<?x?xf64, #CSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 5, 7 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2, 3, 1, 2 )
  // CHECK-NEXT: values : ( 7.75, 10.5, 5.5, 3.5, 13, 0.75, 3.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %by_columns : tensor<?x?xf64, #CSR>

  bufferization.dealloc_tensor %a : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %b_rows : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %b_columns : tensor<?x?xf64, #CSC>
  bufferization.dealloc_tensor %by_rows : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %by_columns : tensor<?x?xf64, #CSR>
  return
}
