//===- LoopCost.cpp - Expected costs of loop orders -----------------------===//
//
// Where the sizes of operands are not known, the estimates assume kExtent
// coordinates per index, and kRow entries per row of a sparse operand.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopCost.h"

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace nacho;

static constexpr double kExtent = 1e5, kRow = 10;
/// The costs, in steps of a loop, of an entry that is sorted (as the entries of
/// transposed operands are), of one that is sorted into rows that are stored
/// only if they have entries, and are searched for later, of one that is added
/// up in a workspace or in a row of sums, of one that is looked up in a table,
/// and of a row that is searched for. That of a row of sums includes a share of
/// clearing the rows of all parts and of adding them up: they have no more sums
/// than half of the products.
static constexpr double kSorted = 10, kSortedApart = 40, kCollected = 4,
                        kFound = 0.7, kSought = 6;
/// The costs, if the result is sparse, of an iteration of a reduction's
/// innermost loop beside its steps, unless the result is a vector, and no loop
/// outside passes over coordinates: it begins, and is listed before, with the
/// positions that it reads; and of an entry that is looked up for a sum which
/// becomes an entry, before it is added up. (Measured with masked products of
/// 25 matrices of files, where masks have 1 to 70 entries a row.)
static constexpr double kListed = 40, kFoundForSum = 3;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LoopOperand::LoopOperand(unsigned input, RankedTensorType type,
                         ArrayRef<Attribute> access,
                         std::optional<double> entries, bool isNeeded)
    : input(input), indices(storageOrder(type, access)), entries(entries),
      isNeeded(isNeeded) {
  for (unsigned level = 0; level < indices.size(); ++level)
    isFull.push_back(isFullLevel(type, level));
}

/// The indices that sparse tensors of a statement have.
static llvm::SmallSetVector<Attribute, 4> sparseIndices(AssignOp op) {
  llvm::SmallSetVector<Attribute, 4> found;
  for (auto [n, tensor] : llvm::enumerate(op.getInputs()))
    if (!isDense(cast<RankedTensorType>(tensor.getType())))
      found.insert_range(op.getAccess(n));
  if (!isDense(op.getType()))
    found.insert_range(op.getResultAccess());
  return found;
}

DenseStorage nacho::storageAlongLoops(AssignOp op, unsigned input) {
  auto type = cast<RankedTensorType>(op.getInputs()[input].getType());
  IndexNames stored = storageOrder(type, op.getAccess(input));
  llvm::SmallDenseSet<Attribute> own(stored.begin(), stored.end());
  if (!isDense(type) || stored.size() < 2 || own.size() != stored.size() ||
      op.getOrder() || op.getWhere())
    return {};
  llvm::SmallSetVector<Attribute, 4> outer = sparseIndices(op);
  auto isOuter = [&](Attribute index) { return outer.contains(index); };
  if (!isOuter(stored.back()) || llvm::all_of(stored, isOuter))
    return {};
  DenseStorage storage;
  for (bool wanted : {true, false})
    for (Attribute index : stored)
      if (isOuter(index) == wanted)
        storage.access.push_back(index);
  for (auto [level, index] : llvm::enumerate(stored))
    if (isOuter(index))
      storage.rows |= size_t(1) << level;
  return storage;
}

/// All that `nacho.sizes` or `sizes` say of an operand; empty if it has none.
static ArrayRef<int64_t> sizesAttrOf(Value input) {
  DenseI64ArrayAttr sizes;
  auto arg = dyn_cast<BlockArgument>(input);
  auto func = arg ? dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp())
                  : FunctionOpInterface();
  if (func)
    sizes = func.getArgAttrOfType<DenseI64ArrayAttr>(
        arg.getArgNumber(), NachoDialect::kSizesAttrName);
  else if (auto made = input.getDefiningOp<AssignOp>())
    sizes = made.getSizesAttr();
  return sizes ? sizes.asArrayRef() : ArrayRef<int64_t>();
}

ArrayRef<int64_t> nacho::knownSizes(Value input) {
  return sizesAttrOf(input).take_front(
      1 + cast<RankedTensorType>(input.getType()).getRank());
}

ArrayRef<int64_t> nacho::knownSkew(Value input) {
  return sizesAttrOf(input).drop_front(knownSizes(input).size());
}

double Extents::operator[](Attribute index) const {
  auto found = known.find(index);
  return found == known.end() ? kExtent : found->second;
}

double nacho::expectedPositions(const LoopOperand &operand,
                                const Extents &extents,
                                ArrayRef<Attribute> levels, bool isTransposed) {
  // The number of entries does not depend on the order of the levels.
  if (levels.size() == operand.indices.size()) {
    if (operand.entries)
      return *operand.entries;
    levels = operand.indices;
    isTransposed = false;
  }
  double positions = 1;
  for (auto [level, index] : llvm::enumerate(levels)) {
    double extent = extents[index];
    if (operand.isFull[level] && !isTransposed)
      positions *= extent;
    else if (operand.entries)
      positions = std::min(positions * extent, *operand.entries);
    else if (level == 0)
      positions = operand.indices.size() == 1 ? extent / kRow : extent;
    else
      positions *= std::min(kRow, extent);
  }
  return positions;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LoopCost::LoopCost(AssignOp op, const Term &term, MonoidAttr reduction,
                   ArrayRef<Attribute> result)
    : reducesAbsent(reduction.reducesAbsent()),
      isDenseResult(isDense(op.getType())) {
  MergeAttr pattern = ElementAlgebra(op).get(term.value).pattern;
  llvm::SetVector<Attribute> all;
  for (unsigned n : term.inputs) {
    all.insert_range(op.getLoopIndices(op.getAccess(n)));
    addOperand(op, n, holdsOnlyWith(pattern, n));
  }
  setIndices(all.getArrayRef(), result);
}

LoopCost::LoopCost(ArrayRef<LoopOperand> operands, ArrayRef<Attribute> all,
                   const Extents &extents, ArrayRef<Attribute> result,
                   bool isDenseResult)
    : operands(operands), extents(extents), reducesAbsent(false),
      isDenseResult(isDenseResult) {
  setIndices(all, result);
}

void LoopCost::setIndices(ArrayRef<Attribute> all, ArrayRef<Attribute> result) {
  llvm::SetVector<Attribute> sparse;
  for (const LoopOperand &operand : operands)
    sparse.insert_range(operand.indices);
  // Sparse filters come outermost.
  indices.assign(sparse.begin(), sparse.end());
  for (Attribute index : all)
    if (!sparse.contains(index))
      indices.push_back(index);
  for (Attribute index : result)
    if (llvm::is_contained(all, index))
      this->result.push_back(index);
}

void LoopCost::addOperand(AssignOp op, unsigned n, bool isNeeded) {
  auto type = cast<RankedTensorType>(op.getInputs()[n].getType());
  ArrayRef<int64_t> sizes = knownSizes(op.getInputs()[n]);
  std::optional<double> entries;
  if (!sizes.empty()) {
    entries = std::max<double>(1, sizes.front());
    for (auto [index, extent] :
         llvm::zip_equal(op.getAccess(n), sizes.drop_front()))
      extents.set(index, std::max<double>(1, extent));
  }
  if (isDense(type))
    return;
  operands.emplace_back(n, type, op.getAccess(n), entries, isNeeded);
  if (ArrayRef<int64_t> skew = knownSkew(op.getInputs()[n]); !skew.empty())
    for (auto [index, factor] : llvm::zip_equal(op.getAccess(n), skew))
      operands.back().skew[index] = factor;
}

/// By which factor the fibers of an operand below its level `parent` are longer
/// than the average one, in the loops inside of `outer`. Once these step
/// through the entries of another operand that has the index, too, as those of
/// A[i, j] for the rows of B[j, k], they run for each fiber as often as such
/// entries have its coordinate.
double LoopCost::skewOf(const LoopOperand &operand, Attribute parent,
                        ArrayRef<Attribute> outer) const {
  bool isMet = llvm::any_of(operands, [&](const LoopOperand &other) {
    return &other != &operand && llvm::is_contained(other.indices, parent) &&
           llvm::count_if(other.indices, [&](Attribute index) {
             return llvm::is_contained(outer, index);
           }) > 1;
  });
  auto found = operand.skew.find(parent);
  return isMet && found != operand.skew.end() ? found->second : 1;
}

/// The role of one operand in the loop over `index`, one of `loops`.
LoopCost::Visit LoopCost::visitOf(const LoopOperand &operand, Attribute index,
                                  ArrayRef<Attribute> loops,
                                  bool isTransposed) const {
  IndexNames levels = operand.indices;
  if (isTransposed) {
    levels.clear();
    llvm::copy_if(loops, std::back_inserter(levels), [&](Attribute name) {
      return llvm::is_contained(operand.indices, name);
    });
  }
  unsigned level = llvm::find(levels, index) - levels.begin();
  auto positionsIn = [&](unsigned number) {
    auto some = ArrayRef(levels).take_front(number);
    return expectedPositions(operand, extents, some, isTransposed);
  };
  double fibers = positionsIn(level), positions = positionsIn(level + 1);
  Visit visit;
  visit.isFull =
      isTransposed ? level == 0 && operand.isLocated() : operand.isFull[level];
  // The loops inside do not run for a position without children, such as an
  // empty row, if the term needs the operand: the others have all the children.
  if (operand.isNeeded) {
    fibers = std::min(fibers, positions);
    if (level + 1 < levels.size())
      visit.nonempty = std::min(1.0, positionsIn(level + 2) / positions);
  }
  visit.children = positions / fibers;
  if (level > 0)
    visit.children *=
        skewOf(operand, levels[level - 1],
               loops.take_front(llvm::find(loops, index) - loops.begin()));
  return visit;
}

/// The cost of an entry that loop `m` locates.
double LoopCost::lookupOf(ArrayRef<Attribute> loops, unsigned m) const {
  if (m + 1 < loops.size())
    return kSought;
  bool isSummed = !isDenseResult && !llvm::is_contained(result, loops[m]);
  return isSummed ? kFoundForSum : kFound;
}

/// Whether loop `m` passes over coordinates of an operand.
bool LoopCost::skips(ArrayRef<Attribute> loops, unsigned m,
                     ArrayRef<unsigned> transposed) const {
  unsigned needed = 0, sparse = 0;
  for (const LoopOperand &operand : operands) {
    if (!operand.isNeeded || !llvm::is_contained(operand.indices, loops[m]))
      continue;
    bool isTransposed = llvm::is_contained(transposed, operand.input);
    ++needed;
    sparse += !visitOf(operand, loops[m], loops, isTransposed).isFull;
  }
  return needed > 1 && sparse > 0;
}

/// The expected number of steps of loop `m`, which runs in each of `live`
/// iterations of the loops outside. Sets `live` to the number of iterations of
/// loop `m` that run the loops inside.
double LoopCost::stepOver(ArrayRef<Attribute> loops, unsigned m,
                          ArrayRef<unsigned> transposed, double &live) const {
  Attribute index = loops[m];
  double lookup = lookupOf(loops, m);
  ArrayRef<Attribute> outer = loops.take_front(m);
  double extent = extents[index], survivors = extent;
  double steps = 0, repeated = 0, located = 0;
  for (const LoopOperand &operand : operands) {
    if (!llvm::is_contained(operand.indices, index))
      continue;
    bool isTransposed = llvm::is_contained(transposed, operand.input);
    Visit visit = visitOf(operand, index, loops, isTransposed);
    survivors *= std::min(1.0, visit.children / extent) * visit.nonempty;
    // A full level is located, not stepped through.
    if (visit.isFull)
      continue;
    // A fiber that is the same in every iteration of the loop outside is not
    // stepped through if another operand is. The innermost loop looks its
    // elements up (nacho-find-coordinates), others search it for their
    // coordinates (nacho-seek-fibers).
    bool isRepeated = operand.isNeeded && m > 0 &&
                      !llvm::is_contained(operand.indices, outer.back());
    (isRepeated ? repeated : steps) += visit.children;
    located += isRepeated ? lookup : 0;
  }
  if (steps == 0)
    steps = repeated > 0 ? repeated : extent;
  else if (repeated > 0)
    steps *= located;
  steps *= live;
  live *= survivors;
  // What is found for a sum is added up, as products in a workspace are.
  if (lookup == kFoundForSum && located > 0)
    steps += kCollected * live;
  return steps;
}

/// Adds what it costs that so many products are scattered, to so many
/// coordinates. Returns how many of them are listed: those that are to be
/// sorted.
double LoopCost::scatter(TermOrder &order, double products,
                         double coordinates) const {
  auto isResult = [&](Attribute index) {
    return llvm::is_contained(result, index);
  };
  ArrayRef<Attribute> loops = order.loops;
  const auto *reduced = llvm::find_if_not(loops, isResult);
  order.collects =
      !reducesAbsent && std::count_if(reduced, loops.end(), isResult) == 1;
  IndexNames appended;
  llvm::copy_if(loops, std::back_inserter(appended), isResult);
  bool isSorted = order.collects && (isDenseResult || appended == result);
  double sorted = isSorted ? 0 : products;
  // Where parts own rows of the result, the loops inside, over indices that
  // only dense operands have, add to neighbours.
  bool ownsRows = isDenseResult && loops.front() == result.front();
  double collected = ownsRows ? std::min(products, coordinates) : products;
  order.cost += (order.collects ? kCollected : 0) * collected;
  order.cost += kSorted * sorted;
  return sorted;
}

TermOrder LoopCost::evaluate(ArrayRef<Attribute> loops) const {
  TermOrder order;
  order.loops.assign(loops.begin(), loops.end());
  auto place = [&](Attribute index) {
    return llvm::find(loops, index) - loops.begin();
  };
  auto follows = [&](Attribute one, Attribute other) {
    return place(one) < place(other);
  };
  for (const LoopOperand &operand : operands) {
    llvm::SmallDenseSet<Attribute> seen;
    bool isDiagonal = llvm::any_of(
        operand.indices, [&](Attribute i) { return !seen.insert(i).second; });
    if (isDiagonal || !llvm::is_sorted(operand.indices, follows)) {
      order.transposed.push_back(operand.input);
      order.cost += (operand.isLocated() ? kSorted : kSortedApart) *
                    expectedPositions(operand, extents, operand.indices, false);
    }
  }
  // Unless products are scattered, the loops over the indices of the result
  // come first, in the order of the result.
  order.scatters = ArrayRef(result) != loops.take_front(result.size());
  bool isListed = result.size() > 1;
  double live = 1, listed = 1, scattered = 1;
  for (unsigned m = 0; m < loops.size(); ++m) {
    isListed |= m > 0 && skips(loops, m - 1, order.transposed);
    listed = live;
    order.cost += stepOver(loops, m, order.transposed, live);
    if (llvm::is_contained(result, loops[m]))
      scattered = live;
  }
  if (order.scatters)
    listed = std::max(listed, scatter(order, live, scattered));
  if (isListed && !isDenseResult && loops.size() > result.size())
    order.cost += kListed * listed;
  return order;
}

TermOrder LoopCost::choose(bool canScatter) const {
  auto isAllowed = [&](const TermOrder &order) {
    return canScatter || !order.scatters;
  };
  TermOrder best = evaluate(indices);
  // Without scattering, every order is possible if the right operands are
  // transposed.
  IndexNames plain = result;
  for (Attribute index : indices)
    if (!llvm::is_contained(plain, index))
      plain.push_back(index);
  for (bool isPlain : {false, true}) {
    TermOrder start = evaluate(isPlain ? plain : indices);
    if (!isAllowed(best) || (isAllowed(start) && start.cost < best.cost))
      best = start;
    // Push each index inwards while that pays.
    for (unsigned from = 0; from < indices.size(); ++from) {
      IndexNames loops = start.loops;
      for (unsigned at = from; at + 1 < loops.size(); ++at) {
        std::swap(loops[at], loops[at + 1]);
        TermOrder pushed = evaluate(loops);
        if (isAllowed(pushed) && pushed.cost < best.cost)
          best = pushed;
      }
    }
  }
  return best;
}
