//===- Jit.cpp - LLVM IR to code in memory --------------------------------===//

#include "Jit.h"

#include "Instrumentation.h"
#include "nacho/Execution/Optimization.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Runtime.h"
#include "nacho/Runtime/Stop.h"
#include "nacho/Runtime/Workers.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <future>

using namespace llvm;
using namespace nacho;

JitModule::JitModule() = default;
JitModule::~JitModule() = default;

std::string nacho::packedName(StringRef function) {
  return ("nacho_packed_" + function).str();
}

/// Exports the functions of a unit: what they call can be inlined.
static void exportOnly(const std::vector<std::string> &names, Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  for (const std::string &name : names)
    module.getFunction(name)->setLinkage(GlobalValue::ExternalLinkage);
}

static void initializeHost() {
  static const bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
}

/// Gathers of 512 bits are fast on Intel's CPUs, but for those whose microcode
/// protects them from gather data sampling. Linux says which these are.
static bool gathersFast() {
  StringMap<bool> features = sys::getHostCPUFeatures();
  if (!features.lookup("avx512f") || sys::getHostCPUName().starts_with("znver"))
    return false;
  auto known = MemoryBuffer::getFileAsStream(
      "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling");
  return known && (*known)->getBuffer().starts_with("Not affected");
}

bool nacho::hasFastGathers() {
  static const bool isFast = gathersFast();
  return isFast;
}

static CodeGenOptLevel codegenLevel(Runs runs) {
  if (!optimizesCode() || runs == Runs::perCall)
    return CodeGenOptLevel::None;
  return runs == Runs::perPart ? CodeGenOptLevel::Less
                               : CodeGenOptLevel::Aggressive;
}

static Expected<std::unique_ptr<TargetMachine>>
createHostMachine(Runs runs,
                  std::optional<Reloc::Model> relocation = std::nullopt) {
  initializeHost();
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(codegenLevel(runs));
  if (builder->getTargetTriple().isX86() && !hasFastGathers())
    builder->addFeatures({"+prefer-no-gather"});
  builder->setRelocationModel(relocation);
  return builder->createTargetMachine();
}

/// Marks all selects as unpredictable. Otherwise code generation would turn the
/// selects of a merge, which depend on the operand that comes next, into
/// branches that are often mispredicted.
static void markUnpredictable(Module &module) {
  MDNode *unpredictable = MDNode::get(module.getContext(), {});
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (isa<SelectInst>(instruction))
          instruction.setMetadata(LLVMContext::MD_unpredictable, unpredictable);
}

/// Keeps one copy of functions that several others call.
static void keepShared(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && function.getNumUses() > 1)
      function.addFnAttr(Attribute::NoInline);
}

/// The passes for code that runs per call. They make it shorter: functions get
/// only those words of arrays that they use.
static constexpr StringLiteral kPassesPerCall =
    "function(early-cse),deadargelim,cgscc(inline),"
    "function(instcombine<no-verify-fixpoint>)";

/// The passes for code that runs per part, on rows of sums. To emit its loops
/// with vectors takes longer than what that saves in any but thousands of
/// parts.
static constexpr StringLiteral kPassesPerPart =
    "cgscc(inline),function(early-cse,instcombine<no-verify-fixpoint>,"
    "simplifycfg,loop-mssa(loop-rotate,licm))";

/// The passes for loops over entries: those of LLVM's -O3 that make a
/// difference to kernels, in their order. But workers are inlined first: the
/// default is to simplify them before and after that.
static constexpr StringLiteral kPassesPerEntry =
    "function(simplifycfg,sroa),cgscc(inline,function-attrs),"
    "function(early-cse<memssa>,jump-threading,correlated-propagation,"
    "instcombine<no-verify-fixpoint>,simplifycfg<switch-range-to-icmp>,"
    "reassociate,constraint-elimination,"
    "loop-mssa(licm<no-allowspeculation>,loop-rotate<header-duplication>,licm,"
    "simple-loop-unswitch<nontrivial>),simplifycfg<switch-range-to-icmp>,"
    "instcombine<no-verify-fixpoint>,loop(loop-idiom,indvars,loop-unroll-full),"
    "gvn,sccp,instcombine<no-verify-fixpoint>,jump-threading,"
    "correlated-propagation,loop-mssa(licm),loop(loop-deletion),loop-vectorize,"
    "instcombine<no-verify-fixpoint>,simplifycfg<forward-switch-cond;"
    "switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;no-keep-loops;"
    "hoist-common-insts;sink-common-insts>,loop-unroll<O3>,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm),instsimplify,"
    "div-rem-pairs,simplifycfg<switch-range-to-icmp;switch-to-arithmetic;"
    "hoist-loads-stores-with-cond-faulting;speculate-unpredictables>)";

static StringRef passesFor(Runs runs) {
  switch (runs) {
  case Runs::perCall:
    return kPassesPerCall;
  case Runs::perPart:
    return kPassesPerPart;
  case Runs::perEntry:
    return kPassesPerEntry;
  }
  llvm_unreachable("all are mentioned");
}

/// Optimises without the SLP vectoriser, which moves the positions of a merge
/// into vector registers and makes it several times slower.
/// Once `word` is set, what is left to do is skipped.
static void optimize(Module &module, TargetMachine &machine, Runs runs,
                     StringRef sanitizer, const StopWord &word) {
  PipelineTuningOptions tuning;
  tuning.SLPVectorization = false;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](StringRef, const Any &) { return !isSet(word); });
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  instrument(module, builder, sanitizer);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  auto passes = [&] {
    if (!optimizesCode())
      return builder.buildO0DefaultPipeline(OptimizationLevel::O0);
    // What a sanitizer needs is part of the default pipelines.
    if (sanitizer != "none")
      return builder.buildPerModuleDefaultPipeline(runs == Runs::perEntry
                                                       ? OptimizationLevel::O3
                                                       : OptimizationLevel::O1);
    if (runs == Runs::perCall)
      keepShared(module);
    ModulePassManager passes;
    cantFail(builder.parsePassPipeline(passes, passesFor(runs)));
    return passes;
  };
  passes().run(module, modules);
}

static Error emit(Module &module, TargetMachine &machine, CodeGenFileType type,
                  SmallVectorImpl<char> &out) {
  raw_svector_ostream stream(out);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return createStringError("the host's target cannot emit this file type");
  passes.run(module);
  return Error::success();
}

/// Makes a library available, since the symbols of the process may not include
/// it. Where there is none to load, other libraries have its functions.
static void addLibrary(orc::LLJIT &jit, const char *name, char prefix) {
  auto library = orc::DynamicLibrarySearchGenerator::Load(name, prefix);
  if (library)
    jit.getMainJITDylib().addGenerator(std::move(*library));
  else
    consumeError(library.takeError());
}

namespace {
struct ErrorsOnly : DiagnosticHandler {
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    return info.getSeverity() != DS_Error;
  }
};
} // namespace

void nacho::hideWarnings(LLVMContext &context) {
  context.setDiagnosticHandler(std::make_unique<ErrorsOnly>());
}

/// Compiles a module that readUnit() has read. Fails if `word` is set
/// meanwhile.
static Expected<CompiledUnit> compileUnit(Module &module, const CodeUnit &from,
                                          StringRef sanitizer,
                                          const StopWord &word) {
  auto machine = createHostMachine(from.runs);
  if (!machine)
    return machine.takeError();
  exportOnly(from.functions, module);
  markUnpredictable(module);
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  optimize(module, **machine, from.runs, sanitizer, word);
  if (isSet(word))
    return createStringError("a signal stopped the compilation");

  CompiledUnit unit;
  unit.runs = from.runs;
  raw_svector_ostream stream(unit.bitcode);
  WriteBitcodeToFile(module, stream);
  if (Error error =
          emit(module, **machine, CodeGenFileType::ObjectFile, unit.object))
    return error;
  return unit;
}

Expected<SmallVector<char, 0>> nacho::objectForHost(Module &module) {
  auto machine = createHostMachine(Runs::perEntry, Reloc::PIC_);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  optimize(module, **machine, Runs::perEntry, "none", stopWord());
  SmallVector<char, 0> object;
  if (isSet(stopWord()))
    return createStringError("a signal stopped the compilation");
  if (Error error =
          emit(module, **machine, CodeGenFileType::ObjectFile, object))
    return error;
  return object;
}

static std::unique_ptr<Module> readBitcode(ArrayRef<char> bitcode,
                                           LLVMContext &context) {
  MemoryBufferRef buffer(StringRef(bitcode.data(), bitcode.size()), "nacho");
  return cantFail(parseBitcodeFile(buffer, context));
}

Expected<CompiledCode> nacho::compileForHost(const Module &module,
                                             ArrayRef<CodeUnit> called,
                                             const std::string &sanitizer) {
  const std::vector<CodeUnit> units = splitWorkers(module, called);
  SmallVector<char, 0> bitcode;
  raw_svector_ostream stream(bitcode);
  WriteBitcodeToFile(module, stream);
  // An LLVMContext can only be used by one thread: each unit reads the bitcode
  // into its own context.
  std::vector<std::future<Expected<CompiledUnit>>> running;
  running.reserve(units.size());
  for (size_t number = 0; number < units.size(); ++number)
    running.push_back(
        std::async(std::launch::async, [&, number, &word = stopWord()] {
          LLVMContext context;
          hideWarnings(context);
          return compileUnit(*readUnit(bitcode, units, number, context),
                             units[number], sanitizer, word);
        }));
  CompiledCode code;
  Error error = Error::success();
  for (auto &unit : running) {
    Expected<CompiledUnit> compiled = unit.get();
    if (compiled)
      code.push_back(std::move(*compiled));
    else
      error = joinErrors(std::move(error), compiled.takeError());
  }
  if (error)
    return error;
  return code;
}

Expected<std::unique_ptr<JitModule>>
JitModule::load(CompiledCode code, ArrayRef<RuntimeFunction> functions) {
  initializeHost();
  std::unique_ptr<JitModule> result(new JitModule);
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  result->jit = std::move(*jit);
  char prefix = result->jit->getDataLayout().getGlobalPrefix();
  auto process =
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  orc::SymbolMap runtime;
  auto define = [&](const RuntimeFunction &function) {
    runtime[result->jit->mangleAndIntern(function.name)] = {
        orc::ExecutorAddr(function.address), JITSymbolFlags::Exported};
  };
  define(runtimeFunction(kCountStepSymbol, countStep));
  define(runtimeFunction(kComputePartsSymbol, computePartsAt));
  define(runtimeFunction(kAwaitTurnSymbol, awaitTurn));
  define(runtimeFunction(kPassTurnSymbol, passTurn));
  for (const RuntimeFunction &function : functions)
    define(function);
  if (Error error = result->jit->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(runtime))))
    return error;
  result->jit->getMainJITDylib().addGenerator(std::move(*process));
  addLibrary(*result->jit, "libm.so.6", prefix);
  // It rounds numbers to half floats, where the CPU does not.
  addLibrary(*result->jit, "libgcc_s.so.1", prefix);
  for (CompiledUnit &unit : code) {
    auto buffer = MemoryBuffer::getMemBufferCopy(
        StringRef(unit.object.data(), unit.object.size()), "nacho");
    if (Error error = result->jit->addObjectFile(std::move(buffer)))
      return error;
    unit.object.clear();
    result->units.push_back(std::move(unit));
  }
  return result;
}

Expected<JitModule::Entry> JitModule::lookup(StringRef name) const {
  auto symbol = jit->lookup(packedName(name));
  if (!symbol)
    return symbol.takeError();
  return symbol->toPtr<Entry>();
}

std::string JitModule::llvm() const {
  std::string text;
  raw_string_ostream stream(text);
  for (const CompiledUnit &unit : units) {
    LLVMContext context;
    readBitcode(unit.bitcode, context)->print(stream, nullptr);
  }
  return text;
}

std::string JitModule::assembly() const {
  SmallVector<char, 0> text;
  for (const CompiledUnit &unit : units) {
    LLVMContext context;
    std::unique_ptr<Module> module = readBitcode(unit.bitcode, context);
    auto machine = cantFail(createHostMachine(unit.runs));
    cantFail(emit(*module, *machine, CodeGenFileType::AssemblyFile, text));
  }
  return std::string(text.begin(), text.end());
}
