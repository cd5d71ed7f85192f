//===- coo.c - COO of two and three dimensions, in sequence ---------------===//

#include "buffers.h"

/// Compares two entries by all of their coordinates.
static inline __attribute__((always_inline)) int compare(const struct tensor *a,
                                                         int64_t p,
                                                         const struct tensor *b,
                                                         int64_t q, int rank) {
  for (int level = 0; level < rank; level++)
    if (a->crd[level][p] != b->crd[level][q])
      return a->crd[level][p] < b->crd[level][q] ? -1 : 1;
  return 0;
}

static inline void put(struct result *z, int64_t r, const struct tensor *a,
                       int64_t p, int rank) {
  for (int level = 0; level < rank; level++)
    z->crd[level][r] = a->crd[level][p];
}

static void make(struct result *z, int64_t size, int rank) {
  int32_t *pos = new_pos(z, 0, 2);
  pos[0] = 0;
  pos[1] = size;
  for (int level = 0; level < rank; level++)
    new_crd(z, level, size);
  new_values(z, size);
}

static inline __attribute__((always_inline)) void add(const struct tensor *a,
                                                      const struct tensor *b,
                                                      struct result *z,
                                                      int rank) {
  int64_t p_end = a->pos[0][1], q_end = b->pos[0][1], size = 0;
  int64_t p = 0, q = 0;
  for (; p < p_end && q < q_end; size++) {
    int order = compare(a, p, b, q, rank);
    if (order == 0)
      p++, q++;
    else if (order < 0)
      p++;
    else
      q++;
  }
  make(z, size + (p_end - p) + (q_end - q), rank);
  int64_t r = 0;
  for (p = 0, q = 0; p < p_end && q < q_end; r++) {
    int order = compare(a, p, b, q, rank);
    if (order == 0) {
      put(z, r, a, p, rank);
      z->values[r] = a->values[p++] + b->values[q++];
    } else if (order < 0) {
      put(z, r, a, p, rank);
      z->values[r] = a->values[p++];
    } else {
      put(z, r, b, q, rank);
      z->values[r] = b->values[q++];
    }
  }
  for (; p < p_end; p++, r++) {
    put(z, r, a, p, rank);
    z->values[r] = a->values[p];
  }
  for (; q < q_end; q++, r++) {
    put(z, r, b, q, rank);
    z->values[r] = b->values[q];
  }
}

void coo_add(const struct tensor *const *in, struct result *z) {
  add(in[0], in[1], z, 2);
}

void coo3_add(const struct tensor *const *in, struct result *z) {
  add(in[0], in[1], z, 3);
}

void coo_mul(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0], *b = in[1];
  int64_t p_end = a->pos[0][1], q_end = b->pos[0][1], size = 0;
  for (int64_t p = 0, q = 0; p < p_end && q < q_end;) {
    int order = compare(a, p, b, q, 2);
    size += order == 0;
    p += order <= 0;
    q += order >= 0;
  }
  make(z, size, 2);
  int64_t r = 0;
  for (int64_t p = 0, q = 0; p < p_end && q < q_end;) {
    int order = compare(a, p, b, q, 2);
    if (order == 0) {
      put(z, r, a, p, 2);
      z->values[r++] = a->values[p] * b->values[q];
    }
    p += order <= 0;
    q += order >= 0;
  }
}

void coo3_inner(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0], *b = in[1];
  int64_t p_end = a->pos[0][1], q_end = b->pos[0][1];
  double sum = 0;
  for (int64_t p = 0, q = 0; p < p_end && q < q_end;) {
    int order = compare(a, p, b, q, 3);
    if (order == 0)
      sum += a->values[p] * b->values[q];
    p += order <= 0;
    q += order >= 0;
  }
  new_values(z, 1)[0] = sum;
}
