// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of the types and attributes of the dialect.

// expected-error @below {{fiber at level 3 of a tensor with 2 levels}}
func.func private @f(!nacho.fiber<tensor<?x?xf64>, 3>)

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
// expected-error @below {{a scanned_list is a list of costs, which are i64, not a 'tensor<?x?xi64, #sparse_tensor}}
func.func private @f(!nacho.fiber<tensor<?x?xi64, #CSR>, 0, scanned_list>)

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
// expected-error @below {{a scanned_list is a list of costs, which are i64, not a 'tensor<?xf64, #sparse_tensor}}
func.func private @f(!nacho.fiber<tensor<?xf64, #V>, 0, scanned_list>)

// -----

// expected-error @below {{expected 'scanned_list'}}
func.func private @f(!nacho.fiber<tensor<?xi64>, 0, sorted_list>)

// -----

// expected-error @below {{cut through a loop of -1 operands}}
func.func private @f(!nacho.cut<2, -1>)

// -----

// expected-error @below {{cut through a loop of -2 operands}}
func.func private @f(!nacho.cuts<-2>)

// -----

// expected-error @below {{expected integer value}}
module attributes {test.merge = #nacho.merge<both(0, 1)>} {}

// -----

// expected-error @below {{expected the number of an operand}}
module attributes {test.merge = #nacho.merge<union(-1)>} {}
