// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A DCSR matrix is scaled into a new matrix and in place, and two are added and
// multiplied element by element.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#in_place = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

#one_operand = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

#two_operands = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @scale(%a: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %factor = arith.constant 4.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #DCSR>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64, #DCSR>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #DCSR>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?x?xf64, #DCSR>) outs(%empty : tensor<?x?xf64, #DCSR>) {
  ^bb0(%in: f64, %out: f64):
    %scaled = arith.mulf %in, %factor : f64
    linalg.yield %scaled : f64
  } -> tensor<?x?xf64, #DCSR>
  return %x : tensor<?x?xf64, #DCSR>
}

func.func @scale_in_place(%a: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %factor = arith.constant 4.0 : f64
  %x = linalg.generic #in_place outs(%a : tensor<?x?xf64, #DCSR>) {
  ^bb0(%out: f64):
    %scaled = arith.mulf %out, %factor : f64
    linalg.yield %scaled : f64
  } -> tensor<?x?xf64, #DCSR>
  return %x : tensor<?x?xf64, #DCSR>
}

func.func @add(%a: tensor<?x?xf64, #DCSR>, %b: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #DCSR>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64, #DCSR>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #DCSR>
  %x = linalg.generic #two_operands
      ins(%a, %b : tensor<?x?xf64, #DCSR>, tensor<?x?xf64, #DCSR>)
      outs(%empty : tensor<?x?xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %sum = arith.addf %p, %q : f64
    linalg.yield %sum : f64
  } -> tensor<?x?xf64, #DCSR>
  return %x : tensor<?x?xf64, #DCSR>
}

func.func @multiply(%a: tensor<?x?xf64, #DCSR>, %b: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #DCSR>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64, #DCSR>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #DCSR>
  %x = linalg.generic #two_operands
      ins(%a, %b : tensor<?x?xf64, #DCSR>, tensor<?x?xf64, #DCSR>)
      outs(%empty : tensor<?x?xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %product = arith.mulf %p, %q : f64
    linalg.yield %product : f64
  } -> tensor<?x?xf64, #DCSR>
  return %x : tensor<?x?xf64, #DCSR>
}

func.func @main() {
  %p = arith.constant sparse<
    [[0, 3], [2, 0], [2, 1], [2, 6], [5, 2], [5, 3]],
    [1.5, 2.0, -3.0, 4.0, 0.25, 6.0]
  > : tensor<6x7xf64>
  %q = arith.constant sparse<
    [[0, 0], [2, 1], [2, 5], [3, 3], [5, 3]],
    [8.0, 2.0, 1.0, 7.0, -0.5]
  > : tensor<6x7xf64>
  %a = sparse_tensor.convert %p : tensor<6x7xf64> to tensor<?x?xf64, #DCSR>
  %copy = sparse_tensor.convert %p : tensor<6x7xf64> to tensor<?x?xf64, #DCSR>
  %b = sparse_tensor.convert %q : tensor<6x7xf64> to tensor<?x?xf64, #DCSR>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 7 )
  // CHECK-NEXT: lvl = ( 6, 7 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 3, 0, 1, 6, 2, 3 )
  // CHECK-NEXT: values : ( 6, 8, -12, 16, 1, 24 )
  // CHECK-NEXT: ----
  %0 = call @scale(%a) : (tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR>
  sparse_tensor.print %0 : tensor<?x?xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 6, 7 )
  // CHECK-NEXT: lvl = ( 6, 7 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 3, 0, 1, 6, 2, 3 )
  // CHECK-NEXT: values : ( 6, 8, -12, 16, 1, 24 )
  // CHECK-NEXT: ----
  %1 = call @scale_in_place(%copy)
      : (tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR>
  sparse_tensor.print %1 : tensor<?x?xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 6, 7 )
  // CHECK-NEXT: lvl = ( 6, 7 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 6, 7, 9 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 0, 1, 5, 6, 3, 2, 3 )
  // CHECK-NEXT: values : ( 8, 6, 8, -10, 1, 16, 7, 1, 23.5 )
  // CHECK-NEXT: ----
  %2 = call @add(%1, %b)
      : (tensor<?x?xf64, #DCSR>, tensor<?x?xf64, #DCSR>)
      -> tensor<?x?xf64, #DCSR>
  sparse_tensor.print %2 : tensor<?x?xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 6, 7 )
  // CHECK-NEXT: lvl = ( 6, 7 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 2, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2 )
  // CHECK-NEXT: crd[1] : ( 1, 3 )
  // CHECK-NEXT: values : ( -24, -12 )
  // CHECK-NEXT: ----
  %3 = call @multiply(%1, %b)
      : (tensor<?x?xf64, #DCSR>, tensor<?x?xf64, #DCSR>)
      -> tensor<?x?xf64, #DCSR>
  sparse_tensor.print %3 : tensor<?x?xf64, #DCSR>

  bufferization.dealloc_tensor %a : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %copy : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %b : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %0 : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %2 : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %3 : tensor<?x?xf64, #DCSR>
  return
}
