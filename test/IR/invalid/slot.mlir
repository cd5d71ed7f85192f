// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.slot.

func.func @slot_of_nobody() -> index {
  // expected-error @below {{must be inside a nacho.parallel}}
  %slot = nacho.slot
  return %slot : index
}
