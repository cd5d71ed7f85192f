// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="threads=2 parts=3" | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier --nacho-remarks -o /dev/null 2>&1 | count 0

// Results in coordinate form whose coordinates lie in arrays of their own: a matrix, one
// without entries, and a tensor with such levels inside of a dense one.

#Apart = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton(soa)),
  posWidth = 32, crdWidth = 32
}>
#Inside = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : dense, i : compressed(nonunique), j : singleton(soa))
}>

#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#each_of_three = {
  indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
                   affine_map<(i, j, k) -> (i, j, k)>],
  iterator_types = ["parallel", "parallel", "parallel"]
}

func.func @square(%A: tensor<5x4xf32, #Apart>) -> tensor<5x4xf32, #Apart> {
  %empty = tensor.empty() : tensor<5x4xf32, #Apart>
  %Z = linalg.generic #each ins(%A : tensor<5x4xf32, #Apart>)
      outs(%empty : tensor<5x4xf32, #Apart>) {
  ^bb0(%a: f32, %z: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<5x4xf32, #Apart>
  return %Z : tensor<5x4xf32, #Apart>
}

func.func @square_of_three(%A: tensor<2x3x2xi64, #Inside>)
    -> tensor<2x3x2xi64, #Inside> {
  %empty = tensor.empty() : tensor<2x3x2xi64, #Inside>
  %Z = linalg.generic #each_of_three ins(%A : tensor<2x3x2xi64, #Inside>)
      outs(%empty : tensor<2x3x2xi64, #Inside>) {
  ^bb0(%a: i64, %z: i64):
    %0 = arith.muli %a, %a : i64
    linalg.yield %0 : i64
  } -> tensor<2x3x2xi64, #Inside>
  return %Z : tensor<2x3x2xi64, #Inside>
}

func.func @main() {
  // CHECK:      nse = 4
  // CHECK-NEXT: dim = ( 5, 4 )
  // CHECK-NEXT: lvl = ( 5, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 3, 0, 1, 2 )
  // CHECK-NEXT: values : ( 1, 4, 9, 16 )
  %a = arith.constant sparse<[[0, 3], [2, 0], [2, 1], [4, 2]], [1.0, 2.0, 3.0, 4.0]>
      : tensor<5x4xf32>
  %A = sparse_tensor.convert %a : tensor<5x4xf32> to tensor<5x4xf32, #Apart>
  %Z0 = call @square(%A) : (tensor<5x4xf32, #Apart>) -> tensor<5x4xf32, #Apart>
  sparse_tensor.print %Z0 : tensor<5x4xf32, #Apart>

  // CHECK:      nse = 0
  // CHECK:      pos[0] : ( 0, 0 )
  %empty = tensor.empty() : tensor<5x4xf32, #Apart>
  %loaded = sparse_tensor.load %empty hasInserts : tensor<5x4xf32, #Apart>
  %Z1 = call @square(%loaded) : (tensor<5x4xf32, #Apart>) -> tensor<5x4xf32, #Apart>
  sparse_tensor.print %Z1 : tensor<5x4xf32, #Apart>

  // CHECK:      nse = 4
  // CHECK-NEXT: dim = ( 2, 3, 2 )
  // CHECK-NEXT: lvl = ( 2, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 0, 1 )
  // CHECK-NEXT: crd[2] : ( 0, 0, 2, 1 )
  // CHECK-NEXT: values : ( 4, 1, 9, 16 )
  %b = arith.constant sparse<[[0, 0, 1], [0, 2, 1], [1, 0, 0], [1, 1, 1]], [1, 3, 2, 4]>
      : tensor<2x3x2xi64>
  %B = sparse_tensor.convert %b : tensor<2x3x2xi64> to tensor<2x3x2xi64, #Inside>
  %Z2 = call @square_of_three(%B)
      : (tensor<2x3x2xi64, #Inside>) -> tensor<2x3x2xi64, #Inside>
  sparse_tensor.print %Z2 : tensor<2x3x2xi64, #Inside>

  bufferization.dealloc_tensor %A : tensor<5x4xf32, #Apart>
  bufferization.dealloc_tensor %Z0 : tensor<5x4xf32, #Apart>
  bufferization.dealloc_tensor %loaded : tensor<5x4xf32, #Apart>
  bufferization.dealloc_tensor %Z1 : tensor<5x4xf32, #Apart>
  bufferization.dealloc_tensor %B : tensor<2x3x2xi64, #Inside>
  bufferization.dealloc_tensor %Z2 : tensor<2x3x2xi64, #Inside>
  return
}
