//===- merge.h - Branching merges of two sorted lists ---------------------===//
//
// TACO emits such merges: they first find the smaller of the two coordinates,
// and then test for each list whether it has this coordinate. Every function
// takes a half-open range of each list.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_BENCH_MERGE_H
#define NACHO_BENCH_MERGE_H

#include <stdint.h>

static inline int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static inline int64_t union_count(const int32_t *a, int64_t p, int64_t p_end,
                                  const int32_t *b, int64_t q, int64_t q_end) {
  int64_t count = 0;
  while (p < p_end && q < q_end) {
    int32_t first = smaller(a[p], b[q]);
    if (a[p] == first && b[q] == first)
      p++, q++;
    else if (a[p] == first)
      p++;
    else
      q++;
    count++;
  }
  return count + (p_end - p) + (q_end - q);
}

static inline int64_t meet_count(const int32_t *a, int64_t p, int64_t p_end,
                                 const int32_t *b, int64_t q, int64_t q_end) {
  int64_t count = 0;
  while (p < p_end && q < q_end) {
    int32_t first = smaller(a[p], b[q]);
    count += a[p] == first && b[q] == first;
    p += a[p] == first;
    q += b[q] == first;
  }
  return count;
}

/// Writes the sum of two lists from place `r` on; returns the place after it.
static inline int64_t add_lists(const int32_t *a, const double *x, int64_t p,
                                int64_t p_end, const int32_t *b,
                                const double *y, int64_t q, int64_t q_end,
                                int32_t *c, double *z, int64_t r) {
  while (p < p_end && q < q_end) {
    int32_t first = smaller(a[p], b[q]);
    c[r] = first;
    if (a[p] == first && b[q] == first)
      z[r++] = x[p++] + y[q++];
    else if (a[p] == first)
      z[r++] = x[p++];
    else
      z[r++] = y[q++];
  }
  for (; p < p_end; p++, r++)
    c[r] = a[p], z[r] = x[p];
  for (; q < q_end; q++, r++)
    c[r] = b[q], z[r] = y[q];
  return r;
}

static inline int64_t multiply_lists(const int32_t *a, const double *x,
                                     int64_t p, int64_t p_end, const int32_t *b,
                                     const double *y, int64_t q, int64_t q_end,
                                     int32_t *c, double *z, int64_t r) {
  while (p < p_end && q < q_end) {
    int32_t first = smaller(a[p], b[q]);
    if (a[p] == first && b[q] == first) {
      c[r] = first;
      z[r++] = x[p] * y[q];
    }
    p += a[p] == first;
    q += b[q] == first;
  }
  return r;
}

static inline double inner_lists(const int32_t *a, const double *x, int64_t p,
                                 int64_t p_end, const int32_t *b,
                                 const double *y, int64_t q, int64_t q_end) {
  double sum = 0;
  while (p < p_end && q < q_end) {
    int32_t first = smaller(a[p], b[q]);
    if (a[p] == first && b[q] == first)
      sum += x[p] * y[q];
    p += a[p] == first;
    q += b[q] == first;
  }
  return sum;
}

#endif // NACHO_BENCH_MERGE_H
