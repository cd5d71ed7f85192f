//===- buffers.c - Releasing results --------------------------------------===//

#include "buffers.h"

void release(struct result *z) {
  for (int level = 0; level < MAX_LEVELS; level++) {
    free(z->pos[level]);
    free(z->crd[level]);
  }
  free(z->values);
}
