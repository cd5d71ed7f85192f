// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %if thorough %{ %direct-nacho %s | %run-main | FileCheck %s %}
// RUN: nacho-opt %s --nacho-sparsifier="enable-runtime-library=false threads=2 parts=3 remarks=true" 2>%t.err | %run-main | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK --allow-empty
// REMARK-NOT: remark

// Every second row, from one that is known only at run time, of a matrix in each
// format that a slice may have: its entries are negated, and its rows summed.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#CSRSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 3, 2)>,
         j : #sparse_tensor<slice(1, ?, ?)>)
      -> (i : dense, j : compressed)
}>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#DCSRSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 3, 2)>,
         j : #sparse_tensor<slice(1, ?, ?)>)
      -> (i : compressed, j : compressed)
}>

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

#COOSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 3, 2)>,
         j : #sparse_tensor<slice(1, ?, ?)>)
      -> (i : compressed(nonunique), j : singleton)
}>

#Columns = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton(soa))
}>

#ColumnsSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 3, 2)>,
         j : #sparse_tensor<slice(1, ?, ?)>)
      -> (i : compressed(nonunique), j : singleton(soa))
}>

#Loose = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : loose_compressed)
}>

#LooseSlice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(?, 3, 2)>,
         j : #sparse_tensor<slice(1, ?, ?)>)
      -> (i : dense, j : loose_compressed)
}>

#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

#by_row = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

func.func @negate_csr(%a: tensor<3x?xf64, #CSRSlice>) -> tensor<3x?xf64, #CSR> {
  %c1 = arith.constant 1 : index
  %columns = tensor.dim %a, %c1 : tensor<3x?xf64, #CSRSlice>
  %empty = tensor.empty(%columns) : tensor<3x?xf64, #CSR>
  %z = linalg.generic #each
      ins(%a : tensor<3x?xf64, #CSRSlice>) outs(%empty : tensor<3x?xf64, #CSR>) {
  ^bb0(%x: f64, %old: f64):
    %n = arith.negf %x : f64
    linalg.yield %n : f64
  } -> tensor<3x?xf64, #CSR>
  return %z : tensor<3x?xf64, #CSR>
}

func.func @sum_csr(%a: tensor<3x?xf64, #CSRSlice>) -> tensor<3xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<3xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<3xf64>) -> tensor<3xf64>
  %z = linalg.generic #by_row ins(%a : tensor<3x?xf64, #CSRSlice>) outs(%zeros : tensor<3xf64>) {
  ^bb0(%x: f64, %old: f64):
    %s = arith.addf %old, %x : f64
    linalg.yield %s : f64
  } -> tensor<3xf64>
  return %z : tensor<3xf64>
}

func.func @negate_dcsr(%a: tensor<3x?xf64, #DCSRSlice>) -> tensor<3x?xf64, #CSR> {
  %c1 = arith.constant 1 : index
  %columns = tensor.dim %a, %c1 : tensor<3x?xf64, #DCSRSlice>
  %empty = tensor.empty(%columns) : tensor<3x?xf64, #CSR>
  %z = linalg.generic #each
      ins(%a : tensor<3x?xf64, #DCSRSlice>) outs(%empty : tensor<3x?xf64, #CSR>) {
  ^bb0(%x: f64, %old: f64):
    %n = arith.negf %x : f64
    linalg.yield %n : f64
  } -> tensor<3x?xf64, #CSR>
  return %z : tensor<3x?xf64, #CSR>
}

func.func @sum_dcsr(%a: tensor<3x?xf64, #DCSRSlice>) -> tensor<3xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<3xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<3xf64>) -> tensor<3xf64>
  %z = linalg.generic #by_row ins(%a : tensor<3x?xf64, #DCSRSlice>) outs(%zeros : tensor<3xf64>) {
  ^bb0(%x: f64, %old: f64):
    %s = arith.addf %old, %x : f64
    linalg.yield %s : f64
  } -> tensor<3xf64>
  return %z : tensor<3xf64>
}

func.func @negate_coo(%a: tensor<3x?xf64, #COOSlice>) -> tensor<3x?xf64, #CSR> {
  %c1 = arith.constant 1 : index
  %columns = tensor.dim %a, %c1 : tensor<3x?xf64, #COOSlice>
  %empty = tensor.empty(%columns) : tensor<3x?xf64, #CSR>
  %z = linalg.generic #each
      ins(%a : tensor<3x?xf64, #COOSlice>) outs(%empty : tensor<3x?xf64, #CSR>) {
  ^bb0(%x: f64, %old: f64):
    %n = arith.negf %x : f64
    linalg.yield %n : f64
  } -> tensor<3x?xf64, #CSR>
  return %z : tensor<3x?xf64, #CSR>
}

func.func @sum_coo(%a: tensor<3x?xf64, #COOSlice>) -> tensor<3xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<3xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<3xf64>) -> tensor<3xf64>
  %z = linalg.generic #by_row ins(%a : tensor<3x?xf64, #COOSlice>) outs(%zeros : tensor<3xf64>) {
  ^bb0(%x: f64, %old: f64):
    %s = arith.addf %old, %x : f64
    linalg.yield %s : f64
  } -> tensor<3xf64>
  return %z : tensor<3xf64>
}

func.func @negate_columns(%a: tensor<3x?xf64, #ColumnsSlice>) -> tensor<3x?xf64, #CSR> {
  %c1 = arith.constant 1 : index
  %columns = tensor.dim %a, %c1 : tensor<3x?xf64, #ColumnsSlice>
  %empty = tensor.empty(%columns) : tensor<3x?xf64, #CSR>
  %z = linalg.generic #each
      ins(%a : tensor<3x?xf64, #ColumnsSlice>) outs(%empty : tensor<3x?xf64, #CSR>) {
  ^bb0(%x: f64, %old: f64):
    %n = arith.negf %x : f64
    linalg.yield %n : f64
  } -> tensor<3x?xf64, #CSR>
  return %z : tensor<3x?xf64, #CSR>
}

func.func @sum_columns(%a: tensor<3x?xf64, #ColumnsSlice>) -> tensor<3xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<3xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<3xf64>) -> tensor<3xf64>
  %z = linalg.generic #by_row ins(%a : tensor<3x?xf64, #ColumnsSlice>) outs(%zeros : tensor<3xf64>) {
  ^bb0(%x: f64, %old: f64):
    %s = arith.addf %old, %x : f64
    linalg.yield %s : f64
  } -> tensor<3xf64>
  return %z : tensor<3xf64>
}

func.func @negate_loose(%a: tensor<3x?xf64, #LooseSlice>) -> tensor<3x?xf64, #CSR> {
  %c1 = arith.constant 1 : index
  %columns = tensor.dim %a, %c1 : tensor<3x?xf64, #LooseSlice>
  %empty = tensor.empty(%columns) : tensor<3x?xf64, #CSR>
  %z = linalg.generic #each
      ins(%a : tensor<3x?xf64, #LooseSlice>) outs(%empty : tensor<3x?xf64, #CSR>) {
  ^bb0(%x: f64, %old: f64):
    %n = arith.negf %x : f64
    linalg.yield %n : f64
  } -> tensor<3x?xf64, #CSR>
  return %z : tensor<3x?xf64, #CSR>
}

func.func @sum_loose(%a: tensor<3x?xf64, #LooseSlice>) -> tensor<3xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<3xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<3xf64>) -> tensor<3xf64>
  %z = linalg.generic #by_row ins(%a : tensor<3x?xf64, #LooseSlice>) outs(%zeros : tensor<3xf64>) {
  ^bb0(%x: f64, %old: f64):
    %s = arith.addf %old, %x : f64
    linalg.yield %s : f64
  } -> tensor<3xf64>
  return %z : tensor<3xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant -1.0 : f64
  %dense = arith.constant dense<[
    [0.0, 1.0, 0.0, 0.0, 2.0, 3.0],
    [0.0, 0.0, 4.0, 0.0, 5.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [6.0, 7.0, 0.0, 8.0, 0.0, 9.0],
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 2.0, 0.0, 3.0, 0.0, 4.0],
    [0.0, 0.0, 5.0, 0.0, 6.0, 0.0]
  ]> : tensor<7x6xf64>

  %csr = sparse_tensor.convert %dense : tensor<7x6xf64> to tensor<7x6xf64, #CSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 0, 2, 0, 2 )
  // CHECK-NEXT: values : ( -4, -5, -7, -8, -2, -3 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 9, 15, 5 )
  %s0 = tensor.extract_slice %csr[%c1, 1][3, %c4][2, %c1]
      : tensor<7x6xf64, #CSR> to tensor<3x?xf64, #CSRSlice>
  %n0 = call @negate_csr(%s0) : (tensor<3x?xf64, #CSRSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n0 : tensor<3x?xf64, #CSR>
  %y0 = call @sum_csr(%s0) : (tensor<3x?xf64, #CSRSlice>) -> tensor<3xf64>
  %v0 = vector.transfer_read %y0[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v0 : vector<3xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 2 )
  // CHECK-NEXT: crd[1] : ( 0, 1 )
  // CHECK-NEXT: values : ( -1, -2 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 3, 0, 0 )
  %s1 = tensor.extract_slice %csr[%c0, 1][3, %c2][2, %c3]
      : tensor<7x6xf64, #CSR> to tensor<3x?xf64, #CSRSlice>
  %n1 = call @negate_csr(%s1) : (tensor<3x?xf64, #CSRSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n1 : tensor<3x?xf64, #CSR>
  %y1 = call @sum_csr(%s1) : (tensor<3x?xf64, #CSRSlice>) -> tensor<3xf64>
  %v1 = vector.transfer_read %y1[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v1 : vector<3xf64>

  %dcsr = sparse_tensor.convert %dense : tensor<7x6xf64> to tensor<7x6xf64, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 0, 2, 0, 2 )
  // CHECK-NEXT: values : ( -4, -5, -7, -8, -2, -3 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 9, 15, 5 )
  %s2 = tensor.extract_slice %dcsr[%c1, 1][3, %c4][2, %c1]
      : tensor<7x6xf64, #DCSR> to tensor<3x?xf64, #DCSRSlice>
  %n2 = call @negate_dcsr(%s2) : (tensor<3x?xf64, #DCSRSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n2 : tensor<3x?xf64, #CSR>
  %y2 = call @sum_dcsr(%s2) : (tensor<3x?xf64, #DCSRSlice>) -> tensor<3xf64>
  %v2 = vector.transfer_read %y2[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v2 : vector<3xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 2 )
  // CHECK-NEXT: crd[1] : ( 0, 1 )
  // CHECK-NEXT: values : ( -1, -2 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 3, 0, 0 )
  %s3 = tensor.extract_slice %dcsr[%c0, 1][3, %c2][2, %c3]
      : tensor<7x6xf64, #DCSR> to tensor<3x?xf64, #DCSRSlice>
  %n3 = call @negate_dcsr(%s3) : (tensor<3x?xf64, #DCSRSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n3 : tensor<3x?xf64, #CSR>
  %y3 = call @sum_dcsr(%s3) : (tensor<3x?xf64, #DCSRSlice>) -> tensor<3xf64>
  %v3 = vector.transfer_read %y3[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v3 : vector<3xf64>

  %coo = sparse_tensor.convert %dense : tensor<7x6xf64> to tensor<7x6xf64, #COO>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 0, 2, 0, 2 )
  // CHECK-NEXT: values : ( -4, -5, -7, -8, -2, -3 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 9, 15, 5 )
  %s4 = tensor.extract_slice %coo[%c1, 1][3, %c4][2, %c1]
      : tensor<7x6xf64, #COO> to tensor<3x?xf64, #COOSlice>
  %n4 = call @negate_coo(%s4) : (tensor<3x?xf64, #COOSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n4 : tensor<3x?xf64, #CSR>
  %y4 = call @sum_coo(%s4) : (tensor<3x?xf64, #COOSlice>) -> tensor<3xf64>
  %v4 = vector.transfer_read %y4[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v4 : vector<3xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 2 )
  // CHECK-NEXT: crd[1] : ( 0, 1 )
  // CHECK-NEXT: values : ( -1, -2 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 3, 0, 0 )
  %s5 = tensor.extract_slice %coo[%c0, 1][3, %c2][2, %c3]
      : tensor<7x6xf64, #COO> to tensor<3x?xf64, #COOSlice>
  %n5 = call @negate_coo(%s5) : (tensor<3x?xf64, #COOSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n5 : tensor<3x?xf64, #CSR>
  %y5 = call @sum_coo(%s5) : (tensor<3x?xf64, #COOSlice>) -> tensor<3xf64>
  %v5 = vector.transfer_read %y5[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v5 : vector<3xf64>

  %columns = sparse_tensor.convert %dense : tensor<7x6xf64> to tensor<7x6xf64, #Columns>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 0, 2, 0, 2 )
  // CHECK-NEXT: values : ( -4, -5, -7, -8, -2, -3 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 9, 15, 5 )
  %s6 = tensor.extract_slice %columns[%c1, 1][3, %c4][2, %c1]
      : tensor<7x6xf64, #Columns> to tensor<3x?xf64, #ColumnsSlice>
  %n6 = call @negate_columns(%s6) : (tensor<3x?xf64, #ColumnsSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n6 : tensor<3x?xf64, #CSR>
  %y6 = call @sum_columns(%s6) : (tensor<3x?xf64, #ColumnsSlice>) -> tensor<3xf64>
  %v6 = vector.transfer_read %y6[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v6 : vector<3xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 2 )
  // CHECK-NEXT: crd[1] : ( 0, 1 )
  // CHECK-NEXT: values : ( -1, -2 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 3, 0, 0 )
  %s7 = tensor.extract_slice %columns[%c0, 1][3, %c2][2, %c3]
      : tensor<7x6xf64, #Columns> to tensor<3x?xf64, #ColumnsSlice>
  %n7 = call @negate_columns(%s7) : (tensor<3x?xf64, #ColumnsSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n7 : tensor<3x?xf64, #CSR>
  %y7 = call @sum_columns(%s7) : (tensor<3x?xf64, #ColumnsSlice>) -> tensor<3xf64>
  %v7 = vector.transfer_read %y7[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v7 : vector<3xf64>

  %loose = sparse_tensor.convert %dense : tensor<7x6xf64> to tensor<7x6xf64, #Loose>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 0, 2, 0, 2 )
  // CHECK-NEXT: values : ( -4, -5, -7, -8, -2, -3 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 9, 15, 5 )
  %s8 = tensor.extract_slice %loose[%c1, 1][3, %c4][2, %c1]
      : tensor<7x6xf64, #Loose> to tensor<3x?xf64, #LooseSlice>
  %n8 = call @negate_loose(%s8) : (tensor<3x?xf64, #LooseSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n8 : tensor<3x?xf64, #CSR>
  %y8 = call @sum_loose(%s8) : (tensor<3x?xf64, #LooseSlice>) -> tensor<3xf64>
  %v8 = vector.transfer_read %y8[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v8 : vector<3xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 2
  // CHECK-NEXT: dim = ( 3, 2 )
  // CHECK-NEXT: lvl = ( 3, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 2, 2 )
  // CHECK-NEXT: crd[1] : ( 0, 1 )
  // CHECK-NEXT: values : ( -1, -2 )
  // CHECK-NEXT: ----
  // CHECK-NEXT: ( 3, 0, 0 )
  %s9 = tensor.extract_slice %loose[%c0, 1][3, %c2][2, %c3]
      : tensor<7x6xf64, #Loose> to tensor<3x?xf64, #LooseSlice>
  %n9 = call @negate_loose(%s9) : (tensor<3x?xf64, #LooseSlice>) -> tensor<3x?xf64, #CSR>
  sparse_tensor.print %n9 : tensor<3x?xf64, #CSR>
  %y9 = call @sum_loose(%s9) : (tensor<3x?xf64, #LooseSlice>) -> tensor<3xf64>
  %v9 = vector.transfer_read %y9[%c0], %pad : tensor<3xf64>, vector<3xf64>
  vector.print %v9 : vector<3xf64>

  bufferization.dealloc_tensor %csr : tensor<7x6xf64, #CSR>
  bufferization.dealloc_tensor %n0 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y0 : tensor<3xf64>
  bufferization.dealloc_tensor %n1 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y1 : tensor<3xf64>
  bufferization.dealloc_tensor %dcsr : tensor<7x6xf64, #DCSR>
  bufferization.dealloc_tensor %n2 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y2 : tensor<3xf64>
  bufferization.dealloc_tensor %n3 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y3 : tensor<3xf64>
  bufferization.dealloc_tensor %coo : tensor<7x6xf64, #COO>
  bufferization.dealloc_tensor %n4 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y4 : tensor<3xf64>
  bufferization.dealloc_tensor %n5 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y5 : tensor<3xf64>
  bufferization.dealloc_tensor %columns : tensor<7x6xf64, #Columns>
  bufferization.dealloc_tensor %n6 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y6 : tensor<3xf64>
  bufferization.dealloc_tensor %n7 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y7 : tensor<3xf64>
  bufferization.dealloc_tensor %loose : tensor<7x6xf64, #Loose>
  bufferization.dealloc_tensor %n8 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y8 : tensor<3xf64>
  bufferization.dealloc_tensor %n9 : tensor<3x?xf64, #CSR>
  bufferization.dealloc_tensor %y9 : tensor<3xf64>
  return
}
