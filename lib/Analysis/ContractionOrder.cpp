//===- ContractionOrder.cpp - Contraction orders of products --------------===//
//
// An inner sum eliminates an index: it sums the product of all factors that
// have the index, over this index and all others that only these factors have.
// A sequence of eliminated indices thus says which statements there are. The
// sequences are searched by their length; of each length, the cheapest are
// kept.
//
//===----------------------------------------------------------------------===//

#include "ProductFactors.h"
#include "nacho/Levels/LevelFormat.h"

#include <map>

using namespace mlir;
using namespace nacho;

/// The number of sequences of each length that are kept.
static constexpr size_t kKept = 16;
/// The cost of storing an entry and reading it again, in iterations of a loop.
static constexpr double kStored = 2;
/// Inner sums have at most so many times more entries than all operands: memory
/// has an end, and the whole product needs none.
static constexpr double kLargest = 32;
/// Inner sums must be expected to cost less than this share of the whole, if
/// the sizes of all operands are known, and if not.
static constexpr double kClearlyLess = 0.8, kSurelyLess = 0.5;

namespace {
/// A sequence of inner sums.
struct Sequence {
  SmallVector<unsigned> live; ///< The factors of what is still to be summed.
  IndexNames rest;
  std::vector<InnerSum> sums;
  SmallVector<unsigned> results; ///< The factors that are results of `sums`.
  double cost = 0;
};

/// An inner sum over an index: the factors, the indices that are summed over
/// and those that are kept; and the indices that are left to be summed over.
/// Without indices that are kept, there is no inner sum.
struct Elimination {
  SmallVector<unsigned> group;
  IndexNames summed, rest;
  llvm::SetVector<Attribute> kept;
};

class ContractionPlanner {
public:
  ContractionPlanner(AssignOp op, ReduceOp sum)
      : op(op), sum(sum), product(op, sum) {}

  ContractionOrder cheapest();
  ContractionOrder followed(ArrayRef<Attribute> asked);

private:
  Sequence whole();
  Elimination split(const Sequence &before, Attribute index) const;
  /// The sequences that eliminate one more index, one for each way to store its
  /// inner sum. If the index has no inner sum of its own, there are none; nor
  /// if the planner is free to choose, and the sum is not safe or too large.
  std::vector<Sequence> eliminate(const Sequence &before, Attribute index,
                                  bool isFree);
  std::vector<Sequence> extend(const std::vector<Sequence> &shorter);
  std::string keyOf(const Sequence &sequence) const;
  ContractionOrder orderOf(const Sequence &sequence, double cost = 0,
                           double wholeCost = 0) const;
  double costOfRest(const Sequence &sequence);

  AssignOp op;
  ReduceOp sum;
  ProductFactors product;
};
} // namespace

/// The expected cost of all statements, the one for what is still to be summed
/// included.
double ContractionPlanner::costOfRest(const Sequence &sequence) {
  IndexNames levels =
      storageOrder(op.getType(), op.getResultAccess().getValue());
  return sequence.cost +
         product.costOf(sequence.live, levels, ::isDense(op.getType()));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

Sequence ContractionPlanner::whole() {
  Sequence whole;
  llvm::append_range(whole.live, llvm::seq<unsigned>(product.values.size()));
  llvm::append_range(whole.rest, sum.getIndices().getValue());
  return whole;
}

Elimination ContractionPlanner::split(const Sequence &before,
                                      Attribute index) const {
  Elimination made;
  SmallVector<unsigned> others;
  for (unsigned n : before.live)
    if (!product[n].isNumber())
      (product[n].indices.contains(index) ? made.group : others).push_back(n);
  for (Attribute name : before.rest) {
    bool isOthers = llvm::any_of(
        others, [&](unsigned n) { return product[n].indices.contains(name); });
    (isOthers ? made.rest : made.summed).push_back(name);
  }
  // The sum of all factors is what the statement computes anyway.
  if (others.empty())
    return made;
  for (unsigned n : made.group)
    for (Attribute name : product[n].indices)
      if (!llvm::is_contained(made.summed, name))
        made.kept.insert(name);
  return made;
}

std::vector<Sequence> ContractionPlanner::eliminate(const Sequence &before,
                                                    Attribute index,
                                                    bool isFree) {
  Elimination split = this->split(before, index);
  ArrayRef<unsigned> group = split.group;
  bool areSafe = llvm::all_of(split.summed, [&](Attribute name) {
    return product.isSafe(group, name);
  });
  // A sum without indices is a number, which cannot be absent.
  if (split.kept.empty() || (isFree && !areSafe))
    return {};
  std::vector<Sequence> made;
  for (IndexNames &access :
       product.layoutsOf(group, split.kept.getArrayRef())) {
    double entries = product.entriesOf(group, access);
    if (isFree && entries > kLargest * product.numRead)
      continue;
    InnerSum sum{split.group,
                 split.summed,
                 access,
                 product.typeOf(group, access),
                 product.sizesOf(group, access),
                 /*flagged=*/Attribute()};
    if (::isDense(op.getType()))
      product.fill(sum);
    Sequence &next = made.emplace_back(before);
    next.rest = split.rest;
    next.cost +=
        product.costOf(group, access, ::isDense(sum.type)) + kStored * entries;
    llvm::erase_if(next.live,
                   [&](unsigned n) { return llvm::is_contained(group, n); });
    next.live.push_back(product.size());
    next.results.push_back(product.size());
    product.addResult(sum);
    next.sums.push_back(std::move(sum));
  }
  return made;
}

/// The sequences with one more index, the cheapest first. Of those that lead to
/// the same factors, only the cheapest is of interest.
std::vector<Sequence>
ContractionPlanner::extend(const std::vector<Sequence> &shorter) {
  std::map<std::string, Sequence> found;
  for (const Sequence &before : shorter)
    for (Attribute index : before.rest)
      for (Sequence &next : eliminate(before, index, /*isFree=*/true)) {
        Sequence &known = found.try_emplace(keyOf(next), next).first->second;
        if (next.cost < known.cost)
          known = next;
      }
  std::vector<Sequence> longer;
  longer.reserve(found.size());
  for (auto &[key, sequence] : found)
    longer.push_back(std::move(sequence));
  llvm::sort(longer, [](const Sequence &one, const Sequence &other) {
    return one.cost < other.cost;
  });
  if (longer.size() > kKept)
    longer.resize(kKept);
  return longer;
}

/// The factors that are left, by number, or by the levels of results.
std::string ContractionPlanner::keyOf(const Sequence &sequence) const {
  std::string key;
  llvm::raw_string_ostream os(key);
  for (unsigned n : sequence.live) {
    if (n < product.values.size())
      os << n;
    else
      for (Attribute index : product[n].indices)
        os << cast<StringAttr>(index).getValue() << ',';
    os << ';';
  }
  return key;
}

ContractionOrder ContractionPlanner::cheapest() {
  ContractionOrder order = orderOf(whole());
  if (!product.arePossible)
    return order;
  std::vector<Sequence> sequences = extend({whole()});
  if (sequences.empty())
    return order;
  order.wholeCost = order.cost = costOfRest(whole());
  double limit =
      (product.areSized ? kClearlyLess : kSurelyLess) * order.wholeCost;
  for (; !sequences.empty(); sequences = extend(sequences))
    for (const Sequence &sequence : sequences) {
      if (sequence.cost >= limit)
        break;
      double cost = costOfRest(sequence);
      if (cost >= limit)
        continue;
      limit = cost;
      order = orderOf(sequence, cost, order.wholeCost);
    }
  return order;
}

ContractionOrder ContractionPlanner::followed(ArrayRef<Attribute> asked) {
  Sequence sequence = whole();
  double wholeCost = costOfRest(sequence);
  for (Attribute index : asked) {
    if (!product.arePossible || !llvm::is_contained(sequence.rest, index))
      continue;
    std::vector<Sequence> longer = eliminate(sequence, index, /*isFree=*/false);
    if (!longer.empty())
      sequence = *llvm::min_element(
          longer, [](const Sequence &one, const Sequence &other) {
            return one.cost < other.cost;
          });
  }
  return orderOf(sequence, costOfRest(sequence), wholeCost);
}

ContractionOrder ContractionPlanner::orderOf(const Sequence &sequence,
                                             double cost,
                                             double wholeCost) const {
  ContractionOrder order{product.values, sequence.sums, sequence.rest, cost,
                         wholeCost};
  // Other sequences have results, too, which have numbers in between.
  for (InnerSum &sum : order.sums)
    for (unsigned &n : sum.factors)
      if (n >= product.values.size())
        n = product.values.size() +
            (llvm::find(sequence.results, n) - sequence.results.begin());
  return order;
}

ContractionOrder ContractionOrder::choose(AssignOp op, ReduceOp sum) {
  return ContractionPlanner(op, sum).cheapest();
}

ContractionOrder ContractionOrder::follow(AssignOp op, ReduceOp sum,
                                          ArrayRef<Attribute> asked) {
  return ContractionPlanner(op, sum).followed(asked);
}

InnerSum nacho::wholeSum(AssignOp op, ReduceOp sum) {
  ProductFactors product(op, sum);
  InnerSum made;
  llvm::append_range(made.factors, llvm::seq<unsigned>(product.values.size()));
  llvm::append_range(made.summed, sum.getIndices().getValue());
  llvm::SetVector<Attribute> kept;
  for (unsigned n : made.factors)
    for (Attribute name : product[n].indices)
      if (!llvm::is_contained(made.summed, name))
        kept.insert(name);
  if (kept.empty()) {
    made.type = RankedTensorType::get({}, sum.getType());
    made.sizes = {1};
    return made;
  }
  made.access = product.layoutsOf(made.factors, kept.getArrayRef()).front();
  made.type =
      made.access.size() > 1 && product.arePossible
          ? product.typeOf(made.factors, made.access)
          : RankedTensorType::get(
                SmallVector<int64_t>(made.access.size(), ShapedType::kDynamic),
                sum.getType());
  if (product.areSized)
    made.sizes = product.sizesOf(made.factors, made.access);
  return made;
}
