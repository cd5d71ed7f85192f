// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Sparse vectors of complex numbers of either width are added, and multiplied
// where both store an element.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#elementwise = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                   affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @add_f32(%a: tensor<?xcomplex<f32>, #Sparse>,
                   %b: tensor<?xcomplex<f32>, #Sparse>)
    -> tensor<?xcomplex<f32>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f32>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f32>, #Sparse>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<?xcomplex<f32>, #Sparse>,
                   tensor<?xcomplex<f32>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f32>, #Sparse>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %out: complex<f32>):
    %r = complex.add %p, %q : complex<f32>
    linalg.yield %r : complex<f32>
  } -> tensor<?xcomplex<f32>, #Sparse>
  return %x : tensor<?xcomplex<f32>, #Sparse>
}

func.func @multiply_f32(%a: tensor<?xcomplex<f32>, #Sparse>,
                        %b: tensor<?xcomplex<f32>, #Sparse>)
    -> tensor<?xcomplex<f32>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f32>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f32>, #Sparse>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<?xcomplex<f32>, #Sparse>,
                   tensor<?xcomplex<f32>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f32>, #Sparse>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %out: complex<f32>):
    %r = complex.mul %p, %q : complex<f32>
    linalg.yield %r : complex<f32>
  } -> tensor<?xcomplex<f32>, #Sparse>
  return %x : tensor<?xcomplex<f32>, #Sparse>
}

func.func @add_f64(%a: tensor<?xcomplex<f64>, #Sparse>,
                   %b: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<?xcomplex<f64>, #Sparse>,
                   tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %q: complex<f64>, %out: complex<f64>):
    %r = complex.add %p, %q : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @multiply_f64(%a: tensor<?xcomplex<f64>, #Sparse>,
                        %b: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<?xcomplex<f64>, #Sparse>,
                   tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %q: complex<f64>, %out: complex<f64>):
    %r = complex.mul %p, %q : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @main() {
  %pf32 = arith.constant sparse<
    [[1], [4], [6]], [(2.5, -1.0), (0.0, 3.0), (4.0, 0.5)]
  > : tensor<10xcomplex<f32>>
  %qf32 = arith.constant sparse<
    [[0], [4], [6], [9]], [(1.0, 1.0), (2.0, 2.0), (-1.0, 2.0), (8.0, 0.0)]
  > : tensor<10xcomplex<f32>>
  %af32 = sparse_tensor.convert %pf32
      : tensor<10xcomplex<f32>> to tensor<?xcomplex<f32>, #Sparse>
  %bf32 = sparse_tensor.convert %qf32
      : tensor<10xcomplex<f32>> to tensor<?xcomplex<f32>, #Sparse>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 10 )
  // CHECK-NEXT: lvl = ( 10 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 4, 6, 9 )
  // CHECK-NEXT: values : ( ( 1, 1 ), ( 2.5, -1 ), ( 2, 5 ), ( 3, 2.5 ), ( 8, 0 ) )
  // CHECK-NEXT: ----
  %sumf32 = call @add_f32(%af32, %bf32)
      : (tensor<?xcomplex<f32>, #Sparse>, tensor<?xcomplex<f32>, #Sparse>)
      -> tensor<?xcomplex<f32>, #Sparse>
  sparse_tensor.print %sumf32 : tensor<?xcomplex<f32>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 10 )
  // CHECK-NEXT: lvl = ( 10 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 4, 6 )
  // CHECK-NEXT: values : ( ( -6, 6 ), ( -5, 7.5 ) )
  // CHECK-NEXT: ----
  %productf32 = call @multiply_f32(%af32, %bf32)
      : (tensor<?xcomplex<f32>, #Sparse>, tensor<?xcomplex<f32>, #Sparse>)
      -> tensor<?xcomplex<f32>, #Sparse>
  sparse_tensor.print %productf32 : tensor<?xcomplex<f32>, #Sparse>

  %pf64 = arith.constant sparse<
    [[1], [4], [6]], [(2.5, -1.0), (0.0, 3.0), (4.0, 0.5)]
  > : tensor<10xcomplex<f64>>
  %qf64 = arith.constant sparse<
    [[0], [4], [6], [9]], [(1.0, 1.0), (2.0, 2.0), (-1.0, 2.0), (8.0, 0.0)]
  > : tensor<10xcomplex<f64>>
  %af64 = sparse_tensor.convert %pf64
      : tensor<10xcomplex<f64>> to tensor<?xcomplex<f64>, #Sparse>
  %bf64 = sparse_tensor.convert %qf64
      : tensor<10xcomplex<f64>> to tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 10 )
  // CHECK-NEXT: lvl = ( 10 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 4, 6, 9 )
  // CHECK-NEXT: values : ( ( 1, 1 ), ( 2.5, -1 ), ( 2, 5 ), ( 3, 2.5 ), ( 8, 0 ) )
  // CHECK-NEXT: ----
  %sumf64 = call @add_f64(%af64, %bf64)
      : (tensor<?xcomplex<f64>, #Sparse>, tensor<?xcomplex<f64>, #Sparse>)
      -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %sumf64 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 10 )
  // CHECK-NEXT: lvl = ( 10 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 4, 6 )
  // CHECK-NEXT: values : ( ( -6, 6 ), ( -5, 7.5 ) )
  // CHECK-NEXT: ----
  %productf64 = call @multiply_f64(%af64, %bf64)
      : (tensor<?xcomplex<f64>, #Sparse>, tensor<?xcomplex<f64>, #Sparse>)
      -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %productf64 : tensor<?xcomplex<f64>, #Sparse>

  bufferization.dealloc_tensor %af32 : tensor<?xcomplex<f32>, #Sparse>
  bufferization.dealloc_tensor %bf32 : tensor<?xcomplex<f32>, #Sparse>
  bufferization.dealloc_tensor %sumf32 : tensor<?xcomplex<f32>, #Sparse>
  bufferization.dealloc_tensor %productf32 : tensor<?xcomplex<f32>, #Sparse>
  bufferization.dealloc_tensor %af64 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %bf64 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %sumf64 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %productf64 : tensor<?xcomplex<f64>, #Sparse>
  return
}
