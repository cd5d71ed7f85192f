// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Products of stored entries leave out implicit zeros, unless the body asks for them.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#Full = #sparse_tensor.encoding<{ map = (i) -> (i : dense) }>

#reduce = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
  iterator_types = ["reduction"]
}

func.func @multiply_full_i32(%vector: tensor<16xi32, #Full>,
                            %start: tensor<i32>) -> tensor<i32> {
  %identity = tensor.extract %start[] : tensor<i32>
  %result = linalg.generic #reduce
      ins(%vector : tensor<16xi32, #Full>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %next = sparse_tensor.reduce %value, %partial, %identity : i32 {
    ^bb0(%x: i32, %y: i32):
      %product = arith.muli %x, %y : i32
      sparse_tensor.yield %product : i32
    }
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @multiply_full_f32(%vector: tensor<16xf32, #Full>,
                            %start: tensor<f32>) -> tensor<f32> {
  %identity = tensor.extract %start[] : tensor<f32>
  %result = linalg.generic #reduce
      ins(%vector : tensor<16xf32, #Full>) outs(%start : tensor<f32>) {
  ^bb0(%value: f32, %partial: f32):
    %next = sparse_tensor.reduce %value, %partial, %identity : f32 {
    ^bb0(%x: f32, %y: f32):
      %product = arith.mulf %x, %y : f32
      sparse_tensor.yield %product : f32
    }
    linalg.yield %next : f32
  } -> tensor<f32>
  return %result : tensor<f32>
}

func.func @multiply_sparse_i32(%vector: tensor<16xi32, #Vector>,
                            %start: tensor<i32>) -> tensor<i32> {
  %identity = tensor.extract %start[] : tensor<i32>
  %result = linalg.generic #reduce
      ins(%vector : tensor<16xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %next = sparse_tensor.reduce %value, %partial, %identity : i32 {
    ^bb0(%x: i32, %y: i32):
      %product = arith.muli %x, %y : i32
      sparse_tensor.yield %product : i32
    }
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @multiply_sparse_f32(%vector: tensor<16xf32, #Vector>,
                            %start: tensor<f32>) -> tensor<f32> {
  %identity = tensor.extract %start[] : tensor<f32>
  %result = linalg.generic #reduce
      ins(%vector : tensor<16xf32, #Vector>) outs(%start : tensor<f32>) {
  ^bb0(%value: f32, %partial: f32):
    %next = sparse_tensor.reduce %value, %partial, %identity : f32 {
    ^bb0(%x: f32, %y: f32):
      %product = arith.mulf %x, %y : f32
      sparse_tensor.yield %product : f32
    }
    linalg.yield %next : f32
  } -> tensor<f32>
  return %result : tensor<f32>
}

func.func @multiply_with_zeros(%vector: tensor<16xi32, #Vector>,
                               %start: tensor<i32>) -> tensor<i32> {
  %identity = tensor.extract %start[] : tensor<i32>
  %result = linalg.generic #reduce
      ins(%vector : tensor<16xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %filled = sparse_tensor.unary %value : i32 to i32
      present = {
      ^bb0(%x: i32):
        sparse_tensor.yield %x : i32
      }
      absent = {
        %zero = arith.constant 0 : i32
        sparse_tensor.yield %zero : i32
      }
    %next = sparse_tensor.reduce %filled, %partial, %identity : i32 {
    ^bb0(%x: i32, %y: i32):
      %product = arith.muli %x, %y : i32
      sparse_tensor.yield %product : i32
    }
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
  %start_i32 = arith.constant dense<3> : tensor<i32>
  %start_f32 = arith.constant dense<0.5> : tensor<f32>
  %holes_i32 = arith.constant dense<[
    1, 0, 5, 1, 1, 0, 1, 2, 1, 1, 1, -1, 1, 1, 0, 1]> : tensor<16xi32>
  %full_i32 = arith.constant dense<[
    1, 1, 5, 1, 1, 7, 1, 2, 1, 1, 1, -1, 1, 1, 1, 1]> : tensor<16xi32>
  %holes_f32 = arith.constant dense<[
    1.0, 2.5, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0,
    4.0, 1.0, 1.0, 1.0, 1.0, 0.0, 8.0, 1.0]> : tensor<16xf32>
  %full_f32 = arith.constant dense<[
    1.0, 2.5, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0,
    4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 8.0, 1.0]> : tensor<16xf32>
  %stored_zero = arith.constant sparse<[[2], [9]], [0, 6]> : tensor<16xi32>

  %holes_full_i32 = sparse_tensor.convert %holes_i32
      : tensor<16xi32> to tensor<16xi32, #Full>
  %holes_sparse_i32 = sparse_tensor.convert %holes_i32
      : tensor<16xi32> to tensor<16xi32, #Vector>
  %holes_full_f32 = sparse_tensor.convert %holes_f32
      : tensor<16xf32> to tensor<16xf32, #Full>
  %holes_sparse_f32 = sparse_tensor.convert %holes_f32
      : tensor<16xf32> to tensor<16xf32, #Vector>
  %full_full_i32 = sparse_tensor.convert %full_i32
      : tensor<16xi32> to tensor<16xi32, #Full>
  %full_sparse_i32 = sparse_tensor.convert %full_i32
      : tensor<16xi32> to tensor<16xi32, #Vector>
  %full_full_f32 = sparse_tensor.convert %full_f32
      : tensor<16xf32> to tensor<16xf32, #Full>
  %full_sparse_f32 = sparse_tensor.convert %full_f32
      : tensor<16xf32> to tensor<16xf32, #Vector>
  %zero_sparse_i32 = sparse_tensor.convert %stored_zero
      : tensor<16xi32> to tensor<16xi32, #Vector>

  %holes_full_i32_product = call @multiply_full_i32(%holes_full_i32, %start_i32)
      : (tensor<16xi32, #Full>, tensor<i32>) -> tensor<i32>
  %holes_full_f32_product = call @multiply_full_f32(%holes_full_f32, %start_f32)
      : (tensor<16xf32, #Full>, tensor<f32>) -> tensor<f32>
  %holes_sparse_i32_product = call @multiply_sparse_i32(%holes_sparse_i32, %start_i32)
      : (tensor<16xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %holes_sparse_f32_product = call @multiply_sparse_f32(%holes_sparse_f32, %start_f32)
      : (tensor<16xf32, #Vector>, tensor<f32>) -> tensor<f32>
  %full_full_i32_product = call @multiply_full_i32(%full_full_i32, %start_i32)
      : (tensor<16xi32, #Full>, tensor<i32>) -> tensor<i32>
  %full_full_f32_product = call @multiply_full_f32(%full_full_f32, %start_f32)
      : (tensor<16xf32, #Full>, tensor<f32>) -> tensor<f32>
  %full_sparse_i32_product = call @multiply_sparse_i32(%full_sparse_i32, %start_i32)
      : (tensor<16xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %full_sparse_f32_product = call @multiply_sparse_f32(%full_sparse_f32, %start_f32)
      : (tensor<16xf32, #Vector>, tensor<f32>) -> tensor<f32>
  %zero_sparse_i32_product = call @multiply_sparse_i32(%zero_sparse_i32, %start_i32)
      : (tensor<16xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %holes_with_zeros = call @multiply_with_zeros(%holes_sparse_i32, %start_i32)
      : (tensor<16xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %full_with_zeros = call @multiply_with_zeros(%full_sparse_i32, %start_i32)
      : (tensor<16xi32, #Vector>, tensor<i32>) -> tensor<i32>
  // CHECK:      {{^0$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^-30$}}
  // CHECK-NEXT: {{^40$}}
  // CHECK-NEXT: {{^-210$}}
  // CHECK-NEXT: {{^120$}}
  // CHECK-NEXT: {{^-210$}}
  // CHECK-NEXT: {{^120$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^0$}}
  // CHECK-NEXT: {{^-210$}}
  call @show_i32(%holes_full_i32_product) : (tensor<i32>) -> ()
  call @show_f32(%holes_full_f32_product) : (tensor<f32>) -> ()
  call @show_i32(%holes_sparse_i32_product) : (tensor<i32>) -> ()
  call @show_f32(%holes_sparse_f32_product) : (tensor<f32>) -> ()
  call @show_i32(%full_full_i32_product) : (tensor<i32>) -> ()
  call @show_f32(%full_full_f32_product) : (tensor<f32>) -> ()
  call @show_i32(%full_sparse_i32_product) : (tensor<i32>) -> ()
  call @show_f32(%full_sparse_f32_product) : (tensor<f32>) -> ()
  call @show_i32(%zero_sparse_i32_product) : (tensor<i32>) -> ()
  call @show_i32(%holes_with_zeros) : (tensor<i32>) -> ()
  call @show_i32(%full_with_zeros) : (tensor<i32>) -> ()

  bufferization.dealloc_tensor %holes_full_i32 : tensor<16xi32, #Full>
  bufferization.dealloc_tensor %holes_sparse_i32 : tensor<16xi32, #Vector>
  bufferization.dealloc_tensor %holes_full_f32 : tensor<16xf32, #Full>
  bufferization.dealloc_tensor %holes_sparse_f32 : tensor<16xf32, #Vector>
  bufferization.dealloc_tensor %full_full_i32 : tensor<16xi32, #Full>
  bufferization.dealloc_tensor %full_sparse_i32 : tensor<16xi32, #Vector>
  bufferization.dealloc_tensor %full_full_f32 : tensor<16xf32, #Full>
  bufferization.dealloc_tensor %full_sparse_f32 : tensor<16xf32, #Vector>
  bufferization.dealloc_tensor %zero_sparse_i32 : tensor<16xi32, #Vector>
  bufferization.dealloc_tensor %holes_full_i32_product : tensor<i32>
  bufferization.dealloc_tensor %holes_full_f32_product : tensor<f32>
  bufferization.dealloc_tensor %holes_sparse_i32_product : tensor<i32>
  bufferization.dealloc_tensor %holes_sparse_f32_product : tensor<f32>
  bufferization.dealloc_tensor %full_full_i32_product : tensor<i32>
  bufferization.dealloc_tensor %full_full_f32_product : tensor<f32>
  bufferization.dealloc_tensor %full_sparse_i32_product : tensor<i32>
  bufferization.dealloc_tensor %full_sparse_f32_product : tensor<f32>
  bufferization.dealloc_tensor %zero_sparse_i32_product : tensor<i32>
  bufferization.dealloc_tensor %holes_with_zeros : tensor<i32>
  bufferization.dealloc_tensor %full_with_zeros : tensor<i32>
  return
}
