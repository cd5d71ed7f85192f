// RUN: %if thorough %{ %sparsifier-nacho %s | %run-main | FileCheck %s %}
// RUN: %if thorough %{ %direct-nacho %s | %run-main | FileCheck %s %}
// RUN: nacho-opt %s --nacho-sparsifier="threads=2 parts=3" | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier --nacho-remarks -o /dev/null 2>&1 | count 0

// A matrix of 2x3 blocks and one in CSC are multiplied element by element, with a result
// of either format, and added up to a dense matrix. Extents are known only when the
// program runs. MLIR's own sparsifier compiles none of the three ops.

#Blocks = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>
#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>

#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @multiply_into_csc(%A: tensor<?x?xf64, #Blocks>, %B: tensor<?x?xf64, #CSC>,
                             %rows: index, %columns: index) -> tensor<?x?xf64, #CSC> {
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #CSC>
  %Z = linalg.generic #each
      ins(%A, %B : tensor<?x?xf64, #Blocks>, tensor<?x?xf64, #CSC>)
      outs(%empty : tensor<?x?xf64, #CSC>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = arith.mulf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64, #CSC>
  return %Z : tensor<?x?xf64, #CSC>
}

func.func @multiply_into_blocks(%A: tensor<?x?xf64, #Blocks>, %B: tensor<?x?xf64, #CSC>,
                                %rows: index, %columns: index)
    -> tensor<?x?xf64, #Blocks> {
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #Blocks>
  %Z = linalg.generic #each
      ins(%A, %B : tensor<?x?xf64, #Blocks>, tensor<?x?xf64, #CSC>)
      outs(%empty : tensor<?x?xf64, #Blocks>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = arith.mulf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64, #Blocks>
  return %Z : tensor<?x?xf64, #Blocks>
}

func.func @add(%A: tensor<?x?xf64, #Blocks>, %B: tensor<?x?xf64, #CSC>,
               %rows: index, %columns: index) -> tensor<?x?xf64> {
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64>
  %Z = linalg.generic #each
      ins(%A, %B : tensor<?x?xf64, #Blocks>, tensor<?x?xf64, #CSC>)
      outs(%empty : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64>
  return %Z : tensor<?x?xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 4 : index
  %columns = arith.constant 6 : index
  %zero = arith.constant 0.0 : f64
  %a = arith.constant sparse<[[0, 0], [1, 2], [2, 1], [3, 5]], [1.0, 2.0, 3.0, 4.0]>
      : tensor<4x6xf64>
  %b = arith.constant sparse<[[0, 0], [0, 4], [1, 2], [3, 0], [3, 5]],
                             [5.0, 6.0, 7.0, 8.0, 9.0]> : tensor<4x6xf64>
  %a_dynamic = tensor.cast %a : tensor<4x6xf64> to tensor<?x?xf64>
  %b_dynamic = tensor.cast %b : tensor<4x6xf64> to tensor<?x?xf64>
  %A = sparse_tensor.convert %a_dynamic : tensor<?x?xf64> to tensor<?x?xf64, #Blocks>
  %B = sparse_tensor.convert %b_dynamic : tensor<?x?xf64> to tensor<?x?xf64, #CSC>

  // The zeros inside of blocks are stored.
  // CHECK:      nse = 4
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 6, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 3, 3, 3, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 3 )
  // CHECK-NEXT: values : ( 5, 0, 14, 36 )
  %Z0 = call @multiply_into_csc(%A, %B, %rows, %columns)
      : (tensor<?x?xf64, #Blocks>, tensor<?x?xf64, #CSC>, index, index)
      -> tensor<?x?xf64, #CSC>
  sparse_tensor.print %Z0 : tensor<?x?xf64, #CSC>

  // CHECK:      nse = 18
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 2, 2, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 0, 0, 1 )
  // CHECK-NEXT: values : ( 5, 0, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 36 )
  %Z1 = call @multiply_into_blocks(%A, %B, %rows, %columns)
      : (tensor<?x?xf64, #Blocks>, tensor<?x?xf64, #CSC>, index, index)
      -> tensor<?x?xf64, #Blocks>
  sparse_tensor.print %Z1 : tensor<?x?xf64, #Blocks>

  // CHECK:      ( ( 6, 0, 0, 0, 6, 0 ), ( 0, 0, 9, 0, 0, 0 ), ( 0, 3, 0, 0, 0, 0 ), ( 8, 0, 0, 0, 0, 13 ) )
  %Z2 = call @add(%A, %B, %rows, %columns)
      : (tensor<?x?xf64, #Blocks>, tensor<?x?xf64, #CSC>, index, index) -> tensor<?x?xf64>
  %all = vector.transfer_read %Z2[%c0, %c0], %zero : tensor<?x?xf64>, vector<4x6xf64>
  vector.print %all : vector<4x6xf64>

  bufferization.dealloc_tensor %A : tensor<?x?xf64, #Blocks>
  bufferization.dealloc_tensor %B : tensor<?x?xf64, #CSC>
  bufferization.dealloc_tensor %Z0 : tensor<?x?xf64, #CSC>
  bufferization.dealloc_tensor %Z1 : tensor<?x?xf64, #Blocks>
  bufferization.dealloc_tensor %Z2 : tensor<?x?xf64>
  return
}
