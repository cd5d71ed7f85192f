// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Ones are taken from a sparse tensor or added to it, as a condition says.

#CCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

#elementwise = {
  indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
                   affine_map<(i, j, k) -> (i, j, k)>,
                   affine_map<(i, j, k) -> (i, j, k)>],
  iterator_types = ["parallel", "parallel", "parallel"]
}

func.func @change(%less: i1, %tensor: tensor<2x2x3xf64, #CCC>)
    -> tensor<2x2x3xf64, #CCC> {
  %result = scf.if %less -> (tensor<2x2x3xf64, #CCC>) {
    %ones = arith.constant dense<1.0> : tensor<2x2x3xf64>
    %empty = tensor.empty() : tensor<2x2x3xf64, #CCC>
    %changed = linalg.generic #elementwise
        ins(%tensor, %ones : tensor<2x2x3xf64, #CCC>, tensor<2x2x3xf64>)
        outs(%empty : tensor<2x2x3xf64, #CCC>) {
    ^bb0(%x: f64, %y: f64, %unused: f64):
      %result = arith.subf %x, %y : f64
      linalg.yield %result : f64
    } -> tensor<2x2x3xf64, #CCC>
    scf.yield %changed : tensor<2x2x3xf64, #CCC>
  } else {
    %ones = arith.constant dense<1.0> : tensor<2x2x3xf64>
    %empty = tensor.empty() : tensor<2x2x3xf64, #CCC>
    %changed = linalg.generic #elementwise
        ins(%tensor, %ones : tensor<2x2x3xf64, #CCC>, tensor<2x2x3xf64>)
        outs(%empty : tensor<2x2x3xf64, #CCC>) {
    ^bb0(%x: f64, %y: f64, %unused: f64):
      %result = arith.addf %x, %y : f64
      linalg.yield %result : f64
    } -> tensor<2x2x3xf64, #CCC>
    scf.yield %changed : tensor<2x2x3xf64, #CCC>
  }
  return %result : tensor<2x2x3xf64, #CCC>
}

// Ones may cancel entries, and whether such zeros are stored is left open.
func.func @show(%tensor: tensor<2x2x3xf64, #CCC>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 99.0 : f64
  %dense = sparse_tensor.convert %tensor
      : tensor<2x2x3xf64, #CCC> to tensor<2x2x3xf64>
  %values = vector.transfer_read %dense[%c0, %c0, %c0], %none
      : tensor<2x2x3xf64>, vector<2x2x3xf64>
  vector.print %values : vector<2x2x3xf64>
  bufferization.dealloc_tensor %dense : tensor<2x2x3xf64>
  return
}

func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %dense = arith.constant dense<[[[0.0, 1.0, 5.5], [0.0, 0.0, 0.0]],
                                 [[-1.0, 0.0, 2.0], [8.0, 1.0, 0.0]]]>
      : tensor<2x2x3xf64>
  %tensor = sparse_tensor.convert %dense
      : tensor<2x2x3xf64> to tensor<2x2x3xf64, #CCC>
  %less = call @change(%true, %tensor)
      : (i1, tensor<2x2x3xf64, #CCC>) -> tensor<2x2x3xf64, #CCC>
  %more = call @change(%false, %tensor)
      : (i1, tensor<2x2x3xf64, #CCC>) -> tensor<2x2x3xf64, #CCC>
  // CHECK:      ( ( ( -1, 0, 4.5 ), ( -1, -1, -1 ) ), ( ( -2, -1, 1 ), ( 7, 0, -1 ) ) )
  // CHECK-NEXT: ( ( ( 1, 2, 6.5 ), ( 1, 1, 1 ) ), ( ( 0, 1, 3 ), ( 9, 2, 1 ) ) )
  call @show(%less) : (tensor<2x2x3xf64, #CCC>) -> ()
  call @show(%more) : (tensor<2x2x3xf64, #CCC>) -> ()

  bufferization.dealloc_tensor %tensor : tensor<2x2x3xf64, #CCC>
  bufferization.dealloc_tensor %less : tensor<2x2x3xf64, #CCC>
  bufferization.dealloc_tensor %more : tensor<2x2x3xf64, #CCC>
  return
}
