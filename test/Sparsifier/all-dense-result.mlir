// RUN: export TENSOR0=%S/Inputs/values.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A CSR matrix read from a file is doubled into a matrix with an encoding whose
// levels are all dense.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#AllDense = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : dense)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @double_into_dense(%a: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #AllDense> {
  %two = arith.constant 2.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #CSR>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64, #CSR>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #AllDense>
  %x = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a : tensor<?x?xf64, #CSR>) outs(%empty : tensor<?x?xf64, #AllDense>) {
  ^bb0(%in: f64, %out: f64):
    %doubled = arith.mulf %in, %two : f64
    linalg.yield %doubled : f64
  } -> tensor<?x?xf64, #AllDense>
  return %x : tensor<?x?xf64, #AllDense>
}

func.func @main() {
  %first = arith.constant 0 : index
  %file = call @getTensorFilename(%first) : (index) -> !File
  %a = sparse_tensor.new %file : !File to tensor<?x?xf64, #CSR>
  %x = call @double_into_dense(%a)
      : (tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #AllDense>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 20
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: values : ( 0, 2.5, 0, 0, -6, 1, 0, 0, 0, 0, 0, 0, 14, 0, 0, 4, 0, 0, 9.5, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %x : tensor<?x?xf64, #AllDense>
  bufferization.dealloc_tensor %a : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %x : tensor<?x?xf64, #AllDense>
  return
}
