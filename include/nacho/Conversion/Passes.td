//===- Passes.td - Passes from bounded loops to a target ---*- tablegen -*-===//

#ifndef NACHO_CONVERSION_PASSES
#define NACHO_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNachoLoopsToSCF
    : Pass<"convert-nacho-loops-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower coiterations to loops of scf, and searches for cuts to binary ones";
  let description = [{
    A coiteration that visits every coordinate becomes an `scf.for` over coordinates. A
    row of a part begins where the one before it ends. With `vector-bits`, the first and
    the last row, which cuts may divide, get a body of their own, unless one loop can
    visit the entries of all rows. If the outermost loop merges rows that are stored, its
    body branches on whether a cut may divide the row. A coiteration that steps through a
    single operand becomes an `scf.for` over its positions. Any other becomes an
    `scf.while`: each step
    takes the least of the operands' coordinates, where an exhausted operand has the
    coordinate +inf, and moves on the operands that have it. The next coordinate of an
    operand is loaded before it is known whether it is needed.

    ```mlir
    nacho.coiterate %j of (%A2 = %A1, %B2 = %B1) in union(%A2, %B2) { body }
    // becomes
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

    An innermost loop does not check for exhausted operands until the first operand is
    exhausted; a second loop then visits what is left. With `together`, one loop does it
    all, so that threads of a GPU are in the same loop. With `branches`, the first of
    two loops has three bodies if it is the union of two operands: for coordinates
    that only the first operand has, only the second, or both. This is faster if the
    processor can predict which of the operands comes next.

    With vector registers of `vector-bits`, an intersection of two operands takes
    blocks of as many coordinates as a register has lanes, and compares all coordinates
    of one block with all of the other:

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

    Where the matches of fibers of compressed levels are only counted, two fibers with
    one coordinate each are compared without blocks. A loop that only counts the
    coordinates that one operand C shares with any of several other operands compares
    each block of C with every block of the others that overlaps it, before it goes on to
    the next block of C:

    ```mlir
    scf.while (%posC = %beginC, %posA = %beginA, %posB = %beginB, %seen = 0) {
      scf.condition(%posC < %endC and (%posA < %endA or %posB < %endB))
    } do {
      %all = %seen, and the bits of crdC[%posC ...] that are in crdA[%posA ...] or crdB[%posB ...]
      if no other block ends before this one: count the bits of %all; the next block, %seen = 0
      scf.yield, of those that end before it or with it, the next block
    }
    ```

    A search narrows an interval of coordinates and, for each operand, an interval of
    positions, in which the result must lie (paper, listing "specialised to coiteration
    of three sparse vectors"):

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
    If all that the cost depends on is how many entries come before the coordinate, no
    position is searched for. Entries are counted, many at a time, until the query is
    spent; with one entry of each operand costing 1, and `m` operands:
    ```mlir
    scf.while (%left, %posA, %posB) : while %left > 0 {
      %d = max(%left / m, 1)
      %a, %b = crdA[%posA + %d - 1], crdB[%posB + %d - 1]
      %a <= %b ? %posA += %d
      %b <= %a ? %posB += %d
      %left -= what was added, if that is not more than %left
    }
    %i = min(crdA[%posA], crdB[%posB])
    ```
  }];
  let options = [
    Option<"branches", "branches", "bool", /*default=*/"false",
           "Branch on which operand of an innermost union of two comes next">,
    Option<"together", "together", "bool", "false", "One loop for a merge, not several">,
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"0",
           "Width of the vector registers; 0: do without">];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::complex::ComplexDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertNachoWorkspaceToSCF
    : Pass<"convert-nacho-workspace-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower workspaces to arrays and to hashing with open addressing";
  let description = [{
    In a dense workspace, each coordinate is its own place. In a hashed workspace, the
    place is a hash of the coordinate (the high bits of its product with a large odd
    number), or the next free place after it, and keys say which coordinate it is for.
    Marks, a hierarchy of bits, say which places are used. A drain finds the places by
    their marks, and leaves the workspace empty. A workspace with keys has code for both
    kinds, since only a call knows its extent.

    Before:
    ```mlir
    %isNew = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
    ```
    After, if the workspace is hashed:
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
  let options = [
    Option<"repeats", "repeats", "bool", /*default=*/"false",
           "Count how often keys are inserted again, and insert them without branches "
           "where few are: nobody foresees which">
  ];
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
    The signedness of integers moves from the types into the ops. Complex numbers are
    divided by Smith's algorithm.

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

    The ops of arith and math that take their places in the region of `nacho.each_lane`
    take vectors as well as elements, so that they move out of it. Values that are the
    same in all lanes are broadcast.

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
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def NachoCountSteps : Pass<"nacho-count-steps", "::mlir::ModuleOp"> {
  let summary = "Count the iterations of all loops";
  let description = [{
    Tests of complexity compare how many steps a kernel takes for operands of different
    sizes. Unlike its time, this number is exact.

    Before:
    ```mlir
    scf.for %p = %begin to %end step %c1 {
    ```
    After:
    ```mlir
    scf.for %p = %begin to %end step %c1 {
      func.call @nacho_count_step() : () -> ()
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def NachoLeaveLoops : Pass<"nacho-leave-loops", "::mlir::ModuleOp"> {
  let summary = "Let workers be left when a signal comes";
  let description = [{
    A worker reads the word of the thread that calls it, at its beginning and in each
    iteration of a loop with other loops inside. If a signal has set it, the worker
    returns, and so does the function that has called it.

    Before:
    ```mlir
    func.func private @f_worker(%worker: index, %slot: index, %address: i64, ...) {
      ...
    ^header(%i: index):
      %more = arith.cmpi ult, %i, %n : index
      cf.cond_br %more, ^body, ^after
    ^body:

    %stopped = nacho.parallel_call @f_worker(...) in %workers threads %threads
    ```
    After:
    ```mlir
    func.func private @f_worker(%worker: index, %slot: index, %address: i64, ...) {
      %word = llvm.inttoptr %address : i64 to !llvm.ptr
      ...
    ^header(%i: index):
      %more = arith.cmpi ult, %i, %n : index
      cf.cond_br %more, ^body, ^after
    ^body:
      %read = llvm.load volatile %word {alignment = 4 : i64} : !llvm.ptr -> i32
      %isSet = arith.cmpi ne, %read, %zero : i32
      cf.cond_br %isSet, ^left, ^rest

    %stopped = nacho.parallel_call @f_worker(...) in %workers threads %threads
    cf.cond_br %stopped, ^left, ^next
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def NachoHintLoops : Pass<"nacho-hint-loops"> {
  let summary = "Say how LLVM is to vectorise and unroll loops, and to step in merges";
  let description = [{
    LLVM's own estimates are for long loops. Before:
    ```mlir
    %sum = scf.for %pos = %begin to %end step %c1 iter_args(%before = %zero) -> (f64) {
      %j = memref.load %crd[%pos] : memref<?xindex>
      %x = memref.load %values[%j] : memref<?xf64>
      %after = arith.addf %before, %x : f64
      scf.yield %after : f64
    }
    ```
    After:
    ```mlir
    ... {loop_annotation = #llvm.loop_annotation<
      vectorize = <disable = false, width = 4 : i32>, interleave = <count = 1 : i32>>}
    ```

    Code generation adds the carry of a compare to a position in a merge. Before and after:
    ```mlir
    %here = arith.cmpi eq, %i, %least : index     // %least is the least one of %i, ...
    %here = arith.cmpi uge, %least, %i : index
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def NachoLoadOnce : Pass<"nacho-load-once", "::mlir::ModuleOp"> {
  let summary = "Keep LLVM from loading a part of an address twice";
  let description = [{
    Integers from which addresses are computed were compared with bounds. Their loads
    become unordered atomic ones: LLVM must not make two of one, for the second may differ.

    Before:
    ```mlir
    %j = llvm.load %crd : !llvm.ptr -> i64
    %inside = llvm.icmp "ult" %j, %extent : i64
    ...
      %element = llvm.getelementptr %x[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
    ```
    After:
    ```mlir
    %j = llvm.load %crd atomic unordered {alignment = 8 : i64} : !llvm.ptr -> i64
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def NachoMaskSelects : Pass<"nacho-mask-selects"> {
  let summary = "Hide the conditions of a merge's selects from LLVM";
  let description = [{
    The selects of a merge depend on the operand that comes next. LLVM's code
    generation would turn them into branches, which are often mispredicted, unless
    metadata says that they are unpredictable, for which LLVM's dialect has no place. An
    empty assembly text hides from LLVM what the bits of a mask can be.

    Before:
    ```mlir
    %next = arith.select %isFirst, %after, %before : index
    ```
    After:
    ```mlir
    %bits = arith.extsi %isFirst : i1 to i64
    %mask = llvm.inline_asm asm_dialect = att "", "=r,0" %bits : (i64) -> i64
    %change = arith.xori %after, %before : i64
    %kept = arith.andi %change, %mask : i64
    %next = arith.xori %before, %kept : i64
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def ConvertNachoFunctionsToLibm
    : Pass<"convert-nacho-functions-to-libm", "::mlir::ModuleOp"> {
  let summary = "Lower functions of complex numbers to calls of C functions";
  let description = [{
    The C functions handle infinities, branch cuts and the overflow of intermediate
    results. Functions of `complex<f32>` are computed in double precision, because C
    and LLVM pass arguments of type `complex<f32>` differently.

    Before:
    ```mlir
    %0 = nacho.unary sqrt %a : complex<f64>
    ```
    After:
    ```mlir
    %0 = func.call @csqrt(%a) : (complex<f64>) -> complex<f64>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::func::FuncDialect", "::mlir::vector::VectorDialect"
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

include "nacho/Conversion/HostPasses.td"
include "nacho/Conversion/GpuPasses.td"
include "nacho/Conversion/VerifyPasses.td"

#endif // NACHO_CONVERSION_PASSES
