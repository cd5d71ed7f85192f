// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.assign.

func.func @assign(%A: f64) {
  // expected-error @below {{expected a ranked tensor type}}
  nacho.assign (%a = %A[] : f64) -> [] : tensor<f64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{needs one access per operand}}
  %Z = "nacho.assign"(%A) <{
    accesses = [], resultAccess = [], operandSegmentSizes = array<i32: 1, 0>
  }> ({
  ^bb0(%a: f64):
    nacho.yield %a : f64
  }) : (tensor<?xf64>) -> tensor<f64>
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{accesses must be lists of names of indices}}
  %Z = "nacho.assign"(%A) <{
    accesses = ["i"], resultAccess = ["i"], operandSegmentSizes = array<i32: 1, 0>
  }> ({
  ^bb0(%a: f64):
    nacho.yield %a : f64
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{accesses must be lists of names of indices}}
  %Z = "nacho.assign"(%A) <{
    accesses = [["i"]], resultAccess = [0], operandSegmentSizes = array<i32: 1, 0>
  }> ({
  ^bb0(%a: f64):
    nacho.yield %a : f64
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return
}

// -----

func.func @assign(%A: tensor<?xf64>, %B: tensor<?xf64>) {
  // expected-error @below {{operand 1 of rank 1 is accessed by 2 indices}}
  nacho.assign (%a = %A[i] : tensor<?xf64>, %b = %B[i, j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{the result of rank 2 is accessed by 1 indices}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?x3xf64>, %B: tensor<5x?xf64>) {
  // expected-error @below {{index 'j' has the extents 3 and 5}}
  nacho.assign (%a = %A[i, j] : tensor<?x3xf64>, %b = %B[j, i] : tensor<5x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<4xf64>) {
  // expected-error @below {{index 'i' has the extents 4 and 2}}
  nacho.assign (%a = %A[i] : tensor<4xf64>) -> [i] : tensor<2xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{result index 'j' is an index of no operand}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{result index 'i' is repeated}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i, i] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{body takes one element of each operand}}
  %Z = "nacho.assign"(%A) <{
    accesses = [["i"]], resultAccess = ["i"], operandSegmentSizes = array<i32: 1, 0>
  }> ({
    %0 = arith.constant 0.0 : f64
    nacho.yield %0 : f64
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return
}

// -----

func.func @assign(%A: tensor<?xf32>) {
  // expected-error @below {{must yield one 'f64'}}
  nacho.assign (%a = %A[i] : tensor<?xf32>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f32
  }
  return
}

// -----

// The body sees nothing but its arguments.

func.func @assign(%A: tensor<?xf64>, %s: f64) {
  // expected-note @below {{required by region isolation constraints}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    // expected-error @below {{using value defined outside the region}}
    %0 = nacho.binary mul %s, %a : f64
    nacho.yield %0 : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?x?xf64>) {
  // expected-error @below {{index "j" is neither the result's nor reduced over}}
  nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @init(%A: tensor<?xf64>, %Y: tensor<?xf32>) {
  // expected-error @below {{starts from 'tensor<?xf32>' but results in 'tensor<?xf64>'}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) init(%Y : tensor<?xf32>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign_with_a_region(%a: tensor<?xf64>, %c: i1) -> tensor<f64> {
  %z = nacho.assign (%x = %a[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %c0 = arith.constant true
    // expected-error @below {{has a region, inside of an assignment}}
    %0 = scf.if %c0 -> f64 {
      scf.yield %x : f64
    } else {
      scf.yield %x : f64
    }
    %1 = nacho.reduce add %0 over [i] : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<f64>
}

// -----

func.func @sorted_sum(%A: tensor<?xf64>) -> tensor<f64> {
  // expected-error @below {{collects complete entries (sorted_list) and cannot reduce}}
  %z = nacho.assign collect<sorted_list> (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<f64>
}

// -----

func.func @sorted_init(%A: tensor<?xf64>, %B: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{collects complete entries (sorted_list) and cannot start from another tensor}}
  %z = nacho.assign collect<sorted_list> (%a = %A[i] : tensor<?xf64>) init(%B : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return %z : tensor<?xf64>
}

// -----

func.func @order_of_numbers(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{order must be a list of names of indices}}
  %z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  } {order = [1]}
  return %z : tensor<?xf64>
}

// -----

func.func @contract_of_numbers(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{contract must be a list of names of indices}}
  %z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  } {contract = [1]}
  return %z : tensor<?xf64>
}

// -----

func.func @sizes_of_another_rank(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{sizes must be a number of entries and the extents}}
  %z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  } {sizes = array<i64: 7>}
  return %z : tensor<?xf64>
}

// -----

// expected-error @below {{'nacho.sizes' of argument 0 is not a number of entries and the extents, nor these and the skew of each dimension}}
func.func @skew_of_another_rank(%A: tensor<?x?xf64> {nacho.sizes = array<i64: 9, 4, 4, 1>}) {
  return
}

// -----

// expected-error @below {{'nacho.sizes' of argument 0 is not a number of entries and the extents, nor these and the skew of each dimension}}
func.func @skew_of_zero(%A: tensor<?x?xf64> {nacho.sizes = array<i64: 9, 4, 4, 1, 0>}) {
  return
}

// -----

func.func @partial_sums_of_no_part(%A: tensor<?xf64>) -> tensor<f64> {
  // expected-error @below {{collects part_sums, for which the result needs an index}}
  %E = nacho.assign collect<part_sums> (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    nacho.yield %a : f64
  }
  return %E : tensor<f64>
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @part_of_an_operand(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #List> {
  // expected-error @below {{result index 'i' tells parts apart, but is an operand's}}
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64>) -> [j, i] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @two_indices_of_no_operand(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #List> {
  // expected-error @below {{result index 'k' is an index of no operand}}
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64>) -> [k, part] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @scanned_assignment(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #List> {
  // expected-error @below {{cannot collect a scanned_list: only a nest does}}
  %E = nacho.assign collect<scanned_list> (%a = %A[i, j] : tensor<?x?xf64>) -> [i, j] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// -----

func.func @whole_rows_of_a_scalar(%A: tensor<?xf64>) -> tensor<f64> {
  // expected-error @below {{collects whole_rows, for which the result needs an index}}
  %s = nacho.assign collect<whole_rows> (%a = %A[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %s : tensor<f64>
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @reduced_part_sums(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #List> {
  // expected-error @below {{collects complete entries (part_sums) and cannot reduce}}
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64>) -> [j, part] : tensor<?x?xf64, #List> {
    %0 = nacho.reduce add %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// -----

func.func @collects_somehow(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{expected ::nacho::CollectKind to be one of: in_order, sorted_list, part_sums, whole_rows, scanned_list}}
  // expected-error @below {{failed to parse Nacho_CollectAttr parameter 'value'}}
  %z = nacho.assign collect<in_any_order> (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return %z : tensor<?xf64>
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{has two equations for index "m"}}
  nacho.assign (%a = %A[m] : tensor<?xf64>, %b = %A[i] : tensor<?xf64>)
      where (m = i, m = 2 * i) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{rounds index "m" down, which can only be done for a sorted list}}
  nacho.assign (%a = %A[m] : tensor<?xf64>, %b = %A[i] : tensor<?xf64>)
      where (m = i floordiv 2) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{uses index "m" before its equation}}
  nacho.assign (%a = %A[m] : tensor<?xf64>, %b = %A[i] : tensor<?xf64>)
      where (n = m, m = i) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @assign(%A: tensor<?xf64>) {
  // expected-error @below {{has no operand that tells the extent of index "i"}}
  nacho.assign (%a = %A[m] : tensor<?xf64>) where (m = i) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @extent_of_derived_index(%A: tensor<?xf64>) {
  // expected-error@+1 {{has no operand that tells the extent of index "m"}}
  nacho.assign (%a = %A[i] : tensor<?xf64>) where (m = i + 1) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

// Verifiers look at what a region yields before MLIR has verified that it does.

func.func @no_terminator(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{has a region that does not end with 'nacho.yield'}}
  %0 = "nacho.assign"(%A) <{accesses = [["i"]], resultAccess = ["i"],
                            operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: f64):
    %1 = "arith.addf"(%a, %a) : (f64, f64) -> f64
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

func.func @another_terminator(%A: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{has a region that does not end with 'nacho.yield'}}
  %0 = "nacho.assign"(%A) <{accesses = [["i"]], resultAccess = ["i"],
                            operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: f64):
    "func.return"(%a) : (f64) -> ()
  }) : (tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
