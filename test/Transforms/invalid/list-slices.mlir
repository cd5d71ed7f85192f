// RUN: nacho-opt %s -nacho-list-slices -split-input-file -verify-diagnostics

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

func.func @start(%A: tensor<?xf64, #SV>, %B: tensor<4xf64, #SV>) -> tensor<4xf64, #SV> {
  %S = nacho.slice %A[1] [4] [2] : tensor<?xf64, #SV> to tensor<4xf64, #SV>
  // expected-error @below {{reads a slice, which only assignments can, and not to start from}}
  %Z = nacho.assign (%b = %B[i] : tensor<4xf64, #SV>) init(%S : tensor<4xf64, #SV>)
      -> [i] : tensor<4xf64, #SV> {
    nacho.yield %b : f64
  }
  return %Z : tensor<4xf64, #SV>
}
