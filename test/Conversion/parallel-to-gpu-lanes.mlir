// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu -canonicalize | FileCheck %s

// Four warps of a block have a part each. What lanes exchange has 32 bits.
//
// CHECK-LABEL: func.func @lanes(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %{{[^ ]+}}: index, %[[IN:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui %[[N]], %c4 : index
// CHECK:         gpu.launch blocks(%[[BX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[BLOCKS]], {{.+}}) threads(%[[TX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %c128, {{.+}}) {
// CHECK-DAG:       %[[FIRST:.+]] = arith.muli %[[BX]], %c4 : index
// CHECK-DAG:       %[[WARP:.+]] = arith.divui %[[TX]], %c32 : index
// CHECK-DAG:       %[[PART:.+]] = arith.addi %[[FIRST]], %[[WARP]] : index
// CHECK-DAG:       %[[LANE:.+]] = arith.remui %[[TX]], %c32 : index
// CHECK:           %[[EXISTS:.+]] = arith.cmpi ult, %[[PART]], %[[N]] : index
// CHECK:           scf.if %[[EXISTS]] {
// CHECK:             %[[X:.+]] = memref.load %[[IN]][%[[LANE]]]
// CHECK:             %[[BITS:.+]] = arith.bitcast %[[X]] : f64 to i64
// CHECK:             %[[LOW:.+]] = arith.trunci %[[BITS]] : i64 to i32
// CHECK:             gpu.shuffle idx %[[LOW]], %{{.+}}, %c32_i32 : i32
// CHECK:             %[[SHIFTED:.+]] = arith.shrui %[[BITS]], %c32_i64 : i64
// CHECK:             %[[HIGH:.+]] = arith.trunci %[[SHIFTED]] : i64 to i32
// CHECK:             gpu.shuffle idx %[[HIGH]], %{{.+}}, %c32_i32 : i32
// CHECK:             arith.bitcast %{{.+}} : i64 to f64
// CHECK-NOT:     nacho.{{.+}} %
// CHECK:         } {nacho.warp_does_part}
func.func @lanes(%n: index, %threads: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    %x = memref.load %in[%lane] : memref<?xf64>
    %first = nacho.from_lane %x at %c0 : f64
    memref.store %first, %out[%part] : memref<?xf64>
  }
  return
}

// Eight lanes of a warp have a part, and a block has 16 parts. Lanes wait only for those
// of their part, which the mask has.
//
// CHECK-LABEL: func.func @eight(
// CHECK:         gpu.launch blocks(%[[BX:[^ ,]+]], %{{.+}}) {{.+}} threads(%[[TX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %c128, {{.+}}) {
// CHECK-DAG:       %[[LANE:.+]] = arith.remui %[[TX]], %c8 : index
// CHECK-DAG:       %[[OF_WARP:.+]] = arith.remui %[[TX]], %c32 : index
// CHECK-DAG:       %[[FIRST:.+]] = arith.subi %[[OF_WARP]], %[[LANE]] : index
// CHECK-DAG:       %[[SHIFT:.+]] = arith.index_castui %[[FIRST]] : index to i32
// CHECK-DAG:       %[[MASK:.+]] = arith.shli %c255_i32, %[[SHIFT]] : i32
// CHECK:           scf.if
// CHECK:             %[[NEXT:.+]] = arith.xori %[[LANE]], %c1 : index
// CHECK-NEXT:        %[[AT:.+]] = arith.addi %[[FIRST]], %[[NEXT]] : index
// CHECK-NEXT:        %[[ASKED:.+]] = arith.index_castui %[[AT]] : index to i32
// CHECK:             nvvm.shfl.sync idx %[[MASK]], %{{.+}}, %[[ASKED]], %c31_i32 : i32 -> i32
// CHECK-NOT:     gpu.shuffle
// CHECK-NOT:     warp_does_part
// CHECK:         return
func.func @eight(%n: index, %threads: index, %in: memref<?xi32>, %out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 8
    %x = memref.load %in[%lane] : memref<?xi32>
    %next = arith.xori %lane, %c1 : index
    %y = nacho.from_lane %x at %next : i32
    memref.store %y, %out[%part] : memref<?xi32>
  }
  return
}

// Numbers of fewer bits are widened.
//
// CHECK-LABEL: func.func @flag(
// CHECK:         arith.extui %{{.+}} : i1 to i32
// CHECK:         gpu.shuffle idx
// CHECK:         arith.trunci %{{.+}} : i32 to i1
func.func @flag(%n: index, %threads: index, %in: memref<?xi1>, %out: memref<?xi1>) {
  %c3 = arith.constant 3 : index
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    %x = memref.load %in[%lane] : memref<?xi1>
    %third = nacho.from_lane %x at %c3 : i1
    memref.store %third, %out[%part] : memref<?xi1>
  }
  return
}

// Lanes wait for each other, and vote.
//
// CHECK-LABEL: func.func @meet(
// CHECK:         nvvm.bar.warp.sync %c-1_i32 : i32
// CHECK-NEXT:    %[[FLAG:.+]] = memref.load
// CHECK-NEXT:    nvvm.vote.sync ballot %c-1_i32, %[[FLAG]] -> i32
func.func @meet(%n: index, %threads: index, %in: memref<?xi1>, %out: memref<?xi32>) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    nacho.lane_sync
    %flag = memref.load %in[%lane] : memref<?xi1>
    %flags = nacho.ballot %flag : i32
    memref.store %flags, %out[%lane] : memref<?xi32>
  }
  return
}

// The block of a slot is a warp, which takes one part after the other.
//
// CHECK-LABEL: func.func @slots(
// CHECK-SAME:    %[[N:[^ ]+]]: index
// CHECK:         gpu.launch blocks(%[[SLOT:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[SLOTS:[^ ,]+]], {{.+}}) threads(%[[LANE:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %c32, {{.+}}) {
// CHECK-NEXT:      scf.for %[[PART:.+]] = %[[SLOT]] to %[[N]] step %[[SLOTS]] {
// CHECK-NEXT:        memref.store %[[PART]], %{{.+}}[%[[SLOT]], %[[LANE]]]
func.func @slots(%n: index, %threads: index, %out: memref<?x?xindex>) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    memref.store %part, %out[%slot, %lane] : memref<?x?xindex>
  }
  return
}

// A scan is one launch. A warp takes the next tile, tells what its rows come to, and asks the
// warps of the tiles before, 32 at a time, until one of them tells what all tiles up to it come
// to. The last warp leaves zeros, and does the stores that follow.
//
// CHECK-LABEL: func.func @exclusive_scan(
// CHECK-SAME:    %[[COUNTS:[^ ]+]]: memref<?x1xindex>, %[[OFFSETS:[^ ]+]]: memref<?x1xindex>, %[[SIZES:.+]]: memref<2xindex>)
// CHECK:         %[[ROWS:.+]] = memref.dim %[[COUNTS]]
// CHECK:         %[[SOME:.+]] = arith.ceildivui %[[ROWS]], %c512 : index
// CHECK:         %[[TILES:.+]] = arith.maxui %[[SOME]], %c1 : index
// CHECK:         %[[OF_TILES:.+]] = arith.muli %[[TILES]], %c3 : index
// CHECK:         %[[NUM_WORDS:.+]] = arith.addi %[[OF_TILES]], %c2 : index
// CHECK:         %[[MEMORY:.+]] = gpu.alloc {{.+}} {nacho.zeros}
// CHECK:         %[[WORDS:.+]] = memref.view %[[MEMORY]]
// CHECK:         gpu.launch
// CHECK:           memref.atomic_rmw addi %c1_i64, %[[WORDS]][%c0]
// CHECK:           %[[ALL:.+]] = scf.for {{.+}} step %c128 iter_args(%[[SUM:.+]] = %c0) -> (index) {
// CHECK-COUNT-4:     memref.load %[[COUNTS]]
// CHECK:             gpu.shuffle idx
// CHECK-NOT:         memref.store
// CHECK:             scf.yield
// CHECK:           %[[WORD:.+]] = arith.index_castui %[[ALL]] : index to i64
// CHECK:           memref.atomic_rmw assign %[[WORD]], %[[WORDS]]
// CHECK-NEXT:      llvm.fence syncscope("device") acq_rel
// CHECK:           memref.atomic_rmw assign %c1_i64, %[[WORDS]]
// CHECK:           %[[BEFORE:.+]]:2 = scf.while
// CHECK:             %[[STATE:.+]] = scf.while : () -> i64 {
// CHECK:               %[[FOUND:.+]] = memref.atomic_rmw ori %c0_i64, %[[WORDS]]
// CHECK:               nvvm.vote.sync ballot
// CHECK:               scf.condition(%{{.+}}) %[[FOUND]]
// CHECK:             llvm.fence
// CHECK:             %[[IS_WHOLE:.+]] = arith.cmpi eq, %[[STATE]], %c2_i64
// CHECK:             nvvm.vote.sync ballot
// CHECK:             memref.atomic_rmw ori %c0_i64, %[[WORDS]]
// CHECK:             gpu.shuffle idx
// CHECK:           %[[WHOLE:.+]] = arith.addi %[[BEFORE]]#1, %[[ALL]]
// CHECK:           %[[WORD:.+]] = arith.index_castui %[[WHOLE]] : index to i64
// CHECK:           memref.atomic_rmw assign %[[WORD]], %[[WORDS]]
// CHECK-NEXT:      llvm.fence
// CHECK:           memref.atomic_rmw assign %c2_i64, %[[WORDS]]
// CHECK:           memref.store %c0, %[[OFFSETS]][%c0, %c0]
// CHECK:           scf.for {{.+}} step %c128 iter_args(%{{.+}} = %[[BEFORE]]#1) -> (index) {
// CHECK-COUNT-4:     memref.load %[[COUNTS]]
// CHECK:             gpu.shuffle idx
// CHECK-COUNT-4:     memref.store %{{.+}}, %[[OFFSETS]]
// CHECK:           nvvm.bar.warp.sync
// CHECK:           llvm.fence
// CHECK-NEXT:      memref.atomic_rmw addi %c1_i64, %[[WORDS]][%c1]
// CHECK-NEXT:      llvm.fence
// CHECK:           scf.for %[[N:.+]] = %{{.+}} to %[[NUM_WORDS]] step %c32 {
// CHECK:             memref.atomic_rmw assign %c0_i64, %[[WORDS]][%[[N]]]
// CHECK:           %[[TOTAL:.+]] = memref.load %[[OFFSETS]][%{{.+}}, %c0]
// CHECK:           memref.store %[[TOTAL]], %[[SIZES]][%c0]
// CHECK:           gpu.terminator
// CHECK:         gpu.dealloc %[[MEMORY]] {nacho.zeros}
// CHECK-NOT:     memref.store
// CHECK:         return
func.func @exclusive_scan(%counts: memref<?x1xindex>, %offsets: memref<?x1xindex>,
                          %sizes: memref<2xindex>) {
  %c0 = arith.constant 0 : index
  nacho.exclusive_scan %counts into %offsets : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  %parts = memref.dim %counts, %c0 : memref<?x1xindex>
  %total = memref.load %offsets[%parts, %c0] : memref<?x1xindex>
  memref.store %total, %sizes[%c0] : memref<2xindex>
  return
}

// What is loaded for other uses is not moved, nor are the stores of it.
//
// CHECK-LABEL: func.func @negative_stores(
// CHECK:         gpu.dealloc
// CHECK-NEXT:    %[[TOTAL:.+]] = memref.load
// CHECK-NEXT:    memref.store %[[TOTAL]]
// CHECK-NEXT:    return %[[TOTAL]]
func.func @negative_stores(%counts: memref<?x1xindex>, %offsets: memref<?x1xindex>,
                           %parts: index, %sizes: memref<2xindex>) -> index {
  %c0 = arith.constant 0 : index
  nacho.exclusive_scan %counts into %offsets : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    %sum = arith.addi %x, %y : index
    nacho.yield %sum : index
  }
  %total = memref.load %offsets[%parts, %c0] : memref<?x1xindex>
  memref.store %total, %sizes[%c0] : memref<2xindex>
  return %total : index
}

// A prefix sum is made in place.
//
// CHECK-LABEL: func.func @prefix_sum(
// CHECK-SAME:    %[[COSTS:[^ ]+]]: memref<?xi64>
// CHECK:         gpu.launch
// CHECK:           %[[ALL:.+]] = scf.for {{.+}} step %c128 iter_args(%{{.+}} = %c0_i64) -> (i64) {
// CHECK-COUNT-4:     memref.load %[[COSTS]]
// CHECK:           memref.atomic_rmw assign %[[ALL]]
// CHECK:           %[[BEFORE:.+]]:2 = scf.while
// CHECK:           scf.for {{.+}} step %c128 iter_args(%{{.+}} = %[[BEFORE]]#1) -> (i64) {
// CHECK-COUNT-4:     memref.load %[[COSTS]]
// CHECK:             nvvm.bar.warp.sync
// CHECK-COUNT-4:     memref.store %{{.+}}, %[[COSTS]]
// CHECK:           gpu.terminator
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @prefix_sum(%costs: memref<?xi64>, %threads: index) {
  nacho.prefix_sum %costs threads %threads : memref<?xi64>
  return
}

// Memory that lanes share is shared memory of a block, which is one warp then, and takes
// one part after the other.
//
// CHECK-LABEL: func.func @memory(
// CHECK:         gpu.launch blocks({{.+}}) threads(%[[TX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %c32, {{.+}}) workgroup(%[[SHARED:.+]] : memref<32xf64, #gpu.address_space<workgroup>>) {
// CHECK:           scf.for
// CHECK:             memref.store %{{.+}}, %[[SHARED]][%[[TX]]]
// CHECK:             nvvm.bar.warp.sync
// CHECK:             memref.load %[[SHARED]]
// CHECK-NOT:     nacho.{{.+}} %
// CHECK:         } {nacho.warp_does_part}
func.func @memory(%n: index, %threads: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  %c31 = arith.constant 31 : index
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    %shared = nacho.lane_memory : memref<32xf64>
    %x = memref.load %in[%part] : memref<?xf64>
    memref.store %x, %shared[%lane] : memref<32xf64>
    nacho.lane_sync
    %other = arith.subi %c31, %lane : index
    %y = memref.load %shared[%other] : memref<32xf64>
    memref.store %y, %out[%part] : memref<?xf64>
  }
  return
}
