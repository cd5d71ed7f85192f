// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The smallest of the stored entries differs from the smallest of all entries.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#reduce = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
  iterator_types = ["reduction"]
}

func.func @smallest_stored(%vector: tensor<12xi32, #Vector>,
                           %start: tensor<i32>) -> tensor<i32> {
  %identity = tensor.extract %start[] : tensor<i32>
  %result = linalg.generic #reduce
      ins(%vector : tensor<12xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %next = sparse_tensor.reduce %value, %partial, %identity : i32 {
    ^bb0(%x: i32, %y: i32):
      %smaller = arith.minsi %x, %y : i32
      sparse_tensor.yield %smaller : i32
    }
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @smallest(%vector: tensor<12xi32, #Vector>,
                    %start: tensor<i32>) -> tensor<i32> {
  %result = linalg.generic #reduce
      ins(%vector : tensor<12xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %next = arith.minsi %value, %partial : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @show_i32(%scalar: tensor<i32>) {
  %value = tensor.extract %scalar[] : tensor<i32>
  vector.print %value : i32
  return
}

func.func @main() {
  %start = arith.constant dense<500> : tensor<i32>
  %holes = arith.constant dense<[7, 5, 0, 9, 4, 4, 0, 8, 5, 3, 0, 6]> : tensor<12xi32>
  %full = arith.constant dense<[7, 5, 8, 9, 4, 4, 6, 8, 5, 3, 2, 6]> : tensor<12xi32>
  // A zero is among the stored entries of this one.
  %stored_zero = arith.constant sparse<[[3], [10]], [0, 44]> : tensor<12xi32>
  %holes_sparse = sparse_tensor.convert %holes
      : tensor<12xi32> to tensor<12xi32, #Vector>
  %full_sparse = sparse_tensor.convert %full
      : tensor<12xi32> to tensor<12xi32, #Vector>
  %zero_sparse = sparse_tensor.convert %stored_zero
      : tensor<12xi32> to tensor<12xi32, #Vector>

  %smallest_stored_holes = call @smallest_stored(%holes_sparse, %start)
      : (tensor<12xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %smallest_stored_full = call @smallest_stored(%full_sparse, %start)
      : (tensor<12xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %smallest_stored_zero = call @smallest_stored(%zero_sparse, %start)
      : (tensor<12xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %smallest_holes = call @smallest(%holes_sparse, %start)
      : (tensor<12xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %smallest_full = call @smallest(%full_sparse, %start)
      : (tensor<12xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %smallest_zero = call @smallest(%zero_sparse, %start)
      : (tensor<12xi32, #Vector>, tensor<i32>) -> tensor<i32>
  // CHECK:      {{^3$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^2$}}
  // CHECK-NEXT: {{^0$}}
  call @show_i32(%smallest_stored_holes) : (tensor<i32>) -> ()
  call @show_i32(%smallest_stored_full) : (tensor<i32>) -> ()
  call @show_i32(%smallest_stored_zero) : (tensor<i32>) -> ()
  call @show_i32(%smallest_holes) : (tensor<i32>) -> ()
  call @show_i32(%smallest_full) : (tensor<i32>) -> ()
  call @show_i32(%smallest_zero) : (tensor<i32>) -> ()

  bufferization.dealloc_tensor %holes_sparse : tensor<12xi32, #Vector>
  bufferization.dealloc_tensor %full_sparse : tensor<12xi32, #Vector>
  bufferization.dealloc_tensor %zero_sparse : tensor<12xi32, #Vector>
  bufferization.dealloc_tensor %smallest_stored_holes : tensor<i32>
  bufferization.dealloc_tensor %smallest_stored_full : tensor<i32>
  bufferization.dealloc_tensor %smallest_stored_zero : tensor<i32>
  bufferization.dealloc_tensor %smallest_holes : tensor<i32>
  bufferization.dealloc_tensor %smallest_full : tensor<i32>
  bufferization.dealloc_tensor %smallest_zero : tensor<i32>
  return
}
