// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.unary.

func.func @function_of_an_integer(%x: ui8) -> ui8 {
  // expected-error @below {{sqrt is not defined on integers: 'ui8'}}
  %0 = nacho.unary sqrt %x : ui8
  return %0 : ui8
}

// -----

func.func @complex_size(%x: complex<f64>) {
  // expected-error @below {{inferred type(s) 'f64' are incompatible with return type(s) of operation 'complex<f64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "nacho.unary"(%x) <{kind = #nacho<unary_kind abs>}> : (complex<f64>) -> complex<f64>
  return
}

// -----

func.func @bits_of_a_float(%x: f64) -> f64 {
  // expected-error @below {{notbits is defined on integers only: 'f64'}}
  %0 = nacho.unary notbits %x : f64
  return %0 : f64
}
