// RUN: export TENSOR0=%S/Inputs/cube.tns
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse tensor of three dimensions read from a file is multiplied by the
// Khatri-Rao product of two dense matrices (MTTKRP).

#CCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @mttkrp(%b: tensor<?x?x?xf64, #CCC>, %c: tensor<?x?xf64>,
                  %d: tensor<?x?xf64>, %init: tensor<?x?xf64>)
    -> tensor<?x?xf64> {
  %a = linalg.generic {
    indexing_maps = [affine_map<(i, j, k, l) -> (i, k, l)>,
                     affine_map<(i, j, k, l) -> (k, j)>,
                     affine_map<(i, j, k, l) -> (l, j)>,
                     affine_map<(i, j, k, l) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  } ins(%b, %c, %d : tensor<?x?x?xf64, #CCC>, tensor<?x?xf64>, tensor<?x?xf64>)
    outs(%init : tensor<?x?xf64>) {
  ^bb0(%p: f64, %q: f64, %r: f64, %sum: f64):
    %0 = arith.mulf %p, %q : f64
    %1 = arith.mulf %r, %0 : f64
    %next = arith.addf %sum, %1 : f64
    linalg.yield %next : f64
  } -> tensor<?x?xf64>
  return %a : tensor<?x?xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64

  %file = call @getTensorFilename(%c0) : (index) -> !File
  %b = sparse_tensor.new %file : !File to tensor<?x?x?xf64, #CCC>
  %rows = tensor.dim %b, %c0 : tensor<?x?x?xf64, #CCC>
  %ks = tensor.dim %b, %c1 : tensor<?x?x?xf64, #CCC>
  %ls = tensor.dim %b, %c2 : tensor<?x?x?xf64, #CCC>
  %c = tensor.generate %ks, %c4 {
  ^bb0(%k: index, %j: index):
    %n = arith.addi %k, %j : index
    %i = arith.index_cast %n : index to i32
    %value = arith.sitofp %i : i32 to f64
    tensor.yield %value : f64
  } : tensor<?x?xf64>
  %d = tensor.generate %ls, %c4 {
  ^bb0(%l: index, %j: index):
    %n = arith.muli %l, %c2 : index
    %m = arith.addi %n, %j : index
    %i = arith.index_cast %m : index to i32
    %value = arith.sitofp %i : i32 to f64
    tensor.yield %value : f64
  } : tensor<?x?xf64>
  %init = tensor.generate %rows, %c4 {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f64
  } : tensor<?x?xf64>

  // CHECK:      ( ( 36, 72, 121, 183 ), ( -8, -24, -48, -80 ), ( 60, 115.5, 186, 271.5 ) )
  %a = call @mttkrp(%b, %c, %d, %init)
      : (tensor<?x?x?xf64, #CCC>, tensor<?x?xf64>, tensor<?x?xf64>,
         tensor<?x?xf64>) -> tensor<?x?xf64>
  %read = vector.transfer_read %a[%c0, %c0], %zero
      : tensor<?x?xf64>, vector<3x4xf64>
  vector.print %read : vector<3x4xf64>

  bufferization.dealloc_tensor %b : tensor<?x?x?xf64, #CCC>
  bufferization.dealloc_tensor %c : tensor<?x?xf64>
  bufferization.dealloc_tensor %d : tensor<?x?xf64>
  bufferization.dealloc_tensor %a : tensor<?x?xf64>
  return
}
