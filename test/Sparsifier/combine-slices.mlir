// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %if thorough %{ %direct-nacho %s | %run-main | FileCheck %s %}
// RUN: %if thorough %{ %sparsifier-nacho %s | %run-main | FileCheck %s %}
// RUN: nacho-opt %s --nacho-sparsifier="enable-runtime-library=false threads=2 parts=3 remarks=true" 2>%t.err | %run-main | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK --allow-empty
// REMARK-NOT: remark

// The left and the right half of one matrix are added, multiplied entry by entry, and
// summed by rows, together with a matrix of its own and a dense one.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#Left = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 5, 1)>,
         j : #sparse_tensor<slice(0, 4, 1)>)
      -> (i : dense, j : compressed)
}>

#Right = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 5, 1)>,
         j : #sparse_tensor<slice(4, 4, 1)>)
      -> (i : dense, j : compressed)
}>

#each = {
  indexing_maps = [
    affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>
  ],
  iterator_types = ["parallel", "parallel"]
}

#each_of_three = {
  indexing_maps = [
    affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>
  ],
  iterator_types = ["parallel", "parallel"]
}

#by_row = {
  indexing_maps = [
    affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i)>
  ],
  iterator_types = ["parallel", "reduction"]
}

func.func @sum(%left: tensor<5x4xf64, #Left>,
               %right: tensor<5x4xf64, #Right>) -> tensor<5x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<5x4xf64, #CSR>
  %z = linalg.generic #each
      ins(%left, %right : tensor<5x4xf64, #Left>, tensor<5x4xf64, #Right>)
      outs(%empty : tensor<5x4xf64, #CSR>) {
  ^bb0(%l: f64, %r: f64, %old: f64):
    %s = arith.addf %l, %r : f64
    linalg.yield %s : f64
  } -> tensor<5x4xf64, #CSR>
  return %z : tensor<5x4xf64, #CSR>
}

func.func @product(%left: tensor<5x4xf64, #Left>,
                   %right: tensor<5x4xf64, #Right>) -> tensor<5x4xf64, #DCSR> {
  %empty = tensor.empty() : tensor<5x4xf64, #DCSR>
  %z = linalg.generic #each
      ins(%left, %right : tensor<5x4xf64, #Left>, tensor<5x4xf64, #Right>)
      outs(%empty : tensor<5x4xf64, #DCSR>) {
  ^bb0(%l: f64, %r: f64, %old: f64):
    %s = arith.mulf %l, %r : f64
    linalg.yield %s : f64
  } -> tensor<5x4xf64, #DCSR>
  return %z : tensor<5x4xf64, #DCSR>
}

// (left + right) and the entries of another matrix.
func.func @sum_of_three(%left: tensor<5x4xf64, #Left>,
                        %right: tensor<5x4xf64, #Right>,
                        %other: tensor<5x4xf64, #DCSR>) -> tensor<5x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<5x4xf64, #CSR>
  %z = linalg.generic #each_of_three
      ins(%left, %right, %other :
          tensor<5x4xf64, #Left>, tensor<5x4xf64, #Right>, tensor<5x4xf64, #DCSR>)
      outs(%empty : tensor<5x4xf64, #CSR>) {
  ^bb0(%l: f64, %r: f64, %o: f64, %old: f64):
    %s = arith.addf %l, %r : f64
    %t = arith.addf %s, %o : f64
    linalg.yield %t : f64
  } -> tensor<5x4xf64, #CSR>
  return %z : tensor<5x4xf64, #CSR>
}

// y[i] += right[i, j] * weights[i, j]
func.func @weighed_rows(%right: tensor<5x4xf64, #Right>, %weights: tensor<5x4xf64>,
                        %y: tensor<5xf64>) -> tensor<5xf64> {
  %z = linalg.generic #by_row
      ins(%right, %weights : tensor<5x4xf64, #Right>, tensor<5x4xf64>)
      outs(%y : tensor<5xf64>) {
  ^bb0(%r: f64, %w: f64, %old: f64):
    %p = arith.mulf %r, %w : f64
    %s = arith.addf %old, %p : f64
    linalg.yield %s : f64
  } -> tensor<5xf64>
  return %z : tensor<5xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %dense = arith.constant dense<[
    [0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 5.0, 0.0, 0.0, 6.0, 7.0, 0.0, 8.0],
    [9.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]
  ]> : tensor<5x8xf64>
  %more = arith.constant dense<[
    [0.0, 0.0, 0.0, 0.0],
    [0.0, 7.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 0.0]
  ]> : tensor<5x4xf64>
  %weights = arith.constant dense<2.0> : tensor<5x4xf64>
  %a = sparse_tensor.convert %dense : tensor<5x8xf64> to tensor<5x8xf64, #CSR>
  %other = sparse_tensor.convert %more : tensor<5x4xf64> to tensor<5x4xf64, #DCSR>
  %left = tensor.extract_slice %a[0, 0][5, 4][1, 1]
      : tensor<5x8xf64, #CSR> to tensor<5x4xf64, #Left>
  %right = tensor.extract_slice %a[0, 4][5, 4][1, 1]
      : tensor<5x8xf64, #CSR> to tensor<5x4xf64, #Right>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 5, 4 )
  // CHECK-NEXT: lvl = ( 5, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 5, 7, 8 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 1, 3, 0, 3, 3 )
  // CHECK-NEXT: values : ( 3, 6, 6, 12, 8, 9, 1, 5 )
  // CHECK-NEXT: ----
  %0 = call @sum(%left, %right)
      : (tensor<5x4xf64, #Left>, tensor<5x4xf64, #Right>) -> tensor<5x4xf64, #CSR>
  sparse_tensor.print %0 : tensor<5x4xf64, #CSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 5, 4 )
  // CHECK-NEXT: lvl = ( 5, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 2, 1, 3 )
  // CHECK-NEXT: values : ( 8, 35, 6 )
  // CHECK-NEXT: ----
  %1 = call @product(%left, %right)
      : (tensor<5x4xf64, #Left>, tensor<5x4xf64, #Right>) -> tensor<5x4xf64, #DCSR>
  sparse_tensor.print %1 : tensor<5x4xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 10
  // CHECK-NEXT: dim = ( 5, 4 )
  // CHECK-NEXT: lvl = ( 5, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 6, 9, 10 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 1, 0, 1, 3, 0, 2, 3, 3 )
  // CHECK-NEXT: values : ( 3, 6, 7, 6, 12, 8, 10, 1, 1, 5 )
  // CHECK-NEXT: ----
  %2 = call @sum_of_three(%left, %right, %other)
      : (tensor<5x4xf64, #Left>, tensor<5x4xf64, #Right>, tensor<5x4xf64, #DCSR>)
      -> tensor<5x4xf64, #CSR>
  sparse_tensor.print %2 : tensor<5x4xf64, #CSR>

  // CHECK-NEXT: ( 15, 1, 43, 1, 7 )
  %ones = arith.constant dense<1.0> : tensor<5xf64>
  %y = bufferization.alloc_tensor() copy(%ones) : tensor<5xf64>
  %3 = call @weighed_rows(%right, %weights, %y)
      : (tensor<5x4xf64, #Right>, tensor<5x4xf64>, tensor<5xf64>) -> tensor<5xf64>
  %read = vector.transfer_read %3[%c0], %pad : tensor<5xf64>, vector<5xf64>
  vector.print %read : vector<5xf64>

  bufferization.dealloc_tensor %a : tensor<5x8xf64, #CSR>
  bufferization.dealloc_tensor %other : tensor<5x4xf64, #DCSR>
  bufferization.dealloc_tensor %0 : tensor<5x4xf64, #CSR>
  bufferization.dealloc_tensor %1 : tensor<5x4xf64, #DCSR>
  bufferization.dealloc_tensor %2 : tensor<5x4xf64, #CSR>
  bufferization.dealloc_tensor %3 : tensor<5xf64>
  return
}
