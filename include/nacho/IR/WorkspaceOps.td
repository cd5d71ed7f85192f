//===- WorkspaceOps.td - Sums by coordinate, in any order --*- tablegen -*-===//
//
// What a reduction scatters is added up as it comes, in a workspace; and what is
// looked for again and again is found in one, which is a table then.
//
// For a backend: a workspace is memory of one slot, so that only one worker uses
// it at a time. Whoever calls the kernel owns the memory: it is empty at first,
// and every worker leaves it empty.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_WORKSPACE_OPS
#define NACHO_IR_WORKSPACE_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_WorkspaceOp : Nacho_Op<"workspace", [AttrSizedOperandSegments]> {
  let summary = "an empty table of elements by coordinate";
  let description = [{
    A row of each of the buffers, which is empty: no key is in it. The rows of `keys` and
    `values` have a power of two of elements, at least 64. A table larger than the
    extent is *dense*: every coordinate has its place. Any other is *hashed*,
    and can be filled up to a half. Without keys it is a dense one for an extent of up to
    2^20. Without values the table is a set of coordinates. What does not fit in sets
    `workspace_full` in the status.

    `marks` says what is in the table: the number of keys, then a bit for every
    64 * 64, every 64, and every single element that is used. A row has 3 words more
    than 1/64 + 1/4096 + 1/262144 of the elements; without keys, of 2^20.

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
                       Optional<MemRefRankOf<[AnyType], [2]>>:$values,
                       Index:$row, Index:$extent,
                       MemRefRankOf<[I32], [0]>:$status);
  let results = (outs Nacho_WorkspaceType:$workspace);
  let assemblyFormat = [{
    `marks` $marks (`keys` $keys^)? (`with` $values^)? `row` $row `extent` $extent
    `status` $status attr-dict `:` type($marks) (`keys` type($keys)^)?
    (`with` type($values)^)? `status` type($status) `->` type($workspace)
  }];
  let hasVerifier = 1;
}

def Nacho_InsertOp : Nacho_Op<"insert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "add to the element at a coordinate of a workspace";
  let description = [{
    What was not there is 0. Says whether the coordinate is new.

    ```mlir
    func.func @f(%w: !nacho.workspace<f64>, %k: index, %v: f64) -> i1 {
      %isNew = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
      return %isNew : i1
    }
    ```
  }];
  let arguments = (ins Optional<Nacho_Element>:$value, Index:$key,
                       Nacho_WorkspaceType:$workspace);
  let results = (outs I1:$isNew);
  let assemblyFormat = [{
    ($value^ `:` type($value))? `at` $key `into` $workspace attr-dict
    `:` type($workspace)
  }];
  let hasVerifier = 1;
}

def Nacho_LookupOp : Nacho_Op<"lookup", [
    MemoryEffects<[MemRead]>,
    TypesMatchWith<"value is an element of the workspace", "workspace", "value",
                   "::llvm::cast<WorkspaceType>($_self).getElement()">]> {
  let summary = "the element at a coordinate of a workspace, if there is one";
  let description = [{
    Of a workspace with keys and elements. The value means nothing where none is found.

    ```mlir
    func.func @f(%w: !nacho.workspace<i64>, %k: index) -> (i64, i1) {
      %v, %isThere = nacho.lookup %k in %w : !nacho.workspace<i64>
      return %v, %isThere : i64, i1
    }
    ```
  }];
  let arguments = (ins Index:$key, Nacho_WorkspaceType:$workspace);
  let results = (outs Nacho_Element:$value, I1:$isThere);
  let assemblyFormat = "$key `in` $workspace attr-dict `:` type($workspace)";
}

def Nacho_DrainOp : Nacho_Op<"drain", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "take everything out of a workspace";
  let description = [{
    Runs the body for every coordinate, with the element that has been added up there;
    in increasing order if the table is dense. Values are carried along as in `scf.for`.
    The workspace is empty afterwards.

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
  let arguments = (ins Nacho_WorkspaceType:$workspace,
                       Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$workspace, "::mlir::ValueRange":$inits)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    ::mlir::Value getKey() { return getBodyBlock()->getArgument(0); }
    /// Null of a set of coordinates.
    ::mlir::Value getValue();
    ::mlir::ValueRange getCarried();
  }];
}

#endif // NACHO_IR_WORKSPACE_OPS
