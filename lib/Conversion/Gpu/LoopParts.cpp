//===- LoopParts.cpp - Loops as states and steps --------------------------===//

#include "LoopParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nacho;

LoopParts::Values LoopParts::inits(const IRMapping &mapping) {
  Values values;
  if (forOp)
    values.push_back(mapping.lookupOrDefault(forOp.getLowerBound()));
  for (Value init : forOp ? forOp.getInits() : whileOp.getInits())
    values.push_back(mapping.lookupOrDefault(init));
  return values;
}

Decision LoopParts::decide(ImplicitLocOpBuilder &b, IRMapping mapping,
                           ValueRange state) {
  if (forOp) {
    Value end = mapping.lookupOrDefault(forOp.getUpperBound());
    auto less = forOp.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                       : arith::CmpIPredicate::slt;
    return {arith::CmpIOp::create(b, less, state.front(), end), Values(state)};
  }
  Block *before = whileOp.getBeforeBody();
  mapping.map(before->getArguments(), state);
  for (Operation &nested : before->without_terminator())
    b.clone(nested, mapping);
  scf::ConditionOp end = whileOp.getConditionOp();
  Decision decision{mapping.lookupOrDefault(end.getCondition()), {}};
  for (Value value : end.getArgs())
    decision.values.push_back(mapping.lookupOrDefault(value));
  return decision;
}

LoopParts::Values LoopParts::next(ImplicitLocOpBuilder &b,
                                  const IRMapping &mapping) {
  Values values;
  if (forOp) {
    Value step = mapping.lookupOrDefault(forOp.getStep());
    Value at = mapping.lookupOrDefault(forOp.getInductionVar());
    values.push_back(arith::AddIOp::create(b, at, step));
  }
  for (Value value : body()->getTerminator()->getOperands())
    values.push_back(mapping.lookupOrDefault(value));
  return values;
}

std::optional<unsigned> LoopParts::findInState(unsigned argument) {
  if (forOp)
    return argument ? std::optional<unsigned>(argument) : std::nullopt;
  Value given = whileOp.getConditionOp().getArgs()[argument];
  auto found = dyn_cast<BlockArgument>(given);
  if (!found || found.getOwner() != whileOp.getBeforeBody())
    return std::nullopt;
  return found.getArgNumber();
}

bool LoopParts::decidesWithout(unsigned state) {
  return forOp || whileOp.getBeforeArguments()[state].hasOneUse();
}
