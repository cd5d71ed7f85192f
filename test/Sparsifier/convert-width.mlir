// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A conversion changes the widths of positions and coordinates together with the
// order of the levels.

#Bytes = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed),
  posWidth = 8,
  crdWidth = 8
}>

#Words = #sparse_tensor.encoding<{
  map = (i, j) -> (j : compressed, i : compressed),
  posWidth = 64,
  crdWidth = 64
}>

#Mixed = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed),
  posWidth = 16,
  crdWidth = 32
}>

func.func @show_i8(%a: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i8
  %read = vector.transfer_read %a[%c0], %pad : memref<?xi8>, vector<6xi8>
  vector.print %read : vector<6xi8>
  return
}

func.func @show_i32(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %read = vector.transfer_read %a[%c0], %pad : memref<?xi32>, vector<6xi32>
  vector.print %read : vector<6xi32>
  return
}

func.func @show_i64(%a: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i64
  %read = vector.transfer_read %a[%c0], %pad : memref<?xi64>, vector<6xi64>
  vector.print %read : vector<6xi64>
  return
}

func.func @show_f64(%a: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  %read = vector.transfer_read %a[%c0], %pad : memref<?xf64>, vector<6xf64>
  vector.print %read : vector<6xf64>
  return
}

func.func @main() {
  %dense = arith.constant sparse<
    [[0, 7], [2, 0], [2, 99], [41, 7], [49, 0], [49, 50]],
    [1.0, 2.5, 3.0, 4.0, 5.5, 6.0]
  > : tensor<50x100xf64>

  // CHECK:      ( 7, 0, 99, 7, 0, 50 )
  // CHECK-NEXT: ( 1, 2.5, 3, 4, 5.5, 6 )
  %0 = sparse_tensor.convert %dense
      : tensor<50x100xf64> to tensor<50x100xf64, #Bytes>
  %crd0 = sparse_tensor.coordinates %0 {level = 1 : index}
      : tensor<50x100xf64, #Bytes> to memref<?xi8>
  call @show_i8(%crd0) : (memref<?xi8>) -> ()
  %val0 = sparse_tensor.values %0
      : tensor<50x100xf64, #Bytes> to memref<?xf64>
  call @show_f64(%val0) : (memref<?xf64>) -> ()

  // CHECK-NEXT: ( 2, 49, 0, 41, 49, 2 )
  // CHECK-NEXT: ( 2.5, 5.5, 1, 4, 6, 3 )
  %1 = sparse_tensor.convert %dense
      : tensor<50x100xf64> to tensor<50x100xf64, #Words>
  %crd1 = sparse_tensor.coordinates %1 {level = 1 : index}
      : tensor<50x100xf64, #Words> to memref<?xi64>
  call @show_i64(%crd1) : (memref<?xi64>) -> ()
  %val1 = sparse_tensor.values %1
      : tensor<50x100xf64, #Words> to memref<?xf64>
  call @show_f64(%val1) : (memref<?xf64>) -> ()

  // CHECK-NEXT: ( 2, 49, 0, 41, 49, 2 )
  // CHECK-NEXT: ( 2.5, 5.5, 1, 4, 6, 3 )
  %2 = sparse_tensor.convert %dense
      : tensor<50x100xf64> to tensor<50x100xf64, #Mixed>
  %crd2 = sparse_tensor.coordinates %2 {level = 1 : index}
      : tensor<50x100xf64, #Mixed> to memref<?xi32>
  call @show_i32(%crd2) : (memref<?xi32>) -> ()
  %val2 = sparse_tensor.values %2
      : tensor<50x100xf64, #Mixed> to memref<?xf64>
  call @show_f64(%val2) : (memref<?xf64>) -> ()

  // CHECK-NEXT: ( 2, 49, 0, 41, 49, 2 )
  // CHECK-NEXT: ( 2.5, 5.5, 1, 4, 6, 3 )
  %3 = sparse_tensor.convert %0
      : tensor<50x100xf64, #Bytes> to tensor<50x100xf64, #Words>
  %crd3 = sparse_tensor.coordinates %3 {level = 1 : index}
      : tensor<50x100xf64, #Words> to memref<?xi64>
  call @show_i64(%crd3) : (memref<?xi64>) -> ()
  %val3 = sparse_tensor.values %3
      : tensor<50x100xf64, #Words> to memref<?xf64>
  call @show_f64(%val3) : (memref<?xf64>) -> ()

  // CHECK-NEXT: ( 7, 0, 99, 7, 0, 50 )
  // CHECK-NEXT: ( 1, 2.5, 3, 4, 5.5, 6 )
  %4 = sparse_tensor.convert %1
      : tensor<50x100xf64, #Words> to tensor<50x100xf64, #Bytes>
  %crd4 = sparse_tensor.coordinates %4 {level = 1 : index}
      : tensor<50x100xf64, #Bytes> to memref<?xi8>
  call @show_i8(%crd4) : (memref<?xi8>) -> ()
  %val4 = sparse_tensor.values %4
      : tensor<50x100xf64, #Bytes> to memref<?xf64>
  call @show_f64(%val4) : (memref<?xf64>) -> ()

  // CHECK-NEXT: ( 7, 0, 99, 7, 0, 50 )
  // CHECK-NEXT: ( 1, 2.5, 3, 4, 5.5, 6 )
  %5 = sparse_tensor.convert %2
      : tensor<50x100xf64, #Mixed> to tensor<50x100xf64, #Bytes>
  %crd5 = sparse_tensor.coordinates %5 {level = 1 : index}
      : tensor<50x100xf64, #Bytes> to memref<?xi8>
  call @show_i8(%crd5) : (memref<?xi8>) -> ()
  %val5 = sparse_tensor.values %5
      : tensor<50x100xf64, #Bytes> to memref<?xf64>
  call @show_f64(%val5) : (memref<?xf64>) -> ()

  bufferization.dealloc_tensor %0 : tensor<50x100xf64, #Bytes>
  bufferization.dealloc_tensor %1 : tensor<50x100xf64, #Words>
  bufferization.dealloc_tensor %2 : tensor<50x100xf64, #Mixed>
  bufferization.dealloc_tensor %3 : tensor<50x100xf64, #Words>
  bufferization.dealloc_tensor %4 : tensor<50x100xf64, #Bytes>
  bufferization.dealloc_tensor %5 : tensor<50x100xf64, #Bytes>
  return
}
