// RUN: nacho-opt %s -split-input-file -verify-diagnostics \
// RUN:   -pass-pipeline='builtin.module(func.func(convert-nacho-loops-to-scf),convert-nacho-storage-to-memref)'

// What the lowerings cannot take they refuse: never a crash, never a silent skip.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @fiber_from_the_caller(%A0: !A0) {
  // expected-error @below {{needs fibers of tensors with supported levels, and cuts, that this function makes itself}}
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
  }
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @cut_from_the_caller(%A: tensor<?xf64, #SV>, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{needs fibers of tensors with supported levels, and cuts, that this function makes itself}}
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) {
  }
  return
}

// -----

func.func @not_encoded(%A: tensor<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64>
  // expected-error @below {{needs fibers of tensors with supported levels, and cuts, that this function makes itself}}
  nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xf64>, 0>) in %A1 {
  }
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @cost_of_the_callers_fiber(%A0: !nacho.fiber<tensor<?xf64, #SV>, 0>) -> index {
  // expected-error @below {{needs fibers of tensors with supported levels, and cuts, that this function makes itself}}
  %cost = nacho.cost <nnz> %A0 : !nacho.fiber<tensor<?xf64, #SV>, 0>
  return %cost : index
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @nest(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{must be assembled before its loops can be lowered}}
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
func.func @partition(%A: tensor<?xf64, #SV>, %n: index, %parts: index) -> !nacho.cuts<1> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{must be assembled before its searches can be lowered}}
  %cuts = nacho.partition %n of (%A0) into %parts loops [[0]] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  return %cuts : !nacho.cuts<1>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func private @outside(tensor<?xf64, #SV>)
func.func @calls_outside(%A: tensor<?xf64, #SV>) {
  // expected-error @below {{passes a sparse tensor to an external function}}
  call @outside(%A) : (tensor<?xf64, #SV>) -> ()
  return
}
