// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s

// A batch of matrices, each with arrays of its own, is assembled and printed. The
// runtime library knows no batches.

#Batched = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : compressed)
}>

func.func @main() {
  %pos = arith.constant dense<[[0, 2, 3, 5], [0, 1, 4, 5]]> : tensor<2x4xindex>
  %crd = arith.constant dense<[[0, 3, 1, 0, 2], [2, 0, 1, 3, 3]]> : tensor<2x5xindex>
  %values = arith.constant dense<
    [[1.0, 2.5, 3.0, 4.0, 5.0], [6.0, 7.0, 8.5, 9.0, -1.0]]> : tensor<2x5xf64>
  %batch = sparse_tensor.assemble (%pos, %crd), %values
      : (tensor<2x4xindex>, tensor<2x5xindex>), tensor<2x5xf64>
      to tensor<2x3x4xf64, #Batched>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 2, 3, 4 )
  // CHECK-NEXT: lvl = ( 2, 3, 4 )
  // CHECK-NEXT: pos[2] : ( ( 0, 2, 3, 5 )( 0, 1, 4, 5 ) )
  // CHECK-NEXT: crd[2] : ( ( 0, 3, 1, 0, 2 )( 2, 0, 1, 3, 3 ) )
  // CHECK-NEXT: values : ( ( 1, 2.5, 3, 4, 5 )( 6, 7, 8.5, 9, -1 ) )
  // CHECK-NEXT: ----
  sparse_tensor.print %batch : tensor<2x3x4xf64, #Batched>
  return
}
