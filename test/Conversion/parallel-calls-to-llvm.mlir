// RUN: nacho-opt %s -convert-nacho-parallel-calls-to-llvm | FileCheck %s

// CHECK:       func.func private @nacho_compute_parts(i64, i64, i64, i64) -> i32
//
// A function finds what it hands on to the worker where the caller has stored it.
//
// CHECK-LABEL: llvm.func internal @f_worker_entry(
// CHECK-SAME:    %[[CONTEXT:[^ ]+]]: !llvm.ptr, %{{[^ ]+}}: i64, %{{[^ ]+}}: i64, %[[WORD:[^ ]+]]: !llvm.ptr)
// CHECK:         %[[ADDRESS:.+]] = llvm.ptrtoint %[[WORD]] : !llvm.ptr to i64
// CHECK-NEXT:    %[[FIELD:.+]] = llvm.getelementptr %[[CONTEXT]][0, 0]
// CHECK-NEXT:    %[[X:.+]] = llvm.load %[[FIELD]] : !llvm.ptr -> f64
// CHECK-NEXT:    %[[FIELD:.+]] = llvm.getelementptr %[[CONTEXT]][0, 1]
// CHECK-NEXT:    %[[OUT:.+]] = llvm.load %[[FIELD]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:    %[[FIELD:.+]] = llvm.getelementptr %[[CONTEXT]][0, 2]
// CHECK-NEXT:    llvm.load %[[FIELD]] : !llvm.ptr -> i64
// CHECK:         llvm.insertvalue %[[OUT]], %{{.+}}[1]
// CHECK:         func.call @f_worker(%{{.+}}, %{{.+}}, %[[ADDRESS]], %[[X]], %{{.+}}) : (index, index, i64, f64, memref<?xf64>) -> ()
// CHECK-NEXT:    llvm.return
//
// What workers need is stored where the function begins, even if the call is in a loop.
// The runtime gets the number of workers, that of threads, and two addresses.
//
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[THREADS:[^ ]+]]: index, %[[X:[^ ]+]]: f64,
// CHECK-SAME:    %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         %[[ONE:.+]] = llvm.mlir.constant(1 : i64)
// CHECK:         %[[CONTEXT:.+]] = llvm.alloca %[[ONE]] x !llvm.struct<(f64, ptr, i64)>
// CHECK:         scf.for
// CHECK:           %[[FIELD:.+]] = llvm.getelementptr %[[CONTEXT]][0, 0]
// CHECK-NEXT:      llvm.store %[[X]], %[[FIELD]] : f64
// CHECK-NEXT:      %[[FIELD:.+]] = llvm.getelementptr %[[CONTEXT]][0, 1]
// CHECK-NEXT:      llvm.store %{{.+}}, %[[FIELD]] : !llvm.ptr, !llvm.ptr
// CHECK-NEXT:      %[[FIELD:.+]] = llvm.getelementptr %[[CONTEXT]][0, 2]
// CHECK-NEXT:      llvm.store %{{.+}}, %[[FIELD]] : i64, !llvm.ptr
// CHECK-NEXT:      %[[ENTRY:.+]] = llvm.mlir.addressof @f_worker_entry
// CHECK-NEXT:      %[[FUNCTION:.+]] = llvm.ptrtoint %[[ENTRY]]
// CHECK-NEXT:      %[[ADDRESS:.+]] = llvm.ptrtoint %[[CONTEXT]]
// CHECK-NEXT:      %[[CODE:.+]] = func.call @nacho_compute_parts(%{{.+}}, %{{.+}}, %[[FUNCTION]], %[[ADDRESS]])
// CHECK:           %[[STOPPED:.+]] = llvm.icmp "ne" %[[CODE]], %{{.+}} : i32
// CHECK-NEXT:      scf.if %[[STOPPED]]
func.func private @f_worker(%worker: index, %slot: index, %word: i64, %x: f64, %out: memref<?xf64>) {
  memref.store %x, %out[%worker] : memref<?xf64>
  return
}
func.func @f(%n: index, %threads: index, %x: f64, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %n {
    %stopped = nacho.parallel_call @f_worker(%x, %out : f64, memref<?xf64>) in %n threads %threads
    scf.if %stopped {
      memref.store %x, %out[%c0] : memref<?xf64>
    }
  }
  return
}

// Workers may need nothing. Two calls of the same ones share the function.
//
// CHECK:       @nothing_worker_entry(
// CHECK-NOT:   llvm.func internal
// CHECK-LABEL: func.func @nothing(
// CHECK:         llvm.alloca %{{.+}} x !llvm.struct<()>
// CHECK:         call @nacho_compute_parts(
func.func private @nothing_worker(%worker: index, %slot: index, %word: i64) {
  return
}
func.func @nothing(%n: index, %threads: index) {
  %stopped = nacho.parallel_call @nothing_worker in %n threads %threads
  %again = nacho.parallel_call @nothing_worker in %n threads %threads
  return
}

// Of an array, the address and the extents that its type does not tell are stored; of
// one whose rows do not follow each other, all of its descriptor.
//
// CHECK-LABEL: llvm.func internal @arrays_worker_entry(
// CHECK:         llvm.mlir.constant(7 : index)
// CHECK-LABEL: func.func @arrays(
// CHECK:         llvm.alloca %{{.+}} x !llvm.struct<(ptr, i64, ptr, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
func.func private @arrays_worker(%worker: index, %slot: index, %word: i64, %rows: memref<?x7xindex>, %one: memref<i32>, %column: memref<?xindex, strided<[7]>>) {
  return
}
func.func @arrays(%n: index, %threads: index, %rows: memref<?x7xindex>, %one: memref<i32>, %column: memref<?xindex, strided<[7]>>) {
  %stopped = nacho.parallel_call @arrays_worker(%rows, %one, %column : memref<?x7xindex>, memref<i32>, memref<?xindex, strided<[7]>>) in %n threads %threads
  return
}
