// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.slice.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

func.func @stored_otherwise(%A: tensor<?x?xf64, #CSR>) {
  // expected-error @below {{of 'tensor<?x?xf64, #sparse_tensor}}
  nacho.slice %A[0, 0] [4, 4] [1, 1] : tensor<?x?xf64, #CSR> to tensor<4x4xf64>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

func.func @another_rank(%A: tensor<?x?xf64>) {
  // expected-error @below {{of 'tensor<?x?xf64>' cannot be stored as 'tensor<4xf64>'}}
  nacho.slice %A[0] [4] [1] : tensor<?x?xf64> to tensor<4xf64>
  return
}

// -----

#BSR = #sparse_tensor.encoding<{ map = (i, j) -> (
  i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense) }>

func.func @blocks(%A: tensor<8x8xf64, #BSR>) {
  // expected-error @below {{needs a whole tensor that is not in blocks, got 'tensor<8x8xf64}}
  nacho.slice %A[0, 0] [4, 4] [1, 1] : tensor<8x8xf64, #BSR> to tensor<4x4xf64, #BSR>
  return
}

// -----

func.func @slice_of_slice(%A: tensor<8xf64>) {
  %S = nacho.slice %A[0] [4] [2] : tensor<8xf64> to tensor<4xf64>
  // expected-error @below {{needs a whole tensor that is not in blocks, got 'tensor<4xf64>'}}
  nacho.slice %S[1] [2] [1] : tensor<4xf64> to tensor<2xf64>
  return
}

// -----

func.func @number_missing(%A: tensor<?x?xf64>) {
  // expected-error @below {{needs an offset, a size and a stride for each of 2 dimensions}}
  nacho.slice %A[0, 0] [4, 4] [1] : tensor<?x?xf64> to tensor<4x4xf64>
  return
}

// -----

func.func @stride_of_zero(%A: tensor<?x?xf64>) {
  // expected-error @below {{has a negative offset or size, or a stride of less than 1, in dimension 1}}
  nacho.slice %A[0, 0] [4, 4] [1, 0] : tensor<?x?xf64> to tensor<4x4xf64>
  return
}

// -----

func.func @another_size(%A: tensor<?x?xf64>) {
  // expected-error @below {{has another size in dimension 0 than 'tensor<4x4xf64>'}}
  nacho.slice %A[0, 0] [5, 4] [1, 1] : tensor<?x?xf64> to tensor<4x4xf64>
  return
}
