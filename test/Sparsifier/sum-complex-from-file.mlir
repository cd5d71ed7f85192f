// RUN: export TENSOR0=%S/Inputs/symmetric-complex.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The half of a symmetric complex matrix that a file holds is summed up.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @sum(%matrix: tensor<?x?xcomplex<f64>, #DCSR>,
               %start: tensor<complex<f64>>) -> tensor<complex<f64>> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%matrix : tensor<?x?xcomplex<f64>, #DCSR>) outs(%start : tensor<complex<f64>>) {
  ^bb0(%value: complex<f64>, %sum: complex<f64>):
    %next = complex.add %sum, %value : complex<f64>
    linalg.yield %next : complex<f64>
  } -> tensor<complex<f64>>
  return %result : tensor<complex<f64>>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = complex.constant [0.0, 0.0] : complex<f64>
  %empty = tensor.empty() : tensor<complex<f64>>
  %start = tensor.insert %zero into %empty[] : tensor<complex<f64>>
  %file = call @getTensorFilename(%c0) : (index) -> !File
  %matrix = sparse_tensor.new %file : !File to tensor<?x?xcomplex<f64>, #DCSR>
  %sum = call @sum(%matrix, %start)
      : (tensor<?x?xcomplex<f64>, #DCSR>, tensor<complex<f64>>) -> tensor<complex<f64>>
  %value = tensor.extract %sum[] : tensor<complex<f64>>
  %re = complex.re %value : complex<f64>
  %im = complex.im %value : complex<f64>
  // CHECK:      {{^12\.75$}}
  // CHECK-NEXT: {{^6\.5$}}
  vector.print %re : f64
  vector.print %im : f64
  bufferization.dealloc_tensor %matrix : tensor<?x?xcomplex<f64>, #DCSR>
  bufferization.dealloc_tensor %sum : tensor<complex<f64>>
  return
}
