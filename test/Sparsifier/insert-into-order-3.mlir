// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Tensors of order 3 in several formats are filled by the same insertions.

#CDC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed)
}>

#CCD = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : dense)
}>

#CCOO = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed(nonunique), d2 : singleton)
}>

#DCOO = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : compressed(nonunique), d2 : singleton)
}>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %v0 = arith.constant 1.25 : f64
  %v1 = arith.constant 7.0 : f64
  %v2 = arith.constant -3.0 : f64
  %v3 = arith.constant 6.5 : f64

  %cdc_0 = tensor.empty() : tensor<4x3x5xf64, #CDC>
  %cdc_1 = tensor.insert %v0 into %cdc_0[%c1, %c0, %c2] : tensor<4x3x5xf64, #CDC>
  %cdc_2 = tensor.insert %v1 into %cdc_1[%c1, %c2, %c0] : tensor<4x3x5xf64, #CDC>
  %cdc_3 = tensor.insert %v2 into %cdc_2[%c1, %c2, %c4] : tensor<4x3x5xf64, #CDC>
  %cdc_4 = tensor.insert %v3 into %cdc_3[%c3, %c1, %c1] : tensor<4x3x5xf64, #CDC>
  %cdc = sparse_tensor.load %cdc_4 hasInserts : tensor<4x3x5xf64, #CDC>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 4, 3, 5 )
  // CHECK-NEXT: lvl = ( 4, 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 3 )
  // CHECK-NEXT: pos[2] : ( 0, 1, 1, 3, 3, 4, 4 )
  // CHECK-NEXT: crd[2] : ( 2, 0, 4, 1 )
  // CHECK-NEXT: values : ( 1.25, 7, -3, 6.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %cdc : tensor<4x3x5xf64, #CDC>

  %ccd_0 = tensor.empty() : tensor<4x3x5xf64, #CCD>
  %ccd_1 = tensor.insert %v0 into %ccd_0[%c1, %c0, %c2] : tensor<4x3x5xf64, #CCD>
  %ccd_2 = tensor.insert %v1 into %ccd_1[%c1, %c2, %c0] : tensor<4x3x5xf64, #CCD>
  %ccd_3 = tensor.insert %v2 into %ccd_2[%c1, %c2, %c4] : tensor<4x3x5xf64, #CCD>
  %ccd_4 = tensor.insert %v3 into %ccd_3[%c3, %c1, %c1] : tensor<4x3x5xf64, #CCD>
  %ccd = sparse_tensor.load %ccd_4 hasInserts : tensor<4x3x5xf64, #CCD>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 15
  // CHECK-NEXT: dim = ( 4, 3, 5 )
  // CHECK-NEXT: lvl = ( 4, 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 1 )
  // CHECK-NEXT: values : ( 0, 0, 1.25, 0, 0, 7, 0, 0, 0, -3, 0, 6.5, 0, 0, 0 )
  // CHECK-NEXT: ----
  sparse_tensor.print %ccd : tensor<4x3x5xf64, #CCD>

  %ccoo_0 = tensor.empty() : tensor<4x3x5xf64, #CCOO>
  %ccoo_1 = tensor.insert %v0 into %ccoo_0[%c1, %c0, %c2] : tensor<4x3x5xf64, #CCOO>
  %ccoo_2 = tensor.insert %v1 into %ccoo_1[%c1, %c2, %c0] : tensor<4x3x5xf64, #CCOO>
  %ccoo_3 = tensor.insert %v2 into %ccoo_2[%c1, %c2, %c4] : tensor<4x3x5xf64, #CCOO>
  %ccoo_4 = tensor.insert %v3 into %ccoo_3[%c3, %c1, %c1] : tensor<4x3x5xf64, #CCOO>
  %ccoo = sparse_tensor.load %ccoo_4 hasInserts : tensor<4x3x5xf64, #CCOO>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 4, 3, 5 )
  // CHECK-NEXT: lvl = ( 4, 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 2, 0, 2, 4, 1, 1 )
  // CHECK-NEXT: values : ( 1.25, 7, -3, 6.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %ccoo : tensor<4x3x5xf64, #CCOO>

  %dcoo_0 = tensor.empty() : tensor<4x3x5xf64, #DCOO>
  %dcoo_1 = tensor.insert %v0 into %dcoo_0[%c1, %c0, %c2] : tensor<4x3x5xf64, #DCOO>
  %dcoo_2 = tensor.insert %v1 into %dcoo_1[%c1, %c2, %c0] : tensor<4x3x5xf64, #DCOO>
  %dcoo_3 = tensor.insert %v2 into %dcoo_2[%c1, %c2, %c4] : tensor<4x3x5xf64, #DCOO>
  %dcoo_4 = tensor.insert %v3 into %dcoo_3[%c3, %c1, %c1] : tensor<4x3x5xf64, #DCOO>
  %dcoo = sparse_tensor.load %dcoo_4 hasInserts : tensor<4x3x5xf64, #DCOO>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 4, 3, 5 )
  // CHECK-NEXT: lvl = ( 4, 3, 5 )
  // CHECK-NEXT: pos[1] : ( 0, 0, 3, 3, 4 )
  // CHECK-NEXT: crd[1] : ( 0, 2, 2, 0, 2, 4, 1, 1 )
  // CHECK-NEXT: values : ( 1.25, 7, -3, 6.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %dcoo : tensor<4x3x5xf64, #DCOO>

  %cdc_count = sparse_tensor.number_of_entries %cdc : tensor<4x3x5xf64, #CDC>
  %ccd_count = sparse_tensor.number_of_entries %ccd : tensor<4x3x5xf64, #CCD>
  %ccoo_count = sparse_tensor.number_of_entries %ccoo : tensor<4x3x5xf64, #CCOO>
  %dcoo_count = sparse_tensor.number_of_entries %dcoo : tensor<4x3x5xf64, #DCOO>
  // CHECK-NEXT: {{^4$}}
  // CHECK-NEXT: {{^15$}}
  // CHECK-NEXT: {{^4$}}
  // CHECK-NEXT: {{^4$}}
  vector.print %cdc_count : index
  vector.print %ccd_count : index
  vector.print %ccoo_count : index
  vector.print %dcoo_count : index

  bufferization.dealloc_tensor %cdc : tensor<4x3x5xf64, #CDC>
  bufferization.dealloc_tensor %ccd : tensor<4x3x5xf64, #CCD>
  bufferization.dealloc_tensor %ccoo : tensor<4x3x5xf64, #CCOO>
  bufferization.dealloc_tensor %dcoo : tensor<4x3x5xf64, #DCOO>
  return
}
