//===- SplitBlocks.cpp - Two indices for one whose tensors have blocks ----===//
//
// Consumes and leaves `nacho.assign`. A tensor in blocks, such as BSR, has two
// levels for one dimension: the number of the block, and the place inside of
// it. The pass gives each of these levels a dimension and an index of its own:
//
//   y[i] = A[i, j] * x[j]
//     A : (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed,
//                    i mod 2 : dense, j mod 2 : dense)
//   ->  y[i0, i1] = A[i0, j0, i1, j1] * x[j0, j1]
//     A : (i0, j0, i1, j1) -> (i0 : dense, j0 : compressed, i1 : dense,
//                              j1 : dense)
//
// No array changes: the elements of a dense tensor lie in memory as before, in
// an array with one dimension more. An extent must be a multiple of the block.
// The coordinates of other sparse tensors change: lists take their place
// (BlockLists.cpp).
//
//===----------------------------------------------------------------------===//

#include "BlockLists.h"
#include "BlockTypes.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSPLITBLOCKS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

namespace {
/// Splits the indices of all assignments of a function.
class BlockSplitter {
public:
  explicit BlockSplitter(func::FuncOp func) : func(func) {}

  LogicalResult run();

private:
  /// A tensor that an assignment accesses, and by which indices.
  using Access = std::pair<Value, ArrayRef<Attribute>>;

  void collect();
  LogicalResult findBlocks();
  LogicalResult agree(AssignOp op, Attribute index, int64_t &one,
                      int64_t &other);
  SmallVector<SplitIndex> splitIndices(AssignOp op);
  OpFoldResult resultExtent(AssignOp op, unsigned dimension);
  void listEntries(AssignOp op);
  LogicalResult verifyTensor(Value tensor);
  void addOutputs();
  void rewrite(AssignOp op);
  ArrayAttr split(AssignOp op, ArrayAttr list);
  ArrayAttr splitAccess(AssignOp op, Value tensor, ArrayRef<Attribute> access);
  StringAttr nameOf(AssignOp op, Attribute index, const LevelPart &part);
  void setSignature();

  static SmallVector<Access> accessesOf(AssignOp op);

  func::FuncOp func;
  SmallVector<AssignOp> assigns;
  /// The blocks of tensors in an order that keeps messages the same.
  llvm::MapVector<Value, Blocks> tensors;
  bool isChanged = false; ///< While `findBlocks` runs.
  DenseMap<std::pair<Operation *, Attribute>, int64_t> indices;
};
} // namespace

SmallVector<BlockSplitter::Access> BlockSplitter::accessesOf(AssignOp op) {
  SmallVector<Access> accesses;
  for (auto [n, input] : llvm::enumerate(op.getInputs()))
    accesses.push_back({input, op.getAccess(n)});
  ArrayRef<Attribute> left = op.getResultAccess().getValue();
  if (op.getInit())
    accesses.push_back({op.getInit(), left});
  accesses.push_back({op.getResult(), left});
  return accesses;
}

/// Whether the coordinates of a tensor would change if its indices were split.
static bool storesWhole(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return !hasBlocks(type) && !isDense(type);
}

/// Finds all tensors of assignments, and the blocks that their types have. An
/// extent that nothing uses may be left of a tensor that was empty.
void BlockSplitter::collect() {
  func.walk([&](AssignOp op) {
    assigns.push_back(op);
    for (auto [tensor, access] : accessesOf(op)) {
      auto type = cast<RankedTensorType>(tensor.getType());
      for (Operation *user : llvm::make_early_inc_range(tensor.getUsers()))
        if (isa<tensor::DimOp>(user) && user->use_empty())
          user->erase();
      tensors.insert({tensor, hasBlocks(type) ? blocksOf(levelParts(type))
                                              : Blocks(type.getRank(), 1)});
    }
  });
}

/// Makes two sizes of blocks the same, unless both are given.
LogicalResult BlockSplitter::agree(AssignOp op, Attribute index, int64_t &one,
                                   int64_t &other) {
  if (one == other)
    return success();
  if (one != 1 && other != 1)
    return unsupported(op.emitOpError()
                       << "index " << index << " is in blocks of "
                       << std::min(one, other) << " and of "
                       << std::max(one, other) << ": not supported");
  one = other = std::max(one, other);
  isChanged = true;
  return success();
}

/// An index has the blocks of all dimensions that it runs over, and these have
/// those of the index.
LogicalResult BlockSplitter::findBlocks() {
  do {
    isChanged = false;
    for (AssignOp op : assigns)
      for (auto [tensor, access] : accessesOf(op)) {
        if (storesWhole(tensor))
          continue;
        for (auto [index, size] : llvm::zip(access, tensors[tensor])) {
          int64_t &known = indices.try_emplace({op, index}, 1).first->second;
          if (failed(agree(op, index, known, size)))
            return failure();
        }
      }
  } while (isChanged);
  return success();
}

/// The indices of an assignment that are in blocks, and the names of their
/// parts.
SmallVector<SplitIndex> BlockSplitter::splitIndices(AssignOp op) {
  llvm::SetVector<Attribute> split;
  for (auto [tensor, access] : accessesOf(op))
    for (Attribute index : access)
      if (indices.lookup({op, index}) > 1)
        split.insert(index);
  return llvm::map_to_vector(split, [&](Attribute index) {
    int64_t size = indices.lookup({op, index});
    return SplitIndex{cast<StringAttr>(index),
                      nameOf(op, index, {LevelPart::block, 0, size}),
                      nameOf(op, index, {LevelPart::inside, 0, size}), size};
  });
}

/// The extent of an index of the result, which the tensor to start from, or an
/// operand, has.
OpFoldResult BlockSplitter::resultExtent(AssignOp op, unsigned dimension) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  if (!op.getType().isDynamicDim(dimension))
    return b.getIndexAttr(op.getType().getDimSize(dimension));
  if (Value init = op.getInit())
    return Value(tensor::DimOp::create(b, init, dimension));
  Attribute index = op.getResultAccess()[dimension];
  for (auto [n, input] : llvm::enumerate(op.getInputs())) {
    if (auto coordinates = input.getDefiningOp<CoordinatesOp>();
        coordinates && op.getAccess(n)[0] == index && coordinates.getExtent())
      return coordinates.getExtent();
    auto type = cast<RankedTensorType>(input.getType());
    for (auto [at, part] :
         llvm::enumerate(dimensionsInBlocks(type, tensors[input])))
      if (part.kind != LevelPart::inside &&
          op.getAccess(n)[part.dimension] == index)
        return Number(b, tensor::DimOp::create(b, input, at)) * part.size;
  }
  llvm_unreachable("every index of a result is an operand's");
}

/// Lets lists take the place of tensors that have indices in blocks, and whose
/// coordinates would change.
void BlockSplitter::listEntries(AssignOp op) {
  SmallVector<SplitIndex> split = splitIndices(op);
  auto isListed = [&](Value tensor, ArrayRef<Attribute> access) {
    return storesWhole(tensor) &&
           llvm::any_of(split, [&](const SplitIndex &known) {
             return llvm::is_contained(access, known.index);
           });
  };
  auto noBlocks = [](Value tensor) {
    return Blocks(cast<RankedTensorType>(tensor.getType()).getRank(), 1);
  };
  if (isListed(op.getResult(), op.getResultAccess().getValue())) {
    SmallVector<OpFoldResult> extents;
    for (unsigned dim = 0; dim < op.getType().getRank(); ++dim)
      extents.push_back(resultExtent(op, dim));
    listResult(op, split, extents);
    tensors[op.getResult()] = noBlocks(op.getResult());
  }
  for (unsigned n = 0; n < op.getInputs().size(); ++n) {
    if (!isListed(op.getInputs()[n], op.getAccess(n)))
      continue;
    listOperand(op, n, split);
    Value list = op.getInputs()[n];
    tensors.insert({list, noBlocks(list)});
  }
}

/// Refuses what has other blocks, or another size, once it is split.
LogicalResult BlockSplitter::verifyTensor(Value tensor) {
  const Blocks &blocks = tensors[tensor];
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!isSplit(blocks))
    return success();
  if (hasBlocks(type) && blocksOf(levelParts(type)) != blocks)
    return emitError(tensor.getLoc())
           << "a tensor of type " << type
           << " has blocks, but not of an index that is in blocks: not "
              "supported; convert it";
  for (auto [extent, size] : llvm::zip(type.getShape(), blocks))
    if (ShapedType::isStatic(extent) && extent % size)
      return emitError(tensor.getLoc())
             << "extent " << extent << " of " << type
             << " is not a multiple of the blocks of " << size;
  bool isPassed =
      isa<BlockArgument>(tensor) || tensor.getDefiningOp<AssignOp>();
  auto isKnown = [](Operation *user) {
    return isa<AssignOp, func::ReturnOp>(user);
  };
  if (!isPassed || !llvm::all_of(tensor.getUsers(), isKnown))
    return emitError(tensor.getLoc())
           << "a tensor in blocks can only be an argument, or be assigned";
  return success();
}

/// i0 or i1, with underscores where these are indices already.
StringAttr BlockSplitter::nameOf(AssignOp op, Attribute index,
                                 const LevelPart &part) {
  std::string name = cast<StringAttr>(index).str();
  if (part.kind == LevelPart::whole)
    return StringAttr::get(op.getContext(), name);
  name += part.kind == LevelPart::block ? "0" : "1";
  while (indices.contains({op, StringAttr::get(op.getContext(), name)}))
    name += "_";
  return StringAttr::get(op.getContext(), name);
}

ArrayAttr BlockSplitter::splitAccess(AssignOp op, Value tensor,
                                     ArrayRef<Attribute> access) {
  SmallVector<Attribute> names;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (const LevelPart &part : dimensionsInBlocks(type, tensors[tensor]))
    names.push_back(nameOf(op, access[part.dimension], part));
  return ArrayAttr::get(op.getContext(), names);
}

/// Replaces each index that is split by its two parts, one after the other.
ArrayAttr BlockSplitter::split(AssignOp op, ArrayAttr list) {
  SmallVector<Attribute> names;
  for (Attribute index : list) {
    int64_t size = indices.lookup({op, index});
    if (size <= 1) {
      names.push_back(index);
      continue;
    }
    names.push_back(nameOf(op, index, {LevelPart::block, 0, size}));
    names.push_back(nameOf(op, index, {LevelPart::inside, 0, size}));
  }
  return ArrayAttr::get(op.getContext(), names);
}

void BlockSplitter::rewrite(AssignOp op) {
  SmallVector<Attribute> accesses;
  for (auto [n, input] : llvm::enumerate(op.getInputs()))
    accesses.push_back(splitAccess(op, input, op.getAccess(n)));
  ArrayAttr left =
      splitAccess(op, op.getResult(), op.getResultAccess().getValue());
  op.setAccessesAttr(ArrayAttr::get(op.getContext(), accesses));
  op.setResultAccessAttr(left);
  if (op.getOrder())
    op.setOrderAttr(split(op, *op.getOrder()));
  if (op.getContract())
    op.setContractAttr(split(op, *op.getContract()));
  op.getBody().walk([&](ReduceOp reduce) {
    reduce.setIndicesAttr(split(op, reduce.getIndices()));
  });
}

/// Notes in the signature how its tensors were split.
void BlockSplitter::setSignature() {
  auto attribute = [&](Value tensor) -> Attribute {
    auto *known = tensors.find(tensor);
    if (known == tensors.end() || !isSplit(known->second))
      return {};
    return DenseI64ArrayAttr::get(func.getContext(), known->second);
  };
  for (BlockArgument argument : func.getArguments())
    if (Attribute blocks = attribute(argument)) {
      unsigned number = argument.getArgNumber();
      func.setArgAttr(number, kBlocksAttrName, blocks);
      func.removeArgAttr(number, StringAttr::get(func.getContext(),
                                                 NachoDialect::kSizesAttrName));
    }
  Operation *end = func.getBody().back().getTerminator();
  for (auto [n, returned] : llvm::enumerate(end->getOperands()))
    if (Attribute blocks = attribute(returned))
      func.setResultAttr(n, kBlocksAttrName, blocks);
  for (auto &[tensor, blocks] : tensors)
    if (isSplit(blocks))
      tensor.setType(
          typeInBlocks(cast<RankedTensorType>(tensor.getType()), blocks));
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         end->getOperandTypes()));
}

/// An argument that was only an output has the shape of the result, and is
/// split as the result is.
void BlockSplitter::addOutputs() {
  Operation *end = func.getBody().back().getTerminator();
  for (BlockArgument argument : func.getArguments())
    for (Value returned : end->getOperands())
      if (argument.use_empty() && argument.getType() == returned.getType() &&
          tensors.contains(returned)) {
        Blocks blocks = tensors[returned];
        tensors.insert({argument, blocks});
      }
}

LogicalResult BlockSplitter::run() {
  collect();
  if (failed(findBlocks()))
    return failure();
  addOutputs();
  for (auto &[tensor, blocks] : tensors)
    if (failed(verifyTensor(tensor)))
      return failure();
  for (AssignOp op : assigns)
    listEntries(op);
  for (AssignOp op : assigns)
    rewrite(op);
  setSignature();
  return success();
}

namespace {
struct SplitBlocks : nacho::impl::NachoSplitBlocksBase<SplitBlocks> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      WalkResult found = func.walk([](AssignOp op) {
        return llvm::any_of(op->getOperandTypes(), hasBlocks) ||
                       hasBlocks(op.getType())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
      if (found.wasInterrupted() && failed(BlockSplitter(func).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
