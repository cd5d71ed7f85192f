//===- EntryFunction.cpp - Entry functions of modules ---------------------===//

#include "Compilation.h"

#include "nacho/IR/Errors.h"
#include "nacho/IR/Names.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// From a module to calls
//===----------------------------------------------------------------------===//

/// Makes every other function private.
static LogicalResult chooseEntry(ModuleOp module, StringRef entry) {
  if (!module.lookupSymbol<func::FuncOp>(entry))
    return emitError(UnknownLoc::get(module.getContext()))
           << "the module has no function '" << entry << "'";
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function.getName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  return success();
}

static LogicalResult inlineCalls(ModuleOp module) {
  DialectRegistry inlining;
  func::registerInlinerExtension(inlining);
  module.getContext()->appendDialectRegistry(inlining);
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

/// Replaces tensors that are copies of others, and erases what ends the life of
/// a tensor: when memory is reused is up to the caller of kernels.
static void forgetMemory(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (auto alloc = dyn_cast<bufferization::AllocTensorOp>(op)) {
      if (!alloc.getCopy())
        return;
      alloc->replaceAllUsesWith(ValueRange(alloc.getCopy()));
    } else if (!isa<bufferization::DeallocTensorOp>(op)) {
      return;
    }
    op->erase();
  });
}

static LogicalResult separateOps(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createNachoFuseOps());
  pm.addPass(createNachoSeparateOps());
  return pm.run(module);
}

//===----------------------------------------------------------------------===//
// From calls to their description
//===----------------------------------------------------------------------===//

/// A module as text, with the places that its ops have in the user's text.
static std::string print(ModuleOp module) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream,
                OpPrintingFlags().printNameLocAsPrefix().enableDebugInfo());
  return printed;
}

/// A module with one function of another module.
static std::string printAlone(func::FuncOp func) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(func.getLoc());
  func::FuncOp alone = func.clone();
  alone.setPublic();
  module->push_back(alone);
  return print(*module);
}

/// The function that a call names, if it has a body and is another one.
static func::FuncOp calleeOf(Operation &op, func::FuncOp caller) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call || call.getNumResults() != 1)
    return {};
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      caller, call.getCalleeAttr());
  return callee.isExternal() || callee == caller ? func::FuncOp() : callee;
}

/// Refuses a function that has other ops than calls of kernels.
static LogicalResult verifyCalls(func::FuncOp func) {
  // A kernel, or the caller, needs the result of the last one.
  for (Operation &op :
       llvm::reverse(func.getBody().front().without_terminator()))
    if (!calleeOf(op, func))
      return unsupported(
          op.emitOpError("between ops of linalg is not supported, unless it "
                         "makes an output with the extents of operands"));
  return success();
}

/// Numbers the values of a function, and reads what it calls.
static void readCalls(func::FuncOp func, FunctionCalls &into) {
  llvm::DenseMap<Value, size_t> numbers;
  auto addNumber = [&](Value value) { numbers[value] = numbers.size(); };
  auto numbersOf = [&](ValueRange values) {
    std::vector<size_t> found;
    for (Value value : values)
      found.push_back(numbers.at(value));
    return found;
  };
  llvm::for_each(func.getArguments(), addNumber);
  Block &body = func.getBody().front();
  for (Operation &op : body.without_terminator()) {
    into.calls.push_back(
        {printAlone(calleeOf(op, func)), numbersOf(op.getOperands())});
    addNumber(op.getResult(0));
  }
  into.results = numbersOf(body.getTerminator()->getOperands());
}

/// Reads a function of several ops, or of several results.
static LogicalResult readOps(func::FuncOp func, FunctionCalls &into) {
  if (!func.getBody().hasOneBlock())
    return unsupported(func.emitError("has several blocks: not supported"));
  if (failed(verifyCalls(func)))
    return failure();
  for (BlockArgument arg : func.getArguments())
    into.arguments.push_back(getName(arg));
  readCalls(func, into);
  return success();
}

std::optional<FunctionCalls> nacho::readFunction(const std::string &text,
                                                 const std::string &entry,
                                                 Failure &error) {
  Compilation compilation(error);
  if (failed(compilation.parse(text)))
    return std::nullopt;
  ModuleOp module = *compilation.module;
  if (!entry.empty() &&
      (failed(chooseEntry(module, entry)) || failed(inlineCalls(module))))
    return std::nullopt;
  FailureOr<func::FuncOp> func = compilation.onlyFunction();
  if (failed(func))
    return std::nullopt;
  forgetMemory(*func);
  if (failed(separateOps(module)))
    return std::nullopt;
  FunctionCalls made;
  made.name = func->getName().str();
  bool isKernel = llvm::hasSingleElement(module.getOps<func::FuncOp>());
  made.text = isKernel ? print(module) : compilation.print();
  if (!isKernel && failed(readOps(*func, made)))
    return std::nullopt;
  return made;
}
