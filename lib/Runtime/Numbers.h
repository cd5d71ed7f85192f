//===- Numbers.h - The types of positions and coordinates -----------------===//

#ifndef NACHO_LIB_RUNTIME_NUMBERS_H
#define NACHO_LIB_RUNTIME_NUMBERS_H

#include <cstdint>

namespace nacho {

/// Calls `f` with a null pointer to numbers of so many bytes. Narrow numbers
/// have no sign; wide ones are compared faster with one, and never need it.
template <typename F>
auto withNumbers(int64_t bytes, F f) {
  switch (bytes) {
  case 1:
    return f(static_cast<uint8_t *>(nullptr));
  case 2:
    return f(static_cast<uint16_t *>(nullptr));
  case 4:
    return f(static_cast<int32_t *>(nullptr));
  default:
    return f(static_cast<int64_t *>(nullptr));
  }
}

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_NUMBERS_H
