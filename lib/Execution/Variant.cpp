//===- Variant.cpp - The ways in which one module can be compiled ---------===//

#include "nacho/Execution/Variant.h"
#include "nacho/Execution/Optimization.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

using namespace nacho;

bool nacho::optimizesCode() {
  const char *asked = std::getenv("NACHO_OPTIMIZE");
  return !asked || std::string_view(asked) != "0";
}

size_t Variant::number() const {
  // More than any choice has values.
  constexpr size_t kBase = 8;
  size_t number = 0;
#define NACHO_CHOICE(type, field, plain, summary)                              \
  number = kBase * number + size_t(field);
#include "nacho/Execution/CompileOptions.def"
  return number;
}

std::vector<std::pair<std::string, bool>> Variant::choices() const {
  return {
#define NACHO_VALUE(type, field, value, word, name, summary)                   \
  {name, field >= type::value},
#include "nacho/Execution/CompileOptions.def"
  };
}

Variant Pins::nearest(Variant variant) const {
#define NACHO_CHOICE(type, field, plain, summary)                              \
  variant.field = field.nearest(variant.field);
#include "nacho/Execution/CompileOptions.def"
  return variant;
}

std::string CompileOptions::key() const {
  std::ostringstream text;
#define NACHO_CHOICE(type, field, plain, summary)                              \
  text << #field "=" << int(variant.field) << ' ';
#define NACHO_OPTION(type, field, name, initial, summary)                      \
  text << name "=" << field << ' ';
#include "nacho/Execution/CompileOptions.def"
  if (!optimizesCode())
    text << "unoptimised ";
  return text.str();
}
