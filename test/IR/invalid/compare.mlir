// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.compare.

func.func @comparison_of_two_types(%x: f64, %y: f32) {
  // expected-error @below {{requires all operands to have the same type}}
  %0 = "nacho.compare"(%x, %y) <{kind = #nacho<compare_kind eq>}> : (f64, f32) -> i1
  return
}

// -----

func.func @order_of_complex_numbers(%x: complex<f64>) -> i1 {
  // expected-error @below {{le needs an order, which 'complex<f64>' has not}}
  %0 = nacho.compare le %x, %x : complex<f64>
  return %0 : i1
}
