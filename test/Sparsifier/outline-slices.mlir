// RUN: nacho-opt %s -nacho-outline-kernels="library=false remarks=true" -split-input-file 2>%t.err | FileCheck %s --check-prefix=FIELDS
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: nacho-opt %s -nacho-outline-kernels="remarks=true" -split-input-file 2>%t.library | FileCheck %s
// RUN: FileCheck %s --check-prefix=LIBRARY --input-file=%t.library
// RUN: nacho-opt %s -nacho-outline-kernels="library=false" -nacho-compile-kernels="library=false" -split-input-file | FileCheck %s --check-prefix=COMPILED

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Slice = #sparse_tensor.encoding<{
  map = (d0 : #sparse_tensor<slice(1, 4, 2)>, d1 : #sparse_tensor<slice(?, 3, 1)>) ->
        (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// Without MLIR's runtime library, a slice is passed as it is, and the kernel reads it as
// the whole tensor. With the library, the function takes the whole tensor; its caller
// passes that, and the number that the type of the slice does not tell.
//
// FIELDS:       #[[SLICE:.+]] = #sparse_tensor.encoding<{ map = (d0 : #sparse_tensor<slice(1, 4, 2)>
// FIELDS:       module @kernel_0 attributes {nacho.kernel, nacho.program_type = (tensor<4x3xf64, #[[SLICE]]>, index) ->
// FIELDS:         func.func @nacho_kernel_0(%[[A:.+]]: tensor<?x?xf64, #{{.+}}>, %[[O:.+]]: index)
// FIELDS-NEXT:      %[[S:.+]] = tensor.extract_slice %[[A]][1, %[[O]]] [4, 3] [2, 1]
// FIELDS:           linalg.generic {{.+}} ins(%[[S]] :
// FIELDS-LABEL: func.func @negate(
// FIELDS-SAME:    %[[S:.+]]: tensor<4x3xf64, #[[SLICE]]>)
// FIELDS:         %[[OFFSET:.+]] = sparse_tensor.slice.offset %[[S]] at 1
// FIELDS:         %[[I64:.+]] = arith.index_cast %[[OFFSET]] : index to i64
// FIELDS:         %[[O:.+]] = tensor.from_elements %[[I64]] : tensor<i64>
// FIELDS:         call @nacho_kernel_0(%[[S]], %[[O]])
//
// COMPILED:     llvm.func @nacho_kernel_0(
// COMPILED-SAME:  !llvm.struct<(array<2 x i64>, array<3 x i64>, array<2 x i64>, array<2 x i64>)>
//
// CHECK-LABEL:  func.func @negate(
// CHECK-SAME:     %[[A:.+]]: tensor<8x8xf64, #{{.+}}>, %[[O:.+]]: index)
// CHECK-NOT:      tensor.extract_slice
// CHECK:          %[[I64:.+]] = arith.index_cast %[[O]] : index to i64
// CHECK:          %[[N:.+]] = tensor.from_elements %[[I64]] : tensor<i64>
// CHECK:          call @nacho_kernel_0(%[[A]], %[[N]])
// CHECK-LABEL:  func.func @caller(
// CHECK-SAME:     %[[A:.+]]: tensor<8x8xf64, #{{.+}}>, %[[O:.+]]: index)
// CHECK-NEXT:     call @negate(%[[A]], %[[O]])
func.func @negate(%S: tensor<4x3xf64, #Slice>) -> tensor<4x3xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x3xf64, #CSR>
  %Z = linalg.generic #each ins(%S : tensor<4x3xf64, #Slice>)
      outs(%empty : tensor<4x3xf64, #CSR>) {
  ^bb0(%s: f64, %z: f64):
    %0 = arith.negf %s : f64
    linalg.yield %0 : f64
  } -> tensor<4x3xf64, #CSR>
  return %Z : tensor<4x3xf64, #CSR>
}
func.func @caller(%A: tensor<8x8xf64, #CSR>, %o: index) -> tensor<4x3xf64, #CSR> {
  %S = tensor.extract_slice %A[1, %o] [4, 3] [2, 1]
      : tensor<8x8xf64, #CSR> to tensor<4x3xf64, #Slice>
  %Z = call @negate(%S) : (tensor<4x3xf64, #Slice>) -> tensor<4x3xf64, #CSR>
  return %Z : tensor<4x3xf64, #CSR>
}

// -----

#Rows = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense) }>
#Slice = #sparse_tensor.encoding<{
  map = (d0 : #sparse_tensor<slice(1, 4, 2)>, d1 : #sparse_tensor<slice(0, 3, 1)>) ->
        (d0 : compressed, d1 : dense) }>
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// How many columns the whole tensor has, a slice of it does not tell.
//
// FIELDS-LABEL: func.func @negative_dense_inside(
// FIELDS:         linalg.generic
// REMARK:       remark: left to upstream's sparsifier: a slice that is not made where the op is does not tell the extents of the whole tensor
func.func @negative_dense_inside(%S: tensor<4x3xf64, #Slice>) -> tensor<4x3xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x3xf64, #CSR>
  %Z = linalg.generic #each ins(%S : tensor<4x3xf64, #Slice>)
      outs(%empty : tensor<4x3xf64, #CSR>) {
  ^bb0(%s: f64, %z: f64):
    %0 = arith.negf %s : f64
    linalg.yield %0 : f64
  } -> tensor<4x3xf64, #CSR>
  return %Z : tensor<4x3xf64, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Slice = #sparse_tensor.encoding<{
  map = (d0 : #sparse_tensor<slice(1, 4, 2)>, d1 : #sparse_tensor<slice(0, 3, 1)>) ->
        (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// The function stays as it is if a caller has the slice from elsewhere.
//
// CHECK-LABEL:  func.func @negative_from_elsewhere(
// CHECK-SAME:     tensor<4x3xf64,
// CHECK:          linalg.generic
// LIBRARY:      remark: left to upstream's sparsifier: it is not known of which tensor an operand is a slice
func.func @negative_from_elsewhere(%S: tensor<4x3xf64, #Slice>) -> tensor<4x3xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x3xf64, #CSR>
  %Z = linalg.generic #each ins(%S : tensor<4x3xf64, #Slice>)
      outs(%empty : tensor<4x3xf64, #CSR>) {
  ^bb0(%s: f64, %z: f64):
    %0 = arith.negf %s : f64
    linalg.yield %0 : f64
  } -> tensor<4x3xf64, #CSR>
  return %Z : tensor<4x3xf64, #CSR>
}
func.func private @elsewhere() -> tensor<4x3xf64, #Slice>
func.func @caller() -> tensor<4x3xf64, #CSR> {
  %S = call @elsewhere() : () -> tensor<4x3xf64, #Slice>
  %Z = call @negative_from_elsewhere(%S) : (tensor<4x3xf64, #Slice>) -> tensor<4x3xf64, #CSR>
  return %Z : tensor<4x3xf64, #CSR>
}
