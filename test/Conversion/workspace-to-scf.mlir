// RUN: nacho-opt %s -convert-nacho-workspace-to-scf -canonicalize -cse | FileCheck %s

// Only the table itself says what it is like.
//
// CHECK-LABEL: func.func @negative_unknown_table(
// CHECK-NEXT:    nacho.insert
// CHECK-NEXT:    nacho.lookup
// CHECK-NEXT:    nacho.drain
func.func @negative_unknown_table(%w: !nacho.workspace<f64>, %k: index, %v: f64) -> (i1, i1) {
  %new = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
  %x, %isThere = nacho.lookup %k in %w : !nacho.workspace<f64>
  nacho.drain %q, %y of %w : !nacho.workspace<f64> {
  }
  return %new, %isThere : i1, i1
}

//===----------------------------------------------------------------------===//
// insert
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @insert(
// CHECK-SAME:    %[[KEYS:[^ ]+]]: memref<?x?xi32>, %[[MARKS:[^ ]+]]: memref<?x?xi64>, %[[SUMS:[^ ]+]]: memref<?x?xf64>,
// CHECK-SAME:    %[[ROW:[^ ]+]]: index, %[[N:[^ ]+]]: index, %[[STATUS:[^ ]+]]: memref<i32>, %[[K:[^ ]+]]: index, %[[V:[^ ]+]]: f64)
//
// A table that is not dense can be full up to a half.
// CHECK:         %[[SIZE:.+]] = memref.dim %[[KEYS]], %c1
// CHECK-NEXT:    %[[MASK:.+]] = arith.subi %[[SIZE]], %c1 : index
// CHECK-NEXT:    %[[DENSE:.+]] = arith.cmpi ult, %[[N]], %[[SIZE]] : index
// CHECK:         %[[BITS:.+]] = math.cttz %{{.+}} : i64
// CHECK:         %[[SHIFT:.+]] = arith.subi %c64, %{{.+}} : index
// CHECK-NEXT:    %[[MOST:.+]] = arith.shrui %[[SIZE]], %c1 : index
//
// In a dense table, the bit alone says what is there: see @whole_rows.
// CHECK:         %[[RESULT:.+]] = scf.if %[[DENSE]] -> (i1) {
// CHECK-NEXT:      %[[OWN:.+]] = arith.minui %[[K]], %[[MASK]] : index
// CHECK-NOT:       %[[KEYS]]
// CHECK:           memref.store %[[V]], %[[SUMS]][%[[ROW]], %[[OWN]]] : memref<?x?xf64>
// CHECK-NOT:       %[[KEYS]]
//
// at = (mix(k * factor) * factor >> shift) & mask
// CHECK:           scf.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[PRODUCT:.+]] = arith.muli %[[K]], %c-7046029254386353131 : index
// CHECK-NEXT:      %[[UPPER:.+]] = arith.shrui %[[PRODUCT]], %c32 : index
// CHECK-NEXT:      %[[MIXED:.+]] = arith.xori %[[PRODUCT]], %[[UPPER]] : index
// CHECK-NEXT:      %[[AGAIN:.+]] = arith.muli %[[MIXED]], %c-7046029254386353131 : index
// CHECK-NEXT:      %[[HIGH:.+]] = arith.shrui %[[AGAIN]], %[[SHIFT]] : index
// CHECK-NEXT:      %[[FIRST:.+]] = arith.andi %[[HIGH]], %[[MASK]] : index
//
// for n from first on, once round: while keys[n & mask] is neither k nor empty
// CHECK-NEXT:      %[[NARROW:.+]] = arith.index_castui %[[K]] : index to i32
// CHECK-NEXT:      %[[END:.+]] = arith.addi %[[FIRST]], %[[MASK]] : index
// CHECK-NEXT:      %[[FOUND:.+]]:2 = scf.while (%[[N:.+]] = %[[FIRST]]) : (index) -> (index, i32) {
// CHECK-NEXT:        %[[AT:.+]] = arith.andi %[[N]], %[[MASK]] : index
// CHECK-NEXT:        %[[THERE:.+]] = memref.load %[[KEYS]][%[[ROW]], %[[AT]]] : memref<?x?xi32>
// CHECK-NEXT:        %[[NEW:.+]] = arith.cmpi ult, %[[N]], %[[END]] : index
// CHECK-NEXT:        %[[OTHER:.+]] = arith.cmpi ne, %[[THERE]], %[[NARROW]] : i32
// CHECK-NEXT:        %[[TAKEN:.+]] = arith.cmpi ne, %[[THERE]], %c-1_i32 : i32
// CHECK-NEXT:        %[[ON:.+]] = arith.andi %[[OTHER]], %[[TAKEN]] : i1
// CHECK-NEXT:        %[[MORE:.+]] = arith.andi %[[NEW]], %[[ON]] : i1
// CHECK-NEXT:        scf.condition(%[[MORE]]) %[[N]], %[[THERE]] : index, i32
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^{{.+}}(%[[N:.+]]: index, %{{.+}}: i32):
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[N]], %c1 : index
// CHECK-NEXT:        scf.yield %[[NEXT]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[PLACE:.+]] = arith.andi %[[FOUND]]#0, %[[MASK]] : index
//
// if keys[at] is empty and there are not too many:
// CHECK-NEXT:      %[[IS_EMPTY:.+]] = arith.cmpi eq, %[[FOUND]]#1, %c-1_i32 : i32
// CHECK-NEXT:      %[[NEW:.+]] = scf.if %[[IS_EMPTY]] -> (i1) {
// CHECK-NEXT:        %[[COUNT:.+]] = memref.load %[[MARKS]][%[[ROW]], %c0] : memref<?x?xi64>
// CHECK-NEXT:        %[[LIMIT:.+]] = arith.index_cast %[[MOST]] : index to i64
// CHECK-NEXT:        %[[FITS:.+]] = arith.cmpi ult, %[[COUNT]], %[[LIMIT]] : i64
// CHECK-NEXT:        scf.if %[[FITS]] {
// CHECK-NEXT:          %[[MORE:.+]] = arith.addi %[[COUNT]], %c1_i64 : i64
// CHECK-NEXT:          memref.store %[[MORE]], %[[MARKS]][%[[ROW]], %c0] : memref<?x?xi64>
// CHECK-NEXT:          memref.store %[[NARROW]], %[[KEYS]][%[[ROW]], %[[PLACE]]] : memref<?x?xi32>
// CHECK-NEXT:          memref.store %[[V]], %[[SUMS]][%[[ROW]], %[[PLACE]]] : memref<?x?xf64>
//
//   marks of 1, of 64, and of 64 * 64 places |= 1 << place % 64, and so on
// CHECK-NEXT:          %[[WORD:.+]] = arith.shrui %[[PLACE]], %c6 : index
// CHECK-COUNT-3:       arith.ori
// CHECK-NOT:           arith.ori
// CHECK:             } else {
// CHECK-NEXT:          memref.atomic_rmw ori %c8_i32, %[[STATUS]][]
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[FITS]] : i1
//
// else: sums[at] += v
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[BEFORE:.+]] = memref.load %[[SUMS]][%[[ROW]], %[[PLACE]]] : memref<?x?xf64>
// CHECK-NEXT:        %[[SUM:.+]] = nacho.binary add %[[BEFORE]], %[[V]] : f64
// CHECK-NEXT:        memref.store %[[SUM]], %[[SUMS]][%[[ROW]], %[[PLACE]]] : memref<?x?xf64>
// CHECK-NEXT:        scf.yield %false : i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[NEW]] : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[RESULT]]
func.func @insert(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>,
                  %row: index, %N: index, %status: memref<i32>, %k: index, %v: f64) -> i1 {
  %w = nacho.workspace marks %marks keys %keys with %sums row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
      -> !nacho.workspace<f64>
  %new = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
  return %new : i1
}

// More places than coordinates: a coordinate has its own. And a set has nothing to add.
//
// CHECK-LABEL: func.func @insert_dense_set(
// CHECK-SAME:    %[[KEYS:[^ ]+]]: memref<4x64xi64>, %[[MARKS:[^ ]+]]: memref<4x4xi64>, %[[ROW:[^ ]+]]: index,
// CHECK-SAME:    %[[STATUS:[^ ]+]]: memref<i32>, %[[K:[^ ]+]]: index)
// CHECK-NOT:     %[[KEYS]]
// CHECK-NOT:     arith.muli
// CHECK:         %[[PLACE:.+]] = arith.minui %[[K]], %c63 : index
//
// The words of the marks: 0 for the number of keys, 3 for the places, 2 for the word of
// these, 1 for that.
// CHECK-NEXT:    %[[WORD:.+]] = arith.shrui %[[PLACE]], %c6 : index
// CHECK-NEXT:    %[[AT:.+]] = arith.addi %[[WORD]], %c3 : index
// CHECK-NEXT:    %[[LOW:.+]] = arith.andi %[[PLACE]], %c63 : index
// CHECK-NEXT:    %[[SHIFT:.+]] = arith.index_castui %[[LOW]] : index to i64
// CHECK-NEXT:    %[[MARK:.+]] = arith.shli %c1_i64, %[[SHIFT]] : i64
// CHECK-NEXT:    %[[BEFORE:.+]] = memref.load %[[MARKS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:    %[[THERE:.+]] = arith.andi %[[BEFORE]], %[[MARK]] : i64
// CHECK-NEXT:    %[[NEW:.+]] = arith.cmpi eq, %[[THERE]], %c0_i64 : i64
// CHECK-NEXT:    scf.if %[[NEW]] {
// CHECK-NEXT:      %[[AFTER:.+]] = arith.ori %[[BEFORE]], %[[MARK]] : i64
// CHECK-NEXT:      memref.store %[[AFTER]], %[[MARKS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:      arith.cmpi eq, %[[BEFORE]], %c0_i64 : i64
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        %[[WORD2:.+]] = arith.shrui %[[WORD]], %c6 : index
// CHECK-NEXT:        arith.addi %[[WORD2]], %c2 : index
// CHECK:             %[[WORD1:.+]] = arith.shrui %[[WORD2]], %c6 : index
// CHECK-NEXT:        arith.addi %[[WORD1]], %c1 : index
// CHECK-NOT:     %[[KEYS]]
// CHECK:         return %[[NEW]]
func.func @insert_dense_set(%keys: memref<4x64xi64>, %marks: memref<4x4xi64>, %row: index,
                            %status: memref<i32>, %k: index) -> i1 {
  %N = arith.constant 63 : index
  %w = nacho.workspace marks %marks keys %keys row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi64> status memref<i32> -> !nacho.workspace<none>
  %new = nacho.insert at %k into %w : !nacho.workspace<none>
  return %new : i1
}

// One coordinate more: the high bits of a product with an odd number are the place.
//
// CHECK-LABEL: func.func @insert_hashed_set(
// CHECK-SAME:    %[[K:[^ ]+]]: index) -> i1
// CHECK:         %[[PRODUCT:.+]] = arith.muli %[[K]], %c-7046029254386353131 : index
// CHECK:         %[[AGAIN:.+]] = arith.muli %{{.+}}, %c-7046029254386353131 : index
// CHECK-NEXT:    %[[HASH:.+]] = arith.shrui %[[AGAIN]], %c58 : index
// CHECK-NEXT:    %[[FIRST:.+]] = arith.andi %[[HASH]], %c63 : index
// CHECK-NEXT:    arith.index_castui %[[K]] : index to i64
// CHECK-NEXT:    arith.addi %[[FIRST]], %c63 : index
// CHECK-NEXT:    %{{.+}}:2 = scf.while (%{{.+}} = %[[FIRST]])
// CHECK:         arith.cmpi ult, %{{.+}}, %c32_i64 : i64
func.func @insert_hashed_set(%keys: memref<4x64xi64>, %marks: memref<4x4xi64>, %row: index,
                             %status: memref<i32>, %k: index) -> i1 {
  %N = arith.constant 64 : index
  %w = nacho.workspace marks %marks keys %keys row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi64> status memref<i32> -> !nacho.workspace<none>
  %new = nacho.insert at %k into %w : !nacho.workspace<none>
  return %new : i1
}

//===----------------------------------------------------------------------===//
// lookup
//===----------------------------------------------------------------------===//

// Most is not there, which the mark of the first place tells without the keys.
//
// CHECK-LABEL: func.func @lookup(
// CHECK-SAME:    %[[KEYS:[^ ]+]]: memref<?x?xi32>, %[[MARKS:[^ ]+]]: memref<?x?xi64>, %[[POSITIONS:[^ ]+]]: memref<?x?xi64>,
// CHECK-SAME:    %[[ROW:[^ ]+]]: index, %[[N:[^ ]+]]: index, %{{[^ ]+}}: memref<i32>, %[[K:[^ ]+]]: index) -> (i64, i1)
// CHECK:         %[[SIZE:.+]] = memref.dim %[[KEYS]], %c1
// CHECK-NEXT:    %[[MASK:.+]] = arith.subi %[[SIZE]], %c1 : index
// CHECK-NEXT:    %[[DENSE:.+]] = arith.cmpi ult, %[[N]], %[[SIZE]] : index
//
// If not every coordinate has its place (workspace-to-scf-numbers.mlir): if marks[... + first / 64] & 1 << first % 64:
// CHECK:         %[[RESULT:.+]]:2 = scf.if %[[DENSE]] -> (i64, i1) {
// CHECK:         } else {
// CHECK:           arith.muli %[[K]], %c-7046029254386353131 : index
// CHECK:           %[[FIRST:.+]] = arith.andi %{{.+}}, %[[MASK]] : index
// CHECK-NEXT:      %[[WORD:.+]] = arith.shrui %[[FIRST]], %c6 : index
// CHECK-NEXT:      %[[AT:.+]] = arith.addi %{{.+}}, %[[WORD]] : index
// CHECK-NEXT:      %[[BITS:.+]] = memref.load %[[MARKS]][%[[ROW]], %[[AT]]] : memref<?x?xi64>
// CHECK-NEXT:      %[[BIT:.+]] = arith.andi %[[FIRST]], %c63 : index
// CHECK-NEXT:      %[[SHIFT:.+]] = arith.index_castui %[[BIT]] : index to i64
// CHECK-NEXT:      %[[MARK:.+]] = arith.shli %c1_i64, %[[SHIFT]] : i64
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[BITS]], %[[MARK]] : i64
// CHECK-NEXT:      %[[MARKED:.+]] = arith.cmpi ne, %[[BOTH]], %c0_i64 : i64
// CHECK-NEXT:      %[[ANSWER:.+]]:2 = scf.if %[[MARKED]] -> (i64, i1) {
//
//   at = first; while keys[at] is neither k nor empty: at = (at + 1) & mask; is keys[at] == k?
// CHECK-NEXT:        %[[NARROW:.+]] = arith.index_castui %[[K]] : index to i32
// CHECK-NEXT:        arith.addi %[[FIRST]], %{{.+}} : index
// CHECK-NEXT:        %[[FOUND:.+]]:2 = scf.while (%{{.+}} = %[[FIRST]]) : (index) -> (index, i32) {
// CHECK-NEXT:          %[[AT:.+]] = arith.andi
// CHECK-NEXT:          %[[THERE:.+]] = memref.load %[[KEYS]][%[[ROW]], %[[AT]]] : memref<?x?xi32>
// CHECK-NEXT:          arith.cmpi ult
// CHECK-NEXT:          arith.cmpi ne, %[[THERE]], %[[NARROW]] : i32
// CHECK-NEXT:          arith.cmpi ne, %[[THERE]], %c-1_i32 : i32
// CHECK:             %[[AT:.+]] = arith.andi %[[FOUND]]#0, %{{.+}} : index
// CHECK-NEXT:        arith.cmpi eq, %[[FOUND]]#1, %[[NARROW]] : i32
// CHECK:             %[[POSITION:.+]] = memref.load %[[POSITIONS]][%[[ROW]], %[[AT]]] : memref<?x?xi64>
// CHECK-NEXT:        scf.yield %[[POSITION]], %{{.+}} : i64, i1
//
//   else: nothing
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %c0_i64, %false : i64, i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[ANSWER]]#0, %[[ANSWER]]#1 : i64, i1
// CHECK-NOT:     memref.store
// CHECK:         return %[[RESULT]]#0, %[[RESULT]]#1 : i64, i1
func.func @lookup(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %positions: memref<?x?xi64>,
                  %row: index, %N: index, %status: memref<i32>, %k: index) -> (i64, i1) {
  %w = nacho.workspace marks %marks keys %keys with %positions row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xi64> status memref<i32>
      -> !nacho.workspace<i64>
  nacho.renew %w for %N : !nacho.workspace<i64>
  %v, %isThere = nacho.lookup %k in %w : !nacho.workspace<i64>
  return %v, %isThere : i64, i1
}

//===----------------------------------------------------------------------===//
// drain
//===----------------------------------------------------------------------===//

// The marks lead to what is there, and are erased on the way: for every word of the first
// level, while there are bits in it, the words of the next level; and so on.
//
// CHECK-LABEL: func.func @drain(
// CHECK-SAME:    %[[KEYS:[^ ]+]]: memref<?x?xi32>, %[[MARKS:[^ ]+]]: memref<?x?xi64>, %[[SUMS:[^ ]+]]: memref<?x?xf64>,
// CHECK-SAME:    %[[ROW:[^ ]+]]: index, %{{[^ ]+}}: index, %{{[^ ]+}}: memref<i32>, %[[INIT:[^ ]+]]: f64)
//
// CHECK:         %[[MASK:.+]] = arith.subi %{{.+}}, %c1 : index
// CHECK-NEXT:    %[[DENSE:.+]] = arith.cmpi ult
// CHECK:         %[[LAST:.+]] = arith.shrui %[[MASK]], %c18 : index
// CHECK-NEXT:    %[[WORDS:.+]] = arith.addi %[[LAST]], %c1 : index
// CHECK-NEXT:    %[[BEGIN1:.+]] = arith.addi %[[LAST]], %c2 : index
// CHECK-NEXT:    %[[LAST1:.+]] = arith.shrui %[[MASK]], %c12 : index
// CHECK-NEXT:    %[[WORDS1:.+]] = arith.addi %[[LAST1]], %c1 : index
// CHECK-NEXT:    %[[BEGIN2:.+]] = arith.addi %[[BEGIN1]], %[[WORDS1]] : index
//
// number of keys = 0; for number in words: bits = marks[1 + number]; marks[...] = 0
// CHECK:         memref.store %c0_i64, %[[MARKS]][%[[ROW]], %c0] : memref<?x?xi64>
// CHECK-NEXT:    %[[ALL:.+]] = scf.for %[[NUMBER:.+]] = %c0 to %[[WORDS]] step %c1 iter_args(%[[SUM:.+]] = %[[INIT]]) -> (f64) {
// CHECK-NEXT:      %[[AT:.+]] = arith.addi %[[NUMBER]], %c1 : index
// CHECK-NEXT:      %[[BITS:.+]] = memref.load %[[MARKS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:      memref.store %c0_i64, %[[MARKS]][%[[ROW]], %[[AT]]]
//
// while bits: lowest = cttz bits; bits &= bits - 1
// CHECK-NEXT:      %[[OUTER:.+]]:2 = scf.while (%[[LEFT:.+]] = %[[BITS]], %[[S:.+]] = %[[SUM]]) : (i64, f64) -> (i64, f64) {
// CHECK-NEXT:        %[[MORE:.+]] = arith.cmpi ne, %[[LEFT]], %c0_i64 : i64
// CHECK-NEXT:        scf.condition(%[[MORE]]) %[[LEFT]], %[[S]] : i64, f64
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^{{.+}}(%[[LEFT:.+]]: i64, %[[S:.+]]: f64):
// CHECK-NEXT:        %[[ZEROS:.+]] = math.cttz %[[LEFT]] : i64
// CHECK-NEXT:        %[[BIT:.+]] = arith.index_castui %[[ZEROS]] : i64 to index
// CHECK-NEXT:        %[[LESS:.+]] = arith.subi %[[LEFT]], %c1_i64 : i64
// CHECK-NEXT:        %[[REST:.+]] = arith.andi %[[LEFT]], %[[LESS]] : i64
// CHECK-NEXT:        %[[WIDE:.+]] = arith.shli %[[NUMBER]], %c6 : index
// CHECK-NEXT:        %[[NUMBER1:.+]] = arith.addi %[[WIDE]], %[[BIT]] : index
// CHECK-NEXT:        arith.addi %[[BEGIN1]], %[[NUMBER1]] : index
// CHECK:             %[[MIDDLE:.+]]:2 = scf.while
// CHECK:               %[[NUMBER2:.+]] = arith.addi
// CHECK:               arith.addi %[[BEGIN2]], %[[NUMBER2]] : index
// CHECK:               %[[INNER:.+]]:2 = scf.while
// CHECK:               ^{{.+}}(%{{.+}}: i64, %[[S2:.+]]: f64):
// CHECK:                 %[[PLACE:.+]] = arith.addi
//
// k = dense ? place : keys[place]; keys[place] = empty; v = sums[place]; what the body does
// CHECK:                 %[[K:.+]] = scf.if %[[DENSE]] -> (index) {
// CHECK-NEXT:              scf.yield %[[PLACE]] : index
// CHECK-NEXT:            } else {
// CHECK-NEXT:              %[[KEY:.+]] = memref.load %[[KEYS]][%[[ROW]], %[[PLACE]]] : memref<?x?xi32>
// CHECK-NEXT:              memref.store %c-1_i32, %[[KEYS]][%[[ROW]], %[[PLACE]]] : memref<?x?xi32>
// CHECK-NEXT:              %[[WIDE:.+]] = arith.index_castui %[[KEY]] : i32 to index
// CHECK-NEXT:              scf.yield %[[WIDE]] : index
// CHECK-NEXT:            }
// CHECK-NEXT:            %[[V:.+]] = memref.load %[[SUMS]][%[[ROW]], %[[PLACE]]] : memref<?x?xf64>
// CHECK:                 %[[NEXT:.+]] = nacho.binary add %[[S2]], %[[V]] : f64
// CHECK-NEXT:            func.call @use(%[[K]])
// CHECK-NEXT:            scf.yield %{{.+}}, %[[NEXT]] : i64, f64
// CHECK:               scf.yield %{{.+}}, %[[INNER]]#1 : i64, f64
// CHECK:             scf.yield %[[REST]], %[[MIDDLE]]#1 : i64, f64
// CHECK:           scf.yield %[[OUTER]]#1 : f64
// CHECK:         return %[[ALL]]
func.func private @use(index)
func.func @drain(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>,
                 %row: index, %N: index, %status: memref<i32>, %init: f64) -> f64 {
  %w = nacho.workspace marks %marks keys %keys with %sums row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
      -> !nacho.workspace<f64>
  %all = nacho.drain %k, %v of %w iter_args(%s = %init : f64) : !nacho.workspace<f64> {
    %next = nacho.binary add %s, %v : f64
    func.call @use(%k) : (index) -> ()
    nacho.yield %next : f64
  }
  return %all : f64
}

// What only is emptied need not be read.
//
// CHECK-LABEL: func.func @drain_set(
// CHECK-SAME:    %[[KEYS:[^ ]+]]: memref<4x64xi64>
// CHECK-NOT:     memref.load %[[KEYS]]
// CHECK:         memref.store %c-1_i64, %[[KEYS]]
// CHECK-NOT:     memref.load %[[KEYS]]
// CHECK:         return
func.func @drain_set(%keys: memref<4x64xi64>, %marks: memref<4x4xi64>, %row: index,
                     %status: memref<i32>) {
  %N = arith.constant 64 : index
  %w = nacho.workspace marks %marks keys %keys row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi64> status memref<i32> -> !nacho.workspace<none>
  nacho.drain %k of %w : !nacho.workspace<none> {
  }
  return
}

// A dense set only loses its bits, word by word.
//
// CHECK-LABEL: func.func @drain_dense_set(
// CHECK-SAME:    %[[KEYS:[^ ]+]]: memref<4x64xi64>, %[[MARKS:[^ ]+]]: memref<4x4xi64>
// CHECK-NOT:     %[[KEYS]]
// CHECK-COUNT-2: scf.while
// CHECK-NOT:     scf.while
// CHECK:           memref.store %c0_i64, %[[MARKS]]
// CHECK-NEXT:      scf.yield
// CHECK-NOT:     %[[KEYS]]
// CHECK:         return
func.func @drain_dense_set(%keys: memref<4x64xi64>, %marks: memref<4x4xi64>, %row: index,
                           %status: memref<i32>) {
  %N = arith.constant 63 : index
  %w = nacho.workspace marks %marks keys %keys row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi64> status memref<i32> -> !nacho.workspace<none>
  nacho.drain %k of %w : !nacho.workspace<none> {
  }
  return
}

// What is inserted and drained inside of other ops; and what is drained from one workspace
// into another.
//
// CHECK-LABEL: func.func @nested(
// CHECK-NOT:     nacho.workspace
// CHECK-NOT:     nacho.insert
// CHECK-NOT:     nacho.drain
// CHECK:         return
func.func @nested(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>,
                  %N: index, %status: memref<i32>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = nacho.workspace marks %marks keys %keys with %sums row %c0 extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
      -> !nacho.workspace<f64>
  %other = nacho.workspace marks %marks keys %keys row %c1 extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> status memref<i32> -> !nacho.workspace<none>
  scf.for %i = %c0 to %N step %c1 {
    scf.for %j = %c0 to %N step %c1 {
      %new = nacho.insert %v : f64 at %j into %one : !nacho.workspace<f64>
      scf.if %new {
        %0 = nacho.insert at %i into %other : !nacho.workspace<none>
      }
    }
    nacho.drain %k, %x of %one : !nacho.workspace<f64> {
      %0 = nacho.insert at %k into %other : !nacho.workspace<none>
    }
    nacho.drain %k of %other : !nacho.workspace<none> {
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Without keys
//===----------------------------------------------------------------------===//

// The bit of a coordinate says whether there is an element; what is beyond the table is
// kept inside, and refused.
//
// CHECK-LABEL: func.func @whole_rows(
// CHECK-SAME:    %[[MARKS:[^ ]+]]: memref<?x?xi64>, %[[SUMS:[^ ]+]]: memref<?x?xf64>, %[[ROW:[^ ]+]]: index, %[[N:[^ ]+]]: index,
// CHECK-SAME:    %[[STATUS:[^ ]+]]: memref<i32>, %[[K:[^ ]+]]: index, %[[V:[^ ]+]]: f64, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         %[[PLACES:.+]] = memref.dim %[[SUMS]], %c1
// CHECK-NEXT:    %[[MASK:.+]] = arith.subi %[[PLACES]], %c1 : index
// CHECK-NEXT:    %[[MORE:.+]] = arith.cmpi ugt, %[[N]], %[[PLACES]] : index
// CHECK-NEXT:    scf.if %[[MORE]] {
// CHECK-NEXT:      memref.atomic_rmw ori %c16_i32, %[[STATUS]][]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[PLACE:.+]] = arith.andi %[[K]], %[[MASK]] : index
// CHECK-NEXT:    %[[WORD:.+]] = arith.shrui %[[PLACE]], %c6 : index
// CHECK-NEXT:    %[[AT:.+]] = arith.addi %[[WORD]], %c261 : index
// CHECK:         %[[BIT:.+]] = arith.shli %c1_i64, %{{.+}} : i64
// CHECK-NEXT:    %[[BEFORE:.+]] = memref.load %[[MARKS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:    %[[THERE:.+]] = arith.andi %[[BEFORE]], %[[BIT]] : i64
// CHECK-NEXT:    %[[NEW:.+]] = arith.cmpi eq, %[[THERE]], %c0_i64 : i64
//
// What is there already is only added to: the word stays as it is.
// CHECK-NEXT:    scf.if %[[NEW]] {
// CHECK-NEXT:      %[[AFTER:.+]] = arith.ori %[[BEFORE]], %[[BIT]] : i64
// CHECK-NEXT:      memref.store %[[AFTER]], %[[MARKS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:      memref.store %[[V]], %[[SUMS]][%[[ROW]], %[[PLACE]]]
//
// The first one of 64 is marked further up.
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %[[BEFORE]], %c0_i64 : i64
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-COUNT-2:     memref.store %{{.+}}, %[[MARKS]]
// CHECK-NOT:         memref.store
// CHECK:           }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[SUM:.+]] = memref.load %[[SUMS]][%[[ROW]], %[[PLACE]]]
// CHECK-NEXT:      %[[ADDED:.+]] = nacho.binary add %[[SUM]], %[[V]] : f64
// CHECK-NEXT:      memref.store %[[ADDED]], %[[SUMS]][%[[ROW]], %[[PLACE]]]
// CHECK-NEXT:    }
//
// CHECK-NEXT:    scf.for %{{.+}} = %c0 to %c4 step %c1 {
// CHECK-COUNT-3:   scf.while
// CHECK:             %[[Q:.+]] = arith.addi
// CHECK:             %[[X:.+]] = memref.load %[[SUMS]][%[[ROW]], %[[Q]]]
// CHECK-NEXT:        memref.store %[[X]], %[[OUT]][%[[Q]]]
func.func @whole_rows(%marks: memref<?x?xi64>, %sums: memref<?x?xf64>, %row: index, %N: index,
                      %status: memref<i32>, %k: index, %v: f64, %out: memref<?xf64>) {
  %w = nacho.workspace marks %marks with %sums row %row extent %N status %status
      : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
  %new = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
  nacho.drain %q, %x of %w : !nacho.workspace<f64> {
    memref.store %x, %out[%q] : memref<?xf64>
  }
  return
}

// Without keys or elements, the size of a row of marks tells how many places there are.
//
// CHECK-LABEL: func.func @set(
// CHECK-SAME:    %[[MARKS:[^ ]+]]: memref<?x?xi64>
// CHECK-DAG:     %[[WORDS:.+]] = memref.dim %[[MARKS]], %c1
// CHECK:         %[[BITS:.+]] = arith.subi %[[WORDS]], %c261 : index
// CHECK:         %[[PLACES:.+]] = arith.shli %[[BITS]], %c6 : index
// CHECK:         %[[LAST:.+]] = arith.subi %[[PLACES]], %c1 : index
// CHECK:         %[[TOO_WIDE:.+]] = arith.cmpi ugt, %{{.+}}, %[[PLACES]] : index
// CHECK:         scf.if %[[TOO_WIDE]] {
// CHECK-NEXT:      memref.atomic_rmw ori
// CHECK:         arith.andi %{{.+}}, %[[LAST]] : index
func.func @set(%marks: memref<?x?xi64>, %N: index, %k: index, %status: memref<i32>) -> i1 {
  %row = arith.constant 0 : index
  %w = nacho.workspace marks %marks row %row extent %N status %status
      : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
  %new = nacho.insert at %k into %w : !nacho.workspace<none>
  return %new : i1
}
