//===- compressed.c - DCSR and CSF, in sequence ---------------------------===//
//
// If the first level of the result is compressed, its rows are only known after
// the merge, so TACO does not parallelize the loop over rows. The operands are
// merged twice: once to count the entries, and once to fill the result.
//
//===----------------------------------------------------------------------===//

#include "buffers.h"
#include "merge.h"

/// How many rows and entries there are so far, and so where the next ones go.
struct place {
  int64_t row, entry;
};

static inline __attribute__((always_inline)) struct place
add_matrices(const struct tensor *a, int la, int64_t p, int64_t p_end,
             const struct tensor *b, int64_t q, int64_t q_end, struct result *z,
             int fill, struct place at) {
  const int32_t *ac = a->crd[la], *bc = b->crd[la];
  const int32_t *ap = a->pos[la + 1], *bp = b->pos[la + 1];
  const int32_t *ai = a->crd[la + 1], *bi = b->crd[la + 1];
  while (p < p_end || q < q_end) {
    int has_a = p < p_end && (q == q_end || ac[p] <= bc[q]);
    int has_b = q < q_end && (p == p_end || bc[q] <= ac[p]);
    int64_t a0 = has_a ? ap[p] : 0, a1 = has_a ? ap[p + 1] : 0;
    int64_t b0 = has_b ? bp[q] : 0, b1 = has_b ? bp[q + 1] : 0;
    if (fill) {
      z->crd[la][at.row] = has_a ? ac[p] : bc[q];
      at.entry = add_lists(ai, a->values, a0, a1, bi, b->values, b0, b1,
                           z->crd[la + 1], z->values, at.entry);
      z->pos[la + 1][at.row + 1] = at.entry;
    } else {
      at.entry += union_count(ai, a0, a1, bi, b0, b1);
    }
    at.row++;
    p += has_a;
    q += has_b;
  }
  return at;
}

static inline __attribute__((always_inline)) struct place
multiply_matrices(const struct tensor *a, const struct tensor *b,
                  struct result *z, int fill) {
  struct place at = {0, 0};
  int64_t p = 0, p_end = a->pos[0][1], q = 0, q_end = b->pos[0][1];
  const int32_t *ac = a->crd[0], *bc = b->crd[0];
  const int32_t *ap = a->pos[1], *bp = b->pos[1];
  while (p < p_end && q < q_end) {
    int32_t first = smaller(ac[p], bc[q]);
    if (ac[p] == first && bc[q] == first) {
      if (fill) {
        z->crd[0][at.row] = first;
        at.entry = multiply_lists(a->crd[1], a->values, ap[p], ap[p + 1],
                                  b->crd[1], b->values, bp[q], bp[q + 1],
                                  z->crd[1], z->values, at.entry);
        z->pos[1][at.row + 1] = at.entry;
      } else {
        at.entry += meet_count(a->crd[1], ap[p], ap[p + 1], b->crd[1], bp[q],
                               bp[q + 1]);
      }
      at.row++;
    }
    p += ac[p] == first;
    q += bc[q] == first;
  }
  return at;
}

static void make_matrix(struct result *z, struct place size) {
  int32_t *pos = new_pos(z, 0, 2);
  pos[0] = 0;
  pos[1] = size.row;
  new_crd(z, 0, size.row);
  new_pos(z, 1, size.row + 1)[0] = 0;
  new_crd(z, 1, size.entry);
  new_values(z, size.entry);
}

void dcsr_add(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0], *b = in[1];
  struct place at = {0, 0};
  struct place size = add_matrices(a, 0, 0, a->pos[0][1], b, 0, b->pos[0][1], z,
                                   /*fill=*/0, at);
  make_matrix(z, size);
  add_matrices(a, 0, 0, a->pos[0][1], b, 0, b->pos[0][1], z, /*fill=*/1, at);
}

void dcsr_mul(const struct tensor *const *in, struct result *z) {
  make_matrix(z, multiply_matrices(in[0], in[1], z, /*fill=*/0));
  multiply_matrices(in[0], in[1], z, /*fill=*/1);
}

/// Merges the slices of two tensors and, in each slice, the two matrices.
/// Returns the number of slices.
static inline __attribute__((always_inline)) int64_t
add_tensors(const struct tensor *a, const struct tensor *b, struct result *z,
            int fill, struct place *at) {
  int64_t p = 0, p_end = a->pos[0][1], q = 0, q_end = b->pos[0][1], slice = 0;
  const int32_t *ac = a->crd[0], *bc = b->crd[0];
  while (p < p_end || q < q_end) {
    int has_a = p < p_end && (q == q_end || ac[p] <= bc[q]);
    int has_b = q < q_end && (p == p_end || bc[q] <= ac[p]);
    int64_t a0 = has_a ? a->pos[1][p] : 0, a1 = has_a ? a->pos[1][p + 1] : 0;
    int64_t b0 = has_b ? b->pos[1][q] : 0, b1 = has_b ? b->pos[1][q + 1] : 0;
    *at = add_matrices(a, 1, a0, a1, b, b0, b1, z, fill, *at);
    if (fill) {
      z->crd[0][slice] = has_a ? ac[p] : bc[q];
      z->pos[1][slice + 1] = at->row;
    }
    slice++;
    p += has_a;
    q += has_b;
  }
  return slice;
}

void csf_add(const struct tensor *const *in, struct result *z) {
  struct place size = {0, 0}, at = {0, 0};
  int64_t slices = add_tensors(in[0], in[1], z, /*fill=*/0, &size);
  int32_t *pos = new_pos(z, 0, 2);
  pos[0] = 0;
  pos[1] = slices;
  new_crd(z, 0, slices);
  new_pos(z, 1, slices + 1)[0] = 0;
  new_crd(z, 1, size.row);
  new_pos(z, 2, size.row + 1)[0] = 0;
  new_crd(z, 2, size.entry);
  new_values(z, size.entry);
  add_tensors(in[0], in[1], z, /*fill=*/1, &at);
}

static inline double inner_slices(const struct tensor *a, int64_t p,
                                  int64_t p_end, const struct tensor *b,
                                  int64_t q, int64_t q_end) {
  const int32_t *ac = a->crd[1], *bc = b->crd[1];
  const int32_t *ap = a->pos[2], *bp = b->pos[2];
  double sum = 0;
  while (p < p_end && q < q_end) {
    int32_t first = smaller(ac[p], bc[q]);
    if (ac[p] == first && bc[q] == first)
      sum += inner_lists(a->crd[2], a->values, ap[p], ap[p + 1], b->crd[2],
                         b->values, bp[q], bp[q + 1]);
    p += ac[p] == first;
    q += bc[q] == first;
  }
  return sum;
}

void csf_inner(const struct tensor *const *in, struct result *z) {
  const struct tensor *a = in[0], *b = in[1];
  const int32_t *ac = a->crd[0], *bc = b->crd[0];
  int64_t p = 0, p_end = a->pos[0][1], q = 0, q_end = b->pos[0][1];
  double sum = 0;
  while (p < p_end && q < q_end) {
    int32_t first = smaller(ac[p], bc[q]);
    if (ac[p] == first && bc[q] == first)
      sum += inner_slices(a, a->pos[1][p], a->pos[1][p + 1], b, b->pos[1][q],
                          b->pos[1][q + 1]);
    p += ac[p] == first;
    q += bc[q] == first;
  }
  new_values(z, 1)[0] = sum;
}
