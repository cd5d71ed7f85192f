// RUN: nacho-opt --nacho-from-linalg %s | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#V = affine_map<(d0) -> (d0)>
#N = affine_map<(d0) -> ()>

// Nothing is read of an output that is overwritten.

// CHECK-LABEL: func.func @negative_init_of_what_is_overwritten(
// CHECK:         nacho.assign (%[[a:.*]] = %{{.*}}[i] : {{.*}}) -> [i]
// CHECK-NEXT:      nacho.yield %[[a]] : f64
func.func @negative_init_of_what_is_overwritten(%A: tensor<?xf64, #SV>, %y: tensor<?xf64>)
    -> tensor<?xf64> {
  %0 = linalg.generic {indexing_maps = [#V, #V], iterator_types = ["parallel"]}
      ins(%A : tensor<?xf64, #SV>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %c: f64):
    linalg.yield %a : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// y[i] = y[i] * 2: the output is an operand.

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[Y:.*]]: tensor<?xf64, #{{.*}}>) ->
// CHECK:         nacho.assign (%[[y:.*]] = %[[Y]][i] : {{.*}}) -> [i]
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2.0{{.*}} : f64
// CHECK-NEXT:      %[[Z:.*]] = nacho.binary mul %[[y]], %[[TWO]] : f64
// CHECK-NEXT:      nacho.yield %[[Z]] : f64
func.func @in_place(%y: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %two = arith.constant 2.0 : f64
  %0 = linalg.generic {indexing_maps = [#V], iterator_types = ["parallel"]}
      outs(%y : tensor<?xf64, #SV>) {
  ^bb0(%c: f64):
    %1 = arith.mulf %c, %two : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64, #SV>
  return %0 : tensor<?xf64, #SV>
}

// y = 2; y = y - A[i] + B[i] for all i

// CHECK-LABEL: func.func @chain_from_a_number(
// CHECK-NOT:     linalg.fill
// CHECK:         nacho.assign (%[[a:.*]] = %{{.*}}[i] : {{.*}}, %[[b:.*]] = %{{.*}}[i] : tensor<?xf64>) -> []
// CHECK-NEXT:      %[[NEG:.*]] = nacho.unary neg %[[a]] : f64
// CHECK-NEXT:      %[[TERM:.*]] = nacho.binary add %[[NEG]], %[[b]] : f64
// CHECK-NEXT:      %[[SUM:.*]] = nacho.reduce add %[[TERM]] over [i] : f64
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2.0{{.*}} : f64
// CHECK-NEXT:      %[[Y:.*]] = nacho.binary add %[[TWO]], %[[SUM]] : f64
// CHECK-NEXT:      nacho.yield %[[Y]] : f64
func.func @chain_from_a_number(%A: tensor<?xf64, #SV>, %B: tensor<?xf64>) -> tensor<f64> {
  %two = arith.constant 2.0 : f64
  %e = tensor.empty() : tensor<f64>
  %y = linalg.fill ins(%two : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %0 = linalg.generic {indexing_maps = [#V, #V, #N], iterator_types = ["reduction"]}
      ins(%A, %B : tensor<?xf64, #SV>, tensor<?xf64>) outs(%y : tensor<f64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %1 = arith.subf %c, %a : f64
    %2 = arith.addf %b, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<f64>
  return %0 : tensor<f64>
}

// y = min(y, A[i]) of unsigned numbers

// CHECK-LABEL: func.func @unsigned_minimum(
// CHECK:         nacho.assign (%[[a:.*]] = %{{.*}}[i] : {{.*}}, %[[y:.*]] = %{{.*}}[] : tensor<i32>) -> []
// CHECK-NEXT:      %[[U:.*]] = nacho.cast %[[a]] : i32 to ui32
// CHECK-NEXT:      %[[MIN:.*]] = nacho.reduce min %[[U]] over [i] : ui32
// CHECK-NEXT:      %[[START:.*]] = nacho.cast %[[y]] : i32 to ui32
// CHECK-NEXT:      %[[ALL:.*]] = nacho.binary min %[[START]], %[[MIN]] : ui32
// CHECK-NEXT:      %[[RESULT:.*]] = nacho.cast %[[ALL]] : ui32 to i32
// CHECK-NEXT:      nacho.yield %[[RESULT]] : i32
func.func @unsigned_minimum(%A: tensor<?xi32, #SV>, %y: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [#V, #N], iterator_types = ["reduction"]}
      ins(%A : tensor<?xi32, #SV>) outs(%y : tensor<i32>) {
  ^bb0(%a: i32, %c: i32):
    %1 = arith.minui %c, %a : i32
    linalg.yield %1 : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// An index that only the output has gets its extent from coordinates.

// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME:    %[[A:.*]]: tensor<f64>, %[[Y:.*]]: tensor<?xf64>)
// CHECK:         %[[N:.*]] = tensor.dim %[[Y]], %{{.*}} : tensor<?xf64>
// CHECK-NEXT:    %[[I:.*]] = nacho.coordinates %[[N]] : tensor<?xi64>
// CHECK-NEXT:    nacho.assign (%[[a:.*]] = %[[A]][] : tensor<f64>, %{{.*}} = %[[I]][i] : tensor<?xi64>) -> [i]
// CHECK-NEXT:      nacho.yield %[[a]] : f64
func.func @broadcast(%A: tensor<f64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %0 = linalg.generic {indexing_maps = [#N, #V], iterator_types = ["parallel"]}
      ins(%A : tensor<f64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %c: f64):
    linalg.yield %a : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// Z[i] = s for all i: a sparse result has all entries, which the assignment says.

// CHECK-LABEL: func.func @number_everywhere(
// CHECK-SAME:    %{{.*}}: tensor<8xf64, #{{.*}}>, %[[S:.*]]: tensor<f64>) ->
// CHECK:         %[[I:.*]] = nacho.coordinates : tensor<8xi64>
// CHECK-NEXT:    nacho.assign (%[[s:.*]] = %[[S]][] : {{.*}}, %{{.*}} = %[[I]][i] : tensor<8xi64>) -> [i]
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      %[[Z:.*]] = nacho.keep %[[s]] if %[[TRUE]] : f64
// CHECK-NEXT:      nacho.yield %[[Z]] : f64
func.func @number_everywhere(%z: tensor<8xf64, #SV>, %s: tensor<f64>)
    -> tensor<8xf64, #SV> {
  %0 = linalg.generic {indexing_maps = [#N, #V], iterator_types = ["parallel"]}
      ins(%s : tensor<f64>) outs(%z : tensor<8xf64, #SV>) {
  ^bb0(%x: f64, %c: f64):
    linalg.yield %x : f64
  } -> tensor<8xf64, #SV>
  return %0 : tensor<8xf64, #SV>
}

// A constant 0 is stored nowhere.

// CHECK-LABEL: func.func @negative_zero_everywhere(
// CHECK-NOT:     nacho.keep
// CHECK:         return
func.func @negative_zero_everywhere(%z: tensor<8xf64, #SV>) -> tensor<8xf64, #SV> {
  %zero = arith.constant 0.0 : f64
  %0 = linalg.generic {indexing_maps = [#V], iterator_types = ["parallel"]}
      outs(%z : tensor<8xf64, #SV>) {
  ^bb0(%c: f64):
    linalg.yield %zero : f64
  } -> tensor<8xf64, #SV>
  return %0 : tensor<8xf64, #SV>
}
