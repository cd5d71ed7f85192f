// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The absolute values of sparse vectors of floats and of integers, with NaNs,
// infinities and the smallest integer among them.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#elementwise = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @absolute_float(%a: tensor<?xf64, #Sparse>)
    -> tensor<?xf64, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf64, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xf64, #Sparse>
  %x = linalg.generic #elementwise
      ins(%a : tensor<?xf64, #Sparse>) outs(%empty : tensor<?xf64, #Sparse>) {
  ^bb0(%in: f64, %out: f64):
    %abs = math.absf %in : f64
    linalg.yield %abs : f64
  } -> tensor<?xf64, #Sparse>
  return %x : tensor<?xf64, #Sparse>
}

func.func @absolute_integer(%a: tensor<?xi32, #Sparse>)
    -> tensor<?xi32, #Sparse> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xi32, #Sparse>
  %empty = tensor.empty(%size) : tensor<?xi32, #Sparse>
  %x = linalg.generic #elementwise
      ins(%a : tensor<?xi32, #Sparse>) outs(%empty : tensor<?xi32, #Sparse>) {
  ^bb0(%in: i32, %out: i32):
    %abs = math.absi %in : i32
    linalg.yield %abs : i32
  } -> tensor<?xi32, #Sparse>
  return %x : tensor<?xi32, #Sparse>
}

func.func @main() {
  %floats = arith.constant sparse<
    [[1], [4], [5], [8], [12], [13], [19]],
    [-2.5, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000000,
     0xFFF0000000000000, 7.25, -100.0]
  > : tensor<20xf64>
  %integers = arith.constant sparse<
    [[0], [2], [7], [9], [18]],
    [-7, 2147483647, -2147483647, -2147483648, 3]
  > : tensor<20xi32>
  %a = sparse_tensor.convert %floats : tensor<20xf64> to tensor<?xf64, #Sparse>
  %b = sparse_tensor.convert %integers
      : tensor<20xi32> to tensor<?xi32, #Sparse>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 20 )
  // CHECK-NEXT: lvl = ( 20 )
  // CHECK-NEXT: pos[0] : ( 0, 7 )
  // CHECK-NEXT: crd[0] : ( 1, 4, 5, 8, 12, 13, 19 )
  // CHECK-NEXT: values : ( 2.5, nan, nan, inf, inf, 7.25, 100 )
  // CHECK-NEXT: ----
  %x = call @absolute_float(%a)
      : (tensor<?xf64, #Sparse>) -> tensor<?xf64, #Sparse>
  sparse_tensor.print %x : tensor<?xf64, #Sparse>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 20 )
  // CHECK-NEXT: lvl = ( 20 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 7, 9, 18 )
  // CHECK-NEXT: values : ( 7, 2147483647, 2147483647, -2147483648, 3 )
  // CHECK-NEXT: ----
  %y = call @absolute_integer(%b)
      : (tensor<?xi32, #Sparse>) -> tensor<?xi32, #Sparse>
  sparse_tensor.print %y : tensor<?xi32, #Sparse>

  bufferization.dealloc_tensor %a : tensor<?xf64, #Sparse>
  bufferization.dealloc_tensor %b : tensor<?xi32, #Sparse>
  bufferization.dealloc_tensor %x : tensor<?xf64, #Sparse>
  bufferization.dealloc_tensor %y : tensor<?xi32, #Sparse>
  return
}
