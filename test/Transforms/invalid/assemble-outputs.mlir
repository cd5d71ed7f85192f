// RUN: nacho-opt %s -nacho-assemble-outputs -split-input-file -verify-diagnostics

// The pass wants what the two passes before it leave.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @not_partitioned(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{must be partitioned and bounded first}}
  %Z = nacho.nest : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @not_bounded(%A: tensor<?xf64, #SV>, %cuts: !nacho.cuts<1>) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{must be partitioned and bounded first}}
  %Z = nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @cuts_from_elsewhere(%A: tensor<?xf64, #SV>, %cuts: !nacho.cuts<1>) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{must be all that its function does}}
  %Z = nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64, #SV> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) {
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
// expected-error @below {{is used, but its nest replaces it by several functions}}
func.func @called(%A: tensor<?xf64, #SV>, %parts: index) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %total = nacho.cost <nnz> %A0 : !A0
  %cuts = nacho.partition %total of (%A0) into %parts loops [[0]] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  %Z = nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64, #SV> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) {
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}
func.func @caller(%A: tensor<?xf64, #SV>, %parts: index) -> tensor<?xf64, #SV> {
  %Z = call @called(%A, %parts) : (tensor<?xf64, #SV>, index) -> tensor<?xf64, #SV>
  return %Z : tensor<?xf64, #SV>
}
