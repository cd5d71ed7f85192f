//===- Entries.h - What a part does with what it appends ------------------===//
//
// An append counts an entry; or it makes an entry of a level; or it stores into
// a block; or it adds to a sum, in a register, in a row of memory or in a
// workspace. For each of these there is a class. The collector of a nest
// chooses one for each phase.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_ENTRIES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_ENTRIES_H

#include "Part.h"

namespace nacho {

/// What is common to all ways. The functions are called in this order, while
/// the loops of the part are repeated; what they emit goes where the builder
/// is.
class Entries {
public:
  explicit Entries(Part &part) : part(part), layout(part.layout), b(part.b) {}
  virtual ~Entries() = default;

  /// Emits what comes before everything else of a part that appends.
  virtual void prepare() {}
  /// Emits what comes before the loops, and adds what they carry.
  virtual void start(Carried &carried) {}
  /// Emits what comes before the loops inside of the last outer loop.
  virtual void enterOuter(Carried &values) {}
  /// Repeats an append.
  void append(AppendOp op, Carried &values);
  /// Emits what comes after the loops inside of the last outer loop, which is
  /// repeated as `loop`; there were `entriesBefore` entries before them.
  virtual void leaveOuter(CoiterateOp loop, mlir::Value entriesBefore,
                          Carried &values) {}
  /// Emits what comes after the loops.
  virtual void leaveLoops(Carried &values) {}
  /// Emits what comes last, in a nest that has no outer loops but a reduction.
  virtual void finish(Carried &values) {}
  /// Adds the values of the collector's columns in a row of counts.
  virtual void addColumns(const Carried &values, Values &row) const {}

  /// Whether each append is counted, and nothing else is done with it.
  virtual bool areCounted() const { return false; }
  /// Repeats a loop that does nothing but to append, for each number up to an
  /// extent, a term to a sum of the same row; returns whether it is such a
  /// loop.
  virtual bool addRow(CoiterateOp loop) { return false; }

  /// Whether the innermost loop has to compare its coordinate with the extent,
  /// if that coordinate indexes memory.
  virtual bool needsCheck(CoiterateOp innermost) const { return true; }

protected:
  /// Appends a value, at the part's coordinates, where a condition holds.
  virtual void add(AppendOp op, Condition condition, Carried &values) = 0;

  /// values[offset] = value; crd[offset] = coordinate
  void makeEntry(mlir::Value value, mlir::Value offset);
  /// values[at] = value, if that is inside of the array.
  void storeValue(mlir::Value value, mlir::Value at);

  Part &part;
  const ResultLayout &layout;
  mlir::ImplicitLocOpBuilder &b;

private:
  mlir::Value isLastInside();
};

/// Counts an entry for every append.
class CountedEntries : public Entries {
public:
  using Entries::Entries;
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
  /// The value that the entry has.
  virtual mlir::Value valueOf(AppendOp op, Condition condition,
                              Carried &values);
};

/// Stores every append into a block.
class BlockEntries : public Entries {
public:
  using Entries::Entries;

protected:
  void add(AppendOp op, Condition condition, Carried &values) override;
};

/// Reduces what is appended to sums, in registers.
std::unique_ptr<Entries> makeRegisterSums(Part &part);
/// The same in a row of memory, which has a sum for every combination of
/// coordinates of the inner levels.
std::unique_ptr<Entries> makeRowSums(Part &part);

/// Adds up what is appended, in a workspace. With `partLevel`, a coordinate of
/// that level is the number of the part.
std::unique_ptr<Entries>
makeWorkspaceEntries(Part &part, std::optional<unsigned> partLevel);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_ENTRIES_H
