//===- Kernel.cpp - From a module to a callable ---------------------------===//

#include "nacho/Execution/Kernel.h"

#include "../Backends/Cpu/Jit.h"
#include "../Execution/Foresight.h"
#include "ModuleReader.h"
#include "nacho/Compiler/InitAll.h"
#include "nacho/Compiler/Pipelines.h"
#include "nacho/IR/Names.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace nacho;

std::vector<std::string> nacho::stageNames() {
  std::vector<std::string> names;
  for (const Stage &stage : getCpuStages())
    names.push_back(stage.name);
  return names;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The width of the registers that coordinates are compared in: the host's, or
/// what NACHO_VECTOR_BITS says (0, 256, 512).
static unsigned hostVectorBits() {
  static const unsigned bits = [] {
    unsigned asked;
    const char *variable = std::getenv("NACHO_VECTOR_BITS");
    if (variable && !StringRef(variable).getAsInteger(10, asked))
      return asked;
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    // Where there are registers of 512 bits, too: rows are short, and not every
    // CPU compares so many bits at a time.
    return features.lookup("avx2") ? 256u : 0u;
  }();
  return bits;
}

namespace {
/// A module, and what is said about it.
class Compilation {
public:
  explicit Compilation(std::string &error)
      : context(registry(), MLIRContext::Threading::DISABLED), errors(error),
        handler(&context, [this](Diagnostic &diagnostic) {
          collect(diagnostic);
          return success();
        }) {
    errors.clear();
  }

  bool parse(const std::string &text) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "nacho"),
                               SMLoc());
    Block block;
    AsmParserState state;
    if (failed(parseAsmSourceFile(sources, &block, ParserConfig(&context),
                                  &state)))
      return false;
    keepNames(state);
    Location loc = FileLineColLoc::get(&context, "nacho", 1, 1);
    module = mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
        &block, &context, loc);
    return static_cast<bool>(module);
  }

  /// Runs the passes from the stage that is reached up to another one.
  bool runTo(StringRef last, const CompileOptions &compile) {
    PassManager pm(&context, ModuleOp::getOperationName());
    PipelineOptions options;
    options.cost = compile.cost;
    options.remap = compile.remap;
    options.splitRows = compile.splitRows;
    options.singlePass = compile.singlePass;
    options.branches = compile.branches;
    options.flatten = options.dynamicKeys = compile.flatten;
    options.vectorBits = hostVectorBits();
    for (bool done = false; !done; rest = rest.drop_front()) {
      if (rest.empty()) {
        errors = ("unknown stage '" + last + "'").str();
        return false;
      }
      rest.front().addPasses(pm, options);
      done = rest.front().name == last;
    }
    return succeeded(pm.run(*module));
  }

  /// Code for what the module has become of a text, unless there is some.
  std::optional<CompiledCode>
  generate(const std::string &text, const CompileOptions &options,
           ArrayRef<std::vector<std::string>> units) {
    ObjectCache cache(
        {text, options.cost, std::to_string(options.remap),
         std::to_string(options.splitRows), std::to_string(options.singlePass),
         std::to_string(options.branches), std::to_string(options.flatten),
         std::to_string(hostVectorBits())});
    if (std::optional<CompiledCode> known = cache.load())
      return known;
    if (!runTo("llvm", options))
      return std::nullopt;
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> translated =
        translateModuleToLLVMIR(*module, llvmContext);
    if (!translated)
      return std::nullopt;
    llvm::Expected<CompiledCode> code = compileForHost(*translated, units);
    if (!code) {
      errors = llvm::toString(code.takeError());
      return std::nullopt;
    }
    cache.store(*code);
    return std::move(*code);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;

private:
  static const DialectRegistry &registry() {
    static const DialectRegistry instance = [] {
      DialectRegistry registry;
      registerAllDialects(registry);
      registerBuiltinDialectTranslation(registry);
      registerLLVMDialectTranslation(registry);
      registerOpenMPDialectTranslation(registry);
      return registry;
    }();
    return instance;
  }

  /// The parser forgets what values are called, but knows where it says so.
  static void keepNames(const AsmParserState &state) {
    auto keep = [](Value value, SMRange range) {
      const char *begin = range.Start.getPointer();
      if (!begin || *begin != '%')
        return;
      StringRef name(begin + 1, range.End.getPointer() - begin - 1);
      if (!name.empty() && !llvm::isDigit(name.front()))
        setName(value, name);
    };
    for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
      for (auto [arg, definition] :
           llvm::zip(block.block->getArguments(), block.arguments))
        keep(arg, definition.loc);
    for (const AsmParserState::OperationDefinition &op : state.getOpDefs())
      for (const auto &group : op.resultGroups)
        keep(op.op->getResult(group.startIndex), group.definition.loc);
  }

  void collect(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      return;
    llvm::raw_string_ostream stream(errors);
    if (!errors.empty())
      stream << '\n';
    if (auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      stream << loc.getLine() << ':' << loc.getColumn() << ": ";
    stream << diagnostic.str();
  }

  llvm::ArrayRef<Stage> rest = getCpuStages();
  std::string &errors;
  ScopedDiagnosticHandler handler;
};
} // namespace

std::vector<Signature> nacho::readSignature(const std::string &text,
                                            std::string &error) {
  Compilation compilation(error);
  if (!compilation.parse(text))
    return {};
  auto functions = compilation.module->getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions)) {
    error = "a kernel is a module with one function";
    return {};
  }
  func::FuncOp func = *functions.begin();
  if (func.getNumResults() != 1) {
    error = "a kernel has one result";
    return {};
  }
  auto print = [](Type type) {
    std::string printed;
    llvm::raw_string_ostream(printed) << type;
    return printed;
  };
  Signature signature;
  signature.name = func.getName().str();
  for (BlockArgument arg : func.getArguments()) {
    signature.arguments.push_back(getName(arg));
    signature.types.push_back(print(arg.getType()));
  }
  signature.result = print(func.getResultTypes().front());
  return {signature};
}

std::string nacho::lowerToStage(const std::string &text,
                                const std::string &stage,
                                const CompileOptions &options,
                                std::string &error) {
  Compilation compilation(error);
  if (!compilation.parse(text) || !compilation.runTo(stage, options))
    return {};
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  compilation.module->print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return printed;
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

Kernel::Kernel() = default;
Kernel::~Kernel() = default;

std::shared_ptr<Kernel> Kernel::compile(const std::string &text,
                                        const CompileOptions &options,
                                        std::string &error) {
  Compilation compilation(error);
  if (!compilation.parse(text))
    return nullptr;
  ModuleOp module = *compilation.module;
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions)) {
    error = "a kernel is a module with one function";
    return nullptr;
  }
  std::shared_ptr<Kernel> kernel(new Kernel);
  kernel->text = text;
  kernel->options = options;
  TensorLayout result;
  std::vector<std::string> names;
  func::FuncOp func = *functions.begin();
  if (failed(readLayouts(func, func.getArgumentTypes(), kernel->operands,
                         result)) ||
      !compilation.runTo("partition", options) ||
      failed(readSteps(module, kernel->steps, names)) ||
      !compilation.runTo("assemble", options))
    return nullptr;
  for (auto [name, step] : llvm::zip(names, kernel->steps))
    if (failed(readBuffers(module, name, step)))
      return nullptr;
  std::vector<std::vector<std::string>> units;
  for (const std::string &name : names) {
    units.push_back({exportName(name, "partition"), exportName(name, "plan")});
    units.push_back({exportName(name, "execute")});
    if (module.lookupSymbol(exportName(name, "compact")))
      units.front().push_back(exportName(name, "compact"));
  }
  auto code = compilation.generate(text, options, units);
  if (!code)
    return nullptr;
  auto jit = JitModule::load(std::move(*code));
  if (!jit) {
    error = llvm::toString(jit.takeError());
    return nullptr;
  }
  kernel->jit = std::move(*jit);
  for (auto [name, step] : llvm::zip(names, kernel->steps)) {
    SmallVector<std::pair<const char *, Step::Entry *>> entries = {
        {"partition", &step.partitionEntry},
        {"plan", &step.planEntry},
        {"execute", &step.executeEntry}};
    if (step.isDraft)
      entries.push_back({"compact", &step.compactEntry});
    for (auto [phase, target] : entries) {
      auto entry = kernel->jit->lookup(exportName(name, phase));
      if (!entry) {
        error = llvm::toString(entry.takeError());
        return nullptr;
      }
      *target = *entry;
    }
  }
  return kernel;
}

/// What merging so many entries saves is about what it takes to compile.
static constexpr int64_t kWorthBranches = 1 << 24;

const Kernel &Kernel::branching(int64_t entries) const {
  if ((merged += entries) < kWorthBranches && !alwaysBranches())
    return *this;
  std::call_once(withBranches.once, [&] {
    CompileOptions other = options;
    other.branches = true;
    std::string error;
    withBranches.kernel = compile(text, other, error);
  });
  return withBranches.kernel ? *withBranches.kernel : *this;
}

std::shared_ptr<const Kernel> Kernel::counting() const {
  auto isDraft = [](const Step &step) { return step.isDraft; };
  if (llvm::none_of(steps, isDraft))
    return shared_from_this();
  std::call_once(withCounts.once, [&] {
    CompileOptions other = options;
    other.singlePass = false;
    std::string error;
    withCounts.kernel = compile(text, other, error);
    if (!withCounts.kernel)
      throw std::runtime_error(error);
  });
  return withCounts.kernel;
}

std::string Kernel::llvm() const { return jit->llvm(); }

std::string Kernel::assembly() const { return jit->assembly(); }
