//===- Passes.td - From bounded loops to a target --------*- tablegen -*-===//

#ifndef NACHO_CONVERSION_PASSES
#define NACHO_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNachoLoopsToSCF
    : Pass<"convert-nacho-loops-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower coiterations to one scf loop each";
  let description = [{
    A loop that visits every coordinate becomes an `scf.for` over coordinates,
    one with a single operand to step through an `scf.for` over its positions, any
    other one an `scf.while` that takes the least of the operands' coordinates,
    +inf for one that is exhausted, and moves on those that have it. The next
    coordinate is loaded before it is known whether it is needed.

    Before:
    ```mlir
    nacho.coiterate %j of (%A2 = %A1, %B2 = %B1) in union(%A2, %B2) { body }
    ```
    After:
    ```mlir
    scf.while (%posA = %beginA, %posB = %beginB, %crdA = first of A, %crdB = first of B) {
      %least = arith.minui %crdA, %crdB
      %alive = arith.cmpi ne, %least, +inf
      scf.condition(%alive)
    } do {
      %j = arith.minui %crdA, %crdB
      %hasA = arith.cmpi eq, %crdA, %j
      %nextA = arith.select %hasA, (%posA + 1 < %endA ? crd[%posA + 1] : +inf), %crdA
      ... likewise for B
      body
      scf.yield %posA + %hasA, %posB + %hasB, %nextA, %nextB
    }
    ```

    As long as no operand is exhausted, an innermost loop does not ask for any of
    them. With `branches` it has three bodies there, if it is the union of two operands:
    for what only one of them has, the other one, or both. That is faster where it can be
    foreseen which comes next.

    With vector registers of `vector-bits`, an intersection of two operands takes
    blocks of as many coordinates as a register has lanes, and compares all of one
    with all of the other:

    ```mlir
    scf.while (%posA = %beginA, %posB = %beginB) {
      scf.condition(%posA < %endA and %posB < %endB)
    } do {
      %matchesA = bits of crdA[%posA ...] that are in crdB[%posB ...]
      %matchesB = likewise of B
      body for every pair of bits
      scf.yield, of that whose block ends first, the next block
    }
    ```

    A loop that counts what one operand shares with any of several others looks at each
    of its blocks until all of theirs that overlap it have been compared:

    ```mlir
    scf.while (%posC = %beginC, %posA = %beginA, %posB = %beginB, %seen = 0) {
      scf.condition(%posC < %endC and (%posA < %endA or %posB < %endB))
    } do {
      %all = %seen, and the bits of crdC[%posC ...] that are in crdA[%posA ...] or crdB[%posB ...]
      if no other block ends before this one: count the bits of %all; the next block, %seen = 0
      scf.yield, of those that end before it or with it, the next block
    }
    ```
  }];
  let options = [
    Option<"branches", "branches", "bool", /*default=*/"false",
           "Branch on which operand of an innermost union of two comes next">,
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"0",
           "Width of the vector registers; 0: do without">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::complex::ComplexDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertNachoWorkspaceToSCF
    : Pass<"convert-nacho-workspace-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower workspaces to tables with open addressing";
  let description = [{
    Of a dense table the place of a coordinate is the coordinate itself; of any other, a
    hash of it, or the next place that is free. Either is the same code: it multiplies
    by one, or by a large odd number of which the high bits are kept. What is in the
    table is found again by its marks, and leaves the table as it was.

    Before:
    ```mlir
    %isNew = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
    ```
    After:
    ```mlir
    %place, %there = scf.while (%at = (%k * %factor >> %shift) & %mask) {
      %there = memref.load %keys[%row, %at]
      scf.condition(%there is neither %k nor empty) %at, %there
    } do {
      scf.yield (%at + 1) & %mask
    }
    scf.if %there is empty {
      keys[%row, %place] = %k; values[%row, %place] = %v; marks |= ...
    } else {
      values[%row, %place] += %v
    }
    ```
  }];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ConvertNachoElementsToArith
    : Pass<"convert-nacho-elements-to-arith", "::mlir::func::FuncOp"> {
  let summary = "Lower the operators of the notation to arith, math and complex";
  let description = [{
    The signs of integers go from the types into the ops. Complex numbers are divided by
    Smith's algorithm.

    Before:
    ```mlir
    %0 = nacho.cast %a : ui8 to f64
    %1 = nacho.binary max %0, %b : f64
    %2 = nacho.binary max %m, %1 reassociable : f64
    ```
    After:
    ```mlir
    %0 = arith.uitofp %a : i8 to f64
    %more = arith.cmpf ogt, %0, %b : f64
    %isNan = arith.cmpf uno, %0, %0 : f64
    %first = arith.ori %more, %isNan : i1
    %1 = arith.select %first, %0, %b : f64
    %2 = arith.maximumf %m, %1 fastmath<reassoc> : f64
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::math::MathDialect"
  ];
}

def ConvertNachoLanesToVector
    : Pass<"convert-nacho-lanes-to-vector", "::mlir::func::FuncOp"> {
  let summary = "Lower what is done lane by lane to ops on vectors";
  let description = [{
    The operators of the region are those of arith and math by then, which take
    vectors as they take elements. What is the same in all lanes is copied to them.

    Before:
    ```mlir
    %next = nacho.each_lane (%sum, %b) : (vector<8xf64>, vector<8xf64>) -> vector<8xf64> {
    ^bb0(%x: f64, %y: f64):
      %product = arith.mulf %a, %y : f64
      %z = arith.addf %x, %product : f64
      nacho.yield %z : f64
    }
    ```
    After:
    ```mlir
    %factor = vector.broadcast %a : f64 to vector<8xf64>
    %product = arith.mulf %factor, %b : vector<8xf64>
    %next = arith.addf %sum, %product : vector<8xf64>
    ```
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def ConvertNachoFunctionsToLibm
    : Pass<"convert-nacho-functions-to-libm", "::mlir::ModuleOp"> {
  let summary = "Lower functions of complex numbers to calls of C's";
  let description = [{
    C's functions take care of every infinity, of branch cuts, and of what overflows on
    the way. Those of `complex<f32>` are computed in double precision: C and LLVM pass
    it differently.

    Before:
    ```mlir
    %0 = complex.sqrt %a : complex<f64>
    ```
    After:
    ```mlir
    %0 = func.call @csqrt(%a) : (complex<f64>) -> complex<f64>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::func::FuncDialect"
  ];
}

def ConvertNachoPartitionToSCF
    : Pass<"convert-nacho-partition-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower searches and cuts to binary searches in scf";
  let description = [{
    The search keeps, besides the interval of coordinates, the interval of
    positions of each operand that is still possible (paper, listing
    "specialised to coiteration of three sparse vectors"):

    Before:
    ```mlir
    %i, %residual, %A1, ... = nacho.search %query of (%A0) between %lo, %hi { cost }
    ```
    After:
    ```mlir
    scf.while (%low, %high, %lowA, %highA) : while %low < %high {
      %mid = %low + (%high - %low + 1) / 2
      %posA = lower bound of %mid in crd[%lowA ... %highA]
      %cost = cost(%mid, %posA)
      cost <= query ? (%low, %lowA) = (%mid, %posA)
                    : (%high, %highA) = (%mid - 1, %posA)
    }
    ```
  }];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect", "::mlir::math::MathDialect"
  ];
}

def ConvertNachoStorageToMemRef
    : Pass<"convert-nacho-storage-to-memref", "::mlir::ModuleOp"> {
  let summary = "Replace sparse tensor arguments by their buffers";
  let description = [{
    Before:
    ```mlir
    func.func @f(%A: tensor<?x?xf64, #CSR>, ...) {
      %crd = sparse_tensor.coordinates %A { level = 1 } ...
    ```
    After:
    ```mlir
    func.func @f(%pos: memref<?xi32>, %crd: memref<?xi32>, %values: memref<?xf64>,
                 %extent0: index, %extent1: index, ...) {
    ```
  }];
  let dependentDialects = [
    "::mlir::memref::MemRefDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertNachoParallelToCPU
    : Pass<"convert-nacho-parallel-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower the backend contract to OpenMP";
  let description = [{
    Before:
    ```mlir
    nacho.parallel %worker in %n threads %t { body }
    ```
    After:
    ```mlir
    omp.parallel if(%t > 1) num_threads(%t) {
      omp.wsloop schedule(dynamic) {
        omp.loop_nest (%worker) = (%c0) to (%n) step (%c1) { body }
      }
    }
    ```
    The scan is sequential: it has as many rows as there are parts. The sort is a
    call of the runtime.
  }];
  let dependentDialects = [
    "::mlir::omp::OpenMPDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

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
    The scan and prefix sums run in a single thread of the device. A sort is
    refused.
  }];
  let options = [
    Option<"blockSize", "block-size", "int64_t", "128", "Threads per block">
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

#endif // NACHO_CONVERSION_PASSES
