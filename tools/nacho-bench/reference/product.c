//===- product.c - Products of CSR matrices, parallel over rows -----------===//
//
// Gustavson's algorithm with a dense workspace per thread; the coordinates of a
// row are sorted once they are known, as TACO does.
//
//===----------------------------------------------------------------------===//

#include "buffers.h"

enum { CHUNK = 64 };

static int by_value(const void *one, const void *other) {
  int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
  return (a > b) - (a < b);
}

void spgemm(const struct tensor *const *in, struct result *z) {
  const int32_t *ap = in[0]->pos[1], *ac = in[0]->crd[1];
  const int32_t *bp = in[1]->pos[1], *bc = in[1]->crd[1];
  const double *x = in[0]->values, *y = in[1]->values;
  int64_t rows = in[0]->shape[0], columns = in[1]->shape[1];
  int32_t *pos = new_pos(z, 1, rows + 1), *crd = NULL;
  double *values = NULL;
#pragma omp parallel
  {
    // Which row a column was last seen in, and its sum.
    int64_t *seen = malloc(columns * sizeof *seen);
    double *sums = malloc(columns * sizeof *sums);
    for (int64_t k = 0; k < columns; k++)
      seen[k] = -1;
#pragma omp for schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < rows; i++) {
      int32_t count = 0;
      for (int64_t p = ap[i]; p < ap[i + 1]; p++)
        for (int64_t q = bp[ac[p]]; q < bp[ac[p] + 1]; q++)
          if (seen[bc[q]] != i) {
            seen[bc[q]] = i;
            count++;
          }
      pos[i + 1] = count;
    }
#pragma omp single
    {
      scan(pos, rows);
      crd = new_crd(z, 1, pos[rows]);
      values = new_values(z, pos[rows]);
    }
#pragma omp for schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < rows; i++) {
      int32_t *row = crd + pos[i];
      int64_t count = 0, now = rows + i;
      for (int64_t p = ap[i]; p < ap[i + 1]; p++)
        for (int64_t q = bp[ac[p]]; q < bp[ac[p] + 1]; q++) {
          int32_t k = bc[q];
          if (seen[k] != now) {
            seen[k] = now;
            sums[k] = 0;
            row[count++] = k;
          }
          sums[k] += x[p] * y[q];
        }
      qsort(row, count, sizeof *row, by_value);
      for (int64_t n = 0; n < count; n++)
        values[pos[i] + n] = sums[row[n]];
    }
    free(seen);
    free(sums);
  }
}

/// Computes one row of the product at the coordinates that the mask has.
/// Returns the number of entries.
static int64_t masked_row(const struct tensor *const *in, int64_t i,
                          int64_t *allowed, int64_t *seen, double *sums) {
  const struct tensor *m = in[0], *a = in[1], *b = in[2];
  int64_t count = 0;
  for (int64_t p = m->pos[1][i]; p < m->pos[1][i + 1]; p++)
    allowed[m->crd[1][p]] = i;
  for (int64_t p = a->pos[1][i]; p < a->pos[1][i + 1]; p++) {
    int32_t j = a->crd[1][p];
    for (int64_t q = b->pos[1][j]; q < b->pos[1][j + 1]; q++) {
      int32_t k = b->crd[1][q];
      if (allowed[k] != i)
        continue;
      if (seen[k] != i) {
        seen[k] = i;
        sums[k] = 0;
        count++;
      }
      sums[k] += a->values[p] * b->values[q];
    }
  }
  return count;
}

/// Each row is first written to the places of the mask's row, and then the rows
/// are moved together.
void spgemm_masked(const struct tensor *const *in, struct result *z) {
  const struct tensor *m = in[0];
  int64_t rows = m->shape[0], columns = m->shape[1];
  int32_t *pos = new_pos(z, 1, rows + 1);
  int32_t *crd = malloc(m->size * sizeof *crd);
  double *values = malloc(m->size * sizeof *values);
#pragma omp parallel
  {
    int64_t *allowed = malloc(columns * sizeof *allowed);
    int64_t *seen = malloc(columns * sizeof *seen);
    double *sums = malloc(columns * sizeof *sums);
    for (int64_t k = 0; k < columns; k++)
      allowed[k] = seen[k] = -1;
#pragma omp for schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < rows; i++) {
      pos[i + 1] = masked_row(in, i, allowed, seen, sums);
      int64_t r = m->pos[1][i];
      for (int64_t p = r; p < m->pos[1][i + 1]; p++)
        if (seen[m->crd[1][p]] == i) {
          crd[r] = m->crd[1][p];
          values[r++] = m->values[p] * sums[m->crd[1][p]];
        }
    }
    free(allowed);
    free(seen);
    free(sums);
  }
  scan(pos, rows);
  int32_t *z_crd = new_crd(z, 1, pos[rows]);
  double *z_values = new_values(z, pos[rows]);
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (int64_t i = 0; i < rows; i++)
    for (int64_t r = pos[i], p = m->pos[1][i]; r < pos[i + 1]; r++, p++) {
      z_crd[r] = crd[p];
      z_values[r] = values[p];
    }
  free(crd);
  free(values);
}
