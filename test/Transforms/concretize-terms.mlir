// RUN: nacho-opt %s -nacho-concretize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// Sums of terms that are reduced over different indices, or over none.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Terms that are not reduced are one.
//
// CHECK-LABEL: func.func @negative_sum(
// CHECK:         nacho.nest : tensor<?xf64, #{{.+}}> {
// CHECK-COUNT-1:   nacho.coiterate
// CHECK-COUNT-1:   nacho.append
// CHECK-NOT:       nacho.append
// CHECK:         return
func.func @negative_sum(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary sub %a, %b : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<?xf64, #SV>
}

// z[i] = A[i, j] * x[j] - B[i, k] * y[k]: j and k share a loop, up to the larger one of their
// extents. Beyond its own a term is 0, and nothing of it is read; 0 where its
// sparse operand is absent.
//
// for i in rows(A) u rows(B):
//   while j <- cols(A[i]) u cols(B[i]), j < max(N_j, N_k):
//     z[i] += (j < N_j ? A[i, j] * x[j] : 0) - (j < N_k ? B[i, j] * y[j] : 0)
//
// CHECK-LABEL: func.func @siblings(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[X:[^ ]+]]: tensor<?xf64>, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[Y:[^ ]+]]: tensor<?xf64>)
// CHECK:         %N_j = sparse_tensor.lvl %[[A]], %c1
// CHECK-NEXT:    %N_k = sparse_tensor.lvl %[[B]], %c1
// CHECK-NEXT:    %[[N:.+]] = arith.maxui %N_j, %N_k : index
// CHECK-NEXT:    nacho.nest reduce add : tensor<?xf64> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %C1 = %C0 : {{[^ ]+}}) in union(%A1, %C1) {
// CHECK-NEXT:        nacho.coiterate %j to %[[N]] of (%A2 = %A1 : {{[^ ]+}}, %C2 = %C1 : {{[^ ]+}}) in union(%A2, %C2) {
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK-NEXT:          %c = nacho.load %C2
// CHECK-NEXT:          %[[IN_J:.+]] = arith.cmpi ult, %j, %N_j : index
// CHECK-NEXT:          %[[x:.+]] = nacho.locate %[[X]][%j] if %[[IN_J]]
// CHECK-NEXT:          %[[AX:.+]] = nacho.binary mul %a, %[[x]] : f64
// CHECK-NEXT:          %[[AX0:.+]] = nacho.restrict %[[AX]] to %A2 : f64
// CHECK:               %[[ZERO:.+]] = nacho.cast %{{.+}} : i8 to f64
// CHECK-NEXT:          %[[FIRST:.+]] = arith.select %[[IN_J]], %[[AX0]], %[[ZERO]] : f64
// CHECK-NEXT:          %[[IN_K:.+]] = arith.cmpi ult, %j, %N_k : index
// CHECK-NEXT:          %[[y:.+]] = nacho.locate %[[Y]][%j] if %[[IN_K]]
// CHECK-NEXT:          %[[BY:.+]] = nacho.binary mul %c, %[[y]] : f64
// CHECK-NEXT:          %[[BY0:.+]] = nacho.restrict %[[BY]] to %C2 : f64
// CHECK-NEXT:          %[[SECOND:.+]] = arith.select %[[IN_K]], %[[BY0]], %[[ZERO]] : f64
// CHECK-NEXT:          %[[z:.+]] = nacho.binary sub %[[FIRST]], %[[SECOND]] : f64
// CHECK-NEXT:          nacho.append %[[z]] at(%i) : f64
func.func @siblings(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %B: tensor<?x?xf64, #CSR>,
                    %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %p = %x[j] : tensor<?xf64>,
                     %b = %B[i, k] : tensor<?x?xf64, #CSR>, %q = %y[k] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %p : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.binary mul %b, %q : f64
    %3 = nacho.reduce add %2 over [k] : f64
    %4 = nacho.binary sub %1, %3 : f64
    nacho.yield %4 : f64
  }
  return %z : tensor<?xf64>
}

// y[i] = A[i, j] + A[i, j] * x[j], reduced one by one: over the same index they share
// the loop, the fibers and the extent.
//
// CHECK-LABEL: func.func @same_index(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:        %a = nacho.load %A2
// CHECK-NEXT:        %b = nacho.locate %{{.+}}[%j]
// CHECK-NEXT:        %[[AX:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:        %[[V:.+]] = nacho.binary add %a, %[[AX]] : f64
// CHECK-NEXT:        nacho.append %[[V]] at(%i) : f64
func.func @same_index(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    %1 = nacho.binary mul %a, %b : f64
    %2 = nacho.reduce add %1 over [j] : f64
    %3 = nacho.binary add %0, %2 : f64
    nacho.yield %3 : f64
  }
  return %y : tensor<?xf64>
}

// y[i] = b[i] - A[i, j] * x[j]: what is not reduced is appended where the loops over the
// result's indices end; the inner loop only visits what the reduction needs.
//
// for i in 0 to N:
//   while j <- cols(A[i]):
//     y[i] += -(A[i, j] * x[j])
//   y[i] += b[i]
//
// CHECK-LABEL: func.func @residual(
// CHECK-SAME:    %[[b:[^ ]+]]: tensor<?xf64>, %{{[^ ]+}}: tensor<{{[^:]+}}, %[[X:[^ ]+]]: tensor<?xf64>)
// CHECK:         nacho.nest reduce add : tensor<?xf64> {
// CHECK-NEXT:      nacho.coiterate %i of (%B1 = %B0 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:        nacho.coiterate %j of (%B2 = %B1 : {{[^ ]+}}) in %B2 {
// CHECK-NEXT:          %b = nacho.load %B2
// CHECK-NEXT:          %c = nacho.locate %[[X]][%j]
// CHECK-NEXT:          %[[BX:.+]] = nacho.binary mul %b, %c : f64
// CHECK-NEXT:          %[[NEG:.+]] = nacho.unary neg %[[BX]] : f64
// CHECK-NEXT:          nacho.append %[[NEG]] at(%i) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %a = nacho.locate %[[b]][%i]
// CHECK-NEXT:        nacho.append %a at(%i) : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
func.func @residual(%b: tensor<?xf64>, %A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>)
    -> tensor<?xf64> {
  %y = nacho.assign (%c = %b[i] : tensor<?xf64>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %p = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %p : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.binary sub %c, %1 : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// y[i] = b[i] + A[i, j] * x[j], all of it sparse: b is appended where it has an entry, so
// that a row of A alone appends nothing for it.
//
// CHECK-LABEL: func.func @sparse_residual(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A1, %B1) {
// CHECK-NEXT:      nacho.coiterate %j of (%B2 = %B1 : {{[^ ]+}}) in %B2 {
// CHECK:           }
// CHECK-NEXT:      %[[THERE:.+]] = nacho.present %A1
// CHECK-NEXT:      %a = nacho.load %A1
// CHECK-NEXT:      nacho.append %a at(%i) if %[[THERE]] : f64
func.func @sparse_residual(%b: tensor<?xf64, #SV>, %A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64>)
    -> tensor<?xf64, #SV> {
  %y = nacho.assign (%c = %b[i] : tensor<?xf64, #SV>, %a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %p = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary mul %a, %p : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.binary add %c, %1 : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// y[i] = A[i, j] + B[i, k, l]: one reduction ends where the other one goes on.
//
// while i <- A u B:
//   while j <- A[i] u B[i], j < max(N_j, N_k):
//     while l <- B[i, j]:
//       y[i] += j < N_k ? B[i, j, l] : 0
//     if A has j: y[i] += j < N_j ? A[i, j] : 0
//
// CHECK-LABEL: func.func @deeper(
// CHECK:         %[[N:.+]] = arith.maxui %N_j, %N_k : index
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A1, %B1) {
// CHECK-NEXT:      nacho.coiterate %j to %[[N]] of (%A2 = %A1 : {{[^ ]+}}, %B2 = %B1 : {{[^ ]+}}) in union(%A2, %B2) {
// CHECK-NEXT:        nacho.coiterate %l of (%B3 = %B2 : {{[^ ]+}}) in %B3 {
// CHECK-NEXT:          %b = nacho.load %B3
// CHECK-NEXT:          %[[IN_K:.+]] = arith.cmpi ult, %j, %N_k : index
// CHECK:               %[[V:.+]] = arith.select %[[IN_K]], %b, %{{.+}} : f64
// CHECK-NEXT:          nacho.append %[[V]] at(%i) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[THERE:.+]] = nacho.present %A2
// CHECK-NEXT:        %a = nacho.load %A2
// CHECK-NEXT:        %[[IN_J:.+]] = arith.cmpi ult, %j, %N_j : index
// CHECK:             %[[V:.+]] = arith.select %[[IN_J]], %a, %{{.+}} : f64
// CHECK-NEXT:        nacho.append %[[V]] at(%i) if %[[THERE]] : f64
func.func @deeper(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?x?xf64, #CSF>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[i, k, l] : tensor<?x?x?xf64, #CSF>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.reduce add %a over [j] : f64
    %1 = nacho.reduce add %b over [k, l] : f64
    %2 = nacho.binary add %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// Y[i, k] = A[i, j] * X[j, k] + b[i]: the loop over k inside the reduction is repeated
// for what is not reduced.
//
// CHECK-LABEL: func.func @rows_twice(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %C1 = %C0 : {{[^ ]+}}) in union(%C1, %A1) {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:        %a = nacho.load %A2
// CHECK-NEXT:        nacho.coiterate %k to %N_k of () in intersect() {
// CHECK:               nacho.append %{{.+}} at(%i, %k) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[THERE:.+]] = nacho.present %C1
// CHECK-NEXT:      %c = nacho.load %C1
// CHECK-NEXT:      nacho.coiterate %k to %N_k of () in intersect() {
// CHECK-NEXT:        nacho.append %c at(%i, %k) if %[[THERE]] : f64
func.func @rows_twice(%A: tensor<?x?xf64, #DCSR>, %X: tensor<?x?xf64>, %b: tensor<?xf64, #SV>)
    -> tensor<?x?xf64> {
  %Y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %x = %X[j, k] : tensor<?x?xf64>,
                     %c = %b[i] : tensor<?xf64, #SV>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %x : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.binary add %1, %c : f64
    nacho.yield %2 : f64
  }
  return %Y : tensor<?x?xf64>
}

// y[i] = f64(A[i, j] - b[i]) - f64(B[i, k]) + c[i], A and b of integers: what has a type of its
// own is reduced by itself, and converted when it is complete.
//
// for i in rows(A) u rows(B) ...:
//   while j <- cols(A[i]) u cols(B[i]), j < max(N_j, N_k):
//     if A has j: y1[i] += A[i, j]
//     if B has j: y2[i] += B[i, j]
//   y0[i] += c[i]
//   y1[i] += -b[i]
// y[i] = y0[i] - f64(y2[i]) + f64(y1[i])
//
// CHECK-LABEL: func.func @types(
// CHECK-SAME:    %{{[^ ]+}}: tensor<?x?xi32, #{{[^ ]+}}>, %[[b:[^ ]+]]: tensor<?xi32>, %{{[^ ]+}}: tensor<?x?xf32, #{{[^ ]+}}>, %[[c:[^ ]+]]: tensor<?xf64>)
// CHECK:         nacho.nest reduce add : tensor<?xf64> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %C1 = %C0 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:        nacho.coiterate %j to %{{.+}} of (%A2 = %A1 : {{[^ ]+}}, %C2 = %C1 : {{[^ ]+}}) in union(%A2, %C2) {
// CHECK-NEXT:          %[[HAS_A:.+]] = nacho.present %A2
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK:               nacho.append %{{.+}} to 1 at(%i) if %[[HAS_A]] : i32
// CHECK-NEXT:          %[[HAS_C:.+]] = nacho.present %C2
// CHECK-NEXT:          %c = nacho.load %C2
// CHECK:               nacho.append %{{.+}} to 2 at(%i) if %[[HAS_C]] : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        %d = nacho.locate %[[c]][%i]
// CHECK-NEXT:        nacho.append %d at(%i) : f64
// CHECK-NEXT:        %b = nacho.locate %[[b]][%i]
// CHECK-NEXT:        %[[NEG:.+]] = nacho.unary neg %b : i32
// CHECK-NEXT:        nacho.append %[[NEG]] to 1 at(%i) : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
// CHECK-NEXT:    } finish {
// CHECK-NEXT:    ^{{.+}}(%[[Y0:.+]]: f64, %[[Y1:.+]]: i32, %[[Y2:.+]]: f32):
// CHECK-NEXT:      %[[WIDE2:.+]] = nacho.cast %[[Y2]] : f32 to f64
// CHECK-NEXT:      %[[SUM2:.+]] = nacho.binary sub %[[Y0]], %[[WIDE2]] : f64
// CHECK-NEXT:      %[[WIDE1:.+]] = nacho.cast %[[Y1]] : i32 to f64
// CHECK-NEXT:      %[[SUM1:.+]] = nacho.binary add %[[SUM2]], %[[WIDE1]] : f64
// CHECK-NEXT:      nacho.yield %[[SUM1]] : f64
// CHECK-NEXT:    }
func.func @types(%A: tensor<?x?xi32, #CSR>, %b: tensor<?xi32>, %B: tensor<?x?xf32, #CSR>,
                 %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%p = %A[i, j] : tensor<?x?xi32, #CSR>, %q = %b[i] : tensor<?xi32>,
                     %r = %B[i, k] : tensor<?x?xf32, #CSR>, %s = %c[i] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %p over [j] : i32
    %1 = nacho.binary sub %0, %q : i32
    %2 = nacho.cast %1 : i32 to f64
    %3 = nacho.reduce add %r over [k] : f32
    %4 = nacho.cast %3 : f32 to f64
    %5 = nacho.binary sub %2, %4 : f64
    %6 = nacho.binary add %5, %s : f64
    nacho.yield %6 : f64
  }
  return %y : tensor<?xf64>
}

// The greatest of integers, as a float: nothing but the one conversion.
//
// CHECK-LABEL: func.func @converted_max(
// CHECK:         nacho.nest reduce max : tensor<?xf64> {
// CHECK:             nacho.append %a at(%i) : i32
// CHECK:         } finish {
// CHECK-NEXT:    ^{{.+}}(%[[Y:.+]]: i32):
// CHECK-NEXT:      %[[WIDE:.+]] = nacho.cast %[[Y]] : i32 to f64
// CHECK-NEXT:      nacho.yield %[[WIDE]] : f64
func.func @converted_max(%A: tensor<?x?xi32, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xi32, #CSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [j] : i32
    %1 = nacho.cast %0 : i32 to f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// What the assignment starts from is one more term.
//
// CHECK-LABEL: func.func @init(
// CHECK-SAME:    %[[Y:[^ ]+]]: tensor<?xf64>) -> tensor<?xf64>
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK:           }
// CHECK-NEXT:      %[[y:.+]] = nacho.locate %[[Y]][%i]
// CHECK-NEXT:      nacho.append %[[y]] at(%i) : f64
func.func @init(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      init(%y : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<?xf64>
}

// The result's indices may be those of the start alone.
//
// CHECK-LABEL: func.func @init_only(
// CHECK-SAME:    %[[S:[^ ]+]]: tensor<f64>, %[[Y:[^ ]+]]: tensor<?xf64>)
// CHECK:         %N_i = tensor.dim %[[Y]], %c0
// CHECK:         nacho.coiterate %i to %N_i of () in intersect() {
// CHECK-DAG:       %[[s:.+]] = tensor.extract %[[S]][]
// CHECK-DAG:       %[[y:.+]] = nacho.locate %[[Y]][%i]
// CHECK:           %[[Z:.+]] = nacho.binary add %[[y]], %[[s]] : f64
// CHECK-NEXT:      nacho.append %[[Z]] at(%i) : f64
func.func @init_only(%s: tensor<f64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = nacho.assign (%a = %s[] : tensor<f64>) init(%y : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return %z : tensor<?xf64>
}

// A result that is 0 everywhere has no entries: only the loop over its dense level
// visits anything.
//
// CHECK-LABEL: func.func @zero(
// CHECK:         nacho.coiterate %{{.+}} to %N_i of () in intersect() {
// CHECK-NEXT:      nacho.coiterate %{{.+}} to %c0 of () in intersect() {
func.func @zero() -> tensor<4x5xf64, #CSR> {
  %I = nacho.coordinates : tensor<4xi64>
  %J = nacho.coordinates : tensor<5xi64>
  %Z = nacho.assign (%i = %I[i] : tensor<4xi64>, %j = %J[j] : tensor<5xi64>)
      -> [i, j] : tensor<4x5xf64, #CSR> {
    %0 = arith.constant 0.0 : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<4x5xf64, #CSR>
}
