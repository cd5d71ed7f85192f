// RUN: nacho-opt %s -convert-nacho-loops-to-scf -cse | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!x0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!B0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!B1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #COO>, 1>

// A row is sought by a binary search for its coordinate. It is there if the search ends
// before the end of the fiber, at an entry that has the coordinate.
//
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[x:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[FOUND:[^ ]+]]: memref
// CHECK:         scf.for
// CHECK:           %[[J:.+]] = arith.andi
// CHECK:           %[[CRD:.+]] = sparse_tensor.coordinates %[[B]]
// CHECK:           %[[AT:.+]]:2 = scf.while (%[[LOW:.+]] = %{{.+}}, %[[HIGH:.+]] = %[[END:.+]]) :
// CHECK-NEXT:        arith.cmpi ult, %[[LOW]], %[[HIGH]]
// CHECK:           } do {
// CHECK:             arith.cmpi ult, %{{.+}}, %[[J]]
// CHECK:           }
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]]#0, %[[END]]
// CHECK-NEXT:      %[[SAFE:.+]] = arith.select %[[INSIDE]], %[[AT]]#0, %c0
// CHECK-NEXT:      memref.load %[[CRD]][%[[SAFE]]]
// CHECK:           %[[THERE:.+]] = arith.cmpi eq, %{{.+}}, %[[J]]
// CHECK-NEXT:      memref.store %[[THERE]], %[[FOUND]][%[[J]]]
func.func @row(%x: tensor<?xf64, #SV>, %B: tensor<?x?xf64, #DCSR>, %found: memref<?xi1>) {
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %j of (%x1 = %x0 : !x0) in %x1 {
    %B1 = nacho.seek %j in %B0 : !B0
    %there = nacho.present %B1 : !B1
    memref.store %there, %found[%j] : memref<?xi1>
  }
  return
}

// Entries with the coordinate are a run, whose end a second search finds.
//
// CHECK-LABEL: func.func @run(
// CHECK-COUNT-2: scf.while (
// CHECK-NOT:     scf.while
// CHECK:         memref.store
func.func @run(%x: tensor<?xf64, #SV>, %C: tensor<?x?xf64, #COO>, %ends: memref<?xindex>) {
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?x?xf64, #COO>
  nacho.coiterate %j of (%x1 = %x0 : !x0) in %x1 {
    %C1 = nacho.seek %j in %C0 : !C0
    %end = nacho.position end %C1 : !C1
    memref.store %end, %ends[%j] : memref<?xindex>
  }
  return
}
