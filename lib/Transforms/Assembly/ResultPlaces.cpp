//===- ResultPlaces.cpp - Places of the entries of a result ---------------===//

#include "ResultPlaces.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

Value ResultPlaces::extent(unsigned level) const {
  if (DeriveOp derived = layout.derivedOfLevel[level])
    return mapping.lookupOrDefault(derived.getExtent());
  if (!layout.loopOfLevel[level])
    return Number(b, std::numeric_limits<int64_t>::max());
  UnflattenOp field = layout.fieldOfLevel[level];
  if (!field)
    return emitExtent(b, layout.loopOfLevel[level], mapping);
  return levelExtent(b, mapping.lookupOrDefault(field.getTensor()),
                     field.getLevel());
}

Value ResultPlaces::coordinateOfCut(Value cut, unsigned level) const {
  if (level >= layout.numCut)
    return Number(b, 0);
  return CutCoordinateOp::create(b, b.getIndexType(), cut, level);
}

Value ResultPlaces::numberOf(unsigned level, std::optional<Value> parent,
                             llvm::function_ref<Value(unsigned)> at) const {
  std::optional<Value> number = parent;
  for (unsigned m = layout.firstFull(level); m <= level; ++m) {
    if (number)
      number = Number(b, *number) * extent(m);
    number = number ? Number(b, *number) + at(m) : at(m);
  }
  return *number;
}

Value ResultPlaces::numberOfCut(Value cut, unsigned level) const {
  auto at = [&](unsigned m) { return coordinateOfCut(cut, m); };
  return numberOf(level, std::nullopt, at);
}

Value ResultPlaces::location(std::optional<Value> position,
                             ArrayRef<Value> coordinates) const {
  std::optional<Value> at = position;
  for (unsigned level = layout.numStructural, rank = layout.type.getRank();
       level < rank; ++level) {
    if (at)
      at = Number(b, *at) * extent(level) + coordinates[level];
    else
      at = coordinates[level];
  }
  return at ? *at : Number(b, 0);
}

Value ResultPlaces::rowSize() const {
  std::optional<Value> size;
  for (unsigned level : layout.innerLevels)
    size = size ? Number(b, *size) * extent(level) : extent(level);
  return size ? *size : Number(b, 1);
}

Values ResultPlaces::atNumber(Value number, ArrayRef<Value> coordinates) const {
  Values at(coordinates);
  ArrayRef<unsigned> levels = layout.innerLevels;
  for (; levels.size() > 1; levels = levels.drop_back()) {
    Value size = extent(levels.back());
    at[levels.back()] = Number(b, number) % size;
    number = Number(b, number) / size;
  }
  if (!levels.empty())
    at[levels.front()] = number;
  return at;
}

void ResultPlaces::forRow(
    ArrayRef<Value> coordinates,
    llvm::function_ref<void(Value, ArrayRef<Value>)> body,
    llvm::function_ref<Value(ArrayRef<Value>, Value)> numberToVisit) const {
  Number zero(b, 0);
  Values at(coordinates);
  ArrayRef<unsigned> levels = layout.innerLevels;
  std::function<void(unsigned, Value)> emit = [&](unsigned k, Value number) {
    if (k == levels.size())
      return body(number, at);
    Value size = extent(levels[k]);
    Number base = Number(b, number) * size;
    Value end = size;
    if (numberToVisit && k + 1 == levels.size()) {
      at[levels[k]] = zero;
      end = numberToVisit(at, size);
    }
    emitFor(b, zero, end, [&](Value coordinate) {
      at[levels[k]] = coordinate;
      emit(k + 1, base + coordinate);
    });
  };
  emit(0, zero);
}
