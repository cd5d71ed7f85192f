// RUN: nacho-opt %s \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{tile=32},canonicalize,cse)' \
// RUN:   | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>

// Callers may ask for cuts; a plan has those with which tiles begin, and then all others: one
// for each worker, between the cuts of its tile.
//
// CHECK-LABEL: func.func @add_partition(
// CHECK-NOT:     nacho.tile
// CHECK:         return
//
//   parallel number in ceil(parts / 32):
//     row = 32 * number
//     if row is 0: bounds[0] = origin, bounds[parts] = limit
//     else: bounds[row] = cut between these
//
// CHECK-LABEL: func.func private @add_tiles(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[T:[^ ]+]]: index)
// CHECK:         %[[TOTAL:.+]] = arith.select
// CHECK:         %[[PARTS:.+]] = arith.subi %{{.+}}, %c1
// CHECK-NEXT:    %[[TILES:.+]] = arith.ceildivui %[[PARTS]], %c32
// CHECK-NEXT:    nacho.parallel %[[NUMBER:.+]] in %[[TILES]] threads %[[T]] {
// CHECK-NEXT:      %[[ROW:.+]] = arith.muli %[[NUMBER]], %c32
// CHECK-NEXT:      %[[ORIGIN:.+]] = nacho.origin
// CHECK-NEXT:      %[[LIMIT:.+]] = nacho.limit %[[TOTAL]]
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %[[ROW]], %c0
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-NEXT:        nacho.store_cut %[[ORIGIN]], %[[BOUNDS]][%c0]
// CHECK-NEXT:        nacho.store_cut %[[LIMIT]], %[[BOUNDS]][%[[PARTS]]]
// CHECK-NEXT:      } else {
// CHECK:             %[[QUERY:.+]] = nacho.query %[[ROW]] of %[[PARTS]] from %c0 to %[[TOTAL]]
// CHECK-NEXT:          nacho.search %[[QUERY]] of{{.+}} between %[[ORIGIN]], %[[LIMIT]]
// CHECK:             nacho.store_cut %{{.+}}, %[[BOUNDS]][%[[ROW]]]
// CHECK:         return
//
//   parallel row in parts:
//     begin, end = tile of row
//     if row is not begin: bounds[row] = cut between those of begin and end
//
// CHECK-LABEL: func.func private @add_cuts(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[T:[^ ]+]]: index)
// CHECK:         nacho.parallel %[[ROW:.+]] in %[[PARTS:.+]] threads %[[T]] {
// CHECK-NEXT:      %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[ROW]] of %[[PARTS]] by 32
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ne, %[[ROW]], %[[BEGIN]]
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK-DAG:         %[[LO:.+]] = nacho.load_cut %[[BOUNDS]][%[[BEGIN]]]
// CHECK-DAG:         %[[HI:.+]] = nacho.load_cut %[[BOUNDS]][%[[END]]]
// CHECK:             nacho.search %{{.+}} of{{.+}} between %[[LO]], %[[HI]]
// CHECK:             nacho.store_cut %{{.+}}, %[[BOUNDS]][%[[ROW]]]
// CHECK:         return
//
// Parts of tiles are counted together: callers cannot count a single one.
//
// CHECK-LABEL: func.func private @add_assemble(
// CHECK-LABEL: func.func private @add_scan(
// CHECK-LABEL: func.func @add_plan(
// CHECK:         call @add_tiles(
// CHECK-NEXT:    call @add_cuts(
// CHECK-NEXT:    call @add_assemble(
// CHECK-NEXT:    call @add_scan(
func.func @add(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64, #SV>
}
