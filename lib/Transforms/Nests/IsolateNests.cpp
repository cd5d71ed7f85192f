//===- IsolateNests.cpp - One function per nest ---------------------------===//
//
// Consumes functions with several nests; leaves one function for each nest.
// These functions are the steps of a kernel.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOISOLATENESTS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

/// A nest, and everything in its function that the nest needs.
struct NestSlice {
  llvm::SetVector<Value> inputs; ///< Arguments, then results of other nests.
  SmallVector<Operation *> ops;  ///< All ops in order; the nest is the last.
};

class NestIsolator {
public:
  explicit NestIsolator(func::FuncOp func) : func(func), b(func.getContext()) {}

  LogicalResult run();

private:
  LogicalResult check();
  NestSlice sliceOf(NestOp nest);
  void isolate(unsigned step);
  unsigned stepOf(NestOp nest) {
    return llvm::find(nests, nest) - nests.begin();
  }

  func::FuncOp func;
  OpBuilder b;
  SmallVector<NestOp> nests;
};

} // namespace

LogicalResult NestIsolator::check() {
  for (Operation &op : func.getBody().front().without_terminator())
    if (!isa<NestOp>(op) && !isMemoryEffectFree(&op))
      return op.emitOpError("has an effect next to several nests");
  Operation *ret = func.getBody().front().getTerminator();
  if (ret->getNumOperands() != 1 ||
      ret->getOperand(0) != nests.back().getResult())
    return nests.back().emitOpError("must be what its function returns");
  return success();
}

NestSlice NestIsolator::sliceOf(NestOp nest) {
  NestSlice slice;
  llvm::SetVector<Operation *> needed;
  needed.insert(nest);
  for (unsigned n = 0; n < needed.size(); ++n) {
    needed[n]->walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        if (needed[n]->isAncestor(operand.getParentBlock()->getParentOp()) &&
            operand.getParentBlock() != needed[n]->getBlock())
          continue;
        Operation *definition = operand.getDefiningOp();
        if (definition && !isa<NestOp>(definition))
          needed.insert(definition);
        else
          slice.inputs.insert(operand);
      }
    });
  }
  SmallVector<Value> inputs = slice.inputs.takeVector();
  auto place = [&](Value input) {
    auto arg = dyn_cast<BlockArgument>(input);
    if (arg)
      return arg.getArgNumber();
    return static_cast<unsigned>(func.getNumArguments() +
                                 stepOf(input.getDefiningOp<NestOp>()));
  };
  llvm::sort(inputs,
             [&](Value one, Value other) { return place(one) < place(other); });
  slice.inputs.insert_range(inputs);
  slice.ops.assign(needed.begin(), needed.end());
  llvm::sort(slice.ops, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  return slice;
}

void NestIsolator::isolate(unsigned step) {
  NestOp nest = nests[step];
  NestSlice slice = sliceOf(nest);
  bool isLast = step + 1 == nests.size();
  std::string name = func.getName().str();
  if (!isLast)
    name += "_" + std::to_string(step);
  SmallVector<Type> types;
  for (Value input : slice.inputs)
    types.push_back(input.getType());
  b.setInsertionPoint(func);
  auto made = func::FuncOp::create(
      b, func.getLoc(), name, b.getFunctionType(types, nest->getResultTypes()));
  Block *entry = made.addEntryBlock();
  IRMapping mapping;
  SmallVector<StepSource> sources;
  for (auto [n, input] : llvm::enumerate(slice.inputs)) {
    entry->getArgument(n).setLoc(input.getLoc());
    mapping.map(input, entry->getArgument(n));
    auto arg = dyn_cast<BlockArgument>(input);
    if (arg)
      sources.push_back({/*isStep=*/false, arg.getArgNumber()});
    else
      sources.push_back(
          {/*isStep=*/true, stepOf(input.getDefiningOp<NestOp>())});
  }
  made->setAttr(NachoDialect::kStepAttrName,
                StepAttr::get(b.getContext(), sources, StepCutsAttr(),
                              StepBuffersAttr(), ArrayAttr(), ArrayAttr()));
  b.setInsertionPointToStart(entry);
  for (Operation *op : slice.ops)
    b.clone(*op, mapping);
  func::ReturnOp::create(b, func.getLoc(), mapping.lookup(nest.getResult()));
}

LogicalResult NestIsolator::run() {
  llvm::append_range(nests, func.getOps<NestOp>());
  if (nests.size() < 2)
    return success();
  if (failed(check()))
    return failure();
  std::string name = func.getName().str();
  for (unsigned step = 0; step < nests.size(); ++step)
    isolate(step);
  func.erase();
  return success();
}

namespace {
struct IsolateNests : nacho::impl::NachoIsolateNestsBase<IsolateNests> {
  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!func.isExternal() && failed(NestIsolator(func).run()))
        return signalPassFailure();
  }
};
} // namespace
