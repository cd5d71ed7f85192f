// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.append.

func.func @append(%v: f64, %i: index) {
  // expected-error @below {{must be inside a nacho.nest}}
  nacho.append %v at (%i) : f64
  return
}

// -----

!A0 = !nacho.fiber<tensor<?x?xf64>, 0>
func.func @append(%A0: !A0, %v: f64) {
  nacho.nest : tensor<?x?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?x?xf64>' a 'f64' at 1 coordinates}}
      nacho.append %v at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @append(%A0: !A0, %v: f32) {
  nacho.nest : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?xf64>' a 'f32' at 1 coordinates}}
      nacho.append %v at (%i) : f32
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @append(%A0: !A0, %v: f64) {
  nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?xf64>' a 'f64' at 1 coordinates}}
      nacho.append %v to 1 at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @append(%A0: !A0, %v: f64) {
  nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      // expected-error @below {{appends to 'tensor<?xf64>' a 'f64' at 1 coordinates}}
      nacho.append %v at (%i) : f64
    }
    nacho.yield
  } finish {
  ^bb0(%x: i32):
    %0 = nacho.cast %x : i32 to f64
    nacho.yield %0 : f64
  }
  return
}
