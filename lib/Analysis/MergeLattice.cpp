//===- MergeLattice.cpp - Unions and intersections of coordinates ---------===//

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace nacho;

/// Flattens nested operators of one kind and drops repeated arguments:
/// a + (a + b) -> a + b. A neutral argument vanishes; an absorbing argument is
/// the result.
static MergeAttr simplify(MLIRContext *context, MergeKind kind,
                          ArrayRef<MergeAttr> args) {
  MergeKind dual =
      kind == MergeKind::unite ? MergeKind::intersect : MergeKind::unite;
  SmallVector<Attribute> flat;
  auto add = [&](Attribute arg) {
    if (!llvm::is_contained(flat, arg))
      flat.push_back(arg);
  };
  for (MergeAttr arg : args) {
    if (arg.getKind() == dual && arg.getArgs().empty())
      return arg;
    if (arg.getKind() == kind)
      llvm::for_each(arg.getArgs(), add);
    else
      add(arg);
  }
  if (flat.size() == 1)
    return cast<MergeAttr>(flat.front());
  return MergeAttr::get(context, kind, flat);
}

MergeAttr nacho::uniteMerges(MLIRContext *context, ArrayRef<MergeAttr> args) {
  return simplify(context, MergeKind::unite, args);
}

MergeAttr nacho::intersectMerges(MLIRContext *context,
                                 ArrayRef<MergeAttr> args) {
  return simplify(context, MergeKind::intersect, args);
}

MergeAttr nacho::iterationDomain(MergeAttr merge, LeafPredicate isFull) {
  MLIRContext *context = merge.getContext();
  if (merge.isLeaf())
    return isFull(merge.getOperand()) ? intersectMerges(context, {}) : merge;
  SmallVector<MergeAttr> args;
  for (MergeAttr child : merge.children())
    args.push_back(iterationDomain(child, isFull));
  return simplify(context, merge.getKind(), args);
}

bool nacho::isAlways(MergeAttr merge) {
  return merge.getKind() == MergeKind::intersect && merge.getArgs().empty();
}

bool nacho::isNever(MergeAttr merge) {
  return merge.getKind() == MergeKind::unite && merge.getArgs().empty();
}

static bool evaluate(MergeAttr merge, LeafPredicate isPresent) {
  if (merge.isLeaf())
    return isPresent(merge.getOperand());
  auto holds = [&](MergeAttr child) { return evaluate(child, isPresent); };
  return merge.getKind() == MergeKind::unite
             ? llvm::any_of(merge.children(), holds)
             : llvm::all_of(merge.children(), holds);
}

/// A monotone `merge` implies `other` iff each of its minimal points does.
/// Distributing over one operator at a time finds those points:
///   a + b => o  iff  a => o and b => o
///   a * (b + c) => o  iff  a * b => o and a * c => o
static bool impliesFrom(llvm::SmallBitVector present,
                        SmallVector<MergeAttr> rest, MergeAttr other) {
  auto isPresent = [&](unsigned operand) {
    return operand < present.size() && present.test(operand);
  };
  if (evaluate(other, isPresent))
    return true;
  while (!rest.empty()) {
    MergeAttr merge = rest.pop_back_val();
    if (merge.isLeaf()) {
      if (present.size() <= merge.getOperand())
        present.resize(merge.getOperand() + 1);
      present.set(merge.getOperand());
      continue;
    }
    if (merge.getKind() == MergeKind::intersect) {
      llvm::append_range(rest, merge.children());
      continue;
    }
    return llvm::all_of(merge.children(), [&](MergeAttr child) {
      SmallVector<MergeAttr> branch = rest;
      branch.push_back(child);
      return impliesFrom(present, branch, other);
    });
  }
  return evaluate(other, isPresent);
}

bool nacho::implies(MergeAttr merge, MergeAttr other) {
  return impliesFrom({}, {merge}, other);
}

bool nacho::holdsOnlyWith(MergeAttr merge, unsigned operand) {
  return implies(merge, MergeAttr::get(merge.getContext(), operand));
}

bool nacho::holdsWherever(MergeAttr merge, unsigned operand) {
  return implies(MergeAttr::get(merge.getContext(), operand), merge);
}

bool nacho::holdsAtAny(MergeAttr merge, unsigned numOperands) {
  return llvm::all_of(llvm::seq(numOperands), [&](unsigned operand) {
    return holdsWherever(merge, operand);
  });
}

MergeAttr nacho::mapLeaves(MergeAttr merge,
                           llvm::function_ref<unsigned(unsigned)> map) {
  MLIRContext *context = merge.getContext();
  if (merge.isLeaf())
    return MergeAttr::get(context, map(merge.getOperand()));
  SmallVector<MergeAttr> args;
  for (MergeAttr child : merge.children())
    args.push_back(mapLeaves(child, map));
  return simplify(context, merge.getKind(), args);
}

Condition nacho::emitMerge(ImplicitLocOpBuilder &b, MergeAttr merge,
                           ArrayRef<Condition> leaves) {
  if (merge.isLeaf())
    return leaves[merge.getOperand()];
  if (merge.getKind() == MergeKind::intersect) {
    Condition all = kAlways;
    for (MergeAttr child : merge.children())
      all = emitBoth(b, all, emitMerge(b, child, leaves));
    return all;
  }
  if (isNever(merge))
    return Number::flag(b, false);
  std::optional<Value> any;
  for (MergeAttr child : merge.children()) {
    Condition here = emitMerge(b, child, leaves);
    if (here.isAlways())
      return kAlways;
    any = any ? Number(b, *any) | here.flag() : here.flag();
  }
  return *any;
}
