//===- PositionChecks.cpp - Checks of the positions of operands -----------===//
//
// The host checks the arrays of positions that it sees in every call. Those in
// the memory of a device are checked there, at the same time as the work is
// cut: no function relies on them, and whoever reads the status refuses the
// call.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Levels/Level.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

namespace {
/// A level that stores positions, and the length of their array.
struct StoredPositions {
  std::unique_ptr<Level> level;
  Value length;
};
} // namespace

/// Finds the levels of operands that store positions; not of the results of
/// other steps.
static SmallVector<StoredPositions> findPositions(PhaseFunctions &function) {
  auto step =
      function.source->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName);
  SmallVector<StoredPositions> found;
  for (auto [source, operand] :
       llvm::zip(step.getInputs(), function.operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (source.isStep || !type || isDense(type))
      continue;
    for (unsigned n = 0; n < unsigned(type.getRank()); ++n) {
      std::unique_ptr<Level> level = Level::get(operand, n);
      if (Value length = level->numBegins(function.b))
        found.push_back({std::move(level), length});
    }
  }
  return found;
}

/// parallel row in the longest array:
///   for each array: if row + 1 < length and positions of row are wrong:
///     set the status
Value nacho::emitPositionChecks(PhaseFunctions &function) {
  ImplicitLocOpBuilder &b = function.b;
  SmallVector<StoredPositions> all = findPositions(function);
  if (all.empty())
    return {};
  Number longest(b, 0);
  for (const StoredPositions &each : all)
    longest = max(longest, each.length);
  Value row = function.emitWorkers(longest).getWorker();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(row.getParentBlock());
  for (const StoredPositions &each : all) {
    Value isInside = Number(b, row) + 1 < each.length;
    emitIf(b, isInside, [&] {
      Value isWrong = each.level->isMisplaced(b, row);
      emitIf(b, isWrong, [&] {
        Number changed(b, kOperandsChanged, b.getI32Type());
        memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, changed,
                                    function.args.status, ValueRange());
      });
    });
  }
  return row;
}
