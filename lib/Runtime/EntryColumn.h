//===- EntryColumn.h - An array of entries that are sorted ------*- C++ -*-===//

#ifndef NACHO_LIB_RUNTIME_ENTRYCOLUMN_H
#define NACHO_LIB_RUNTIME_ENTRYCOLUMN_H

#include <cstdint>
#include <cstring>

namespace nacho {

/// One array of the entries.
struct EntryColumn {
  char *data;
  int64_t bytes; ///< The size of an element.

  uint64_t at(int64_t n) const {
    if (bytes == 4) {
      uint32_t value;
      std::memcpy(&value, data + 4 * n, 4);
      return value;
    }
    uint64_t value;
    std::memcpy(&value, data + 8 * n, 8);
    return value;
  }
  /// The bits that are set in any element of a range.
  uint64_t bitsOf(int64_t begin, int64_t end) const {
    uint64_t all = 0;
    visit([&](const auto *elements) {
      for (int64_t n = begin; n < end; ++n)
        all |= elements[n];
    });
    return all;
  }
  /// Calls `f` with the elements.
  template <typename F>
  void visit(F f) const {
    if (bytes == 4)
      return f(reinterpret_cast<uint32_t *>(data));
    f(reinterpret_cast<uint64_t *>(data));
  }
};

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_ENTRYCOLUMN_H
