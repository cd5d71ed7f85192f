// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{tile=32 device},canonicalize,cse)' \
// RUN:   | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// y[i] = A[i, j] * x[j]: a device starts one loop for groups of all sizes, and for the parts. The
// workers of each stage begin at a multiple of 1024, and wait for those of the stages before.
//
//   parallel worker in groups of 2^5, 2^10, 2^15 and 2^20 parts, then parts:
//     begin, bits = those of the worker's stage
//     await begin
//     if the worker is of a group: combine the groups of 2^bits parts in it
//     if it is of a part: combine the part with those before it
//
// CHECK-LABEL: func.func @spmv_combine(
// CHECK:         %[[NUM:.+]] = arith.shrui %parts, %c5 : index
// CHECK-NEXT:    %[[FEW:.+]] = arith.select %{{.+}}, %[[NUM]], %c0 : index
// CHECK-NEXT:    %[[UP:.+]] = arith.addi %[[FEW]], %c1023 : index
// CHECK-NEXT:    %[[UNITS:.+]] = arith.divui %[[UP]], %c1024 : index
// CHECK-NEXT:    %[[SECOND:.+]] = arith.muli %[[UNITS]], %c1024 : index
// CHECK:         arith.shrui %parts, %c10 : index
// CHECK:         arith.shrui %parts, %c15 : index
// CHECK:         arith.shrui %parts, %c20 : index
// CHECK:         %[[END:.+]] = arith.muli %{{.+}}, %c1024 : index
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %[[END]], %parts : index
// CHECK-NEXT:    nacho.parallel %worker in %[[ALL]] threads %threads {
// CHECK-NEXT:      %[[IS_SECOND:.+]] = arith.cmpi uge, %worker, %[[SECOND]] : index
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.select %[[IS_SECOND]], %[[SECOND]], %c0 : index
// CHECK-NEXT:      %[[BITS:.+]] = arith.select %[[IS_SECOND]], %c5, %c0 : index
// CHECK:           %[[IS_REST:.+]] = arith.cmpi uge, %worker, %[[END]] : index
// CHECK-NEXT:      %[[LAST:.+]] = arith.select %[[IS_REST]], %[[END]], %{{.+}} : index
// CHECK-NEXT:      nacho.await %[[LAST]]
// CHECK-NEXT:      %[[BEHIND:.+]] = arith.subi %worker, %[[LAST]] : index
// CHECK-NEXT:      %[[NUMBER:.+]] = arith.maxsi %[[BEHIND]], %c0 : index
// CHECK:           scf.if
// CHECK-NEXT:        %[[GROUP:.+]] = arith.minui %[[NUMBER]], %parts : index
// CHECK:             arith.muli %[[GROUP]], %c32 : index
// CHECK:             memref.store %{{.+}}, %partials
// CHECK:           scf.if %[[IS_REST]] {
// CHECK-NEXT:        %[[PART:.+]] = arith.minui %[[NUMBER]], %parts : index
// CHECK:             nacho.load_cut %bounds[%[[PART]]]
// CHECK:             memref.store %{{.+}}, %values
// CHECK-NOT:     nacho.parallel
// CHECK:         return
//
// All sizes are known before: a function cuts and computes, so that a block can do both.
//
// CHECK-LABEL: func.func @spmv_run(
// CHECK-SAME:    %bounds: memref<?x5xindex>, %values: memref<?xf64>, %partials: memref<?x?xf64>, %visited: memref<?xindex>, %sizes: memref<3xindex>, %status: memref<i32>, %threads: index)
// CHECK:         call @spmv_cuts(%arg0, %arg1, %bounds, %sizes, %status, %threads)
// CHECK-NEXT:    call @spmv_compute(%arg0, %arg1, %bounds, %values, %partials, %visited, %status, %threads)
// CHECK-NEXT:    call @spmv_combine(%arg0, %arg1, %bounds, %values, %partials, %visited, %threads)
// CHECK-NEXT:    return
func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// If the entries are counted, they are appended as soon as that is done.
//
// CHECK-LABEL: func.func @counted_run(
// CHECK:         call @counted_cuts(
// CHECK-NEXT:    call @counted_assemble(
// CHECK-NEXT:    call @counted_scan(
// CHECK-NEXT:    call @counted_compute(
// CHECK-NEXT:    return
func.func @counted(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Not where loops over two operands take a number of steps that is not known before.
//
// CHECK-NOT: func.func @negative_union_run(
func.func @negative_union(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary add %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}
