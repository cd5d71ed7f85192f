// REQUIRES: nvptx
//
// The functions of the `assemble` stage are the ones that a GPU runs.
//
// RUN: nacho-opt %s -nacho-gpu | FileCheck %s
// RUN: nacho-opt %s -pass-pipeline='builtin.module(nacho-gpu,gpu-lower-to-nvvm-pipeline{cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa})' -o %t.mlir
// RUN: FileCheck %s --check-prefix=PTX < %t.mlir

// CHECK-LABEL: func.func @kernel_partition(
// CHECK:         gpu.launch
// CHECK:         gpu.launch
// CHECK-LABEL: func.func private @kernel_assemble(
// CHECK:         gpu.launch
// CHECK-LABEL: func.func private @kernel_compute(
// CHECK:         gpu.launch
// CHECK:           arith.addf
// CHECK-LABEL: func.func @kernel_plan(
// CHECK:         call @kernel_partition
// CHECK:         call @kernel_assemble
// CHECK:         gpu.launch
// CHECK-NOT:     {{nacho\.(root|nest|coiterate|search|parallel|load|exclusive_scan)}}

// The two ends of the partition, the searches, the count, the appends, the scan.
//
// PTX: gpu.binary @kernel_partition_kernel {{.*}}chip = "sm_90"{{.*}}.visible .entry kernel_partition_kernel
// PTX: gpu.binary @kernel_partition_kernel_0 {{.*}}.visible .entry kernel_partition_kernel
// PTX: gpu.binary @kernel_assemble_kernel {{.*}}.visible .entry kernel_assemble_kernel
// PTX: gpu.binary @kernel_compute_kernel {{.*}}.visible .entry kernel_compute_kernel{{.*}}add.rn.f64
// PTX: gpu.binary @kernel_plan_kernel {{.*}}.visible .entry kernel_plan_kernel

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @kernel(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}
