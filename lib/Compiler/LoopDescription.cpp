//===- LoopDescription.cpp - The loops of a module, described -------------===//

#include "Compilation.h"
#include "nacho/Compiler/Description.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Lattices
//===----------------------------------------------------------------------===//

using Point = std::set<std::string>;
using Points = std::vector<Point>;
using NameOf = llvm::function_ref<std::string(unsigned)>;

static constexpr size_t kMostPoints = 256;

/// The points that contain no other point, in their order.
static Points minimal(const Points &points) {
  Points found;
  for (const Point &point : points) {
    bool isLowest = llvm::none_of(points, [&](const Point &other) {
      return other.size() < point.size() &&
             std::includes(point.begin(), point.end(), other.begin(),
                           other.end());
    });
    if (isLowest && !llvm::is_contained(found, point))
      found.push_back(point);
  }
  return found;
}

/// The unions of a point of each of two lists.
static Points intersect(const Points &left, const Points &right) {
  Points made;
  for (const Point &one : left)
    for (const Point &other : right) {
      Point both = one;
      both.insert(other.begin(), other.end());
      made.push_back(std::move(both));
    }
  return minimal(made);
}

/// The lowest points of the lattice of a merge expression. A product of sums
/// may have any number of them: no value says that they are too many.
static std::optional<Points> lowestPoints(MergeAttr merge, NameOf nameOf) {
  if (merge.isLeaf())
    return Points{{nameOf(merge.getOperand())}};
  bool unites = merge.getKind() == MergeKind::unite;
  Points found;
  if (!unites)
    found.emplace_back();
  for (MergeAttr child : merge.children()) {
    std::optional<Points> points = lowestPoints(child, nameOf);
    if (!points)
      return std::nullopt;
    if (unites)
      llvm::append_range(found, *points);
    else
      found = intersect(found, *points);
    if (!unites && found.size() > kMostPoints)
      return std::nullopt;
  }
  return minimal(found);
}

static void print(llvm::raw_ostream &stream, MergeAttr merge, NameOf nameOf) {
  if (merge.isLeaf()) {
    stream << nameOf(merge.getOperand());
    return;
  }
  stream << stringifyMergeKind(merge.getKind()) << '(';
  llvm::interleaveComma(merge.children(), stream,
                        [&](MergeAttr child) { print(stream, child, nameOf); });
  stream << ')';
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// Describes loops, with the names that values have in printed IR.
class LoopDescriber {
public:
  explicit LoopDescriber(ModuleOp module)
      : names(module, OpPrintingFlags().printNameLocAsPrefix()) {}

  void add(RootOp root);
  LoopDescription describe(CoiterateOp loop);

private:
  std::string printed(Value value);
  std::string operandOf(Value fiber);

  AsmState names;
  llvm::DenseMap<Value, std::string> operands; ///< Names, by fiber.
  llvm::DenseMap<Value, unsigned> numRoots;    ///< Numbers of roots, by tensor.
};
} // namespace

std::string LoopDescriber::printed(Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.printAsOperand(stream, names);
  return text.substr(1);
}

/// The operand of a fiber; one that no root leads to has its own name.
std::string LoopDescriber::operandOf(Value fiber) {
  auto known = operands.find(fiber);
  return known == operands.end() ? printed(fiber) : known->second;
}

void LoopDescriber::add(RootOp root) {
  std::string name = printed(root.getTensor());
  if (unsigned number = numRoots[root.getTensor()]++)
    name += "#" + std::to_string(number + 1);
  operands[root.getFiber()] = name;
}

static bool isFull(Value fiber) {
  auto type = cast<FiberType>(fiber.getType());
  return isFullLevel(type.getTensor(), type.getLevel());
}

LoopDescription LoopDescriber::describe(CoiterateOp loop) {
  LoopDescription described;
  described.index = loop.getIndexName() ? loop.getIndexName()->str()
                                        : printed(loop.getCoordinate());
  described.depth = 0;
  for (auto outer = loop->getParentOfType<CoiterateOp>(); outer;
       outer = outer->getParentOfType<CoiterateOp>())
    ++described.depth;
  SmallVector<Value> leaves(loop.getChildren());
  for (auto [fiber, child] : llvm::zip(loop.getFibers(), leaves)) {
    operands[child] = operandOf(fiber);
    if (isFull(fiber))
      described.full.insert(operands[child]);
  }
  llvm::append_range(leaves, loop.getGuards());
  for (Value leaf : leaves)
    if (std::string name = operandOf(leaf);
        !llvm::is_contained(described.operands, name))
      described.operands.push_back(std::move(name));
  auto nameOf = [&](unsigned leaf) { return operandOf(leaves[leaf]); };
  llvm::raw_string_ostream stream(described.merge);
  print(stream, loop.getMerge(), nameOf);
  described.lowest = lowestPoints(loop.getMerge(), nameOf);
  return described;
}

std::optional<std::vector<LoopDescription>>
nacho::describeLoops(const AssignedModule &module, const Backend &backend,
                     const CompileOptions &options, Failure &error) {
  Compilation compilation(module, error);
  if (failed(compilation.runTo("loops", backend, options)))
    return std::nullopt;
  LoopDescriber describer(*compilation.module);
  std::vector<LoopDescription> loops;
  compilation.module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto root = dyn_cast<RootOp>(op))
      describer.add(root);
    else if (auto loop = dyn_cast<CoiterateOp>(op))
      loops.push_back(describer.describe(loop));
  });
  return loops;
}
