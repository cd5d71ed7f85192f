//===- ParallelOps.td - The contract of backends ---------*- tablegen -*-===//
//
// All that a backend has to provide. A module of stage `assemble` is made of
// functions on buffers, some of which it exports (Step.h says how they are
// called). Memory is allocated between these calls, by the caller: no function
// allocates any.
//
// These operations a backend lowers by itself; they carry the trait BackendOp:
//
//   nacho.parallel        workers that a backend may run at the same time
//   nacho.await           workers that begin when others are done
//   nacho.slot            the number of the row of a workspace that a worker uses
//   nacho.lane, from_lane, ballot, lane_sync, lane_memory
//                         threads that do a part together (LaneOps.td)
//   nacho.tile, tile_sync, tile_cuts, tile_scan, stage_in, stage_out
//                         parts that share memory (TileOps.td)
//   nacho.exclusive_scan  a scan of one row per part: where each part begins to
//                         append
//   nacho.prefix_sum      a scan as long as an operand, which should be parallel
//   nacho.sort            a call of the fastest sort that the device has
//
// The stage `scf` lowers these for every backend; a backend may instead lower them
// in stages of its own:
//
//   nacho.load_cut, nacho.store_cut   cuts in the memory of the device
//   nacho.workspace, insert, lookup,  workspaces, and the tables for nacho.find
//   drain                             (WorkspaceOps.td)
//
// Besides these there are func.func, and on the host's side of a module func.call;
// and arith, math, complex, scf, memref, ub and vector;
// and casts between integers that differ only in signedness, which LLVM's integers
// do not have; and nacho.unary for functions of complex numbers, since MLIR folds
// the complex dialect's as if numbers were exact.
// nacho-verify-contract refuses everything else.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_PARALLEL_OPS
#define NACHO_IR_PARALLEL_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_BackendTrait : NativeOpTrait<"BackendOp"> {
  let cppNamespace = "::nacho";
}

def Nacho_ParallelOp : Nacho_Op<"parallel", [
    Nacho_BackendTrait, Nacho_EndsWithYield,
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "independent workers";
  let description = [{
    Runs the body once for every worker, in any order, on at most `threads`
    threads, and is done when all workers are done. The body has nothing that a GPU
    thread cannot do: no calls, no allocation, no operation of a host-only dialect, no
    nested parallelism.

    For a backend: a team of threads that take one worker after the other, or a grid
    with a thread for each worker, which may ignore `threads`. A worker only writes to
    elements of buffers that no other worker accesses at the same time. There are three
    exceptions: workers set bits of the status atomically, wait for the others of
    their tile at a `nacho.tile_sync`, and for those before them at a `nacho.await` or a
    `nacho.tile_scan`.

    ```mlir
    func.func @f(%n: index, %threads: index, %out: memref<?xindex>) {
      nacho.parallel %worker in %n threads %threads {
        memref.store %worker, %out[%worker] : memref<?xindex>
      }
      return
    }
    ```
  }];
  let arguments = (ins Index:$workers, Index:$threads);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$workers, "::mlir::Value":$threads)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    ::mlir::Value getWorker() { return getBodyBlock()->getArgument(0); }
  }];
}

def Nacho_AwaitOp : Nacho_Op<"await", [Nacho_BackendTrait]> {
  let summary = "wait for the first workers";
  let description = [{
    Directly in the body of a `nacho.parallel`: the worker begins when the first `workers`
    of all are done, and reads what they have written. The number is 0 or a multiple of
    1024, no larger than that of the worker, and computed from this without memory; it is
    the same for the 1024 workers from a multiple of 1024 on. So one loop does what
    would otherwise take several, one after the other.

    For a backend: blocks begin in the order of their workers, and one waits until as
    many blocks are done. These are always those before it: any other waits for as many
    at least.

    ```mlir
    func.func @f(%n: index, %threads: index, %out: memref<?xindex>) {
      %c0 = arith.constant 0 : index
      %c1024 = arith.constant 1024 : index
      nacho.parallel %worker in %n threads %threads {
        %is_first = arith.cmpi ult, %worker, %c1024 : index
        %before = arith.select %is_first, %c0, %c1024 : index
        nacho.await %before
        %other = arith.subi %worker, %before : index
        %x = memref.load %out[%other] : memref<?xindex>
        memref.store %x, %out[%worker] : memref<?xindex>
      }
      return
    }
    ```
  }];
  let arguments = (ins Index:$workers);
  let assemblyFormat = "$workers attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// No block has more workers than this, and a backend's blocks have a number that
    /// divides it.
    static constexpr int64_t kUnit = 1024;
  }];
}

def Nacho_SlotOp : Nacho_Op<"slot", [Nacho_BackendTrait]> {
  let summary = "a number that no other worker has at the same time";
  let description = [{
    The number of a worker of a `nacho.parallel` among those that run at the same time.
    A worker that begins after another one has ended may get the other's number, and so
    use the same row of each workspace.

    For a backend: the number of the thread. It is less than the device's `numSlots`
    for `threads` (Device.h), which is the number of rows of each workspace.

    ```mlir
    func.func @f(%n: index, %threads: index, %out: memref<?xindex>) {
      nacho.parallel %worker in %n threads %threads {
        %slot = nacho.slot
        memref.store %slot, %out[%worker] : memref<?xindex>
      }
      return
    }
    ```
  }];
  let results = (outs Index:$slot);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

include "nacho/IR/LaneOps.td"

def Nacho_ExclusiveScanOp : Nacho_Op<"exclusive_scan", [
    Nacho_BackendTrait, Nacho_EndsWithYield, SingleBlock,
    AllTypesMatch<["input", "output"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "exclusive scan of the rows of a buffer with a monoid";
  let description = [{
    Row p of the result combines rows 0 to p-1 of the input, in order; the result has one
    row more, the total. The region combines two rows; a row of zeros is the
    identity.

    For a backend: there are only as many rows as parts, so one thread of the device
    may scan them all. Combining is associative, but not commutative.

    ```mlir
    func.func @f(%counts: memref<?x1xindex>, %offsets: memref<?x1xindex>) {
      nacho.exclusive_scan %counts into %offsets : memref<?x1xindex> {
      ^bb0(%x: index, %y: index):
        %sum = arith.addi %x, %y : index
        nacho.yield %sum : index
      }
      return
    }
    ```
  }];
  let arguments = (ins MemRefRankOf<[Index], [2]>:$input,
                       MemRefRankOf<[Index], [2]>:$output);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $input `into` $output attr-dict `:` type($input) $combine
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getNumColumns() { return getInput().getType().getDimSize(1); }
  }];
}

def Nacho_PrefixSumOp : Nacho_Op<"prefix_sum", [
    Nacho_BackendTrait, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "replace each number by the sum of all numbers up to it";
  let description = [{
    For a backend: there may be as many numbers as an operand has entries. Sums wrap
    around, so any order of additions gives the same result.

    ```mlir
    func.func @f(%costs: memref<?xi64>, %threads: index) {
      nacho.prefix_sum %costs threads %threads : memref<?xi64>
      return
    }
    ```
  }];
  let arguments = (ins MemRefRankOf<[I32, I64, Index], [1]>:$values, Index:$threads);
  let assemblyFormat = "$values `threads` $threads attr-dict `:` type($values)";
}

def Nacho_SortOp : Nacho_Op<"sort", [
    Nacho_BackendTrait, AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "sort entries by their coordinates";
  let description = [{
    Entries are compared by their coordinates, first by those in the first array. The
    arrays `along` with these, and the values, are moved in the same way, but not
    compared. Every coordinate must be less than its extent. Entries with equal
    coordinates keep their order. A failure, such as a lack of memory for copies, is
    or-ed into the status.

    For a backend: a call of a library for its device. The sort must be stable, because
    the order of equal entries is the order in which they are added up.

    ```mlir
    func.func @f(%crd0: memref<?xi32>, %crd1: memref<?xi32>, %values: memref<?xf64>,
                 %N: index, %M: index, %status: memref<i32>, %threads: index) {
      nacho.sort (%crd0) below (%N) along (%crd1) with %values status %status
          threads %threads
          : (memref<?xi32>) along (memref<?xi32>) with memref<?xf64> status memref<i32>
      return
    }
    ```
  }];
  let arguments = (ins Variadic<MemRefRankOf<[AnyInteger], [1]>>:$coordinates,
                       Variadic<Index>:$extents,
                       Variadic<MemRefRankOf<[AnyInteger], [1]>>:$along,
                       AnyMemRef:$values,
                       MemRefRankOf<[I32], [0]>:$status, Index:$threads);
  let assemblyFormat = [{
    `(` $coordinates `)` `below` `(` $extents `)` (`along` `(` $along^ `)`)?
    `with` $values `status` $status `threads` $threads attr-dict
    `:` `(` type($coordinates) `)` (`along` `(` type($along)^ `)`)?
    `with` type($values) `status` type($status)
  }];
  let hasVerifier = 1;
}

def Nacho_LoadCutOp : Nacho_Op<"load_cut", [MemoryEffects<[MemRead]>]> {
  let summary = "a cut from a row of a bounds buffer";
  let description = [{
    For a backend: a load of every number of the row.

    ```mlir
    func.func @f(%bounds: memref<?x7xindex>, %p: index) -> !nacho.cut<2, 2> {
      %lo = nacho.load_cut %bounds[%p] : memref<?x7xindex> -> !nacho.cut<2, 2>
      return %lo : !nacho.cut<2, 2>
    }
    ```
  }];
  let arguments = (ins MemRefRankOf<[Index], [2]>:$bounds, Index:$row);
  let results = (outs Nacho_CutType:$cut);
  let assemblyFormat = [{
    $bounds `[` $row `]` attr-dict `:` type($bounds) `->` type($cut)
  }];
  let hasVerifier = 1;
}

def Nacho_StoreCutOp : Nacho_Op<"store_cut", [MemoryEffects<[MemWrite]>]> {
  let summary = "a cut into a row of a bounds buffer";
  let description = [{
    The row holds the cost up to the cut, its coordinates, and its positions.

    For a backend: a store of every number. Each row is written by one worker.

    ```mlir
    func.func @f(%bounds: memref<?x7xindex>, %p: index) {
      %lo = nacho.origin : !nacho.cut<2, 2>
      nacho.store_cut %lo, %bounds[%p] : !nacho.cut<2, 2>, memref<?x7xindex>
      return
    }
    ```
  }];
  let arguments = (ins Nacho_CutType:$cut, MemRefRankOf<[Index], [2]>:$bounds,
                       Index:$row);
  let assemblyFormat = [{
    $cut `,` $bounds `[` $row `]` attr-dict `:` type($cut) `,` type($bounds)
  }];
  let hasVerifier = 1;
}

#endif // NACHO_IR_PARALLEL_OPS
