// RUN: export TENSOR0=
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A matrix whose rows end at positions of their own is written as text.

#Loose = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : loose_compressed)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @main() {
  %c0 = arith.constant 0 : index
  %file = call @getTensorFilename(%c0) : (index) -> !File
  // MLIR takes it that what is written out may change, and copies constants for that.
  %pos_constant = arith.constant dense<[0, 2, 2, 3]> : tensor<4xindex>
  %crd_constant = arith.constant dense<[1, 2, 2]> : tensor<3xindex>
  %values_constant = arith.constant dense<[5.0, 6.0, 8.0]> : tensor<3xf64>
  %pos = bufferization.alloc_tensor() copy(%pos_constant) : tensor<4xindex>
  %crd = bufferization.alloc_tensor() copy(%crd_constant) : tensor<3xindex>
  %values = bufferization.alloc_tensor() copy(%values_constant) : tensor<3xf64>
  %loose = sparse_tensor.assemble (%pos, %crd), %values
      : (tensor<4xindex>, tensor<3xindex>), tensor<3xf64> to tensor<2x3xf64, #Loose>
  // CHECK:      # extended FROSTT format
  // CHECK-NEXT: 2 3
  // CHECK-NEXT: 2 3
  // CHECK-NEXT: 1 2 5
  // CHECK-NEXT: 1 3 6
  // CHECK-NEXT: 2 3 8
  sparse_tensor.out %loose, %file : tensor<2x3xf64, #Loose>, !File

  // Only the runtime library copies the arrays.
  %copied = sparse_tensor.has_runtime_library
  scf.if %copied {
    bufferization.dealloc_tensor %loose : tensor<2x3xf64, #Loose>
  }
  bufferization.dealloc_tensor %pos : tensor<4xindex>
  bufferization.dealloc_tensor %crd : tensor<3xindex>
  bufferization.dealloc_tensor %values : tensor<3xf64>
  return
}
