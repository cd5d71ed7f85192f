// A stock mlir-opt with the plugin: dialect, passes and pipelines.
//
// RUN: mlir-opt %s --load-dialect-plugin=%nacho_plugin | FileCheck %s --check-prefix=PARSED
// RUN: mlir-opt %s --load-dialect-plugin=%nacho_plugin --load-pass-plugin=%nacho_plugin \
// RUN:   --pass-pipeline='builtin.module(nacho-concretize)' | FileCheck %s --check-prefix=LOOPS
// RUN: mlir-opt %s --load-dialect-plugin=%nacho_plugin --load-pass-plugin=%nacho_plugin \
// RUN:   --pass-pipeline='builtin.module(nacho-concretize,nacho-partition-loops{cost=nnz})' \
// RUN:   | FileCheck %s --check-prefix=PARTITION
//
// The pipeline gives what nacho-opt gives.
//
// RUN: mlir-opt %s --load-dialect-plugin=%nacho_plugin --load-pass-plugin=%nacho_plugin \
// RUN:   --pass-pipeline='builtin.module(nacho-cpu)' -o %t.plugin
// RUN: nacho-opt %s -nacho-cpu -o %t.opt
// RUN: diff %t.plugin %t.opt
// RUN: mlir-opt %s --load-dialect-plugin=%nacho_plugin --load-pass-plugin=%nacho_plugin \
// RUN:   --pass-pipeline='builtin.module(nacho-gpu{cost=nnz})' -o %t.plugin
// RUN: nacho-opt %s -nacho-gpu=cost=nnz -o %t.opt
// RUN: diff %t.plugin %t.opt
//
// Without it the dialect is not known.
//
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// PARSED:    nacho.assign
// PARSED:      nacho.binary mul
// LOOPS:     nacho.coiterate
// PARTITION: nacho.partition
// UNKNOWN:   error: Dialect `nacho' not found

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @kernel(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
