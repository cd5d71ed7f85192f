//===- eigen.cpp - Eigen's kernels on CSR matrices ------------------------===//
//
// Operands are used in place. The arrays of a result belong to a matrix of
// Eigen, which is passed along as their owner.
//
//===----------------------------------------------------------------------===//

#include "../reference/tensor.h"

#include <Eigen/Sparse>

#include <cstdlib>

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t>;
using Operand = Eigen::Map<const Matrix>;
using Dense =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Operand matrix(const tensor *a) {
  return Operand(a->shape[0], a->shape[1], a->size, a->pos[1], a->crd[1],
                 a->values);
}

Eigen::Map<const Dense> dense(const tensor *a) {
  return Eigen::Map<const Dense>(a->values, a->shape[0], a->shape[1]);
}

void give(Matrix *made, result *z) {
  made->makeCompressed();
  z->pos_size[1] = made->rows() + 1;
  z->pos[1] = made->outerIndexPtr();
  z->crd_size[1] = z->size = made->nonZeros();
  z->crd[1] = made->innerIndexPtr();
  z->values = made->valuePtr();
  z->owner = made;
}

double *fresh(result *z, int64_t size) {
  z->size = size;
  return z->values = static_cast<double *>(std::malloc(size * sizeof(double)));
}

} // namespace

extern "C" {

void release(result *z) {
  if (z->owner)
    delete static_cast<Matrix *>(z->owner);
  else
    std::free(z->values);
}

void csr_add(const tensor *const *in, result *z) {
  give(new Matrix(matrix(in[0]) + matrix(in[1])), z);
}

void csr_add3(const tensor *const *in, result *z) {
  give(new Matrix(matrix(in[0]) + matrix(in[1]) + matrix(in[2])), z);
}

void csr_mul(const tensor *const *in, result *z) {
  give(new Matrix(matrix(in[0]).cwiseProduct(matrix(in[1]))), z);
}

void spgemm(const tensor *const *in, result *z) {
  give(new Matrix(matrix(in[0]) * matrix(in[1])), z);
}

void spmv(const tensor *const *in, result *z) {
  Operand a = matrix(in[0]);
  Eigen::Map<const Eigen::VectorXd> x(in[1]->values, a.cols());
  Eigen::Map<Eigen::VectorXd> y(fresh(z, a.rows()), a.rows());
  y.noalias() = a * x;
}

void spmm(const tensor *const *in, result *z) {
  Operand a = matrix(in[0]);
  auto d = dense(in[1]);
  Eigen::Map<Dense> y(fresh(z, a.rows() * d.cols()), a.rows(), d.cols());
  y.noalias() = a * d;
}

} // extern "C"
