"""The same call gives the same bits, with any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import same

pytestmark = pytest.mark.optimized

THREADS = (1, 2, 3, 8, 64)
SIZE = 300


def skewed(seed, heavy=0):
    """Return a matrix whose entries make sums that no two orders agree on."""
    rng = np.random.default_rng(seed)
    pattern = rng.random((SIZE, SIZE)) < 0.3
    pattern[heavy] = True
    return sp.csr_array(pattern * rng.standard_normal((SIZE, SIZE)) * 10.0**heavy)


def arrays_of(result):
    """Return all that a result stores."""
    if sp.issparse(result):
        arrays = (result.indptr, result.indices, result.data)
    else:
        arrays = (np.asarray(result),)
    return tuple(array.tobytes() for array in arrays)


@pytest.mark.parametrize(
    "text",
    [
        "y[i] = A[i,j] * x[j]",
        "s = A[i,j] * B[i,j]",
        "s = A[i,j]",
        "y[i] max= A[i,j]",
        "Z[i,j] = A[i,j] + B[i,j]",
        "Z[i,k] = A[i,j] * B[j,k]",
        "y[i] = A[i,j] * x[j] + B[i,k] * x[k]",
    ],
)
def test_threads_do_not_change_a_bit(text):
    given = {"A": skewed(0), "B": skewed(1, 7)}
    given["x"] = np.random.default_rng(2).standard_normal(SIZE)
    operands = {name: value for name, value in given.items() if f"{name}[" in text}
    found = [nacho.evaluate(text, operands, threads=threads) for threads in THREADS]
    assert len({arrays_of(each) for each in found}) == 1


def test_parts_follow_from_the_work():
    kernel = nacho.mlir.compile("y[i] = A[i,j]", formats={"A": "csr", "y": "dense"})
    given = skewed(0)
    assert given.nnz > 1 << 14
    counts = {kernel.plan(given, threads=threads).parts for threads in THREADS}
    assert len(counts) == 1
    assert counts.pop() > 1


@pytest.mark.parametrize("extent", [SIZE, 1 << 22])
@pytest.mark.parametrize("target", ["Z[i,k]", "Z[k,i]", "z[k]"])
@pytest.mark.sampled
def test_parts_do_not_change_a_bit_of_a_scatter(target, extent):
    """Also where a row is too wide for a workspace, and parts have sums of rows."""
    rng = np.random.default_rng(3)
    A = skewed(0)
    rows, columns = skewed(1).nonzero()
    B = sp.csr_array(
        (rng.standard_normal(rows.size), (rows, columns * (extent // SIZE))),
        shape=(SIZE, extent),
    )
    out = {"formats": {"z": "sparse-vector"}} if target[0] == "z" else {}
    kernel = nacho.mlir.compile(f"{target} = A[i,j] * B[j,k]", **out)
    found = [
        kernel(A, B, parts=parts, threads=threads)
        for parts, threads in ((1, 1), (2, 2), (60, 1), (None, 1), (None, 2), (None, 7))
    ]
    assert all(same(each, found[0]) for each in found)
