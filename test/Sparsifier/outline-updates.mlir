// RUN: nacho-opt %s -nacho-outline-kernels="remarks=true" -verify-diagnostics | FileCheck %s
// RUN: nacho-opt %s -nacho-sparsifier=test-bufferization-analysis-only | FileCheck %s --check-prefix=ANALYSIS

// Results that have the entries of the output overwrite its values.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#update = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#scale = {
  indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

// CHECK-LABEL: func.func @triple(
// CHECK-SAME:    %[[MATRIX:.+]]: tensor
// CHECK:         %[[MADE:.+]] = builtin.unrealized_conversion_cast
// CHECK-NEXT:    %[[FROM:.+]] = sparse_tensor.values %[[MADE]]
// CHECK-NEXT:    %[[TO:.+]] = sparse_tensor.values %[[MATRIX]]
// CHECK-NEXT:    memref.copy %[[FROM]], %[[TO]]
// CHECK-NEXT:    bufferization.dealloc_tensor %[[MADE]]
// CHECK-NEXT:    return %[[MATRIX]]
func.func @triple(%matrix: tensor<2x3xf64, #CSR>) -> tensor<2x3xf64, #CSR> {
  %three = arith.constant 3.0 : f64
  %tripled = linalg.generic #update outs(%matrix : tensor<2x3xf64, #CSR>) {
  ^bb0(%value: f64):
    %more = arith.mulf %value, %three : f64
    linalg.yield %more : f64
  } -> tensor<2x3xf64, #CSR>
  return %tripled : tensor<2x3xf64, #CSR>
}

// What MLIR's analysis finds in the rest of the program is told as by --sparsifier.
//
// ANALYSIS-LABEL: func.func @power(
// ANALYSIS:         scf.yield {__inplace_operands_attr__ = ["true"]}
//
// CHECK-LABEL: func.func @power(
// CHECK:         scf.for
// CHECK-SAME:      iter_args(%[[BEFORE:.+]] = %{{.+}}) ->
// CHECK:           call @nacho_kernel
// CHECK:           memref.copy
// CHECK:           scf.yield %[[BEFORE]]
func.func @power(%matrix: tensor<2x3xf64, #CSR>, %rows: tensor<2xf64>)
    -> tensor<2x3xf64, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %result = scf.for %n = %c0 to %c3 step %c1
      iter_args(%before = %matrix) -> (tensor<2x3xf64, #CSR>) {
    %after = linalg.generic #scale
        ins(%rows : tensor<2xf64>) outs(%before : tensor<2x3xf64, #CSR>) {
    ^bb0(%factor: f64, %value: f64):
      %more = arith.mulf %factor, %value : f64
      linalg.yield %more : f64
    } -> tensor<2x3xf64, #CSR>
    scf.yield %after : tensor<2x3xf64, #CSR>
  }
  return %result : tensor<2x3xf64, #CSR>
}

// Others cannot: MLIR refuses loops that carry another tensor each time.
//
// CHECK-LABEL: func.func @fill_up(
// CHECK:         linalg.generic
func.func @fill_up(%x: tensor<2x3xf64, #CSR>) -> tensor<2x3xf64, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %result = scf.for %n = %c0 to %c1 step %c1
      iter_args(%before = %x) -> (tensor<2x3xf64, #CSR>) {
    // expected-remark @below {{a loop carries its output, which gets other entries}}
    %after = linalg.generic #update outs(%before : tensor<2x3xf64, #CSR>) {
    ^bb0(%value: f64):
      %more = arith.addf %value, %one : f64
      linalg.yield %more : f64
    } -> tensor<2x3xf64, #CSR>
    scf.yield %after : tensor<2x3xf64, #CSR>
  }
  return %result : tensor<2x3xf64, #CSR>
}
