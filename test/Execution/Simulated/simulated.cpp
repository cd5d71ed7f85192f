//===- simulated.cpp - Kernels of the gpu dialect, on a simulated GPU -----===//
//
//   simulated [--count] FILE.mlir FUNCTION ARRAY...
//
// Calls a function of the host that launches kernels, with arrays in the memory
// of the device, and prints what these hold afterwards, or what was wrong. An
// ARRAY is a type and values: `i32:1,2,3`, `f64:0*256` (one value, 256 times),
// or `i64:0..256` (the numbers below 256). `--count` prints what kernels have
// counted, too.
//
//===----------------------------------------------------------------------===//

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/InitAll.h"
#include "nacho/Execution/Device.h"
#include "nacho/Simulator/KernelCounts.h"
#include "nacho/Simulator/Simulator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <cstring>
#include <iostream>

using namespace nacho;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static std::vector<double> valuesOf(llvm::StringRef text) {
  auto number = [](llvm::StringRef digits) { return std::stod(digits.str()); };
  std::vector<double> values;
  if (text.contains("..")) {
    auto [first, end] = text.split("..");
    for (double next = number(first); next < number(end); ++next)
      values.push_back(next);
  } else if (text.contains('*')) {
    auto [value, count] = text.split('*');
    values.assign(size_t(number(count)), number(value));
  } else {
    for (llvm::StringRef value : llvm::split(text, ','))
      values.push_back(number(value));
  }
  return values;
}

namespace {
/// What a function takes for a memref of rank 1.
struct Descriptor {
  void *allocated, *aligned;
  int64_t offset, size, stride;
};

/// An array in the memory of the device.
class Array {
public:
  Array(Device &device, llvm::StringRef text) : device(device) {
    std::tie(type, text) = text.split(':');
    for (double value : valuesOf(text))
      append(value);
    data = device.allocate(bytes.size());
    device.copyFromHost(data, bytes.data(), bytes.size());
  }
  ~Array() { device.release(data, bytes.size()); }
  Array(const Array &) = delete;

  Descriptor descriptor() const {
    return {data, data, 0, int64_t(bytes.size() / elementSize()), 1};
  }

  void print() {
    device.copyToHost(bytes.data(), data, bytes.size());
    std::cout << type.str() << ":";
    for (size_t at = 0; at < bytes.size(); at += elementSize())
      visit([&](auto one) {
        std::memcpy(&one, &bytes[at], sizeof(one));
        std::cout << " " << one;
      });
    std::cout << "\n";
  }

private:
  /// Calls a function with a value of the array's type.
  template <typename F>
  void visit(F f) const {
    if (type == "i32")
      return f(int32_t());
    if (type == "i64")
      return f(int64_t());
    if (type == "f32")
      return f(float());
    return f(double());
  }
  size_t elementSize() const {
    size_t size = 0;
    visit([&](auto one) { size = sizeof(one); });
    return size;
  }
  void append(double value) {
    visit([&](auto one) {
      one = static_cast<decltype(one)>(value);
      auto *begin = reinterpret_cast<char *>(&one);
      bytes.insert(bytes.end(), begin, begin + sizeof(one));
    });
  }

  Device &device;
  llvm::StringRef type;
  std::vector<char> bytes;
  void *data;
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static mlir::FailureOr<std::unique_ptr<Executable>>
compile(mlir::ModuleOp module, const std::string &function, bool isCounted) {
  auto host = module.lookupSymbol<mlir::func::FuncOp>(function);
  if (!host)
    return module.emitError("there is no function ") << function;
  host->setAttr("llvm.emit_c_interface",
                mlir::UnitAttr::get(module.getContext()));
  CompileOptions options = CompileOptions();
  options.countAccesses = isCounted;
  auto lower = [&]() -> mlir::FailureOr<mlir::ModuleOp> {
    mlir::PassManager passes(module.getContext());
    cudaSimBackend().loweringStages().back().addPasses(
        passes, PipelineOptions(options));
    if (mlir::failed(passes.run(module)))
      return mlir::failure();
    return module;
  };
  std::string key;
  llvm::raw_string_ostream(key) << module << options.key() << function;
  StepFunctions functions;
  functions[size_t(Phase::execute)] = function;
  return cudaSimBackend().compile(
      {key, {functions}, options.sanitizer, lower, module.getLoc()});
}

static void printCounts() {
  for (const auto &[kernel, counts] : countedKernels())
    std::cout << kernel << ": launches " << counts.launches << ", warps "
              << counts.warps << ", sectors " << counts.sectorsLoaded << " + "
              << counts.sectorsStored << ", moved " << counts.sectorsMoved
              << ", bytes " << counts.bytesLoaded << " + " << counts.bytesStored
              << ", lines " << counts.lines << ", shared "
              << counts.sharedAccesses << ", conflicts " << counts.bankConflicts
              << ", atomics " << counts.atomics << ", issued " << counts.issued
              << ", useful " << counts.useful << ", waits " << counts.farWaits
              << " + " << counts.nearWaits << ", longest " << counts.longest
              << " + " << counts.longestFarWaits << " + "
              << counts.longestNearWaits << "\n";
}

int main(int argc, char **argv) {
  bool isCounted = argc > 1 && argv[1] == llvm::StringRef("--count");
  argc -= isCounted;
  argv += isCounted;
  if (argc < 3)
    return std::fprintf(stderr,
                        "usage: simulated [--count] FILE FUNCTION ARRAY...\n"),
           2;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  auto code = compile(*module, argv[2], isCounted);
  if (mlir::failed(code))
    return 1;
  std::vector<std::unique_ptr<Array>> arrays;
  arrays.reserve(argc);
  for (int n = 3; n < argc; ++n)
    arrays.push_back(std::make_unique<Array>((*code)->device(), argv[n]));
  std::vector<Descriptor> descriptors;
  descriptors.reserve(arrays.size());
  for (const auto &array : arrays)
    descriptors.push_back(array->descriptor());
  std::vector<int64_t> words;
  words.reserve(descriptors.size());
  for (Descriptor &descriptor : descriptors)
    words.push_back(reinterpret_cast<int64_t>(&descriptor));
  try {
    (*code)->call(0, Phase::execute, words.data());
  } catch (const DeviceError &error) {
    std::cout << "error: " << error.what() << "\n";
    return 0;
  }
  for (const auto &array : arrays)
    array->print();
  if (isCounted)
    printCounts();
  return 0;
}
