// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The entries of sparse vectors are reduced to scalars by several operators.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#reduce = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
  iterator_types = ["reduction"]
}

func.func @sum_i32(%vector: tensor<20xi32, #Vector>, %start: tensor<i32>) -> tensor<i32> {
  %result = linalg.generic #reduce
      ins(%vector : tensor<20xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %next = arith.addi %partial, %value : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @sum_f32(%vector: tensor<20xf32, #Vector>, %start: tensor<f32>) -> tensor<f32> {
  %result = linalg.generic #reduce
      ins(%vector : tensor<20xf32, #Vector>) outs(%start : tensor<f32>) {
  ^bb0(%value: f32, %partial: f32):
    %next = arith.addf %partial, %value : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %result : tensor<f32>
}

func.func @or_i32(%vector: tensor<20xi32, #Vector>, %start: tensor<i32>) -> tensor<i32> {
  %result = linalg.generic #reduce
      ins(%vector : tensor<20xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %next = arith.ori %partial, %value : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @xor_i32(%vector: tensor<20xi32, #Vector>, %start: tensor<i32>) -> tensor<i32> {
  %result = linalg.generic #reduce
      ins(%vector : tensor<20xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %next = arith.xori %partial, %value : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @show_i32(%scalar: tensor<i32>) {
  %value = tensor.extract %scalar[] : tensor<i32>
  vector.print %value : i32
  return
}

func.func @show_f32(%scalar: tensor<f32>) {
  %value = tensor.extract %scalar[] : tensor<f32>
  vector.print %value : f32
  return
}

func.func @main() {
  %start_i32 = arith.constant dense<9> : tensor<i32>
  %start_f32 = arith.constant dense<0.5> : tensor<f32>
  %dense_i32 = arith.constant dense<[
    0, 0, 6, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, 0, 2
  ]> : tensor<20xi32>
  %dense_f32 = arith.constant dense<[
    1.5, 0.0, 0.0, 0.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.25,
    0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 64.0, 0.0
  ]> : tensor<20xf32>
  %vector_i32 = sparse_tensor.convert %dense_i32
      : tensor<20xi32> to tensor<20xi32, #Vector>
  %vector_f32 = sparse_tensor.convert %dense_f32
      : tensor<20xf32> to tensor<20xf32, #Vector>

  %sum_i32 = call @sum_i32(%vector_i32, %start_i32)
      : (tensor<20xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %sum_f32 = call @sum_f32(%vector_f32, %start_f32)
      : (tensor<20xf32, #Vector>, tensor<f32>) -> tensor<f32>
  %or_i32 = call @or_i32(%vector_i32, %start_i32)
      : (tensor<20xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %xor_i32 = call @xor_i32(%vector_i32, %start_i32)
      : (tensor<20xi32, #Vector>, tensor<i32>) -> tensor<i32>
  // CHECK:      {{^38$}}
  // CHECK-NEXT: {{^71\.25$}}
  // CHECK-NEXT: {{^31$}}
  // CHECK-NEXT: {{^28$}}
  call @show_i32(%sum_i32) : (tensor<i32>) -> ()
  call @show_f32(%sum_f32) : (tensor<f32>) -> ()
  call @show_i32(%or_i32) : (tensor<i32>) -> ()
  call @show_i32(%xor_i32) : (tensor<i32>) -> ()

  bufferization.dealloc_tensor %vector_i32 : tensor<20xi32, #Vector>
  bufferization.dealloc_tensor %vector_f32 : tensor<20xf32, #Vector>
  bufferization.dealloc_tensor %sum_i32 : tensor<i32>
  bufferization.dealloc_tensor %sum_f32 : tensor<f32>
  bufferization.dealloc_tensor %or_i32 : tensor<i32>
  bufferization.dealloc_tensor %xor_i32 : tensor<i32>
  return
}
