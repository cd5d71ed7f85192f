// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s

// Loops that carry a sparse tensor overwrite its values, as with --sparsifier: in the
// loop itself, and in a function that it calls. There is one tensor to release.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#update = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @triple(%matrix: tensor<2x3xf64, #CSR>) -> tensor<2x3xf64, #CSR> {
  %three = arith.constant 3.0 : f64
  %tripled = linalg.generic #update outs(%matrix : tensor<2x3xf64, #CSR>) {
  ^bb0(%value: f64):
    %more = arith.mulf %value, %three : f64
    linalg.yield %more : f64
  } -> tensor<2x3xf64, #CSR>
  return %tripled : tensor<2x3xf64, #CSR>
}

func.func @power(%matrix: tensor<2x3xf64, #CSR>) -> tensor<2x3xf64, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %result = scf.for %n = %c0 to %c3 step %c1
      iter_args(%before = %matrix) -> (tensor<2x3xf64, #CSR>) {
    %after = linalg.generic #update outs(%before : tensor<2x3xf64, #CSR>) {
    ^bb0(%value: f64):
      %more = arith.mulf %value, %value : f64
      linalg.yield %more : f64
    } -> tensor<2x3xf64, #CSR>
    scf.yield %after : tensor<2x3xf64, #CSR>
  }
  return %result : tensor<2x3xf64, #CSR>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %dense = arith.constant dense<[[0.0, 2.0, 0.0], [1.0, 0.0, -1.0]]> : tensor<2x3xf64>
  %matrix = sparse_tensor.convert %dense : tensor<2x3xf64> to tensor<2x3xf64, #CSR>
  %raised = call @power(%matrix)
      : (tensor<2x3xf64, #CSR>) -> tensor<2x3xf64, #CSR>
  %result = scf.for %n = %c0 to %c3 step %c1
      iter_args(%before = %raised) -> (tensor<2x3xf64, #CSR>) {
    %after = func.call @triple(%before)
        : (tensor<2x3xf64, #CSR>) -> tensor<2x3xf64, #CSR>
    scf.yield %after : tensor<2x3xf64, #CSR>
  }
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 2, 3 )
  // CHECK-NEXT: lvl = ( 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2 )
  // CHECK-NEXT: values : ( 6912, 27, 27 )
  // CHECK-NEXT: ----
  sparse_tensor.print %result : tensor<2x3xf64, #CSR>
  bufferization.dealloc_tensor %result : tensor<2x3xf64, #CSR>
  return
}
