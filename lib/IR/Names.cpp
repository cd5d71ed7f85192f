//===- Names.cpp - Names for the values of printed IR ---------------------===//

#include "nacho/IR/Names.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace nacho;

std::string nacho::getName(Value value) {
  // The results of one op share its location, so an op with several results
  // tells their names itself.
  Operation *op = value.getDefiningOp();
  auto naming = dyn_cast_or_null<OpAsmOpInterface>(op);
  if (naming && op->getNumResults() > 1) {
    std::string name;
    naming.getAsmResultNames([&](Value result, StringRef given) {
      if (result == value)
        name = given.str();
    });
    return name;
  }
  auto name = dyn_cast<NameLoc>(value.getLoc());
  return name ? name.getName().str() : std::string();
}

Location nacho::withoutName(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  return named ? named.getChildLoc() : loc;
}

Location nacho::nameLoc(Location loc, const Twine &name) {
  auto text = StringAttr::get(loc.getContext(), name);
  loc = withoutName(loc);
  return text.empty() ? loc : Location(NameLoc::get(text, loc));
}

void nacho::setName(Value value, const Twine &name) {
  value.setLoc(nameLoc(value.getLoc(), name));
}

std::string nacho::innerName(StringRef name) {
  StringRef stem = name.rtrim("0123456789");
  unsigned depth = 0;
  (void)name.drop_front(stem.size()).getAsInteger(10, depth);
  return (stem + Twine(depth + 1)).str();
}
