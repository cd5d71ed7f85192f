// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a cost model that charges nothing}}
module attributes { test.model = #nacho.cost_model<> } {}

// -----

// expected-error @below {{a cost model that charges steps twice}}
module attributes { test.model = #nacho.cost_model<steps, entries, 2 * steps> } {}

// -----

// expected-error @below {{the weight of entries must be positive, not 0}}
module attributes { test.model = #nacho.cost_model<0 * entries> } {}

// -----

// expected-error @below {{the weight of units must be positive, not -3}}
module attributes { test.model = #nacho.cost_model<entries, -3 * units> } {}

// -----

// expected-error @below {{nothing is called 'nnz' that a cost model can charge}}
module attributes { test.model = #nacho.cost_model<nnz> } {}

// -----

// expected-error @below {{the weight of products must be at most 65536, not 65537}}
module attributes { test.model = #nacho.cost_model<65537 * products> } {}
