// One program on all routes: mlir-runner, ahead of time, and the stock mlir-opt with the
// plugin; with any numbers of threads and parts.
//
// RUN: nacho-opt %s --nacho-sparsifier | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="threads=3 parts=7 cost=nnz" | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="parallelization-strategy=any-storage-any-loop enable-runtime-library=false" \
// RUN:   | %run-main | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%nacho_plugin --load-pass-plugin=%nacho_plugin \
// RUN:   --pass-pipeline='builtin.module(nacho-sparsifier{threads=2})' | %run-main | FileCheck %s
//
// RUN: nacho-opt %s --nacho-sparsifier | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: %c-compiler -Wno-override-module %t.ll %link-program -o %t.program
// RUN: %t.program | FileCheck %s
//
// RUN: nacho-opt %s --nacho-sparsifier --nacho-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: nacho-opt %s --nacho-sparsifier -o /dev/null 2>&1 | count 0
// RUN: not nacho-opt %s --nacho-sparsifier=thread=2 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: no such option thread

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
#Ones = #sparse_tensor.encoding<{
  map = (d0) -> (d0 : compressed), explicitVal = 1.0 : f64, implicitVal = 0.0 : f64 }>
#each_entry = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
               iterator_types = ["parallel"]}

func.func @add(%A: tensor<3x4xf64, #CSR>, %B: tensor<3x4xf64, #CSR>)
    -> tensor<3x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<3x4xf64, #CSR>
  %Z = linalg.generic #each ins(%A, %B : tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>)
      outs(%empty : tensor<3x4xf64, #CSR>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<3x4xf64, #CSR>
  return %Z : tensor<3x4xf64, #CSR>
}

// The type of the result says what its elements are, which Nacho leaves to upstream.
func.func @negate(%x: tensor<4xf64, #Ones>) -> tensor<4xf64, #Ones> {
  %empty = tensor.empty() : tensor<4xf64, #Ones>
  // REMARK: routes.mlir:[[# @LINE + 1]]:8: remark: left to upstream's sparsifier: {{[^0-9]*}}the type of the output has them
  %y = linalg.generic #each_entry ins(%x : tensor<4xf64, #Ones>) outs(%empty : tensor<4xf64, #Ones>) {
  ^bb0(%a: f64, %old: f64):
    %0 = arith.negf %a : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64, #Ones>
  return %y : tensor<4xf64, #Ones>
}

func.func @main() {
  %a = arith.constant sparse<[[0, 1], [2, 0], [2, 3]], [1.0, 2.0, 0.0]> : tensor<3x4xf64>
  %b = arith.constant sparse<[[0, 1], [1, 2], [2, 3]], [4.0, 8.0, 16.0]> : tensor<3x4xf64>
  %A = sparse_tensor.convert %a : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  %B = sparse_tensor.convert %b : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  %Z = call @add(%A, %B)
      : (tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>) -> tensor<3x4xf64, #CSR>
  // CHECK:      nse = 4
  // CHECK:      pos[1] : ( 0, 1, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 3 )
  // CHECK-NEXT: values : ( 5, 8, 2, 16 )
  sparse_tensor.print %Z : tensor<3x4xf64, #CSR>
  %x = arith.constant dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf64>
  %ones = sparse_tensor.convert %x : tensor<4xf64> to tensor<4xf64, #Ones>
  %T = call @negate(%ones) : (tensor<4xf64, #Ones>) -> tensor<4xf64, #Ones>
  // CHECK:      nse = 2
  // CHECK:      values : ( -1, -1 )
  sparse_tensor.print %T : tensor<4xf64, #Ones>
  bufferization.dealloc_tensor %A : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %B : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %Z : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %ones : tensor<4xf64, #Ones>
  bufferization.dealloc_tensor %T : tensor<4xf64, #Ones>
  return
}
