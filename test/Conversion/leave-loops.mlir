// RUN: nacho-opt %s -nacho-leave-loops | FileCheck %s

// A loop with a loop inside reads the word at the beginning of each iteration,
// after its condition. The word is that of the thread that calls the function.
//
// CHECK:       func.func private @nacho_stop_word() -> i64
// CHECK-LABEL: func.func @nested(
// CHECK:         %[[ADDRESS:.*]] = call @nacho_stop_word()
// CHECK:         %[[WORD:.*]] = llvm.inttoptr %[[ADDRESS]]
// CHECK:         omp.parallel {
// CHECK:         ^[[OUTER:bb[0-9]+]](%{{.*}}: index):
// CHECK:           cf.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
// CHECK:         ^[[BODY]]:
// CHECK-NEXT:      %[[READ:.*]] = llvm.load volatile %[[WORD]]
// CHECK:           %[[SET:.*]] = arith.cmpi ne, %[[READ]]
// CHECK-NEXT:      cf.cond_br %[[SET]], ^[[LEFT:bb[0-9]+]], ^[[REST:bb[0-9]+]]
// CHECK:         ^[[REST]]:
// CHECK-NOT:       llvm.load
// CHECK:         ^[[AFTER]]:
// CHECK-NEXT:      omp.terminator
// CHECK:         ^[[LEFT]]:
// CHECK-NEXT:      omp.terminator
// CHECK:         }
//
// Nothing is computed from what the parts have left incomplete.
//
// CHECK:         llvm.load volatile %[[WORD]]
// CHECK:         cf.cond_br %{{.*}}, ^[[END:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK:       ^[[NEXT]]:
// CHECK:         memref.store
// CHECK:       ^[[END]]:
// CHECK-NEXT:    return
func.func @nested(%n: index, %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    cf.br ^outer(%c0 : index)
  ^outer(%i: index):
    %more = arith.cmpi ult, %i, %n : index
    cf.cond_br %more, ^body, ^after
  ^body:
    cf.br ^inner(%c0 : index)
  ^inner(%j: index):
    memref.store %j, %sums[%i] : memref<?xindex>
    %next = arith.addi %j, %c1 : index
    %again = arith.cmpi ult, %next, %n : index
    cf.cond_br %again, ^inner(%next : index), ^latch
  ^latch:
    %nextRow = arith.addi %i, %c1 : index
    cf.br ^outer(%nextRow : index)
  ^after:
    omp.terminator
  }
  memref.store %n, %sums[%c0] : memref<?xindex>
  return
}

// A loop without loops inside is left alone.
//
// CHECK-LABEL: func.func @negative_innermost(
// CHECK-NOT:     llvm.load
// CHECK:         return
func.func @negative_innermost(%n: index, %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    cf.br ^loop(%c0 : index)
  ^loop(%j: index):
    memref.store %j, %sums[%j] : memref<?xindex>
    %next = arith.addi %j, %c1 : index
    %again = arith.cmpi ult, %next, %n : index
    cf.cond_br %again, ^loop(%next : index), ^after
  ^after:
    omp.terminator
  }
  return
}
