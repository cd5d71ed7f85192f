//===- RemapIntersections.cpp - Remapping of outer intersections ----------===//
//
// Consumes nests; leaves nests in which no outer loop skips coordinates that an
// operand stores. Before each such nest comes the nest that lists the
// coordinates that are not skipped. Paper section 3.3:
//
//   for i in A n B:               L = [(i, A[i], B[i], cost) for i in A n B]
//     for j in A[i] n B[i]:   ->  for (i, Ai, Bi) in L:
//       Z[i, j] = ...               for j in Ai n Bi:
//                                     Z[i, j] = ...
//
//===----------------------------------------------------------------------===//

#include "CostQueries.h"
#include "ListedLoops.h"
#include "LoopLister.h"
#include "RepeatedFibers.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOREMAPINTERSECTIONS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Given a fiber that the rest of the nest recalls from an entry of the list,
/// the fiber that the nest which makes the list has kept there.
static Value listedFiber(const ListedNest &listed, FiberAtOp recalled) {
  auto recall = recalled.getPosition().getDefiningOp<RecallOp>();
  return listed.keptAt.at(recall.getBelow());
}

static Value emitSize(ImplicitLocOpBuilder &b, Value fiber) {
  NameScope name(b, "size" + StringRef(getName(fiber)).rtrim("0123456789"));
  return CostOp::create(b, b.getIndexType(), CostKind::nnz, fiber, Value(),
                        /*below=*/0);
}

/// The cost, for one entry, of reading a fiber into a table. If each entry has
/// another fiber, the cost is the number of the fiber's entries:
///
///   for (i, j) in A: table of B[j]      cost(i, j) = |B[j]|
///
/// Emits the cost of a fiber. If all entries with the same outer coordinates
/// share it, it is read once, and its cost is divided evenly among them:
///
///   for (i, j) in A: table of M[i]      cost(i, j) = ceil(|M[i]| / |A[i]|)
static Value emitTableCost(ImplicitLocOpBuilder &b, const ListedNest &listed,
                           Value found) {
  auto loop = cast<CoiterateOp>(AppendOp(listed.append)->getParentOp());
  auto stored = llvm::find_if(loop.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return !isFullLevel(type.getTensor(), type.getLevel());
  });
  bool isAnew = found.getParentBlock() == loop.getBodyBlock();
  if (isAnew || stored == loop.getFibers().end())
    return emitSize(b, found);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Value size = emitSize(b, found);
  // The fiber may be empty: if the loop is a union, the entry may come from
  // another fiber.
  Number one(b, 1);
  Value entries = max(Number(b, emitSize(b, *stored)), one);
  return ceilDiv(Number(b, size), entries);
}

/// Gives each entry of a list its cost: the cost of the loops that `user` runs
/// for the entry. `user` is the nest that loops over the list: the rest of the
/// original nest, or the nest that makes the next list.
static void addCosts(const ListedNest &listed, const NestCost &costs,
                     NestOp user) {
  AppendOp append = listed.append;
  ImplicitLocOpBuilder b(append.getLoc(), append);
  SmallVector<Value> fibers;
  for (const NestOperand &operand : costs.getOperands()) {
    auto at = operand.root.getDefiningOp<FiberAtOp>();
    fibers.push_back(at ? listedFiber(listed, at) : operand.root);
  }
  Number cost(b, CostQueries(b, costs).entryTotal(fibers, listed.condition));
  user.walk([&](FindOp find) {
    if (auto at = find.getFiber().getDefiningOp<FiberAtOp>())
      cost = cost + emitTableCost(b, listed, listedFiber(listed, at));
  });
  append.getValueMutable().assign(cost.asSigned(b.getI64Type()));
}

/// Searches the rows of an operand for the coordinates of an innermost loop,
/// where the loops around do not say which rows to step through. Stepping
/// through all of them again and again would take quadratic time:
///
///   for i in A:                           for i in A:
///     for j in A[i] n B:                    for j in A[i]:
///       append (i, j, B[j])        ->         Bj = binary search for j in B
///                                             append (i, j, Bj) if it is there
static void seekRows(NestOp nest) {
  CoiterateOp innermost = nest.getLoops().back();
  llvm::SmallBitVector rows = fibersToSeek(innermost);
  if (rows.any())
    takeOut(innermost, rows, seek);
}

/// Lists the loops to remap, the outermost loop first. The costs of a list's
/// entries are added at the end: they depend on the nest that loops over the
/// list, which may be the next list's.
static void remap(NestOp nest, CostModelAttr model) {
  SmallVector<ListedNest> listed;
  SmallVector<NestOp> users;
  for (unsigned last : loopsToRemap(nest, model)) {
    listed.push_back(listLoops(nest, last));
    nest = listed.back().rest;
    if (listed.size() > 1)
      users.push_back(listed.back().list);
  }
  users.push_back(nest);
  for (auto [nests, user] : llvm::zip(listed, users))
    addCosts(nests, NestCost(user, model), user);
  for (ListedNest &nests : listed)
    seekRows(nests.list);
  seekRows(nest);
}

namespace {
struct RemapIntersections
    : nacho::impl::NachoRemapIntersectionsBase<RemapIntersections> {
  using NachoRemapIntersectionsBase::NachoRemapIntersectionsBase;

  void runOnOperation() override {
    FailureOr<CostModelAttr> model =
        CostModelAttr::lookUp(getOperation(), cost);
    if (failed(model))
      return signalPassFailure();
    SmallVector<NestOp> nests;
    getOperation().walk([&](NestOp nest) { nests.push_back(nest); });
    for (NestOp nest : nests) {
      if (nest.getCuts())
        continue;
      if (failed(verifyHasRoots(nest)))
        return signalPassFailure();
      remap(nest, *model);
    }
  }
};
} // namespace
