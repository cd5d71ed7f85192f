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

size_t Variant::bits() const {
  size_t bits = 0;
#define NACHO_CHOICE(field, name, summary) bits = 2 * bits + field;
#include "nacho/Execution/CompileOptions.def"
  return bits;
}

std::vector<std::pair<std::string, bool>> Variant::choices() const {
  return {
#define NACHO_CHOICE(field, name, summary) {name, field},
#include "nacho/Execution/CompileOptions.def"
  };
}

std::string CompileOptions::key() const {
  std::ostringstream text;
#define NACHO_CHOICE(field, name, summary)                                     \
  text << name "=" << variant.field << ' ';
#define NACHO_OPTION(type, field, name, initial, summary)                      \
  text << name "=" << field << ' ';
#include "nacho/Execution/CompileOptions.def"
  if (!optimizesCode())
    text << "unoptimised ";
  return text.str();
}
