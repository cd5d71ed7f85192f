// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.insert.

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
