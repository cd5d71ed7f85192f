// RUN: nacho-opt %s -nacho-concretize -split-input-file -verify-diagnostics

// What the pass refuses, by message.

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @negative_formats(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense) }>
func.func @blocks(%A: tensor<4x4xf64, #BSR>) -> tensor<4x4xf64, #CSR> {
  // expected-error @below {{d0 mod 2 : dense, d1 mod 2 : dense) }>>' has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<4x4xf64, #BSR>)
      -> [i, j] : tensor<4x4xf64, #CSR> {
    nacho.yield %a : f64
  }
  return %Z : tensor<4x4xf64, #CSR>
}

// -----

#SLICE = #sparse_tensor.encoding<{
  map = (d0 : #sparse_tensor<slice(2, 4, 1)>, d1) -> (d0 : dense, d1 : compressed) }>
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @slice(%A: tensor<?x?xf64, #SLICE>) -> tensor<?x?xf64, #CSR> {
  // expected-error @below {{has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #SLICE>) -> [i, j] : tensor<?x?xf64, #CSR> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

#ONES = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), explicitVal = 5.0 : f64 }>
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @explicit_value(%A: tensor<?x?xf64, #ONES>) -> tensor<?x?xf64, #CSR> {
  // expected-error @below {{has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #ONES>) -> [i, j] : tensor<?x?xf64, #CSR> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

// Coordinates of a singleton under unique ones, interleaved with these or not, and those
// of runs that end with the last level.

#AOS = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : singleton) }>
func.func @unique_above_interleaved(%A: tensor<?x?xf64, #AOS>) -> tensor<?x?xf64> {
  // expected-error @below {{d1 : singleton) }>>' has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #AOS>) -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64>
}

// -----

#S = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : singleton(soa)) }>
func.func @unique_above_singleton(%A: tensor<?x?xf64, #S>) -> tensor<?x?xf64> {
  // expected-error @below {{has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #S>) -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64>
}

// -----

#RUNS = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed(nonunique)) }>
func.func @duplicates(%A: tensor<?xf64, #RUNS>) -> tensor<?xf64> {
  // expected-error @below {{has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #RUNS>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?xf64>
}

// -----

// Runs over which there is no singleton.

#RUNS = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : compressed) }>
func.func @runs(%A: tensor<?x?xf64, #RUNS>) -> tensor<?x?xf64> {
  // expected-error @below {{has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #RUNS>) -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64>
}

// -----

// Only operands have gaps between fibers.

#LOOSE = #sparse_tensor.encoding<{ map = (d0) -> (d0 : loose_compressed) }>
func.func @gaps(%A: tensor<?xf64, #LOOSE>) -> tensor<?xf64, #LOOSE> {
  // expected-error @below {{the result of type 'tensor<?xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : loose_compressed) }>>' has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #LOOSE>) -> [i] : tensor<?xf64, #LOOSE> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?xf64, #LOOSE>
}

// -----

#UNORDERED = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed(nonordered)) }>
func.func @unordered(%A: tensor<?xf64>) -> tensor<?xf64, #UNORDERED> {
  // expected-error @below {{the result of type 'tensor<?xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed(nonordered)) }>>' has levels that are not supported}}
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64, #UNORDERED> {
    %zero = arith.constant 0.0 : f64
    %0 = nacho.binary mul %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64, #UNORDERED>
}

// -----

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @transposed(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  // expected-error @below {{operand 1 is stored in the order (j, i) but the loops run in the order (i, j), which would need a transposition}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, i] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

// Of the result.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
func.func @transposed_result(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSC> {
  // expected-error @below {{operand 0 is stored in the order (i, j) but the loops run in the order (j, i), which would need a transposition}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSC> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #CSC>
}

// -----

// Of reduced indices.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @transposed_reduction(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<f64> {
  // expected-error @below {{is stored in the order (j, i) but the loops run in the order (i, j), which would need a transposition}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, i] : tensor<?x?xf64, #CSR>)
      -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<f64>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @diagonal(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  // expected-error @below {{operand 1 repeats index "i": a diagonal is not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, i] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
func.func @scatter(%A: tensor<?x?xf64, #CSC>, %x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{operand 0 stores index "j", which is reduced over, outside of index "i" of the result, which would need a scatter}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSC>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?xf64>
}

// -----

//===----------------------------------------------------------------------===//
// Zeros
//===----------------------------------------------------------------------===//

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @plus_one(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  // expected-error @below {{is not zero where all operands are, so that its result would be dense}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %one = arith.constant 1.0 : f64
    %0 = nacho.binary add %a, %one : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

// A scalar operand counts as non-zero, and so does what the pass does not know.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @unknown_operator(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  // expected-error @below {{is not zero where all operands are, so that its result would be dense}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = math.cos %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

// Also where it is one of several terms.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @number_and_reduction(%A: tensor<?x?xf64, #CSR>, %s: tensor<f64>) -> tensor<?xf64, #SV> {
  // expected-error @below {{is not zero where all operands are, so that its result would be dense}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %f = %s[] : tensor<f64>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.reduce add %a over [j] : f64
    %1 = nacho.binary add %0, %f : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

func.func @product_of_reductions(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    // expected-error @below {{'nacho.binary' op of a reduction is not supported: only sums of reductions are}}
    %1 = nacho.binary mul %0, %0 : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?xf64>
}

// -----

func.func @function_of_a_reduction(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    // expected-error @below {{'math.sqrt' op of a reduction is not supported: only sums of reductions are}}
    %1 = math.sqrt %0 : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?xf64>
}

// -----

func.func @reduction_of_a_reduction(%A: tensor<?x?xf64>) -> tensor<f64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [] : tensor<f64> {
    %0 = nacho.reduce max %a over [j] : f64
    // expected-error @below {{'nacho.reduce' op of a reduction is not supported}}
    %1 = nacho.reduce add %0 over [i] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<f64>
}

// -----

func.func @max_and_sum(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  // expected-error @below {{uses a reduction that is no sum as a term of one: not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [j] : f64
    %1 = nacho.reduce add %a over [j] : f64
    %2 = nacho.binary sub %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?xf64>
}

// -----

// What the assignment starts from is a term.

func.func @max_and_init(%A: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @below {{uses a reduction that is no sum as a term of one: not supported}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) init(%y : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64>
}

// -----

// -(max a) is not max (-a).

func.func @negated_maximum(%a: tensor<?xf64>) -> tensor<f64> {
  // expected-error @below {{uses a reduction that is no sum as a term of one: not supported}}
  %z = nacho.assign (%x = %a[i] : tensor<?xf64>) -> [] : tensor<f64> {
    %0 = nacho.reduce max %x over [i] : f64
    %1 = nacho.unary neg %0 : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<f64>
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @unsolved(%A: tensor<?xf64, #SV>) -> tensor<8xf64, #SV> {
  %I = nacho.coordinates : tensor<8xi64>
  // expected-error @below {{operand 0 stores index "m", which follows from others (--nacho-solve-equations)}}
  %Z = nacho.assign (%a = %A[m] : tensor<?xf64, #SV>, %i = %I[i] : tensor<8xi64>) where (m = i + 1)
      -> [i] : tensor<8xf64, #SV> {
    nacho.yield %a : f64
  }
  return %Z : tensor<8xf64, #SV>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @slice(%A: tensor<?xf64, #SV>) -> tensor<4xf64, #SV> {
  %S = nacho.slice %A[1] [4] [2] : tensor<?xf64, #SV> to tensor<4xf64, #SV>
  // expected-error @below {{operand 0 is a sparse slice (--nacho-list-slices)}}
  %Z = nacho.assign (%s = %S[i] : tensor<4xf64, #SV>) -> [i] : tensor<4xf64, #SV> {
    nacho.yield %s : f64
  }
  return %Z : tensor<4xf64, #SV>
}
