// RUN: nacho-opt %s -convert-nacho-gpu-to-simulator -mlir-print-local-scope | FileCheck %s

module attributes {gpu.container_module} {

// The frame is made once, and filled for each launch. Kernels in different modules may have
// the same name.
//
// CHECK-DAG: llvm.func @nacho_launch(!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, !llvm.ptr)
// CHECK-DAG: llvm.mlir.global internal constant @[[NAME:.+]]("k\00")
// CHECK-DAG: llvm.func @nacho_take_scratch(i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @nacho_return_scratch(!llvm.ptr, i64)

// CHECK-LABEL: func.func @negative(
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    return
func.func @negative(%n: index) -> index {
  %0 = arith.addi %n, %n : index
  return %0 : index
}

// CHECK-LABEL: func.func @launch(
// CHECK-SAME:    %[[A:[^ ]+]]: memref<?xf64>, %[[N:[^ ]+]]: index, %[[B:[^ ]+]]: index)
// CHECK-NEXT:    %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[FRAME:.+]] = llvm.alloca %[[ONE]] x !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, i64)>
// CHECK:         %[[MEMREF:.+]] = builtin.unrealized_conversion_cast %[[A]] :
// CHECK:         %[[FIRST:.+]] = llvm.getelementptr %[[FRAME]][0, 0]
// CHECK:         llvm.store %[[MEMREF]], %[[FIRST]]
// CHECK:         %[[KERNEL:.+]] = constant @simulated_kernels_k
// CHECK:         %[[ADDRESS:.+]] = builtin.unrealized_conversion_cast %[[KERNEL]]
// CHECK:         %[[TEXT:.+]] = llvm.mlir.addressof @[[NAME]]
// CHECK-DAG:     %[[SHARED:.+]] = arith.constant 0 : i64
// CHECK-DAG:     %[[MEETS:.+]] = arith.constant 0 : i64
// CHECK:         llvm.call @nacho_launch(%[[ADDRESS]], %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[FRAME]])
// CHECK-NOT:     gpu.
func.func @launch(%a: memref<?xf64>, %n: index, %b: index) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@k blocks in (%b, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?xf64>, %n : index)
  return
}

// Scratch memory has an address, or none.
//
// CHECK-LABEL: func.func @scratch(
// CHECK:         %[[DATA:.+]] = llvm.call @nacho_take_scratch(%[[BYTES:[^)]+]])
// CHECK:         llvm.insertvalue %[[DATA]]
// CHECK:         llvm.insertvalue %[[DATA]]
// CHECK:         llvm.insertvalue %[[BYTES]]
// CHECK:         llvm.call @nacho_return_scratch(
func.func @scratch(%bytes: index) {
  %memory = gpu.alloc (%bytes) : memref<?xi8>
  gpu.dealloc %memory : memref<?xi8>
  return
}

// Buffers are accessed at the address for kernels, which is one number away.
//
// CHECK-LABEL: func.func private @simulated_kernels_k(
// CHECK-SAME:    %[[THREAD:[^ ]+]]: !llvm.ptr, %[[FRAME:[^ ]+]]: !llvm.ptr)
// CHECK:         %[[AT:.+]] = llvm.getelementptr %[[THREAD]][4]
// CHECK:         %[[WINDOW:.+]] = llvm.load %[[AT]] : !llvm.ptr -> i64
// CHECK:         %[[FIELD:.+]] = llvm.getelementptr %[[FRAME]][0, 0]
// CHECK:         %[[A:.+]] = llvm.load %[[FIELD]]
// CHECK:         %[[KNOWN:.+]] = llvm.extractvalue %[[A]][0]
// CHECK:         llvm.getelementptr %[[KNOWN]][%[[WINDOW]]]
// CHECK:         %[[KNOWN:.+]] = llvm.extractvalue %{{.+}}[1]
// CHECK:         llvm.getelementptr %[[KNOWN]][%[[WINDOW]]]
// CHECK:         %[[FIELD:.+]] = llvm.getelementptr %[[FRAME]][0, 1]
// CHECK:         llvm.load %[[FIELD]] : !llvm.ptr -> i64
// CHECK:         llvm.getelementptr %[[THREAD]][0]
// CHECK:         llvm.getelementptr %[[THREAD]][1]
// CHECK:         llvm.getelementptr %[[THREAD]][3]
// CHECK:         memref.store
// CHECK:         return
// CHECK-NOT:     gpu.
gpu.module @kernels {
  gpu.func @k(%a: memref<?xf64>, %n: index) kernel {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %first = arith.muli %block, %threads : index
    %at = arith.addi %first, %thread : index
    %zero = arith.constant 0.0 : f64
    memref.store %zero, %a[%at] : memref<?xf64>
    gpu.return
  }
}

}
