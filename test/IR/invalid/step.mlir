// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'nacho.step' is not a #nacho.step of a function}}
module attributes { nacho.step = #nacho.step<inputs = []> } {}

// -----

// expected-error @below {{'nacho.step' is not a #nacho.step of a function}}
func.func private @f(tensor<f64>) attributes { nacho.step = 0 }

// -----

// expected-error @below {{has 1 arguments, but 'nacho.step' has 2 inputs}}
func.func private @f(tensor<f64>) attributes {
  nacho.step = #nacho.step<inputs = [operand 0, operand 1]>
}

// -----

// expected-error @below {{expected 'operand' or 'step'}}
module attributes { test.step = #nacho.step<inputs = [result 0]> } {}

// -----

// expected-error @below {{a step has a loop that is cut}}
module attributes { test.cuts = #nacho.step_cuts<accesses = [], loops = [], cost = <entries>, delta = 1> } {}

// -----

// expected-error @below {{loop "j" names access 1 of 1}}
module attributes { test.cuts = #nacho.step_cuts<
  accesses = [0 of 0], loops = [<"i"[0]>, <"j"[1]>], cost = <entries>, delta = 1> } {}

// -----

// expected-error @below {{the bound of a cut's cost cannot be -2}}
module attributes { test.cuts = #nacho.step_cuts<
  accesses = [0 of 0], loops = [<"i"[0]>], cost = <entries>, delta = -2> } {}

// -----

// expected-error @below {{expected union or intersect, not 'both'}}
module attributes { test.merge = #nacho.step_merge<both(0 of 0, 0 of 1)> } {}

// -----

// expected-error @below {{expected a union or an intersection}}
module attributes { test.merge = #nacho.step_merge<leaf(0 of 0, 0 of 1)> } {}

// -----

// expected-error @below {{a step that fills buffers has a name}}
module attributes { test.buffers = #nacho.step_buffers<name = "", result = tensor<f64>> } {}

// -----

// expected-error @below {{counts cannot have -1 columns}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<f64>, counts = -1> } {}

// -----

// expected-error @below {{a draft needs counts}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<f64>, filling = drafted> } {}

// -----

// expected-error @below {{adds up entries at level 1 of 'tensor<?xf64>'}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<?xf64>, workspaceLevel = 1> } {}

// -----

// expected-error @below {{whole_rows need a level at which they are added up}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<?xf64>, collect = whole_rows> } {}

// -----

// expected-error @below {{part_sums need a level at which they are added up}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<?xf64>, collect = part_sums> } {}

// -----

// expected-error @below {{in_order adds up nothing at any level}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<?xf64>, workspaceLevel = 0> } {}

// -----

// expected-error @below {{a step that fills buffers is cut}}
module attributes { test.step = #nacho.step<
  inputs = [operand 0], buffers = <name = "k", result = tensor<f64>>> } {}

// -----

// expected-error @below {{access 0 is of argument 1 of 1}}
module attributes { test.step = #nacho.step<
  inputs = [operand 0], cuts = <accesses = [0 of 1], loops = [<"i"[0]>], cost = <entries>, delta = 1>> } {}

// -----

// expected-error @below {{level 1 is of argument 2 of 1}}
module attributes { test.step = #nacho.step<
  inputs = [operand 0],
  cuts = <accesses = [0 of 0], loops = [<"i"[0]>], cost = <entries>, delta = 1,
          merge = <union(0 of 0, 1 of 2)>>> } {}

// -----

// expected-error @below {{level 0 is of argument 3 of 1}}
module attributes { test.step = #nacho.step<
  inputs = [operand 0],
  cuts = <accesses = [0 of 0], loops = [<"i"[0]>], cost = <entries>, delta = 1>,
  buffers = <name = "k", result = tensor<f64>, tables = [0 of 3]>> } {}

// -----

// expected-error @below {{level 0 is of argument 3 of 1}}
module attributes { test.step = #nacho.step<
  inputs = [operand 0],
  cuts = <accesses = [0 of 0], loops = [<"i"[0]>], cost = <entries>, delta = 1>,
  buffers = <name = "k", result = tensor<f64>, collect = buckets, buckets = [0 of 3]>> } {}

// -----

// expected-error @below {{buckets needs 1 level of buckets, not 0}}
module attributes { test.buffers = #nacho.step_buffers<
  name = "k", result = tensor<f64>, collect = buckets> } {}

// -----

// expected-error @below {{parts have one or two rows of partials, not 3}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<f64>, partials = [f64], partialRows = 3> } {}

// -----

// expected-error @below {{parts are fixed only where what they add up is added up again}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<f64>, fixedParts = true> } {}

// -----

// expected-error @below {{in_order keeps no positions}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<?xi64>, kept = [0 of 0]> } {}

// -----

// expected-error @below {{2 numbers are not kept in 'tensor<?xi64>'}}
module attributes { test.buffers = #nacho.step_buffers<name = "k", result = tensor<?xi64>, collect = scanned_list, kept = [0 of 0, 0 of 1]> } {}

// -----

// expected-error @below {{reads 1 of 2 inputs}}
module attributes { test.step = #nacho.step<inputs = [operand 0, operand 1], reads = [[["i"]]]> } {}

// -----

// expected-error @below {{the loops over levels have names}}
module attributes { test.step = #nacho.step<inputs = [operand 0], reads = [["i"]]> } {}

// -----

// expected-error @below {{the loops over levels have names}}
module attributes { test.step = #nacho.step<inputs = [operand 0], makes = [["i"]]> } {}

// -----

// expected-error @below {{level 1 is of argument 2 of 1}}
func.func private @f(tensor<?xf64>) attributes {nacho.step = #nacho.step<
  inputs = [operand 0],
  cuts = <accesses = [0 of 0], loops = [<"i"[0]>], cost = <entries>, delta = 1>,
  buffers = <name = "k", result = tensor<?x?xi64>, collect = scanned_list, kept = [number, end 1 of 2]>>}
