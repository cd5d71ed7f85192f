//===- SplitHeavyRows.cpp - Rows that are too heavy for one part ----------===//
//
// Consumes nests that collect whole rows of a result and loop over a list of
// what the rows are computed from. Such a nest is cut between rows only: a part
// that gets a heavy row has too much to do. If asked to, and where it can, the
// pass cuts rows into pieces (HeavyRowPieces.cpp). Any other nest it replaces
// by several:
//
//   Z[i, k] = sum over (j, A, B) in L[i]         with whole rows
//
// becomes
//
//   H, K        = the heavy rows of L, and the others: where their entries are
//   light[i, k] = sum over (j, A, B) in L[K[i]]  with light rows
//   E[i, k, j]  = the elements of L[H[i]], sorted
//   heavy[i, k] = sum over j in E[i, k]          with whole entries
//   Z[i, k]     = heavy[i, k] or light[i, k], whichever is there
//
// If the entries of L are charged for tables, which E does without, H has the
// entries of the heavy rows instead, with costs of their own.
//
// The sums are the same whether a row is heavy or not, bit for bit: the
// elements of an entry are added up in the order in which the loops visit them.
//
//===----------------------------------------------------------------------===//

#include "HeavyRows.h"
#include "ListedLoops.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSPLITHEAVYROWS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The names of the loops over the coordinates that a nest appends.
static SmallVector<StringAttr> namesOfLevels(NestOp nest) {
  SmallVector<CoiterateOp> loops = nest.getLoops();
  SmallVector<StringAttr> names;
  nest.walk([&](AppendOp append) {
    for (Value coordinate : append.getCoordinates())
      names.push_back(llvm::find_if(loops, [&](CoiterateOp loop) {
                        return loop.getCoordinate() == coordinate;
                      })->getIndexNameAttr());
  });
  return names;
}

/// Whether the loops of the chain append, in one place, all that there is to
/// add up.
static bool appendsOnce(NestOp nest) {
  if (!nest.getFinish().empty())
    return false;
  SmallVector<CoiterateOp> loops = nest.getLoops();
  unsigned appends = 0;
  bool fromChain = true;
  nest.walk([&](AppendOp append) {
    ++appends;
    fromChain &= llvm::all_of(append.getCoordinates(), [&](Value coordinate) {
      return llvm::any_of(loops, [&](CoiterateOp loop) {
        return loop.getCoordinate() == coordinate;
      });
    });
  });
  return appends == 1 && fromChain;
}

bool RowSplitter::canSplit() {
  if (loops.front().getFibers().empty() || !appendsOnce(nest))
    return false;
  Value fiber = loops.front().getFibers().front();
  listed = fiber.getDefiningOp<RootOp>();
  if (!listed || !listed.getScannedList())
    return false;
  for (CoiterateOp loop : loops) {
    if (loop.getFibers().size() != 1 || loop.getFibers().front() != fiber)
      break;
    fiber = loop.getChildren().front();
    ++numListed;
  }
  return numListed > numOuter && !cast<FiberType>(fiber.getType()).isElement();
}

static Value listOf(AppendOp append) {
  return append->getParentOfType<NestOp>().getResult();
}

void RowSplitter::split() {
  Value heavy = addUp(listElements());
  NestOp light = loopOverRows(listRows("K", /*isHeavy=*/false), "K");
  light.setCollect(CollectKind::lightRows);
  setName(light.getResult(), "light");
  nest.replaceAllUsesWith(unite(heavy, light));
  nest.erase();
}

//===----------------------------------------------------------------------===//
// Parts of nests
//===----------------------------------------------------------------------===//

Value RowSplitter::makeRoot(Value tensor, const Twine &name,
                            bool isScannedList) {
  NameScope scope(b, name + "0");
  return RootOp::create(b, tensor, IntegerAttr(), isScannedList);
}

/// Builds a nest without loops, and moves the builder into it.
NestOp RowSplitter::startNest(RankedTensorType type, StringRef name) {
  auto made =
      NestOp::create(b, type, Value(), MonoidAttr(), CollectKind::inOrder);
  setName(made.getResult(), name);
  b.createBlock(&made.getBody());
  YieldOp::create(b);
  b.setInsertionPointToStart(&made.getBody().front());
  return made;
}

/// Builds a loop, and moves the builder into it.
CoiterateOp RowSplitter::enterLoop(ValueRange fibers, MergeAttr merge,
                                   StringAttr name) {
  auto loop =
      CoiterateOp::create(b, fibers, ValueRange(), Value(), merge, name);
  b.setInsertionPointToEnd(loop.getBodyBlock());
  YieldOp::create(b);
  b.setInsertionPointToStart(loop.getBodyBlock());
  return loop;
}

/// Clones the nest, and lets it loop over another list.
NestOp RowSplitter::loopOverEntries(Value list, StringRef name) {
  IRMapping mapping;
  mapping.map(listed.getFiber(), makeRoot(list, name, /*isScannedList=*/true));
  auto copy = cast<NestOp>(b.clone(*nest, mapping));
  SmallVector<CoiterateOp> copied = copy.getLoops();
  for (unsigned m = 0; m < numListed; ++m)
    setName(copied[m].getChildren().front(), name + Twine(m + 1));
  return copy;
}

/// Clones the nest, and lets its outer loops visit the rows of a list that
/// listRows() has made.
NestOp RowSplitter::loopOverRows(Value rows, StringRef name) {
  Value fiber = makeRoot(rows, name, /*isScannedList=*/true);
  auto copy = cast<NestOp>(b.cloneWithoutRegions(*nest));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&copy.getBody());
  YieldOp::create(b);
  b.setInsertionPointToStart(&copy.getBody().front());
  MergeAttr only = MergeAttr::get(b.getContext(), 0u);
  IRMapping mapping;
  for (CoiterateOp outer : ArrayRef(loops).take_front(numOuter)) {
    CoiterateOp loop = enterLoop(fiber, only, outer.getIndexNameAttr());
    fiber = loop.getChildren().front();
    mapping.map(outer.getCoordinate(), loop.getCoordinate());
  }
  mapping.map(row(), recallRow(fiber));
  for (Operation &op : row().getParentBlock()->without_terminator())
    b.clone(op, mapping);
  return copy;
}

/// The entries of a row, which an entry of a list of rows keeps.
Value RowSplitter::recallRow(Value entry) {
  auto recall = [&](int64_t below) -> Value {
    NameScope name(b, below == 0 ? "begin" : "end");
    return RecallOp::create(b, entry, below);
  };
  Value begin = recall(0), end = recall(1);
  NameScope name(b, getName(row()));
  return FiberAtOp::create(b, row().getType(), listed.getFiber(), begin, end,
                           /*certain=*/true);
}

//===----------------------------------------------------------------------===//
// The nests
//===----------------------------------------------------------------------===//

NestOp RowSplitter::listElements() {
  NestOp elements;
  // The list charges for tables.
  if (findsElements(nest)) {
    AppendOp entries = listHeavyEntries();
    elements = loopOverEntries(listOf(entries), "H");
    sortElements(elements);
    setCost(entries, elements);
  } else {
    elements = loopOverRows(listRows("H", /*isHeavy=*/true), "H");
    sortElements(elements);
  }
  return elements;
}

/// nest collect<sorted_list> {
///   the loops: append the element at the coordinates of the result, and after
///              those at the coordinates of the other loops
/// }
///
/// The parts of a row would each fill a table of the same fiber, so that such a
/// fiber is searched instead.
void RowSplitter::sortElements(NestOp elements) {
  auto narrow = [](Type type) {
    return sparse_tensor::getSparseTensorEncoding(type).getCrdWidth() == 32;
  };
  bool isNarrow =
      narrow(listed.getTensor().getType()) && narrow(nest.getType());
  elements.removeReduceAttr();
  elements.setCollect(CollectKind::sortedList);
  elements.getResult().setType(listTensorType(loops.size(), loops.size(),
                                              nest.getType().getElementType(),
                                              isNarrow ? 32 : 64));
  setName(elements.getResult(), "E");
  elements.walk([&](FindOp find) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(find);
    Value sought = SeekOp::create(b, find.getChild().getType(),
                                  find.getCoordinate(), find.getFiber());
    find.replaceAllUsesWith(sought);
    find.erase();
  });
  elements.walk([&](AppendOp append) {
    SmallVector<Value> at(append.getCoordinates());
    for (CoiterateOp loop : elements.getLoops())
      if (!llvm::is_contained(at, loop.getCoordinate()))
        at.push_back(loop.getCoordinate());
    append.getCoordinatesMutable().assign(at);
  });
}

/// nest reduce add whole_entries {
///   for each element of the list: append it at the coordinates of the result
/// }
Value RowSplitter::addUp(NestOp elements) {
  SmallVector<StringAttr> names = namesOfLevels(elements);
  OpBuilder::InsertionGuard guard(b);
  Value fiber = makeRoot(elements.getResult(), "E");
  NestOp sums = startNest(nest.getType(), "heavy");
  sums.setReduceAttr(nest.getReduceAttr());
  sums.setWholeEntries(true);
  MergeAttr only = MergeAttr::get(b.getContext(), 0u);
  SmallVector<Value> at;
  for (StringAttr name : names) {
    CoiterateOp loop = enterLoop(fiber, only, name);
    fiber = loop.getChildren().front();
    at.push_back(loop.getCoordinate());
  }
  at.truncate(nest.getType().getRank());
  Value element = LoadOp::create(b, fiber);
  AppendOp::create(b, element, b.getI64IntegerAttr(0), at, Value());
  return sums.getResult();
}

/// nest {
///   for each coordinate of either: append the element of the one that has it
/// }
Value RowSplitter::unite(Value heavy, NestOp light) {
  SmallVector<StringAttr> names = namesOfLevels(light);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> fibers = {makeRoot(heavy, "heavy"),
                               makeRoot(light.getResult(), "light")};
  NestOp both = startNest(nest.getType(), getName(nest.getResult()));
  MLIRContext *context = b.getContext();
  MergeAttr either = uniteMerges(
      context, {MergeAttr::get(context, 0u), MergeAttr::get(context, 1u)});
  SmallVector<Value> at;
  for (StringAttr name : names) {
    CoiterateOp loop = enterLoop(fibers, either, name);
    fibers.assign(loop.getChildren().begin(), loop.getChildren().end());
    at.push_back(loop.getCoordinate());
  }
  Value isHeavy = PresentOp::create(b, b.getI1Type(), fibers[0]);
  Value entry = SelectOp::create(b, isHeavy, LoadOp::create(b, fibers[0]),
                                 LoadOp::create(b, fibers[1]));
  AppendOp::create(b, entry, b.getI64IntegerAttr(0), at, Value());
  return both.getResult();
}

namespace {
struct SplitHeavyRows : nacho::impl::NachoSplitHeavyRowsBase<SplitHeavyRows> {
  using NachoSplitHeavyRowsBase::NachoSplitHeavyRowsBase;

  void runOnOperation() override {
    FailureOr<CostModelAttr> model =
        CostModelAttr::lookUp(getOperation(), cost);
    if (failed(model))
      return signalPassFailure();
    SmallVector<NestOp> nests;
    getOperation().walk([&](NestOp nest) {
      if (nest.getCollect() == CollectKind::wholeRows && !nest.getCuts())
        nests.push_back(nest);
    });
    for (NestOp nest : nests) {
      RowSplitter splitter(nest, *model);
      if (!splitter.canSplit())
        continue;
      if (pieces && splitter.canCutIntoPieces())
        cutAgain(splitter.cutIntoPieces(), *model);
      else
        splitter.split();
    }
  }

private:
  /// Cuts pieces that are still too heavy, as often as is asked for.
  void cutAgain(NestOp nest, CostModelAttr model) {
    for (unsigned round = 1; round < pieces; ++round) {
      RowSplitter splitter(nest, model);
      if (splitter.canSplit() && splitter.canCutIntoPieces())
        nest = splitter.cutIntoPieces();
    }
  }
};
} // namespace
