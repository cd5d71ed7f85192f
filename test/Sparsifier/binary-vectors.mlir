// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The regions of sparse_tensor.binary on vectors: a union, an intersection with
// a dense vector, a difference, and coordinates as values.

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

func.func @minimum(%a: tensor<?xi32, #Sparse>, %b: tensor<?xi32, #Sparse>)
    -> tensor<?xi32, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xi32, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xi32, #Sparse>
  %x = linalg.generic #two_operands
      ins(%a, %b : tensor<?xi32, #Sparse>, tensor<?xi32, #Sparse>)
      outs(%empty : tensor<?xi32, #Sparse>) {
  ^bb0(%p: i32, %q: i32, %out: i32):
    %r = sparse_tensor.binary %p, %q : i32, i32 to i32
      overlap = {
      ^bb0(%l: i32, %m: i32):
        %min = arith.minsi %l, %m : i32
        sparse_tensor.yield %min : i32
      }
      left = identity
      right = identity
    linalg.yield %r : i32
  } -> tensor<?xi32, #Sparse>
  return %x : tensor<?xi32, #Sparse>
}

func.func @times_dense(%a: tensor<?xf64, #Sparse>, %b: tensor<?xf64>)
    -> tensor<?xf64, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf64, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xf64, #Sparse>
  %x = linalg.generic #two_operands
      ins(%a, %b : tensor<?xf64, #Sparse>, tensor<?xf64>)
      outs(%empty : tensor<?xf64, #Sparse>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {
      ^bb0(%l: f64, %m: f64):
        %product = arith.mulf %l, %m : f64
        sparse_tensor.yield %product : f64
      }
      left = {}
      right = {}
    linalg.yield %r : f64
  } -> tensor<?xf64, #Sparse>
  return %x : tensor<?xf64, #Sparse>
}

func.func @difference(%a: tensor<?xf64, #Sparse>, %b: tensor<?xf64, #Sparse>)
    -> tensor<?xf64, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf64, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xf64, #Sparse>
  %x = linalg.generic #two_operands
      ins(%a, %b : tensor<?xf64, #Sparse>, tensor<?xf64, #Sparse>)
      outs(%empty : tensor<?xf64, #Sparse>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {}
      left = identity
      right = {}
    linalg.yield %r : f64
  } -> tensor<?xf64, #Sparse>
  return %x : tensor<?xf64, #Sparse>
}

func.func @coordinates(%a: tensor<?xf64, #Sparse>) -> tensor<?xi32, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf64, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xi32, #Sparse>
  %x = linalg.generic #one_operand
      ins(%a : tensor<?xf64, #Sparse>) outs(%empty : tensor<?xi32, #Sparse>) {
  ^bb0(%p: f64, %out: i32):
    %coordinate = linalg.index 0 : index
    %r = sparse_tensor.binary %p, %coordinate : f64, index to i32
      overlap = {
      ^bb0(%l: f64, %m: index):
        %value = arith.index_cast %m : index to i32
        sparse_tensor.yield %value : i32
      }
      left = {}
      right = {}
    linalg.yield %r : i32
  } -> tensor<?xi32, #Sparse>
  return %x : tensor<?xi32, #Sparse>
}

func.func @main() {
  %a = arith.constant sparse<[[2], [3], [7], [10], [14]],
                             [1.5, -4.0, 6.0, 2.0, 8.0]> : tensor<16xf64>
  %b = arith.constant sparse<[[0], [3], [5], [10], [15]],
                             [9.0, 5.0, 0.5, -1.0, 3.0]> : tensor<16xf64>
  %i = arith.constant sparse<[[2], [3], [7], [10], [14]],
                             [15, -40, 60, 20, 80]> : tensor<16xi32>
  %j = arith.constant sparse<[[0], [3], [5], [10], [15]],
                             [90, 50, 5, -10, 30]> : tensor<16xi32>
  %d = arith.constant dense<[1.0, 2.0, 4.0, 0.5, 1.0, 2.0, 4.0, 0.5,
                             1.0, 2.0, 4.0, 0.5, 1.0, 2.0, 4.0, 0.5]>
      : tensor<16xf64>
  %sa = sparse_tensor.convert %a : tensor<16xf64> to tensor<?xf64, #Sparse>
  %sb = sparse_tensor.convert %b : tensor<16xf64> to tensor<?xf64, #Sparse>
  %si = sparse_tensor.convert %i : tensor<16xi32> to tensor<?xi32, #Sparse>
  %sj = sparse_tensor.convert %j : tensor<16xi32> to tensor<?xi32, #Sparse>
  %dd = tensor.cast %d : tensor<16xf64> to tensor<?xf64>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 8 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 3, 5, 7, 10, 14, 15 )
  // CHECK-NEXT: values : ( 90, 15, -40, 5, 60, -10, 80, 30 )
  // CHECK-NEXT: ----
  %0 = call @minimum(%si, %sj)
      : (tensor<?xi32, #Sparse>, tensor<?xi32, #Sparse>)
      -> tensor<?xi32, #Sparse>
  sparse_tensor.print %0 : tensor<?xi32, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 2, 3, 7, 10, 14 )
  // CHECK-NEXT: values : ( 6, -2, 3, 8, 32 )
  // CHECK-NEXT: ----
  %1 = call @times_dense(%sa, %dd)
      : (tensor<?xf64, #Sparse>, tensor<?xf64>) -> tensor<?xf64, #Sparse>
  sparse_tensor.print %1 : tensor<?xf64, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 2, 7, 14 )
  // CHECK-NEXT: values : ( 1.5, 6, 8 )
  // CHECK-NEXT: ----
  %2 = call @difference(%sa, %sb)
      : (tensor<?xf64, #Sparse>, tensor<?xf64, #Sparse>)
      -> tensor<?xf64, #Sparse>
  sparse_tensor.print %2 : tensor<?xf64, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 2, 3, 7, 10, 14 )
  // CHECK-NEXT: values : ( 2, 3, 7, 10, 14 )
  // CHECK-NEXT: ----
  %3 = call @coordinates(%sa) : (tensor<?xf64, #Sparse>)
      -> tensor<?xi32, #Sparse>
  sparse_tensor.print %3 : tensor<?xi32, #Sparse>

  bufferization.dealloc_tensor %sa : tensor<?xf64, #Sparse>
  bufferization.dealloc_tensor %sb : tensor<?xf64, #Sparse>
  bufferization.dealloc_tensor %si : tensor<?xi32, #Sparse>
  bufferization.dealloc_tensor %sj : tensor<?xi32, #Sparse>
  bufferization.dealloc_tensor %0 : tensor<?xi32, #Sparse>
  bufferization.dealloc_tensor %1 : tensor<?xf64, #Sparse>
  bufferization.dealloc_tensor %2 : tensor<?xf64, #Sparse>
  bufferization.dealloc_tensor %3 : tensor<?xi32, #Sparse>
  return
}
