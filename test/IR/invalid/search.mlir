// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.search.

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @search(%query: index, %A1: !A1, %cut: !nacho.cut<1>) {
  // expected-error @below {{expected fibers with children}}
  %i, %rest, %A2, %lo1, %hi1 = nacho.search %query of (%A1)
      between %cut, %cut : !A1, !nacho.cut<1> {
  ^bb0(%x: index, %pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<>) {
  // expected-error @below {{expected a cut through the searched loop}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<> {
  ^bb0(%x: index, %pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<2>) {
  // expected-error @below {{searches 1 fibers between cuts of type '!nacho.cut<2>'}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<2> {
  ^bb0(%x: index, %pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<1>) {
  // expected-error @below {{region takes the coordinate and one position per fiber}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<1> {
  ^bb0(%pos: index):
    nacho.yield %pos : index
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @search(%query: index, %A0: !A0, %cut: !nacho.cut<1>) {
  // expected-error @below {{region must yield one cost}}
  %i, %rest, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %cut, %cut : !A0, !nacho.cut<1> {
  ^bb0(%x: index, %pos: index):
    nacho.yield
  }
  return
}

// -----

func.func @search(%query: index, %cut: !nacho.cut<0>) {
  // expected-error @below {{needs fibers or the number of coordinates}}
  %i, %rest, %lo1, %hi1 = nacho.search %query of () between %cut, %cut : !nacho.cut<0> {
  ^bb0(%x: index):
    nacho.yield %x : index
  }
  return
}
