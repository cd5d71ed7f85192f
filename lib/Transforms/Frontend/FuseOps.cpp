//===- FuseOps.cpp - Fusion of linalg ops ---------------------------------===//
//
// Consumes ops of linalg; leaves one op where an op computes a tensor that
// nobody but a second op reads. The tensor is not made then:
//
//   T = op(A), Z = op'(T, B)                  ->  Z = op'(op(A), B)
//   T[i, j] = sum_k A[i, k] * B[k, j],
//   Z[i, j] = S[i, j] * T[i, j], S sparse     ->  Z[i, j] = sum_k S * A * B
//
// The former is what MLIR fuses; the latter MLIR fuses if A and B are dense.
//
//===----------------------------------------------------------------------===//

#include "LinalgOutput.h"
#include "nacho/Transforms/KernelBuilder.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFUSEOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;
using linalg::GenericOp;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// Whether an op computes functions, such as a sine, and not only arithmetic.
static bool isCostly(GenericOp op) {
  return llvm::any_of(op.getBody()->without_terminator(), [](Operation &op) {
    return !isa<arith::ArithDialect, linalg::LinalgDialect>(op.getDialect());
  });
}

/// Whether the elements that an op computes can be computed where another one
/// reads them.
static bool isElementwise(GenericOp producer, OpOperand &read) {
  if (!linalg::areElementwiseOpsFusable(&read) ||
      !producer.getMatchingBlockArgument(producer.getDpsInitOperand(0))
           .use_empty())
    return false;
  // All elements of a dense result are stored; those of an operand are not.
  if (hasSparseTensors(producer) && !isSparse(read.get().getType()))
    return false;
  // Whoever reads an element several times would compute it several times.
  auto consumer = cast<LinalgOp>(read.getOwner());
  return !isCostly(producer) ||
         consumer.getMatchingIndexingMap(&read).getNumResults() ==
             consumer.getNumLoops();
}

static LinalgOp fuseElements(IRRewriter &rewriter, OpOperand &read) {
  Operation *consumer = read.getOwner();
  rewriter.setInsertionPoint(consumer);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, &read);
  if (failed(fused))
    return {};
  for (Value result : consumer->getResults())
    rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
  return cast<LinalgOp>(fused->fusedOp);
}

//===----------------------------------------------------------------------===//
// Sampled sums
//===----------------------------------------------------------------------===//

/// Whether an op of a body is an operator on elements of a type.
static bool isOperator(Operation &op, BinaryKind kind, Type type) {
  std::optional<ElementOperator> found = binaryOperatorOf(op);
  return found && found->kind == kind && found->type == type &&
         op.getResult(0).getType() == type;
}

/// Whether an element is 0 wherever a sparse operand of the op has no entry.
static bool isSampled(GenericOp op, Value element) {
  if (auto argument = dyn_cast<BlockArgument>(element))
    return argument.getOwner() == op.getBody() &&
           op.isDpsInput(op.getMatchingOpOperand(argument)) &&
           isSparse(op.getMatchingOpOperand(argument)->get().getType());
  Operation *made = element.getDefiningOp();
  return made->getBlock() == op.getBody() &&
         isOperator(*made, BinaryKind::mul, element.getType()) &&
         llvm::any_of(made->getOperands(),
                      [op](Value factor) { return isSampled(op, factor); });
}

/// out <- out + element: the use of the element; null if a body yields
/// something else.
static OpOperand *addedElement(GenericOp op) {
  BlockArgument out = op.getBody()->getArguments().back();
  Operation *yield = op.getBody()->getTerminator();
  Operation *add = yield->getOperand(0).getDefiningOp();
  if (!add || add->getBlock() != op.getBody() || !out.hasOneUse() ||
      !add->hasOneUse() || !isOperator(*add, BinaryKind::add, out.getType()))
    return nullptr;
  for (OpOperand &operand : add->getOpOperands())
    if (operand.get() != out)
      return &operand;
  return nullptr;
}

namespace {
/// A sum, and an op that multiplies it with elements of a sparse tensor.
class SampledSum {
public:
  /// Fails if the ops are something else.
  static std::optional<SampledSum> find(GenericOp producer, OpOperand &read);

  GenericOp fuse(ImplicitLocOpBuilder &b);

private:
  SampledSum(GenericOp sum, OpOperand &read)
      : sum(sum), sampler(cast<GenericOp>(read.getOwner())), read(&read) {}

  bool isSum();
  bool samples();
  Value findProduct();
  SmallVector<AffineExpr> placeLoops(unsigned &numLoops);
  Value buildOutput(ImplicitLocOpBuilder &b);
  void buildBody(OpBuilder &b, ValueRange elements,
                 ArrayRef<AffineExpr> places);

  GenericOp sum, sampler;
  OpOperand *read;            ///< The sampler's operand that is the sum.
  OpOperand *term = nullptr;  ///< The term that the sum adds.
  OpOperand *added = nullptr; ///< The sampler's term; null if it overwrites.
};
} // namespace

std::optional<SampledSum> SampledSum::find(GenericOp producer,
                                           OpOperand &read) {
  SampledSum found(producer, read);
  if (!found.isSum() || !found.samples())
    return {};
  return found;
}

/// Whether the sum starts at 0, and consists of what the notation has.
bool SampledSum::isSum() {
  term = addedElement(sum);
  return term && sum.getNumReductionLoops() > 0 &&
         startOf(sum.getDpsInitOperand(0)->get()).isZero() &&
         sum.getMatchingIndexingMap(sum.getDpsInitOperand(0))
             .isProjectedPermutation() &&
         llvm::all_of(sum.getBody()->without_terminator(), [](Operation &op) {
           return isa<arith::ConstantOp>(op) || binaryOperatorOf(op);
         });
}

/// Whether each element of the sum is read once, as a factor of a product of
/// which another factor is sparse, and which is the result or is added to it.
bool SampledSum::samples() {
  Type type = getElementTypeOrSelf(read->get().getType());
  Value output = sampler.getDpsInitOperand(0)->get();
  if (!sampler.getMatchingIndexingMap(read).isPermutation() ||
      isSlice(output.getType()) ||
      getElementTypeOrSelf(output.getType()) != type)
    return false;
  Value product = findProduct();
  if (!product || !product.hasOneUse())
    return false;
  OpOperand &use = *product.use_begin();
  added = addedElement(sampler);
  if (added)
    return added == &use &&
           (!isSparse(output.getType()) || startOf(output).isZero());
  return use.getOwner() == sampler.getBody()->getTerminator() &&
         sampler.getNumReductionLoops() == 0 && startOf(output).isZero() &&
         sampler.getBody()->getArguments().back().use_empty();
}

/// The product of which the sum is a factor, if another factor is sparse.
Value SampledSum::findProduct() {
  Value product = sampler.getMatchingBlockArgument(read);
  Type type = product.getType();
  bool isSampledHere = false;
  while (product.hasOneUse() &&
         isOperator(**product.user_begin(), BinaryKind::mul, type)) {
    Operation *mul = *product.user_begin();
    for (Value factor : mul->getOperands())
      isSampledHere |= factor != product && isSampled(sampler, factor);
    product = mul->getResult(0);
  }
  return isSampledHere ? product : Value();
}

/// The loops of the fused op that take the place of the sum's. Those that the
/// result does not have come after the sampler's loops.
SmallVector<AffineExpr> SampledSum::placeLoops(unsigned &numLoops) {
  MLIRContext *context = sum.getContext();
  AffineMap result = sum.getMatchingIndexingMap(sum.getDpsInitOperand(0));
  AffineMap reads = sampler.getMatchingIndexingMap(read);
  SmallVector<AffineExpr> places(sum.getNumLoops());
  for (auto [loop, place] : llvm::zip(result.getResults(), reads.getResults()))
    places[cast<AffineDimExpr>(loop).getPosition()] = place;
  for (AffineExpr &place : places)
    if (!place)
      place = getAffineDimExpr(numLoops++, context);
  return places;
}

/// The output to add to: the sampler's, filled with zeros if it is overwritten.
Value SampledSum::buildOutput(ImplicitLocOpBuilder &b) {
  Value output = sampler.getDpsInitOperand(0)->get();
  if (added || isSparse(output.getType()))
    return output;
  Type type = getElementTypeOrSelf(output.getType());
  auto complex = dyn_cast<ComplexType>(type);
  Attribute zero = b.getZeroAttr(complex ? complex.getElementType() : type);
  if (complex)
    zero = b.getArrayAttr({zero, zero});
  Value number = emitConstant(b, zero, type);
  return linalg::FillOp::create(b, number, output).getResult(0);
}

/// The elements are those that the sampler reads, without the sum's; those
/// that the sum reads; and that of the output.
void SampledSum::buildBody(OpBuilder &b, ValueRange elements,
                           ArrayRef<AffineExpr> places) {
  IRMapping mapping;
  BlockArgument element = sampler.getMatchingBlockArgument(read);
  auto next = elements.begin();
  for (BlockArgument argument : sampler.getBody()->getArguments().drop_back())
    if (argument != element)
      mapping.map(argument, *next++);
  for (BlockArgument argument : sum.getBody()->getArguments().drop_back())
    mapping.map(argument, *next++);
  mapping.map(sampler.getBody()->getArguments().back(), elements.back());
  Operation *add = term->getOwner();
  for (Operation &op : sum.getBody()->without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mapping.map(
          index.getResult(),
          linalg::IndexOp::create(
              b, op.getLoc(),
              cast<AffineDimExpr>(places[index.getDim()]).getPosition()));
    else if (&op != add)
      b.clone(op, mapping);
  mapping.map(element, mapping.lookupOrDefault(term->get()));
  for (Operation &op : sampler.getBody()->without_terminator())
    b.clone(op, mapping);
  Operation *yield = sampler.getBody()->getTerminator();
  if (added) {
    b.clone(*yield, mapping);
    return;
  }
  mapping.map(sum.getBody()->getArguments().back(), elements.back());
  mapping.map(term->get(), mapping.lookupOrDefault(yield->getOperand(0)));
  Value all = b.clone(*add, mapping)->getResult(0);
  linalg::YieldOp::create(b, yield->getLoc(), all);
}

GenericOp SampledSum::fuse(ImplicitLocOpBuilder &b) {
  unsigned numLoops = sampler.getNumLoops();
  SmallVector<AffineExpr> places = placeLoops(numLoops);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : sampler.getDpsInputOperands()) {
    if (input == read)
      continue;
    inputs.push_back(input->get());
    AffineMap map = sampler.getMatchingIndexingMap(input);
    maps.push_back(
        AffineMap::get(numLoops, 0, map.getResults(), b.getContext()));
  }
  for (OpOperand *input : sum.getDpsInputOperands()) {
    inputs.push_back(input->get());
    maps.push_back(sum.getMatchingIndexingMap(input).replaceDimsAndSymbols(
        places, {}, numLoops, 0));
  }
  AffineMap output =
      sampler.getMatchingIndexingMap(sampler.getDpsInitOperand(0));
  maps.push_back(
      AffineMap::get(numLoops, 0, output.getResults(), b.getContext()));
  SmallVector<utils::IteratorType> kinds = sampler.getIteratorTypesArray();
  kinds.resize(numLoops, utils::IteratorType::reduction);
  return GenericOp::create(
      b, sampler.getResultTypes(), inputs, buildOutput(b), maps, kinds,
      [&](OpBuilder &nested, Location, ValueRange elements) {
        buildBody(nested, elements, places);
      });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct FuseOps : nacho::impl::NachoFuseOpsBase<FuseOps> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<LinalgOp> ops;
    getOperation().walk([&](LinalgOp op) { ops.push_back(op); });
    // From the first to the last, so that what reads a fused op is fused, too.
    for (LinalgOp op : ops)
      while (op && op->getNumResults() == 1 && hasSparseTensors(op))
        op = fuseOperand(op);
  }

private:
  LinalgOp fuseOperand(LinalgOp op);
};
} // namespace

/// Whether nothing but one op reads a tensor. It may be released later.
static bool isReadOnce(OpOperand &read) {
  return llvm::all_of(read.get().getUses(), [&](OpOperand &use) {
    return &use == &read || isa<bufferization::DeallocTensorOp>(use.getOwner());
  });
}

/// The op that makes an operand, if nothing else reads it, and it is made as
/// often as it is read.
static LinalgOp producerOf(OpOperand &read) {
  auto producer = read.get().getDefiningOp<LinalgOp>();
  bool isOnly = producer && !isa<linalg::FillOp>(producer.getOperation()) &&
                producer->getNumResults() == 1 && isReadOnce(read) &&
                producer->getBlock() == read.getOwner()->getBlock();
  return isOnly ? producer : LinalgOp();
}

/// Erases an op that is fused, and the one that it was fused with.
static void eraseFused(IRRewriter &rewriter, GenericOp consumer,
                       GenericOp producer) {
  rewriter.eraseOp(consumer);
  // All that is left releases what is not made.
  for (Operation *user : llvm::make_early_inc_range(producer->getUsers()))
    rewriter.eraseOp(user);
  llvm::SetVector<Operation *> unused;
  unused.insert(producer);
  eraseUnused(std::move(unused));
}

/// A named op as what it stands for; null if there is no such op.
static GenericOp generalize(IRRewriter &rewriter, LinalgOp op) {
  if (auto generic = dyn_cast<GenericOp>(op.getOperation()))
    return generic;
  rewriter.setInsertionPoint(op);
  FailureOr<GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
  return succeeded(made) ? *made : GenericOp();
}

/// Fuses an op with one of those that make its operands, and returns what it
/// has become; null if there is nothing to fuse.
LinalgOp FuseOps::fuseOperand(LinalgOp op) {
  IRRewriter rewriter(&getContext());
  for (unsigned n = 0; n < op.getNumDpsInputs(); ++n) {
    LinalgOp made = producerOf(op->getOpOperand(n));
    if (!made)
      continue;
    GenericOp producer = generalize(rewriter, made);
    GenericOp consumer = producer ? generalize(rewriter, op) : GenericOp();
    if (!consumer)
      continue;
    op = consumer;
    OpOperand &read = consumer->getOpOperand(n);
    LinalgOp fused;
    if (isElementwise(producer, read)) {
      fused = fuseElements(rewriter, read);
    } else if (auto sum = SampledSum::find(producer, read)) {
      ImplicitLocOpBuilder b(consumer.getLoc(), consumer);
      fused = sum->fuse(b);
      rewriter.replaceAllUsesWith(consumer->getResult(0), fused->getResult(0));
    }
    if (!fused)
      continue;
    if (remarks) {
      InFlightDiagnostic remark = consumer->emitRemark()
                                  << "fused with what makes operand #" << n;
      remark.attachNote(producer.getLoc()) << "made here";
    }
    eraseFused(rewriter, consumer, producer);
    return fused;
  }
  return {};
}
