//===- tensor.h - What compiled peers are given, and what they return -----===//
//
// Arrays by level, as operands.py packs them and native.py reads them. A level
// that has no such array has a null pointer there.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_BENCH_TENSOR_H
#define NACHO_BENCH_TENSOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_LEVELS = 3 };

struct tensor {
  int64_t shape[MAX_LEVELS];
  const int32_t *pos[MAX_LEVELS];
  const int32_t *crd[MAX_LEVELS];
  const double *values;
  int64_t size;
};

struct result {
  int64_t pos_size[MAX_LEVELS];
  int64_t crd_size[MAX_LEVELS];
  int32_t *pos[MAX_LEVELS];
  int32_t *crd[MAX_LEVELS];
  int64_t size;
  double *values;
  // An object that owns the arrays: if not null, release() frees it instead.
  void *owner;
};

void release(struct result *z);

#ifdef __cplusplus
}
#endif

#endif // NACHO_BENCH_TENSOR_H
