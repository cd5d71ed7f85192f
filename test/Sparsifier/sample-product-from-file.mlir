// RUN: export TENSOR0=%S/Inputs/square.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The product of two dense matrices is taken where a matrix from a file, with 32-bit
// positions and coordinates, has entries.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed),
  posWidth = 32,
  crdWidth = 32
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @sample(%mask: tensor<?x?xf32, #DCSR>, %a: tensor<?x?xf32>,
                  %b: tensor<?x?xf32>, %into: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
                     affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%mask, %a, %b : tensor<?x?xf32, #DCSR>, tensor<?x?xf32>, tensor<?x?xf32>)
    outs(%into : tensor<?x?xf32>) {
  ^bb0(%s: f32, %x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %sampled = arith.mulf %s, %product : f32
    %next = arith.addf %sum, %sampled : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  return %result : tensor<?x?xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32

  // The row i of A is i + 1 everywhere; the column j of B is j + 1 everywhere.
  %a = tensor.generate %c4, %c6 {
  ^bb0(%i: index, %k: index):
    %next = arith.addi %i, %c1 : index
    %whole = arith.index_cast %next : index to i32
    %value = arith.sitofp %whole : i32 to f32
    tensor.yield %value : f32
  } : tensor<?x?xf32>
  %b = tensor.generate %c6, %c4 {
  ^bb0(%k: index, %j: index):
    %next = arith.addi %j, %c1 : index
    %whole = arith.index_cast %next : index to i32
    %value = arith.sitofp %whole : i32 to f32
    tensor.yield %value : f32
  } : tensor<?x?xf32>
  %into = tensor.generate %c4, %c4 {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32>

  %file = call @getTensorFilename(%c0) : (index) -> !File
  %mask = sparse_tensor.new %file : !File to tensor<?x?xf32, #DCSR>
  %sampled = call @sample(%mask, %a, %b, %into)
      : (tensor<?x?xf32, #DCSR>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      -> tensor<?x?xf32>
  // CHECK:      ( 18, 0, 0, -12 )
  // CHECK-NEXT: ( 0, 48, 0, 0 )
  // CHECK-NEXT: ( 0, 0, 0, 0 )
  // CHECK-NEXT: ( 36, 0, -288, 768 )
  scf.for %i = %c0 to %c4 step %c1 {
    %row = vector.transfer_read %sampled[%i, %c0], %zero
        : tensor<?x?xf32>, vector<4xf32>
    vector.print %row : vector<4xf32>
  }

  bufferization.dealloc_tensor %mask : tensor<?x?xf32, #DCSR>
  bufferization.dealloc_tensor %sampled : tensor<?x?xf32>
  bufferization.dealloc_tensor %a : tensor<?x?xf32>
  bufferization.dealloc_tensor %b : tensor<?x?xf32>
  return
}
