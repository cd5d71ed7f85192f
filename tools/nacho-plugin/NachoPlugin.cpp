//===- NachoPlugin.cpp - The nacho dialect for a stock mlir-opt -----------===//
//
//   mlir-opt --load-dialect-plugin=NachoPlugin.so
//   --load-pass-plugin=NachoPlugin.so
//
//===----------------------------------------------------------------------===//

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/InitAll.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Sparsifier/Passes.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Nacho", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            registry->insert<nacho::NachoDialect>();
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Nacho", LLVM_VERSION_STRING, []() {
            nacho::registerAllPasses(nacho::allBackends());
            nacho::registerSparsifier();
          }};
}
