//===- SumPasses.td - Faster sums of rows ------------------*- tablegen -*-===//

#ifndef NACHO_OPTIMIZATIONS_SUM_PASSES
#define NACHO_OPTIMIZATIONS_SUM_PASSES

include "mlir/Pass/PassBase.td"

def NachoCarryPositions : Pass<"nacho-carry-positions", "::mlir::func::FuncOp"> {
  let summary = "Load positions once that end a row and begin the next";
  let description = [{
    A loop over rows loads where a row begins and where it ends. If it begins in its
    first step at the cut of a part, this pass carries the end of each row to the next
    step, where it is the beginning.

    Only arrays that the function never writes are concerned. If another thread edits
    one meanwhile, a position may be older than before; it has been clamped, too.

    Before:
    ```mlir
    scf.for %i = %lo to %hi step %c1 {
      %first = arith.cmpi eq, %i, %lo : index
      %pos = memref.load %positions[%i] : memref<?xindex>
      %begin = arith.select %first, %cut, %pos : index
      %after = arith.addi %i, %c1 : index
      %end = memref.load %positions[%after] : memref<?xindex>
      "row"(%begin, %end)
    }
    ```
    After:
    ```mlir
    scf.for %i = %lo to %hi step %c1 iter_args(%begin = %cut) -> (index) {
      %after = arith.addi %i, %c1 : index
      %end = memref.load %positions[%after] : memref<?xindex>
      "row"(%begin, %end)
      scf.yield %end : index
    }
    ```
  }];
}

def NachoComputeCounters : Pass<"nacho-compute-counters", "::mlir::func::FuncOp"> {
  let summary = "Compute what loops count";
  let description = [{
    A value that grows by the same number in each step of a loop is computed after the
    loop. A value that a loop adds to, and that nobody reads, is not added to.

    Before:
    ```mlir
    %visited = scf.for %k = %lo to %hi step %c1 iter_args(%so_far = %n) -> (index) {
      "entry"(%k)
      %more = arith.addi %so_far, %c1 : index
      scf.yield %more : index
    }
    ```
    After:
    ```mlir
    scf.for %k = %lo to %hi step %c1 {
      "entry"(%k)
    }
    %visited = %n + max(%hi - %lo, 0)
    ```

    The pass leaves values that are carried as they are, which canonicalisation removes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NachoJoinRows : Pass<"nacho-join-rows", "::mlir::func::FuncOp"> {
  let summary = "Fuse row loops whose body ignores the row";
  let description = [{
    A loop over rows with nothing but a loop over the entries of a row inside, which
    does not ask for the row, becomes one loop over the entries of all rows: each row
    begins where the one before it has ended. So sums of columns, and the counts of
    a transposition, take no longer for many short rows than for few long ones.

    Only the end of the last row is loaded. Rows whose positions are out of order,
    since another thread edits them, still lead to entries inside of the array.

    Before:
    ```mlir
    %end = scf.for %i = %from to %to step %c1 iter_args(%begin = %cut) -> (index) {
      %after = arith.addi %i, %c1 : index
      %pos = memref.load %positions[%after] : memref<?xindex>
      %e = arith.minui %pos, %size : index
      scf.for %p = %begin to %e step %c1 {
        "entry"(%p)
      }
      scf.yield %e : index
    }
    ```
    After:
    ```mlir
    %any = arith.cmpi slt, %from, %to : index
    %end = scf.if %any -> (index) {
      %last = arith.subi %to, %c1 : index
      %after = arith.addi %last, %c1 : index
      %pos = memref.load %positions[%after] : memref<?xindex>
      %e = arith.minui %pos, %size : index
      scf.for %p = %cut to %e step %c1 {
        "entry"(%p)
      }
      scf.yield %e : index
    } else {
      scf.yield %cut : index
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NachoPeelRows : Pass<"nacho-peel-rows", "::mlir::func::FuncOp"> {
  let summary = "Compute the rows that cuts divide apart from the others";
  let description = [{
    A loop over the rows of a part asks in each of them whether it is the first or the
    last one, which cuts may divide. This pass gives both a copy of the body of their
    own, so that the questions have an answer in the loop over the others.

    Before:
    ```mlir
    %next = arith.addi %last, %c1 : index
    %end = arith.minui %next, %N : index
    scf.for %i = %first to %end step %c1 {
      %is_first = arith.cmpi eq, %i, %first : index
      %is_last = arith.cmpi eq, %i, %last : index
      "row"(%i, %is_first, %is_last)
    }
    ```
    After:
    ```mlir
    scf.if (%first < %end) {
      %is_last = arith.cmpi eq, %first, %last : index
      "row"(%first, %true, %is_last)
    }
    scf.for %i = %from to %to step %c1 {   // min(%first + 1, %end), %last or %end
      "row"(%i, %false, %false)
    }
    scf.if (%to < %end) {
      "row"(%to, %false, %true)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NachoSumShortRows : Pass<"nacho-sum-short-rows", "::mlir::func::FuncOp"> {
  let summary = "Add up several short rows at once";
  let description = [{
    A loop over rows, the entries of which follow one another, becomes one over strips
    of 128 rows. If a strip has at most 2048 entries, the terms of all of them are
    computed first, and stored. Then eight rows at a time are added up, each in a lane
    of a vector, after the octets that longer ones among them have. Positions that are
    stored between the rows of a strip are clamped to the strip.

    Every row adds up its terms in the same order as before.

    Before:
    ```mlir
    scf.for %i = %from to %to step %c1 iter_args(%begin = %first) -> (index) {
      %end = "end"(%i)
      %sum = scf.for %k = %begin to %end step %c1 iter_args(%so_far = %zero) -> (f64) {
        %term = "term"(%k)
        %next = arith.addf %so_far, %term fastmath<reassoc>
        scf.yield %next
      }
      memref.store %sum, %values[%i]
      scf.yield %end
    }
    ```
    After:
    ```mlir
    %terms = memref.alloca() : memref<2058xf64>
    scf.for %strip = %from to %to step %c128 iter_args(%begin = %first) -> (index) {
      %end = "end"(min(%strip + 128, %to) - 1)
      scf.if %end - %begin <= 2048 {
        scf.for %k = %begin to %end step %c1 {
          %term = "term"(%k)
          memref.store %term, %terms[%k - %begin]
        }
        scf.for %i = %strip to min(%strip + 128, %to) step %c8 {
          %begins, %lengths, %octets = ...
          %sums = scf.for %t = %c0 to max(%lengths) step %c2 iter_args(%so_far = %octets) {
            %next = select(%t < %lengths, %so_far + %terms[%begins + %t], %so_far)
            ...
          }
          vector.store %sums, %values[%i]   // one by one, if fewer rows are left
        }
      } else {
        the loop as it was, for these rows
      }
      scf.yield %end
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def NachoSumInLanes : Pass<"nacho-sum-in-lanes", "::mlir::func::FuncOp"> {
  let summary = "Add up the terms of a loop in the lanes of a vector";
  let description = [{
    Replaces loops of `scf` that only add terms to sums whose order does not matter, as
    those over a row in `y[i] = A[i,j] * x[j]`. Eight steps are taken at once, each in a
    lane of its own; then the lanes are added up, and the steps that are left are taken
    one by one. Flags are joined likewise, and values that grow by the same number in
    each step are computed. A loop that looks nothing up takes 32 steps at once before.

    There are as many lanes on any machine, so that every machine adds up in the same
    order. All other sums get the order that they are written in.

    Before:
    ```mlir
    %all:2 = scf.for %k = %lo to %hi step %c1 iter_args(%sum = %zero, %visited = %n) {
      %j = memref.load %crd[%k]
      %a = memref.load %values[%k]
      %b = memref.load %x[%j]
      %term = arith.mulf %a, %b
      %next = arith.addf %sum, %term fastmath<reassoc>
      %more = arith.addi %visited, %c1
      scf.yield %next, %more
    }
    ```
    After:
    ```mlir
    %reached, %sum8 = scf.if %hi - %lo >= 8 {
      %end = %lo + 8 * ((%hi - %lo) / 8)
      %lanes = scf.for %k = %lo to %end step %c8 iter_args(%sums = %zeros) {
        %j = vector.load %crd[%k]
        %a = vector.load %values[%k]
        %b = vector.gather %x[%c0] [%j], %all, %zeros
        %terms = arith.mulf %a, %b
        %next = arith.addf %sums, %terms
        scf.yield %next
      }
      scf.yield %end, %zero + the lanes of %lanes
    } else {
      scf.yield %lo, %zero
    }
    %sum = scf.for %k = %reached to %hi step %c1 iter_args(%sum = %sum8) {...}
    %more = %n + max(%hi - %lo, 0)
    ```

    Without `gathers`, the elements are loaded one by one, which most processors do
    faster than a gather.
  }];
  let options = [
    Option<"gathers", "gathers", "bool", /*default=*/"false",
           "Gather elements that are looked up, instead of loading each">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def NachoNarrowLanes : Pass<"nacho-narrow-lanes", "::mlir::func::FuncOp"> {
  let summary = "Keep coordinates in vectors as narrow as they are stored";
  let description = [{
    Vectors of coordinates with 32 bits are compared with extents, and selected, before
    they become indices, which have 64 bits.

    Before:
    ```mlir
    %j = arith.index_castui %crd : vector<8xi32> to vector<8xindex>
    %inside = arith.cmpi ult %j, broadcast(%extent)
    %safe = arith.select %inside, %j, 0
    %place = vector.extract %safe[0]
    ```
    After:
    ```mlir
    %inside = arith.cmpi ule %crd, broadcast(min(%extent - 1, 0xffffffff)), and %extent != 0
    %safe = arith.select %inside, %crd, 0
    %lane = vector.extract %safe[0]
    %place = arith.index_castui %lane : i32 to index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

#endif // NACHO_OPTIMIZATIONS_SUM_PASSES
