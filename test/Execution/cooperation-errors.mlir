// What threads of a block must not do is found in any order of threads, and reported with
// the place of the operation.
//
// RUN: %simulated %s ended i32:0*64 | FileCheck %s --check-prefix=ENDED
// RUN: %simulated %s elsewhere i32:0*64 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: env NACHO_SIMULATOR_SEED=3 %simulated %s elsewhere i32:0*64 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: %simulated %s shuffled i32:0*64 | FileCheck %s --check-prefix=SHUFFLED
// RUN: %simulated %s unwritten i32:0*64 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: %simulated %s forgotten i32:0*64 | FileCheck %s --check-prefix=FORGOTTEN
// RUN: %simulated %s race i32:0*64 | FileCheck %s --check-prefix=RACE
// RUN: env NACHO_SIMULATOR_SEED=3 %simulated %s race i32:0*64 | FileCheck %s --check-prefix=RACE
// RUN: %simulated %s overwrites i32:0*64 | FileCheck %s --check-prefix=OVERWRITES
// RUN: %simulated %s mixed i32:0*64 | FileCheck %s --check-prefix=MIXED
// RUN: %simulated %s beyond i32:0*64 | FileCheck %s --check-prefix=BEYOND
// RUN: %simulated %s outside i32:0*64 | FileCheck %s --check-prefix=OUTSIDE
// RUN: %simulated %s lane i32:0*64 | FileCheck %s --check-prefix=LANE
// RUN: %simulated %s mask i32:0*64 | FileCheck %s --check-prefix=MASK
// RUN: %simulated %s large i32:0*64 | FileCheck %s --check-prefix=LARGE

#shared = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {

func.func @ended(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@ended blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}

func.func @elsewhere(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@elsewhere blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}

func.func @shuffled(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@shuffled blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

func.func @unwritten(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@unwritten blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

func.func @forgotten(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@forgotten blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

func.func @race(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@race blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

func.func @overwrites(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@overwrites blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

func.func @mixed(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@mixed blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

func.func @beyond(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@beyond blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}

// A fault in memory of the device, while threads wait for each other.
//
// OUTSIDE: error: a kernel accessed memory of the device beyond an array
func.func @outside(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@outside blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

// Half a warp has no lane 16.
func.func @lane(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  gpu.launch_func @kernels::@lane blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

func.func @mask(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@mask blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}

// LARGE: error: kernel 'mask', block 0: it has more than 1024 threads
func.func @large(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c1025 = arith.constant 1025 : index
  gpu.launch_func @kernels::@mask blocks in (%c1, %c1, %c1) threads in (%c1025, %c1, %c1)
  return
}

gpu.module @kernels {
  gpu.func @ended() kernel {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %waits = arith.cmpi ult, %t, %c63 : index
    scf.if %waits {
      // ENDED: error: kernel 'ended', block 0: threads diverge: thread 0 waits at 'gpu.barrier' of {{.*}}cooperation-errors.mlir:[[@LINE+1]]:7, and thread 63 has ended
      gpu.barrier
    }
    gpu.return
  }

  gpu.func @elsewhere() kernel {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %most = arith.cmpi ult, %t, %c63 : index
    scf.if %most {
      // ELSEWHERE: error: kernel 'elsewhere', block 0: threads diverge: thread 0 waits at 'gpu.barrier' of {{.*}}:[[@LINE+1]]:7, and thread 63 waits at 'gpu.barrier' of {{.*}}:[[@LINE+3]]:7
      gpu.barrier
    } else {
      gpu.barrier
    }
    gpu.return
  }

  // A warp whose first lane is at a barrier.
  gpu.func @shuffled(%out: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      // SHUFFLED: threads diverge: thread 1 waits at 'gpu.shuffle' of {{.*}}:[[@LINE+4]]:24, and thread 0 waits at 'gpu.barrier' of {{.*}}:[[@LINE+1]]:7
      gpu.barrier
    } else {
      %own = memref.load %out[%t] : memref<?xi32>
      %other, %valid = gpu.shuffle xor %own, %one, %width : i32
      memref.store %other, %out[%t] : memref<?xi32>
    }
    gpu.return
  }

  gpu.func @unwritten(%out: memref<?xi32>) workgroup(%room: memref<64xi32, #shared>) kernel {
    %t = gpu.thread_id x
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %writes = arith.cmpi ne, %t, %c31 : index
    scf.if %writes {
      memref.store %zero, %room[%t] : memref<64xi32, #shared>
    }
    gpu.barrier
    // UNWRITTEN: error: kernel 'unwritten', block 0: thread 31 at 'memref.load' of {{.*}}:[[@LINE+1]]:14 reads shared memory that nobody has written
    %found = memref.load %room[%t] : memref<64xi32, #shared>
    memref.store %found, %out[%t] : memref<?xi32>
    gpu.return
  }

  // What the block before has written is not there.
  gpu.func @forgotten(%out: memref<?xi32>) workgroup(%room: memref<64xi32, #shared>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %writes = arith.cmpi eq, %block, %c0 : index
    scf.if %writes {
      memref.store %zero, %room[%t] : memref<64xi32, #shared>
    }
    // FORGOTTEN: error: kernel 'forgotten', block 1: thread 0 at 'memref.load' of {{.*}}:[[@LINE+1]]:14 reads shared memory that nobody has written
    %found = memref.load %room[%t] : memref<64xi32, #shared>
    memref.store %found, %out[%t] : memref<?xi32>
    gpu.return
  }

  gpu.func @race(%out: memref<?xi32>) workgroup(%room: memref<64xi32, #shared>) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    memref.store %zero, %room[%t] : memref<64xi32, #shared>
    gpu.barrier
    %after = arith.addi %t, %c1 : index
    %next = arith.remui %after, %c64 : index
    // RACE: error: kernel 'race', block 0: race on shared memory: no barrier is between thread {{[0-9]+}} at 'memref.{{load|store}}' of {{.*}}:{{[0-9]+:[0-9]+}} and thread {{[0-9]+}} at 'memref.{{load|store}}' of
    %found = memref.load %room[%next] : memref<64xi32, #shared>
    memref.store %found, %room[%t] : memref<64xi32, #shared>
    memref.store %found, %out[%t] : memref<?xi32>
    gpu.return
  }

  gpu.func @overwrites(%out: memref<?xi32>) workgroup(%room: memref<1xi32, #shared>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    // OVERWRITES: no barrier is between thread 1 at 'memref.store' of {{.*}}:[[@LINE+1]]:5 and thread 0 at 'memref.store' of {{.*}}:[[@LINE+1]]:5
    memref.store %zero, %room[%c0] : memref<1xi32, #shared>
    gpu.barrier
    %found = memref.load %room[%c0] : memref<1xi32, #shared>
    memref.store %found, %out[%t] : memref<?xi32>
    gpu.return
  }

  // Atomic accesses, and one that is not.
  gpu.func @mixed(%out: memref<?xi32>) workgroup(%room: memref<1xi32, #shared>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %one = arith.constant 1 : i32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %isLast = arith.cmpi eq, %t, %c63 : index
    scf.if %isFirst {
      memref.store %one, %room[%c0] : memref<1xi32, #shared>
    }
    gpu.barrier
    %old = memref.atomic_rmw addi %one, %room[%c0] : (i32, memref<1xi32, #shared>) -> i32
    scf.if %isLast {
      // MIXED: no barrier is between thread 63 at 'memref.load' of {{.*}}:[[@LINE+1]]:16 and thread 62 at 'memref.atomic_rmw' of {{.*}}:[[@LINE-2]]:12
      %found = memref.load %room[%c0] : memref<1xi32, #shared>
      memref.store %found, %out[%t] : memref<?xi32>
    }
    gpu.return
  }

  gpu.func @beyond() workgroup(%room: memref<64xi32, #shared>) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %after = arith.addi %t, %c1 : index
    // BEYOND: error: kernel 'beyond', block 0: thread 63 at 'memref.store' of {{.*}}:[[@LINE+1]]:5 accesses shared memory beyond its end
    memref.store %zero, %room[%after] : memref<64xi32, #shared>
    gpu.return
  }

  gpu.func @outside(%out: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    gpu.barrier
    %after = arith.addi %t, %c64 : index
    memref.store %zero, %out[%after] : memref<?xi32>
    gpu.barrier
    gpu.return
  }

  gpu.func @lane(%out: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %own = memref.load %out[%t] : memref<?xi32>
    // LANE: error: kernel 'lane', block 0: thread 15 waits at 'gpu.shuffle' of {{.*}}:[[@LINE+1]]:22 for lane 16, which its warp does not have
    %other, %valid = gpu.shuffle down %own, %one, %width : i32
    memref.store %other, %out[%t] : memref<?xi32>
    gpu.return
  }

  gpu.func @mask() kernel {
    %few = arith.constant 15 : i32
    // MASK: error: kernel 'mask', block 0: thread 4 waits at 'nvvm.bar.warp.sync' of {{.*}}:[[@LINE+1]]:5 for lanes that it is not among
    nvvm.bar.warp.sync %few : i32
    gpu.return
  }
}

}
