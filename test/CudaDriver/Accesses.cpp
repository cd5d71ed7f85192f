//===- Accesses.cpp - Instructions of PTX that access memory --------------===//

#include "Ptx.h"

#include <array>
#include <functional>
#include <type_traits>

using namespace ptx;
using nacho::AccessKind;

/// Where an instruction accesses so many bytes, which get `written` if it
/// writes them.
using Place = char *(*)(Thread &, const Instruction &, size_t operand,
                        AccessKind kind, size_t bytes, const void *written);

/// Memory of the device, where the host can access it.
static char *globalAt(Thread &t, const Instruction &i, size_t operand,
                      AccessKind kind, size_t bytes, const void *written) {
  auto known = t.get<int64_t>(i.operands[operand]) + i.offset;
  nacho::accessGlobal(t.simulated, i.site.c_str(), kind, known, bytes, written);
  return reinterpret_cast<char *>(known + t.simulated->window);
}

static char *localAt(Thread &t, const Instruction &i, size_t operand,
                     AccessKind /*kind*/, size_t /*bytes*/,
                     const void * /*written*/) {
  return t.local + t.get<int64_t>(i.operands[operand]) + i.offset;
}

static char *sharedAt(Thread &t, const Instruction &i, size_t operand,
                      AccessKind kind, size_t bytes, const void * /*written*/) {
  char *at =
      t.simulated->shared + t.get<int64_t>(i.operands[operand]) + i.offset;
  nacho::accessShared(t.simulated, i.site.c_str(), kind, at, bytes);
  return at;
}

/// Accesses must be aligned. This is what the driver does if one is not.
static void requireAligned(const char *at, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(at) % bytes)
    __builtin_trap();
}

/// How many values an instruction loads or stores at most.
static constexpr size_t kMostValues = 4;

/// One or several values, from consecutive addresses.
template <typename T, Place place>
static void load(Thread &t, const Instruction &i) {
  size_t count = i.operands.size() - 1;
  const char *at =
      place(t, i, count, AccessKind::read, sizeof(T) * count, nullptr);
  requireAligned(at, sizeof(T) * count);
  for (size_t n = 0; n < count; ++n) {
    T value;
    std::memcpy(&value, at + n * sizeof(T), sizeof(T));
    if constexpr (std::is_signed_v<T>)
      t.set<int64_t>(i.operands[n], value);
    else
      t.set<T>(i.operands[n], value);
  }
}

template <typename T, Place place>
static void store(Thread &t, const Instruction &i) {
  size_t count = i.operands.size() - 1;
  std::array<T, kMostValues> values;
  for (size_t n = 0; n < count; ++n)
    values[n] = t.get<T>(i.operands[n + 1]);
  size_t bytes = sizeof(T) * count;
  char *at = place(t, i, 0, AccessKind::write, bytes, values.data());
  requireAligned(at, bytes);
  std::memcpy(at, values.data(), bytes);
}

template <typename T>
static void loadParameter(Thread &t, const Instruction &i) {
  T value;
  std::memcpy(&value, t.parameters + i.offset, sizeof(T));
  t.set<T>(i.operands[0], value);
}

namespace {
/// What a place has becomes another value.
struct Exchange {
  template <typename T>
  T operator()(T, T value) const {
    return value;
  }
};
} // namespace

/// Threads run one after the other, so that every update is atomic.
template <typename T, typename Update, Place place>
static void update(Thread &t, const Instruction &i) {
  char *at = place(t, i, 1, AccessKind::atomic, sizeof(T), nullptr);
  requireAligned(at, sizeof(T));
  T before;
  std::memcpy(&before, at, sizeof(T));
  T after = Update()(before, t.get<T>(i.operands[2]));
  std::memcpy(at, &after, sizeof(T));
  t.set<T>(i.operands[0], before);
}

template <typename T>
static Operation accessAs(const std::string &access) {
  if (access == "ld.global")
    return {load<T, globalAt>, Shape::memory};
  if (access == "st.global")
    return {store<T, globalAt>, Shape::memory};
  if (access == "ld.local")
    return {load<T, localAt>, Shape::memory};
  if (access == "st.local")
    return {store<T, localAt>, Shape::memory};
  if (access == "ld.shared")
    return {load<T, sharedAt>, Shape::memory};
  if (access == "st.shared")
    return {store<T, sharedAt>, Shape::memory};
  if (access == "ld.param")
    return {loadParameter<T>, Shape::parameter};
  return {};
}

Operation ptx::accessOf(const std::string &name) {
  static const std::map<std::string, void (*)(Thread &, const Instruction &)>
      updates = {
          {"atom.global.or.b32", update<uint32_t, std::bit_or<>, globalAt>},
          {"atom.global.or.b64", update<uint64_t, std::bit_or<>, globalAt>},
          {"atom.global.add.u64", update<uint64_t, std::plus<>, globalAt>},
          {"atom.global.exch.b64", update<uint64_t, Exchange, globalAt>},
          {"atom.shared.or.b32", update<uint32_t, std::bit_or<>, sharedAt>},
          {"atom.shared.exch.b32", update<uint32_t, Exchange, sharedAt>}};
  if (auto found = updates.find(name); found != updates.end())
    return {found->second, Shape::memory};
  size_t last = name.rfind('.');
  std::string access = name.substr(0, last), type = name.substr(last + 1);
  for (const char *vector : {".v2", ".v4"})
    if (size_t at = access.find(vector); at != std::string::npos)
      access.erase(at, 3);
  static const std::map<std::string, Operation (*)(const std::string &)> types =
      {{"b8", accessAs<uint8_t>},   {"u8", accessAs<uint8_t>},
       {"b16", accessAs<uint16_t>}, {"u16", accessAs<uint16_t>},
       {"b32", accessAs<uint32_t>}, {"u32", accessAs<uint32_t>},
       {"b64", accessAs<uint64_t>}, {"u64", accessAs<uint64_t>},
       {"s8", accessAs<int8_t>},    {"s16", accessAs<int16_t>},
       {"s32", accessAs<int32_t>},  {"f32", accessAs<uint32_t>},
       {"f64", accessAs<uint64_t>}};
  auto known = types.find(type);
  return known == types.end() ? Operation() : known->second(access);
}
