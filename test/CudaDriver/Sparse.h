//===- Sparse.h - What the cuSPARSE of tests is made of -------------------===//
//
// The objects behind cuSPARSE's handles, and the memory of the driver of tests,
// of which every access is checked.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_TEST_CUDADRIVER_SPARSE_H
#define NACHO_TEST_CUDADRIVER_SPARSE_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#define NACHO_EXPORT extern "C" __attribute__((visibility("default")))

/// Returns from a function of cuSPARSE unless its arguments are right.
#define NACHO_REQUIRE(...)                                                     \
  if (const bool isRight = bool(__VA_ARGS__); !isRight)                        \
  return kInvalidValue

namespace fake {

using Status = int;
using Handle = void *;

inline constexpr Status kOk = 0, kNotInitialised = 1, kInvalidValue = 3;
inline constexpr int kIndex32 = 2, kReal64 = 1, kRowMajor = 2;
inline constexpr size_t kBufferBytes = 96; ///< What every buffer needs.

// NOLINTBEGIN(readability-identifier-naming)
NACHO_EXPORT int cuMemcpyHtoDAsync_v2(uint64_t, const void *, size_t, Handle);
NACHO_EXPORT int cuMemcpyDtoHAsync_v2(void *, uint64_t, size_t, Handle);
// NOLINTEND(readability-identifier-naming)

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Reads an array of the device; nothing if it has not so many elements.
template <typename T>
std::optional<std::vector<T>> load(const T *from, int64_t count) {
  std::vector<T> found(count);
  if (count && cuMemcpyDtoHAsync_v2(found.data(), uint64_t(from),
                                    size_t(count) * sizeof(T), nullptr))
    return std::nullopt;
  return found;
}

/// Writes an array of the device; returns whether it has so many elements.
template <typename T>
bool store(T *to, const std::vector<T> &elements) {
  return elements.empty() ||
         cuMemcpyHtoDAsync_v2(uint64_t(to), elements.data(),
                              elements.size() * sizeof(T), nullptr) == 0;
}

/// Whether this is memory of the device of the size that buffers need.
inline bool isBuffer(const void *buffer) {
  return load(static_cast<const char *>(buffer), kBufferBytes).has_value();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// A matrix on the host, in CSR.
struct Entries {
  std::vector<int> pos, crd;
  std::vector<double> values;

  void append(const std::map<int, double> &row) {
    for (auto [column, value] : row) {
      crd.push_back(column);
      values.push_back(value);
    }
    pos.push_back(int(crd.size()));
  }
};

/// A matrix in CSR, on the device.
struct CsrArrays {
  int64_t rows, columns, entries;
  const int *pos, *crd;
  double *values;

  std::optional<Entries> read() const {
    auto ends = load(pos, rows + 1);
    auto coordinates = load(crd, entries);
    auto numbers = load(const_cast<const double *>(values), entries);
    if (!ends || !coordinates || !numbers || ends->back() != entries)
      return std::nullopt;
    return Entries{*ends, *coordinates, *numbers};
  }
};

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

struct Object {
  virtual ~Object() = default;
};

/// All objects that are not destroyed yet, by handle.
inline std::unordered_map<Handle, std::unique_ptr<Object>> &alive() {
  static auto *made = new std::unordered_map<Handle, std::unique_ptr<Object>>;
  return *made;
}

template <typename T, typename... Arguments>
Status make(Handle *handle, Arguments... arguments) {
  auto made = std::make_unique<T>(arguments...);
  *handle = made.get();
  alive()[*handle] = std::move(made);
  return kOk;
}

/// Returns the object of a handle, or null if there is none of this kind.
template <typename T>
T *find(Handle handle) {
  auto known = alive().find(handle);
  return known == alive().end() ? nullptr
                                : dynamic_cast<T *>(known->second.get());
}

template <typename T>
Status destroy(Handle handle) {
  if (!find<T>(handle))
    return kInvalidValue;
  alive().erase(handle);
  return kOk;
}

struct Description final : Object {};

inline bool describe(Handle one, Handle other, Handle third) {
  return find<Description>(one) && find<Description>(other) &&
         find<Description>(third);
}

/// What cusparseCreate makes, and how far a sum has come.
struct Context final : Object {
  enum { Begun, Sized, Counted } stage = Begun;
  std::array<CsrArrays, 2> sum = {};
  const int *pos = nullptr; ///< Where the rows of the sum were written.

  /// Whether a sum is of the same operands as when it was begun.
  bool has(int64_t rows, int64_t columns, int64_t sizeA, const int *posA,
           const int *crdA, int64_t sizeB, const int *posB,
           const int *crdB) const {
    const auto &[a, b] = sum;
    return a.rows == rows && a.columns == columns && a.entries == sizeA &&
           a.pos == posA && a.crd == crdA && b.entries == sizeB &&
           b.pos == posB && b.crd == crdB;
  }
  std::optional<Entries> add(double alpha, double beta) const;
};

struct Matrix final : Object {
  int64_t rows, columns, entries;
  void *pos, *crd, *values;

  Matrix(int64_t rows, int64_t columns, int64_t entries, void *pos, void *crd,
         void *values)
      : rows(rows), columns(columns), entries(entries), pos(pos), crd(crd),
        values(values) {}

  CsrArrays arrays() const {
    return {rows,
            columns,
            entries,
            static_cast<const int *>(pos),
            static_cast<const int *>(crd),
            static_cast<double *>(values)};
  }
};

struct Vector final : Object {
  int64_t size;
  double *values;
  Vector(int64_t size, void *values)
      : size(size), values(static_cast<double *>(values)) {}
};

struct DenseMatrix final : Object {
  int64_t rows, columns;
  double *values;
  DenseMatrix(int64_t rows, int64_t columns, void *values)
      : rows(rows), columns(columns), values(static_cast<double *>(values)) {}
};

/// How far a product of sparse matrices has come.
struct Product final : Object {
  enum {
    Begun,
    Estimating,
    Estimated,
    Computing,
    Computed,
    Copied
  } stage = Begun;
  std::array<Handle, 3> operands = {}; ///< The factors and the result.
  const void *buffers[2] = {};
  Entries entries;
};

} // namespace fake

#endif // NACHO_TEST_CUDADRIVER_SPARSE_H
