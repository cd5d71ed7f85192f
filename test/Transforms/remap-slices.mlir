// RUN: nacho-opt %s -nacho-concretize -cse -nacho-remap-intersections=cost=nnz -cse --mlir-use-nameloc-as-prefix | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>

// The columns of a row that lie in the slice are counted by search: rows are listed, each
// with the number of its entries there.
//
// CHECK-LABEL: func.func @columns(
// CHECK:         %[[S:.+]] = nacho.slice
// CHECK:         %[[A0:.+]] = nacho.root %[[S]]
// CHECK:         %[[L:.+]] = nacho.nest collect<scanned_list>
// CHECK-NEXT:      nacho.coiterate %i of (%[[A1:.+]] = %[[A0]] : !{{.+}}) in %[[A1]] nonempty(%[[A1]]) {
// CHECK-NEXT:        %[[AT:.+]] = nacho.position %[[A1]]
// CHECK:             %[[COST:.+]] = nacho.cost <nnz> %[[A1]]
// CHECK:             nacho.append %{{.+}} at(%i, %[[AT]]) : i64
// CHECK:         nacho.nest collect<sorted_list>
// CHECK-NEXT:      nacho.coiterate %i of (%[[L1:.+]] = %{{.+}} : !{{.+}}) in %[[L1]] {
// CHECK:             %[[KEPT:.+]] = nacho.fiber_at %[[A0]][%{{.+}}] certain
// CHECK-NEXT:        nacho.coiterate %j of (%[[A2:.+]] = %[[KEPT]] : !{{.+}}) in %[[A2]] {
func.func @columns(%A: tensor<8x8xf64, #CSR>) -> tensor<?x?xf64, #List> {
  %S = nacho.slice %A[1, 2] [4, 3] [1, 1] : tensor<8x8xf64, #CSR> to tensor<4x3xf64, #CSR>
  %E = nacho.assign collect<sorted_list> (%a = %S[i, j] : tensor<4x3xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// All entries of the rows between the ends of the slice belong to it.
//
// CHECK-LABEL: func.func @negative_rows(
// CHECK-NOT:     scanned_list
// CHECK:         nacho.nest collect<sorted_list>
// CHECK-NOT:     scanned_list
// CHECK:         return
func.func @negative_rows(%A: tensor<8x8xf64, #CSR>) -> tensor<?x?xf64, #List> {
  %S = nacho.slice %A[1, 0] [4, 8] [1, 1] : tensor<8x8xf64, #CSR> to tensor<4x8xf64, #CSR>
  %E = nacho.assign collect<sorted_list> (%a = %S[i, j] : tensor<4x8xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// So it is where the extent is known only at run time.
//
// CHECK-LABEL: func.func @negative_rows_of_any_matrix(
// CHECK-NOT:     scanned_list
// CHECK:         nacho.nest collect<sorted_list>
// CHECK-NOT:     scanned_list
// CHECK:         return
func.func @negative_rows_of_any_matrix(%A: tensor<?x?xf64, #CSR>, %size: index) -> tensor<?x?xf64, #List> {
  %one = arith.constant 1 : index
  %columns = tensor.dim %A, %one : tensor<?x?xf64, #CSR>
  %S = nacho.slice %A[1, 0] [%size, %columns] [1, 1] : tensor<?x?xf64, #CSR> to tensor<?x?xf64, #CSR>
  %E = nacho.assign collect<sorted_list> (%a = %S[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// As many columns as there are rows need not be all of them.
//
// CHECK-LABEL: func.func @columns_of_a_square(
// CHECK:         nacho.nest collect<scanned_list>
func.func @columns_of_a_square(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #List> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %A, %zero : tensor<?x?xf64, #CSR>
  %S = nacho.slice %A[0, 0] [%rows, %rows] [1, 1] : tensor<?x?xf64, #CSR> to tensor<?x?xf64, #CSR>
  %E = nacho.assign collect<sorted_list> (%a = %S[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}
