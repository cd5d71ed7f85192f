// RUN: export TENSOR0=%S/Inputs/wide.mtx
// RUN: export TENSOR1=%S/Inputs/order-3.tns
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Tensors are read from files into lists of coordinates in several orders, and one
// such list is doubled in place.

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

#ByColumn = #sparse_tensor.encoding<{
  map = (i, j) -> (j : compressed(nonunique), i : singleton)
}>

#COO3 = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)
}>

#ByTube = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : compressed(nonunique), i : singleton(nonunique), j : singleton)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @double(%matrix: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %two = arith.constant 2.0 : f64
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%matrix : tensor<?x?xf64, #COO>) {
  ^bb0(%value: f64):
    %doubled = arith.mulf %value, %two : f64
    linalg.yield %doubled : f64
  } -> tensor<?x?xf64, #COO>
  return %result : tensor<?x?xf64, #COO>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %matrix_file = call @getTensorFilename(%c0) : (index) -> !File
  %tensor_file = call @getTensorFilename(%c1) : (index) -> !File

  %rows = sparse_tensor.new %matrix_file : !File to tensor<?x?xf64, #COO>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 12 )
  // CHECK-NEXT: lvl = ( 3, 12 )
  // CHECK-NEXT: pos[0] : ( 0, 7 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 0, 5, 0, 11, 2, 1, 2, 5, 2, 6, 2, 10 )
  // CHECK-NEXT: values : ( 2, -1, 0.5, 4, 3, -2, 1.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %rows : tensor<?x?xf64, #COO>
  %columns = sparse_tensor.new %matrix_file : !File to tensor<?x?xf64, #ByColumn>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 12 )
  // CHECK-NEXT: lvl = ( 12, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 7 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 1, 2, 5, 0, 5, 2, 6, 2, 10, 2, 11, 0 )
  // CHECK-NEXT: values : ( 2, 4, -1, 3, -2, 1.5, 0.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %columns : tensor<?x?xf64, #ByColumn>
  %tensor = sparse_tensor.new %tensor_file : !File to tensor<?x?x?xf64, #COO3>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 3, 2, 4 )
  // CHECK-NEXT: lvl = ( 3, 2, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 9 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 1, 0, 0, 3, 0, 1, 0, 1, 1, 1, 1, 1, 2, 2, 0, 0, 2, 0, 2, 2, 1, 1, 2, 1, 3 )
  // CHECK-NEXT: values : ( 5, -1.5, 2, 8, 0.25, 7, -4, 6, 3.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %tensor : tensor<?x?x?xf64, #COO3>
  %tubes = sparse_tensor.new %tensor_file : !File to tensor<?x?x?xf64, #ByTube>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 3, 2, 4 )
  // CHECK-NEXT: lvl = ( 4, 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 9 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 1, 0, 2, 0, 1, 0, 0, 1, 1, 1, 1, 2, 1, 2, 1, 1, 2, 2, 0, 3, 0, 0, 3, 2, 1 )
  // CHECK-NEXT: values : ( 2, 7, 5, 8, 6, 0.25, -4, -1.5, 3.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %tubes : tensor<?x?x?xf64, #ByTube>

  %listed = arith.constant sparse<
    [[0, 2], [1, 0], [1, 3], [3, 1]], [1.5, -3.0, 0.25, 8.0]> : tensor<4x4xf64>
  %converted = sparse_tensor.convert %listed
      : tensor<4x4xf64> to tensor<?x?xf64, #COO>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 1, 0, 1, 3, 3, 1 )
  // CHECK-NEXT: values : ( 1.5, -3, 0.25, 8 )
  // CHECK-NEXT: ----
  sparse_tensor.print %converted : tensor<?x?xf64, #COO>
  %doubled = call @double(%converted)
      : (tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 1, 0, 1, 3, 3, 1 )
  // CHECK-NEXT: values : ( 3, -6, 0.5, 16 )
  // CHECK-NEXT: ----
  sparse_tensor.print %doubled : tensor<?x?xf64, #COO>

  bufferization.dealloc_tensor %rows : tensor<?x?xf64, #COO>
  bufferization.dealloc_tensor %columns : tensor<?x?xf64, #ByColumn>
  bufferization.dealloc_tensor %tensor : tensor<?x?x?xf64, #COO3>
  bufferization.dealloc_tensor %tubes : tensor<?x?x?xf64, #ByTube>
  bufferization.dealloc_tensor %converted : tensor<?x?xf64, #COO>
  return
}
