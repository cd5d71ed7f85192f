// RUN: nacho-opt %s -nacho-sum-short-rows -canonicalize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// y[i] = A[i,j] * x[j] + b[i]. The entries of a strip of rows come first.
//
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[TERMS:.+]] = memref.alloca() : memref<2068xf64>
// CHECK-NEXT:    vector.store %{{.+}}, %[[TERMS]][%c2060]
// CHECK-NEXT:    scf.for %[[STRIP:.+]] = %from to %to step %c64 iter_args(%[[BEGIN:.+]] = %first) -> (index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[STRIP]], %c64 : index
// CHECK-NEXT:      %[[AFTER:.+]] = arith.minui %[[NEXT]], %to : index
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %positions[%[[AFTER]]]
// CHECK-NEXT:      %[[POSITION:.+]] = arith.index_castui %[[STORED]]
// CHECK-NEXT:      %[[END:.+]] = arith.minui %[[POSITION]], %size : index
// CHECK-NEXT:      %[[ENTRIES:.+]] = arith.subi %[[END]], %[[BEGIN]] : index
// CHECK-NEXT:      %[[FEW:.+]] = arith.cmpi ule, %[[ENTRIES]], %c2048 : index
//
// If they are few, all terms are computed, and coordinates outside are reported.
//
// CHECK-NEXT:      scf.if %[[FEW]] -> (index) {
// CHECK-NEXT:        %[[SHIFT:.+]] = arith.subi %c0, %[[BEGIN]] : index
// CHECK-NEXT:        %[[FLAG:.+]] = scf.for %[[K:.+]] = %[[BEGIN]] to %[[END]] step %c1 iter_args(%[[ANY:.+]] = %false) -> (i1) {
// CHECK:               %[[TERM:.+]] = arith.mulf
// CHECK-NEXT:          %[[OUTSIDE:.+]] = arith.cmpi uge
// CHECK-NEXT:          %[[PLACE:.+]] = arith.addi %[[K]], %[[SHIFT]] : index
// CHECK-NEXT:          memref.store %[[TERM]], %[[TERMS]][%[[PLACE]]]
// CHECK-NEXT:          arith.ori %[[ANY]], %[[OUTSIDE]] : i1
// CHECK:             scf.if %[[FLAG]] {
// CHECK-NEXT:          memref.atomic_rmw ori
//
// Where rows end is clamped to the strip, whatever the array holds.
//
// CHECK:             scf.for %[[I:.+]] = %[[STRIP]] to %[[AFTER]] step %c8 iter_args(%[[OPEN:.+]] = %c0_i32) -> (i32) {
// CHECK-NEXT:          %[[EIGHTH:.+]] = arith.addi %[[I]], %c8 : index
// CHECK-NEXT:          arith.cmpi ule, %[[EIGHTH]], %[[AFTER]] : index
// CHECK-NEXT:          %[[ROWS:.+]] = memref.dim %y
// CHECK-NEXT:          arith.cmpi ule, %[[EIGHTH]], %[[ROWS]] : index
// CHECK:               scf.if %{{.+}} -> (i32) {
// CHECK:                 vector.load %positions[%{{.+}}] : memref<?xi32>, vector<8xi32>
// CHECK:                 %[[FROM:.+]] = arith.index_castui %[[BEGIN]] : index to i32
// CHECK-NEXT:            %[[LOWEST:.+]] = vector.broadcast %[[FROM]]
// CHECK-NEXT:            %[[MOST:.+]] = arith.index_castui %[[ENTRIES]] : index to i32
// CHECK-NEXT:            %[[MOSTS:.+]] = vector.broadcast %[[MOST]]
// CHECK:                 %[[PLACES:.+]] = arith.subi %{{.+}}, %[[LOWEST]] : vector<8xi32>
// CHECK-NEXT:            %[[ENDS:.+]] = arith.minui %[[PLACES]], %[[MOSTS]] : vector<8xi32>
// CHECK-NEXT:            %[[BEFORE:.+]] = vector.shuffle %[[ENDS]], %[[ENDS]] [0, 0, 1, 2, 3, 4, 5, 6]
// CHECK-NEXT:            %[[BEGINS:.+]] = vector.insert %[[OPEN]], %[[BEFORE]] [0]
// CHECK-NEXT:            %[[LENGTHS:.+]] = arith.subi %[[ENDS]], %[[BEGINS]] : vector<8xi32>
//
// Octets are added up one of each row in a step, up to four; a row that has fewer takes the zeros
// behind all terms. The first ones are taken without asking, those after the fourth by a loop. The
// lanes of all rows are then added up at once, half to half. Rows that have octets begin later.
//
// CHECK-NEXT:            %[[LONG:.+]] = arith.cmpi sgt, %[[LENGTHS]], %{{.+}} : vector<8xi32>
// CHECK-NEXT:            %[[ANY:.+]] = vector.reduction <or>, %[[LONG]]
// CHECK-NEXT:            %[[AFTER_OCTETS:.+]]:3 = scf.if %[[ANY]] -> (vector<8xi32>, vector<8xi32>, vector<8xf64>) {
// CHECK:                   %[[TAKEN:.+]] = arith.andi
// CHECK-COUNT-8:           vector.load %[[TERMS]]
// CHECK-NEXT:              arith.cmpi sgt, %[[TAKEN]], %{{.+}} : vector<8xi32>
// CHECK-NEXT:              vector.reduction <or>
// CHECK-NEXT:              %[[FEW:.+]]:8 = scf.if
// CHECK-NEXT:                %[[MOST:.+]] = vector.reduction <maxsi>, %[[TAKEN]]
// CHECK-NEXT:                arith.minsi %[[MOST]], %c32_i32
// CHECK:                     scf.for %[[STEP:.+]] = %c8 to %{{.+}} step %c8
// CHECK:                       %[[HAS:.+]] = arith.cmpi sgt, %[[TAKEN]], %{{.+}} : vector<8xi32>
// CHECK-NEXT:                  %[[HAS_FIRST:.+]] = vector.extract %[[HAS]][0]
// CHECK-NEXT:                  %[[NEXT_OCTET:.+]] = arith.addi %[[STEP]]
// CHECK-NEXT:                  %[[FROM:.+]] = arith.select %[[HAS_FIRST]], %[[NEXT_OCTET]], %c2060
// CHECK-NEXT:                  vector.load %[[TERMS]][%[[FROM]]]
// CHECK-NEXT:                  arith.addf
// CHECK:                   %[[OCTETS:.+]]:8 = scf.if
// CHECK-COUNT-8:             scf.for
// CHECK:                   vector.shuffle %[[OCTETS]]#0, %[[OCTETS]]#1 [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK-NEXT:              vector.shuffle %[[OCTETS]]#0, %[[OCTETS]]#1 [4, 5, 6, 7, 12, 13, 14, 15]
// CHECK-NEXT:              arith.addf
// CHECK-COUNT-2:           vector.shuffle {{.+}} [0, 1, 4, 5, 8, 9, 12, 13]
// CHECK:                   vector.shuffle {{.+}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK-NEXT:              vector.shuffle {{.+}} [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK-NEXT:              arith.addf
// CHECK-NEXT:              %[[WITH_OCTETS:.+]] = arith.addf
// CHECK-NEXT:              %[[HAS_OCTET:.+]] = arith.cmpi sgt
// CHECK-NEXT:              arith.select %[[HAS_OCTET]], %[[WITH_OCTETS]], %{{.+}}
// CHECK:                 } else {
// CHECK-NEXT:              scf.yield %{{.+}}, %[[LENGTHS]], %{{.+}}
//
// The terms that are left of each row are lanes. Two of each row are loaded at once, and four of
// each are added up if any row has one.
//
// CHECK:                 %[[SOME:.+]] = arith.cmpi sgt, %[[AFTER_OCTETS]]#1, %{{.+}} : vector<8xi32>
// CHECK-NEXT:            vector.reduction <or>, %[[SOME]]
// CHECK-NEXT:            %[[FOUR:.+]] = scf.if %{{.+}} -> (vector<8xf64>) {
// CHECK-COUNT-8:           vector.load %[[TERMS]][%{{.+}}] : memref<2068xf64>, vector<2xf64>
// CHECK:                   %[[EACH:.+]] = vector.shuffle %[[EVEN:[^ ]+]], %[[ODD:[^ ]+]] [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK-NEXT:              %[[OTHER:.+]] = vector.shuffle %[[EVEN]], %[[ODD]] [1, 9, 3, 11, 5, 13, 7, 15]
// CHECK-NEXT:              %[[ADDED:.+]] = arith.addf %[[AFTER_OCTETS]]#2, %[[EACH]]
// CHECK:                   %[[LEFT:.+]] = arith.cmpi sgt
// CHECK-NEXT:              %[[ONE:.+]] = arith.select %[[LEFT]], %[[ADDED]], %[[AFTER_OCTETS]]#2
// CHECK:                   arith.addf %[[ONE]], %[[OTHER]]
// CHECK-COUNT-8:           vector.load %[[TERMS]][%{{.+}}] : memref<2068xf64>, vector<2xf64>
// CHECK:                 %[[SUMS:.+]] = scf.if %{{.+}} -> (vector<8xf64>) {
// CHECK-COUNT-16:          vector.load %[[TERMS]][%{{.+}}] : memref<2068xf64>, vector<2xf64>
// CHECK:                   scf.yield %[[FOUR]]
// CHECK:                 %[[B:.+]] = vector.load %b[%[[I]]]
// CHECK-NEXT:            %[[ALL:.+]] = arith.addf %[[SUMS]], %[[B]] : vector<8xf64>
// CHECK-NEXT:            vector.store %[[ALL]], %y[%[[I]]]
// CHECK-NEXT:            %[[LAST:.+]] = vector.extract %[[ENDS]][7]
// CHECK-NEXT:            scf.yield %[[LAST]]
//
// Fewer rows than lanes are added up one by one, and long rows as they were.
//
// CHECK:               } else {
// CHECK:                 scf.for
// CHECK:                   scf.for
// CHECK-NEXT:                memref.load %[[TERMS]]
// CHECK:                   } {nacho.looks_up}
// CHECK:             scf.yield %[[END]] : index
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.for %{{.+}} = %[[STRIP]] to %[[AFTER]] step %c1 iter_args(%{{.+}} = %[[BEGIN]]) -> (index) {
// CHECK:               scf.for
// CHECK-NEXT:            memref.load %crd
func.func @rows(%positions: memref<?xi32> loc("positions"), %crd: memref<?xi32> loc("crd"),
                %values: memref<?xf64> loc("values"), %x: memref<?xf64> loc("x"),
                %b: memref<?xf64> loc("b"), %y: memref<?xf64> loc("y"), %status: memref<i32> loc("status"),
                %from: index loc("from"), %to: index loc("to"), %first: index loc("first"),
                %size: index loc("size"), %extent: index loc("extent")) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bit = arith.constant 1 : i32
  %false = arith.constant false
  %zero = arith.constant 0.0 : f64
  scf.for %i = %from to %to step %c1 iter_args(%begin = %first) -> (index) {
    %after = arith.addi %i, %c1 : index
    %stored = memref.load %positions[%after] : memref<?xi32>
    %position = arith.index_castui %stored : i32 to index
    %end = arith.minui %position, %size : index
    %sum, %flag = scf.for %k = %begin to %end step %c1 iter_args(%so_far = %zero, %outside = %false) -> (f64, i1) {
      %coordinate = memref.load %crd[%k] : memref<?xi32>
      %j = arith.index_castui %coordinate : i32 to index
      %a = memref.load %values[%k] : memref<?xf64>
      %is_inside = arith.cmpi ult, %j, %extent : index
      %safe = arith.select %is_inside, %j, %c0 : index
      %element = memref.load %x[%safe] : memref<?xf64>
      %term = arith.mulf %a, %element : f64
      %is_outside = arith.cmpi uge, %j, %extent : index
      %next = arith.addf %so_far, %term fastmath<reassoc> : f64
      %any = arith.ori %outside, %is_outside : i1
      scf.yield %next, %any : f64, i1
    }
    scf.if %flag {
      %old = memref.atomic_rmw ori %bit, %status[] : (i32, memref<i32>) -> i32
    }
    %plus = memref.load %b[%i] : memref<?xf64>
    %all = arith.addf %sum, %plus : f64
    %rows = memref.dim %y, %c0 : memref<?xf64>
    %is_row = arith.cmpi ult, %i, %rows : index
    scf.if %is_row {
      memref.store %all, %y[%i] : memref<?xf64>
    }
    scf.yield %end : index
  }
  return
}

// Terms that depend on the row, rows that do not follow one another, and a loop that does
// something else to each row.
//
// CHECK-LABEL: func.func @negative(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative(%ends: memref<?xindex>, %values: memref<?xf64>, %b: memref<?xf64>,
                    %y: memref<?xf64>, %z: memref<?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 iter_args(%begin = %c0) -> (index) {
    %end = memref.load %ends[%i] : memref<?xindex>
    %scale = memref.load %b[%i] : memref<?xf64>
    %sum = scf.for %k = %begin to %end step %c1 iter_args(%so_far = %zero) -> (f64) {
      %a = memref.load %values[%k] : memref<?xf64>
      %term = arith.mulf %a, %scale : f64
      %next = arith.addf %so_far, %term fastmath<reassoc> : f64
      scf.yield %next : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
    scf.yield %end : index
  }
  scf.for %i = %c0 to %n step %c1 iter_args(%other = %c0) -> (index) {
    %end = memref.load %ends[%i] : memref<?xindex>
    %sum = scf.for %k = %i to %end step %c1 iter_args(%so_far = %zero) -> (f64) {
      %a = memref.load %values[%k] : memref<?xf64>
      %next = arith.addf %so_far, %a fastmath<reassoc> : f64
      scf.yield %next : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
    scf.yield %end : index
  }
  scf.for %i = %c0 to %n step %c1 iter_args(%begin = %c0) -> (index) {
    %end = memref.load %ends[%i] : memref<?xindex>
    %sum = scf.for %k = %begin to %end step %c1 iter_args(%so_far = %zero) -> (f64) {
      %a = memref.load %values[%k] : memref<?xf64>
      %next = arith.addf %so_far, %a fastmath<reassoc> : f64
      scf.yield %next : f64
    }
    memref.store %sum, %z[%i, %i] : memref<?x?xf64>
    scf.yield %end : index
  }
  return
}
