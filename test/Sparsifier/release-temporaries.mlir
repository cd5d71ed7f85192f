// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Outputs without elements, of either kind, and numbers that a body reads from outside
// are gone after the call: the program need not release them.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>
#product = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}
#each = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}
#windows = {
  indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

func.func @multiply(%A: tensor<2x3xf32, #CSR>, %x: tensor<3xf32>) -> tensor<2xf32> {
  %e = bufferization.alloc_tensor() : tensor<2xf32>
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic #product
      ins(%A, %x : tensor<2x3xf32, #CSR>, tensor<3xf32>)
      outs(%i : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @scale(%x: tensor<?xf32, #Vector>, %s: f32) -> tensor<?xf32, #Vector> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32, #Vector>
  %e = bufferization.alloc_tensor(%n) : tensor<?xf32, #Vector>
  %r = linalg.generic #each
      ins(%x : tensor<?xf32, #Vector>)
      outs(%e : tensor<?xf32, #Vector>) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %s : f32
    linalg.yield %p : f32
  } -> tensor<?xf32, #Vector>
  return %r : tensor<?xf32, #Vector>
}

func.func @convolve(%x: tensor<?xf32, #Vector>, %f: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic #windows
      ins(%x, %f : tensor<?xf32, #Vector>, tensor<?xf32>)
      outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @convolve_sparse(%x: tensor<?xf32, #Vector>, %f: tensor<?xf32>, %n: index) -> tensor<?xf32, #Vector> {
  %e = tensor.empty(%n) : tensor<?xf32, #Vector>
  %r = linalg.generic #windows
      ins(%x, %f : tensor<?xf32, #Vector>, tensor<?xf32>)
      outs(%e : tensor<?xf32, #Vector>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32, #Vector>
  return %r : tensor<?xf32, #Vector>
}

func.func @main() {
  %dense = arith.constant dense<[ [0.0, 2.0, 0.0], [1.0, 0.0, 0.0]]> : tensor<2x3xf32>
  %c0 = arith.constant 0 : index
  %s = arith.constant 3.0 : f32
  %dv = arith.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %dx = arith.constant dense<[0.0, 0.0, 2.0, 1.0, 0.0]> : tensor<5xf32>
  %A = sparse_tensor.convert %dense : tensor<2x3xf32> to tensor<2x3xf32, #CSR>
  %dxd = tensor.cast %dx : tensor<5xf32> to tensor<?xf32>
  %dvd = tensor.cast %dv : tensor<3xf32> to tensor<?xf32>
  %x = sparse_tensor.convert %dxd : tensor<?xf32> to tensor<?xf32, #Vector>
  %y = call @multiply(%A, %dv)
      : (tensor<2x3xf32, #CSR>, tensor<3xf32>) -> tensor<2xf32>
  %v = vector.transfer_read %y[%c0], %s : tensor<2xf32>, vector<2xf32>
  // CHECK: ( 2, 0 )
  vector.print %v : vector<2xf32>
  %w = call @scale(%x, %s)
      : (tensor<?xf32, #Vector>, f32) -> tensor<?xf32, #Vector>
  // CHECK: values : ( 6, 3 )
  sparse_tensor.print %w : tensor<?xf32, #Vector>
  %n = arith.constant 3 : index
  %cv = call @convolve(%x, %dvd, %n)
      : (tensor<?xf32, #Vector>, tensor<?xf32>, index) -> tensor<?xf32>
  %v2 = vector.transfer_read %cv[%c0], %s : tensor<?xf32>, vector<3xf32>
  // CHECK: ( 4, 4, 1 )
  vector.print %v2 : vector<3xf32>
  %cs = call @convolve_sparse(%x, %dvd, %n)
      : (tensor<?xf32, #Vector>, tensor<?xf32>, index) -> tensor<?xf32, #Vector>
  // CHECK: values : ( 4, 4, 1 )
  sparse_tensor.print %cs : tensor<?xf32, #Vector>
  bufferization.dealloc_tensor %cs : tensor<?xf32, #Vector>
  bufferization.dealloc_tensor %cv : tensor<?xf32>
  bufferization.dealloc_tensor %y : tensor<2xf32>
  bufferization.dealloc_tensor %w : tensor<?xf32, #Vector>
  bufferization.dealloc_tensor %A : tensor<2x3xf32, #CSR>
  bufferization.dealloc_tensor %x : tensor<?xf32, #Vector>
  return
}
