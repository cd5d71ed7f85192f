// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The sign of every stored number is taken, including infinities and NaN.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#vectors = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @sign(%vector: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %vector, %c0 : tensor<?xf64, #Vector>
  %empty = tensor.empty(%size) : tensor<?xf64, #Vector>
  %result = linalg.generic #vectors
      ins(%vector : tensor<?xf64, #Vector>) outs(%empty : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64, %unused: f64):
    %sign = sparse_tensor.unary %value : f64 to f64
      present = {
      ^bb0(%x: f64):
        %zero = arith.constant 0.0 : f64
        %nonzero = arith.cmpf one, %x, %zero : f64
        %magnitude = arith.uitofp %nonzero : i1 to f64
        %signed = math.copysign %magnitude, %x : f64
        %unordered = arith.cmpf uno, %x, %x : f64
        %chosen = arith.select %unordered, %x, %signed : f64
        sparse_tensor.yield %chosen : f64
      }
      absent = {}
    linalg.yield %sign : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant 9.0 : f64
  %dense = arith.constant sparse<
    [[1], [2], [4], [5], [7], [8], [9]],
    [2.5, -0.125,
     0x7FF0000000000000, // infinity
     0xFFF0000000000000, // -infinity
     0x7FF8000000000000, // NaN
     0.0, -300.0]> : tensor<11xf64>
  %vector = sparse_tensor.convert %dense : tensor<11xf64> to tensor<?xf64, #Vector>
  %signs = call @sign(%vector) : (tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  %signs_dense = sparse_tensor.convert %signs
      : tensor<?xf64, #Vector> to tensor<?xf64>
  %values = vector.transfer_read %signs_dense[%c0], %none
      : tensor<?xf64>, vector<11xf64>
  // CHECK:      ( 0, 1, -1, 0, 1, -1, 0, nan, 0, -1, 0 )
  vector.print %values : vector<11xf64>

  bufferization.dealloc_tensor %vector : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %signs : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %signs_dense : tensor<?xf64>
  return
}
