// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The size of a matrix may be known before a conversion and unknown after it,
// between dense, DCSR and DCSC.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#DCSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : compressed, i : compressed)
}>

func.func @main() {
  %static = arith.constant sparse<
    [[0, 5], [4, 0], [4, 29], [11, 5], [19, 0]], [2.0, 3.5, 1.0, 8.0, -4.0]
  > : tensor<20x30xf64>
  %dynamic = tensor.cast %static : tensor<20x30xf64> to tensor<?x?xf64>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 20, 30 )
  // CHECK-NEXT: lvl = ( 20, 30 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 4, 11, 19 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3, 4, 5 )
  // CHECK-NEXT: crd[1] : ( 5, 0, 29, 5, 0 )
  // CHECK-NEXT: values : ( 2, 3.5, 1, 8, -4 )
  // CHECK-NEXT: ----
  %0 = sparse_tensor.convert %static
      : tensor<20x30xf64> to tensor<?x?xf64, #DCSR>
  sparse_tensor.print %0 : tensor<?x?xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 20, 30 )
  // CHECK-NEXT: lvl = ( 30, 20 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 29 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 5 )
  // CHECK-NEXT: crd[1] : ( 4, 19, 0, 11, 4 )
  // CHECK-NEXT: values : ( 3.5, -4, 2, 8, 1 )
  // CHECK-NEXT: ----
  %1 = sparse_tensor.convert %static
      : tensor<20x30xf64> to tensor<?x?xf64, #DCSC>
  sparse_tensor.print %1 : tensor<?x?xf64, #DCSC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 20, 30 )
  // CHECK-NEXT: lvl = ( 20, 30 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 4, 11, 19 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3, 4, 5 )
  // CHECK-NEXT: crd[1] : ( 5, 0, 29, 5, 0 )
  // CHECK-NEXT: values : ( 2, 3.5, 1, 8, -4 )
  // CHECK-NEXT: ----
  %2 = sparse_tensor.convert %dynamic
      : tensor<?x?xf64> to tensor<?x?xf64, #DCSR>
  sparse_tensor.print %2 : tensor<?x?xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 20, 30 )
  // CHECK-NEXT: lvl = ( 30, 20 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 29 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 5 )
  // CHECK-NEXT: crd[1] : ( 4, 19, 0, 11, 4 )
  // CHECK-NEXT: values : ( 3.5, -4, 2, 8, 1 )
  // CHECK-NEXT: ----
  %3 = sparse_tensor.convert %dynamic
      : tensor<?x?xf64> to tensor<?x?xf64, #DCSC>
  sparse_tensor.print %3 : tensor<?x?xf64, #DCSC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 20, 30 )
  // CHECK-NEXT: lvl = ( 30, 20 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 29 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 5 )
  // CHECK-NEXT: crd[1] : ( 4, 19, 0, 11, 4 )
  // CHECK-NEXT: values : ( 3.5, -4, 2, 8, 1 )
  // CHECK-NEXT: ----
  %4 = sparse_tensor.convert %2
      : tensor<?x?xf64, #DCSR> to tensor<?x?xf64, #DCSC>
  sparse_tensor.print %4 : tensor<?x?xf64, #DCSC>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 20, 30 )
  // CHECK-NEXT: lvl = ( 20, 30 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 4, 11, 19 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3, 4, 5 )
  // CHECK-NEXT: crd[1] : ( 5, 0, 29, 5, 0 )
  // CHECK-NEXT: values : ( 2, 3.5, 1, 8, -4 )
  // CHECK-NEXT: ----
  %5 = sparse_tensor.convert %3
      : tensor<?x?xf64, #DCSC> to tensor<?x?xf64, #DCSR>
  sparse_tensor.print %5 : tensor<?x?xf64, #DCSR>

  bufferization.dealloc_tensor %0 : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %1 : tensor<?x?xf64, #DCSC>
  bufferization.dealloc_tensor %2 : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %3 : tensor<?x?xf64, #DCSC>
  bufferization.dealloc_tensor %4 : tensor<?x?xf64, #DCSC>
  bufferization.dealloc_tensor %5 : tensor<?x?xf64, #DCSR>
  return
}
