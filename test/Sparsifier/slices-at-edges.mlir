// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %if thorough %{ %direct-nacho %s | %run-main | FileCheck %s %}
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="threads=2 parts=3 remarks=true" 2>%t.err | %run-main | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK --allow-empty
// REMARK-NOT: remark

// Slices that a loop moves are added to what the loop carries, in its buffer; a slice
// is passed on by a function that nobody calls; and a filled output starts a product.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Moved = #sparse_tensor.encoding<{
  map = (d0 : #sparse_tensor<slice(?, 2, 1)>, d1 : #sparse_tensor<slice(0, 4, 1)>) ->
        (d0 : dense, d1 : compressed) }>
#sum = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

func.func @add_rows(%S: tensor<2x4xf64, #Moved>, %old: tensor<2xf64>) -> tensor<2xf64> {
  %y = linalg.generic #sum ins(%S : tensor<2x4xf64, #Moved>) outs(%old : tensor<2xf64>) {
  ^bb0(%s: f64, %before: f64):
    %0 = arith.addf %before, %s : f64
    linalg.yield %0 : f64
  } -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @unused(%S: tensor<2x4xf64, #Moved>, %old: tensor<2xf64>) -> tensor<2xf64> {
  %y = call @add_rows(%S, %old) : (tensor<2x4xf64, #Moved>, tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @square(%A: tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<4x4xf64, #CSR>
  %filled = linalg.fill ins(%zero : f64) outs(%empty : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  %Z = linalg.matmul ins(%A, %A : tensor<4x4xf64, #CSR>, tensor<4x4xf64, #CSR>)
      outs(%filled : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  return %Z : tensor<4x4xf64, #CSR>
}

func.func @main() {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %dense = arith.constant dense<[[3.0, 2.0, 0.0, 0.0], [0.0, 7.0, 0.0, 1.0],
                                 [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 8.0, 0.0]]> : tensor<4x4xf64>
  %A = sparse_tensor.convert %dense : tensor<4x4xf64> to tensor<4x4xf64, #CSR>

  // The rows have the sums 5, 8, 1 and 8.
  // CHECK: ( 14, 17 )
  %none = tensor.from_elements %zero, %zero : tensor<2xf64>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%before = %none) -> tensor<2xf64> {
    %S = tensor.extract_slice %A[%i, 0] [2, 4] [1, 1]
        : tensor<4x4xf64, #CSR> to tensor<2x4xf64, #Moved>
    %after = func.call @add_rows(%S, %before)
        : (tensor<2x4xf64, #Moved>, tensor<2xf64>) -> tensor<2xf64>
    scf.yield %after : tensor<2xf64>
  }
  %v = vector.transfer_read %y[%c0], %zero : tensor<2xf64>, vector<2xf64>
  vector.print %v : vector<2xf64>

  // CHECK:      pos[1] : ( 0, 3, 6, 8, 9 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 3, 1, 2, 3, 0, 1, 0 )
  // CHECK-NEXT: values : ( 9, 20, 2, 49, 8, 7, 3, 2, 8 )
  %Z = call @square(%A) : (tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  sparse_tensor.print %Z : tensor<4x4xf64, #CSR>
  bufferization.dealloc_tensor %A : tensor<4x4xf64, #CSR>
  bufferization.dealloc_tensor %Z : tensor<4x4xf64, #CSR>
  bufferization.dealloc_tensor %y : tensor<2xf64>
  return
}
