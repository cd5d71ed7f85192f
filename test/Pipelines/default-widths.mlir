// RUN: nacho-opt %s --nacho-cpu | FileCheck %s

// A convolution into a sparse result, with index arrays of the default width: the list of
// its products has coordinates that were computed of loaded ones, which are checked where
// they are read again.
//
// CHECK: llvm.func @{{.*}}_execute(

#Sparse = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#convolution = {
  indexing_maps = [affine_map<(i, j, k, l) -> (i + k, j + l)>,
                   affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}

func.func @convolve(%A: tensor<8x8xf64, #Sparse>, %F: tensor<3x3xf64>)
    -> tensor<6x6xf64, #Sparse> {
  %empty = tensor.empty() : tensor<6x6xf64, #Sparse>
  %Z = linalg.generic #convolution
      ins(%A, %F : tensor<8x8xf64, #Sparse>, tensor<3x3xf64>)
      outs(%empty : tensor<6x6xf64, #Sparse>) {
  ^bb0(%a: f64, %f: f64, %sum: f64):
    %0 = arith.mulf %a, %f : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<6x6xf64, #Sparse>
  return %Z : tensor<6x6xf64, #Sparse>
}
