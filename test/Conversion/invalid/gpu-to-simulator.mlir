// RUN: nacho-opt %s -split-input-file -verify-diagnostics -convert-nacho-gpu-to-simulator

gpu.module @kernels {
  gpu.func @k() kernel {
    // expected-error@+1 {{'gpu.barrier' op is not simulated}}
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has memory that is not simulated, or no body}}
  gpu.func @k() workgroup(%shared : memref<32xf64, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @launch(%n: index, %bytes: i32) {
    // expected-error@+1 {{'gpu.launch_func' op has operands that are not supported}}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
        dynamic_shared_memory_size %bytes
    return
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

func.func @rows(%n: index) {
  // expected-error@+1 {{'gpu.alloc' op is supported for a number of bytes only}}
  %rows = gpu.alloc (%n) : memref<?x4xf64>
  return
}

// -----

func.func @release(%rows: memref<?x4xf64>) {
  // expected-error@+1 {{'gpu.dealloc' op is supported for a number of bytes only}}
  gpu.dealloc %rows : memref<?x4xf64>
  return
}
