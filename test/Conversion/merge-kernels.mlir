// RUN: nacho-opt %s -split-input-file -nacho-merge-kernels | FileCheck %s

// CHECK-LABEL: func.func @negative(
// CHECK-NEXT:    return
// CHECK-NEXT:  }
// CHECK-NOT:   gpu.module
func.func @negative() {
  return
}

// -----

// Kernels forget how many threads their blocks have, and use 64 registers unless
// their blocks wait for each other.
//
// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK-LABEL: func.func @launch(
// CHECK:         gpu.launch_func @kernels::@f_kernel blocks
// CHECK:         gpu.launch_func @kernels::@f_kernel_0 blocks
// CHECK:       gpu.module @kernels attributes {llvm.data_layout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"} {
// CHECK:         gpu.func @f_kernel() kernel attributes {nvvm.maxnreg = 64 : i32} {
// CHECK:         gpu.func @f_kernel_0(%{{.+}}: index) kernel {
// CHECK-NOT:   gpu.module
module attributes {gpu.container_module} {
  func.func @launch(%n: index) {
    gpu.launch_func @f_kernel::@f_kernel blocks in (%n, %n, %n) threads in (%n, %n, %n)
    gpu.launch_func @f_kernel_0::@f_kernel blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%n : index)
    return
  }
  gpu.module @f_kernel {
    gpu.func @f_kernel() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      gpu.return
    }
  }
  gpu.module @f_kernel_0 {
    gpu.func @f_kernel(%n: index) kernel {
      llvm.fence syncscope("device") acq_rel
      gpu.return
    }
  }
}
