// RUN: export TENSOR0=%S/Inputs/order-3.tns
// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A tensor of order 3 is read from a file into each of the six orders of its levels,
// and copied from there into a dense one.

#IJK = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

#IKJ = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, k : compressed, j : compressed)
}>

#JIK = #sparse_tensor.encoding<{
  map = (i, j, k) -> (j : compressed, i : compressed, k : compressed)
}>

#JKI = #sparse_tensor.encoding<{
  map = (i, j, k) -> (j : compressed, k : compressed, i : compressed)
}>

#KIJ = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : compressed, i : compressed, j : compressed)
}>

#KJI = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : compressed, j : compressed, i : compressed)
}>

#copy = {
  indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
                   affine_map<(i, j, k) -> (i, j, k)>],
  iterator_types = ["parallel", "parallel", "parallel"]
}

!File = !llvm.ptr

func.func private @getTensorFilename(index) -> !File

func.func @show(%dense: tensor<3x2x4xf64>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f64
  %values = vector.transfer_read %dense[%c0, %c0, %c0], %none
      : tensor<3x2x4xf64>, vector<3x2x4xf64>
  vector.print %values : vector<3x2x4xf64>
  return
}

func.func @copy_ijk(%sparse: tensor<3x2x4xf64, #IJK>) -> tensor<3x2x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x2x4xf64>
  %result = linalg.generic #copy
      ins(%sparse : tensor<3x2x4xf64, #IJK>) outs(%zeros : tensor<3x2x4xf64>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<3x2x4xf64>
  return %result : tensor<3x2x4xf64>
}

func.func @read_ijk(%file: !File) {
  %sparse = sparse_tensor.new %file : !File to tensor<3x2x4xf64, #IJK>
  %copied = call @copy_ijk(%sparse) : (tensor<3x2x4xf64, #IJK>) -> tensor<3x2x4xf64>
  call @show(%copied) : (tensor<3x2x4xf64>) -> ()
  %converted = sparse_tensor.convert %sparse
      : tensor<3x2x4xf64, #IJK> to tensor<3x2x4xf64>
  call @show(%converted) : (tensor<3x2x4xf64>) -> ()
  bufferization.dealloc_tensor %sparse : tensor<3x2x4xf64, #IJK>
  bufferization.dealloc_tensor %copied : tensor<3x2x4xf64>
  bufferization.dealloc_tensor %converted : tensor<3x2x4xf64>
  return
}

func.func @copy_ikj(%sparse: tensor<3x2x4xf64, #IKJ>) -> tensor<3x2x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x2x4xf64>
  %result = linalg.generic #copy
      ins(%sparse : tensor<3x2x4xf64, #IKJ>) outs(%zeros : tensor<3x2x4xf64>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<3x2x4xf64>
  return %result : tensor<3x2x4xf64>
}

func.func @read_ikj(%file: !File) {
  %sparse = sparse_tensor.new %file : !File to tensor<3x2x4xf64, #IKJ>
  %copied = call @copy_ikj(%sparse) : (tensor<3x2x4xf64, #IKJ>) -> tensor<3x2x4xf64>
  call @show(%copied) : (tensor<3x2x4xf64>) -> ()
  %converted = sparse_tensor.convert %sparse
      : tensor<3x2x4xf64, #IKJ> to tensor<3x2x4xf64>
  call @show(%converted) : (tensor<3x2x4xf64>) -> ()
  bufferization.dealloc_tensor %sparse : tensor<3x2x4xf64, #IKJ>
  bufferization.dealloc_tensor %copied : tensor<3x2x4xf64>
  bufferization.dealloc_tensor %converted : tensor<3x2x4xf64>
  return
}

func.func @copy_jik(%sparse: tensor<3x2x4xf64, #JIK>) -> tensor<3x2x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x2x4xf64>
  %result = linalg.generic #copy
      ins(%sparse : tensor<3x2x4xf64, #JIK>) outs(%zeros : tensor<3x2x4xf64>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<3x2x4xf64>
  return %result : tensor<3x2x4xf64>
}

func.func @read_jik(%file: !File) {
  %sparse = sparse_tensor.new %file : !File to tensor<3x2x4xf64, #JIK>
  %copied = call @copy_jik(%sparse) : (tensor<3x2x4xf64, #JIK>) -> tensor<3x2x4xf64>
  call @show(%copied) : (tensor<3x2x4xf64>) -> ()
  %converted = sparse_tensor.convert %sparse
      : tensor<3x2x4xf64, #JIK> to tensor<3x2x4xf64>
  call @show(%converted) : (tensor<3x2x4xf64>) -> ()
  bufferization.dealloc_tensor %sparse : tensor<3x2x4xf64, #JIK>
  bufferization.dealloc_tensor %copied : tensor<3x2x4xf64>
  bufferization.dealloc_tensor %converted : tensor<3x2x4xf64>
  return
}

func.func @copy_jki(%sparse: tensor<3x2x4xf64, #JKI>) -> tensor<3x2x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x2x4xf64>
  %result = linalg.generic #copy
      ins(%sparse : tensor<3x2x4xf64, #JKI>) outs(%zeros : tensor<3x2x4xf64>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<3x2x4xf64>
  return %result : tensor<3x2x4xf64>
}

func.func @read_jki(%file: !File) {
  %sparse = sparse_tensor.new %file : !File to tensor<3x2x4xf64, #JKI>
  %copied = call @copy_jki(%sparse) : (tensor<3x2x4xf64, #JKI>) -> tensor<3x2x4xf64>
  call @show(%copied) : (tensor<3x2x4xf64>) -> ()
  %converted = sparse_tensor.convert %sparse
      : tensor<3x2x4xf64, #JKI> to tensor<3x2x4xf64>
  call @show(%converted) : (tensor<3x2x4xf64>) -> ()
  bufferization.dealloc_tensor %sparse : tensor<3x2x4xf64, #JKI>
  bufferization.dealloc_tensor %copied : tensor<3x2x4xf64>
  bufferization.dealloc_tensor %converted : tensor<3x2x4xf64>
  return
}

func.func @copy_kij(%sparse: tensor<3x2x4xf64, #KIJ>) -> tensor<3x2x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x2x4xf64>
  %result = linalg.generic #copy
      ins(%sparse : tensor<3x2x4xf64, #KIJ>) outs(%zeros : tensor<3x2x4xf64>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<3x2x4xf64>
  return %result : tensor<3x2x4xf64>
}

func.func @read_kij(%file: !File) {
  %sparse = sparse_tensor.new %file : !File to tensor<3x2x4xf64, #KIJ>
  %copied = call @copy_kij(%sparse) : (tensor<3x2x4xf64, #KIJ>) -> tensor<3x2x4xf64>
  call @show(%copied) : (tensor<3x2x4xf64>) -> ()
  %converted = sparse_tensor.convert %sparse
      : tensor<3x2x4xf64, #KIJ> to tensor<3x2x4xf64>
  call @show(%converted) : (tensor<3x2x4xf64>) -> ()
  bufferization.dealloc_tensor %sparse : tensor<3x2x4xf64, #KIJ>
  bufferization.dealloc_tensor %copied : tensor<3x2x4xf64>
  bufferization.dealloc_tensor %converted : tensor<3x2x4xf64>
  return
}

func.func @copy_kji(%sparse: tensor<3x2x4xf64, #KJI>) -> tensor<3x2x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<3x2x4xf64>
  %result = linalg.generic #copy
      ins(%sparse : tensor<3x2x4xf64, #KJI>) outs(%zeros : tensor<3x2x4xf64>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<3x2x4xf64>
  return %result : tensor<3x2x4xf64>
}

func.func @read_kji(%file: !File) {
  %sparse = sparse_tensor.new %file : !File to tensor<3x2x4xf64, #KJI>
  %copied = call @copy_kji(%sparse) : (tensor<3x2x4xf64, #KJI>) -> tensor<3x2x4xf64>
  call @show(%copied) : (tensor<3x2x4xf64>) -> ()
  %converted = sparse_tensor.convert %sparse
      : tensor<3x2x4xf64, #KJI> to tensor<3x2x4xf64>
  call @show(%converted) : (tensor<3x2x4xf64>) -> ()
  bufferization.dealloc_tensor %sparse : tensor<3x2x4xf64, #KJI>
  bufferization.dealloc_tensor %copied : tensor<3x2x4xf64>
  bufferization.dealloc_tensor %converted : tensor<3x2x4xf64>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %file = call @getTensorFilename(%c0) : (index) -> !File
  // CHECK:      ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  // CHECK-NEXT: ( ( ( 0, 5, 0, -1.5 ), ( 2, 0, 0, 0 ) ), ( ( 0, 0, 0, 0 ), ( 0, 8, 0.25, 0 ) ), ( ( 7, 0, -4, 0 ), ( 0, 6, 0, 3.5 ) ) )
  call @read_ijk(%file) : (!File) -> ()
  call @read_ikj(%file) : (!File) -> ()
  call @read_jik(%file) : (!File) -> ()
  call @read_jki(%file) : (!File) -> ()
  call @read_kij(%file) : (!File) -> ()
  call @read_kji(%file) : (!File) -> ()
  return
}
