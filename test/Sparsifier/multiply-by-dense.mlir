// RUN: export TENSOR0=%S/Inputs/wide.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A matrix from a file times a dense matrix adds to a dense matrix.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @multiply(%a: tensor<?x?xf64, #CSR>, %b: tensor<?x?xf64>,
                    %into: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                     affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : tensor<?x?xf64, #CSR>, tensor<?x?xf64>)
    outs(%into : tensor<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %sum, %product : f64
    linalg.yield %next : f64
  } -> tensor<?x?xf64>
  return %result : tensor<?x?xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  %none = arith.constant -1.0 : f64
  %one = arith.constant 1.0 : f64

  %file = call @getTensorFilename(%c0) : (index) -> !File
  %a = sparse_tensor.new %file : !File to tensor<?x?xf64, #CSR>
  // B counts from 0 row by row, and the sums start at 1.
  %b = tensor.generate %c12, %c3 {
  ^bb0(%i: index, %j: index):
    %first = arith.muli %i, %c3 : index
    %place = arith.addi %first, %j : index
    %whole = arith.index_cast %place : index to i32
    %value = arith.sitofp %whole : i32 to f64
    tensor.yield %value : f64
  } : tensor<?x?xf64>
  %into = tensor.generate %c3, %c3 {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f64
  } : tensor<?x?xf64>

  %product = call @multiply(%a, %b, %into)
      : (tensor<?x?xf64, #CSR>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %values = vector.transfer_read %product[%c0, %c0], %none
      : tensor<?x?xf64>, vector<3x3xf64>
  // CHECK:      ( ( 2.5, 4, 5.5 ), ( 1, 1, 1 ), ( 67, 73.5, 80 ) )
  vector.print %values : vector<3x3xf64>

  bufferization.dealloc_tensor %a : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %b : tensor<?x?xf64>
  bufferization.dealloc_tensor %product : tensor<?x?xf64>
  return
}
