// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Entries are counted as the array of values has them; a visit leaves out those
// between the rows.

#Loose = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : loose_compressed)
}>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pos = arith.constant dense<[0, 2, 3, 4]> : tensor<4xindex>
  %crd = arith.constant dense<[1, 2, 0, 2]> : tensor<4xindex>
  %values = arith.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf64>
  %loose = sparse_tensor.assemble (%pos, %crd), %values
      : (tensor<4xindex>, tensor<4xindex>), tensor<4xf64> to tensor<2x3xf64, #Loose>
  %stored = sparse_tensor.number_of_entries %loose : tensor<2x3xf64, #Loose>
  %visited = sparse_tensor.foreach in %loose init(%c0)
      : tensor<2x3xf64, #Loose>, index -> index do {
  ^bb0(%i: index, %j: index, %value: f64, %count: index):
    %next = arith.addi %count, %c1 : index
    sparse_tensor.yield %next : index
  }
  // CHECK:      {{^4$}}
  // CHECK-NEXT: {{^3$}}
  vector.print %stored : index
  vector.print %visited : index

  // Only the runtime library copies the arrays.
  %copied = sparse_tensor.has_runtime_library
  scf.if %copied {
    bufferization.dealloc_tensor %loose : tensor<2x3xf64, #Loose>
  }
  return
}
