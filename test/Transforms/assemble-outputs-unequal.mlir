// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s

// On a device, all parts are started together. Nothing is counted if a part costs more than
// two shares and an excess, or if a step before has failed; so the host waits for nothing
// but the counts:
//
//   parallel part in parts:
//     ...
//     cost = cuts[part - begin + 1].cost - cuts[part - begin].cost
//     if cost > total / parts * 2 + excess: earlier |= too heavy
//   parallel part in parts:
//     count between the cuts `part` and `earlier == 0 ? part + 1 : part`
//
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{tile=32 device},canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=DEVICE
//
// Where some coordinates stay whole, parts may differ in cost. The caller says in which
// order they are started, so that it can begin with the heaviest one:
//
//   parallel worker in parts:
//     part = order[worker]
//     append from offsets[part] to offsets[part + 1]

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 32 }>

// Rows are cut: all parts cost the same.
//
// CHECK-LABEL: func.func @negative_equal_compute(
// CHECK-NOT:     %order
// CHECK:         nacho.parallel %part in
// CHECK-LABEL: func.func @negative_equal_execute(
func.func @negative_equal(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64>
}

// One part adds up all elements of an entry. Counting is as before.
//
// CHECK-LABEL: func.func @whole_entries_partition(
// CHECK-NOT:     %order
// CHECK-LABEL: func.func @whole_entries_compute(
// CHECK-SAME:    %bounds: memref<?x{{.}}xindex>, %order: memref<?xindex>, %values: memref<?xf64>
// CHECK:         nacho.parallel %worker in %parts
// CHECK-NEXT:      %part = memref.load %order[%worker]
// CHECK:           nacho.load_cut %bounds[%part]
// CHECK-LABEL: func.func @whole_entries_execute(
// CHECK-SAME:    %order: memref<?xindex>
// CHECK-SAME:    delta = -1
// CHECK:         call @whole_entries_compute(%{{[^,]+}}, %bounds, %order,
func.func @whole_entries(%E: tensor<?x?xf64, #List>) -> tensor<?xf64> {
  %y = nacho.assign (%e = %E[j, i] : tensor<?x?xf64, #List>) -> [j] : tensor<?xf64> {
    %0 = nacho.reduce add %e over [i] : f64
    nacho.yield %0 : f64
  } {whole_entries}
  return %y : tensor<?xf64>
}

// A workspace collects whole rows.
//
// CHECK-LABEL: func.func @whole_rows_assemble(
// CHECK-NOT:     %order
// CHECK:         nacho.parallel %part in
// CHECK-LABEL: func.func @whole_rows_compute(
// CHECK:         nacho.parallel %worker in
// CHECK-NEXT:      %part = memref.load %order[%worker]
// CHECK:           memref.load %offsets[%part,
//
// DEVICE-LABEL: func.func private @negative_equal_cuts(
// DEVICE-NOT:     %excess
// DEVICE-LABEL: func.func private @whole_rows_cuts(
// DEVICE-SAME:    %excess: index, %earlier: memref<i32>, %status: memref<i32>,
// DEVICE:         %begin, %end = nacho.tile %part
// DEVICE:         %[[CUTS:.+]] = nacho.tile_cuts
// DEVICE-COUNT-2: nacho.tile_sync
// DEVICE:         %[[BEFORE:.+]] = nacho.cut_cost
// DEVICE:         %[[AFTER:.+]] = nacho.cut_cost
// DEVICE:         %[[TWICE:.+]] = arith.muli %{{.+}}, %c2
// DEVICE-NEXT:    %[[MOST:.+]] = arith.addi %[[TWICE]], %excess
// DEVICE-NEXT:    %[[COST:.+]] = arith.subi %[[AFTER]], %[[BEFORE]]
// DEVICE-NEXT:    %[[HEAVY:.+]] = arith.cmpi ugt, %[[COST]], %[[MOST]]
// DEVICE-NEXT:    scf.if %[[HEAVY]] {
// DEVICE-NEXT:      memref.atomic_rmw ori %c64_i32, %earlier[]
// DEVICE-LABEL: func.func private @whole_rows_assemble(
// DEVICE-SAME:    %earlier: memref<i32>,
// DEVICE:         nacho.parallel %part in %parts
// DEVICE:           %[[NEXT:.+]] = arith.addi %part, %c1
// DEVICE:           %[[EARLIER:.+]] = memref.load %earlier[]
// DEVICE-NEXT:      %[[RIGHT:.+]] = arith.cmpi eq, %[[EARLIER]], %c0_i32
// DEVICE-NEXT:      %[[END:.+]] = arith.select %[[RIGHT]], %[[NEXT]], %part
// DEVICE-NEXT:      %hi = nacho.load_cut %bounds[%[[END]]]
// DEVICE-LABEL: func.func @whole_rows_compute(
// DEVICE-NOT:     %order
// DEVICE-LABEL: func.func @whole_rows_plan(
// DEVICE-SAME:    %excess: index, %earlier: memref<i32>,
// DEVICE-LABEL: func.func @whole_rows_execute(
// DEVICE-SAME:    together = true
func.func @whole_rows(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign collect<whole_rows> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %Z : tensor<?x?xf64, #CSR>
}
