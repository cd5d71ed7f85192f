// RUN: nacho-opt %s -nacho-sum-in-lanes=gathers=true --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-sum-in-lanes --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=EACH
// RUN: nacho-opt %s -nacho-sum-in-lanes=wide=true -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=WIDE

// A row of a matrix times a vector. As many steps as fill all lanes are taken at once.
//
// CHECK-LABEL: func.func @row(
// CHECK:         %[[NUMBER:.+]] = arith.subi %hi, %lo : index
// CHECK:         %[[FILLS:.+]] = arith.cmpi sge, %[[NUMBER]], %c8 : index
// CHECK:         %[[START:.+]]:2 = scf.if %[[FILLS]] -> (index, f64) {
// CHECK:           %[[TAKEN:.+]] = arith.andi %[[NUMBER]], %c-8 : index
// CHECK-NEXT:      %[[END:.+]] = arith.addi %lo, %[[TAKEN]] : index
// CHECK-DAG:       %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : vector<8xf64>
// CHECK:           %[[LANES:.+]] = scf.for %[[K:[^ ]+]] = %lo to %[[END]] step %{{.+}} iter_args(%[[SUMS:.+]] = %[[ZEROS]]) -> (vector<8xf64>) {
// CHECK-NEXT:        %[[CRD:.+]] = vector.load %crd[%[[K]]]
// CHECK:             %[[J:.+]] = arith.index_castui %[[CRD]] : vector<8xi32> to vector<8xindex>
// CHECK:             %[[A:.+]] = vector.load %values[%[[K]]]
// CHECK:             %[[B:.+]] = vector.gather %x[%{{.+}}] [%[[J]]]
// CHECK-NEXT:        %[[TERMS:.+]] = arith.mulf %[[A]], %[[B]] : vector<8xf64>
// CHECK-NEXT:        %[[ADDED:.+]] = arith.addf %[[SUMS]], %[[TERMS]] : vector<8xf64>
// CHECK-NEXT:        scf.yield %[[ADDED]]
//
// The lanes are added up by halves, whatever the machine.
//
// CHECK:           vector.extract_strided_slice %[[LANES]] {offsets = [0], sizes = [4]
// CHECK-NEXT:      vector.extract_strided_slice %[[LANES]] {offsets = [4], sizes = [4]
// CHECK-NEXT:      arith.addf %{{.+}}, %{{.+}} : vector<4xf64>
// CHECK:           arith.addf %{{.+}}, %{{.+}} : vector<2xf64>
// CHECK:           arith.addf %{{.+}}, %{{.+}} : vector<1xf64>
// CHECK:           %[[SUM:.+]] = arith.addf %zero, %{{.+}} : f64
// CHECK-NEXT:      scf.yield %[[END]], %[[SUM]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %lo, %zero
//
// The others are taken one by one, and LLVM is to leave that as it is.
//
// CHECK:         %[[ALL:.+]]:2 = scf.for %{{.+}} = %[[START]]#0 to %hi step %c1 iter_args(%[[SO_FAR:.+]] = %[[START]]#1, %{{.+}} = %n)
// CHECK:           arith.addf %[[SO_FAR]], %{{.+}} : f64
// CHECK:         } {loop_annotation = #{{.+}}}
// CHECK:         %[[STEPS:.+]] = arith.maxsi %[[NUMBER]], %{{.+}} : index
// CHECK-NEXT:    %[[VISITED:.+]] = arith.addi %n, %[[STEPS]] : index
// CHECK-NEXT:    return %[[ALL]]#0, %[[VISITED]]
//
// Without gathers, each lane is loaded, at a coordinate that is loaded for it.

// EACH-LABEL: func.func @row(
// EACH:         scf.for %[[P:.+]] = %lo
// EACH-COUNT-3:   memref.load %x[
// EACH:           %[[AT:.+]] = arith.addi %[[P]], %c3{{.*}}
// EACH-NEXT:      %[[CRD:.+]] = memref.load %crd[%[[AT]]]
// EACH-NEXT:      %[[PLACE:.+]] = arith.index_castui %[[CRD]] : i32 to index
// EACH-NEXT:      %[[B:.+]] = memref.load %x[%[[PLACE]]]
// EACH-NEXT:      vector.insert %[[B]], %{{.+}} [3] : f64 into vector<8xf64>
// EACH-COUNT-4:   memref.load %x[
// EACH-NOT:     vector.gather
// EACH:         return
func.func @row(%crd: memref<?xi32> loc("crd"), %values: memref<?xf64> loc("values"),
               %x: memref<?xf64> loc("x"), %lo: index loc("lo"), %hi: index loc("hi"),
               %n: index loc("n"), %zero: f64 loc("zero")) -> (f64, index) {
  %c1 = arith.constant 1 : index
  %all:2 = scf.for %k = %lo to %hi step %c1 iter_args(%sum = %zero, %visited = %n) -> (f64, index) {
    %stored = memref.load %crd[%k] : memref<?xi32>
    %j = arith.index_castui %stored : i32 to index
    %a = memref.load %values[%k] : memref<?xf64>
    %b = memref.load %x[%j] : memref<?xf64>
    %term = arith.mulf %a, %b : f64
    %next = arith.addf %sum, %term fastmath<reassoc> : f64
    %more = arith.addi %visited, %c1 : index
    scf.yield %next, %more : f64, index
  }
  return %all#0, %all#1 : f64, index
}

// Elements at a computed distance from the step are loaded together.
//
// CHECK-LABEL: func.func @offset(
// CHECK:         %[[LANES:.+]] = scf.for %[[K:[^ ]+]] =
// CHECK-NOT:       vector.step
// CHECK:           %[[AT:.+]] = arith.addi %[[K]], %n : index
// CHECK-NEXT:      vector.load %values[%[[AT]]]
// CHECK:           vector.gather %x
func.func @offset(%crd: memref<?xindex> loc("crd"), %values: memref<?xf64> loc("values"),
                  %x: memref<?xf64> loc("x"), %hi: index loc("hi"), %n: index loc("n"), %zero: f64 loc("zero")) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %hi step %c1 iter_args(%sum = %zero) -> f64 {
    %at = arith.addi %n, %k : index
    %a = memref.load %values[%at] : memref<?xf64>
    %j = memref.load %crd[%k] : memref<?xindex>
    %b = memref.load %x[%j] : memref<?xf64>
    %term = arith.mulf %a, %b : f64
    %next = arith.addf %sum, %term fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// A loop that looks nothing up takes 32 steps at once, then eight, then one.
//
// CHECK-LABEL: func.func @looks_nothing_up(
// CHECK:         %[[MANY:.+]]:2 = scf.if
// CHECK:           scf.for %[[K:[^ ]+]] = %{{.+}} step %{{.+}} iter_args(%[[SUMS:.+]] = %{{.+}}) -> (vector<32xf64>) {
// CHECK-NEXT:        %[[A:.+]] = vector.load %{{.+}}[%[[K]]] : memref<?xf64>, vector<32xf64>
// CHECK-NEXT:        arith.addf %[[SUMS]], %[[A]] : vector<32xf64>
// CHECK:           vector.extract_strided_slice %{{.+}} {offsets = [16], sizes = [16]
//
// Neighbours among 16 come together, so that fours do with the halves of eight.
//
// CHECK-NEXT:      %[[HALF:.+]] = arith.addf %{{.+}}, %{{.+}} : vector<16xf64>
// CHECK-NEXT:      %[[ONES:.+]] = vector.shuffle %[[HALF]], %[[HALF]] [0, 4, 8, 12, 2, 6, 10, 14]
// CHECK-NEXT:      %[[OTHERS:.+]] = vector.shuffle %[[HALF]], %[[HALF]] [1, 5, 9, 13, 3, 7, 11, 15]
// CHECK-NEXT:      arith.addf %[[ONES]], %[[OTHERS]] : vector<8xf64>
// CHECK-NEXT:      vector.extract_strided_slice %{{.+}} {offsets = [0], sizes = [4]
// CHECK:         %[[EIGHT:.+]]:2 = scf.if
// CHECK:           scf.for %{{[^ ]+}} = %[[MANY]]#0 to %{{.+}} -> (vector<8xf64>) {
// CHECK:         scf.for %{{[^ ]+}} = %[[EIGHT]]#0 to %{{.+}} iter_args(%[[SUM:.+]] = %[[EIGHT]]#1) -> (f64) {
// CHECK:           arith.addf %[[SUM]], %{{.+}} : f64
//
// If its steps fill all lanes, and the array lies so that threads can load 16 bytes at once,
// a branch says so.
//
// WIDE-LABEL: func.func @looks_nothing_up(
// WIDE-SAME:    %[[VALUES:[^ ]+]]: memref<?xf64>, %[[N:[^ ]+]]: index, %[[ZERO:[^ ]+]]: f64
// WIDE:         arith.cmpi sge, %[[N]], %c32 : index
// WIDE:         arith.andi %[[N]], %c31 : index
// WIDE:         %[[START:.+]] = memref.extract_aligned_pointer_as_index %[[VALUES]]
// WIDE-NEXT:    %[[OVER:.+]] = arith.andi %[[START]], %c15 : index
// WIDE-NEXT:    arith.cmpi eq, %[[OVER]], %c0 : index
// WIDE:         %[[ALL:.+]] = scf.if %{{.+}} -> (f64) {
// WIDE:           scf.for %[[K:[^ ]+]] = %c0 to %[[N]] step %{{.+}} -> (vector<32xf64>) {
// WIDE-NEXT:        vector.load %[[VALUES]][%[[K]]] {alignment = 16 : i64} : memref<?xf64>, vector<32xf64>
// WIDE:           %[[SUM:.+]] = arith.addf %[[ZERO]], %{{.+}} : f64
// WIDE-NEXT:      scf.yield %[[SUM]] : f64
// WIDE-NEXT:    } else {
// WIDE-NOT:       alignment
// WIDE:         return %[[ALL]] : f64
func.func @looks_nothing_up(%values: memref<?xf64>, %N: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> f64 {
    %a = memref.load %values[%k] : memref<?xf64>
    %next = arith.addf %sum, %a fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// The row of a dense matrix, whose coordinate is compared with the extent in each step. If it
// is too large, neighbouring elements may not exist: the steps are taken one by one.
//
// CHECK-LABEL: func.func @row_of_matrix(
// CHECK-SAME:    %[[ROW:[^ ]+]]: index, %[[ROWS:[^ ]+]]: index, %[[N:[^ ]+]]: index
// CHECK:         %[[FILLS:.+]] = arith.cmpi sge, %{{.+}}, %c32 : index
// CHECK:         %[[EXISTS:.+]] = arith.cmpi ult, %[[ROW]], %[[ROWS]] : index
// CHECK:         %[[BOTH:.+]] = arith.andi %[[FILLS]], %[[EXISTS]] : i1
// CHECK:         scf.if %[[BOTH]]
// CHECK:           scf.for %[[K:[^ ]+]] =
// CHECK:             %[[BEGIN:.+]] = arith.muli
// CHECK:             %[[AT:.+]] = arith.addi %[[K]], %[[BEGIN]]
// CHECK:             vector.load %{{.+}}[%[[AT]]] : memref<?xf64>, vector<32xf64>
//
// All rows begin at multiples of 16 bytes if their length is even: which row it is does not
// matter.
//
// WIDE-LABEL: func.func @row_of_matrix(
// WIDE-SAME:    %[[ROW:[^ ]+]]: index, %[[ROWS:[^ ]+]]: index, %[[N:[^ ]+]]: index
// WIDE:         %[[ODD:.+]] = arith.andi %[[N]], %c1 : index
// WIDE-NEXT:    %[[EVEN:.+]] = arith.cmpi eq, %[[ODD]], %c0 : index
// WIDE:         arith.andi %{{.+}}, %[[EVEN]] : i1
// WIDE-NOT:     arith.andi %[[ROW]]
// WIDE:         %[[EXISTS:.+]] = arith.cmpi ult, %[[ROW]], %[[ROWS]] : index
// WIDE:         %[[BOTH:.+]] = arith.andi %{{.+}}, %[[EXISTS]] : i1
// WIDE:         scf.if %[[BOTH]]
func.func @row_of_matrix(%values: memref<?xf64>, %row: index, %rows: index, %N: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> f64 {
    %exists = arith.cmpi ult, %row, %rows : index
    %i = arith.select %exists, %row, %c0 : index
    %j = arith.select %exists, %k, %c0 : index
    %begin = arith.muli %i, %N : index
    %at = arith.addi %begin, %j : index
    %a = memref.load %values[%at] : memref<?xf64>
    %next = arith.addf %sum, %a fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// A loop stays as it is whose sum has an order, or that stores, or that needs a value in each
// step, or whose elements do not lie side by side.
//
// CHECK-LABEL: func.func @negative_ordered(
// CHECK-NOT:     vector
// WIDE-LABEL: func.func @negative_ordered(
// WIDE-NOT:     alignment
// CHECK:         return
func.func @negative_ordered(%crd: memref<?xindex>, %x: memref<?xf64>, %N: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> f64 {
    %j = memref.load %crd[%k] : memref<?xindex>
    %a = memref.load %x[%j] : memref<?xf64>
    %next = arith.addf %sum, %a : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// CHECK-LABEL: func.func @negative_stores(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_stores(%crd: memref<?xindex>, %x: memref<?xf64>, %N: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> f64 {
    %j = memref.load %crd[%k] : memref<?xindex>
    %a = memref.load %x[%j] : memref<?xf64>
    memref.store %zero, %x[%k] : memref<?xf64>
    %next = arith.addf %sum, %a fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// A single element has no index.
//
// CHECK-LABEL: func.func @negative_single_element(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_single_element(%one: memref<f64>, %x: memref<?xf64>, %N: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> f64 {
    %scale = memref.load %one[] : memref<f64>
    %a = memref.load %x[%k] : memref<?xf64>
    %term = arith.mulf %scale, %a : f64
    %next = arith.addf %sum, %term fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// CHECK-LABEL: func.func @negative_used_in_between(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_used_in_between(%crd: memref<?xindex>, %x: memref<?xf64>, %N: index, %zero: f64) -> (f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all:2 = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero, %sums = %zero) -> (f64, f64) {
    %j = memref.load %crd[%k] : memref<?xindex>
    %a = memref.load %x[%j] : memref<?xf64>
    %next = arith.addf %sum, %a fastmath<reassoc> : f64
    %more = arith.addf %sums, %next fastmath<reassoc> : f64
    scf.yield %next, %more : f64, f64
  }
  return %all#0, %all#1 : f64, f64
}

// CHECK-LABEL: func.func @negative_strided(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_strided(%crd: memref<?xindex>, %x: memref<?xf64, strided<[2]>>, %N: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> f64 {
    %j = memref.load %crd[%k] : memref<?xindex>
    %a = memref.load %x[%j] : memref<?xf64, strided<[2]>>
    %next = arith.addf %sum, %a fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// Divisions of integers, which may fail, are done one by one.
//
// CHECK-LABEL: func.func @negative_divides(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_divides(%crd: memref<?xindex>, %x: memref<?xf64>, %N: index, %zero: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> f64 {
    %j = memref.load %crd[%k] : memref<?xindex>
    %a = memref.load %x[%j] : memref<?xf64>
    %i = arith.index_cast %j : index to i64
    %d = arith.divsi %i, %i : i64
    %c = arith.sitofp %d : i64 to f64
    %b = arith.mulf %a, %c : f64
    %next = arith.addf %sum, %b fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  return %all : f64
}

// Terms that are stored in an array of the function, not added up, and none that it reads.
//
// CHECK-LABEL: func.func @stored(
// CHECK:         scf.if
// CHECK:           scf.for %[[K:.+]] = %lo to %{{.+}} step
// CHECK:             %[[TERMS:.+]] = arith.mulf %{{.+}}, %{{.+}} : vector<8xf64>
// CHECK-NEXT:        %[[AT:.+]] = arith.addi %[[K]], %shift : index
// CHECK-NEXT:        vector.store %[[TERMS]], %{{.+}}[%[[AT]]] : memref<64xf64>, vector<8xf64>
// CHECK-NEXT:      }
// CHECK:         scf.for
// CHECK:           memref.store
func.func @stored(%values: memref<?xf64> loc("values"), %lo: index loc("lo"), %hi: index loc("hi"),
                  %shift: index loc("shift")) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %terms = memref.alloca() : memref<64xf64>
  scf.for %k = %lo to %hi step %c1 {
    %a = memref.load %values[%k] : memref<?xf64>
    %term = arith.mulf %a, %a : f64
    %place = arith.addi %k, %shift : index
    memref.store %term, %terms[%place] : memref<64xf64>
  }
  %first = memref.load %terms[%c0] : memref<64xf64>
  return %first : f64
}

// CHECK-LABEL: func.func @negative_stored(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_stored(%y: memref<?xf64>, %lo: index, %hi: index, %shift: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %terms = memref.alloca() : memref<64xf64>
  scf.for %k = %lo to %hi step %c1 {
    %a = memref.load %terms[%k] : memref<64xf64>
    %place = arith.addi %k, %shift : index
    memref.store %a, %terms[%place] : memref<64xf64>
  }
  scf.for %k = %lo to %hi step %c1 {
    memref.store %zero, %y[%k] : memref<?xf64>
  }
  %first = memref.load %terms[%c0] : memref<64xf64>
  return %first : f64
}

// Terms that were looked up before are added up as if the loop looked them up: it takes
// eight steps at once, never 32.
//
// CHECK-LABEL: func.func @looked_up(
// CHECK-NOT:     vector<32xf64>
// CHECK:         vector<8xf64>
// CHECK-NOT:     nacho.looks_up
// CHECK:         return
func.func @looked_up(%terms: memref<?xf64>, %lo: index, %hi: index, %zero: f64) -> f64 {
  %c1 = arith.constant 1 : index
  %all = scf.for %k = %lo to %hi step %c1 iter_args(%sum = %zero) -> (f64) {
    %term = memref.load %terms[%k] : memref<?xf64>
    %next = arith.addf %sum, %term fastmath<reassoc> : f64
    scf.yield %next : f64
  } {nacho.looks_up}
  return %all : f64
}
