// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.recall.

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @recall_too_deep(%L1: !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>) -> index {
  // expected-error @below {{recalls level 2 of 'tensor<?x?xi64}}
  %0 = nacho.recall %L1 below 1 : !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
  return %0 : index
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @recall_from_any_list(%A1: !nacho.fiber<tensor<?x?xi64, #List>, 1>) -> index {
  // expected-error @below {{recalls what only a scanned_list keeps from a '!nacho.fiber<tensor<?x?xi64}}
  %0 = nacho.recall %A1 below 0 : !nacho.fiber<tensor<?x?xi64, #List>, 1>
  return %0 : index
}
