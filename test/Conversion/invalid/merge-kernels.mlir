// RUN: nacho-opt %s -verify-diagnostics -nacho-merge-kernels

// expected-error@+1 {{'gpu.module' op must have one kernel, and nothing else}}
gpu.module @kernels {
  gpu.func @one() kernel {
    gpu.return
  }
  gpu.func @other() kernel {
    gpu.return
  }
}
