"""Work is linear in entries and products, and does not depend on extents.

What is compared is the number of iterations of all loops, which is exact.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import nacho
from nacho import Tensor, _nacho

ROWS = 400
PER_ROW = 3
TRIANGLES, MASKED = (
    "Z[i,k] = A[i,k] * A[i,j] * A[j,k]",
    "Z[i,k] = M[i,k] * A[i,j] * B[j,k]",
)
MATRICES = (
    TRIANGLES,
    MASKED,
    "s = A[i,j] * A[j,k] * A[i,k]",
    "s = A[i,j] * B[j,k]",
    "y[i] = A[i,j] * B[j,k]",
    "Z[i,k] = A[i,j] * B[j,k]",
    "Z[i,l] = A[i,j] * B[j,k] * C[k,l]",
    "y[i] = A[i,j] * B[j,k] * x[k]",
    "y[i] = A[i,j] * v[j]",
    "Z[i,j] = A[i,j] * v[j]",
    "Z[i,j] = A[i,j] * v[i]",
    "Z[i,j] = A[i,j] * B[i,j]",
    "Z[i,j] = A[i,j] + B[i,j]",
    "Z[i,j] = A[i,j] * B[j,i]",
)
TENSORS = (
    "Z[i,j,k] = T[i,j,k] * B[j,k]",
    "Z[i,j,r] = T[i,j,k] * C[k,r]",
    "Z[i,r] = T[i,j,k] * B[j,r] * C[k,r]",
    "s = T[i,j,k] * U[i,j,k]",
    "Z[i,j] = T[i,j,k] * v[k]",
)
CASES = [
    *((text, format, format) for text in MATRICES for format in ("dcsr", "coo")),
    *((text, "csr", "dcsr") for text in (TRIANGLES, MASKED)),
    *((text, "csf", format) for text in TENSORS for format in ("dcsr", "coo")),
    *((text, "coo", "dcsr") for text in TENSORS),
]


def entries(rank, count, extent, format, seed):
    """Return a tensor with about so many entries, anywhere."""
    coords = np.random.default_rng(seed).integers(0, extent, (rank, count))
    coords = np.unique(coords, axis=1).astype(np.int32)
    values = np.ones(coords.shape[1])
    return Tensor.from_coo(coords, values, shape=(extent,) * rank, format=format)


def steps(case, count, extent):
    """Return how many iterations the loops have for tensors of this size."""
    text, first, other = case
    operands = {}
    for seed, name in enumerate(sorted(set("ABCMTUvx") & set(text))):
        if name == "x":
            operands[name] = np.ones(extent)
        elif name == "v":
            operands[name] = entries(1, count // 2, extent, "sparse-vector", seed)
        elif name in "TU":
            operands[name] = entries(3, count, extent, first, seed)
        else:
            format = first if name == "A" else other
            operands[name] = entries(2, count, extent, format, seed)
    sparse = None if text[0] == "s" else "coo"
    # Whether entries are counted before they are computed depends on how many there
    # might be: the numbers of steps can only be compared if it is the same for all.
    choices = {"count-steps": True, "drafts": False}
    before = _nacho.counted_steps()
    nacho.evaluate(text, operands, out=sparse, threads=1, parts=2, choices=choices)
    return _nacho.counted_steps() - before


@pytest.mark.sampled
@pytest.mark.parametrize("case", CASES, ids=", ".join)
def test_growth(case):
    """Twice the rows take twice the steps, but for the logarithm of searches."""
    counted = [
        steps(case, PER_ROW * rows, rows)
        for rows in (ROWS, 2 * ROWS, 4 * ROWS, 8 * ROWS)
    ]
    assert counted[0] > 0
    for few, many in pairwise(counted):
        assert many <= 2.6 * few, counted
    assert counted[3] <= 8 * 1.6 * counted[0], counted


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if "csr" not in case and "x[k]" not in case[0]],
    ids=", ".join,
)
@pytest.mark.sampled
def test_extents(case):
    """Where the same number of entries lies further apart, steps are not added.

    There are fewer products then; only the searches in fibers are a little longer.
    """
    near = steps(case, PER_ROW * ROWS, 50 * ROWS)
    assert steps(case, PER_ROW * ROWS, 1000 * ROWS) <= 1.4 * near
