// RUN: nacho-opt %s -convert-nacho-loops-to-scf=vector-bits=512 -convert-nacho-elements-to-arith -convert-nacho-storage-to-memref -canonicalize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// Loops over the rows of a part.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : dense, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!M0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!M1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!T0 = !nacho.fiber<tensor<?x?x?xf64, #CSF>, 0>

// A row begins where the one before it ends, the first one at the cut. None ends behind the
// other cut. Values that are carried stay so.
//
// CHECK-LABEL: func.func @carried(
// CHECK:         %[[LO:.+]] = memref.load %[[BOUNDS:.+]][%c0, %c1]
// CHECK-NEXT:    %[[BEGIN:.+]] = memref.load %[[BOUNDS]][%c0, %c4]
// CHECK-NEXT:    %[[HI:.+]] = memref.load %[[BOUNDS]][%c1, %c1]
// CHECK-NEXT:    %[[END:.+]] = memref.load %[[BOUNDS]][%c1, %c4]
// CHECK-NEXT:    %[[AFTER_HI:.+]] = arith.addi %[[HI]], %c1 : index
// CHECK-NEXT:    %[[TO:.+]] = arith.minui %[[AFTER_HI]], %{{.+}} : index
// CHECK-NEXT:    %{{.+}}:2 = scf.for %[[I:[^ ]+]] = %[[LO]] to %[[TO]] step %c1 iter_args(%[[X:[^ ]+]] = %{{[^ ]+}}, %[[FROM:[^ ]+]] = %[[BEGIN]]) -> (index, index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[I]], %c1 : index
// CHECK-NEXT:      %[[SIZE:.+]] = memref.dim %[[CRD:[^,]+]], %c0
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %{{.+}}[%[[NEXT]]] : memref<?xi32>
// CHECK-NEXT:      %[[POSITION:.+]] = arith.index_castui %[[STORED]]
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.minui %[[POSITION]], %[[SIZE]] : index
// CHECK-NEXT:      %[[UNTIL:.+]] = arith.minui %[[INSIDE]], %[[END]] : index
// CHECK-NEXT:      %[[ROW:.+]] = scf.for %{{.+}} = %[[FROM]] to %[[UNTIL]] step %c1 iter_args(%{{.+}} = %[[X]])
// CHECK:           scf.yield %[[ROW]], %[[UNTIL]] : index, index
func.func @carried(%A: tensor<?x?xf64, #CSR>, %bounds: memref<?x5xindex>, %n: index, %y: memref<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %last = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>)
      iter_args(%x = %n : index) {
    %next = nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) in %A2
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) iter_args(%z = %x : index) {
      %k = arith.muli %z, %j : index
      memref.store %k, %y[%i] : memref<?xindex>
      nacho.yield %k : index
    }
    nacho.yield %next : index
  }
  return %last : index
}

// The entries of a row are as many as its bounds say.
//
// CHECK-LABEL: func.func @counted(
// CHECK:         scf.for %[[I:[^ ]+]] = {{.+}} iter_args(%[[FROM:[^ ]+]] = %{{[^ ]+}}) -> (index) {
// CHECK:           %[[INSIDE:.+]] = arith.minui
// CHECK-NEXT:      %[[UNTIL:.+]] = arith.minui %[[INSIDE]]
// CHECK-NEXT:      scf.for %{{[^ ]+}} = %[[FROM]] to %[[UNTIL]] step %c1 {
// CHECK:           }
// CHECK-NEXT:      %[[NUMBER:.+]] = arith.subi %[[UNTIL]], %[[FROM]] : index
// CHECK-NEXT:      %[[STEPS:.+]] = arith.maxsi %[[NUMBER]], %c0 : index
// CHECK-NEXT:      %[[COUNT:.+]] = arith.addi %{{.+}}, %[[STEPS]] : index
// CHECK-NEXT:      memref.store %[[COUNT]], %{{.+}}[%[[I]]]
func.func @counted(%A: tensor<?x?xf64, #CSR>, %bounds: memref<?x5xindex>, %n: index, %y: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x5xindex> -> !nacho.cut<1, 1>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
    %count = nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) in %A2
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) iter_args(%z = %n : index) {
      memref.store %i, %y[%j] : memref<?xindex>
      %more = arith.addi %z, %c1 : index
      nacho.yield %more : index
    }
    memref.store %count, %y[%i] : memref<?xindex>
    nacho.yield
  }
  return
}

// What asks for the cuts gets a body of its own, for the first and for the last row.
//
// CHECK-LABEL: func.func @peeled(
// CHECK:         %[[LO:.+]] = memref.load %{{.+}}[%c0, %c1]
// CHECK-NEXT:    %[[HI:.+]] = memref.load %{{.+}}[%c1, %c1]
// CHECK-NEXT:    %[[AFTER_HI:.+]] = arith.addi %[[HI]], %c1 : index
// CHECK-NEXT:    %[[TO:.+]] = arith.minui %[[AFTER_HI]], %{{.+}} : index
// CHECK-NEXT:    %[[AFTER_LO:.+]] = arith.addi %[[LO]], %c1 : index
// CHECK-NEXT:    %[[SECOND:.+]] = arith.minui %[[AFTER_LO]], %[[TO]] : index
// CHECK-NEXT:    %[[BEFORE:.+]] = arith.minui %[[HI]], %[[TO]] : index
// CHECK-NEXT:    %[[LAST:.+]] = arith.maxui %[[BEFORE]], %[[SECOND]] : index
// CHECK-NEXT:    scf.for %[[TURN:.+]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:      %[[IS_FIRST:.+]] = arith.cmpi eq, %[[TURN]], %c0 : index
// CHECK-NEXT:      %[[ROW:.+]] = arith.select %[[IS_FIRST]], %[[LO]], %[[LAST]] : index
// CHECK-NEXT:      %[[UNTIL:.+]] = arith.select %[[IS_FIRST]], %[[LAST]], %[[SECOND]] : index
// CHECK-NEXT:      %[[EXISTS:.+]] = arith.cmpi ult, %[[ROW]], %[[TO]] : index
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK-NEXT:        %[[AT_LO:.+]] = arith.cmpi eq, %[[ROW]], %[[LO]] : index
// CHECK-NEXT:        %[[AT_HI:.+]] = arith.cmpi eq, %[[ROW]], %[[HI]] : index
// CHECK-NEXT:        memref.store %[[AT_LO]], %{{.+}}[%[[ROW]]]
// CHECK-NEXT:        memref.store %[[AT_HI]], %{{.+}}[%[[ROW]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[I:.+]] = %[[SECOND]] to %[[UNTIL]] step %c1 {
// CHECK-NEXT:        memref.store %false, %{{.+}}[%[[I]]]
// CHECK-NEXT:        memref.store %false, %{{.+}}[%[[I]]]
// CHECK-NEXT:      }
func.func @peeled(%A: tensor<?x?xf64, #CSR>, %bounds: memref<?x5xindex>, %y: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x5xindex> -> !nacho.cut<1, 1>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
    %begun = nacho.on_cut %lo1 : !nacho.cut<1>
    %unfinished = nacho.on_cut %hi1 : !nacho.cut<1>
    memref.store %begun, %y[%i] : memref<?xi1>
    memref.store %unfinished, %y[%i] : memref<?xi1>
    nacho.yield
  }
  return
}

// Rows that are stored are merged: those that a cut may divide get a body of their own.
//
// CHECK-LABEL: func.func @merged(
// CHECK:         %[[LO:.+]] = memref.load %{{.+}}[%c0, %c1]
// CHECK:         %[[HI:.+]] = memref.load %{{.+}}[%c1, %c1]
// CHECK:         scf.while
// CHECK:           %[[I:.+]] = arith.minui
// CHECK:           %[[AT_LO:.+]] = arith.cmpi eq, %[[I]], %[[LO]] : index
// CHECK-NEXT:      %[[AT_HI:.+]] = arith.cmpi eq, %[[I]], %[[HI]] : index
// CHECK-NEXT:      %[[IS_CUT:.+]] = arith.ori %[[AT_LO]], %[[AT_HI]] : i1
// CHECK-NEXT:      scf.if %[[IS_CUT]] {
// CHECK:             memref.store %[[AT_LO]], %{{.+}}[%[[I]]]
// CHECK:             memref.store %[[AT_HI]], %{{.+}}[%[[I]]]
// CHECK-NEXT:      } else {
// CHECK:             memref.store %false, %{{.+}}[%[[I]]]
// CHECK-NEXT:        memref.store %false, %{{.+}}[%[[I]]]
// CHECK-NEXT:      }
func.func @merged(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>, %bounds: memref<?x7xindex>,
                  %y: memref<?xi1>, %z: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x7xindex> -> !nacho.cut<2, 2>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x7xindex> -> !nacho.cut<2, 2>
  nacho.coiterate %i of (%A1 = %A0 : !M0, %B1 = %B0 : !M0) in union(%A1, %B1)
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<2, 2>) {
    %begun = nacho.on_cut %lo1 : !nacho.cut<2>
    %unfinished = nacho.on_cut %hi1 : !nacho.cut<2>
    nacho.coiterate %j of (%A2 = %A1 : !M1, %B2 = %B1 : !M1) in union(%A2, %B2) {
      memref.store %i, %z[%j] : memref<?xindex>
      nacho.yield
    }
    memref.store %begun, %y[%i] : memref<?xi1>
    memref.store %unfinished, %y[%i] : memref<?xi1>
    nacho.yield
  }
  return
}

// No row asks for the cuts.
//
// CHECK-LABEL: func.func @negative_merged(
// CHECK:         scf.while
// CHECK:           %[[I:.+]] = arith.minui
// CHECK-NOT:       scf.if
// CHECK:         return
func.func @negative_merged(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>, %bounds: memref<?x7xindex>,
                           %z: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x7xindex> -> !nacho.cut<2, 2>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x7xindex> -> !nacho.cut<2, 2>
  nacho.coiterate %i of (%A1 = %A0 : !M0, %B1 = %B0 : !M0) in union(%A1, %B1)
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<2, 2>) {
    nacho.coiterate %j of (%A2 = %A1 : !M1, %B2 = %B1 : !M1) in union(%A2, %B2) {
      memref.store %i, %z[%j] : memref<?xindex>
      nacho.yield
    }
    nacho.yield
  }
  return
}

// A cut inside of a fiber of a row.
// In the last row, the entry in which the cut is belongs to
// the part, too, if it is stored; the next row would begin where this row ends.
//
// CHECK-LABEL: func.func @cut_inside(
// CHECK:         %[[CUT_ROW:.+]] = memref.load %{{.+}}[%c1, %c1]
// CHECK:         %[[CUT:.+]] = memref.load %{{.+}}[%c1, %c5]
// CHECK:         scf.for %{{[^ ]+}} = %c0 to %c2 step %c1 iter_args(%[[FROM:.+]] = %{{.+}}) -> (index) {
// CHECK:           %[[ROW:.+]] = arith.select
// CHECK:           %[[BEGIN:.+]] = scf.if %{{.+}} -> (index) {
// CHECK:             %[[END:.+]] = arith.minui
// CHECK-NEXT:        %[[IS_CUT:.+]] = arith.cmpi eq, %[[ROW]], %[[CUT_ROW]] : index
// CHECK-NEXT:        %[[IS_INSIDE:.+]] = arith.cmpi ult, %[[CUT]], %[[END]] : index
// CHECK:             %[[IS_STORED:.+]] = arith.cmpi eq
// CHECK-NEXT:        %[[MORE:.+]] = arith.index_castui %[[IS_STORED]] : i1 to index
// CHECK-NEXT:        %[[CLIPPED:.+]] = arith.addi %[[CUT]], %[[MORE]] : index
// CHECK-NEXT:        %[[UNTIL:.+]] = arith.select %[[IS_CUT]], %[[CLIPPED]], %[[END]] : index
// CHECK-NEXT:        scf.for %{{[^ ]+}} = %[[FROM]] to %[[UNTIL]] step %c1 {
// CHECK:             scf.yield %[[END]] : index
// CHECK:           scf.for %{{[^ ]+}} = {{.+}} iter_args(%{{.+}} = %[[BEGIN]]) -> (index) {
// CHECK-NOT:         arith.select
// CHECK:           return
func.func @cut_inside(%T: tensor<?x?x?xf64, #CSF>, %bounds: memref<?x7xindex>, %y: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T0 = nacho.root %T : tensor<?x?x?xf64, #CSF>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x7xindex> -> !nacho.cut<1, 1, 1>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x7xindex> -> !nacho.cut<1, 1, 1>
  nacho.coiterate %i of (%T1 = %T0 : !T0) in %T1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1, 1>) {
    nacho.coiterate %j of (%T2 = %T1 : !nacho.fiber<tensor<?x?x?xf64, #CSF>, 1>) in %T2
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1, 1>) {
      memref.store %i, %y[%j] : memref<?xindex>
      nacho.yield
    }
    nacho.yield
  }
  return
}

// No entry asks in which row it is.
//
// CHECK-LABEL: func.func @joined(
// CHECK:         %[[LO:.+]] = memref.load %{{.+}}[%c0, %c1]
// CHECK-NEXT:    %[[BEGIN:.+]] = memref.load %{{.+}}[%c0, %c4]
// CHECK-NEXT:    %{{.+}} = memref.load %{{.+}}[%c1, %c1]
// CHECK-NEXT:    %[[MOST:.+]] = memref.load %{{.+}}[%c1, %c4]
// CHECK:         %[[TO:.+]] = arith.minui
// CHECK-NEXT:    %[[ANY:.+]] = arith.cmpi ult, %[[LO]], %[[TO]] : index
// CHECK-NEXT:    scf.if %[[ANY]] {
// CHECK-NEXT:      %[[SIZE:.+]] = memref.dim
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %{{.+}}[%[[TO]]] : memref<?xi32>
// CHECK-NEXT:      %[[POSITION:.+]] = arith.index_castui %[[STORED]]
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.minui %[[POSITION]], %[[SIZE]] : index
// CHECK-NEXT:      %[[END:.+]] = arith.minui %[[INSIDE]], %[[MOST]] : index
// CHECK-NEXT:      scf.for %{{.+}} = %[[BEGIN]] to %[[END]] step %c1 {
// CHECK-NOT:         scf.for
func.func @joined(%A: tensor<?x?xf64, #CSR>, %bounds: memref<?x5xindex>, %y: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x5xindex> -> !nacho.cut<1, 1>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
    nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) in %A2
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) {
      memref.store %j, %y[%j] : memref<?xindex>
      nacho.yield
    }
    nacho.yield
  }
  return
}

// Lanes add up the terms of each row in an order of their own.
//
// CHECK-LABEL: func.func @negative_lanes(
// CHECK:         scf.for
// CHECK:           scf.for
func.func @negative_lanes(%A: tensor<?x?xf64, #CSR>, %bounds: memref<?x5xindex>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %lo = nacho.load_cut %bounds[%c0] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%c1] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %all = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>)
      iter_args(%s = %zero : f64) {
    %sum = nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) in %A2
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) iter_args(%t = %s : f64) {
      %a = nacho.load %A2 : !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
      %next = nacho.binary add %t, %a reassociable : f64
      nacho.yield %next : f64
    }
    nacho.yield %sum : f64
  }
  return %all : f64
}
