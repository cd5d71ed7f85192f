// RUN: nacho-opt %s -nacho-verify-contract | FileCheck %s

// All forms of loops that the lowering emits are accepted.

// while p < end: p += 1

// CHECK-LABEL: @up
func.func @up(%begin: index, %end: index) -> index {
  %c1 = arith.constant 1 : index
  %last = scf.while (%p = %begin) : (index) -> index {
    %more = arith.cmpi ult, %p, %end : index
    scf.condition(%more) %p : index
  } do {
  ^bb0(%p: index):
    %next = arith.addi %p, %c1 : index
    scf.yield %next : index
  }
  return %last : index
}

// while p < endA and q < endB: the positions with the least coordinate move on

// CHECK-LABEL: @least
func.func @least(%A: memref<?xi32>, %B: memref<?xi32>, %endA: index, %endB: index) {
  %c0 = arith.constant 0 : index
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
    %isA = arith.cmpi eq, %a, %least : i32
    %isB = arith.cmpi eq, %b, %least : i32
    %stepA = arith.index_castui %isA : i1 to index
    %stepB = arith.index_castui %isB : i1 to index
    %nextA = arith.addi %p, %stepA : index
    %nextB = arith.addi %q, %stepB : index
    scf.yield %nextA, %nextB : index, index
  }
  return
}

// while p < endA and q < endB: the block moves on that ends first, or both

// CHECK-LABEL: @blocks
func.func @blocks(%A: memref<?xi32>, %B: memref<?xi32>, %endA: index, %endB: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %0:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
    %moreA = arith.cmpi ult, %p, %endA : index
    %moreB = arith.cmpi ult, %q, %endB : index
    %more = arith.andi %moreA, %moreB : i1
    scf.condition(%more) %p, %q : index, index
  } do {
  ^bb0(%p: index, %q: index):
    %a = memref.load %A[%p] : memref<?xi32>
    %b = memref.load %B[%q] : memref<?xi32>
    %afterA = arith.addi %p, %c8 : index
    %afterB = arith.addi %q, %c8 : index
    %isA = arith.cmpi ule, %a, %b : i32
    %isB = arith.cmpi ule, %b, %a : i32
    %nextA = arith.select %isA, %afterA, %p : index
    %nextB = arith.select %isB, %afterB, %q : index
    scf.yield %nextA, %nextB : index, index
  }
  return
}

// if a < b: p += 1; else if b < a: q += 1; else: both

// CHECK-LABEL: @branches
func.func @branches(%A: memref<?xi32>, %B: memref<?xi32>, %endA: index,
                    %endB: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
    %moreA = arith.cmpi ult, %p, %endA : index
    %moreB = arith.cmpi ult, %q, %endB : index
    %more = arith.andi %moreA, %moreB : i1
    scf.condition(%more) %p, %q : index, index
  } do {
  ^bb0(%p: index, %q: index):
    %a = memref.load %A[%p] : memref<?xi32>
    %b = memref.load %B[%q] : memref<?xi32>
    %afterA = arith.addi %p, %c1 : index
    %afterB = arith.addi %q, %c1 : index
    %isA = arith.cmpi ult, %a, %b : i32
    %1:2 = scf.if %isA -> (index, index) {
      scf.yield %afterA, %q : index, index
    } else {
      %isB = arith.cmpi ult, %b, %a : i32
      %nextA = arith.select %isB, %p, %afterA : index
      scf.yield %nextA, %afterB : index, index
    }
    scf.yield %1#0, %1#1 : index, index
  }
  return
}

// while min(a, b) != infinity: a coordinate is infinity if its position is at the end

// CHECK-LABEL: @infinity
func.func @infinity(%A: memref<?xindex>, %B: memref<?xindex>, %firstA: index,
                    %endA: index, %endB: index, %p0: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %infinity = arith.constant -1 : index
  %hasA = arith.cmpi ult, %p0, %endA : index
  %a0 = arith.select %hasA, %firstA, %infinity : index
  %0:4 = scf.while (%p = %p0, %q = %endB, %a = %a0, %b = %infinity)
      : (index, index, index, index) -> (index, index, index, index) {
    %least = arith.minui %a, %b : index
    %more = arith.cmpi ne, %least, %infinity : index
    scf.condition(%more) %p, %q, %a, %b : index, index, index, index
  } do {
  ^bb0(%p: index, %q: index, %a: index, %b: index):
    %least = arith.minui %a, %b : index
    %isA = arith.cmpi eq, %a, %least : index
    %stepA = arith.index_castui %isA : i1 to index
    %nextP = arith.addi %p, %stepA : index
    %after = arith.addi %p, %c1 : index
    %isInsideA = arith.cmpi ult, %after, %endA : index
    %safeA = arith.select %isInsideA, %after, %c0 : index
    %storedA = memref.load %A[%safeA] : memref<?xindex>
    %thereA = arith.select %isInsideA, %storedA, %infinity : index
    %nextA = arith.select %isA, %thereA, %a : index
    // The end of a run is after its first position.
    %isB = arith.cmpi eq, %b, %least : index
    %run = memref.load %B[%q] : memref<?xindex>
    %stepB = arith.index_castui %isB : i1 to index
    %leastB = arith.addi %q, %stepB : index
    %nextQ = arith.maxui %run, %leastB : index
    %isInsideB = arith.cmpi ult, %nextQ, %endB : index
    %safeB = arith.select %isInsideB, %nextQ, %c0 : index
    %storedB = memref.load %B[%safeB] : memref<?xindex>
    %nextB = arith.select %isInsideB, %storedB, %infinity : index
    scf.yield %nextP, %nextQ, %nextA, %nextB : index, index, index, index
  }
  return
}

// while p < endA or q < endB: a coordinate that is loaded in the step is infinity if its
// position is at the end

// CHECK-LABEL: @either
func.func @either(%A: memref<?xindex>, %B: memref<?xindex>, %endA: index, %endB: index) {
  %c0 = arith.constant 0 : index
  %infinity = arith.constant -1 : index
  %0:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
    %moreA = arith.cmpi ult, %p, %endA : index
    %moreB = arith.cmpi ult, %q, %endB : index
    %more = arith.ori %moreA, %moreB : i1
    scf.condition(%more) %p, %q : index, index
  } do {
  ^bb0(%p: index, %q: index):
    %isInsideA = arith.cmpi ult, %p, %endA : index
    %safeA = arith.select %isInsideA, %p, %c0 : index
    %storedA = memref.load %A[%safeA] : memref<?xindex>
    %a = arith.select %isInsideA, %storedA, %infinity : index
    %isInsideB = arith.cmpi ult, %q, %endB : index
    %safeB = arith.select %isInsideB, %q, %c0 : index
    %storedB = memref.load %B[%safeB] : memref<?xindex>
    %b = arith.select %isInsideB, %storedB, %infinity : index
    %least = arith.minui %a, %b : index
    %isA = arith.cmpi eq, %a, %least : index
    %stepA = arith.index_castui %isA : i1 to index
    %nextP = arith.addi %p, %stepA : index
    %isB = arith.cmpi eq, %b, %least : index
    %stepB = arith.index_castui %isB : i1 to index
    %nextQ = arith.addi %q, %stepB : index
    scf.yield %nextP, %nextQ : index, index
  }
  return
}

// while low < high: crd[mid] < target ? low = mid + 1 : high = mid

// CHECK-LABEL: @lower_bound
func.func @lower_bound(%A: memref<?xi32>, %target: i32, %first: index,
                       %end: index) -> index {
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%low = %first, %high = %end) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %low, %high : index
    scf.condition(%more) %low, %high : index, index
  } do {
  ^bb0(%low: index, %high: index):
    %span = arith.subi %high, %low : index
    %half = arith.shrui %span, %c1 : index
    %mid = arith.addi %low, %half : index
    %there = memref.load %A[%mid] : memref<?xi32>
    %isBefore = arith.cmpi ult, %there, %target : i32
    %after = arith.addi %mid, %c1 : index
    %nextLow = arith.select %isBefore, %after, %low : index
    %nextHigh = arith.select %isBefore, %high, %mid : index
    scf.yield %nextLow, %nextHigh : index, index
  }
  return %0#0 : index
}

// while low < high: mid in (low, high] by some coordinate, or none is left

// CHECK-LABEL: @search
func.func @search(%x: index, %end: index, %within: i1, %isSettled: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%low = %c0, %high = %end) : (index, index) -> (index, index) {
    %more = arith.cmpi slt, %low, %high : index
    scf.condition(%more) %low, %high : index, index
  } do {
  ^bb0(%low: index, %high: index):
    %second = arith.addi %low, %c1 : index
    %above = arith.maxui %x, %second : index
    %mid = arith.minui %above, %high : index
    %below = arith.subi %mid, %c1 : index
    %less = arith.select %isSettled, %low, %below : index
    %nextLow = arith.select %within, %mid, %low : index
    %nextHigh = arith.select %within, %high, %less : index
    scf.yield %nextLow, %nextHigh : index, index
  }
  return
}

// while low < high: three coordinates in (low, high], of which the third is above the second

// CHECK-LABEL: @quarter
func.func @quarter(%end: index, %a: i1, %b: i1, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0:2 = scf.while (%low = %c0, %high = %end) : (index, index) -> (index, index) {
    %more = arith.cmpi slt, %low, %high : index
    scf.condition(%more) %low, %high : index, index
  } do {
  ^bb0(%low: index, %high: index):
    %span = arith.subi %high, %low : index
    %up = arith.addi %span, %c3 : index
    %quarter = arith.shrui %up, %c2 : index
    %first = arith.addi %low, %quarter : index
    %odd = arith.addi %span, %c1 : index
    %half = arith.shrui %odd, %c1 : index
    %second = arith.addi %low, %half : index
    %rest = arith.subi %high, %second : index
    %more_rest = arith.addi %rest, %c1 : index
    %half_rest = arith.shrui %more_rest, %c1 : index
    %third = arith.addi %second, %half_rest : index
    %below1 = arith.subi %first, %c1 : index
    %below2 = arith.subi %second, %c1 : index
    %below3 = arith.subi %third, %c1 : index
    %low1 = arith.select %a, %first, %low : index
    %high1 = arith.select %a, %below2, %below1 : index
    %low2 = arith.select %b, %second, %low1 : index
    %high2 = arith.select %b, %below3, %high1 : index
    %low3 = arith.select %c, %third, %low2 : index
    %high3 = arith.select %c, %high, %high2 : index
    scf.yield %low3, %high3 : index, index
  }
  return
}

// while low + 1 < high: low or high = (low + high) / 2

// CHECK-LABEL: @apart
func.func @apart(%end: index, %isBefore: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%low = %c0, %high = %end) : (index, index) -> (index, index) {
    %next = arith.addi %low, %c1 : index
    %more = arith.cmpi ult, %next, %high : index
    scf.condition(%more) %low, %high : index, index
  } do {
  ^bb0(%low: index, %high: index):
    %sum = arith.addi %low, %high : index
    %mid = arith.shrui %sum, %c1 : index
    %nextLow = arith.select %isBefore, %mid, %low : index
    %nextHigh = arith.select %isBefore, %high, %mid : index
    scf.yield %nextLow, %nextHigh : index, index
  }
  return
}

// while low + step <= last and some test: low += step; step *= 2, and back again

// CHECK-LABEL: @gallop
func.func @gallop(%A: memref<?xi32>, %from: index, %last: index, %x: i32) -> index {
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%low = %from, %step = %c1) : (index, index) -> (index, index) {
    %next = arith.addi %low, %step : index
    %isInside = arith.cmpi sle, %next, %last : index
    %at = arith.minsi %next, %last : index
    %there = memref.load %A[%at] : memref<?xi32>
    %isBefore = arith.cmpi ule, %there, %x : i32
    %more = arith.andi %isInside, %isBefore : i1
    scf.condition(%more) %low, %step : index, index
  } do {
  ^bb0(%low: index, %step: index):
    %next = arith.addi %low, %step : index
    %twice = arith.addi %step, %step : index
    scf.yield %next, %twice : index, index
  }
  %1 = scf.while (%step = %0#1) : (index) -> index {
    %more = arith.cmpi ugt, %step, %c1 : index
    scf.condition(%more) %step : index
  } do {
  ^bb0(%step: index):
    %half = arith.shrui %step, %c1 : index
    scf.yield %half : index
  }
  return %1 : index
}

// while word: word &= word - 1

// CHECK-LABEL: @bits
func.func @bits(%word: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %0 = scf.while (%bits = %word) : (i64) -> i64 {
    %more = arith.cmpi ne, %bits, %c0 : i64
    scf.condition(%more) %bits : i64
  } do {
  ^bb0(%bits: i64):
    %below = arith.subi %bits, %c1 : i64
    %rest = arith.andi %bits, %below : i64
    scf.yield %rest : i64
  }
  return %0 : i64
}

// while left > 0: left = min(left - spent, left - 1)

// CHECK-LABEL: @spend
func.func @spend(%budget: index, %spent: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%left = %budget) : (index) -> index {
    %more = arith.cmpi ugt, %left, %c0 : index
    scf.condition(%more) %left : index
  } do {
  ^bb0(%left: index):
    %rest = arith.subi %left, %spent : index
    %oneLess = arith.subi %left, %c1 : index
    %next = arith.minui %rest, %oneLess : index
    scf.yield %next : index
  }
  return %0 : index
}

// A loop over windows moves on with the loop inside of it, which takes a step.

// CHECK-LABEL: @windows
func.func @windows(%begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %0 = scf.while (%p = %begin) : (index) -> index {
    %more = arith.cmpi ult, %p, %end : index
    scf.condition(%more) %p : index
  } do {
  ^bb0(%p: index):
    %most = arith.addi %p, %c512 : index
    %last = arith.minui %end, %most : index
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
