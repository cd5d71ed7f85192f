//===- dense.c - Kernels with dense operands, parallel over rows ----------===//
//
// A dense operand has its number of columns in shape[1].
//
//===----------------------------------------------------------------------===//

#include "buffers.h"

#include <string.h>

void spmv(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0];
  const int32_t *pos = a->pos[1], *crd = a->crd[1];
  const double *values = a->values, *x = in[1]->values;
  int64_t rows = a->shape[0];
  double *y = new_values(z, rows);
#pragma omp parallel for schedule(dynamic, 512)
  for (int64_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int64_t p = pos[i]; p < pos[i + 1]; p++)
      sum += values[p] * x[crd[p]];
    y[i] = sum;
  }
}

enum { WIDTH = 32, RANK = 16 };

void spmm(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0];
  const int32_t *pos = a->pos[1], *crd = a->crd[1];
  const double *values = a->values, *d = in[1]->values;
  int64_t rows = a->shape[0];
  double *y = new_values(z, rows * WIDTH);
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < rows; i++) {
    double sum[WIDTH] = {0};
    for (int64_t p = pos[i]; p < pos[i + 1]; p++)
      for (int k = 0; k < WIDTH; k++)
        sum[k] += values[p] * d[(int64_t)crd[p] * WIDTH + k];
    memcpy(y + i * WIDTH, sum, sizeof sum);
  }
}

void sddmm(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0];
  const int32_t *pos = a->pos[1], *crd = a->crd[1];
  const double *values = a->values, *d = in[1]->values, *e = in[2]->values;
  int64_t rows = a->shape[0];
  int32_t *z_pos = new_pos(z, 1, rows + 1);
  int32_t *z_crd = new_crd(z, 1, pos[rows]);
  double *y = new_values(z, pos[rows]);
  memcpy(z_pos, pos, (rows + 1) * sizeof *pos);
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < rows; i++) {
    const double *left = d + i * WIDTH;
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) {
#pragma clang fp reassociate(on)
      const double *right = e + (int64_t)crd[p] * WIDTH;
      double sum = 0;
      for (int k = 0; k < WIDTH; k++)
        sum += left[k] * right[k];
      z_crd[p] = crd[p];
      y[p] = values[p] * sum;
    }
  }
}

/// The result is cleared first, for slices without entries.
void mttkrp(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0];
  const double *d = in[1]->values, *e = in[2]->values;
  int64_t slices = a->pos[0][1], size = a->shape[0] * RANK;
  double *y = new_values(z, size);
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < size; i++)
    y[i] = 0;
#pragma omp parallel for schedule(dynamic, 16)
  for (int64_t i = 0; i < slices; i++) {
    double sum[RANK] = {0};
    for (int64_t j = a->pos[1][i]; j < a->pos[1][i + 1]; j++) {
      double inner[RANK] = {0};
      for (int64_t k = a->pos[2][j]; k < a->pos[2][j + 1]; k++)
        for (int r = 0; r < RANK; r++)
          inner[r] += a->values[k] * e[(int64_t)a->crd[2][k] * RANK + r];
      for (int r = 0; r < RANK; r++)
        sum[r] += inner[r] * d[(int64_t)a->crd[1][j] * RANK + r];
    }
    memcpy(y + (int64_t)a->crd[0][i] * RANK, sum, sizeof sum);
  }
}
