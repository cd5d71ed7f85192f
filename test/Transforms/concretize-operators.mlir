// RUN: nacho-opt %s -nacho-concretize -split-input-file -verify-diagnostics --mlir-use-nameloc-as-prefix | FileCheck %s

// Where quotients, comparisons, choices and functions have entries.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// f(0) = 0, and nothing has to be restricted to the pattern.
//
// CHECK-LABEL: func.func @negative_functions(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A1, %B1) {
// CHECK-NOT:       nacho.restrict
// CHECK:           nacho.append
func.func @negative_functions(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.unary sqrt %a : f64
    %1 = nacho.unary exp %b : f64
    %one = arith.constant 1.0 : f64
    %2 = nacho.binary sub %1, %one : f64
    %3 = nacho.binary min %0, %2 : f64
    %two = arith.constant 2.0 : f64
    %4 = nacho.binary div %3, %two : f64
    nacho.yield %4 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

// An absent entry divided by anything is 0, also by 0.
//
// Z = max(A / D, B):
//   for i in A u B: Z[i] = max(i in A ? A[i] / D[i] : 0, B[i])
//
// CHECK-LABEL: func.func @quotient(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A1, %B1) {
// CHECK:           %[[Q:.+]] = nacho.binary div %a, %{{.+}} : f64
// CHECK-NEXT:      %[[Q0:.+]] = nacho.restrict %[[Q]] to %A1 : f64
// CHECK-NEXT:      %[[MAX:.+]] = nacho.binary max %[[Q0]], %b : f64
// CHECK-NEXT:      nacho.append %[[MAX]] at(%i) : f64
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @quotient(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %D: tensor<?xf64>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>,
                     %d = %D[i] : tensor<?xf64>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary div %a, %d : f64
    %1 = nacho.binary max %0, %b : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

// 0 / 0 is not a number: only a dense result has room for it.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @quotient_by_sparse(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  // expected-error @below {{is not zero where all operands are, so that its result would be dense}}
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary div %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

// Z = where(A, B, C): (A n B) u C
//
// CHECK-LABEL: func.func @choice(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}, %C1 = %C0 : {{[^ ]+}}) in union(intersect(%A1, %B1), %C1) {
// CHECK:           %[[Z:.+]] = nacho.select %a, %b, %c : f64
// CHECK-NEXT:      nacho.append %[[Z]] at(%i) : f64
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @choice(%A: tensor<?xi1, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xi1, #SV>, %b = %B[i] : tensor<?xf64, #SV>,
                     %c = %C[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.select %a, %b, %c : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

// 0 < 0.5 holds: B is chosen where A is absent.
//
// Z = where(A < 0.5, B, 2): A u B
//
// CHECK-LABEL: func.func @choice_of_absent(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A1, %B1) {
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @choice_of_absent(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %half = arith.constant 0.5 : f64
    %0 = nacho.compare lt %a, %half : f64
    %two = arith.constant 2.0 : f64
    %1 = nacho.select %0, %b, %two : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @comparison_of_absent(%A: tensor<?xf64, #SV>) -> tensor<?xi1, #SV> {
  // expected-error @below {{is not zero where all operands are, so that its result would be dense}}
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>) -> [i] : tensor<?xi1, #SV> {
    %half = arith.constant 0.5 : f64
    %0 = nacho.compare lt %a, %half : f64
    nacho.yield %0 : i1
  }
  return %Z : tensor<?xi1, #SV>
}

// -----

// exp(0) = 1, wherever A is absent.
//
// CHECK-LABEL: func.func @background(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in intersect() {
// CHECK:           nacho.unary exp %a : f64
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @background(%A: tensor<?xf64, #SV>) -> tensor<?xf64> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>) -> [i] : tensor<?xf64> {
    %0 = nacho.unary exp %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64>
}

// -----

// Only sums of reductions can be assigned.

func.func @function_of_a_reduction(%A: tensor<?xf64>) -> tensor<f64> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i] : f64
    // expected-error @below {{of a reduction is not supported: only sums of reductions are}}
    %1 = nacho.unary abs %0 : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<f64>
}

// -----

func.func @choice_of_a_reduction(%A: tensor<?xf64>) -> tensor<f64> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i] : f64
    %1 = nacho.compare lt %0, %0 : f64
    // expected-error @below {{of a reduction is not supported: only sums of reductions are}}
    %2 = nacho.select %1, %0, %0 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<f64>
}
