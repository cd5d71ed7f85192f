// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.heavy and nacho.row_position.

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!L0 = !nacho.fiber<tensor<?x?xi64, #List>, 0>
!L1 = !nacho.fiber<tensor<?x?xi64, #List>, 1>
func.func @row_of_no_scanned_list(%L: tensor<?x?xi64, #List>) {
  %L0 = nacho.root %L : tensor<?x?xi64, #List>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    // expected-error @below {{compares the costs of rows of a scanned list}}
    %0 = nacho.heavy %L1 : !L1
  }
  return
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!L0 = !nacho.fiber<tensor<?x?xi64, #List>, 0, scanned_list>
func.func @list(%L: tensor<?x?xi64, #List>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?xi64, #List>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    // expected-error @below {{compares the costs of rows of a scanned list}}
    %0 = nacho.heavy %L0 : !L0
  }
  return
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!L0 = !nacho.fiber<tensor<?x?xi64, #List>, 0, scanned_list>
!L1 = !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
func.func @position_of_the_whole_list(%L: tensor<?x?xi64, #List>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?xi64, #List>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    // expected-error @below {{tells where a row of a scanned list is}}
    %0 = nacho.row_position %L0 : !L0
  }
  return
}
