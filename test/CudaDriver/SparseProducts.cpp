//===- SparseProducts.cpp - Products of the cuSPARSE of tests -------------===//
//
// Each product takes a buffer, whose size another function gives first for the
// same operands. That of sparse matrices comes in three steps, and the caller
// allocates its result before the last one.
//
//===----------------------------------------------------------------------===//

#include "Sparse.h"

#include <array>
#include <map>
#include <set>
#include <string>

using namespace fake;

// Names are as cuSPARSE needs them.
// NOLINTBEGIN(readability-identifier-naming)

/// The products whose buffer's size was asked for: the names of the functions,
/// and the operands and the result.
using Asked = std::set<std::pair<std::string, std::vector<Handle>>>;

static Asked &asked() {
  static auto *made = new Asked;
  return *made;
}

static Status giveSize(const char *name, std::vector<Handle> operands,
                       size_t *bytes) {
  asked().emplace(name, std::move(operands));
  *bytes = kBufferBytes;
  return kOk;
}

static bool isReady(const char *name, std::vector<Handle> operands,
                    const void *buffer) {
  return asked().count({name, std::move(operands)}) && isBuffer(buffer);
}

static double dot(const std::vector<double> &a, int64_t atA,
                  const std::vector<double> &b, int64_t atB, int64_t count) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k)
    sum += a[atA + k] * b[atB + k];
  return sum;
}

//===----------------------------------------------------------------------===//
// Products of a sparse matrix and a dense operand
//===----------------------------------------------------------------------===//

/// Computes alpha * A * X + beta * Y for dense X and Y with so many columns.
static Status multiply(double alpha, const Matrix &a, const double *x,
                       double beta, double *y, int64_t width) {
  auto entries = a.arrays().read();
  auto factor = load(x, a.columns * width);
  NACHO_REQUIRE(entries && factor);
  std::vector<double> made(a.rows * width);
  if (beta != 0) {
    auto before = load(const_cast<const double *>(y), a.rows * width);
    NACHO_REQUIRE(before);
    for (size_t n = 0; n < made.size(); ++n)
      made[n] = beta * (*before)[n];
  }
  for (int64_t row = 0; row < a.rows; ++row)
    for (int at = entries->pos[row]; at < entries->pos[row + 1]; ++at)
      for (int64_t k = 0; k < width; ++k)
        made[row * width + k] += alpha * entries->values[at] *
                                 (*factor)[entries->crd[at] * width + k];
  return store(y, made) ? kOk : kInvalidValue;
}

static bool isSpMV(Handle handle, int op, const void *alpha, Handle a, Handle x,
                   const void *beta, Handle y, int type, int algorithm) {
  auto *matrix = find<Matrix>(a);
  auto *from = find<Vector>(x), *to = find<Vector>(y);
  return find<Context>(handle) && matrix && from && to && alpha && beta &&
         op == 0 && type == kReal64 && algorithm == 0 &&
         from->size == matrix->columns && to->size == matrix->rows;
}

NACHO_EXPORT Status cusparseSpMV_bufferSize(Handle handle, int op,
                                            const void *alpha, Handle a,
                                            Handle x, const void *beta,
                                            Handle y, int type, int algorithm,
                                            size_t *bytes) {
  NACHO_REQUIRE(isSpMV(handle, op, alpha, a, x, beta, y, type, algorithm));
  return giveSize("SpMV", {a}, bytes);
}

NACHO_EXPORT Status cusparseSpMV_preprocess(Handle handle, int op,
                                            const void *alpha, Handle a,
                                            Handle x, const void *beta,
                                            Handle y, int type, int algorithm,
                                            void *buffer) {
  NACHO_REQUIRE(isSpMV(handle, op, alpha, a, x, beta, y, type, algorithm));
  return isReady("SpMV", {a}, buffer) ? kOk : kInvalidValue;
}

NACHO_EXPORT Status cusparseSpMV(Handle handle, int op, const void *alpha,
                                 Handle a, Handle x, const void *beta, Handle y,
                                 int type, int algorithm, void *buffer) {
  NACHO_REQUIRE(isSpMV(handle, op, alpha, a, x, beta, y, type, algorithm));
  NACHO_REQUIRE(isReady("SpMV", {a}, buffer));
  return multiply(*static_cast<const double *>(alpha), *find<Matrix>(a),
                  find<Vector>(x)->values, *static_cast<const double *>(beta),
                  find<Vector>(y)->values, 1);
}

static bool isSpMM(Handle handle, int opA, int opB, const void *alpha, Handle a,
                   Handle b, const void *beta, Handle c, int type,
                   int algorithm) {
  auto *matrix = find<Matrix>(a);
  auto *from = find<DenseMatrix>(b), *to = find<DenseMatrix>(c);
  return find<Context>(handle) && matrix && from && to && alpha && beta &&
         opA == 0 && opB == 0 && type == kReal64 && algorithm == 0 &&
         from->rows == matrix->columns && to->rows == matrix->rows &&
         from->columns == to->columns;
}

NACHO_EXPORT Status cusparseSpMM_bufferSize(Handle handle, int opA, int opB,
                                            const void *alpha, Handle a,
                                            Handle b, const void *beta,
                                            Handle c, int type, int algorithm,
                                            size_t *bytes) {
  NACHO_REQUIRE(
      isSpMM(handle, opA, opB, alpha, a, b, beta, c, type, algorithm));
  return giveSize("SpMM", {a}, bytes);
}

NACHO_EXPORT Status cusparseSpMM_preprocess(Handle handle, int opA, int opB,
                                            const void *alpha, Handle a,
                                            Handle b, const void *beta,
                                            Handle c, int type, int algorithm,
                                            void *buffer) {
  NACHO_REQUIRE(
      isSpMM(handle, opA, opB, alpha, a, b, beta, c, type, algorithm));
  return isReady("SpMM", {a}, buffer) ? kOk : kInvalidValue;
}

NACHO_EXPORT Status cusparseSpMM(Handle handle, int opA, int opB,
                                 const void *alpha, Handle a, Handle b,
                                 const void *beta, Handle c, int type,
                                 int algorithm, void *buffer) {
  NACHO_REQUIRE(
      isSpMM(handle, opA, opB, alpha, a, b, beta, c, type, algorithm));
  NACHO_REQUIRE(isReady("SpMM", {a}, buffer));
  auto *dense = find<DenseMatrix>(b);
  return multiply(*static_cast<const double *>(alpha), *find<Matrix>(a),
                  dense->values, *static_cast<const double *>(beta),
                  find<DenseMatrix>(c)->values, dense->columns);
}

//===----------------------------------------------------------------------===//
// Products of dense matrices where a sparse one has entries
//===----------------------------------------------------------------------===//

/// The second factor is transposed.
static bool isSDDMM(Handle handle, int opA, int opB, const void *alpha,
                    Handle a, Handle b, const void *beta, Handle c, int type,
                    int algorithm) {
  auto *left = find<DenseMatrix>(a), *right = find<DenseMatrix>(b);
  auto *to = find<Matrix>(c);
  return find<Context>(handle) && left && right && to && alpha && beta &&
         opA == 0 && opB == 1 && type == kReal64 && algorithm == 0 &&
         left->rows == to->rows && right->rows == to->columns &&
         left->columns == right->columns;
}

NACHO_EXPORT Status cusparseSDDMM_bufferSize(Handle handle, int opA, int opB,
                                             const void *alpha, Handle a,
                                             Handle b, const void *beta,
                                             Handle c, int type, int algorithm,
                                             size_t *bytes) {
  NACHO_REQUIRE(
      isSDDMM(handle, opA, opB, alpha, a, b, beta, c, type, algorithm));
  return giveSize("SDDMM", {a, b}, bytes);
}

NACHO_EXPORT Status cusparseSDDMM_preprocess(Handle handle, int opA, int opB,
                                             const void *alpha, Handle a,
                                             Handle b, const void *beta,
                                             Handle c, int type, int algorithm,
                                             void *buffer) {
  NACHO_REQUIRE(
      isSDDMM(handle, opA, opB, alpha, a, b, beta, c, type, algorithm));
  return isReady("SDDMM", {a, b}, buffer) ? kOk : kInvalidValue;
}

NACHO_EXPORT Status cusparseSDDMM(Handle handle, int opA, int opB,
                                  const void *alpha, Handle a, Handle b,
                                  const void *beta, Handle c, int type,
                                  int algorithm, void *buffer) {
  NACHO_REQUIRE(
      isSDDMM(handle, opA, opB, alpha, a, b, beta, c, type, algorithm));
  NACHO_REQUIRE(isReady("SDDMM", {a, b}, buffer));
  auto *left = find<DenseMatrix>(a), *right = find<DenseMatrix>(b);
  int64_t width = left->columns;
  auto x = load(const_cast<const double *>(left->values), left->rows * width);
  auto y = load(const_cast<const double *>(right->values), right->rows * width);
  auto entries = find<Matrix>(c)->arrays().read();
  NACHO_REQUIRE(x && y && entries);
  double first = *static_cast<const double *>(alpha);
  double second = *static_cast<const double *>(beta);
  std::vector<double> made;
  for (int64_t row = 0; row < left->rows; ++row)
    for (int at = entries->pos[row]; at < entries->pos[row + 1]; ++at) {
      double product =
          dot(*x, row * width, *y, int64_t(entries->crd[at]) * width, width);
      double before = second == 0 ? 0 : second * entries->values[at];
      made.push_back(first * product + before);
    }
  return store(find<Matrix>(c)->arrays().values, made) ? kOk : kInvalidValue;
}

//===----------------------------------------------------------------------===//
// Products of sparse matrices
//===----------------------------------------------------------------------===//

NACHO_EXPORT Status cusparseSpGEMM_createDescr(Handle *made) {
  return make<Product>(made);
}
NACHO_EXPORT Status cusparseSpGEMM_destroyDescr(Handle made) {
  return destroy<Product>(made);
}

static bool areFactors(Handle a, Handle b, Handle c) {
  auto *left = find<Matrix>(a), *right = find<Matrix>(b), *to = find<Matrix>(c);
  return left && right && to && left->columns == right->rows &&
         to->rows == left->rows && to->columns == right->columns;
}

/// Returns the product that a call is a step of; null if an argument is wrong.
static Product *productOf(Handle handle, int opA, int opB, const void *alpha,
                          Handle a, Handle b, const void *beta, Handle c,
                          int type, int algorithm, Handle descriptor) {
  Product *made = find<Product>(descriptor);
  if (!find<Context>(handle) || !made || !areFactors(a, b, c) || opA != 0 ||
      opB != 0 || type != kReal64 || algorithm != 0)
    return nullptr;
  if (*static_cast<const double *>(alpha) != 1 ||
      *static_cast<const double *>(beta) != 0)
    return nullptr;
  std::array<Handle, 3> operands{a, b, c};
  if (made->stage == Product::Begun)
    made->operands = operands;
  return made->operands == operands ? made : nullptr;
}

/// Takes the first half of a step, which gives the size of a buffer, or the
/// second one, which has the buffer.
static Status advance(Product &product, int half, size_t *bytes,
                      const void *buffer) {
  if (!buffer) {
    NACHO_REQUIRE(bytes && product.stage == half);
    *bytes = kBufferBytes;
  } else {
    NACHO_REQUIRE(product.stage == half + 1 && isBuffer(buffer));
    product.buffers[half == Product::Begun ? 0 : 1] = buffer;
  }
  product.stage = decltype(product.stage)(product.stage + 1);
  return kOk;
}

static std::optional<Entries> computed(const Matrix &a, const Matrix &b) {
  auto left = a.arrays().read(), right = b.arrays().read();
  if (!left || !right)
    return std::nullopt;
  Entries made{{0}, {}, {}};
  for (int64_t row = 0; row < a.rows; ++row) {
    std::map<int, double> sums;
    for (int at = left->pos[row]; at < left->pos[row + 1]; ++at)
      for (int k = right->pos[left->crd[at]]; k < right->pos[left->crd[at] + 1];
           ++k)
        sums[right->crd[k]] += left->values[at] * right->values[k];
    made.append(sums);
  }
  return made;
}

NACHO_EXPORT Status cusparseSpGEMM_workEstimation(
    Handle handle, int opA, int opB, const void *alpha, Handle a, Handle b,
    const void *beta, Handle c, int type, int algorithm, Handle descriptor,
    size_t *bytes, void *buffer) {
  Product *product = productOf(handle, opA, opB, alpha, a, b, beta, c, type,
                               algorithm, descriptor);
  NACHO_REQUIRE(product);
  return advance(*product, Product::Begun, bytes, buffer);
}

NACHO_EXPORT Status cusparseSpGEMM_compute(Handle handle, int opA, int opB,
                                           const void *alpha, Handle a,
                                           Handle b, const void *beta, Handle c,
                                           int type, int algorithm,
                                           Handle descriptor, size_t *bytes,
                                           void *buffer) {
  Product *product = productOf(handle, opA, opB, alpha, a, b, beta, c, type,
                               algorithm, descriptor);
  NACHO_REQUIRE(product && isBuffer(product->buffers[0]));
  if (Status status = advance(*product, Product::Estimated, bytes, buffer))
    return status;
  if (!buffer)
    return kOk;
  auto made = computed(*find<Matrix>(a), *find<Matrix>(b));
  NACHO_REQUIRE(made);
  find<Matrix>(c)->entries = int64_t(made->crd.size());
  product->entries = *made;
  return kOk;
}

NACHO_EXPORT Status cusparseSpGEMM_copy(Handle handle, int opA, int opB,
                                        const void *alpha, Handle a, Handle b,
                                        const void *beta, Handle c, int type,
                                        int algorithm, Handle descriptor) {
  Product *product = productOf(handle, opA, opB, alpha, a, b, beta, c, type,
                               algorithm, descriptor);
  NACHO_REQUIRE(product && product->stage == Product::Computed);
  NACHO_REQUIRE(isBuffer(product->buffers[0]) && isBuffer(product->buffers[1]));
  const Matrix &to = *find<Matrix>(c);
  NACHO_REQUIRE(
      store(static_cast<int *>(to.pos), product->entries.pos) &&
      store(static_cast<int *>(to.crd), product->entries.crd) &&
      store(static_cast<double *>(to.values), product->entries.values));
  product->stage = Product::Copied;
  return kOk;
}
// NOLINTEND(readability-identifier-naming)
