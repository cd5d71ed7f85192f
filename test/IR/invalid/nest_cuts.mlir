// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Cuts go through no more loops than the nest has, bounded or not.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @more_cuts_than_loops(%A0: !A0, %cuts: !nacho.cuts<1, 1>) {
  // expected-error @below {{cuts 2 loops of 1}}
  %Z = nacho.nest in %cuts : !nacho.cuts<1, 1> : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}
