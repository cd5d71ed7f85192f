// REQUIRES: nvptx
//
// The functions of the `assemble` stage are the ones that a GPU runs. The host reads and
// writes no memory: it launches.
//
// RUN: nacho-opt %s -nacho-gpu=until=gpu | FileCheck %s
// RUN: nacho-opt %s -pass-pipeline='%{ptx}' -o %t.mlir
// RUN: FileCheck %s --check-prefix=PTX < %t.mlir

// CHECK-LABEL: func.func @kernel_partition(
// CHECK-NOT:     memref.load
// CHECK:         gpu.launch_func
// CHECK:         gpu.launch_func
// CHECK-LABEL: func.func private @kernel_scan(
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK-LABEL: func.func @kernel_compute(
// CHECK:         gpu.launch_func {{ ?}}@kernels::@kernel_compute_kernel
// CHECK-LABEL: func.func @kernel_plan(
// CHECK:         scf.if
// CHECK:           gpu.launch_func
// CHECK:         }
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         call @kernel_scan
// CHECK-NEXT:    return
// CHECK-NOT:     {{nacho\.(root|nest|coiterate|search|parallel|load|exclusive_scan)}}

// The partition that callers may ask for: its two ends, and the searches. Then the scan,
// with the sizes; the appends; and of a plan the checks of positions by more workers than
// there are parts, and the cuts of tiles with the count.
//
// PTX:      gpu.binary @kernels
// PTX-SAME: chip = "sm_90"
// PTX-SAME: .visible .entry kernel_partition_kernel
// PTX-SAME: .visible .entry kernel_partition_kernel
// PTX-SAME: .visible .entry kernel_scan_kernel(
// PTX-SAME: fence.acq_rel.gpu
// PTX-SAME: .visible .entry kernel_compute_kernel
// PTX-SAME: add.rn.f64
// PTX-SAME: .visible .entry kernel_plan_kernel
// PTX-SAME: .visible .entry kernel_plan_kernel
// PTX-SAME: .shared
// PTX-SAME: bar.sync

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @kernel(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// y[i] = A[i, j] * x[j]: what parts share is combined by a thread for each part.
//
// CHECK-LABEL: func.func @spmv_partition(
// CHECK-COUNT-2: gpu.launch
// CHECK-LABEL: func.func @spmv_compute(
// CHECK:         gpu.launch
// CHECK-LABEL: func.func @spmv_combine(
// CHECK:         gpu.launch_func {{.+}} blocks in (%{{[0-9]+}}, {{.+}}) threads
// CHECK-LABEL: func.func @spmv_execute(
// CHECK:         call @spmv_compute
// CHECK:         call @spmv_combine
// CHECK-NOT:     {{nacho\.(root|nest|coiterate|search|parallel|load|locate|binary|exclusive_scan)}}
//
// PTX-SAME: .visible .entry spmv_partition_kernel
// PTX-SAME: .visible .entry spmv_partition_kernel
// PTX-SAME: .visible .entry spmv_compute_kernel
// PTX-SAME: {{add|fma}}.rn.f64
// PTX-SAME: .visible .entry spmv_combine_kernel
// PTX-SAME: add.rn.f64
#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// Z[i, j] = A[i, j] + B[i, j], the one in CSR and the other one in COO, into a dense matrix, of which
// every part fills its share first.
//
// CHECK-LABEL: func.func @mixed_add_partition(
// CHECK-COUNT-2: gpu.launch
// CHECK-LABEL: func.func @mixed_add_fill(
// CHECK:         gpu.launch
// CHECK-LABEL: func.func @mixed_add_compute(
// CHECK:         gpu.launch
// CHECK-LABEL: func.func @mixed_add_execute(
// CHECK:         call @mixed_add_fill
// CHECK:         call @mixed_add_compute
//
// PTX-SAME: .visible .entry mixed_add_partition_kernel
// PTX-SAME: .visible .entry mixed_add_partition_kernel
// PTX-SAME: .visible .entry mixed_add_fill_kernel
// PTX-SAME: .visible .entry mixed_add_compute_kernel
// PTX-SAME: add.rn.f64
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
func.func @mixed_add(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #COO>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #COO>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Z[i, j] = A[i, j] * x[j]: x is merged with each row, or found in a table.
//
// CHECK-LABEL: func.func @scaled_compute(
// CHECK:         gpu.launch
// CHECK-LABEL: func.func @scaled_execute(
// CHECK-NOT:     {{nacho\.(find|lookup|workspace)}}
//
// PTX-SAME: .visible .entry scaled_compute_kernel
// PTX-SAME: mul.rn.f64
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @scaled(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}
