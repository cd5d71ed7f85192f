// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A dense product is taken at the entries of a sparse matrix, by one operation or by
// two, into dense and into sparse matrices.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#sample = {
  indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
                   affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}

#multiply = {
  indexing_maps = [affine_map<(k, i, j) -> (i, k)>, affine_map<(k, i, j) -> (k, j)>,
                   affine_map<(k, i, j) -> (i, j)>],
  iterator_types = ["reduction", "parallel", "parallel"]
}

#entries = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @dense_at_once(%mask: tensor<6x6xf64, #DCSR>, %a: tensor<6x6xf64>,
                         %b: tensor<6x6xf64>) -> tensor<6x6xf64> {
  %into = arith.constant dense<0.0> : tensor<6x6xf64>
  %result = linalg.generic #sample
      ins(%mask, %a, %b : tensor<6x6xf64, #DCSR>, tensor<6x6xf64>, tensor<6x6xf64>)
      outs(%into : tensor<6x6xf64>) {
  ^bb0(%s: f64, %x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %sampled = arith.mulf %s, %product : f64
    %next = arith.addf %sum, %sampled : f64
    linalg.yield %next : f64
  } -> tensor<6x6xf64>
  return %result : tensor<6x6xf64>
}

func.func @dense_in_two_steps(%mask: tensor<6x6xf64, #DCSR>, %a: tensor<6x6xf64>,
                              %b: tensor<6x6xf64>) -> tensor<6x6xf64> {
  %zeros = arith.constant dense<0.0> : tensor<6x6xf64>
  %product = linalg.generic #multiply
      ins(%a, %b : tensor<6x6xf64>, tensor<6x6xf64>) outs(%zeros : tensor<6x6xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %term = arith.mulf %x, %y : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<6x6xf64>
  %result = linalg.generic #entries
      ins(%product, %mask : tensor<6x6xf64>, tensor<6x6xf64, #DCSR>)
      outs(%zeros : tensor<6x6xf64>) {
  ^bb0(%x: f64, %s: f64, %unused: f64):
    %sampled = arith.mulf %x, %s : f64
    linalg.yield %sampled : f64
  } -> tensor<6x6xf64>
  bufferization.dealloc_tensor %product : tensor<6x6xf64>
  return %result : tensor<6x6xf64>
}

func.func @sparse_at_once(%mask: tensor<6x6xf64, #DCSR>, %a: tensor<6x6xf64>,
                          %b: tensor<6x6xf64>) -> tensor<6x6xf64, #DCSR> {
  %into = tensor.empty() : tensor<6x6xf64, #DCSR>
  %result = linalg.generic #sample
      ins(%mask, %a, %b : tensor<6x6xf64, #DCSR>, tensor<6x6xf64>, tensor<6x6xf64>)
      outs(%into : tensor<6x6xf64, #DCSR>) {
  ^bb0(%s: f64, %x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %sampled = arith.mulf %s, %product : f64
    %next = arith.addf %sum, %sampled : f64
    linalg.yield %next : f64
  } -> tensor<6x6xf64, #DCSR>
  return %result : tensor<6x6xf64, #DCSR>
}

func.func @sparse_in_two_steps(%mask: tensor<6x6xf64, #DCSR>, %a: tensor<6x6xf64>,
                               %b: tensor<6x6xf64>) -> tensor<6x6xf64, #DCSR> {
  %zeros = arith.constant dense<0.0> : tensor<6x6xf64>
  %product = linalg.generic #multiply
      ins(%a, %b : tensor<6x6xf64>, tensor<6x6xf64>) outs(%zeros : tensor<6x6xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %term = arith.mulf %x, %y : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<6x6xf64>
  %into = tensor.empty() : tensor<6x6xf64, #DCSR>
  %result = linalg.generic #entries
      ins(%product, %mask : tensor<6x6xf64>, tensor<6x6xf64, #DCSR>)
      outs(%into : tensor<6x6xf64, #DCSR>) {
  ^bb0(%x: f64, %s: f64, %unused: f64):
    %sampled = arith.mulf %x, %s : f64
    linalg.yield %sampled : f64
  } -> tensor<6x6xf64, #DCSR>
  return %result : tensor<6x6xf64, #DCSR>
}

func.func @show(%dense: tensor<6x6xf64>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f64
  %values = vector.transfer_read %dense[%c0, %c0], %none
      : tensor<6x6xf64>, vector<6x6xf64>
  vector.print %values : vector<6x6xf64>
  return
}

func.func @main() {
  %mask_dense = arith.constant sparse<
    [[0, 2], [3, 0], [3, 5], [5, 1]], [0.5, 3.0, -1.0, 2.0]> : tensor<6x6xf64>
  %mask = sparse_tensor.convert %mask_dense
      : tensor<6x6xf64> to tensor<6x6xf64, #DCSR>
  %a = arith.constant dense<1.5> : tensor<6x6xf64>
  %b = arith.constant dense<4.0> : tensor<6x6xf64>

  %dense_at_once = call @dense_at_once(%mask, %a, %b)
      : (tensor<6x6xf64, #DCSR>, tensor<6x6xf64>, tensor<6x6xf64>) -> tensor<6x6xf64>
  // CHECK:      ( ( 0, 0, 18, 0, 0, 0 ), ( 0, 0, 0, 0, 0, 0 ), ( 0, 0, 0, 0, 0, 0 ), ( 108, 0, 0, 0, 0, -36 ), ( 0, 0, 0, 0, 0, 0 ), ( 0, 72, 0, 0, 0, 0 ) )
  call @show(%dense_at_once) : (tensor<6x6xf64>) -> ()
  %dense_in_two_steps = call @dense_in_two_steps(%mask, %a, %b)
      : (tensor<6x6xf64, #DCSR>, tensor<6x6xf64>, tensor<6x6xf64>) -> tensor<6x6xf64>
  // CHECK-NEXT: ( ( 0, 0, 18, 0, 0, 0 ), ( 0, 0, 0, 0, 0, 0 ), ( 0, 0, 0, 0, 0, 0 ), ( 108, 0, 0, 0, 0, -36 ), ( 0, 0, 0, 0, 0, 0 ), ( 0, 72, 0, 0, 0, 0 ) )
  call @show(%dense_in_two_steps) : (tensor<6x6xf64>) -> ()
  %sparse_at_once = call @sparse_at_once(%mask, %a, %b)
      : (tensor<6x6xf64, #DCSR>, tensor<6x6xf64>, tensor<6x6xf64>)
      -> tensor<6x6xf64, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3, 4 )
  // CHECK-NEXT: crd[1] : ( 2, 0, 5, 1 )
  // CHECK-NEXT: values : ( 18, 108, -36, 72 )
  // CHECK-NEXT: ----
  sparse_tensor.print %sparse_at_once : tensor<6x6xf64, #DCSR>
  %sparse_in_two_steps = call @sparse_in_two_steps(%mask, %a, %b)
      : (tensor<6x6xf64, #DCSR>, tensor<6x6xf64>, tensor<6x6xf64>)
      -> tensor<6x6xf64, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 6, 6 )
  // CHECK-NEXT: lvl = ( 6, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3, 4 )
  // CHECK-NEXT: crd[1] : ( 2, 0, 5, 1 )
  // CHECK-NEXT: values : ( 18, 108, -36, 72 )
  // CHECK-NEXT: ----
  sparse_tensor.print %sparse_in_two_steps : tensor<6x6xf64, #DCSR>

  bufferization.dealloc_tensor %mask : tensor<6x6xf64, #DCSR>
  bufferization.dealloc_tensor %dense_at_once : tensor<6x6xf64>
  bufferization.dealloc_tensor %dense_in_two_steps : tensor<6x6xf64>
  bufferization.dealloc_tensor %sparse_at_once : tensor<6x6xf64, #DCSR>
  bufferization.dealloc_tensor %sparse_in_two_steps : tensor<6x6xf64, #DCSR>
  return
}
