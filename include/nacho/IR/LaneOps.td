//===- LaneOps.td - Threads that do a part together -------*- tablegen -*-===//
//
// These are for backends that have warps. They are included where the contract of
// backends is defined.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_LANE_OPS
#define NACHO_IR_LANE_OPS

include "nacho/IR/ParallelOps.td"

def Nacho_LaneOp : Nacho_Op<"lane", [Nacho_BackendTrait]> {
  let summary = "the number of a thread among those that do a part together";
  let description = [{
    Directly in the body of a `nacho.parallel`: `of` threads run the body for each
    worker, each with a number of its own. Nothing but this number tells them apart, so
    that what does not depend on it is the same for all of them. They take the same
    branches wherever one asks another for a value (`nacho.from_lane`). No thread reads
    what another one has written since the last `nacho.lane_sync`.

    For a backend: the lanes of a warp.

    ```mlir
    func.func @f(%n: index, %size: index, %threads: index, %x: f64,
                 %rows: memref<?x?xf64>) {
      %c32 = arith.constant 32 : index
      nacho.parallel %worker in %n threads %threads {
        %lane = nacho.lane of 32
        scf.for %k = %lane to %size step %c32 {
          memref.store %x, %rows[%worker, %k] : memref<?x?xf64>
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$of);
  let results = (outs Index:$lane);
  let assemblyFormat = "`of` $of attr-dict";
  let hasVerifier = 1;
}

def Nacho_FromLaneOp : Nacho_Op<"from_lane", [
    Nacho_BackendTrait, AllTypesMatch<["value", "result"]>]> {
  let summary = "the value that another thread of a part has";
  let description = [{
    All threads of a worker (`nacho.lane`) ask at once; `lane` is the number of the one
    whose `value` is the result, and less than the number of threads.

    For a backend: a shuffle.

    ```mlir
    func.func @f(%n: index, %threads: index, %in: memref<?xf64>, %out: memref<?xf64>) {
      %c0 = arith.constant 0 : index
      nacho.parallel %worker in %n threads %threads {
        %lane = nacho.lane of 32
        %x = memref.load %in[%lane] : memref<?xf64>
        %first = nacho.from_lane %x at %c0 : f64
        memref.store %first, %out[%lane] : memref<?xf64>
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$value, Index:$lane);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = "$value `at` $lane attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Nacho_BallotOp : Nacho_Op<"ballot", [Nacho_BackendTrait]> {
  let summary = "for which threads of a part a flag is set";
  let description = [{
    All threads of a worker (`nacho.lane`) ask at once. Bit n of the result is the flag
    of thread n.

    For a backend: a vote.

    ```mlir
    func.func @f(%n: index, %threads: index, %in: memref<?xi1>, %out: memref<?xi32>) {
      nacho.parallel %worker in %n threads %threads {
        %lane = nacho.lane of 32
        %x = memref.load %in[%lane] : memref<?xi1>
        %all = nacho.ballot %x : i32
        memref.store %all, %out[%lane] : memref<?xi32>
      }
      return
    }
    ```
  }];
  let arguments = (ins I1:$flag);
  let results = (outs AnyTypeOf<[I32, I64]>:$flags);
  let assemblyFormat = "$flag attr-dict `:` type($flags)";
  let hasVerifier = 1;
}

def Nacho_LaneSyncOp : Nacho_Op<"lane_sync", [Nacho_BackendTrait]> {
  let summary = "wait until all threads of a part have come so far";
  let description = [{
    All threads of a worker (`nacho.lane`) get here. What they have written before, all
    of them can read afterwards.

    For a backend: a barrier of a warp.

    ```mlir
    func.func @f(%n: index, %threads: index, %x: f64, %shared: memref<?xf64>,
                 %out: memref<?xf64>) {
      %c31 = arith.constant 31 : index
      nacho.parallel %worker in %n threads %threads {
        %lane = nacho.lane of 32
        memref.store %x, %shared[%lane] : memref<?xf64>
        nacho.lane_sync
        %other = arith.subi %c31, %lane : index
        %y = memref.load %shared[%other] : memref<?xf64>
        memref.store %y, %out[%lane] : memref<?xf64>
      }
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Nacho_LaneMemoryOp : Nacho_Op<"lane_memory", [
    Nacho_BackendTrait,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "memory that the threads of a part share";
  let description = [{
    All threads of a worker (`nacho.lane`) access the same elements, which may be anything
    at first.

    For a backend: shared memory of a block that is one warp.

    ```mlir
    func.func @f(%n: index, %threads: index, %x: f64, %out: memref<?xf64>) {
      %c31 = arith.constant 31 : index
      nacho.parallel %worker in %n threads %threads {
        %lane = nacho.lane of 32
        %shared = nacho.lane_memory : memref<32xf64>
        memref.store %x, %shared[%lane] : memref<32xf64>
        nacho.lane_sync
        %other = arith.subi %c31, %lane : index
        %y = memref.load %shared[%other] : memref<32xf64>
        memref.store %y, %out[%lane] : memref<?xf64>
      }
      return
    }
    ```
  }];
  let results = (outs AnyStaticShapeMemRef:$memory);
  let assemblyFormat = "attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

#endif // NACHO_IR_LANE_OPS
