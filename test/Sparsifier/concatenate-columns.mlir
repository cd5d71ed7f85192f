// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Matrices are put side by side, where operands and results are dense
// or sparse, stored by rows or by columns, and of static or dynamic size.

#CC = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : compressed) }>
#DC = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#CD = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed, j : dense) }>
#CCT = #sparse_tensor.encoding<{ map = (i, j) -> (j : compressed, i : compressed) }>
#DCT = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>
#CDT = #sparse_tensor.encoding<{ map = (i, j) -> (j : compressed, i : dense) }>

func.func @sparse_to_sparse(%a: tensor<3x1xf64, #CC>, %b: tensor<3x2xf64, #CD>,
                            %c: tensor<3x3xf64, #DC>) -> tensor<3x6xf64, #CC> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64, #CC>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>
      to tensor<3x6xf64, #CC>
  return %0 : tensor<3x6xf64, #CC>
}

func.func @sparse_to_dense(%a: tensor<3x1xf64, #CC>, %b: tensor<3x2xf64, #CD>,
                           %c: tensor<3x3xf64, #DC>) -> tensor<3x6xf64> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64, #CC>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>
      to tensor<3x6xf64>
  return %0 : tensor<3x6xf64>
}

func.func @mixed_to_sparse(%a: tensor<3x1xf64>, %b: tensor<3x2xf64, #CD>,
                           %c: tensor<3x3xf64, #DC>) -> tensor<3x6xf64, #CC> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>
      to tensor<3x6xf64, #CC>
  return %0 : tensor<3x6xf64, #CC>
}

func.func @mixed_to_dense(%a: tensor<3x1xf64>, %b: tensor<3x2xf64, #CD>,
                          %c: tensor<3x3xf64, #DC>) -> tensor<3x6xf64> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>
      to tensor<3x6xf64>
  return %0 : tensor<3x6xf64>
}

func.func @columns_to_sparse(%a: tensor<3x1xf64, #CCT>,
                             %b: tensor<3x2xf64, #CD>,
                             %c: tensor<3x3xf64, #DC>)
    -> tensor<3x6xf64, #CCT> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64, #CCT>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>
      to tensor<3x6xf64, #CCT>
  return %0 : tensor<3x6xf64, #CCT>
}

func.func @columns_to_dense(%a: tensor<3x1xf64, #CCT>,
                            %b: tensor<3x2xf64, #CDT>,
                            %c: tensor<3x3xf64, #DC>) -> tensor<3x6xf64> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64, #CCT>, tensor<3x2xf64, #CDT>, tensor<3x3xf64, #DC>
      to tensor<3x6xf64>
  return %0 : tensor<3x6xf64>
}

func.func @mixed_columns_to_sparse(%a: tensor<3x1xf64>,
                                   %b: tensor<3x2xf64, #CDT>,
                                   %c: tensor<3x3xf64, #DC>)
    -> tensor<3x6xf64, #CC> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64>, tensor<3x2xf64, #CDT>, tensor<3x3xf64, #DC>
      to tensor<3x6xf64, #CC>
  return %0 : tensor<3x6xf64, #CC>
}

func.func @mixed_columns_to_dense(%a: tensor<3x1xf64>, %b: tensor<3x2xf64, #CD>,
                                  %c: tensor<3x3xf64, #DCT>)
    -> tensor<3x6xf64> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DCT>
      to tensor<3x6xf64>
  return %0 : tensor<3x6xf64>
}

func.func @mixed_to_dynamic(%a: tensor<3x1xf64>, %b: tensor<3x2xf64, #CD>,
                            %c: tensor<3x3xf64, #DC>)
    -> tensor<?x?xf64, #CC> {
  %0 = sparse_tensor.concatenate %a, %b, %c {dimension = 1 : index}
      : tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>
      to tensor<?x?xf64, #CC>
  return %0 : tensor<?x?xf64, #CC>
}

func.func @show(%a: tensor<3x6xf64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %read = vector.transfer_read %a[%c0, %c0], %pad
      : tensor<3x6xf64>, vector<3x6xf64>
  vector.print %read : vector<3x6xf64>
  return
}

func.func @main() {
  %a = arith.constant dense<[[0.0], [2.0], [1.5]]> : tensor<3x1xf64>
  %b = arith.constant dense<[[4.0, 0.0], [0.0, 7.0],
                             [0.0, 3.0]]> : tensor<3x2xf64>
  %c = arith.constant dense<[[0.0, 0.0, 0.0], [6.0, 0.5, 0.0],
                             [0.0, 0.0, 9.0]]> : tensor<3x3xf64>
  %acc = sparse_tensor.convert %a : tensor<3x1xf64> to tensor<3x1xf64, #CC>
  %bcd = sparse_tensor.convert %b : tensor<3x2xf64> to tensor<3x2xf64, #CD>
  %cdc = sparse_tensor.convert %c : tensor<3x3xf64> to tensor<3x3xf64, #DC>
  %acct = sparse_tensor.convert %a : tensor<3x1xf64> to tensor<3x1xf64, #CCT>
  %bcdt = sparse_tensor.convert %b : tensor<3x2xf64> to tensor<3x2xf64, #CDT>
  %cdct = sparse_tensor.convert %c : tensor<3x3xf64> to tensor<3x3xf64, #DCT>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 3, 6 )
  // CHECK-NEXT: lvl = ( 3, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 5, 8 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2, 3, 4, 0, 2, 5 )
  // CHECK-NEXT: values : ( 4, 2, 7, 6, 0.5, 1.5, 3, 9 )
  // CHECK-NEXT: ----
  %0 = call @sparse_to_sparse(%acc, %bcd, %cdc)
      : (tensor<3x1xf64, #CC>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>)
      -> tensor<3x6xf64, #CC>
  sparse_tensor.print %0 : tensor<3x6xf64, #CC>

  // CHECK-NEXT: ( ( 0, 4, 0, 0, 0, 0 ), ( 2, 0, 7, 6, 0.5, 0 ), ( 1.5, 0, 3, 0, 0, 9 ) )
  %1 = call @sparse_to_dense(%acc, %bcd, %cdc)
      : (tensor<3x1xf64, #CC>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>)
      -> tensor<3x6xf64>
  call @show(%1) : (tensor<3x6xf64>) -> ()

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 3, 6 )
  // CHECK-NEXT: lvl = ( 3, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 5, 8 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2, 3, 4, 0, 2, 5 )
  // CHECK-NEXT: values : ( 4, 2, 7, 6, 0.5, 1.5, 3, 9 )
  // CHECK-NEXT: ----
  %2 = call @mixed_to_sparse(%a, %bcd, %cdc)
      : (tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>)
      -> tensor<3x6xf64, #CC>
  sparse_tensor.print %2 : tensor<3x6xf64, #CC>

  // CHECK-NEXT: ( ( 0, 4, 0, 0, 0, 0 ), ( 2, 0, 7, 6, 0.5, 0 ), ( 1.5, 0, 3, 0, 0, 9 ) )
  %3 = call @mixed_to_dense(%a, %bcd, %cdc)
      : (tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>)
      -> tensor<3x6xf64>
  call @show(%3) : (tensor<3x6xf64>) -> ()

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 3, 6 )
  // CHECK-NEXT: lvl = ( 6, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 6 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3, 4, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 5, 6, 7, 8 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 1, 2, 1, 1, 2 )
  // CHECK-NEXT: values : ( 2, 1.5, 4, 7, 3, 6, 0.5, 9 )
  // CHECK-NEXT: ----
  %4 = call @columns_to_sparse(%acct, %bcd, %cdc)
      : (tensor<3x1xf64, #CCT>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>)
      -> tensor<3x6xf64, #CCT>
  sparse_tensor.print %4 : tensor<3x6xf64, #CCT>

  // CHECK-NEXT: ( ( 0, 4, 0, 0, 0, 0 ), ( 2, 0, 7, 6, 0.5, 0 ), ( 1.5, 0, 3, 0, 0, 9 ) )
  %5 = call @columns_to_dense(%acct, %bcdt, %cdc)
      : (tensor<3x1xf64, #CCT>, tensor<3x2xf64, #CDT>, tensor<3x3xf64, #DC>)
      -> tensor<3x6xf64>
  call @show(%5) : (tensor<3x6xf64>) -> ()

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 3, 6 )
  // CHECK-NEXT: lvl = ( 3, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 5, 8 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2, 3, 4, 0, 2, 5 )
  // CHECK-NEXT: values : ( 4, 2, 7, 6, 0.5, 1.5, 3, 9 )
  // CHECK-NEXT: ----
  %6 = call @mixed_columns_to_sparse(%a, %bcdt, %cdc)
      : (tensor<3x1xf64>, tensor<3x2xf64, #CDT>, tensor<3x3xf64, #DC>)
      -> tensor<3x6xf64, #CC>
  sparse_tensor.print %6 : tensor<3x6xf64, #CC>

  // CHECK-NEXT: ( ( 0, 4, 0, 0, 0, 0 ), ( 2, 0, 7, 6, 0.5, 0 ), ( 1.5, 0, 3, 0, 0, 9 ) )
  %7 = call @mixed_columns_to_dense(%a, %bcd, %cdct)
      : (tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DCT>)
      -> tensor<3x6xf64>
  call @show(%7) : (tensor<3x6xf64>) -> ()

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 3, 6 )
  // CHECK-NEXT: lvl = ( 3, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 5, 8 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2, 3, 4, 0, 2, 5 )
  // CHECK-NEXT: values : ( 4, 2, 7, 6, 0.5, 1.5, 3, 9 )
  // CHECK-NEXT: ----
  %8 = call @mixed_to_dynamic(%a, %bcd, %cdc)
      : (tensor<3x1xf64>, tensor<3x2xf64, #CD>, tensor<3x3xf64, #DC>)
      -> tensor<?x?xf64, #CC>
  sparse_tensor.print %8 : tensor<?x?xf64, #CC>

  bufferization.dealloc_tensor %acc : tensor<3x1xf64, #CC>
  bufferization.dealloc_tensor %bcd : tensor<3x2xf64, #CD>
  bufferization.dealloc_tensor %cdc : tensor<3x3xf64, #DC>
  bufferization.dealloc_tensor %acct : tensor<3x1xf64, #CCT>
  bufferization.dealloc_tensor %bcdt : tensor<3x2xf64, #CDT>
  bufferization.dealloc_tensor %cdct : tensor<3x3xf64, #DCT>
  bufferization.dealloc_tensor %0 : tensor<3x6xf64, #CC>
  bufferization.dealloc_tensor %1 : tensor<3x6xf64>
  bufferization.dealloc_tensor %2 : tensor<3x6xf64, #CC>
  bufferization.dealloc_tensor %3 : tensor<3x6xf64>
  bufferization.dealloc_tensor %4 : tensor<3x6xf64, #CCT>
  bufferization.dealloc_tensor %5 : tensor<3x6xf64>
  bufferization.dealloc_tensor %6 : tensor<3x6xf64, #CC>
  bufferization.dealloc_tensor %7 : tensor<3x6xf64>
  bufferization.dealloc_tensor %8 : tensor<?x?xf64, #CC>
  return
}
