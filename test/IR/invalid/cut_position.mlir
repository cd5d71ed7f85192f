// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.cut_position.

func.func @loop(%cut: !nacho.cut<2, 1>) -> index {
  // expected-error @below {{operand 0 of loop 2 of a '!nacho.cut<2, 1>'}}
  %0 = nacho.cut_position %cut[2, 0] : !nacho.cut<2, 1>
  return %0 : index
}

// -----

func.func @operand(%cut: !nacho.cut<2, 1>) -> index {
  // expected-error @below {{operand 1 of loop 1 of a '!nacho.cut<2, 1>'}}
  %0 = nacho.cut_position %cut[1, 1] : !nacho.cut<2, 1>
  return %0 : index
}
