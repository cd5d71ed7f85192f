// RUN: %direct-nacho %s | not --crash %run-main 2>&1 | FileCheck %s

// In a tensor in batches, the rows of coordinates are as long as those of values.
//
// CHECK: nacho: error: an operand in batches has room for 2 entries in each batch, but for 3 values

#Batched = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : batch, d1 : compressed) }>

#sum = {
  indexing_maps = [affine_map<(n, i) -> (n, i)>, affine_map<(n, i) -> (n)>],
  iterator_types = ["parallel", "reduction"]
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : tensor<2xf64>
  %pos = arith.constant dense<[[0, 2], [0, 1]]> : tensor<2x2xindex>
  %crd = arith.constant dense<[[0, 3], [1, 0]]> : tensor<2x2xindex>
  %values = arith.constant dense<1.0> : tensor<2x3xf64>
  %A = sparse_tensor.assemble (%pos, %crd), %values
      : (tensor<2x2xindex>, tensor<2x2xindex>), tensor<2x3xf64> to tensor<2x4xf64, #Batched>
  %s = linalg.generic #sum ins(%A : tensor<2x4xf64, #Batched>) outs(%zeros : tensor<2xf64>) {
  ^bb0(%a: f64, %b: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<2xf64>
  %v = vector.transfer_read %s[%c0], %zero : tensor<2xf64>, vector<2xf64>
  vector.print %v : vector<2xf64>
  return
}
