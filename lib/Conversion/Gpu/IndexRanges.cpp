//===- IndexRanges.cpp - How large the indices of a kernel may be ---------===//
//
// The bodies of loops are visited until the bounds of what they carry hold for
// one more step.
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"

#include "KernelAccesses.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

static constexpr int64_t kMostThreads = 1024;

static IndexRanges::Range fromTo(int64_t from, int64_t to) {
  return IndexRanges::Range::fromSigned(APInt(64, from, /*isSigned=*/true),
                                        APInt(64, to, /*isSigned=*/true));
}

IndexRanges::Range IndexRanges::anyOf(Value value) {
  return IndexRanges::Range::maxRange(
      IndexRanges::Range::getStorageBitwidth(value.getType()));
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

IndexRanges::Known IndexRanges::known(Value value) const {
  auto found = values.find(value);
  return found == values.end() ? Known{anyOf(value)} : found->second;
}

IndexRanges::Range IndexRanges::of(Value value) const {
  return known(value).range;
}

void IndexRanges::set(Value value, const Range &range, bool countsSteps) {
  values.insert_or_assign(value, Known{range, countsSteps});
}

void IndexRanges::copy(Value value, Value same) {
  values.insert_or_assign(same, known(value));
}

bool IndexRanges::isNarrow(Value value) const {
  Range range = of(value);
  return value.getType().isIndex() && range.smin().isSignedIntN(32) &&
         range.smax().isSignedIntN(32);
}

bool IndexRanges::isShort(Value array) const {
  return cast<MemRefType>(array.getType()).getRank() == 1 &&
         (isShared(array) || lengthOf(array).smax().isSignedIntN(32));
}

bool IndexRanges::isPositive(Value value) const {
  return of(value).smin().isNonNegative();
}

/// Whether an op compares with a number that stands for the lack of a place.
static bool comparesAbovePlaces(Operation *op) {
  auto test = dyn_cast<arith::CmpIOp>(op);
  return test && llvm::any_of(test->getOperands(), [](Value operand) {
           APInt constant;
           return matchPattern(operand, m_ConstantInt(&constant)) &&
                  constant.ugt(INT32_MAX);
         });
}

bool IndexRanges::isLoadedPlace(Operation *op) {
  auto extend = dyn_cast<arith::IndexCastUIOp>(op);
  if (!extend || !extend.getIn().getType().isInteger(32) ||
      llvm::any_of(extend->getUsers(), comparesAbovePlaces))
    return false;
  std::function<bool(Value)> isLoaded = [&](Value value) {
    auto either = value.getDefiningOp<scf::IfOp>();
    if (!either)
      return value.getDefiningOp<memref::LoadOp>() != nullptr;
    unsigned n = cast<OpResult>(value).getResultNumber();
    return isLoaded(either.thenYield().getOperand(n)) &&
           isLoaded(either.elseYield().getOperand(n));
  };
  return isLoaded(extend.getIn());
}

IndexRanges::Range IndexRanges::lengthOf(Value array) const {
  auto found = lengths.find(array);
  if (found != lengths.end())
    return found->second;
  // All arrays that a function of the host takes have been looked at, but those
  // that it allocates are as long as it says.
  if (auto alloc = array.getDefiningOp<gpu::AllocOp>())
    if (!alloc.getDynamicSizes().empty())
      return of(alloc.getDynamicSizes().front());
  if (!isa<BlockArgument>(array))
    return fromTo(0, INT64_MAX);
  // Tables have a row for each part or cut, and there is at least one.
  bool isTable = cast<MemRefType>(array.getType()).getRank() == 2;
  return fromTo(isTable ? 1 : 0, longest);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Joins a range to another one, if there is one.
static void joinTo(std::optional<IndexRanges::Range> &range,
                   const IndexRanges::Range &other) {
  range = range ? range->rangeUnion(other) : other;
}

void IndexRanges::visitHost(FunctionOpInterface host,
                            ArrayRef<func::CallOp> calls) {
  if (host.isExternal())
    return;
  bool isPublic = cast<SymbolOpInterface>(*host).isPublic();
  for (BlockArgument argument : host.getArguments()) {
    std::optional<Range> range;
    if (isPublic)
      range = fromTo(0, longest);
    for (func::CallOp call : isPublic ? ArrayRef<func::CallOp>() : calls)
      joinTo(range, of(call.getOperand(argument.getArgNumber())));
    if (range && argument.getType().isIndex())
      set(argument, *range);
  }
  visit(host.getFunctionBody());
}

void IndexRanges::visitKernel(gpu::GPUFuncOp kernel,
                              MutableArrayRef<gpu::LaunchFuncOp> launches) {
  std::optional<Range> blocks;
  for (gpu::LaunchFuncOp launch : launches)
    joinTo(blocks, of(launch.getGridSizeX()));
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::optional<Range> range;
    bool isArray = isa<MemRefType>(argument.getType());
    if (!launches.empty() &&
        number < launches.front().getKernelOperands().size())
      for (gpu::LaunchFuncOp launch : launches) {
        Value given = launch.getKernelOperands()[number];
        joinTo(range, isArray ? lengthOf(given) : of(given));
      }
    if (range && isArray)
      lengths.insert_or_assign(argument, *range);
    else if (range)
      set(argument, *range);
  }
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](gpu::ThreadIdOp id) {
          set(id.getResult(), fromTo(0, kMostThreads - 1));
        })
        .Case([&](gpu::BlockDimOp size) {
          set(size.getResult(), fromTo(0, kMostThreads));
        })
        .Case([&](gpu::BlockIdOp id) {
          if (blocks && id.getDimension() == gpu::Dimension::x)
            set(id.getResult(), fromTo(0, blocks->smax().getSExtValue()));
        });
  });
  visit(kernel.getBody());
}

void IndexRanges::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op);
}

/// Whether a product is the number of elements of a table: it is no longer than
/// other arrays.
static bool isSizeOfTable(arith::MulIOp product) {
  auto rows = product.getLhs().getDefiningOp<memref::DimOp>();
  auto columns = product.getRhs().getDefiningOp<memref::DimOp>();
  return rows && columns && rows.getSource() == columns.getSource() &&
         cast<MemRefType>(rows.getSource().getType()).getRank() == 2 &&
         rows.getConstantIndex() == 0 && columns.getConstantIndex() == 1;
}

void IndexRanges::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { visitFor(loop); })
      .Case([&](scf::WhileOp loop) { visitWhile(loop); })
      .Case([&](scf::IfOp either) { visitIf(either); })
      .Case([&](memref::DimOp dim) {
        if (dim.getConstantIndex() == 0)
          set(dim.getResult(), lengthOf(dim.getSource()));
      })
      .Case([&](memref::LoadOp load) {
        if (load->hasAttr(NachoDialect::kPlaceAttrName))
          set(load.getResult(), fromTo(0, longest));
      })
      .Case([&](arith::MulIOp product) {
        infer(product);
        if (isSizeOfTable(product))
          set(product.getResult(), fromTo(0, longest));
      })
      .Case<gpu::ThreadIdOp, gpu::BlockDimOp, gpu::BlockIdOp>([](auto) {})
      .Default([&](Operation *other) {
        infer(other);
        for (Region &region : other->getRegions())
          visit(region);
      });
}

/// The result of these is one of two operands.
static std::optional<std::pair<Value, Value>> eitherOf(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return std::pair(select.getTrueValue(), select.getFalseValue());
  if (isa<arith::MinUIOp, arith::MaxUIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::pair(op->getOperand(0), op->getOperand(1));
  return std::nullopt;
}

/// Whether a condition holds only if a number is above another one, and so not
/// zero, if both are positive.
static bool saysAbove(Value condition, Value number) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return saysAbove(both.getLhs(), number) || saysAbove(both.getRhs(), number);
  auto test = condition.getDefiningOp<arith::CmpIOp>();
  return test && test.getPredicate() == arith::CmpIPredicate::ult &&
         test.getRhs() == number;
}

/// Whether a number is less than another one, as signed numbers.
bool IndexRanges::isLess(Value low, Value high) const {
  return areOrdered.contains({low, high}) ||
         (areOrderedUnsigned.contains({low, high}) && isPositive(low) &&
          isPositive(high));
}

/// The bounds of max(x, n) - n, or of x - min(x, n), as unsigned numbers: at
/// most x.
std::optional<IndexRanges::Range>
IndexRanges::rangeOfRest(arith::SubIOp less) const {
  Value all = less.getLhs();
  if (auto max = all.getDefiningOp<arith::MaxUIOp>())
    if (llvm::is_contained(max->getOperands(), less.getRhs()))
      all = max.getLhs() == less.getRhs() ? max.getRhs() : max.getLhs();
  auto min = less.getRhs().getDefiningOp<arith::MinUIOp>();
  bool isLeft = min && llvm::is_contained(min->getOperands(), all);
  if ((!isLeft && all == less.getLhs()) || !isPositive(all))
    return std::nullopt;
  return fromTo(0, of(all).smax().getSExtValue());
}

/// The bounds of n - (m < n ? 1 : 0), or of high - low where a loop goes on
/// while low < high: they are not negative.
std::optional<IndexRanges::Range>
IndexRanges::rangeOfLess(arith::SubIOp less) const {
  Value high = less.getLhs(), low = less.getRhs();
  if (isLess(low, high) && isPositive(low))
    return fromTo(0, of(high).smax().getSExtValue());
  if (auto rest = rangeOfRest(less))
    return rest;
  auto flag = less.getRhs().getDefiningOp<arith::IndexCastUIOp>();
  if (!flag || !flag.getIn().getType().isInteger(1) ||
      !isPositive(less.getLhs()) || !saysAbove(flag.getIn(), less.getLhs()))
    return std::nullopt;
  return of(less.getLhs()).rangeUnion(fromTo(0, 0));
}

/// The bounds of low + (high - low + n - 1) / n, which is at most high where a
/// loop goes on while low < high, for n = 2 or another power of two. So is what
/// lies between that and high. Without n - 1, it is less than high.
std::optional<IndexRanges::Range>
IndexRanges::rangeOfMiddle(arith::AddIOp middle) {
  Value low, high;
  APInt bits, more;
  auto span =
      m_Op<arith::SubIOp>(matchers::m_Any(&high), matchers::m_Any(&low));
  auto below = m_Op<arith::ShRUIOp>(span, m_ConstantInt(&bits));
  auto part = m_Op<arith::ShRUIOp>(
      m_Op<arith::AddIOp>(span, m_ConstantInt(&more)), m_ConstantInt(&bits));
  bool isBelow = matchPattern(middle.getRhs(), below);
  if ((!isBelow && !matchPattern(middle.getRhs(), part)) ||
      low != middle.getLhs() || bits.uge(32) || bits.isZero() ||
      !isLess(low, high))
    return std::nullopt;
  APInt least = of(low).smin(), most = of(high).smax();
  if (isBelow)
    return Range::fromSigned(least, llvm::APIntOps::smax(least, most - 1));
  if (more != (uint64_t(1) << bits.getZExtValue()) - 1)
    return std::nullopt;
  areOrdered.insert({middle, high});
  return Range::fromSigned(least, most);
}

void IndexRanges::infer(Operation *op) {
  if (isLoadedPlace(op))
    return set(op->getResult(0), fromTo(0, INT32_MAX));
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable)
    return;
  SmallVector<Range> operands;
  bool countsSteps = false;
  for (Value operand : op->getOperands()) {
    Known each = known(operand);
    operands.push_back(each.range);
    countsSteps |= each.countsSteps;
  }
  inferable.inferResultRanges(operands, [&](Value result, Range range) {
    if (auto either = eitherOf(op))
      range =
          range.intersection(of(either->first).rangeUnion(of(either->second)));
    if (auto less = dyn_cast<arith::SubIOp>(op))
      range = rangeOfLess(less).value_or(range);
    if (auto middle = dyn_cast<arith::AddIOp>(op))
      range = rangeOfMiddle(middle).value_or(range);
    set(result, range, countsSteps);
  });
}
