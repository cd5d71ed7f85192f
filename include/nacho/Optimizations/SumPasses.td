//===- SumPasses.td - Faster sums of rows ------------------*- tablegen -*-===//

#ifndef NACHO_OPTIMIZATIONS_SUM_PASSES
#define NACHO_OPTIMIZATIONS_SUM_PASSES

include "mlir/Pass/PassBase.td"

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

    With `narrow`, coordinates of 32 bits in vectors are compared with extents, and
    selected, before they become indices, which have 64 bits:
    ```mlir
    %j = arith.index_castui %crd : vector<8xi32> to vector<8xindex>
    %inside = arith.cmpi ult %j, broadcast(%extent)
    %safe = arith.select %inside, %j, 0
    %place = vector.extract %safe[0]
    // becomes
    %inside = arith.cmpi ult %crd, broadcast(min(%extent, 0xffffffff))
    %safe = arith.select %inside, %crd, 0
    %lane = vector.extract %safe[0]
    %place = arith.index_castui %lane : i32 to index
    ```

    With `wide`, a branch takes the steps of a loop that looks nothing up if they are a
    multiple of 32, and what it loads lies at multiples of 16 bytes, which is found out
    before all parts if the extents of arrays tell it:
    ```mlir
    %sum = scf.if %hi - %lo is a multiple of 32, and so on {
      %lanes = scf.for %k = %lo to %hi step %c32 iter_args(%sums = %zeros) {
        %a = vector.load %values[%k] {alignment = 16 : i64}
        scf.yield %sums + %a
      }
      scf.yield %zero + the lanes of %lanes
    } else {
      // as before
    }
    ```
  }];
  let options = [
    Option<"gathers", "gathers", "bool", /*default=*/"false",
           "Gather elements that are looked up, instead of loading each">,
    Option<"wide", "wide", "bool", /*default=*/"false",
           "Say where a thread can load 16 bytes at once">,
    Option<"narrow", "narrow", "bool", /*default=*/"false",
           "Keep coordinates in vectors as narrow as they are stored">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def NachoStageTerms : Pass<"nacho-stage-terms", "::mlir::func::FuncOp"> {
  let summary = "Let the parts of a tile compute terms together";
  let description = [{
    The parts of a tile add up entries that follow one another. Where a term depends on
    its entry alone, the parts compute all terms of their tile together before, so that
    neighbouring parts read neighbouring entries, each once, and wait for what they look
    up at the same time. Then each part adds up its own terms, in the same order as
    before, from memory that the tile shares. The windows that only terms needed are
    gone. If there is no room, or an entry is wrong, parts do as before.

    Before:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      %begin, %end = nacho.tile %part of %parts by 32
      nacho.stage_in %crd[%from to %to] alone
      nacho.stage_in %values[%from to %to] alone
      nacho.tile_sync
      // for the rows of the part:
      %sum, %isOutside = scf.for %k = %lo to %hi step %c1 iter_args(%so_far, %flag) {
        %j = memref.load %crd[%k]
        %a = memref.load %values[%k]
        %b = memref.load %x[select(%j < %N, %j, 0)]
        scf.yield %so_far + %a * %b, %flag or %j >= %N
      }
    }
    ```
    After:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      %begin, %end = nacho.tile %part of %parts by 32
      %terms = nacho.tile_memory of %to - %from
      %wrong = nacho.tile_memory of 1
      scf.if %part == %begin: memref.store 0, %wrong[%c0]
      nacho.tile_sync
      scf.if nacho.tile_room {
        %flag = scf.for %n = %part - %begin to %to - %from step %end - %begin {
          // %j, %a and %b of the entry %from + %n, as before
          memref.store %a * %b, %terms[%n]
        }
        scf.if %flag: memref.atomic_rmw ori 1, %wrong[%c0]
      }
      nacho.tile_sync
      scf.if nacho.tile_room and %wrong[%c0] == 0 {
        // for the rows of the part:
        %sum = scf.for %n = %lo - %from to %hi - %from step %c1 iter_args(%so_far) {
          scf.yield %so_far + %terms[%n]
        }
      } else {
        // as before
      }
    }
    ```
    Left alone are parts that are scanned, and terms of which no element is looked up.
  }];
  let options = [
    Option<"share", "share", "int64_t", /*default=*/"32", "What each part costs">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // NACHO_OPTIMIZATIONS_SUM_PASSES
