// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sum counts stored entries as 10 and all others as 100, or either as nothing.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#reduce = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
  iterator_types = ["reduction"]
}

func.func @count_nothing(%vector: tensor<9xi32, #Vector>,
                         %start: tensor<i32>) -> tensor<i32> {
  %one = arith.constant 1 : i32
  %result = linalg.generic #reduce
      ins(%vector : tensor<9xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %counted = sparse_tensor.unary %value : i32 to i32
      present = {}
      absent = {}
    %next = sparse_tensor.reduce %counted, %partial, %one : i32 {
    ^bb0(%x: i32, %y: i32):
      %sum = arith.addi %x, %y : i32
      sparse_tensor.yield %sum : i32
    }
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @count_stored(%vector: tensor<9xi32, #Vector>,
                        %start: tensor<i32>) -> tensor<i32> {
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %result = linalg.generic #reduce
      ins(%vector : tensor<9xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %counted = sparse_tensor.unary %value : i32 to i32
      present = {
      ^bb0(%x: i32):
        sparse_tensor.yield %ten : i32
      }
      absent = {}
    %next = sparse_tensor.reduce %counted, %partial, %one : i32 {
    ^bb0(%x: i32, %y: i32):
      %sum = arith.addi %x, %y : i32
      sparse_tensor.yield %sum : i32
    }
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @count_absent(%vector: tensor<9xi32, #Vector>,
                        %start: tensor<i32>) -> tensor<i32> {
  %one = arith.constant 1 : i32
  %hundred = arith.constant 100 : i32
  %result = linalg.generic #reduce
      ins(%vector : tensor<9xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %counted = sparse_tensor.unary %value : i32 to i32
      present = {}
      absent = {
        sparse_tensor.yield %hundred : i32
      }
    %next = sparse_tensor.reduce %counted, %partial, %one : i32 {
    ^bb0(%x: i32, %y: i32):
      %sum = arith.addi %x, %y : i32
      sparse_tensor.yield %sum : i32
    }
    linalg.yield %next : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func @count_both(%vector: tensor<9xi32, #Vector>,
                      %start: tensor<i32>) -> tensor<i32> {
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %result = linalg.generic #reduce
      ins(%vector : tensor<9xi32, #Vector>) outs(%start : tensor<i32>) {
  ^bb0(%value: i32, %partial: i32):
    %counted = sparse_tensor.unary %value : i32 to i32
      present = {
      ^bb0(%x: i32):
        sparse_tensor.yield %ten : i32
      }
      absent = {
        sparse_tensor.yield %hundred : i32
      }
    %next = sparse_tensor.reduce %counted, %partial, %one : i32 {
    ^bb0(%x: i32, %y: i32):
      %sum = arith.addi %x, %y : i32
      sparse_tensor.yield %sum : i32
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

func.func @main() {
  %start = arith.constant dense<0> : tensor<i32>
  %dense = arith.constant sparse<[[0], [4], [7]], [-5, 77, 8]> : tensor<9xi32>
  %vector = sparse_tensor.convert %dense : tensor<9xi32> to tensor<9xi32, #Vector>
  %nothing = call @count_nothing(%vector, %start)
      : (tensor<9xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %stored = call @count_stored(%vector, %start)
      : (tensor<9xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %absent = call @count_absent(%vector, %start)
      : (tensor<9xi32, #Vector>, tensor<i32>) -> tensor<i32>
  %both = call @count_both(%vector, %start)
      : (tensor<9xi32, #Vector>, tensor<i32>) -> tensor<i32>
  // The identity, 1, is added once.
  // CHECK:      {{^1$}}
  // CHECK-NEXT: {{^31$}}
  // CHECK-NEXT: {{^601$}}
  // CHECK-NEXT: {{^631$}}
  call @show_i32(%nothing) : (tensor<i32>) -> ()
  call @show_i32(%stored) : (tensor<i32>) -> ()
  call @show_i32(%absent) : (tensor<i32>) -> ()
  call @show_i32(%both) : (tensor<i32>) -> ()

  bufferization.dealloc_tensor %vector : tensor<9xi32, #Vector>
  bufferization.dealloc_tensor %nothing : tensor<i32>
  bufferization.dealloc_tensor %stored : tensor<i32>
  bufferization.dealloc_tensor %absent : tensor<i32>
  bufferization.dealloc_tensor %both : tensor<i32>
  return
}
