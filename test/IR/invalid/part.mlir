// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.part.

func.func @part_of_nothing() -> index {
  // expected-error @below {{must be inside a nacho.nest}}
  %part = nacho.part
  return %part : index
}
