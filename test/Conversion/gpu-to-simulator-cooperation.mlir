// RUN: nacho-opt %s -convert-nacho-gpu-to-simulator -mlir-print-local-scope | FileCheck %s

module attributes {gpu.container_module} {

// CHECK-DAG: llvm.mlir.global internal constant @[[BARRIER:.+]]("'gpu.barrier' of {{.*}}gpu-to-simulator-cooperation.mlir:[[#]]:5\00")
// CHECK-DAG: llvm.func @nacho_access_shared(!llvm.ptr, !llvm.ptr, i64, i64, i64)
// CHECK-DAG: llvm.func @nacho_meet_block(!llvm.ptr, !llvm.ptr)

// A launch of threads that wait for each other, in blocks with 288 bytes of shared memory.
//
// CHECK-LABEL: func.func @launch(
// CHECK:         %[[BYTES:.+]] = arith.constant 288 : i64
// CHECK:         %[[MEETS:.+]] = arith.constant {{1|true}}
// CHECK:         llvm.call @nacho_launch(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[BYTES]], %[[MEETS]], %{{.+}})
func.func @launch(%n: index) {
  gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
}

// Each array begins at a multiple of 16 bytes. Accesses are noted before they are made, and
// there is one kind of memory.
//
// CHECK-LABEL: func.func private @simulated_kernels_k(
// CHECK-SAME:    %[[THREAD:[^ ]+]]: !llvm.ptr, %{{[^ ]+}}: !llvm.ptr)
// CHECK:         %[[AT:.+]] = llvm.getelementptr %[[THREAD]][5]
// CHECK:         %[[SHARED:.+]] = llvm.load %[[AT]] : !llvm.ptr -> !llvm.ptr
// CHECK:         llvm.getelementptr %[[SHARED]][0]
// CHECK:         %[[A:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<5xi32>
// CHECK:         llvm.getelementptr %{{.+}}[32] :
// CHECK:         %[[B:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<32xf64>
// CHECK:         %[[WRITE:.+]] = arith.constant 1 : i64
// CHECK:         %[[SIZE:.+]] = arith.constant 4 : i64
// CHECK:         llvm.call @nacho_access_shared(%[[THREAD]], %{{.+}}, %[[WRITE]], %{{.+}}, %[[SIZE]])
// CHECK:         memref.store %{{.+}}, %[[A]][%{{.+}}] : memref<5xi32>
// CHECK:         %[[TEXT:.+]] = llvm.mlir.addressof @[[BARRIER]]
// CHECK:         %[[SITE:.+]] = llvm.getelementptr %[[TEXT]][0, 0]
// CHECK:         llvm.call @nacho_meet_block(%[[THREAD]], %[[SITE]])
// CHECK:         %[[READ:.+]] = arith.constant 0 : i64
// CHECK:         llvm.call @nacho_access_shared(%[[THREAD]], %{{.+}}, %[[READ]], %{{.+}}, %{{.+}})
// CHECK:         memref.load %[[B]][%{{.+}}] : memref<32xf64>
// CHECK:         llvm.call @nacho_shuffle(%[[THREAD]],
// CHECK:         llvm.call @nacho_ask_lane(%[[THREAD]],
// CHECK-NOT:     gpu.
// CHECK-NOT:     nvvm.
gpu.module @kernels {
  gpu.func @k() workgroup(%a: memref<5xi32, #gpu.address_space<workgroup>>,
                          %b: memref<32xf64, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %lane = arith.constant 3 : i32
    memref.store %lane, %a[%c0] : memref<5xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %value = memref.load %b[%c0] : memref<32xf64, #gpu.address_space<workgroup>>
    %other, %valid = gpu.shuffle idx %value, %lane, %lane : f64
    memref.store %other, %b[%c0] : memref<32xf64, #gpu.address_space<workgroup>>
    %mask = arith.constant 255 : i32
    %clamp = arith.constant 31 : i32
    %asked = nvvm.shfl.sync idx %mask, %lane, %lane, %clamp : i32 -> i32
    memref.store %asked, %a[%c0] : memref<5xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

}
