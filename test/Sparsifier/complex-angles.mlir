// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Complex numbers of their parts, their conjugates, signs, angles and squares.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#one_operand = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @conjugate(%a: tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %r = complex.conj %p : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @sign(%a: tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %r = complex.sign %p : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @parts_exchanged(%a: tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %re = complex.re %p : complex<f64>
    %im = complex.im %p : complex<f64>
    %r = complex.create %im, %re : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @square(%a: tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %two = complex.constant [2.0 : f64, 0.0 : f64] : complex<f64>
    %r = complex.pow %p, %two : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @tangent(%a: tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %r = complex.tan %p : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @angle(%a: tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xf64, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xf64, #Sparse>
  %x = linalg.generic #one_operand ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xf64, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: f64):
    %r = complex.angle %p : complex<f64>
    linalg.yield %r : f64
  } -> tensor<?xf64, #Sparse>
  return %x : tensor<?xf64, #Sparse>
}

func.func @main() {
  %p = arith.constant sparse<
    [[0], [5], [7]], [(-3.0, 4.0), (3.0, 0.0), (0.0, -2.0)]
  > : tensor<9xcomplex<f64>>
  %a = sparse_tensor.convert %p : tensor<9xcomplex<f64>> to tensor<?xcomplex<f64>, #Sparse>

  // CHECK:      nse = 3
  // CHECK:      crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( -3, -4 ), ( 3, -0 ), ( 0, 2 ) )
  %0 = call @conjugate(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %0 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK:      nse = 3
  // CHECK:      crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( -0.6, 0.8 ), ( 1, 0 ), ( 0, -1 ) )
  %1 = call @sign(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %1 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK:      nse = 3
  // CHECK:      crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( 4, -3 ), ( 0, 3 ), ( -2, 0 ) )
  %2 = call @parts_exchanged(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %2 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK:      nse = 3
  // CHECK:      crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( -7, -24 ), ( 9, 0 ), ( -4, {{-?[0-9.e-]+}} ) )
  %3 = call @square(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %3 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK:      nse = 3
  // CHECK:      crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( 0.000187346, 0.999356 ), ( -0.142547, 0 ), ( 0, -0.964028 ) )
  %4 = call @tangent(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %4 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK:      nse = 3
  // CHECK:      crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( 2.2143, 0, -1.5708 )
  %5 = call @angle(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xf64, #Sparse>
  sparse_tensor.print %5 : tensor<?xf64, #Sparse>

  bufferization.dealloc_tensor %a : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %0 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %1 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %2 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %3 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %4 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %5 : tensor<?xf64, #Sparse>
  return
}
