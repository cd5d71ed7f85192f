// RUN: nacho-opt %s -convert-nacho-storage-to-memref -split-input-file -verify-diagnostics | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 64 }>
#DCSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : compressed, d0 : compressed), posWidth = 64, crdWidth = 32 }>

// Other tensors are not ours.
//
// CHECK-LABEL: func.func @negative_dense_tensor(
// CHECK-SAME:    %[[T:.+]]: tensor<?x?xf64>, %[[N:.+]]: index) -> tensor<?x?xf64>
func.func @negative_dense_tensor(%T: tensor<?x?xf64>, %n: index) -> tensor<?x?xf64> {
  return %T : tensor<?x?xf64>
}

// Level by level: positions and coordinates where the level has them, then the
// values, then the extents; a scalar is its value. The callee first or last.
//
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[POS:[^ ]+]]: memref<?xi32>, %[[CRD:[^ ]+]]: memref<?xi64>, %[[VALUES:[^ ]+]]: memref<?xf64>, %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index,
// CHECK-SAME:    %[[S:[^ ]+]]: memref<f32>, %[[P:[^ ]+]]: index)
// CHECK-NEXT:    call @callee(%[[POS]], %[[CRD]], %[[VALUES]], %[[N]], %[[M]], %[[S]], %[[P]])
func.func @caller(%A: tensor<?x?xf64, #CSR>, %s: tensor<f32>, %p: index) {
  call @callee(%A, %s, %p) : (tensor<?x?xf64, #CSR>, tensor<f32>, index) -> ()
  return
}

// CHECK-LABEL: func.func @callee(
// CHECK-SAME:    %[[POS:[^ ]+]]: memref<?xi32>, %[[CRD:[^ ]+]]: memref<?xi64>, %[[VALUES:[^ ]+]]: memref<?xf64>, %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index,
// CHECK-SAME:    %[[S:[^ ]+]]: memref<f32>, %[[P:[^ ]+]]: index)
// CHECK-DAG:     memref.load %[[POS]][%[[P]]] : memref<?xi32>
// CHECK-DAG:     memref.load %[[CRD]][%[[P]]] : memref<?xi64>
// CHECK-DAG:     memref.load %[[VALUES]][%[[P]]] : memref<?xf64>
// CHECK-DAG:     memref.load %[[S]][] : memref<f32>
// CHECK-DAG:     arith.addi %[[N]], %[[M]] : index
// CHECK:         return
func.func @callee(%A: tensor<?x?xf64, #CSR>, %s: tensor<f32>, %p: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %pos = sparse_tensor.positions %A {level = 1 : index} : tensor<?x?xf64, #CSR> to memref<?xi32>
  %0 = memref.load %pos[%p] : memref<?xi32>
  %crd = sparse_tensor.coordinates %A {level = 1 : index} : tensor<?x?xf64, #CSR> to memref<?xi64>
  %1 = memref.load %crd[%p] : memref<?xi64>
  %values = sparse_tensor.values %A : tensor<?x?xf64, #CSR> to memref<?xf64>
  %2 = memref.load %values[%p] : memref<?xf64>
  %3 = tensor.extract %s[] : tensor<f32>
  %n = sparse_tensor.lvl %A, %zero : tensor<?x?xf64, #CSR>
  %m = sparse_tensor.lvl %A, %one : tensor<?x?xf64, #CSR>
  %4 = arith.addi %n, %m : index
  return
}

// The levels of DCSC are columns and then rows: the extents are those of the
// levels, not of the dimensions.
//
// CHECK-LABEL: func.func @dcsc(
// CHECK-SAME:    %[[POS0:[^ ]+]]: memref<?xi64>, %[[CRD0:[^ ]+]]: memref<?xi32>, %[[POS1:[^ ]+]]: memref<?xi64>, %[[CRD1:[^ ]+]]: memref<?xi32>,
// CHECK-SAME:    %{{[^ ]+}}: memref<?xf32>, %[[COLUMNS:[^ ]+]]: index, %[[ROWS:[^ ]+]]: index)
// CHECK-DAG:     memref.dim %[[POS0]]
// CHECK-DAG:     memref.dim %[[CRD1]]
// CHECK:         return %[[COLUMNS]] : index
func.func @dcsc(%A: tensor<?x?xf32, #DCSC>) -> index {
  %zero = arith.constant 0 : index
  %pos = sparse_tensor.positions %A {level = 0 : index} : tensor<?x?xf32, #DCSC> to memref<?xi64>
  %0 = memref.dim %pos, %zero : memref<?xi64>
  %crd = sparse_tensor.coordinates %A {level = 1 : index} : tensor<?x?xf32, #DCSC> to memref<?xi32>
  %1 = memref.dim %crd, %zero : memref<?xi32>
  %n = sparse_tensor.lvl %A, %zero : tensor<?x?xf32, #DCSC>
  return %n : index
}

// -----

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @returned(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  // expected-error @below {{cannot be lowered to the buffers of 'tensor<?xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>'}}
  return %A : tensor<?xf64, #SV>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @any_level(%A: tensor<?xf64, #SV>, %level: index) -> index {
  // expected-error @below {{cannot be lowered to the buffers of}}
  %0 = sparse_tensor.lvl %A, %level : tensor<?xf64, #SV>
  return %0 : index
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @positions_of_dense(%A: tensor<?x?xf64, #CSR>) -> memref<?xindex> {
  // expected-error @below {{cannot be lowered to the buffers of}}
  %0 = sparse_tensor.positions %A {level = 0 : index} : tensor<?x?xf64, #CSR> to memref<?xindex>
  return %0 : memref<?xindex>
}
