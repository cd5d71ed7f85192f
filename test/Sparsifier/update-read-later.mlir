// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s

// Who updates a tensor that is read later, also by a function that called this one,
// gets another tensor. With its runtime library, --sparsifier refuses that.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>
#update = {
  indexing_maps = [affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @negate(%x: tensor<4xf64, #Vector>) -> tensor<4xf64, #Vector> {
  %y = linalg.generic #update outs(%x : tensor<4xf64, #Vector>) {
  ^bb0(%value: f64):
    %negative = arith.negf %value : f64
    linalg.yield %negative : f64
  } -> tensor<4xf64, #Vector>
  return %y : tensor<4xf64, #Vector>
}

func.func @through(%x: tensor<4xf64, #Vector>) -> tensor<4xf64, #Vector> {
  %y = call @negate(%x) : (tensor<4xf64, #Vector>) -> tensor<4xf64, #Vector>
  return %y : tensor<4xf64, #Vector>
}

func.func @main() {
  %dense = arith.constant dense<[0.0, 2.0, 0.0, 1.0]> : tensor<4xf64>
  %x = sparse_tensor.convert %dense : tensor<4xf64> to tensor<4xf64, #Vector>
  %y = call @through(%x) : (tensor<4xf64, #Vector>) -> tensor<4xf64, #Vector>
  // CHECK: values : ( -2, -1 )
  // CHECK: values : ( 2, 1 )
  sparse_tensor.print %y : tensor<4xf64, #Vector>
  sparse_tensor.print %x : tensor<4xf64, #Vector>
  bufferization.dealloc_tensor %x : tensor<4xf64, #Vector>
  bufferization.dealloc_tensor %y : tensor<4xf64, #Vector>
  return
}
