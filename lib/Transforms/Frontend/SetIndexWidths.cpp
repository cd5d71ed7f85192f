//===- SetIndexWidths.cpp - Index arrays of the default width -------------===//
//
// Arrays of the default width have elements of MLIR's type `index`. In kernels,
// only arrays that Nacho has made itself have such elements: an integer that
// was loaded has to be compared with a bound before it is used as an index, and
// an index need not be (VerifyAccesses.cpp). So the arrays of operands and
// results get elements of an integer type.
//
//===----------------------------------------------------------------------===//

#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSETINDEXWIDTHS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The width in bits of `index`, where kernels run.
static constexpr unsigned kIndexWidth = 64;

static sparse_tensor::SparseTensorEncodingAttr
withWidths(sparse_tensor::SparseTensorEncodingAttr encoding) {
  // `withBitWidths` drops the offsets, sizes and strides of a slice.
  if (encoding.isSlice())
    return encoding;
  auto explicitly = [](unsigned width) { return width ? width : kIndexWidth; };
  return encoding.withBitWidths(explicitly(encoding.getPosWidth()),
                                explicitly(encoding.getCrdWidth()));
}

namespace {
struct SetIndexWidths : nacho::impl::NachoSetIndexWidthsBase<SetIndexWidths> {
  void runOnOperation() override {
    AttrTypeReplacer replacer;
    replacer.addReplacement(withWidths);
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
