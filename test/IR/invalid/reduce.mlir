// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.reduce.

func.func @reduce(%x: f64) -> f64 {
  // expected-error @below {{expects parent op 'nacho.assign'}}
  %0 = nacho.reduce add %x over [j] : f64
  return %0 : f64
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{cannot reduce by a difference}}
    %0 = nacho.reduce sub %a over [j] : f64
    nacho.yield %0 : f64
  }
  return
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{reduces over a list of names of indices}}
    %0 = "nacho.reduce"(%a) <{indices = [0], monoid = #nacho<monoid add>}> : (f64) -> f64
    nacho.yield %0 : f64
  }
  return
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{reduces over index "k", which its value does not have}}
    %0 = nacho.reduce add %a over [j, k] : f64
    nacho.yield %0 : f64
  }
  return
}

// -----

// An index that is reduced over is gone.

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [j] : f64
    // expected-error @below {{reduces over index "j", which its value does not have}}
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return
}

// -----

func.func @reduce(%A: tensor<?x?xf64>) {
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{cannot reduce by a quotient}}
    %0 = nacho.reduce div %a over [j] : f64
    nacho.yield %0 : f64
  }
  return
}
