// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-sparsifier=remarks %s 2>&1 >%t | FileCheck %s --check-prefix=REMARK
// RUN: nacho-opt --nacho-fuse-ops --nacho-outline-kernels %s | FileCheck %s --check-prefix=KERNELS

// A product of sparse matrices is scaled, and multiplied with a third one, which may be
// all that a vector needs of it. One kernel computes each result.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#pairs = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#rows = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

// REMARK-DAG: fused with what makes operand #0
// REMARK-DAG: fused with what makes operand #1
// KERNELS-COUNT-2: module @kernel_
// KERNELS-NOT:     module @kernel_

func.func @matrix(%s: tensor<3x3xf64, #CSR>, %a: tensor<3x4xf64, #CSR>,
                  %b: tensor<4x3xf64, #CSR>) -> tensor<3x3xf64, #CSR> {
  %half = arith.constant 0.5 : f64
  %e0 = tensor.empty() : tensor<3x4xf64, #CSR>
  %halves = linalg.generic #each
      ins(%a : tensor<3x4xf64, #CSR>) outs(%e0 : tensor<3x4xf64, #CSR>) {
  ^bb0(%x: f64, %unused: f64):
    %0 = arith.mulf %x, %half : f64
    linalg.yield %0 : f64
  } -> tensor<3x4xf64, #CSR>
  %e1 = tensor.empty() : tensor<3x3xf64, #CSR>
  %product = linalg.matmul
      ins(%halves, %b : tensor<3x4xf64, #CSR>, tensor<4x3xf64, #CSR>)
      outs(%e1 : tensor<3x3xf64, #CSR>) -> tensor<3x3xf64, #CSR>
  %e2 = tensor.empty() : tensor<3x3xf64, #CSR>
  %result = linalg.generic #pairs
      ins(%s, %product : tensor<3x3xf64, #CSR>, tensor<3x3xf64, #CSR>)
      outs(%e2 : tensor<3x3xf64, #CSR>) {
  ^bb0(%x: f64, %y: f64, %unused: f64):
    %0 = arith.mulf %x, %y : f64
    linalg.yield %0 : f64
  } -> tensor<3x3xf64, #CSR>
  bufferization.dealloc_tensor %halves : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %product : tensor<3x3xf64, #CSR>
  return %result : tensor<3x3xf64, #CSR>
}

func.func @vector(%s: tensor<3x3xf64, #CSR>, %a: tensor<3x4xf64>, %b: tensor<4x3xf64>)
    -> tensor<3xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x3xf64>
  %product = linalg.matmul ins(%a, %b : tensor<3x4xf64>, tensor<4x3xf64>)
      outs(%zeros : tensor<3x3xf64>) -> tensor<3x3xf64>
  %start = arith.constant dense<1.0> : tensor<3xf64>
  %result = linalg.generic #rows
      ins(%s, %product : tensor<3x3xf64, #CSR>, tensor<3x3xf64>)
      outs(%start : tensor<3xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  bufferization.dealloc_tensor %product : tensor<3x3xf64>
  return %result : tensor<3xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f64
  %s_dense = arith.constant dense<[[0.0, 2.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 5.0]]>
      : tensor<3x3xf64>
  %a_dense = arith.constant dense<[[2.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 6.0],
                                   [0.0, 8.0, 0.0, 2.0]]> : tensor<3x4xf64>
  %b_dense = arith.constant dense<[[1.0, 1.0, 0.0], [0.0, 0.0, 3.0], [0.0, 5.0, 0.0],
                                   [7.0, 0.0, 2.0]]> : tensor<4x3xf64>
  %s = sparse_tensor.convert %s_dense : tensor<3x3xf64> to tensor<3x3xf64, #CSR>
  %a = sparse_tensor.convert %a_dense : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  %b = sparse_tensor.convert %b_dense : tensor<4x3xf64> to tensor<4x3xf64, #CSR>

  // The product has no entry at (2, 1), where the third matrix has one.
  //
  // CHECK:      nse = 3
  // CHECK:      pos[1] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2 )
  // CHECK-NEXT: values : ( 22, 63, 70 )
  %matrix = call @matrix(%s, %a, %b)
      : (tensor<3x3xf64, #CSR>, tensor<3x4xf64, #CSR>, tensor<4x3xf64, #CSR>)
      -> tensor<3x3xf64, #CSR>
  sparse_tensor.print %matrix : tensor<3x3xf64, #CSR>

  // CHECK:      ( 45, 127, 141 )
  %vector = call @vector(%s, %a_dense, %b_dense)
      : (tensor<3x3xf64, #CSR>, tensor<3x4xf64>, tensor<4x3xf64>) -> tensor<3xf64>
  %shown = vector.transfer_read %vector[%c0], %none : tensor<3xf64>, vector<3xf64>
  vector.print %shown : vector<3xf64>

  bufferization.dealloc_tensor %s : tensor<3x3xf64, #CSR>
  bufferization.dealloc_tensor %a : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %b : tensor<4x3xf64, #CSR>
  bufferization.dealloc_tensor %matrix : tensor<3x3xf64, #CSR>
  bufferization.dealloc_tensor %vector : tensor<3xf64>
  return
}
