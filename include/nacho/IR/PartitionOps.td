//===- PartitionOps.td - Stage `partition`: cost and search *- tablegen -*-===//
//
// The ops of hierarchical search (paper Alg. 1): costs of operands, and one search
// for each loop, inside the coordinate that the search before it found.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_PARTITION_OPS
#define NACHO_IR_PARTITION_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/FiberInterfaces.td"
include "nacho/IR/NachoTypes.td"

def Nacho_CostOp : Nacho_Op<"cost", [Pure]> {
  let summary = "the cost of iterating a fiber up to a position";
  let description = [{
    C_m of one operand: the cost from the first child of the fiber up to the child at
    the given position or, without a position, of the whole fiber. `nnz` counts the
    stored entries below those children. `loops` counts the children themselves or,
    with `below` n, their descendants n levels further down. `scan` adds up the costs
    in a scanned list, from the running sums that the list stores.

    ```mlir
    #DCSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
    !A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
    func.func @f(%A0: !A0, %pos: index) -> (index, index) {
      %0 = nacho.cost <nnz> %A0 to %pos : !A0
      %1 = nacho.cost <loops> %A0 below 1 : !A0
      return %0, %1 : index, index
    }
    ```
  }];
  let arguments = (ins Nacho_CostKindAttr:$kind, Nacho_FiberType:$fiber,
                       Optional<Index>:$position,
                       DefaultValuedAttr<I64Attr, "0">:$below);
  let results = (outs Index:$cost);
  let assemblyFormat = [{
    $kind $fiber (`to` $position^)? (`below` $below^)? attr-dict `:` type($fiber)
  }];
  let hasVerifier = 1;
}

def Nacho_ExtentOp : Nacho_Op<"extent", [Pure]> {
  let summary = "the number of coordinates of a fiber's level";
  let description = [{
    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func @f(%A0: !nacho.fiber<tensor<?xf64, #SV>, 0>) -> index {
      %N = nacho.extent %A0 : !nacho.fiber<tensor<?xf64, #SV>, 0>
      return %N : index
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber);
  let results = (outs Index:$extent);
  let assemblyFormat = "$fiber attr-dict `:` type($fiber)";
  let hasVerifier = 1;
}

def Nacho_SearchOp : Nacho_Op<"search", [
    Pure, Nacho_EndsWithYield, SingleBlock, InferTypeOpAdaptor, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the highest coordinate of a loop whose cost is within a query";
  let description = [{
    HighestCoordinateLeqQuery of the paper's Alg. 1. The region computes C_m, the cost
    of the loop up to a candidate coordinate. Its arguments are the candidate and, for
    each operand, the position of the first child that does not come before the
    candidate. Only what lies between the two cuts is searched, so a part can be cut
    again. `to` gives the number of coordinates where the fibers do not.

    Results: the coordinate; the residual, which is the query minus the cost up to
    that coordinate; each operand's fiber at the coordinate; and the two cuts that
    remain inside it. The next loop's search takes these results as its operands.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    !A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
    func.func @f(%query: index, %A0: !A0, %B0: !A0,
                 %lo: !nacho.cut<2>, %hi: !nacho.cut<2>) -> !nacho.cut<2> {
      %i, %residual, %A1, %B1, %lo1, %hi1 = nacho.search %query of (%A0, %B0)
          between %lo, %hi : !A0, !A0, !nacho.cut<2> {
      ^bb0(%x: index, %posA: index, %posB: index):
        %costA = nacho.cost <nnz> %A0 to %posA : !A0
        %costB = nacho.cost <nnz> %B0 to %posB : !A0
        %cost = arith.addi %costA, %costB : index
        nacho.yield %cost : index
      }
      %cost = arith.subi %query, %residual : index
      %cut = nacho.cut %cost at (%i) of (%A1, %B1)
        : !nacho.fiber<tensor<?xf64, #SV>, 1>, !nacho.fiber<tensor<?xf64, #SV>, 1>
        -> !nacho.cut<2>
      return %cut : !nacho.cut<2>
    }
    ```
  }];
  let arguments = (ins Index:$query, Optional<Index>:$extent,
                       Variadic<Nacho_FiberType>:$fibers,
                       Nacho_CutType:$lower, Nacho_CutType:$upper);
  let results = (outs Index:$coordinate, Index:$residual,
                      Variadic<Nacho_FiberType>:$children,
                      Nacho_CutType:$innerLower, Nacho_CutType:$innerUpper);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $query (`to` $extent^)? `of` `(` $fibers `)` `between` $lower `,` $upper attr-dict
    `:` custom<SearchTypes>(type($fibers), type($lower), type($upper)) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
  }];
}

def Nacho_CutOp : Nacho_Op<"cut", [Pure, AttrSizedOperandSegments]> {
  let summary = "a cut from the results of the searches";
  let description = [{
    Takes the cost up to the cut, its coordinates, and the fibers that the searches
    of all loops found there, outermost loop first. See `nacho.search`.
  }];
  let arguments = (ins Index:$cost, Variadic<Index>:$coordinates,
                       Variadic<Nacho_FiberType>:$fibers);
  let results = (outs Nacho_CutType:$cut);
  let assemblyFormat = [{
    $cost `at` `(` $coordinates `)` `of` `(` $fibers `)` attr-dict
    (`:` type($fibers)^)? `->` type($cut)
  }];
  let hasVerifier = 1;
}

def Nacho_PartitionOp : Nacho_Op<"partition", [
    Pure, Nacho_EndsWithYield, SingleBlock, AttrSizedOperandSegments]> {
  let summary = "cut the iteration space into parts of equal cost";
  let description = [{
    The region answers the queries floor(p * total / parts), each independently, by
    hierarchical search: one `nacho.search` per loop. The first and the last cut are
    (0, ..., 0) and (N_0, 0, ..., 0) by definition, where N_0 is the extent of the
    roots or, if given, `to`. `loops` lists for every loop the operands that take part
    in it. A cut costs at most `delta` less than its query; `delta` is -1 if no such
    bound holds for all operands.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    !A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
    !A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
    func.func @f(%A0: !A0, %parts: index) -> !nacho.cuts<1> {
      %total = nacho.cost <nnz> %A0 : !A0
      %cuts = nacho.partition %total of (%A0) into %parts loops [[0]] delta 1
          : !A0 -> !nacho.cuts<1> {
      ^bb0(%query: index, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
        %i, %residual, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
            between %lo, %hi : !A0, !nacho.cut<1> {
        ^bb0(%x: index, %pos: index):
          %cost = nacho.cost <nnz> %A0 to %pos : !A0
          nacho.yield %cost : index
        }
        %cost = arith.subi %query, %residual : index
        %cut = nacho.cut %cost at (%i) of (%A1) : !A1 -> !nacho.cut<1>
        nacho.yield %cut : !nacho.cut<1>
      }
      return %cuts : !nacho.cuts<1>
    }
    ```
  }];
  let arguments = (ins Index:$total, Optional<Index>:$extent,
                       Variadic<Nacho_FiberType>:$roots,
                       Index:$parts, ArrayAttr:$loops, I64Attr:$delta);
  let results = (outs Nacho_CutsType:$cuts);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $total (`to` $extent^)? `of` `(` $roots `)` `into` $parts `loops` $loops
    `delta` $delta attr-dict (`:` type($roots)^)? `->` type($cuts) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
  }];
}

def Nacho_OriginOp : Nacho_Op<"origin", [Pure]> {
  let summary = "the cut before everything: (0, ..., 0)";
  let description = [{
    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func @f() -> !nacho.cut<1> {
      %0 = nacho.origin : !nacho.cut<1>
      return %0 : !nacho.cut<1>
    }
    ```
  }];
  let results = (outs Nacho_CutType:$cut);
  let assemblyFormat = "attr-dict `:` type($cut)";
}

def Nacho_LimitOp : Nacho_Op<"limit", [Pure, AttrSizedOperandSegments]> {
  let summary = "the cut after everything: (N_0, 0, ..., 0)";
  let description = [{
    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    !A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
    func.func @f(%A0: !A0, %total: index) -> !nacho.cut<1> {
      %0 = nacho.limit %total of (%A0) loops [[0]] : !A0 -> !nacho.cut<1>
      return %0 : !nacho.cut<1>
    }
    ```
  }];
  let arguments = (ins Index:$cost, Optional<Index>:$extent,
                       Variadic<Nacho_FiberType>:$roots, ArrayAttr:$loops);
  let results = (outs Nacho_CutType:$cut);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $cost (`to` $extent^)? `of` `(` $roots `)` `loops` $loops attr-dict
    (`:` type($roots)^)? `->` type($cut)
  }];
}

def Nacho_OnCutOp : Nacho_Op<"on_cut", [Pure]> {
  let summary = "whether the loops around are at the coordinates of a cut";
  let description = [{
    If the part's upper cut is on a coordinate of a loop, a later part continues that
    coordinate. Otherwise the part finishes the coordinate.

    ```mlir
    func.func @f(%hi: !nacho.cut<2>) -> i1 {
      %0 = nacho.on_cut %hi : !nacho.cut<2>
      return %0 : i1
    }
    ```
  }];
  let arguments = (ins Nacho_CutType:$cut);
  let results = (outs I1:$on);
  let assemblyFormat = "$cut attr-dict `:` type($cut)";
}

def Nacho_CutCostOp : Nacho_Op<"cut_cost", [Pure]> {
  let summary = "the cost of everything that comes before a cut";
  let description = [{
    ```mlir
    func.func @f(%hi: !nacho.cut<2>) -> index {
      %0 = nacho.cut_cost %hi : !nacho.cut<2>
      return %0 : index
    }
    ```
  }];
  let arguments = (ins Nacho_CutType:$cut);
  let results = (outs Index:$cost);
  let assemblyFormat = "$cut attr-dict `:` type($cut)";
}

def Nacho_CutCoordinateOp : Nacho_Op<"cut_coordinate", [Pure]> {
  let summary = "the coordinate of a cut in one of its loops";
  let description = [{
    ```mlir
    func.func @f(%hi: !nacho.cut<2, 2>) -> index {
      %0 = nacho.cut_coordinate %hi[1] : !nacho.cut<2, 2>
      return %0 : index
    }
    ```
  }];
  let arguments = (ins Nacho_CutType:$cut, I64Attr:$loop);
  let results = (outs Index:$coordinate);
  let assemblyFormat = "$cut `[` $loop `]` attr-dict `:` type($cut)";
  let hasVerifier = 1;
}

def Nacho_CutPositionOp : Nacho_Op<"cut_position", [Pure]> {
  let summary = "the position of a cut in an operand of one of its loops";
  let description = [{
    The second number is that of the operand among those of the loop.

    ```mlir
    func.func @f(%hi: !nacho.cut<2, 2>) -> index {
      %0 = nacho.cut_position %hi[1, 0] : !nacho.cut<2, 2>
      return %0 : index
    }
    ```
  }];
  let arguments = (ins Nacho_CutType:$cut, I64Attr:$loop, I64Attr:$number);
  let results = (outs Index:$position);
  let assemblyFormat = [{
    $cut `[` $loop `,` $number `]` attr-dict `:` type($cut)
  }];
  let hasVerifier = 1;
}

def Nacho_QueryOp : Nacho_Op<"query", [Pure]> {
  let summary = "the cost at which a part should end";
  let description = [{
    lower + floor(p * (upper - lower) / parts), exactly, without overflow.

    ```mlir
    func.func @f(%p: index, %parts: index, %lower: index, %upper: index) -> index {
      %0 = nacho.query %p of %parts from %lower to %upper
      return %0 : index
    }
    ```
  }];
  let arguments = (ins Index:$part, Index:$parts, Index:$lower, Index:$upper);
  let results = (outs Index:$query);
  let assemblyFormat = "$part `of` $parts `from` $lower `to` $upper attr-dict";
}

#endif // NACHO_IR_PARTITION_OPS
