// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of the types and attributes of the dialect.

// expected-error @below {{fiber at level 3 of a tensor with 2 levels}}
func.func private @f(!nacho.fiber<tensor<?x?xf64>, 3>)

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
