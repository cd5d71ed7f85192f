//===- FiberOps.td - Ops that make and find fibers ---------*- tablegen -*-===//

#ifndef NACHO_IR_FIBER_OPS
#define NACHO_IR_FIBER_OPS

include "nacho/IR/FiberInterfaces.td"
include "nacho/IR/NachoTypes.td"

def Nacho_RootOp : Nacho_Op<"root", [
    Pure, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>]> {
  let summary = "a whole tensor as the fiber above its first level";
  let description = [{
    `input` is the number of the assignment's input that this access reads. A tensor
    that a nest has collected as a `scanned_list` is read as such: all fibers of it say
    so in their types.

    ```mlir
    #DCSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
    func.func @f(%A: tensor<?x?xf64, #DCSR>) {
      %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
      return
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, OptionalAttr<I64Attr>:$input,
                       UnitAttr:$scannedList);
  let results = (outs Nacho_FiberType:$fiber);
  let assemblyFormat = [{
    $tensor (`scanned_list` $scannedList^)? `:` type($tensor) attr-dict
  }];
  let hasVerifier = 1;
}

def Nacho_PresentOp : Nacho_Op<"present", [Pure]> {
  let summary = "whether a fiber is present";
  let description = [{
    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func @f(%A1: !nacho.fiber<tensor<?xf32, #SV>, 1>) -> i1 {
      %0 = nacho.present %A1 : !nacho.fiber<tensor<?xf32, #SV>, 1>
      return %0 : i1
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber);
  let results = (outs I1:$present);
  let assemblyFormat = "$fiber attr-dict `:` type($fiber)";
}

// An element has no children, so the verifier rejects it. Until the verifier runs,
// the child of an element gets the type of the element.
def Nacho_FindOp : Nacho_Op<"find", [
    Pure, DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>,
    TypesMatchWith<"child is one level further down", "fiber", "child", [{
      ::llvm::cast<FiberType>($_self).isElement()
          ? $_self
          : ::mlir::Type(::llvm::cast<FiberType>($_self).getChild())
    }]>]> {
  let summary = "the child of a fiber at any coordinate";
  let description = [{
    The child is absent where the fiber does not store the coordinate; coordinates must
    be unique. A coiteration steps through the fiber; `find` instead looks the
    coordinate up in a table of the children's numbers (`nacho.child_number`). Assembly adds the table. The
    fiber is `of_row` if it is the same for all that a nest appends to a row of the last
    level of its result, and the coordinate is that of what is appended.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    !M1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    !M2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
    func.func @f(%M1: !M1, %k: index, %table: !nacho.workspace<i32>) -> (!M2, !M2) {
      %0 = nacho.find %k in %M1 : !M1
      %1 = nacho.find %k in %M1 : !M1 by %table : !nacho.workspace<i32>
      return %0, %1 : !M2, !M2
    }
    ```
  }];
  let arguments = (ins Index:$coordinate, Nacho_FiberType:$fiber,
                       Optional<Nacho_WorkspaceType>:$table, UnitAttr:$ofRow);
  let results = (outs Nacho_FiberType:$child);
  let assemblyFormat = [{
    $coordinate `in` $fiber (`of_row` $ofRow^)? `:` type($fiber)
    (`by` $table^ `:` type($table))? attr-dict
  }];
  let hasVerifier = 1;
}

def Nacho_ChildNumberOp : Nacho_Op<"child_number", [Pure]> {
  let summary = "the number of a child among those of its fiber";
  let description = [{
    The first child that the fiber stores has the number 0. The number of an absent child
    is arbitrary.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    !M1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    !M2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
    func.func @f(%M1: !M1, %k: index, %table: !nacho.workspace<i32>) -> index {
      %M2 = nacho.find %k in %M1 : !M1 by %table : !nacho.workspace<i32>
      %n = nacho.child_number %M2 in %M1 : !M2, !M1
      return %n : index
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$child, Nacho_FiberType:$fiber);
  let results = (outs Index:$number);
  let assemblyFormat = "$child `in` $fiber attr-dict `:` type($child) `,` type($fiber)";
  let hasVerifier = 1;
}

def Nacho_ChildCoordinateOp : Nacho_Op<"child_coordinate", [Pure]> {
  let summary = "the coordinate of a child, given its number";
  let description = [{
    The number is that of `nacho.child_number`.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    !M1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    func.func @f(%M1: !M1, %n: index) -> index {
      %k = nacho.child_coordinate %n in %M1 : !M1
      return %k : index
    }
    ```
  }];
  let arguments = (ins Index:$number, Nacho_FiberType:$fiber);
  let results = (outs Index:$coordinate);
  let assemblyFormat = "$number `in` $fiber attr-dict `:` type($fiber)";
  let hasVerifier = 1;
}

// See nacho.find for the type of an element's child.
def Nacho_SeekOp : Nacho_Op<"seek", [
    Pure, DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>,
    TypesMatchWith<"child is one level further down", "fiber", "child", [{
      ::llvm::cast<FiberType>($_self).isElement()
          ? $_self
          : ::mlir::Type(::llvm::cast<FiberType>($_self).getChild())
    }]>]> {
  let summary = "the child of a fiber at any coordinate, by binary search";
  let description = [{
    The child is absent where the fiber does not store the coordinate. The fiber's
    coordinates are searched; no table is made, which is why `seek` serves fibers that
    are large compared with the number of coordinates that are looked for. If the
    coordinates are not unique, the child stands for the whole run of equal coordinates.

    ```mlir
    #DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
    !B0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
    !B1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
    func.func @f(%B0: !B0, %j: index) -> !B1 {
      %B1 = nacho.seek %j in %B0 : !B0
      return %B1 : !B1
    }
    ```
  }];
  let arguments = (ins Index:$coordinate, Nacho_FiberType:$fiber);
  let results = (outs Nacho_FiberType:$child);
  let assemblyFormat = "$coordinate `in` $fiber `:` type($fiber) attr-dict";
  let hasVerifier = 1;
}

def Nacho_PiecesOp : Nacho_Op<"pieces", [
    Pure, DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>,
    AllTypesMatch<["fiber", "pieces"]>]> {
  let summary = "the same fiber with coarser coordinates";
  let description = [{
    All coordinates are divided by 2^shift. Children that then have the same coordinate
    are one child, which stands for their run: a loop over the pieces visits each run
    once, and `nacho.position` tells where it begins and ends.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    !B1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    func.func @f(%B1: !B1, %shift: index) -> !B1 {
      %P1 = nacho.pieces %B1 by %shift : !B1
      return %P1 : !B1
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber, Index:$shift);
  let results = (outs Nacho_FiberType:$pieces);
  let assemblyFormat = "$fiber `by` $shift attr-dict `:` type($fiber)";
  let hasVerifier = 1;
}

#endif // NACHO_IR_FIBER_OPS
