// RUN: nacho-opt %s -nacho-split-blocks -split-input-file -verify-diagnostics

// The blocks of j are those of i, which has none in the same tensor.

#ROWS = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j floordiv 2 : compressed, j mod 2 : dense) }>
// expected-error @below {{has blocks, but not of an index that is in blocks: not supported; convert it}}
func.func @square(%A: tensor<?x?xf64, #ROWS>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #ROWS>, %b = %A[j, i] : tensor<?x?xf64, #ROWS>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// -----

#TWO = #sparse_tensor.encoding<{ map = (i) -> (i floordiv 2 : compressed, i mod 2 : dense) }>
#THREE = #sparse_tensor.encoding<{ map = (i) -> (i floordiv 3 : compressed, i mod 3 : dense) }>
func.func @sizes(%A: tensor<?xf64, #TWO>, %B: tensor<?xf64, #THREE>) -> tensor<?xf64> {
  // expected-error @below {{index "i" is in blocks of 2 and of 3: not supported}}
  %z = nacho.assign (%a = %A[i] : tensor<?xf64, #TWO>, %b = %B[i] : tensor<?xf64, #THREE>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<?xf64>
}

// -----

#TWO = #sparse_tensor.encoding<{ map = (i) -> (i floordiv 2 : compressed, i mod 2 : dense) }>
// expected-error @below {{extent 5 of 'tensor<5xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 floordiv 2 : compressed, d0 mod 2 : dense) }>>' is not a multiple of the blocks of 2}}
func.func @extent(%A: tensor<5xf64, #TWO>) -> tensor<5xf64> {
  %z = nacho.assign (%a = %A[i] : tensor<5xf64, #TWO>) -> [i] : tensor<5xf64> {
    nacho.yield %a : f64
  }
  return %z : tensor<5xf64>
}

// -----

#TWO = #sparse_tensor.encoding<{ map = (i) -> (i floordiv 2 : compressed, i mod 2 : dense) }>
// expected-error @below {{a tensor in blocks can only be an argument, or be assigned}}
func.func @elsewhere(%A: tensor<?xf64, #TWO>) -> (tensor<?xf64>, index) {
  %zero = arith.constant 0 : index
  %z = nacho.assign (%a = %A[i] : tensor<?xf64, #TWO>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  %n = tensor.dim %A, %zero : tensor<?xf64, #TWO>
  return %z, %n : tensor<?xf64>, index
}
