//===- PhaseFunctions.cpp - The functions of a nest, and their arguments --===//

#include "PhaseFunctions.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// The type of the keys of a workspace for coordinates of a tensor, with 32 or
/// 64 bits. If the tensor leaves the width of its coordinates to MLIR, their
/// type is `index`, which has 64.
static Type keyType(sparse_tensor::SparseTensorEncodingAttr encoding) {
  unsigned width = encoding.getCrdWidth();
  return IntegerType::get(encoding.getContext(),
                          width == 0 ? 64 : std::max(width, 32u));
}

void ResultArrays::makeViews(ImplicitLocOpBuilder &b, unsigned rank) {
  if (!values)
    return;
  for (unsigned level = 0; level < rank; ++level) {
    positions.push_back(arrays.positions(level));
    coordinates.push_back(arrays.coordinates(b, level));
  }
}

Values ResultArrays::flatten() const {
  Values all(arrays.flatten());
  all.push_back(values);
  return all;
}

/// The arguments of a function after the operands, and the fields of
/// PhaseArguments that are set to them.
class PhaseFunctions::Signature {
public:
  void add(Type type, Value &value, const Twine &name) {
    types.push_back(type);
    targets.push_back({&value, name.str()});
  }
  void add(Type type, std::optional<Value> &value, const Twine &name) {
    value.emplace();
    add(type, *value, name);
  }

  /// The types of buffers: of rank 1; of rank 2 with any number of columns; of
  /// rank 2 with a fixed number of columns.
  static MemRefType vector(Type element) {
    return MemRefType::get({ShapedType::kDynamic}, element);
  }
  static MemRefType table(Type element) {
    return MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                           element);
  }
  static MemRefType rows(int64_t columns, Type element) {
    return MemRefType::get({ShapedType::kDynamic, columns}, element);
  }

  void addArrays(ResultArrays &result, RankedTensorType type,
                 StringRef prefix) {
    result.arrays = TensorArrays(type);
    result.arrays.forEach(
        [&](Value &buffer, MemRefType bufferType, const Twine &name) {
          add(bufferType, buffer, prefix + name);
        });
    add(vector(type.getElementType()), result.values, prefix + "values");
  }

  /// Sets the fields to the arguments of the function, and names the arguments.
  void bind(ValueRange arguments) {
    for (auto [target, argument] : llvm::zip(targets, arguments)) {
      *target.first = argument;
      setName(argument, target.second);
    }
  }

  SmallVector<Type> types;

private:
  SmallVector<std::pair<Value *, std::string>> targets;
};

void PhaseFunctions::add(Parameter parameter, Signature &signature) {
  Type index = b.getIndexType();
  switch (parameter) {
  case Parameter::bounds:
    return signature.add(Signature::rows(cutType().getNumColumns(), index),
                         args.bounds, "bounds");
  case Parameter::order:
    return signature.add(Signature::vector(index), args.order, "order");
  case Parameter::within:
    return signature.add(index, args.within, "within");
  case Parameter::counts:
    return signature.add(Signature::rows(layout.numColumns(), index),
                         args.counts, "counts");
  case Parameter::offsets:
    return signature.add(Signature::rows(layout.numColumns(), index),
                         args.offsets, "offsets");
  case Parameter::moved:
    return signature.add(Signature::rows(layout.numColumns(), index),
                         args.moved, "moved");
  case Parameter::sizes:
    return signature.add(
        MemRefType::get({2 * layout.type.getRank() + 1}, index), args.sizes,
        "sizes");
  case Parameter::excess:
    return signature.add(index, args.excess, "excess");
  default:
    return addArrays(parameter, signature);
  }
}

/// Adds a parameter that does not stand for numbers of parts or of the result.
void PhaseFunctions::addArrays(Parameter parameter, Signature &signature) {
  switch (parameter) {
  case Parameter::earlier:
    return signature.add(MemRefType::get({}, b.getI32Type()), args.earlier,
                         "earlier");
  case Parameter::status:
    return signature.add(MemRefType::get({}, b.getI32Type()), args.status,
                         "status");
  case Parameter::draft:
    return signature.addArrays(args.draft, layout.type, "draft_");
  case Parameter::result:
    return signature.addArrays(args, layout.type, "");
  case Parameter::partials:
    return addPartials(signature);
  case Parameter::tables:
    return addTables(signature);
  case Parameter::buckets:
    return addBuckets(signature);
  case Parameter::coordinateSet:
    return addWorkspace(signature, /*hasSums=*/false);
  case Parameter::workspace:
    return addWorkspace(signature, /*hasSums=*/true);
  default:
    llvm_unreachable("add() adds it");
  }
}

void PhaseFunctions::addPartials(Signature &signature) {
  ArrayRef<Type> types = layout.reduction->getTypes();
  args.partials.resize(types.size());
  for (auto [type, partials] : llvm::zip(types, args.partials))
    signature.add(Signature::table(type), partials, "partials");
  signature.add(Signature::vector(b.getIndexType()), args.visited, "visited");
}

/// Numbers of buckets are as wide as the positions that they lead to.
void PhaseFunctions::addBuckets(Signature &signature) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(layout.type);
  signature.add(Signature::table(encoding.getPosElemType()), args.buckets,
                "buckets");
}

void PhaseFunctions::addTables(Signature &signature) {
  args.tables.resize(layout.finds.size());
  for (auto [find, table] : llvm::zip(layout.finds, args.tables)) {
    auto fiber = cast<FiberType>(FindOp(find).getFiber().getType());
    auto encoding = sparse_tensor::getSparseTensorEncoding(fiber.getTensor());
    // A fiber has no more children than coordinates.
    Type key = keyType(encoding);
    signature.add(Signature::table(key), table.keys, "found_keys");
    signature.add(Signature::table(b.getI64Type()), table.marks, "found_marks");
    signature.add(Signature::table(key), table.numbers, "found_numbers");
  }
}

void PhaseFunctions::addWorkspace(Signature &signature, bool hasSums) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(layout.type);
  if (layout.workspaceHasKeys)
    signature.add(Signature::table(keyType(encoding)), args.keys, "keys");
  signature.add(Signature::table(b.getI64Type()), args.marks, "marks");
  if (hasSums)
    signature.add(Signature::table(layout.type.getElementType()), args.sums,
                  "sums");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

PhaseFunctions::PhaseFunctions(func::FuncOp source, NestOp nest,
                               ResultLayout layout, int64_t tile,
                               bool isOnDevice)
    : source(source), nest(nest),
      partition(nest.getCuts().getDefiningOp<PartitionOp>()),
      layout(std::move(layout)), tile(tile), isOnDevice(isOnDevice),
      b(withoutName(nest.getLoc()), source) {}

CutType PhaseFunctions::cutType() {
  return CutType::get(b.getContext(), nest.getCuts().getType().getWidths());
}

/// Every function takes the operands first and the number of threads last.
func::FuncOp PhaseFunctions::start(StringRef suffix,
                                   const Parameters &parameters,
                                   bool isExported) {
  args = PhaseArguments();
  Signature signature;
  for (Parameter parameter : parameters)
    add(parameter, signature);
  signature.add(b.getIndexType(), args.threads, "threads");
  SmallVector<Type> types(source.getArgumentTypes().drop_back());
  size_t numOperands = types.size();
  llvm::append_range(types, signature.types);

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
  signature.bind(entry->getArguments().drop_front(numOperands));
  args.makeViews(b, layout.type.getRank());
  args.draft.makeViews(b, layout.type.getRank());
  return func;
}

void PhaseFunctions::call(StringRef suffix, ValueRange arguments) {
  func::CallOp::create(b, functions.at(suffix), arguments);
}

void PhaseFunctions::cloneOperands() {
  for (Operation &op : source.getBody().front())
    if (!isa<PartitionOp, NestOp, func::ReturnOp>(op))
      b.clone(op, mapping);
}

Value PhaseFunctions::numParts() {
  Number zero(b, 0);
  Number one(b, 1);
  Value rows = memref::DimOp::create(b, args.bounds, zero);
  NameScope name(b, "parts");
  return Number(b, rows) - one;
}

ParallelOp PhaseFunctions::emitWorkers(Value parts) {
  auto workers = ParallelOp::create(b, parts, args.threads);
  setName(workers.getWorker(), "part");
  return workers;
}

ParallelOp PhaseFunctions::startWorkers(Value parts) {
  ParallelOp workers = emitWorkers(parts);
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(workers.getBodyBlock());
  return workers;
}

void PhaseFunctions::emitOneWorker(llvm::function_ref<void()> body) {
  Number one(b, 1);
  auto worker = ParallelOp::create(b, one, args.threads);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(worker.getBodyBlock());
  body();
}

Values PhaseFunctions::loadRow(Value buffer, Value row) {
  Values values;
  for (auto [column, name] : llvm::enumerate(layout.columnNames())) {
    Number at(b, column);
    NameScope scope(b, name);
    values.push_back(memref::LoadOp::create(b, buffer, ValueRange{row, at}));
  }
  return values;
}

void PhaseFunctions::storeRow(ValueRange values, Value buffer, Value row) {
  for (auto [column, value] : llvm::enumerate(values)) {
    Number at(b, column);
    memref::StoreOp::create(b, value, buffer, ValueRange{row, at});
  }
}
