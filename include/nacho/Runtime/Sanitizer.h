//===- Sanitizer.h - Builds that are instrumented for a sanitizer ---------===//

#ifndef NACHO_RUNTIME_SANITIZER_H
#define NACHO_RUNTIME_SANITIZER_H

#include <cstddef>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define NACHO_BUILT_FOR_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define NACHO_BUILT_FOR_THREAD_SANITIZER
#endif
#endif

#ifdef NACHO_BUILT_FOR_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace nacho {

/// The sanitizer that this build of Nacho is instrumented for.
#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
inline constexpr char kSanitizer[] = "address";
#elif defined(NACHO_BUILT_FOR_THREAD_SANITIZER)
inline constexpr char kSanitizer[] = "thread";
#else
inline constexpr char kSanitizer[] = "none";
#endif

// The parentheses keep the names from being those of macros: LlvmSanitizer.h
// defines such, for LLVM's headers only.

/// Makes the AddressSanitizer report whoever touches these bytes, which are in
/// no array at the moment.
inline void forbidAccess(const void *data, size_t bytes) {
#ifdef NACHO_BUILT_FOR_ADDRESS_SANITIZER
  (__asan_poison_memory_region)(data, bytes);
#endif
}

/// Reverses forbidAccess().
inline void allowAccess(const void *data, size_t bytes) {
#ifdef NACHO_BUILT_FOR_ADDRESS_SANITIZER
  (__asan_unpoison_memory_region)(data, bytes);
#endif
}

} // namespace nacho

#endif // NACHO_RUNTIME_SANITIZER_H
