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

// -----

func.func @of_a_number(%s: tensor<f64>, %A: tensor<?xi1>) -> tensor<?xi1> {
  %Z = nacho.assign (%x = %s[] : tensor<f64>, %a = %A[i] : tensor<?xi1>)
      -> [i] : tensor<?xi1> {
    // expected-error @below {{takes an element of a tensor, not a number}}
    %0 = nacho.stored %x : f64
    %1 = nacho.binary andbits %0, %a : i1
    nacho.yield %1 : i1
  }
  return %Z : tensor<?xi1>
}
