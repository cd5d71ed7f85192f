//===- GpuPasses.td - Passes from bounded loops to GPUs ----*- tablegen -*-===//

#ifndef NACHO_CONVERSION_GPU_PASSES
#define NACHO_CONVERSION_GPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNachoParallelToGPU
    : Pass<"convert-nacho-parallel-to-gpu", "::mlir::func::FuncOp"> {
  let summary = "Lower the backend contract to gpu.launch";
  let description = [{
    Before:
    ```mlir
    nacho.parallel %worker in %n threads %t { body }
    ```
    After:
    ```mlir
    gpu.launch blocks(%bx) in (ceildiv(%n, 128)) threads(%tx) in (128) {
      %worker = %bx * 128 + %tx
      scf.if %worker < %n { body }
    }
    ```
    If workers wait for others (`nacho.await`), blocks take their numbers in order, and
    count how many of them are done; memory for both is zero before and after. If the
    body has a slot, there are `%t` threads, but no more than slots or workers.
    Each thread has a warp to itself, and takes one worker after the other:
    ```mlir
    %all = min(%n, %t, slots)
    gpu.launch blocks(%slot) in (%all) threads(%tx) in (1) {
      scf.for %worker = %slot to %n step %all { body }
    }
    ```
    If it has lanes, too, there are 32 threads in each block, which do the body together.
    If the body has lanes, but no slot, a warp does it for each worker, or for several
    workers if that takes fewer lanes. Lanes exchange values by shuffles, for which those
    of the same worker wait:
    ```mlir
    gpu.launch blocks(%bx) in (ceildiv(%n, 4)) threads(%tx) in (128) {
      %worker = %bx * 4 + %tx / 32
      %lane = %tx mod 32
      scf.if %worker < %n { body }
    }
    ```
    If the body has a tile, the block has a thread for each of its parts. First, the
    threads copy windows to memory that they share, if `shared-bytes` suffice for all of
    them; when all parts are done, they copy others back. There are two versions of the
    body:
    ```mlir
    gpu.launch blocks(%bx) in (ceildiv(%n, 32)) threads(%tx) in (32)
        workgroup(%shared : memref<49152xi8, #gpu.address_space<workgroup>>) {
      %window = view of %shared for as many elements as from %from to %to
      %whole = %to - %from <= 49152 / 8
      scf.if %whole {
        for %k = %tx to %to - %from step 32 { %window[%k] = %in[%from + %k] }
      }
      gpu.barrier
      scf.if %worker < %n {
        scf.if %whole {
          %x = %window[min(%at - %from, %to - %from - 1)]
        } else { %x = %in[%at] }
      }
    }
    ```
    Thus nothing is read outside of a window, whatever the operands are. Windows that are
    not staged `alone` are asked in each access whether they have the element.

    If parts read elements of windows for nothing but what they write to another one, each
    of these has words in its place, and the others are not copied. A word says where
    what is read lies, and which of it there is. When all parts are done, threads that
    are neighbours compute elements that are:
    ```mlir
    scf.if %worker < %n {
      scf.if %whole {
        if %at - %from < %size {
          %words[%at - %from] = min(%p - %first, %last - %first) | %f << 15
        }
      } else { %out[%at] = %f ? %a[%p] : 0 }
    }
    gpu.barrier
    for %k = %tx to %size step 32 {
      %p, %f = %words[%k]
      %out[%from + %k] = %f ? %a[%p] : 0
    }
    ```
    A part of a tile that has to wait for the others of the tile has a barrier, and a
    branch on each side of it.

    A scan, or a prefix sum, is one launch. A warp takes the next tile of rows, tells the
    warps of the tiles behind it what the tile comes to, and asks those before it. They
    do so in memory that is zero, as the last warp leaves it; this warp also does the
    stores that follow the scan. Sorts are left to nacho-expand-sort.
  }];
  let options = [
    Option<"blockSize", "block-size", "int64_t", "128", "Threads per block">,
    Option<"lanes", "lanes", "int64_t", "32", "Lanes of a warp">,
    Option<"slots", "slots", "int64_t", "4096", "The most slots">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "49152",
           "Bytes that the threads of a block share, at most">
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def NachoExpandSort : Pass<"nacho-expand-sort", "::mlir::func::FuncOp"> {
  let summary = "Lower sorts to parallel loops";
  let description = [{
    A radix sort, which is stable. Warps do its loops, whose lanes take 32 entries at a
    time. Before:
    ```mlir
    nacho.sort (%i, %j) below (%n, %m) with %values status %status threads %t
    ```
    After:
    ```mlir
    %scratch = gpu.alloc
    if %scratch exists {
      %order, %other, %counts, copies = views of %scratch
      nacho.parallel: %order[n] = n
      for each digit of %j, then of %i, from the last {
        nacho.parallel %part: %counts[digit, %part] = how many entries of the part have it
        nacho.prefix_sum %counts
        nacho.parallel %part: %other[%counts[digit, %part]++] = each entry, in %order
        swap %order and %other
      }
      nacho.parallel: for each array: its copy[n] = array[%order[n]]
      nacho.parallel: for each array: array[n] = its copy[n]
      gpu.dealloc %scratch
    } else {
      %status |= no memory
    }
    ```
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "32", "Lanes of a warp">
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def NachoAccessOnDevice : Pass<"nacho-access-on-device", "::mlir::func::FuncOp"> {
  let summary = "Move what the host reads and writes into launches";
  let description = [{
    The host cannot access the memory of a device. Before:
    ```mlir
    %n = memref.load %pos[%rows]
    gpu.launch blocks(%bx) in (%blocks) threads(%tx) in (128) {
      body of %n
    }
    memref.store %n, %sizes[%c0]
    ```
    After:
    ```mlir
    gpu.launch blocks(%bx) in (%blocks) threads(%tx) in (128) {
      %n = memref.load %pos[%rows]
      body of %n
    }
    gpu.launch blocks(%bx) in (1) threads(%tx) in (1) {
      %n = memref.load %pos[%rows]
      memref.store %n, %sizes[%c0]
    }
    ```
    So nothing waits for the host. What the host needs itself, such as the number of
    blocks of a launch, must not depend on what is loaded: this is an error. So is a
    value that is loaded, changed in memory by a launch, and then used in another one.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def NachoFuseRows : Pass<"nacho-fuse-rows", "::mlir::func::FuncOp"> {
  let summary = "Loop over the entries of all rows at once in kernels";
  let description = [{
    Threads of a warp wait for the one whose row is longest, row by row, if there is a
    loop for each row. In a single loop, one may begin its next row while others are
    in theirs.

    Before:
    ```mlir
    scf.while (%i = %first) { %more = %i < %last } do {
      %end = begin of row %i
      scf.while (%p = %from) { %p < %end } do { body of %p }
      end of row %i
      scf.yield %i + 1
    }
    ```
    After:
    ```mlir
    scf.while (%i = %first, %open = false, %end = 0, %p = 0) { %more = %i < %last } do {
      %now, %end1, %p1 = if %open { true, %end, %p } else { begin of row %i }
      %open1, %p2 = if %now { body of %p1 } else { false, %p1 }
      %next = if %open1 { %i } else { end of row %i; %i + 1 }
      scf.yield %next, %open1, %end1, %p2
    }
    ```
    This is done to loops that have just one loop inside which takes another number of
    steps in each row, if numbers are all that rows carry; but not where all threads of a
    warp do a part together. Loops over as many columns in each step may be inside of both.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NachoMergeKernels : Pass<"nacho-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Put all kernels into one module";
  let description = [{
    It is loaded at once. The limit for `registers` of a thread makes room for more threads on
    a processor, and ptxas uses those that it has to load the elements of several steps at
    a time; without a limit, it saves them. Kernels with fences, whose blocks wait for each
    other, have none. Before:
    ```mlir
    gpu.launch_func @f_kernel_0::@f_kernel
    gpu.module @f_kernel_0 { gpu.func @f_kernel }
    ```
    After:
    ```mlir
    gpu.launch_func @kernels::@f_kernel_0
    gpu.module @kernels { gpu.func @f_kernel_0 attributes {nvvm.maxnreg = 64 : i32} }
    ```
  }];
  let options = [
    Option<"registers", "registers", "int32_t", /*default=*/"64",
           "The most registers that a thread has; 0 stands for no limit">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def NachoNarrowIndices : Pass<"nacho-narrow-indices", "::mlir::ModuleOp"> {
  let summary = "Compute with indices of 32 bits in kernels";
  let description = [{
    A GPU needs two instructions for a sum of 64 bits, and two registers for its result.
    Before:
    ```mlir
    %n = memref.dim %crd, %c0 : memref<?xi32>
    %to = arith.minui %end, %n : index
    scf.for %p = %from to %to step %c1 {
      %j = memref.load %crd[%p] : memref<?xi32>
    }
    ```
    After:
    ```mlir
    %n = memref.dim %crd, %c0 : memref<?xi32>
    %short_n = arith.index_cast %n : index to i32
    %to = arith.minui %end, %short_n : i32
    scf.for %p = %from to %to step %c1_i32 : i32 {
      %at = arith.index_cast %p : i32 to index
      %j = memref.load %crd[%at] : memref<?xi32>
    }
    ```
    An index becomes narrow if it fits 32 bits whenever no array of the call is longer than
    `longest`, and no extent is larger: the host sees to that. So do sums and products that
    only say which element of an array is accessed, whatever they are computed from, since
    their low bits are those of the element's index. What is loaded from arrays of indices,
    such as costs, remains as it is, apart from coordinates and positions, whose loads have the
    attribute `nacho.place`.
  }];
  let options = [
    Option<"longest", "longest", "int64_t", "::nacho::kLongestNarrow",
           "The most elements of an array, and the largest extent">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NachoMathOnDevice : Pass<"nacho-math-on-device", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower functions of numbers that GPUs have instructions for";
  let description = [{
    MLIR calls CUDA's libdevice for all functions. Before:
    ```mlir
    %0 = math.sqrt %x : f64
    %1 = math.absf %0 : f64
    %2 = math.cttz %n : i64
    ```
    After:
    ```mlir
    %0 = llvm.call_intrinsic "llvm.nvvm.sqrt.rn.d"(%x) : (f64) -> f64
    %bits = arith.bitcast %0 : f64 to i64
    %positive = arith.andi %bits, %all_but_the_sign : i64
    %1 = arith.bitcast %positive : i64 to f64
    %2 = llvm.intr.cttz(%n) : (i64) -> i64
    ```
    Other functions are left to MLIR if `libdevice` is there, and else refused. So are
    functions of complex numbers.
  }];
  let options = [
    Option<"libdevice", "libdevice", "bool", /*default=*/"true",
           "CUDA's libdevice is there">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def NachoForgetTimes : Pass<"nacho-forget-times", "::mlir::ModuleOp"> {
  let summary = "Drop how long it took to compile a binary";
  let description = [{
    MLIR notes that in the binary, so that no two compilations have the same result.
    Before:
    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target, properties = {LLVMIRToISATimeInMs = 6}, assembly = "...">]
    ```
    After:
    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "...">]
    ```
  }];
}

def ConvertNachoGpuToSimulator
    : Pass<"convert-nacho-gpu-to-simulator", "::mlir::ModuleOp"> {
  let summary = "Let the host run kernels as a GPU would";
  let description = [{
    Before:
    ```mlir
    gpu.launch_func @kernels::@k blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1)
        args(%a : memref<?xf64>, %n : index)

    gpu.module @kernels {
      gpu.func @k(%a: memref<?xf64>, %n: index) kernel {
        %block = gpu.block_id x
        body
        gpu.return
      }
    }
    ```
    After:
    ```mlir
    frame = [%a, %n]
    call @nacho_launch(@simulated_k, "k", %b, %t, bytes of shared memory, 0, frame)

    func.func private @simulated_k(%thread, %frame) {
      %a = frame[0], at the address where kernels access it
      %n = frame[1]
      %block = thread[0]
      body
      return
    }
    ```
    gpu.alloc and gpu.dealloc become calls of the runtime as well, which calls the
    function for each thread of each block (Simulator.h). So do operations by which
    threads wait for each other, such as gpu.barrier; then the launch has a 1 in place
    of the 0. Before each access to shared memory, a call notes it.
  }];
  let options = [Option<"count", "count", "bool", /*default=*/"false",
                        "Count what kernels would make a GPU do (KernelCounts.h)">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}

def ConvertNachoGpuToDriver
    : Pass<"convert-nacho-gpu-to-driver", "::mlir::ModuleOp"> {
  let summary = "Let the host launch kernels that are PTX";
  let description = [{
    Before:
    ```mlir
    gpu.launch_func @kernels::@k blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1)
        args(%a : memref<?xf64>, %n : index)

    gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "...">]
    ```
    After:
    ```mlir
    frame = [%a, %n]
    parameters = [the address of each number of the descriptor of %a, and that of %n]
    llvm.call @nacho_launch_ptx(@kernels_ptx, @kernels_name_k, %b, %t, parameters)

    llvm.mlir.global internal constant @kernels_ptx("...")
    llvm.mlir.global internal constant @kernels_name_k("k")
    ```
    gpu.alloc and gpu.dealloc become calls of the runtime, too.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}

#endif // NACHO_CONVERSION_GPU_PASSES
