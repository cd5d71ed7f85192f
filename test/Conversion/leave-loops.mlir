// RUN: nacho-opt %s -nacho-leave-loops | FileCheck %s

// A worker reads the word of the thread that calls it at its beginning, after what it has
// on the stack. A loop with a loop inside reads it at the beginning of each iteration,
// after its condition.
//
// CHECK-LABEL: func.func private @nested_worker(
// CHECK-SAME:    %{{[^ ]+}}: index, %{{[^ ]+}}: index, %[[ADDRESS:[^ ]+]]: i64,
// CHECK-NEXT:    %[[WORD:.*]] = llvm.inttoptr %[[ADDRESS]]
// CHECK:         memref.alloca()
// CHECK-NEXT:    %[[FIRST:.*]] = llvm.load volatile %[[WORD]]
// CHECK:         %[[SET:.*]] = arith.cmpi ne, %[[FIRST]]
// CHECK-NEXT:    cf.cond_br %[[SET]], ^[[LEFT:bb[0-9]+]], ^{{bb[0-9]+}}
// CHECK:       ^[[OUTER:bb[0-9]+]](%{{.*}}: index):
// CHECK:         cf.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
// CHECK:       ^[[BODY]]:
// CHECK-NEXT:    %[[READ:.*]] = llvm.load volatile %[[WORD]]
// CHECK:         %[[SET:.*]] = arith.cmpi ne, %[[READ]]
// CHECK-NEXT:    cf.cond_br %[[SET]], ^[[LEFT]], ^[[REST:bb[0-9]+]]
// CHECK:       ^[[REST]]:
// CHECK-NOT:     llvm.load
// CHECK:       ^[[AFTER]]:
// CHECK-NEXT:    return
// CHECK:       ^[[LEFT]]:
// CHECK-NEXT:    return
func.func private @nested_worker(%worker: index, %slot: index, %word: i64, %n: index,
                                 %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = memref.alloca() : memref<index>
  cf.br ^outer(%c0 : index)
^outer(%i: index):
  %more = arith.cmpi ult, %i, %n : index
  cf.cond_br %more, ^body, ^after
^body:
  cf.br ^inner(%c0 : index)
^inner(%j: index):
  memref.store %j, %sum[] : memref<index>
  memref.store %j, %sums[%i] : memref<?xindex>
  %next = arith.addi %j, %c1 : index
  %again = arith.cmpi ult, %next, %n : index
  cf.cond_br %again, ^inner(%next : index), ^latch
^latch:
  %nextRow = arith.addi %i, %c1 : index
  cf.br ^outer(%nextRow : index)
^after:
  return
}

// Nothing is computed from what workers have left incomplete.
//
// CHECK-LABEL: func.func @nested(
// CHECK:         %[[STOPPED:.+]] = nacho.parallel_call @nested_worker(
// CHECK-NEXT:    cf.cond_br %[[STOPPED]], ^[[END:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK:       ^[[NEXT]]:
// CHECK-NEXT:    memref.store
// CHECK:       ^[[END]]:
// CHECK-NEXT:    return
func.func @nested(%n: index, %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %stopped = nacho.parallel_call @nested_worker(%n, %sums : index, memref<?xindex>) in %n threads %n
  memref.store %n, %sums[%c0] : memref<?xindex>
  return
}

// A loop without loops inside is left alone: only the beginning of the worker reads the
// word.
//
// CHECK-LABEL: func.func private @innermost_worker(
// CHECK:         llvm.load volatile
// CHECK-NOT:     llvm.load
// CHECK-LABEL: func.func @innermost(
func.func private @innermost_worker(%worker: index, %slot: index, %word: i64, %n: index,
                                    %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^loop(%c0 : index)
^loop(%j: index):
  memref.store %j, %sums[%j] : memref<?xindex>
  %next = arith.addi %j, %c1 : index
  %again = arith.cmpi ult, %next, %n : index
  cf.cond_br %again, ^loop(%next : index), ^after
^after:
  return
}
func.func @innermost(%n: index, %sums: memref<?xindex>) {
  %stopped = nacho.parallel_call @innermost_worker(%n, %sums : index, memref<?xindex>) in %n threads %n
  return
}

// A function that no parallel call names is no worker.
//
// CHECK-LABEL: func.func @negative_function(
// CHECK-NOT:     llvm.load
// CHECK:         return
func.func @negative_function(%worker: index, %slot: index, %word: i64, %n: index) {
  return
}
