// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-sparsifier='enable-runtime-library=false threads=2 parts=3' %s \
// RUN:   | %run-main | FileCheck %s
// RUN: nacho-opt --nacho-outline-kernels %s | FileCheck %s --check-prefix=TAKEN
// RUN: nacho-opt --nacho-outline-kernels=remarks=true %s 2>&1 | FileCheck %s --check-prefix=LEFT

// The last level may have a coordinate more than once. Of entries with the same
// coordinates, the first one is the element of the tensor; the others are ignored.
//
// TAKEN-COUNT-3: module @kernel_{{.+}} attributes {nacho.kernel, nacho.program_type =

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa))
}>

#Rows = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed(nonunique))
}>

#Vector = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed(nonunique)) }>

#Disorder = #sparse_tensor.encoding<{
  map = (d0) -> (d0 : compressed(nonunique, nonordered))
}>

#total = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
  iterator_types = ["reduction", "reduction"]
}

#product = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

#sum = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
  iterator_types = ["reduction"]
}

func.func @sum_of_squares(%A: tensor<3x4xf64, #List>) -> tensor<f64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %s = linalg.generic #total ins(%A : tensor<3x4xf64, #List>) outs(%zero : tensor<f64>) {
  ^bb0(%a: f64, %sum: f64):
    %0 = arith.mulf %a, %a : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<f64>
  return %s : tensor<f64>
}

func.func @times(%A: tensor<3x4xf64, #Rows>, %x: tensor<4xf64>) -> tensor<3xf64> {
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

func.func @total(%x: tensor<4xf64, #Vector>) -> tensor<f64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %s = linalg.generic #sum ins(%x : tensor<4xf64, #Vector>) outs(%zero : tensor<f64>) {
  ^bb0(%a: f64, %sum: f64):
    %0 = arith.addf %sum, %a : f64
    linalg.yield %0 : f64
  } -> tensor<f64>
  return %s : tensor<f64>
}

// Where entries are not in order besides, MLIR ignores those behind an equal neighbour
// only, which is no property of the tensor's elements.
//
// LEFT: left to upstream's sparsifier: {{.*}}has levels that are not supported
func.func @in_disorder(%x: tensor<4xf64, #Disorder>) -> tensor<f64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %s = linalg.generic #sum ins(%x : tensor<4xf64, #Disorder>) outs(%zero : tensor<f64>) {
  ^bb0(%a: f64, %sum: f64):
    %0 = arith.addf %sum, %a : f64
    linalg.yield %0 : f64
  } -> tensor<f64>
  return %s : tensor<f64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %pos0 = arith.constant dense<[0, 5]> : tensor<2xindex>
  %crd0 = arith.constant dense<[0, 0, 0, 2, 2]> : tensor<5xindex>
  %crd1 = arith.constant dense<[1, 1, 3, 0, 0]> : tensor<5xindex>
  %values = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %list = sparse_tensor.assemble (%pos0, %crd0, %crd1), %values
      : (tensor<2xindex>, tensor<5xindex>, tensor<5xindex>), tensor<5xf64>
      to tensor<3x4xf64, #List>
  // CHECK: 26
  %s = call @sum_of_squares(%list) : (tensor<3x4xf64, #List>) -> tensor<f64>
  %s0 = tensor.extract %s[] : tensor<f64>
  vector.print %s0 : f64

  %pos1 = arith.constant dense<[0, 3, 3, 5]> : tensor<4xindex>
  %rows = sparse_tensor.assemble (%pos1, %crd1), %values
      : (tensor<4xindex>, tensor<5xindex>), tensor<5xf64> to tensor<3x4xf64, #Rows>
  %x = arith.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf64>
  // CHECK-NEXT: ( 3010, 0, 4 )
  %y = call @times(%rows, %x) : (tensor<3x4xf64, #Rows>, tensor<4xf64>) -> tensor<3xf64>
  %y0 = vector.transfer_read %y[%c0], %zero : tensor<3xf64>, vector<3xf64>
  vector.print %y0 : vector<3xf64>

  %vector = sparse_tensor.assemble (%pos0, %crd0), %values
      : (tensor<2xindex>, tensor<5xindex>), tensor<5xf64> to tensor<4xf64, #Vector>
  // CHECK-NEXT: 5
  %t = call @total(%vector) : (tensor<4xf64, #Vector>) -> tensor<f64>
  %t0 = tensor.extract %t[] : tensor<f64>
  vector.print %t0 : f64

  bufferization.dealloc_tensor %s : tensor<f64>
  bufferization.dealloc_tensor %y : tensor<3xf64>
  bufferization.dealloc_tensor %t : tensor<f64>
  return
}
