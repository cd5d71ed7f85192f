// RUN: nacho-opt %s --nacho-outline-kernels=library=false | FileCheck %s
// RUN: %direct-upstream %s | %run-main | FileCheck %s --check-prefix=PRINT
// RUN: %direct-nacho %s | %run-main | FileCheck %s --check-prefix=PRINT
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s --check-prefix=PRINT

// A matrix in blocks, one with two of every four elements, and one with gaps between its
// rows are multiplied by a vector, in kernels of Nacho.
//
// CHECK-COUNT-3: call @nacho_kernel_

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 4 : compressed,
                   i mod 2 : dense, j mod 4 : dense)
}>

#TwoOfFour = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j floordiv 4 : dense, j mod 4 : structured[2, 4])
}>

#Loose = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : loose_compressed)
}>

func.func @blocks(%a: tensor<4x8xf64, #BSR>, %x: tensor<8xf64>) -> tensor<4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4xf64>
  %y = linalg.matvec ins(%a, %x : tensor<4x8xf64, #BSR>, tensor<8xf64>)
                     outs(%zeros : tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @structured(%a: tensor<4x8xf64, #TwoOfFour>, %x: tensor<8xf64>) -> tensor<4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4xf64>
  %y = linalg.matvec ins(%a, %x : tensor<4x8xf64, #TwoOfFour>, tensor<8xf64>)
                     outs(%zeros : tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @loose(%a: tensor<4x8xf64, #Loose>, %x: tensor<8xf64>) -> tensor<4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4xf64>
  %y = linalg.matvec ins(%a, %x : tensor<4x8xf64, #Loose>, tensor<8xf64>)
                     outs(%zeros : tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @show(%y: tensor<4xf64>) {
  %zero = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  %read = vector.transfer_read %y[%zero], %pad : tensor<4xf64>, vector<4xf64>
  vector.print %read : vector<4xf64>
  return
}

func.func @main() {
  %d = arith.constant dense<[
    [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0],
    [5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 7.0, 8.0],
    [0.0, 0.0, 2.0, 3.0, 4.0, 1.0, 0.0, 0.0],
    [7.0, 0.0, 9.0, 0.0, 0.0, 2.5, 0.0, 6.0]
  ]> : tensor<4x8xf64>
  %x = arith.constant dense<[1.0, 0.0, 2.0, 0.0, 0.5, 4.0, 0.0, 1.0]> : tensor<8xf64>
  %a = sparse_tensor.convert %d : tensor<4x8xf64> to tensor<4x8xf64, #BSR>
  %b = sparse_tensor.convert %d : tensor<4x8xf64> to tensor<4x8xf64, #TwoOfFour>
  %c = sparse_tensor.convert %d : tensor<4x8xf64> to tensor<4x8xf64, #Loose>
  %0 = call @blocks(%a, %x) : (tensor<4x8xf64, #BSR>, tensor<8xf64>) -> tensor<4xf64>
  %1 = call @structured(%b, %x) : (tensor<4x8xf64, #TwoOfFour>, tensor<8xf64>) -> tensor<4xf64>
  %2 = call @loose(%c, %x) : (tensor<4x8xf64, #Loose>, tensor<8xf64>) -> tensor<4xf64>
  // PRINT:      ( 5, 13, 10, 41 )
  // PRINT-NEXT: ( 5, 13, 10, 41 )
  // PRINT-NEXT: ( 5, 13, 10, 41 )
  call @show(%0) : (tensor<4xf64>) -> ()
  call @show(%1) : (tensor<4xf64>) -> ()
  call @show(%2) : (tensor<4xf64>) -> ()
  bufferization.dealloc_tensor %a : tensor<4x8xf64, #BSR>
  bufferization.dealloc_tensor %b : tensor<4x8xf64, #TwoOfFour>
  bufferization.dealloc_tensor %c : tensor<4x8xf64, #Loose>
  bufferization.dealloc_tensor %0 : tensor<4xf64>
  bufferization.dealloc_tensor %1 : tensor<4xf64>
  bufferization.dealloc_tensor %2 : tensor<4xf64>
  return
}
