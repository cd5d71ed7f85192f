// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Functions of complex numbers, with a negation within a difference, a constant
// divisor, and magnitudes as a vector of floats.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#one_operand = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

#two_operands = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                   affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @minus_negated(%a: tensor<?xcomplex<f64>, #Sparse>,
                         %b: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #two_operands
      ins(%a, %b : tensor<?xcomplex<f64>, #Sparse>,
                   tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %q: complex<f64>, %out: complex<f64>):
    %negated = complex.neg %q : complex<f64>
    %r = complex.sub %p, %negated : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @sine(%a: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %r = complex.sin %p : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @square_root(%a: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %r = complex.sqrt %p : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @tanh(%a: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %r = complex.tanh %p : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @logarithm_and_back(%a: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %log = complex.log1p %p : complex<f64>
    %r = complex.expm1 %log : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @halve(%a: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xcomplex<f64>, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xcomplex<f64>, #Sparse>
  %two = complex.constant [2.0 : f64, 0.0 : f64] : complex<f64>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xcomplex<f64>, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: complex<f64>):
    %r = complex.div %p, %two : complex<f64>
    linalg.yield %r : complex<f64>
  } -> tensor<?xcomplex<f64>, #Sparse>
  return %x : tensor<?xcomplex<f64>, #Sparse>
}

func.func @magnitude(%a: tensor<?xcomplex<f64>, #Sparse>)
    -> tensor<?xf64, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xcomplex<f64>, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xf64, #Sparse>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?xcomplex<f64>, #Sparse>)
      outs(%empty : tensor<?xf64, #Sparse>) {
  ^bb0(%p: complex<f64>, %out: f64):
    %r = complex.abs %p : complex<f64>
    linalg.yield %r : f64
  } -> tensor<?xf64, #Sparse>
  return %x : tensor<?xf64, #Sparse>
}

func.func @main() {
  %p = arith.constant sparse<
    [[0], [5], [7]], [(-1.5, 2.0), (3.0, 4.0), (0.25, -1.0)]
  > : tensor<9xcomplex<f64>>
  %q = arith.constant sparse<
    [[1], [5], [8]], [(1.0, 0.5), (-2.0, 0.0), (0.75, 0.0)]
  > : tensor<9xcomplex<f64>>
  %a = sparse_tensor.convert %p : tensor<9xcomplex<f64>> to tensor<?xcomplex<f64>, #Sparse>
  %b = sparse_tensor.convert %q : tensor<9xcomplex<f64>> to tensor<?xcomplex<f64>, #Sparse>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 9 )
  // CHECK-NEXT: lvl = ( 9 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 5, 7, 8 )
  // CHECK-NEXT: values : ( ( -1.5, 2 ), ( 1, 0.5 ), ( 1, 4 ), ( 0.25, -1 ), ( 0.75, 0 ) )
  // CHECK-NEXT: ----
  %0 = call @minus_negated(%a, %b)
      : (tensor<?xcomplex<f64>, #Sparse>, tensor<?xcomplex<f64>, #Sparse>)
      -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %0 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 9 )
  // CHECK-NEXT: lvl = ( 9 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( -3.75277, 0.256554 ), ( 3.85374, -27.0168 ), ( 0.381764, -1.13867 ) )
  // CHECK-NEXT: ----
  %1 = call @sine(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %1 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 9 )
  // CHECK-NEXT: lvl = ( 9 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( 0.707107, 1.41421 ), ( 2, 1 ), ( 0.800243, -0.624811 ) )
  // CHECK-NEXT: ----
  %2 = call @square_root(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %2 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 9 )
  // CHECK-NEXT: lvl = ( 9 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 1, 5, 8 )
  // CHECK-NEXT: values : ( ( 0.842966, 0.195577 ), ( -0.964028, 0 ), ( 0.635149, 0 ) )
  // CHECK-NEXT: ----
  %3 = call @tanh(%b)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %3 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 9 )
  // CHECK-NEXT: lvl = ( 9 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( -1.5, 2 ), ( 3, 4 ), ( 0.25, -1 ) )
  // CHECK-NEXT: ----
  %4 = call @logarithm_and_back(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %4 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 9 )
  // CHECK-NEXT: lvl = ( 9 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( ( -0.75, 1 ), ( 1.5, 2 ), ( 0.125, -0.5 ) )
  // CHECK-NEXT: ----
  %5 = call @halve(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xcomplex<f64>, #Sparse>
  sparse_tensor.print %5 : tensor<?xcomplex<f64>, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 9 )
  // CHECK-NEXT: lvl = ( 9 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 7 )
  // CHECK-NEXT: values : ( 2.5, 5, 1.03078 )
  // CHECK-NEXT: ----
  %6 = call @magnitude(%a)
      : (tensor<?xcomplex<f64>, #Sparse>) -> tensor<?xf64, #Sparse>
  sparse_tensor.print %6 : tensor<?xf64, #Sparse>

  bufferization.dealloc_tensor %a : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %b : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %0 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %1 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %2 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %3 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %4 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %5 : tensor<?xcomplex<f64>, #Sparse>
  bufferization.dealloc_tensor %6 : tensor<?xf64, #Sparse>
  return
}
