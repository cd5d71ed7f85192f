// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.binary.

func.func @maximum_of_complex_numbers(%a: complex<f64>) -> complex<f64> {
  // expected-error @below {{max needs an order, which 'complex<f64>' has not}}
  %0 = nacho.binary max %a, %a : complex<f64>
  return %0 : complex<f64>
}

// -----

func.func @quotient_of_integers(%x: i32) -> i32 {
  // expected-error @below {{div is not defined on integers: 'i32'}}
  %0 = nacho.binary div %x, %x : i32
  return %0 : i32
}
