//===- ProductFactors.cpp - The factors of a product that is summed -------===//

#include "ProductFactors.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"

#include <cmath>

using namespace mlir;
using namespace nacho;

/// The average number of products of sparse matrices that meet in one entry.
/// Neighbours have common neighbours; independent random matrices would have 1.
static constexpr double kMeeting = 2;
/// The ratio of the products to those of operands with evenly spread entries,
/// where rows of one operand meet rows of another: rows that are long meet
/// columns that are long.
static constexpr double kSkew = 4;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The factors of a product, from left to right.
static void flatten(Value value, SmallVector<Value> &factors) {
  auto product = value.getDefiningOp<BinaryOp>();
  if (!product || product.getKind() != BinaryKind::mul) {
    factors.push_back(value);
    return;
  }
  flatten(product.getLhs(), factors);
  flatten(product.getRhs(), factors);
}

ProductFactors::ProductFactors(AssignOp op, ReduceOp sum)
    : element(sum.getType()) {
  flatten(sum.getValue(), values);
  ElementAlgebra algebra(op);
  for (Value value : values)
    addFactor(op, value, algebra);
}

void ProductFactors::addFactor(AssignOp op, Value value,
                               const ElementAlgebra &algebra) {
  const ElementFacts &facts = algebra.get(value);
  Factor factor;
  factor.isDense = isAlways(facts.pattern);
  SmallVector<unsigned> inputs = inputsOf(value);
  for (unsigned n : inputs) {
    factor.indices.insert_range(op.getIndependent(
        storageOrder(op.getInputs()[n].getType(), op.getAccess(n))));
    addOperand(factor, op, n, holdsOnlyWith(facts.pattern, n));
  }
  double absent = 1;
  for (const LoopOperand &operand : factor.operands) {
    double density =
        expectedPositions(operand, extents, operand.indices, false) /
        extentOf(operand.indices);
    if (operand.isNeeded)
      factor.density *= std::min(1.0, density);
    else
      absent *= 1 - std::min(1.0, density);
  }
  if (factor.isDense)
    factor.density = 1;
  else if (absent < 1)
    factor.density *= 1 - absent;
  arePossible &=
      factor.isNumber() || factor.isDense || facts.isZeroPreserving();
  factors.push_back(std::move(factor));
}

void ProductFactors::addOperand(Factor &factor, AssignOp op, unsigned n,
                                bool isNeeded) {
  auto type = cast<RankedTensorType>(op.getInputs()[n].getType());
  ArrayRef<Attribute> access = op.getAccess(n);
  ArrayRef<int64_t> sizes = knownSizes(op.getInputs()[n]);
  std::optional<double> entries;
  if (!sizes.empty()) {
    entries = std::max<double>(1, sizes.front());
    for (auto [index, extent] : llvm::zip_equal(access, sizes.drop_front())) {
      extents.set(index, std::max<double>(1, extent));
      if (extent > 0)
        nonEmpty.insert(index);
    }
  }
  areSized &= access.empty() || !sizes.empty();
  if (::isDense(type)) {
    numRead += extentOf(access);
    return;
  }
  const LoopOperand &operand =
      factor.operands.emplace_back(n, type, access, entries, isNeeded);
  numRead += expectedPositions(operand, extents, operand.indices, false);
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (encoding.getCrdWidth() == 32)
    factor.narrow.insert_range(access);
  if (isNeeded)
    factor.confined.insert_range(access);
}

/// The indices of an operand, without those of dense levels below all others.
static ArrayRef<Attribute> drivenIndices(const LoopOperand &operand) {
  ArrayRef<Attribute> indices = operand.indices;
  while (!indices.empty() && operand.isFull[indices.size() - 1])
    indices = indices.drop_back();
  return indices;
}

bool Factor::isSparse(Attribute index) const {
  return index == flagged ||
         llvm::any_of(operands, [&](const LoopOperand &operand) {
           return llvm::is_contained(drivenIndices(operand), index);
         });
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Whether some operand has all indices of sparse operands. Then there are at
/// most as many products as this operand has entries, but for dense loops.
static bool isDriven(ArrayRef<LoopOperand> operands) {
  llvm::SmallDenseSet<Attribute> all;
  for (const LoopOperand &operand : operands)
    all.insert_range(drivenIndices(operand));
  return llvm::any_of(operands,
                      [&](const LoopOperand &operand) {
                        ArrayRef<Attribute> own = drivenIndices(operand);
                        return operand.isNeeded &&
                               llvm::all_of(all, [&](Attribute index) {
                                 return llvm::is_contained(own, index);
                               });
                      }) ||
         operands.empty();
}

double ProductFactors::costOf(ArrayRef<unsigned> group,
                              ArrayRef<Attribute> result,
                              bool isDenseResult) const {
  SmallVector<LoopOperand> operands;
  llvm::SetVector<Attribute> all;
  for (unsigned n : group) {
    all.insert_range(factors[n].indices);
    for (LoopOperand operand : factors[n].operands) {
      operand.input = operands.size();
      operands.push_back(operand);
    }
  }
  // Loops over other indices run inside the reduction.
  IndexNames outer;
  llvm::copy_if(result, std::back_inserter(outer), [&](Attribute index) {
    return llvm::any_of(operands, [&](const LoopOperand &operand) {
      return llvm::is_contained(drivenIndices(operand), index);
    });
  });
  LoopCost cost(operands, all.getArrayRef(), extents, outer, isDenseResult);
  return (isDriven(operands) ? 1 : kSkew) * cost.choose(true).cost;
}

/// The expected number of entries of a sum. Dense factors fill the levels of
/// their own indices; the sparse ones have entries where their products are.
double ProductFactors::entriesOf(ArrayRef<unsigned> group,
                                 ArrayRef<Attribute> kept) const {
  llvm::SetVector<Attribute> all;
  double products = 1, filled = 1, places = 1;
  unsigned numSparse = 0;
  for (unsigned n : group) {
    products *= factors[n].density;
    numSparse += !factors[n].operands.empty();
    all.insert_range(factors[n].indices);
  }
  for (Attribute index : all) {
    bool isFilled = !isSparse(group, index);
    if (!isFilled)
      products *= extents[index];
    if (llvm::is_contained(kept, index))
      (isFilled ? filled : places) *= extents[index];
  }
  if (isDenseProduct(group))
    return filled * places;
  if (numSparse > 1)
    products /= kMeeting;
  // The expected number of places that the products hit.
  double hit = -std::expm1(-products / places) * places;
  return std::max(1.0, hit) * filled;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The orders in which the levels of a result may be stored. Indices that only
/// dense factors have come last, in dense levels.
SmallVector<IndexNames>
ProductFactors::layoutsOf(ArrayRef<unsigned> group,
                          ArrayRef<Attribute> kept) const {
  IndexNames sparse, dense;
  for (Attribute index : kept)
    (isSparse(group, index) ? sparse : dense).push_back(index);
  SmallVector<IndexNames> layouts = {sparse};
  if (sparse.size() == 2)
    layouts.push_back({sparse[1], sparse[0]});
  for (IndexNames &layout : layouts)
    llvm::append_range(layout, dense);
  return layouts;
}

/// Whether an index is that of a dense level of a sparse operand.
bool ProductFactors::isFull(ArrayRef<unsigned> group, Attribute index) const {
  return llvm::any_of(group, [&](unsigned n) {
    return llvm::any_of(factors[n].operands, [&](const LoopOperand &operand) {
      return llvm::any_of(llvm::zip(operand.indices, operand.isFull),
                          [&](auto level) {
                            auto [name, isFull] = level;
                            return name == index && isFull;
                          });
    });
  });
}

/// The type of a result: dense levels for indices of dense factors only. Some
/// level has to say where the entries are, so the first level is dense only if
/// it is in some operand, and the second is sparse.
RankedTensorType ProductFactors::typeOf(ArrayRef<unsigned> group,
                                        ArrayRef<Attribute> access) const {
  using sparse_tensor::LevelFormat;
  SmallVector<int64_t> shape(access.size(), ShapedType::kDynamic);
  if (isDenseProduct(group))
    return RankedTensorType::get(shape, element);
  auto isNarrow = [&](Attribute index) {
    return llvm::any_of(
        group, [&](unsigned n) { return factors[n].narrow.contains(index); });
  };
  SmallVector<sparse_tensor::LevelType> levels;
  bool hasNarrow = true;
  for (auto [level, index] : llvm::enumerate(access)) {
    bool hasRows = level == 0 && access.size() > 1 &&
                   isSparse(group, access[1]) && isFull(group, index);
    bool isFilled = level > 0 && !isSparse(group, index);
    hasNarrow &= isFilled || isNarrow(index);
    levels.push_back(*sparse_tensor::buildLevelType(
        hasRows || isFilled ? LevelFormat::Dense : LevelFormat::Compressed,
        {}));
  }
  MLIRContext *context = element.getContext();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(levels.size(), context);
  auto encoding = sparse_tensor::SparseTensorEncodingAttr::get(
      context, levels, identity, identity, /*posWidth=*/64,
      /*crdWidth=*/hasNarrow ? 32 : 64);
  return RankedTensorType::get(shape, element, encoding);
}

/// A dense tensor takes no search to read. It is worth it if half of its
/// elements are expected to be entries. If sizes are not known, a vector is, if
/// an operand has a dense level with as many coordinates.
void ProductFactors::fill(InnerSum &sum) const {
  IndexNames rows;
  llvm::copy_if(sum.access, std::back_inserter(rows),
                [&](Attribute index) { return isSparse(sum.factors, index); });
  if (isDenseProduct(sum.factors) || rows.size() != 1)
    return;
  bool isWorthIt =
      areSized ? 2 * double(sum.sizes.front()) >= extentOf(sum.access)
               : sum.access.size() == 1 && isFull(sum.factors, rows.front());
  if (!isWorthIt)
    return;
  sum.type = RankedTensorType::get(sum.type.getShape(), element);
  sum.flagged = rows.front();
}

SmallVector<int64_t> ProductFactors::sizesOf(ArrayRef<unsigned> group,
                                             ArrayRef<Attribute> access) const {
  SmallVector<int64_t> sizes;
  sizes.push_back(std::min(entriesOf(group, access), 1e18));
  for (Attribute name : access) {
    bool isEmpty = areSized && !nonEmpty.contains(name);
    sizes.push_back(isEmpty ? 0 : extents[name]);
  }
  return sizes;
}

/// Makes the result of an inner sum a factor.
void ProductFactors::addResult(const InnerSum &sum) {
  Factor factor;
  factor.indices.insert_range(sum.access);
  factor.isDense = isDenseProduct(sum.factors);
  double entries = sum.sizes.front();
  if (!factor.isDense) {
    factor.density = std::min(1.0, entries / extentOf(sum.access));
    factor.confined.insert_range(sum.access);
  }
  factor.flagged = sum.flagged;
  if (sum.flagged) {
    if (llvm::any_of(sum.factors, [&](unsigned n) {
          return factors[n].narrow.contains(sum.flagged);
        }))
      factor.narrow.insert(sum.flagged);
  } else if (!factor.isDense) {
    factor.operands.emplace_back(0, sum.type, sum.access, entries,
                                 /*isNeeded=*/true);
    if (sparse_tensor::getSparseTensorEncoding(sum.type).getCrdWidth() == 32)
      factor.narrow.insert_range(sum.access);
  }
  factors.push_back(std::move(factor));
}

/// Whether an inner sum over an index has the entries and values of the
/// product even if the index has no coordinates: the product then has no
/// entries, but a sum of dense factors has a 0 everywhere.
bool ProductFactors::isSafe(ArrayRef<unsigned> group, Attribute index) const {
  return nonEmpty.contains(index) || llvm::any_of(group, [&](unsigned n) {
           return factors[n].confined.contains(index);
         });
}
