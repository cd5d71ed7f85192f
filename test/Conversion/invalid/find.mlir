// RUN: nacho-opt %s -split-input-file -verify-diagnostics -convert-nacho-loops-to-scf

// A child is found in a table of its fiber's children, which belongs to the same function.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @fiber_from_the_caller(%A0: !A0, %k: index) -> i1 {
  // expected-error @below {{needs fibers of tensors with supported levels, and cuts, that this function makes itself}}
  %A1 = nacho.find %k in %A0 : !A0
  %isThere = nacho.present %A1 : !A1
  return %isThere : i1
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @fiber_and_table_from_the_caller(%A0: !A0, %k: index, %table: !nacho.workspace<i32>) -> i1 {
  // expected-error @below {{needs fibers of tensors with supported levels, and cuts, that this function makes itself}}
  %A1 = nacho.find %k in %A0 : !A0 by %table : !nacho.workspace<i32>
  %isThere = nacho.present %A1 : !A1
  return %isThere : i1
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @no_table(%A: tensor<?xf64, #SV>, %k: index) -> i1 {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{needs a table of the positions of the fiber's children, which nacho-assemble-outputs makes}}
  %A1 = nacho.find %k in %A0 : !A0
  %isThere = nacho.present %A1 : !A1
  return %isThere : i1
}
