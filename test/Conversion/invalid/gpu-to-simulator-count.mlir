// RUN: nacho-opt %s -split-input-file -verify-diagnostics '-pass-pipeline=builtin.module(convert-nacho-gpu-to-simulator{count=true})'

gpu.module @kernels {
  gpu.func @k(%from: memref<32xf64>, %to: memref<32xf64>) kernel {
    // expected-error@+1 {{'memref.copy' op cannot be counted}}
    memref.copy %from, %to : memref<32xf64> to memref<32xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%n: index) kernel {
    // expected-error@+1 {{'scf.parallel' op cannot be counted}}
    scf.parallel (%i) = (%n) to (%n) step (%n) {
    }
    gpu.return
  }
}
