// RUN: nacho-opt %s -pass-pipeline='builtin.module(nacho-concretize,%{cut},%{assemble})' \
// RUN:   --mlir-use-nameloc-as-prefix | FileCheck %s

// Entries that are counted per bucket (BucketsCollector.cpp): each part counts the entries
// of its rows in each column, and then appends them to the columns.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// CHECK-LABEL: func.func private @transpose_assemble(
// CHECK-SAME:    %buckets: memref<?x?xindex>
// CHECK:         nacho.parallel %part in %parts
// CHECK:           scf.for %bucket =
// CHECK-NEXT:        memref.store %c0, %buckets[%part, %bucket]
// CHECK:           nacho.coiterate %i of
// CHECK-NEXT:        nacho.coiterate %j of
// CHECK-NEXT:          arith.addi %entries
// CHECK-NEXT:          %[[INSIDE:.+]] = arith.cmpi ult, %j,
// CHECK-NEXT:          scf.if %[[INSIDE]] {
// CHECK-NEXT:            %[[COUNT:.+]] = memref.load %buckets[%part, %j]
// CHECK-NEXT:            %[[MORE:.+]] = arith.addi %[[COUNT]], %c1
// CHECK-NEXT:            memref.store %[[MORE]], %buckets[%part, %j]
// CHECK-NEXT:          } else {
// CHECK-NEXT:            memref.atomic_rmw ori %c1_i32, %status
//
// CHECK-LABEL: func.func private @transpose_compute(
// CHECK:           %next = arith.addi %parts, %part
// CHECK:             nacho.coiterate %j of
// CHECK:               scf.if
// CHECK-NEXT:            %[[AT:.+]] = memref.load %buckets[%next, %j]
// CHECK-NEXT:            %[[AFTER:.+]] = arith.addi %[[AT]], %c1
// CHECK-NEXT:            memref.store %[[AFTER]], %buckets[%next, %j]
// CHECK-NEXT:            %[[FITS:.+]] = arith.cmpi ult, %[[AT]],
// CHECK-NEXT:            scf.if %[[FITS]] {
// CHECK-NEXT:              memref.store %a, %values[%[[AT]]]
// CHECK-NEXT:              %[[I:.+]] = arith.index_castui %i : index to i32
// CHECK-NEXT:              memref.store %[[I]], %crd1[%[[AT]]]
//
// CHECK-LABEL: func.func @transpose_execute(
// CHECK-SAME:    collect = buckets, buckets = [1 of 0]
//
// The number of entries in each column, and where the columns begin.
//
// CHECK:         nacho.parallel
// CHECK:           scf.for %bucket =
// CHECK-NEXT:        %[[ALL:.+]] = scf.for %part =
// CHECK-NEXT:          %[[SOME:.+]] = memref.load %buckets[%part, %bucket]
// CHECK:             memref.store %{{.+}}, %pos1[
// CHECK:         nacho.prefix_sum %pos1
//
// Where each part begins in each column.
//
// CHECK:         nacho.parallel
// CHECK:           scf.for %bucket =
// CHECK-NEXT:        %[[POS:.+]] = memref.load %pos1[%bucket]
// CHECK-NEXT:        %[[CAST:.+]] = arith.index_castui %[[POS]]
// CHECK-NEXT:        %[[FIRST:.+]] = arith.minui %[[CAST]], %{{.+}} : index
// CHECK-NEXT:        scf.for %part = %c0 to %parts step %c1 iter_args(%[[PLACE:.+]] = %[[FIRST]])
// CHECK-NEXT:          %[[NEXT:.+]] = arith.addi %parts, %part
// CHECK-NEXT:          memref.store %[[PLACE]], %buckets[%[[NEXT]], %bucket]
// CHECK:         call @transpose_compute(
//
// Whether the parts have appended what they counted.
//
// CHECK:         nacho.parallel
// CHECK:           scf.for %part =
// CHECK:             %[[NEXT:.+]] = arith.addi %parts, %part
// CHECK-NEXT:        %[[REACHED:.+]] = memref.load %buckets[%[[NEXT]], %bucket]
// CHECK-NEXT:        arith.cmpi ne, %{{.+}}, %[[REACHED]]
func.func @transpose(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %T = nacho.assign collect<buckets> (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [j, i] : tensor<?x?xf64, #CSR> {
    nacho.yield %a : f64
  }
  return %T : tensor<?x?xf64, #CSR>
}
