//===- TileCalls.cpp - Calls of workers that may become one tile ----------===//

#include "TileCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

Value WorkersCall::given(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != callee)
    return {};
  return call ? call.getOperand(argument.getArgNumber()) : value;
}

func::FuncOp nacho::calleeOf(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  bool isKnown = callee && !callee.isExternal() &&
                 callee.getBody().hasOneBlock() && call.getNumResults() == 0;
  return isKnown ? callee : func::FuncOp();
}

WorkersCall nacho::findWorkers(func::CallOp call) {
  func::FuncOp callee = calleeOf(call);
  if (!callee)
    return {};
  ParallelOp found;
  for (Operation &op : callee.getBody().front().without_terminator()) {
    auto workers = dyn_cast<ParallelOp>(op);
    if (workers ? bool(found) : !isMemoryEffectFree(&op))
      return {};
    if (workers)
      found = workers;
  }
  return {call, callee, found};
}

bool nacho::areSame(WorkersCall &first, Value one, WorkersCall &second,
                    Value other) {
  if (Value given = first.given(one))
    return given == second.given(other);
  Operation *op = one.getDefiningOp(), *like = other.getDefiningOp();
  if (!op || !like || !isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      op->getName() != like->getName() ||
      op->getNumOperands() != like->getNumOperands() ||
      op->getAttrDictionary() != like->getAttrDictionary() ||
      cast<OpResult>(one).getResultNumber() !=
          cast<OpResult>(other).getResultNumber())
    return false;
  return llvm::all_of(llvm::zip(op->getOperands(), like->getOperands()),
                      [&](auto both) {
                        auto [a, b] = both;
                        return areSame(first, a, second, b);
                      });
}

Value nacho::arrayStoredTo(Operation *op) {
  if (auto store = dyn_cast<StoreCutOp>(op))
    return store.getBounds();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  if (auto update = dyn_cast<memref::AtomicRMWOp>(op))
    return update.getMemref();
  return {};
}

bool nacho::isUnknown(Operation *op) {
  if (arrayStoredTo(op) || isa<TileCutsOp, TileSyncOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  return !isa<MemoryEffectOpInterface>(op) ||
         hasEffect<MemoryEffects::Write>(op);
}

IRMapping nacho::copyAround(OpBuilder &b, WorkersCall &by) {
  IRMapping mapping;
  mapping.map(by.callee.getArguments(), by.call.getOperands());
  for (Operation &op : by.callee.getBody().front().without_terminator())
    if (&op != by.workers)
      b.clone(op, mapping);
  return mapping;
}

void nacho::loadFromTile(Operation *copy, TileCutsOp cuts, TileOp tile) {
  copy->walk([&](LoadCutOp load) {
    if (load.getBounds() != cuts.getBounds())
      return;
    OpBuilder b(load);
    Value row =
        arith::SubIOp::create(b, load.getLoc(), load.getRow(), tile.getBegin());
    load.getBoundsMutable().assign(cuts.getCuts());
    load.getRowMutable().assign(row);
  });
}

func::CallOp nacho::callAfter(Operation *op) {
  while ((op = op->getNextNode())) {
    if (auto next = dyn_cast<func::CallOp>(op))
      return next;
    if (!isMemoryEffectFree(op))
      break;
  }
  return {};
}

void nacho::eraseUnused(const llvm::SetVector<func::FuncOp> &callees,
                        ModuleOp module) {
  for (func::FuncOp callee : callees)
    if (callee.isPrivate() && SymbolTable::symbolKnownUseEmpty(callee, module))
      callee.erase();
}
