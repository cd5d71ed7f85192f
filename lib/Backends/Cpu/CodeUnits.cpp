//===- CodeUnits.cpp - The parts of a module that are compiled apart ------===//
//
// Most instructions of a module pass parameters on, cut, and start parts: that
// takes the same time whatever the operands have. Compiling them with the care
// that the loops need would take longer than compiling these.
//
//===----------------------------------------------------------------------===//

#include "CodeUnits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace nacho;

namespace {
/// The workers of units, each of which belongs to the first unit that has it.
class Workers {
public:
  explicit Workers(const Module &module) : module(module) {}

  /// Returns the workers of a unit.
  std::vector<const Function *> of(const CodeUnit &unit);

private:
  void visit(const Instruction &instruction);
  void add(const Function &function, bool isWorker);

  const Module &module;
  SmallPtrSet<const Function *, 16> known, workers;
  SmallVector<const Function *> open;
  std::vector<const Function *> found;
};
} // namespace

void Workers::add(const Function &function, bool isWorker) {
  if (function.isDeclaration())
    return;
  if (!isWorker && known.insert(&function).second)
    open.push_back(&function);
  if (isWorker && workers.insert(&function).second)
    found.push_back(&function);
}

/// Adds what is called, and functions whose addresses are operands.
void Workers::visit(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  for (const Use &use : instruction.operands()) {
    const Value *value = use.get();
    if (auto *cast = dyn_cast<PtrToIntOperator>(value))
      value = cast->getPointerOperand();
    if (auto *function = dyn_cast<Function>(value))
      add(*function, /*isWorker=*/!call || !call->isCallee(&use));
  }
}

std::vector<const Function *> Workers::of(const CodeUnit &unit) {
  known.clear();
  found.clear();
  for (const std::string &name : unit.functions)
    add(*module.getFunction(name), /*isWorker=*/false);
  while (!open.empty())
    for (const Instruction &instruction : instructions(open.pop_back_val()))
      visit(instruction);
  return found;
}

/// Returns the number of instructions of a function and of those that it calls.
static size_t sizeOf(const Function &function) {
  size_t size = function.getInstructionCount();
  for (const Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (const Function *callee = call->getCalledFunction();
          callee && callee != &function)
        size += sizeOf(*callee);
  return size;
}

/// Divides workers into units of about the same size, for threads that compile
/// one each: the largest go first, to the unit that is the smallest so far.
/// There are as many units as the largest worker makes of them all: more would
/// not be done earlier, but each takes a few milliseconds to begin with.
static std::vector<CodeUnit> divide(ArrayRef<const Function *> workers) {
  constexpr size_t kMostUnits = 4;
  std::vector<std::pair<size_t, size_t>> sized;
  for (auto [n, worker] : enumerate(workers))
    sized.emplace_back(sizeOf(*worker), n);
  sort(sized, [](const auto &one, const auto &other) {
    return one.first != other.first ? one.first > other.first
                                    : one.second < other.second;
  });
  if (sized.empty())
    return {};
  size_t all = 0;
  for (auto [size, n] : sized)
    all += size;
  std::vector<CodeUnit> units(
      std::min(size_t(divideCeil(all, sized.front().first)), kMostUnits));
  std::vector<size_t> sizes(units.size());
  for (auto [size, n] : sized) {
    size_t smallest = min_element(sizes) - sizes.begin();
    units[smallest].functions.push_back(workers[n]->getName().str());
    sizes[smallest] += size;
  }
  return units;
}

std::vector<CodeUnit> nacho::splitWorkers(const Module &module,
                                          ArrayRef<CodeUnit> called) {
  CodeUnit parts{{}, Runs::perPart}, others{{}, Runs::perCall};
  Workers workers(module);
  std::vector<const Function *> visiting;
  for (const CodeUnit &unit : called) {
    append_range(others.functions, unit.functions);
    std::vector<const Function *> found = workers.of(unit);
    if (unit.runs == Runs::perEntry)
      append_range(visiting, found);
    else if (unit.runs == Runs::perPart)
      for (const Function *worker : found)
        parts.functions.push_back(worker->getName().str());
  }
  std::vector<CodeUnit> units = divide(visiting);
  if (!parts.functions.empty())
    units.push_back(std::move(parts));
  units.push_back(std::move(others));
  return units;
}

/// Reads functions, and what they refer to but for functions that are declared
/// here.
static void materialize(SmallVector<User *> open,
                        const SmallPtrSetImpl<const User *> &declared) {
  while (!open.empty()) {
    User *user = open.pop_back_val();
    if (auto *function = dyn_cast<Function>(user);
        function && function->isMaterializable() &&
        !declared.contains(function)) {
      cantFail(function->materialize());
      for (Instruction &instruction : instructions(function))
        open.push_back(&instruction);
    }
    for (Value *operand : user->operands())
      if (auto *constant = dyn_cast<Constant>(operand))
        open.push_back(constant);
  }
}

std::unique_ptr<Module> nacho::readUnit(ArrayRef<char> bitcode,
                                        ArrayRef<CodeUnit> units, size_t number,
                                        LLVMContext &context) {
  MemoryBufferRef buffer(StringRef(bitcode.data(), bitcode.size()), "nacho");
  std::unique_ptr<Module> module =
      cantFail(getLazyBitcodeModule(buffer, context));
  SmallVector<User *> own;
  SmallPtrSet<const User *, 8> others;
  for (auto [n, unit] : enumerate(units))
    for (const std::string &name : unit.functions)
      if (n == number)
        own.push_back(module->getFunction(name));
      else
        others.insert(module->getFunction(name));
  materialize(std::move(own), others);
  for (Function &function : make_early_inc_range(*module)) {
    if (!function.isMaterializable())
      continue;
    if (function.use_empty())
      function.eraseFromParent();
    else
      function.deleteBody();
  }
  cantFail(module->materializeAll());
  return module;
}
