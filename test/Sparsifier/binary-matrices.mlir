// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The regions of sparse_tensor.binary on matrices, which use identities,
// coordinates, constants from outside of the body, and another result type.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#elementwise = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @sum_or_negated_right(%a: tensor<?x?xf64, #DCSR>,
                                %b: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf64, #DCSR>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf64, #DCSR>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<?x?xf64, #DCSR>, tensor<?x?xf64, #DCSR>)
      outs(%empty : tensor<?x?xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {
      ^bb0(%l: f64, %m: f64):
        %sum = arith.addf %l, %m : f64
        sparse_tensor.yield %sum : f64
      }
      left = {}
      right = {
      ^bb0(%m: f64):
        %negated = arith.negf %m : f64
        sparse_tensor.yield %negated : f64
      }
    linalg.yield %r : f64
  } -> tensor<?x?xf64, #DCSR>
  return %x : tensor<?x?xf64, #DCSR>
}

func.func @add_identities(%a: tensor<4x5xf64, #DCSR>,
                          %b: tensor<4x5xf64, #DCSR>)
    -> tensor<4x5xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x5xf64, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      outs(%empty : tensor<4x5xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {
      ^bb0(%l: f64, %m: f64):
        %sum = arith.addf %l, %m : f64
        sparse_tensor.yield %sum : f64
      }
      left = identity
      right = identity
    linalg.yield %r : f64
  } -> tensor<4x5xf64, #DCSR>
  return %x : tensor<4x5xf64, #DCSR>
}

func.func @add_yields(%a: tensor<4x5xf64, #DCSR>, %b: tensor<4x5xf64, #DCSR>)
    -> tensor<4x5xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x5xf64, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      outs(%empty : tensor<4x5xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {
      ^bb0(%l: f64, %m: f64):
        %sum = arith.addf %l, %m : f64
        sparse_tensor.yield %sum : f64
      }
      left = {
      ^bb0(%l: f64):
        sparse_tensor.yield %l : f64
      }
      right = {
      ^bb0(%m: f64):
        sparse_tensor.yield %m : f64
      }
    linalg.yield %r : f64
  } -> tensor<4x5xf64, #DCSR>
  return %x : tensor<4x5xf64, #DCSR>
}

func.func @add_above_subtract_below(%a: tensor<4x5xf64, #DCSR>,
                                    %b: tensor<4x5xf64, #DCSR>)
    -> tensor<4x5xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x5xf64, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      outs(%empty : tensor<4x5xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {
      ^bb0(%l: f64, %m: f64):
        %above = arith.cmpi uge, %j, %i : index
        %sum = arith.addf %l, %m : f64
        %difference = arith.subf %l, %m : f64
        %either = arith.select %above, %sum, %difference : f64
        sparse_tensor.yield %either : f64
      }
      left = identity
      right = {
      ^bb0(%m: f64):
        %above = arith.cmpi uge, %j, %i : index
        %negated = arith.negf %m : f64
        %either = arith.select %above, %m, %negated : f64
        sparse_tensor.yield %either : f64
      }
    linalg.yield %r : f64
  } -> tensor<4x5xf64, #DCSR>
  return %x : tensor<4x5xf64, #DCSR>
}

func.func @clamped_difference(%a: tensor<4x5xf64, #DCSR>,
                              %b: tensor<4x5xf64, #DCSR>)
    -> tensor<4x5xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x5xf64, #DCSR>
  %high = arith.constant 3.0 : f64
  %low = arith.constant -3.0 : f64
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      outs(%empty : tensor<4x5xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {
      ^bb0(%l: f64, %m: f64):
        %innerHigh = arith.constant 1.5 : f64
        %innerLow = arith.constant -1.5 : f64
        %difference = arith.subf %l, %m : f64
        %over = arith.cmpf oge, %difference, %innerHigh : f64
        %lowered = arith.select %over, %innerHigh, %difference : f64
        %under = arith.cmpf ole, %lowered, %innerLow : f64
        %raised = arith.select %under, %innerLow, %lowered : f64
        sparse_tensor.yield %raised : f64
      }
      left = {
      ^bb0(%l: f64):
        %over = arith.cmpf oge, %l, %high : f64
        %lowered = arith.select %over, %high, %l : f64
        %under = arith.cmpf ole, %lowered, %low : f64
        %raised = arith.select %under, %low, %lowered : f64
        sparse_tensor.yield %raised : f64
      }
      right = {
      ^bb0(%m: f64):
        %negated = arith.negf %m : f64
        %over = arith.cmpf oge, %negated, %high : f64
        %lowered = arith.select %over, %high, %negated : f64
        %under = arith.cmpf ole, %lowered, %low : f64
        %raised = arith.select %under, %low, %lowered : f64
        sparse_tensor.yield %raised : f64
      }
    linalg.yield %r : f64
  } -> tensor<4x5xf64, #DCSR>
  return %x : tensor<4x5xf64, #DCSR>
}

func.func @equal_where_both(%a: tensor<4x5xf64, #DCSR>,
                            %b: tensor<4x5xf64, #DCSR>)
    -> tensor<4x5xi8, #DCSR> {
  %empty = tensor.empty() : tensor<4x5xi8, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      outs(%empty : tensor<4x5xi8, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: i8):
    %r = sparse_tensor.binary %p, %q : f64, f64 to i8
      overlap = {
      ^bb0(%l: f64, %m: f64):
        %equal = arith.cmpf oeq, %l, %m : f64
        %byte = arith.extui %equal : i1 to i8
        sparse_tensor.yield %byte : i8
      }
      left = {}
      right = {}
    linalg.yield %r : i8
  } -> tensor<4x5xi8, #DCSR>
  return %x : tensor<4x5xi8, #DCSR>
}

func.func @where_only_one(%a: tensor<4x5xf64, #DCSR>,
                          %b: tensor<4x5xf64, #DCSR>)
    -> tensor<4x5xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x5xf64, #DCSR>
  %x = linalg.generic #elementwise
      ins(%a, %b : tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      outs(%empty : tensor<4x5xf64, #DCSR>) {
  ^bb0(%p: f64, %q: f64, %out: f64):
    %r = sparse_tensor.binary %p, %q : f64, f64 to f64
      overlap = {}
      left = identity
      right = {
      ^bb0(%m: f64):
        %negated = arith.negf %m : f64
        sparse_tensor.yield %negated : f64
      }
    linalg.yield %r : f64
  } -> tensor<4x5xf64, #DCSR>
  return %x : tensor<4x5xf64, #DCSR>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i8
  %p = arith.constant dense<[[2.0, 0.0, 5.0, 0.0, 1.0],
                             [0.0, 4.0, 0.0, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0],
                             [7.0, 3.0, 0.0, 0.5, 0.0]]> : tensor<4x5xf64>
  %q = arith.constant dense<[[2.5, 6.0, 1.0, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 2.0, 0.0],
                             [1.0, 0.0, 9.0, 0.0, 0.0],
                             [2.0, 0.0, 0.0, 1.5, 8.0]]> : tensor<4x5xf64>
  %r = arith.constant dense<[[2.0, 6.0, 1.0, 0.0, 1.0],
                             [0.0, 0.0, 0.0, 2.0, 0.0],
                             [1.0, 0.0, 9.0, 0.0, 0.0],
                             [2.0, 3.0, 0.0, 1.5, 8.0]]> : tensor<4x5xf64>
  %a = sparse_tensor.convert %p : tensor<4x5xf64> to tensor<4x5xf64, #DCSR>
  %b = sparse_tensor.convert %q : tensor<4x5xf64> to tensor<4x5xf64, #DCSR>
  %c = sparse_tensor.convert %r : tensor<4x5xf64> to tensor<4x5xf64, #DCSR>
  %da = sparse_tensor.convert %p : tensor<4x5xf64> to tensor<?x?xf64, #DCSR>
  %db = sparse_tensor.convert %q : tensor<4x5xf64> to tensor<?x?xf64, #DCSR>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4, 6, 9 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 3, 0, 2, 0, 3, 4 )
  // CHECK-NEXT: values : ( 4.5, -6, 6, -2, -1, -9, 9, 2, -8 )
  // CHECK-NEXT: ----
  %0 = call @sum_or_negated_right(%da, %db)
      : (tensor<?x?xf64, #DCSR>, tensor<?x?xf64, #DCSR>)
      -> tensor<?x?xf64, #DCSR>
  sparse_tensor.print %0 : tensor<?x?xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 12
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 4, 6, 8, 12 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 4, 1, 3, 0, 2, 0, 1, 3, 4 )
  // CHECK-NEXT: values : ( 4.5, 6, 6, 1, 4, 2, 1, 9, 9, 3, 2, 8 )
  // CHECK-NEXT: ----
  %1 = call @add_identities(%a, %b)
      : (tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      -> tensor<4x5xf64, #DCSR>
  sparse_tensor.print %1 : tensor<4x5xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 12
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 4, 6, 8, 12 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 4, 1, 3, 0, 2, 0, 1, 3, 4 )
  // CHECK-NEXT: values : ( 4.5, 6, 6, 1, 4, 2, 1, 9, 9, 3, 2, 8 )
  // CHECK-NEXT: ----
  %2 = call @add_yields(%a, %b)
      : (tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      -> tensor<4x5xf64, #DCSR>
  sparse_tensor.print %2 : tensor<4x5xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 12
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 4, 6, 8, 12 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 4, 1, 3, 0, 2, 0, 1, 3, 4 )
  // CHECK-NEXT: values : ( 4.5, 6, 6, 1, 4, 2, -1, 9, 5, 3, 2, 8 )
  // CHECK-NEXT: ----
  %3 = call @add_above_subtract_below(%a, %b)
      : (tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      -> tensor<4x5xf64, #DCSR>
  sparse_tensor.print %3 : tensor<4x5xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 12
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 4, 6, 8, 12 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 4, 1, 3, 0, 2, 0, 1, 3, 4 )
  // CHECK-NEXT: values : ( -0.5, -3, 1.5, 1, 3, -2, -1, -3, 1.5, 3, -1, -3 )
  // CHECK-NEXT: ----
  %4 = call @clamped_difference(%a, %b)
      : (tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      -> tensor<4x5xf64, #DCSR>
  sparse_tensor.print %4 : tensor<4x5xf64, #DCSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4, 7 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 4, 1, 0, 1, 3 )
  // CHECK-NEXT: values : ( 1, 1, 1, 1, 1, 1, 1 )
  // CHECK-NEXT: ----
  %5 = call @equal_where_both(%a, %a)
      : (tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      -> tensor<4x5xi8, #DCSR>
  sparse_tensor.print %5 : tensor<4x5xi8, #DCSR>

  // CHECK-NEXT: ( ( 1, 0, 0, 0, 1 ), ( 0, 0, 0, 0, 0 ), ( 0, 0, 0, 0, 0 ), ( 0, 1, 0, 0, 0 ) )
  %6 = call @equal_where_both(%a, %c)
      : (tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      -> tensor<4x5xi8, #DCSR>
  %dense = sparse_tensor.convert %6 : tensor<4x5xi8, #DCSR> to tensor<4x5xi8>
  %read = vector.transfer_read %dense[%c0, %c0], %pad
      : tensor<4x5xi8>, vector<4x5xi8>
  vector.print %read : vector<4x5xi8>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6, 8 )
  // CHECK-NEXT: crd[1] : ( 1, 4, 1, 3, 0, 2, 1, 4 )
  // CHECK-NEXT: values : ( -6, 1, 4, -2, -1, -9, 3, -8 )
  // CHECK-NEXT: ----
  %7 = call @where_only_one(%a, %b)
      : (tensor<4x5xf64, #DCSR>, tensor<4x5xf64, #DCSR>)
      -> tensor<4x5xf64, #DCSR>
  sparse_tensor.print %7 : tensor<4x5xf64, #DCSR>

  bufferization.dealloc_tensor %a : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %b : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %c : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %da : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %db : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %0 : tensor<?x?xf64, #DCSR>
  bufferization.dealloc_tensor %1 : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %2 : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %3 : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %4 : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %5 : tensor<4x5xi8, #DCSR>
  bufferization.dealloc_tensor %6 : tensor<4x5xi8, #DCSR>
  bufferization.dealloc_tensor %7 : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %dense : tensor<4x5xi8>
  return
}
