// RUN: nacho-opt %s -nacho-order-loops=transpose-dense=true --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-order-loops --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=AS-IT-IS

// With transpose-dense, dense operands are transposed where the loop over an
// index that no sparse operand has would step from row to row.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// CHECK-LABEL: func.func @sampled(
// CHECK-SAME:    %[[A:[^:]+]]: tensor<?x?xf64, #sparse>, %[[D:[^:]+]]: tensor<?x?xf64>, %[[E:[^:]+]]: tensor<?x?xf64>)
// CHECK:         %[[T:.+]] = nacho.assign (%[[E_0:.+]] = %[[E]][k, j] : tensor<?x?xf64>) -> [j, k] : tensor<?x?xf64> {
// CHECK-NEXT:      nacho.yield %[[E_0]] : f64
// CHECK:         nacho.assign ({{.*}} = %[[D]][i, k] : {{.*}} = %[[T]][j, k] : tensor<?x?xf64>)
//
// AS-IT-IS-LABEL: func.func @sampled(
// AS-IT-IS-COUNT-1: nacho.assign
// AS-IT-IS-NOT:     nacho.assign
// AS-IT-IS-LABEL: func.func @negative_rows(
func.func @sampled(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64>, %E: tensor<?x?xf64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[i, k] : tensor<?x?xf64>,
                     %e = %E[k, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %d : f64
    %1 = nacho.binary mul %0, %e : f64
    %2 = nacho.reduce add %1 over [k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The loop over k steps along the rows of D.
//
// CHECK-LABEL:   func.func @negative_rows(
// CHECK-COUNT-1: nacho.assign
// CHECK-NOT:     nacho.assign
func.func @negative_rows(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[j, k] : tensor<?x?xf64>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %d : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64>
}

// So it does where the loop over j was asked for inside of it.
//
// CHECK-LABEL:   func.func @negative_order(
// CHECK-COUNT-1: nacho.assign
// CHECK-NOT:     nacho.assign
func.func @negative_order(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[k, j] : tensor<?x?xf64>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %d : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  } {order = ["i", "k", "j"]}
  return %Z : tensor<?x?xf64>
}

// Every index of D has coordinates of A.
//
// CHECK-LABEL:   func.func @negative_elements(
// CHECK-COUNT-1: nacho.assign
// CHECK-NOT:     nacho.assign
// CHECK:         return
func.func @negative_elements(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[j, i] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %d : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
