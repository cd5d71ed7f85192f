//===- Collector.cpp - Ways of collecting the entries of a result ---------===//

#include "Collector.h"

#include "PhaseFunctions.h"
#include "ResultPlaces.h"

using namespace mlir;
using namespace nacho;

std::unique_ptr<Collector> Collector::get(CollectKind kind) {
  switch (kind) {
  case CollectKind::inOrder:
    return makeInOrderCollector();
  case CollectKind::sortedList:
    return makeSortedListCollector();
  case CollectKind::partSums:
    return makePartSumsCollector();
  case CollectKind::wholeRows:
  case CollectKind::lightRows:
    return makeWholeRowsCollector();
  case CollectKind::scannedList:
    return makeScannedListCollector();
  case CollectKind::pieceList:
    return makePieceListCollector();
  case CollectKind::buckets:
    return makeBucketsCollector();
  }
  llvm_unreachable("every way of collecting entries has a collector");
}

std::unique_ptr<Collector> Collector::getForDraft(CollectKind kind) {
  return kind == CollectKind::scannedList ? makeRunningSumsCollector()
                                          : get(kind);
}

/// Whether a draft is better: if only entries have to be counted, and each
/// append makes one, counting them takes about as long as appending them.
Drafts Collector::draftsOf(const ResultLayout &layout) const {
  return layout.makesEntries() && layout.numColumns() == 1 ? Drafts::some
                                                           : Drafts::none;
}

Value Collector::levelExtent(const ResultPlaces &places, const ResultLayout &,
                             unsigned level, Value) const {
  return places.extent(level);
}

LogicalResult nacho::refuseResult(const ResultLayout &layout,
                                  const Twine &why) {
  return NestOp(layout.nest).emitOpError()
         << "cannot append to " << layout.type << ": " << why;
}

unsigned nacho::numLevelsToSort(const ResultLayout &layout) {
  auto isComputed = [&](unsigned level) {
    return static_cast<bool>(layout.derivedOfLevel[level]);
  };
  unsigned all = 0;
  while (all < layout.numStructural &&
         (layout.loopOfLevel[all] || isComputed(all)))
    ++all;
  // Computed coordinates follow no order.
  if (llvm::any_of(llvm::seq(all), isComputed))
    return all;
  auto depthOf = [&](unsigned level) {
    return llvm::find(layout.loops, layout.loopOfLevel[level]) -
           layout.loops.begin();
  };
  unsigned keys = all;
  while (keys > 1 && (keys == all || depthOf(keys - 1) < depthOf(keys)))
    --keys;
  return keys;
}

void nacho::emitSort(PhaseFunctions &function, unsigned numKeys) {
  function.cloneOperands();
  ResultPlaces places = function.places();
  Values extents;
  for (unsigned level = 0; level < numKeys; ++level)
    extents.push_back(places.extent(level));
  const PhaseArguments &args = function.args;
  ArrayRef<Value> coordinates(args.coordinates);
  SortOp::create(function.b, coordinates.take_front(numKeys), extents,
                 coordinates.drop_front(numKeys), args.values, args.status,
                 args.threads);
}
