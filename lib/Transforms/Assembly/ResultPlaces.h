//===- ResultPlaces.h - Places of the entries of a result -----------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTPLACES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTPLACES_H

#include "ResultLayout.h"

#include "mlir/IR/IRMapping.h"

namespace nacho {

/// Emits, in one of the functions of a nest, the positions of coordinates in a
/// result, and the indices of elements in its array of values.
class ResultPlaces {
public:
  /// `mapping` maps values of the original function to those of this function.
  ResultPlaces(mlir::ImplicitLocOpBuilder &b, const ResultLayout &layout,
               const mlir::IRMapping &mapping)
      : b(b), layout(layout), mapping(mapping) {}

  /// The extent of a level; the largest number of 64 bits for a level that does
  /// not store coordinates of a loop.
  mlir::Value extent(unsigned level) const;

  /// The coordinate of a cut in the loop of a level; 0 for a loop that is not
  /// cut.
  mlir::Value coordinateOfCut(mlir::Value cut, unsigned level) const;

  /// The position of coordinates in a run of full levels that ends with
  /// `level`. `parent` is the position above them; none if they are the first
  /// levels. `at` gives the coordinate in each level.
  mlir::Value numberOf(unsigned level, std::optional<mlir::Value> parent,
                       llvm::function_ref<mlir::Value(unsigned)> at) const;
  /// The position of a cut's coordinates in full levels that are the first
  /// levels.
  mlir::Value numberOfCut(mlir::Value cut, unsigned level) const;

  /// The index of an element in the array of values, given its coordinates and
  /// its position in the structure's last level, if there is a structure.
  mlir::Value location(std::optional<mlir::Value> position,
                       llvm::ArrayRef<mlir::Value> coordinates) const;

  /// The number of sums in a row of partials.
  mlir::Value rowSize() const;
  /// for each sum of a row of partials: body(number of the sum, coordinates)
  ///
  /// Here the coordinates are those of the sum in the inner levels, and the
  /// given ones in all other levels. If `numberToVisit` is given, it says how
  /// many neighbours are visited in the last level, given the coordinates of
  /// the first of them and how many there are.
  void forRow(
      llvm::ArrayRef<mlir::Value> coordinates,
      llvm::function_ref<void(mlir::Value, llvm::ArrayRef<mlir::Value>)> body,
      llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Value)>
          numberToVisit = nullptr) const;

  /// The coordinates of the sum with the given number in a row, as above.
  Values atNumber(mlir::Value number,
                  llvm::ArrayRef<mlir::Value> coordinates) const;

private:
  mlir::ImplicitLocOpBuilder &b;
  const ResultLayout &layout;
  const mlir::IRMapping &mapping;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_RESULTPLACES_H
