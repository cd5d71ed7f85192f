// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse --mlir-use-nameloc-as-prefix \
// RUN:   | FileCheck %s

// What a table says is a position among the children of the fiber, or nothing is found: if
// the fiber has a coordinate twice, which edited arrays may have, the table has the sum of
// both positions.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 64 }>

// CHECK-LABEL: func.func @find(
// CHECK:         %[[AT:.+]], %[[THERE:.+]] = nacho.lookup
// CHECK:         %[[BEGIN:.+]] = arith.minui %{{.+}}, %[[ENTRIES:.+]] : index
// CHECK:         %[[END:.+]] = arith.minui %{{.+}}, %[[ENTRIES]] : index
// CHECK-NEXT:    %[[P:.+]] = arith.index_cast %[[AT]] : i64 to index
// CHECK-NEXT:    %[[FROM:.+]] = arith.cmpi uge, %[[P]], %[[BEGIN]] : index
// CHECK-NEXT:    %[[BEFORE:.+]] = arith.cmpi ult, %[[P]], %[[END]] : index
// CHECK-NEXT:    %[[INSIDE:.+]] = arith.andi %[[FROM]], %[[BEFORE]] : i1
// CHECK-NEXT:    %[[FOUND:.+]] = arith.andi %[[THERE]], %[[INSIDE]] : i1
// CHECK-NEXT:    %{{.+}} = arith.select %[[FOUND]], %[[P]], %c-1 : index
func.func @find(%x: tensor<?xf64, #SV>, %k: index, %table: !nacho.workspace<i64>) -> (i1, index) {
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %x1 = nacho.find %k in %x0 : !nacho.fiber<tensor<?xf64, #SV>, 0> by %table : !nacho.workspace<i64>
  %isThere = nacho.present %x1 : !nacho.fiber<tensor<?xf64, #SV>, 1>
  %position = nacho.position %x1 : !nacho.fiber<tensor<?xf64, #SV>, 1>
  return %isThere, %position : i1, index
}

// The number of what is found counts from the first child of the fiber.
//
// CHECK-LABEL: func.func @child_number(
// CHECK:         %[[BEGIN:.+]] = arith.minui %{{.+}}, %[[ENTRIES:.+]] : index
// CHECK:         %[[FOUND:.+]] = arith.select %{{.+}}, %[[P:.+]], %c0 : index
// CHECK:         %[[N:.+]] = arith.subi %[[FOUND]], %[[BEGIN]] : index
// CHECK:         return %[[N]] : index
func.func @child_number(%x: tensor<?xf64, #SV>, %k: index, %table: !nacho.workspace<i64>) -> index {
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %x1 = nacho.find %k in %x0 : !nacho.fiber<tensor<?xf64, #SV>, 0> by %table : !nacho.workspace<i64>
  %n = nacho.child_number %x1 in %x0
      : !nacho.fiber<tensor<?xf64, #SV>, 1>, !nacho.fiber<tensor<?xf64, #SV>, 0>
  return %n : index
}

// No coordinate is read outside of the array, whatever the positions have become.
//
// CHECK-LABEL: func.func @child_coordinate(
// CHECK-SAME:    %[[N:[^ ]+]]: index) -> index
// CHECK-DAG:     %[[LAST:.+]] = arith.subi %{{.+}}, %c1 : index
// CHECK-DAG:     %[[AT:.+]] = arith.addi %{{.+}}, %[[N]] : index
// CHECK:         %[[READ:.+]] = arith.minui %[[AT]], %[[LAST]] : index
// CHECK-NEXT:    memref.load %{{.+}}[%[[READ]]] : memref<?xi64>
func.func @child_coordinate(%x: tensor<?xf64, #SV>, %n: index) -> index {
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %k = nacho.child_coordinate %n in %x0 : !nacho.fiber<tensor<?xf64, #SV>, 0>
  return %k : index
}
