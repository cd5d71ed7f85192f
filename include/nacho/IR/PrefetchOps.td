//===- PrefetchOps.td - What a loop will need soon --------*- tablegen -*-===//
//
// Hints. They change no result: what they bring nearer may be read, or not.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_PREFETCH_OPS
#define NACHO_IR_PREFETCH_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_PrefetchOp : Nacho_Op<"prefetch"> {
  let summary = "bring a fiber nearer that will be visited soon";
  let description = [{
    Its first children, with their elements if they are wanted; or, to begin with,
    only where they `begin`. Means nothing.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    !B0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
    !B1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    func.func @f(%B0: !B0, %pos: index) {
      %B1 = nacho.fiber_at %B0[%pos] certain : !B0 -> !B1
      nacho.prefetch %B1 elements : !B1
      return
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber, UnitAttr:$begin,
                       UnitAttr:$elements);
  let assemblyFormat = [{
    (`begin` $begin^)? $fiber (`elements` $elements^)? attr-dict `:` type($fiber)
  }];
  let hasVerifier = 1;
}

def Nacho_AheadOp : Nacho_Op<"ahead", [Pure]> {
  let summary = "the coordinate of a fiber that comes later";
  let description = [{
    In the order of storage, so many positions after the given one, or the last of all:
    a hint of what a loop over the parent will visit.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    func.func @f(%A2: !nacho.fiber<tensor<?x?xf64, #CSR>, 2>) -> index {
      %j = nacho.ahead %A2 by 16 : !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
      return %j : index
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber, I64Attr:$distance);
  let results = (outs Index:$coordinate);
  let assemblyFormat = "$fiber `by` $distance attr-dict `:` type($fiber)";
  let hasVerifier = 1;
}

def Nacho_PrefetchRowOp : Nacho_Op<"prefetch_row", [
    AttrSizedOperandSegments]> {
  let summary = "bring a row of a dense tensor nearer that will be visited soon";
  let description = [{
    The first elements that are stored together and have these coordinates, one for
    each level but the last; or those `from` a coordinate of the last level on. Means
    nothing; the coordinates may be outside.

    ```mlir
    #Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
    func.func @f(%D: tensor<?x?xf64, #Dense>, %j: index, %k: index) {
      nacho.prefetch_row %D[%j] : tensor<?x?xf64, #Dense>
      nacho.prefetch_row %D[%j] from %k : tensor<?x?xf64, #Dense>
      return
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, Variadic<Index>:$coordinates,
                       Optional<Index>:$from);
  let assemblyFormat = [{
    $tensor `[` $coordinates `]` (`from` $from^)? attr-dict `:` type($tensor)
  }];
  let hasVerifier = 1;
}

#endif // NACHO_IR_PREFETCH_OPS
