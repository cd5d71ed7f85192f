// RUN: nacho-opt %s -nacho-keep-sums -split-input-file | FileCheck %s
// RUN: not nacho-opt %s -nacho-keep-sums=strip-bits=64 -split-input-file 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: nacho-opt %s -nacho-keep-sums=strip-bits=512 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: nacho-opt %s -nacho-keep-sums -split-input-file | nacho-opt -split-input-file \
// RUN:   -nacho-keep-sums | FileCheck %s

// A row of B for each entry of A: what is carried along stays, rows of up to 16
// doubles are one strip of 16, others are strips of 32.
//
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[CRD:.+]]: memref<?xi32>, %[[A:.+]]: memref<?xf64>, %[[B:.+]]: memref<?xf64>, %[[SUMS:.+]]: memref<?x?xf64>, %[[LO:.+]]: index, %[[HI:.+]]: index, %[[ROW:.+]]: index, %[[EXTENT:.+]]: index, %[[MOST:.+]]: index) -> index
// CHECK:         %[[C16:.+]] = arith.constant 16 : index
// CHECK:         %[[SHORT:.+]] = arith.cmpi ule, %[[EXTENT]], %[[C16]]
// CHECK:         %[[ALL:.+]] = scf.if %[[SHORT]] -> (index) {
// CHECK:           %[[END:.+]] = arith.maxsi %[[EXTENT]], %{{.+}} : index
// CHECK:           %[[STRIPS:.+]] = scf.for %[[S:.+]] = %{{.+}} to %[[END]] step %{{.+}} iter_args(%{{.+}} = %{{.+}}) -> (index) {
// CHECK:             %[[LEFT:.+]] = arith.subi %[[EXTENT]], %[[S]]
// CHECK:             %[[REST:.+]] = arith.minsi %[[LEFT]], %{{.+}} : index
// CHECK:             %[[MASK:.+]] = vector.create_mask %[[REST]] : vector<16xi1>
// CHECK:             %[[FIRST:.+]] = vector.maskedload %[[SUMS]][%[[ROW]], %[[S]]], %[[MASK]], %{{.+}} into vector<16xf64>
// CHECK:             %[[DONE:.+]]:2 = scf.for %[[P:.+]] = %[[LO]] to %[[HI]] step %{{.+}} iter_args(%[[COUNT:.+]] = %{{.+}}, %[[SUM:.+]] = %[[FIRST]]) -> (index, vector<16xf64>) {
// CHECK:               %[[LATER:.+]] = arith.addi %{{.+}}, %[[S]] : index
// CHECK-NEXT:          memref.prefetch %[[B]][%[[LATER]]]
// CHECK:               scf.if
// CHECK-NEXT:            %[[LATER:.+]] = arith.addi %{{.+}}, %[[S]] : index
// CHECK-NEXT:            memref.prefetch %[[B]][%[[LATER]]]
// CHECK:               %[[VALUE:.+]] = memref.load %[[A]][%[[P]]]
// CHECK:               %[[VALID:.+]] = arith.cmpi ult, %{{.+}}, %[[MOST]]
// CHECK:               %[[AT:.+]] = arith.select %[[VALID]], %[[S]], %{{.+}} : index
// CHECK:               %[[ELEMENT:.+]] = arith.addi %{{.+}}, %[[AT]]
// CHECK:               %[[THERE:.+]] = arith.select %[[VALID]], %[[MASK]], %{{.+}} : vector<16xi1>
// CHECK:               %[[LOADED:.+]] = vector.maskedload %[[B]][%[[ELEMENT]]], %[[THERE]], %{{.+}} into vector<16xf64>
// CHECK:               %[[CHOSEN:.+]] = arith.select %[[VALID]], %[[LOADED]], %{{.+}} : vector<16xf64>
// CHECK:               %[[FACTOR:.+]] = vector.broadcast %[[VALUE]] : f64 to vector<16xf64>
// CHECK:               %[[PRODUCT:.+]] = arith.mulf %[[FACTOR]], %[[CHOSEN]] : vector<16xf64>
// CHECK:               %[[NEXT:.+]] = arith.addf %[[SUM]], %[[PRODUCT]] fastmath<reassoc> : vector<16xf64>
// CHECK-NOT:           memref.store
// CHECK:               scf.yield %{{.+}}, %[[NEXT]]
// CHECK:             vector.maskedstore %[[SUMS]][%[[ROW]], %[[S]]], %[[MASK]], %[[DONE]]#1
// CHECK:             scf.yield %[[DONE]]#0
// CHECK:           scf.yield %[[STRIPS]]
// CHECK:         } else {
// CHECK:           vector.create_mask %{{.+}} : vector<32xi1>
// CHECK:         return %[[ALL]]
//
// REFUSED: error: strips of 64 bits are too short: 256 at least
//
// NARROW-LABEL: func.func @rows(
// NARROW:         vector<4xf64>
// NARROW:         vector<8xf64>
func.func @rows(%crd: memref<?xi32>, %A: memref<?xf64>, %B: memref<?xf64>, %sums: memref<?x?xf64>,
                %lo: index, %hi: index, %row: index, %extent: index, %most: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %all = scf.for %p = %lo to %hi step %c1 iter_args(%count = %c0) -> (index) {
    %crd0 = memref.load %crd[%p] : memref<?xi32>
    %j = arith.index_castui %crd0 : i32 to index
    memref.prefetch %B[%j], read, locality<3>, data : memref<?xf64>
    %isFar = arith.cmpi ugt, %j, %extent : index
    scf.if %isFar {
      memref.prefetch %B[%p], read, locality<3>, data : memref<?xf64>
    }
    %a = memref.load %A[%p] : memref<?xf64>
    // Nobody wants the result.
    %vain = scf.for %n = %c0 to %extent step %c1 iter_args(%m = %count) -> (index) {
      %valid = arith.cmpi ult, %j, %most : index
      %at = arith.select %valid, %n, %c0 : index
      %start = arith.muli %j, %extent : index
      %element = arith.addi %start, %at : index
      %loaded = memref.load %B[%element] : memref<?xf64>
      %b = arith.select %valid, %loaded, %zero : f64
      %product = arith.mulf %a, %b : f64
      %more = arith.addi %m, %c1 : index
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %product fastmath<reassoc> : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
      scf.yield %more : index
    }
    %next = arith.addi %count, %c1 : index
    scf.yield %next : index
  }
  return %all : index
}

// -----

// All loops that add to the row are done strip by strip, whatever is in between.
//
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             vector.maskedload
// CHECK:             scf.for {{.+}} -> (vector<32xf32>) {
// CHECK:               scf.while {{.+}} : (index, vector<32xf32>) -> (index, vector<32xf32>) {
// CHECK:                 scf.condition(%{{.+}}) %{{.+}}, %{{.+}} : index, vector<32xf32>
// CHECK:                 scf.if %{{.+}} -> (vector<32xf32>) {
// CHECK:                   arith.addf %{{.+}} : vector<32xf32>
// CHECK:                 } else {
// CHECK-NEXT:              scf.yield %{{.+}} : vector<32xf32>
// CHECK:                 memref.atomic_rmw ori
// CHECK:             vector.maskedstore
func.func @nested(%A: memref<?xf32>, %sums: memref<?x?xf32>, %status: memref<i32>, %lo: index,
                  %hi: index, %row: index, %extent: index, %isOdd: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  scf.for %i = %lo to %hi step %c1 {
    %last = scf.while (%p = %i) : (index) -> index {
      %goOn = arith.cmpi ult, %p, %hi : index
      scf.condition(%goOn) %p : index
    } do {
    ^bb0(%p: index):
      scf.if %isOdd {
        %a = memref.load %A[%p] : memref<?xf32>
        scf.for %n = %c0 to %extent step %c1 {
          %sum = memref.load %sums[%row, %n] : memref<?x?xf32>
          %next = arith.addf %sum, %a : f32
          memref.store %next, %sums[%row, %n] : memref<?x?xf32>
        }
      }
      %next = arith.addi %p, %c1 : index
      scf.yield %next : index
    }
    %old = memref.atomic_rmw ori %c1_i32, %status[] : (i32, memref<i32>) -> i32
  }
  return
}

// -----

// Each step has a row of its own.
//
// CHECK-LABEL: func.func @negative_other_rows(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_other_rows(%A: memref<?xf64>, %sums: memref<?x?xf64>, %hi: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    %a = memref.load %A[%i] : memref<?xf64>
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %sums[%i, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%i, %n] : memref<?x?xf64>
    }
  }
  return
}

// -----

// The sums are read, something else is written, rows are repeated or not all of a
// loop's own, elements are not next to each other or narrow: nothing is changed.
//
// CHECK-LABEL: func.func @negative_read(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_read(%sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    %other = memref.load %sums[%row, %i] : memref<?x?xf64>
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %other : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_written(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_written(%A: memref<?xf64>, %sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    memref.store %a, %A[%i] : memref<?xf64>
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_strided(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_strided(%A: memref<?xf64>, %sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %at = arith.muli %n, %hi : index
      %a = memref.load %A[%at] : memref<?xf64>
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
    }
  }
  return
}

// Where the condition does not hold all iterations take the first element.
//
// CHECK-LABEL: func.func @negative_repeated(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_repeated(%A: memref<?xf64>, %sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %at = arith.select %c, %n, %c0 : index
      %a = memref.load %A[%at] : memref<?xf64>
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_number(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_number(%sums: memref<?x?xi64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %a = arith.index_cast %n : index to i64
      %sum = memref.load %sums[%row, %n] : memref<?x?xi64>
      %next = arith.addi %sum, %a : i64
      memref.store %next, %sums[%row, %n] : memref<?x?xi64>
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_narrow(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_narrow(%sums: memref<?x?xi8>, %a: i8, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %sums[%row, %n] : memref<?x?xi8>
      %next = arith.addi %sum, %a : i8
      memref.store %next, %sums[%row, %n] : memref<?x?xi8>
    }
  }
  return
}

// Two rows of one buffer might be the same one.
//
// CHECK-LABEL: func.func @negative_two_rows(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_two_rows(%sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %other: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
    }
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %sums[%other, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%other, %n] : memref<?x?xf64>
    }
  }
  return
}

// What one loop keeps, another one reads.
//
// CHECK-LABEL: func.func @negative_kept_elsewhere(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_kept_elsewhere(%s: memref<?x?xf64>, %t: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %s[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %s[%row, %n] : memref<?x?xf64>
    }
    scf.for %n = %c0 to %extent step %c1 {
      %more = memref.load %s[%row, %n] : memref<?x?xf64>
      %sum = memref.load %t[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %more : f64
      memref.store %next, %t[%row, %n] : memref<?x?xf64>
    }
  }
  return
}

// What is carried in vain does something else, too.
//
// CHECK-LABEL: func.func @negative_effect(
// CHECK-NOT:     vector
// CHECK:         memref.atomic_rmw
// CHECK:         return
func.func @negative_effect(%sums: memref<?x?xf64>, %counter: memref<i32>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  scf.for %i = %c0 to %hi step %c1 {
    %vain = scf.for %n = %c0 to %extent step %c1 iter_args(%m = %c1_i32) -> (i32) {
      %old = memref.atomic_rmw addi %c1_i32, %counter[] : (i32, memref<i32>) -> i32
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
      scf.yield %old : i32
    }
  }
  return
}

// Elements that follow one another are not next to each other.
//
// CHECK-LABEL: func.func @negative_layout(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_layout(%A: memref<?xf64, strided<[2]>>, %sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %a = memref.load %A[%n] : memref<?xf64, strided<[2]>>
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
    }
  }
  return
}

// The second strip would see what the first one has marked.
//
// CHECK-LABEL: func.func @negative_marks(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_marks(%marks: memref<?xi32>, %sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  scf.for %i = %c0 to %hi step %c1 {
    %mark = memref.load %marks[%i] : memref<?xi32>
    %isNew = arith.cmpi eq, %mark, %c0_i32 : i32
    scf.if %isNew {
      scf.for %n = %c0 to %extent step %c1 {
        %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
        %next = arith.addf %sum, %a : f64
        memref.store %next, %sums[%row, %n] : memref<?x?xf64>
      }
    }
    %old = memref.atomic_rmw ori %c1_i32, %marks[%i] : (i32, memref<?xi32>) -> i32
  }
  return
}

// CHECK-LABEL: func.func @negative_unsigned(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_unsigned(%sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for unsigned %i = %c0 to %hi step %c1 {
    scf.for %n = %c0 to %extent step %c1 {
      %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
      %next = arith.addf %sum, %a : f64
      memref.store %next, %sums[%row, %n] : memref<?x?xf64>
    }
  }
  return
}
