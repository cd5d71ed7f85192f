//===- EntryBuilder.h - The entry that a group of terms appends -----------===//

#ifndef NACHO_LIB_TRANSFORMS_ENTRYBUILDER_H
#define NACHO_LIB_TRANSFORMS_ENTRYBUILDER_H

#include "OpenNest.h"
#include "nacho/IR/Condition.h"

namespace nacho {

/// Builds what a group of terms does in the loop in which the terms are
/// complete: it adds them up and appends the sum to the result.
class EntryBuilder {
public:
  EntryBuilder(OpenNest &open, const Group &group)
      : open(open), plan(open.plan), b(open.b), group(group) {}

  /// Builds the entry. With `asksForPattern`, it is only appended where the
  /// pattern of the group holds; otherwise the loops imply the pattern.
  void build(bool asksForPattern);

private:
  void loadElements();
  void buildInnerLoops(unsigned n, Condition condition);
  void append(Condition condition);

  /// The value of a term, and where the term is kept (`nacho.keep`).
  struct Element {
    mlir::Value value;
    Condition isKept;
  };

  // Values.
  Element buildTerm(unsigned number);
  Element buildElement(unsigned number);
  mlir::Value buildStored(StoredOp op, unsigned number);
  mlir::Value bindInput(unsigned number, unsigned input);
  mlir::Value emitPattern(MergeAttr pattern, unsigned term, mlir::Value value);
  mlir::Value coordinateOf(const Term &term, mlir::Attribute index);
  DeriveOp derive(const Term &term, mlir::Attribute index);

  // Conditions.
  Condition buildCondition(MergeAttr pattern);
  bool isDriven(unsigned number, unsigned m);
  Condition insideGroup();
  std::optional<MergeAttr> exactPattern(mlir::Value condition);
  Condition whereKept(KeepOp keep, unsigned number, mlir::Value condition);
  Condition keptInGroup(llvm::ArrayRef<Element> elements);
  Condition insideTerm(const Term &term);
  Condition insideSlices();
  Condition onDiagonals();
  Condition whereEquationsHold(const Term &term);

  OpenNest &open;
  LoopNest &plan;
  mlir::ImplicitLocOpBuilder &b;
  const Group &group;
  llvm::DenseMap<unsigned, mlir::Value> elements; ///< Elements by instance.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ENTRYBUILDER_H
