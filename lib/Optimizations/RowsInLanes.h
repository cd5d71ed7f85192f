//===- RowsInLanes.h - Several short rows at once -------------------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_ROWSINLANES_H
#define NACHO_LIB_OPTIMIZATIONS_ROWSINLANES_H

#include "RowSums.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nacho {

/// The number of rows that are added up at once, each in a lane of a vector.
constexpr int64_t kRowLanes = 8;
/// So many octets of a row are added up in steps that all rows take.
constexpr int64_t kFewOctets = 4;
/// The number of terms of each row that are added per check for its end.
constexpr int64_t kTermsAtOnce = 4;

/// The terms of the rows of a strip, from `begin` to `end`, as they are in
/// memory: those of sum n in `terms[n]`, the first of them at index 0.
struct Strip {
  mlir::Value begin, size;
  mlir::SmallVector<mlir::Value> terms;

  /// The position in the strip, of 32 bits, of a position of the operand. It is
  /// at most `size`, whatever the operand holds.
  mlir::Value placeOf(mlir::ImplicitLocOpBuilder &b, mlir::Value position);

  /// Where the octet of zeros is that ends each memory of terms.
  mlir::Value zeros(mlir::ImplicitLocOpBuilder &b);
};

/// Emits the sums of kRowLanes rows at a time.
class RowsInLanes {
public:
  RowsInLanes(mlir::ImplicitLocOpBuilder &b, RowSums &sums, Strip &strip,
              mlir::Value first);

  /// Emits where the rows are in the strip; the first one begins at `begin`.
  void emitPlaces(mlir::Value begin);

  /// Emits whether the sums of these rows can be emitted.
  mlir::Value emitCanSum();

  /// Emits where the last row ends.
  mlir::Value emitEnd();

  /// Emits the sums of the rows, and stores the elements of the result.
  void emitSums();

private:
  mlir::VectorType lanesOf(mlir::Type type) const {
    return mlir::VectorType::get(kRowLanes, type);
  }
  mlir::Value vectorOf(mlir::Value value);
  mlir::Value rowsOf(mlir::Value index);
  mlir::Value placeOf(mlir::Value places, int64_t lane);
  Number anyExceeds(mlir::Value numbers, int64_t other);
  mlir::SmallVector<mlir::Value>
  ifThen(mlir::Value condition, mlir::ArrayRef<mlir::Value> values,
         llvm::function_ref<mlir::SmallVector<mlir::Value>()> changed);
  void extractBegins();
  void addOctets();
  mlir::Value addOctets(size_t number, mlir::Value taken);
  mlir::SmallVector<mlir::Value> addFewOctets(size_t number, mlir::Value taken,
                                              mlir::ArrayRef<mlir::Value> each);
  mlir::SmallVector<mlir::Value>
  addOtherOctets(size_t number, mlir::Value taken,
                 mlir::ArrayRef<mlir::Value> each);
  mlir::Value loadOctet(size_t number, mlir::Value place);
  mlir::Value addOctet(size_t number, mlir::Value sum, mlir::Value place);
  void addLeft();
  mlir::SmallVector<mlir::Value> addTerms(int64_t from);
  std::pair<mlir::Value, mlir::Value> loadTwoTerms(mlir::Value terms,
                                                   int64_t step);
  mlir::Value addTerm(const CarriedValue &one, mlir::Value sum,
                      mlir::Value term, int64_t step);

  mlir::ImplicitLocOpBuilder &b;
  RowSums &sums;
  Strip &strip;
  mlir::Value first; ///< The first row.
  mlir::IRMapping lanes;
  mlir::SmallVector<unsigned>
      numbers; ///< The places of sums among carried values.
  /// The starts and the ends of the rows in the strip. Terms that have been
  /// added to `all`, the sum of each row, are not counted among them.
  mlir::Value begins, ends;
  mlir::Value lengths;
  mlir::SmallVector<mlir::Value> all;
  mlir::SmallVector<mlir::Value> begin; ///< `begins`, one by one.
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_ROWSINLANES_H
