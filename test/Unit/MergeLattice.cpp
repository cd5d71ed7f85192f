//===- MergeLattice.cpp - Merge expressions against their truth tables ----===//
//
// A merge expression of n operands is a function of the set of operands that
// have a coordinate. Its truth table has a bit for each of the 2^n sets, and
// what the analysis says of expressions is compared with what their tables say.
//
//===----------------------------------------------------------------------===//

#include "Truth.h"
#include "Unit.h"

#include "nacho/Analysis/MergeLattice.h"

#include "mlir/IR/OwningOpRef.h"

#include <random>

using namespace mlir;
using namespace nacho;
using namespace nacho::unit;

namespace {
/// Bit s: what an expression is where the operands of the set s are present.
using Table = uint32_t;
} // namespace

static Table tableOf(MergeAttr merge, unsigned numOperands) {
  Table table = 0;
  for (unsigned set = 0; set < 1u << numOperands; ++set)
    table |= Table(holdsAt(merge, set)) << set;
  return table;
}

static bool isSimple(MergeAttr merge) {
  if (merge.isLeaf())
    return true;
  llvm::SmallDenseSet<Attribute> distinct(merge.getArgs().begin(),
                                          merge.getArgs().end());
  return merge.getArgs().size() != 1 &&
         distinct.size() == merge.getArgs().size() &&
         llvm::all_of(merge.children(), [&](MergeAttr child) {
           return child.getKind() != merge.getKind() && !isAlways(child) &&
                  !isNever(child) && isSimple(child);
         });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

using Build = MergeAttr (*)(MLIRContext *, ArrayRef<MergeAttr>);

/// As it is written, with whatever repetitions and single arguments there are.
template <MergeKind kind>
static MergeAttr spell(MLIRContext *context, ArrayRef<MergeAttr> args) {
  return MergeAttr::get(context, kind,
                        SmallVector<Attribute>(args.begin(), args.end()));
}

/// Never, always and the leaves, which are atoms; and what is made of them by
/// up to two operators in a row.
static SmallVector<MergeAttr> smallMerges(MLIRContext &context,
                                          unsigned numOperands, Build unite,
                                          Build intersect) {
  llvm::SetVector<MergeAttr> merges;
  merges.insert(unite(&context, {}));
  merges.insert(intersect(&context, {}));
  for (unsigned operand : llvm::seq(numOperands))
    merges.insert(MergeAttr::get(&context, operand));
  SmallVector<MergeAttr> atoms(merges.getArrayRef());
  for ([[maybe_unused]] unsigned round : llvm::seq(2)) {
    // One of the two arguments is an atom.
    SmallVector<MergeAttr> before(merges.getArrayRef());
    for (Build build : {unite, intersect})
      for (MergeAttr a : before) {
        merges.insert(build(&context, a));
        for (MergeAttr b : atoms)
          merges.insert(build(&context, {a, b}));
      }
  }
  return SmallVector<MergeAttr>(merges.getArrayRef());
}

/// Expressions of any shape, up to three arguments wide and `depth` deep.
static MergeAttr randomMerge(MLIRContext &context, unsigned numOperands,
                             unsigned depth, std::mt19937 &random, Build unite,
                             Build intersect) {
  if (depth == 0 || random() % 4 == 0)
    return MergeAttr::get(&context, unsigned(random() % numOperands));
  SmallVector<MergeAttr> args(random() % 4);
  for (MergeAttr &arg : args)
    arg =
        randomMerge(context, numOperands, depth - 1, random, unite, intersect);
  return (random() % 2 ? unite : intersect)(&context, args);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static void checkSimplification(MergeAttr a, MergeAttr b, unsigned n) {
  MLIRContext *context = a.getContext();
  MergeAttr both = uniteMerges(context, {a, b});
  check(tableOf(both, n) == (tableOf(a, n) | tableOf(b, n)),
        [&] { return show(a) + " or " + show(b) + " is not " + show(both); });
  MergeAttr common = intersectMerges(context, {a, b});
  check(tableOf(common, n) == (tableOf(a, n) & tableOf(b, n)), [&] {
    return show(a) + " and " + show(b) + " is not " + show(common);
  });
  if (!isSimple(a) || !isSimple(b))
    return;
  for (MergeAttr merge : {both, common})
    check(isSimple(merge), [&] { return "not simple: " + show(merge); });
}

static void checkImplication(MergeAttr a, MergeAttr b, unsigned n) {
  bool expected = (tableOf(a, n) & ~tableOf(b, n)) == 0;
  check(implies(a, b) == expected, [&] {
    return show(a) + (expected ? " implies " : " does not imply ") + show(b);
  });
}

/// What holds wherever one of the operands is, and what holds anywhere at all.
static void checkConstants(MergeAttr merge, unsigned n) {
  Table table = tableOf(merge, n), everything = ~(~Table(0) << (1u << n));
  check(holdsAtAny(merge, n) == ((table | 1) == everything),
        [&] { return "holds at any: " + show(merge); });
  if (!isSimple(merge))
    return;
  check(isAlways(merge) == (table == everything),
        [&] { return "always: " + show(merge); });
  check(isNever(merge) == (table == 0),
        [&] { return "never: " + show(merge); });
}

/// Operands that have every coordinate are taken to be present.
static void checkDomain(MergeAttr merge, unsigned n) {
  for (unsigned full = 0; full < 1u << n; ++full) {
    MergeAttr domain = iterationDomain(
        merge, [&](unsigned operand) { return isIn(operand, full); });
    bool isRight = true;
    for (unsigned set = 0; set < 1u << n; ++set)
      isRight &= holdsAt(domain, set) == holdsAt(merge, set | full);
    for (unsigned operand : llvm::seq(n))
      isRight &= !(isIn(operand, full) && domain.mentions(operand));
    check(isRight, [&] {
      return "domain of " + show(merge) + " with all of " +
             std::to_string(full) + ": " + show(domain);
    });
  }
}

/// Every renumbering, also those that make one operand of two.
static void checkRenumbering(MergeAttr merge, unsigned n) {
  unsigned numMaps = 1;
  for ([[maybe_unused]] unsigned operand : llvm::seq(n))
    numMaps *= n;
  for (unsigned code = 0; code < numMaps; ++code) {
    SmallVector<unsigned> map;
    for (unsigned rest = code; map.size() < n; rest /= n)
      map.push_back(rest % n);
    MergeAttr mapped =
        mapLeaves(merge, [&](unsigned operand) { return map[operand]; });
    bool isRight = true;
    for (unsigned set = 0; set < 1u << n; ++set) {
      unsigned preimage = 0;
      for (unsigned operand : llvm::seq(n))
        preimage |= unsigned(isIn(map[operand], set)) << operand;
      isRight &= holdsAt(mapped, set) == holdsAt(merge, preimage);
    }
    check(isRight, [&] { return show(merge) + " becomes " + show(mapped); });
  }
}

/// The value of emitted code.
static bool valueOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return !cast<IntegerAttr>(constant.getValue()).getValue().isZero();
  bool x = valueOf(op->getOperand(0)), y = valueOf(op->getOperand(1));
  return isa<arith::AndIOp>(op) ? x && y : x || y;
}

/// Emitted code computes the expression, also where operands are known to be
/// present, of which there is no value.
static void checkCode(MergeAttr merge, unsigned n) {
  Location loc = UnknownLoc::get(merge.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  auto b = ImplicitLocOpBuilder::atBlockBegin(loc, module->getBody());
  for (unsigned known = 0; known < 1u << n; ++known)
    for (unsigned set = 0; set < 1u << n; ++set) {
      SmallVector<Condition> leaves(n, kAlways);
      for (unsigned operand : llvm::seq(n))
        if (!isIn(operand, known))
          leaves[operand] =
              arith::ConstantIntOp::create(b, isIn(operand, set), 1);
      Condition holds = emitMerge(b, merge, leaves);
      bool value = holds.isAlways() || valueOf(holds.flag());
      check(value == holdsAt(merge, set | known), [&] {
        return "code for " + show(merge) + " at " + std::to_string(set) +
               ", known to have " + std::to_string(known);
      });
    }
}

NACHO_SUITE("merge-lattice") {
  // Every small expression of two operands, with every other one.
  constexpr unsigned two = 2, four = 4;
  SmallVector<MergeAttr> simple =
      smallMerges(context, two, uniteMerges, intersectMerges);
  SmallVector<MergeAttr> spelled = smallMerges(
      context, two, spell<MergeKind::unite>, spell<MergeKind::intersect>);
  for (ArrayRef<MergeAttr> merges : {ArrayRef(simple), ArrayRef(spelled)})
    for (MergeAttr a : merges) {
      checkConstants(a, two);
      checkDomain(a, two);
      checkRenumbering(a, two);
      checkCode(a, two);
      for (MergeAttr b : merges.take_front(64)) {
        checkSimplification(a, b, two);
        checkImplication(a, b, two);
        checkImplication(b, a, two);
      }
    }

  // Larger ones of up to four operands, at random, but the same each time.
  std::mt19937 random(1);
  for (unsigned round = 0; round < 1000; ++round) {
    unsigned n = 3 + round % 2;
    bool isSimple = round % 4 < 2;
    auto draw = [&] {
      return randomMerge(context, n, 3, random,
                         isSimple ? uniteMerges : spell<MergeKind::unite>,
                         isSimple ? intersectMerges
                                  : spell<MergeKind::intersect>);
    };
    MergeAttr a = draw(), b = draw();
    checkConstants(a, n);
    checkDomain(a, n);
    checkSimplification(a, b, n);
    checkImplication(a, b, n);
    checkImplication(intersectMerges(&context, {a, b}), a, n);
    checkImplication(a, uniteMerges(&context, {a, b}), n);
    if (round % 20 < 2) {
      checkRenumbering(a, n);
      checkCode(a, n);
    }
  }
  static_assert(1u << four <= sizeof(Table) * 8 / 2);
}
