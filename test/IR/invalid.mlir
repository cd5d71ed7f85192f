// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every message of the verifiers and parsers of the dialect, once.

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

// expected-error @below {{fiber at level 3 of a tensor with 2 levels}}
func.func private @f(!nacho.fiber<tensor<?x?xf64>, 3>)

// -----

// expected-error @below {{cut through a loop of -1 operands}}
func.func private @f(!nacho.cut<2, -1>)

// -----

// expected-error @below {{cut through a loop of -2 operands}}
func.func private @f(!nacho.cuts<-2>)

// -----

// expected-error @below {{expected integer value}}
module attributes {test.merge = #nacho.merge<both(0, 1)>} {}

// -----

//===----------------------------------------------------------------------===//
// assign
//===----------------------------------------------------------------------===//

func.func @assign(%A: f64) {
  // expected-error @below {{expected a ranked tensor type}}
  nacho.assign (%a = %A[] : f64) -> [] : tensor<f64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{needs one access per operand}}
  %Z = "nacho.assign"(%A) <{
    accesses = [], resultAccess = [], operandSegmentSizes = array<i32: 1, 0>
  }> ({
  ^bb0(%a: f64):
    nacho.yield %a : f64
  }) : (tensor<?xf64>) -> tensor<f64>
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{accesses must be lists of names of indices}}
  %Z = "nacho.assign"(%A) <{
    accesses = ["i"], resultAccess = ["i"], operandSegmentSizes = array<i32: 1, 0>
  }> ({
  ^bb0(%a: f64):
    nacho.yield %a : f64
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{accesses must be lists of names of indices}}
  %Z = "nacho.assign"(%A) <{
    accesses = [["i"]], resultAccess = [0], operandSegmentSizes = array<i32: 1, 0>
  }> ({
  ^bb0(%a: f64):
    nacho.yield %a : f64
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return
}

// -----

func.func @assign(%A: tensor<?xf64>, %B: tensor<?xf64>) {
  // expected-error @below {{operand 1 of rank 1 is accessed by 2 indices}}
  nacho.assign (%a = %A[i] : tensor<?xf64>, %b = %B[i, j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{the result of rank 2 is accessed by 1 indices}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?x3xf64>, %B: tensor<5x?xf64>) {
  // expected-error @below {{index 'j' has the extents 3 and 5}}
  nacho.assign (%a = %A[i, j] : tensor<?x3xf64>, %b = %B[j, i] : tensor<5x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<4xf64>) {
  // expected-error @below {{index 'i' has the extents 4 and 2}}
  nacho.assign (%a = %A[i] : tensor<4xf64>) -> [i] : tensor<2xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{result index 'j' is an index of no operand}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{result index 'i' is repeated}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i, i] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{body takes one element of each operand}}
  %Z = "nacho.assign"(%A) <{
    accesses = [["i"]], resultAccess = ["i"], operandSegmentSizes = array<i32: 1, 0>
  }> ({
    %0 = arith.constant 0.0 : f64
    nacho.yield %0 : f64
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return
}

// -----

func.func @assign(%A: tensor<?xf32>) {
  // expected-error @below {{must yield one 'f64'}}
  nacho.assign (%a = %A[i] : tensor<?xf32>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f32
  }
  return
}

// -----

// The body sees nothing but its arguments.

func.func @assign(%A: tensor<?xf64>, %s: f64) {
  // expected-note @below {{required by region isolation constraints}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{using value defined outside the region}}
    %0 = nacho.binary mul %s, %a : f64
    nacho.yield %0 : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?x?xf64>) {
  // expected-error @below {{index "j" is neither the result's nor reduced over}}
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @init(%A: tensor<?xf64>, %Y: tensor<?xf32>) {
  // expected-error @below {{starts from 'tensor<?xf32>' but results in 'tensor<?xf64>'}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) init(%Y : tensor<?xf32>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

func.func @reduce(%x: f64) -> f64 {
  // expected-error @below {{expects parent op 'nacho.assign'}}
  %0 = nacho.reduce add %x over [j] : f64
  return %0 : f64
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{cannot reduce by a difference}}
    %0 = nacho.reduce sub %a over [j] : f64
    nacho.yield %0 : f64
  }
  return
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{reduces over index 0 : i64, which its value does not have}}
    %0 = "nacho.reduce"(%a) <{indices = [0], kind = #nacho<binary_kind add>}> : (f64) -> f64
    nacho.yield %0 : f64
  }
  return
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{reduces over index "k", which its value does not have}}
    %0 = nacho.reduce add %a over [j, k] : f64
    nacho.yield %0 : f64
  }
  return
}

// -----

// An index that is reduced over is gone.

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [j] : f64
    // expected-error @below {{reduces over index "j", which its value does not have}}
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// nest
//===----------------------------------------------------------------------===//

func.func @nest() {
  // expected-error @below {{needs an outermost loop}}
  nacho.nest : tensor<?xf64> {
    nacho.yield
  }
  return
}

// -----

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

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0) {
  // expected-error @below {{has bounds but no cuts}}
  nacho.nest : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %cuts: !nacho.cuts<1>) {
  // expected-error @below {{bounds must be two arguments of type '!nacho.cut<1>'}}
  nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<2>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %cuts: !nacho.cuts<1>) {
  // expected-error @below {{bounds must be two arguments of type '!nacho.cut<1>'}}
  nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %cuts: !nacho.cuts<1, 0>) {
  // expected-error @below {{cuts 2 loops of 1}}
  nacho.nest in %cuts : !nacho.cuts<1, 0> : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1, 0>, %hi: !nacho.cut<1, 0>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %v: f64) {
  // expected-error @below {{finishes no reduction}}
  nacho.nest : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  } finish {
  ^bb0(%x: f64):
    nacho.yield %x : f64
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %v: f64) {
  // expected-error @below {{must finish with one 'f64'}}
  nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  } finish {
  ^bb0(%x: i32):
    nacho.yield %x : i32
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// coiterate
//===----------------------------------------------------------------------===//

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

// -----

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

func.func @load(%A0: !nacho.fiber<tensor<?xf64>, 0>) {
  // expected-error @below {{needs an element, got '!nacho.fiber<tensor<?xf64>, 0>'}}
  nacho.load %A0 : !nacho.fiber<tensor<?xf64>, 0>
  return
}

// -----

func.func @locate(%x: f64) {
  // expected-error @below {{expected a ranked tensor type}}
  nacho.locate %x[] : f64
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @locate(%x: tensor<?xf64, #SV>, %i: index) {
  // expected-error @below {{needs a dense tensor, got 'tensor<?xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>'}}
  nacho.locate %x[%i] : tensor<?xf64, #SV>
  return
}

// -----

func.func @locate(%x: tensor<?x?xf64>, %i: index) {
  // expected-error @below {{locates 1 coordinates in 'tensor<?x?xf64>'}}
  nacho.locate %x[%i] : tensor<?x?xf64>
  return
}

// -----

func.func @locate(%x: tensor<?xf64>, %i: index) {
  // expected-error @below {{reads a 'f64'}}
  "nacho.locate"(%x, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
      : (tensor<?xf64>, index) -> f32
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @restrict(%v: f64, %A1: !A1, %B1: !A1) {
  // expected-error @below {{must name every fiber, in order of appearance}}
  "nacho.restrict"(%v, %A1, %B1) <{merge = #nacho.merge<intersect(1, 0)>}>
      : (f64, !A1, !A1) -> f64
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @restrict(%v: f64, %A1: !A1, %B1: !A1) {
  // expected-error @below {{must name every fiber, in order of appearance}}
  "nacho.restrict"(%v, %A1, %B1) <{merge = #nacho.merge<0>}> : (f64, !A1, !A1) -> f64
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @restrict(%v: f64, %A1: !A1) {
  // expected-error @below {{merge expression names operand 1 of 1}}
  "nacho.restrict"(%v, %A1) <{merge = #nacho.merge<union(0, 1)>}> : (f64, !A1) -> f64
  return
}

// -----

func.func @append(%v: f64, %i: index) {
  // expected-error @below {{must be inside a nacho.nest}}
  nacho.append %v at (%i) : f64
  return
}

// -----

!A0 = !nacho.fiber<tensor<?x?xf64>, 0>
func.func @append(%A0: !A0, %v: f64) {
  nacho.nest : tensor<?x?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?x?xf64>' a 'f64' at 1 coordinates}}
      nacho.append %v at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @append(%A0: !A0, %v: f32) {
  nacho.nest : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?xf64>' a 'f32' at 1 coordinates}}
      nacho.append %v at (%i) : f32
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @append(%A0: !A0, %v: f64) {
  nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?xf64>' a 'f64' at 1 coordinates}}
      nacho.append %v to 1 at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @append(%A0: !A0, %v: f64) {
  nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?xf64>' a 'f64' at 1 coordinates}}
      nacho.append %v at (%i) : f64
    }
    nacho.yield
  } finish {
  ^bb0(%x: i32):
    %0 = nacho.cast %x : i32 to f64
    nacho.yield %0 : f64
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Costs and searches
//===----------------------------------------------------------------------===//

func.func @cost(%A1: !nacho.fiber<tensor<?xf64>, 1>) {
  // expected-error @below {{an element has no children}}
  nacho.cost <nnz> %A1 : !nacho.fiber<tensor<?xf64>, 1>
  return
}

// -----

func.func @extent(%A1: !nacho.fiber<tensor<?xf64>, 1>) {
  // expected-error @below {{an element has no children}}
  nacho.extent %A1 : !nacho.fiber<tensor<?xf64>, 1>
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @search(%query: index, %A1: !A1, %cut: !nacho.cut<1>) {
  // expected-error @below {{expected fibers with children}}
  %i, %rest, %A2, %lo1, %hi1 = nacho.search %query of (%A1)
      between %cut, %cut : !A1, !nacho.cut<1> {
  ^bb0(%x: index, %pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<>) {
  // expected-error @below {{expected a cut through the searched loop}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<> {
  ^bb0(%x: index, %pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<2>) {
  // expected-error @below {{searches 1 fibers between cuts of type '!nacho.cut<2>'}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<2> {
  ^bb0(%x: index, %pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<1>) {
  // expected-error @below {{region takes the coordinate and one position per fiber}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<1> {
  ^bb0(%pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<1>) {
  // expected-error @below {{region must yield one cost}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<1> {
  ^bb0(%x: index, %pos: index):
    nacho.yield
  }
  return
}

// -----

func.func @search(%query: index, %cut: !nacho.cut<0>) {
  // expected-error @below {{needs fibers or the number of coordinates}}
  %i, %rest, %lo1, %hi1 = nacho.search %query of () between %cut, %cut : !nacho.cut<0> {
  ^bb0(%x: index):
    nacho.yield %x : index
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @cut(%cost: index, %A1: !A1) {
  // expected-error @below {{makes '!nacho.cut<2>' of 1 coordinates and 1 fibers}}
  nacho.cut %cost at (%cost) of (%A1) : !A1 -> !nacho.cut<2>
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @limit(%cost: index, %A0: !A0) {
  // expected-error @below {{loops must be a list of lists of operands}}
  nacho.limit %cost of (%A0) loops [0] : !A0 -> !nacho.cut<1>
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @limit(%cost: index, %A0: !A0) {
  // expected-error @below {{loop names operand 1 : i64 of 1}}
  nacho.limit %cost of (%A0) loops [[1]] : !A0 -> !nacho.cut<1>
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @limit(%cost: index, %A0: !A0) {
  // expected-error @below {{operand 0 is in more loops than it has levels}}
  nacho.limit %cost of (%A0) loops [[0], [0]] : !A0 -> !nacho.cut<1, 1>
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @limit(%cost: index, %A0: !A0) {
  // expected-error @below {{loops do not match the type of the cuts}}
  nacho.limit %cost of (%A0) loops [[0]] : !A0 -> !nacho.cut<2>
  return
}

// -----

func.func @limit(%cost: index) {
  // expected-error @below {{needs the extent of a loop without operands}}
  nacho.limit %cost of () loops [[]] -> !nacho.cut<0>
  return
}

// -----

func.func @cut_coordinate(%cut: !nacho.cut<1>) {
  // expected-error @below {{loop 1 of a cut through 1}}
  nacho.cut_coordinate %cut[1] : !nacho.cut<1>
  return
}

// -----

//===----------------------------------------------------------------------===//
// partition
//===----------------------------------------------------------------------===//

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @partition(%n: index, %A0: !A0) {
  // expected-error @below {{loops do not match the type of the cuts}}
  nacho.partition %n of (%A0) into %n loops [] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @partition(%n: index, %A0: !A0) {
  // expected-error @below {{region takes the query and two cuts of type '!nacho.cut<1>'}}
  nacho.partition %n of (%A0) into %n loops [[0]] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @partition(%n: index, %A0: !A0) {
  // expected-error @below {{region must yield one '!nacho.cut<1>'}}
  nacho.partition %n of (%A0) into %n loops [[0]] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %query : index
  }
  return
}

// -----

func.func @partition(%n: index) {
  // expected-error @below {{needs the extent of a loop without operands}}
  nacho.partition %n of () into %n loops [[]] delta 1 -> !nacho.cuts<0> {
  ^bb0(%query: index, %lo: !nacho.cut<0>, %hi: !nacho.cut<0>):
    nacho.yield %lo : !nacho.cut<0>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// The backend contract
//===----------------------------------------------------------------------===//

func.func @parallel(%n: index) {
  // expected-error @below {{body takes the number of the worker}}
  "nacho.parallel"(%n, %n) ({
    nacho.yield
  }) : (index, index) -> ()
  return
}

// -----

func.func private @callee()
func.func @parallel(%n: index) {
  // expected-error @below {{body must not call functions}}
  nacho.parallel %worker in %n threads %n {
    func.call @callee() : () -> ()
  }
  return
}

// -----

func.func @parallel(%n: index) {
  // expected-error @below {{body must not allocate or free, as memref.alloc does}}
  nacho.parallel %worker in %n threads %n {
    scf.for %i = %worker to %n step %n {
      %buffer = memref.alloc(%n) : memref<?xf64>
    }
  }
  return
}

// -----

func.func @parallel(%n: index) {
  // expected-error @below {{body must not hold nacho.parallel}}
  nacho.parallel %worker in %n threads %n {
    nacho.parallel %inner in %n threads %n {
    }
  }
  return
}

// -----

func.func @parallel(%n: index, %rows: memref<?x1xindex>) {
  // expected-error @below {{body must not hold nacho.exclusive_scan}}
  nacho.parallel %worker in %n threads %n {
    nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
  }
  return
}

// -----

func.func @parallel(%n: index) {
  // expected-error @below {{body must not hold host-only gpu.barrier}}
  nacho.parallel %worker in %n threads %n {
    gpu.barrier
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x?xindex>) {
  // expected-error @below {{needs a static number of columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x?xindex> {
  ^bb0(%x: index, %y: index):
    nacho.yield %x : index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x2xindex>) {
  // expected-error @below {{region combines two rows of 2 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x2xindex> {
  ^bb0(%x: index, %y: index):
    nacho.yield %x, %y : index, index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x1xindex>) {
  // expected-error @below {{region combines two rows of 1 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
  ^bb0(%x: i1, %y: index):
    nacho.yield %y : index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x1xindex>) {
  // expected-error @below {{region must yield a row of 1 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    nacho.yield %x, %y : index, index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x1xindex>) {
  // expected-error @below {{region must yield a row of 1 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    %less = arith.cmpi ult, %x, %y : index
    nacho.yield %less : i1
  }
  return
}

// -----

func.func @load_cut(%bounds: memref<?x6xindex>, %p: index) {
  // expected-error @below {{a row of 'memref<?x6xindex>' does not hold a '!nacho.cut<2, 2>', which has 7 columns}}
  nacho.load_cut %bounds[%p] : memref<?x6xindex> -> !nacho.cut<2, 2>
  return
}

// -----

func.func @store_cut(%cut: !nacho.cut<3>, %bounds: memref<?x?xindex>, %p: index) {
  // expected-error @below {{a row of 'memref<?x?xindex>' does not hold a '!nacho.cut<3>', which has 5 columns}}
  nacho.store_cut %cut, %bounds[%p] : !nacho.cut<3>, memref<?x?xindex>
  return
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @cost_below_everything(%A0: !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>) {
  // expected-error @below {{counts 2 levels below the first of 2}}
  %0 = nacho.cost <loops> %A0 below 2 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
  return
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @entries_below(%A0: !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>) {
  // expected-error @below {{counts entries, which are below all levels}}
  %0 = nacho.cost <nnz> %A0 below 1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
  return
}

// -----

func.func @parallel_frees(%n: index, %m: memref<?xf64>) {
  // expected-error @below {{body must not allocate or free, as memref.dealloc does}}
  nacho.parallel %worker in %n threads %n {
    memref.dealloc %m : memref<?xf64>
  }
  return
}

// -----

func.func @parallel_in_parallel(%n: index, %m: memref<?xindex>) {
  // expected-error @below {{body must not hold scf.parallel}}
  nacho.parallel %worker in %n threads %n {
    scf.parallel (%i) = (%worker) to (%n) step (%n) {
      memref.store %i, %m[%i] : memref<?xindex>
    }
  }
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @delta(%A0: !nacho.fiber<tensor<?xf64, #SV>, 0>, %n: index, %parts: index) {
  // expected-error @below {{the bound of a cut's cost cannot be negative}}
  %cuts = nacho.partition %n of (%A0) into %parts loops [[0]] delta -2
      : !nacho.fiber<tensor<?xf64, #SV>, 0> -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  return
}

// -----

// expected-error @below {{expected the number of an operand}}
module attributes {test.merge = #nacho.merge<union(-1)>} {}

// -----

func.func @maximum_of_complex_numbers(%a: complex<f64>) -> complex<f64> {
  // expected-error @below {{max needs an order, which 'complex<f64>' has not}}
  %0 = nacho.binary max %a, %a : complex<f64>
  return %0 : complex<f64>
}

// -----

func.func @assign_with_a_region(%a: tensor<?xf64>, %c: i1) -> tensor<f64> {
  %z = nacho.assign (%x = %a[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %c0 = arith.constant true
    // expected-error @below {{has a region, inside of an assignment}}
    %0 = scf.if %c0 -> f64 {
      scf.yield %x : f64
    } else {
      scf.yield %x : f64
    }
    %1 = nacho.reduce add %0 over [i] : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<f64>
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest_that_reduces_by_differences(%A0: !A0) {
  // expected-error @below {{cannot reduce by a difference}}
  nacho.nest reduce sub : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

func.func @sort_by_nothing(%values: memref<?xf64>, %status: memref<i32>, %n: index) {
  // expected-error @below {{needs coordinates to sort by}}
  "nacho.sort"(%values, %status, %n) <{operandSegmentSizes = array<i32: 0, 0, 0, 1, 1, 1>}>
      : (memref<?xf64>, memref<i32>, index) -> ()
  return
}

// -----

func.func @sort_without_extents(%crd: memref<?xi32>, %values: memref<?xf64>,
                                %status: memref<i32>, %n: index) {
  // expected-error @below {{needs one extent per array of coordinates}}
  nacho.sort (%crd) below () with %values status %status threads %n
      : (memref<?xi32>) with memref<?xf64> status memref<i32>
  return
}

// -----

func.func @sort_by_bytes(%crd: memref<?xi8>, %values: memref<?xf64>, %status: memref<i32>,
                         %n: index) {
  // expected-error @below {{sorts by coordinates of 32 or 64 bits, not 'memref<?xi8>'}}
  nacho.sort (%crd) below (%n) with %values status %status threads %n
      : (memref<?xi8>) with memref<?xf64> status memref<i32>
  return
}

// -----

func.func @sorted_sum(%A: tensor<?xf64>) -> tensor<f64> {
  // expected-error @below {{is sorted and cannot reduce}}
  %z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i] : f64
    nacho.yield %0 : f64
  } {sorted}
  return %z : tensor<f64>
}

// -----

func.func @sorted_init(%A: tensor<?xf64>, %B: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{is sorted and cannot start from another tensor}}
  %z = nacho.assign (%a = %A[i] : tensor<?xf64>) init(%B : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  } {sorted}
  return %z : tensor<?xf64>
}

// -----

func.func @order_of_numbers(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{order must be a list of names of indices}}
  %z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  } {order = [1]}
  return %z : tensor<?xf64>
}

// -----

func.func @sorted_block(%x: tensor<?xf64>, %N: index) {
  // expected-error @below {{can only sort or scan a list of entries, not 'tensor<?xf64>'}}
  %y = nacho.nest sorted : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @ahead_of_a_dense_coordinate(%A1: !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) -> index {
  // expected-error @below {{needs a child with a stored coordinate, not a '!nacho.fiber<}}
  %0 = nacho.ahead %A1 by 16 : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
  return %0 : index
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @ahead_of_nothing(%A2: !nacho.fiber<tensor<?x?xf64, #CSR>, 2>) -> index {
  // expected-error @below {{must look ahead}}
  %0 = nacho.ahead %A2 by 0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
  return %0 : index
}

// -----

func.func @row_without_encoding(%D: tensor<?x?xf64>, %i: index) {
  // expected-error @below {{needs an encoded dense tensor, got 'tensor<?x?xf64>'}}
  nacho.prefetch_row %D[%i] : tensor<?x?xf64>
  return
}

// -----

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
func.func @row_with_all_coordinates(%D: tensor<?x?xf64, #Dense>, %i: index) {
  // expected-error @below {{has 2 coordinates for a row of 'tensor<?x?xf64}}
  nacho.prefetch_row %D[%i, %i] : tensor<?x?xf64, #Dense>
  return
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @recall_too_deep(%L1: !nacho.fiber<tensor<?x?xi64, #List>, 1>) -> index {
  // expected-error @below {{recalls level 2 of 'tensor<?x?xi64}}
  %0 = nacho.recall %L1 below 1 : !nacho.fiber<tensor<?x?xi64, #List>, 1>
  return %0 : index
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @fiber_of_another(%A0: !nacho.fiber<tensor<?xf64, #V>, 0>, %p: index)
    -> !nacho.fiber<tensor<?xf32, #V>, 1> {
  // expected-error @below {{cannot get a}}
  %0 = nacho.fiber_at %A0[%p]
      : !nacho.fiber<tensor<?xf64, #V>, 0> -> !nacho.fiber<tensor<?xf32, #V>, 1>
  return %0 : !nacho.fiber<tensor<?xf32, #V>, 1>
}

// -----

func.func @find_in_an_array(%A0: !nacho.fiber<tensor<?xf64>, 0>, %k: index) {
  // expected-error @below {{cannot look into a '!nacho.fiber<tensor<?xf64>, 0>': its children need unique coordinates}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?xf64>, 0>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @find_rows_that_are_dense(%A0: !nacho.fiber<tensor<?x?xf64, #CSR>, 0>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
  return
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @find_one_of_several(%A0: !nacho.fiber<tensor<?x?xf64, #COO>, 0>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?x?xf64, #COO>, 0>
  return
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @find_in_a_run(%A1: !nacho.fiber<tensor<?x?xf64, #COO>, 1>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A1 : !nacho.fiber<tensor<?x?xf64, #COO>, 1>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @find_in_an_element(%A1: !nacho.fiber<tensor<?xf64, #V>, 1>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A1 : !nacho.fiber<tensor<?xf64, #V>, 1>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @find_by_values(%A0: !nacho.fiber<tensor<?xf64, #V>, 0>, %k: index,
                          %table: !nacho.workspace<f64>) {
  // expected-error @below {{looks for positions in a '!nacho.workspace<f64>'}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?xf64, #V>, 0> by %table : !nacho.workspace<f64>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @find_by_coordinates(%A0: !nacho.fiber<tensor<?xf64, #V>, 0>, %k: index,
                               %table: !nacho.workspace<none>) {
  // expected-error @below {{looks for positions in a '!nacho.workspace<none>'}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?xf64, #V>, 0> by %table : !nacho.workspace<none>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @scanned_numbers(%x: tensor<?xf64, #V>) {
  %A0 = nacho.root %x : tensor<?xf64, #V>
  // expected-error @below {{can only scan costs, which are i64}}
  %y = nacho.nest scanned : tensor<?xf64, #V> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xf64, #V>, 0>) in %A1 {
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf64, #V>, 1>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @sorted_sums(%x: tensor<?xf64, #V>) {
  %A0 = nacho.root %x : tensor<?xf64, #V>
  // expected-error @below {{cannot sort or scan what it reduces}}
  %y = nacho.nest sorted reduce add : tensor<?xf64, #V> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xf64, #V>, 0>) in %A1 {
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf64, #V>, 1>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{cannot reduce by a quotient}}
    %0 = nacho.reduce div %a over [j] : f64
    nacho.yield %0 : f64
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest_that_reduces_by_quotients(%A0: !A0) {
  // expected-error @below {{cannot reduce by a quotient}}
  nacho.nest reduce div : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Sums by coordinate
//===----------------------------------------------------------------------===//

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @partial_sums_in_order(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #List> {
  // expected-error @below {{has partial sums, which must be sorted by coordinates}}
  %E = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [j, part] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  } {partial}
  return %E : tensor<?x?xf64, #List>
}

// -----

func.func @partial_sums_of_no_part(%A: tensor<?xf64>) -> tensor<f64> {
  // expected-error @below {{has partial sums, which must be sorted by coordinates}}
  %E = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    nacho.yield %a : f64
  } {partial, sorted}
  return %E : tensor<f64>
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @part_of_an_operand(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #List> {
  // expected-error @below {{result index 'i' tells parts apart, but is an operand's}}
  %E = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [j, i] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  } {partial, sorted}
  return %E : tensor<?x?xf64, #List>
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @two_indices_of_no_operand(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #List> {
  // expected-error @below {{result index 'k' is an index of no operand}}
  %E = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [k, part] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  } {partial, sorted}
  return %E : tensor<?x?xf64, #List>
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @workspace_in_order(%x: tensor<?xf64>, %N: index) {
  // expected-error @below {{can only collect sums in a workspace}}
  %E = nacho.nest workspace : tensor<?x?xf64, #List> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      %part = nacho.part
      nacho.append %a at (%i, %part) : f64
    }
    nacho.yield
  }
  return
}

// -----

func.func @part_of_nothing() -> index {
  // expected-error @below {{must be inside a nacho.nest}}
  %part = nacho.part
  return %part : index
}

// -----

func.func @slot_of_nobody() -> index {
  // expected-error @below {{must be inside a nacho.parallel}}
  %slot = nacho.slot
  return %slot : index
}

// -----

func.func @keys_of_16_bits(%keys: memref<?x?xi16>, %marks: memref<?x?xi64>, %n: index,
                           %status: memref<i32>) {
  // expected-error @below {{has coordinates of 32 or 64 bits, not 'memref<?x?xi16>'}}
  %w = nacho.workspace marks %marks keys %keys row %n extent %n status %status
      : memref<?x?xi64> keys memref<?x?xi16> status memref<i32> -> !nacho.workspace<none>
  return
}

// -----

func.func @workspace_of_others(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>,
                               %values: memref<?x?xf64>, %n: index, %status: memref<i32>) {
  // expected-error @below {{is a '!nacho.workspace<f32>', but its elements are 'f64'}}
  %w = nacho.workspace marks %marks keys %keys with %values row %n extent %n status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
      -> !nacho.workspace<f32>
  return
}

// -----

func.func @workspace_without_elements(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>,
                                      %n: index, %status: memref<i32>) {
  // expected-error @below {{is a '!nacho.workspace<f64>', but its elements are 'none'}}
  %w = nacho.workspace marks %marks keys %keys row %n extent %n status %status
      : memref<?x?xi64> keys memref<?x?xi32> status memref<i32> -> !nacho.workspace<f64>
  return
}

// -----

func.func @insert_another_type(%w: !nacho.workspace<f64>, %k: index, %v: f32) {
  // expected-error @below {{adds 'f32' to a '!nacho.workspace<f64>'}}
  %new = nacho.insert %v : f32 at %k into %w : !nacho.workspace<f64>
  return
}

// -----

func.func @insert_nothing(%w: !nacho.workspace<f64>, %k: index) {
  // expected-error @below {{adds 'none' to a '!nacho.workspace<f64>'}}
  %new = nacho.insert at %k into %w : !nacho.workspace<f64>
  return
}

// -----

func.func @lookup_in_a_set(%w: !nacho.workspace<none>, %k: index) {
  // expected-error @below {{result #0 must be}}
  %v, %isThere = nacho.lookup %k in %w : !nacho.workspace<none>
  return
}

// -----

func.func @drain_an_index(%w: index) {
  // expected-error @below {{expected a workspace, got 'index'}}
  nacho.drain %k, %v of %w : index {
  }
  return
}

// -----

func.func @drain_elements_of_a_set(%w: !nacho.workspace<none>) {
  // expected-error @below {{a set has no elements}}
  nacho.drain %k, %v of %w : !nacho.workspace<none> {
  }
  return
}

// -----

func.func @drain_coordinates_only(%w: !nacho.workspace<f64>) {
  // expected-error @below {{expected a name for the element}}
  nacho.drain %k of %w : !nacho.workspace<f64> {
  }
  return
}

// -----

func.func @drain_without_elements(%w: !nacho.workspace<f64>) {
  // expected-error @below {{body takes a coordinate, its element, and what is carried}}
  "nacho.drain"(%w) ({
  ^bb0(%k: index):
    nacho.yield
  }) : (!nacho.workspace<f64>) -> ()
  return
}

// -----

func.func @drain_loses_what_it_carries(%w: !nacho.workspace<f64>, %n: index) {
  // expected-error @below {{must yield what it carries}}
  %m = nacho.drain %k, %v of %w iter_args(%c = %n : index) : !nacho.workspace<f64> {
  }
  return
}

// -----

func.func @drain_another_type(%w: !nacho.workspace<f64>, %n: index) {
  // expected-error @below {{must yield what it carries}}
  %m = nacho.drain %k, %v of %w iter_args(%c = %n : index) : !nacho.workspace<f64> {
    nacho.yield %v : f64
  }
  return
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

// -----

func.func @quotient_of_integers(%x: i32) -> i32 {
  // expected-error @below {{div is not defined on integers: 'i32'}}
  %0 = nacho.binary div %x, %x : i32
  return %0 : i32
}

// -----

func.func @function_of_an_integer(%x: ui8) -> ui8 {
  // expected-error @below {{sqrt is not defined on integers: 'ui8'}}
  %0 = nacho.unary sqrt %x : ui8
  return %0 : ui8
}

// -----

func.func @complex_size(%x: complex<f64>) {
  // expected-error @below {{inferred type(s) 'f64' are incompatible with return type(s) of operation 'complex<f64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "nacho.unary"(%x) <{kind = #nacho<unary_kind abs>}> : (complex<f64>) -> complex<f64>
  return
}

// -----

func.func @comparison_of_two_types(%x: f64, %y: f32) {
  // expected-error @below {{requires all operands to have the same type}}
  %0 = "nacho.compare"(%x, %y) <{kind = #nacho<compare_kind eq>}> : (f64, f32) -> i1
  return
}

// -----

func.func @order_of_complex_numbers(%x: complex<f64>) -> i1 {
  // expected-error @below {{le needs an order, which 'complex<f64>' has not}}
  %0 = nacho.compare le %x, %x : complex<f64>
  return %0 : i1
}

// -----

func.func @choice_of_two_types(%c: i1, %x: f64, %y: f32) {
  // expected-error @below {{failed to verify that all of {onTrue, onFalse, result} have same type}}
  %0 = "nacho.select"(%c, %x, %y) : (i1, f64, f32) -> f64
  return
}

// -----

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

func.func @flatten(%A: tensor<?x?xf64, #CSR>) {
  // expected-error @below {{needs a list or a tree of unique entries in order, got 'tensor<?x?xf64}}
  %flat = nacho.flatten %A : tensor<?x?xf64, #CSR>
  return
}

// -----

func.func @flatten(%A: tensor<?x?xf64>) {
  // expected-error @below {{needs a list or a tree of entries, got 'tensor<?x?xf64>'}}
  %flat = nacho.flatten %A : tensor<?x?xf64>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

func.func @unflatten(%A: tensor<?x?xf64, #CSR>, %key: index) {
  // expected-error @below {{needs a list or a tree of unique entries in order, got 'tensor<?x?xf64}}
  %i = nacho.unflatten 0 of %key in %A : tensor<?x?xf64, #CSR>
  return
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>

func.func @unflatten(%A: tensor<?x?xf64, #COO>, %key: index) {
  // expected-error @below {{wants level 2 of 'tensor<?x?xf64}}
  %i = nacho.unflatten 2 of %key in %A : tensor<?x?xf64, #COO>
  return
}
