// RUN: export TENSOR0=%S/Inputs/symmetric.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The half of a symmetric matrix that a file holds is summed up.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @sum(%matrix: tensor<?x?xf64, #DCSR>, %start: tensor<f64>) -> tensor<f64> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%matrix : tensor<?x?xf64, #DCSR>) outs(%start : tensor<f64>) {
  ^bb0(%value: f64, %sum: f64):
    %next = arith.addf %sum, %value : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  return %result : tensor<f64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %start = tensor.from_elements %zero : tensor<f64>
  %file = call @getTensorFilename(%c0) : (index) -> !File
  %matrix = sparse_tensor.new %file : !File to tensor<?x?xf64, #DCSR>
  %sum = call @sum(%matrix, %start)
      : (tensor<?x?xf64, #DCSR>, tensor<f64>) -> tensor<f64>
  %value = tensor.extract %sum[] : tensor<f64>
  // CHECK:      {{^12\.75$}}
  vector.print %value : f64
  bufferization.dealloc_tensor %matrix : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %sum : tensor<f64>
  return
}
