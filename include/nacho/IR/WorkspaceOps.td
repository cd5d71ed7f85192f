//===- WorkspaceOps.td - Sums by coordinate, in any order --*- tablegen -*-===//
//
// A workspace adds up the values that a reduction scatters, in the order in which
// they come. A workspace that is a table finds the positions of coordinates that a
// loop looks up again and again.
//
// For a backend: a workspace is memory of one slot, so only one worker uses it at a
// time. The caller of the kernel owns the memory and hands it over empty; every
// worker leaves it empty.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_WORKSPACE_OPS
#define NACHO_IR_WORKSPACE_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_WorkspaceOp : Nacho_Op<"workspace", [AttrSizedOperandSegments]> {
  let summary = "an empty workspace: elements by coordinate";
  let description = [{
    The workspace uses row `row` of each buffer; no coordinate may be in that row yet.
    The rows of `keys` and `values` have a power of two of places, at least 64. With
    more places than the extent, the workspace is *dense*: every coordinate has a place
    of its own, and no key. Otherwise it is *hashed*, and at most half of its places can
    be used.
    Without `keys` it is dense, for an extent of up to 2^20. Without `values` it is a
    set of coordinates. Inserting what does not fit sets `workspace_full` in the status.

    `marks` says which places are used: first the number of keys, which counts only if
    the workspace is hashed, then one bit for every 64 * 64 places, for every 64 places,
    and for every place. With n places, a row of `marks` has
    n/64 + n/4096 + n/262144 + 3 words. Without `keys`, it has 261 + n/64 words, which
    is the same for 2^20 places.

    A workspace that is `flat` is dense, and has a word of `marks` for every place: what
    is added up there need not look for its bit among those of others, but a drain has to
    say below which coordinate they all are.

    With `lane`, all lanes of a worker (`nacho.lane`) insert into the workspace at the
    same time, and drain it together, in increasing order. It has no keys then, and is not flat. Between
    two `nacho.lane_sync`, no two lanes insert at the same coordinate.

    ```mlir
    func.func @f(%keys: memref<?x?xi32>, %values: memref<?x?xf64>,
                 %marks: memref<?x?xi64>, %N: index, %status: memref<i32>) {
      %row = arith.constant 0 : index
      %w = nacho.workspace marks %marks keys %keys with %values row %row extent %N status %status
          : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
          -> !nacho.workspace<f64>
      return
    }
    ```
  }];
  let arguments = (ins Optional<MemRefRankOf<[AnySignlessInteger], [2]>>:$keys,
                       MemRefRankOf<[I64], [2]>:$marks,
                       Optional<MemRefRankOf<[AnyType], [2]>>:$values, UnitAttr:$flat,
                       Index:$row, Optional<Index>:$lane, Index:$extent,
                       MemRefRankOf<[I32], [0]>:$status);
  let results = (outs Nacho_WorkspaceType:$workspace);
  let assemblyFormat = [{
    (`flat` $flat^)? `marks` $marks (`keys` $keys^)? (`with` $values^)? `row` $row (`lane` $lane^)?
    `extent` $extent `status` $status attr-dict `:` type($marks) (`keys` type($keys)^)?
    (`with` type($values)^)? `status` type($status) `->` type($workspace)
  }];
  let hasVerifier = 1;
}

def Nacho_LaneTableOp : Nacho_Op<"lane_table"> {
  let summary = "an empty workspace in memory that lanes share";
  let description = [{
    A workspace of lanes, like `nacho.workspace` with `lane`, for at most `most` coordinates
    below 2^20. There are at most `of`, a power of two from 16 to 2048: there is memory for
    as many. Inserting what does not fit sets `operands_changed` in the status, since the
    caller has counted.

    It is a hash table with twice as many places as `most`, rounded up to a power of two.
    Draining it sorts it.

    ```mlir
    func.func @f(%n: index, %threads: index, %status: memref<i32>, %most: index) {
      nacho.parallel %worker in %n threads %threads {
        %lane = nacho.lane of 32
        %w = nacho.lane_table for %most of 256 lane %lane status %status
            : memref<i32> -> !nacho.workspace<f64>
      }
      return
    }
    ```
  }];
  let arguments = (ins Index:$most, ConfinedAttr<I64Attr, [IntMinValue<16>, IntMaxValue<2048>]>:$of,
                       Index:$lane, MemRefRankOf<[I32], [0]>:$status);
  let results = (outs Nacho_WorkspaceType:$workspace);
  let assemblyFormat = [{
    `for` $most `of` $of `lane` $lane `status` $status attr-dict
    `:` type($status) `->` type($workspace)
  }];
  let hasVerifier = 1;
}

def Nacho_InsertOp : Nacho_Op<"insert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combine a value with the element at a coordinate of a workspace";
  let description = [{
    The value is combined with the one that is there, if there is one: added to it, unless
    another monoid is written. The result says whether the coordinate is new. A set of coordinates takes no value. If it is `distinct`, the
    loop around it has another coordinate in each of its steps.

    ```mlir
    func.func @f(%w: !nacho.workspace<f64>, %k: index, %v: f64) -> i1 {
      %isNew = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
      return %isNew : i1
    }
    ```
  }];
  let arguments = (ins Optional<Nacho_Element>:$value, Index:$key,
                       Nacho_WorkspaceType:$workspace, UnitAttr:$distinct,
                       OptionalAttr<Nacho_MonoidAttr>:$monoid);
  let results = (outs I1:$isNew);
  let assemblyFormat = [{
    (`by` `` $monoid^)? ($value^ `:` type($value))? (`distinct` $distinct^)? `at` $key `into` $workspace
    attr-dict `:` type($workspace)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The element for a value at a coordinate that is not new.
    ::mlir::Value emitCombined(::mlir::ImplicitLocOpBuilder &b, ::mlir::Value before);
  }];
}

def Nacho_RenewOp : Nacho_Op<"renew", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "take everything out of a table, for numbers to come";
  let description = [{
    A table is a workspace with keys and with elements that are numbers. The next ones
    are below `count`. Where a table is dense, this takes no longer the more there is in
    it: a number stays where it is, and is not found any more. So a table is not drained.

    ```mlir
    func.func @f(%w: !nacho.workspace<i32>, %count: index) {
      nacho.renew %w for %count : !nacho.workspace<i32>
      return
    }
    ```
  }];
  let arguments = (ins Nacho_WorkspaceType:$workspace, Index:$count);
  let assemblyFormat = "$workspace `for` $count attr-dict `:` type($workspace)";
  let hasVerifier = 1;
}

def Nacho_LookupOp : Nacho_Op<"lookup", [
    MemoryEffects<[MemRead]>,
    TypesMatchWith<"value is an element of the workspace", "workspace", "value",
                   "::llvm::cast<WorkspaceType>($_self).getElement()">]> {
  let summary = "the element at a coordinate of a workspace, if there is one";
  let description = [{
    The workspace is a table (`nacho.renew`). The value is arbitrary if none is found.

    ```mlir
    func.func @f(%w: !nacho.workspace<i32>, %k: index) -> (i32, i1) {
      %v, %isThere = nacho.lookup %k in %w : !nacho.workspace<i32>
      return %v, %isThere : i32, i1
    }
    ```
  }];
  let arguments = (ins Index:$key, Nacho_WorkspaceType:$workspace);
  let results = (outs Nacho_Element:$value, I1:$isThere);
  let assemblyFormat = "$key `in` $workspace attr-dict `:` type($workspace)";
}

def Nacho_DrainOp : Nacho_Op<"drain", [
    Nacho_EndsWithYield, AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">,
    RecursiveMemoryEffects,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "take everything out of a workspace";
  let description = [{
    Runs the body for every coordinate in the workspace, with the element that has been
    added up there; in increasing order if the workspace is dense. Values are carried
    around the loop as in `scf.for`. The workspace is empty afterwards. With `below`, all
    coordinates are below that number, which a flat workspace has to be told. If lanes drain
    it, each takes some of the coordinates; they carry at most one number, to which each
    coordinate adds 1, as if they took one after the other.

    ```mlir
    func.func @f(%w: !nacho.workspace<f64>, %sum: f64) -> f64 {
      %all = nacho.drain %k, %v of %w iter_args(%s = %sum : f64) : !nacho.workspace<f64> {
        %next = nacho.binary add %s, %v : f64
        nacho.yield %next : f64
      }
      return %all : f64
    }
    ```
  }];
  let arguments = (ins Nacho_WorkspaceType:$workspace, Optional<Index>:$below,
                       Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$workspace, "::mlir::Value":$below,
                                 "::mlir::ValueRange":$inits)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    ::mlir::Value getKey() { return getBodyBlock()->getArgument(0); }
    /// The element; null if the workspace is a set of coordinates.
    ::mlir::Value getValue();
    ::mlir::ValueRange getCarried();
  }];
}

#endif // NACHO_IR_WORKSPACE_OPS
