// RUN: nacho-opt %s -split-input-file -verify-diagnostics

func.func @widths(%x: f32) -> i64 {
  // expected-error @below {{of 'f32' is no 'i64'}}
  %0 = nacho.bitcast %x : f32 to i64
  return %0 : i64
}

// -----

func.func @parts(%x: complex<f32>) -> i64 {
  // expected-error @below {{of 'complex<f32>' is no 'i64'}}
  %0 = nacho.bitcast %x : complex<f32> to i64
  return %0 : i64
}
