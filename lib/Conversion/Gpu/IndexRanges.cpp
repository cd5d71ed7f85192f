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

/// By how much a number grows, at most, in each step of a loop that counts.
static constexpr int64_t kMostPerStep = 1;
/// How often the body of a loop is visited before all it carries is unknown.
static constexpr int kMostVisits = 4;
static constexpr int64_t kMostThreads = 1024;

static IndexRanges::Range fromTo(int64_t from, int64_t to) {
  return IndexRanges::Range::fromSigned(APInt(64, from, /*isSigned=*/true),
                                        APInt(64, to, /*isSigned=*/true));
}

static IndexRanges::Range anyOf(Value value) {
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

void IndexRanges::visitHost(FunctionOpInterface host) {
  // Functions that others call get what these compute.
  if (host.isExternal())
    return;
  if (cast<SymbolOpInterface>(*host).isPublic())
    for (Value argument : host.getArguments())
      if (argument.getType().isIndex())
        set(argument, fromTo(0, longest));
  visit(host.getFunctionBody());
}

void IndexRanges::visitKernel(gpu::GPUFuncOp kernel,
                              MutableArrayRef<gpu::LaunchFuncOp> launches) {
  std::optional<Range> blocks;
  auto joinTo = [](std::optional<Range> &range, const Range &other) {
    range = range ? range->rangeUnion(other) : other;
  };
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

/// The bounds of n - (m < n ? 1 : 0), which is not negative.
std::optional<IndexRanges::Range>
IndexRanges::rangeOfLess(arith::SubIOp less) const {
  auto flag = less.getRhs().getDefiningOp<arith::IndexCastUIOp>();
  if (!flag || !flag.getIn().getType().isInteger(1) ||
      !isPositive(less.getLhs()) || !saysAbove(flag.getIn(), less.getLhs()))
    return std::nullopt;
  return of(less.getLhs()).rangeUnion(fromTo(0, 0));
}

/// The bounds of low + (high - low + n - 1) / n, which is at most high where a
/// loop goes on while low < high, for n = 2 or another power of two. So is what
/// lies between that and high.
std::optional<IndexRanges::Range>
IndexRanges::rangeOfMiddle(arith::AddIOp middle) {
  Value low, high;
  APInt bits, more;
  auto span =
      m_Op<arith::SubIOp>(matchers::m_Any(&high), matchers::m_Any(&low));
  auto part = m_Op<arith::ShRUIOp>(
      m_Op<arith::AddIOp>(span, m_ConstantInt(&more)), m_ConstantInt(&bits));
  if (!matchPattern(middle.getRhs(), part) || low != middle.getLhs() ||
      bits.uge(32) || more != (uint64_t(1) << bits.getZExtValue()) - 1 ||
      !areOrdered.contains({low, high}))
    return std::nullopt;
  areOrdered.insert({middle, high});
  return Range::fromSigned(of(low).smin(), of(high).smax());
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

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void IndexRanges::join(ValueRange results, ValueRange one, ValueRange other) {
  for (auto [result, x, y] : llvm::zip(results, one, other)) {
    Known first = known(x), second = known(y);
    set(result, first.range.rangeUnion(second.range),
        first.countsSteps || second.countsSteps);
  }
}

/// Visits a branch. Where it is done only if a number is at least another one,
/// the bounds of the number are narrower.
void IndexRanges::visitThen(scf::IfOp op) {
  auto test = op.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!test || test.getPredicate() != arith::CmpIPredicate::sge)
    return visit(op.getThenRegion());
  Value number = test.getLhs();
  Known before = known(number);
  APInt most = before.range.smax(), least = of(test.getRhs()).smin();
  least = llvm::APIntOps::smax(before.range.smin(), least);
  set(number, Range::fromSigned(llvm::APIntOps::smin(least, most), most),
      before.countsSteps);
  visit(op.getThenRegion());
  set(number, before.range, before.countsSteps);
}

void IndexRanges::visitIf(scf::IfOp op) {
  visitThen(op);
  visit(op.getElseRegion());
  if (op.getNumResults())
    join(op.getResults(), op.thenYield().getOperands(),
         op.elseYield().getOperands());
}

void IndexRanges::start(ValueRange carried, ValueRange first) {
  join(carried, first, first);
}

/// How far the signed bounds of one range reach beyond those of another.
static int64_t growthOf(const IndexRanges::Range &old,
                        const IndexRanges::Range &now) {
  bool overflows = false, other = false;
  APInt up = now.smax().ssub_ov(old.smax(), overflows);
  APInt down = old.smin().ssub_ov(now.smin(), other);
  return overflows || other ? INT64_MAX
                            : std::max(up.getSExtValue(), down.getSExtValue());
}

/// Returns whether the bounds of what a loop carries had to be widened.
bool IndexRanges::widen(Value carried, const Known &next) {
  Known now = known(carried);
  Range all = now.range.rangeUnion(next.range);
  if (all == now.range && now.countsSteps >= next.countsSteps)
    return false;
  if (!carried.getType().isIndex() || growthOf(now.range, all) > kMostPerStep) {
    set(carried, all, now.countsSteps || next.countsSteps);
    return true;
  }
  if (now.countsSteps)
    return false;
  bool goesUp = all.smax().sgt(now.range.smax());
  bool goesDown = all.smin().slt(now.range.smin());
  auto reach = [&](const APInt &bound, bool moves, int64_t by) {
    return moves ? bound.sadd_sat(APInt(64, by, /*isSigned=*/true)) : bound;
  };
  // Steps that are counted already have been counted by an inner loop.
  int64_t steps = next.countsSteps ? 0 : kStepsPerElement * longest;
  set(carried,
      Range::fromSigned(reach(all.smin(), goesDown, -steps),
                        reach(all.smax(), goesUp, steps)),
      /*countsSteps=*/true);
  return true;
}

bool IndexRanges::widen(ValueRange carried, ValueRange next, bool gaveUp) {
  bool isWider = false;
  for (auto [value, after] : llvm::zip(carried, next)) {
    if (!widen(value, known(after)))
      continue;
    isWider = true;
    if (gaveUp)
      set(value, anyOf(value), /*countsSteps=*/true);
  }
  return isWider;
}

void IndexRanges::visitWhile(scf::WhileOp loop) {
  start(loop.getBeforeArguments(), loop.getInits());
  scf::ConditionOp condition = loop.getConditionOp();
  auto test = condition.getCondition().getDefiningOp<arith::CmpIOp>();
  if (test && test.getPredicate() == arith::CmpIPredicate::slt)
    for (auto [x, low] :
         llvm::zip(condition.getArgs(), loop.getAfterArguments()))
      for (auto [y, high] :
           llvm::zip(condition.getArgs(), loop.getAfterArguments()))
        if (x == test.getLhs() && y == test.getRhs())
          areOrdered.insert({low, high});
  for (int visits = 1;; ++visits) {
    visit(loop.getBefore());
    start(loop.getAfterArguments(), loop.getConditionOp().getArgs());
    visit(loop.getAfter());
    if (!widen(loop.getBeforeArguments(), loop.getYieldOp().getOperands(),
               visits >= kMostVisits))
      break;
  }
  start(loop.getResults(), loop.getConditionOp().getArgs());
}

void IndexRanges::visitFor(scf::ForOp loop) {
  Range lower = of(loop.getLowerBound()), upper = of(loop.getUpperBound());
  if (loop.getInductionVar().getType().isIndex()) {
    // A loop whose step may be negative as a signed number is not looked into.
    bool isUp = isPositive(loop.getStep());
    APInt last = upper.smax().ssub_sat(APInt(64, 1));
    set(loop.getInductionVar(),
        isUp ? Range::fromSigned(lower.smin(),
                                 llvm::APIntOps::smax(last, lower.smin()))
             : anyOf(loop.getInductionVar()));
  }
  start(loop.getRegionIterArgs(), loop.getInitArgs());
  if (loop.getNumResults() == 0)
    return visit(loop.getRegion());
  for (int visits = 1;; ++visits) {
    visit(loop.getRegion());
    if (!widen(loop.getRegionIterArgs(), loop.getYieldedValues(),
               visits >= kMostVisits))
      break;
  }
  join(loop.getResults(), loop.getRegionIterArgs(), loop.getInitArgs());
}
