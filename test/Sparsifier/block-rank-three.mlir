// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A tensor of three dimensions is stored entry by entry, and again as 2x2x2
// blocks whose zeros are stored.

#Entries = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

#Blocks = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i floordiv 2 : compressed, j floordiv 2 : compressed,
                      k floordiv 2 : compressed, i mod 2 : dense,
                      j mod 2 : dense, k mod 2 : dense)
}>

func.func @main() {
  %zero = arith.constant 0 : index
  %pad = arith.constant -1 : i32
  %dense = arith.constant dense<[
    [[0, 0, 3, 0], [0, 0, 0, 0], [0, 7, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 4], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 9, 2], [0, 0, 0, 5]]
  ]> : tensor<4x4x4xi32>

  %entries = sparse_tensor.convert %dense
      : tensor<4x4x4xi32> to tensor<4x4x4xi32, #Entries>
  %blocks = sparse_tensor.convert %dense
      : tensor<4x4x4xi32> to tensor<4x4x4xi32, #Blocks>

  // CHECK:      6
  // CHECK-NEXT: ( 3, 7, 4, 9, 2, 5 )
  %count = sparse_tensor.number_of_entries %entries
      : tensor<4x4x4xi32, #Entries>
  vector.print %count : index
  %values = sparse_tensor.values %entries
      : tensor<4x4x4xi32, #Entries> to memref<?xi32>
  %read = vector.transfer_read %values[%zero], %pad
      : memref<?xi32>, vector<6xi32>
  vector.print %read : vector<6xi32>

  // CHECK-NEXT: 24
  // CHECK-NEXT: ( 3, 0, 0, 0, 0, 4, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 2, 0, 5 )
  %blockCount = sparse_tensor.number_of_entries %blocks
      : tensor<4x4x4xi32, #Blocks>
  vector.print %blockCount : index
  %blockValues = sparse_tensor.values %blocks
      : tensor<4x4x4xi32, #Blocks> to memref<?xi32>
  %blockRead = vector.transfer_read %blockValues[%zero], %pad
      : memref<?xi32>, vector<24xi32>
  vector.print %blockRead : vector<24xi32>

  bufferization.dealloc_tensor %entries : tensor<4x4x4xi32, #Entries>
  bufferization.dealloc_tensor %blocks : tensor<4x4x4xi32, #Blocks>
  return
}
