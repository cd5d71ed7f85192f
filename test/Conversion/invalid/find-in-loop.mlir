// RUN: nacho-opt %s -split-input-file -verify-diagnostics -convert-nacho-loops-to-scf

// As in find.mlir, from inside of a loop.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @fiber_from_the_caller(%A: tensor<?xf64, #SV>, %B0: !A0, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    // expected-error @below {{needs fibers of tensors with supported levels, and cuts, that this function makes itself}}
    %B1 = nacho.find %i in %B0 : !A0
    %b = nacho.load %B1 : !A1
    memref.store %b, %out[%i] : memref<?xf64>
  }
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @no_table(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    // expected-error @below {{needs a table of the positions of the fiber's children, which nacho-assemble-outputs makes}}
    %B1 = nacho.find %i in %B0 : !A0
    %b = nacho.load %B1 : !A1
    memref.store %b, %out[%i] : memref<?xf64>
  }
  return
}
