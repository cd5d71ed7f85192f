// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

// Elements that are found by their coordinates, loops that are given something, and loops
// with an extent of their own.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#DV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
!D0 = !nacho.fiber<tensor<?xf64, #DV>, 0>
!D1 = !nacho.fiber<tensor<?xf64, #DV>, 1>

// In a loop over all coordinates of an index they lie inside of every tensor that has it:
// nothing is asked.
//
// CHECK-LABEL: func.func @negative_all_coordinates(
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<?xf64>, %[[N:[^ ]+]]: index,
// CHECK:         scf.for %[[I:.+]] = %c0{{.*}} to %[[N]] step %c1{{.*}} {
// CHECK-NEXT:      %[[x:.+]] = tensor.extract %[[X]][%[[I]]]
// CHECK-NEXT:      memref.store %[[x]], %{{.+}}[%[[I]]]
func.func @negative_all_coordinates(%X: tensor<?xf64>, %N: index, %out: memref<?xf64>) {
  nacho.coiterate %i to %N of () in intersect() {
    %x = nacho.locate %X[%i] : tensor<?xf64>
    memref.store %x, %out[%i] : memref<?xf64>
  }
  return
}

// A coordinate that is stored can be anything: x = i < N ? X[i] : 0, chosen as an integer.
//
// CHECK-LABEL: func.func @stored_coordinate(
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<?xf64>, %{{[^ ]+}}: memref<?xf64>)
// CHECK-DAG:     %[[NONE:.+]] = arith.constant 0 : i64
// CHECK:         scf.for
// CHECK:           %[[I:.+]] = arith.index_castui
// CHECK-NEXT:      %[[N:.+]] = tensor.dim %[[X]], %c0
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %[[I]], %[[N]] : index
// CHECK-NEXT:      %[[AT:.+]] = arith.select %[[INSIDE]], %[[I]], %c0{{.*}} : index
// CHECK-NEXT:      %[[VALUE:.+]] = tensor.extract %[[X]][%[[AT]]]
// CHECK-NEXT:      %[[BITS:.+]] = arith.bitcast %[[VALUE]] : f64 to i64
// CHECK-NEXT:      %[[CHOSEN:.+]] = arith.select %[[INSIDE]], %[[BITS]], %[[NONE]] : i64
// CHECK-NEXT:      %[[x:.+]] = arith.bitcast %[[CHOSEN]] : i64 to f64
// CHECK-NEXT:      memref.store %[[x]]
func.func @stored_coordinate(%A: tensor<?xf64, #SV>, %X: tensor<?xf64>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0) in %A1 {
    %x = nacho.locate %X[%i] : tensor<?xf64>
    memref.store %x, %out[%i] : memref<?xf64>
  }
  return
}

// Several coordinates, and a condition: any that fails moves all of them to the first
// element. What is not a float is chosen as it is.
//
// CHECK-LABEL: func.func @several(
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<?x?xcomplex<f32>>, %[[P:[^ ]+]]: i1, %[[N:[^ ]+]]: index,
// CHECK-DAG:     %[[ZERO:.+]] = complex.constant [0.0{{.*}} : f32, 0.0{{.*}} : f32] : complex<f32>
// CHECK:         scf.for
// CHECK:           %[[I:.+]] = arith.index_castui
// CHECK:           scf.for %[[K:.+]] = %c0{{.*}} to %[[N]]
// CHECK-NEXT:        %[[ROWS:.+]] = tensor.dim %[[X]], %c0
// CHECK-NEXT:        %[[INSIDE:.+]] = arith.cmpi ult, %[[I]], %[[ROWS]] : index
// CHECK-NEXT:        %[[VALID:.+]] = arith.andi %[[P]], %[[INSIDE]] : i1
// CHECK-NEXT:        %[[AT_I:.+]] = arith.select %[[VALID]], %[[I]], %c0{{.*}} : index
// CHECK-NEXT:        %[[AT_K:.+]] = arith.select %[[VALID]], %[[K]], %c0{{.*}} : index
// CHECK-NEXT:        %[[VALUE:.+]] = tensor.extract %[[X]][%[[AT_I]], %[[AT_K]]]
// CHECK-NEXT:        %[[x:.+]] = arith.select %[[VALID]], %[[VALUE]], %[[ZERO]] : complex<f32>
func.func @several(%A: tensor<?xf64, #SV>, %X: tensor<?x?xcomplex<f32>>, %p: i1, %N: index,
                   %out: memref<?x?xcomplex<f32>>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0) in %A1 {
    nacho.coiterate %k to %N of () in intersect() {
      %x = nacho.locate %X[%i, %k] if %p : tensor<?x?xcomplex<f32>>
      memref.store %x, %out[%i, %k] : memref<?x?xcomplex<f32>>
    }
  }
  return
}

// Elements keep the signs that their types give them.
//
// CHECK-LABEL: func.func @unsigned(
// CHECK:           %[[VALUE:.+]] = memref.load %{{.+}} : memref<?xui8>
// CHECK:           arith.select %{{.+}}, %[[VALUE]], %{{.+}} : ui8
// CHECK:           %[[VALUE:.+]] = memref.load %{{.+}} : memref<?xui8>
// CHECK:           arith.select %{{.+}}, %[[VALUE]], %{{.+}} : ui8
func.func @unsigned(%A: tensor<?xui8, #SV>, %B: tensor<?xui8, #SV>, %out: memref<?xui8>) {
  %A0 = nacho.root %A : tensor<?xui8, #SV>
  %B0 = nacho.root %B : tensor<?xui8, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xui8, #SV>, 0>,
                         %B1 = %B0 : !nacho.fiber<tensor<?xui8, #SV>, 0>) in union(%A1, %B1) {
    %a = nacho.load %A1 : !nacho.fiber<tensor<?xui8, #SV>, 1>
    memref.store %a, %out[%i] : memref<?xui8>
  }
  return
}

// A u B where B is given, and certainly there: every coordinate is visited, and the body
// runs.
//
// CHECK-LABEL: func.func @given_present(
// CHECK:         scf.for
// CHECK:           %[[N:.+]] = sparse_tensor.lvl
// CHECK:           scf.for %{{.+}} = %c0{{.*}} to %[[N]]
// CHECK-NOT:         scf.if
// CHECK:             memref.store
func.func @given_present(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%B1 = %B0 : !S0) in %B1 {
    nacho.coiterate %j of (%A1 = %A0 : !S0) given (%B1 : !S1) in union(%A1, %B1) {
      %a = nacho.load %A1 : !S1
      %b = nacho.load %B1 : !S1
      %z = nacho.binary add %a, %b : f64
      memref.store %z, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Whether it is there is not known: every coordinate is visited all the same, and the
// body asks for either.
//
// CHECK-LABEL: func.func @given_union(
// CHECK:         scf.while
// CHECK:           %[[HAS_B:.+]] = arith.cmpi eq, %{{.+}}, %[[I:.+]] : index
// CHECK:           scf.for %[[J:.+]] = %c0{{.*}} to %{{.+}} step %c1{{.*}} iter_args(%{{.+}} = %{{.+}}, %[[CRD:.+]] = %{{.+}}) -> (index, index) {
// CHECK:             %[[HAS_A:.+]] = arith.cmpi eq, %[[CRD]], %[[J]] : index
// CHECK:             %[[HOLDS:.+]] = arith.ori %[[HAS_A]], %[[HAS_B]] : i1
// CHECK-NEXT:        scf.if %[[HOLDS]] {
func.func @given_union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                       %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  nacho.coiterate %i of (%B1 = %B0 : !S0, %C1 = %C0 : !S0) in union(%B1, %C1) {
    nacho.coiterate %j of (%A1 = %A0 : !S0) given (%B1 : !S1) in union(%A1, %B1) {
      %a = nacho.load %A1 : !S1
      %b = nacho.load %B1 : !S1
      %z = nacho.binary add %a, %b : f64
      memref.store %z, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A n B steps through A, and the body asks for B, of which it then knows.
//
// CHECK-LABEL: func.func @given_intersection(
// CHECK:         scf.while
// CHECK:         ^{{.+}}(%[[POS_B:.+]]: index, %{{.+}}: index, %[[CRD_B:.+]]: index, %{{.+}}: index):
// CHECK:           %[[HAS_B:.+]] = arith.cmpi eq, %[[CRD_B]], %{{.+}} : index
// CHECK:           scf.for %[[POS_A:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK:             scf.if %[[HAS_B]] {
// CHECK-DAG:           memref.load %{{.+}}[%[[POS_A]]] : memref<?xf64>
// CHECK-DAG:           memref.load %{{.+}}[%[[POS_B]]] : memref<?xf64>
// CHECK-NOT:           arith.select
// CHECK:               memref.store
func.func @given_intersection(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                              %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  nacho.coiterate %i of (%B1 = %B0 : !S0, %C1 = %C0 : !S0) in union(%B1, %C1) {
    nacho.coiterate %j of (%A1 = %A0 : !S0) given (%B1 : !S1) in intersect(%A1, %B1) {
      %a = nacho.load %A1 : !S1
      %b = nacho.load %B1 : !S1
      %z = nacho.binary mul %a, %b : f64
      memref.store %z, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A loop that goes further than a dense fiber: beyond its end the fiber is absent.
//
// CHECK-LABEL: func.func @to(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<{{[^:]+}}, %[[N:[^ ]+]]: index,
// CHECK:         scf.for %[[I:.+]] = %c0{{.*}} to %[[N]] step %c1{{.*}} iter_args(
// CHECK:           %[[HAS_B:.+]] = arith.cmpi eq, %{{.+}}, %[[I]] : index
// CHECK:           %[[EXTENT:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi ult, %[[I]], %[[EXTENT]] : index
// CHECK-NEXT:      %[[HOLDS:.+]] = arith.ori %[[HAS_A]], %[[HAS_B]] : i1
// CHECK-NEXT:      scf.if %[[HOLDS]] {
// CHECK:             %[[AT:.+]] = arith.select %[[HAS_A]], %[[I]], %c0{{.*}} : index
// CHECK-NEXT:        memref.load %{{.+}}[%[[AT]]] : memref<?xf64>
func.func @to(%A: tensor<?xf64, #DV>, %B: tensor<?xf64, #SV>, %N: index, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #DV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i to %N of (%A1 = %A0 : !D0, %B1 = %B0 : !S0) in union(%A1, %B1) {
    %a = nacho.load %A1 : !D1
    %b = nacho.load %B1 : !S1
    %z = nacho.binary add %a, %b : f64
    memref.store %z, %out[%i] : memref<?xf64>
  }
  return
}

// The coordinates of a part of a loop without fibers are those between the cuts: up to the
// upper one's, and only the innermost loop without it.
//
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index, %[[BOUNDS:[^ ]+]]: memref<?x3xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index,
// CHECK-DAG:     %[[LO_I:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LO_J:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     %[[HI_I:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HI_J:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// CHECK:         %[[AFTER:.+]] = arith.addi %[[HI_I]], %c1{{.*}} : index
// CHECK-NEXT:    %[[END:.+]] = arith.minui %[[AFTER]], %[[N]] : index
// CHECK:         scf.for %[[I:.+]] = %[[LO_I]] to %[[END]]
// CHECK-DAG:       %[[ON_LO:.+]] = arith.cmpi eq, %[[I]], %[[LO_I]] : index
// CHECK-DAG:       %[[ON_HI:.+]] = arith.cmpi eq, %[[I]], %[[HI_I]] : index
// CHECK-DAG:       %[[FROM:.+]] = arith.select %[[ON_LO]], %[[LO_J]], %c0{{.*}} : index
// CHECK-DAG:       %[[LAST:.+]] = arith.minui %[[HI_J]], %[[M]] : index
// CHECK-DAG:       %[[TO:.+]] = arith.select %[[ON_HI]], %[[LAST]], %[[M]] : index
// CHECK:           scf.for %{{.+}} = %[[FROM]] to %[[TO]]
func.func @part(%N: index, %M: index, %bounds: memref<?x3xindex>, %p: index, %q: index,
                %X: tensor<?x?xf64>, %out: memref<?x?xf64>) {
  %lo = nacho.load_cut %bounds[%p] : memref<?x3xindex> -> !nacho.cut<0, 0>
  %hi = nacho.load_cut %bounds[%q] : memref<?x3xindex> -> !nacho.cut<0, 0>
  nacho.coiterate %i to %N of () in intersect()
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<0, 0>) {
    nacho.coiterate %j to %M of () in intersect()
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<0>) {
      %x = nacho.locate %X[%i, %j] : tensor<?x?xf64>
      memref.store %x, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
