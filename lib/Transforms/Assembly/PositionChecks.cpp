//===- PositionChecks.cpp - Checks that a device makes of its operands ----===//
//
// The host checks the arrays of positions that it sees in every call. Those in
// the memory of a device are checked there, at the same time as the work is
// cut: no function relies on them, and whoever reads the status refuses the
// call. The same holds for the costs of parts.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

/// Results of other steps need no checks.
PositionChecks::PositionChecks(PhaseFunctions &function) : function(function) {
  auto step =
      function.source->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName);
  for (auto [source, operand] :
       llvm::zip(step.getInputs(), function.operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (source.isStep || !type || isDense(type))
      continue;
    for (unsigned n = 0; n < unsigned(type.getRank()); ++n) {
      std::unique_ptr<Level> level = Level::get(operand, n);
      if (Value length = level->numBegins(function.b))
        all.push_back({std::move(level), length});
    }
  }
}

Value PositionChecks::numWorkers() {
  Number longest(function.b, 0);
  for (const Stored &each : all)
    longest = max(longest, each.length);
  return longest;
}

/// for each array: if worker + 1 < length and positions there are wrong:
///   set the status
void PositionChecks::emit(Value worker) {
  ImplicitLocOpBuilder &b = function.b;
  for (const Stored &each : all) {
    Value isInside = Number(b, worker) + 1 < each.length;
    emitIf(b, isInside, [&] {
      Value isWrong = each.level->isMisplaced(b, worker);
      emitIf(b, isWrong, [&] {
        Number changed(b, kOperandsChanged, b.getI32Type());
        memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, changed,
                                    function.args.status, ValueRange());
      });
    });
  }
}

void nacho::checkCosts(PhaseFunctions &function, TileOp tile, Value cuts,
                       Value total) {
  ImplicitLocOpBuilder &b = function.b;
  auto costAt = [&](Value row) -> Value {
    return CutCostOp::create(b, b.getIndexType(),
                             loadCut(b, "cut", function.cutType(), cuts, row));
  };
  Number row = Number(b, tile.getPart()) - tile.getBegin();
  Value before = costAt(row), after = costAt(row + 1);
  Value share = Number(b, total) / tile.getParts();
  Value most = Number(b, share) * 2 + function.args.excess;
  Number isTooHeavy = Number(b, after) - before > most;
  emitIf(b, isTooHeavy, [&] {
    Number bit(b, kPartTooHeavy, b.getI32Type());
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, bit,
                                function.args.earlier, ValueRange());
  });
}
