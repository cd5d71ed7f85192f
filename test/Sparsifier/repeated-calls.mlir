// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A kernel is called again: on operands of the same sizes with other entries, of other
// sizes, and of the first ones.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
#product = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

func.func @add(%a: tensor<3x4xf64, #CSR>, %b: tensor<3x4xf64, #CSR>)
    -> tensor<3x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<3x4xf64, #CSR>
  %sum = linalg.generic #each
      ins(%a, %b : tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>)
      outs(%empty : tensor<3x4xf64, #CSR>) {
  ^bb0(%x: f64, %y: f64, %unused: f64):
    %0 = arith.addf %x, %y : f64
    linalg.yield %0 : f64
  } -> tensor<3x4xf64, #CSR>
  return %sum : tensor<3x4xf64, #CSR>
}

func.func @add_rows(%a: tensor<3x4xf64, #CSR>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %sums = linalg.generic #product
      ins(%a : tensor<3x4xf64, #CSR>) outs(%y : tensor<3xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %0 = arith.addf %sum, %x : f64
    linalg.yield %0 : f64
  } -> tensor<3xf64>
  return %sums : tensor<3xf64>
}

func.func @show(%a: tensor<3x4xf64, #CSR>, %b: tensor<3x4xf64, #CSR>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %none = arith.constant -1.0 : f64
  %sum = call @add(%a, %b)
      : (tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>) -> tensor<3x4xf64, #CSR>
  sparse_tensor.print %sum : tensor<3x4xf64, #CSR>
  %zeros = arith.constant dense<0.0> : tensor<3xf64>
  %start = bufferization.alloc_tensor() copy(%zeros) : tensor<3xf64>
  %rows = scf.for %n = %c0 to %c100 step %c1 iter_args(%y = %start) -> tensor<3xf64> {
    %next = func.call @add_rows(%sum, %y)
        : (tensor<3x4xf64, #CSR>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %next : tensor<3xf64>
  }
  %shown = vector.transfer_read %rows[%c0], %none : tensor<3xf64>, vector<3xf64>
  vector.print %shown : vector<3xf64>
  bufferization.dealloc_tensor %sum : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %rows : tensor<3xf64>
  return
}

func.func @main() {
  %a_dense = arith.constant sparse<[[0, 1], [2, 0], [2, 3]], [1.0, 2.0, 3.0]>
      : tensor<3x4xf64>
  %b_dense = arith.constant sparse<[[0, 1], [1, 2], [2, 2]], [4.0, 5.0, 6.0]>
      : tensor<3x4xf64>
  %c_dense = arith.constant sparse<[[1, 0]], [7.0]> : tensor<3x4xf64>
  %a = sparse_tensor.convert %a_dense : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  %b = sparse_tensor.convert %b_dense : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  %c = sparse_tensor.convert %c_dense : tensor<3x4xf64> to tensor<3x4xf64, #CSR>

  // CHECK:      pos[1] : ( 0, 1, 2, 5 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2, 3 )
  // CHECK-NEXT: values : ( 5, 5, 2, 6, 3 )
  // CHECK:      ( 500, 500, 1100 )
  call @show(%a, %b) : (tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>) -> ()

  // CHECK:      pos[1] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 2 )
  // CHECK-NEXT: values : ( 8, 10, 12 )
  // CHECK:      ( 800, 1000, 1200 )
  call @show(%b, %b) : (tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>) -> ()

  // CHECK:      pos[1] : ( 0, 1, 2, 4 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 0, 3 )
  // CHECK-NEXT: values : ( 1, 7, 2, 3 )
  // CHECK:      ( 100, 700, 500 )
  call @show(%c, %a) : (tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>) -> ()

  // CHECK:      pos[1] : ( 0, 1, 2, 5 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2, 3 )
  // CHECK-NEXT: values : ( 5, 5, 2, 6, 3 )
  // CHECK:      ( 500, 500, 1100 )
  call @show(%b, %a) : (tensor<3x4xf64, #CSR>, tensor<3x4xf64, #CSR>) -> ()

  bufferization.dealloc_tensor %a : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %b : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %c : tensor<3x4xf64, #CSR>
  return
}
