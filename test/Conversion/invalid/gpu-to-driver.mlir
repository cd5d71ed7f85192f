// RUN: nacho-opt %s -convert-nacho-gpu-to-driver -split-input-file -verify-diagnostics

module attributes {gpu.container_module} {
  // expected-error@+1 {{'gpu.binary' op must have one object, which is PTX}}
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+1 {{'gpu.binary' op must have one object, which is PTX}}
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "one">, #gpu.object<#nvvm.target<chip = "sm_90">, assembly = "other">]
}

// -----

module attributes {gpu.container_module} {
  func.func @launch(%n: index) {
    // expected-error@+1 {{'gpu.launch_func' op launches a kernel that is not PTX}}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
