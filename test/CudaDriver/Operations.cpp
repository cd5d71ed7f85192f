//===- Operations.cpp - What the instructions of PTX do -------------------===//

#include "Ptx.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

using namespace ptx;

using Run = void (*)(Thread &, const Instruction &);

//===----------------------------------------------------------------------===//
// Functions of values
//===----------------------------------------------------------------------===//

/// d = f(a), d = f(a, b), and so on, with all values of type T.
template <typename T, auto function>
static void compute(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  if constexpr (std::is_invocable_v<decltype(function), T, T, T>)
    t.set<T>(at[0],
             function(t.get<T>(at[1]), t.get<T>(at[2]), t.get<T>(at[3])));
  else if constexpr (std::is_invocable_v<decltype(function), T, T>)
    t.set<T>(at[0], function(t.get<T>(at[1]), t.get<T>(at[2])));
  else
    t.set<T>(at[0], function(t.get<T>(at[1])));
}

namespace {
/// What instructions do, by names such as "add.s64".
class Table {
public:
  Table();
  Run find(const std::string &name) const {
    auto known = runs.find(name);
    return known == runs.end() ? nullptr : known->second;
  }

private:
  template <auto function>
  void addIntegers(const std::string &name) {
    add<function, int16_t>(name + ".s16");
    add<function, int32_t>(name + ".s32");
    add<function, int64_t>(name + ".s64");
    add<function, uint16_t>(name + ".u16");
    add<function, uint32_t>(name + ".u32");
    add<function, uint64_t>(name + ".u64");
  }
  template <auto function>
  void addBits(const std::string &name) {
    add<function, uint16_t>(name + ".b16");
    add<function, uint32_t>(name + ".b32");
    add<function, uint64_t>(name + ".b64");
  }
  template <auto function>
  void addFloats(const std::string &name) {
    add<function, float>(name + ".f32");
    add<function, double>(name + ".f64");
  }
  template <auto function, typename T>
  void add(const std::string &name) {
    runs[name] = compute<T, function>;
  }

  template <typename T>
  void addComparisons(const std::string &type);
  template <typename T>
  void addCounts(const std::string &type);
  void addLogic();

  std::map<std::string, Run> runs;
};
} // namespace

/// The result, as a predicate, of comparing two values.
template <typename T, auto compare>
static void comparePair(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  t.set<uint64_t>(at[0], compare(t.get<T>(at[1]), t.get<T>(at[2])));
}

template <typename T>
void Table::addComparisons(const std::string &type) {
  runs["setp.eq." + type] = comparePair<T, [](T a, T b) { return a == b; }>;
  runs["setp.ne." + type] =
      comparePair<T, [](T a, T b) { return a < b || b < a; }>;
  runs["setp.lt." + type] = comparePair<T, [](T a, T b) { return a < b; }>;
  runs["setp.le." + type] = comparePair<T, [](T a, T b) { return a <= b; }>;
  runs["setp.gt." + type] = comparePair<T, [](T a, T b) { return a > b; }>;
  runs["setp.ge." + type] = comparePair<T, [](T a, T b) { return a >= b; }>;
  if constexpr (!std::is_floating_point_v<T>)
    return;
  // These hold if either is no number, too.
  runs["setp.equ." + type] =
      comparePair<T, [](T a, T b) { return !(a < b || b < a); }>;
  runs["setp.neu." + type] = comparePair<T, [](T a, T b) { return a != b; }>;
  runs["setp.ltu." + type] = comparePair<T, [](T a, T b) { return !(a >= b); }>;
  runs["setp.leu." + type] = comparePair<T, [](T a, T b) { return !(a > b); }>;
  runs["setp.gtu." + type] = comparePair<T, [](T a, T b) { return !(a <= b); }>;
  runs["setp.geu." + type] = comparePair<T, [](T a, T b) { return !(a < b); }>;
  runs["setp.num." + type] =
      comparePair<T, [](T a, T b) { return !std::isnan(a) && !std::isnan(b); }>;
  runs["setp.nan." + type] =
      comparePair<T, [](T a, T b) { return std::isnan(a) || std::isnan(b); }>;
}

/// d = c ? a : b
template <typename T>
static void select(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  t.set<T>(at[0], t.get<T>(t.registers[at[3]] ? at[1] : at[2]));
}

/// d, of 32 bits, is a number of bits of a.
template <typename T>
void Table::addCounts(const std::string &type) {
  runs["popc." + type] = [](Thread &t, const Instruction &i) {
    t.set<uint32_t>(i.operands[0],
                    __builtin_popcountll(t.get<T>(i.operands[1])));
  };
  runs["clz." + type] = [](Thread &t, const Instruction &i) {
    uint64_t bits = t.get<T>(i.operands[1]);
    int unused = 64 - 8 * int(sizeof(T));
    t.set<uint32_t>(i.operands[0],
                    bits ? __builtin_clzll(bits) - unused : 8 * sizeof(T));
  };
  runs["brev." + type] = [](Thread &t, const Instruction &i) {
    T bits = t.get<T>(i.operands[1]), reversed = 0;
    for (size_t n = 0; n < 8 * sizeof(T); ++n)
      reversed |= T(bits >> n & 1) << (8 * sizeof(T) - 1 - n);
    t.set<T>(i.operands[0], reversed);
  };
  runs["bfe." + type] = [](Thread &t, const Instruction &i) {
    uint32_t begin = t.get<uint32_t>(i.operands[2]) & 255;
    uint32_t length = t.get<uint32_t>(i.operands[3]) & 255;
    T bits = begin < 8 * sizeof(T) ? t.get<T>(i.operands[1]) >> begin : 0;
    if (length < 8 * sizeof(T))
      bits &= (T(1) << length) - 1;
    t.set<T>(i.operands[0], bits);
  };
}

/// d is a field of bits of a, whose highest bit is its sign.
template <typename T>
static void extractSigned(Thread &t, const Instruction &i) {
  constexpr uint32_t all = 8 * sizeof(T);
  uint32_t begin = t.get<uint32_t>(i.operands[2]) & 255;
  uint32_t length = t.get<uint32_t>(i.operands[3]) & 255;
  uint32_t end = std::min(begin + length, all);
  T value = t.get<T>(i.operands[1]);
  T field = T(std::make_unsigned_t<T>(value) << (all - std::max(end, 1u)));
  uint32_t taken = end > begin ? end - begin : 1;
  t.set<T>(i.operands[0], length ? T(field >> (all - taken)) : T(0));
}

/// d = a << b, where b has 32 bits; no bits are left of a long shift.
template <typename T>
static void shiftLeft(Thread &t, const Instruction &i) {
  uint32_t by = t.get<uint32_t>(i.operands[2]);
  T value = t.get<T>(i.operands[1]);
  t.set<T>(i.operands[0], by < 8 * sizeof(T) ? T(value << by) : T(0));
}

template <typename T>
static void shiftRight(Thread &t, const Instruction &i) {
  uint32_t most = 8 * sizeof(T) - 1, by = t.get<uint32_t>(i.operands[2]);
  T value = t.get<T>(i.operands[1]);
  T none = value < T(0) ? T(-1) : T(0);
  t.set<T>(i.operands[0], by <= most ? T(value >> by) : none);
}

/// d = a * b, or that plus c, with twice the bits.
template <typename T, typename Wide>
static void multiplyWide(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  Wide product = Wide(t.get<T>(at[1])) * Wide(t.get<T>(at[2]));
  t.set<Wide>(at[0],
              at.size() > 3 ? Wide(product + t.get<Wide>(at[3])) : product);
}

template <typename T, typename Wide>
static void multiplyHigh(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  Wide product = Wide(t.get<T>(at[1])) * Wide(t.get<T>(at[2]));
  t.set<T>(at[0], T(product >> 8 * sizeof(T)));
}

/// Each of the four digits of c chooses a byte of a and b, or, from 8 on,
/// copies of its sign.
static void permuteBytes(Thread &t, const Instruction &i) {
  const std::vector<int32_t> &at = i.operands;
  uint64_t bytes = t.get<uint32_t>(at[1]) | uint64_t(t.get<uint32_t>(at[2]))
                                                << 32;
  uint32_t digits = t.get<uint32_t>(at[3]), made = 0;
  for (unsigned n = 0; n < 4; ++n) {
    unsigned digit = digits >> (4 * n) & 15;
    auto byte = uint8_t(bytes >> (8 * (digit & 7)));
    if (digit & 8)
      byte = byte & 0x80 ? 0xff : 0;
    made |= uint32_t(byte) << (8 * n);
  }
  t.set<uint32_t>(at[0], made);
}

void Table::addLogic() {
  constexpr auto both = [](auto a, auto b) { return decltype(a)(a & b); };
  constexpr auto either = [](auto a, auto b) { return decltype(a)(a | b); };
  constexpr auto one = [](auto a, auto b) { return decltype(a)(a ^ b); };
  addBits<both>("and");
  addBits<either>("or");
  addBits<one>("xor");
  addBits<[](auto a) { return decltype(a)(~a); }>("not");
  add<both, uint64_t>("and.pred");
  add<either, uint64_t>("or.pred");
  add<one, uint64_t>("xor.pred");
  add<[](uint64_t a) { return uint64_t(!a); }, uint64_t>("not.pred");
  constexpr auto same = [](auto a) { return a; };
  addBits<same>("mov");
  addIntegers<same>("mov");
  addFloats<same>("mov");
  add<same, uint64_t>("mov.pred");
  addCounts<uint32_t>("b32");
  addCounts<uint64_t>("b64");
  runs["prmt.b32"] = permuteBytes;
  runs["bfe.u32"] = find("bfe.b32");
  runs["bfe.u64"] = find("bfe.b64");
  runs["bfe.s32"] = extractSigned<int32_t>;
  runs["bfe.s64"] = extractSigned<int64_t>;
  for (const char *bits : {"b", "u"}) {
    runs[std::string("shr.") + bits + "16"] = shiftRight<uint16_t>;
    runs[std::string("shr.") + bits + "32"] = shiftRight<uint32_t>;
    runs[std::string("shr.") + bits + "64"] = shiftRight<uint64_t>;
  }
  runs["shr.s16"] = shiftRight<int16_t>;
  runs["shr.s32"] = shiftRight<int32_t>;
  runs["shr.s64"] = shiftRight<int64_t>;
  runs["shl.b16"] = shiftLeft<uint16_t>;
  runs["shl.b32"] = shiftLeft<uint32_t>;
  runs["shl.b64"] = shiftLeft<uint64_t>;
  runs["selp.b16"] = select<uint16_t>;
  runs["selp.b32"] = runs["selp.f32"] = select<uint32_t>;
  runs["selp.b64"] = runs["selp.f64"] = select<uint64_t>;
}

/// The larger number: of zeros the positive one, and of a number and none the
/// number.
template <typename T>
static T larger(T a, T b) {
  if (a == 0 && b == 0)
    return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}

/// Integers wrap around. What is divided by 0 gives all ones.
template <typename T>
using Unsigned = std::make_unsigned_t<T>;

Table::Table() {
  constexpr auto add = [](auto a, auto b) {
    return decltype(a)(Unsigned<decltype(a)>(a) + Unsigned<decltype(a)>(b));
  };
  addIntegers<add>("add");
  addIntegers<[](auto a, auto b) {
    return decltype(a)(Unsigned<decltype(a)>(a) - Unsigned<decltype(a)>(b));
  }>("sub");
  addIntegers<[](auto a, auto b) {
    return decltype(a)(uint64_t(a) * uint64_t(b));
  }>("mul.lo");
  addIntegers<[](auto a, auto b, auto c) {
    return decltype(a)(uint64_t(a) * uint64_t(b) + uint64_t(c));
  }>("mad.lo");
  addIntegers<[](auto a, auto b) {
    return b == 0 ? decltype(a)(-1)
           : b == decltype(a)(-1) && std::is_signed_v<decltype(a)>
               ? decltype(a)(0 - uint64_t(a))
               : decltype(a)(a / b);
  }>("div");
  addIntegers<[](auto a, auto b) {
    return b == 0 ? a
           : b == decltype(a)(-1) && std::is_signed_v<decltype(a)>
               ? decltype(a)(0)
               : decltype(a)(a % b);
  }>("rem");
  addIntegers<[](auto a, auto b) { return a < b ? a : b; }>("min");
  addIntegers<[](auto a, auto b) { return a < b ? b : a; }>("max");
  addIntegers<[](auto a) { return decltype(a)(0 - uint64_t(a)); }>("neg");
  addIntegers<[](auto a) { return a < 0 ? decltype(a)(0 - uint64_t(a)) : a; }>(
      "abs");
  runs["mul.wide.u16"] = multiplyWide<uint16_t, uint32_t>;
  runs["mul.wide.s16"] = multiplyWide<int16_t, int32_t>;
  runs["mul.wide.u32"] = runs["mad.wide.u32"] =
      multiplyWide<uint32_t, uint64_t>;
  runs["mul.wide.s32"] = runs["mad.wide.s32"] = multiplyWide<int32_t, int64_t>;
  runs["mul.hi.u32"] = multiplyHigh<uint32_t, uint64_t>;
  runs["mul.hi.s32"] = multiplyHigh<int32_t, int64_t>;
  runs["mul.hi.u64"] = multiplyHigh<uint64_t, unsigned __int128>;
  runs["mul.hi.s64"] = multiplyHigh<int64_t, __int128>;
  addFloats<[](auto a, auto b) { return a + b; }>("add.rn");
  addFloats<[](auto a, auto b) { return a - b; }>("sub.rn");
  addFloats<[](auto a, auto b) { return a * b; }>("mul.rn");
  addFloats<[](auto a, auto b) { return a / b; }>("div.rn");
  addFloats<[](auto a, auto b, auto c) { return std::fma(a, b, c); }>("fma.rn");
  addFloats<[](auto a) { return 1 / a; }>("rcp.rn");
  addFloats<[](auto a) { return std::sqrt(a); }>("sqrt.rn");
  addFloats<[](auto a) { return -a; }>("neg");
  addFloats<[](auto a) { return std::abs(a); }>("abs");
  addFloats<[](auto a, auto b) { return -larger(-a, -b); }>("min");
  addFloats<[](auto a, auto b) { return larger(a, b); }>("max");
  addFloats<[](auto a, auto b) {
    return std::isnan(a) || std::isnan(b) ? a + b : -larger(-a, -b);
  }>("min.NaN");
  addFloats<[](auto a, auto b) {
    return std::isnan(a) || std::isnan(b) ? a + b : larger(a, b);
  }>("max.NaN");
  addComparisons<int16_t>("s16");
  addComparisons<int32_t>("s32");
  addComparisons<int64_t>("s64");
  for (const char *bits : {"b", "u"}) {
    addComparisons<uint16_t>(std::string(bits) + "16");
    addComparisons<uint32_t>(std::string(bits) + "32");
    addComparisons<uint64_t>(std::string(bits) + "64");
  }
  addComparisons<float>("f32");
  addComparisons<double>("f64");
  addLogic();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Numbers that an integer cannot hold become the nearest one that it can.
template <typename To, typename From>
static To convertTo(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (std::isnan(value))
      return 0;
    if (value <= From(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (value >= From(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
  }
  return To(value);
}

/// A signed integer fills the register with its sign.
template <typename To, typename From>
static void convert(Thread &t, const Instruction &i) {
  To value = convertTo<To>(t.get<From>(i.operands[1]));
  if constexpr (std::is_integral_v<To> && std::is_signed_v<To>)
    t.set<int64_t>(i.operands[0], value);
  else
    t.set<To>(i.operands[0], value);
}

template <typename To>
static Run conversionFrom(const std::string &from) {
  static const std::map<std::string, Run> runs = {
      {"s8", convert<To, int8_t>},    {"s16", convert<To, int16_t>},
      {"s32", convert<To, int32_t>},  {"s64", convert<To, int64_t>},
      {"u8", convert<To, uint8_t>},   {"u16", convert<To, uint16_t>},
      {"u32", convert<To, uint32_t>}, {"u64", convert<To, uint64_t>},
      {"f32", convert<To, float>},    {"f64", convert<To, double>}};
  auto known = runs.find(from);
  return known == runs.end() ? nullptr : known->second;
}

/// cvt.<how to round>.<to>.<from>
static Run findConversion(const std::string &name) {
  size_t last = name.rfind('.');
  size_t before = name.rfind('.', last - 1);
  std::string how = name.substr(3, before - 3), from = name.substr(last + 1);
  std::string to = name.substr(before + 1, last - before - 1);
  if (!how.empty() && how != ".rn" && how != ".rzi")
    return nullptr;
  static const std::map<std::string, Run (*)(const std::string &)> types = {
      {"s8", conversionFrom<int8_t>},    {"s16", conversionFrom<int16_t>},
      {"s32", conversionFrom<int32_t>},  {"s64", conversionFrom<int64_t>},
      {"u8", conversionFrom<uint8_t>},   {"u16", conversionFrom<uint16_t>},
      {"u32", conversionFrom<uint32_t>}, {"u64", conversionFrom<uint64_t>},
      {"f32", conversionFrom<float>},    {"f64", conversionFrom<double>}};
  auto known = types.find(to);
  return known == types.end() ? nullptr : known->second(from);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static void branch(Thread &t, const Instruction &i) { t.next = i.target; }
static void finish(Thread &t, const Instruction &) { t.isDone = true; }

Operation ptx::operationOf(const std::string &name) {
  static const Table table;
  for (auto kind : {accessOf, barrierOf, pairOf})
    if (Operation found = kind(name); found.run)
      return found;
  Operation found;
  if (name == "bra" || name == "bra.uni")
    found = {branch, Shape::branch};
  else if (name == "ret")
    found = {finish, Shape::values};
  else if (name.compare(0, 5, "cvta.") == 0)
    found = {table.find("mov.u64"), Shape::values};
  else if (name.compare(0, 4, "cvt.") == 0)
    found = {findConversion(name), Shape::values};
  else
    found = {table.find(name), Shape::values};
  if (!found.run)
    throw Error("unknown instruction '" + name + "'");
  return found;
}
