// RUN: nacho-opt %s -nacho-skip-steps=gathers=true -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// Sixteen steps at once gather the numbers of their coordinates, and up to four such vectors leave a word with a bit for
// each step whose number is found: a loop takes one bit after the other. Where a coordinate is too large, the loop says so.
//
// CHECK-LABEL: func.func @masked(
// CHECK:         %[[NUMBERS:.+]] = memref.alloca() : memref<64xi32>
// CHECK:         arith.cmpi slt, %{{.+}}, %c8 : index
// CHECK:         scf.for %[[FROM:.+]] = %begin to %end step %c64 iter_args(%[[SUM:.+]] = %cst{{.*}}, %[[OLD:.+]] = %false) -> (f64, i1) {
// CHECK:           %[[LAST:.+]] = arith.minui %extent, %c2147483647 : index
// CHECK-NEXT:      %[[NARROW:.+]] = arith.index_castui %[[LAST]] : index to i32
// CHECK-NEXT:      %[[EXTENTS:.+]] = vector.broadcast %[[NARROW]] : i32 to vector<16xi32>
// CHECK-NEXT:      %[[ALL:.+]]:2 = scf.for %[[AT:.+]] = %[[FROM]] to %[[TO:.+]] step %c16 iter_args(%[[BITS:.+]] = %c0{{.*}}, %[[WRONG:.+]] = %{{.+}}) -> (i64, vector<16xi1>) {
// CHECK-NEXT:        %[[LEFT:.+]] = arith.subi %[[TO]], %[[AT]] : index
// CHECK-NEXT:        %[[LIVE:.+]] = vector.create_mask %[[LEFT]] : vector<16xi1>
// CHECK-NEXT:        %[[K:.+]] = vector.maskedload %crd[%[[AT]]], %[[LIVE]]
// CHECK-NEXT:        %[[FITS:.+]] = arith.cmpi ult, %[[K]], %[[EXTENTS]] : vector<16xi32>
// CHECK-NEXT:        %[[BEYOND:.+]] = arith.xori %[[FITS]], %{{.+}} : vector<16xi1>
// CHECK-NEXT:        %[[NOW:.+]] = arith.andi %[[BEYOND]], %[[LIVE]] : vector<16xi1>
// CHECK-NEXT:        %[[EITHER:.+]] = arith.ori %[[WRONG]], %[[NOW]] : vector<16xi1>
// CHECK-NEXT:        %[[PLACE:.+]] = arith.select %[[FITS]], %[[K]], %{{.+}} : vector<16xi1>, vector<16xi32>
// CHECK-NEXT:        %[[LOOKS_UP:.+]] = arith.andi %[[FITS]], %[[LIVE]] : vector<16xi1>
// CHECK-NEXT:        %[[NUMBER:.+]] = vector.gather %table[%c0] [%[[PLACE]]], %[[LOOKS_UP]]
// CHECK-NEXT:        %[[DISTANCE:.+]] = arith.subi %[[AT]], %[[FROM]] : index
// CHECK-NEXT:        vector.store %[[NUMBER]], %[[NUMBERS]][%[[DISTANCE]]]
// CHECK-NEXT:        %[[FIRST:.+]] = vector.broadcast %first : i32 to vector<16xi32>
// CHECK-NEXT:        %[[IS_FOUND:.+]] = arith.cmpi uge, %[[NUMBER]], %[[FIRST]] : vector<16xi32>
// CHECK-NEXT:        %[[BUSY:.+]] = arith.andi %[[IS_FOUND]], %[[LOOKS_UP]] : vector<16xi1>
// CHECK-NEXT:        %[[CAST:.+]] = vector.bitcast %[[BUSY]] : vector<16xi1> to vector<1xi16>
// CHECK-NEXT:        %[[WORD:.+]] = vector.extract %[[CAST]][0] : i16 from vector<1xi16>
// CHECK-NEXT:        %[[EXTENDED:.+]] = arith.extui %[[WORD]] : i16 to i64
// CHECK-NEXT:        %[[BY:.+]] = arith.index_castui %[[DISTANCE]] : index to i64
// CHECK-NEXT:        %[[SHIFTED:.+]] = arith.shli %[[EXTENDED]], %[[BY]] : i64
// CHECK-NEXT:        %[[MORE:.+]] = arith.ori %[[SHIFTED]], %[[BITS]] : i64
// CHECK-NEXT:        scf.yield %[[MORE]], %[[EITHER]] : i64, vector<16xi1>
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[ANY:.+]] = vector.reduction <or>, %[[ALL]]#1 : vector<16xi1> into i1
// CHECK-NEXT:      %[[OUTSIDE:.+]] = arith.ori %[[OLD]], %[[ANY]] : i1
// CHECK-NEXT:      %[[COUNT:.+]] = math.ctpop %[[ALL]]#0 : i64
// CHECK-NEXT:      %[[N:.+]] = arith.index_castui %[[COUNT]] : i64 to index
// CHECK-NEXT:      %[[PIECE:.+]]:2 = scf.for %{{.+}} = %c0 to %[[N]] step %c1 iter_args(%[[REST:.+]] = %[[ALL]]#0, %[[BEFORE:.+]] = %[[SUM]]) -> (i64, f64) {
// CHECK-NEXT:        %[[BIT:.+]] = math.cttz %[[REST]] : i64
// CHECK-NEXT:        %[[STEP:.+]] = arith.index_castui %[[BIT]] : i64 to index
// CHECK-NEXT:        %[[FOUND:.+]] = memref.load %[[NUMBERS]][%[[STEP]]]
// CHECK-NEXT:        %[[LESS:.+]] = arith.subi %[[REST]], %c1{{.*}} : i64
// CHECK-NEXT:        %[[OTHERS:.+]] = arith.andi %[[REST]], %[[LESS]] : i64
// CHECK-NEXT:        %[[P:.+]] = arith.addi %[[FROM]], %[[STEP]] : index
// CHECK-NEXT:        %[[ROW:.+]] = arith.index_castui %[[FOUND]] : i32 to index
// CHECK-NEXT:        %[[SAFE:.+]] = arith.minui %[[ROW]], %last : index
// CHECK-NEXT:        memref.load %weights[%[[SAFE]]]
// CHECK-NEXT:        memref.load %values[%[[P]]]
// CHECK-NOT:         scf.if
// CHECK:             scf.yield %[[OTHERS]], %{{.+}} : i64, f64
// CHECK:           scf.yield %[[PIECE]]#1, %[[OUTSIDE]] : f64, i1
func.func @masked(%crd: memref<?xi32> loc("crd"), %table: memref<?xi32> loc("table"),
                  %weights: memref<?xf64> loc("weights"), %values: memref<?xf64> loc("values"),
                  %first: i32 loc("first"), %last: index loc("last"),
                  %begin: index loc("begin"), %end: index loc("end"),
                  %extent: index loc("extent")) -> (f64, i1) {
  %zero = arith.constant 0.0 : f64
  %false = arith.constant false
  %true = arith.constant true
  %c1 = arith.constant 1 : index
  %sum, %outside = scf.for %p = %begin to %end step %c1
      iter_args(%before = %zero, %old = %false) -> (f64, i1) {
    %stored = memref.load %crd[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %fits = arith.cmpi ult, %k, %extent : index
    %either = arith.select %fits, %old, %true : i1
    %after = scf.if %fits -> (f64) {
      %number = memref.load %table[%k] : memref<?xi32>
      %isThere = arith.cmpi uge, %number, %first : i32
      %more = scf.if %isThere -> (f64) {
        %row = arith.index_castui %number : i32 to index
        %safe = arith.minui %row, %last : index
        %w = memref.load %weights[%safe] : memref<?xf64>
        %x = memref.load %values[%p] : memref<?xf64>
        %product = arith.mulf %w, %x : f64
        %added = arith.addf %before, %product : f64
        scf.yield %added : f64
      } else {
        scf.yield %before : f64
      }
      scf.yield %more : f64
    } else {
      scf.yield %before : f64
    }
    scf.yield %after, %either : f64, i1
  }
  return %sum, %outside : f64, i1
}

// What a step does needs its coordinate: steps are listed one by one, so that each compares it.
//
// CHECK-LABEL: func.func @negative_used(
// CHECK:         memref.alloca() : memref<256xindex>
// CHECK-NOT:     vector.gather
// CHECK:         return
func.func @negative_used(%crd: memref<?xi32>, %table: memref<?xi32>, %sums: memref<?xf64>,
                         %x: f64, %first: i32, %n: index, %extent: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%old = %false) -> (i1) {
    %stored = memref.load %crd[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %fits = arith.cmpi ult, %k, %extent : index
    %either = arith.select %fits, %old, %true : i1
    scf.if %fits {
      %number = memref.load %table[%k] : memref<?xi32>
      %isThere = arith.cmpi uge, %number, %first : i32
      scf.if %isThere {
        memref.store %x, %sums[%k] : memref<?xf64>
      }
    }
    scf.yield %either : i1
  }
  return %outside : i1
}

// Coordinates of 64 bits, and elements that are no numbers of 32 bits.
//
// CHECK-LABEL: func.func @negative_wide(
// CHECK-COUNT-2: memref.alloca() : memref<256xindex>
// CHECK-NOT:     vector.gather
// CHECK:         return
func.func @negative_wide(%crd: memref<?xi64>, %narrow: memref<?xi32>, %table: memref<?xi32>,
                         %bits: memref<?xi1>, %sums: memref<?xf64>, %x: f64, %first: i32,
                         %n: index, %extent: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  %wide = scf.for %p = %c0 to %n step %c1 iter_args(%old = %false) -> (i1) {
    %stored = memref.load %crd[%p] : memref<?xi64>
    %k = arith.index_castui %stored : i64 to index
    %fits = arith.cmpi ult, %k, %extent : index
    %either = arith.select %fits, %old, %true : i1
    scf.if %fits {
      %number = memref.load %table[%k] : memref<?xi32>
      %isThere = arith.cmpi uge, %number, %first : i32
      scf.if %isThere {
        memref.store %x, %sums[%p] : memref<?xf64>
      }
    }
    scf.yield %either : i1
  }
  %flags = scf.for %p = %c0 to %n step %c1 iter_args(%old = %false) -> (i1) {
    %stored = memref.load %narrow[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %fits = arith.cmpi ult, %k, %extent : index
    %either = arith.select %fits, %old, %true : i1
    scf.if %fits {
      %bit = memref.load %bits[%k] : memref<?xi1>
      scf.if %bit {
        memref.store %x, %sums[%p] : memref<?xf64>
      }
    }
    scf.yield %either : i1
  }
  return %wide, %flags : i1, i1
}
