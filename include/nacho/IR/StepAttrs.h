//===- StepAttrs.h - The parts of `#nacho.step` ---------------------------===//

#ifndef NACHO_IR_STEPATTRS_H
#define NACHO_IR_STEPATTRS_H

#include "llvm/ADT/Hashing.h"

namespace nacho {

/// The tensor that an argument of a step is.
struct StepSource {
  bool isStep;     ///< It is the result of an earlier step; else an operand.
  unsigned number; ///< The number of that step or operand.

  bool operator==(const StepSource &other) const {
    return isStep == other.isStep && number == other.number;
  }
  friend llvm::hash_code hash_value(const StepSource &source) {
    return llvm::hash_combine(source.isStep, source.number);
  }
};

/// A level or an access of one of the arguments of a step.
struct OfArgument {
  unsigned number; ///< The number of the level or the access.
  unsigned argument;

  bool operator==(const OfArgument &other) const {
    return number == other.number && argument == other.argument;
  }
  friend llvm::hash_code hash_value(const OfArgument &what) {
    return llvm::hash_combine(what.number, what.argument);
  }
};

/// What a level of a scanned list has for each entry: the position of an entry
/// of an argument, where children of one end, or any other number.
struct KeptNumber {
  enum Kind { position, end, other } kind;
  /// The level that the position is one of or, if the argument is a list, the
  /// level that keeps the same.
  OfArgument level;

  bool operator==(const KeptNumber &other) const {
    return kind == other.kind && level == other.level;
  }
  friend llvm::hash_code hash_value(const KeptNumber &what) {
    return llvm::hash_combine(what.kind, what.level);
  }
};

} // namespace nacho

#endif // NACHO_IR_STEPATTRS_H
