// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The casts of numbers in the arith dialect, which map zero to zero, turn a sparse
// vector into a dense one.

#Sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#elementwise = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @signed_to_float(%a: tensor<8xi32, #Sparse>) -> tensor<8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xi32, #Sparse>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%in: i32, %out: f32):
    %cast = arith.sitofp %in : i32 to f32
    linalg.yield %cast : f32
  } -> tensor<8xf32>
  return %x : tensor<8xf32>
}

func.func @unsigned_to_float(%a: tensor<8xi32, #Sparse>) -> tensor<8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xi32, #Sparse>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%in: i32, %out: f32):
    %cast = arith.uitofp %in : i32 to f32
    linalg.yield %cast : f32
  } -> tensor<8xf32>
  return %x : tensor<8xf32>
}

func.func @float_to_signed(%a: tensor<8xf32, #Sparse>) -> tensor<8xi32> {
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xf32, #Sparse>) outs(%zeros : tensor<8xi32>) {
  ^bb0(%in: f32, %out: i32):
    %cast = arith.fptosi %in : f32 to i32
    linalg.yield %cast : i32
  } -> tensor<8xi32>
  return %x : tensor<8xi32>
}

func.func @double_to_unsigned(%a: tensor<8xf64, #Sparse>) -> tensor<8xi32> {
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xf64, #Sparse>) outs(%zeros : tensor<8xi32>) {
  ^bb0(%in: f64, %out: i32):
    %cast = arith.fptoui %in : f64 to i32
    linalg.yield %cast : i32
  } -> tensor<8xi32>
  return %x : tensor<8xi32>
}

func.func @float_to_double(%a: tensor<8xf32, #Sparse>) -> tensor<8xf64> {
  %zeros = arith.constant dense<0.0> : tensor<8xf64>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xf32, #Sparse>) outs(%zeros : tensor<8xf64>) {
  ^bb0(%in: f32, %out: f64):
    %cast = arith.extf %in : f32 to f64
    linalg.yield %cast : f64
  } -> tensor<8xf64>
  return %x : tensor<8xf64>
}

func.func @double_to_float(%a: tensor<8xf64, #Sparse>) -> tensor<8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xf64, #Sparse>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%in: f64, %out: f32):
    %cast = arith.truncf %in : f64 to f32
    linalg.yield %cast : f32
  } -> tensor<8xf32>
  return %x : tensor<8xf32>
}

func.func @signed_to_wide(%a: tensor<8xi32, #Sparse>) -> tensor<8xi64> {
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xi32, #Sparse>) outs(%zeros : tensor<8xi64>) {
  ^bb0(%in: i32, %out: i64):
    %cast = arith.extsi %in : i32 to i64
    linalg.yield %cast : i64
  } -> tensor<8xi64>
  return %x : tensor<8xi64>
}

func.func @unsigned_to_wide(%a: tensor<8xi32, #Sparse>) -> tensor<8xi64> {
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xi32, #Sparse>) outs(%zeros : tensor<8xi64>) {
  ^bb0(%in: i32, %out: i64):
    %cast = arith.extui %in : i32 to i64
    linalg.yield %cast : i64
  } -> tensor<8xi64>
  return %x : tensor<8xi64>
}

func.func @integer_to_byte(%a: tensor<8xi32, #Sparse>) -> tensor<8xi8> {
  %zeros = arith.constant dense<0> : tensor<8xi8>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xi32, #Sparse>) outs(%zeros : tensor<8xi8>) {
  ^bb0(%in: i32, %out: i8):
    %cast = arith.trunci %in : i32 to i8
    linalg.yield %cast : i8
  } -> tensor<8xi8>
  return %x : tensor<8xi8>
}

func.func @float_as_integer(%a: tensor<8xf32, #Sparse>) -> tensor<8xi32> {
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %x = linalg.generic #elementwise
      ins(%a : tensor<8xf32, #Sparse>) outs(%zeros : tensor<8xi32>) {
  ^bb0(%in: f32, %out: i32):
    %cast = arith.bitcast %in : f32 to i32
    linalg.yield %cast : i32
  } -> tensor<8xi32>
  return %x : tensor<8xi32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %p8 = arith.constant 0 : i8
  %p32 = arith.constant 0 : i32
  %p64 = arith.constant 0 : i64
  %pf = arith.constant 0.0 : f32
  %pd = arith.constant 0.0 : f64

  %i = arith.constant dense<[0, -1, 6, 0, 260, -8, 0, 40]> : tensor<8xi32>
  %f = arith.constant dense<[0.0, -1.5, 2.75, 0.0, 100.5, 0.0, -0.25, 8.0]>
      : tensor<8xf32>
  %d = arith.constant dense<[0.0, -1.5, 2.75, 0.0, 100.5, 0.0, -0.25, 8.0]>
      : tensor<8xf64>
  %u = arith.constant dense<[4294967290.0, 0.0, 7.5, 0.0,
                             2147483648.0, 1.0, 0.0, 0.0]> : tensor<8xf64>
  %si = sparse_tensor.convert %i : tensor<8xi32> to tensor<8xi32, #Sparse>
  %sf = sparse_tensor.convert %f : tensor<8xf32> to tensor<8xf32, #Sparse>
  %sd = sparse_tensor.convert %d : tensor<8xf64> to tensor<8xf64, #Sparse>
  %su = sparse_tensor.convert %u : tensor<8xf64> to tensor<8xf64, #Sparse>

  // CHECK:      ( 0, -1, 6, 0, 260, -8, 0, 40 )
  %0 = call @signed_to_float(%si)
      : (tensor<8xi32, #Sparse>) -> tensor<8xf32>
  %v0 = vector.transfer_read %0[%c0], %pf
      : tensor<8xf32>, vector<8xf32>
  vector.print %v0 : vector<8xf32>

  // CHECK-NEXT: ( 0, 4.29497e+09, 6, 0, 260, 4.29497e+09, 0, 40 )
  %1 = call @unsigned_to_float(%si)
      : (tensor<8xi32, #Sparse>) -> tensor<8xf32>
  %v1 = vector.transfer_read %1[%c0], %pf
      : tensor<8xf32>, vector<8xf32>
  vector.print %v1 : vector<8xf32>

  // CHECK-NEXT: ( 0, -1, 2, 0, 100, 0, 0, 8 )
  %2 = call @float_to_signed(%sf)
      : (tensor<8xf32, #Sparse>) -> tensor<8xi32>
  %v2 = vector.transfer_read %2[%c0], %p32
      : tensor<8xi32>, vector<8xi32>
  vector.print %v2 : vector<8xi32>

  // CHECK-NEXT: ( 4294967290, 0, 7, 0, 2147483648, 1, 0, 0 )
  %3 = call @double_to_unsigned(%su)
      : (tensor<8xf64, #Sparse>) -> tensor<8xi32>
  %v3 = vector.transfer_read %3[%c0], %p32
      : tensor<8xi32>, vector<8xi32>
  %unsigned = vector.bitcast %v3 : vector<8xi32> to vector<8xui32>
  vector.print %unsigned : vector<8xui32>

  // CHECK-NEXT: ( 0, -1.5, 2.75, 0, 100.5, 0, -0.25, 8 )
  %4 = call @float_to_double(%sf)
      : (tensor<8xf32, #Sparse>) -> tensor<8xf64>
  %v4 = vector.transfer_read %4[%c0], %pd
      : tensor<8xf64>, vector<8xf64>
  vector.print %v4 : vector<8xf64>

  // CHECK-NEXT: ( 0, -1.5, 2.75, 0, 100.5, 0, -0.25, 8 )
  %5 = call @double_to_float(%sd)
      : (tensor<8xf64, #Sparse>) -> tensor<8xf32>
  %v5 = vector.transfer_read %5[%c0], %pf
      : tensor<8xf32>, vector<8xf32>
  vector.print %v5 : vector<8xf32>

  // CHECK-NEXT: ( 0, -1, 6, 0, 260, -8, 0, 40 )
  %6 = call @signed_to_wide(%si)
      : (tensor<8xi32, #Sparse>) -> tensor<8xi64>
  %v6 = vector.transfer_read %6[%c0], %p64
      : tensor<8xi64>, vector<8xi64>
  vector.print %v6 : vector<8xi64>

  // CHECK-NEXT: ( 0, 4294967295, 6, 0, 260, 4294967288, 0, 40 )
  %7 = call @unsigned_to_wide(%si)
      : (tensor<8xi32, #Sparse>) -> tensor<8xi64>
  %v7 = vector.transfer_read %7[%c0], %p64
      : tensor<8xi64>, vector<8xi64>
  vector.print %v7 : vector<8xi64>

  // CHECK-NEXT: ( 0, -1, 6, 0, 4, -8, 0, 40 )
  %8 = call @integer_to_byte(%si)
      : (tensor<8xi32, #Sparse>) -> tensor<8xi8>
  %v8 = vector.transfer_read %8[%c0], %p8
      : tensor<8xi8>, vector<8xi8>
  vector.print %v8 : vector<8xi8>

  // CHECK-NEXT: ( 0, -1077936128, 1076887552, 0, 1120468992, 0, -1098907648, 1090519040 )
  %9 = call @float_as_integer(%sf)
      : (tensor<8xf32, #Sparse>) -> tensor<8xi32>
  %v9 = vector.transfer_read %9[%c0], %p32
      : tensor<8xi32>, vector<8xi32>
  vector.print %v9 : vector<8xi32>

  bufferization.dealloc_tensor %si : tensor<8xi32, #Sparse>
  bufferization.dealloc_tensor %sf : tensor<8xf32, #Sparse>
  bufferization.dealloc_tensor %sd : tensor<8xf64, #Sparse>
  bufferization.dealloc_tensor %su : tensor<8xf64, #Sparse>
  bufferization.dealloc_tensor %0 : tensor<8xf32>
  bufferization.dealloc_tensor %1 : tensor<8xf32>
  bufferization.dealloc_tensor %2 : tensor<8xi32>
  bufferization.dealloc_tensor %3 : tensor<8xi32>
  bufferization.dealloc_tensor %4 : tensor<8xf64>
  bufferization.dealloc_tensor %5 : tensor<8xf32>
  bufferization.dealloc_tensor %6 : tensor<8xi64>
  bufferization.dealloc_tensor %7 : tensor<8xi64>
  bufferization.dealloc_tensor %8 : tensor<8xi8>
  bufferization.dealloc_tensor %9 : tensor<8xi32>
  return
}
