// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.nest.

func.func @nest() {
  // expected-error @below {{needs an outermost loop}}
  nacho.nest : tensor<?xf64> {
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0) {
  // expected-error @below {{has bounds but no cuts}}
  nacho.nest : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %cuts: !nacho.cuts<1>) {
  // expected-error @below {{bounds must be two arguments of type '!nacho.cut<1>'}}
  nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<2>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %cuts: !nacho.cuts<1>) {
  // expected-error @below {{bounds must be two arguments of type '!nacho.cut<1>'}}
  nacho.nest in %cuts : !nacho.cuts<1> : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %cuts: !nacho.cuts<1, 0>) {
  // expected-error @below {{cuts 2 loops of 1}}
  nacho.nest in %cuts : !nacho.cuts<1, 0> : tensor<?xf64> {
  ^bb0(%lo: !nacho.cut<1, 0>, %hi: !nacho.cut<1, 0>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %v: f64) {
  // expected-error @below {{finishes no reduction}}
  nacho.nest : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  } finish {
  ^bb0(%x: f64):
    nacho.yield %x : f64
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest(%A0: !A0, %v: f64) {
  // expected-error @below {{must finish with one 'f64'}}
  nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  } finish {
  ^bb0(%x: i32):
    nacho.yield %x : i32
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest_that_reduces_by_differences(%A0: !A0) {
  // expected-error @below {{cannot reduce by a difference}}
  nacho.nest reduce sub : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

func.func @sorted_block(%x: tensor<?xf64>, %N: index) {
  // expected-error @below {{collects its entries in a list (sorted_list), not in a 'tensor<?xf64>'}}
  %y = nacho.nest collect<sorted_list> : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @scanned_numbers(%x: tensor<?xf64, #V>) {
  %A0 = nacho.root %x : tensor<?xf64, #V>
  // expected-error @below {{can only scan costs, which are i64}}
  %y = nacho.nest collect<scanned_list> : tensor<?xf64, #V> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xf64, #V>, 0>) in %A1 {
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf64, #V>, 1>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @buckets_of_no_dense_level(%x: tensor<?x?xf64, #DCSR>) {
  %A0 = nacho.root %x : tensor<?x?xf64, #DCSR>
  // expected-error @below {{collects its entries in buckets, for which}}
  %y = nacho.nest collect<buckets> : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>) in %A2 {
        %a = nacho.load %A2 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
        nacho.append %a at (%j, %i) : f64
      }
    }
    nacho.yield
  }
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @sorted_sums(%x: tensor<?xf64, #V>) {
  %A0 = nacho.root %x : tensor<?xf64, #V>
  // expected-error @below {{collects complete entries (sorted_list) and cannot reduce}}
  %y = nacho.nest collect<sorted_list> reduce add : tensor<?xf64, #V> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xf64, #V>, 0>) in %A1 {
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf64, #V>, 1>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

!A0 = !nacho.fiber<tensor<?xf64>, 0>
func.func @nest_that_reduces_by_quotients(%A0: !A0) {
  // expected-error @below {{cannot reduce by a quotient}}
  nacho.nest reduce div : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @rows_of_no_sums(%x: tensor<?xf64>, %N: index) {
  // expected-error @below {{can only collect sums in whole rows}}
  %E = nacho.nest collect<whole_rows> : tensor<?x?xf64, #List> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      nacho.append %a at (%i, %i) : f64
    }
    nacho.yield
  }
  return
}

// -----

func.func @rows_of_nothing(%x: tensor<?xf64>, %N: index) {
  // expected-error @below {{has no loop outside of its rows}}
  %y = nacho.nest collect<whole_rows> reduce add : tensor<?xf64> {
    nacho.coiterate %j to %N of () in intersect() {
      nacho.coiterate %i to %N of () in intersect() {
        %a = nacho.locate %x[%i] : tensor<?xf64>
        nacho.append %a at (%i) : f64
      }
    }
    nacho.yield
  }
  return
}

// -----

func.func @whole_entries_of_no_sums(%x: tensor<?xf64>, %N: index) {
  // expected-error @below {{has no entries that are reduced in order, so they cannot be whole}}
  %y = nacho.nest whole_entries : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      nacho.append %a at (%i) : f64
    }
    nacho.yield
  }
  return
}

// -----

func.func @whole_entries_of_all(%x: tensor<?xf64>, %N: index) {
  // expected-error @below {{has no entries that are reduced in order, so they cannot be whole}}
  %y = nacho.nest reduce add whole_entries : tensor<f64> {
    nacho.coiterate %i to %N of () in intersect() {
      %a = nacho.locate %x[%i] : tensor<?xf64>
      nacho.append %a at () : f64
    }
    nacho.yield
  }
  return
}
