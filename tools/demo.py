"""The program of `tools/dev demo`: from an expression to balanced parallel code.

Adds two sparse matrices, one of them with a fifth of its entries in a single row,
and shows the result, what each part of the work costs, and the loops.
"""

import sys
import time

import numpy as np
import scipy.sparse as sp

import nacho

EXPRESSION = "Z[i,j] = A[i,j] + B[i,j]"
SIZE = 1_000_000
PARTS = 8
IR_LINES = 24


def skewed(rng: np.random.Generator, entries: int) -> sp.csr_array:
    """A random matrix with about a fifth of its entries in row 0."""
    rows = rng.integers(SIZE, size=entries)
    rows[: entries // 4] = 0
    return from_rows(rng, rows)


def uniform(rng: np.random.Generator, entries: int) -> sp.csr_array:
    return from_rows(rng, rng.integers(SIZE, size=entries))


def from_rows(rng: np.random.Generator, rows: np.ndarray) -> sp.csr_array:
    columns = rng.integers(SIZE, size=rows.size)
    values = rng.standard_normal(rows.size)
    matrix = sp.csr_array((values, (rows, columns)), shape=(SIZE, SIZE))
    matrix.sum_duplicates()
    return matrix


def describe(name: str, matrix: sp.csr_array) -> str:
    rows, columns = matrix.shape
    heaviest = np.diff(matrix.indptr).max()
    return (
        f"  {name}: {rows:,} x {columns:,}, {matrix.nnz:,} entries, "
        f"{heaviest:,} in the heaviest row"
    )


def show_result(A: sp.csr_array, B: sp.csr_array) -> None:
    start = time.perf_counter()
    Z = nacho.evaluate(EXPRESSION, A=A, B=B)
    first = time.perf_counter()
    Z = nacho.evaluate(EXPRESSION, A=A, B=B)
    second = time.perf_counter()

    print(EXPRESSION)
    for name, matrix in (("A", A), ("B", B), ("Z", Z)):
        print(describe(name, matrix))
    if (Z != A + B).nnz:
        sys.exit("the result differs from SciPy's A + B")
    print("  equal to SciPy's A + B")
    print(f"  first call, with compilation: {(first - start) * 1e3:.1f} ms")
    print(f"  second call: {(second - first) * 1e3:.1f} ms")


def show_balance(A: sp.csr_array, B: sp.csr_array) -> None:
    partition = nacho.partition(EXPRESSION, PARTS, A=A, B=B)
    bounds = np.asarray(partition.bounds)
    print(f"\nCost of each of {PARTS} parts, {partition.total:,} in all; the part")
    print(f"begins and ends at these coordinates ({', '.join(partition.order)}):")
    for part, cost in enumerate(partition.costs):
        begin, end = (tuple(int(x) for x in cut) for cut in bounds[part : part + 2])
        print(f"  {part}: {int(cost):>9,}   {begin} .. {end}")


def show_loops() -> None:
    kernel = nacho.mlir.compile(EXPRESSION, formats={"A": "csr", "B": "csr"})
    lines = kernel.mlir("loops").splitlines()
    print(f"\nThe loops, one of the stages {', '.join(kernel.stages)}:")
    for line in lines[:IR_LINES]:
        print(f"  {line}")
    if len(lines) > IR_LINES:
        print(f"  ... {len(lines) - IR_LINES} more lines")


def main() -> None:
    rng = np.random.default_rng(0)
    A, B = skewed(rng, 2_000_000), uniform(rng, 2_000_000)
    show_result(A, B)
    show_balance(A, B)
    show_loops()


if __name__ == "__main__":
    main()
