// RUN: nacho-opt %s -nacho-order-loops=whole-rows -nacho-concretize -cse -nacho-find-coordinates=seek-shared -nacho-remap-intersections -nacho-split-heavy-rows -cse --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-order-loops=whole-rows -nacho-concretize -cse -nacho-find-coordinates=seek-shared -nacho-remap-intersections -nacho-split-heavy-rows -cse -nacho-isolate-nests -nacho-partition-loops -nacho-bound-loops -nacho-assemble-outputs -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=PARTS

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// Of the rows of L, H has those that are heavy: their elements are listed in the order of
// the result. K has the others, which are collected as before. A row is in one of the two
// results.
//
// CHECK-LABEL: func.func @spgemm(
// CHECK:         %[[L0:.+]] = nacho.root %L scanned_list
// CHECK:         %H = nacho.nest collect<scanned_list> : tensor<?x?x?xi64,
// CHECK-NEXT:      nacho.coiterate %i of (%[[ROW:.+]] = %[[L0]] : {{.+}}) in
// CHECK-DAG:         %[[HEAVY:.+]] = nacho.heavy %[[ROW]]
// CHECK-DAG:         %[[BEGIN:.+]] = nacho.row_position %[[ROW]]
// CHECK-DAG:         %[[END:.+]] = nacho.row_position end %[[ROW]]
// CHECK:             nacho.coiterate %j of (%[[ENTRY:.+]] = %[[ROW]] : {{.+}}) in
// CHECK-DAG:           %[[ATEND:.+]] = nacho.cost <scan> %[[L0]] to %[[END]]
// CHECK-DAG:           %[[ATBEGIN:.+]] = nacho.cost <scan> %[[L0]] to %[[BEGIN]]
// CHECK-DAG:           %[[COST:.+]] = arith.subi %[[ATEND]], %[[ATBEGIN]]
// CHECK-DAG:           %[[VALUE:.+]] = arith.index_cast %[[COST]]
// CHECK-DAG:           %[[POS:.+]] = nacho.position %[[ENTRY]]
// CHECK-DAG:           %[[FIRST:.+]] = arith.cmpi eq, %[[POS]], %[[BEGIN]]
// CHECK-DAG:           %[[LISTED:.+]] = arith.andi %[[HEAVY]], %[[FIRST]]
// CHECK:               nacho.append %[[VALUE]] at(%i, %[[BEGIN]], %[[END]]) if %[[LISTED]] : i64
// CHECK:         %[[H0:.+]] = nacho.root %H scanned_list
// CHECK:         %E = nacho.nest collect<sorted_list> : tensor<?x?x?xf64,
// CHECK-NEXT:      nacho.coiterate %i of (%[[ENTRY:.+]] = %[[H0]]
// CHECK-DAG:         %[[BEGIN:.+]] = nacho.recall %[[ENTRY]] below 0
// CHECK-DAG:         %[[END:.+]] = nacho.recall %[[ENTRY]] below 1
// CHECK:             %[[ROW:.+]] = nacho.fiber_at %[[L0]][%[[BEGIN]] to %[[END]]] certain
// CHECK-NEXT:        nacho.coiterate %j of (%{{.+}} = %[[ROW]]
// CHECK:               nacho.coiterate %k
// CHECK:                 nacho.append %{{.+}} at(%i, %k, %j) : f64
// CHECK:         %[[E0:.+]] = nacho.root %E : tensor<?x?x?xf64,
// CHECK:         %heavy = nacho.nest reduce add whole_entries : tensor<?x?xf64,
// CHECK-NEXT:      nacho.coiterate %i of (%E1 = %[[E0]]
// CHECK-NEXT:        nacho.coiterate %k of (%E2 = %E1
// CHECK-NEXT:          nacho.coiterate %j of (%E3 = %E2
// CHECK-NEXT:            %[[E:.+]] = nacho.load %E3
// CHECK-NEXT:            nacho.append %[[E]] at(%i, %k) : f64
// CHECK:         %K = nacho.nest collect<scanned_list> : tensor<?x?x?xi64,
// CHECK:             %[[ISHEAVY:.+]] = nacho.heavy
// CHECK:             %[[LIGHT:.+]] = arith.xori %[[ISHEAVY]], %true
// CHECK:             %[[LISTED:.+]] = arith.andi %[[LIGHT]],
// CHECK:             nacho.append %{{.+}} at(%i, {{.+}}) if %[[LISTED]] : i64
// CHECK:         %[[K0:.+]] = nacho.root %K scanned_list
// CHECK:         %light = nacho.nest collect<light_rows> reduce add : tensor<?x?xf64,
// CHECK-NEXT:      nacho.coiterate %i of (%{{.+}} = %[[K0]]
// CHECK:             nacho.fiber_at %[[L0]]
// CHECK:         %[[Z:.+]] = nacho.nest : tensor<?x?xf64,
// CHECK-NEXT:      nacho.coiterate %i of (%heavy1 = %{{.+}}, %light1 = %{{.+}}) in union(%heavy1, %light1)
// CHECK-NEXT:        nacho.coiterate %k of (%heavy2 = %heavy1 : {{.+}}, %light2 = %light1 : {{.+}}) in union(%heavy2, %light2)
// CHECK-DAG:           %[[THERE:.+]] = nacho.present %heavy2
// CHECK-DAG:           %[[X:.+]] = nacho.load %heavy2
// CHECK-DAG:           %[[Y:.+]] = nacho.load %light2
// CHECK:               %[[EITHER:.+]] = nacho.select %[[THERE]], %[[X]], %[[Y]] : f64
// CHECK-NEXT:          nacho.append %[[EITHER]] at(%i, %k) : f64
// CHECK:         return %[[Z]]
//
// A part that has but some entries of a row looks for the others: each part must come to
// the same conclusion on the row. The row is sought once for all that is asked of it.
//
// PARTS-LABEL: func.func private @spgemm_1_compute(
// PARTS:         nacho.coiterate %i of (%[[L1:.+]] = %[[L0:.+]] : {{.+}}) in {{.+}} between (%lo1 = %{{.+}}, %hi1 = %{{.+}} :
// PARTS-DAG:       %[[LOWER:.+]] = nacho.on_cut %lo1
// PARTS-DAG:       %[[UPPER:.+]] = nacho.on_cut %hi1
// PARTS:           %[[CLIPPED:.+]] = arith.ori %[[LOWER]], %[[UPPER]]
// PARTS:           %[[ROW:.+]]:2 = scf.if %[[CLIPPED]] -> (index, index) {
// PARTS:             %[[WHOLE:.+]] = nacho.seek %i in %[[L0]]
// PARTS:             nacho.position %[[WHOLE]]
// PARTS:             nacho.position end %[[WHOLE]]
// PARTS:           } else {
// PARTS:             nacho.position %[[L1]]
// PARTS:             nacho.position end %[[L1]]
// PARTS:           }
// PARTS-DAG:       %[[TO:.+]] = nacho.cost <scan> %[[L0]] to %[[ROW]]#1
// PARTS-DAG:       %[[FROM:.+]] = nacho.cost <scan> %[[L0]] to %[[ROW]]#0
// PARTS-DAG:       %[[COST:.+]] = arith.subi %[[TO]], %[[FROM]]
// PARTS-DAG:       %[[ALL:.+]] = nacho.cost <scan> %[[L0]] :
// PARTS-DAG:       %[[QUARTERS:.+]] = arith.muli %parts, %c4
// PARTS:           %quarter = arith.divui %[[ALL]], %[[QUARTERS]]
// PARTS:           arith.cmpi ugt, %[[COST]], %quarter : index
// PARTS-NOT:       nacho.seek
// PARTS:           return
//
// Only loops over coordinates of the result are cut, and nothing is left to combine.
//
// PARTS-LABEL: func.func @spgemm_3_execute(
// PARTS-SAME:  loops = [<"i"[0]>, <"k"[0]>], cost = <entries, steps, 4 * units>, delta = -1>
// PARTS-NEXT:    call @spgemm_3_compute(
// PARTS-NEXT:    return
func.func @spgemm(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// A light row of the mask is in a table. Parts that share a heavy row search it, and its
// cost includes no table: the entries of heavy rows are listed again, with other costs.
//
// CHECK-LABEL: func.func @masked(
// CHECK:         %H = nacho.nest collect<scanned_list>
// CHECK-NEXT:      nacho.coiterate %i
// CHECK-NEXT:        %[[HEAVY:.+]] = nacho.heavy
// CHECK:             nacho.append %{{.+}} at(%i, %j, {{.+}}) if %[[HEAVY]] : i64
// CHECK:         %E = nacho.nest collect<sorted_list>
// CHECK-NOT:     nacho.find
// CHECK:         %[[M:.+]] = nacho.seek %k in
// CHECK:         nacho.present %[[M]]
// CHECK-NOT:     nacho.find
// CHECK:         %light = nacho.nest collect<light_rows>
// CHECK:         nacho.find %k in
func.func @masked(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Parts share the rows of a masked sum: the mask is searched in all of them.
//
// CHECK-LABEL: func.func @negative_sum(
// CHECK-NOT:     nacho.heavy
// CHECK-NOT:     nacho.find
// CHECK:         nacho.seek %k in
// CHECK-NOT:     light_rows
// CHECK:         return
func.func @negative_sum(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<f64> {
  %s = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [i, j, k] : f64
    nacho.yield %2 : f64
  }
  return %s : tensor<f64>
}
