//===- ListOps.td - Fields of the entries of lists ---------*- tablegen -*-===//
//
// A nest that is remapped keeps, in the entries of a scanned list, where the fibers
// are that its outer loops have found; the loops inside find them there again.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_LIST_OPS
#define NACHO_IR_LIST_OPS

include "nacho/IR/FiberOps.td"

def Nacho_PositionOp : Nacho_Op<"position", [Pure]> {
  let summary = "where a fiber is: its parent's position, -1 if it is absent";
  let description = [{
    The parents of a fiber may be a run. Then the op gives the position of the run's
    first parent or, with `end`, one past the position of its last parent.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func @f(%A1: !nacho.fiber<tensor<?xf64, #SV>, 1>) -> index {
      %pos = nacho.position %A1 : !nacho.fiber<tensor<?xf64, #SV>, 1>
      return %pos : index
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber, UnitAttr:$end);
  let results = (outs Index:$position);
  let assemblyFormat = "(`end` $end^)? $fiber attr-dict `:` type($fiber)";
}

def Nacho_RecallOp : Nacho_Op<"recall", [Pure]> {
  let summary = "a coordinate that an entry of a list keeps in a level further down";
  let description = [{
    The coordinate of the fiber's first child, `below` levels further down. A kept -1
    loses its sign and becomes 2^63 - 1, as does the coordinate of an absent fiber. With
    `ahead` n, the coordinate of the entry n entries further on, or of the list's last
    entry if there are fewer; such a coordinate may only serve as a hint.

    ```mlir
    #List = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
    !L1 = !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
    func.func @f(%L1: !L1) -> index {
      %pos = nacho.recall %L1 below 0 : !L1
      return %pos : index
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber, I64Attr:$below,
                       DefaultValuedAttr<I64Attr, "0">:$ahead);
  let results = (outs Index:$coordinate);
  let assemblyFormat = [{
    $fiber `below` $below (`ahead` $ahead^)? attr-dict `:` type($fiber)
  }];
  let hasVerifier = 1;
}

def Nacho_FiberAtOp : Nacho_Op<"fiber_at", [
    Pure, DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>]> {
  let summary = "the fiber of a tensor at a position that was kept";
  let description = [{
    The inverse of `nacho.position`, for a position that `nacho.recall` read: the fiber
    is absent if the list kept -1, which it never did for a position that is `certain`.
    `to` gives the end of a run of positions.

    ```mlir
    #DCSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
    !A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
    !A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
    func.func @f(%A0: !A0, %pos: index) -> !A1 {
      %A1 = nacho.fiber_at %A0[%pos] certain : !A0 -> !A1
      return %A1 : !A1
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$root, Index:$position,
                       Optional<Index>:$end, UnitAttr:$certain);
  let results = (outs Nacho_FiberType:$fiber);
  let assemblyFormat = [{
    $root `[` $position (`to` $end^)? `]` (`certain` $certain^)? attr-dict
    `:` type($root) `->` type($fiber)
  }];
  let hasVerifier = 1;
}

def Nacho_ChildrenAtOp : Nacho_Op<"children_at", [
    Pure, DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>]> {
  let summary = "a fiber with some children of a fiber, whose positions were kept";
  let description = [{
    The children from one position up to, but not including, another one, both of which
    lie in one fiber of the tensor's last level.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    !B0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
    !B1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    func.func @f(%B0: !B0, %begin: index, %end: index) -> !B1 {
      %B1 = nacho.children_at %B0[%begin to %end] : !B0 -> !B1
      return %B1 : !B1
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$root, Index:$begin, Index:$end);
  let results = (outs Nacho_FiberType:$fiber);
  let assemblyFormat = [{
    $root `[` $begin `to` $end `]` attr-dict `:` type($root) `->` type($fiber)
  }];
  let hasVerifier = 1;
}

#endif // NACHO_IR_LIST_OPS
