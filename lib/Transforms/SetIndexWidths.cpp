//===- SetIndexWidths.cpp - Index arrays of the default width -------------===//
//
// Arrays of the default width have elements of MLIR's type `index`. In kernels,
// only Nacho's own arrays have: what is loaded from an array of integers has to
// be compared with a bound, indices have been (VerifyAccesses.cpp). So the
// arrays of operands and results get elements of an integer type.
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
  // A slice with other widths would be a whole tensor.
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
