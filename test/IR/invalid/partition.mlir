// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.partition.

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @partition(%n: index, %A0: !A0) {
  // expected-error @below {{loops do not match the type of the cuts}}
  nacho.partition %n of (%A0) into %n loops [] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @partition(%n: index, %A0: !A0) {
  // expected-error @below {{region takes the query and two cuts of type '!nacho.cut<1>'}}
  nacho.partition %n of (%A0) into %n loops [[0]] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @partition(%n: index, %A0: !A0) {
  // expected-error @below {{region must yield one '!nacho.cut<1>'}}
  nacho.partition %n of (%A0) into %n loops [[0]] delta 1 : !A0 -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %query : index
  }
  return
}

// -----

func.func @partition(%n: index) {
  // expected-error @below {{needs the extent of a loop without operands}}
  nacho.partition %n of () into %n loops [[]] delta 1 -> !nacho.cuts<0> {
  ^bb0(%query: index, %lo: !nacho.cut<0>, %hi: !nacho.cut<0>):
    nacho.yield %lo : !nacho.cut<0>
  }
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @delta(%A0: !nacho.fiber<tensor<?xf64, #SV>, 0>, %n: index, %parts: index) {
  // expected-error @below {{a bound of the cost is at least 0, or -1 for none}}
  %cuts = nacho.partition %n of (%A0) into %parts loops [[0]] delta -2
      : !nacho.fiber<tensor<?xf64, #SV>, 0> -> !nacho.cuts<1> {
  ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.yield %lo : !nacho.cut<1>
  }
  return
}
