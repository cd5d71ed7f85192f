// RUN: nacho-opt %s -verify-diagnostics -convert-nacho-gpu-to-simulator

gpu.module @kernels {
  gpu.func @k() kernel {
    // expected-error@+1 {{'gpu.barrier' op is not simulated}}
    gpu.barrier
    gpu.return
  }
}
