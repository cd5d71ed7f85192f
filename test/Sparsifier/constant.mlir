// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A constant in coordinate form is converted to a DCSR matrix, whose arrays are
// read one by one.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  %constant = arith.constant sparse<
    [[1, 2], [1, 5], [3, 0], [8, 1], [8, 5]], [2.5, 4.0, -1.0, 8.0, 0.5]
  > : tensor<9x6xf64>
  %a = sparse_tensor.convert %constant
      : tensor<9x6xf64> to tensor<9x6xf64, #DCSR>

  // CHECK:      ( 1, 3, 8 )
  %rows = sparse_tensor.coordinates %a {level = 0 : index}
      : tensor<9x6xf64, #DCSR> to memref<?xindex>
  %0 = vector.transfer_read %rows[%c0], %c0 : memref<?xindex>, vector<3xindex>
  vector.print %0 : vector<3xindex>

  // CHECK-NEXT: ( 2, 5, 0, 1, 5 )
  %columns = sparse_tensor.coordinates %a {level = 1 : index}
      : tensor<9x6xf64, #DCSR> to memref<?xindex>
  %1 = vector.transfer_read %columns[%c0], %c0
      : memref<?xindex>, vector<5xindex>
  vector.print %1 : vector<5xindex>

  // CHECK-NEXT: ( 2.5, 4, -1, 8, 0.5 )
  %values = sparse_tensor.values %a : tensor<9x6xf64, #DCSR> to memref<?xf64>
  %2 = vector.transfer_read %values[%c0], %pad : memref<?xf64>, vector<5xf64>
  vector.print %2 : vector<5xf64>

  bufferization.dealloc_tensor %a : tensor<9x6xf64, #DCSR>
  return
}
