// RUN: nacho-opt %s -nacho-cpu | FileCheck %s
// RUN: nacho-opt %s -nacho-cpu=cost=nnz | FileCheck %s --check-prefixes=CHECK,NNZ
// RUN: nacho-opt %s -nacho-cpu | mlir-translate -mlir-to-llvmir | FileCheck %s --check-prefix=LLVM
// RUN: not nacho-opt %s -nacho-cpu=cost=flops 2>&1 | FileCheck %s --check-prefix=MODEL

// MODEL: error: unknown cost model 'flops': nnz, nnz+loops

// Nothing is left but LLVM and OpenMP.
//
// CHECK-NOT: {{nacho\.(root|nest|coiterate|search|parallel|load|exclusive_scan)}}
// CHECK-NOT: {{sparse_tensor|func\.func|scf\.|memref\.|arith\.|unrealized_conversion_cast}}
//
// CHECK:     llvm.func @kernel_partition(
// NNZ-SAME:    nacho.delta = 2
// CHECK:       omp.parallel if(
// CHECK:         omp.wsloop schedule(dynamic)
// CHECK:     llvm.func @_mlir_ciface_kernel_partition(
// CHECK:     llvm.func {{.*}}@kernel_assemble(
// CHECK:     llvm.func {{.*}}@kernel_compute(
// CHECK:       llvm.fadd
// CHECK:     llvm.func @kernel_plan(
// CHECK:     llvm.func @_mlir_ciface_kernel_plan(
// CHECK:     llvm.func @kernel_execute(
// CHECK:     llvm.func @_mlir_ciface_kernel_execute(
//
// CHECK-NOT: {{nacho\.(root|nest|coiterate|search|parallel|load|exclusive_scan)}}
// CHECK-NOT: {{sparse_tensor|func\.func|scf\.|memref\.|arith\.|unrealized_conversion_cast}}

// LLVM: define void @kernel_partition(
// LLVM:   call void @__kmpc_fork_call
// LLVM: define void @_mlir_ciface_kernel_plan(
// LLVM: define void @_mlir_ciface_kernel_execute(

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @kernel(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf32, #CSR>, %s: tensor<f64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf32, #CSR>, %f = %s[] : tensor<f64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %f, %a : f64
    %1 = arith.extf %b : f32 to f64
    %2 = nacho.binary add %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
