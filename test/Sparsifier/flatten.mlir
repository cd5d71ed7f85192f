// RUN: export TENSOR0=%S/Inputs/eight.tns
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse tensor of eight dimensions, with its levels in another order than
// its dimensions, is summed over six of them.

#Eight = #sparse_tensor.encoding<{
  map = (i, j, k, l, m, n, o, p) -> (p : compressed, o : compressed,
                                     j : compressed, k : compressed,
                                     i : compressed, l : compressed,
                                     m : compressed, n : compressed)
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @flatten(%a: tensor<4x3x2x2x2x2x3x2xf64, #Eight>,
                   %init: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %x = linalg.generic {
    indexing_maps = [
      affine_map<(i, j, k, l, m, n, o, p) -> (i, j, k, l, m, n, o, p)>,
      affine_map<(i, j, k, l, m, n, o, p) -> (i, j)>
    ],
    iterator_types = ["parallel", "parallel", "reduction", "reduction",
                      "reduction", "reduction", "reduction", "reduction"]
  } ins(%a : tensor<4x3x2x2x2x2x3x2xf64, #Eight>)
    outs(%init : tensor<4x3xf64>) {
  ^bb0(%in: f64, %sum: f64):
    %next = arith.addf %sum, %in : f64
    linalg.yield %next : f64
  } -> tensor<4x3xf64>
  return %x : tensor<4x3xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %init = arith.constant dense<0.0> : tensor<4x3xf64>
  %file = call @getTensorFilename(%c0) : (index) -> !File
  %a = sparse_tensor.new %file
      : !File to tensor<4x3x2x2x2x2x3x2xf64, #Eight>

  // CHECK:      ( ( 2.75, 0, 4 ), ( 0, -1.5, 0 ), ( 0, 0, 0 ), ( 9.75, 0, 3 ) )
  %x = call @flatten(%a, %init)
      : (tensor<4x3x2x2x2x2x3x2xf64, #Eight>, tensor<4x3xf64>)
      -> tensor<4x3xf64>
  %read = vector.transfer_read %x[%c0, %c0], %pad
      : tensor<4x3xf64>, vector<4x3xf64>
  vector.print %read : vector<4x3xf64>

  bufferization.dealloc_tensor %a : tensor<4x3x2x2x2x2x3x2xf64, #Eight>
  bufferization.dealloc_tensor %x : tensor<4x3xf64>
  return
}
