// RUN: nacho-opt %s -convert-nacho-loops-to-scf=vector-bits=512 -canonicalize -cse | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-loops-to-scf=vector-bits=256 -canonicalize -cse | FileCheck %s --check-prefix=HALF
// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s --check-prefix=NONE

// Intersections of two operands in blocks: all coordinates of one are compared with all of
// the other. Without vector registers there are none.
//
// NONE:     module
// NONE-NOT: vector

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#Wide = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 64 }>
#DV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
!W0 = !nacho.fiber<tensor<?xf64, #Wide>, 0>
!W1 = !nacho.fiber<tensor<?xf64, #Wide>, 1>
!D0 = !nacho.fiber<tensor<?xf64, #DV>, 0>
!D1 = !nacho.fiber<tensor<?xf64, #DV>, 1>
!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #COO>, 1>
!R0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!R1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
!M0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!M1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!M2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>

//===----------------------------------------------------------------------===//
// No blocks
//===----------------------------------------------------------------------===//

// Coordinates of 32 bits are not compared with those of 64.
//
// CHECK-LABEL: func.func @negative_widths(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_widths(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #Wide>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #Wide>
  %n = nacho.count of (%A0 : !S0, %B0 : !W0) in intersect(%A0, %B0)
  return %n : index
}

// CHECK-LABEL: func.func @negative_three_operands(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_three_operands(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                                   %C: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0, %C0 : !S0) in intersect(%A0, %B0, %C0)
  return %n : index
}

// CHECK-LABEL: func.func @negative_union(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0) in union(%A0, %B0)
  return %n : index
}

// A run is one coordinate, however long it is: no blocks of the one are compared with
// blocks of the other. Where it ends a block tells, if it is short; else it is searched.
//
// CHECK-LABEL: func.func @runs(
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG:     %[[ALL:.+]] = arith.constant -1 : i64
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK:         } do {
// CHECK:           %[[LEAST:.+]] = arith.minui
// CHECK-NEXT:      %[[THERE:.+]] = arith.cmpi eq, %{{.+}}, %[[LEAST]]
// CHECK-NEXT:      %[[LEFT:.+]] = arith.subi %{{.+}}, %[[AT:.+]] : index
// CHECK-NEXT:      %[[REST:.+]] = arith.minsi %[[LEFT]], %[[C16]] : index
// CHECK-NEXT:      %[[VALID:.+]] = vector.create_mask %[[REST]] : vector<16xi1>
// CHECK-NEXT:      %[[NEXT:.+]] = vector.maskedload %{{.+}}[%[[AT]]], %[[VALID]]
// CHECK-NEXT:      %[[NARROW:.+]] = arith.index_castui %[[LEAST]] : index to i32
// CHECK-NEXT:      %[[SPLAT:.+]] = vector.broadcast %[[NARROW]]
// CHECK-NEXT:      %[[SAME:.+]] = arith.cmpi eq, %[[NEXT]], %[[SPLAT]] : vector<16xi32>
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[SAME]], %[[VALID]]
// CHECK:           %[[BITS:.+]] = arith.extui %{{.+}} : i16 to i64
// CHECK-NEXT:      %[[OTHER:.+]] = arith.xori %[[BITS]], %[[ALL]]
// CHECK-NEXT:      %[[FIRST:.+]] = math.cttz %[[OTHER]]
// CHECK-NEXT:      %[[SAME_AS:.+]] = arith.index_castui %[[FIRST]]
// CHECK-NEXT:      %[[COUNT:.+]] = arith.select %[[THERE]], %[[SAME_AS]], %[[C0]]
// CHECK-NEXT:      %[[END:.+]] = arith.addi %[[AT]], %[[COUNT]]
// CHECK-NEXT:      %[[LONG:.+]] = arith.cmpi eq, %[[COUNT]], %[[C16]]
// CHECK-NEXT:      scf.if %[[LONG]] -> (index) {
// CHECK:             scf.while
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[END]]
// CHECK-NOT:     vector
// CHECK:         return
func.func @runs(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>) -> index {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %n = nacho.count of (%A0 : !C0, %B0 : !M0) in intersect(%A0, %B0)
  return %n : index
}

// Steps through A, and finds what is dense: there is nothing to be compared.
//
// CHECK-LABEL: func.func @negative_one_stored(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_one_stored(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #DV>,
                               %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #DV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !D0) in intersect(%A1, %B1) {
    %b = nacho.load %B1 : !D1
    memref.store %b, %out[%i] : memref<?xf64>
  }
  return
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

// |A n B|, 16 coordinates at a time, or 8.
//
// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}
// CHECK-DAG:     %[[CRD_A:.+]] = sparse_tensor.coordinates %[[A]]
// CHECK-DAG:     %[[CRD_B:.+]] = sparse_tensor.coordinates %[[B]]
//
// while (posA < endA && posB < endB):
// CHECK:         %[[COUNT:.+]]:3 = scf.while (%[[PA:[^ ]+]] = %{{[^ ]+}}, %[[PB:[^ ]+]] = %{{[^ ]+}}, %{{[^ ]+}} = %c0{{.*}})
// CHECK-NEXT:      %[[ALIVE_A:.+]] = arith.cmpi ult, %[[PA]], %[[END_A:[^ ]+]] : index
// CHECK-NEXT:      %[[ALIVE_B:.+]] = arith.cmpi ult, %[[PB]], %[[END_B:[^ ]+]] : index
// CHECK-NEXT:      %[[ALIVE:.+]] = arith.andi %[[ALIVE_A]], %[[ALIVE_B]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %[[N:[^ ]+]]: index):
//
// lastA = crdA[min(posA + 16, endA) - 1], and so for B
// CHECK-NEXT:      %[[NEXT_A:.+]] = arith.addi %[[PA]], %c16{{.*}} : index
// CHECK-NEXT:      %[[STOP_A:.+]] = arith.minui %[[NEXT_A]], %[[END_A]] : index
// CHECK-NEXT:      %[[AT_A:.+]] = arith.subi %[[STOP_A]], %c1{{.*}} : index
// CHECK-NEXT:      %[[LOAD_A:.+]] = memref.load %[[CRD_A]][%[[AT_A]]]
// CHECK-NEXT:      %[[LAST_A:.+]] = arith.index_castui %[[LOAD_A]]
// CHECK-NEXT:      %[[NEXT_B:.+]] = arith.addi %[[PB]], %c16{{.*}} : index
// CHECK-NEXT:      %[[STOP_B:.+]] = arith.minui %[[NEXT_B]], %[[END_B]] : index
// CHECK-NEXT:      %[[AT_B:.+]] = arith.subi %[[STOP_B]], %c1{{.*}} : index
// CHECK-NEXT:      %[[LOAD_B:.+]] = memref.load %[[CRD_B]][%[[AT_B]]]
// CHECK-NEXT:      %[[LAST_B:.+]] = arith.index_castui %[[LOAD_B]]
//
// blockA = crdA[posA ... endA]
// CHECK-NEXT:      %[[LEFT_A:.+]] = arith.subi %[[END_A]], %[[PA]] : index
// CHECK-NEXT:      %[[REST_LEFT_A:.+]] = arith.minsi %[[LEFT_A]], %{{.+}} : index
// CHECK-NEXT:      %[[VALID_A:.+]] = vector.create_mask %[[REST_LEFT_A]] : vector<16xi1>
// CHECK-NEXT:      %[[BLOCK_A:.+]] = vector.maskedload %[[CRD_A]][%[[PA]]], %[[VALID_A]], %{{.+}} : memref<?xi32>, vector<16xi1>, vector<16xi32>
//
// blockB = crdB[posB ... endB], and behind its end crdB[posB] again
// CHECK-NEXT:      %[[LEFT_B:.+]] = arith.subi %[[END_B]], %[[PB]] : index
// CHECK-NEXT:      %[[REST_LEFT_B:.+]] = arith.minsi %[[LEFT_B]], %{{.+}} : index
// CHECK-NEXT:      %[[VALID_B:.+]] = vector.create_mask %[[REST_LEFT_B]] : vector<16xi1>
// CHECK-NEXT:      %[[BLOCK_B:.+]] = vector.maskedload %[[CRD_B]][%[[PB]]], %[[VALID_B]], %{{.+}} : memref<?xi32>, vector<16xi1>, vector<16xi32>
// CHECK-NEXT:      %[[AT_FIRST:.+]] = vector.load %[[CRD_B]][%[[PB]]] : memref<?xi32>, vector<1xi32>
// CHECK-NEXT:      %[[FIRST:.+]] = vector.extract %[[AT_FIRST]][0]
// CHECK-NEXT:      %[[FIRSTS:.+]] = vector.broadcast %[[FIRST]] : i32 to vector<16xi32>
// CHECK-NEXT:      %[[OTHERS:.+]] = arith.select %[[VALID_B]], %[[BLOCK_B]], %[[FIRSTS]] : vector<16xi1>, vector<16xi32>
//
// matches = valid and any of: blockA == blockB rotated by 0, 1, ... 15
// CHECK-NEXT:      %[[EQUAL:.+]] = arith.cmpi eq, %[[BLOCK_A]], %[[OTHERS]] : vector<16xi32>
// CHECK-NEXT:      %[[ROTATED:.+]] = vector.shuffle %[[OTHERS]], %[[OTHERS]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0]
// CHECK-NEXT:      %[[MORE:.+]] = arith.cmpi eq, %[[BLOCK_A]], %[[ROTATED]] : vector<16xi32>
// CHECK-NEXT:      arith.ori %[[EQUAL]], %[[MORE]] : vector<16xi1>
// CHECK-COUNT-13:  vector.shuffle
// CHECK:           vector.shuffle %[[OTHERS]], %[[OTHERS]] [15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
// CHECK-NEXT:      arith.cmpi eq
// CHECK-NEXT:      %[[ANY:.+]] = arith.ori
// CHECK-NEXT:      %[[MATCHES:.+]] = arith.andi %[[ANY]], %[[VALID_A]] : vector<16xi1>
//
// n += the number of matches
// CHECK-NEXT:      %[[CAST:.+]] = vector.bitcast %[[MATCHES]] : vector<16xi1> to vector<1xi16>
// CHECK-NEXT:      %[[WORD:.+]] = vector.extract %[[CAST]][0]
// CHECK-NEXT:      %[[BITS:.+]] = arith.extui %[[WORD]] : i16 to i64
// CHECK-NEXT:      %[[POP:.+]] = math.ctpop %[[BITS]] : i64
// CHECK-NEXT:      %[[FOUND:.+]] = arith.index_castui %[[POP]] : i64 to index
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[N]], %[[FOUND]] : index
//
// posA += lastA <= lastB ? 16 : 0; posB += lastB <= lastA ? 16 : 0
// CHECK-NEXT:      %[[BEHIND_A:.+]] = arith.cmpi ule, %[[LAST_A]], %[[LAST_B]] : index
// CHECK-NEXT:      %[[NOW_A:.+]] = arith.select %[[BEHIND_A]], %[[NEXT_A]], %[[PA]] : index
// CHECK-NEXT:      %[[BEHIND_B:.+]] = arith.cmpi ule, %[[LAST_B]], %[[LAST_A]] : index
// CHECK-NEXT:      %[[NOW_B:.+]] = arith.select %[[BEHIND_B]], %[[NEXT_B]], %[[PB]] : index
// CHECK-NEXT:      scf.yield %[[NOW_A]], %[[NOW_B]], %[[NEXT]] : index, index, index
// CHECK:         return %[[COUNT]]#2
//
// HALF-LABEL:  func.func @count(
// HALF:          arith.addi %{{.+}}, %c8{{.*}} : index
// HALF:          vector.maskedload %{{.+}} : memref<?xi32>, vector<8xi1>, vector<8xi32>
// HALF:          vector.maskedload %{{.+}} : memref<?xi32>, vector<8xi1>, vector<8xi32>
// HALF-COUNT-7:  vector.shuffle
// HALF-NOT:      vector.shuffle
// HALF:          vector.bitcast %{{.+}} : vector<8xi1> to vector<1xi8>
// HALF:          arith.extui %{{.+}} : i8 to i64
// HALF:          math.ctpop
// HALF:          return
func.func @count(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0) in intersect(%A0, %B0)
  return %n : index
}

// Of 64 bits there are 8, or 4; they are compared with their signs, and only the last ones
// are compared as numbers.
//
// CHECK-LABEL: func.func @count_wide(
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant 9223372036854775807 : index
// CHECK:         arith.addi %{{.+}}, %c8{{.*}} : index
// CHECK:         %[[LAST_A:.+]] = arith.andi %{{.+}}, %[[SIGN]] : index
// CHECK:         %[[LAST_B:.+]] = arith.andi %{{.+}}, %[[SIGN]] : index
// CHECK:         vector.maskedload %{{.+}} : memref<?xi64>, vector<8xi1>, vector<8xi64>
// CHECK:         vector.maskedload %{{.+}} : memref<?xi64>, vector<8xi1>, vector<8xi64>
// CHECK-COUNT-7: vector.shuffle
// CHECK-NOT:     vector.shuffle
// CHECK:         vector.bitcast %{{.+}} : vector<8xi1> to vector<1xi8>
// CHECK:         math.ctpop
// CHECK:         arith.cmpi ule, %[[LAST_A]], %[[LAST_B]] : index
// CHECK:         return
//
// HALF-LABEL:  func.func @count_wide(
// HALF:          arith.addi %{{.+}}, %c4{{.*}} : index
// HALF:          vector.maskedload %{{.+}} : memref<?xi64>, vector<4xi1>, vector<4xi64>
// HALF-COUNT-3:  vector.shuffle
// HALF-NOT:      vector.shuffle
// HALF:          arith.extui %{{.+}} : i4 to i64
// HALF:          return
func.func @count_wide(%A: tensor<?xf64, #Wide>, %B: tensor<?xf64, #Wide>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #Wide>
  %B0 = nacho.root %B : tensor<?xf64, #Wide>
  %n = nacho.count of (%A0 : !W0, %B0 : !W0) in intersect(%A0, %B0)
  return %n : index
}

// A body that counts is run for each pair of bits as any other is; what is only carried
// along stays.
//
// CHECK-LABEL: func.func @count_and_carry(
// CHECK-SAME:    %[[X:[^ ]+]]: index, %[[Y:[^ ]+]]: index) -> (index, index)
// CHECK:         %[[ALL:.+]]:3 = scf.while ({{[^,]+, [^,]+}}, %{{[^ ]+}} = %[[Y]]) : (index, index, index)
// CHECK-NOT:       math.ctpop
// CHECK:           scf.while ({{.+}}) : (i64, i64, index)
// CHECK:             arith.addi %{{.+}}, %c1{{.*}} : index
// CHECK:         return %[[X]], %[[ALL]]#2
func.func @count_and_carry(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %x: index, %y: index)
    -> (index, index) {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n:2 = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in intersect(%A1, %B1)
      iter_args(%m = %x : index, %k = %y : index) {
    %next = arith.addi %k, %one : index
    nacho.yield %m, %next : index, index
  }
  return %n#0, %n#1 : index, index
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

// A body runs for every pair of bits: of the coordinates of A that B has, and of those of B
// that A has. Both are as many, and in the same order.
//
// CHECK-LABEL: func.func @body(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[ZERO:[^ ]+]]: f64, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK-DAG:     %[[CRD_A:.+]] = sparse_tensor.coordinates %[[A]]
// CHECK-DAG:     %[[CRD_B:.+]] = sparse_tensor.coordinates %[[B]]
// CHECK:         %[[ALL:.+]]:3 = scf.while ({{.+}} = %[[ZERO]]) : (index, index, f64)
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %[[SUM:[^ ]+]]: f64):
// CHECK:           %[[BITS_A:.+]] = arith.extui %{{.+}} : i16 to i64
//
// if matches:
//   theirs = bits of crdB[posB ...] that are in crdA[posA ...]
// CHECK-NEXT:      %[[ANY:.+]] = arith.cmpi ne, %[[BITS_A]], %c0{{.*}} : i64
// CHECK-NEXT:      %[[NEXT:.+]] = scf.if %[[ANY]] -> (f64) {
// CHECK:             %[[AT_FIRST:.+]] = vector.load %[[CRD_A]][%[[PA]]]
// CHECK-NEXT:        %[[FIRST:.+]] = vector.extract %[[AT_FIRST]][0]
// CHECK-NEXT:        vector.broadcast %[[FIRST]]
// CHECK-COUNT-15:    vector.shuffle
// CHECK-NOT:         vector.shuffle
// CHECK:             %[[BITS_B:.+]] = arith.extui %{{.+}} : i16 to i64
//
//   while (matches != 0 && theirs != 0):
// CHECK-NEXT:        %[[DONE:.+]]:3 = scf.while (%[[MINE:[^ ]+]] = %[[BITS_A]], %[[THEIRS:[^ ]+]] = %[[BITS_B]], %{{[^ ]+}} = %[[SUM]]) : (i64, i64, f64)
// CHECK-NEXT:          %[[SOME_A:.+]] = arith.cmpi ne, %[[MINE]], %c0{{.*}} : i64
// CHECK-NEXT:          %[[SOME_B:.+]] = arith.cmpi ne, %[[THEIRS]], %c0{{.*}} : i64
// CHECK-NEXT:          %[[SOME:.+]] = arith.andi %[[SOME_A]], %[[SOME_B]] : i1
// CHECK-NEXT:          scf.condition(%[[SOME]])
// CHECK:             ^{{.+}}(%[[MINE:[^ ]+]]: i64, %[[THEIRS:[^ ]+]]: i64, %[[SO_FAR:[^ ]+]]: f64):
//
//     atA = posA + the first of matches; matches &= matches - 1; and so for B
// CHECK-NEXT:          %[[LANE_A:.+]] = math.cttz %[[MINE]] : i64
// CHECK-NEXT:          %[[STEP_A:.+]] = arith.index_castui %[[LANE_A]] : i64 to index
// CHECK-NEXT:          %[[AT_A:.+]] = arith.addi %[[PA]], %[[STEP_A]] : index
// CHECK-NEXT:          %[[LESS_A:.+]] = arith.subi %[[MINE]], %c1{{.*}} : i64
// CHECK-NEXT:          %[[REST_A:.+]] = arith.andi %[[MINE]], %[[LESS_A]] : i64
// CHECK-NEXT:          %[[LANE_B:.+]] = math.cttz %[[THEIRS]] : i64
// CHECK-NEXT:          %[[STEP_B:.+]] = arith.index_castui %[[LANE_B]] : i64 to index
// CHECK-NEXT:          %[[AT_B:.+]] = arith.addi %[[PB]], %[[STEP_B]] : index
// CHECK-NEXT:          %[[LESS_B:.+]] = arith.subi %[[THEIRS]], %c1{{.*}} : i64
// CHECK-NEXT:          %[[REST_B:.+]] = arith.andi %[[THEIRS]], %[[LESS_B]] : i64
//
//     i = crdA[atA]; both are there: nothing is asked
// CHECK-NEXT:          %[[CRD:.+]] = memref.load %[[CRD_A]][%[[AT_A]]]
// CHECK-NEXT:          %[[I:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NOT:           scf.if
// CHECK-NOT:           arith.select
// CHECK-DAG:           %[[a:.+]] = memref.load %{{.+}}[%[[AT_A]]] : memref<?xf64>
// CHECK-DAG:           %[[b:.+]] = memref.load %{{.+}}[%[[AT_B]]] : memref<?xf64>
// CHECK:               %[[z:.+]] = nacho.binary mul %[[a]], %[[b]] : f64
// CHECK-NEXT:          memref.store %[[z]], %[[OUT]][%[[I]]]
// CHECK-NEXT:          %[[MORE:.+]] = nacho.binary add %[[SO_FAR]], %[[z]] : f64
// CHECK-NEXT:          scf.yield %[[REST_A]], %[[REST_B]], %[[MORE]] : i64, i64, f64
// CHECK:             scf.yield %[[DONE]]#2 : f64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[SUM]] : f64
// CHECK-NEXT:      }
// CHECK:           scf.yield %{{.+}}, %{{.+}}, %[[NEXT]] : index, index, f64
// CHECK:         return %[[ALL]]#2
//
// HALF-LABEL:  func.func @body(
// HALF:          arith.extui %{{.+}} : i8 to i64
// HALF:          arith.extui %{{.+}} : i8 to i64
// HALF:          return
func.func @body(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %zero: f64, %out: memref<?xf64>)
    -> f64 {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %total = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in intersect(%A1, %B1)
      iter_args(%sum = %zero : f64) {
    %a = nacho.load %A1 : !S1
    %b = nacho.load %B1 : !S1
    %z = nacho.binary mul %a, %b : f64
    memref.store %z, %out[%i] : memref<?xf64>
    %next = nacho.binary add %sum, %z : f64
    nacho.yield %next : f64
  }
  return %total : f64
}

// A body that stores what it counts does more than to count.
//
// CHECK-LABEL: func.func @store_counted(
// CHECK-NOT:     math.ctpop
// CHECK:         scf.if %{{.+}} -> (index) {
// CHECK:           scf.while ({{.+}}) : (i64, i64, index)
// CHECK:             %[[I:.+]] = arith.index_castui %{{.+}} : i32 to index
// CHECK-NEXT:        memref.store %[[I]], %{{.+}}[%[[N:.+]]]
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[N]], %c1{{.*}} : index
// CHECK-NEXT:        scf.yield %{{.+}}, %{{.+}}, %[[NEXT]] : i64, i64, index
// CHECK-NOT:     math.ctpop
// CHECK:         return
func.func @store_counted(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: index,
                         %out: memref<?xindex>) -> index {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in intersect(%A1, %B1)
      iter_args(%m = %start : index) {
    memref.store %i, %out[%m] : memref<?xindex>
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}

// Nothing is carried.
//
// CHECK-LABEL: func.func @carries_nothing(
// CHECK:         scf.while ({{[^,]+, [^,]+}}) : (index, index)
// CHECK:           scf.if %{{[^ ]+}} {
// CHECK:             scf.while ({{[^,]+, [^,]+}}) : (i64, i64)
// CHECK:               memref.store
// CHECK:         return
func.func @carries_nothing(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in intersect(%A1, %B1) {
    %b = nacho.load %B1 : !S1
    memref.store %b, %out[%i] : memref<?xf64>
  }
  return
}

// A loop around others takes blocks, too: where both rows are is known. Matches of rows that
// have one coordinate each are counted without blocks.
//
// CHECK-LABEL: func.func @outer(
// CHECK:         scf.while ({{.+}}) : (index, index)
// CHECK:           vector.create_mask %{{.+}} : vector<16xi1>
// CHECK:           scf.while ({{.+}}) : (i64, i64)
// CHECK:             %[[LANE_A:.+]] = arith.index_castui %{{.+}} : i64 to index
// CHECK-NEXT:        %[[AT_A:.+]] = arith.addi %{{.+}}, %[[LANE_A]] : index
// CHECK:             %[[LANE_B:.+]] = arith.index_castui %{{.+}} : i64 to index
// CHECK-NEXT:        %[[AT_B:.+]] = arith.addi %{{.+}}, %[[LANE_B]] : index
// CHECK:             %[[POS_A:.+]] = sparse_tensor.positions %{{.+}} {level = 1 : index}
// CHECK:             memref.load %[[POS_A]][%[[AT_A]]]
// CHECK-NOT:         arith.select
// CHECK:             %[[POS_B:.+]] = sparse_tensor.positions %{{.+}} {level = 1 : index}
// CHECK:             memref.load %[[POS_B]][%[[AT_B]]]
// CHECK:             %[[ONE_A:.+]] = arith.cmpi eq, %{{.+}}, %c1 : index
// CHECK:             %[[ONE_B:.+]] = arith.cmpi eq, %{{.+}}, %c1 : index
// CHECK-NEXT:        %[[IS_SINGLE:.+]] = arith.andi %[[ONE_A]], %[[ONE_B]] : i1
// CHECK-NEXT:        scf.if %[[IS_SINGLE]] -> (index) {
// CHECK-NOT:           scf.while
// CHECK:               %[[IS_SAME:.+]] = arith.cmpi eq
// CHECK-NEXT:          %[[COUNT:.+]] = arith.index_castui %[[IS_SAME]] : i1 to index
// CHECK-NEXT:          scf.yield %[[COUNT]] : index
// CHECK-NEXT:        } else {
// CHECK:             scf.while ({{.+}}) : (index, index, index)
// CHECK:               math.ctpop
// CHECK:         return
func.func @outer(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>, %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !M0, %B1 = %B0 : !M0) in intersect(%A1, %B1) {
    %n = nacho.count of (%A1 : !M1, %B1 : !M1) in intersect(%A1, %B1)
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

// Rows of a full level may have no coordinate: others have more.
//
// CHECK-LABEL: func.func @negative_rows_of_full_level(
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK:           scf.while ({{.+}}) : (index, index, index)
// CHECK:         return
func.func @negative_rows_of_full_level(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                                       %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #CSR>
  nacho.coiterate %i of (%A1 = %A0 : !R0, %B1 = %B0 : !R0) in intersect(%A1, %B1) {
    %n = nacho.count of (%A1 : !R1, %B1 : !R1) in intersect(%A1, %B1)
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

//===----------------------------------------------------------------------===//
// Others beside the two
//===----------------------------------------------------------------------===//

// A n B n C where C is dense: it is looked up at what A and B share.
//
// CHECK-LABEL: func.func @full(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[C:[^ ]+]]: tensor<
// CHECK:         scf.while ({{.+}}) : (i64, i64)
// CHECK:           %[[I:.+]] = arith.index_castui %{{.+}} : i32 to index
// CHECK-NEXT:      %[[N:.+]] = sparse_tensor.lvl %[[C]], %c0
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %[[I]], %[[N]] : index
// CHECK-NEXT:      %[[SOME:.+]] = arith.cmpi ne, %[[N]], %c0
// CHECK-NEXT:      %[[AT:.+]] = arith.select %[[INSIDE]], %[[I]], %c0{{.*}} : index
// CHECK-NEXT:      scf.if %[[SOME]] {
// CHECK:             %[[c:.+]] = memref.load %{{.+}}[%[[AT]]] : memref<?xf64>
// CHECK-NEXT:        memref.store %[[c]], %{{.+}}[%[[I]]]
// CHECK:         return
func.func @full(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #DV>,
                %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #DV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0, %C1 = %C0 : !D0)
      in intersect(%A1, %B1, %C1) {
    %c = nacho.load %C1 : !D1
    memref.store %c, %out[%i] : memref<?xf64>
  }
  return
}

// A n B given C, of which is not known whether it is there: the body asks.
//
// CHECK-LABEL: func.func @given(
// CHECK:         %[[HAS_C:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : index
// CHECK:         scf.while ({{.+}}) : (i64, i64)
// CHECK:           scf.if %[[HAS_C]] {
// CHECK:             memref.store
// CHECK:         return
func.func @given(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                 %D: tensor<?xf64, #SV>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %D0 = nacho.root %D : tensor<?xf64, #SV>
  nacho.coiterate %i of (%C1 = %C0 : !S0, %D1 = %D0 : !S0) in union(%C1, %D1) {
    nacho.coiterate %j of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) given (%C1 : !S1)
        in intersect(%A1, %B1, %C1) {
      %a = nacho.load %A1 : !S1
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Who takes no part is none of the operands.
//
// CHECK-LABEL: func.func @takes_no_part(
// CHECK:         scf.while ({{[^,]+, [^,]+, [^,]+}}) : (index, index, index)
// CHECK:           math.ctpop
// CHECK:         return
func.func @takes_no_part(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #Wide>, %C: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #Wide>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !W0, %C0 : !S0) in intersect(%A0, %C0)
  return %n : index
}

// A part has the blocks between its cuts.
//
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index)
// CHECK-DAG:     %[[LO_A:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     %[[LO_B:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
// CHECK-DAG:     %[[HI_A:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// CHECK-DAG:     %[[HI_B:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// CHECK:         scf.while (%[[PA:[^ ]+]] = %[[LO_A]], %[[PB:[^ ]+]] = %[[LO_B]], {{.+}})
// CHECK-NEXT:      arith.cmpi ult, %[[PA]], %[[HI_A]] : index
// CHECK-NEXT:      arith.cmpi ult, %[[PB]], %[[HI_B]] : index
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %{{[^ ]+}}: index):
// CHECK-DAG:       arith.subi %[[HI_A]], %[[PA]] : index
// CHECK-DAG:       arith.subi %[[HI_B]], %[[PB]] : index
// CHECK:           math.ctpop
// CHECK:         return
func.func @part(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %bounds: memref<?x4xindex>,
                %p: index, %q: index) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %lo = nacho.load_cut %bounds[%p] : memref<?x4xindex> -> !nacho.cut<2>
  %hi = nacho.load_cut %bounds[%q] : memref<?x4xindex> -> !nacho.cut<2>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0)
      in intersect(%A0, %B0) between (%lo, %hi : !nacho.cut<2>)
  return %n : index
}

#Index = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#Bytes = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), crdWidth = 8 }>
!I0 = !nacho.fiber<tensor<?xf64, #Index>, 0>
!B0 = !nacho.fiber<tensor<?xf64, #Bytes>, 0>

// Coordinates of type index have no width.
//
// CHECK-LABEL: func.func @index(
// CHECK:         scf.while
// CHECK:         return
func.func @index(%A: tensor<?xf64, #Index>, %B: tensor<?xf64, #Index>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #Index>
  %B0 = nacho.root %B : tensor<?xf64, #Index>
  %n = nacho.count of (%A0 : !I0, %B0 : !I0) in intersect(%A0, %B0)
  return %n : index
}

// 64 lanes are a whole word.
//
// CHECK-LABEL: func.func @bytes(
// CHECK:         scf.while
// CHECK:         return
func.func @bytes(%A: tensor<?xf64, #Bytes>, %B: tensor<?xf64, #Bytes>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #Bytes>
  %B0 = nacho.root %B : tensor<?xf64, #Bytes>
  %n = nacho.count of (%A0 : !B0, %B0 : !B0) in intersect(%A0, %B0)
  return %n : index
}

// A match is counted only if C has elements: it is looked up.
//
// CHECK-LABEL: func.func @count_full(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<{{[^:]+}}, %[[C:[^ ]+]]: tensor<
// CHECK-NOT:     math.ctpop
// CHECK:         %[[N:.+]] = sparse_tensor.lvl %[[C]], %c0
// CHECK:         arith.cmpi ne, %[[N]], %c0
// CHECK-NOT:     math.ctpop
// CHECK:         return
func.func @count_full(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #DV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #DV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0, %C0 : !D0) in intersect(%A0, %B0, %C0)
  return %n : index
}

// A n B given C, of which is not known whether it is there.
//
// CHECK-LABEL: func.func @count_given(
// CHECK:         %[[HAS_C:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : index
// CHECK-NOT:     math.ctpop
// CHECK:         scf.if %[[HAS_C]]
// CHECK-NOT:     math.ctpop
// CHECK:         return
func.func @count_given(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                       %D: tensor<?xf64, #SV>, %start: index) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %D0 = nacho.root %D : tensor<?xf64, #SV>
  %all = nacho.coiterate %i of (%C1 = %C0 : !S0, %D1 = %D0 : !S0) in union(%C1, %D1)
      iter_args(%s = %start : index) {
    %count = nacho.count of (%A0 : !S0, %B0 : !S0) given (%C1 : !S1) in intersect(%A0, %B0, %C1)
    %n = arith.addi %s, %count : index
    nacho.yield %n : index
  }
  return %all : index
}
