// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.restrict.

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @restrict(%v: f64, %A1: !A1, %B1: !A1) {
  // expected-error @below {{must name every fiber, in order of appearance}}
  "nacho.restrict"(%v, %A1, %B1) <{merge = #nacho.merge<intersect(1, 0)>}>
      : (f64, !A1, !A1) -> f64
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @restrict(%v: f64, %A1: !A1, %B1: !A1) {
  // expected-error @below {{must name every fiber, in order of appearance}}
  "nacho.restrict"(%v, %A1, %B1) <{merge = #nacho.merge<0>}> : (f64, !A1, !A1) -> f64
  return
}

// -----

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @restrict(%v: f64, %A1: !A1) {
  // expected-error @below {{merge expression names operand 1 of 1}}
  "nacho.restrict"(%v, %A1) <{merge = #nacho.merge<union(0, 1)>}> : (f64, !A1) -> f64
  return
}
