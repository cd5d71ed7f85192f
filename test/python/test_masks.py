"""Masks with far fewer entries than what they mask, or far more.

A mask of a few rows only has the products of these rows made; one with an entry in each
row has its entries asked for, one by one, as a dot product each. A mask with many more
entries than there are products is read at most once, or searched.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import _nacho

pytestmark = pytest.mark.any_target

MASKED = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"
EXPRESSIONS = [
    MASKED,
    "Z[k,i] = M[i,k] * A[i,j] * B[j,k]",
    "Z[i,k] = M[i,k] * A[i,j] * B[k,j]",
    "Z[i,k] = M[i,k] * N[i,k] * A[i,j] * B[j,k]",
    "Z[i,k] = where(M[i,k] != 0, A[i,j] * B[j,k], 0)",
    "Z[i,k] = M[i,k] * A[i,j] * B[j,k] + N[i,k]",
    "t[i] = M[i,k] * A[i,j] * B[j,k]",
    "s = M[i,k] * A[i,j] * B[j,k]",
    "s = M[i,j] * M[j,k] * M[i,k]",
    "s = M[i,j] * A[j,k] * B[k,l] * M[l,i]",
    "Z[i,r] = M[i,r] * T[i,j,k] * B[j,r] * A[k,r]",
    "Z[i,j] = M[i,j] * T[i,k,l] * U[k,l,j]",
]
KINDS = {"few": "dcsr", "one per row": "csr", "many": "csr", "all": "coo"}
"""How many entries a mask has, and the format of all operands."""
PARTS = (2, 16, 1000)


def extent_of(expression):
    """Return an extent that leaves the oracle's dense products small."""
    return 40 if re.search(r"[lr]\]", expression) is None else 20


def mask(rng, n, kind):
    """Return where a mask has entries."""
    if kind == "one per row":
        return np.eye(n, dtype=bool)[rng.permutation(n)]
    pattern = np.ones((n, n), bool)
    if kind == "few":
        pattern[:] = False
        pattern.flat[rng.integers(0, n * n, 3)] = True
    elif kind == "many":
        pattern &= rng.random((n, n)) < 0.7
    return pattern


def operands(expression, kind, format):
    """Return the operands: a sparse mask of many products, or a dense one of few."""
    n = extent_of(expression)
    rng = np.random.default_rng(len(expression))
    density = 0.6 if kind in ("few", "one per row") else 1 / n
    made = {}
    for name in sorted(set(re.findall(r"(\w)\[", expression.split("=", 1)[1]))):
        rank = 3 if name in "TU" else 2
        pattern = rng.random((n,) * rank) < density
        if name in "MN":
            pattern = mask(rng, n, kind)
        values = rng.integers(1, 9, pattern.shape) / 4.0
        form = "csf" if rank == 3 and format != "coo" else format
        made[name] = samples.tensor(pattern, values, form)
    return made


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_results(expression, kind):
    """They do not depend on parts; sums that are cut are of values without errors."""
    given = operands(expression, kind, KINDS[kind])
    out = None if expression[0] in "st" else "csr"
    first, *others = (
        nacho.evaluate(expression, given, parts=parts, threads=threads, out=out)
        for parts, threads in ((None, 1), (1, 1), (2, 2), (16, 1), (1000, 2))
    )
    samples.check(first, expression, given)
    assert all(samples.same(first, other) for other in others)


@pytest.mark.sampled
@pytest.mark.host_only
@pytest.mark.each_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nests_are_balanced(expression, kind):
    """Within the declared bound: that of cuts, of rows, or of one entry's elements."""
    # A list has runs of entries for its rows, and no cut goes through a run.
    given = operands(expression, kind, KINDS[kind].replace("coo", "csr"))
    extent = extent_of(expression)
    for parts in PARTS:
        cut = nacho.partition(expression, parts, given)
        work = sum(nest.total for nest in cut.nests)
        for nest in cut.nests:
            assert np.ptp(nest.costs) <= 2 * nest.delta
            if nest.delta < nest.total:
                continue
            share = max(work, nest.total) / parts
            # The most elements of one entry, or run of a list: a row of each factor.
            elements = 2 * extent ** (2 if "T" in given else 1)
            spare = max(share / 4, elements) + 8
            assert nest.costs.max() <= nest.costs.mean() + spare


# --- Which loops are chosen -----------------------------------------------------------


def matrix(entries, extent, seed):
    """Return a matrix whose entries make sums that no two orders agree on."""
    rng = np.random.default_rng(seed)
    at = np.unique(rng.integers(0, extent * extent, entries))
    values = rng.standard_normal(at.size) * 10.0 ** rng.integers(-8, 8, at.size)
    coordinates = ((at // extent).astype(np.int32), (at % extent).astype(np.int32))
    return sp.csr_array(sp.coo_array((values, coordinates), (extent, extent)))


def orders(kernel, given):
    return re.findall(r"^(?:order)? +([ijk, ]+) over", kernel.explain(**given), re.M)


def test_dot_products_add_in_the_order_of_a_scatter():
    """Whichever is chosen, by the sizes of operands, each sum has the same bits."""
    given = {"A": matrix(30_000, 500, 1), "B": matrix(30_000, 500, 2)}
    given["M"] = matrix(500, 500, 3)
    kernel = nacho.mlir.compile(MASKED)
    # The last loops are those over the entries of the mask, and B is transposed.
    assert orders(kernel, given)[0] == "j, k"
    assert orders(kernel, given)[-1] == "i, k"
    rows = nacho.evaluate(MASKED, given, order="i,j,k")
    for parts in (None, 1, 7, 1000):
        assert samples.same(kernel(**given, parts=parts), rows)


@pytest.mark.host_only
@pytest.mark.parametrize("entries", [3, 200_000])
def test_products_are_scattered_under_other_masks(entries):
    """If the mask has few rows, transposing B would take longer than their products."""
    given = {"A": matrix(30_000, 500, 1), "B": matrix(30_000, 500, 2)}
    given["M"] = matrix(entries, 500, 3)
    assert orders(nacho.mlir.compile(MASKED), given)[-1] == "i"


# --- Growth ---------------------------------------------------------------------------


def steps(given, parts):
    """Return how many iterations the loops have."""
    choices = {"count-steps": True, "drafts": False}
    before = _nacho.counted_steps()
    nacho.evaluate(MASKED, given, threads=1, parts=parts, choices=choices)
    return _nacho.counted_steps() - before


@pytest.mark.host_only
@pytest.mark.parametrize("parts", PARTS)
def test_sparse_masks_take_few_steps(parts):
    """As many as the rows of a few entries have products, or entries have elements."""
    extent, each = 2000, 50
    A, B = (matrix(each * extent, extent, seed) for seed in (1, 2))
    for entries in (20, 200, extent, 4 * extent):
        M = matrix(entries, extent, 3)
        rows = np.unique(M.nonzero()[0])
        products = int((A != 0).sum(1)[rows].sum()) * each
        elements = 2 * B.nnz + 2 * each * M.nnz
        limit = 5 * min(products, elements) + 6 * extent + 5000 * parts
        assert steps({"M": M, "A": A, "B": B}, parts) <= limit


@pytest.mark.host_only
@pytest.mark.parametrize("parts", PARTS)
def test_dense_masks_are_read_once(parts):
    """Once for each function that reads them, and not for each product or part."""
    extent = 1000
    A, B = (matrix(extent, extent, seed) for seed in (1, 2))
    rng = np.random.default_rng(4)
    for density in (0.001, 0.01, 0.1, 0.5, 1.0):
        M = sp.csr_array((rng.random((extent, extent)) < density) * 1.0)
        limit = 4 * M.nnz + 40 * extent + 1000 * parts
        assert steps({"M": M, "A": A, "B": B}, parts) <= limit


def test_tables_remember_nothing_of_earlier_calls():
    """Rows of other masks have had the same coordinates, and as many of them."""
    kernel = nacho.mlir.compile(MASKED, dict.fromkeys("MABZ", "csr"))
    rng = np.random.default_rng(7)
    rows, inner = 30, 40
    for columns in (60, 3_000_000, 60, 61, 3_000_000):
        a = sp.random_array((rows, inner), density=0.3, rng=rng, format="csr")
        b = sp.random_array((inner, 60), density=0.3, rng=rng, format="csr")
        b.resize((inner, columns))
        for _ in range(3):
            m = sp.random_array((rows, 60), density=0.2, rng=rng, format="csr")
            m.resize((rows, columns))
            result = kernel(m, a, b)
            expected = m.multiply(a @ b).tocsr()
            assert result.nnz == expected.nnz
            assert abs(result - expected).max() < 1e-12
