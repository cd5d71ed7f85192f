// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.root.

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @numbers(%A: tensor<?x?xf64, #List>) {
  // expected-error @below {{a scanned_list is a list of costs, which are i64, not a 'tensor<?x?xf64}}
  %A0 = nacho.root %A scanned_list : tensor<?x?xf64, #List>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @unsaid(%A: tensor<?xf64, #V>, %cost: i64) {
  %A0 = nacho.root %A : tensor<?xf64, #V>
  %L = nacho.nest collect<scanned_list> : tensor<?xi64, #V> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xf64, #V>, 0>) in %A1 {
      nacho.append %cost at (%i) : i64
    }
    nacho.yield
  }
  // expected-error @below {{reads a scanned_list but not as one}}
  %L0 = nacho.root %L : tensor<?xi64, #V>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @not_scanned(%A: tensor<?xi64, #V>) {
  %A0 = nacho.root %A : tensor<?xi64, #V>
  %Z = nacho.nest collect<sorted_list> : tensor<?xi64, #V> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?xi64, #V>, 0>) in %A1 {
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xi64, #V>, 1>
      nacho.append %a at (%i) : i64
    }
    nacho.yield
  }
  // expected-error @below {{reads as a scanned_list what is collected sorted_list}}
  %Z0 = nacho.root %Z scanned_list : tensor<?xi64, #V>
  return
}
