// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A vector with a tenth of its elements set at random places is built by a loop
// of insertions into a dense tensor, and converted to a sparse vector.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

!Generator = !llvm.ptr

func.func private @rtsrand(index) -> !Generator
func.func private @rtrand(!Generator, index) -> index
func.func private @rtdrand(!Generator)
func.func private @shuffle(memref<?xi64>, !Generator)
    attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c40 = arith.constant 40 : index
  %count = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64

  %empty = tensor.empty(%c40) : tensor<?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<?xf64>)
      -> tensor<?xf64>
  %order = memref.alloc(%c40) : memref<?xi64>
  %generator = call @rtsrand(%c7) : (index) -> !Generator
  call @shuffle(%order, %generator) : (memref<?xi64>, !Generator) -> ()
  %dense = scf.for %n = %c0 to %count step %c1
      iter_args(%filled = %zeros) -> tensor<?xf64> {
    %place = memref.load %order[%n] : memref<?xi64>
    %index = arith.index_cast %place : i64 to index
    %random = func.call @rtrand(%generator, %c40) : (!Generator, index) -> index
    %positive = arith.addi %random, %c1 : index
    %integer = arith.index_cast %positive : index to i64
    %value = arith.uitofp %integer : i64 to f64
    %next = tensor.insert %value into %filled[%index] : tensor<?xf64>
    scf.yield %next : tensor<?xf64>
  }
  %sparse = sparse_tensor.convert %dense
      : tensor<?xf64> to tensor<?xf64, #Sparse>

  // CHECK:      4
  %stored = sparse_tensor.number_of_entries %sparse : tensor<?xf64, #Sparse>
  vector.print %stored : index

  bufferization.dealloc_tensor %sparse : tensor<?xf64, #Sparse>
  bufferization.dealloc_tensor %empty : tensor<?xf64>
  memref.dealloc %order : memref<?xi64>
  call @rtdrand(%generator) : (!Generator) -> ()
  return
}
