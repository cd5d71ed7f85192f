// RUN: export TENSOR0=%S/Inputs/bytes.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A CSR matrix of integers with positions and coordinates of 8 bits, read from
// a file, is multiplied by a dense vector.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed),
  posWidth = 8,
  crdWidth = 8
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @matvec(%a: tensor<?x?xi32, #CSR>, %b: tensor<?xi32>,
                  %init: tensor<?xi32>) -> tensor<?xi32> {
  %x = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                     affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a, %b : tensor<?x?xi32, #CSR>, tensor<?xi32>)
    outs(%init : tensor<?xi32>) {
  ^bb0(%p: i32, %q: i32, %sum: i32):
    %product = arith.muli %p, %q : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  } -> tensor<?xi32>
  return %x : tensor<?xi32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant 0 : i32

  %file = call @getTensorFilename(%c0) : (index) -> !File
  %a = sparse_tensor.new %file : !File to tensor<?x?xi32, #CSR>
  %b = tensor.generate %c200 {
  ^bb0(%j: index):
    %n = arith.addi %j, %c2 : index
    %value = arith.index_cast %n : index to i32
    tensor.yield %value : i32
  } : tensor<?xi32>
  %init = tensor.generate %c5 {
  ^bb0(%i: index):
    tensor.yield %zero : i32
  } : tensor<?xi32>

  // CHECK:      ( -396, 650, -393, 0, 831 )
  %x = call @matvec(%a, %b, %init)
      : (tensor<?x?xi32, #CSR>, tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %read = vector.transfer_read %x[%c0], %zero : tensor<?xi32>, vector<5xi32>
  vector.print %read : vector<5xi32>

  bufferization.dealloc_tensor %a : tensor<?x?xi32, #CSR>
  bufferization.dealloc_tensor %b : tensor<?xi32>
  bufferization.dealloc_tensor %x : tensor<?xi32>
  return
}
