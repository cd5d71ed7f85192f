// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A COO matrix is added to a dense, a CSR and another COO matrix, whose
// coordinates are interleaved or stored as one array per dimension.

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

#COOArrays = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton(soa))
}>

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#add = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @csr_and_coo(%a: tensor<4x5xf32, #CSR>, %b: tensor<4x5xf32, #COOArrays>)
    -> tensor<4x5xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  %x = linalg.generic #add
      ins(%a, %b : tensor<4x5xf32, #CSR>, tensor<4x5xf32, #COOArrays>)
      outs(%zeros : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %sum = arith.addf %p, %q : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %x : tensor<4x5xf32>
}

func.func @coo_and_coo(%a: tensor<4x5xf32, #COO>,
                       %b: tensor<4x5xf32, #COOArrays>) -> tensor<4x5xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  %x = linalg.generic #add
      ins(%a, %b : tensor<4x5xf32, #COO>, tensor<4x5xf32, #COOArrays>)
      outs(%zeros : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %sum = arith.addf %p, %q : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %x : tensor<4x5xf32>
}

func.func @coo_and_coo_into_coo(%a: tensor<4x5xf32, #COO>,
                                %b: tensor<4x5xf32, #COOArrays>)
    -> tensor<4x5xf32, #COO> {
  %empty = tensor.empty() : tensor<4x5xf32, #COO>
  %x = linalg.generic #add
      ins(%a, %b : tensor<4x5xf32, #COO>, tensor<4x5xf32, #COOArrays>)
      outs(%empty : tensor<4x5xf32, #COO>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %sum = arith.addf %p, %q : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32, #COO>
  return %x : tensor<4x5xf32, #COO>
}

func.func @dense_and_coo(%a: tensor<4x5xf32>, %b: tensor<4x5xf32, #COOArrays>)
    -> tensor<4x5xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  %x = linalg.generic #add
      ins(%a, %b : tensor<4x5xf32>, tensor<4x5xf32, #COOArrays>)
      outs(%zeros : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %sum = arith.addf %p, %q : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %x : tensor<4x5xf32>
}

func.func @show(%x: tensor<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32
  %read = vector.transfer_read %x[%c0, %c0], %pad
      : tensor<4x5xf32>, vector<4x5xf32>
  vector.print %read : vector<4x5xf32>
  return
}

func.func @main() {
  %p = arith.constant dense<[[0.0, 2.0, 0.0, 1.5, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0],
                             [4.0, 0.0, 8.0, 0.0, 3.0],
                             [0.0, 0.0, 0.0, 0.0, 6.0]]> : tensor<4x5xf32>
  %q = arith.constant dense<[[1.0, 5.0, 0.0, 0.0, 0.0],
                             [0.0, 0.0, 7.0, 0.0, 0.5],
                             [0.0, 0.0, 9.0, 2.5, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x5xf32>
  %csr = sparse_tensor.convert %p : tensor<4x5xf32> to tensor<4x5xf32, #CSR>
  %coo = sparse_tensor.convert %p : tensor<4x5xf32> to tensor<4x5xf32, #COO>
  %arrays = sparse_tensor.convert %q
      : tensor<4x5xf32> to tensor<4x5xf32, #COOArrays>

  %0 = call @dense_and_coo(%p, %arrays)
      : (tensor<4x5xf32>, tensor<4x5xf32, #COOArrays>) -> tensor<4x5xf32>
  %1 = call @csr_and_coo(%csr, %arrays)
      : (tensor<4x5xf32, #CSR>, tensor<4x5xf32, #COOArrays>) -> tensor<4x5xf32>
  %2 = call @coo_and_coo(%coo, %arrays)
      : (tensor<4x5xf32, #COO>, tensor<4x5xf32, #COOArrays>) -> tensor<4x5xf32>
  %3 = call @coo_and_coo_into_coo(%coo, %arrays)
      : (tensor<4x5xf32, #COO>, tensor<4x5xf32, #COOArrays>)
      -> tensor<4x5xf32, #COO>
  // CHECK:      ( ( 1, 7, 0, 1.5, 0 ), ( 0, 0, 7, 0, 0.5 ), ( 4, 0, 17, 2.5, 3 ), ( 0, 0, 0, 0, 6 ) )
  // CHECK-NEXT: ( ( 1, 7, 0, 1.5, 0 ), ( 0, 0, 7, 0, 0.5 ), ( 4, 0, 17, 2.5, 3 ), ( 0, 0, 0, 0, 6 ) )
  // CHECK-NEXT: ( ( 1, 7, 0, 1.5, 0 ), ( 0, 0, 7, 0, 0.5 ), ( 4, 0, 17, 2.5, 3 ), ( 0, 0, 0, 0, 6 ) )
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 10
  // CHECK-NEXT: dim = ( 4, 5 )
  // CHECK-NEXT: lvl = ( 4, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 10 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 0, 1, 0, 3, 1, 2, 1, 4, 2, 0, 2, 2, 2, 3, 2, 4, 3, 4 )
  // CHECK-NEXT: values : ( 1, 7, 1.5, 7, 0.5, 4, 17, 2.5, 3, 6 )
  // CHECK-NEXT: ----
  call @show(%0) : (tensor<4x5xf32>) -> ()
  call @show(%1) : (tensor<4x5xf32>) -> ()
  call @show(%2) : (tensor<4x5xf32>) -> ()
  sparse_tensor.print %3 : tensor<4x5xf32, #COO>

  bufferization.dealloc_tensor %csr : tensor<4x5xf32, #CSR>
  bufferization.dealloc_tensor %coo : tensor<4x5xf32, #COO>
  bufferization.dealloc_tensor %arrays : tensor<4x5xf32, #COOArrays>
  bufferization.dealloc_tensor %0 : tensor<4x5xf32>
  bufferization.dealloc_tensor %1 : tensor<4x5xf32>
  bufferization.dealloc_tensor %2 : tensor<4x5xf32>
  bufferization.dealloc_tensor %3 : tensor<4x5xf32, #COO>
  return
}
