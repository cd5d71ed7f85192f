//===- DraftRoom.h - The most entries that parts can append -----*- C++ -*-===//
//
// The cost model says how many entries a part can append at most: its cost,
// divided by the least weight of what leads to an entry. The room before a part
// is therefore the cost of all parts before it, divided by this weight and
// rounded up. Where entries are appended only if another tensor, a mask, has an
// entry at the same coordinates, the number of the mask's entries in the rows
// of all parts before it is such a bound, too, and often a much smaller one; so
// is the number of the elements of these rows, where parts have whole rows.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_DRAFTROOM_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_DRAFTROOM_H

#include "Filling.h"

namespace nacho {

/// The base of fillings whose parts append to drafts.
class FillingOfDrafts : public Filling {
public:
  Status statusWhenFull() const override { return kDraftFull; }
  Parameters planParameters(const PhaseFunctions &function) const override;
  /// for part in 0..parts: offsets[part] = the room of all parts before it
  /// sizes = those of a result with all of that room
  void planOffsets(PhaseFunctions &function, mlir::Value parts) const override;

protected:
  /// Emits, at the end of execute, the sizes of the result, by where all parts
  /// begin to append to it, and the positions of its only first fiber.
  static void storeFound(PhaseFunctions &function);
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_DRAFTROOM_H
