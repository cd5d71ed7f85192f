// RUN: nacho-opt %s -convert-nacho-gpu-to-driver | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-gpu-to-driver -convert-func-to-llvm -finalize-memref-to-llvm -convert-arith-to-llvm -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// The text of the kernels is a constant; so are the names of those that are launched.
//
// CHECK-NOT:   gpu
// CHECK-DAG:   llvm.func @nacho_launch_ptx(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr)
// CHECK-DAG:   llvm.func @nacho_take_scratch(i64) -> !llvm.ptr
// CHECK-DAG:   llvm.func @nacho_return_scratch(!llvm.ptr, i64)
// CHECK-DAG:   llvm.mlir.global internal constant @kernels_ptx(".version 7.8\00")
// CHECK-DAG:   llvm.mlir.global internal constant @kernels_name_k("k\00")
// CHECK-NOT:   @kernels_name_k(
module attributes {gpu.container_module} {
  // The parameters are the numbers of the descriptor, each at its address in the frame.
  //
  // CHECK-LABEL: func.func @launch(
  // CHECK-SAME:    %[[A:.+]]: memref<?xf64>, %[[N:.+]]: index)
  // CHECK-DAG:     %[[FRAME:.+]] = llvm.alloca %{{.+}} x !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, i64)>
  // CHECK-DAG:     %[[PARAMETERS:.+]] = llvm.alloca %{{.+}} x !llvm.array<6 x ptr>
  // CHECK:         llvm.getelementptr %[[FRAME]][0, 0]
  // CHECK:         llvm.getelementptr %[[FRAME]][0, 1]
  // CHECK:         %[[FIRST:.+]] = llvm.getelementptr %[[FRAME]][0, 0, 0]
  // CHECK-NEXT:    %[[AT:.+]] = llvm.getelementptr %[[PARAMETERS]][0, 0]
  // CHECK-NEXT:    llvm.store %[[FIRST]], %[[AT]] : !llvm.ptr, !llvm.ptr
  // CHECK:         llvm.getelementptr %[[FRAME]][0, 0, 3, 0]
  // CHECK:         llvm.getelementptr %[[FRAME]][0, 0, 4, 0]
  // CHECK:         %[[LAST:.+]] = llvm.getelementptr %[[FRAME]][0, 1]
  // CHECK-NEXT:    %[[AT:.+]] = llvm.getelementptr %[[PARAMETERS]][0, 5]
  // CHECK-NEXT:    llvm.store %[[LAST]], %[[AT]]
  // CHECK-DAG:     %[[TEXT:.+]] = llvm.mlir.addressof @kernels_ptx
  // CHECK-DAG:     %[[NAME:.+]] = llvm.mlir.addressof @kernels_name_k
  // CHECK:         llvm.call @nacho_launch_ptx(%[[TEXT]], %[[NAME]], %{{.+}}, %{{.+}}, %[[PARAMETERS]])
  // LLVM-LABEL:  llvm.func @launch(
  // LLVM-NOT:      unrealized
  // LLVM:          llvm.return
  func.func @launch(%a: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<?xf64>, %n : index)
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<?xf64>, %n : index)
    return
  }

  // CHECK-LABEL: func.func @scratch(
  // CHECK:         llvm.call @nacho_take_scratch(
  // CHECK:         llvm.call @nacho_return_scratch(
  func.func @scratch(%bytes: index) {
    %0 = gpu.alloc (%bytes) : memref<?xi8>
    gpu.dealloc %0 : memref<?xi8>
    return
  }

  // Memory of zeros is another's business.
  //
  // CHECK-LABEL: func.func @zeros(
  // CHECK-NOT:     scratch
  // CHECK:         %[[DATA:.+]] = llvm.call @nacho_take_zeros(%[[BYTES:.+]]) : (i64) -> !llvm.ptr
  // CHECK:         llvm.call @nacho_return_zeros(
  // CHECK-NOT:     scratch
  func.func @zeros(%bytes: index) {
    %0 = gpu.alloc (%bytes) {nacho.zeros} : memref<?xi8>
    gpu.dealloc %0 {nacho.zeros} : memref<?xi8>
    return
  }

  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = ".version 7.8\00">]
}
