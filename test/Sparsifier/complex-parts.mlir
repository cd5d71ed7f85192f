// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The real and the imaginary parts of complex entries have the entries' coordinates.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#vectors = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @real(%vector: tensor<?xcomplex<f32>, #Vector>) -> tensor<?xf32, #Vector> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %vector, %c0 : tensor<?xcomplex<f32>, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf32, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xcomplex<f32>, #Vector>)
      outs(%empty : tensor<?xf32, #Vector>) {
  ^bb0(%value: complex<f32>, %unused: f32):
    %part = complex.re %value : complex<f32>
    linalg.yield %part : f32
  } -> tensor<?xf32, #Vector>
  return %result : tensor<?xf32, #Vector>
}

func.func @imaginary(%vector: tensor<?xcomplex<f32>, #Vector>) -> tensor<?xf32, #Vector> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %vector, %c0 : tensor<?xcomplex<f32>, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf32, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xcomplex<f32>, #Vector>)
      outs(%empty : tensor<?xf32, #Vector>) {
  ^bb0(%value: complex<f32>, %unused: f32):
    %part = complex.im %value : complex<f32>
    linalg.yield %part : f32
  } -> tensor<?xf32, #Vector>
  return %result : tensor<?xf32, #Vector>
}

func.func @main() {
  %dense = arith.constant sparse<
    [[1], [6], [14]], [(2.5, -1.0), (-4.0, 0.5), (3.0, 8.0)]>
    : tensor<15xcomplex<f32>>
  %vector = sparse_tensor.convert %dense
      : tensor<15xcomplex<f32>> to tensor<?xcomplex<f32>, #Vector>
  %real = call @real(%vector)
      : (tensor<?xcomplex<f32>, #Vector>) -> tensor<?xf32, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 15 )
  // CHECK-NEXT: lvl = ( 15 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 1, 6, 14 )
  // CHECK-NEXT: values : ( 2.5, -4, 3 )
  // CHECK-NEXT: ----
  sparse_tensor.print %real : tensor<?xf32, #Vector>
  %imaginary = call @imaginary(%vector)
      : (tensor<?xcomplex<f32>, #Vector>) -> tensor<?xf32, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 15 )
  // CHECK-NEXT: lvl = ( 15 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 1, 6, 14 )
  // CHECK-NEXT: values : ( -1, 0.5, 8 )
  // CHECK-NEXT: ----
  sparse_tensor.print %imaginary : tensor<?xf32, #Vector>

  bufferization.dealloc_tensor %vector : tensor<?xcomplex<f32>, #Vector>
  bufferization.dealloc_tensor %real : tensor<?xf32, #Vector>
  bufferization.dealloc_tensor %imaginary : tensor<?xf32, #Vector>
  return
}
