// RUN: nacho-opt %s -nacho-partition-loops=cost=nnz+loops -verify-diagnostics

// The entries of such a nest can be counted, the steps of its middle loop cannot.

#CDC = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?x?xf64, #CDC>, 0>
!A1 = !nacho.fiber<tensor<?x?x?xf64, #CDC>, 1>
!A2 = !nacho.fiber<tensor<?x?x?xf64, #CDC>, 2>
!A3 = !nacho.fiber<tensor<?x?x?xf64, #CDC>, 3>
func.func @dense_inside_sparse(%A: tensor<?x?x?xf64, #CDC>) -> tensor<?x?x?xf64, #CDC> {
  %A0 = nacho.root %A : tensor<?x?x?xf64, #CDC>
  // expected-error @below {{a loop over all coordinates inside a sparse one has no steps that the model can count}}
  %Z = nacho.nest : tensor<?x?x?xf64, #CDC> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
        nacho.coiterate %k of (%A3 = %A2 : !A2) in %A3 {
          %a = nacho.load %A3 : !A3
          nacho.append %a at (%i, %j, %k) : f64
        }
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?x?xf64, #CDC>
}
