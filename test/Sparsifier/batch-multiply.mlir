// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-sparsifier='enable-runtime-library=false threads=2 parts=3' %s \
// RUN:   | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-outline-kernels=library=false %s | FileCheck %s --check-prefix=TAKEN
// RUN: nacho-opt --nacho-outline-kernels=remarks=true %s 2>&1 | FileCheck %s --check-prefix=LIBRARY

// A batch of matrices, one of which has nearly all entries. Each has arrays of its
// own, with room for as many entries as the largest one has. MLIR's runtime library
// knows no batches.

// TAKEN-COUNT-3: module @kernel_{{[0-9]}} attributes {nacho.kernel}
// LIBRARY-COUNT-3: left to upstream's sparsifier: MLIR's library has no tensors in batches

#Batched = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : compressed)
}>

// The batches of batches: two levels of them, and rows that are stored only if they
// have entries.
#Nested = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : batch, d1 : batch, d2 : compressed, d3 : compressed)
}>

#row_sum = {
  indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}

#nested_sum = {
  indexing_maps = [affine_map<(m, n, i, j) -> (m, n, i, j)>,
                   affine_map<(m, n, i, j) -> (n, j)>],
  iterator_types = ["reduction", "parallel", "reduction", "parallel"]
}

func.func @multiply(%A: tensor<3x3x4xf64, #Batched>, %B: tensor<3x4x2xf64>)
    -> tensor<3x3x2xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<3x3x2xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<3x3x2xf64>)
      -> tensor<3x3x2xf64>
  %C = linalg.batch_matmul
      ins(%A, %B : tensor<3x3x4xf64, #Batched>, tensor<3x4x2xf64>)
      outs(%zeros : tensor<3x3x2xf64>) -> tensor<3x3x2xf64>
  return %C : tensor<3x3x2xf64>
}

func.func @sum_rows(%A: tensor<3x3x4xf64, #Batched>) -> tensor<3x3xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<3x3xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<3x3xf64>) -> tensor<3x3xf64>
  %sums = linalg.generic #row_sum
      ins(%A : tensor<3x3x4xf64, #Batched>) outs(%zeros : tensor<3x3xf64>) {
  ^bb0(%a: f64, %sum: f64):
    %0 = arith.addf %a, %sum : f64
    linalg.yield %0 : f64
  } -> tensor<3x3xf64>
  return %sums : tensor<3x3xf64>
}

func.func @sum_nested(%A: tensor<2x2x3x4xf64, #Nested>) -> tensor<2x4xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<2x4xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<2x4xf64>) -> tensor<2x4xf64>
  %sums = linalg.generic #nested_sum
      ins(%A : tensor<2x2x3x4xf64, #Nested>) outs(%zeros : tensor<2x4xf64>) {
  ^bb0(%a: f64, %sum: f64):
    %0 = arith.addf %a, %sum : f64
    linalg.yield %0 : f64
  } -> tensor<2x4xf64>
  return %sums : tensor<2x4xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  // In the second batch, nothing is stored; what lies behind the entries of the third
  // one is no part of it.
  %pos = arith.constant dense<[[0, 2, 3, 5], [0, 0, 0, 0], [0, 0, 1, 1]]> : tensor<3x4xindex>
  %crd = arith.constant dense<
    [[0, 3, 1, 0, 2], [0, 0, 0, 0, 0], [2, 9, 9, 9, 9]]> : tensor<3x5xindex>
  %values = arith.constant dense<
    [[1.0, 2.5, 3.0, 4.0, 5.0], [7.0, 7.0, 7.0, 7.0, 7.0], [6.0, 7.0, 7.0, 7.0, 7.0]]>
    : tensor<3x5xf64>
  %A = sparse_tensor.assemble (%pos, %crd), %values
      : (tensor<3x4xindex>, tensor<3x5xindex>), tensor<3x5xf64>
      to tensor<3x3x4xf64, #Batched>
  %B = arith.constant dense<[
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]],
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]],
    [[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0], [-7.0, -8.0]]]> : tensor<3x4x2xf64>
  %C = call @multiply(%A, %B)
      : (tensor<3x3x4xf64, #Batched>, tensor<3x4x2xf64>) -> tensor<3x3x2xf64>
  // CHECK: ( ( ( 18.5, 22 ), ( 9, 12 ), ( 29, 38 ) ), ( ( 0, 0 ), ( 0, 0 ), ( 0, 0 ) ), ( ( 0, 0 ), ( -30, -36 ), ( 0, 0 ) ) )
  %c = vector.transfer_read %C[%c0, %c0, %c0], %zero : tensor<3x3x2xf64>, vector<3x3x2xf64>
  vector.print %c : vector<3x3x2xf64>

  %sums = call @sum_rows(%A) : (tensor<3x3x4xf64, #Batched>) -> tensor<3x3xf64>
  // CHECK-NEXT: ( ( 3.5, 3, 9 ), ( 0, 0, 0 ), ( 0, 6, 0 ) )
  %s = vector.transfer_read %sums[%c0, %c0], %zero : tensor<3x3xf64>, vector<3x3xf64>
  vector.print %s : vector<3x3xf64>

  %pos2 = arith.constant dense<[[[0, 1], [0, 0]], [[0, 2], [0, 1]]]> : tensor<2x2x2xindex>
  %crd2 = arith.constant dense<[[[1, 0], [0, 0]], [[0, 2], [2, 0]]]> : tensor<2x2x2xindex>
  %pos3 = arith.constant dense<
    [[[0, 2, 2], [0, 0, 0]], [[0, 1, 3], [0, 1, 1]]]> : tensor<2x2x3xindex>
  %crd3 = arith.constant dense<
    [[[0, 3, 0], [0, 0, 0]], [[1, 0, 2], [2, 0, 0]]]> : tensor<2x2x3xindex>
  %values2 = arith.constant dense<
    [[[1.0, 2.0, 9.0], [9.0, 9.0, 9.0]], [[3.0, 4.0, 5.0], [6.0, 9.0, 9.0]]]>
    : tensor<2x2x3xf64>
  %nested = sparse_tensor.assemble (%pos2, %crd2, %pos3, %crd3), %values2
      : (tensor<2x2x2xindex>, tensor<2x2x2xindex>, tensor<2x2x3xindex>, tensor<2x2x3xindex>),
        tensor<2x2x3xf64> to tensor<2x2x3x4xf64, #Nested>
  %columns = call @sum_nested(%nested) : (tensor<2x2x3x4xf64, #Nested>) -> tensor<2x4xf64>
  // CHECK-NEXT: ( ( 5, 3, 5, 2 ), ( 0, 0, 6, 0 ) )
  %t = vector.transfer_read %columns[%c0, %c0], %zero : tensor<2x4xf64>, vector<2x4xf64>
  vector.print %t : vector<2x4xf64>
  bufferization.dealloc_tensor %C : tensor<3x3x2xf64>
  bufferization.dealloc_tensor %sums : tensor<3x3xf64>
  bufferization.dealloc_tensor %columns : tensor<2x4xf64>
  return
}
