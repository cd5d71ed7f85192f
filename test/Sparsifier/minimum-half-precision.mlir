// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Two sparse vectors of 16-bit floats are merged into an all-dense vector of
// their minima, where an element that only one of them stores is kept.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>
#AllDense = #sparse_tensor.encoding<{ map = (i) -> (i : dense) }>

#elementwise = {
  indexing_maps = [
    affine_map<(i) -> (i)>,
    affine_map<(i) -> (i)>,
    affine_map<(i) -> (i)>
  ],
  iterator_types = ["parallel"]
}

func.func @minimum_f16(%a: tensor<?xf16, #Sparse>, %b: tensor<?xf16, #Sparse>)
    -> tensor<?xf16, #AllDense> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf16, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xf16, #AllDense>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<?xf16, #Sparse>, tensor<?xf16, #Sparse>)
      outs(%empty : tensor<?xf16, #AllDense>) {
  ^bb0(%p: f16, %q: f16, %out: f16):
    %r = sparse_tensor.binary %p, %q : f16, f16 to f16
      overlap = {
      ^bb0(%l: f16, %m: f16):
        %less = arith.cmpf olt, %l, %m : f16
        %min = arith.select %less, %l, %m : f16
        sparse_tensor.yield %min : f16
      }
      left = identity
      right = identity
    linalg.yield %r : f16
  } -> tensor<?xf16, #AllDense>
  return %x : tensor<?xf16, #AllDense>
}

func.func @minimum_bf16(%a: tensor<?xbf16, #Sparse>,
                        %b: tensor<?xbf16, #Sparse>)
    -> tensor<?xbf16, #AllDense> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xbf16, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xbf16, #AllDense>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<?xbf16, #Sparse>, tensor<?xbf16, #Sparse>)
      outs(%empty : tensor<?xbf16, #AllDense>) {
  ^bb0(%p: bf16, %q: bf16, %out: bf16):
    %r = sparse_tensor.binary %p, %q : bf16, bf16 to bf16
      overlap = {
      ^bb0(%l: bf16, %m: bf16):
        %less = arith.cmpf olt, %l, %m : bf16
        %min = arith.select %less, %l, %m : bf16
        sparse_tensor.yield %min : bf16
      }
      left = identity
      right = identity
    linalg.yield %r : bf16
  } -> tensor<?xbf16, #AllDense>
  return %x : tensor<?xbf16, #AllDense>
}

func.func @main() {
  %a16 = arith.constant sparse<[[0], [2], [5], [6], [11]],
                               [4.0, -1.5, 8.0, 0.25, 3.0]> : tensor<12xf16>
  %b16 = arith.constant sparse<[[1], [2], [6], [9], [11]],
                               [7.0, 2.0, -6.0, 5.0, 3.5]> : tensor<12xf16>
  %a = sparse_tensor.convert %a16 : tensor<12xf16> to tensor<?xf16, #Sparse>
  %b = sparse_tensor.convert %b16 : tensor<12xf16> to tensor<?xf16, #Sparse>
  %x = call @minimum_f16(%a, %b)
      : (tensor<?xf16, #Sparse>, tensor<?xf16, #Sparse>)
      -> tensor<?xf16, #AllDense>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 12
  // CHECK-NEXT: dim = ( 12 )
  // CHECK-NEXT: lvl = ( 12 )
  // CHECK-NEXT: values : ( 4, 7, -1.5, 0, 0, 8, -6, 0, 0, 5, 0, 3 )
  // CHECK-NEXT: ----
  sparse_tensor.print %x : tensor<?xf16, #AllDense>

  %abf16 = arith.constant sparse<[[0], [2], [5], [6], [11]],
                                 [4.0, -1.5, 8.0, 0.25, 3.0]> : tensor<12xbf16>
  %bbf16 = arith.constant sparse<[[1], [2], [6], [9], [11]],
                                 [7.0, 2.0, -6.0, 5.0, 3.5]> : tensor<12xbf16>
  %c = sparse_tensor.convert %abf16 : tensor<12xbf16> to tensor<?xbf16, #Sparse>
  %d = sparse_tensor.convert %bbf16 : tensor<12xbf16> to tensor<?xbf16, #Sparse>
  %y = call @minimum_bf16(%c, %d)
      : (tensor<?xbf16, #Sparse>, tensor<?xbf16, #Sparse>)
      -> tensor<?xbf16, #AllDense>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 12
  // CHECK-NEXT: dim = ( 12 )
  // CHECK-NEXT: lvl = ( 12 )
  // CHECK-NEXT: values : ( 4, 7, -1.5, 0, 0, 8, -6, 0, 0, 5, 0, 3 )
  // CHECK-NEXT: ----
  sparse_tensor.print %y : tensor<?xbf16, #AllDense>

  bufferization.dealloc_tensor %a : tensor<?xf16, #Sparse>
  bufferization.dealloc_tensor %b : tensor<?xf16, #Sparse>
  bufferization.dealloc_tensor %x : tensor<?xf16, #AllDense>
  bufferization.dealloc_tensor %c : tensor<?xbf16, #Sparse>
  bufferization.dealloc_tensor %d : tensor<?xbf16, #Sparse>
  bufferization.dealloc_tensor %y : tensor<?xbf16, #AllDense>
  return
}
