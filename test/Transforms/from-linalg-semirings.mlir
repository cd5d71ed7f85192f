// RUN: nacho-opt %s -nacho-from-linalg | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#elementwise = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}
#unary = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}
#reduce = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
  iterator_types = ["reduction"]
}

// A result where any case yields one: where a or b is stored.
//
// CHECK-LABEL: func.func @smaller(
// CHECK:         nacho.assign (%[[A:[^ ]+]] = %{{[^ ]+}}[i] : {{.+}}>, %[[B:[^ ]+]] = %{{[^ ]+}}[i]
// CHECK-DAG:       %[[LEFT:.+]] = nacho.stored %[[A]] : f64
// CHECK-DAG:       %[[RIGHT:.+]] = nacho.stored %[[B]] : f64
// CHECK:           %[[MIN:.+]] = nacho.binary min %[[A]], %[[B]] reassociable : f64
// CHECK-DAG:       %[[ANY:.+]] = nacho.binary orbits %[[LEFT]], %[[RIGHT]] : i1
// CHECK:           %[[ONE:.+]] = nacho.select %[[LEFT]], %[[A]], %[[B]] : f64
// CHECK:           %[[BOTH:.+]] = nacho.binary andbits %[[LEFT]], %[[RIGHT]] : i1
// CHECK:           %[[Z:.+]] = nacho.select %[[BOTH]], %[[MIN]], %[[ONE]] : f64
// CHECK:           %[[KEPT:.+]] = nacho.keep %[[Z]] if %[[ANY]] : f64
// CHECK:           nacho.yield %[[KEPT]] : f64
func.func @smaller(%A: tensor<8xf64, #SV>, %B: tensor<8xf64, #SV>) -> tensor<8xf64, #SV> {
  %empty = tensor.empty() : tensor<8xf64, #SV>
  %Z = linalg.generic #elementwise
      ins(%A, %B : tensor<8xf64, #SV>, tensor<8xf64, #SV>) outs(%empty : tensor<8xf64, #SV>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = sparse_tensor.binary %a, %b : f64, f64 to f64
      overlap = {
      ^bb0(%x: f64, %y: f64):
        %1 = arith.minimumf %x, %y : f64
        sparse_tensor.yield %1 : f64
      }
      left = identity
      right = identity
    linalg.yield %0 : f64
  } -> tensor<8xf64, #SV>
  return %Z : tensor<8xf64, #SV>
}

// A set difference has no monotone pattern: the condition is asked at each entry.
//
// CHECK-LABEL: func.func @difference(
// CHECK-DAG:       %[[LEFT:.+]] = nacho.stored %[[A:.+]] : f64
// CHECK-DAG:       %[[RIGHT:.+]] = nacho.stored %{{.+}} : f64
// CHECK:           %[[NOT:.+]] = nacho.unary notbits %[[RIGHT]] : i1
// CHECK:           %[[ONLY:.+]] = nacho.binary andbits %[[LEFT]], %[[NOT]] : i1
// CHECK:           nacho.keep %[[A]] if %[[ONLY]] : f64
func.func @difference(%A: tensor<8xf64, #SV>, %B: tensor<8xf64, #SV>)
    -> tensor<8xf64, #SV> {
  %empty = tensor.empty() : tensor<8xf64, #SV>
  %Z = linalg.generic #elementwise
      ins(%A, %B : tensor<8xf64, #SV>, tensor<8xf64, #SV>) outs(%empty : tensor<8xf64, #SV>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = sparse_tensor.binary %a, %b : f64, f64 to f64
      overlap = {} left = identity right = {}
    linalg.yield %0 : f64
  } -> tensor<8xf64, #SV>
  return %Z : tensor<8xf64, #SV>
}

// What the region for absent elements yields is stored there.
//
// CHECK-LABEL: func.func @complement(
// CHECK:           %[[STORED:.+]] = nacho.stored %{{.+}} : f64
// CHECK:           %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK:           %[[NOT:.+]] = nacho.unary notbits %[[STORED]] : i1
// CHECK:           nacho.keep %[[ONE]] if %[[NOT]] : f64
func.func @complement(%A: tensor<8xf64, #SV>) -> tensor<8xf64, #SV> {
  %one = arith.constant 1.0 : f64
  %empty = tensor.empty() : tensor<8xf64, #SV>
  %Z = linalg.generic #unary
      ins(%A : tensor<8xf64, #SV>) outs(%empty : tensor<8xf64, #SV>) {
  ^bb0(%a: f64, %z: f64):
    %0 = sparse_tensor.unary %a : f64 to f64
      present = {}
      absent = { sparse_tensor.yield %one : f64 }
    linalg.yield %0 : f64
  } -> tensor<8xf64, #SV>
  return %Z : tensor<8xf64, #SV>
}

// CHECK-LABEL: func.func @positive(
// CHECK:           %[[STORED:.+]] = nacho.stored %[[A:.+]] : f64
// CHECK:           %[[COND:.+]] = nacho.compare gt %[[A]], %{{.+}} : f64
// CHECK:           %[[BOTH:.+]] = nacho.binary andbits %[[STORED]], %[[COND]] : i1
// CHECK:           nacho.keep %[[A]] if %[[BOTH]] : f64
func.func @positive(%A: tensor<8xf64, #SV>) -> tensor<8xf64, #SV> {
  %empty = tensor.empty() : tensor<8xf64, #SV>
  %Z = linalg.generic #unary
      ins(%A : tensor<8xf64, #SV>) outs(%empty : tensor<8xf64, #SV>) {
  ^bb0(%a: f64, %z: f64):
    %0 = sparse_tensor.select %a : f64 {
    ^bb0(%x: f64):
      %zero = arith.constant 0.0 : f64
      %1 = arith.cmpf ogt, %x, %zero : f64
      sparse_tensor.yield %1 : i1
    }
    linalg.yield %0 : f64
  } -> tensor<8xf64, #SV>
  return %Z : tensor<8xf64, #SV>
}

// The region is a minimum, and the number is its identity.
//
// CHECK-LABEL: func.func @least(
// CHECK:           nacho.reduce min stored %{{.+}} over [i] : f64
func.func @least(%A: tensor<8xf64, #SV>, %y0: tensor<f64>) -> tensor<f64> {
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %y = linalg.generic #reduce
      ins(%A : tensor<8xf64, #SV>) outs(%y0 : tensor<f64>) {
  ^bb0(%a: f64, %out: f64):
    %0 = sparse_tensor.reduce %a, %out, %infinity : f64 {
    ^bb0(%p: f64, %q: f64):
      %less = arith.cmpf olt, %p, %q : f64
      %1 = arith.select %less, %p, %q : f64
      sparse_tensor.yield %1 : f64
    }
    linalg.yield %0 : f64
  } -> tensor<f64>
  return %y : tensor<f64>
}

// The sum begins from 5.
//
// CHECK-LABEL: func.func @from_five(
// CHECK:           nacho.reduce add stored from 5.000000e+00 : f64 %{{.+}} over [i] : f64
func.func @from_five(%A: tensor<8xf64, #SV>, %y0: tensor<f64>) -> tensor<f64> {
  %five = arith.constant 5.0 : f64
  %y = linalg.generic #reduce
      ins(%A : tensor<8xf64, #SV>) outs(%y0 : tensor<f64>) {
  ^bb0(%a: f64, %out: f64):
    %0 = sparse_tensor.reduce %out, %a, %five : f64 {
    ^bb0(%p: f64, %q: f64):
      %1 = arith.addf %p, %q : f64
      sparse_tensor.yield %1 : f64
    }
    linalg.yield %0 : f64
  } -> tensor<f64>
  return %y : tensor<f64>
}

// No operator of the table: the module gets a monoid. (It is printed first.)
//
// CHECK-LABEL: func.func @capped(
// CHECK:           nacho.reduce @[[NAME:.+]] %{{.+}} over [i] : f64
func.func @capped(%A: tensor<8xf64, #SV>, %y0: tensor<f64>) -> tensor<f64> {
  %one = arith.constant 1.0 : f64
  %most = arith.constant 100.0 : f64
  %y = linalg.generic #reduce
      ins(%A : tensor<8xf64, #SV>) outs(%y0 : tensor<f64>) {
  ^bb0(%a: f64, %out: f64):
    %0 = sparse_tensor.reduce %out, %a, %one : f64 {
    ^bb0(%p: f64, %q: f64):
      %product = arith.mulf %p, %q : f64
      %1 = arith.minimumf %product, %most : f64
      sparse_tensor.yield %1 : f64
    }
    linalg.yield %0 : f64
  } -> tensor<f64>
  return %y : tensor<f64>
}
