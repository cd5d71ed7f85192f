// RUN: nacho-opt %s -mlir-print-local-scope --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(nacho-concretize,nacho-partition-loops{cost="#nacho.cost_model<entries, 4 * units>"},cse)' | FileCheck %s
// RUN: nacho-opt %s -mlir-print-local-scope --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(nacho-concretize,nacho-partition-loops,cse)' | FileCheck %s
// RUN: nacho-opt %s -mlir-print-local-scope --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(nacho-concretize,nacho-partition-loops{cost="#nacho.cost_model<3 * entries, units>"},cse)' | FileCheck %s --check-prefix=HEAVY

// Models that are written out, with weights: each row costs as much as 4 of its entries, as by
// default, or an entry as much as 3 rows. What belongs to a row is charged at its first column.

// CHECK-LABEL: func.func @rows(
// CHECK:         %[[ROWS:.+]] = sparse_tensor.lvl
// CHECK:         %[[ENTRIES:.+]] = nacho.cost <nnz> %A0 :
// CHECK-NEXT:    %[[FOUR:.+]] = arith.constant 4 : index
// CHECK-NEXT:    %[[STEPS:.+]] = arith.muli %[[ROWS]], %[[FOUR]] : index
// CHECK:         %[[BOUNDED:.+]] = arith.select %{{.+}}, %[[STEPS]], %{{.+}} : index
// CHECK-NEXT:    arith.addi %[[ENTRIES]], %[[BOUNDED]] : index
// CHECK:         nacho.partition %total of(%A0) into %parts loops {{\[\[}}0], [0]] delta 5
// CHECK:           nacho.search %query
// CHECK-NEXT:      ^bb0(%[[I:.+]]: index, %[[POS:.+]]: index):
// CHECK-NEXT:        %[[ENTRIES:.+]] = nacho.cost <nnz> %A0 to %[[POS]]
// CHECK-NEXT:        %[[STEPS:.+]] = arith.muli %[[I]], %[[FOUR]] : index
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[ENTRIES]], %[[STEPS]] : index
// CHECK-NEXT:        nacho.yield %[[COST]]
// CHECK:           nacho.search %residual
// CHECK-NEXT:      ^bb0(%[[J:.+]]: index, %[[POS:.+]]: index):
// CHECK-NEXT:        %[[ENTRIES:.+]] = nacho.cost <nnz> %A1 to %[[POS]]
// CHECK-NEXT:        %[[CHARGED:.+]] = arith.cmpi ne, %[[J]], %[[ZERO:.+]] : index
// CHECK-NEXT:        %[[ROW:.+]] = arith.select %[[CHARGED]], %[[FOUR]], %[[ZERO]] : index
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[ENTRIES]], %[[ROW]] : index
// CHECK-NEXT:        nacho.yield %[[COST]]

// HEAVY-LABEL: func.func @rows(
// HEAVY:         %[[ENTRIES:.+]] = nacho.cost <nnz> %A0 :
// HEAVY-NEXT:    %[[THREE:.+]] = arith.constant 3 : index
// HEAVY-NEXT:    %[[WEIGHTED:.+]] = arith.muli %[[ENTRIES]], %[[THREE]] : index
// HEAVY-NEXT:    arith.addi %[[WEIGHTED]], %{{.+}} : index
// HEAVY:         nacho.partition %total of(%A0) into %parts loops {{\[\[}}0], [0]] delta 4
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @rows(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %neg = nacho.unary neg %a : f64
    nacho.yield %neg : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
