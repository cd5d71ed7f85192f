//===- SliceOps.td - Parts of a tensor between bounds ------*- tablegen -*-===//

#ifndef NACHO_IR_SLICE_OPS
#define NACHO_IR_SLICE_OPS

include "nacho/IR/NachoDialect.td"

def Nacho_SliceOp : Nacho_Op<"slice", [Pure, AttrSizedOperandSegments]> {
  let summary = "every n-th element of a tensor between two coordinates";
  let description = [{
    Element (i, j, ...) of the slice is the element of the tensor at
    (offset + stride * i, offset + stride * j, ...), as with `tensor.extract_slice`:
    offsets, sizes and strides follow in brackets, one for each dimension. No array is
    copied, so that the slice is stored as the tensor is, with everything that lies
    outside of it.

    A level of a slice has the coordinates of the tensor's level that lie between the
    first and the last one of the slice, counted from the offset: from 0 up to
    stride * (size - 1). A level that stores coordinates is searched for both ends.
    Loops over the level also visit the coordinates that a stride skips; only statements
    that list entries read slices (`--nacho-list-slices`), and they leave those out.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    // Every second row of a tensor, and columns 5, 6, 7.
    func.func @f(%A: tensor<?x?xf64, #CSR>, %first: index, %rows: index) {
      %S = nacho.slice %A[%first, 5] [%rows, 3] [2, 1]
          : tensor<?x?xf64, #CSR> to tensor<?x3xf64, #CSR>
      return
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$offsets,
                       Variadic<Index>:$sizes, Variadic<Index>:$strides,
                       DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes,
                       DenseI64ArrayAttr:$static_strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins
    "::mlir::RankedTensorType":$type, "::mlir::Value":$source,
    "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
    "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
    "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides)>];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getSourceType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getSource().getType());
    }
    ::mlir::RankedTensorType getType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    ::mlir::OpFoldResult getOffset(unsigned dimension);
    ::mlir::OpFoldResult getSize(unsigned dimension);
    ::mlir::OpFoldResult getStride(unsigned dimension);
    /// Whether the slice has every coordinate of a dimension, for certain.
    bool isWhole(unsigned dimension);
    /// Whether the slice may skip coordinates between two that it has.
    bool isStrided(unsigned dimension);
  }];
}

#endif // NACHO_IR_SLICE_OPS
