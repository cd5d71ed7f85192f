"""Sums that many parts share: groups of 256 parts are added up first."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

pytestmark = pytest.mark.any_target

ROWS, COLUMNS = 40, 3000


def matrix(density, seed):
    rng = np.random.default_rng(seed)
    shape = (ROWS, COLUMNS)
    values = rng.random(shape) * (rng.random(shape) < density)
    # One row is that of many parts, and two more end where others begin.
    values[7] = rng.random(COLUMNS)
    values[20:22] = rng.random((2, COLUMNS))
    return values


A, B = matrix(0.02, 1), matrix(0.5, 2)
X, D = np.random.default_rng(3).random(COLUMNS), np.ones((COLUMNS, 3))
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": ({"x": X}, A @ X),
    "Z[i,k] = A[i,j] * D[j,k]": ({"D": D}, A @ D),
    "z = A[i,j] * B[i,j]": ({"B": sp.csr_array(B)}, (A * B).sum()),
    "z max= A[i,j]": ({}, A.max()),
}


@pytest.mark.parametrize("parts", [255, 256, 257, 511, 1000, 4000])
@pytest.mark.parametrize("text", STATEMENTS)
def test_shared_sums(text, parts):
    others, want = STATEMENTS[text]
    given = {"A": sp.csr_array(A)} | others
    found = np.asarray(nacho.evaluate(text, given, parts=parts))
    np.testing.assert_allclose(found, want, rtol=1e-12)
    for threads in (1, 3):
        again = nacho.evaluate(text, given, parts=parts, threads=threads)
        assert np.asarray(again).tobytes() == found.tobytes()


@pytest.mark.parametrize("parts", [256, 1000])
def test_sparse_results(parts):
    """Of rows that are empty there is no entry, whatever a group has of them."""
    values = matrix(0.02, 4)
    values[::3] = 0
    given = {"A": sp.csr_array(values), "x": X}
    found = nacho.evaluate("y[i] = A[i,j] * x[j]", given, parts=parts, out="coo")
    np.testing.assert_allclose(found.todense(), values @ X, rtol=1e-12)
    assert found.nnz == np.count_nonzero(values.any(axis=1))
