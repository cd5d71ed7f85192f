//===- Emit.cpp - Helpers of the functions of a nest ----------------------===//

#include "Emit.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Level.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

void nacho::emitIf(ImplicitLocOpBuilder &b, Condition condition,
                   llvm::function_ref<void()> body) {
  if (condition.isAlways())
    return body();
  auto ifOp = scf::IfOp::create(b, condition.flag(), /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

void nacho::emitFor(ImplicitLocOpBuilder &b, Value from, Value to,
                    llvm::function_ref<void(Value)> body) {
  Number one(b, 1);
  auto loop = scf::ForOp::create(b, from, to, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Interval nacho::evenInterval(ImplicitLocOpBuilder &b, Value part, Value parts,
                             Value size) {
  Type index = b.getIndexType();
  Number zero(b, 0);
  Value next = Number(b, part) + 1;
  Value from = QueryOp::create(b, index, part, parts, zero, size);
  return {from, QueryOp::create(b, index, next, parts, zero, size)};
}

Value nacho::emitExtent(ImplicitLocOpBuilder &b, CoiterateOp loop,
                        const IRMapping &mapping) {
  if (loop.getExtent())
    return mapping.lookupOrDefault(loop.getExtent());
  Value fiber = loop.getFibers().front();
  unsigned level = cast<FiberType>(fiber.getType()).getLevel();
  Value tensor = rootOf(fiber).getTensor();
  return levelExtent(b, mapping.lookupOrDefault(tensor), level);
}

FlattenOp nacho::flattenOf(CoiterateOp loop) {
  return loop.getFibers().empty() ? FlattenOp()
                                  : flattenedBy(loop.getFibers().front());
}

Value nacho::loadCut(ImplicitLocOpBuilder &b, StringRef name, Type cut,
                     Value bounds, Value row) {
  NameScope scope(b, name);
  return LoadCutOp::create(b, cut, bounds, row);
}
