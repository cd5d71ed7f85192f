// RUN: nacho-opt %s -split-input-file -verify-diagnostics -convert-nacho-gpu-to-simulator

gpu.module @kernels {
  gpu.func @k() kernel {
    // expected-error@+1 {{'gpu.cluster_id' op is not simulated}}
    %cluster = gpu.cluster_id x
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%value: f64) kernel {
    // expected-error@+1 {{'gpu.all_reduce' op is not simulated}}
    %sum = gpu.all_reduce add %value {} : (f64) -> f64
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%bit: i1, %out: memref<?xi1>) kernel {
    %all = arith.constant -1 : i32
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'nvvm.vote.sync' op is not simulated}}
    %same = nvvm.vote.sync uni %all, %bit -> i1
    memref.store %same, %out[%c0] : memref<?xi1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%two: vector<2xf32>, %lane: i32, %out: memref<?xf32>) kernel {
    // expected-error@+1 {{'gpu.shuffle' op has a value that is not simulated}}
    %other, %valid = gpu.shuffle idx %two, %lane, %lane : vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has 262144 bytes of shared memory, more than 232448}}
  gpu.func @k() workgroup(%shared : memref<32768xf64, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has shared memory that is not simulated}}
  gpu.func @k() workgroup(%shared : memref<?xf64, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%out: memref<32xf64>)
      workgroup(%shared : memref<32xf64, #gpu.address_space<workgroup>>) kernel {
    // expected-error@+1 {{'memref.copy' op accesses shared memory in a way that is not simulated}}
    memref.copy %shared, %out
        : memref<32xf64, #gpu.address_space<workgroup>> to memref<32xf64>
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

// -----

gpu.module @kernels {
  gpu.func @k(%out: memref<32xi32>, %mask: i32, %lane: i32) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'nvvm.shfl.sync' op is not simulated}}
    %asked = nvvm.shfl.sync bfly %mask, %lane, %lane, %mask : i32 -> i32
    memref.store %asked, %out[%c0] : memref<32xi32>
    gpu.return
  }
}
