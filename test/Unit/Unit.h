//===- Unit.h - Suites of checks in C++ -------------------------*- C++ -*-===//
//
// For functions that are tested best by calling them, such as those with a
// truth table. A suite is a function of a context; `nacho-unit NAME` runs it:
//
//   NACHO_SUITE("merge-lattice") {
//     check(isNever(merge), [&] { return "never: " + show(merge); });
//   }
//
// A check that fails is printed, and the others of its suite are still made.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_TEST_UNIT_H
#define NACHO_TEST_UNIT_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace nacho::unit {

/// Registers a suite when the program starts.
struct Suite {
  Suite(llvm::StringRef name, void (*run)(mlir::MLIRContext &));
};

/// Counts a check, and prints what `describe` returns if it does not hold.
void check(bool holds, llvm::function_ref<std::string()> describe);

/// The text of an attribute, a type or an operation.
template <typename T>
std::string show(const T &printable) {
  std::string text;
  llvm::raw_string_ostream(text) << printable;
  return text;
}

} // namespace nacho::unit

#define NACHO_SUITE(name)                                                      \
  static void runSuite(mlir::MLIRContext &context);                            \
  static const nacho::unit::Suite suite(name, runSuite);                       \
  static void runSuite([[maybe_unused]] mlir::MLIRContext &context)

#endif // NACHO_TEST_UNIT_H
