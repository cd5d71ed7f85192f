//===- SearchLowering.h - Searches for cuts as scf loops ------------------===//

#ifndef NACHO_LIB_CONVERSION_SEARCHLOWERING_H
#define NACHO_LIB_CONVERSION_SEARCHLOWERING_H

#include "Selection.h"

namespace nacho {

/// Lowers searches, and the cuts that they find, in functions that may have
/// loops, too.
class SearchLowering : public FiberLowering {
public:
  explicit SearchLowering(mlir::func::FuncOp func);

private:
  void lowerSearch(SearchOp op);
  SearchInterval firstInterval(SearchOp op, llvm::ArrayRef<ChildRange> ranges,
                               const CutValue &lower, const CutValue &upper);
  mlir::Value emitCost(SearchOp op, mlir::Value coordinate,
                       llvm::ArrayRef<mlir::Value> positions);
  /// One position per operand. `stored` has the positions of the operands with
  /// stored coordinates; the others follow from `coordinate`.
  llvm::SmallVector<mlir::Value> allPositions(SearchOp op,
                                              llvm::ArrayRef<ChildRange> ranges,
                                              mlir::Value coordinate,
                                              mlir::ValueRange stored);

  void lowerCut(CutOp op);
  void lowerOrigin(OriginOp op);
  void lowerLimit(LimitOp op);
  void lowerStoreCut(StoreCutOp op);
  void lowerQuery(QueryOp op);
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_SEARCHLOWERING_H
