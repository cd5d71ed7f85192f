// RUN: nacho-opt %s -nacho-share-parts -canonicalize -cse | FileCheck %s
// RUN: nacho-opt %s -nacho-share-parts=sum-lanes=32 -canonicalize | FileCheck %s --check-prefix=WARP

// Rows of sums: each lane takes every 32nd step of the loops over them, and finds there
// what it has written itself. Only the first lane writes what is not of a row.
//
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    index, %{{[^ ]+}}: index, %[[LO:[^ ]+]]: index, %[[HI:[^ ]+]]: index, %[[N:[^ ]+]]: index, %[[X:[^ ]+]]: f64, %[[A:[^ ]+]]: memref<?xf64>, %[[D:[^ ]+]]: memref<?xf64>, %[[ROWS:[^ ]+]]: memref<?x?xf64>, %[[VISITED:[^ ]+]]: memref<?xindex>
// CHECK:         nacho.parallel %[[PART:[^ ]+]] in
// CHECK-NEXT:      %[[LANE:.+]] = nacho.lane of 32
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %[[LANE]], %c0 : index
// CHECK-NEXT:      scf.for %[[K:.+]] = %[[LANE]] to %[[N]] step %c32 {
// CHECK-NEXT:        memref.store %[[X]], %[[ROWS]][%[[PART]], %[[K]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[J:.+]] = %[[LO]] to %[[HI]] step %c1 {
// CHECK-NEXT:        %[[OF_A:.+]] = memref.load %[[A]][%[[J]]]
// CHECK-NEXT:        scf.for %[[K:.+]] = %[[LANE]] to %[[N]] step %c32 {
// CHECK-NEXT:          %[[OF_D:.+]] = memref.load %[[D]][%[[K]]]
// CHECK-NEXT:          %[[TERM:.+]] = arith.mulf %[[OF_A]], %[[OF_D]]
// CHECK-NEXT:          %[[BEFORE:.+]] = memref.load %[[ROWS]][%[[PART]], %[[K]]]
// CHECK-NEXT:          %[[SUM:.+]] = arith.addf %[[BEFORE]], %[[TERM]]
// CHECK-NEXT:          memref.store %[[SUM]], %[[ROWS]][%[[PART]], %[[K]]]
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        memref.store %c1, %[[VISITED]][%[[PART]]]
// CHECK-NEXT:        memref.atomic_rmw ori
// CHECK-NEXT:      }
func.func @rows(%parts: index, %threads: index, %lo: index, %hi: index, %N: index,
                %x: f64, %A: memref<?xf64>, %D: memref<?xf64>,
                %rows: memref<?x?xf64>, %visited: memref<?xindex>,
                %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    scf.for %k = %c0 to %N step %c1 {
      memref.store %x, %rows[%part, %k] : memref<?x?xf64>
    }
    scf.for %j = %lo to %hi step %c1 {
      %a = memref.load %A[%j] : memref<?xf64>
      scf.for %k = %c0 to %N step %c1 {
        %d = memref.load %D[%k] : memref<?xf64>
        %term = arith.mulf %a, %d : f64
        %before = memref.load %rows[%part, %k] : memref<?x?xf64>
        %sum = arith.addf %before, %term : f64
        memref.store %sum, %rows[%part, %k] : memref<?x?xf64>
      }
    }
    memref.store %c1, %visited[%part] : memref<?xindex>
    memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
  }
  return
}

// Four lanes add up vectors. Each has four neighbours of 16 elements, and adds up its own
// before lanes ask each other, halves from each other until all have the same sum. Of four
// elements that are no sum of halves, the first lane has the first one.
//
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:      %{{.+}}: index, %{{.+}}: index, %[[N:.+]]: index, %[[D:.+]]: memref<?xf64>, %[[OUT:.+]]: memref<?xf64>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f64
// CHECK:         nacho.parallel %[[PART:[^ ]+]] in
// CHECK-NEXT:      %[[LANE:.+]] = nacho.lane of 4
// CHECK-DAG:       %[[NEAR:.+]] = arith.addi %[[LANE]], %c1 : index
// CHECK-DAG:       %[[NEXT_LANE:.+]] = arith.remui %[[NEAR]], %c4 : index
// CHECK-DAG:       %[[FAR:.+]] = arith.addi %[[LANE]], %c2 : index
// CHECK-DAG:       %[[OTHER_LANE:.+]] = arith.remui %[[FAR]], %c4 : index
// CHECK-DAG:       %[[FIRST:.+]] = arith.muli %[[LANE]], %c4 : index
// CHECK:           %[[SUMS:.+]]:8 = scf.for %[[K:.+]] = %c0 to %[[N]] step %c32 iter_args(%[[S0:[^ ]+]] = %[[ZERO]], %[[S1:[^ ]+]] = %[[ZERO]],
// CHECK-NEXT:        %[[AT0:.+]] = arith.addi %[[K]], %[[FIRST]] : index
// CHECK-NEXT:        %[[D0:.+]] = memref.load %[[D]][%[[AT0]]]
// CHECK-NEXT:        %[[AT1:.+]] = arith.addi %[[AT0]], %c1 : index
// CHECK-NEXT:        %[[D1:.+]] = memref.load %[[D]][%[[AT1]]]
// CHECK:             %[[AT4:.+]] = arith.addi %[[AT0]], %c16 : index
// CHECK-NEXT:        memref.load %[[D]][%[[AT4]]]
// CHECK:             %[[NEXT0:.+]] = arith.addf %[[S0]], %[[D0]] : f64
// CHECK-NEXT:        %[[NEXT1:.+]] = arith.addf %[[S1]], %[[D1]] : f64
// CHECK:             scf.yield %[[NEXT0]], %[[NEXT1]],
// CHECK-NEXT:      } {loop_annotation = #{{.+}}}
// CHECK-NEXT:      %[[HALF0:.+]] = arith.addf %[[SUMS]]#0, %[[SUMS]]#4 : f64
// CHECK-NEXT:      %[[HALF1:.+]] = arith.addf %[[SUMS]]#1, %[[SUMS]]#5 : f64
// CHECK-NEXT:      %[[HALF2:.+]] = arith.addf %[[SUMS]]#2, %[[SUMS]]#6 : f64
// CHECK-NEXT:      %[[HALF3:.+]] = arith.addf %[[SUMS]]#3, %[[SUMS]]#7 : f64
// CHECK-NEXT:      %[[PAIR0:.+]] = arith.addf %[[HALF0]], %[[HALF1]] : f64
// CHECK-NEXT:      %[[PAIR1:.+]] = arith.addf %[[HALF2]], %[[HALF3]] : f64
// CHECK-NEXT:      %[[FOUR:.+]] = arith.addf %[[PAIR0]], %[[PAIR1]] : f64
// CHECK-NEXT:      %[[OTHER:.+]] = nacho.from_lane %[[FOUR]] at %[[OTHER_LANE]] : f64
// CHECK-NEXT:      %[[TWO:.+]] = arith.addf %[[FOUR]], %[[OTHER]] : f64
// CHECK-NEXT:      %[[NEXT:.+]] = nacho.from_lane %[[TWO]] at %[[NEXT_LANE]] : f64
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[TWO]], %[[NEXT]] : f64
// CHECK-NEXT:      %[[MORE:.+]] = memref.load %[[D]][%[[LANE]]]
// CHECK-NEXT:      %[[BOTH:.+]] = arith.addf %[[FOUR]], %[[MORE]] : f64
// CHECK-NEXT:      %[[OF_FIRST:.+]] = nacho.from_lane %[[BOTH]] at %c0 : f64
// CHECK-NEXT:      %[[ALL:.+]] = arith.addf %[[SUM]], %[[OF_FIRST]] : f64
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        memref.store %[[ALL]], %[[OUT]][%[[PART]]]
// CHECK-NOT:     vector
// CHECK:         return
//
// Lanes that have no neighbours would have to ask each other for all elements.
//
// WARP-LABEL: func.func @vectors(
// WARP-NOT:     nacho.lane
// WARP:         return
func.func @vectors(%parts: index, %threads: index, %N: index, %D: memref<?xf64>,
                   %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zeros = arith.constant dense<0.0> : vector<32xf64>
  nacho.parallel %part in %parts threads %threads {
    %sums = scf.for %k = %c0 to %N step %c32 iter_args(%s = %zeros) -> vector<32xf64> {
      %d = vector.load %D[%k] : memref<?xf64>, vector<32xf64>
      %next = arith.addf %s, %d : vector<32xf64>
      scf.yield %next : vector<32xf64>
    }
    %low = vector.extract_strided_slice %sums {offsets = [0], sizes = [16], strides = [1]}
        : vector<32xf64> to vector<16xf64>
    %high = vector.extract_strided_slice %sums {offsets = [16], sizes = [16], strides = [1]}
        : vector<32xf64> to vector<16xf64>
    %half = arith.addf %low, %high : vector<16xf64>
    %even = vector.shuffle %half, %half [0, 4, 8, 12, 2, 6, 10, 14] : vector<16xf64>, vector<16xf64>
    %odd = vector.shuffle %half, %half [1, 5, 9, 13, 3, 7, 11, 15] : vector<16xf64>, vector<16xf64>
    %eight = arith.addf %even, %odd : vector<8xf64>
    %low4 = vector.extract_strided_slice %eight {offsets = [0], sizes = [4], strides = [1]}
        : vector<8xf64> to vector<4xf64>
    %high4 = vector.extract_strided_slice %eight {offsets = [4], sizes = [4], strides = [1]}
        : vector<8xf64> to vector<4xf64>
    %four = arith.addf %low4, %high4 : vector<4xf64>
    %low2 = vector.extract_strided_slice %four {offsets = [0], sizes = [2], strides = [1]}
        : vector<4xf64> to vector<2xf64>
    %high2 = vector.extract_strided_slice %four {offsets = [2], sizes = [2], strides = [1]}
        : vector<4xf64> to vector<2xf64>
    %two = arith.addf %low2, %high2 : vector<2xf64>
    %low1 = vector.extract_strided_slice %two {offsets = [0], sizes = [1], strides = [1]}
        : vector<2xf64> to vector<1xf64>
    %high1 = vector.extract_strided_slice %two {offsets = [1], sizes = [1], strides = [1]}
        : vector<2xf64> to vector<1xf64>
    %one = arith.addf %low1, %high1 : vector<1xf64>
    %sum = vector.extract %one[0] : f64 from vector<1xf64>
    %more = vector.load %D[%c0] : memref<?xf64>, vector<4xf64>
    %both = arith.addf %four, %more : vector<4xf64>
    %first = vector.extract %both[0] : f64 from vector<4xf64>
    %all = arith.addf %sum, %first : f64
    memref.store %all, %out[%part] : memref<?xf64>
  }
  return
}

// A lane loads its neighbours at once where they lie at a multiple of 16 bytes: two of 64
// bits, four of 32 bits.
//
// CHECK-LABEL: func.func @wide(
// CHECK:         %[[LANE:.+]] = nacho.lane of 4
// CHECK:         %[[FIRST:.+]] = arith.muli %[[LANE]], %c4 : index
// CHECK:         scf.for %[[K:[^ ]+]] =
// CHECK-NEXT:      %[[AT0:.+]] = arith.addi %[[K]], %[[FIRST]] : index
// CHECK-NEXT:      %[[D0:.+]] = vector.load %{{.+}}[%[[AT0]]] {alignment = 16 : i64} : memref<?xf64>, vector<2xf64>
// CHECK-NEXT:      vector.extract %[[D0]][0]
// CHECK-NEXT:      vector.extract %[[D0]][1]
// CHECK-NEXT:      %[[AT2:.+]] = arith.addi %[[AT0]], %c2 : index
// CHECK-NEXT:      vector.load %{{.+}}[%[[AT2]]] {alignment = 16 : i64} : memref<?xf64>, vector<2xf64>
// CHECK:           vector.load %{{.+}}[%[[AT0]]] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-NOT:       memref.load
// CHECK:           scf.yield
func.func @wide(%parts: index, %threads: index, %N: index, %D: memref<?xf64>, %E: memref<?xf32>,
                %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : vector<16xf64>
  nacho.parallel %part in %parts threads %threads {
    %sums = scf.for %k = %c0 to %N step %c16 iter_args(%s = %zeros) -> vector<16xf64> {
      %d = vector.load %D[%k] {alignment = 16 : i64} : memref<?xf64>, vector<16xf64>
      %e = vector.load %E[%k] {alignment = 16 : i64} : memref<?xf32>, vector<16xf32>
      %f = arith.extf %e : vector<16xf32> to vector<16xf64>
      %term = arith.mulf %d, %f : vector<16xf64>
      %next = arith.addf %s, %term : vector<16xf64>
      scf.yield %next : vector<16xf64>
    }
    %sum = vector.extract %sums[0] : f64 from vector<16xf64>
    memref.store %sum, %out[%part] : memref<?xf64>
  }
  return
}

// Halves of 32 elements: each lane of 32 asks another one. Of four lanes, each would have
// to ask all others for the second half of 16 elements.
//
// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     nacho.lane
// CHECK:         return
//
// WARP-LABEL: func.func @halves(
// WARP:         %[[LANE:.+]] = nacho.lane of 32
// WARP:         scf.for {{.+}} -> (f64) {
// WARP:         nacho.from_lane
// WARP:         nacho.from_lane
// WARP:         nacho.from_lane %{{.+}} at %c0 : f64
// WARP-NOT:     vector
// WARP:         return
func.func @halves(%parts: index, %threads: index, %N: index, %D: memref<?xf64>,
                  %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zeros = arith.constant dense<0.0> : vector<32xf64>
  nacho.parallel %part in %parts threads %threads {
    %sums = scf.for %k = %c0 to %N step %c32 iter_args(%s = %zeros) -> vector<32xf64> {
      %d = vector.load %D[%k] : memref<?xf64>, vector<32xf64>
      %next = arith.addf %s, %d : vector<32xf64>
      scf.yield %next : vector<32xf64>
    }
    %high = vector.extract_strided_slice %sums {offsets = [16], sizes = [16], strides = [1]}
        : vector<32xf64> to vector<16xf64>
    %more = vector.extract_strided_slice %high {offsets = [8], sizes = [8], strides = [1]}
        : vector<16xf64> to vector<8xf64>
    %sum = vector.extract %more[0] : f64 from vector<8xf64>
    memref.store %sum, %out[%part] : memref<?xf64>
  }
  return
}

// The first lane writes what all lanes would read: only one thread can do that.
//
// CHECK-LABEL: func.func @negative_read(
// CHECK-NOT:     nacho.lane
// CHECK:         return
func.func @negative_read(%parts: index, %threads: index, %N: index, %x: f64,
                         %rows: memref<?x?xf64>, %at: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    scf.for %j = %c0 to %N step %c1 iter_args(%i = %c0) -> index {
      memref.store %i, %at[%part] : memref<?xindex>
      %k0 = memref.load %at[%part] : memref<?xindex>
      scf.for %k = %c0 to %N step %c1 {
        memref.store %x, %rows[%k0, %k] : memref<?x?xf64>
      }
      scf.yield %k0 : index
    }
  }
  return
}

// A lane would read what its neighbour writes.
//
// CHECK-LABEL: func.func @negative_neighbour(
// CHECK-NOT:     nacho.lane
// CHECK:         return
func.func @negative_neighbour(%parts: index, %threads: index, %N: index,
                              %rows: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    scf.for %j = %c0 to %N step %c1 {
      scf.for %k = %c0 to %N step %c1 {
        %next = arith.addi %k, %c1 : index
        %x = memref.load %rows[%part, %next] : memref<?x?xf64>
        memref.store %x, %rows[%part, %k] : memref<?x?xf64>
      }
    }
  }
  return
}

// No loop over rows is inside of another loop; a tile has threads of its own.
//
// CHECK-LABEL: func.func @negative_little(
// CHECK-NOT:     nacho.lane
// CHECK:         return
func.func @negative_little(%parts: index, %threads: index, %N: index, %x: f64,
                           %rows: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    scf.for %k = %c0 to %N step %c1 {
      memref.store %x, %rows[%part, %k] : memref<?x?xf64>
    }
  }
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 32
    scf.for %j = %begin to %end step %c1 {
      scf.for %k = %c0 to %N step %c1 {
        memref.store %x, %rows[%part, %k] : memref<?x?xf64>
      }
    }
  }
  return
}

// What is written last to an element would depend on the order of lanes: all steps write
// one element; two loops write elements that may be the same, of different steps.
//
// CHECK-LABEL: func.func @negative_order(
// CHECK-NOT:     nacho.lane
// CHECK:         return
func.func @negative_order(%parts: index, %threads: index, %N: index, %x: memref<?xf64>,
                          %y: memref<?xf64>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    scf.for %j = %c0 to %at step %c1 {
      scf.for %k = %c0 to %N step %c1 {
        %z = memref.load %x[%k] : memref<?xf64>
        memref.store %z, %y[%j] : memref<?xf64>
      }
    }
  }
  nacho.parallel %part in %parts threads %threads {
    scf.for %j = %c0 to %at step %c1 {
      scf.for %k = %c0 to %N step %c1 {
        %z = memref.load %x[%k] : memref<?xf64>
        memref.store %z, %y[%k] : memref<?xf64>
      }
      scf.for %k = %c0 to %N step %c1 {
        %z = memref.load %x[%k] : memref<?xf64>
        %n = arith.addi %j, %k : index
        memref.store %z, %y[%n] : memref<?xf64>
      }
    }
  }
  return
}

// Strips of a row: each lane has the element that it also has in loops over the row, and
// of what is written after an element, the same one wherever it is written. A mask tells
// which lanes have an element.
//
// CHECK-LABEL: func.func @strips(
// CHECK-SAME:    index, %{{[^ ]+}}: index, %[[N:[^ ]+]]: index, %[[D:[^ ]+]]: memref<?xf64>, %[[ROWS:[^ ]+]]: memref<?x?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f64
// CHECK-DAG:     %[[WHOLE:.+]] = arith.andi %[[N]], %c-32 : index
// CHECK:         nacho.parallel %[[PART:[^ ]+]] in
// CHECK-NEXT:      %[[LANE:.+]] = nacho.lane of 32
// CHECK-NEXT:      scf.for %[[S:.+]] = %c0 to %[[WHOLE]] step %c32 {
// CHECK-NEXT:        %[[AT:.+]] = arith.addi %[[S]], %[[LANE]] : index
// CHECK-NEXT:        %[[FIRST:.+]] = memref.load %[[ROWS]][%[[PART]], %[[AT]]]
// CHECK-NEXT:        %[[SUMS:.+]] = scf.for {{.+}} iter_args(%[[SUM:.+]] = %[[FIRST]]) -> (f64) {
// CHECK:               %[[OF_D:.+]] = memref.load %[[D]][%{{.+}}]
// CHECK-NEXT:          %[[NEXT:.+]] = arith.addf %[[SUM]], %[[OF_D]] : f64
// CHECK:             memref.store %[[SUMS]], %[[ROWS]][%[[PART]], %{{.+}}]
// CHECK:             memref.store %[[SUMS]], %[[OUT]][%{{.+}}]
// CHECK:           scf.for %[[S:.+]] = %[[WHOLE]] to %[[N]] step %c32 {
// CHECK-NEXT:        %[[LEFT:.+]] = arith.subi %[[N]], %[[S]] : index
// CHECK-NEXT:        %[[SET:.+]] = arith.cmpi slt, %[[LANE]], %[[LEFT]] : index
// CHECK:             %[[READ:.+]] = scf.if %[[SET]] -> (f64) {
// CHECK-NEXT:          %[[X:.+]] = memref.load %[[ROWS]]
// CHECK-NEXT:          scf.yield %[[X]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %[[ZERO]]
// CHECK:             scf.if %[[SET]] {
// CHECK-NEXT:          memref.store %[[READ]], %[[OUT]]
// CHECK:           scf.for %[[K:.+]] = %[[LANE]] to %[[N]] step %c32 {
// CHECK-NEXT:        memref.load %[[ROWS]][%[[PART]], %[[K]]]
// CHECK-NOT:     vector
// CHECK:         return
func.func @strips(%parts: index, %threads: index, %lo: index, %N: index, %D: memref<?xf64>,
                  %rows: memref<?x?xf64>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %size = arith.constant -32 : index
  %none = arith.constant dense<0.0> : vector<32xf64>
  %whole = arith.andi %N, %size : index
  nacho.parallel %part in %parts threads %threads {
    scf.for %s = %c0 to %whole step %c32 {
      %first = vector.load %rows[%part, %s] : memref<?x?xf64>, vector<32xf64>
      %sums = scf.for %j = %c0 to %N step %c1 iter_args(%sum = %first) -> vector<32xf64> {
        %row = arith.muli %j, %N : index
        %from = arith.addi %row, %s : index
        %d = vector.load %D[%from] : memref<?xf64>, vector<32xf64>
        %next = arith.addf %sum, %d : vector<32xf64>
        scf.yield %next : vector<32xf64>
      }
      vector.store %sums, %rows[%part, %s] : memref<?x?xf64>, vector<32xf64>
      %begin = arith.muli %part, %N : index
      %at = arith.addi %begin, %s : index
      vector.store %sums, %out[%at] : memref<?xf64>, vector<32xf64>
    }
    scf.for %s = %whole to %N step %c32 {
      %left = arith.subi %N, %s : index
      %mask = vector.create_mask %left : vector<32xi1>
      %x = vector.maskedload %rows[%part, %s], %mask, %none
          : memref<?x?xf64>, vector<32xi1>, vector<32xf64> into vector<32xf64>
      %begin = arith.muli %part, %N : index
      %at = arith.addi %begin, %s : index
      vector.maskedstore %out[%at], %mask, %x
          : memref<?xf64>, vector<32xi1>, vector<32xf64>
    }
    scf.for %j = %lo to %parts step %c1 {
      scf.for %k = %c0 to %N step %c1 {
        %x = memref.load %rows[%part, %k] : memref<?x?xf64>
        memref.store %x, %rows[%part, %k] : memref<?x?xf64>
      }
    }
  }
  return
}

// Strips that begin anywhere have other lanes at an element than loops over the row, and
// what is written after different elements may be the same element of different lanes.
//
// CHECK-LABEL: func.func @negative_strips(
// CHECK-NOT:     nacho.lane
// CHECK:         return
func.func @negative_strips(%parts: index, %threads: index, %lo: index, %N: index,
                           %rows: memref<?x?xf64>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %none = arith.constant dense<0.0> : vector<32xf64>
  nacho.parallel %part in %parts threads %threads {
    scf.for %s = %lo to %N step %c32 {
      vector.store %none, %rows[%part, %s] : memref<?x?xf64>, vector<32xf64>
    }
    scf.for %j = %lo to %parts step %c1 {
      scf.for %k = %c0 to %N step %c1 {
        %x = memref.load %rows[%part, %k] : memref<?x?xf64>
        memref.store %x, %rows[%part, %k] : memref<?x?xf64>
      }
    }
  }
  nacho.parallel %part in %parts threads %threads {
    scf.for %j = %lo to %parts step %c1 {
      scf.for %s = %c0 to %N step %c32 iter_args(%sum = %none) -> vector<32xf64> {
        %at = arith.addi %j, %s : index
        vector.store %none, %out[%at] : memref<?xf64>, vector<32xf64>
        %next = arith.addi %part, %s : index
        vector.store %none, %out[%next] : memref<?xf64>, vector<32xf64>
        scf.yield %sum : vector<32xf64>
      }
    }
  }
  return
}

// The place of a lane in a strip is the same in all steps of a loop inside, and is added to
// where the strip begins.
//
// CHECK-LABEL: func.func @places(
// CHECK:           %[[LANE:.+]] = nacho.lane of 32
// CHECK:           scf.for %[[S:.+]] = %c0 to %{{.+}} step %c32
// CHECK:             scf.for %[[J:.+]] = %c0 to
// CHECK-NEXT:          %[[ROW:.+]] = arith.muli %[[J]], %{{.+}} : index
// CHECK-NEXT:          %[[PLACE:.+]] = arith.addi %[[S]], %[[LANE]] : index
// CHECK-NEXT:          %[[AT:.+]] = arith.addi %[[ROW]], %[[PLACE]] : index
// CHECK-NEXT:          memref.load %{{.+}}[%[[AT]]]
func.func @places(%parts: index, %threads: index, %N: index, %M: index, %D: memref<?xf64>,
                  %out: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zeros = arith.constant dense<0.0> : vector<32xf64>
  nacho.parallel %part in %parts threads %threads {
    scf.for %s = %c0 to %N step %c32 {
      %sums = scf.for %j = %c0 to %M step %c1 iter_args(%sum = %zeros) -> vector<32xf64> {
        %row = arith.muli %j, %N : index
        %at = arith.addi %row, %s : index
        %d = vector.load %D[%at] : memref<?xf64>, vector<32xf64>
        %next = arith.addf %sum, %d : vector<32xf64>
        scf.yield %next : vector<32xf64>
      }
      vector.store %sums, %out[%part, %s] : memref<?x?xf64>, vector<32xf64>
    }
  }
  return
}
