// RUN: nacho-opt %s -nacho-verify-contract | FileCheck %s

// All ways to check an index that the lowering uses are accepted.

// CHECK-LABEL: @least
func.func @least(%crd: memref<?xi32>, %x: memref<?xf64>, %p: index,
                 %last: index) -> f64 {
  %stored = memref.load %crd[%p] : memref<?xi32>
  %loaded = arith.index_castui %stored : i32 to index
  %at = arith.minui %loaded, %last : index
  %value = memref.load %x[%at] : memref<?xf64>
  return %value : f64
}

// CHECK-LABEL: @between
func.func @between(%crd: memref<?xi64>, %x: memref<?xf64>, %p: index,
                   %last: index) -> f64 {
  %c0 = arith.constant 0 : index
  %stored = memref.load %crd[%p] : memref<?xi64>
  %loaded = arith.index_cast %stored : i64 to index
  %least = arith.minsi %loaded, %last : index
  %at = arith.maxsi %least, %c0 : index
  %value = memref.load %x[%at] : memref<?xf64>
  return %value : f64
}

// CHECK-LABEL: @selected
func.func @selected(%crd: memref<?xi32>, %x: memref<?xf64>, %p: index, %n: i32,
                    %mask: vector<4xi1>, %none: vector<4xf64>) -> vector<4xf64> {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0> : vector<4xi32>
  %bound = vector.broadcast %n : i32 to vector<4xi32>
  %stored = vector.load %crd[%p] : memref<?xi32>, vector<4xi32>
  %isInside = arith.cmpi ult, %stored, %bound : vector<4xi32>
  %both = arith.andi %mask, %isInside : vector<4xi1>
  %at = arith.select %both, %stored, %zeros : vector<4xi1>, vector<4xi32>
  %values = vector.gather %x[%c0] [%at], %mask, %none
      : memref<?xf64>, vector<4xi32>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  return %values : vector<4xf64>
}

// CHECK-LABEL: @copied
func.func @copied(%crd: memref<?xi32>, %x: memref<?xf64>, %p: index, %n: i32,
                  %mask: vector<4xi1>, %none: vector<4xf64>) -> vector<4xf64> {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0> : vector<4xi32>
  %stored = memref.load %crd[%p] : memref<?xi32>
  %isInside = arith.cmpi ult, %stored, %n : i32
  %copies = vector.broadcast %isInside : i1 to vector<4xi1>
  %both = arith.andi %copies, %mask : vector<4xi1>
  %lanes = vector.broadcast %stored : i32 to vector<4xi32>
  %at = arith.select %both, %lanes, %zeros : vector<4xi1>, vector<4xi32>
  %values = vector.gather %x[%c0] [%at], %mask, %none
      : memref<?xf64>, vector<4xi32>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  return %values : vector<4xf64>
}

// CHECK-LABEL: @inside
func.func @inside(%crd: memref<?xi32>, %y: memref<?xf64>, %p: index, %n: index,
                  %value: f64) {
  %stored = memref.load %crd[%p] : memref<?xi32>
  %at = arith.index_castui %stored : i32 to index
  %isInside = arith.cmpi ult, %at, %n : index
  scf.if %isInside {
    memref.store %value, %y[%at] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: @bits
func.func @bits(%marks: memref<?xi64>, %hashes: memref<?xi64>, %x: memref<?xf64>,
                %p: index, %mask: index, %n: index) -> (f64, f64, f64) {
  %word = memref.load %marks[%p] : memref<?xi64>
  %bit = math.cttz %word : i64
  %first = arith.index_cast %bit : i64 to index
  %one = memref.load %x[%first] : memref<?xf64>
  %hash = memref.load %hashes[%p] : memref<?xi64>
  %wide = arith.index_cast %hash : i64 to index
  %slot = arith.andi %wide, %mask : index
  %two = memref.load %x[%slot] : memref<?xf64>
  %rest = arith.remui %wide, %n : index
  %three = memref.load %x[%rest] : memref<?xf64>
  return %one, %two, %three : f64, f64, f64
}

// The high bits of what is checked, and sums of it, are checked where it is.

// CHECK-LABEL: @word
func.func @word(%crd: memref<?xi32>, %words: memref<?xi64>, %zero: i64, %p: index,
                %first: index, %n: index) {
  %c6 = arith.constant 6 : index
  %stored = memref.load %crd[%p] : memref<?xi32>
  %k = arith.index_castui %stored : i32 to index
  %high = arith.shrui %k, %c6 : index
  %at = arith.addi %first, %high : index
  %isInside = arith.cmpi ult, %k, %n : index
  scf.if %isInside {
    memref.store %zero, %words[%at] : memref<?xi64>
  }
  return
}

// What is checked may be passed on.

// CHECK-LABEL: @passed_on
func.func @passed_on(%pos: memref<?xi32>, %offsets: memref<?xindex>, %p: index,
                     %n: index) {
  %stored = memref.load %pos[%p] : memref<?xi32>
  %loaded = arith.index_castui %stored : i32 to index
  %at = arith.minui %loaded, %n : index
  memref.store %at, %offsets[%p] : memref<?xindex>
  return
}

// What the function itself puts into memory of its own is as checked as it was before.

// CHECK-LABEL: @listed
func.func @listed(%x: memref<?xf64>, %mask: vector<4xi1>, %distances: vector<4xi32>,
                  %n: index) -> f64 {
  %list = memref.alloca() : memref<4xi32>
  %c0 = arith.constant 0 : index
  vector.compressstore %list[%c0], %mask, %distances : memref<4xi32>, vector<4xi1>, vector<4xi32>
  %distance = memref.load %list[%c0] : memref<4xi32>
  %wide = arith.index_castui %distance : i32 to index
  %at = arith.addi %n, %wide : index
  %value = memref.load %x[%at] : memref<?xf64>
  return %value : f64
}
