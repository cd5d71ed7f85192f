// RUN: nacho-opt %s -nacho-outline-kernels=remarks=true -split-input-file 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: nacho-opt %s -nacho-outline-kernels=library=false -split-input-file | FileCheck %s --check-prefix=FIELDS

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#product = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

// A zero that fills an output is known to the kernel, and the number %s from outside
// of the body is an argument. It is passed as a tensor without indices.
//
// CHECK-LABEL: module @kernel_0 attributes {nacho.kernel} {
// CHECK-NEXT:    func.func @nacho_kernel_0(
// CHECK-SAME:        %[[A:.+]]: tensor<?x?xf64, #[[CSR:.+]]>, %[[X:.+]]: tensor<?xf64>, %[[S:.+]]: f64) -> tensor<?xf64> {
// CHECK:           %[[ZERO:.+]] = linalg.fill
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%[[A]], %[[X]] :
// CHECK-SAME:        outs(%[[ZERO]] :
// CHECK:             arith.mulf %{{.+}}, %[[S]]
// CHECK:       func.func private @nacho_kernel_0(
// CHECK-SAME:    tensor<?xf64> {bufferization.access = "read"}
// CHECK-SAME:    -> memref<?xf64>
// CHECK-LABEL: func.func @scaled_spmv(
// CHECK-SAME:    %[[A:.+]]: tensor<?x?xf64, #{{.+}}>, %[[X:.+]]: tensor<?xf64>, %[[S:.+]]: f64
// CHECK:         %[[T:.+]] = tensor.from_elements %[[S]] : tensor<f64>
// CHECK:         %[[MADE:.+]] = call @nacho_kernel_0(%[[A]], %[[X]], %[[T]])
// CHECK:         %[[Y:.+]] = bufferization.to_tensor %[[MADE]] restrict writable
// CHECK:         return %[[Y]]
func.func @scaled_spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %s: f64)
    -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %rows = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %empty = tensor.empty(%rows) : tensor<?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<?xf64>) -> tensor<?xf64>
  %y = linalg.generic #product ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
      outs(%zeros : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.mulf %0, %s : f64
    %2 = arith.addf %sum, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// A sparse result is an address, or the fields of the tensor.
//
// CHECK:         func.func private @nacho_kernel_0(tensor<4x5xf64, #{{.+}}> {bufferization.access = "read"}) -> !llvm.ptr
// CHECK-LABEL:   func.func @negated(
// CHECK:           %[[MADE:.+]] = call @nacho_kernel_0(
// CHECK:           builtin.unrealized_conversion_cast %[[MADE]] : !llvm.ptr to tensor<4x5xf64,
// FIELDS:        func.func private @nacho_kernel_0(tensor<4x5xf64, #{{.+}}> {{.+}} -> (memref<?xindex>, memref<?xindex>, memref<?xf64>, !sparse_tensor.storage_specifier<#{{.+}}>)
func.func @negated(%A: tensor<4x5xf64, #CSR>) -> tensor<4x5xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x5xf64, #CSR>
  %Z = linalg.generic #each ins(%A : tensor<4x5xf64, #CSR>)
      outs(%empty : tensor<4x5xf64, #CSR>) {
  ^bb0(%a: f64, %z: f64):
    %0 = arith.negf %a : f64
    linalg.yield %0 : f64
  } -> tensor<4x5xf64, #CSR>
  return %Z : tensor<4x5xf64, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// Dense ops are left alone, without a remark; others with one.
//
// CHECK-LABEL: func.func @negative(
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// REMARK:      remark: left to upstream's sparsifier: 'linalg.generic' op has math.fma in its body: not supported
func.func @negative(%A: tensor<4x5xf64, #CSR>, %D: tensor<4x5xf64>) -> (tensor<4x5xf64, #CSR>, tensor<4x5xf64>) {
  %empty = tensor.empty() : tensor<4x5xf64, #CSR>
  %Z = linalg.generic #each ins(%A : tensor<4x5xf64, #CSR>)
      outs(%empty : tensor<4x5xf64, #CSR>) {
  ^bb0(%a: f64, %z: f64):
    %0 = math.fma %a, %a, %a : f64
    linalg.yield %0 : f64
  } -> tensor<4x5xf64, #CSR>
  %none = tensor.empty() : tensor<4x5xf64>
  %E = linalg.generic #each ins(%D : tensor<4x5xf64>) outs(%none : tensor<4x5xf64>) {
  ^bb0(%d: f64, %e: f64):
    linalg.yield %d : f64
  } -> tensor<4x5xf64>
  return %Z, %E : tensor<4x5xf64, #CSR>, tensor<4x5xf64>
}

// -----

#Batched = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : batch, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// What is made in batches has no elements before.
//
// CHECK-LABEL: func.func @negative_batches(
// CHECK:         linalg.generic
// REMARK-NOT:  remark:
// REMARK:      remark: left to upstream's sparsifier: an output in batches may have elements already
func.func @negative_batches(%A: tensor<4x5xf64, #Batched>, %B: tensor<4x5xf64, #Batched>)
    -> tensor<4x5xf64, #Batched> {
  %Z = linalg.generic #each ins(%A : tensor<4x5xf64, #Batched>)
      outs(%B : tensor<4x5xf64, #Batched>) {
  ^bb0(%a: f64, %b: f64):
    %0 = arith.subf %b, %a : f64
    linalg.yield %0 : f64
  } -> tensor<4x5xf64, #Batched>
  return %Z : tensor<4x5xf64, #Batched>
}

// -----

#Ones = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), explicitVal = 1.0 : f64 }>
#each = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

// CHECK-LABEL: func.func @negative_explicit_value(
// CHECK:         linalg.generic
// REMARK:      remark: left to upstream's sparsifier: its elements are computed, and the type of the output has them
func.func @negative_explicit_value(%x: tensor<5xf64, #Ones>) -> tensor<5xf64, #Ones> {
  %empty = tensor.empty() : tensor<5xf64, #Ones>
  %y = linalg.generic #each ins(%x : tensor<5xf64, #Ones>) outs(%empty : tensor<5xf64, #Ones>) {
  ^bb0(%a: f64, %z: f64):
    %0 = arith.negf %a : f64
    linalg.yield %0 : f64
  } -> tensor<5xf64, #Ones>
  return %y : tensor<5xf64, #Ones>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// A kernel fills its output itself.
//
// CHECK-NOT:     module @kernel_1
// CHECK-LABEL: func.func @filled(
// CHECK-NOT:     linalg
// CHECK:         call @nacho_kernel_0(%{{[^,]+}}) :
// CHECK-NOT:     call
// CHECK:         return
func.func @filled(%A: tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<4x4xf64, #CSR>
  %filled = linalg.fill ins(%zero : f64) outs(%empty : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  %Z = linalg.matmul ins(%A, %A : tensor<4x4xf64, #CSR>, tensor<4x4xf64, #CSR>)
      outs(%filled : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  return %Z : tensor<4x4xf64, #CSR>
}

// -----

#Vector = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#add = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

// What a kernel makes in place of an argument that the op would overwrite is copied
// there.
//
// CHECK-LABEL: func.func @overwrite(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf64, #{{.+}}>, %[[Y:.+]]: tensor<4xf64>)
// CHECK:         %[[MEMREF:.+]] = call @nacho_kernel_0(%[[X]], %[[Y]])
// CHECK:         %[[MADE:.+]] = bufferization.to_tensor %[[MEMREF]] restrict writable
// CHECK:         %[[COPIED:.+]] = bufferization.materialize_in_destination %[[MADE]] in %[[Y]]
// CHECK:         bufferization.dealloc_tensor %[[MADE]]
// CHECK:         return %[[COPIED]]
func.func @overwrite(%x: tensor<4xf64, #Vector>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %z = linalg.generic #add ins(%x : tensor<4xf64, #Vector>) outs(%y : tensor<4xf64>) {
  ^bb0(%a: f64, %b: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  return %z : tensor<4xf64>
}
