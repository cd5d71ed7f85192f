// RUN: nacho-opt %s -nacho-separate-reductions | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// Terms of a sum stay as they are.
//
// CHECK-LABEL: func.func @terms(
// CHECK:         nacho.assign
// CHECK-NOT:     nacho.assign
// CHECK:         return
func.func @terms(%A: tensor<?x?xf64, #CSR>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %v = %b[i] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    %1 = nacho.unary neg %0 : f64
    %2 = nacho.binary sub %1, %v : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// So does a whole value that is cast, whatever reduces it.
//
// CHECK-LABEL: func.func @cast(
// CHECK:         nacho.assign
// CHECK-NOT:     nacho.assign
// CHECK:         return
func.func @cast(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf32> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf32> {
    %0 = nacho.reduce max %a over [j] : f64
    %1 = nacho.cast %0 : f64 to f32
    nacho.yield %1 : f32
  }
  return %y : tensor<?xf32>
}

// A reduction inside of a function is a statement, whose result is dense if it has one
// index, and so is one inside of another reduction.
//
// CHECK-LABEL: func.func @norm(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?xf64, #[[CSR:.+]]>)
// CHECK-NEXT:    %[[T:.+]] = nacho.assign (%[[X:.+]] = %[[A]][i, j] : tensor<?x?xf64, #[[CSR]]>) -> [i] : tensor<?xf64> {
// CHECK-NEXT:      %[[SQUARE:.+]] = nacho.binary mul %[[X]], %[[X]] : f64
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[SQUARE]] over [j] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[Y:.+]] = nacho.assign (%[[X:.+]] = %[[T]][i] : tensor<?xf64>) -> [] : tensor<f64> {
// CHECK-NEXT:      %[[ROOT:.+]] = nacho.unary sqrt %[[X]] : f64
// CHECK-NEXT:      %[[MAX:.+]] = nacho.reduce max %[[ROOT]] over [i] : f64
// CHECK-NEXT:      nacho.yield %[[MAX]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Y]]
func.func @norm(%A: tensor<?x?xf64, #CSR>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %a : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.unary sqrt %1 : f64
    %3 = nacho.reduce max %2 over [i] : f64
    nacho.yield %3 : f64
  }
  return %y : tensor<f64>
}

// With more indices it is sparse where its value is, and without any it is a number. The
// statements take the loops that they have, and what is asked of their sums.
//
// CHECK-LABEL: func.func @sparse(
// CHECK:         %[[T:.+]] = nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %{{.+}}[j, k] : {{.+}}) -> [i, k] : tensor<?x?xf64, #[[T_TYPE:.+]]> {
// CHECK:           nacho.reduce add %{{.+}} over [j] : f64
// CHECK:         } {contract = ["j"], order = ["i", "j", "k"]
// CHECK:         %[[S:.+]] = nacho.assign {{.+}} -> [] : tensor<f64> {
// CHECK:           nacho.reduce min %{{.+}} over [j, l] : f64
// CHECK:         } {contract = ["j"], order = ["l", "j"]
// CHECK:         nacho.assign (%[[SUM:.+]] = %[[T]][i, k] : tensor<?x?xf64, #[[T_TYPE]]>, %[[LEAST:.+]] = %[[S]][] : tensor<f64>) -> [i, k] : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      %[[SIZE:.+]] = nacho.unary abs %[[SUM]] : f64
// CHECK-NEXT:      nacho.binary mul %[[SIZE]], %[[LEAST]] : f64
// CHECK:         } {contract = ["j"], order = ["i", "k"]}
func.func @sparse(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %c = %A[l, j] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.unary abs %1 : f64
    %3 = nacho.reduce min %c over [j, l] : f64
    %4 = nacho.binary mul %2, %3 : f64
    nacho.yield %4 : f64
  } {order = ["i", "l", "j", "k"], contract = ["j"]}
  return %Z : tensor<?x?xf64, #CSR>
}

// A sum that is a term and used inside of another one is computed once; a reduction that
// is no sum cannot be a term.
//
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-2: nacho.reduce
// CHECK:         nacho.assign (%{{.+}} = %{{.+}}[i] : tensor<?xf64>, %{{.+}} = %{{.+}}[i] : tensor<?xf64>) -> [i]
// CHECK-NOT:     nacho.reduce
// CHECK:         return
func.func @shared(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    %1 = nacho.unary abs %0 : f64
    %2 = nacho.binary add %0, %1 : f64
    %3 = nacho.reduce max %a over [j] : f64
    %4 = nacho.binary add %2, %3 : f64
    nacho.yield %4 : f64
  }
  return %y : tensor<?xf64>
}

// What is written several times is computed once, whatever its indices are called: both
// sums over a row are, and the product. Sums over columns are others.
//
// CHECK-LABEL: func.func @alike(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?xf64, #[[CSR:.+]]>)
// CHECK:         %[[C:.+]] = nacho.assign (%{{.+}} = %[[A]][i, k1] : {{.+}}, %{{.+}} = %[[A]][j, k1] : {{.+}}) -> [i, j]
// CHECK:         %[[ROWS:.+]] = nacho.assign (%{{.+}} = %[[A]][i, k2] : {{.+}}) -> [i]
// CHECK:         %[[COLUMNS:.+]] = nacho.assign (%{{.+}} = %[[A]][k5, j] : {{.+}}) -> [j]
// CHECK:         nacho.assign (%[[X:.+]] = %[[C]][i, j] : {{.+}}, %{{.+}} = %[[ROWS]][i] : tensor<?xf64>, %{{.+}} = %[[ROWS]][j] : tensor<?xf64>, %{{.+}} = %[[COLUMNS]][j] : tensor<?xf64>) -> [i, j]
// CHECK:           nacho.binary sub %{{.+}}, %[[X]] : f64
// CHECK:           nacho.binary div %[[X]], %{{.+}} : f64
func.func @alike(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %J = nacho.assign (%a = %A[i, k1] : tensor<?x?xf64, #CSR>,
                     %b = %A[j, k1] : tensor<?x?xf64, #CSR>,
                     %c = %A[i, k2] : tensor<?x?xf64, #CSR>,
                     %d = %A[j, k3] : tensor<?x?xf64, #CSR>,
                     %e = %A[i, k4] : tensor<?x?xf64, #CSR>,
                     %f = %A[j, k4] : tensor<?x?xf64, #CSR>,
                     %g = %A[k5, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [k1] : f64
    %2 = nacho.reduce add %c over [k2] : f64
    %3 = nacho.reduce add %d over [k3] : f64
    %4 = nacho.binary add %2, %3 : f64
    %5 = nacho.reduce add %g over [k5] : f64
    %6 = nacho.binary add %4, %5 : f64
    %7 = nacho.binary mul %e, %f : f64
    %8 = nacho.reduce add %7 over [k4] : f64
    %9 = nacho.binary sub %6, %8 : f64
    %10 = nacho.binary div %1, %9 : f64
    nacho.yield %10 : f64
  }
  return %J : tensor<?x?xf64, #CSR>
}
