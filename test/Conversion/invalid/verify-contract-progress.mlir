// RUN: nacho-opt %s -nacho-verify-contract -split-input-file -verify-diagnostics

// A loop must not go on for as long as an array says.

func.func @loaded(%A: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  // expected-error @below {{'scf.while' op may go on forever: no number is known to change in every step up to a bound that is not loaded}}
  %0 = scf.while (%p = %c0) : (index) -> index {
    %at = arith.minui %p, %n : index
    %there = memref.load %A[%at] : memref<?xi32>
    %more = arith.cmpi ne, %there, %zero : i32
    scf.condition(%more) %p : index
  } do {
  ^bb0(%p: index):
    %next = arith.addi %p, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// A bound that is loaded in each step is none.

func.func @bound(%n: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0 = scf.while (%p = %c0) : (index) -> index {
    %end = memref.load %n[] : memref<index>
    %more = arith.cmpi ult, %p, %end : index
    scf.condition(%more) %p : index
  } do {
  ^bb0(%p: index):
    %next = arith.addi %p, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// Neither position moves on if the arrays have changed since a was loaded.

func.func @stays(%A: memref<?xi32>, %B: memref<?xi32>, %endA: index, %endB: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
    %moreA = arith.cmpi ult, %p, %endA : index
    %moreB = arith.cmpi ult, %q, %endB : index
    %more = arith.andi %moreA, %moreB : i1
    scf.condition(%more) %p, %q : index, index
  } do {
  ^bb0(%p: index, %q: index):
    %a = memref.load %A[%p] : memref<?xi32>
    %b = memref.load %B[%q] : memref<?xi32>
    %least = arith.minui %a, %b : i32
    %again = memref.load %A[%p] : memref<?xi32>
    %isA = arith.cmpi eq, %again, %least : i32
    %isB = arith.cmpi eq, %b, %least : i32
    %stepA = arith.index_castui %isA : i1 to index
    %stepB = arith.index_castui %isB : i1 to index
    %nextA = arith.addi %p, %stepA : index
    %nextB = arith.addi %q, %stepB : index
    scf.yield %nextA, %nextB : index, index
  }
  return
}

// -----

// What one position gains another one must not lose.

func.func @back(%end: index, %isFirst: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
    %moreP = arith.cmpi ult, %p, %end : index
    %moreQ = arith.cmpi ult, %q, %end : index
    %more = arith.andi %moreP, %moreQ : i1
    scf.condition(%more) %p, %q : index, index
  } do {
  ^bb0(%p: index, %q: index):
    %up = arith.addi %p, %c1 : index
    %down = arith.subi %p, %c1 : index
    %next = arith.addi %q, %c1 : index
    %nextP = arith.select %isFirst, %up, %down : index
    %nextQ = arith.select %isFirst, %q, %next : index
    scf.yield %nextP, %nextQ : index, index
  }
  return
}

// -----

// The middle, rounded down, may be low itself.

func.func @rounded(%end: index, %isBefore: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0:2 = scf.while (%low = %c0, %high = %end) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %low, %high : index
    scf.condition(%more) %low, %high : index, index
  } do {
  ^bb0(%low: index, %high: index):
    %span = arith.subi %high, %low : index
    %half = arith.shrui %span, %c1 : index
    %mid = arith.addi %low, %half : index
    %nextLow = arith.select %isBefore, %mid, %low : index
    %nextHigh = arith.select %isBefore, %high, %mid : index
    scf.yield %nextLow, %nextHigh : index, index
  }
  return
}

// -----

// A coordinate that is loaded at the end, too, is never infinity.

func.func @endless(%A: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %infinity = arith.constant -1 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0:2 = scf.while (%p = %c0, %a = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi ne, %a, %infinity : index
    scf.condition(%more) %p, %a : index, index
  } do {
  ^bb0(%p: index, %a: index):
    %next = arith.addi %p, %c1 : index
    %at = arith.minui %next, %n : index
    %there = memref.load %A[%at] : memref<?xindex>
    scf.yield %next, %there : index, index
  }
  return
}

// -----

// A step that may be 0 leads nowhere.

func.func @gallop(%step0: index, %last: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0:2 = scf.while (%low = %c0, %step = %step0) : (index, index) -> (index, index) {
    %next = arith.addi %low, %step : index
    %more = arith.cmpi ule, %next, %last : index
    scf.condition(%more) %low, %step : index, index
  } do {
  ^bb0(%low: index, %step: index):
    %next = arith.addi %low, %step : index
    %twice = arith.addi %step, %step : index
    scf.yield %next, %twice : index, index
  }
  return
}

// -----

// All bits of the word may be left.

func.func @bits(%word: i64, %mask: i64) {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{'scf.while' op may go on forever}}
  %0 = scf.while (%bits = %word) : (i64) -> i64 {
    %more = arith.cmpi ne, %bits, %c0 : i64
    scf.condition(%more) %bits : i64
  } do {
  ^bb0(%bits: i64):
    %rest = arith.andi %bits, %mask : i64
    scf.yield %rest : i64
  }
  return
}

// -----

// Nothing may be spent.

func.func @spend(%budget: index, %spent: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0 = scf.while (%left = %budget) : (index) -> index {
    %more = arith.cmpi ugt, %left, %c0 : index
    scf.condition(%more) %left : index
  } do {
  ^bb0(%left: index):
    %rest = arith.subi %left, %spent : index
    %next = arith.minui %rest, %left : index
    scf.yield %next : index
  }
  return
}

// -----

// The number that is left may be as large as any.

func.func @wraps(%budget: index, %spent: index, %kept: index) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0 = scf.while (%left = %budget) : (index) -> index {
    %more = arith.cmpi ne, %left, %kept : index
    scf.condition(%more) %left : index
  } do {
  ^bb0(%left: index):
    %oneLess = arith.subi %left, %c1 : index
    %next = arith.minui %spent, %oneLess : index
    scf.yield %next : index
  }
  return
}

// -----

// The loop inside of it may not take a step.

func.func @windows(%begin: index, %end: index, %last: index) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.while' op may go on forever}}
  %0 = scf.while (%p = %begin) : (index) -> index {
    %more = arith.cmpi ult, %p, %end : index
    scf.condition(%more) %p : index
  } do {
  ^bb0(%p: index):
    %1 = scf.while (%q = %p) : (index) -> index {
      %more = arith.cmpi ult, %q, %last : index
      scf.condition(%more) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %1 : index
  }
  return
}
