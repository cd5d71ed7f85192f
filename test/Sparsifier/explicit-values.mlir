// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-sparsifier='enable-runtime-library=false threads=2 parts=3' %s \
// RUN:   | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-outline-kernels %s | FileCheck %s --check-prefix=TAKEN

// All stored elements of a binary matrix are 3, as its type says: what is stored as
// their values is not read.

#Pattern = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), explicitVal = 3.0 : f64
}>

#product = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

// TAKEN:      module @kernel_0
// TAKEN:        %[[VALUE:.+]] = sparse_tensor.unary %{{.+}} : f64 to f64
// TAKEN-NEXT:    present = {
// TAKEN-NEXT:   ^bb0(
// TAKEN-NEXT:     %[[THREE:.+]] = arith.constant 3.000000e+00 : f64
// TAKEN-NEXT:     sparse_tensor.yield %[[THREE]]
// TAKEN:        arith.mulf %[[VALUE]],
func.func @multiply(%A: tensor<3x4xf64, #Pattern>, %x: tensor<4xf64>) -> tensor<3xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3xf64>
  %y = linalg.generic #product ins(%A, %x : tensor<3x4xf64, #Pattern>, tensor<4xf64>)
      outs(%zeros : tensor<3xf64>) {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// Where nothing is stored, the elements are 0.
func.func @add(%A: tensor<3x4xf64, #Pattern>, %B: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x4xf64>
  %C = linalg.generic #each ins(%A, %B : tensor<3x4xf64, #Pattern>, tensor<3x4xf64>)
      outs(%zeros : tensor<3x4xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<3x4xf64>
  return %C : tensor<3x4xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %pos = arith.constant dense<[0, 2, 2, 3]> : tensor<4xindex>
  %crd = arith.constant dense<[0, 3, 1]> : tensor<3xindex>
  %values = arith.constant dense<[5.0, 6.0, 7.0]> : tensor<3xf64>
  %A = sparse_tensor.assemble (%pos, %crd), %values
      : (tensor<4xindex>, tensor<3xindex>), tensor<3xf64> to tensor<3x4xf64, #Pattern>
  %x = arith.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf64>
  // CHECK:      ( 3003, 0, 30 )
  %y = call @multiply(%A, %x) : (tensor<3x4xf64, #Pattern>, tensor<4xf64>) -> tensor<3xf64>
  %v = vector.transfer_read %y[%c0], %zero : tensor<3xf64>, vector<3xf64>
  vector.print %v : vector<3xf64>
  // CHECK-NEXT: ( ( 4, 1, 1, 4 ), ( 1, 1, 1, 1 ), ( 1, 4, 1, 1 ) )
  %B = arith.constant dense<1.0> : tensor<3x4xf64>
  %C = call @add(%A, %B) : (tensor<3x4xf64, #Pattern>, tensor<3x4xf64>) -> tensor<3x4xf64>
  %w = vector.transfer_read %C[%c0, %c0], %zero : tensor<3x4xf64>, vector<3x4xf64>
  vector.print %w : vector<3x4xf64>

  // Only the runtime library copies the arrays.
  %copied = sparse_tensor.has_runtime_library
  scf.if %copied {
    bufferization.dealloc_tensor %A : tensor<3x4xf64, #Pattern>
  }
  bufferization.dealloc_tensor %y : tensor<3xf64>
  bufferization.dealloc_tensor %C : tensor<3x4xf64>
  return
}
