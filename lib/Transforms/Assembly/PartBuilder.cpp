//===- PartBuilder.cpp - Counting and appending of one part ---------------===//

#include "PartBuilder.h"

#include "Collector.h"
#include "Filling.h"
#include "PartLoops.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Abi.h"

using namespace mlir;
using namespace nacho;

PartBuilder::PartBuilder(PhaseFunctions &function, Value number, Value parts,
                         PartTask task)
    : part(function, number, parts, task), levels(part), tables(part),
      entries(function.layout.collector->makeEntries(part)) {}

Values PartBuilder::count() {
  levels.start(carried);
  {
    NameScope name(part.b, "entries");
    carried.entries = Number(part.b, 0);
  }
  entries->start(carried);
  tables.start(carried);
  carried = PartLoops(part, levels, tables, *entries).emitChain(carried);
  entries->leaveLoops(carried);
  tables.clear();

  Values row;
  levels.addColumns(carried, row);
  if (part.layout.makesEntries())
    row.push_back(carried.entries);
  return row;
}

void PartBuilder::append(ValueRange first, ValueRange last) {
  const ResultLayout &layout = part.layout;
  part.first = Values(first);
  part.last = Values(last);
  entries->prepare();
  levels.start(carried);
  carried.entries = layout.makesEntries() ? first.back() : Number(part.b, 0);
  tables.start(carried);
  entries->start(carried);
  PartLoops loops(part, levels, tables, *entries);
  carried = loops.emitChain(carried);
  entries->leaveLoops(carried);
  tables.clear();
  if (layout.numOuter == 0 && layout.reduction) {
    // The last part does the appends that are outside of all loops.
    ImplicitLocOpBuilder &b = part.b;
    Number next = Number(b, part.number) + 1;
    part.completes = next == part.parts;
    loops.emitOutside(carried);
    entries->finish(carried);
  }
  checkCounts();
}

void PartBuilder::checkCounts() {
  ImplicitLocOpBuilder &b = part.b;
  Condition complete = kAlways;
  if (part.layout.makesEntries() && part.layout.filling->isCounted())
    complete = Number(b, carried.entries) == part.last.back();
  complete = levels.finish(carried, complete);
  if (!complete.isAlways())
    emitIf(b, !Number(b, complete.flag()),
           [&] { setStatus(kOperandsChanged); });
}

Values PartBuilder::countAppended() {
  Values row;
  entries->addColumns(carried, row);
  row.push_back(Number(part.b, carried.entries) - part.first.back());
  return row;
}

void PartBuilder::setStatus(int32_t status) const {
  part.setStatus(Number(part.b, status, part.b.getI32Type()));
}
