// Threads of a block that wait for each other, with shared memory; the order in which they
// run does not matter.
//
// RUN: %simulated %s scan i64:0..256 i64:0*256 | FileCheck %s --check-prefix=SCAN
// RUN: env NACHO_SIMULATOR_SEED=12345 %simulated %s scan i64:0..256 i64:0*256 | FileCheck %s --check-prefix=SCAN
// RUN: %simulated %s sums f64:0..96 f64:0*3 | FileCheck %s --check-prefix=SUMS
// RUN: env NACHO_SIMULATOR_SEED=7 %simulated %s sums f64:0..96 f64:0*3 | FileCheck %s --check-prefix=SUMS
// RUN: %simulated %s shuffles f32:0..32 f32:0*128 i32:0*32 | FileCheck %s --check-prefix=SHUFFLES
// RUN: %simulated %s votes i32:0..40 i32:0*120 | FileCheck %s --check-prefix=VOTES
// RUN: %simulated %s reduce i32:0..136 i32:0*8 | FileCheck %s --check-prefix=REDUCE
// RUN: %simulated %s atomics i32:0*2 | FileCheck %s --check-prefix=ATOMICS
// RUN: %simulated %s warps i32:0*64 | FileCheck %s --check-prefix=WARPS
// RUN: %simulated %s own i64:0*4 | FileCheck %s --check-prefix=OWN

#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>

module attributes {gpu.container_module} {

// SCAN: i64: 0 1 2 3
// SCAN: i64: 0 1 3 6 10 15 {{.*}} 32131 32385 32640
func.func @scan(%in: memref<?xi64>, %out: memref<?xi64>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  gpu.launch_func @kernels::@scan blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1)
      args(%in : memref<?xi64>, %out : memref<?xi64>)
  return
}

// Each of three blocks has a warp.
//
// SUMS: f64: 496 1520 2544
func.func @sums(%in: memref<?xf64>, %out: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@sum blocks in (%c3, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%in : memref<?xf64>, %out : memref<?xf64>)
  return
}

// The lane up has no value for the first two lanes, the lane down none for the last two.
//
// SHUFFLES:      f32: 0 1 2
// SHUFFLES-NEXT: f32: 1 0 3 2 {{.*}} 31 30 2 3 4 {{.*}} 30 31 30 31 0 1 0 1 2 {{.*}} 29 7 7 {{.*}} 7 7
// SHUFFLES-NEXT: i32: 11 11 15 15 {{.*}} 15 13 13
func.func @shuffles(%in: memref<?xf32>, %out: memref<?xf32>, %valid: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@shuffle blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%in : memref<?xf32>, %out : memref<?xf32>, %valid : memref<?xi32>)
  return
}

// The second warp of 40 threads has 8 lanes.
//
// VOTES:      i32: 0 1 2
// VOTES-NEXT: i32: {{(1227133513 ){32}(146 ){8}(1 ){32}(0 ?){48}$}}
func.func @votes(%in: memref<?xi32>, %out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  gpu.launch_func @kernels::@vote blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1)
      args(%in : memref<?xi32>, %out : memref<?xi32>)
  return
}

// REDUCE: i32: 496 39 1520 71 2544 103 3568 135
func.func @reduce(%in: memref<?xi32>, %out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch_func @kernels::@reduce blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%in : memref<?xi32>, %out : memref<?xi32>)
  return
}

// ATOMICS: i32: 300 256
func.func @atomics(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  gpu.launch_func @kernels::@atomics blocks in (%c3, %c1, %c1) threads in (%c100, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

// WARPS: i32: 31 30 29 {{.*}} 1 0 63 62 {{.*}} 33 32
func.func @warps(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@warps blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

// OWN: i64: 0 2 4 6
func.func @own(%out: memref<?xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch_func @kernels::@own blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%out : memref<?xi64>)
  return
}

gpu.module @kernels {
  // sums[t] += sums[t - distance], for distances 1, 2, 4, ..., 128
  gpu.func @scan(%in: memref<?xi64>, %out: memref<?xi64>)
      workgroup(%sums: memref<256xi64, #shared>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %none = arith.constant 0 : i64
    %t = gpu.thread_id x
    %own = memref.load %in[%t] : memref<?xi64>
    memref.store %own, %sums[%t] : memref<256xi64, #shared>
    gpu.barrier
    scf.for %round = %c0 to %c8 step %c1 {
      %distance = arith.shli %c1, %round : index
      %adds = arith.cmpi uge, %t, %distance : index
      %before = scf.if %adds -> i64 {
        %at = arith.subi %t, %distance : index
        %value = memref.load %sums[%at] : memref<256xi64, #shared>
        scf.yield %value : i64
      } else {
        scf.yield %none : i64
      }
      gpu.barrier
      %value = memref.load %sums[%t] : memref<256xi64, #shared>
      %sum = arith.addi %before, %value : i64
      memref.store %sum, %sums[%t] : memref<256xi64, #shared>
      gpu.barrier
    }
    %sum = memref.load %sums[%t] : memref<256xi64, #shared>
    memref.store %sum, %out[%t] : memref<?xi64>
    gpu.return
  }

  // for distances 16, 8, 4, 2, 1: sum += that of the lane at the distance
  gpu.func @sum(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : index
    %width = arith.constant 32 : i32
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %lane = gpu.lane_id
    %first = arith.muli %block, %c32 : index
    %at = arith.addi %first, %lane : index
    %own = memref.load %in[%at] : memref<?xf64>
    %sum = scf.for %round = %c0 to %c5 step %c1 iter_args(%sum = %own) -> f64 {
      %shift = arith.index_cast %round : index to i32
      %distance = arith.shrui %c16, %shift : i32
      %other, %valid = gpu.shuffle down %sum, %distance, %width : f64
      %next = arith.addf %sum, %other : f64
      scf.yield %next : f64
    }
    %isFirst = arith.cmpi eq, %lane, %c0 : index
    scf.if %isFirst {
      memref.store %sum, %out[%block] : memref<?xf64>
    }
    gpu.return
  }

  gpu.func @shuffle(%in: memref<?xf32>, %out: memref<?xf32>, %valid: memref<?xi32>) kernel {
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %seven = arith.constant 7 : i32
    %width = arith.constant 32 : i32
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %t = gpu.thread_id x
    %own = memref.load %in[%t] : memref<?xf32>
    %0, %valid0 = gpu.shuffle xor %own, %one, %width : f32
    %1, %valid1 = gpu.shuffle down %own, %two, %width : f32
    %2, %valid2 = gpu.shuffle up %own, %two, %width : f32
    %3, %valid3 = gpu.shuffle idx %own, %seven, %width : f32
    %t1 = arith.addi %t, %c32 : index
    %t2 = arith.addi %t, %c64 : index
    %t3 = arith.addi %t, %c96 : index
    memref.store %0, %out[%t] : memref<?xf32>
    memref.store %1, %out[%t1] : memref<?xf32>
    memref.store %2, %out[%t2] : memref<?xf32>
    memref.store %3, %out[%t3] : memref<?xf32>
    // A bit for each: 1 for xor, 2 for down, 4 for up, 8 for idx.
    %i0 = arith.extui %valid0 : i1 to i32
    %i1 = arith.extui %valid1 : i1 to i32
    %i2 = arith.extui %valid2 : i1 to i32
    %i3 = arith.extui %valid3 : i1 to i32
    %s2 = arith.shli %i2, %two : i32
    %s3 = arith.shli %i3, %three : i32
    %s1 = arith.muli %i1, %two : i32
    %a = arith.addi %i0, %s2 : i32
    %b = arith.addi %a, %s3 : i32
    %down = arith.addi %b, %s1 : i32
    memref.store %down, %valid[%t] : memref<?xi32>
    gpu.return
  }

  // A ballot of the lanes whose value is a multiple of 3; any lane below 8; all below 8.
  gpu.func @vote(%in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %all = arith.constant -1 : i32
    %three = arith.constant 3 : i32
    %eight = arith.constant 8 : i32
    %zero = arith.constant 0 : i32
    %c40 = arith.constant 40 : index
    %c80 = arith.constant 80 : index
    %t = gpu.thread_id x
    %own = memref.load %in[%t] : memref<?xi32>
    %rest = arith.remui %own, %three : i32
    %isMultiple = arith.cmpi eq, %rest, %zero : i32
    %isSmall = arith.cmpi ult, %own, %eight : i32
    %lanes = nvvm.vote.sync ballot %all, %isMultiple -> i32
    %any = nvvm.vote.sync any %all, %isSmall -> i1
    %every = nvvm.vote.sync all %all, %isSmall -> i1
    %anyBit = arith.extui %any : i1 to i32
    %everyBit = arith.extui %every : i1 to i32
    %t1 = arith.addi %t, %c40 : index
    %t2 = arith.addi %t, %c80 : index
    memref.store %lanes, %out[%t] : memref<?xi32>
    memref.store %anyBit, %out[%t1] : memref<?xi32>
    memref.store %everyBit, %out[%t2] : memref<?xi32>
    gpu.return
  }

  // Each warp of a block has two reductions.
  gpu.func @reduce(%in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %after = arith.addi %t, %c8 : index
    %own = memref.load %in[%t] : memref<?xi32>
    %other = memref.load %in[%after] : memref<?xi32>
    %sum = gpu.subgroup_reduce add %own : (i32) -> i32
    %most = gpu.subgroup_reduce maxsi %other : (i32) -> i32
    %isFirst = arith.cmpi eq, %lane, %c0 : index
    scf.if %isFirst {
      %first = arith.muli %warp, %c2 : index
      %second = arith.addi %first, %c1 : index
      memref.store %sum, %out[%first] : memref<?xi32>
      memref.store %most, %out[%second] : memref<?xi32>
    }
    gpu.return
  }

  // Threads count in shared memory, and blocks in global memory.
  gpu.func @atomics(%out: memref<?xi32>) workgroup(%count: memref<1xi32, #shared>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %most = arith.constant 256 : i32
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      memref.store %zero, %count[%c0] : memref<1xi32, #shared>
    }
    gpu.barrier
    %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32, #shared>) -> i32
    %larger = memref.atomic_rmw maxs %most, %out[%c1] : (i32, memref<?xi32>) -> i32
    gpu.barrier
    scf.if %isFirst {
      %all = memref.load %count[%c0] : memref<1xi32, #shared>
      %before = memref.atomic_rmw addi %all, %out[%c0] : (i32, memref<?xi32>) -> i32
    }
    gpu.return
  }

  // Lanes reverse the order of their numbers; no barrier is needed between warps.
  gpu.func @warps(%out: memref<?xi32>) workgroup(%room: memref<64xi32, #shared>) kernel {
    %all = arith.constant -1 : i32
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %number = arith.index_cast %t : index to i32
    %mirrored = arith.xori %t, %c31 : index
    memref.store %number, %room[%t] : memref<64xi32, #shared>
    nvvm.bar.warp.sync %all : i32
    %other = memref.load %room[%mirrored] : memref<64xi32, #shared>
    nvvm.bar.warp.sync %all : i32
    memref.store %other, %room[%t] : memref<64xi32, #shared>
    %own = memref.load %room[%t] : memref<64xi32, #shared>
    memref.store %own, %out[%t] : memref<?xi32>
    gpu.return
  }

  gpu.func @own(%out: memref<?xi64>) private(%room: memref<1xi64, #private>) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %number = arith.index_cast %block : index to i64
    memref.store %number, %room[%c0] : memref<1xi64, #private>
    %twice = arith.addi %number, %number : i64
    memref.store %twice, %room[%c0] : memref<1xi64, #private>
    %found = memref.load %room[%c0] : memref<1xi64, #private>
    memref.store %found, %out[%block] : memref<?xi64>
    gpu.return
  }
}

}
