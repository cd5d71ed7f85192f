// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' | FileCheck %s

// Lists whose coordinates are in one array, as results.

#PAIRS = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton), posWidth = 32, crdWidth = 32 }>
#ROWS = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : compressed(nonunique), d2 : singleton), posWidth = 64, crdWidth = 32 }>
#LIST = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>

// A result has one buffer for the coordinates of the list, and both are appended to it.
//
// CHECK-LABEL: func.func @result_compute(
// CHECK-SAME:    %offsets: memref<?x1xindex>, %pos1: memref<?xi64>, %crd1: memref<?xi32>, %values: memref<?xf64>
// CHECK-DAG:     %[[FIRST:.+]] = memref.reinterpret_cast %crd1 to offset: [0], sizes: [%{{.+}}], strides: [2]
// CHECK-DAG:     %[[SECOND:.+]] = memref.reinterpret_cast %crd1 to offset: [1], sizes: [%{{.+}}], strides: [2]
// CHECK:               nacho.coiterate %k of {{.+}} iter_args(%[[AT:[^ ]+]] = %{{[^ ]+}} : index) {
// CHECK:                 scf.if %{{.+}} {
// CHECK-NEXT:              memref.store %a, %values[%[[AT]]]
// CHECK-NEXT:              %[[J:.+]] = arith.index_castui %j : index to i32
// CHECK-NEXT:              memref.store %[[J]], %[[FIRST]][%[[AT]]]
// CHECK-NEXT:              %[[K:.+]] = arith.index_castui %k : index to i32
// CHECK-NEXT:              memref.store %[[K]], %[[SECOND]][%[[AT]]]
func.func @result(%A: tensor<?x?x?xf64, #CSF>) -> tensor<?x?x?xf64, #ROWS> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>)
      -> [i, j, k] : tensor<?x?x?xf64, #ROWS> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?x?xf64, #ROWS>
}

// Where every level has coordinates of its own, nothing changes.
//
// CHECK-LABEL: func.func @negative_apart_compute(
// CHECK-SAME:    %pos0: memref<?xi32>, %crd0: memref<?xi32>, %crd1: memref<?xi32>, %values: memref<?xf64>
// CHECK-NOT:     memref.reinterpret_cast
// CHECK:         return
func.func @negative_apart(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #LIST> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64, #LIST> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #LIST>
}
