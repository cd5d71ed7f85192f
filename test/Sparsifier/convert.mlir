// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A tensor of three dimensions is converted between all pairs of three orders of
// its levels.

#IJK = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

#JKI = #sparse_tensor.encoding<{
  map = (i, j, k) -> (j : compressed, k : compressed, i : compressed)
}>

#KIJ = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : compressed, i : compressed, j : compressed)
}>

func.func @main() {
  %dense = arith.constant dense<[
    [[1.5, 0.0], [0.0, 2.0], [3.0, 4.0]],
    [[0.0, 5.0], [6.0, 0.0], [0.0, 7.5]]
  ]> : tensor<2x3x2xf64>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5, 6, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 0, 1, 1, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 2, 3, 4, 5, 6, 7.5 )
  // CHECK-NEXT: ----
  %IJK = sparse_tensor.convert %dense : tensor<2x3x2xf64> to tensor<2x3x2xf64, #IJK>
  sparse_tensor.print %IJK : tensor<2x3x2xf64, #IJK>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 3, 4, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 1, 0, 0, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 5, 6, 2, 3, 4, 7.5 )
  // CHECK-NEXT: ----
  %JKI = sparse_tensor.convert %dense : tensor<2x3x2xf64> to tensor<2x3x2xf64, #JKI>
  sparse_tensor.print %JKI : tensor<2x3x2xf64, #JKI>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 2, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 2, 3, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 2, 1, 1, 2, 0, 2 )
  // CHECK-NEXT: values : ( 1.5, 3, 6, 2, 4, 5, 7.5 )
  // CHECK-NEXT: ----
  %KIJ = sparse_tensor.convert %dense : tensor<2x3x2xf64> to tensor<2x3x2xf64, #KIJ>
  sparse_tensor.print %KIJ : tensor<2x3x2xf64, #KIJ>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5, 6, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 0, 1, 1, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 2, 3, 4, 5, 6, 7.5 )
  // CHECK-NEXT: ----
  %IJKtoIJK = sparse_tensor.convert %IJK
      : tensor<2x3x2xf64, #IJK> to tensor<2x3x2xf64, #IJK>
  sparse_tensor.print %IJKtoIJK : tensor<2x3x2xf64, #IJK>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 3, 4, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 1, 0, 0, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 5, 6, 2, 3, 4, 7.5 )
  // CHECK-NEXT: ----
  %IJKtoJKI = sparse_tensor.convert %IJK
      : tensor<2x3x2xf64, #IJK> to tensor<2x3x2xf64, #JKI>
  sparse_tensor.print %IJKtoJKI : tensor<2x3x2xf64, #JKI>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 2, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 2, 3, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 2, 1, 1, 2, 0, 2 )
  // CHECK-NEXT: values : ( 1.5, 3, 6, 2, 4, 5, 7.5 )
  // CHECK-NEXT: ----
  %IJKtoKIJ = sparse_tensor.convert %IJK
      : tensor<2x3x2xf64, #IJK> to tensor<2x3x2xf64, #KIJ>
  sparse_tensor.print %IJKtoKIJ : tensor<2x3x2xf64, #KIJ>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5, 6, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 0, 1, 1, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 2, 3, 4, 5, 6, 7.5 )
  // CHECK-NEXT: ----
  %JKItoIJK = sparse_tensor.convert %JKI
      : tensor<2x3x2xf64, #JKI> to tensor<2x3x2xf64, #IJK>
  sparse_tensor.print %JKItoIJK : tensor<2x3x2xf64, #IJK>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 3, 4, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 1, 0, 0, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 5, 6, 2, 3, 4, 7.5 )
  // CHECK-NEXT: ----
  %JKItoJKI = sparse_tensor.convert %JKI
      : tensor<2x3x2xf64, #JKI> to tensor<2x3x2xf64, #JKI>
  sparse_tensor.print %JKItoJKI : tensor<2x3x2xf64, #JKI>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 2, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 2, 3, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 2, 1, 1, 2, 0, 2 )
  // CHECK-NEXT: values : ( 1.5, 3, 6, 2, 4, 5, 7.5 )
  // CHECK-NEXT: ----
  %JKItoKIJ = sparse_tensor.convert %JKI
      : tensor<2x3x2xf64, #JKI> to tensor<2x3x2xf64, #KIJ>
  sparse_tensor.print %JKItoKIJ : tensor<2x3x2xf64, #KIJ>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 4, 5, 6, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 0, 1, 1, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 2, 3, 4, 5, 6, 7.5 )
  // CHECK-NEXT: ----
  %KIJtoIJK = sparse_tensor.convert %KIJ
      : tensor<2x3x2xf64, #KIJ> to tensor<2x3x2xf64, #IJK>
  sparse_tensor.print %KIJtoIJK : tensor<2x3x2xf64, #IJK>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 2, 3, 4, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 1, 0, 0, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 5, 6, 2, 3, 4, 7.5 )
  // CHECK-NEXT: ----
  %KIJtoJKI = sparse_tensor.convert %KIJ
      : tensor<2x3x2xf64, #KIJ> to tensor<2x3x2xf64, #JKI>
  sparse_tensor.print %KIJtoJKI : tensor<2x3x2xf64, #JKI>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 2, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 2, 3, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 2, 1, 1, 2, 0, 2 )
  // CHECK-NEXT: values : ( 1.5, 3, 6, 2, 4, 5, 7.5 )
  // CHECK-NEXT: ----
  %KIJtoKIJ = sparse_tensor.convert %KIJ
      : tensor<2x3x2xf64, #KIJ> to tensor<2x3x2xf64, #KIJ>
  sparse_tensor.print %KIJtoKIJ : tensor<2x3x2xf64, #KIJ>

  bufferization.dealloc_tensor %IJK : tensor<2x3x2xf64, #IJK>
  bufferization.dealloc_tensor %JKI : tensor<2x3x2xf64, #JKI>
  bufferization.dealloc_tensor %KIJ : tensor<2x3x2xf64, #KIJ>
  bufferization.dealloc_tensor %IJKtoJKI : tensor<2x3x2xf64, #JKI>
  bufferization.dealloc_tensor %IJKtoKIJ : tensor<2x3x2xf64, #KIJ>
  bufferization.dealloc_tensor %JKItoIJK : tensor<2x3x2xf64, #IJK>
  bufferization.dealloc_tensor %JKItoKIJ : tensor<2x3x2xf64, #KIJ>
  bufferization.dealloc_tensor %KIJtoIJK : tensor<2x3x2xf64, #IJK>
  bufferization.dealloc_tensor %KIJtoJKI : tensor<2x3x2xf64, #JKI>
  return
}
