//===- Algebra.cpp - Every operator of the table against its values -------===//
//
// What ElementAlgebra derives for an operator is compared with what the
// operator computes: of sparse and dense operands, of numbers that only a run
// knows, and of constants, with all entries of sparse operands present or
// absent. The operators are the records of the table: a new record is tested
// without a change here.
//
//===----------------------------------------------------------------------===//

#include "Truth.h"
#include "Unit.h"

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace nacho;
using namespace nacho::unit;

namespace {
/// An operator, with what it computes.
struct Tested {
  std::string mnemonic;
  unsigned arity;
  Annihilator annihilator = Annihilator::none;
  std::function<double(ArrayRef<double>)> compute;

  bool isChoice() const { return arity == 3; }
};

/// How an operand is given. A number is known when the kernel runs, a constant
/// when it is compiled.
enum class Given { sparse, dense, number, constant };

struct Operand {
  Given given;
  double constant = 0;

  bool isTensor() const {
    return given == Given::sparse || given == Given::dense;
  }
};

/// An operator on some operands, and what is derived for it.
struct Case {
  const Tested &tested;
  ArrayRef<Operand> operands;
  ElementFacts facts;
  bool mayLeak;

  std::string name() const {
    std::string text = tested.mnemonic;
    for (const Operand &operand : operands) {
      const char *const names[] = {" sparse", " dense", " number", " "};
      text += names[static_cast<int>(operand.given)];
      if (operand.given == Given::constant)
        text += std::to_string(operand.constant);
    }
    return text + ", pattern " + show(facts.pattern);
  }
};
} // namespace

static std::vector<Tested> allOperators() {
  std::vector<Tested> all;
  // Operands are of f64, which has no bits to compute with, and no imaginary
  // part: whatever entries there are, it is the background.
  for (const UnaryOperator &record : unaryOperators())
    if (!record.isIntegral && record.kind != UnaryKind::imag)
      all.push_back({"nacho.unary " + record.name.str(), 1, Annihilator::none,
                     [&](ArrayRef<double> x) { return record.compute(x[0]); }});
  for (const BinaryOperator &record : binaryOperators())
    if (!record.isIntegral)
      all.push_back(
          {"nacho.binary " + record.name.str(), 2, record.annihilator,
           [&](ArrayRef<double> x) { return record.compute(x[0], x[1]); }});
  for (const Comparison &record : comparisons())
    all.push_back(
        {"nacho.compare " + record.name.str(), 2, Annihilator::none,
         [&](ArrayRef<double> x) { return record.compute(x[0], x[1]); }});
  all.push_back({"nacho.select", 3, Annihilator::none,
                 [](ArrayRef<double> x) { return x[0] != 0 ? x[1] : x[2]; }});
  return all;
}

//===----------------------------------------------------------------------===//
// What is derived
//===----------------------------------------------------------------------===//

/// The text of: Z[i] = an operator of A0[i], A1[i], ..., without the indices of
/// what is a number.
static std::string assignment(const Tested &tested,
                              ArrayRef<Operand> operands) {
  std::string arguments, bindings, constants, values;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    std::string n = std::to_string(number);
    std::string element = tested.isChoice() && number == 0 ? "i1" : "f64";
    values += (number ? ", %x" : " %x") + n;
    if (operand.given == Given::constant) {
      std::string value = element == "i1"
                              ? operand.constant ? "true" : "false"
                              : std::to_string(operand.constant) + " : f64";
      constants += "%x" + n + " = arith.constant " + value + "\n";
      continue;
    }
    std::string type = "tensor<" + element + ">";
    if (operand.isTensor())
      type = "tensor<?x" + element +
             (operand.given == Given::sparse ? ", #S>" : ", #D>");
    arguments += (arguments.empty() ? "%A" : ", %A") + n + " : " + type;
    bindings += (bindings.empty() ? "%x" : ", %x") + n + " = %A" + n +
                (operand.isTensor() ? "[i] : " : "[] : ") + type;
  }
  bool isComparison = StringRef(tested.mnemonic).starts_with("nacho.compare");
  std::string element = isComparison ? "i1" : "f64";
  std::string result = "tensor<?x" + element + ", #D>";
  return "#S = #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>\n"
         "#D = #sparse_tensor.encoding<{map = (d0) -> (d0 : dense)}>\n"
         "func.func @f(" +
         arguments + ") -> " + result + " {\n%Z = nacho.assign (" + bindings +
         ") -> [i] : " + result + " {\n" + constants +
         "%value = " + tested.mnemonic + values + " : f64\n" +
         "nacho.yield %value : " + element + "\n}\nreturn %Z : " + result +
         "\n}\n";
}

/// The numbers of inputs as those of operands: constants are no inputs.
static MergeAttr overOperands(MergeAttr pattern, ArrayRef<Operand> operands) {
  SmallVector<unsigned> inputs;
  for (auto [number, operand] : llvm::enumerate(operands))
    if (operand.given != Given::constant)
      inputs.push_back(number);
  return mapLeaves(pattern, [&](unsigned input) { return inputs[input]; });
}

static Case derive(MLIRContext &context, const Tested &tested,
                   ArrayRef<Operand> operands) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      assignment(tested, operands), ParserConfig(&context));
  AssignOp assign;
  module->walk([&](AssignOp op) { assign = op; });
  ElementAlgebra algebra(assign);
  Value value = assign.getBodyBlock()->getTerminator()->getOperand(0);
  ElementFacts facts = algebra.get(value);
  facts.pattern = overOperands(facts.pattern, operands);
  return {tested, operands, facts, algebra.mayLeak(value)};
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

static bool isSame(double x, double y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

/// What the notation says that an operator is: zeros of absent operands
/// annihilate. Nothing where two operands are absent of which one is divided by
/// the other, as 0 / 0.
static std::optional<double> valueOf(const Case &c, ArrayRef<double> x,
                                     unsigned present) {
  auto isAbsent = [&](unsigned n) {
    return c.operands[n].isTensor() && !isIn(n, present);
  };
  if (c.tested.annihilator == Annihilator::either &&
      (isAbsent(0) || isAbsent(1)))
    return 0.0;
  if (c.tested.annihilator == Annihilator::dividend && isAbsent(0)) {
    bool isSparse = c.operands[1].given == Given::sparse;
    if (isSparse && isAbsent(1) && c.tested.compute({0.0, 0.0}) != 0)
      return {};
    return 0.0;
  }
  return c.tested.compute(x);
}

/// Calls `visit` with every choice of values: those of absent operands are 0.
static void forSamples(const Case &c, unsigned present,
                       llvm::function_ref<void(ArrayRef<double>)> visit) {
  static const double infinity = std::numeric_limits<double>::infinity();
  static const double numbers[] = {-5, -2, 0, 0.5, 3, infinity};
  static const double bools[] = {0, 1}, zero[] = {0};
  SmallVector<ArrayRef<double>> choices;
  for (auto [n, operand] : llvm::enumerate(c.operands)) {
    if (operand.given == Given::constant)
      choices.push_back(operand.constant);
    else if (operand.isTensor() && !isIn(n, present))
      choices.push_back(zero);
    else
      choices.push_back(c.tested.isChoice() && n == 0 ? ArrayRef(bools)
                                                      : ArrayRef(numbers));
  }
  SmallVector<size_t> at(choices.size(), 0);
  while (true) {
    SmallVector<double> sample;
    for (auto [n, values] : llvm::enumerate(choices))
      sample.push_back(values[at[n]]);
    visit(sample);
    size_t n = 0;
    while (n < at.size() && ++at[n] == choices[n].size())
      at[n++] = 0;
    if (n == at.size())
      return;
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The background is known if, and only if, numbers make no difference to it.
/// That it is NaN, as that of fmod(s, A[i]) is for all s, need not be known.
static void checkBackground(const Case &c) {
  std::optional<double> background;
  bool isKnown = true, isFirst = true;
  forSamples(c, /*present=*/0, [&](ArrayRef<double> x) {
    std::optional<double> value = valueOf(c, x, /*present=*/0);
    isKnown &= value && (isFirst || isSame(*value, *background));
    background = value;
    isFirst = false;
  });
  if (isKnown && std::isnan(*background) && !c.facts.background)
    return;
  check(c.facts.background.has_value() == isKnown, [&] {
    return c.name() +
           ": background should be known: " + std::to_string(isKnown);
  });
  if (isKnown && c.facts.background)
    check(isSame(*c.facts.background, *background), [&] {
      return c.name() + ": background " + std::to_string(*c.facts.background) +
             " should be " + std::to_string(*background);
    });
}

/// Whether an operator of constants can have a pattern that its values need
/// not.
static bool isPatternExact(const Case &c) {
  return !c.tested.isChoice() ||
         llvm::all_of(c.operands, [](Operand o) { return o.isTensor(); });
}

/// Outside of the pattern every value is the background, and inside of it some
/// value is not.
static void checkPattern(const Case &c, unsigned present) {
  bool holds = holdsAt(c.facts.pattern, present), differs = false;
  forSamples(c, present, [&](ArrayRef<double> x) {
    std::optional<double> value = valueOf(c, x, present);
    differs |= value && !isSame(*value, *c.facts.background);
    if (!holds && !c.mayLeak && c.facts.isZeroPreserving())
      check(c.tested.compute(x) == 0, [&] {
        return c.name() + ": arithmetic leaks at " + std::to_string(present);
      });
  });
  check(holds || !differs, [&] {
    return c.name() + ": not the background at " + std::to_string(present);
  });
  if (isPatternExact(c))
    check(!holds || differs, [&] {
      return c.name() + ": always the background at " + std::to_string(present);
    });
}

static void checkCase(const Case &c) {
  checkBackground(c);
  if (!c.facts.background)
    return;
  unsigned dense = 0;
  for (auto [n, operand] : llvm::enumerate(c.operands))
    dense |= unsigned(operand.given == Given::dense) << n;
  for (unsigned present = 0; present < 1u << c.operands.size(); ++present)
    if ((present & dense) == dense)
      checkPattern(c, present);
}

/// The table must say of an operator what its arithmetic says: which finite
/// operands a zero annihilates, and what a reduction can start with.
static void checkRecord(const BinaryOperator &record) {
  // Integers have no fractions.
  const double numbers[] = {-5, -2, record.isIntegral ? 1 : 0.5, 3};
  bool isLeft = true, isRight = true;
  for (double x : numbers) {
    isLeft &= record.compute(0, x) == 0;
    isRight &= record.compute(x, 0) == 0;
  }
  Annihilator annihilator = isLeft && isRight ? Annihilator::either
                            : isLeft          ? Annihilator::dividend
                                              : Annihilator::none;
  check(record.annihilator == annihilator,
        [&] { return record.name.str() + ": not its annihilator"; });

  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<Identity, double> identities[] = {
      {Identity::zero, 0},
      {Identity::one, 1},
      {Identity::bits, -1},
      {Identity::largest, infinity},
      {Identity::smallest, -infinity},
      {Identity::nan, std::numeric_limits<double>::quiet_NaN()}};
  Identity identity = Identity::none;
  for (auto [candidate, start] : identities)
    if (llvm::all_of(numbers, [&, start = start](double x) {
          return record.compute(start, x) == x && record.compute(x, start) == x;
        }))
      identity = candidate;
  check(record.identity == identity,
        [&] { return record.name.str() + ": not its identity"; });
}

/// All ways in which the operands of an operator can be given; one has indices.
static void forOperands(const Tested &tested,
                        llvm::function_ref<void(ArrayRef<Operand>)> visit) {
  const Operand all[] = {{Given::sparse},        {Given::dense},
                         {Given::number},        {Given::constant, 0},
                         {Given::constant, 0.5}, {Given::constant, -2}};
  unsigned numCases = std::pow(std::size(all), tested.arity);
  for (unsigned number = 0; number < numCases; ++number) {
    SmallVector<Operand> operands;
    for (unsigned rest = number; operands.size() < tested.arity;
         rest /= std::size(all))
      operands.push_back(all[rest % std::size(all)]);
    if (llvm::any_of(operands, [](Operand o) { return o.isTensor(); }))
      visit(operands);
  }
}

NACHO_SUITE("algebra") {
  for (const BinaryOperator &record : binaryOperators())
    checkRecord(record);
  for (const Tested &tested : allOperators())
    forOperands(tested, [&](ArrayRef<Operand> operands) {
      checkCase(derive(context, tested, operands));
    });
}
