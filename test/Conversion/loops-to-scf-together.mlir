// RUN: nacho-opt %s -convert-nacho-loops-to-scf=together -canonicalize -cse | FileCheck %s

// One loop for all that operands have, which carries positions alone: coordinates are
// loaded where a step begins.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// while posA < endA or posB < endB:
//   a, b = the coordinates at posA and posB, or infinity; i = min(a, b)
//   posA += a == i; posB += b == i
//
// CHECK-LABEL: func.func @union(
// CHECK-SAME:    %[[S:[^ ]+]]: f64)
// CHECK:         scf.while (%[[P:.+]] = %{{.+}}, %[[Q:.+]] = %{{.+}}, %[[T:.+]] = %[[S]]) : (index, index, f64) -> (index, index, f64) {
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi ult, %[[P]], %[[END_A:.+]] : index
// CHECK-NEXT:      %[[HAS_B:.+]] = arith.cmpi ult, %[[Q]], %[[END_B:.+]] : index
// CHECK-NEXT:      %[[ANY:.+]] = arith.ori %[[HAS_A]], %[[HAS_B]] : i1
// CHECK-NEXT:      scf.condition(%[[ANY]]) %[[P]], %[[Q]], %[[T]]
// CHECK:         ^bb0(%[[P:.+]]: index, %[[Q:.+]]: index, %[[T:.+]]: f64):
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi ult, %[[P]], %[[END_A]] : index
// CHECK:           %[[A:.+]] = arith.select %[[HAS_A]], %{{.+}}, %c-1 : index
// CHECK-NEXT:      %[[HAS_B:.+]] = arith.cmpi ult, %[[Q]], %[[END_B]] : index
// CHECK:           %[[B:.+]] = arith.select %[[HAS_B]], %{{.+}}, %c-1 : index
// CHECK-NEXT:      %[[LEAST:.+]] = arith.minui %[[A]], %[[B]] : index
// CHECK-NEXT:      %[[IS_A:.+]] = arith.cmpi eq, %[[A]], %[[LEAST]] : index
// CHECK-NEXT:      %[[STEP_A:.+]] = arith.index_castui %[[IS_A]] : i1 to index
// CHECK-NEXT:      %[[NEXT_P:.+]] = arith.addi %[[P]], %[[STEP_A]] : index
// CHECK:           %[[NEXT_Q:.+]] = arith.addi %[[Q]], %{{.+}} : index
// CHECK:           scf.yield %[[NEXT_P]], %[[NEXT_Q]], %{{.+}} : index, index, f64
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: f64) -> f64 {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %sum = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%s = %start : f64) {
    %a = nacho.load %A1 : !S1
    %b = nacho.load %B1 : !S1
    %ab = arith.addf %a, %b : f64
    %next = arith.addf %s, %ab : f64
    nacho.yield %next : f64
  }
  return %sum : f64
}

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!F0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!F1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>

// Rows of a union begin where the loop over the entries has left the ones before, and so
// do not carry where these end.
//
//   for i = first to last, with begin of A and B:
//     end = min(pos[i + 1], that of the upper cut), for A and B
//     while beginA < endA or beginB < endB: begin += has the coordinate, for A and B
//
// CHECK-LABEL: func.func @union_of_rows(
// CHECK:         %[[ROWS:.+]]:3 = scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[S:.+]] = %{{.+}}, %[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) -> (index, index, index) {
// CHECK:           %[[LEFT:.+]]:3 = scf.while (%{{.+}} = %[[A]], %{{.+}} = %[[B]], %{{.+}} = %[[S]])
// CHECK:           scf.yield %[[LEFT]]#2, %[[LEFT]]#0, %[[LEFT]]#1 : index, index, index
func.func @union_of_rows(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %bounds: memref<?x7xindex>, %part: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %part, %c1 : index
  %lo = nacho.load_cut %bounds[%part] : memref<?x7xindex> -> <2, 2>
  %hi = nacho.load_cut %bounds[%next] : memref<?x7xindex> -> <2, 2>
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #CSR>
  %sum = nacho.coiterate %i of (%A1 = %A0 : !F0, %B1 = %B0 : !F0) in union(%A1, %B1)
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<2, 2>) iter_args(%s = %c0 : index) {
    %row = nacho.coiterate %j of (%A2 = %A1 : !F1, %B2 = %B1 : !F1) in union(%A2, %B2)
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<2>) iter_args(%r = %s : index) {
      %n = arith.addi %r, %j : index
      nacho.yield %n : index
    }
    nacho.yield %row : index
  }
  return %sum : index
}

// An intersection leaves its rows before they end.
//
// CHECK-LABEL: func.func @negative_intersection_of_rows(
// CHECK:         %[[ROWS:.+]]:3 = scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[S:.+]] = %{{.+}}, %[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) -> (index, index, index) {
// CHECK:           arith.minui
// CHECK-NEXT:      %[[END_A:.+]] = arith.minui
// CHECK:           arith.minui
// CHECK-NEXT:      %[[END_B:.+]] = arith.minui
// CHECK:           %[[LEFT:.+]]:3 = scf.while (%{{.+}} = %[[A]], %{{.+}} = %[[B]], %{{.+}} = %[[S]])
// CHECK:           scf.yield %[[LEFT]]#2, %[[END_A]], %[[END_B]] : index, index, index
func.func @negative_intersection_of_rows(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %bounds: memref<?x7xindex>, %part: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %part, %c1 : index
  %lo = nacho.load_cut %bounds[%part] : memref<?x7xindex> -> <2, 2>
  %hi = nacho.load_cut %bounds[%next] : memref<?x7xindex> -> <2, 2>
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #CSR>
  %sum = nacho.coiterate %i of (%A1 = %A0 : !F0, %B1 = %B0 : !F0) in union(%A1, %B1)
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<2, 2>) iter_args(%s = %c0 : index) {
    %row = nacho.coiterate %j of (%A2 = %A1 : !F1, %B2 = %B1 : !F1) in intersect(%A2, %B2)
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<2>) iter_args(%r = %s : index) {
      %n = arith.addi %r, %j : index
      nacho.yield %n : index
    }
    nacho.yield %row : index
  }
  return %sum : index
}

// A search through all rows guesses that these cost the same.
//
// guess = high * query / total; near = high / 256
// low, high = where the query is spent, below, between, or above guess - near, guess and
//             guess + near
//
// It loads the costs of three rows in each step, and leaves one quarter of them.
//
// while low < high:
//   first, second, third = a quarter, a half and three quarters of the way
//   low, high = the quarter in which the query is spent
//
// CHECK-LABEL: func.func @far_search(
// CHECK-SAME:    %[[QUERY:[^ ]+]]: index, %[[TOTAL:[^ ]+]]: index)
// CHECK:         %[[LAST:.+]] = arith.minsi
// CHECK-NEXT:    %[[ROWS_I:.+]] = arith.index_castui %[[LAST]] : index to i64
// CHECK-NEXT:    %[[ROWS:.+]] = arith.uitofp %[[ROWS_I]] : i64 to f32
// CHECK-NEXT:    %[[COST_I:.+]] = arith.index_castui %[[TOTAL]] : index to i64
// CHECK-NEXT:    %[[COST:.+]] = arith.uitofp %[[COST_I]] : i64 to f32
// CHECK-NEXT:    %[[EACH:.+]] = arith.divf %[[ROWS]], %[[COST]] : f32
// CHECK-NEXT:    %[[SPENT_I:.+]] = arith.index_castui %[[QUERY]] : index to i64
// CHECK-NEXT:    %[[SPENT:.+]] = arith.uitofp %[[SPENT_I]] : i64 to f32
// CHECK-NEXT:    %[[ABOUT:.+]] = arith.mulf %[[SPENT]], %[[EACH]] : f32
// CHECK-NEXT:    %[[ABOUT_I:.+]] = arith.fptoui %[[ABOUT]] : f32 to i64
// CHECK-NEXT:    %[[ROW:.+]] = arith.index_castui %[[ABOUT_I]] : i64 to index
// CHECK-NEXT:    %[[GUESS:.+]] = arith.minui %[[ROW]], %[[LAST]] : index
// CHECK-NEXT:    %[[NEAR:.+]] = arith.shrui %[[LAST]], %c8 : index
// CHECK-NEXT:    %[[LESS:.+]] = arith.subi %[[GUESS]], %[[NEAR]] : index
// CHECK-NEXT:    %[[BELOW:.+]] = arith.maxsi %[[LESS]], %c0 : index
// CHECK-NEXT:    %[[MORE:.+]] = arith.addi %[[GUESS]], %[[NEAR]] : index
// CHECK-NEXT:    %[[ABOVE:.+]] = arith.minui %[[MORE]], %[[LAST]] : index
// CHECK:         memref.load %[[POS:.+]][%[[BELOW]]]
// CHECK:         memref.load %[[POS]][%[[GUESS]]]
// CHECK:         memref.load %[[POS]][%[[ABOVE]]]
// CHECK:         %[[IS_ABOVE:.+]] = arith.cmpi ule, %{{.+}}, %[[QUERY]] : index
// CHECK-NEXT:    %[[BOTTOM:.+]] = arith.select %[[IS_ABOVE]], %[[ABOVE]], %{{.+}} : index
// CHECK-NEXT:    %[[TOP:.+]] = arith.select %[[IS_ABOVE]], %[[LAST]], %{{.+}} : index
// CHECK-NEXT:    scf.while (%{{.+}} = %[[BOTTOM]], %{{.+}} = %[[TOP]])
// CHECK:         ^bb0(%[[LOW:.+]]: index, %[[HIGH:.+]]: index):
// CHECK-NEXT:      %[[SPAN:.+]] = arith.subi %[[HIGH]], %[[LOW]] : index
// CHECK-NEXT:      %[[UP:.+]] = arith.addi %[[SPAN]], %c3 : index
// CHECK-NEXT:      %[[QUARTER:.+]] = arith.shrui %[[UP]], %c2 : index
// CHECK-NEXT:      %[[FIRST:.+]] = arith.addi %[[LOW]], %[[QUARTER]] : index
// CHECK-NEXT:      %[[ODD:.+]] = arith.addi %[[SPAN]], %c1 : index
// CHECK-NEXT:      %[[HALF:.+]] = arith.shrui %[[ODD]], %c1 : index
// CHECK-NEXT:      %[[SECOND:.+]] = arith.addi %[[LOW]], %[[HALF]] : index
// CHECK-NEXT:      %[[REST:.+]] = arith.subi %[[HIGH]], %[[SECOND]] : index
// CHECK-NEXT:      %[[OF_REST:.+]] = arith.addi %[[REST]], %c1 : index
// CHECK-NEXT:      %[[HALF_REST:.+]] = arith.shrui %[[OF_REST]], %c1 : index
// CHECK-NEXT:      %[[THIRD:.+]] = arith.addi %[[SECOND]], %[[HALF_REST]] : index
// CHECK-NEXT:      %[[BELOW_FIRST:.+]] = arith.subi %[[FIRST]], %c1 : index
// CHECK:           memref.load %[[POS]][%[[FIRST]]]
// CHECK:           %[[IS_FIRST:.+]] = arith.cmpi ule, %{{.+}}, %[[QUERY]] : index
// CHECK-NEXT:      %[[LOW_1:.+]] = arith.select %[[IS_FIRST]], %[[FIRST]], %[[LOW]] : index
// CHECK-NEXT:      %[[BELOW_SECOND:.+]] = arith.subi %[[SECOND]], %c1 : index
// CHECK-NEXT:      %[[HIGH_1:.+]] = arith.select %[[IS_FIRST]], %[[BELOW_SECOND]], %[[BELOW_FIRST]] : index
// CHECK-NEXT:      memref.load %[[POS]][%[[SECOND]]]
// CHECK:           %[[IS_SECOND:.+]] = arith.cmpi ule, %{{.+}}, %[[QUERY]] : index
// CHECK-NEXT:      %[[LOW_2:.+]] = arith.select %[[IS_SECOND]], %[[SECOND]], %[[LOW_1]] : index
// CHECK-NEXT:      %[[BELOW_THIRD:.+]] = arith.subi %[[THIRD]], %c1 : index
// CHECK-NEXT:      %[[HIGH_2:.+]] = arith.select %[[IS_SECOND]], %[[BELOW_THIRD]], %[[HIGH_1]] : index
// CHECK-NEXT:      memref.load %[[POS]][%[[THIRD]]]
// CHECK:           %[[IS_THIRD:.+]] = arith.cmpi ule, %{{.+}}, %[[QUERY]] : index
// CHECK-NEXT:      %[[LOW_3:.+]] = arith.select %[[IS_THIRD]], %[[THIRD]], %[[LOW_2]] : index
// CHECK-NEXT:      %[[HIGH_3:.+]] = arith.select %[[IS_THIRD]], %[[HIGH]], %[[HIGH_2]] : index
// CHECK-NEXT:      scf.yield %[[LOW_3]], %[[HIGH_3]] : index, index
func.func @far_search(%A: tensor<?x?xf64, #CSR>, %query: index, %total: index) -> index {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR> {input = 0 : i64}
  %lo = nacho.origin : <1, 1>
  %hi = nacho.limit %total of(%A0) loops [[0], [0]] : !F0 -> <1, 1>
  %i, %residual, %A1, %lower, %upper = nacho.search %query of(%A0) between %lo, %hi
      : !F0, !nacho.cut<1, 1> {
  ^bb0(%row: index, %pos: index):
    %cost = nacho.cost <nnz> %A0 to %pos : !F0
    nacho.yield %cost : index
  }
  return %i : index
}

// Between cuts that are known, what is loaded is near: each step halves the rows.
//
// CHECK-LABEL: func.func @negative_near_search(
// CHECK:         scf.while
// CHECK:           arith.shrui %{{.+}}, %c1 : index
// CHECK-NOT:       arith.shrui
// CHECK:           scf.yield
func.func @negative_near_search(%A: tensor<?x?xf64, #CSR>, %bounds: memref<?x5xindex>,
                                %p: index, %q: index, %query: index) -> index {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR> {input = 0 : i64}
  %lo = nacho.load_cut %bounds[%p] : memref<?x5xindex> -> <1, 1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x5xindex> -> <1, 1>
  %i, %residual, %A1, %lower, %upper = nacho.search %query of(%A0) between %lo, %hi
      : !F0, !nacho.cut<1, 1> {
  ^bb0(%row: index, %pos: index):
    %cost = nacho.cost <nnz> %A0 to %pos : !F0
    nacho.yield %cost : index
  }
  return %i : index
}

// Along the path of a merge of two lists, a guess takes it that their entries lie alike.
//
// guess = entries of A * n / all entries; near = 2 << bits of the interval / 2
// low, high = above, between, or below guess - near and guess + near
//
// CHECK-LABEL: func.func @far_path(
// CHECK-SAME:    %[[QUERY:[^ ]+]]: index, %[[TOTAL:[^ ]+]]: index)
// CHECK:         %[[ALL:.+]] = arith.addi
// CHECK-NEXT:    %[[N:.+]] = arith.minui %{{.+}}, %[[ALL]] : index
// CHECK-NEXT:    arith.minui %{{.+}}, %[[N]] : index
// CHECK-NEXT:    %[[LOW:.+]] = arith.subi %[[N]], %{{.+}} : index
// CHECK-NEXT:    arith.subi %[[N]], %c1 : index
// CHECK-NEXT:    %[[HIGH:.+]] = arith.minui %[[OF_A:.+]], %[[N]] : index
// CHECK:         %[[EACH:.+]] = arith.divf
// CHECK:         %[[PRODUCT:.+]] = arith.mulf %{{.+}}, %[[EACH]] : f32
// CHECK:         %[[GUESS:.+]] = arith.minui %{{.+}}, %[[OF_A]] : index
// CHECK-NEXT:    %[[SOME:.+]] = arith.cmpi ult, %[[LOW]], %[[HIGH]] : index
// CHECK-NEXT:    %[[NEAR:.+]]:2 = scf.if %[[SOME]] -> (index, index) {
// CHECK:           math.ctlz
// CHECK:           %[[HALF:.+]] = arith.shrui %{{.+}}, %c1 : index
// CHECK-NEXT:      %[[ROOT:.+]] = arith.shli %c2, %[[HALF]] : index
// CHECK:           %[[BELOW:.+]] = arith.maxsi %{{.+}}, %[[LOW]] : index
// CHECK:           %[[ABOVE:.+]] = arith.minui %{{.+}}, %{{.+}} : index
// CHECK:           memref.load %[[A:.+]][%[[BELOW]]]
// CHECK:           memref.load %[[A]][%[[ABOVE]]]
// CHECK:           scf.yield
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[LOW]], %[[HIGH]] : index, index
// CHECK:         %[[I:.+]]:2 = scf.while (%{{.+}} = %[[NEAR]]#0, %{{.+}} = %[[NEAR]]#1)
//
// The next entry of each list has the least coordinate. Where there is none, the entry before
// is loaded, which lies near.
//
// CHECK:         %[[AFTER:.+]] = arith.minui %{{.+}}, %[[END_A:.+]] : index
// CHECK:         %[[IS_LEFT:.+]] = arith.cmpi ult, %[[I]]#0, %[[AFTER]] : index
// CHECK-NEXT:    %[[SOME:.+]] = arith.maxui %[[AFTER]], %c1 : index
// CHECK-NEXT:    %[[LAST:.+]] = arith.subi %[[SOME]], %c1 : index
// CHECK-NEXT:    memref.load %[[A]][%[[LAST]]]
func.func @far_path(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %query: index, %total: index) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV> {input = 0 : i64}
  %B0 = nacho.root %B : tensor<?xf64, #SV> {input = 1 : i64}
  %lo = nacho.origin : <2>
  %hi = nacho.limit %total of(%A0, %B0) loops [[0, 1]] : !S0, !S0 -> <2>
  %i, %residual, %A1, %B1, %lower, %upper = nacho.search %query of(%A0, %B0) between %lo, %hi
      : !S0, !S0, !nacho.cut<2> {
  ^bb0(%j: index, %p: index, %q: index):
    %a = nacho.cost <nnz> %A0 to %p : !S0
    %b = nacho.cost <nnz> %B0 to %q : !S0
    %cost = arith.addi %a, %b : index
    nacho.yield %cost : index
  }
  return %i : index
}
