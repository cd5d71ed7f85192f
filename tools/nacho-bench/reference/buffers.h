//===- buffers.h - Allocating the arrays of results -----------------------===//

#ifndef NACHO_BENCH_BUFFERS_H
#define NACHO_BENCH_BUFFERS_H

#include "tensor.h"

#include <stdlib.h>

static inline int32_t *new_pos(struct result *z, int level, int64_t size) {
  z->pos_size[level] = size;
  return z->pos[level] = malloc(size * sizeof(int32_t));
}

static inline int32_t *new_crd(struct result *z, int level, int64_t size) {
  z->crd_size[level] = size;
  return z->crd[level] = malloc(size * sizeof(int32_t));
}

static inline double *new_values(struct result *z, int64_t size) {
  z->size = size;
  return z->values = malloc(size * sizeof(double));
}

/// Turns counts, each one place further right, into where each row begins.
static inline void scan(int32_t *pos, int64_t rows) {
  pos[0] = 0;
  for (int64_t i = 0; i < rows; i++)
    pos[i + 1] += pos[i];
}

#endif // NACHO_BENCH_BUFFERS_H
