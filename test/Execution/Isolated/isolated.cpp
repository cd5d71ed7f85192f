//===- isolated.cpp - Kernels on memory that the host cannot read ---------===//
//
//   isolated KERNEL.mlir...
//
// A backend that compiles for the CPU, but whose memory is closed to everybody
// except during copies and calls of kernels. Plans that read an array by any
// other way than the interface of a device die of it; those that do not must
// give what they give on the CPU, bit for bit.
//
//===----------------------------------------------------------------------===//

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Execution/Plan.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <random>
#include <set>
#include <sstream>
#include <sys/mman.h>

using namespace nacho;

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

namespace {
class IsolatedDevice final : public Device {
public:
  void *allocate(size_t bytes) override {
    size_t size = std::max<size_t>(bytes, 1);
    void *data =
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
      throw std::bad_alloc();
    sizes[data] = size;
    return data;
  }

  void release(void *data, size_t bytes) noexcept override {
    if (bytes > sizes.at(data))
      std::abort();
    munmap(data, sizes.at(data));
    sizes.erase(data);
  }

  void fill(void *data, int byte, size_t bytes) override {
    whileOpen([&] { std::memset(data, byte, bytes); });
  }
  void copyFromHost(void *to, const void *from, size_t bytes) override {
    whileOpen([&] { std::memcpy(to, from, bytes); });
  }
  void copyToHost(void *to, const void *from, size_t bytes) override {
    ++numReads;
    whileOpen([&] { std::memcpy(to, from, bytes); });
  }

  bool isHost() const override { return false; }
  int64_t defaultThreads() const override { return 2; }
  int64_t numSlots(int64_t threads) const override { return threads; }
  size_t pooledBytes() const noexcept override { return 0; }
  size_t maxPooledBytes() const noexcept override { return 0; }

  template <typename F>
  void whileOpen(F f) {
    protect(PROT_READ | PROT_WRITE);
    f();
    protect(PROT_NONE);
  }

  size_t numArrays() const { return sizes.size(); }
  int64_t numReads = 0;

private:
  void protect(int access) {
    for (auto [data, size] : sizes)
      mprotect(data, size, access);
  }

  std::map<void *, size_t> sizes;
};

class IsolatedExecutable final : public Executable {
public:
  IsolatedExecutable(IsolatedDevice &isolated, std::unique_ptr<Executable> code)
      : isolated(isolated), code(std::move(code)) {}

  Device &device() const override { return isolated; }
  void call(size_t step, Phase phase, const int64_t *words) const override {
    isolated.whileOpen([&] { code->call(step, phase, words); });
  }
  std::string llvm() const override { return code->llvm(); }
  std::string assembly() const override { return code->assembly(); }

private:
  IsolatedDevice &isolated;
  std::unique_ptr<Executable> code;
};

class IsolatedBackend final : public Backend {
public:
  explicit IsolatedBackend(IsolatedDevice &isolated) : isolated(isolated) {}

  llvm::StringRef name() const override { return "isolated"; }
  llvm::StringRef summary() const override { return "The CPU, for tests"; }
  Capabilities capabilities() const override {
    return cpuBackend().capabilities();
  }
  std::vector<Stage> loweringStages() const override {
    return cpuBackend().loweringStages();
  }
  unsigned vectorBits() const override { return cpuBackend().vectorBits(); }
  Device *device() const override { return &isolated; }
  mlir::FailureOr<std::unique_ptr<Executable>>
  compile(const CompileRequest &request) const override {
    auto code = cpuBackend().compile(request);
    if (mlir::failed(code))
      return mlir::failure();
    return std::unique_ptr<Executable>(
        std::make_unique<IsolatedExecutable>(isolated, std::move(*code)));
  }

private:
  IsolatedDevice &isolated;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static constexpr int64_t kExtent = 60;

namespace {
using Coordinates = std::vector<int64_t>;
using Bytes = std::vector<char>;

/// The arrays and extents of the operands of a kernel.
class Operands {
public:
  explicit Operands(const Kernel &kernel) {
    for (const TensorLayout &layout : kernel.operands)
      addTensor(layout);
  }

  /// An array, or no bytes and an extent.
  struct Item {
    bool isArray;
    Bytes bytes;
    int64_t size;
  };
  std::vector<Item> items;

private:
  template <typename T>
  void addArray(const std::vector<T> &values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    items.push_back({true, std::move(bytes), int64_t(values.size())});
  }

  void addIndices(ElementType type, const std::vector<int64_t> &values) {
    if (type == ElementType::i64)
      return addArray(values);
    addArray(std::vector<int32_t>(values.begin(), values.end()));
  }

  std::set<Coordinates> someCoordinates(size_t rank) {
    std::set<Coordinates> entries;
    std::uniform_int_distribution<int64_t> any(0, kExtent - 1);
    for (int draw = 0; rank && draw < 500; ++draw) {
      Coordinates entry(rank);
      for (int64_t &coordinate : entry)
        coordinate = any(random);
      entries.insert(entry);
    }
    return entries;
  }

  static bool storesPositions(const TensorLayout::Level &level) {
    return llvm::any_of(level.arrays, [](const TensorLayout::Array &array) {
      return array.holdsPositions;
    });
  }

  using Interval = std::pair<size_t, size_t>;

  /// The entries under each coordinate of a level, for the entries under one of
  /// its parents.
  static std::vector<Interval>
  childrenOf(Interval parent, const std::vector<Coordinates> &entries,
             size_t level, bool isFull, bool isTuple) {
    size_t begin = parent.first, end = parent.second;
    std::vector<Interval> children;
    auto add = [&](auto belongs) {
      size_t next = begin;
      while (next < end && belongs(next))
        ++next;
      children.emplace_back(begin, next);
      begin = next;
    };
    for (int64_t at = 0; isFull && at < kExtent; ++at)
      add([&](size_t next) { return entries[next][level] == at; });
    while (!isFull && begin < end)
      add([&](size_t next) {
        return next == begin ||
               (!isTuple && entries[next][level] == entries[begin][level]);
      });
    return children;
  }

  /// Adds the arrays of a level; returns the entries under its positions.
  std::vector<Interval> addLevel(const TensorLayout &layout, size_t level,
                                 const std::vector<Interval> &parents,
                                 const std::vector<Coordinates> &entries) {
    const TensorLayout::Level &kind = layout.levels[level];
    bool isTuple = level + 1 < layout.levels.size() &&
                   !layout.levels[level + 1].isFull &&
                   !storesPositions(layout.levels[level + 1]);
    std::vector<Interval> all;
    std::vector<int64_t> positions = {0}, coordinates;
    for (Interval parent : parents) {
      for (Interval child :
           childrenOf(parent, entries, level, kind.isFull, isTuple)) {
        if (!kind.isFull)
          coordinates.push_back(entries[child.first][level]);
        all.push_back(child);
      }
      positions.push_back(coordinates.size());
    }
    for (const TensorLayout::Array &array : kind.arrays)
      addIndices(array.type, array.holdsPositions ? positions : coordinates);
    return all;
  }

  void addTensor(const TensorLayout &layout) {
    size_t rank = layout.levels.size();
    std::set<Coordinates> chosen = someCoordinates(rank);
    std::vector<Coordinates> entries(chosen.begin(), chosen.end());
    std::vector<Interval> parents = {{0, entries.size()}};
    for (size_t level = 0; level < rank; ++level)
      parents = addLevel(layout, level, parents, entries);
    std::vector<double> values;
    values.reserve(parents.size());
    for (auto [begin, end] : parents)
      values.push_back(begin == end && rank ? 0.0 : 1.0 / (begin + 3));
    if (layout.values == ElementType::f64)
      addArray(values);
    else
      addArray(std::vector<float>(values.begin(), values.end()));
    for (size_t level = 0; level < rank; ++level)
      items.push_back({false, {}, kExtent});
  }

  std::mt19937 random{7};
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The arrays of the result, one after the other.
static Bytes run(const std::string &text, const Backend &backend, int64_t parts,
                 bool isDraft) {
  Pins pins;
  pins.rows.most = Rows::shared;
  pins.fill.narrow(Fill::drafted, isDraft);
  Failure error;
  std::shared_ptr<const Kernel> kernel;
  if (std::shared_ptr<const AssignedModule> module = readModule(text, error))
    kernel = makeKernel(module, backend, defaultOptions(backend), pins, error);
  if (!kernel) {
    std::fprintf(stderr, "%s\n", error.text.c_str());
    std::exit(1);
  }
  Operands operands(*kernel);
  std::vector<DeviceView> views;
  std::vector<Argument> args;
  for (const Operands::Item &item : operands.items) {
    if (item.isArray)
      views.emplace_back(kernel->device, item.bytes.data(), item.bytes.size());
    args.push_back({item.isArray ? views.back().data() : nullptr, item.size});
  }
  Asked asked;
  asked.parts = parts;
  asked.threads = 2;
  Plan plan(kernel, asked);
  plan.plan(args);
  Bytes all;
  for (const Buffer &buffer :
       plan.execute(args, /*isPlanned=*/true, /*isTrusted=*/false)) {
    HostView<char> read = buffer.read();
    all.insert(all.end(), read.begin(), read.end());
  }
  return all;
}

int main(int argc, char **argv) {
  IsolatedDevice device;
  IsolatedBackend isolated(device);
  for (int n = 1; n < argc; ++n) {
    std::stringstream text;
    text << std::ifstream(argv[n]).rdbuf();
    for (bool isDraft : {false, true})
      for (int64_t parts : {1, 5}) {
        Bytes expected = run(text.str(), cpuBackend(), parts, isDraft);
        Bytes found = run(text.str(), isolated, parts, isDraft);
        std::printf("%s, %s, parts %d: %zu bytes, %s\n", argv[n],
                    isDraft ? "drafted" : "counted", int(parts), found.size(),
                    found == expected ? "equal" : "NOT EQUAL");
      }
  }
  std::printf("arrays left: %zu; read back: %s\n", device.numArrays(),
              device.numReads ? "yes" : "no");
  return 0;
}
