// RUN: nacho-opt --nacho-from-linalg %s | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#V = affine_map<(d0) -> (d0)>
#N = affine_map<(d0) -> ()>

// Numbers from outside are constants, or operands without indices.

// CHECK-LABEL: func.func @numbers_from_outside(
// CHECK-SAME:    %[[A:.*]]: tensor<?xf64, #{{.*}}>, %[[S:.*]]: tensor<f64>, %[[T:.*]]: tensor<f64>, %{{.*}}: tensor<?xf64>)
// CHECK-NEXT:    nacho.assign (%[[a:.*]] = %[[A]][i] : {{.*}}, %[[s:.*]] = %[[S]][] : tensor<f64>, %[[t:.*]] = %[[T]][] : tensor<f64>) -> [i]
// CHECK-NEXT:      %[[ONE:.*]] = nacho.binary mul %[[a]], %[[s]] : f64
// CHECK-NEXT:      %[[TWO:.*]] = nacho.binary mul %[[ONE]], %[[t]] : f64
// CHECK-NEXT:      %[[C:.*]] = arith.constant 3.0{{.*}} : f64
// CHECK-NEXT:      nacho.binary mul %[[TWO]], %[[C]] : f64
func.func @numbers_from_outside(%A: tensor<?xf64, #SV>, %s: f64, %t: tensor<f64>,
                                %y: tensor<?xf64>) -> tensor<?xf64> {
  %u = tensor.extract %t[] : tensor<f64>
  %c3 = arith.constant 3.0 : f64
  %0 = linalg.generic {indexing_maps = [#V, #N, #V], iterator_types = ["parallel"]}
      ins(%A, %s : tensor<?xf64, #SV>, f64) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %1 = arith.mulf %a, %b : f64
    %2 = arith.mulf %1, %u : f64
    %3 = arith.mulf %2, %c3 : f64
    linalg.yield %3 : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// Unsigned ops of arith are operators on unsigned integers.

// CHECK-LABEL: func.func @unsigned(
// CHECK:         nacho.assign
// CHECK-NEXT:      %[[X:.*]] = nacho.cast %[[a:.*]] : i32 to ui32
// CHECK-NEXT:      %[[Y:.*]] = nacho.cast %[[a]] : i32 to ui32
// CHECK-NEXT:      %[[Q:.*]] = nacho.binary quo %[[X]], %[[Y]] : ui32
// CHECK-NEXT:      %[[I:.*]] = nacho.cast %[[Q]] : ui32 to i32
// CHECK-NEXT:      %[[U:.*]] = nacho.cast %[[I]] : i32 to ui32
// CHECK-NEXT:      nacho.cast %[[U]] : ui32 to f64
func.func @unsigned(%A: tensor<?xi32>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %0 = linalg.generic {indexing_maps = [#V, #V], iterator_types = ["parallel"]}
      ins(%A : tensor<?xi32>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: i32, %c: f64):
    %1 = arith.divui %a, %a : i32
    %2 = arith.uitofp %1 : i32 to f64
    linalg.yield %2 : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// A comparison that is true of NaN is the opposite of one that is not. The sum of
// booleans is that of numbers of one bit.

// CHECK-LABEL: func.func @booleans(
// CHECK:         %[[GE:.*]] = nacho.compare ge %[[a:.*]], %[[b:.*]] : f64
// CHECK-NEXT:    %[[ULT:.*]] = nacho.unary notbits %[[GE]] : i1
// CHECK-NEXT:    %[[LT:.*]] = nacho.compare lt %[[a]], %[[b]] : f64
// CHECK-NEXT:    %[[GT:.*]] = nacho.compare gt %[[a]], %[[b]] : f64
// CHECK-NEXT:    %[[ONE:.*]] = nacho.binary orbits %[[LT]], %[[GT]] : i1
// CHECK-NEXT:    %[[SUM:.*]] = nacho.binary xorbits %[[ULT]], %[[ONE]] : i1
// CHECK-NEXT:    nacho.cast %[[SUM]] : i1 to i8
func.func @booleans(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %y: tensor<?xi8>)
    -> tensor<?xi8> {
  %0 = linalg.generic {indexing_maps = [#V, #V, #V], iterator_types = ["parallel"]}
      ins(%A, %B : tensor<?xf64, #SV>, tensor<?xf64, #SV>) outs(%y : tensor<?xi8>) {
  ^bb0(%a: f64, %b: f64, %c: i8):
    %1 = arith.cmpf ult, %a, %b : f64
    %2 = arith.cmpf one, %a, %b : f64
    %3 = arith.addi %1, %2 : i1
    %4 = arith.extui %3 : i1 to i8
    linalg.yield %4 : i8
  } -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// CHECK-LABEL: func.func @complex_numbers(
// CHECK:         %[[SIN:.*]] = nacho.unary sin %{{.*}} : complex<f64>
// CHECK-NEXT:    %[[C:.*]] = complex.constant [2.0{{[^,]*}}, 0.0{{.*}}]
// CHECK-NEXT:    %[[DIV:.*]] = nacho.binary div %[[SIN]], %[[C]] : complex<f64>
// CHECK-NEXT:    %[[IM:.*]] = nacho.unary imag %[[DIV]] : complex<f64>
// CHECK-NEXT:    nacho.bitcast %[[IM]] : f64 to i64
func.func @complex_numbers(%A: tensor<?xcomplex<f64>, #SV>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %two = complex.constant [2.0, 0.0] : complex<f64>
  %0 = linalg.generic {indexing_maps = [#V, #V], iterator_types = ["parallel"]}
      ins(%A : tensor<?xcomplex<f64>, #SV>) outs(%y : tensor<?xi64>) {
  ^bb0(%a: complex<f64>, %c: i64):
    %1 = complex.sin %a : complex<f64>
    %2 = complex.div %1, %two : complex<f64>
    %3 = complex.im %2 : complex<f64>
    %4 = arith.bitcast %3 : f64 to i64
    linalg.yield %4 : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// Some ops become several operators.

// CHECK-LABEL: func.func @conjugates(
// CHECK:         %[[CONJ:.*]] = nacho.unary conj %{{.*}} : complex<f64>
// CHECK-NEXT:    %[[HEIGHT:.*]] = nacho.unary imag %[[CONJ]]
// CHECK-NEXT:    %[[WIDTH:.*]] = nacho.unary real %[[CONJ]]
// CHECK-NEXT:    %[[ANGLE:.*]] = nacho.binary atan2 %[[HEIGHT]], %[[WIDTH]] : f64
// CHECK-NEXT:    nacho.complex %[[ANGLE]], %[[ANGLE]] : f64
func.func @conjugates(%A: tensor<?xcomplex<f64>, #SV>, %y: tensor<?xcomplex<f64>>)
    -> tensor<?xcomplex<f64>> {
  %0 = linalg.generic {indexing_maps = [#V, #V], iterator_types = ["parallel"]}
      ins(%A : tensor<?xcomplex<f64>, #SV>) outs(%y : tensor<?xcomplex<f64>>) {
  ^bb0(%a: complex<f64>, %c: complex<f64>):
    %1 = complex.conj %a : complex<f64>
    %2 = complex.angle %1 : complex<f64>
    %3 = complex.create %2, %2 : complex<f64>
    linalg.yield %3 : complex<f64>
  } -> tensor<?xcomplex<f64>>
  return %0 : tensor<?xcomplex<f64>>
}

// CHECK-LABEL: func.func @finite(
// CHECK:         %[[NONE:.*]] = nacho.binary sub %[[a:.*]], %[[a]] : f64
// CHECK-NEXT:    %[[FINITE:.*]] = nacho.compare eq %[[NONE]], %[[NONE]] : f64
func.func @finite(%A: tensor<?xf64>, %y: tensor<?xi1>) -> tensor<?xi1> {
  %0 = linalg.generic {indexing_maps = [#V, #V], iterator_types = ["parallel"]}
      ins(%A : tensor<?xf64>) outs(%y : tensor<?xi1>) {
  ^bb0(%a: f64, %c: i1):
    %1 = math.isfinite %a : f64
    linalg.yield %1 : i1
  } -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// Z[i] = A[i] * i

// CHECK-LABEL: func.func @coordinates(
// CHECK-SAME:    %[[A:.*]]: tensor<8xi64, #{{.*}}>) ->
// CHECK:         %[[I:.*]] = nacho.coordinates : tensor<8xi64>
// CHECK-NEXT:    nacho.assign (%[[a:.*]] = %[[A]][i] : {{.*}}, %[[i:.*]] = %[[I]][i] : tensor<8xi64>) -> [i]
// CHECK-NEXT:      %[[Z:.*]] = nacho.binary mul %[[a]], %[[i]] : i64
// CHECK-NEXT:      nacho.yield %[[Z]] : i64
func.func @coordinates(%A: tensor<8xi64, #SV>) -> tensor<8xi64, #SV> {
  %e = tensor.empty() : tensor<8xi64, #SV>
  %0 = linalg.generic {indexing_maps = [#V, #V], iterator_types = ["parallel"]}
      ins(%A : tensor<8xi64, #SV>) outs(%e : tensor<8xi64, #SV>) {
  ^bb0(%a: i64, %c: i64):
    %i = linalg.index 0 : index
    %1 = arith.index_cast %i : index to i64
    %2 = arith.muli %a, %1 : i64
    linalg.yield %2 : i64
  } -> tensor<8xi64, #SV>
  return %0 : tensor<8xi64, #SV>
}
