//===- ResultPlaces.h - Where the entries of a result go ------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTPLACES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTPLACES_H

#include "ResultLayout.h"

#include "mlir/IR/IRMapping.h"

namespace nacho {

/// Emits positions in a result, and locations in the array of its values, in
/// one of the functions of a nest.
class ResultPlaces {
public:
  /// The mapping says what stands for the nest's operands in the function.
  ResultPlaces(mlir::ImplicitLocOpBuilder &b, const ResultLayout &layout,
               const mlir::IRMapping &mapping)
      : b(b), layout(layout), mapping(mapping) {}

  /// The number of coordinates of a level; the largest number of all for a
  /// level at which no loop's coordinates are appended.
  mlir::Value extent(unsigned level) const;

  /// The coordinate of a cut in the loop of a level; 0 for a loop that is not
  /// cut.
  mlir::Value coordinateOfCut(mlir::Value cut, unsigned level) const;

  /// The position that full levels have for some coordinates, where `parent` is
  /// the position that they are under, unless they are the first levels, and
  /// `at` gives the coordinate of each level.
  mlir::Value numberOf(unsigned level, std::optional<mlir::Value> parent,
                       llvm::function_ref<mlir::Value(unsigned)> at) const;
  /// The position of the coordinates of a cut, in full levels that are the
  /// first ones.
  mlir::Value numberOfCut(mlir::Value cut, unsigned level) const;

  /// Where in the array of values an entry is, given its coordinates and the
  /// position of the structure's last level, if there is a structure.
  mlir::Value location(std::optional<mlir::Value> position,
                       llvm::ArrayRef<mlir::Value> coordinates) const;

  /// The number of sums that a row of partial entries has.
  mlir::Value rowSize() const;
  /// for each sum of a row: body(its number, coordinates)
  ///
  /// where `coordinates` are the given ones, and those of the inner levels.
  void forRow(llvm::ArrayRef<mlir::Value> coordinates,
              llvm::function_ref<void(mlir::Value, llvm::ArrayRef<mlir::Value>)>
                  body) const;

private:
  mlir::ImplicitLocOpBuilder &b;
  const ResultLayout &layout;
  const mlir::IRMapping &mapping;
};

/// The number of coordinates of a loop, from any place in a function.
mlir::Value emitExtent(mlir::ImplicitLocOpBuilder &b, CoiterateOp loop,
                       const mlir::IRMapping &mapping);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTPLACES_H
