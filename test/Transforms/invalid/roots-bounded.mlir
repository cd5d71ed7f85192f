// RUN: nacho-opt %s -verify-diagnostics -nacho-assemble-outputs

// A nest that was not cut by `nacho-partition-loops` may lack roots, too.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @looked_for_in_the_callers_fiber(%A: tensor<?xf64, #SV>, %B0: !A0, %parts: index)
    -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %total = nacho.cost <nnz> %A0 : !A0
  %cuts = nacho.partition %total of (%A0) into %parts loops [[0]] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  // expected-error @below {{needs the roots of its operands to be cut}}
  %Z = nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64, #SV> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) {
      %B1 = nacho.find %i in %B0 : !A0
      %b = nacho.load %B1 : !A1
      nacho.append %b at (%i) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}
