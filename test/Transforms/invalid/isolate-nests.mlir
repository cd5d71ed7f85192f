// RUN: nacho-opt %s -nacho-isolate-nests -split-input-file -verify-diagnostics

// The last nest is the function's result.

func.func @first_is_returned(%x: tensor<?xf64>, %N: index) -> tensor<?xf64> {
  %y = nacho.nest : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  // expected-error @below {{must be what its function returns}}
  %z = nacho.nest : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %y[%i] : tensor<?xf64>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return %y : tensor<?xf64>
}

// -----

func.func private @log()

func.func @effect(%x: tensor<?xf64>, %N: index) -> tensor<?xf64> {
  %y = nacho.nest : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  // expected-error @below {{has an effect next to several nests}}
  func.call @log() : () -> ()
  %z = nacho.nest : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %y[%i] : tensor<?xf64>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return %z : tensor<?xf64>
}
