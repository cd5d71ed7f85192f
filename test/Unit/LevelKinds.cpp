//===- LevelKinds.cpp - What levels store, for Python to compare ----------===//
//
// Prints what the table of kinds says of the levels of some formats, a line of
// JSON for each format. level_kinds.py compares it with Python's table.
//
//===----------------------------------------------------------------------===//

#include "Unit.h"

#include "nacho/Levels/LevelFormat.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace nacho;
using namespace nacho::unit;

static constexpr StringLiteral kMaps[] = {
    "(d0) -> (d0 : dense)",
    "(d0) -> (d0 : compressed)",
    "(d0, d1) -> (d0 : dense, d1 : compressed)",
    "(d0, d1) -> (d0 : dense, d1 : loose_compressed)",
    "(d0, d1) -> (d0 : dense, d1 : structured[2, 4])",
    "(d0, d1) -> (d0 : dense, d1 : structured[0, 32])",
    "(d0, d1) -> (d0 : compressed, d1 : dense)",
    "(d0, d1) -> (d1 : compressed, d0 : compressed)",
    "(d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa))",
    "(d0, d1) -> (d0 : compressed(nonunique), d1 : singleton)",
    "(d0, d1, d2) -> (d0 : compressed(nonunique),"
    " d1 : singleton(nonunique, soa), d2 : singleton(soa))",
    "(d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique),"
    " d2 : singleton)",
    "(d0, d1, d2, d3) -> (d0 : dense, d1 : compressed(nonunique),"
    " d2 : singleton, d3 : dense)",
    "(d0, d1, d2, d3) -> (d0 : compressed, d1 : compressed(nonunique),"
    " d2 : singleton(soa), d3 : compressed)",
};

static llvm::json::Object describe(const LevelArray &array) {
  return llvm::json::Object{{"name", array.name},
                            {"perParent", array.perParent},
                            {"perEntry", array.perEntry},
                            {"extra", array.extra},
                            {"wordSize", array.wordSize}};
}

static llvm::json::Object describe(RankedTensorType type, unsigned level) {
  llvm::json::Array arrays;
  for (const LevelArray &array : levelArrays(type, level))
    arrays.push_back(describe(array));
  return llvm::json::Object{{"isFull", isFullLevel(type, level)},
                            {"isUnique", isUniqueLevel(type, level)},
                            {"sharesPositions", sharesPositions(type, level)},
                            {"arrays", std::move(arrays)}};
}

NACHO_SUITE("level-kinds") {
  for (StringRef map : kMaps) {
    std::string text = ("#sparse_tensor.encoding<{ map = " + map + " }>").str();
    Attribute encoding = parseAttribute(text, &context);
    size_t rank =
        1 + map.take_until([](char c) { return c == ')'; }).count(',');
    auto type =
        RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                              Float64Type::get(&context), encoding);
    check(hasSupportedLevels(type), [&] { return show(type); });
    llvm::json::Array levels;
    for (unsigned level = 0; level < rank; ++level)
      levels.push_back(describe(type, level));
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"map", map}, {"levels", std::move(levels)}})
                 << '\n';
  }
}
