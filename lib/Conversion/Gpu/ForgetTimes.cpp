//===- ForgetTimes.cpp - Reproducible PTX ---------------------------------===//

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFORGETTIMES
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;

namespace {
struct ForgetTimes : nacho::impl::NachoForgetTimesBase<ForgetTimes> {
  void runOnOperation() override {
    for (auto binary : getOperation().getOps<gpu::BinaryOp>()) {
      SmallVector<Attribute> objects;
      for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
        objects.push_back(gpu::ObjectAttr::get(
            &getContext(), object.getTarget(), object.getFormat(),
            object.getObject(), DictionaryAttr(), object.getKernels()));
      binary.setObjectsAttr(ArrayAttr::get(&getContext(), objects));
    }
  }
};
} // namespace
