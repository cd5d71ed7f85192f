// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Sparse vectors are scaled, added and multiplied, the latter also into a vector of
// all entries and into a scalar.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#Full = #sparse_tensor.encoding<{ map = (i) -> (i : dense) }>

#vectors = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

#pairs = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                   affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

// Upstream's suite calls the loop of a dot product parallel, and so does this program.
#dot = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                   affine_map<(i) -> ()>],
  iterator_types = ["parallel"]
}

func.func @scale(%vector: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %four = arith.constant 4.0 : f64
  %size = tensor.dim %vector, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xf64, #Vector>) outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64, %unused: f64):
    %scaled = arith.mulf %value, %four : f64
    linalg.yield %scaled : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @scale_in_place(%vector: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %four = arith.constant 4.0 : f64
  %result = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } outs(%vector : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64):
    %scaled = arith.mulf %value, %four : f64
    linalg.yield %scaled : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @add(%a: tensor<?xf64, #Vector>,
               %b: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Vector>
  %result = linalg.generic #pairs
      ins(%a, %b : tensor<?xf64, #Vector>, tensor<?xf64, #Vector>)
      outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%x: f64, %y: f64, %unused: f64):
    %value = arith.addf %x, %y : f64
    linalg.yield %value : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @multiply(%a: tensor<?xf64, #Vector>,
                    %b: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Vector>
  %result = linalg.generic #pairs
      ins(%a, %b : tensor<?xf64, #Vector>, tensor<?xf64, #Vector>)
      outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%x: f64, %y: f64, %unused: f64):
    %value = arith.mulf %x, %y : f64
    linalg.yield %value : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @multiply_full(%a: tensor<?xf64, #Vector>,
                         %b: tensor<?xf64, #Vector>) -> tensor<?xf64, #Full> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Full>
  %result = linalg.generic #pairs
      ins(%a, %b : tensor<?xf64, #Vector>, tensor<?xf64, #Vector>)
      outs(%empty : tensor<?xf64, #Full>) {
  ^bb0(%x: f64, %y: f64, %unused: f64):
    %value = arith.mulf %x, %y : f64
    linalg.yield %value : f64
  } -> tensor<?xf64, #Full>
  return %result : tensor<?xf64, #Full>
}

func.func @dot(%a: tensor<?xf64, #Vector>, %b: tensor<?xf64, #Vector>,
               %start: tensor<f64>) -> tensor<f64> {
  %result = linalg.generic #dot
      ins(%a, %b : tensor<?xf64, #Vector>, tensor<?xf64, #Vector>)
      outs(%start : tensor<f64>) {
  ^bb0(%x: f64, %y: f64, %partial: f64):
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %partial, %product : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  return %result : tensor<f64>
}

func.func @main() {
  %first = arith.constant 0.75 : f64
  %start = tensor.from_elements %first : tensor<f64>
  %a_dense = arith.constant sparse<
    [[0], [2], [5], [9], [13]], [0.5, 3.0, -2.0, 1.5, 7.0]> : tensor<16xf64>
  %b_dense = arith.constant sparse<
    [[2], [3], [9], [12], [13], [15]], [5.0, -1.0, 4.0, 2.0, 0.25, 9.0]> : tensor<16xf64>
  %a = sparse_tensor.convert %a_dense : tensor<16xf64> to tensor<?xf64, #Vector>
  %changed = sparse_tensor.convert %a_dense : tensor<16xf64> to tensor<?xf64, #Vector>
  %b = sparse_tensor.convert %b_dense : tensor<16xf64> to tensor<?xf64, #Vector>

  %scaled = call @scale(%a) : (tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 5, 9, 13 )
  // CHECK-NEXT: values : ( 2, 12, -8, 6, 28 )
  // CHECK-NEXT: ----
  sparse_tensor.print %scaled : tensor<?xf64, #Vector>
  %in_place = call @scale_in_place(%changed)
      : (tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 5, 9, 13 )
  // CHECK-NEXT: values : ( 2, 12, -8, 6, 28 )
  // CHECK-NEXT: ----
  sparse_tensor.print %in_place : tensor<?xf64, #Vector>
  %sum = call @add(%in_place, %b)
      : (tensor<?xf64, #Vector>, tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 8 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 3, 5, 9, 12, 13, 15 )
  // CHECK-NEXT: values : ( 2, 17, -1, -8, 10, 2, 28.25, 9 )
  // CHECK-NEXT: ----
  sparse_tensor.print %sum : tensor<?xf64, #Vector>
  %product = call @multiply(%in_place, %b)
      : (tensor<?xf64, #Vector>, tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 2, 9, 13 )
  // CHECK-NEXT: values : ( 60, 24, 7 )
  // CHECK-NEXT: ----
  sparse_tensor.print %product : tensor<?xf64, #Vector>
  %full = call @multiply_full(%in_place, %b)
      : (tensor<?xf64, #Vector>, tensor<?xf64, #Vector>) -> tensor<?xf64, #Full>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 16
  // CHECK-NEXT: dim = ( 16 )
  // CHECK-NEXT: lvl = ( 16 )
  // CHECK-NEXT: values : ( 0, 0, 60, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 7, 0, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %full : tensor<?xf64, #Full>
  %dot = call @dot(%in_place, %b, %start)
      : (tensor<?xf64, #Vector>, tensor<?xf64, #Vector>, tensor<f64>) -> tensor<f64>
  %value = tensor.extract %dot[] : tensor<f64>
  // CHECK-NEXT: {{^91\.75$}}
  vector.print %value : f64

  // The vector that was scaled in place has two names.
  bufferization.dealloc_tensor %a : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %changed : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %b : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %scaled : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %sum : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %product : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %full : tensor<?xf64, #Full>
  bufferization.dealloc_tensor %dot : tensor<f64>
  return
}
