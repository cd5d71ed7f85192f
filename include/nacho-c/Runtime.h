/*===- nacho-c/Runtime.h - The runtime library -------------------*- C -*-===*\
|*
|* What a program calls that has kernels of Nacho in it, and does not have the
|* compiler: `libnacho_runtime.so`. `--nacho-sparsifier` emits these calls. A
|* program of another language can make them, too.
|*
|* Functions that can fail call the handler of errors, by default one that
|* prints the error and ends the process.
|*
\*===----------------------------------------------------------------------===*/

#ifndef NACHO_C_RUNTIME_H
#define NACHO_C_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of a kernel, which takes its parameters in an array. */
typedef void (*nacho_function)(const int64_t *words);

/* A kernel, as the compiler leaves it in a program. */
typedef struct nacho_image {
  const char *text; /* How the functions are called, and how they are chosen. */
  int64_t size;     /* Of the text, in bytes. */
  const nacho_function *functions;
  void *loaded; /* Null before the first call; then what the library made. */
} nacho_image;

/* An array, or the extent of a level. */
typedef struct nacho_argument {
  void *data;   /* Null for an extent. */
  int64_t size; /* The number of elements, or the extent. */
} nacho_argument;

/* A kernel on one set of operands. */
typedef struct nacho_plan nacho_plan;

/* Plans a kernel: `operands` has, for each operand in order, the arrays of its
 * levels, its values, and the extent of each level. All of them must remain
 * unchanged until the plan is destroyed. Numbers of threads and parts that are
 * 0 are chosen; the environment variable OMP_NUM_THREADS bounds the threads. */
nacho_plan *nacho_create_plan(nacho_image *image,
                              const nacho_argument *operands, int64_t threads,
                              int64_t parts);

/* Computes the result: `results` becomes the arrays of its levels, its values,
 * and the extent of each level. The caller owns the arrays, and releases each
 * with free(). A plan can be executed once. */
void nacho_execute_plan(nacho_plan *plan, nacho_argument *results);

void nacho_destroy_plan(nacho_plan *plan);

/* nacho_create_plan(), nacho_execute_plan() and nacho_destroy_plan(). */
void nacho_call(nacho_image *image, const nacho_argument *operands,
                nacho_argument *results, int64_t threads, int64_t parts);

/* Calls a kernel if its operands are valid, and returns whether they are: their
 * positions begin at 0, never fall, and end with the last entry. Of the
 * operands whose bits are set in `unknown`, which begins with the first one,
 * the entries are checked, too: they have to be sorted, distinct and inside of
 * the extents, and no more than 4096. The coordinates of the others have been
 * checked. */
int32_t nacho_call_if_valid(nacho_image *image, const nacho_argument *operands,
                            uint64_t unknown, nacho_argument *results,
                            int64_t threads, int64_t parts);

/* Makes one array of several that have `size` elements of `bytes` bytes each:
 * first come the first elements of all arrays, then their second ones. The
 * arrays are released with free(), and so is the one that is returned. MLIR's
 * library takes the coordinates of tensors in coordinate form in this way. */
void *nacho_interleave(void *const *arrays, int64_t count, int64_t size,
                       int64_t bytes);

/* An operand whose entries were sorted. */
typedef struct nacho_ordered nacho_ordered;

/* Sorts the entries of an operand, which kernels take in the order of their
 * coordinates only, and none twice: `arguments`, those of the operand of this
 * number, become sorted copies, in which the first of entries with the same
 * coordinates remains. Null if they are like that already, and remain what they
 * are. */
nacho_ordered *nacho_order_operand(nacho_image *image, int64_t operand,
                                   nacho_argument *arguments, int64_t threads);

/* Releases the copies, after the last call that takes them. */
void nacho_destroy_ordered(nacho_ordered *ordered);

/* Fails unless an operand in batches, which has room for so many positions in
 * each batch, has room for as many values. */
void nacho_check_rows(int64_t positions, int64_t values);

/* Gives each array of a result a row for each batch, a coordinate of its first
 * `levels` levels. All rows of an array are as long as that of the batch that
 * needs the longest one; positions count from the beginning of the batch. */
void nacho_separate_batches(nacho_image *image, int64_t levels,
                            nacho_argument *results);

/* Sets what is called with the text of an error, and returns what was. If the
 * handler returns, so does the function that failed, without a result. */
typedef void (*nacho_error_handler)(const char *text);
nacho_error_handler nacho_set_error_handler(nacho_error_handler handler);

#ifdef __cplusplus
}
#endif

#endif /* NACHO_C_RUNTIME_H */
