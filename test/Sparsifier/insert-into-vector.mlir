// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse vector is filled by insertions one after another, and by a loop.

#Vector = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c499 = arith.constant 499 : index
  %a = arith.constant 1.5 : f32
  %b = arith.constant -2.0 : f32
  %c = arith.constant 8.0 : f32

  %empty = tensor.empty() : tensor<500xf32, #Vector>
  %one = tensor.insert %a into %empty[%c2] : tensor<500xf32, #Vector>
  %two = tensor.insert %b into %one[%c5] : tensor<500xf32, #Vector>
  %three = tensor.insert %c into %two[%c499] : tensor<500xf32, #Vector>
  %listed = sparse_tensor.load %three hasInserts : tensor<500xf32, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 500 )
  // CHECK-NEXT: lvl = ( 500 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 2, 5, 499 )
  // CHECK-NEXT: values : ( 1.5, -2, 8 )
  // CHECK-NEXT: ----
  sparse_tensor.print %listed : tensor<500xf32, #Vector>

  %start = tensor.empty() : tensor<500xf32, #Vector>
  %grown = scf.for %i = %c0 to %c6 step %c1 iter_args(%partial = %start)
      -> tensor<500xf32, #Vector> {
    %place = arith.muli %i, %c5 : index
    %more = tensor.insert %c into %partial[%place] : tensor<500xf32, #Vector>
    scf.yield %more : tensor<500xf32, #Vector>
  }
  %looped = sparse_tensor.load %grown hasInserts : tensor<500xf32, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 500 )
  // CHECK-NEXT: lvl = ( 500 )
  // CHECK-NEXT: pos[0] : ( 0, 6 )
  // CHECK-NEXT: crd[0] : ( 0, 5, 10, 15, 20, 25 )
  // CHECK-NEXT: values : ( 8, 8, 8, 8, 8, 8 )
  // CHECK-NEXT: ----
  sparse_tensor.print %looped : tensor<500xf32, #Vector>

  %listed_count = sparse_tensor.number_of_entries %listed : tensor<500xf32, #Vector>
  %looped_count = sparse_tensor.number_of_entries %looped : tensor<500xf32, #Vector>
  // CHECK-NEXT: {{^3$}}
  // CHECK-NEXT: {{^6$}}
  vector.print %listed_count : index
  vector.print %looped_count : index

  bufferization.dealloc_tensor %listed : tensor<500xf32, #Vector>
  bufferization.dealloc_tensor %looped : tensor<500xf32, #Vector>
  return
}
