//===- PrefetchOps.td - Prefetches -------------------------*- tablegen -*-===//
//
// Hints that ask for memory before a loop reads it. They change no result.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_PREFETCH_OPS
#define NACHO_IR_PREFETCH_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_PrefetchOp : Nacho_Op<"prefetch"> {
  let summary = "prefetch a fiber that will be visited soon";
  let description = [{
    Prefetches the coordinates of the fiber's first children, and with `elements` also
    the elements of these children. The op reads the position at which the children
    begin. With `begin`, it only prefetches that position, so that a later prefetch of
    the children need not wait for it.

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
  let summary = "the coordinate of a fiber that is stored later";
  let description = [{
    The coordinate of the fiber that is stored so many positions after the given one, or
    of the last fiber if there are fewer. A loop is likely to visit that fiber, but may
    not, so the coordinate may only serve as a hint.

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
  let summary = "prefetch a row of a dense tensor that will be read soon";
  let description = [{
    The coordinates, one for each level but the last, select the row. Prefetches the
    row's first elements, or the elements `from` a coordinate of the last level on. The
    coordinates may lie outside of the tensor. With `only`, no more than so many elements
    are prefetched, all of which the row has.

    ```mlir
    #Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
    func.func @f(%D: tensor<?x?xf64, #Dense>, %j: index, %k: index) {
      nacho.prefetch_row %D[%j] : tensor<?x?xf64, #Dense>
      nacho.prefetch_row %D[%j] from %k : tensor<?x?xf64, #Dense>
      nacho.prefetch_row %D[%j] from %k only 16 : tensor<?x?xf64, #Dense>
      return
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, Variadic<Index>:$coordinates,
                       Optional<Index>:$from,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$only);
  let assemblyFormat = [{
    $tensor `[` $coordinates `]` (`from` $from^)? (`only` $only^)? attr-dict
    `:` type($tensor)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$tensor, "::mlir::ValueRange":$coordinates), [{
      build($_builder, $_state, tensor, coordinates, /*from=*/{}, /*only=*/{});
    }]>
  ];
  let hasVerifier = 1;
}

#endif // NACHO_IR_PREFETCH_OPS
