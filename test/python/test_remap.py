"""Remapping: parts cost the same by what is iterated, not by what is stored."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import oracle
import samples

pytestmark = pytest.mark.any_target

PRODUCT = "Z[i,j] = A[i,j] * B[i,j]"
INNER = "z = A[i,j,k] * B[i,j,k]"
PARTS = 8


def tensor(mask, format):
    coords = np.array(np.nonzero(mask))
    values = np.arange(1.0, coords.shape[1] + 1)
    return nacho.Tensor.from_coo(coords, values, shape=mask.shape, format=format)


def skipped(rng, rows=64, columns=400):
    """Patterns of which half of the rows are in one operand only, and heavy."""
    A, B = rng.random((2, rows, columns)) < 0.02
    A[: rows // 2], B[: rows // 2] = rng.random((rows // 2, columns)) < 0.9, False
    A[rows // 2 :, 0] = B[rows // 2 :, 1] = True
    return A, B


def iterated(masks, bounds, depth):
    """Count what each part iterates: the entries under coordinates that all have."""
    outer = tuple(range(depth, masks[0].ndim))
    common = np.logical_and.reduce([mask.any(outer, keepdims=True) for mask in masks])
    counts = sum((mask & common).astype(np.int64) for mask in masks)
    before = np.concatenate([[0], np.cumsum(counts)])
    places = np.zeros(len(bounds), np.int64)
    for m, extent in enumerate(counts.shape):
        inner = bounds[:, m] if m < bounds.shape[1] else 0
        places = places * extent + inner
    return np.diff(before[places])


@pytest.mark.parametrize("format", ["dcsr", "csr", "coo"])
def test_rows_that_are_skipped_cost_nothing(format):
    masks = skipped(np.random.default_rng(0))
    operands = dict(zip("AB", map(tensor, masks, (format, "dcsr")), strict=True))
    plain = nacho.partition(PRODUCT, PARTS, operands, remap=False, cost="nnz")
    work = iterated(masks, plain.bounds, 1)
    assert work.max() > 4 * work.mean()
    cut = nacho.partition(PRODUCT, PARTS, operands, cost="nnz")
    assert len(cut.nests) == 2
    work = iterated(masks, cut.bounds, 1)
    assert work.tolist() == cut.costs.tolist()
    assert np.ptp(work) <= 2 * cut.delta <= 4
    for options in ({}, {"remap": False}):
        for parts in (1, 3, 50):
            result = nacho.evaluate(PRODUCT, operands, parts=parts, **options)
            samples.check(result, PRODUCT, operands)


def test_two_levels_that_are_skipped():
    rng = np.random.default_rng(1)
    A, B = rng.random((2, 24, 15, 40)) < 0.05
    A[:18], B[:18] = rng.random((18, 15, 40)) < 0.9, False
    A[18:, :8], B[18:, :8] = False, rng.random((6, 8, 40)) < 0.9
    operands = {"A": tensor(A, "csf"), "B": tensor(B, "csf")}
    plain = nacho.partition(INNER, PARTS, operands, remap=False, cost="nnz")
    work = iterated((A, B), plain.bounds, 2)
    assert work.max() > 4 * work.mean()
    cut = nacho.partition(INNER, PARTS, operands, cost="nnz")
    assert [nest.order for nest in cut.nests] == [("i",), ("i", "j"), ("i", "j", "k")]
    work = iterated((A, B), cut.bounds, 2)
    assert work.tolist() == cut.costs.tolist()
    assert np.ptp(work) <= 2 * cut.delta <= 4
    for nest in cut.nests:
        assert np.ptp(nest.costs) <= 2 * nest.delta
    for parts in (1, 5, 99):
        samples.check(nacho.evaluate(INNER, operands, parts=parts), INNER, operands)


def test_four_levels():
    rng = np.random.default_rng(2)
    operands = {name: tensor(rng.random((4, 5, 6, 7)) < 0.2, "csf") for name in "AB"}
    text = "z = A[i,j,k,l] * B[i,j,k,l]"
    assert len(nacho.partition(text, 3, operands).nests) == 4
    for parts in (1, 4, 200):
        samples.check(nacho.evaluate(text, operands, parts=parts), text, operands)


def test_multiply_adds_are_what_a_product_costs():
    """A heavy column of A meets a heavy row of B; other rows of B are hardly met."""
    rng = np.random.default_rng(3)
    A, B = rng.random((2, 40, 40)) < 0.05
    A[:, 7], B[7] = True, True
    B[20:30], A[:, 20:30] = True, False
    operands = {"A": sp.csr_array(A * 1.0), "B": sp.csr_array(B * 1.0)}
    text = "Z[i,k] = A[i,j] * B[j,k]"
    cut = nacho.partition(text, 10 * PARTS, operands, cost="nnz")
    # The products of heavy rows are listed, those of light rows are collected.
    expansion, light = cut.nests[2], cut.nests[5]
    assert expansion.order == ("i", "j", "k") and light.order == ("i",)
    # A step for each entry of A that meets any of B, and one for each multiply-add.
    met = A[:, B.any(1)].sum()
    assert met < A.sum()
    steps = (A.astype(int) @ B.sum(1)).sum() + met
    assert expansion.total + light.total == steps
    assert cut.nests[0].total == A.sum()
    assert np.ptp(expansion.costs) <= 2 * expansion.delta <= 4
    for parts in (1, 7, 500):
        result = nacho.evaluate(text, operands, parts=parts, threads=3)
        samples.check(result, text, operands)
        assert result.has_sorted_indices
    whole = nacho.partition(text, 2, operands, cost="nnz")
    assert whole.order == ("i",)
    assert whole.total == steps
    assert whole.costs.max() <= 9 / 8 * whole.costs.mean()


def test_terms_that_end_outside_are_not_listed():
    rng = np.random.default_rng(4)
    A, B = (tensor(rng.random((9, 9)) < 0.3, "dcsr") for _ in "AB")
    b = tensor(rng.random(9) < 0.5, "sparse-vector")
    text = "y[i] = b[i] + A[i,j] * B[i,j]"
    operands = {"b": b, "A": A, "B": B}
    for parts in (1, 4, 60):
        result = nacho.evaluate(text, operands, parts=parts, out="sparse-vector")
        samples.check(result, text, operands)


def test_plans_are_executed_with_other_values():
    A, B = (sp.random_array((30, 30), density=0.2, rng=n, format="csr") for n in (1, 2))
    kernel = nacho.mlir.compile(
        "Z[i,k] = A[i,j] * B[j,k]", {"A": "csr", "B": "csr", "Z": "csr"}
    )
    plan = kernel.plan(A, B, parts=4, threads=2)
    for factor in (1.0, -3.0):
        np.testing.assert_allclose(
            plan.execute(A * factor, B).toarray(), ((A * factor) @ B).toarray()
        )
    A.data[:] = 2.0
    np.testing.assert_allclose(plan.execute().toarray(), (A @ B).toarray())


@pytest.mark.parametrize("operator", ["=", "max="])
def test_masks_bound_what_is_made(operator):
    """What the mask lacks is not listed."""
    rng = np.random.default_rng(5)
    M, A, B = (
        sp.csr_array(rng.random((30, 30)) < density) * 1.0 for density in (0.02, 1, 1)
    )
    text = f"Z[i,k] {operator} M[i,k] * A[i,j] * B[j,k]"
    operands = {"M": M, "A": A, "B": B}
    made = nacho.partition(text, 2, operands).nests[-1]
    assert made.order[:2] == ("i", "k")
    assert made.total <= 2 * 30 * M.nnz + 30
    result = nacho.evaluate(text, operands, parts=5)
    samples.check(result, text, operands)
    assert result.nnz == M.nnz
    assert oracle.solve(text, operands).pattern.sum() == M.nnz


def test_operands_that_end_in_a_listed_loop():
    """Their entries cost something, and those of rows that are not needed do not."""
    A, B = np.zeros((2, 40, 200), bool)
    A[3], B[20, 7] = True, True
    A[5, 7] = B[5, 7] = True
    operands = {
        "b": tensor(np.ones(40, bool), "sparse-vector"),
        "A": tensor(A, "dcsr"),
        "B": tensor(B, "dcsr"),
    }
    text = "y[i] = b[i] + A[i,j] * B[i,j]"
    for cost in ("nnz", "nnz+loops"):
        cut = nacho.partition(text, 4, operands, cost=cost)
        assert cut.total == 42
        assert np.ptp(cut.costs) <= 2 * cut.delta
    for parts in (1, 4, 50):
        result = nacho.evaluate(text, operands, parts=parts, out="sparse-vector")
        samples.check(result, text, operands)
