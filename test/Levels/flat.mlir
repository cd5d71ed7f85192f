// RUN: nacho-opt %s -convert-nacho-loops-to-scf -convert-nacho-storage-to-memref -canonicalize -cse | FileCheck %s

// The coordinates of what is flattened are keys: a field of bits for every level, if all of
// them are inside of the extents. Its arrays are those of the list, or tree.

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#Flat = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
!F0 = !nacho.fiber<tensor<?xf64, #Flat>, 0>
!F1 = !nacho.fiber<tensor<?xf64, #Flat>, 1>

// CHECK-LABEL: func.func @operand(
// CHECK-SAME:    %[[POS:[^ ]+]]: memref<?xi32>, %[[CRD0:[^ ]+]]: memref<?xi32>, %[[CRD1:[^ ]+]]: memref<?xi32>,
// CHECK-SAME:    %[[VALUES:[^ ]+]]: memref<?xf64>, %[[N0:[^ ]+]]: index, %[[N1:[^ ]+]]: index,
// CHECK-DAG:     %[[MOST:.+]] = arith.constant 9223372036854775807 : index
// CHECK-DAG:     %[[C63:.+]] = arith.constant 63 : index
// CHECK-DAG:     %[[C64:.+]] = arith.constant 64 : i64
// CHECK-DAG:     %[[C1:.+]] = arith.constant 1 : index
// CHECK:         scf.for %[[P:.+]] =
//
// j < N1 ? (min(i, N0) << width of N1 - 1) | j : the largest
// CHECK-NEXT:      %[[CRD_I:.+]] = memref.load %[[CRD0]][%[[P]]]
// CHECK-NEXT:      %[[I:.+]] = arith.index_castui %[[CRD_I]]
// CHECK-NEXT:      %[[SOME:.+]] = arith.maxui %[[N1]], %[[C1]]
// CHECK-NEXT:      %[[LAST:.+]] = arith.subi %[[SOME]], %[[C1]]
// CHECK-NEXT:      %[[WORD:.+]] = arith.index_cast %[[LAST]] : index to i64
// CHECK-NEXT:      %[[ZEROS:.+]] = math.ctlz %[[WORD]]
// CHECK-NEXT:      %[[WIDTH:.+]] = arith.subi %[[C64]], %[[ZEROS]]
// CHECK-NEXT:      %[[BITS:.+]] = arith.index_cast %[[WIDTH]]
// CHECK-NEXT:      %[[SHIFT:.+]] = arith.andi %[[BITS]], %[[C63]]
// CHECK-NEXT:      %[[LEAST_I:.+]] = arith.minui %[[I]], %[[N0]]
// CHECK-NEXT:      %[[HIGH:.+]] = arith.shli %[[LEAST_I]], %[[SHIFT]]
// CHECK-NEXT:      %[[CRD_J:.+]] = memref.load %[[CRD1]][%[[P]]]
// CHECK-NEXT:      %[[J:.+]] = arith.index_castui %[[CRD_J]]
// CHECK-NEXT:      %[[FITS_J:.+]] = arith.cmpi ult, %[[J]], %[[N1]]
// CHECK-NEXT:      %[[BOTH:.+]] = arith.ori %[[HIGH]], %[[J]]
// CHECK-NEXT:      %[[KEY:.+]] = arith.select %[[FITS_J]], %[[BOTH]], %[[MOST]]
// CHECK-NEXT:      %[[VALUE:.+]] = memref.load %[[VALUES]][%[[P]]]
// CHECK-NEXT:      memref.store %[[VALUE]], %{{.+}}[%[[KEY]]]
func.func @operand(%A: tensor<?x?xf64, #COO>, %out: memref<?xf64>) {
  %flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %A0 = nacho.root %flat : tensor<?xf64, #Flat>
  nacho.coiterate %key of (%A1 = %A0 : !F0) in %A1 {
    %a = nacho.load %A1 : !F1
    memref.store %a, %out[%key] : memref<?xf64>
  }
  return
}

// i = key >> width; j = key & ((1 << width) - 1); the first key outside: N0 << width
//
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[N0:[^ ]+]]: index, %[[N1:[^ ]+]]: index, %[[KEY:[^ ]+]]: index)
// CHECK:         %[[WIDTH:.+]] = arith.index_cast %{{.+}} : i64 to index
// CHECK-NEXT:    %[[SHIFT:.+]] = arith.andi %[[WIDTH]], %c63
// CHECK-NEXT:    %[[I:.+]] = arith.shrui %[[KEY]], %[[SHIFT]]
// CHECK-NEXT:    %[[END:.+]] = arith.shli %c1, %[[WIDTH]]
// CHECK-NEXT:    %[[MASK:.+]] = arith.subi %[[END]], %c1
// CHECK-NEXT:    %[[J:.+]] = arith.andi %[[KEY]], %[[MASK]]
// CHECK-NEXT:    %[[N:.+]] = arith.shli %[[N0]], %[[SHIFT]]
// CHECK-NEXT:    return %[[I]], %[[J]], %[[N]]
func.func @parts(%A: tensor<?x?xf64, #COO>, %key: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %i = nacho.unflatten 0 of %key in %A : tensor<?x?xf64, #COO>
  %j = nacho.unflatten 1 of %key in %A : tensor<?x?xf64, #COO>
  %n = sparse_tensor.lvl %flat, %c0 : tensor<?xf64, #Flat>
  return %i, %j, %n : index, index, index
}

// Of 64 bits, coordinates have no sign when they are keys: what is negative is outside.
//
// CHECK-LABEL: func.func @wide(
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant 9223372036854775807 : index
// CHECK:         arith.andi %{{.+}}, %[[SIGN]]
// CHECK:         arith.minui
// CHECK:         arith.andi %{{.+}}, %[[SIGN]]
// CHECK:         arith.cmpi ult
// CHECK:         return
#Wide = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 64 }>
func.func @wide(%A: tensor<?x?xf64, #Wide>, %out: memref<?xf64>) {
  %flat = nacho.flatten %A : tensor<?x?xf64, #Wide>
  %A0 = nacho.root %flat : tensor<?xf64, #Flat>
  nacho.coiterate %key of (%A1 = %A0 : !F0) in %A1 {
    %a = nacho.load %A1 : !F1
    memref.store %a, %out[%key] : memref<?xf64>
  }
  return
}

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// The entries of a tree are those of its last level. The first coordinate of one stands at
// its parent, the last that begins there or before.
//
// CHECK-LABEL: func.func @tree(
// CHECK-SAME:    %[[POS0:[^ ]+]]: memref<?xi32>, %[[CRD0:[^ ]+]]: memref<?xi32>, %[[POS1:[^ ]+]]: memref<?xi32>, %[[CRD1:[^ ]+]]: memref<?xi32>,
// CHECK:         scf.for %[[P:.+]] =
// CHECK:           memref.load %[[CRD1]][%[[P]]]
//
// low = 0; step = 1
// while pos1[low + step] <= p: low += step; step *= 2
// CHECK:           %[[FAR:.+]]:2 = scf.while (%[[LOW:.+]] = %c0, %[[STEP:.+]] = %c1)
// CHECK:             %[[NEXT:.+]] = arith.addi %[[LOW]], %[[STEP]]
// CHECK:             memref.load %[[POS1]]
// CHECK:             arith.cmpi ule, %{{.+}}, %[[P]]
//
// while step > 1: step /= 2; low += pos1[low + step] <= p ? step : 0
// CHECK:           %[[PARENT:.+]]:2 = scf.while (%{{.+}} = %[[FAR]]#0, %{{.+}} = %[[FAR]]#1)
// CHECK:             arith.shrui
// CHECK:             memref.load %[[POS1]]
// CHECK:             arith.select
// CHECK:           memref.load %[[CRD0]][%[[PARENT]]#0]
// CHECK:           arith.ori
// CHECK:         return
func.func @tree(%A: tensor<?x?xf64, #DCSR>, %out: memref<?xf64>) {
  %flat = nacho.flatten %A : tensor<?x?xf64, #DCSR>
  %A0 = nacho.root %flat : tensor<?xf64, #Flat>
  nacho.coiterate %key of (%A1 = %A0 : !F0) in %A1 {
    %a = nacho.load %A1 : !F1
    memref.store %a, %out[%key] : memref<?xf64>
  }
  return
}

// A vector is flat as it is, and can be flattened again.
//
// CHECK-LABEL: func.func @again(
// CHECK-SAME:    %[[N:[^ ]+]]: index) -> index
// CHECK:         return %[[N]]
func.func @again(%A: tensor<?xf64, #Flat>) -> index {
  %c0 = arith.constant 0 : index
  %flat = nacho.flatten %A : tensor<?xf64, #Flat>
  %n = sparse_tensor.lvl %flat, %c0 : tensor<?xf64, #Flat>
  return %n : index
}
