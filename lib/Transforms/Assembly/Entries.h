//===- Entries.h - Entries appended by a part -----------------------------===//
//
// When a part comes to an append, it may count an entry, or make an entry of a
// level, or store a value into a block, or add a value to a sum in a register,
// in a row of memory or in a workspace. For each of these there is a class. The
// collector of a nest chooses one for counting and one for appending.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_ENTRIES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_ENTRIES_H

#include "Part.h"

namespace nacho {

/// The base of these classes. The functions are called in this order, while the
/// loops of the nest are copied for the part, and emit code where the builder
/// is.
class Entries {
public:
  explicit Entries(Part &part) : part(part), layout(part.layout), b(part.b) {}
  virtual ~Entries() = default;

  /// Emits the first code of a part that appends.
  virtual void prepare() {}
  /// Emits code before the loops, and adds the values that the loops carry.
  virtual void start(Carried &carried) {}
  /// Emits code before the loops inside of the last outer loop.
  virtual void enterOuter(Carried &values) {}
  /// Emits what the part does for an append of the nest.
  void append(AppendOp op, Carried &values);
  /// Emits code after the loops inside of the last outer loop. `loop` is the
  /// copy of that loop; `entriesBefore` is the number of entries before them.
  virtual void leaveOuter(CoiterateOp loop, mlir::Value entriesBefore,
                          Carried &values) {}
  /// Emits code after the loops.
  virtual void leaveLoops(Carried &values) {}
  /// Emits the last code of a part in a nest that reduces and has no outer
  /// loops.
  virtual void finish(Carried &values) {}
  /// Adds the collector's columns to a row of counts.
  virtual void addColumns(const Carried &values, Values &row) const {}

  /// Whether appends are only counted.
  virtual bool areCounted() const { return false; }
  /// Emits one op in place of a loop that only adds a term to each sum of a
  /// row, and returns true. Otherwise returns false.
  virtual bool addRow(CoiterateOp loop) { return false; }

  /// Whether the innermost loop has to compare its coordinate with the extent,
  /// if that coordinate indexes memory.
  virtual bool needsCheck(CoiterateOp innermost) const { return true; }

protected:
  /// Emits what the part does for an append at its current coordinates, if
  /// `condition` holds.
  virtual void add(AppendOp op, Condition condition, Carried &values) = 0;

  /// if condition: body() else: set the status
  void emitChecked(mlir::Value condition, int32_t status,
                   llvm::function_ref<void()> body);
  /// values[offset] = value; crd[offset] = coordinate
  void makeEntry(mlir::Value value, mlir::Value offset);
  /// values[at] = value, if that is inside of the array.
  void storeValue(mlir::Value value, mlir::Value at);
  mlir::Value emitPlaceInside(mlir::Value place);
  mlir::Value emitNumberInside(mlir::Value first, mlir::Value number);

  Part &part;
  const ResultLayout &layout;
  mlir::ImplicitLocOpBuilder &b;

private:
  mlir::Value isLastInside();
};

/// Whether the condition of an append holds for some sums of a row only: it
/// depends on the coordinate of a loop without fibers that makes the row. The
/// others then reduce what is not stored, so that a row counts as one entry.
bool variesInRow(const ResultLayout &layout, AppendOp op);

/// Counts an entry for every append, or for all that are reduced to one.
class CountedEntries : public Entries {
public:
  using Entries::Entries;
  void leaveOuter(CoiterateOp loop, mlir::Value entriesBefore,
                  Carried &values) override;
  bool areCounted() const override { return true; }
  bool needsCheck(CoiterateOp innermost) const override;

protected:
  void add(AppendOp op, Condition condition, Carried &values) override;
};

/// Makes every append an entry of the last level.
class AppendedEntries : public Entries {
public:
  using Entries::Entries;
  bool needsCheck(CoiterateOp innermost) const override;

protected:
  void add(AppendOp op, Condition condition, Carried &values) override;
  /// The value of the entry.
  virtual mlir::Value valueOf(AppendOp op, Condition condition,
                              Carried &values);
};

/// Stores the value of every append into a block.
class BlockEntries : public Entries {
public:
  using Entries::Entries;

protected:
  void add(AppendOp op, Condition condition, Carried &values) override;
};

/// Reduces appended values to sums in registers.
std::unique_ptr<Entries> makeRegisterSums(Part &part);
/// Reduces appended values to a row of sums in memory, which has a sum for
/// every combination of coordinates of the inner levels.
std::unique_ptr<Entries> makeRowSums(Part &part);

/// Adds up appended values in a workspace. With `partLevel`, the entries have
/// the number of the part as their coordinate in that level.
std::unique_ptr<Entries>
makeWorkspaceEntries(Part &part, std::optional<unsigned> partLevel);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_ENTRIES_H
