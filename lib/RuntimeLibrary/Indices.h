//===- Indices.h - Arrays of positions and coordinates of any width -------===//

#ifndef NACHO_LIB_RUNTIMELIBRARY_INDICES_H
#define NACHO_LIB_RUNTIMELIBRARY_INDICES_H

#include "nacho/Execution/Layout.h"

namespace nacho {

/// Loads an unsigned integer from an array.
inline int64_t loadIndex(const void *array, ElementType type, int64_t at) {
  switch (sizeOf(type)) {
  case 1:
    return static_cast<const uint8_t *>(array)[at];
  case 2:
    return static_cast<const uint16_t *>(array)[at];
  case 4:
    return static_cast<const uint32_t *>(array)[at];
  default:
    return static_cast<const int64_t *>(array)[at];
  }
}

/// Stores an integer that the array had room for before.
inline void storeIndex(void *array, ElementType type, int64_t at,
                       int64_t value) {
  switch (sizeOf(type)) {
  case 1:
    static_cast<uint8_t *>(array)[at] = static_cast<uint8_t>(value);
    return;
  case 2:
    static_cast<uint16_t *>(array)[at] = static_cast<uint16_t>(value);
    return;
  case 4:
    static_cast<uint32_t *>(array)[at] = static_cast<uint32_t>(value);
    return;
  default:
    static_cast<int64_t *>(array)[at] = value;
  }
}

} // namespace nacho

#endif // NACHO_LIB_RUNTIMELIBRARY_INDICES_H
