// RUN: not mlir-opt --sparsifier=enable-runtime-library=false %s 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// RUN: %direct-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-sparsifier='enable-runtime-library=false threads=2 parts=3' %s \
// RUN:   | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-outline-kernels=library=false %s \
// RUN:   | FileCheck %s --check-prefix=OUTLINED

// Results in batches, which MLIR's sparsifier does not make: it inserts elements one by
// one, into arrays that have one row only.
//
// UPSTREAM: error: 'memref.load' op incorrect number of indices for load, expected 2 but got 1

#Batched = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : compressed)
}>

#BatchedRows = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : batch, d1 : compressed, d2 : compressed),
  posWidth = 32, crdWidth = 16
}>

#each = {
  indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i, j)>,
                   affine_map<(n, i, j) -> (n, i, j)>],
  iterator_types = ["parallel", "parallel", "parallel"]
}

#one = {
  indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i, j)>],
  iterator_types = ["parallel", "parallel", "parallel"]
}

// The kernel of a result in batches has dense levels in their place.
//
// OUTLINED: module @kernel_0 attributes {nacho.kernel, nacho.program_type = (tensor<2x3x4xf64, #[[BATCHED:.+]]>, tensor<2x3x4xf64, #[[BATCHED]]>) -> tensor<2x3x4xf64, #[[BATCHED]]>}
// OUTLINED: tensor.empty() : tensor<2x3x4xf64, #[[PLAIN:.+]]>
func.func @add(%A: tensor<2x3x4xf64, #Batched>, %B: tensor<2x3x4xf64, #Batched>)
    -> tensor<2x3x4xf64, #Batched> {
  %empty = tensor.empty() : tensor<2x3x4xf64, #Batched>
  %C = linalg.generic #each
      ins(%A, %B : tensor<2x3x4xf64, #Batched>, tensor<2x3x4xf64, #Batched>)
      outs(%empty : tensor<2x3x4xf64, #Batched>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<2x3x4xf64, #Batched>
  return %C : tensor<2x3x4xf64, #Batched>
}

func.func @stored_rows(%A: tensor<2x3x4xf64, #Batched>)
    -> tensor<2x3x4xf64, #BatchedRows> {
  %two = arith.constant 2.0 : f64
  %empty = tensor.empty() : tensor<2x3x4xf64, #BatchedRows>
  %C = linalg.generic #one ins(%A : tensor<2x3x4xf64, #Batched>)
      outs(%empty : tensor<2x3x4xf64, #BatchedRows>) {
  ^bb0(%a: f64, %c: f64):
    %0 = arith.mulf %a, %two : f64
    linalg.yield %0 : f64
  } -> tensor<2x3x4xf64, #BatchedRows>
  return %C : tensor<2x3x4xf64, #BatchedRows>
}

func.func @main() {
  %posA = arith.constant dense<[[0, 2, 3, 5], [0, 0, 0, 1]]> : tensor<2x4xindex>
  %crdA = arith.constant dense<[[0, 3, 1, 0, 2], [3, 0, 0, 0, 0]]> : tensor<2x5xindex>
  %valuesA = arith.constant dense<
    [[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<2x5xf64>
  %A = sparse_tensor.assemble (%posA, %crdA), %valuesA
      : (tensor<2x4xindex>, tensor<2x5xindex>), tensor<2x5xf64>
      to tensor<2x3x4xf64, #Batched>
  %posB = arith.constant dense<[[0, 1, 1, 2], [0, 0, 0, 1]]> : tensor<2x4xindex>
  %crdB = arith.constant dense<[[1, 2], [0, 0]]> : tensor<2x2xindex>
  %valuesB = arith.constant dense<[[10.0, 20.0], [30.0, 0.0]]> : tensor<2x2xf64>
  %B = sparse_tensor.assemble (%posB, %crdB), %valuesB
      : (tensor<2x4xindex>, tensor<2x2xindex>), tensor<2x2xf64>
      to tensor<2x3x4xf64, #Batched>
  %C = call @add(%A, %B)
      : (tensor<2x3x4xf64, #Batched>, tensor<2x3x4xf64, #Batched>)
      -> tensor<2x3x4xf64, #Batched>
  // CHECK:      dim = ( 2, 3, 4 )
  // CHECK:      pos[2] : ( ( 0, 3, 4, 6 )( 0, 0, 0, 2 ) )
  // CHECK-NEXT: crd[2] : ( ( 0, 1, 3, 1, 0, 2 )( 0, 3, 0, 0, 0, 0 ) )
  // CHECK-NEXT: values : ( ( 1, 10, 2, 3, 4, 25 )( 30, 6, 0, 0, 0, 0 ) )
  sparse_tensor.print %C : tensor<2x3x4xf64, #Batched>
  %D = call @stored_rows(%A)
      : (tensor<2x3x4xf64, #Batched>) -> tensor<2x3x4xf64, #BatchedRows>
  // CHECK:      dim = ( 2, 3, 4 )
  // CHECK:      pos[1] : ( ( 0, 3 )( 0, 1 ) )
  // CHECK-NEXT: crd[1] : ( ( 0, 1, 2 )( 2, 0, 0 ) )
  // CHECK-NEXT: pos[2] : ( ( 0, 2, 3, 5 )( 0, 1, 1, 1 ) )
  // CHECK-NEXT: crd[2] : ( ( 0, 3, 1, 0, 2 )( 3, 0, 0, 0, 0 ) )
  // CHECK-NEXT: values : ( ( 2, 4, 6, 8, 10 )( 12, 0, 0, 0, 0 ) )
  sparse_tensor.print %D : tensor<2x3x4xf64, #BatchedRows>
  bufferization.dealloc_tensor %C : tensor<2x3x4xf64, #Batched>
  bufferization.dealloc_tensor %D : tensor<2x3x4xf64, #BatchedRows>
  return
}
