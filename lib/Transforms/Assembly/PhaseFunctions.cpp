//===- PhaseFunctions.cpp - Signatures of a nest's functions --------------===//
//
// The arguments that the functions of a nest have in common, and how they are
// read.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"

#include "nacho/IR/Names.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

/// The type of the keys of a table of coordinates. Where the tensor leaves the
/// width of coordinates to MLIR, they are `index`; a table needs a known width.
static Type keyType(sparse_tensor::SparseTensorEncodingAttr encoding) {
  Type type = encoding.getCrdElemType();
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

/// Every function takes the operands first and the number of threads last.
func::FuncOp NestAssembler::startFunction(StringRef suffix,
                                          const Arguments &arguments,
                                          bool isExported) {
  Type index = b.getIndexType();
  auto rows = [&](int64_t columns) {
    return MemRefType::get({ShapedType::kDynamic, columns}, index);
  };
  auto table = [&](Type element) {
    return MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                           element);
  };
  auto cut = CutType::get(b.getContext(), nest.getCuts().getType().getWidths());
  SmallVector<Type> types(source.getArgumentTypes().drop_back());
  size_t numOperands = types.size();
  SmallVector<std::pair<Value *, std::string>> targets;
  args = PhaseArguments();
  auto add = [&](Type type, Value &target, const Twine &name) {
    types.push_back(type);
    targets.push_back({&target, name.str()});
  };
  for (Argument argument : arguments) {
    switch (argument) {
    case Argument::bounds:
      add(rows(cut.getNumColumns()), args.bounds, "bounds");
      break;
    case Argument::within:
      add(index, args.within, "within");
      break;
    case Argument::counts:
      add(rows(layout.numColumns()), args.counts, "counts");
      break;
    case Argument::offsets:
      add(rows(layout.numColumns()), args.offsets, "offsets");
      break;
    case Argument::moved:
      add(rows(layout.numColumns()), args.moved, "moved");
      break;
    case Argument::sizes:
      add(MemRefType::get({2 * layout.type.getRank() + 1}, index), args.sizes,
          "sizes");
      break;
    case Argument::status:
      add(MemRefType::get({}, b.getI32Type()), args.status, "status");
      break;
    case Argument::partials:
      args.partials.resize(layout.sums.size());
      for (auto [type, partials] : llvm::zip(layout.sums, args.partials))
        add(MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, type),
            partials, "partials");
      add(MemRefType::get({ShapedType::kDynamic}, index), args.visited,
          "visited");
      break;
    case Argument::tables:
      args.tables.resize(layout.finds.size());
      for (auto [find, to] : llvm::zip(layout.finds, args.tables)) {
        auto fiber = cast<FiberType>(find.getFiber().getType());
        auto encoding =
            sparse_tensor::getSparseTensorEncoding(fiber.getTensor());
        add(table(keyType(encoding)), to.keys, "found_keys");
        add(table(b.getI64Type()), to.marks, "found_marks");
        add(table(b.getI64Type()), to.positions, "found_positions");
      }
      break;
    case Argument::coordinateSet:
    case Argument::workspace: {
      auto encoding = sparse_tensor::getSparseTensorEncoding(layout.type);
      // Rows are only collected whole where every coordinate has a place.
      if (nest.getCollect() == CollectKind::partSums)
        add(table(keyType(encoding)), args.keys, "keys");
      add(table(b.getI64Type()), args.marks, "marks");
      if (argument == Argument::workspace)
        add(table(layout.type.getElementType()), args.sums, "sums");
      break;
    }
    case Argument::draft:
      addArrays(args.draft, "draft_", add);
      break;
    case Argument::result:
      addArrays(args, "", add);
      break;
    }
  }
  add(index, args.threads, "threads");

  std::string name = (source.getName() + "_" + suffix).str();
  b.setInsertionPoint(source);
  auto func = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
  if (isExported)
    func->setAttr("llvm.emit_c_interface", b.getUnitAttr());
  else
    func.setPrivate();
  functions[suffix] = func;
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  mapping.clear();
  operands.clear();
  for (unsigned n = 0; n < numOperands; ++n) {
    operands.push_back(entry->getArgument(n));
    entry->getArgument(n).setLoc(source.getArgument(n).getLoc());
    mapping.map(source.getArgument(n), entry->getArgument(n));
  }
  for (auto [target, value] :
       llvm::zip(targets, entry->getArguments().drop_front(numOperands))) {
    *target.first = value;
    setName(value, target.second);
  }
  args.makeViews(b, layout.type.getRank());
  args.draft.makeViews(b, layout.type.getRank());
  return func;
}

/// The arrays of a result, level by level.
void NestAssembler::addArrays(
    ResultArrays &arrays, StringRef prefix,
    llvm::function_ref<void(Type, Value &, const Twine &)> add) {
  arrays.arrays = TensorArrays(layout.type);
  arrays.arrays.forEach([&](Value &buffer, MemRefType type, const Twine &name) {
    add(type, buffer, prefix + name);
  });
  add(MemRefType::get({ShapedType::kDynamic}, layout.type.getElementType()),
      arrays.values, prefix + "values");
}

/// The roots of the operands, and what else comes before the partition.
void NestAssembler::cloneOperands() {
  for (Operation &op : source.getBody().front())
    if (!isa<PartitionOp, NestOp, func::ReturnOp>(op))
      b.clone(op, mapping);
}

Value NestAssembler::numParts() {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value rows = memref::DimOp::create(b, args.bounds, zero);
  NameScope name(b, "parts");
  return arith::SubIOp::create(b, rows, one);
}

/// The function's workers, one for each part; the builder is left in there.
ParallelOp NestAssembler::startWorkers(Value parts) {
  auto workers = ParallelOp::create(b, parts, args.threads);
  setName(workers.getWorker(), "part");
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(workers.getBodyBlock());
  return workers;
}

SmallVector<Value> NestAssembler::loadRow(Value buffer, Value row) {
  SmallVector<Value> values;
  for (auto [column, name] : llvm::enumerate(layout.columnNames())) {
    Value at = arith::ConstantIndexOp::create(b, column);
    NameScope scope(b, name);
    values.push_back(memref::LoadOp::create(b, buffer, ValueRange{row, at}));
  }
  return values;
}

void NestAssembler::storeRow(ValueRange values, Value buffer, Value row) {
  for (auto [column, value] : llvm::enumerate(values)) {
    Value at = arith::ConstantIndexOp::create(b, column);
    memref::StoreOp::create(b, value, buffer, ValueRange{row, at});
  }
}
