// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.coiterate.

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0) {
  nacho.nest : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    // expected-error @below {{has fibers but is not in the chain of its nest}}
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

func.func @coiterate(%A1: !nacho.fiber<tensor<?xf64>, 1>) {
  // expected-error @below {{expected a fiber with children, got '!nacho.fiber<tensor<?xf64>, 1>'}}
  nacho.coiterate %i of (%A2 = %A1 : !nacho.fiber<tensor<?xf64>, 1>) in %A2 {
  }
  return
}

// -----

func.func @coiterate(%A0: index) {
  // expected-error @below {{expected a fiber with children, got 'index'}}
  nacho.coiterate %i of (%A1 = %A0 : index) in %A1 {
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @coiterate(%A0: !A0, %cut: !nacho.cut<>) {
  // expected-error @below {{expected a cut through this loop, got '!nacho.cut<>'}}
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
      between (%lo = %cut, %hi = %cut : !nacho.cut<>) {
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @coiterate(%A0: !A0) {
  // The body's name of a fiber is meant, not the one outside.
  // expected-error @below {{'%A0' is not a fiber of this loop}}
  nacho.coiterate %i of (%A1 = %A0 : !A0) in union(%A1, %A0) {
  }
  return
}

// -----

func.func @coiterate() {
  // expected-error @below {{needs fibers or the number of coordinates}}
  nacho.coiterate %i of () in union() {
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @coiterate(%A0: !A0, %n: index) {
  // expected-error @below {{'%A0' is not a fiber of this loop}}
  nacho.coiterate %i to %n of () in %A0 {
  }
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @coiterate(%A0: !A1) {
  // expected-error @below {{cannot iterate an element}}
  "nacho.coiterate"(%A0) <{
    merge = #nacho.merge<0>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>
  }> ({
  ^bb0(%i: index, %A2: !A1):
    nacho.yield
  }) : (!A1) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @coiterate(%A0: !A0) {
  // expected-error @below {{merge expression names operand 1 of 1}}
  "nacho.coiterate"(%A0) <{
    merge = #nacho.merge<union(0, intersect(0, 1))>,
    operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>
  }> ({
  ^bb0(%i: index, %A1: !A1):
    nacho.yield
  }) : (!A0) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?x?xf64>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64>, 1>
func.func @coiterate(%A0: !A0) {
  // expected-error @below {{has no such fiber to be nonempty: 1}}
  "nacho.coiterate"(%A0) <{
    merge = #nacho.merge<0>, nonempty = array<i32: 1>,
    operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>
  }> ({
  ^bb0(%i: index, %A1: !A1):
    nacho.yield
  }) : (!A0) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @coiterate(%A0: !A0) {
  // expected-error @below {{cannot ask whether an element is nonempty}}
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 nonempty(%A1) {
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?x?xf64>, 0>
func.func @coiterate(%A0: !A0) {
  // expected-error @below {{body arguments do not match the operands}}
  "nacho.coiterate"(%A0) <{
    merge = #nacho.merge<0>, nonempty = array<i32: 0>,
    operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>
  }> ({
  ^bb0(%i: index):
    nacho.yield
  }) : (!A0) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?x?xf64>, 0>
func.func @coiterate(%A0: !A0, %B0: !A0) {
  // expected-error @below {{does not merge the fiber that is to be nonempty}}
  nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in %A1 nonempty(%B1) {
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?x?xf64>, 0>
func.func @coiterate(%A0: !A0, %B0: !A0) {
  // expected-error @below {{expected a fiber of the loop}}
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 nonempty(%B0) {
  }
  return
}

// -----

// What is given has numbers after those of the fibers.

!A0 = !nacho.fiber<tensor<?xf64>, 0>
!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @coiterate(%A0: !A0, %B1: !A1) {
  // expected-error @below {{merge expression names operand 2 of 2}}
  "nacho.coiterate"(%A0, %B1) <{
    merge = #nacho.merge<union(0, 1, 2)>,
    operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>
  }> ({
  ^bb0(%i: index, %A1: !A1):
    nacho.yield
  }) : (!A0, !A1) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @coiterate(%A0: !A0, %lo: !nacho.cut<1>) {
  // expected-error @below {{needs both bounds or none}}
  "nacho.coiterate"(%A0, %lo) <{
    merge = #nacho.merge<0>, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0>
  }> ({
  ^bb0(%i: index, %A1: !A1, %lo1: !nacho.cut<>, %hi1: !nacho.cut<>):
    nacho.yield
  }) : (!A0, !nacho.cut<1>) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @coiterate(%A0: !A0, %hi: !nacho.cut<1>) {
  // expected-error @below {{needs both bounds or none}}
  "nacho.coiterate"(%A0, %hi) <{
    merge = #nacho.merge<0>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1, 0>
  }> ({
  ^bb0(%i: index, %A1: !A1):
    nacho.yield
  }) : (!A0, !nacho.cut<1>) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @coiterate(%A0: !A0, %cut: !nacho.cut<2>) {
  // expected-error @below {{iterates 1 fibers but is cut by '!nacho.cut<2>'}}
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
      between (%lo = %cut, %hi = %cut : !nacho.cut<2>) {
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @coiterate(%A0: !A0) {
  // expected-error @below {{body arguments do not match the operands}}
  "nacho.coiterate"(%A0) <{
    merge = #nacho.merge<0>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>
  }> ({
  ^bb0(%i: index, %A1: !A0):
    nacho.yield
  }) : (!A0) -> ()
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @coiterate(%A0: !A0, %n: index) {
  // expected-error @below {{carried values, yielded values and results differ}}
  %0 = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 iter_args(%c = %n : index) {
    nacho.yield %c, %i : index, index
  }
  return
}
