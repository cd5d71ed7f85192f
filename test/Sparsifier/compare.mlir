// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// An unordered comparison of two matrices, of which none, one or both are
// sparse, gives the same truth values.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#elementwise = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @less_dense(%a: tensor<3x4xf64>, %b: tensor<3x4xf64>,
                      %init: tensor<3x4xi8>) -> tensor<3x4xi8> {
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<3x4xf64>, tensor<3x4xf64>)
      outs(%init : tensor<3x4xi8>) {
  ^bb0(%p: f64, %q: f64, %out: i8):
    %less = arith.cmpf ult, %p, %q : f64
    %byte = arith.extui %less : i1 to i8
    linalg.yield %byte : i8
  } -> tensor<3x4xi8>
  return %x : tensor<3x4xi8>
}

func.func @less_left_sparse(%a: tensor<3x4xf64, #DCSR>, %b: tensor<3x4xf64>)
    -> tensor<3x4xi8, #DCSR> {
  %empty = tensor.empty() : tensor<3x4xi8, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<3x4xf64, #DCSR>, tensor<3x4xf64>)
      outs(%empty : tensor<3x4xi8, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: i8):
    %less = arith.cmpf ult, %p, %q : f64
    %byte = arith.extui %less : i1 to i8
    linalg.yield %byte : i8
  } -> tensor<3x4xi8, #DCSR>
  return %x : tensor<3x4xi8, #DCSR>
}

func.func @less_both_sparse(%a: tensor<3x4xf64, #DCSR>,
                            %b: tensor<3x4xf64, #DCSR>)
    -> tensor<3x4xi8, #DCSR> {
  %empty = tensor.empty() : tensor<3x4xi8, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<3x4xf64, #DCSR>, tensor<3x4xf64, #DCSR>)
      outs(%empty : tensor<3x4xi8, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: i8):
    %less = arith.cmpf ult, %p, %q : f64
    %byte = arith.extui %less : i1 to i8
    linalg.yield %byte : i8
  } -> tensor<3x4xi8, #DCSR>
  return %x : tensor<3x4xi8, #DCSR>
}

func.func @show(%x: tensor<3x4xi8>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i8
  %read = vector.transfer_read %x[%c0, %c0], %pad
      : tensor<3x4xi8>, vector<3x4xi8>
  vector.print %read : vector<3x4xi8>
  return
}

func.func @main() {
  %a = arith.constant dense<[[0.0, 2.0, -1.5, 0.0],
                             [0.0, 0.0, 0.0, 0.0],
                             [4.0, 0.5, 0.0, 0x7FF8000000000000]]>
      : tensor<3x4xf64>
  %b = arith.constant dense<[[1.0, 2.0, 0.0, -3.0],
                             [0.0, 0.0, 6.0, 0.0],
                             [0.0, 1.0, 0.0, 1.0]]> : tensor<3x4xf64>
  %init = arith.constant dense<0> : tensor<3x4xi8>
  %sa = sparse_tensor.convert %a : tensor<3x4xf64> to tensor<3x4xf64, #DCSR>
  %sb = sparse_tensor.convert %b : tensor<3x4xf64> to tensor<3x4xf64, #DCSR>

  %0 = call @less_dense(%a, %b, %init)
      : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xi8>) -> tensor<3x4xi8>
  %1 = call @less_left_sparse(%sa, %b)
      : (tensor<3x4xf64, #DCSR>, tensor<3x4xf64>) -> tensor<3x4xi8, #DCSR>
  %2 = call @less_both_sparse(%sa, %sb)
      : (tensor<3x4xf64, #DCSR>, tensor<3x4xf64, #DCSR>)
      -> tensor<3x4xi8, #DCSR>
  %d1 = sparse_tensor.convert %1 : tensor<3x4xi8, #DCSR> to tensor<3x4xi8>
  %d2 = sparse_tensor.convert %2 : tensor<3x4xi8, #DCSR> to tensor<3x4xi8>

  // CHECK:      ( ( 1, 0, 1, 0 ), ( 0, 0, 1, 0 ), ( 0, 1, 0, 1 ) )
  // CHECK-NEXT: ( ( 1, 0, 1, 0 ), ( 0, 0, 1, 0 ), ( 0, 1, 0, 1 ) )
  // CHECK-NEXT: ( ( 1, 0, 1, 0 ), ( 0, 0, 1, 0 ), ( 0, 1, 0, 1 ) )
  call @show(%0) : (tensor<3x4xi8>) -> ()
  call @show(%d1) : (tensor<3x4xi8>) -> ()
  call @show(%d2) : (tensor<3x4xi8>) -> ()

  bufferization.dealloc_tensor %sa : tensor<3x4xf64, #DCSR>
  bufferization.dealloc_tensor %sb : tensor<3x4xf64, #DCSR>
  bufferization.dealloc_tensor %0 : tensor<3x4xi8>
  bufferization.dealloc_tensor %1 : tensor<3x4xi8, #DCSR>
  bufferization.dealloc_tensor %2 : tensor<3x4xi8, #DCSR>
  bufferization.dealloc_tensor %d1 : tensor<3x4xi8>
  bufferization.dealloc_tensor %d2 : tensor<3x4xi8>
  return
}
