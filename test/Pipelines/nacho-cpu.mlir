// RUN: nacho-opt %s -nacho-cpu | FileCheck %s
// RUN: nacho-opt %s -nacho-cpu | FileCheck %s --check-prefix=LEFT
// RUN: nacho-opt %s -nacho-cpu=cost=nnz | FileCheck %s
// RUN: nacho-opt %s -nacho-cpu | mlir-translate -mlir-to-llvmir | FileCheck %s --check-prefix=LLVM
// RUN: nacho-opt %s -nacho-cpu=remap=false | FileCheck %s --check-prefix=WHOLE
// RUN: nacho-opt %s -nacho-cpu='until=assemble cost=nnz' | FileCheck %s --check-prefix=STEP
// RUN: nacho-opt %s -nacho-cpu='until=assemble find=false' | FileCheck %s --check-prefix=MERGED
// RUN: nacho-opt %s -nacho-cpu=vector-bits=256 | FileCheck %s --check-prefix=BLOCKS
// RUN: not nacho-opt %s -nacho-cpu=cost=rows 2>&1 | FileCheck %s --check-prefix=MODEL

// MODEL: error: unknown cost model 'rows': nnz, nnz+loops, flops, time

// Nothing is left but LLVM, of none of the functions.
//
// LEFT-NOT: {{"?nacho\.(root|nest|coiterate|search|parallel|parallel_call|load|locate|binary|cast|exclusive_scan|recall|fiber_at|position|cost|prefix_sum|sort)}}
// LEFT-NOT: {{sparse_tensor\.|tensor\.|func\.func|scf\.|memref\.|arith\.|complex\.|unrealized_conversion_cast}}
//
// LLVM is not free to add up in an order that suits the machine.
//
// LEFT-NOT: reassoc

// CHECK:     llvm.func @kernel_partition_worker(
// CHECK:     llvm.func @kernel_partition(
// CHECK:       llvm.mlir.addressof @kernel_partition_worker_entry
// CHECK:       llvm.call @nacho_compute_parts(
// CHECK:     llvm.func @_mlir_ciface_kernel_partition(
// CHECK:     llvm.func {{.*}}@kernel_assemble(
// CHECK:     llvm.func {{.*}}@kernel_compute_worker(
// CHECK:       llvm.fadd
// CHECK:     llvm.func {{.*}}@kernel_compute(
// CHECK:     llvm.func @kernel_plan(
// CHECK:     llvm.func @_mlir_ciface_kernel_plan(
// CHECK:     llvm.func @kernel_execute(
//
// STEP-LABEL: func.func @kernel_execute(
// STEP-SAME:    cost = <entries, steps>, delta = 2
// CHECK:     llvm.func @_mlir_ciface_kernel_execute(

// LLVM: define void @kernel_partition(
// LLVM:   call i32 @nacho_compute_parts
// LLVM: define void @_mlir_ciface_kernel_plan(
// LLVM: define void @_mlir_ciface_kernel_execute(

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @kernel(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf32, #CSR>, %s: tensor<f64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf32, #CSR>, %f = %s[] : tensor<f64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %f, %a : f64
    %1 = nacho.cast %b : f32 to f64
    %2 = nacho.binary add %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// y[i] = A[i, j] * x[j]: rows that parts share are combined by one more function.
//
// CHECK-LABEL: llvm.func @spmv_partition(
// CHECK-NOT:   llvm.func {{.*}}@spmv_assemble(
// CHECK-LABEL: llvm.func {{.*}}@spmv_compute_worker(
// CHECK:         llvm.fmul
// CHECK:         llvm.fadd %{{.+}}, %{{.+}} : vector<8xf64>
// CHECK-LABEL: llvm.func {{.*}}@spmv_compute(
// CHECK:         llvm.call @nacho_compute_parts(
// CHECK-LABEL: llvm.func {{.*}}@spmv_combine(
// CHECK-LABEL: llvm.func @spmv_plan(
// CHECK-LABEL: llvm.func @spmv_execute(
// CHECK:         llvm.call @spmv_compute(
// CHECK:         llvm.call @spmv_combine(
//
// LLVM: define void @spmv_execute(
func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// Z[i, j] = A[i, j] + B[i, j], the one in COO and the other one in CSR.
//
// CHECK-LABEL: llvm.func {{.*}}@coo_add_compute_worker(
// CHECK:         llvm.fadd
// CHECK-LABEL: llvm.func @coo_add_execute(
//
// LLVM: define void @coo_add_execute(
func.func @coo_add(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// Elements that LLVM does not have.
//
// CHECK-LABEL: llvm.func {{.*}}@elements_compute_worker(
// CHECK:         llvm.uitofp %{{.+}} : i8 to f32
// CHECK-LABEL: llvm.func @elements_execute(
//
// LLVM: define void @elements_execute(
func.func @elements(%A: tensor<?x?xcomplex<f32>, #CSR>, %B: tensor<?x?xui8, #COO>, %p: tensor<?xi1>)
    -> tensor<?xcomplex<f32>> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xcomplex<f32>, #CSR>,
                     %b = %B[i, j] : tensor<?x?xui8, #COO>, %q = %p[j] : tensor<?xi1>)
      -> [i] : tensor<?xcomplex<f32>> {
    %0 = nacho.cast %b : ui8 to complex<f32>
    %1 = nacho.binary add %a, %0 : complex<f32>
    %2 = nacho.cast %q : i1 to complex<f32>
    %3 = nacho.binary mul %1, %2 : complex<f32>
    %4 = nacho.reduce add %3 over [j] : complex<f32>
    nacho.yield %4 : complex<f32>
  }
  return %y : tensor<?xcomplex<f32>>
}

// Z[i, j] = A[i, j] * B[i, j]: which rows they share is listed by a kernel of its own, whose
// costs are added up at its end. Without remapping there is only one, which counts the rows
// that it skips.
//
// CHECK-LABEL: llvm.func @hadamard_0_partition(
// CHECK-LABEL: llvm.func {{.*}}@hadamard_0_assemble(
// CHECK-LABEL: llvm.func {{.*}}@hadamard_0_compute(
// CHECK-LABEL: llvm.func @hadamard_0_plan(
// CHECK-LABEL: llvm.func @hadamard_0_execute(
// CHECK:         llvm.call @hadamard_0_compute(
// CHECK:         llvm.call @{{.*}}prefix_sum
// CHECK-LABEL: llvm.func @hadamard_partition(
// CHECK-LABEL: llvm.func @hadamard_execute(
//
// The rows that are listed are merged in blocks of coordinates.
//
// BLOCKS-LABEL: llvm.func {{.*}}@hadamard_compute_worker(
// BLOCKS:         llvm.intr.masked.load {{.+}} -> vector<8xi32>
// BLOCKS:         llvm.intr.cttz
// BLOCKS-LABEL: llvm.func @hadamard_plan(
//
// WHOLE-NOT:   @hadamard_0_
// WHOLE-LABEL: llvm.func @hadamard_partition(
// WHOLE-LABEL: llvm.func @hadamard_execute(
//
// LLVM: define void @hadamard_0_execute(
// LLVM: define void @hadamard_execute(
func.func @hadamard(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, j] * x[j]: x is looked for in a table of its positions, which is one more
// argument; without that it is merged with each row, in blocks where there are vectors.
//
// STEP-LABEL: func.func @scaled_execute(
// STEP-SAME:    , tables = [0 of 1]>, reads
//
// MERGED-LABEL: func.func @scaled_execute(
// MERGED-SAME:   , counts = 1>, reads = {{.+}}>} {
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
func.func @scaled(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
