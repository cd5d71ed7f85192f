// RUN: nacho-opt %s \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{tile=32},canonicalize,cse)' \
// RUN:   | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>

// First come the cuts with which tiles begin, then all others: one for each worker, between
// the cuts of its tile.
//
//   parallel number in ceil(parts / 32):
//     row = 32 * number
//     if row is not a multiple of within: bounds[row] = cut between known ones
//   parallel row in parts:
//     begin, end = tile of row
//     if row is not a multiple of within, and not begin:
//       bounds[row] = cut between max(from, begin) and min(to, end)
//
// CHECK-LABEL: func.func @add_partition(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[WITHIN:[^ ]+]]: index, %{{[^ ]+}}: index)
// CHECK:         %[[PARTS:.+]] = arith.subi %{{.+}}, %c1
// CHECK:         scf.if
// CHECK:         %[[TILES:.+]] = arith.ceildivui %[[PARTS]], %c32
// CHECK-NEXT:    nacho.parallel %[[NUMBER:.+]] in %[[TILES]] threads %{{.+}} {
// CHECK-NEXT:      %[[FIRST:.+]] = arith.muli %[[NUMBER]], %c32
// CHECK:           arith.remui %{{.+}}, %[[WITHIN]]
// CHECK:           nacho.search
// CHECK:           nacho.store_cut
// CHECK:         nacho.parallel %[[ROW:.+]] in %[[PARTS]] threads %{{.+}} {
// CHECK-NEXT:      %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[ROW]] of %[[PARTS]] by 32
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.remui %[[ROW]], %[[WITHIN]]
// CHECK-NEXT:      %[[INTERIOR:.+]] = arith.cmpi ne, %[[INSIDE]], %c0
// CHECK-NEXT:      %[[OTHER:.+]] = arith.cmpi ne, %[[ROW]], %[[BEGIN]]
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[INTERIOR]], %[[OTHER]]
// CHECK-NEXT:      scf.if %[[BOTH]] {
// CHECK-NEXT:        %[[FROM:.+]] = arith.subi %[[ROW]], %[[INSIDE]]
// CHECK-NEXT:        %[[TO:.+]] = arith.addi %[[FROM]], %[[WITHIN]]
// CHECK-NEXT:        %[[LOWER:.+]] = arith.maxui %[[FROM]], %[[BEGIN]]
// CHECK-NEXT:        %[[UPPER:.+]] = arith.minui %[[TO]], %[[END]]
// CHECK-DAG:         nacho.load_cut %[[BOUNDS]][%[[LOWER]]]
// CHECK-DAG:         nacho.load_cut %[[BOUNDS]][%[[UPPER]]]
// CHECK:             nacho.search
// CHECK:             nacho.store_cut %{{.+}}, %[[BOUNDS]][%[[ROW]]]
// CHECK:         return
func.func @add(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64, #SV>
}
