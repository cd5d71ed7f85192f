// RUN: nacho-opt %s -pass-pipeline='builtin.module(nacho-concretize,%{cut},%{assemble})' \
// RUN:   --mlir-use-nameloc-as-prefix | FileCheck %s

// Entries that are counted per bucket (BucketsCollector.cpp): each part counts the entries
// of its rows in each column, and then appends them to the columns.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// CHECK-LABEL: func.func private @transpose_assemble(
// CHECK-SAME:    %buckets: memref<?x?xi32>
// CHECK:         nacho.parallel %part in %parts
// CHECK:           scf.for %bucket =
// CHECK-NEXT:        memref.store %c0_i32, %buckets[%part, %bucket]
// CHECK:           nacho.coiterate %i of
// CHECK-NEXT:        nacho.coiterate %j of
// CHECK-NEXT:          arith.addi %entries
// CHECK-NEXT:          %[[INSIDE:.+]] = arith.cmpi ult, %j,
// CHECK-NEXT:          scf.if %[[INSIDE]] {
// CHECK-NEXT:            %[[COUNT:.+]] = memref.load %buckets[%part, %j]
// CHECK-NEXT:            %[[MORE:.+]] = arith.addi %[[COUNT]], %c1_i32
// CHECK-NEXT:            memref.store %[[MORE]], %buckets[%part, %j]
// CHECK-NEXT:          } else {
// CHECK-NEXT:            memref.atomic_rmw ori %c1_i32, %status
//
// CHECK-LABEL: func.func private @transpose_compute(
// CHECK:           %next = arith.addi %parts, %part
// CHECK:             nacho.coiterate %j of
// CHECK:               scf.if
// CHECK-NEXT:            %[[AT:.+]] = memref.load %buckets[%next, %j]
// CHECK-NEXT:            %[[AFTER:.+]] = arith.addi %[[AT]], %c1_i32
// CHECK-NEXT:            memref.store %[[AFTER]], %buckets[%next, %j]
// CHECK-NEXT:            %[[PLACE:.+]] = arith.index_castui %[[AT]] : i32 to index
// CHECK-NEXT:            %[[FITS:.+]] = arith.cmpi ult, %[[PLACE]],
// CHECK-NEXT:            scf.if %[[FITS]] {
// CHECK-NEXT:              memref.store %a, %values[%[[PLACE]]]
// CHECK-NEXT:              %[[I:.+]] = arith.index_castui %i : index to i32
// CHECK-NEXT:              memref.store %[[I]], %crd1[%[[PLACE]]]
//
// CHECK-LABEL: func.func @transpose_execute(
// CHECK-SAME:    collect = buckets, buckets = [1 of 0]
//
// The number of entries in each column, and where the columns begin.
//
// CHECK:         nacho.parallel
// CHECK:           scf.for %bucket =
// CHECK-NEXT:        %[[COUNT:.+]] = memref.load %buckets[%c0, %bucket]
// CHECK-NEXT:        %[[AFTER:.+]] = arith.addi %bucket, %c1
// CHECK-NEXT:        memref.store %[[COUNT]], %pos1[%[[AFTER]]]
// CHECK:           scf.for %part = %c1 to %parts
// CHECK-NEXT:        scf.for %bucket =
// CHECK-NEXT:          %[[COUNT:.+]] = memref.load %buckets[%part, %bucket]
// CHECK-NEXT:          %[[AFTER:.+]] = arith.addi %bucket, %c1
// CHECK-NEXT:          %[[SUM:.+]] = memref.load %pos1[%[[AFTER]]]
// CHECK-NEXT:          %[[MORE:.+]] = arith.addi %[[SUM]], %[[COUNT]] : i32
// CHECK-NEXT:          memref.store %[[MORE]], %pos1[%[[AFTER]]]
// CHECK:         nacho.prefix_sum %pos1
//
// Where each part begins in each column: the first one where the column begins, others
// where the part before them ends.
//
// CHECK:         nacho.parallel
// CHECK:           scf.for %bucket =
// CHECK-NEXT:        %[[POS:.+]] = memref.load %pos1[%bucket]
// CHECK-NEXT:        %[[FIRST:.+]] = arith.minui %[[POS]], %{{.+}} : i32
// CHECK-NEXT:        memref.store %[[FIRST]], %buckets[%parts, %bucket]
// CHECK:           scf.for %part = %c1 to %parts
// CHECK-NEXT:        %[[BEFORE:.+]] = arith.subi %part, %c1
// CHECK:             scf.for %bucket =
// CHECK:               %[[PLACE:.+]] = memref.load %buckets[%{{.+}}, %bucket]
// CHECK-NEXT:          %[[COUNT:.+]] = memref.load %buckets[%[[BEFORE]], %bucket]
// CHECK-NEXT:          %[[NEXT:.+]] = arith.addi %[[PLACE]], %[[COUNT]] : i32
// CHECK:               memref.store %[[NEXT]], %buckets[%{{.+}}, %bucket]
// CHECK:         call @transpose_compute(
//
// Whether the parts have appended what they counted.
//
// CHECK:         nacho.parallel
// CHECK:           %[[ANY:.+]] = scf.for %bucket = {{.+}} iter_args(%{{.+}} = %c0_i32) -> (i32)
// CHECK-NEXT:        %[[REACHED:.+]] = memref.load %buckets[%parts, %bucket]
// CHECK-NEXT:        %[[COUNT:.+]] = memref.load %buckets[%c0, %bucket]
// CHECK-NEXT:        %[[BEGAN:.+]] = arith.subi %[[REACHED]], %[[COUNT]] : i32
// CHECK-NEXT:        %[[POS:.+]] = memref.load %pos1[%bucket]
// CHECK-NEXT:        arith.xori %[[BEGAN]], %[[POS]] : i32
// CHECK-NEXT:        arith.ori
// CHECK:           scf.for %part = %c1 to %parts {{.+}} iter_args(%{{.+}} = %[[ANY]]) -> (i32)
// CHECK:           memref.atomic_rmw ori %c2_i32, %status
func.func @transpose(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %T = nacho.assign collect<buckets> (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [j, i] : tensor<?x?xf64, #CSR> {
    nacho.yield %a : f64
  }
  return %T : tensor<?x?xf64, #CSR>
}
