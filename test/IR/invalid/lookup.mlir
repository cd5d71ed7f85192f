// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.lookup.

func.func @lookup_in_a_set(%w: !nacho.workspace<none>, %k: index) {
  // expected-error @below {{result #0 must be}}
  %v, %isThere = nacho.lookup %k in %w : !nacho.workspace<none>
  return
}
