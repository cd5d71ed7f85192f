// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Empty sparse vectors are made by two operations, and kernels without inputs
// yield a constant zero or a constant one for every element.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#no_operands = {
  indexing_maps = [affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @empty() -> tensor<7xf32, #Sparse> {
  %x = tensor.empty() : tensor<7xf32, #Sparse>
  return %x : tensor<7xf32, #Sparse>
}

func.func @allocated() -> tensor<7xf32, #Sparse> {
  %x = bufferization.alloc_tensor() : tensor<7xf32, #Sparse>
  return %x : tensor<7xf32, #Sparse>
}

func.func @zeros() -> tensor<7xf32, #Sparse> {
  %constant = arith.constant 0.0 : f32
  %empty = bufferization.alloc_tensor() : tensor<7xf32, #Sparse>
  %x = linalg.generic #no_operands outs(%empty : tensor<7xf32, #Sparse>) {
  ^bb0(%out: f32):
    linalg.yield %constant : f32
  } -> tensor<7xf32, #Sparse>
  return %x : tensor<7xf32, #Sparse>
}

func.func @ones() -> tensor<7xf32, #Sparse> {
  %constant = arith.constant 1.0 : f32
  %empty = bufferization.alloc_tensor() : tensor<7xf32, #Sparse>
  %x = linalg.generic #no_operands outs(%empty : tensor<7xf32, #Sparse>) {
  ^bb0(%out: f32):
    linalg.yield %constant : f32
  } -> tensor<7xf32, #Sparse>
  return %x : tensor<7xf32, #Sparse>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 0
  // CHECK-NEXT: dim = ( 7 )
  // CHECK-NEXT: lvl = ( 7 )
  // CHECK-NEXT: pos[0] : ( 0, 0 )
  // CHECK-NEXT: crd[0] : (  )
  // CHECK-NEXT: values : (  )
  // CHECK-NEXT: ----
  %0 = call @empty() : () -> tensor<7xf32, #Sparse>
  sparse_tensor.print %0 : tensor<7xf32, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 0
  // CHECK-NEXT: dim = ( 7 )
  // CHECK-NEXT: lvl = ( 7 )
  // CHECK-NEXT: pos[0] : ( 0, 0 )
  // CHECK-NEXT: crd[0] : (  )
  // CHECK-NEXT: values : (  )
  // CHECK-NEXT: ----
  %1 = call @allocated() : () -> tensor<7xf32, #Sparse>
  sparse_tensor.print %1 : tensor<7xf32, #Sparse>

  // CHECK-NEXT: ( 0, 0, 0, 0, 0, 0, 0 )
  %2 = call @zeros() : () -> tensor<7xf32, #Sparse>
  %dense = sparse_tensor.convert %2 : tensor<7xf32, #Sparse> to tensor<7xf32>
  %read = vector.transfer_read %dense[%c0], %pad : tensor<7xf32>, vector<7xf32>
  vector.print %read : vector<7xf32>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 7 )
  // CHECK-NEXT: lvl = ( 7 )
  // CHECK-NEXT: pos[0] : ( 0, 7 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3, 4, 5, 6 )
  // CHECK-NEXT: values : ( 1, 1, 1, 1, 1, 1, 1 )
  // CHECK-NEXT: ----
  %3 = call @ones() : () -> tensor<7xf32, #Sparse>
  sparse_tensor.print %3 : tensor<7xf32, #Sparse>

  bufferization.dealloc_tensor %0 : tensor<7xf32, #Sparse>
  bufferization.dealloc_tensor %1 : tensor<7xf32, #Sparse>
  bufferization.dealloc_tensor %2 : tensor<7xf32, #Sparse>
  bufferization.dealloc_tensor %3 : tensor<7xf32, #Sparse>
  bufferization.dealloc_tensor %dense : tensor<7xf32>
  return
}
