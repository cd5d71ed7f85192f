// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{must combine two elements of type 'f64'}}
nacho.monoid @one identity 0.0 : f64 {
^bb0(%x: f64):
  nacho.yield %x : f64
}

// -----

// expected-error @below {{must yield one 'f64'}}
nacho.monoid @none identity 0.0 : f64 {
^bb0(%x: f64, %y: f64):
  nacho.yield
}

// -----

nacho.monoid @reads identity 0.0 : f64 {
^bb0(%x: f64, %y: f64):
  // expected-error @below {{combines no elements: it has effects or a region}}
  %0 = memref.alloc() : memref<f64>
  nacho.yield %x : f64
}

// -----

func.func @f(%A: tensor<?xf64>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    // expected-error @below {{reduces by @missing, which is no monoid}}
    %0 = nacho.reduce @missing %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<f64>
}

// -----

nacho.monoid @first identity 0 : i32 {
^bb0(%x: i32, %y: i32):
  nacho.yield %x : i32
}
func.func @f(%A: tensor<?xf64>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    // expected-error @below {{reduces elements of type 'f64' by @first, which combines those of type 'i32'}}
    %0 = nacho.reduce @first %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<f64>
}

// -----

func.func @f(%A: tensor<?xf64>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    // expected-error @below {{begins from a number of another type: 'i32'}}
    %0 = nacho.reduce add from 1 : i32 %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<f64>
}

// -----

func.func @f(%A: tensor<?xf64>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    // expected-error @below {{'most' is no binary operator}}
    %0 = nacho.reduce most %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<f64>
}
