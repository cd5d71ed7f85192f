//===- KernelImage.cpp - Kernels as text ----------------------------------===//
//
// One function for each struct lists its fields, for the writer as for the
// reader: so both agree on their order. Numbers are separated by spaces, and
// strings and lists begin with their sizes.
//
//===----------------------------------------------------------------------===//

#include "nacho/Execution/KernelImage.h"

#include <charconv>
#include <type_traits>

using namespace nacho;

/// The first number of an image. It changes with the fields.
static constexpr int64_t kFormat = 3;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

template <typename Archive>
static void visit(Archive &visitor, TensorLayout::Array &array) {
  visitor(array.type, array.holdsPositions, array.perParent, array.perEntry,
          array.extra, array.wordSize);
}

template <typename Archive>
static void visit(Archive &visitor, TensorLayout::Place &place) {
  visitor(place.array, place.offset, place.stride);
}

template <typename Archive>
static void visit(Archive &visitor, TensorLayout::Level &level) {
  visitor(level.isFull, level.coordinateType, level.coordinates, level.arrays);
}

template <typename Archive>
static void visit(Archive &visitor, TensorLayout &layout) {
  visitor(layout.levels, layout.values);
}

template <typename Archive>
static void visit(Archive &visitor, StepInput &input) {
  visitor(input.isStep, input.index, input.isList);
}

template <typename Archive>
static void visit(Archive &visitor, Step::OperandLevel &level) {
  visitor(level.input, level.level);
}

template <typename Archive>
static void visit(Archive &visitor, Step::Merge &merge) {
  visitor(merge.operands[0], merge.operands[1], merge.isUnion, merge.isNarrow);
}

template <typename Archive>
static void visit(Archive &visitor, Step &step) {
  visitor(step.inputs, step.operands, step.result, step.list, step.loopsDigest,
          step.delta, step.entryCost, step.order, step.loops, step.loopInputs,
          step.boundColumns, step.countColumns, step.partials, step.partialRows,
          step.hasFixedParts, step.fill, step.scattered, step.rows, step.tables,
          step.buckets, step.merged, step.startsTogether);
}

template <typename Archive>
static void visit(Archive &visitor, Variant &variant) {
#define NACHO_CHOICE(type, field, plain, summary) visitor(variant.field);
#include "nacho/Execution/CompileOptions.def"
}

template <typename Archive, typename Value>
static void visit(Archive &visitor, Pin<Value> &pin) {
  visitor(pin.least, pin.most);
}

template <typename Archive>
static void visit(Archive &visitor, Pins &pins) {
#define NACHO_CHOICE(type, field, plain, summary) visitor(pins.field);
#include "nacho/Execution/CompileOptions.def"
}

template <typename Archive>
static void visit(Archive &visitor, KernelFacts &facts) {
  visitor(facts.canMergeKeys, facts.intersectsKeys, facts.unites,
          facts.entriesPerPart, facts.transposed);
}

template <typename Archive>
static void visit(Archive &visitor, StepNumbers &numbers) {
  for (std::optional<size_t> &number : numbers)
    visitor(number);
}

template <typename Archive>
static void visit(Archive &visitor, ProgramImage &program) {
  visitor(program.variant, program.steps, program.functions);
}

template <typename Archive>
static void visit(Archive &visitor, std::pair<size_t, size_t> &pair) {
  visitor(pair.first, pair.second);
}

template <typename Archive>
static void visit(Archive &visitor, KernelImage &image) {
  visitor(image.operands, image.pins, image.facts, image.programs,
          image.variants);
}

//===----------------------------------------------------------------------===//
// Writer and reader
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  template <typename... Fields>
  void operator()(Fields &...fields) {
    (write(fields), ...);
  }
  std::string text;

private:
  void number(int64_t value) { text += std::to_string(value) + ' '; }

  template <typename T>
  void write(T &field) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      number(static_cast<int64_t>(field));
    else
      visit(*this, field);
  }
  void write(std::string &field) {
    number(int64_t(field.size()));
    text += field + ' ';
  }
  template <typename T>
  void write(std::vector<T> &fields) {
    number(int64_t(fields.size()));
    for (T &field : fields)
      write(field);
  }
  template <typename T>
  void write(std::optional<T> &field) {
    number(field.has_value());
    if (field)
      write(*field);
  }
};

class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) {}

  template <typename... Fields>
  void operator()(Fields &...fields) {
    (read(fields), ...);
  }
  /// Whether all that was read was there.
  bool isValid = true;

private:
  int64_t number() {
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    size_t length = end - rest.data();
    isValid &= error == std::errc() && length < rest.size();
    if (isValid)
      rest.remove_prefix(length + 1);
    return isValid ? value : 0;
  }
  /// The size of a list: each of its elements takes a character at least.
  size_t size() {
    int64_t size = number();
    isValid &= size >= 0 && size_t(size) <= rest.size();
    return isValid ? size : 0;
  }

  template <typename T>
  void read(T &field) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      field = static_cast<T>(number());
    else
      visit(*this, field);
  }
  void read(std::string &field) {
    size_t length = size();
    field = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  template <typename T>
  void read(std::vector<T> &fields) {
    fields.resize(size());
    for (T &field : fields)
      read(field);
  }
  template <typename T>
  void read(std::optional<T> &field) {
    if (number())
      read(field.emplace());
  }

  std::string_view rest;
};
} // namespace

std::string nacho::writeImage(KernelImage image) {
  Writer writer;
  int64_t format = kFormat;
  writer(format, image);
  return std::move(writer.text);
}

std::optional<KernelImage> nacho::readImage(std::string_view text) {
  Reader reader(text);
  int64_t format = 0;
  KernelImage image;
  reader(format);
  if (format != kFormat)
    return std::nullopt;
  reader(image);
  if (!reader.isValid)
    return std::nullopt;
  return image;
}
