"""Lists of one shape are merged by keys, where these have few bits and rows are short.

Calls are compared with plans, which have a loop for every index.
"""

from __future__ import annotations

import numpy as np
import pytest

import nacho
import nacho.mlir
from checks import check, same

UNION, PRODUCT = "Z[i,j,k] = A[i,j,k] + B[i,j,k]", "Z[i,j,k] = A[i,j,k] * B[i,j,k]"
INNER = "z = A[i,j,k] * B[i,j,k]"
TWO = (UNION, PRODUCT, INNER, "Z[i,j,k] = A[i,j,k] - 2 * B[i,j,k] * A[i,j,k]")
THREE = (
    "Z[i,j,k] = A[i,j,k] + B[i,j,k] + C[i,j,k]",
    "Z[i,j,k] = A[i,j,k] * B[i,j,k] + C[i,j,k]",
    "Z[i,j,k] = (A[i,j,k] + B[i,j,k]) * C[i,j,k]",
    "Z[i,j,k] = A[i,j,k] * B[i,j,k] * C[i,j,k]",
    "z = (A[i,j,k] - B[i,j,k]) * C[i,j,k] + A[i,j,k]",
)


def compiled(expr, **options):
    formats = {name: "coo" for name in "ABCZ" if f"{name}[" in expr}
    return nacho.mlir.compile(expr, formats=formats, **options)


def merges_by_keys(kernel, *operands):
    call = kernel.prepare(operands, kernel.views(operands), None, None, "safe")
    return "nacho.flatten" in kernel.suited(call).mlir("loops")


def entries_at(numbers, shape, seed=0):
    """Make a list of the entries with these numbers, in row-major order."""
    numbers = np.asarray(numbers, np.int64)
    values = np.random.default_rng(seed).integers(1, 9, len(numbers)).astype(float)
    coords = np.array(np.unravel_index(numbers, shape)).reshape(len(shape), -1)
    return nacho.Tensor.from_coo(coords, values, shape=shape, format="coo")


def scattered(nnz, shape, seed):
    rng = np.random.default_rng(seed)
    coords = np.array([rng.integers(0, extent, nnz) for extent in shape])
    values = rng.integers(1, 9, nnz).astype(float)
    return nacho.Tensor.from_coo(coords, values, shape=shape, format="coo")


def compare(expr, *operands):
    kernel = compiled(expr)
    assert merges_by_keys(kernel, *operands)
    for parts in (1, 2, 7):
        expected = kernel.plan(*operands, parts=parts).execute()
        found = kernel(*operands, threads=2, parts=parts)
        assert same(found, expected)
    assert kernel.count(*operands) == getattr(found, "nnz", 1)


@pytest.mark.parametrize("expr", TWO + THREE)
def test_against_numpy(expr):
    names = [name for name in "ABC" if f"{name}[" in expr]
    for shape in ((7, 8, 9), (1, 1, 64), (33, 2, 1), (16, 16, 16)):
        operands = [scattered(60, shape, seed) for seed in range(len(names))]
        named = dict(zip(names, operands, strict=True))
        check(compiled(expr)(**named), expr, named)
        check(nacho.evaluate(expr, named), expr, named)


@pytest.mark.parametrize("expr", TWO)
@pytest.mark.parametrize("nnz", [0, 1, 2, 511, 512, 513, 1024, 1500])
def test_windows_end_anywhere(expr, nnz):
    """Coordinates are computed some hundred at a time, of which all may be merged."""
    shape = (40, 50, 30)
    A = entries_at(np.arange(nnz) * 3, shape, seed=1)
    for numbers in (
        np.arange(nnz) * 3,
        np.arange(nnz) * 3 + 1,
        np.arange(700),
        np.arange(20_000, 20_000 + nnz),
        np.arange(0, 60_000, 7),
        [],
    ):
        compare(expr, A, entries_at(numbers, shape, seed=2))


@pytest.mark.parametrize("expr", THREE)
def test_three_operands(expr):
    shape = (60, 70, 80)
    for sizes in ((3000, 3000, 3000), (3000, 10, 0), (0, 2000, 2000), (1, 1, 3000)):
        compare(expr, *(scattered(nnz, shape, n) for n, nnz in enumerate(sizes)))


@pytest.mark.parametrize(
    "shape",
    [
        (2**31 - 1, 2**15, 2**16),  # 62 bits
        (1 << 20, 1, 1 << 30),
        (3, 2**29 + 1, 2**30),
        (2**31 - 1, 3, 2**29),
    ],
)
def test_large_extents(shape):
    A, B = (scattered(2000, shape, seed) for seed in (1, 2))
    last = np.array(shape)[:, None] - 1
    C = nacho.Tensor.from_coo(last, np.array([5.0]), shape=shape, format="coo")
    for expr in TWO:
        compare(expr, A, B)
        compare(expr, A, C)
        compare(expr, A, nacho.evaluate("Z[i,j,k] = A[i,j,k] + B[i,j,k]", A=A, B=C))


@pytest.mark.parametrize("shape", [(2**31 - 1, 2**16, 2**16), (2**31 - 1,) * 3])
def test_keys_of_more_bits_are_not_to_be_had(shape):
    A, B = (scattered(500, shape, seed) for seed in (1, 2))
    both = nacho.evaluate(UNION, A=A, B=B)
    for expr in TWO:
        kernel = compiled(expr)
        assert not merges_by_keys(kernel, A, both)
        assert same(kernel(A, both), kernel.plan(A, both).execute())


def test_coordinates_of_64_bits():
    shape = (2**40, 2**10, 2**12)
    A, B = (scattered(3000, shape, seed) for seed in (1, 2))
    kernel = compiled(UNION, index="i64")
    for other in (B, nacho.evaluate(UNION, A=A, B=B)):
        assert merges_by_keys(kernel, A, other)
        assert same(kernel(A, other), kernel.plan(A, other).execute())


def test_an_extent_of_zero():
    for shape in ((0, 3, 4), (3, 0, 4), (3, 4, 0)):
        empty = entries_at([], shape)
        result = compiled(UNION)(empty, empty)
        assert result.nnz == 0
        assert result.shape == shape
        assert compiled(INNER)(empty, empty) == 0


def test_rows_decide_where_there_are_two_indices():
    """Short rows: keys. Long ones are taken, or skipped, as a whole."""
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] * B[i,j]", formats=dict.fromkeys("ABZ", "coo")
    )
    for shape, nnz, expected in (
        ((1000, 1000), 3000, True),
        ((100, 10_000), 10_000, False),
    ):
        A, B = (scattered(nnz, shape, seed) for seed in (1, 2))
        assert merges_by_keys(kernel, A, B) is expected
        assert same(kernel(A, B), kernel.plan(A, B).execute())


@pytest.mark.parametrize(
    ("expr", "formats"),
    [
        ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", {"A": "csf", "B": "coo", "Z": "coo"}),
        ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", {"A": "coo", "B": "coo", "Z": "csf"}),
        ("Z[i,j,k] = A[i,j,k] + B[j,k,i]", {"A": "coo", "B": "coo", "Z": "coo"}),
        ("Z[i,j] = A[i,j,k] * B[i,j,k]", {"A": "coo", "B": "coo", "Z": "coo"}),
        ("Z[i,j,k] = 2 * A[i,j,k]", {"A": "coo", "Z": "coo"}),
    ],
)
def test_all_must_be_lists_in_the_same_order(expr, formats):
    assert "nacho.flatten" not in nacho.mlir.compile(expr, formats).mlir("loops")


def test_the_order_of_the_loops_can_be_asked_for():
    kernel = compiled(UNION)
    assert kernel.order == ("i", "j", "k")
    assert "nacho.flatten" in kernel.mlir("loops")
    asked = compiled(UNION, order="i,j,k")
    assert asked.order == ("i", "j", "k")
    assert "nacho.flatten" not in asked.mlir("loops")


def test_plans_have_a_coordinate_for_every_index():
    A, B = (scattered(3000, (60, 70, 80), seed) for seed in (1, 2))
    plan = compiled(UNION).plan(A, B, parts=5)
    assert plan.bounds.shape == (6, 3)
    assert (plan.bounds[1:-1] < A.shape).all()
    assert nacho.partition(UNION, 5, A=A, B=B).bounds.shape == (6, 3)


@pytest.mark.parametrize("expr", [UNION, PRODUCT])
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("bad", [60, -1, 2**31 - 1, 2**6])
def test_coordinates_that_were_edited_are_refused(expr, level, bad):
    """They have the largest of all keys, which is in nobody's result."""
    shape = (60, 60, 60)
    A, B = (scattered(3000, shape, seed) for seed in (1, 2))
    both = nacho.evaluate(UNION, A=A, B=B)
    kernel = compiled(expr)
    kernel(both, both)
    both.crd[level][1000] = bad
    with pytest.raises(nacho.OperandError):
        kernel(both, both)
