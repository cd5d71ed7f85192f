// RUN: export TENSOR0=%S/Inputs/blocks.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A matrix of 2x2 blocks is read from a file, seen once as four levels, and
// scaled in place.

#BSR = #sparse_tensor.encoding<{
  map = (row, col) -> (row floordiv 2 : dense, col floordiv 2 : compressed,
                       row mod 2 : dense, col mod 2 : dense)
}>

#Levels = #sparse_tensor.encoding<{
  map = (outer, block, r, c) -> (outer : dense, block : compressed,
                                 r : dense, c : dense)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @triple(%matrix: tensor<?x?xf64, #BSR>) -> tensor<?x?xf64, #BSR> {
  %three = arith.constant 3.0 : f64
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%matrix : tensor<?x?xf64, #BSR>) {
  ^bb0(%x: f64):
    %scaled = arith.mulf %x, %three : f64
    linalg.yield %scaled : f64
  } -> tensor<?x?xf64, #BSR>
  return %result : tensor<?x?xf64, #BSR>
}

func.func @main() {
  %first = arith.constant 0 : index
  %file = call @getTensorFilename(%first) : (index) -> !File
  %matrix = sparse_tensor.new %file : !File to tensor<?x?xf64, #BSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 16
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 2, 3, 2, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2 )
  // CHECK-NEXT: values : ( 2, 0, 0, 1.5, 0, 4, 0, 0, 8, 0, 3, 6, 0, 0.5, 0, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %matrix : tensor<?x?xf64, #BSR>

  %levels = sparse_tensor.reinterpret_map %matrix
      : tensor<?x?xf64, #BSR> to tensor<?x?x2x2xf64, #Levels>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 16
  // CHECK-NEXT: dim = ( 2, 3, 2, 2 )
  // CHECK-NEXT: lvl = ( 2, 3, 2, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2 )
  // CHECK-NEXT: values : ( 2, 0, 0, 1.5, 0, 4, 0, 0, 8, 0, 3, 6, 0, 0.5, 0, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %levels : tensor<?x?x2x2xf64, #Levels>

  %scaled = call @triple(%matrix)
      : (tensor<?x?xf64, #BSR>) -> tensor<?x?xf64, #BSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 16
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 2, 3, 2, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2 )
  // CHECK-NEXT: values : ( 6, 0, 0, 4.5, 0, 12, 0, 0, 24, 0, 9, 18, 0, 1.5, 0, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %scaled : tensor<?x?xf64, #BSR>

  bufferization.dealloc_tensor %matrix : tensor<?x?xf64, #BSR>
  return
}
