//===- Sparse.cpp - cuSPARSE for machines without a GPU -------------------===//
//
// Those functions of NVIDIA's cuSPARSE that the benchmark calls, for tests.
// They compute on the memory of the driver of tests, and are strict: an object
// of another kind, a type or an operation that is not asked for here, a call
// out of order, or a buffer that is too small or gone, is an invalid value. The
// order of calls and the meaning of arguments are those that cusparse.h and
// NVIDIA's documentation describe.
//
//===----------------------------------------------------------------------===//

#include "Sparse.h"

#include <cstdlib>
#include <map>
#include <utility>

using namespace fake;

// Names are as cuSPARSE needs them.
// NOLINTBEGIN(readability-identifier-naming)

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

NACHO_EXPORT int64_t nacho_sparse_objects() { return int64_t(alive().size()); }

NACHO_EXPORT Status cusparseCreate(Handle *handle) {
  // Where there is no GPU, cuSPARSE has nothing to initialise.
  if (std::getenv("NACHO_FAKE_CUSPARSE"))
    return kNotInitialised;
  return make<Context>(handle);
}
NACHO_EXPORT Status cusparseDestroy(Handle handle) {
  return destroy<Context>(handle);
}
NACHO_EXPORT Status cusparseGetVersion(Handle handle, int *version) {
  NACHO_REQUIRE(find<Context>(handle));
  *version = 12700;
  return kOk;
}
NACHO_EXPORT const char *cusparseGetErrorName(Status status) {
  return status == kNotInitialised ? "CUSPARSE_STATUS_NOT_INITIALIZED"
                                   : "CUSPARSE_STATUS_INVALID_VALUE";
}
NACHO_EXPORT Status cusparseCreateMatDescr(Handle *made) {
  return make<Description>(made);
}
NACHO_EXPORT Status cusparseDestroyMatDescr(Handle made) {
  return destroy<Description>(made);
}

NACHO_EXPORT Status cusparseCreateCsr(Handle *made, int64_t rows,
                                      int64_t columns, int64_t entries,
                                      void *pos, void *crd, void *values,
                                      int posType, int crdType, int base,
                                      int valueType) {
  NACHO_REQUIRE(posType == kIndex32 && crdType == kIndex32 && base == 0);
  NACHO_REQUIRE(valueType == kReal64 && rows >= 0 && columns >= 0);
  NACHO_REQUIRE(entries == 0 || (pos && crd && values));
  return make<Matrix>(made, rows, columns, entries, pos, crd, values);
}
NACHO_EXPORT Status cusparseDestroySpMat(Handle made) {
  return destroy<Matrix>(made);
}
NACHO_EXPORT Status cusparseCsrSetPointers(Handle matrix, void *pos, void *crd,
                                           void *values) {
  Matrix *found = find<Matrix>(matrix);
  NACHO_REQUIRE(found && pos && crd && values);
  found->pos = pos;
  found->crd = crd;
  found->values = values;
  return kOk;
}
NACHO_EXPORT Status cusparseSpMatGetSize(Handle matrix, int64_t *rows,
                                         int64_t *columns, int64_t *entries) {
  const Matrix *found = find<Matrix>(matrix);
  NACHO_REQUIRE(found);
  *rows = found->rows;
  *columns = found->columns;
  *entries = found->entries;
  return kOk;
}

NACHO_EXPORT Status cusparseCreateDnVec(Handle *made, int64_t size,
                                        void *values, int type) {
  NACHO_REQUIRE(type == kReal64 && size >= 0);
  return make<Vector>(made, size, values);
}
NACHO_EXPORT Status cusparseDestroyDnVec(Handle made) {
  return destroy<Vector>(made);
}
NACHO_EXPORT Status cusparseCreateDnMat(Handle *made, int64_t rows,
                                        int64_t columns, int64_t leading,
                                        void *values, int type, int order) {
  NACHO_REQUIRE(type == kReal64 && order == kRowMajor && leading == columns);
  return make<DenseMatrix>(made, rows, columns, values);
}
NACHO_EXPORT Status cusparseDestroyDnMat(Handle made) {
  return destroy<DenseMatrix>(made);
}

//===----------------------------------------------------------------------===//
// csrgeam2: the size of a buffer, then the rows of the sum, then its entries
//===----------------------------------------------------------------------===//

std::optional<Entries> Context::add(double alpha, double beta) const {
  std::optional<Entries> a = sum[0].read(), b = sum[1].read();
  if (!a || !b)
    return std::nullopt;
  Entries made{{0}, {}, {}};
  for (int64_t row = 0; row < sum[0].rows; ++row) {
    std::map<int, double> entries;
    auto add = [&](const Entries &operand, double factor) {
      for (int at = operand.pos[row]; at < operand.pos[row + 1]; ++at)
        entries[operand.crd[at]] += factor * operand.values[at];
    };
    add(*a, alpha);
    add(*b, beta);
    made.append(entries);
  }
  return made;
}

NACHO_EXPORT Status cusparseDcsrgeam2_bufferSizeExt(
    Handle handle, int rows, int columns, const double *alpha, Handle kindA,
    int sizeA, const double *valuesA, const int *posA, const int *crdA,
    const double *beta, Handle kindB, int sizeB, const double *valuesB,
    const int *posB, const int *crdB, Handle kindC, const double *, const int *,
    const int *, size_t *bytes) {
  Context *context = find<Context>(handle);
  NACHO_REQUIRE(context && alpha && beta && describe(kindA, kindB, kindC));
  auto operand = [&](int entries, const int *pos, const int *crd,
                     const double *values) {
    return CsrArrays{rows, columns, entries,
                     pos,  crd,     const_cast<double *>(values)};
  };
  context->sum = {operand(sizeA, posA, crdA, valuesA),
                  operand(sizeB, posB, crdB, valuesB)};
  context->stage = Context::Sized;
  *bytes = kBufferBytes;
  return kOk;
}

NACHO_EXPORT Status cusparseXcsrgeam2Nnz(
    Handle handle, int rows, int columns, Handle kindA, int sizeA,
    const int *posA, const int *crdA, Handle kindB, int sizeB, const int *posB,
    const int *crdB, Handle kindC, int *posC, int *entries, void *workspace) {
  Context *context = find<Context>(handle);
  NACHO_REQUIRE(context && describe(kindA, kindB, kindC));
  NACHO_REQUIRE(context->stage == Context::Sized && entries);
  NACHO_REQUIRE(
      context->has(rows, columns, sizeA, posA, crdA, sizeB, posB, crdB));
  NACHO_REQUIRE(isBuffer(workspace));
  std::optional<Entries> sum = context->add(1, 1);
  NACHO_REQUIRE(sum && store(posC, sum->pos));
  *entries = int(sum->crd.size());
  context->pos = posC;
  context->stage = Context::Counted;
  return kOk;
}

NACHO_EXPORT Status cusparseDcsrgeam2(
    Handle handle, int rows, int columns, const double *alpha, Handle kindA,
    int sizeA, const double *valuesA, const int *posA, const int *crdA,
    const double *beta, Handle kindB, int sizeB, const double *valuesB,
    const int *posB, const int *crdB, Handle kindC, double *valuesC, int *posC,
    int *crdC, void *workspace) {
  Context *context = find<Context>(handle);
  NACHO_REQUIRE(context && describe(kindA, kindB, kindC));
  NACHO_REQUIRE(context->stage == Context::Counted && posC == context->pos);
  NACHO_REQUIRE(
      context->has(rows, columns, sizeA, posA, crdA, sizeB, posB, crdB));
  NACHO_REQUIRE(context->sum[0].values == valuesA &&
                context->sum[1].values == valuesB && isBuffer(workspace));
  std::optional<Entries> sum = context->add(*alpha, *beta);
  NACHO_REQUIRE(sum && store(crdC, sum->crd) && store(valuesC, sum->values));
  context->stage = Context::Begun;
  return kOk;
}
// NOLINTEND(readability-identifier-naming)
