//===- AheadOfTime.cpp - Kernels compiled ahead of time -------------------===//
//
// A kernel that a process compiles gets its variants one by one, as operands
// ask for them. Here, the variants with which calls begin are compiled, and the
// plain one for all that the chooser can ask for after a refusal. Most modules
// have two that differ.
//
//===----------------------------------------------------------------------===//

#include "nacho/Compiler/AheadOfTime.h"

#include "Compilation.h"
#include "KernelFacts.h"
#include "ModuleReader.h"
#include "nacho/Compiler/PackedEntry.h"
#include "nacho/Execution/KernelImage.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// The variants
//===----------------------------------------------------------------------===//

/// Excludes variants with heavy rows, pieces of rows, and branches: they make
/// some operands faster, and every program larger.
static Pins pinsAhead() {
  Pins pins;
  pins.rows.most = Rows::whole;
  pins.branching.most = Branching::selects;
  return pins;
}

/// The variant that a program has for another one. What begins every call is
/// there; of what follows a refusal, only the plain variant, which takes all
/// operands. No entries are counted, or drafted, for a dense result.
static Variant substitute(Variant variant, bool isDense) {
  if (isDense)
    variant.fill = Fill::counted;
  if (variant.rows == Rows::whole && (variant.fill != Fill::counted || isDense))
    return variant;
  Variant plain;
  plain.products = variant.products;
  plain.dense = variant.dense;
  return plain;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Whether an op names a function of a library.
static bool isDeclaration(Operation &op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function && function.isExternal();
}

/// Gives every function and global that a module defines a name that begins
/// with `prefix`.
static void addPrefix(ModuleOp module, StringRef prefix) {
  llvm::DenseMap<StringAttr, FlatSymbolRefAttr> renamed;
  for (Operation &op : *module.getBody()) {
    if (!isa<SymbolOpInterface>(op) || isDeclaration(op))
      continue;
    StringAttr old = SymbolTable::getSymbolName(&op);
    auto name = StringAttr::get(op.getContext(), prefix + old.getValue());
    renamed[old] = FlatSymbolRefAttr::get(name);
    SymbolTable::setSymbolName(&op, name);
  }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr reference) {
    return renamed.lookup_or(reference.getAttr(), reference);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true);
}

/// Makes internal all that a module defines: LLVM then drops what nobody calls.
static void makeInternal(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      function.setLinkage(LLVM::Linkage::Internal);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// Compiles the variants of one kernel, one after the other.
class AheadCompiler {
public:
  AheadCompiler(const std::string &text, const CompileOptions &options,
                const Backend &backend, Failure &error)
      : text(text), options(options), backend(backend), error(error) {}

  std::optional<StaticCode> run();
  /// Returns whether the kernel can be lowered so far that nothing is refused
  /// from there on.
  bool canRun();

private:
  LogicalResult readSignature();
  Compilation compilationOfCopy() {
    return Compilation(*module, error, /*namesPlaces=*/false);
  }
  FailureOr<size_t> programOf(const Variant &variant);
  FailureOr<size_t> programOf(Compilation &compilation,
                              const CompileOptions &asked);
  void addFunctions(ModuleOp module, ArrayRef<StepFunctions> steps,
                    ProgramImage &program);

  const std::string &text;
  const CompileOptions &options;
  const Backend &backend;
  Failure &error;
  std::shared_ptr<const AssignedModule> module;
  std::string name;
  bool isDenseResult = false;
  KernelImage image;
  StaticCode code;
  llvm::StringSet<> declared; ///< The functions that `code` declares.
  /// The numbers of programs, by the text of their loops with the choices that
  /// still matter, and by their text at the stage `assemble`.
  std::map<std::string, size_t> byLoops, byParts;
};
} // namespace

LogicalResult AheadCompiler::readSignature() {
  module = readModule(text, error, /*namesPlaces=*/false);
  if (!module)
    return failure();
  Compilation compilation = compilationOfCopy();
  FailureOr<func::FuncOp> func = compilation.onlyFunction();
  if (failed(func) || failed(readOperands(*func, image.operands)))
    return failure();
  name = func->getName().str();
  code.blocks = readBlocks(*func);
  auto result = dyn_cast<RankedTensorType>(func->getResultTypes().front());
  isDenseResult = result && isDense(result);
  image.pins = pinsAhead();
  image.facts = readFacts(compilation, backend, options, image.operands);
  return success();
}

/// Adds the functions of a program, which get names of their own, to the code.
void AheadCompiler::addFunctions(ModuleOp module, ArrayRef<StepFunctions> steps,
                                 ProgramImage &program) {
  std::string prefix = name + "_" + std::to_string(image.programs.size()) + "_";
  for (const StepFunctions &functions : steps) {
    StepNumbers &numbers = program.functions.emplace_back();
    for (auto [function, number] : llvm::zip(functions, numbers)) {
      if (function.empty())
        continue;
      number = code.functions.size();
      code.functions.push_back(prefix + function + "_entry");
      addPackedEntry(module, function, function + "_entry");
    }
  }
  addPrefix(module, prefix);
  makeInternal(module);
  llvm::raw_string_ostream stream(code.module);
  for (Operation &op : *module.getBody()) {
    // Programs declare the same functions of libraries.
    if (isDeclaration(op) &&
        !declared.insert(SymbolTable::getSymbolName(&op)).second)
      continue;
    op.print(stream, OpPrintingFlags().useLocalScope());
    stream << '\n';
  }
}

/// Compiles what has been lowered to loops, unless there is such a program.
FailureOr<size_t> AheadCompiler::programOf(Compilation &compilation,
                                           const CompileOptions &asked) {
  ProgramImage program;
  program.variant = asked.variant;
  std::vector<std::string> names;
  if (failed(lowerToSteps(compilation, backend, asked, program.steps, names)))
    return failure();
  auto [known, isNew] =
      byParts.emplace(compilation.print(), image.programs.size());
  if (!isNew)
    return known->second;
  if (failed(compilation.runTo(backend.stages().back().name, backend, asked)))
    return failure();
  addFunctions(*compilation.module, exportedBy(*compilation.module, names),
               program);
  image.programs.push_back(std::move(program));
  return known->second;
}

FailureOr<size_t> AheadCompiler::programOf(const Variant &variant) {
  CompileOptions asked = options;
  asked.variant = variant;
  Compilation compilation = compilationOfCopy();
  if (failed(compilation.runTo("loops", backend, asked)))
    return failure();
  // These choices are those of earlier stages.
  CompileOptions rest = asked;
  rest.variant.rows = Rows::shared;
  rest.variant.products = Products::scattered;
  rest.variant.dense = Dense::stored;
  std::string key = rest.key() + compilation.print();
  auto known = byLoops.find(key);
  if (known == byLoops.end()) {
    FailureOr<size_t> made = programOf(compilation, asked);
    if (failed(made))
      return failure();
    known = byLoops.emplace(key, *made).first;
  }
  return known->second;
}

std::optional<StaticCode> AheadCompiler::run() {
  if (failed(readSignature()))
    return std::nullopt;
  std::map<size_t, size_t> programs;
  for (const Variant &variant : Chooser(image.pins, image.facts).reachable()) {
    Variant made = substitute(variant, isDenseResult);
    auto known = programs.find(made.number());
    if (known == programs.end()) {
      FailureOr<size_t> program = programOf(made);
      if (failed(program))
        return std::nullopt;
      known = programs.emplace(made.number(), *program).first;
    }
    image.variants.emplace_back(variant.number(), known->second);
  }
  code.image = writeImage(std::move(image));
  return std::move(code);
}

bool AheadCompiler::canRun() {
  ProgramImage program;
  std::vector<std::string> names;
  if (failed(readSignature()))
    return false;
  Compilation compilation = compilationOfCopy();
  return succeeded(
      lowerToSteps(compilation, backend, options, program.steps, names));
}

std::optional<StaticCode> nacho::compileAhead(const std::string &text,
                                              const CompileOptions &options,
                                              const Backend &backend,
                                              std::string &error) {
  Failure failure;
  std::optional<StaticCode> code =
      AheadCompiler(text, options, backend, failure).run();
  error = failure.text;
  return code;
}

bool nacho::canCompile(const std::string &text, const CompileOptions &options,
                       const Backend &backend, std::string &error) {
  Failure failure;
  bool canRun = AheadCompiler(text, options, backend, failure).canRun();
  error = failure.text;
  return canRun;
}
