// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="threads=2 parts=3" | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier --nacho-remarks -o /dev/null 2>&1 | count 0

// Sums of matrices of 2x3 blocks, which are stored in two orders, and their results
// as dense matrices: the runtime library of MLIR is told the maps of the levels.

#Rows = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>
#Columns = #sparse_tensor.encoding<{
  map = (i, j) -> (j floordiv 3 : compressed, i floordiv 2 : compressed,
                   j mod 3 : dense, i mod 2 : dense)
}>

#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @add_by_rows(%A: tensor<4x6xf64, #Rows>, %B: tensor<4x6xf64, #Rows>)
    -> tensor<4x6xf64, #Rows> {
  %empty = tensor.empty() : tensor<4x6xf64, #Rows>
  %Z = linalg.generic #each
      ins(%A, %B : tensor<4x6xf64, #Rows>, tensor<4x6xf64, #Rows>)
      outs(%empty : tensor<4x6xf64, #Rows>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<4x6xf64, #Rows>
  return %Z : tensor<4x6xf64, #Rows>
}

func.func @add_by_columns(%A: tensor<4x6xf64, #Columns>, %B: tensor<4x6xf64, #Columns>)
    -> tensor<4x6xf64, #Columns> {
  %empty = tensor.empty() : tensor<4x6xf64, #Columns>
  %Z = linalg.generic #each
      ins(%A, %B : tensor<4x6xf64, #Columns>, tensor<4x6xf64, #Columns>)
      outs(%empty : tensor<4x6xf64, #Columns>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<4x6xf64, #Columns>
  return %Z : tensor<4x6xf64, #Columns>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %a = arith.constant sparse<[[0, 0], [1, 2], [3, 5]], [1.0, 2.0, 3.0]> : tensor<4x6xf64>
  %b = arith.constant sparse<[[0, 1], [1, 2], [2, 0]], [4.0, 5.0, 6.0]> : tensor<4x6xf64>

  // CHECK:      dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 2, 2, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 0, 0, 1 )
  // CHECK-NEXT: values : ( 1, 4, 0, 0, 0, 7, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3 )
  %A0 = sparse_tensor.convert %a : tensor<4x6xf64> to tensor<4x6xf64, #Rows>
  %B0 = sparse_tensor.convert %b : tensor<4x6xf64> to tensor<4x6xf64, #Rows>
  %Z0 = call @add_by_rows(%A0, %B0)
      : (tensor<4x6xf64, #Rows>, tensor<4x6xf64, #Rows>) -> tensor<4x6xf64, #Rows>
  sparse_tensor.print %Z0 : tensor<4x6xf64, #Rows>

  // CHECK:      dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 2, 2, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 1 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 1 )
  // CHECK-NEXT: values : ( 1, 0, 4, 0, 0, 7, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3 )
  %A1 = sparse_tensor.convert %a : tensor<4x6xf64> to tensor<4x6xf64, #Columns>
  %B1 = sparse_tensor.convert %b : tensor<4x6xf64> to tensor<4x6xf64, #Columns>
  %Z1 = call @add_by_columns(%A1, %B1)
      : (tensor<4x6xf64, #Columns>, tensor<4x6xf64, #Columns>) -> tensor<4x6xf64, #Columns>
  sparse_tensor.print %Z1 : tensor<4x6xf64, #Columns>

  // CHECK:      ( ( 1, 4, 0, 0, 0, 0 ), ( 0, 0, 7, 0, 0, 0 ), ( 6, 0, 0, 0, 0, 0 ), ( 0, 0, 0, 0, 0, 3 ) )
  %dense = sparse_tensor.convert %Z1 : tensor<4x6xf64, #Columns> to tensor<4x6xf64>
  %all = vector.transfer_read %dense[%c0, %c0], %zero : tensor<4x6xf64>, vector<4x6xf64>
  vector.print %all : vector<4x6xf64>

  bufferization.dealloc_tensor %A0 : tensor<4x6xf64, #Rows>
  bufferization.dealloc_tensor %B0 : tensor<4x6xf64, #Rows>
  bufferization.dealloc_tensor %Z0 : tensor<4x6xf64, #Rows>
  bufferization.dealloc_tensor %A1 : tensor<4x6xf64, #Columns>
  bufferization.dealloc_tensor %B1 : tensor<4x6xf64, #Columns>
  bufferization.dealloc_tensor %Z1 : tensor<4x6xf64, #Columns>
  bufferization.dealloc_tensor %dense : tensor<4x6xf64>
  return
}
