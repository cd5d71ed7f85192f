// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.limit.

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
