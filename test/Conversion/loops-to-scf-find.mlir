// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse --mlir-use-nameloc-as-prefix \
// RUN:   | FileCheck %s

// What a table says is the number of a child among those of the fiber. No position is outside
// of the array, whatever the arrays of the operand have become.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 64 }>

// CHECK-LABEL: func.func @find(
// CHECK:         %[[NUMBER:.+]], %[[THERE:.+]] = nacho.lookup
// CHECK:         %[[BEGIN:.+]] = arith.minui %{{.+}}, %[[ENTRIES:.+]] : index
// CHECK-NEXT:    %[[LAST:.+]] = arith.subi %[[ENTRIES]], %c1 : index
// CHECK-NEXT:    %[[WIDE:.+]] = arith.index_castui %[[NUMBER]] : i32 to index
// CHECK-NEXT:    %[[P:.+]] = arith.addi %[[BEGIN]], %[[WIDE]] : index
// CHECK-NEXT:    %[[INSIDE:.+]] = arith.minui %[[P]], %[[LAST]] : index
// CHECK-NEXT:    %{{.+}} = arith.select %[[THERE]], %[[INSIDE]], %c-1 : index
func.func @find(%x: tensor<?xf64, #SV>, %k: index, %table: !nacho.workspace<i32>) -> (i1, index) {
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %x1 = nacho.find %k in %x0 : !nacho.fiber<tensor<?xf64, #SV>, 0> by %table : !nacho.workspace<i32>
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
func.func @child_number(%x: tensor<?xf64, #SV>, %k: index, %table: !nacho.workspace<i32>) -> index {
  %x0 = nacho.root %x : tensor<?xf64, #SV>
  %x1 = nacho.find %k in %x0 : !nacho.fiber<tensor<?xf64, #SV>, 0> by %table : !nacho.workspace<i32>
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
