// RUN: export TENSOR0=%S/Inputs/square.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The values of a matrix from a file are squared in place.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @square(%matrix: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%matrix : tensor<?x?xf64, #DCSR>) {
  ^bb0(%value: f64):
    %squared = arith.mulf %value, %value : f64
    linalg.yield %squared : f64
  } -> tensor<?x?xf64, #DCSR>
  return %result : tensor<?x?xf64, #DCSR>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %file = call @getTensorFilename(%c0) : (index) -> !File
  %matrix = sparse_tensor.new %file : !File to tensor<?x?xf64, #DCSR>
  %squared = call @square(%matrix)
      : (tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 1, 0, 2, 3 )
  // CHECK-NEXT: values : ( 9, 0.25, 4, 2.25, 16, 64 )
  // CHECK-NEXT: ----
  sparse_tensor.print %squared : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %matrix : tensor<?x?xf64, #DCSR>
  return
}
