// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A matrix whose rows end at positions of their own is converted and printed.

#Loose = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : loose_compressed)
}>

func.func @main() {
  %dense = arith.constant dense<[
    [0.0, 2.0, 0.0, 4.5, 1.0],
    [3.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, -6.0, 7.0, 0.0]
  ]> : tensor<3x5xf64>
  %loose = sparse_tensor.convert %dense
      : tensor<3x5xf64> to tensor<3x5xf64, #Loose>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 3, 4, 4, 6, {{[0-9]+}} )
  // CHECK-NEXT: crd[1] : ( 1, 3, 4, 0, 2, 3 )
  // CHECK-NEXT: values : ( 2, 4.5, 1, 3, -6, 7 )
  // CHECK-NEXT: ----
  sparse_tensor.print %loose : tensor<3x5xf64, #Loose>
  bufferization.dealloc_tensor %loose : tensor<3x5xf64, #Loose>
  return
}
