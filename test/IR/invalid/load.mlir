// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.load.

func.func @load(%A0: !nacho.fiber<tensor<?xf64>, 0>) {
  // expected-error @below {{needs an element, got '!nacho.fiber<tensor<?xf64>, 0>'}}
  nacho.load %A0 : !nacho.fiber<tensor<?xf64>, 0>
  return
}
