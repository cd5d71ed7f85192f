// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %if thorough %{ %direct-nacho %s | %run-main | FileCheck %s %}
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="threads=2 parts=3 remarks=true" 2>%t.err | %run-main | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK --allow-empty
// REMARK-NOT: remark

// A matrix is multiplied by itself in pieces: slices of one tensor, made where the
// products are, so that MLIR's library, which has no slices, is not asked for any.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#Left = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(1, 3, ?)>,
         j : #sparse_tensor<slice(0, 2, 2)>)
      -> (i : compressed, j : compressed)
}>

#Right = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 2, 1)>,
         j : #sparse_tensor<slice(0, 5, 1)>)
      -> (i : compressed, j : compressed)
}>

func.func @multiply(%a: tensor<5x5xf64, #DCSR>, %i: index) -> tensor<3x5xf64, #DCSR> {
  %c1 = arith.constant 1 : index
  %left = tensor.extract_slice %a[1, 0][3, 2][%c1, 2]
      : tensor<5x5xf64, #DCSR> to tensor<3x2xf64, #Left>
  %right = tensor.extract_slice %a[%i, 0][2, 5][1, 1]
      : tensor<5x5xf64, #DCSR> to tensor<2x5xf64, #Right>
  %empty = tensor.empty() : tensor<3x5xf64, #DCSR>
  %z = linalg.matmul
      ins(%left, %right : tensor<3x2xf64, #Left>, tensor<2x5xf64, #Right>)
      outs(%empty : tensor<3x5xf64, #DCSR>) -> tensor<3x5xf64, #DCSR>
  return %z : tensor<3x5xf64, #DCSR>
}

func.func @main() {
  %dense = arith.constant dense<[
    [1.0, 0.0, 2.0, 0.0, 3.0],
    [0.0, 4.0, 0.0, 5.0, 0.0],
    [6.0, 0.0, 0.0, 0.0, 7.0],
    [0.0, 0.0, 8.0, 9.0, 0.0],
    [2.0, 0.0, 3.0, 0.0, 0.0]
  ]> : tensor<5x5xf64>
  %a = sparse_tensor.convert %dense : tensor<5x5xf64> to tensor<5x5xf64, #DCSR>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  // a[1:4, (0, 2)] * a[i : i + 2, :] for i = 0, 1
  //
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 5 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 4, 1, 3 )
  // CHECK-NEXT: values : ( 6, 12, 18, 32, 40 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 0, 4 )
  // CHECK-NEXT: values : ( 24, 30, 48, 56 )
  // CHECK-NEXT: ----
  %first = call @multiply(%a, %c0) : (tensor<5x5xf64, #DCSR>, index) -> tensor<3x5xf64, #DCSR>
  sparse_tensor.print %first : tensor<3x5xf64, #DCSR>
  %second = call @multiply(%a, %c1) : (tensor<5x5xf64, #DCSR>, index) -> tensor<3x5xf64, #DCSR>
  sparse_tensor.print %second : tensor<3x5xf64, #DCSR>
  bufferization.dealloc_tensor %first : tensor<3x5xf64, #DCSR>
  bufferization.dealloc_tensor %second : tensor<3x5xf64, #DCSR>
  bufferization.dealloc_tensor %a : tensor<5x5xf64, #DCSR>
  return
}
