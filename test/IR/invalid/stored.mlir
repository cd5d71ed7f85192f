// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.stored.

func.func @of_a_sum(%A: tensor<?xf64>) -> tensor<?xi1> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xi1> {
    %0 = nacho.binary add %a, %a : f64
    // expected-error @below {{takes an element of an operand}}
    %1 = nacho.stored %0 : f64
    nacho.yield %1 : i1
  }
  return %Z : tensor<?xi1>
}

// -----

func.func @outside(%x: f64) {
  // expected-error @below {{expects parent op 'nacho.assign'}}
  %0 = nacho.stored %x : f64
  return
}
