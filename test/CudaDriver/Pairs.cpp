//===- Pairs.cpp - Values of two parts ------------------------------------===//

#include "Ptx.h"

using namespace ptx;

/// low, high = the halves of a value
template <typename Whole, typename Half>
static void takeApart(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  Whole whole = t.get<Whole>(at[2]);
  t.set<Half>(at[0], Half(whole));
  t.set<Half>(at[1], Half(whole >> (8 * sizeof(Half))));
}

/// a value = the halves low, high
template <typename Whole, typename Half>
static void putTogether(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  Whole low = t.get<Half>(at[1]), high = t.get<Half>(at[2]);
  t.set<Whole>(at[0], low | high << (8 * sizeof(Half)));
}

Operation ptx::pairOf(const std::string &name) {
  if (name == "unpack.b32")
    return {takeApart<uint32_t, uint16_t>, Shape::values};
  if (name == "unpack.b64")
    return {takeApart<uint64_t, uint32_t>, Shape::values};
  if (name == "pack.b32")
    return {putTogether<uint32_t, uint16_t>, Shape::values};
  if (name == "pack.b64")
    return {putTogether<uint64_t, uint32_t>, Shape::values};
  return {};
}
