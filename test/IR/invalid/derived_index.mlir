// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of #nacho.derived_index.

// expected-error @below {{divides by -2}}
module attributes {test.equation = #nacho.derived_index<i = m over -2>} {}

// -----

// expected-error @below {{has index "m" twice}}
module attributes {test.equation = #nacho.derived_index<i = m + 2 * m>} {}
