"""Sums of more parts than a tree of one level has: groups, and groups of groups."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

pytestmark = pytest.mark.any_target

SPMV = "y[i] = A[i,j] * x[j]"
SPMM = "Y[i,k] = A[i,j] * C[j,k]"
FORMATS = {
    SPMV: {"A": "csr", "x": "dense"},
    SPMM: {"A": "csr", "C": "dense", "Y": "dense"},
}
ROWS, COLUMNS, HEAVY = 600, 80_000, 300


@functools.cache
def matrix():
    """Return a matrix of whole numbers, with a row that takes nearly all parts."""
    rng = np.random.default_rng(0)
    rows = np.r_[rng.integers(0, ROWS, 4000), np.full(70_000, HEAVY)]
    columns = np.r_[rng.integers(0, COLUMNS, 4000), np.arange(70_000)]
    values = rng.integers(1, 9, len(rows)).astype(float)
    return sp.csr_array((values, (rows, columns)), (ROWS, COLUMNS))


# Those with which groups begin to have a further size, and with incomplete ones.
@pytest.mark.parametrize("parts", [256, 257, 1057, 8192, 8193, 8255, 50_001, 262_177])
@pytest.mark.parametrize("text", [SPMV, SPMM])
def test_rows(text, parts):
    A = matrix()
    dense = np.arange(COLUMNS * 3.0).reshape(COLUMNS, 3) % 7
    factor = dense[:, 0] if text == SPMV else dense
    kernel = nacho.mlir.compile(text, FORMATS[text])
    assert np.array_equal(kernel(A, factor, parts=parts), A @ factor)


@pytest.mark.parametrize("parts", [257, 8193, 262_177])
def test_numbers(parts):
    A = matrix()
    kernel = nacho.mlir.compile("s = sum(i, sum(j, A[i,j] * A[i,j]))", {"A": "csr"})
    assert kernel(A, parts=parts) == (A.data**2).sum()


@pytest.mark.parametrize("parts", [8193, 262_177])
def test_order(parts):
    """Threads do not change the order in which a row is added up."""
    A = matrix() / 3
    x = np.random.default_rng(1).random(COLUMNS)
    kernel = nacho.mlir.compile(SPMV, FORMATS[SPMV])
    first, *others = (kernel(A, x, parts=parts, threads=n) for n in (1, 2, 3))
    for other in others:
        assert np.array_equal(first, other)
    assert np.allclose(first, A @ x, rtol=1e-14)
