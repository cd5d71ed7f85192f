//===- ParallelOps.td - Stage `assemble`: the backend contract *- tablegen -*-//
//
// All that a backend has to provide: parallel loops, buffers that are
// allocated between kernels (by the caller of the exported functions), a scan with
// a monoid, prefix sums, and a sort. One file in lib/Conversion lowers exactly these for one target.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_PARALLEL_OPS
#define NACHO_IR_PARALLEL_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_ParallelOp : Nacho_Op<"parallel", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "independent workers";
  let description = [{
    Runs the body once for every worker, in any order, on at most `threads`
    threads. The body is what a GPU thread can do too: no calls, no allocation, no
    op of a host-only dialect, no nested parallelism.

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

def Nacho_SlotOp : Nacho_Op<"slot", []> {
  let summary = "a number that no other worker has at the same time";
  let description = [{
    Of a worker in a `nacho.parallel`; less than the number of its threads. Memory by
    slot is reused by one worker after the other.

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

def Nacho_ExclusiveScanOp : Nacho_Op<"exclusive_scan", [
    SingleBlock, AllTypesMatch<["input", "output"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "exclusive scan of the rows of a buffer with a monoid";
  let description = [{
    Row p of the result combines rows 0 to p-1 of the input, in order; the result has one
    row more, the total. The region combines two rows; a row of zeros is the
    identity.

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
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "replace numbers by the sums of all up to there";
  let description = [{
    ```mlir
    func.func @f(%costs: memref<?xi64>, %threads: index) {
      nacho.prefix_sum %costs threads %threads : memref<?xi64>
      return
    }
    ```
  }];
  let arguments = (ins MemRefRankOf<[I64], [1]>:$values, Index:$threads);
  let assemblyFormat = "$values `threads` $threads attr-dict `:` type($values)";
}

def Nacho_SortOp : Nacho_Op<"sort", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "sort entries by their coordinates";
  let description = [{
    Lexicographically, the first array of coordinates first; the others `along`
    with it, and the values, only follow. No coordinate reaches its extent. Entries
    with equal coordinates keep their order. What goes wrong is or-ed into the
    status.

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
