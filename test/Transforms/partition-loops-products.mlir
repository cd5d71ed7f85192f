// RUN: nacho-opt %s -nacho-concretize -nacho-partition-loops=cost=flops -cse -split-input-file \
// RUN:   --mlir-use-nameloc-as-prefix | FileCheck %s

// Products are the iterations of the innermost loop. An intersection visits no coordinate
// that its first operand lacks, so the entries of the other operands cost nothing.
//
// CHECK-LABEL: func.func @intersection(
// CHECK:         %[[ALL:.+]] = nacho.cost <loops> %A0 below 1 :
// CHECK-NOT:     nacho.cost
// CHECK:         %total = arith.select %{{.+}}, %c0, %[[ALL]] : index
// CHECK:         nacho.partition %total of(%A0, %B0)
// CHECK-SAME:      delta 1 :
// CHECK:           nacho.search %query of(%A0, %B0)
// CHECK-NEXT:      ^{{.+}}(%i{{.*}}: index, %posA: index, %posB: index):
// CHECK-NEXT:        %[[COST:.+]] = nacho.cost <loops> %A0 to %posA below 1 :
// CHECK-NEXT:        nacho.yield %[[COST]]
// CHECK:           nacho.search %residual of(%A1, %B1)
// CHECK-NEXT:      ^{{.+}}(%j{{.*}}: index, %posA: index, %posB: index):
// CHECK-NEXT:        %[[COST:.+]] = nacho.cost <loops> %A1 to %posA :
// CHECK-NEXT:        nacho.yield %[[COST]]
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @intersection(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}


// -----

// A union visits the coordinates of all operands.
//
// CHECK-LABEL: func.func @union(
// CHECK:         nacho.partition
// CHECK-SAME:      delta 2 :
// CHECK:           nacho.search %residual of(%A1, %B1)
// CHECK-NEXT:      ^{{.+}}(%j{{.*}}: index, %posA: index, %posB: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <loops> %A1 to %posA :
// CHECK-NEXT:        %[[COST_B:.+]] = nacho.cost <loops> %B1 to %posB :
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[COST_A]], %[[COST_B]] : index
// CHECK-NEXT:        nacho.yield %[[COST]]
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @union(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}


// -----

// Each entry of A is multiplied by a whole row. A row is not cut, so it counts as one product.
//
// CHECK-LABEL: func.func @dense_inside(
// CHECK:         nacho.partition %total of(%A0)
// CHECK-SAME{LITERAL}: loops [[0], [0]]
// CHECK-SAME:      delta 1 :
// CHECK:           nacho.search %residual of(%A1)
// CHECK-NEXT:      ^{{.+}}(%j{{.*}}: index, %posA: index):
// CHECK-NEXT:        %[[COST:.+]] = nacho.cost <loops> %A1 to %posA :
// CHECK-NEXT:        nacho.yield %[[COST]]
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
func.func @dense_inside(%A: tensor<?x?xf64, #CSR>, %x: tensor<?x?xf64, #Dense>) -> tensor<?x?xf64, #Dense> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j, k] : tensor<?x?xf64, #Dense>)
      -> [i, k] : tensor<?x?xf64, #Dense> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #Dense>
}
