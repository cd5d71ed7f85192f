//===- NarrowLanes.cpp - Coordinates that stay narrow in vectors ----------===//
//
// Consumes and leaves ops on vectors. Stored coordinates of 32 bits are indices
// where they are compared with an extent, replaced by 0, or used to look up an
// element. A vector of them has half the bytes, and takes half as many
// instructions, if they become indices only at the last moment, one by one.
//
//===----------------------------------------------------------------------===//

#include "NarrowLanes.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace nacho;

/// The narrow coordinates of which a vector of indices is made; null if there
/// are none.
static Value narrowOf(Value indices) {
  auto cast = indices.getDefiningOp<arith::IndexCastUIOp>();
  if (!cast || !isa<VectorType>(cast.getType()) ||
      !getElementTypeOrSelf(cast.getType()).isIndex())
    return {};
  return cast.getIn();
}

/// min(bound, the largest number) in all lanes of a narrow type.
static Value broadcastNarrow(ImplicitLocOpBuilder &b, Value bound,
                             Type narrow) {
  Type type = getElementTypeOrSelf(narrow);
  auto most = APInt::getMaxValue(type.getIntOrFloatBitWidth());
  Number cap(b, most.getZExtValue());
  bound = min(Number(b, bound), cap).as(type);
  return vector::BroadcastOp::create(b, narrow, bound);
}

/// The index that a vector has in every lane; null if it was made otherwise.
static Value indexOfAllLanes(Value lanes) {
  auto made = lanes.getDefiningOp<vector::BroadcastOp>();
  return made && made.getSource().getType().isIndex() ? made.getSource()
                                                      : Value();
}

namespace {

/// coordinates < extent -> narrow coordinates < min(extent, the largest number)
///
/// So the largest narrow number counts as outside of every extent. No tensor
/// has it: 32-bit coordinates that NumPy makes are at most half as large.
struct NarrowComparison : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    Value narrow = narrowOf(op.getLhs());
    Value bound = indexOfAllLanes(op.getRhs());
    if (!narrow || !bound ||
        (op.getPredicate() != arith::CmpIPredicate::ult &&
         op.getPredicate() != arith::CmpIPredicate::uge))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value extent = broadcastNarrow(b, bound, narrow.getType());
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(), narrow,
                                               extent);
    return success();
  }
};

/// min(positions, size) -> the same of narrow positions, and the least size
///
/// A size that is larger than any narrow number changes none of them.
struct NarrowMinimum : OpRewritePattern<arith::MinUIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MinUIOp op,
                                PatternRewriter &rewriter) const override {
    Value narrow = narrowOf(op.getLhs());
    Value bound = indexOfAllLanes(op.getRhs());
    if (!narrow || !bound)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value size = broadcastNarrow(b, bound, narrow.getType());
    Value least = min(Number(b, narrow), size);
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, op.getType(), least);
    return success();
  }
};

/// select(mask, coordinates, 0) -> the same of narrow coordinates
struct NarrowSelection : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value narrow = narrowOf(op.getTrueValue());
    if (!narrow || !matchPattern(op.getFalseValue(), m_Zero()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Number zeros(b, 0, narrow.getType());
    Value selected = select(Number(b, op.getCondition()), narrow, zeros);
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, op.getType(),
                                                      selected);
    return success();
  }
};

/// coordinates[lane] -> the narrow coordinate of the lane
struct NarrowExtraction : OpRewritePattern<vector::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    Value narrow = narrowOf(op.getSource());
    if (!narrow || !op.getType().isIndex())
      return failure();
    Value lane = vector::ExtractOp::create(rewriter, op.getLoc(), narrow,
                                           op.getMixedPosition());
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, op.getType(), lane);
    return success();
  }
};

} // namespace

LogicalResult nacho::narrowLanes(func::FuncOp func) {
  RewritePatternSet patterns(func.getContext());
  patterns
      .add<NarrowComparison, NarrowMinimum, NarrowSelection, NarrowExtraction>(
          func.getContext());
  return applyPatternsGreedily(func, std::move(patterns));
}
