//===- ParallelCallsToLLVM.cpp - Parallel calls as calls of the runtime ---===//
//
// The runtime knows functions of one type. What a worker needs besides its
// number is stored in memory of the caller, whose address the runtime hands on:
//
//   caller:  context = {captured...}
//            nacho_compute_parts(workers, threads, @entry, context)
//   @entry(context, worker, slot, word):
//            @worker(worker, slot, word, (*context)...)
//
// Of an array, it is the address and the extents that its type does not tell: a
// whole descriptor is twice as long, and half of the code would copy words.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOPARALLELCALLSTOLLVM
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The type of an array whose rows follow each other from its address on; null
/// for any other type.
static MemRefType contiguousArray(Type type) {
  auto array = dyn_cast<MemRefType>(type);
  return array && array.getLayout().isIdentity() ? array : MemRefType();
}

/// Appends what is stored of a value of the given type, which `converted` is in
/// LLVM's dialect.
static void appendFields(ImplicitLocOpBuilder &b, Type type, Value converted,
                         SmallVectorImpl<Value> &fields) {
  MemRefType array = contiguousArray(type);
  if (!array) {
    fields.push_back(converted);
    return;
  }
  MemRefDescriptor descriptor(converted);
  fields.push_back(descriptor.alignedPtr(b, b.getLoc()));
  for (auto [n, extent] : llvm::enumerate(array.getShape()))
    if (ShapedType::isDynamic(extent))
      fields.push_back(descriptor.size(b, b.getLoc(), n));
}

/// Reverses appendFields(): takes from the front of `fields` what is stored of
/// a value, of which `converted` is the type in LLVM's dialect.
static Value takeFields(ImplicitLocOpBuilder &b, Type type, Type converted,
                        ArrayRef<Value> &fields) {
  auto take = [&] { return fields.consume_front(); };
  MemRefType array = contiguousArray(type);
  if (!array)
    return take();
  Location loc = b.getLoc();
  auto descriptor = MemRefDescriptor::poison(b, loc, converted);
  Value address = take();
  descriptor.setAllocatedPtr(b, loc, address);
  descriptor.setAlignedPtr(b, loc, address);
  descriptor.setConstantOffset(b, loc, 0);
  for (auto [n, extent] : llvm::enumerate(array.getShape()))
    if (ShapedType::isDynamic(extent))
      descriptor.setSize(b, loc, n, take());
    else
      descriptor.setConstantSize(b, loc, n, extent);
  Value stride = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
  for (int64_t n = array.getRank() - 1; n >= 0; --n) {
    descriptor.setStride(b, loc, n, stride);
    if (n > 0)
      stride = LLVM::MulOp::create(b, stride, descriptor.size(b, loc, n));
  }
  return descriptor;
}

namespace {
class ParallelCallLowering : public ConvertOpToLLVMPattern<ParallelCallOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(ParallelCallOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> fields;
    for (auto [value, converted] :
         llvm::zip(op.getCaptured(), adaptor.getCaptured()))
      appendFields(b, value.getType(), converted, fields);
    auto context = LLVM::LLVMStructType::getLiteral(
        b.getContext(), llvm::to_vector(ValueRange(fields).getTypes()));
    Value stored = store(b, op, context, fields);
    LLVM::LLVMFuncOp entry = addEntry(b, op, context);
    auto asWord = [&](Value address) -> Value {
      return LLVM::PtrToIntOp::create(b, b.getI64Type(), address);
    };
    Value address = asWord(LLVM::AddressOfOp::create(b, entry));
    auto call = func::CallOp::create(
        b,
        declare(op->getParentOfType<ModuleOp>(), kComputePartsSymbol, 4,
                b.getI32Type()),
        ValueRange{adaptor.getWorkers(), adaptor.getThreads(), address,
                   asWord(stored)});
    Value zero = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(0));
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne,
                                              call.getResult(0), zero);
    return success();
  }

private:
  /// Stores what workers need on the stack of the function.
  static Value store(ImplicitLocOpBuilder &b, ParallelCallOp op, Type context,
                     ValueRange fields) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value stored;
    {
      OpBuilder::InsertionGuard guard(b);
      auto function = op->getParentOfType<FunctionOpInterface>();
      b.setInsertionPointToStart(&function.getFunctionBody().front());
      Value one = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
      stored = LLVM::AllocaOp::create(b, pointer, context, one);
    }
    for (auto [n, value] : llvm::enumerate(fields))
      LLVM::StoreOp::create(b, value, fieldOf(b, context, stored, n));
    return stored;
  }

  static Value fieldOf(ImplicitLocOpBuilder &b, Type context, Value stored,
                       int32_t n) {
    return LLVM::GEPOp::create(b, stored.getType(), context, stored,
                               ArrayRef<LLVM::GEPArg>{0, n});
  }

  /// Adds the function that the runtime calls for each worker.
  LLVM::LLVMFuncOp addEntry(ImplicitLocOpBuilder &b, ParallelCallOp op,
                            LLVM::LLVMStructType context) const {
    std::string name = (op.getCallee() + "_entry").str();
    auto module = op->getParentOfType<ModuleOp>();
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    OpBuilder::InsertionGuard guard(b);
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Type i64 = b.getI64Type();
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64, pointer});
    b.setInsertionPoint(op->getParentOfType<FunctionOpInterface>());
    auto entry =
        LLVM::LLVMFuncOp::create(b, name, type, LLVM::Linkage::Internal);
    Block *block = entry.addEntryBlock(b);
    b.setInsertionPointToStart(block);
    auto convert = [&](Value value, Type type) {
      return value.getType() == type
                 ? value
                 : getTypeConverter()->materializeSourceConversion(
                       b, b.getLoc(), type, value);
    };
    Type index = b.getIndexType();
    SmallVector<Value> arguments = {
        convert(block->getArgument(1), index),
        convert(block->getArgument(2), index),
        LLVM::PtrToIntOp::create(b, i64, block->getArgument(3))};
    SmallVector<Value> loaded;
    for (auto [n, field] : llvm::enumerate(context.getBody()))
      loaded.push_back(LLVM::LoadOp::create(
          b, field, fieldOf(b, context, block->getArgument(0), n)));
    ArrayRef<Value> fields(loaded);
    for (Type type : op.getCaptured().getTypes()) {
      Type converted = getTypeConverter()->convertType(type);
      arguments.push_back(
          convert(takeFields(b, type, converted, fields), type));
    }
    func::CallOp::create(b, op.getCallee(), TypeRange(), arguments);
    LLVM::ReturnOp::create(b, ValueRange());
    return entry;
  }
};

struct ParallelCallsToLLVM
    : nacho::impl::ConvertNachoParallelCallsToLLVMBase<ParallelCallsToLLVM> {
  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    patterns.add<ParallelCallLowering>(converter);
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<func::FuncDialect>();
    target.addIllegalOp<ParallelCallOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
