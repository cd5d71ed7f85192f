//===- csr.c - Sums and products of CSR matrices, parallel over rows ------===//
//
// One parallel loop counts the entries of each row, and another one fills the
// rows. Both hand out rows to threads that become free.
//
//===----------------------------------------------------------------------===//

#include "buffers.h"
#include "merge.h"

enum { CHUNK = 64 };

typedef int64_t count_fn(const int32_t *, int64_t, int64_t, const int32_t *,
                         int64_t, int64_t);
typedef int64_t fill_fn(const int32_t *, const double *, int64_t, int64_t,
                        const int32_t *, const double *, int64_t, int64_t,
                        int32_t *, double *, int64_t);

static inline __attribute__((always_inline)) void
combine(const struct tensor *a, const struct tensor *b, struct result *z,
        count_fn *count, fill_fn *fill) {
  int64_t rows = a->shape[0];
  const int32_t *ap = a->pos[1], *ac = a->crd[1];
  const int32_t *bp = b->pos[1], *bc = b->crd[1];
  int32_t *pos = new_pos(z, 1, rows + 1);
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (int64_t i = 0; i < rows; i++)
    pos[i + 1] = count(ac, ap[i], ap[i + 1], bc, bp[i], bp[i + 1]);
  scan(pos, rows);
  int32_t *crd = new_crd(z, 1, pos[rows]);
  double *values = new_values(z, pos[rows]);
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (int64_t i = 0; i < rows; i++)
    fill(ac, a->values, ap[i], ap[i + 1], bc, b->values, bp[i], bp[i + 1], crd,
         values, pos[i]);
}

void csr_add(const struct tensor *const *in, struct result *z) {
  combine(in[0], in[1], z, union_count, add_lists);
}

void csr_mul(const struct tensor *const *in, struct result *z) {
  combine(in[0], in[1], z, meet_count, multiply_lists);
}

/// Adds up one row of three matrices. Without `crd`, it only counts entries.
static inline __attribute__((always_inline)) int64_t
add3_row(const struct tensor *const *in, int64_t i, int32_t *crd,
         double *values, int64_t r) {
  const int32_t *c[3];
  const double *v[3];
  int64_t p[3], end[3];
  for (int n = 0; n < 3; n++) {
    c[n] = in[n]->crd[1];
    v[n] = in[n]->values;
    p[n] = in[n]->pos[1][i];
    end[n] = in[n]->pos[1][i + 1];
  }
  for (;;) {
    int32_t first = INT32_MAX;
    for (int n = 0; n < 3; n++)
      if (p[n] < end[n])
        first = smaller(first, c[n][p[n]]);
    if (first == INT32_MAX)
      return r;
    double sum = 0;
    for (int n = 0; n < 3; n++)
      if (p[n] < end[n] && c[n][p[n]] == first)
        sum += v[n][p[n]++];
    if (crd) {
      crd[r] = first;
      values[r] = sum;
    }
    r++;
  }
}

void csr_add3(const struct tensor *const *in, struct result *z) {
  int64_t rows = in[0]->shape[0];
  int32_t *pos = new_pos(z, 1, rows + 1);
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (int64_t i = 0; i < rows; i++)
    pos[i + 1] = add3_row(in, i, NULL, NULL, 0);
  scan(pos, rows);
  int32_t *crd = new_crd(z, 1, pos[rows]);
  double *values = new_values(z, pos[rows]);
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (int64_t i = 0; i < rows; i++)
    add3_row(in, i, crd, values, pos[i]);
}

/// A is COO: where its rows begin is only found by going through its entries in
/// sequence.
void coo_csr_add(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0], *b = in[1];
  int64_t rows = b->shape[0], end = a->pos[0][1];
  const int32_t *bp = b->pos[1], *bc = b->crd[1], *ac = a->crd[1];
  int32_t *pos = new_pos(z, 1, rows + 1);
  for (int64_t i = 0, p = 0; i < rows; i++) {
    int64_t first = p;
    while (p < end && a->crd[0][p] == i)
      p++;
    pos[i + 1] = union_count(ac, first, p, bc, bp[i], bp[i + 1]);
  }
  scan(pos, rows);
  int32_t *crd = new_crd(z, 1, pos[rows]);
  double *values = new_values(z, pos[rows]);
  for (int64_t i = 0, p = 0; i < rows; i++) {
    int64_t first = p;
    while (p < end && a->crd[0][p] == i)
      p++;
    add_lists(ac, a->values, first, p, bc, b->values, bp[i], bp[i + 1], crd,
              values, pos[i]);
  }
}
