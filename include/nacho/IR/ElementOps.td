//===- ElementOps.td - Elements read and appended in loops *- tablegen -*-===//

#ifndef NACHO_IR_ELEMENT_OPS
#define NACHO_IR_ELEMENT_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_LoadOp : Nacho_Op<"load", [Pure, InferTypeOpAdaptor]> {
  let summary = "the value of an element, exactly 0 where it is absent";
  let description = [{
    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func @f(%A1: !nacho.fiber<tensor<?xf32, #SV>, 1>) -> f32 {
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf32, #SV>, 1>
      return %a : f32
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$element);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$element attr-dict `:` type($element)";
  let hasVerifier = 1;
}

def Nacho_LocateOp : Nacho_Op<"locate", [Pure, AttrSizedOperandSegments]> {
  let summary = "the element of a dense tensor at given coordinates";
  let description = [{
    Where the condition is false, or a coordinate lies outside of the tensor, nothing is
    read and the value is 0. The coordinate of a loop over all coordinates of an index
    is not checked, since the loop and the tensor have the same extent.

    Loops that report coordinates beyond the extents have located elements `checked`:
    outside of the tensor, the value may then be any element of it.

    With the mask `lanes` the value is a vector of the elements stored from there on,
    one for each lane. A lane that is not set is not read, and is 0. The lanes that are
    set must lie inside of the row; if they are `checked`, and the row lies outside of
    the tensor, the value may be that of any other row. So if any lane of a checked
    vector is set, the tensor must have a row.

    ```mlir
    func.func @f(%X: tensor<?x?xf64>, %j: index, %k: index, %p: i1, %mask: vector<4xi1>)
        -> (f64, f64, vector<4xf64>) {
      %x = nacho.locate %X[%j, %k] : tensor<?x?xf64>
      %y = nacho.locate %X[%j, %k] if %p : tensor<?x?xf64>
      %z = nacho.locate %X[%j, %k] lanes %mask : tensor<?x?xf64>, vector<4xi1>
      return %x, %y, %z : f64, f64, vector<4xf64>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, Variadic<Index>:$coordinates,
                       Optional<I1>:$condition,
                       Optional<VectorOfRankAndType<[1], [I1]>>:$lanes,
                       UnitAttr:$checked);
  let results = (outs AnyType:$value);
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor,
                                 "::mlir::ValueRange":$coordinates,
                                 CArg<"::mlir::Value", "{}">:$condition,
                                 CArg<"::mlir::Value", "{}">:$lanes)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Nacho_DeriveOp : Nacho_Op<"derive", [Pure, AttrSizedOperandSegments]> {
  let summary = "a coordinate that follows from coordinates of loops";
  let description = [{
    The sum of the products of coordinates and factors, and of `plus`, divided by
    `over` and, if it is given, by `times`, a number that is only known when the kernel
    runs. `inside` tells whether the division leaves no remainder and the coordinate is
    not outside of the extent that `to` gives; else the coordinate is of no use. A
    number below 1 counts as 1. With `rounds`, there may be a remainder: the quotient is
    rounded down.

    ```mlir
    // The i with m = 2 * i + k, and that with m = stride * i.
    func.func @f(%m: index, %k: index, %stride: index, %extent: index)
        -> (index, i1, index, i1) {
      %i, %inside = nacho.derive (%m, %k) by [1, -1] plus 0 over 2 to %extent
      %n, %in = nacho.derive (%m) by [1] plus 0 over 1 times %stride to %extent
      return %i, %inside, %n, %in : index, i1, index, i1
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$sources, DenseI64ArrayAttr:$factors,
                       I64Attr:$constant, I64Attr:$divisor, Optional<Index>:$stride,
                       Index:$extent, UnitAttr:$rounds);
  let results = (outs Index:$coordinate, I1:$inside);
  let assemblyFormat = [{
    `(` $sources `)` `by` $factors `plus` $constant `over` $divisor
    (`times` $stride^)? `to` $extent attr-dict
  }];
  let hasVerifier = 1;
}

def Nacho_RestrictOp : Nacho_Op<"restrict", [
    Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a value where a merge expression holds, and exactly 0 elsewhere";
  let description = [{
    Keeps `0 * inf` at 0 where the 0 is an absent entry.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    !A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
    func.func @f(%v: f64, %A1: !A1, %B1: !A1) -> f64 {
      %0 = nacho.restrict %v to intersect(%A1, %B1) : f64 of !A1, !A1
      return %0 : f64
    }
    ```
  }];
  let arguments = (ins AnyType:$value, Variadic<Nacho_FiberType>:$fibers,
                       Nacho_MergeAttr:$merge);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Nacho_AppendOp : Nacho_Op<"append", [AttrSizedOperandSegments]> {
  let summary = "append an entry to the result of the nest";
  let description = [{
    The coordinates are those of the result's levels, outermost first. Where the
    condition is false nothing is appended. `to` gives the number of the reduction, in
    a nest that has a `finish` region. See `nacho.nest` for an example.
  }];
  let arguments = (ins AnyType:$value, DefaultValuedAttr<I64Attr, "0">:$number,
                       Variadic<Index>:$coordinates, Optional<I1>:$condition);
  let assemblyFormat = [{
    $value (`to` $number^)? `at` `(` $coordinates `)` (`if` $condition^)? attr-dict
    `:` type($value)
  }];
  let hasVerifier = 1;
}

#endif // NACHO_IR_ELEMENT_OPS
