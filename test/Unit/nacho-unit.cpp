//===- nacho-unit.cpp - Runs suites of checks -----------------------------===//

#include "Unit.h"

#include "nacho/Compiler/InitAll.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace nacho::unit;

static auto &suites() {
  static std::map<std::string, void (*)(mlir::MLIRContext &)> all;
  return all;
}

static unsigned numChecks = 0, numFailures = 0;

Suite::Suite(llvm::StringRef name, void (*run)(mlir::MLIRContext &)) {
  suites()[name.str()] = run;
}

void nacho::unit::check(bool holds,
                        llvm::function_ref<std::string()> describe) {
  constexpr unsigned maxPrinted = 20;
  ++numChecks;
  if (holds)
    return;
  if (++numFailures <= maxPrinted)
    llvm::errs() << "failed: " << describe() << '\n';
}

int main(int argc, char **argv) {
  auto found = argc == 2 ? suites().find(argv[1]) : suites().end();
  if (found == suites().end()) {
    llvm::errs() << "usage: nacho-unit SUITE, which is one of";
    for (const auto &[name, run] : suites())
      llvm::errs() << ' ' << name;
    llvm::errs() << '\n';
    return 2;
  }
  mlir::DialectRegistry registry;
  nacho::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  found->second(context);
  llvm::outs() << found->first << ": " << numChecks << " checks, "
               << numFailures << " failed\n";
  return numFailures != 0;
}
