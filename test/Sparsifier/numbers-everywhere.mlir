// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier="threads=2 parts=3" | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier --nacho-remarks -o /dev/null 2>&1 | count 0

// Sparse results of ops without a sparse operand, and of sums with a number: all
// elements are stored, but none if the number is a constant 0.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>
#DCSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : compressed, i : compressed) }>
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

#row = affine_map<(i) -> (i)>
#matrix = affine_map<(i, j) -> (i, j)>
#made_vector = {indexing_maps = [#row], iterator_types = ["parallel"]}
#made_matrix = {indexing_maps = [#matrix], iterator_types = ["parallel", "parallel"]}
#each = {indexing_maps = [#row, #row], iterator_types = ["parallel"]}

// The number and the extents are arguments.
func.func @everywhere(%rows: index, %columns: index, %number: f64)
    -> tensor<?x?xf64, #DCSC> {
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64, #DCSC>
  %Z = linalg.generic #made_matrix outs(%empty : tensor<?x?xf64, #DCSC>) {
  ^bb0(%z: f64):
    linalg.yield %number : f64
  } -> tensor<?x?xf64, #DCSC>
  return %Z : tensor<?x?xf64, #DCSC>
}

func.func @zero_vector() -> tensor<4xi32, #Vector> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<4xi32, #Vector>
  %z = linalg.generic #made_vector outs(%empty : tensor<4xi32, #Vector>) {
  ^bb0(%old: i32):
    linalg.yield %zero : i32
  } -> tensor<4xi32, #Vector>
  return %z : tensor<4xi32, #Vector>
}

func.func @zero_matrix() -> tensor<2x3xf64, #CSR> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<2x3xf64, #CSR>
  %Z = linalg.generic #made_matrix outs(%empty : tensor<2x3xf64, #CSR>) {
  ^bb0(%z: f64):
    linalg.yield %zero : f64
  } -> tensor<2x3xf64, #CSR>
  return %Z : tensor<2x3xf64, #CSR>
}

func.func @fill() -> tensor<3xf64, #Vector> {
  %number = arith.constant 0.5 : f64
  %empty = tensor.empty() : tensor<3xf64, #Vector>
  %z = linalg.fill ins(%number : f64) outs(%empty : tensor<3xf64, #Vector>)
      -> tensor<3xf64, #Vector>
  return %z : tensor<3xf64, #Vector>
}

func.func @add_number(%a: tensor<4xf64, #Vector>) -> tensor<4xf64, #Vector> {
  %number = arith.constant 0.5 : f64
  %empty = tensor.empty() : tensor<4xf64, #Vector>
  %z = linalg.generic #each ins(%a : tensor<4xf64, #Vector>)
      outs(%empty : tensor<4xf64, #Vector>) {
  ^bb0(%x: f64, %old: f64):
    %0 = arith.addf %x, %number : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64, #Vector>
  return %z : tensor<4xf64, #Vector>
}

func.func @main() {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %number = arith.constant 1.5 : f64
  // CHECK:      nse = 6
  // CHECK-NEXT: dim = ( 2, 3 )
  // CHECK-NEXT: lvl = ( 3, 2 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1, 0, 1 )
  // CHECK-NEXT: values : ( 1.5, 1.5, 1.5, 1.5, 1.5, 1.5 )
  %Z0 = call @everywhere(%c2, %c3, %number)
      : (index, index, f64) -> tensor<?x?xf64, #DCSC>
  sparse_tensor.print %Z0 : tensor<?x?xf64, #DCSC>

  // CHECK:      nse = 0
  // CHECK-NEXT: dim = ( 4 )
  // CHECK-NEXT: lvl = ( 4 )
  // CHECK-NEXT: pos[0] : ( 0, 0 )
  // CHECK-NEXT: crd[0] : ( )
  // CHECK-NEXT: values : ( )
  %Z1 = call @zero_vector() : () -> tensor<4xi32, #Vector>
  sparse_tensor.print %Z1 : tensor<4xi32, #Vector>

  // CHECK:      nse = 0
  // CHECK-NEXT: dim = ( 2, 3 )
  // CHECK-NEXT: lvl = ( 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 0, 0 )
  // CHECK-NEXT: crd[1] : ( )
  // CHECK-NEXT: values : ( )
  %Z2 = call @zero_matrix() : () -> tensor<2x3xf64, #CSR>
  sparse_tensor.print %Z2 : tensor<2x3xf64, #CSR>

  // CHECK:      nse = 3
  // CHECK:      crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: values : ( 0.5, 0.5, 0.5 )
  %Z3 = call @fill() : () -> tensor<3xf64, #Vector>
  sparse_tensor.print %Z3 : tensor<3xf64, #Vector>

  // CHECK:      nse = 4
  // CHECK:      crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: values : ( 0.5, 2.5, 0.5, 4.5 )
  %dense = arith.constant dense<[0.0, 2.0, 0.0, 4.0]> : tensor<4xf64>
  %a = sparse_tensor.convert %dense : tensor<4xf64> to tensor<4xf64, #Vector>
  %Z4 = call @add_number(%a) : (tensor<4xf64, #Vector>) -> tensor<4xf64, #Vector>
  sparse_tensor.print %Z4 : tensor<4xf64, #Vector>

  bufferization.dealloc_tensor %Z0 : tensor<?x?xf64, #DCSC>
  bufferization.dealloc_tensor %Z1 : tensor<4xi32, #Vector>
  bufferization.dealloc_tensor %Z2 : tensor<2x3xf64, #CSR>
  bufferization.dealloc_tensor %Z3 : tensor<3xf64, #Vector>
  bufferization.dealloc_tensor %Z4 : tensor<4xf64, #Vector>
  bufferization.dealloc_tensor %a : tensor<4xf64, #Vector>
  return
}
