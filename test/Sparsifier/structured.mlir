// RUN: export TENSOR0=%S/Inputs/structured.mtx
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A matrix read from a file is stored as CSR, with a pair of positions for each
// row, and with two of every four and four of every eight elements stored.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#Loose = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : loose_compressed)
}>

#TwoOfFour = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j floordiv 4 : dense, j mod 4 : structured[2, 4]),
  crdWidth = 8
}>

#FourOfEight = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j floordiv 8 : dense, j mod 8 : structured[4, 8]),
  crdWidth = 8
}>

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @main() {
  %c0 = arith.constant 0 : index
  %b0 = arith.constant 0 : i8
  %f0 = arith.constant 0.0 : f64
  %file = call @getTensorFilename(%c0) : (index) -> !File
  %csr = sparse_tensor.new %file : !File to tensor<?x?xf64, #CSR>
  %loose = sparse_tensor.new %file : !File to tensor<?x?xf64, #Loose>
  %two = sparse_tensor.new %file : !File to tensor<?x?xf64, #TwoOfFour>
  %four = sparse_tensor.new %file : !File to tensor<?x?xf64, #FourOfEight>

  // CHECK:      ( 0, 4, 8 )
  // CHECK-NEXT: ( 1, 3, 4, 5, 0, 3, 6, 7 )
  // CHECK-NEXT: ( 3, 1, 4.5, 1, 5, 9, 2, 6.5 )
  %p0 = sparse_tensor.positions %csr {level = 1 : index}
      : tensor<?x?xf64, #CSR> to memref<?xindex>
  %r0 = vector.transfer_read %p0[%c0], %c0 : memref<?xindex>, vector<3xindex>
  vector.print %r0 : vector<3xindex>
  %q0 = sparse_tensor.coordinates %csr {level = 1 : index}
      : tensor<?x?xf64, #CSR> to memref<?xindex>
  %s0 = vector.transfer_read %q0[%c0], %c0 : memref<?xindex>, vector<8xindex>
  vector.print %s0 : vector<8xindex>
  %v0 = sparse_tensor.values %csr : tensor<?x?xf64, #CSR> to memref<?xf64>
  %t0 = vector.transfer_read %v0[%c0], %f0 : memref<?xf64>, vector<8xf64>
  vector.print %t0 : vector<8xf64>

  // CHECK-NEXT: ( 0, 4, 4, 8 )
  // CHECK-NEXT: ( 1, 3, 4, 5, 0, 3, 6, 7 )
  // CHECK-NEXT: ( 3, 1, 4.5, 1, 5, 9, 2, 6.5 )
  %p1 = sparse_tensor.positions %loose {level = 1 : index}
      : tensor<?x?xf64, #Loose> to memref<?xindex>
  %r1 = vector.transfer_read %p1[%c0], %c0 : memref<?xindex>, vector<4xindex>
  vector.print %r1 : vector<4xindex>
  %q1 = sparse_tensor.coordinates %loose {level = 1 : index}
      : tensor<?x?xf64, #Loose> to memref<?xindex>
  %s1 = vector.transfer_read %q1[%c0], %c0 : memref<?xindex>, vector<8xindex>
  vector.print %s1 : vector<8xindex>
  %v1 = sparse_tensor.values %loose : tensor<?x?xf64, #Loose> to memref<?xf64>
  %t1 = vector.transfer_read %v1[%c0], %f0 : memref<?xf64>, vector<8xf64>
  vector.print %t1 : vector<8xf64>

  // CHECK-NEXT: ( 1, 3, 0, 1, 0, 3, 2, 3 )
  // CHECK-NEXT: ( 3, 1, 4.5, 1, 5, 9, 2, 6.5 )
  %q2 = sparse_tensor.coordinates %two {level = 2 : index}
      : tensor<?x?xf64, #TwoOfFour> to memref<?xi8>
  %s2 = vector.transfer_read %q2[%c0], %b0 : memref<?xi8>, vector<8xi8>
  vector.print %s2 : vector<8xi8>
  %v2 = sparse_tensor.values %two
      : tensor<?x?xf64, #TwoOfFour> to memref<?xf64>
  %t2 = vector.transfer_read %v2[%c0], %f0 : memref<?xf64>, vector<8xf64>
  vector.print %t2 : vector<8xf64>

  // CHECK-NEXT: ( 1, 3, 4, 5, 0, 3, 6, 7 )
  // CHECK-NEXT: ( 3, 1, 4.5, 1, 5, 9, 2, 6.5 )
  %q3 = sparse_tensor.coordinates %four {level = 2 : index}
      : tensor<?x?xf64, #FourOfEight> to memref<?xi8>
  %s3 = vector.transfer_read %q3[%c0], %b0 : memref<?xi8>, vector<8xi8>
  vector.print %s3 : vector<8xi8>
  %v3 = sparse_tensor.values %four
      : tensor<?x?xf64, #FourOfEight> to memref<?xf64>
  %t3 = vector.transfer_read %v3[%c0], %f0 : memref<?xf64>, vector<8xf64>
  vector.print %t3 : vector<8xf64>

  bufferization.dealloc_tensor %csr : tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %loose : tensor<?x?xf64, #Loose>
  bufferization.dealloc_tensor %two : tensor<?x?xf64, #TwoOfFour>
  bufferization.dealloc_tensor %four : tensor<?x?xf64, #FourOfEight>
  return
}
