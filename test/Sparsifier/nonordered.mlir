// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-sparsifier='enable-runtime-library=false threads=2 parts=3' %s \
// RUN:   | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-outline-kernels %s | FileCheck %s --check-prefix=TAKEN

// Operands whose rows, or whose entries, are stored in any order. Kernels take them in
// the order of their coordinates.
//
// TAKEN: module @kernel_2 attributes {nacho.kernel, nacho.program_type = (tensor<3x4xf64, #[[ROWS:.+]]>) -> tensor<3x4xf64, #[[CSR:.+]]>}
// TAKEN:   func.func @nacho_kernel_2(%{{.+}}: tensor<3x4xf64, #[[CSR]]>)

#Rows = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed(nonordered))
}>

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique, nonordered), d1 : singleton(nonordered))
}>

#product = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

#copy = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @rows_times(%A: tensor<3x4xf64, #Rows>, %x: tensor<4xf64>) -> tensor<3xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3xf64>
  %y = linalg.generic #product ins(%A, %x : tensor<3x4xf64, #Rows>, tensor<4xf64>)
      outs(%zeros : tensor<3xf64>) {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @list_times(%A: tensor<3x4xf64, #List>, %x: tensor<4xf64>) -> tensor<3xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3xf64>
  %y = linalg.generic #product ins(%A, %x : tensor<3x4xf64, #List>, tensor<4xf64>)
      outs(%zeros : tensor<3xf64>) {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @sorted(%A: tensor<3x4xf64, #Rows>) -> tensor<3x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<3x4xf64, #CSR>
  %Z = linalg.generic #copy ins(%A : tensor<3x4xf64, #Rows>)
      outs(%empty : tensor<3x4xf64, #CSR>) {
  ^bb0(%a: f64, %z: f64):
    linalg.yield %a : f64
  } -> tensor<3x4xf64, #CSR>
  return %Z : tensor<3x4xf64, #CSR>
}

// As a result, too, such a tensor is in order.
func.func @doubled(%A: tensor<3x4xf64, #Rows>) -> tensor<3x4xf64, #Rows> {
  %two = arith.constant 2.0 : f64
  %empty = tensor.empty() : tensor<3x4xf64, #Rows>
  %Z = linalg.generic #copy ins(%A : tensor<3x4xf64, #Rows>)
      outs(%empty : tensor<3x4xf64, #Rows>) {
  ^bb0(%a: f64, %z: f64):
    %0 = arith.mulf %a, %two : f64
    linalg.yield %0 : f64
  } -> tensor<3x4xf64, #Rows>
  return %Z : tensor<3x4xf64, #Rows>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %x = arith.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf64>
  %values = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>

  %pos1 = arith.constant dense<[0, 3, 3, 5]> : tensor<4xindex>
  %crd1 = arith.constant dense<[3, 1, 0, 2, 0]> : tensor<5xindex>
  %rows = sparse_tensor.assemble (%pos1, %crd1), %values
      : (tensor<4xindex>, tensor<5xindex>), tensor<5xf64> to tensor<3x4xf64, #Rows>
  // CHECK: ( 1023, 0, 405 )
  %y0 = call @rows_times(%rows, %x) : (tensor<3x4xf64, #Rows>, tensor<4xf64>) -> tensor<3xf64>
  %v0 = vector.transfer_read %y0[%c0], %zero : tensor<3xf64>, vector<3xf64>
  vector.print %v0 : vector<3xf64>

  %pos0 = arith.constant dense<[0, 5]> : tensor<2xindex>
  %crds = arith.constant dense<[[2, 3], [0, 1], [0, 0], [2, 2], [0, 2]]> : tensor<5x2xindex>
  %list = sparse_tensor.assemble (%pos0, %crds), %values
      : (tensor<2xindex>, tensor<5x2xindex>), tensor<5xf64> to tensor<3x4xf64, #List>
  // CHECK-NEXT: ( 523, 0, 1400 )
  %y1 = call @list_times(%list, %x) : (tensor<3x4xf64, #List>, tensor<4xf64>) -> tensor<3xf64>
  %v1 = vector.transfer_read %y1[%c0], %zero : tensor<3xf64>, vector<3xf64>
  vector.print %v1 : vector<3xf64>

  %csr = call @sorted(%rows) : (tensor<3x4xf64, #Rows>) -> tensor<3x4xf64, #CSR>
  // CHECK:      pos[1] : ( 0, 3, 3, 5 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 3, 0, 2 )
  // CHECK-NEXT: values : ( 3, 2, 1, 5, 4 )
  sparse_tensor.print %csr : tensor<3x4xf64, #CSR>

  %more = call @doubled(%rows) : (tensor<3x4xf64, #Rows>) -> tensor<3x4xf64, #Rows>
  // CHECK: ( 2046, 0, 810 )
  %y2 = call @rows_times(%more, %x) : (tensor<3x4xf64, #Rows>, tensor<4xf64>) -> tensor<3xf64>
  %v2 = vector.transfer_read %y2[%c0], %zero : tensor<3xf64>, vector<3xf64>
  vector.print %v2 : vector<3xf64>

  // Only the runtime library copies the arrays.
  %copied = sparse_tensor.has_runtime_library
  scf.if %copied {
    bufferization.dealloc_tensor %rows : tensor<3x4xf64, #Rows>
    bufferization.dealloc_tensor %list : tensor<3x4xf64, #List>
  }
  bufferization.dealloc_tensor %y0 : tensor<3xf64>
  bufferization.dealloc_tensor %y1 : tensor<3xf64>
  bufferization.dealloc_tensor %csr : tensor<3x4xf64, #CSR>
  bufferization.dealloc_tensor %more : tensor<3x4xf64, #Rows>
  bufferization.dealloc_tensor %y2 : tensor<3xf64>
  return
}
