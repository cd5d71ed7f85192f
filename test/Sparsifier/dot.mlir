// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The dot product of two sparse vectors adds into a dense scalar.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

func.func @dot(%a: tensor<500xf32, #Sparse>, %b: tensor<500xf32, #Sparse>,
               %init: tensor<f32>) -> tensor<f32> {
  %x = linalg.dot
      ins(%a, %b : tensor<500xf32, #Sparse>, tensor<500xf32, #Sparse>)
      outs(%init : tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}

func.func @main() {
  %p = arith.constant sparse<[[3], [17], [101], [250], [499]],
                             [2.0, 4.0, 0.5, 1.0, 6.0]> : tensor<500xf32>
  %q = arith.constant sparse<[[0], [17], [250], [400], [498], [499]],
                             [9.0, 2.5, -3.0, 1.0, 5.0, 1.5]> : tensor<500xf32>
  %a = sparse_tensor.convert %p : tensor<500xf32> to tensor<500xf32, #Sparse>
  %b = sparse_tensor.convert %q : tensor<500xf32> to tensor<500xf32, #Sparse>

  %four = arith.constant 4.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = tensor.insert %four into %empty[] : tensor<f32>
  %x = call @dot(%a, %b, %init)
      : (tensor<500xf32, #Sparse>, tensor<500xf32, #Sparse>, tensor<f32>)
      -> tensor<f32>
  // CHECK:      20
  %sum = tensor.extract %x[] : tensor<f32>
  vector.print %sum : f32

  // CHECK-NEXT: 5
  // CHECK-NEXT: 6
  %na = sparse_tensor.number_of_entries %a : tensor<500xf32, #Sparse>
  %nb = sparse_tensor.number_of_entries %b : tensor<500xf32, #Sparse>
  vector.print %na : index
  vector.print %nb : index

  bufferization.dealloc_tensor %a : tensor<500xf32, #Sparse>
  bufferization.dealloc_tensor %b : tensor<500xf32, #Sparse>
  bufferization.dealloc_tensor %x : tensor<f32>
  return
}
