// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// What reductions combine elements with: operators of the table, of all elements
// or of those that are stored, and operators that a region defines.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// CHECK-LABEL: nacho.monoid @either identity 0.000000e+00 : f64 {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f64, %[[Y:.+]]: f64):
// CHECK-NEXT:    %[[SUM:.+]] = nacho.binary add %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[BOTH:.+]] = nacho.binary mul %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[EITHER:.+]] = nacho.binary sub %[[SUM]], %[[BOTH]] : f64
// CHECK-NEXT:    nacho.yield %[[EITHER]] : f64
// CHECK-NEXT:  }
nacho.monoid @either identity 0.0 : f64 {
^bb0(%x: f64, %y: f64):
  %sum = nacho.binary add %x, %y : f64
  %both = nacho.binary mul %x, %y : f64
  %0 = nacho.binary sub %sum, %both : f64
  nacho.yield %0 : f64
}

// CHECK-LABEL: func.func @reduced(
// CHECK:         nacho.reduce min %{{.+}} over [j] : f64
// CHECK:         nacho.reduce min stored %{{.+}} over [j] : f64
// CHECK:         nacho.reduce max stored from 1.000000e+02 : f64 %{{.+}} over [j] : f64
// CHECK:         nacho.reduce @either %{{.+}} over [j] : f64
// GENERIC:       "nacho.reduce"({{.+}}) <{indices = ["j"], monoid = #nacho<monoid min>}>
// GENERIC:       monoid = #nacho<monoid min stored>
// GENERIC:       monoid = #nacho<monoid max stored from 1.000000e+02 : f64>
// GENERIC:       monoid = #nacho<monoid @either>
func.func @reduced(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce min %a over [j] : f64
    %1 = nacho.reduce min stored %a over [j] : f64
    %2 = nacho.reduce max stored from 100.0 : f64 %a over [j] : f64
    %3 = nacho.reduce @either %a over [j] : f64
    nacho.yield %3 : f64
  }
  return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @nest(
// CHECK:         nacho.nest collect<whole_rows> reduce min stored : tensor<?x?xf64, #{{.+}}> {
func.func @nest(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %Z = nacho.nest collect<whole_rows> reduce min stored : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 0>) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) in %A2 {
        %a = nacho.load %A2 : !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
        nacho.append %a at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// CHECK-LABEL: func.func @kept(
// CHECK:         %[[STORED:.+]] = nacho.stored %{{.+}} : f64
// CHECK:         %[[KEPT:.+]] = nacho.keep %{{.+}} if %[[STORED]] : f64
func.func @kept(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.stored %0 : f64
    %2 = nacho.keep %a if %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// CHECK-LABEL: func.func @combined(
// CHECK:         nacho.insert by min %{{.+}} : f64 at %{{.+}} into %{{.+}} : <f64>
// CHECK:         nacho.accumulate max into %{{.+}}
func.func @combined(%w: !nacho.workspace<f64>, %k: index, %v: f64,
                    %sums: memref<?x?xf64>, %n: index) -> i1 {
  %isNew = nacho.insert by min %v : f64 at %k into %w : !nacho.workspace<f64>
  nacho.accumulate max into %sums at [%k, %k] to %n : memref<?x?xf64> {
  ^bb0(%i: index):
    nacho.yield %v : f64
  }
  return %isNew : i1
}
