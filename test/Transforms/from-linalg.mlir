// RUN: nacho-opt --nacho-from-linalg --split-input-file --verify-diagnostics %s | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// y[i] += A[i, j] * x[j]   ->   y = assign A[i, j], x[j] init y

// CHECK-LABEL: func.func @spmv_adds_to_its_output(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf64, #{{.*}}>, %[[X:.*]]: tensor<?xf64>, %[[Y0:.*]]: tensor<?xf64>)
// CHECK:         %[[Y:.*]] = nacho.assign (%[[a:.*]] = %[[A]][i, j] : {{.*}}, %[[x:.*]] = %[[X]][j] : tensor<?xf64>)
// CHECK-SAME:        init(%[[Y0]] : tensor<?xf64>) -> [i] : tensor<?xf64> {
// CHECK-NEXT:      %[[MUL:.*]] = nacho.binary mul %[[a]], %[[x]] : f64
// CHECK-NEXT:      %[[SUM:.*]] = nacho.reduce add %[[MUL]] over [j] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK:         return %[[Y]]
func.func @spmv_adds_to_its_output(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                                   %y: tensor<?xf64>) -> tensor<?xf64> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                       affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %1 = arith.mulf %a, %b : f64
    %2 = arith.addf %c, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// An empty output has nothing to add to, and is not needed any more.

// CHECK-LABEL: func.func @negative_init_of_an_empty_output(
// CHECK-NOT:     tensor.empty
// CHECK:         nacho.assign (%{{.*}} = %{{.*}}[i, j] : {{.*}}, %{{.*}} = %{{.*}}[i, j] : {{.*}}) -> [i, j]
// CHECK-NEXT:      nacho.binary sub
func.func @negative_init_of_an_empty_output(%A: tensor<8x8xf32, #CSR>,
                                            %B: tensor<8x8xf32, #CSR>) -> tensor<8x8xf32, #CSR> {
  %e = tensor.empty() : tensor<8x8xf32, #CSR>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
                       affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<8x8xf32, #CSR>, tensor<8x8xf32, #CSR>)
      outs(%e : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32, #CSR>
  return %0 : tensor<8x8xf32, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// A named op is what it generalises to; an output of zeros is no init.

// CHECK-LABEL: func.func @named_op_into_zeros(
// CHECK:         nacho.assign (%{{.*}} = %{{.*}}[i, k] : {{.*}}, %{{.*}} = %{{.*}}[k, j] : tensor<?x?xf64>) -> [i, j]
// CHECK:           nacho.reduce add %{{.*}} over [k] : f64
func.func @named_op_into_zeros(%A: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>,
                               %Y: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %z = linalg.fill ins(%zero : f64) outs(%Y : tensor<?x?xf64>) -> tensor<?x?xf64>
  %0 = linalg.matmul ins(%A, %X : tensor<?x?xf64, #CSR>, tensor<?x?xf64>)
                     outs(%z : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

// All operators that the notation has.

// CHECK-LABEL: func.func @operators(
// CHECK:         nacho.assign (%[[a:[^ ]+]] = %{{[^ ]+}}[i] : tensor<?xf64>, %[[n:[^ ]+]] = %{{[^ ]+}}[i] : tensor<?xi32>) -> [i]
// CHECK-NEXT:      nacho.binary div %[[a]], %[[a]] : f64
// CHECK-NEXT:      nacho.binary max %{{.+}}, %[[a]] reassociable : f64
// CHECK-NEXT:      nacho.binary min %{{.+}}, %[[a]] reassociable : f64
// CHECK-NEXT:      nacho.unary abs %{{.+}} : f64
// CHECK-NEXT:      nacho.unary sqrt %{{.+}} : f64
// CHECK-NEXT:      nacho.unary exp %{{.+}} : f64
// CHECK-NEXT:      nacho.unary log %{{.+}} : f64
// CHECK-NEXT:      nacho.unary sin %{{.+}} : f64
// CHECK-NEXT:      nacho.unary cos %{{.+}} : f64
// CHECK-NEXT:      nacho.unary tanh %{{.+}} : f64
// CHECK-NEXT:      nacho.compare lt %{{.+}}, %[[a]] : f64
// CHECK-NEXT:      nacho.select %{{.+}}, %[[a]], %{{.+}} : f64
// CHECK-NEXT:      nacho.binary max %[[n]], %[[n]] : i32
// CHECK-NEXT:      nacho.compare ge %[[n]], %{{.+}} : i32
// CHECK-NEXT:      nacho.select
func.func @operators(%A: tensor<?xf64>, %N: tensor<?xi32>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                       affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%A, %N : tensor<?xf64>, tensor<?xi32>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %n: i32, %c: f64):
    %1 = arith.divf %a, %a : f64
    %2 = arith.maximumf %1, %a : f64
    %3 = arith.minimumf %2, %a : f64
    %4 = math.absf %3 : f64
    %5 = math.sqrt %4 : f64
    %6 = math.exp %5 : f64
    %7 = math.log %6 : f64
    %8 = math.sin %7 : f64
    %9 = math.cos %8 : f64
    %10 = math.tanh %9 : f64
    %11 = arith.cmpf olt, %10, %a : f64
    %12 = arith.select %11, %a, %10 : f64
    %13 = arith.maxsi %n, %n : i32
    %14 = arith.cmpi sge, %n, %13 : i32
    %15 = arith.select %14, %12, %a : f64
    linalg.yield %15 : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

// y[i] = A[2 * i + k + 1] * f[k]: the extent of i is the output's.

// CHECK-LABEL: func.func @sums_of_dimensions(
// CHECK:         %[[I:.*]] = nacho.coordinates : tensor<8xi64>
// CHECK:         nacho.assign (%{{.*}} = %{{.*}}[k] : tensor<?xf64>, %{{.*}} = %{{.*}}[j] : tensor<?xf64>, %{{.*}} = %[[I]][i] : tensor<8xi64>)
// CHECK-SAME:        where (k = 2 * i + j + 1) -> [i] : tensor<8xf64> {
func.func @sums_of_dimensions(%A: tensor<?xf64>, %f: tensor<?xf64>) -> tensor<8xf64> {
  %y = arith.constant dense<0.0> : tensor<8xf64>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + d1 + 1)>, affine_map<(d0, d1) -> (d1)>,
                       affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %f : tensor<?xf64>, tensor<?xf64>) outs(%y : tensor<8xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %1 = arith.mulf %a, %b : f64
    %2 = arith.addf %c, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// Extents that the output has only when the function is called, and one that is
// constant though its type does not say so.

// CHECK-LABEL: func.func @named_convolution(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf64>, %[[F:.*]]: tensor<?x?xf64>, %[[N:.*]]: index)
// CHECK-DAG:     %[[I:.*]] = nacho.coordinates %[[N]] : tensor<?xi64>
// CHECK-DAG:     %[[J:.*]] = nacho.coordinates : tensor<5xi64>
// CHECK:         nacho.assign (%{{.*}} = %[[A]][m, n] : {{.*}}, %{{.*}} = %[[F]][k, l] : {{.*}}, %{{.*}} = %[[I]][i] : tensor<?xi64>, %{{.*}} = %[[J]][j] : tensor<5xi64>)
// CHECK-SAME:        where (m = i + k, n = j + l) -> [i, j]
func.func @named_convolution(%A: tensor<?x?xf64>, %F: tensor<?x?xf64>, %n: index) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %c5 = arith.constant 5 : index
  %y = tensor.empty(%n, %c5) : tensor<?x?xf64>
  %z = linalg.fill ins(%zero : f64) outs(%y : tensor<?x?xf64>) -> tensor<?x?xf64>
  %0 = linalg.conv_2d ins(%A, %F : tensor<?x?xf64>, tensor<?x?xf64>) outs(%z : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

#CSF = #sparse_tensor.encoding<{ map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : compressed, d2 : compressed, d3 : compressed) }>

// A padding of zeros is a shift: nothing stores it. The window only tells extents.

// CHECK-LABEL: func.func @padded(
// CHECK-SAME:    %[[A:.*]]: tensor<1x8x8x2xf64, #{{.*}}>)
// CHECK-NOT:     tensor.pad
// CHECK-NOT:     tensor.empty
// CHECK:         nacho.assign (%{{.*}} = %[[A]][i, o, p, l] : tensor<1x8x8x2xf64, #{{.*}}>, %{{.*}} = %{{.*}}[j] : tensor<9xi64>, %{{.*}} = %{{.*}}[k] : tensor<7xi64>, %{{.*}} = %{{.*}}[m] : tensor<3xi64>, %{{.*}} = %{{.*}}[n] : tensor<2xi64>)
// CHECK-SAME:        where (o = j + m - 2, p = k + n) -> [i, j, k, l]
// CHECK:           nacho.reduce add %{{.*}} over [m, n]
func.func @padded(%A: tensor<1x8x8x2xf64, #CSF>) -> tensor<1x9x7x2xf64> {
  %zero = arith.constant 0.0 : f64
  %p = tensor.pad %A low[0, 2, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f64
  } : tensor<1x8x8x2xf64, #CSF> to tensor<1x11x8x2xf64, #CSF>
  %w = tensor.empty() : tensor<3x2xf64>
  %y = tensor.empty() : tensor<1x9x7x2xf64>
  %z = linalg.fill ins(%zero : f64) outs(%y : tensor<1x9x7x2xf64>) -> tensor<1x9x7x2xf64>
  %0 = linalg.pooling_nhwc_sum ins(%p, %w : tensor<1x11x8x2xf64, #CSF>, tensor<3x2xf64>)
                               outs(%z : tensor<1x9x7x2xf64>) -> tensor<1x9x7x2xf64>
  return %0 : tensor<1x9x7x2xf64>
}

// -----

func.func @maps_are_linear(%A: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{the indexing map of operand 0 is not linear: not supported}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%A : tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %c: f64):
    linalg.yield %a : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

func.func @body_of_other_operators(%A: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{has math.fma in its body: not supported}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%A : tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %c: f64):
    %1 = math.fma %a, %a, %a : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

func.func @reduction_of_the_same_value(%A: tensor<?xf64>, %B: tensor<?xf64>,
                                       %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{reduces over dimension "j", on which the value does not depend: not supported}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>,
                       affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %B : tensor<?xf64>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %1 = arith.addf %c, %a : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

func.func @reduction_that_overwrites(%A: tensor<?xf64>, %y: tensor<f64>) -> tensor<f64> {
  // expected-error @below {{reduces without reading its output}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%A : tensor<?xf64>) outs(%y : tensor<f64>) {
  ^bb0(%a: f64, %c: f64):
    linalg.yield %a : f64
  } -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

func.func @several_results(%A: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{must have one result to become an assignment}}
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%A : tensor<?xf64>) outs(%y, %y : tensor<?xf64>, tensor<?xf64>) {
  ^bb0(%a: f64, %c: f64, %d: f64):
    linalg.yield %a, %a : f64, f64
  } -> (tensor<?xf64>, tensor<?xf64>)
  return %0#0 : tensor<?xf64>
}

// -----

func.func @reduction_by_a_quotient(%A: tensor<?xf64>, %y: tensor<f64>) -> tensor<f64> {
  // expected-error @below {{reduces its output by no operator that can reduce: not supported}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%A : tensor<?xf64>) outs(%y : tensor<f64>) {
  ^bb0(%a: f64, %c: f64):
    %1 = arith.divf %c, %a : f64
    linalg.yield %1 : f64
  } -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

func.func @elements_without_a_width(%A: tensor<?xindex>, %y: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @below {{operand 0 has elements of 'index': not supported}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%A : tensor<?xindex>) outs(%y : tensor<?xi64>) {
  ^bb0(%a: index, %c: i64):
    %1 = arith.index_cast %a : index to i64
    linalg.yield %1 : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

func.func @element_of_another_tensor(%A: tensor<?xf64>, %t: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{has tensor.extract in its body: not supported}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%A : tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %c: f64):
    %i = linalg.index 0 : index
    %1 = tensor.extract %t[%i] : tensor<?xf64>
    linalg.yield %1 : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
