// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix -nacho-concretize -cse -nacho-prefetch-rows \
// RUN:   | FileCheck %s
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix -nacho-cpu | FileCheck %s --check-prefix=LLVM

// Rows that stored coordinates select are asked for some iterations before.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>
#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
#Columns = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : dense) }>
#Vector = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>

// An element is no row: which the processor asks for itself.
//
// CHECK-LABEL: func.func @negative_spmv(
// CHECK-NOT:   nacho.prefetch_row
// CHECK:       return
func.func @negative_spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #Vector>)
    -> tensor<?xf64, #Vector> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #Vector>)
      -> [i] : tensor<?xf64, #Vector> {
    %0 = nacho.binary mul %a, %b : f64
    %r = nacho.reduce add %0 over [j] : f64
    nacho.yield %r : f64
  }
  return %y : tensor<?xf64, #Vector>
}

// Nor is what lies an extent apart each.
//
// CHECK-LABEL: func.func @negative_columns(
// CHECK-NOT:   nacho.prefetch_row
// CHECK:       return
func.func @negative_columns(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64, #Columns>)
    -> tensor<?x?xf64, #Dense> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[j, k] : tensor<?x?xf64, #Columns>)
      -> [i, k] : tensor<?x?xf64, #Dense> {
    %0 = nacho.binary mul %a, %d : f64
    %r = nacho.reduce add %0 over [j] : f64
    nacho.yield %r : f64
  } {order = ["i", "j", "k"]}
  return %Z : tensor<?x?xf64, #Dense>
}

// Rows that come one after the other are no surprise.
//
// CHECK-LABEL: func.func @negative_all_rows(
// CHECK-NOT:   nacho.prefetch_row
// CHECK:       return
func.func @negative_all_rows(%A: tensor<?x?xf64, #Dense>, %D: tensor<?x?xf64, #Dense>)
    -> tensor<?x?xf64, #Dense> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #Dense>, %d = %D[j, k] : tensor<?x?xf64, #Dense>)
      -> [i, k] : tensor<?x?xf64, #Dense> {
    %0 = nacho.binary mul %a, %d : f64
    %r = nacho.reduce add %0 over [j] : f64
    nacho.yield %r : f64
  } {order = ["i", "j", "k"]}
  return %Z : tensor<?x?xf64, #Dense>
}

// Where all coordinates are visited, rows come in order, too, and there need not be any
// that is stored.
//
// CHECK-LABEL: func.func @negative_everywhere(
// CHECK-NOT:   nacho.prefetch_row
// CHECK:       return
func.func @negative_everywhere(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64, #Dense>)
    -> tensor<?x?xf64, #Dense> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[j, k] : tensor<?x?xf64, #Dense>)
      -> [i, k] : tensor<?x?xf64, #Dense> {
    %one = arith.constant 1.0 : f64
    %0 = nacho.binary add %a, %one : f64
    %1 = nacho.binary mul %0, %d : f64
    %r = nacho.reduce add %1 over [j] : f64
    nacho.yield %r : f64
  } {order = ["i", "j", "k"]}
  return %Z : tensor<?x?xf64, #Dense>
}

// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %[[A:.+]]: tensor<{{[^:]+}}, %[[D:.+]]: tensor<
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : !fiber{{.*}}) in %A2 {
// CHECK-NEXT:      %[[LATER:.+]] = nacho.ahead %A2 by 16 : !fiber
// CHECK-NEXT:      nacho.prefetch_row %[[D]][%[[LATER]]] : tensor<
// CHECK:           nacho.coiterate %k
//
// Four lines of the cache, unless the row is shorter.
//
// LLVM-LABEL: llvm.func @spmm_compute{{.*}}(
// LLVM-COUNT-4: "llvm.intr.prefetch"
// LLVM-NOT:     "llvm.intr.prefetch"
// LLVM:         llvm.return
func.func @spmm(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64, #Dense>)
    -> tensor<?x?xf64, #Dense> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[j, k] : tensor<?x?xf64, #Dense>)
      -> [i, k] : tensor<?x?xf64, #Dense> {
    %0 = nacho.binary mul %a, %d : f64
    %r = nacho.reduce add %0 over [j] : f64
    nacho.yield %r : f64
  }
  return %Z : tensor<?x?xf64, #Dense>
}

// Rows of C are the same throughout the loop over j.
//
// CHECK-LABEL: func.func @sddmm(
// CHECK-SAME:    %[[A:.+]]: tensor<{{[^:]+}}, %[[C:.+]]: tensor<{{[^:]+}}, %[[D:.+]]: tensor<
// CHECK:         nacho.coiterate %i of
// CHECK-NOT:       nacho.prefetch_row
// CHECK:           nacho.coiterate %j of
// CHECK-NEXT:        %[[LATER:.+]] = nacho.ahead %A2 by 16
// CHECK-NEXT:        nacho.prefetch_row %[[D]][%[[LATER]]]
// CHECK-NOT:         nacho.prefetch_row
// CHECK:             nacho.coiterate %k
func.func @sddmm(%A: tensor<?x?xf64, #CSR>, %C: tensor<?x?xf64, #Dense>, %D: tensor<?x?xf64, #Dense>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %c = %C[i, k] : tensor<?x?xf64, #Dense>, %d = %D[j, k] : tensor<?x?xf64, #Dense>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %c : f64
    %1 = nacho.binary mul %0, %d : f64
    %r = nacho.reduce add %1 over [k] : f64
    nacho.yield %r : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Each by the loop that selects it.
//
// CHECK-LABEL: func.func @mttkrp(
// CHECK-SAME:    %[[A:.+]]: tensor<{{[^:]+}}, %[[C:.+]]: tensor<{{[^:]+}}, %[[D:.+]]: tensor<
// CHECK:         nacho.coiterate %j of
// CHECK-NEXT:      %[[ROW:.+]] = nacho.ahead %A2 by 16
// CHECK-NEXT:      nacho.prefetch_row %[[C]][%[[ROW]]]
// CHECK:           nacho.coiterate %k of
// CHECK-NEXT:        %[[ROW:.+]] = nacho.ahead %A3 by 16
// CHECK-NEXT:        nacho.prefetch_row %[[D]][%[[ROW]]]
// CHECK:             nacho.coiterate %r
func.func @mttkrp(%A: tensor<?x?x?xf64, #CSF>, %C: tensor<?x?xf64, #Dense>, %D: tensor<?x?xf64, #Dense>)
    -> tensor<?x?xf64, #Dense> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %c = %C[j, r] : tensor<?x?xf64, #Dense>, %d = %D[k, r] : tensor<?x?xf64, #Dense>)
      -> [i, r] : tensor<?x?xf64, #Dense> {
    %0 = nacho.binary mul %a, %c : f64
    %1 = nacho.binary mul %0, %d : f64
    %r = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %r : f64
  }
  return %Z : tensor<?x?xf64, #Dense>
}
