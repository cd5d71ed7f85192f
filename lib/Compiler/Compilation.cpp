//===- Compilation.cpp - A module on its way through the stages -----------===//

#include "Compilation.h"
#include "ModuleReader.h"
#include "nacho/Compiler/InitAll.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Stop.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace nacho;

static const DialectRegistry &dialects() {
  static const DialectRegistry instance = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }();
  return instance;
}

ParsedModule::ParsedModule()
    : context(dialects(), MLIRContext::Threading::DISABLED) {}

std::shared_ptr<ParsedModule> AssignedModule::get() const {
  NoFork noFork;
  std::lock_guard<std::mutex> lock(mutex);
  Failure errors;
  if (!parsed)
    parsed = Compilation(errors).assign(text);
  return parsed;
}

void AssignedModule::drop() const {
  NoFork noFork;
  std::lock_guard<std::mutex> lock(mutex);
  parsed = nullptr;
}

Compilation::Compilation(Failure &errors, bool namesPlaces)
    : Compilation(std::make_shared<ParsedModule>(), errors, namesPlaces) {}

Compilation::Compilation(const AssignedModule &from, Failure &errors,
                         bool namesPlaces)
    : Compilation(from.get(), errors, namesPlaces) {
  module = owner->module.get().clone();
  numDone = 1;
}

Compilation::Compilation(std::shared_ptr<ParsedModule> owner, Failure &errors,
                         bool namesPlaces)
    : owner(std::move(owner)), lock(this->owner->mutex),
      context(this->owner->context), namesPlaces(namesPlaces), errors(errors),
      handler(&context, [this](Diagnostic &diagnostic) {
        collect(diagnostic);
        return success();
      }) {
  errors = {};
}

void Compilation::collect(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
    remarks.push_back(diagnostic.str());
    return;
  }
  llvm::raw_string_ostream stream(errors.text);
  if (!errors.text.empty())
    stream << '\n';
  auto loc = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (loc && namesPlaces)
    stream << loc.getLine() << ':' << loc.getColumn() << ": ";
  stream << diagnostic.str();
  if (errors.isUnsupported || errors.isDense)
    return;
  ErrorFacts facts = factsOf(diagnostic);
  errors.operand = facts.operand;
  errors.isResult = facts.isResult;
  errors.isUnsupported = facts.kind == ErrorKind::unsupported;
  errors.isDense = facts.kind == ErrorKind::dense;
  errors.reason = facts.reason;
}

/// Names values as the text does. The parser drops the names, but tells where
/// the text defines each value.
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

LogicalResult Compilation::parse(StringRef text) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "nacho"),
                             SMLoc());
  Block block;
  AsmParserState state;
  if (failed(
          parseAsmSourceFile(sources, &block, ParserConfig(&context), &state)))
    return failure();
  keepNames(state);
  Location loc = FileLineColLoc::get(&context, "nacho", 1, 1);
  module = mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, &context, loc);
  return success(static_cast<bool>(module));
}

FailureOr<func::FuncOp> Compilation::onlyFunction() {
  auto functions = module->getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return emitError(UnknownLoc::get(&context))
           << "a kernel is a module with one function";
  return *functions.begin();
}

namespace {
/// Names a pass that failed without saying why: it had more to do than a
/// compilation may take.
class NameTheFailed : public PassInstrumentation {
public:
  explicit NameTheFailed(const Failure &errors) : errors(errors) {}

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    if (errors.text.empty())
      op->emitError() << "the compilation gave up: pass '"
                      << pass->getArgument() << "' did not come to an end";
  }

private:
  const Failure &errors;
};
} // namespace

/// Runs the passes unless a signal stops that. MLIR then skips those that are
/// left, as each is an action.
static LogicalResult runUntilStopped(PassManager &pm, ModuleOp module) {
  SignalWatch::beginWithLocks();
  MLIRContext *context = module.getContext();
  context->registerActionHandler(
      [&word = stopWord()](function_ref<void()> run, const tracing::Action &) {
        if (!isSet(word))
          run();
      });
  LogicalResult done = pm.run(module);
  context->registerActionHandler(nullptr);
  if (isSet(stopWord()))
    return module.emitError("a signal stopped the compilation");
  return done;
}

LogicalResult Compilation::run(ArrayRef<Stage> stages,
                               const Capabilities &capabilities,
                               const PipelineOptions &options, bool mayStop) {
  PassManager pm(&context, ModuleOp::getOperationName());
  addStages(pm, stages.drop_front(numDone), capabilities, options);
  numDone = stages.size();
  pm.addInstrumentation(std::make_unique<NameTheFailed>(errors));
  // After every pass, this would be a quarter of the time of a compilation.
  // The tests of passes do it: see nacho-opt.
  pm.enableVerifier(false);
  LogicalResult done = mayStop ? runUntilStopped(pm, *module) : pm.run(*module);
  return success(succeeded(done) && succeeded(verify(*module)));
}

std::shared_ptr<ParsedModule> Compilation::assign(StringRef text) {
  if (failed(parse(text)))
    return nullptr;
  FailureOr<func::FuncOp> func = onlyFunction();
  if (failed(func))
    return nullptr;
  llvm::append_range(owner->given, func->getArgumentTypes());
  llvm::append_range(owner->given, func->getResultTypes());
  // The stage is the same for all backends and options. It takes so little time
  // that a signal waits for its end.
  if (failed(run(ArrayRef(commonStages()).take_front(), {}, PipelineOptions(),
                 /*mayStop=*/false)))
    return nullptr;
  owner->module = std::move(module);
  return owner;
}

LogicalResult Compilation::runTo(StringRef last, const Backend &backend,
                                 const CompileOptions &options) {
  std::vector<Stage> stages = backend.stagesUntil(last);
  if (stages.empty())
    return emitError(UnknownLoc::get(&context))
           << "unknown stage '" << last << "'";
  return run(stages, backend.capabilities(), PipelineOptions(options));
}

std::string Compilation::print() {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return printed;
}

LogicalResult nacho::lowerToSteps(Compilation &compilation,
                                  const Backend &backend,
                                  const CompileOptions &options,
                                  std::vector<Step> &steps,
                                  std::vector<std::string> &names) {
  if (failed(compilation.runTo("partition", backend, options)))
    return failure();
  std::vector<uint64_t> digests = readDigests(*compilation.module);
  if (failed(compilation.runTo("assemble", backend, options)) ||
      failed(readSteps(*compilation.module, steps, names)))
    return failure();
  assert(steps.size() == digests.size() && "a step is assembled from one nest");
  for (auto [step, digest] : llvm::zip(steps, digests))
    step.loopsDigest = digest;
  return success();
}
