// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The squares of a COO tensor of four dimensions with explicit ones are summed,
// and two sparse vectors are added into a dense one.

#COO = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed(nonunique),
                             d1 : singleton(nonunique, soa),
                             d2 : singleton(nonunique, soa),
                             d3 : singleton(soa)),
  explicitVal = 1 : i32
}>

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

func.func @sum_of_squares(%a: tensor<3x2x4x3xi32, #COO>) -> tensor<i32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %sum = linalg.generic {
    indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>,
                     affine_map<(i, j, k, l) -> ()>],
    iterator_types = ["reduction", "reduction", "reduction", "reduction"]
  } ins(%a : tensor<3x2x4x3xi32, #COO>) outs(%zero : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %square = arith.muli %in, %in : i32
    %next = arith.addi %out, %square : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  return %sum : tensor<i32>
}

func.func @add(%a: tensor<6xi32, #Sparse>, %b: tensor<6xi32, #Sparse>)
    -> tensor<6xi32> {
  %zeros = arith.constant dense<0> : tensor<6xi32>
  %sum = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                     affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%a, %b : tensor<6xi32, #Sparse>, tensor<6xi32, #Sparse>)
    outs(%zeros : tensor<6xi32>) {
  ^bb0(%p: i32, %q: i32, %out: i32):
    %s = arith.addi %p, %q : i32
    linalg.yield %s : i32
  } -> tensor<6xi32>
  return %sum : tensor<6xi32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %ones = arith.constant sparse<
    [[0, 0, 3, 1], [0, 1, 0, 0], [1, 1, 2, 2], [2, 0, 0, 0], [2, 0, 0, 2]],
    [1, 1, 1, 1, 1]
  > : tensor<3x2x4x3xi32>
  %coo = sparse_tensor.convert %ones
      : tensor<3x2x4x3xi32> to tensor<3x2x4x3xi32, #COO>
  %sum = call @sum_of_squares(%coo)
      : (tensor<3x2x4x3xi32, #COO>) -> tensor<i32>
  %scalar = tensor.extract %sum[] : tensor<i32>
  // CHECK:      5
  vector.print %scalar : i32

  %left = arith.constant dense<[0, 5, 0, -2, 8, 0]> : tensor<6xi32>
  %right = arith.constant dense<[4, 1, 0, 0, 7, 9]> : tensor<6xi32>
  %a = sparse_tensor.convert %left : tensor<6xi32> to tensor<6xi32, #Sparse>
  %b = sparse_tensor.convert %right : tensor<6xi32> to tensor<6xi32, #Sparse>
  %added = call @add(%a, %b)
      : (tensor<6xi32, #Sparse>, tensor<6xi32, #Sparse>) -> tensor<6xi32>
  %read = vector.transfer_read %added[%c0], %pad : tensor<6xi32>, vector<6xi32>
  // CHECK-NEXT: ( 4, 6, 0, -2, 15, 9 )
  vector.print %read : vector<6xi32>

  bufferization.dealloc_tensor %coo : tensor<3x2x4x3xi32, #COO>
  bufferization.dealloc_tensor %a : tensor<6xi32, #Sparse>
  bufferization.dealloc_tensor %b : tensor<6xi32, #Sparse>
  bufferization.dealloc_tensor %sum : tensor<i32>
  bufferization.dealloc_tensor %added : tensor<6xi32>
  return
}
