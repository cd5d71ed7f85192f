// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.recall.

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @recall_too_deep(%L1: !nacho.fiber<tensor<?x?xi64, #List>, 1>) -> index {
  // expected-error @below {{recalls level 2 of 'tensor<?x?xi64}}
  %0 = nacho.recall %L1 below 1 : !nacho.fiber<tensor<?x?xi64, #List>, 1>
  return %0 : index
}
