// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.extent.

func.func @extent(%A1: !nacho.fiber<tensor<?xf64>, 1>) {
  // expected-error @below {{an element has no children}}
  nacho.extent %A1 : !nacho.fiber<tensor<?xf64>, 1>
  return
}
