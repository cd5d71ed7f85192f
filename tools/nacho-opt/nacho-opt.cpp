//===- nacho-opt.cpp - mlir-opt with the nacho dialect --------------------===//

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/InitAll.h"
#include "nacho/Sparsifier/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::AddExtraVersionPrinter(
      [](llvm::raw_ostream &stream) { stream << "nacho " NACHO_VERSION "\n"; });
  mlir::registerAllPasses();
  nacho::registerAllPasses(nacho::allBackends());
  nacho::registerSparsifier();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  nacho::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "nacho compiler driver\n", registry));
}
