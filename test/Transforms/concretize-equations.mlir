// RUN: nacho-opt %s -nacho-concretize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>

// for m in A, for k in F: where i = (m - k) / 2 is an index: E[i, k] = A[m] * F[k]
//
// CHECK-LABEL: func.func @list(
// CHECK:         %[[N_I:.+]] = arith.constant 4 : index
// CHECK:         nacho.nest collect<sorted_list>
// CHECK:           nacho.coiterate %m of (%[[A1:[^ ]+]] = %{{.+}} : !{{.+}}) in %[[A1]] {
// CHECK-NEXT:        nacho.coiterate %k of (%[[F1:[^ ]+]] = %{{.+}} : !{{.+}}) in %[[F1]] {
// CHECK-NEXT:          %[[A:.+]] = nacho.load %[[A1]]
// CHECK-NEXT:          %[[F:.+]] = nacho.load %[[F1]]
// CHECK-NEXT:          %[[MUL:.+]] = nacho.binary mul %[[A]], %[[F]] : f64
// CHECK-NEXT:          %[[I:.+]], %[[INSIDE:.+]] = nacho.derive(%m, %k) by [1, -1] plus 0 over 2 to %[[N_I]]
// CHECK-NEXT:          nacho.append %[[MUL]] at(%[[I]], %k) if %[[INSIDE]] : f64
func.func @list(%A: tensor<?xf64, #SV>, %F: tensor<?xf64, #SV>) -> tensor<?x?xf64, #List> {
  %I = nacho.coordinates : tensor<4xi64>
  %E = nacho.assign collect<sorted_list> (%a = %A[m] : tensor<?xf64, #SV>, %f = %F[k] : tensor<?xf64, #SV>,
                                          %i = %I[i] : tensor<4xi64>)
      where (i = m - k over 2) -> [i, k] : tensor<?x?xf64, #List> {
    %0 = nacho.binary mul %a, %f : f64
    nacho.yield %0 : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// A is only read where it has elements.
//
// CHECK-LABEL: func.func @located(
// CHECK:         nacho.coiterate %i to %{{.+}} of () in intersect() {
// CHECK-NEXT:      nacho.coiterate %k of
// CHECK:             %[[M:.+]], %[[INSIDE:.+]] = nacho.derive(%i, %k) by [2, 1] plus 0 over 1 to %{{.+}}
// CHECK-NEXT:        %{{.+}} = nacho.locate %{{.+}}[%[[M]]] if %[[INSIDE]] : tensor<9xf64>
func.func @located(%A: tensor<9xf64>, %F: tensor<?xf64, #SV>) -> tensor<4xf64> {
  %I = nacho.coordinates : tensor<4xi64>
  %O = nacho.assign (%a = %A[m] : tensor<9xf64>, %f = %F[k] : tensor<?xf64, #SV>, %i = %I[i] : tensor<4xi64>)
      where (m = 2 * i + k) -> [i] : tensor<4xf64> {
    %0 = nacho.binary mul %a, %f : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  } {order = ["i", "k"]}
  return %O : tensor<4xf64>
}

// The coordinates of two levels are compared.
//
// CHECK-LABEL: func.func @condition(
// CHECK:           %[[M:.+]], %[[INSIDE:.+]] = nacho.derive(%i) by [1] plus 1 over 1 to %{{.+}}
// CHECK:           %[[SAME:.+]] = arith.cmpi eq, %[[M]], %[[STORED:.+]] : index
// CHECK:           %[[BOTH:.+]] = arith.andi %[[INSIDE]], %[[SAME]] : i1
// CHECK:           nacho.append %{{.+}} at(%i, %[[STORED]]) if %[[BOTH]] : f64
func.func @condition(%A: tensor<?x?xf64, #List>) -> tensor<?x?xf64, #List> {
  %E = nacho.assign collect<sorted_list> (%a = %A[i, m] : tensor<?x?xf64, #List>)
      where (m = i + 1) -> [i, m] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}
