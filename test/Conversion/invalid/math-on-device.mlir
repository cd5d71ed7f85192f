// RUN: nacho-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(nacho-math-on-device{libdevice=false}))'

gpu.module @kernels {
  gpu.func @of_libdevice(%x: f64) kernel {
    %0 = math.sqrt %x : f64
    // expected-error@+1 {{'math.exp' op needs CUDA's libdevice, which is not found: set CUDA_HOME}}
    %1 = math.exp %0 : f64
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @complex(%x: complex<f64>) kernel {
    // expected-error@+1 {{'nacho.unary' op of complex numbers has no lowering for GPUs}}
    %0 = nacho.unary sqrt %x : complex<f64>
    gpu.return
  }
}
