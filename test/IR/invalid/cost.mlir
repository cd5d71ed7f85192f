// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.cost.

func.func @cost(%A1: !nacho.fiber<tensor<?xf64>, 1>) {
  // expected-error @below {{an element has no children}}
  nacho.cost <nnz> %A1 : !nacho.fiber<tensor<?xf64>, 1>
  return
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @cost_below_everything(%A0: !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>) {
  // expected-error @below {{counts 2 levels below the first of 2}}
  %0 = nacho.cost <loops> %A0 below 2 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
  return
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @entries_below(%A0: !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>) {
  // expected-error @below {{counts entries, which are below all levels}}
  %0 = nacho.cost <nnz> %A0 below 1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
  return
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @scan_of_any_list(%A0: !nacho.fiber<tensor<?x?xi64, #List>, 0>) {
  // expected-error @below {{adds up costs, which only a scanned_list has, of a '!nacho.fiber<tensor<?x?xi64}}
  %0 = nacho.cost <scan> %A0 : !nacho.fiber<tensor<?x?xi64, #List>, 0>
  return
}
