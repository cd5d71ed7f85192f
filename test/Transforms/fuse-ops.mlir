// RUN: nacho-opt --nacho-fuse-ops=remarks -split-input-file -verify-diagnostics %s | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// A sum is computed at the entries of a sparse factor, and not released.
//
// CHECK:       #[[S:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK:       #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK:       #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: @sample(
// CHECK-SAME:    %[[SV:.*]]: tensor<?x?xf64, #{{.*}}>, %[[AV:.*]]: tensor<?x?xf64>, %[[BV:.*]]: tensor<?x?xf64>,
// CHECK-NOT:     linalg.matmul
// CHECK:         %[[OUT:.*]] = tensor.empty
// CHECK:         %[[Z:.*]] = linalg.generic {indexing_maps = [#[[S]], #[[A]], #[[B]], #[[S]]],
// CHECK-SAME:        iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:        ins(%[[SV]], %[[AV]], %[[BV]] : {{.*}}) outs(%[[OUT]]
// CHECK-NEXT:    ^bb0(%[[SE:.*]]: f64, %[[AE:.*]]: f64, %[[BE:.*]]: f64, %[[ZE:.*]]: f64)
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[AE]], %[[BE]]
// CHECK-NEXT:      %[[Q:.*]] = arith.mulf %[[SE]], %[[P]]
// CHECK-NEXT:      %[[R:.*]] = arith.addf %[[ZE]], %[[Q]]
// CHECK-NEXT:      linalg.yield %[[R]]
// CHECK-NOT:     dealloc_tensor
// CHECK:         return %[[Z]]
func.func @sample(%S: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64>, %B: tensor<?x?xf64>,
                  %m: index, %n: index) -> tensor<?x?xf64, #CSR> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty(%m, %n) : tensor<?x?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  // expected-note@+1 {{made here}}
  %T = linalg.matmul ins(%A, %B : tensor<?x?xf64>, tensor<?x?xf64>)
      outs(%zeros : tensor<?x?xf64>) -> tensor<?x?xf64>
  %out = tensor.empty(%m, %n) : tensor<?x?xf64, #CSR>
  // expected-remark@+1 {{fused with what makes operand #1}}
  %Z = linalg.generic #each ins(%S, %T : tensor<?x?xf64, #CSR>, tensor<?x?xf64>)
      outs(%out : tensor<?x?xf64, #CSR>) {
  ^bb0(%s: f64, %t: f64, %z: f64):
    %0 = arith.mulf %s, %t : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64, #CSR>
  bufferization.dealloc_tensor %T : tensor<?x?xf64>
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#total = {
  indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j, i)>,
                   affine_map<(j, i) -> (j)>],
  iterator_types = ["parallel", "reduction"]}

// The operands of the sum are sparse, its result is read transposed, and what samples it
// is scaled, and adds up: y[j] += sum_ik S[i, j] * 2 * A[j, k] * B[k, i].
//
// CHECK:       #[[S:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK:       #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK:       #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK:       #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: @sum_of_samples(
// CHECK-SAME:    %[[Y0:[^:]*]]: tensor<?xi32>
// CHECK:         linalg.generic {indexing_maps = [#[[S]], #[[A]], #[[B]], #[[Y]]],
// CHECK-SAME:        iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK-SAME:        outs(%[[Y0]] : tensor<?xi32>)
// CHECK-NEXT:    ^bb0(%[[SE:.*]]: i32, %[[AE:.*]]: i32, %[[BE:.*]]: i32, %[[YE:.*]]: i32)
// CHECK-NEXT:      %[[P:.*]] = arith.muli %[[AE]], %[[BE]]
// CHECK-NEXT:      %[[D:.*]] = arith.muli %[[SE]], %{{.*}}
// CHECK-NEXT:      %[[Q:.*]] = arith.muli %[[D]], %[[P]]
// CHECK-NEXT:      %[[R:.*]] = arith.addi %[[Q]], %[[YE]]
// CHECK-NEXT:      linalg.yield %[[R]]
func.func @sum_of_samples(%S: tensor<?x?xi32, #CSR>, %A: tensor<?x?xi32, #CSR>,
                          %B: tensor<?x?xi32, #CSR>, %y: tensor<?xi32>, %m: index,
                          %n: index) -> tensor<?xi32> {
  %two = arith.constant 2 : i32
  %e = tensor.empty(%m, %n) : tensor<?x?xi32, #CSR>
  // expected-note@+1 {{made here}}
  %T = linalg.matmul ins(%A, %B : tensor<?x?xi32, #CSR>, tensor<?x?xi32, #CSR>)
      outs(%e : tensor<?x?xi32, #CSR>) -> tensor<?x?xi32, #CSR>
  // expected-remark@+1 {{fused with what makes operand #1}}
  %r = linalg.generic #total ins(%S, %T : tensor<?x?xi32, #CSR>, tensor<?x?xi32, #CSR>)
      outs(%y : tensor<?xi32>) {
  ^bb0(%s: i32, %t: i32, %z: i32):
    %0 = arith.muli %s, %two : i32
    %1 = arith.muli %0, %t : i32
    %2 = arith.addi %1, %z : i32
    linalg.yield %2 : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// An op on each element is inlined, also into a sum, and again into what reads that.
// The dense result is filled with zeros where it was not.
//
// CHECK-LABEL: @inline(
// CHECK-COUNT-1: linalg.generic
// CHECK:           math.sqrt
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:           linalg.yield
// CHECK-NOT:     linalg.
// CHECK:         return
func.func @inline(%A: tensor<8x9xf64, #CSR>, %x: tensor<9xf64>, %y: tensor<8xf64>)
    -> tensor<8xf64> {
  %out = tensor.empty() : tensor<8x9xf64, #CSR>
  // expected-note@+1 {{made here}}
  %T = linalg.generic #each ins(%A : tensor<8x9xf64, #CSR>)
      outs(%out : tensor<8x9xf64, #CSR>) {
  ^bb0(%a: f64, %t: f64):
    %0 = math.sqrt %a : f64
    linalg.yield %0 : f64
  } -> tensor<8x9xf64, #CSR>
  // expected-remark@+1 {{fused with what makes operand #0}}
  %r = linalg.matvec ins(%T, %x : tensor<8x9xf64, #CSR>, tensor<9xf64>)
      outs(%y : tensor<8xf64>) -> tensor<8xf64>
  return %r : tensor<8xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// CHECK:       #[[S:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: @into_dense(
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<8x8xcomplex<f32>>
// CHECK:         %[[ZERO:.*]] = complex.constant [0.0{{.*}}, 0.0{{.*}}]
// CHECK:         %[[OUT:.*]] = linalg.fill ins(%[[ZERO]] : complex<f32>) outs(%[[EMPTY]]
// CHECK:         linalg.generic {{.*}} outs(%[[OUT]]
// CHECK:           complex.add
func.func @into_dense(%S: tensor<8x8xcomplex<f32>, #CSR>, %A: tensor<8x8xcomplex<f32>>)
    -> tensor<8x8xcomplex<f32>> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %e = tensor.empty() : tensor<8x8xcomplex<f32>>
  %zeros = linalg.fill ins(%zero : complex<f32>) outs(%e : tensor<8x8xcomplex<f32>>)
      -> tensor<8x8xcomplex<f32>>
  // expected-note@+1 {{made here}}
  %T = linalg.matmul
      ins(%A, %A : tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>)
      outs(%zeros : tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  %out = tensor.empty() : tensor<8x8xcomplex<f32>>
  // expected-remark@+1 {{fused with what makes operand #1}}
  %Z = linalg.generic #each
      ins(%S, %T : tensor<8x8xcomplex<f32>, #CSR>, tensor<8x8xcomplex<f32>>)
      outs(%out : tensor<8x8xcomplex<f32>>) {
  ^bb0(%s: complex<f32>, %t: complex<f32>, %z: complex<f32>):
    %0 = complex.mul %t, %s : complex<f32>
    linalg.yield %0 : complex<f32>
  } -> tensor<8x8xcomplex<f32>>
  return %Z : tensor<8x8xcomplex<f32>>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
#alone = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// What is read twice is made; so is a sum that is needed everywhere, since it is added
// or its other factor is dense, one that starts from other numbers than 0, and one that
// is made once for several turns of a loop.
//
// CHECK-LABEL: @read_twice(
// CHECK-COUNT-2: linalg.generic
func.func @read_twice(%A: tensor<8x8xf64, #CSR>) -> tensor<8x8xf64, #CSR> {
  %out = tensor.empty() : tensor<8x8xf64, #CSR>
  %T = linalg.generic #alone ins(%A : tensor<8x8xf64, #CSR>)
      outs(%out : tensor<8x8xf64, #CSR>) {
  ^bb0(%a: f64, %t: f64):
    %0 = math.sin %a : f64
    linalg.yield %0 : f64
  } -> tensor<8x8xf64, #CSR>
  %Z = linalg.generic #each ins(%T, %T : tensor<8x8xf64, #CSR>, tensor<8x8xf64, #CSR>)
      outs(%out : tensor<8x8xf64, #CSR>) {
  ^bb0(%a: f64, %b: f64, %t: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<8x8xf64, #CSR>
  return %Z : tensor<8x8xf64, #CSR>
}

// CHECK-LABEL: @needed_everywhere(
// CHECK-COUNT-4: linalg.generic
func.func @needed_everywhere(%S: tensor<8x8xf64, #CSR>, %A: tensor<8x8xf64, #CSR>,
                             %D: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zeros = arith.constant dense<0.0> : tensor<8x8xf64>
  %T = linalg.matmul ins(%A, %D : tensor<8x8xf64, #CSR>, tensor<8x8xf64>)
      outs(%zeros : tensor<8x8xf64>) -> tensor<8x8xf64>
  %U = linalg.generic #each ins(%S, %T : tensor<8x8xf64, #CSR>, tensor<8x8xf64>)
      outs(%zeros : tensor<8x8xf64>) {
  ^bb0(%s: f64, %t: f64, %z: f64):
    %0 = arith.addf %s, %t : f64
    linalg.yield %0 : f64
  } -> tensor<8x8xf64>
  %V = linalg.matmul ins(%A, %D : tensor<8x8xf64, #CSR>, tensor<8x8xf64>)
      outs(%U : tensor<8x8xf64>) -> tensor<8x8xf64>
  %Z = linalg.generic #each ins(%S, %V : tensor<8x8xf64, #CSR>, tensor<8x8xf64>)
      outs(%zeros : tensor<8x8xf64>) {
  ^bb0(%s: f64, %t: f64, %z: f64):
    %0 = arith.mulf %s, %t : f64
    linalg.yield %0 : f64
  } -> tensor<8x8xf64>
  return %Z : tensor<8x8xf64>
}

// CHECK-LABEL: @in_a_loop(
// CHECK:         linalg.matmul
// CHECK:         scf.for
// CHECK:           linalg.generic
func.func @in_a_loop(%S: tensor<8x8xf64, #CSR>, %D: tensor<8x8xf64>, %n: index)
    -> tensor<8x8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<8x8xf64>
  %T = linalg.matmul ins(%D, %D : tensor<8x8xf64>, tensor<8x8xf64>)
      outs(%zeros : tensor<8x8xf64>) -> tensor<8x8xf64>
  %Z = scf.for %i = %c0 to %n step %c1 iter_args(%X = %zeros) -> tensor<8x8xf64> {
    %Y = linalg.generic #each ins(%S, %T : tensor<8x8xf64, #CSR>, tensor<8x8xf64>)
        outs(%X : tensor<8x8xf64>) {
    ^bb0(%s: f64, %t: f64, %x: f64):
      %0 = arith.mulf %s, %t : f64
      %1 = arith.addf %x, %0 : f64
      linalg.yield %1 : f64
    } -> tensor<8x8xf64>
    scf.yield %Y : tensor<8x8xf64>
  }
  return %Z : tensor<8x8xf64>
}
