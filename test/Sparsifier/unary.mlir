// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Regions say what becomes of stored entries, and what is put where none are.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#vectors = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

#matrices = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @complement(%vector: tensor<?xf64, #Vector>) -> tensor<?xi32, #Vector> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %size = tensor.dim %vector, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xi32, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xf64, #Vector>) outs(%empty : tensor<?xi32, #Vector>) {
  ^bb0(%value: f64, %unused: i32):
    %new = sparse_tensor.unary %value : f64 to i32
      present = {}
      absent = {
        sparse_tensor.yield %one : i32
      }
    linalg.yield %new : i32
  } -> tensor<?xi32, #Vector>
  return %result : tensor<?xi32, #Vector>
}

func.func @complement_dense(%vector: tensor<?xf64, #Vector>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %vector, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xi32>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xf64, #Vector>) outs(%empty : tensor<?xi32>) {
  ^bb0(%value: f64, %unused: i32):
    %new = sparse_tensor.unary %value : f64 to i32
      present = {}
      absent = {
        %one = arith.constant 1 : i32
        sparse_tensor.yield %one : i32
      }
    linalg.yield %new : i32
  } -> tensor<?xi32>
  return %result : tensor<?xi32>
}

func.func @negate(%vector: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %size = tensor.dim %vector, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xf64, #Vector>) outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64, %unused: f64):
    %new = sparse_tensor.unary %value : f64 to f64
      present = {
      ^bb0(%x: f64):
        %negated = arith.negf %x : f64
        sparse_tensor.yield %negated : f64
      }
      absent = {
        sparse_tensor.yield %one : f64
      }
    linalg.yield %new : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @weigh(%vector: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %vector, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xf64, #Vector>) outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64, %unused: f64):
    %i = linalg.index 0 : index
    %new = sparse_tensor.unary %value : f64 to f64
      present = {
      ^bb0(%x: f64):
        %whole = arith.index_cast %i : index to i64
        %weight = arith.uitofp %whole : i64 to f64
        %weighed = arith.mulf %x, %weight : f64
        sparse_tensor.yield %weighed : f64
      }
      absent = {}
    linalg.yield %new : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @clip(%matrix: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 2.0 : f64
  %high = arith.constant 5.0 : f64
  %rows = tensor.dim %matrix, %c0 : tensor<?x?xf64, #DCSR>
  %cols = tensor.dim %matrix, %c1 : tensor<?x?xf64, #DCSR>
  %empty = tensor.empty(%rows, %cols) : tensor<?x?xf64, #DCSR>
  %result = linalg.generic #matrices
      ins(%matrix : tensor<?x?xf64, #DCSR>) outs(%empty : tensor<?x?xf64, #DCSR>) {
  ^bb0(%value: f64, %unused: f64):
    %new = sparse_tensor.unary %value : f64 to f64
      present = {
      ^bb0(%x: f64):
        %above = arith.cmpf ogt, %x, %low : f64
        %raised = arith.select %above, %x, %low : f64
        %below = arith.cmpf olt, %raised, %high : f64
        %clipped = arith.select %below, %raised, %high : f64
        sparse_tensor.yield %clipped : f64
      }
      absent = {}
    linalg.yield %new : f64
  } -> tensor<?x?xf64, #DCSR>
  return %result : tensor<?x?xf64, #DCSR>
}

// Entries outside of the lower right quarter are marked.
func.func @mark(%matrix: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %matrix, %c0 : tensor<?x?xf64, #DCSR>
  %cols = tensor.dim %matrix, %c1 : tensor<?x?xf64, #DCSR>
  %empty = tensor.empty(%rows, %cols) : tensor<?x?xf64, #DCSR>
  %result = linalg.generic #matrices
      ins(%matrix : tensor<?x?xf64, #DCSR>) outs(%empty : tensor<?x?xf64, #DCSR>) {
  ^bb0(%value: f64, %unused: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %new = sparse_tensor.unary %value : f64 to f64
      present = {
      ^bb0(%x: f64):
        %mark = arith.constant 50.0 : f64
        %two = arith.constant 2 : index
        %twice_i = arith.muli %two, %i : index
        %twice_j = arith.muli %two, %j : index
        %upper = arith.cmpi ult, %twice_i, %rows : index
        %first = arith.select %upper, %mark, %x : f64
        %left = arith.cmpi ult, %twice_j, %cols : index
        %second = arith.select %left, %mark, %first : f64
        sparse_tensor.yield %second : f64
      }
      absent = {}
    linalg.yield %new : f64
  } -> tensor<?x?xf64, #DCSR>
  return %result : tensor<?x?xf64, #DCSR>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : i32
  %vector_dense = arith.constant sparse<
    [[1], [4], [5], [9]], [3.0, -0.5, 2.0, 8.0]> : tensor<10xf64>
  %vector = sparse_tensor.convert %vector_dense
      : tensor<10xf64> to tensor<?xf64, #Vector>
  %matrix_dense = arith.constant sparse<
    [[0, 1], [0, 5], [2, 0], [2, 4], [2, 5], [3, 3]],
    [1.5, 9.0, 4.0, -7.0, 3.0, 6.0]> : tensor<4x6xf64>
  %matrix = sparse_tensor.convert %matrix_dense
      : tensor<4x6xf64> to tensor<?x?xf64, #DCSR>

  %complement = call @complement(%vector)
      : (tensor<?xf64, #Vector>) -> tensor<?xi32, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 10 )
  // CHECK-NEXT: lvl = ( 10 )
  // CHECK-NEXT: pos[0] : ( 0, 6 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 3, 6, 7, 8 )
  // CHECK-NEXT: values : ( 1, 1, 1, 1, 1, 1 )
  // CHECK-NEXT: ----
  sparse_tensor.print %complement : tensor<?xi32, #Vector>
  %complement_dense = call @complement_dense(%vector)
      : (tensor<?xf64, #Vector>) -> tensor<?xi32>
  %values = vector.transfer_read %complement_dense[%c0], %none
      : tensor<?xi32>, vector<10xi32>
  // CHECK-NEXT: ( 1, 0, 1, 1, 0, 0, 1, 1, 1, 0 )
  vector.print %values : vector<10xi32>
  %negated = call @negate(%vector) : (tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 10
  // CHECK-NEXT: dim = ( 10 )
  // CHECK-NEXT: lvl = ( 10 )
  // CHECK-NEXT: pos[0] : ( 0, 10 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 )
  // CHECK-NEXT: values : ( 1, -3, 1, 1, 0.5, -2, 1, 1, 1, -8 )
  // CHECK-NEXT: ----
  sparse_tensor.print %negated : tensor<?xf64, #Vector>
  %weighed = call @weigh(%vector) : (tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 10 )
  // CHECK-NEXT: lvl = ( 10 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 1, 4, 5, 9 )
  // CHECK-NEXT: values : ( 3, -2, 10, 72 )
  // CHECK-NEXT: ----
  sparse_tensor.print %weighed : tensor<?xf64, #Vector>
  %clipped = call @clip(%matrix)
      : (tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 4, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 5, 0, 4, 5, 3 )
  // CHECK-NEXT: values : ( 2, 5, 4, 2, 3, 5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %clipped : tensor<?x?xf64, #DCSR>
  %marked = call @mark(%matrix)
      : (tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 4, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 5, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 5, 0, 4, 5, 3 )
  // CHECK-NEXT: values : ( 50, 50, 50, -7, 3, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %marked : tensor<?x?xf64, #DCSR>

  bufferization.dealloc_tensor %vector : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %matrix : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %complement : tensor<?xi32, #Vector>
  bufferization.dealloc_tensor %complement_dense : tensor<?xi32>
  bufferization.dealloc_tensor %negated : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %weighed : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %clipped : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %marked : tensor<?x?xf64, #DCSR>
  return
}
