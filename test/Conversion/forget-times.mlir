// RUN: nacho-opt %s -nacho-forget-times | FileCheck %s

// CHECK:     gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = "text">]
// CHECK-NOT: TimeInMs
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">,
    properties = {LLVMIRToISATimeInMs = 6 : i64}, assembly = "text">]
