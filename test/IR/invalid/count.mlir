// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.count.

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @count(%A0: !A0, %B0: !A0) {
  // expected-error @below {{'%B0' is not a fiber of this loop}}
  nacho.count of (%A0 : !A0) in union(%A0, %B0)
  return
}

// -----

func.func @count() {
  // expected-error @below {{needs fibers or the number of coordinates}}
  nacho.count of () in union()
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @count(%A1: !A1) {
  // expected-error @below {{cannot count the coordinates of an element}}
  nacho.count of (%A1 : !A1) in %A1
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @count(%A0: !A0) {
  // expected-error @below {{merge expression names operand 1 of 1}}
  "nacho.count"(%A0) <{
    merge = #nacho.merge<union(0, 1)>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>
  }> : (!A0) -> index
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @count(%A0: !A0, %lo: !nacho.cut<1>) {
  // expected-error @below {{needs both cuts or none}}
  "nacho.count"(%A0, %lo) <{
    merge = #nacho.merge<0>, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>
  }> : (!A0, !nacho.cut<1>) -> index
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @count(%A0: !A0, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>) {
  // expected-error @below {{counts the coordinates of 2 fibers but is cut by '!nacho.cut<1>'}}
  nacho.count of (%A0 : !A0, %A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1>)
  return
}

// -----

// Nothing lies inside that the rest of a part could be in.

!A0 = !nacho.fiber<tensor<?x?xf64>, 0>
func.func @count(%A0: !A0, %lo: !nacho.cut<1, 1>, %hi: !nacho.cut<1, 1>) {
  // expected-error @below {{counts the coordinates of 1 fibers but is cut by '!nacho.cut<1, 1>'}}
  nacho.count of (%A0 : !A0) in %A0 between (%lo, %hi : !nacho.cut<1, 1>)
  return
}
