// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// What each pass adds to the contract of a step.
//
// CHECK-LABEL: func.func private @isolated(
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [step 1, operand 0, operand 0]>}
func.func private @isolated(tensor<?xf64>, tensor<f64>, tensor<f64>) -> tensor<?xf64>
  attributes {nacho.step = #nacho.step<inputs = [step 1, operand 0, operand 0]>}

// CHECK-LABEL: func.func private @partitioned(
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 0, operand 1], cuts = <accesses = [0 of 0, 2 of 1, 1 of 1], loops = [<"i"[0, 1]>, <""[]>, <"a \22b\22"[2]>], cost = <entries, 2 * steps>, delta = -1>>}
func.func private @partitioned(tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>, index) -> tensor<f64>
  attributes {nacho.step = #nacho.step<
    inputs = [operand 0, operand 1],
    cuts = <accesses = [0 of 0, 2 of 1, 1 of 1],
            loops = [<"i"[0, 1]>, <""[]>, <"a \"b\""[2]>],
            cost = <entries, 2 * steps>, delta = -1>>}

// CHECK-LABEL: func.func private @k_execute(
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 0, operand 1], cuts = <accesses = [0 of 0, 1 of 1], loops = [<"i"[0, 1]>, <"j"[0, 1]>], cost = <entries>, delta = 2, merge = <union(1 of 0, 1 of 1)>>, buffers = <name = "k", result = tensor<?x?xf64, #[[CSR:.+]]>, counts = 2>>}
func.func private @k_execute(tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>)
  attributes {nacho.step = #nacho.step<
    inputs = [operand 0, operand 1],
    cuts = <accesses = [0 of 0, 1 of 1], loops = [<"i"[0, 1]>, <"j"[0, 1]>], cost = <entries>,
            delta = 2, merge = <union(1 of 0, 1 of 1)>>,
    buffers = <name = "k", result = tensor<?x?xf64, #CSR>, counts = 2>>}

// CHECK-LABEL: func.func private @l_execute(
// CHECK-SAME:    buffers = <name = "l", result = tensor<?x?xf64, #[[CSR]]>, counts = 1, partials = [f64, i32], partialRows = 1, fixedParts = true, collect = whole_rows, filling = drafted, workspaceLevel = 1, tables = [1 of 0, 0 of 0]>>}
func.func private @l_execute(tensor<?x?xf64, #CSR>)
  attributes {nacho.step = #nacho.step<
    inputs = [operand 0],
    cuts = <accesses = [0 of 0], loops = [<"i"[0]>], cost = <entries>, delta = 1>,
    buffers = <name = "l", result = tensor<?x?xf64, #CSR>, counts = 1, partials = [f64, i32],
               partialRows = 1, fixedParts = true, collect = whole_rows, filling = drafted, workspaceLevel = 1,
               tables = [1 of 0, 0 of 0]>>}

// The loops over the levels of what a step reads and makes: of the second input, nothing
// is read by a loop, and of the third, there are two accesses.
//
// CHECK-LABEL: func.func private @named(
// CHECK-SAME:    cost = <entries>, delta = 1>, reads = {{\[\[\["i", "j"\]\], \[\], \[\["i"\], \["j"\]\]\]}}, makes = ["i", ""]>}
func.func private @named(tensor<?x?xf64, #CSR>, tensor<f64>, tensor<?xf64>, index) -> tensor<?x?xf64, #CSR>
  attributes {nacho.step = #nacho.step<
    inputs = [operand 0, operand 1, operand 2],
    cuts = <accesses = [0 of 0], loops = [<"i"[0]>], cost = <entries>, delta = 1>,
    reads = [[["i", "j"]], [], [["i"], ["j"]]], makes = ["i", ""]>}

// A list of pieces keeps a number of an earlier list, where children begin and end, and a
// number that is no position.
//
// CHECK-LABEL: func.func private @p_execute(
// CHECK-SAME:    collect = piece_list, kept = [2 of 1, 1 of 0, end 1 of 0, number]>>}
func.func private @p_execute(tensor<?x?xf64, #CSR>, tensor<?x?x?xi64>)
  attributes {nacho.step = #nacho.step<
    inputs = [operand 1, step 0],
    cuts = <accesses = [1 of 1], loops = [<"i"[0]>], cost = <entries>, delta = -1>,
    buffers = <name = "p", result = tensor<?x?x?x?x?xi64>, counts = 1, collect = piece_list,
               kept = [2 of 1, 1 of 0, end 1 of 0, number]>>}
