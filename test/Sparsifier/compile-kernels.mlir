// RUN: nacho-opt %s -nacho-compile-kernels="threads=2 parts=8" | FileCheck %s
// RUN: nacho-opt %s -nacho-compile-kernels=library=false | FileCheck %s --check-prefix=FIELDS

// The kernel is LLVM's dialect, with a table of its functions, and what the runtime
// library has to know of them.
//
// CHECK-LABEL: module @kernel_0 attributes {nacho.kernel} {
// CHECK-DAG:     llvm.func @nacho_call(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-DAG:     llvm.func @_mlir_ciface_sparsePositions0(!llvm.ptr, !llvm.ptr, i64)
// CHECK-DAG:     llvm.func @_mlir_ciface_newSparseTensor(
// CHECK-DAG:     llvm.func internal @[[PLAN:nacho_kernel_0_0_.+_plan_entry]](%{{.+}}: !llvm.ptr)
// CHECK-DAG:     llvm.mlir.global internal constant @nacho_kernel_0_text("3 1
// CHECK:         llvm.mlir.global internal constant @nacho_kernel_0_functions()
// CHECK:           llvm.mlir.addressof @[[PLAN]]
// CHECK:         llvm.mlir.global internal @nacho_kernel_0_image()
// CHECK:         llvm.func @nacho_kernel_0(%{{.+}}: !llvm.ptr) -> !llvm.ptr
// CHECK-DAG:       %[[IMAGE:.+]] = llvm.mlir.addressof @nacho_kernel_0_image
// CHECK-DAG:       %[[THREADS:.+]] = llvm.mlir.constant(2 : i64)
// CHECK-DAG:       %[[PARTS:.+]] = llvm.mlir.constant(8 : i64)
// CHECK:           llvm.call @nacho_call(%[[IMAGE]], %{{.+}}, %{{.+}}, %[[THREADS]], %[[PARTS]])
// CHECK:           %[[MADE:.+]] = llvm.call @_mlir_ciface_newSparseTensor(
// CHECK:           llvm.call @free
// CHECK:           llvm.return %[[MADE]] : !llvm.ptr

// Without the library, the fields of tensors are passed and returned.
//
// FIELDS-NOT:  sparsePositions
// FIELDS:      llvm.func @nacho_kernel_0(
// FIELDS-SAME:   %{{[^:]+}}: !llvm.struct<(array<2 x i64>, array<3 x i64>)>) -> !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>,
// FIELDS-NOT:  newSparseTensor
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
module {
  module @kernel_0 attributes {nacho.kernel} {
    func.func @nacho_kernel_0(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
      %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
          -> [i, j] : tensor<?x?xf64, #CSR> {
        %0 = nacho.unary neg %a : f64
        nacho.yield %0 : f64
      }
      return %Z : tensor<?x?xf64, #CSR>
    }
  }
}
