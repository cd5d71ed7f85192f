// RUN: nacho-opt %s -nacho-concretize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#DV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>

// A reduction over no index is none.
//
// CHECK-LABEL: func.func @negative_no_index(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:      %a = nacho.load %A1
// CHECK-NEXT:      nacho.append %a at(%i) : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    nacho.yield
func.func @negative_no_index(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>) -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.reduce add %a over [] : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<?xf64, #SV>
}

// y[i] = A[i, j] * x[j]: the reduced index has the innermost loop, and what is
// appended at one i is added up.
//
// for i in rows(A):
//   while j <- cols(A[i]):
//     y[i] += A[i, j] * x[j]
//
// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %{{[^ ]+}}: tensor<?x?xf64, #{{[^ ]+}}>, %[[X:[^ ]+]]: tensor<?xf64, #{{[^ ]+}}>)
// CHECK-NEXT:    %A0 = nacho.root %{{.+}} {input = 0 : i64}
// CHECK-NEXT:    nacho.nest reduce add : tensor<?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK-NEXT:          %b = nacho.locate %[[X]][%j] : tensor<?xf64, #{{.+}}>
// CHECK-NEXT:          %[[V:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:          nacho.append %[[V]] at(%i) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #DV>) -> tensor<?xf64, #DV> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #DV>)
      -> [i] : tensor<?xf64, #DV> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64, #DV>
}

// A sparse x is coiterated with each row.
//
// CHECK-LABEL: func.func @spmspv(
// CHECK:         nacho.nest reduce add
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in intersect(%A2, %B1) {
// CHECK-NOT:           nacho.restrict
// CHECK:               nacho.append %{{.+}} at(%i) : f64
func.func @spmspv(%A: tensor<?x?xf64, #COO>, %x: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// Y[i, k] = A[i, j] * X[j, k]: only dense tensors have k, whose loop is better inside
// the reduction, where it goes along a row of X and one of Y.
//
// for i in rows(A):
//   while j <- cols(A[i]):
//     for k in cols(X):
//       Y[i, k] += A[i, j] * X[j, k]
//
// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %[[X:[^ ]+]]: tensor<?x?xf64>)
// CHECK:         %N_k = tensor.dim %[[X]], %c1
// CHECK-NEXT:    nacho.nest reduce add : tensor<?x?xf64> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK-NEXT:          nacho.coiterate %k to %N_k of () in intersect() {
// CHECK-NEXT:            %b = nacho.locate %[[X]][%j, %k]
// CHECK-NEXT:            %[[V:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:            nacho.append %[[V]] at(%i, %k) : f64
func.func @spmm(%A: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %X[j, k] : tensor<?x?xf64>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Y : tensor<?x?xf64>
}

// Z[i, j] = A[i, j] * X[i, k] * Y[k, j]: the inner products only where A has an entry,
// which every loop over k appends to the structure of the result.
//
// for i in rows(A):
//   while j <- cols(A[i]):
//     for k in cols(X):
//       Z[i, j] += A[i, j] * X[i, k] * Y[k, j]
//
// CHECK-LABEL: func.func @sddmm(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %[[X:[^ ]+]]: tensor<?x?xf64>, %[[Y:[^ ]+]]: tensor<?x?xf64>)
// CHECK:         nacho.nest reduce add : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:          nacho.coiterate %k to %N_k of () in intersect() {
// CHECK-NEXT:            %a = nacho.load %A2
// CHECK-NEXT:            %b = nacho.locate %[[X]][%i, %k]
// CHECK-NEXT:            %c = nacho.locate %[[Y]][%k, %j]
// CHECK:                 nacho.append %{{.+}} at(%i, %j) : f64
func.func @sddmm(%A: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>, %Y: tensor<?x?xf64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %X[i, k] : tensor<?x?xf64>,
                     %c = %Y[k, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.reduce add %1 over [k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, k, l] * X[k, j] * Y[l, j]: two reduced indices, in the order in which
// A stores them, whatever the order in which they are named.
//
// while i <- A:
//   while k <- A[i]:
//     while l <- A[i, k]:
//       for j in cols(X):
//         Z[i, j] += A[i, k, l] * X[k, j] * Y[l, j]
//
// CHECK-LABEL: func.func @mttkrp(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %[[X:[^ ]+]]: tensor<?x?xf64>, %[[Y:[^ ]+]]: tensor<?x?xf64>)
// CHECK:         nacho.nest reduce add : tensor<?x?xf64> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %k of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:          nacho.coiterate %l of (%A3 = %A2 : {{[^ ]+}}) in %A3 {
// CHECK-NEXT:            %a = nacho.load %A3
// CHECK-NEXT:            nacho.coiterate %j to %N_j of () in intersect() {
// CHECK-NEXT:              %b = nacho.locate %[[X]][%k, %j]
// CHECK-NEXT:              %c = nacho.locate %[[Y]][%l, %j]
// CHECK:                   nacho.append %{{.+}} at(%i, %j) : f64
func.func @mttkrp(%A: tensor<?x?x?xf64, #CSF>, %X: tensor<?x?xf64>, %Y: tensor<?x?xf64>)
    -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, k, l] : tensor<?x?x?xf64, #CSF>, %b = %X[k, j] : tensor<?x?xf64>,
                     %c = %Y[l, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.reduce add %1 over [l, k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Z[i, j] = A[i, j, k] * x[k]: a sparse result has the first levels of A.
//
// CHECK-LABEL: func.func @ttv(
// CHECK:         nacho.nest reduce add : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:          nacho.coiterate %k of (%A3 = %A2 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in intersect(%A3, %B1) {
// CHECK:                 nacho.append %{{.+}} at(%i, %j) : f64
func.func @ttv(%A: tensor<?x?x?xf64, #CSF>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %b = %x[k] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, k] * B[k, j], all dense: the first index stays outside.
//
// CHECK-LABEL: func.func @gemm(
// CHECK:         nacho.coiterate %i to %N_i of () in intersect() {
// CHECK-NEXT:      nacho.coiterate %k to %N_k of () in intersect() {
// CHECK-NEXT:        nacho.coiterate %j to %N_j of () in intersect() {
// CHECK-NEXT:          nacho.locate %{{.+}}[%i, %k]
// CHECK-NEXT:          nacho.locate %{{.+}}[%k, %j]
// CHECK:               nacho.append %{{.+}} at(%i, %j) : f64
func.func @gemm(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, k] : tensor<?x?xf64>, %b = %B[k, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64>
}

// The sum of a matrix has no coordinates.
//
// CHECK-LABEL: func.func @sum(
// CHECK:         nacho.nest reduce add : tensor<f64> {
// CHECK:             %a = nacho.load %A2
// CHECK-NEXT:        nacho.append %a at() : f64
func.func @sum(%A: tensor<?x?xf64, #DCSR>) -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i, j] : f64
    nacho.yield %0 : f64
  }
  return %s : tensor<f64>
}

// A product of numbers alone is assigned in a loop that runs once.
//
// CHECK-LABEL: func.func @numbers(
// CHECK:         nacho.nest reduce add : tensor<f64> {
// CHECK-NEXT:      nacho.coiterate %{{.+}} to %c1 of () in intersect() {
// CHECK-NEXT:        %a = tensor.extract
// CHECK-NEXT:        %b = tensor.extract
// CHECK-NEXT:        %[[V:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:        nacho.append %[[V]] at() : f64
func.func @numbers(%s: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %z = nacho.assign (%a = %s[] : tensor<f64>, %b = %t[] : tensor<f64>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<f64>
}

// Other reductions than sums visit the same coordinates; what is not stored is
// counted in the end.
//
// CHECK-LABEL: func.func @max(
// CHECK:         nacho.nest reduce max : tensor<?xf64> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK-NEXT:          nacho.append %a at(%i) : f64
func.func @max(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %s = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %s : tensor<?xf64>
}
