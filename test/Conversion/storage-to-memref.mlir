// RUN: nacho-opt %s -convert-nacho-storage-to-memref -split-input-file -verify-diagnostics | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 64 }>
#DCSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : compressed, d0 : compressed), posWidth = 64, crdWidth = 32 }>

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 32 }>
#F = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : dense) }>

// Nothing to be replaced: buffers stay as they are, and so does what is only declared.
//
// CHECK-LABEL: func.func @negative_buffers(
// CHECK-SAME:    %[[M:.+]]: memref<?x?xf64>, %[[N:.+]]: index) -> memref<?x?xf64>
func.func @negative_buffers(%M: memref<?x?xf64>, %n: index) -> memref<?x?xf64> {
  return %M : memref<?x?xf64>
}

// CHECK: func.func private @negative_external(tensor<?xf64>)
func.func private @negative_external(tensor<?xf64>)

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

// Runs have positions at their first level only, singletons never.
//
// CHECK-LABEL: func.func @coo(
// CHECK-SAME:    %[[POS0:[^ ]+]]: memref<?xi64>, %[[CRD0:[^ ]+]]: memref<?xi32>, %[[CRD1:[^ ]+]]: memref<?xi32>, %[[VALUES:[^ ]+]]: memref<?xf32>, %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index,
// CHECK-SAME:    %[[P:[^ ]+]]: index)
// CHECK-DAG:     memref.load %[[POS0]][%[[P]]]
// CHECK-DAG:     memref.load %[[CRD0]][%[[P]]]
// CHECK-DAG:     memref.load %[[CRD1]][%[[P]]]
// CHECK:         return
func.func @coo(%A: tensor<?x?xf32, #COO>, %p: index) {
  %pos0 = sparse_tensor.positions %A {level = 0 : index} : tensor<?x?xf32, #COO> to memref<?xi64>
  %0 = memref.load %pos0[%p] : memref<?xi64>
  %crd0 = sparse_tensor.coordinates %A {level = 0 : index} : tensor<?x?xf32, #COO> to memref<?xi32>
  %1 = memref.load %crd0[%p] : memref<?xi32>
  %crd1 = sparse_tensor.coordinates %A {level = 1 : index} : tensor<?x?xf32, #COO> to memref<?xi32>
  %2 = memref.load %crd1[%p] : memref<?xi32>
  return
}

// A dense tensor is its values and its extents:
//   A[i, j, k] = values[(i * M + j) * K + k]
//
// CHECK-LABEL: func.func @dense(
// CHECK-SAME:    %[[VALUES:[^ ]+]]: memref<?xi8>, %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index, %[[K:[^ ]+]]: index,
// CHECK-SAME:    %[[i:[^ ]+]]: index, %[[j:[^ ]+]]: index, %[[k:[^ ]+]]: index) -> (i8, index)
// CHECK:         %[[ROW:.+]] = arith.muli %[[i]], %[[M]] : index
// CHECK-NEXT:    %[[COLUMN:.+]] = arith.addi %[[ROW]], %[[j]] : index
// CHECK-NEXT:    %[[BEGIN:.+]] = arith.muli %[[COLUMN]], %[[K]] : index
// CHECK-NEXT:    %[[AT:.+]] = arith.addi %[[BEGIN]], %[[k]] : index
// CHECK-NEXT:    %[[VALUE:.+]] = memref.load %[[VALUES]][%[[AT]]] : memref<?xi8>
// CHECK-NEXT:    return %[[VALUE]], %[[M]] : i8, index
func.func @dense(%A: tensor<?x?x?xi8>, %i: index, %j: index, %k: index) -> (i8, index) {
  %one = arith.constant 1 : index
  %a = tensor.extract %A[%i, %j, %k] : tensor<?x?x?xi8>
  %m = tensor.dim %A, %one : tensor<?x?x?xi8>
  return %a, %m : i8, index
}

// With its columns first: A[i, j] = values[j * N + i], the extents in the order of the levels.
//
// CHECK-LABEL: func.func @columns_first(
// CHECK-SAME:    %[[VALUES:[^ ]+]]: memref<?xf64>, %[[M:[^ ]+]]: index, %[[N:[^ ]+]]: index, %[[i:[^ ]+]]: index, %[[j:[^ ]+]]: index) -> (f64, index, index)
// CHECK:         %[[COLUMN:.+]] = arith.muli %[[j]], %[[N]] : index
// CHECK-NEXT:    %[[AT:.+]] = arith.addi %[[COLUMN]], %[[i]] : index
// CHECK-NEXT:    %[[VALUE:.+]] = memref.load %[[VALUES]][%[[AT]]]
// CHECK-NEXT:    return %[[VALUE]], %[[N]], %[[M]] : f64, index, index
func.func @columns_first(%A: tensor<?x?xf64, #F>, %i: index, %j: index) -> (f64, index, index) {
  %zero = arith.constant 0 : index
  %a = tensor.extract %A[%i, %j] : tensor<?x?xf64, #F>
  %rows = tensor.dim %A, %zero : tensor<?x?xf64, #F>
  %columns = sparse_tensor.lvl %A, %zero : tensor<?x?xf64, #F>
  return %a, %rows, %columns : f64, index, index
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

// -----

// Elements of a tensor that is not dense are not found by their coordinates.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @element(%A: tensor<?xf64, #SV>, %i: index) -> f64 {
  // expected-error @below {{cannot be lowered to the buffers of}}
  %0 = tensor.extract %A[%i] : tensor<?xf64, #SV>
  return %0 : f64
}

// -----

// A dense tensor is as much ours as a sparse one.

func.func @dense_returned(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{cannot be lowered to the buffers of 'tensor<?xf64>'}}
  return %A : tensor<?xf64>
}
