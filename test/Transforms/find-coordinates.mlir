// RUN: nacho-opt %s -nacho-concretize -cse -nacho-find-coordinates -cse --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-concretize -cse -nacho-find-coordinates=seek-in-lanes -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=SEARCH

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#Rows = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense) }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#Sums = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa),
                         d2 : singleton(soa)) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
!x0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!x1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>

//===----------------------------------------------------------------------===//
// Nothing to be found
//===----------------------------------------------------------------------===//

// Z[i, j] = A[i, j] + x[j]: A does not tell where x is.
//
// CHECK-LABEL: func.func @negative_union(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B1 = %B0 : {{.+}}) in union(%A2, %B1) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_union(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] * x[j] + y[j]: what is visited for y visits x on the way.
//
// CHECK-LABEL: func.func @negative_union_in_part(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %j of ({{.+}}) in union(intersect(%A2, %B1), %C1) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_union_in_part(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>,
                                  %y: tensor<?xf64, #SV>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>,
                     %c = %y[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary add %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = x[i] * y[j] * z[j]: either could be looked into, but not both.
//
// CHECK-LABEL: func.func @negative_all_repeated(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %j of (%B1 = %B0 : {{.+}}, %C1 = %C0 : {{.+}}) in intersect(%B1, %C1) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_all_repeated(%x: tensor<?xf64, #SV>, %y: tensor<?xf64, #SV>,
                                 %z: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %x[i] : tensor<?xf64, #SV>, %b = %y[j] : tensor<?xf64, #SV>,
                     %c = %z[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, j] * x[j] for a row with all columns, in which those of x are located.
//
// CHECK-LABEL: func.func @negative_dense_loop(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A2, %B1) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_dense_loop(%A: tensor<?x?xf64, #Rows>, %x: tensor<?xf64, #SV>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #Rows>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j, k] = A[i, j, k] * x[j]: with every step of x that is saved there would be a loop
// that is run for nothing.
//
// CHECK-LABEL: func.func @negative_not_innermost(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A2, %B1) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_not_innermost(%A: tensor<?x?x?xf64, #CSF>, %x: tensor<?xf64, #SV>)
    -> tensor<?x?x?xf64, #CSF> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j, k] : tensor<?x?x?xf64, #CSF> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64, #CSF>
}

// The row of a mask in COO has no position of its own.
//
// CHECK-LABEL: func.func @negative_runs(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %k of (%A2 = %A1 : {{.+}}, %C2 = %C1 : {{.+}}) in intersect(%A2, %C2) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_runs(%M: tensor<?x?xf64, #COO>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #Sums> {
  %E = nacho.assign collect<part_sums> (%m = %M[i, k] : tensor<?x?xf64, #COO>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k, part] : tensor<?x?x?xf64, #Sums> {
    %0 = nacho.binary mul %m, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Sums>
}

// A row of COO comes once for each of its entries.
//
// CHECK-LABEL: func.func @negative_repeating(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %{{.+}} of (%[[A:.+]] = %{{.+}} : {{.+}}, %[[C:.+]] = %{{.+}} : {{.+}}) in intersect(%[[A]], %[[C]]) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_repeating(%A: tensor<?x?xf64, #CSR>, %C: tensor<?x?xf64, #COO>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %C0 = nacho.root %C : tensor<?x?xf64, #COO>
  %Z = nacho.nest : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1, %C1 = %C0 : !C0)
          in intersect(%A2, %C1) {
        %a = nacho.load %A2 : !A2
        nacho.append %a at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return
}

// The cuts are through the loops as they are.
//
// CHECK-LABEL: func.func @negative_cuts(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %{{.+}} of (%[[A:.+]] = %{{.+}} : {{.+}}, %[[B:.+]] = %{{.+}} : {{.+}}) in intersect(%[[A]], %[[B]]) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_cuts(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>, %cuts: !nacho.cuts<1, 2>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %B0 = nacho.root %x : tensor<?xf64, #SV>
  %Z = nacho.nest in %cuts : !nacho.cuts<1, 2> : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1, %B1 = %B0 : !x0) in intersect(%A2, %B1) {
        %a = nacho.load %A2 : !A2
        nacho.append %a at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return
}

// z[i] = x[i] * y[i]: nothing is merged twice.
//
// CHECK-LABEL: func.func @negative_single_loop(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_single_loop(%x: tensor<?xf64, #SV>, %y: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %z = nacho.assign (%a = %x[i] : tensor<?xf64, #SV>, %b = %y[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<?xf64, #SV>
}

// Z[i, j] = A[i, j] * B[i, j]: nor here.
//
// CHECK-LABEL: func.func @negative_other_rows(
// CHECK-NOT:     nacho.find
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B2 = %B1 : {{.+}}) in intersect(%A2, %B2) {
// CHECK-NOT:     nacho.find
// CHECK:         return
func.func @negative_other_rows(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

//===----------------------------------------------------------------------===//
// Intersections
//===----------------------------------------------------------------------===//

// E[i, k, part] = sum_j M[i, k] * A[i, j] * B[j, k]: the row of M is the same for all j.
//
// for i in M n A:
//   for j in A[i] n B:
//     for k in B[j]:
//       m = M[i] at k
//       E[i, k, part] += m * A[i, j] * B[j, k] if m is present
//
// CHECK-LABEL: func.func @mask(
// CHECK:         nacho.nest collect<part_sums> : tensor<{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) {
// CHECK-NEXT:        nacho.coiterate %j of (%B2 = %B1 : {{.+}}, %C1 = %C0 : {{.+}}) in intersect(%B2, %C1) {
// CHECK-NEXT:          nacho.coiterate %k of (%C2 = %C1 : {{[^)]+}}) in %C2 {
// CHECK-NEXT:            %A2 = nacho.find %k in %A1 :
// CHECK-NEXT:            %[[THERE:.+]] = nacho.present %A2 :
// CHECK-NEXT:            %a = nacho.load %A2
// CHECK-NEXT:            %b = nacho.load %B2
// CHECK-NEXT:            %c = nacho.load %C2
// CHECK-NEXT:            %[[MA:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:            %[[MAB:.+]] = nacho.binary mul %[[MA]], %c : f64
// CHECK-NEXT:            %[[PART:.+]] = nacho.part
// CHECK-NEXT:            nacho.append %[[MAB]] at(%i, %k, %[[PART]]) if %[[THERE]] : f64
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
//
// Cuts divide the rows, so that lanes do not share them.
//
// SEARCH-LABEL: func.func @mask(
// SEARCH:           nacho.coiterate %k of (%C2 = %C1 : {{[^)]+}}) in %C2 {
// SEARCH-NEXT:        %A2 = nacho.find %k in %A1 :
func.func @mask(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #Sums> {
  %E = nacho.assign collect<part_sums> (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k, part] : tensor<?x?x?xf64, #Sums> {
    %0 = nacho.binary mul %m, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Sums>
}

// Rows are whole: the lanes of a warp search the row of the mask.
//
// CHECK-LABEL:  func.func @mask_of_whole_rows(
// CHECK:            %A2 = nacho.find %k in %A1 of_row :
// SEARCH-LABEL: func.func @mask_of_whole_rows(
// SEARCH:           nacho.coiterate %k of (%C2 = %C1 : {{[^)]+}}) in %C2 {
// SEARCH-NEXT:        %A2 = nacho.seek %k in %A1 :
// SEARCH-NEXT:        %{{.+}} = nacho.present %A2 :
func.func @mask_of_whole_rows(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>,
                              %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign collect<whole_rows> (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %m, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  } {order = ["i", "j", "k"]}
  return %Z : tensor<?x?xf64, #CSR>
}

// Both of them have to be there.
//
// CHECK-LABEL: func.func @two_masks(
// CHECK:         nacho.coiterate %k of (%D2 = %D1 : {{[^)]+}}) in %D2 {
// CHECK-NEXT:      %A2 = nacho.find %k in %A1 :
// CHECK-NEXT:      %B2 = nacho.find %k in %B1 :
// CHECK-NEXT:      %[[M:.+]] = nacho.present %A2 :
// CHECK-NEXT:      %[[N:.+]] = nacho.present %B2 :
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[M]], %[[N]] : i1
// CHECK:           nacho.append %{{.+}} at(%i, %k, %{{.+}}) if %[[BOTH]] : f64
func.func @two_masks(%M: tensor<?x?xf64, #CSR>, %N: tensor<?x?xf64, #DCSR>,
                     %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #Sums> {
  %E = nacho.assign collect<part_sums> (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %n = %N[i, k] : tensor<?x?xf64, #DCSR>,
                     %a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #Sums> {
    %0 = nacho.binary mul %m, %n : f64
    %1 = nacho.binary mul %0, %a : f64
    %2 = nacho.binary mul %1, %b : f64
    nacho.yield %2 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Sums>
}

// y[i] = sum_j A[i, j] * x[j]: a root is the same for all rows.
//
// for i in A:
//   for j in A[i]:
//     b = x at j
//     y[i] += A[i, j] * b if b is present
//
// CHECK-LABEL: func.func @sparse_vector(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^)]+}}) in %A1 {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^)]+}}) in %A2 {
// CHECK-NEXT:        %B1 = nacho.find %j in %B0 :
// CHECK-NEXT:        %[[THERE:.+]] = nacho.present %B1 :
// CHECK-NEXT:        %a = nacho.load %A2
// CHECK-NEXT:        %b = nacho.load %B1
// CHECK-NEXT:        %[[AX:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:        nacho.append %[[AX]] at(%i) if %[[THERE]] : f64
func.func @sparse_vector(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// Z[i, j, k] = A[i, j, k] * B[i, k]: the row of B is the same for all j, but not for all i;
// it is looked into where the loop over i has found it.
//
// CHECK-LABEL: func.func @middle(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^)]+}}) in %A2 {
// CHECK-NEXT:        nacho.coiterate %k of (%A3 = %A2 : {{[^)]+}}) in %A3 {
// CHECK-NEXT:          %B2 = nacho.find %k in %B1 of_row :
// CHECK-NEXT:          %[[THERE:.+]] = nacho.present %B2 :
// CHECK:               nacho.append %{{.+}} at(%i, %j, %k) if %[[THERE]] : f64
func.func @middle(%A: tensor<?x?x?xf64, #CSF>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?x?xf64, #CSF> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %b = %B[i, k] : tensor<?x?xf64, #DCSR>)
      -> [i, j, k] : tensor<?x?x?xf64, #CSF> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64, #CSF>
}

//===----------------------------------------------------------------------===//
// Unions
//===----------------------------------------------------------------------===//

// Z[i, j] = A[i, j] * (x[j] + y[j]): one of them has to be there.
//
// CHECK-LABEL: func.func @union_of_repeated(
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{[^)]+}}) in %A2 {
// CHECK-NEXT:      %B1 = nacho.find %j in %B0 :
// CHECK-NEXT:      %C1 = nacho.find %j in %C0 :
// CHECK-NEXT:      %[[X:.+]] = nacho.present %B1 :
// CHECK-NEXT:      %[[Y:.+]] = nacho.present %C1 :
// CHECK-NEXT:      %[[EITHER:.+]] = arith.ori %[[X]], %[[Y]] : i1
// CHECK:           nacho.append %{{.+}} at(%i, %j) if %[[EITHER]] : f64
func.func @union_of_repeated(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>, %y: tensor<?xf64, #SV>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>,
                     %c = %y[j] : tensor<?xf64, #SV>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %b, %c : f64
    %1 = nacho.binary mul %a, %0 : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = (A[i, j] + B[i, j]) * x[j]: it does not matter which row has the column.
//
// CHECK-LABEL: func.func @union_of_others(
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B2 = %B1 : {{.+}}) in union(%A2, %B2) {
// CHECK-NEXT:      %C1 = nacho.find %j in %C0 :
// CHECK-NEXT:      %[[A:.+]] = nacho.present %A2 :
// CHECK-NEXT:      %[[B:.+]] = nacho.present %B2 :
// CHECK-NEXT:      %[[X:.+]] = nacho.present %C1 :
// CHECK-NEXT:      %[[EITHER:.+]] = arith.ori %[[A]], %[[B]] : i1
// CHECK-NEXT:      %[[HOLDS:.+]] = arith.andi %[[EITHER]], %[[X]] : i1
// CHECK:           nacho.append %{{.+}} at(%i, %j) if %[[HOLDS]] : f64
func.func @union_of_others(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>,
                     %c = %x[j] : tensor<?xf64, #SV>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] * x[j] + B[i, j]: what A has without x is visited, and left out if B does
// not have it.
//
// CHECK-LABEL: func.func @partly_repeated(
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %C2 = %C1 : {{.+}}) in union(%A2, %C2) {
// CHECK-NEXT:      %B1 = nacho.find %j in %B0 :
// CHECK-NEXT:      %[[A:.+]] = nacho.present %A2 :
// CHECK-NEXT:      %[[X:.+]] = nacho.present %B1 :
// CHECK-NEXT:      %[[B:.+]] = nacho.present %C2 :
// CHECK-NEXT:      %[[AX:.+]] = arith.andi %[[A]], %[[X]] : i1
// CHECK-NEXT:      %[[HOLDS:.+]] = arith.ori %[[AX]], %[[B]] : i1
// CHECK:           %[[PRODUCT:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:      nacho.restrict %[[PRODUCT]] to intersect(%A2, %B1) : f64
// CHECK:           nacho.append %{{.+}} at(%i, %j) if %[[HOLDS]] : f64
func.func @partly_repeated(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>,
                     %c = %B[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary add %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] * (x[j] + y[j]), where y has all columns: x may be there or not, and
// what is found needs no condition.
//
// CHECK-LABEL: func.func @not_asked_for(
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{[^)]+}}) in %A2 {
// CHECK-NEXT:      %B1 = nacho.find %j in %B0 :
// CHECK-NOT:       nacho.present
// CHECK:           nacho.append %{{.+}} at(%i, %j) : f64
func.func @not_asked_for(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>, %y: tensor<?xf64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>,
                     %c = %y[j] : tensor<?xf64>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %b, %c : f64
    %1 = nacho.binary mul %a, %0 : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

//===----------------------------------------------------------------------===//
// Guards and conditions
//===----------------------------------------------------------------------===//

// Z[i, j] = x[j] * A[i, j] * w[i] + B[i, j]: w has been asked for outside, and comes after
// what the loop steps through, of which there is one less now.
//
// CHECK-LABEL: func.func @guards(
// CHECK:         nacho.coiterate %j of (%B2 = %B1 : {{.+}}, %D2 = %D1 : {{.+}}) given (%C1 : {{[^)]+}}) in union(intersect(%B2, %C1), %D2) {
// CHECK-NEXT:      %A1 = nacho.find %j in %A0 :
// CHECK-NEXT:      %[[X:.+]] = nacho.present %A1 :
// CHECK-NEXT:      %[[A:.+]] = nacho.present %B2 :
// CHECK-NEXT:      %[[B:.+]] = nacho.present %D2 :
// CHECK-NEXT:      %[[W:.+]] = nacho.present %C1 :
// CHECK-NEXT:      %[[XA:.+]] = arith.andi %[[X]], %[[A]] : i1
// CHECK-NEXT:      %[[XAW:.+]] = arith.andi %[[XA]], %[[W]] : i1
// CHECK-NEXT:      %[[HOLDS:.+]] = arith.ori %[[XAW]], %[[B]] : i1
// CHECK:           nacho.append %{{.+}} at(%i, %j) if %[[HOLDS]] : f64
func.func @guards(%x: tensor<?xf64, #SV>, %w: tensor<?xf64, #SV>, %A: tensor<?x?xf64, #DCSR>,
                  %B: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %x[j] : tensor<?xf64, #SV>, %b = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %c = %w[i] : tensor<?xf64, #SV>,
                     %d = %B[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.binary add %1, %d : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Entries that had a condition have two.
//
// CHECK-LABEL: func.func @conditions(
// CHECK:         nacho.coiterate
// CHECK-NEXT:    nacho.coiterate %[[J:.+]] of (%{{.+}} = %{{.+}} : {{[^)]+}}) in %{{.+}} {
// CHECK-NEXT:      %[[FOUND:.+]] = nacho.find %[[J]] in
// CHECK-NEXT:      %[[THERE:.+]] = nacho.present %[[FOUND]]
// CHECK-NEXT:      %[[ON:.+]] = arith.cmpi eq
// CHECK-NEXT:      %{{.+}} = nacho.load
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[ON]], %[[THERE]] : i1
// CHECK-NEXT:      nacho.append %{{.+}} if %[[BOTH]] : f64
// CHECK-NEXT:      nacho.append %{{.+}} to 1 at{{.*}} if %[[THERE]] : f64
func.func @conditions(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %y = nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1, %x1 = %x0 : !x0) in intersect(%A2, %x1) {
        %p = arith.cmpi eq, %i, %j : index
        %a = nacho.load %A2 : !A2
        nacho.append %a to 0 at (%i) if %p : f64
        nacho.append %a to 1 at (%i) : f64
      }
    }
    nacho.yield
  } finish {
  ^bb0(%s: f64, %t: f64):
    %0 = nacho.binary add %s, %t : f64
    nacho.yield %0 : f64
  }
  return
}
