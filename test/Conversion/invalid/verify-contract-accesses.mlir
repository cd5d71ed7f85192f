// RUN: nacho-opt %s -nacho-verify-contract -split-input-file -verify-diagnostics

// Loaded integers are refused wherever they say what memory is accessed.

func.func @load(%crd: memref<?xi32>, %x: memref<?xf64>, %p: index) -> f64 {
  %stored = memref.load %crd[%p] : memref<?xi32>
  %at = arith.index_castui %stored : i32 to index
  // expected-error @below {{'memref.load' op uses an index that was loaded and not compared with a bound}}
  %value = memref.load %x[%at] : memref<?xf64>
  return %value : f64
}

// -----

// A bound that was loaded as well is none.

func.func @bound(%crd: memref<?xindex>, %n: memref<?xi64>, %y: memref<?xf64>,
                 %value: f64, %p: index) {
  %stored = memref.load %n[%p] : memref<?xi64>
  %size = arith.index_cast %stored : i64 to index
  %at = arith.minui %size, %size : index
  // expected-error @below {{'memref.store' op uses an index that was loaded}}
  memref.store %value, %y[%at] : memref<?xf64>
  return
}

// -----

// A loop would go on for as long as its operand says.

func.func @loop(%pos: memref<?xi32>, %p: index, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %stored = memref.load %pos[%p] : memref<?xi32>
  %end = arith.index_castui %stored : i32 to index
  // expected-error @below {{'scf.for' op uses an index that was loaded}}
  scf.for %i = %c0 to %end step %c1 {
    // expected-error @below {{'memref.store' op uses an index that was loaded}}
    memref.store %i, %out[%i] : memref<?xindex>
  }
  return
}

// -----

// What a loop hands from one iteration to the next is met again.

func.func @carried(%crd: memref<?xi32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
    // expected-error @below {{'memref.load' op uses an index that was loaded}}
    %stored = memref.load %crd[%at] : memref<?xi32>
    %next = arith.index_castui %stored : i32 to index
    scf.yield %next : index
  }
  return %last : index
}

// -----

// A number that was loaded and stored is still one that was loaded; other
// columns of the table are not.

func.func @stored(%crd: memref<?xi32>, %table: memref<?x2xindex>,
                  %x: memref<?xf64>, %p: index) -> (f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %stored = memref.load %crd[%p] : memref<?xi32>
  %at = arith.index_castui %stored : i32 to index
  memref.store %at, %table[%p, %c0] : memref<?x2xindex>
  memref.store %p, %table[%p, %c1] : memref<?x2xindex>
  %again = memref.load %table[%p, %c0] : memref<?x2xindex>
  %other = memref.load %table[%p, %c1] : memref<?x2xindex>
  // expected-error @below {{'memref.load' op uses an index that was loaded}}
  %one = memref.load %x[%again] : memref<?xf64>
  %two = memref.load %x[%other] : memref<?xf64>
  return %one, %two : f64, f64
}

// -----

// The largest of several numbers is not bounded, nor is the least of signed ones:
// it may be negative.

func.func @signed(%crd: memref<?xi64>, %x: memref<?xf64>, %p: index,
                  %last: index) -> (f64, f64) {
  %stored = memref.load %crd[%p] : memref<?xi64>
  %at = arith.index_cast %stored : i64 to index
  %least = arith.minsi %at, %last : index
  // expected-error @below {{'memref.load' op uses an index that was loaded}}
  %one = memref.load %x[%least] : memref<?xf64>
  %most = arith.maxui %at, %last : index
  // expected-error @below {{'memref.load' op uses an index that was loaded}}
  %two = memref.load %x[%most] : memref<?xf64>
  return %one, %two : f64, f64
}

// -----

// Where the condition does not hold, it checks nothing.

func.func @else(%crd: memref<?xi32>, %y: memref<?xf64>, %p: index, %n: index,
                %value: f64) {
  %stored = memref.load %crd[%p] : memref<?xi32>
  %at = arith.index_castui %stored : i32 to index
  %isInside = arith.cmpi ult, %at, %n : index
  scf.if %isInside {
    memref.store %value, %y[%at] : memref<?xf64>
  } else {
    // expected-error @below {{'memref.store' op uses an index that was loaded}}
    memref.store %value, %y[%at] : memref<?xf64>
  }
  return
}

// -----

// A multiple of what is checked is not.

func.func @multiple(%crd: memref<?xi32>, %words: memref<?xi64>, %zero: i64, %p: index,
                    %n: index) {
  %stored = memref.load %crd[%p] : memref<?xi32>
  %k = arith.index_castui %stored : i32 to index
  %at = arith.muli %k, %n : index
  %isInside = arith.cmpi ult, %k, %n : index
  scf.if %isInside {
    // expected-error @below {{'memref.store' op uses an index that was loaded}}
    memref.store %zero, %words[%at] : memref<?xi64>
  }
  return
}

// -----

// Lanes are followed like numbers.

func.func @lanes(%crd: memref<?xi32>, %x: memref<?xf64>, %p: index,
                 %mask: vector<4xi1>, %none: vector<4xf64>) -> vector<4xf64> {
  %c0 = arith.constant 0 : index
  %stored = vector.load %crd[%p] : memref<?xi32>, vector<4xi32>
  // expected-error @below {{'vector.gather' op uses an index that was loaded}}
  %values = vector.gather %x[%c0] [%stored], %mask, %none
      : memref<?xf64>, vector<4xi32>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  return %values : vector<4xf64>
}

// -----

// Another function goes on from a cut, and does not check it again. Only costs, in the
// first column, may be anything.

func.func @cut(%pos: memref<?xi32>, %cuts: memref<?x2xindex>, %p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %stored = memref.load %pos[%p] : memref<?xi32>
  %at = arith.index_castui %stored : i32 to index
  memref.store %at, %cuts[%p, %c0] : memref<?x2xindex>
  // expected-error @below {{'memref.store' op uses an index that was loaded}}
  memref.store %at, %cuts[%p, %c1] : memref<?x2xindex>
  return
}

// -----

// Nor does it check other indices that it finds in a buffer of Nacho's own, however they
// were stored there. What is stored where only this function reads it is followed.

func.func @passed_on(%pos: memref<?xi32>, %counts: memref<?x?xindex>,
                     %offsets: memref<?xindex>, %p: index) {
  %c0 = arith.constant 0 : index
  %own = memref.alloca() : memref<4xindex>
  %stored = memref.load %pos[%p] : memref<?xi32>
  %at = arith.index_castui %stored : i32 to index
  memref.store %at, %own[%c0] : memref<4xindex>
  // expected-error @below {{'memref.store' op uses an index that was loaded}}
  memref.store %at, %counts[%p, %c0] : memref<?x?xindex>
  // expected-error @below {{'memref.store' op uses an index that was loaded}}
  memref.store %at, %offsets[%p] : memref<?xindex>
  %lanes = vector.load %pos[%p] : memref<?xi32>, vector<4xi32>
  %wide = arith.index_castui %lanes : vector<4xi32> to vector<4xindex>
  // expected-error @below {{'vector.store' op uses an index that was loaded}}
  vector.store %wide, %offsets[%p] : memref<?xindex>, vector<4xindex>
  return
}

// -----

// What a function is called with is not checked by it, and what it returns may be
// anything.

func.func private @next(index) -> index

func.func @called(%pos: memref<?xi32>, %x: memref<?xf64>, %p: index) -> f64 {
  %stored = memref.load %pos[%p] : memref<?xi32>
  %at = arith.index_castui %stored : i32 to index
  // expected-error @below {{'func.call' op uses an index that was loaded}}
  %0 = func.call @next(%at) : (index) -> index
  %1 = func.call @next(%p) : (index) -> index
  // expected-error @below {{'memref.load' op uses an index that was loaded}}
  %value = memref.load %x[%1] : memref<?xf64>
  return %value : f64
}

// -----

// A list of the function's own holds what was put into it, checked or not.

func.func @listed(%crd: memref<?xi32>, %x: memref<?xf64>, %p: index,
                  %mask: vector<4xi1>) -> f64 {
  %list = memref.alloca() : memref<4xi32>
  %c0 = arith.constant 0 : index
  %lanes = vector.load %crd[%p] : memref<?xi32>, vector<4xi32>
  vector.compressstore %list[%c0], %mask, %lanes
      : memref<4xi32>, vector<4xi1>, vector<4xi32>
  %stored = memref.load %list[%c0] : memref<4xi32>
  %at = arith.index_castui %stored : i32 to index
  // expected-error @below {{'memref.load' op uses an index that was loaded}}
  %value = memref.load %x[%at] : memref<?xf64>
  return %value : f64
}
