//===- StepIndices.cpp - Indices of what a step reads and makes -----------===//
//
// Whoever brings together what a part of a step needs has to know which loops
// are over which levels of the operands and of the result, also where no cut
// has positions in them.
//
//===----------------------------------------------------------------------===//

#include "StepIndices.h"

#include "nacho/IR/Fibers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

/// The name of the loop that a coordinate comes from; empty if from none.
static StringRef nameOf(Value coordinate) {
  auto argument = dyn_cast<BlockArgument>(coordinate);
  auto loop =
      argument
          ? dyn_cast_or_null<CoiterateOp>(argument.getOwner()->getParentOp())
          : CoiterateOp();
  if (!loop || loop.getCoordinate() != coordinate)
    return "";
  return loop.getIndexName().value_or("");
}

namespace {
/// Finds the names of the loops over the levels of what a function reads.
class AccessReader {
public:
  using Names = SmallVector<StringRef>;

  void read(func::FuncOp func);
  ArrayRef<Names> of(unsigned argument) { return accesses[argument]; }

private:
  Names *namesOf(Value fiber);
  void add(Value fiber, StringRef name);
  void add(LocateOp located);

  llvm::DenseMap<unsigned, SmallVector<Names>> accesses;
  /// The places of sparse accesses: by argument and number of the access.
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> places;
};
} // namespace

/// The names of the access that a fiber belongs to; null if it is to what is no
/// argument.
AccessReader::Names *AccessReader::namesOf(Value fiber) {
  RootOp root = rootOf(fiber);
  std::optional<unsigned> argument =
      root ? argumentOf(fiber) : std::optional<unsigned>();
  if (!argument)
    return nullptr;
  SmallVector<Names> &all = accesses[*argument];
  int64_t number = root.getInput().value_or(-1);
  auto [place, isNew] = places.try_emplace({*argument, number}, all.size());
  if (isNew)
    all.emplace_back(cast<FiberType>(fiber.getType()).getTensor().getRank());
  return &all[place->second];
}

void AccessReader::add(Value fiber, StringRef name) {
  if (Names *names = namesOf(fiber))
    (*names)[cast<FiberType>(fiber.getType()).getLevel()] = name;
}

void AccessReader::add(LocateOp located) {
  auto argument = dyn_cast<BlockArgument>(wholeTensorOf(located.getTensor()));
  if (!argument)
    return;
  Names names(llvm::map_range(located.getCoordinates(), nameOf));
  SmallVector<Names> &all = accesses[argument.getArgNumber()];
  if (!llvm::is_contained(all, names))
    all.push_back(names);
}

void AccessReader::read(func::FuncOp func) {
  func.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](RootOp root) { namesOf(root.getFiber()); })
        .Case([&](CoiterateOp loop) {
          for (Value fiber : loop.getFibers())
            add(fiber, loop.getIndexName().value_or(""));
        })
        .Case<FindOp, SeekOp>([&](auto found) {
          add(found.getFiber(), nameOf(found.getCoordinate()));
        })
        .Case([&](LocateOp located) { add(located); });
  });
}

ArrayAttr nacho::indicesRead(func::FuncOp func, unsigned numInputs) {
  AccessReader reader;
  reader.read(func);
  Builder b(func.getContext());
  SmallVector<Attribute> inputs;
  for (unsigned input = 0; input < numInputs; ++input) {
    SmallVector<Attribute> accesses;
    for (const AccessReader::Names &names : reader.of(input))
      accesses.push_back(b.getStrArrayAttr(names));
    inputs.push_back(b.getArrayAttr(accesses));
  }
  return b.getArrayAttr(inputs);
}

ArrayAttr nacho::indicesMade(NestOp nest) {
  SmallVector<StringRef> names;
  nest.walk([&](AppendOp append) {
    names = llvm::map_to_vector(append.getCoordinates(), nameOf);
    return WalkResult::interrupt();
  });
  return Builder(nest.getContext()).getStrArrayAttr(names);
}
