// RUN: nacho-opt %s -split-input-file -verify-diagnostics -nacho-remap-intersections
// RUN: nacho-opt %s -split-input-file -verify-diagnostics -nacho-partition-loops

// The parts of a nest have known costs, and its operands known positions at a cut, only if every
// fiber can be followed to the root of its tensor.

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
func.func @row_from_the_caller(%A: tensor<?x?xf64, #DCSR>, %B1: !A1) -> tensor<?x?xf64, #DCSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  // expected-error @below {{needs the roots of its operands to be cut}}
  %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1, %B2 = %B1 : !A1) in intersect(%A2, %B2) {
        %b = nacho.load %B2 : !A2
        nacho.append %b at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @looked_for_in_the_callers_fiber(%A: tensor<?xf64, #SV>, %B0: !A0) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{needs the roots of its operands to be cut}}
  %Z = nacho.nest : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      %B1 = nacho.find %i in %B0 : !A0
      %b = nacho.load %B1 : !A1
      nacho.append %b at (%i) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
func.func @position_that_no_list_kept(%A: tensor<?x?xf64, #DCSR>, %pos: index) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %A1 = nacho.fiber_at %A0[%pos] certain : !A0 -> !A1
  // expected-error @below {{needs the roots of its operands to be cut}}
  %Z = nacho.nest : tensor<?xf64, #SV> {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      nacho.append %a at (%j) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

// What is carried around a loop may be any fiber.
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @carried(%A: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{needs the roots of its operands to be cut}}
  %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
    %last = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 iter_args(%B0 = %A0 : !A0) {
      nacho.coiterate %j of (%B1 = %B0 : !A0) in %B1 {
        %b = nacho.load %B1 : !A1
        nacho.append %b at (%i, %j) : f64
      }
      nacho.yield %B0 : !A0
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #DCSR>
}
