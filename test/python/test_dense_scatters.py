"""Sums that are scattered over a dense result.

They are the same, bit for bit, whatever number of parts and threads is asked for, and
need no more work and memory than entries and extents together.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import nacho
from nacho import Tensor, _nacho

pytestmark = pytest.mark.any_target

PARTS = (1, 2, 3, 7, 16, 1000)
THREADS = (1, 2, 8)


def matrix(entries, rows, columns, seed=0, dtype=np.float64, format="csr", full=None):
    """Return a tensor with about so many entries, of which `full` has a column."""
    rng = np.random.default_rng(seed)
    coords = rng.integers(0, [[rows], [columns]], (2, entries))
    if full is not None:
        coords[1, : entries // 2] = full
    coords = np.unique(coords, axis=1).astype(np.int32)
    values = rng.standard_normal(coords.shape[1]) * 100
    return Tensor.from_coo(
        coords, values.astype(dtype), shape=(rows, columns), format=format
    )


def vector(extent, dtype=np.float64):
    return (np.random.default_rng(1).standard_normal(extent) * 100).astype(dtype)


def coo_of(A):
    """Return the coordinates and values of a matrix, in the order of its rows."""
    listed = A.convert("coo")
    return listed.crd[0], listed.crd[1], listed.values


def expected(A, x):
    """Return the sums of A[i,j] * x[i] by column, as NumPy adds them up in order."""
    i, j, values = coo_of(A)
    products = values * x[i]
    y = np.zeros(A.shape[1], products.dtype)
    np.add.at(y, j, products)
    return y


def results(text, operands, **options):
    """Yield the result for every number of parts and threads."""
    for parts in PARTS:
        for threads in THREADS:
            yield nacho.evaluate(
                text, operands, parts=parts, threads=threads, **options
            )
    yield nacho.evaluate(text, operands, **options)


def assert_same(found):
    """All results are the same, bit for bit."""
    first, *others = (np.asarray(result) for result in found)
    for other in others:
        assert first.tobytes() == other.tobytes()
    return first


# One part, a few, as many as there may be; one column with half of all entries.
SIZES = [
    (300, 50, 40, None),
    (700_000, 5000, 3000, None),
    (300_000, 3000, 90_000, None),
    (500_000, 20_000, 100, 7),
    (60_000, 40_000, 200_000, 11),
]


@pytest.mark.each_value
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("format", ["csr", "coo", "dcsr"])
def test_same_for_all_parts(size, format):
    entries, rows, columns, full = size
    A = matrix(entries, rows, columns, format=format, full=full)
    x = vector(rows)
    text = "y[j] = A[i,j] * x[i]"
    options = {"order": ("i", "j"), "out": "dense"}
    y = assert_same(results(text, {"A": A, "x": x}, **options))
    np.testing.assert_allclose(y, expected(A, x), rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i2", "i8", "u1"])
def test_types(dtype):
    A, x = matrix(300_000, 900, 500, dtype=dtype), vector(900, dtype)
    options = {"order": ("i", "j"), "out": "dense"}
    y = assert_same(results("y[j] = A[i,j] * x[i]", {"A": A, "x": x}, **options))
    want = expected(A, x)
    assert y.dtype == want.dtype
    if y.dtype.kind in "iu":
        np.testing.assert_array_equal(y, want)
    else:
        scale = expected(
            Tensor.from_coo(
                np.stack(coo_of(A)[:2]), np.abs(coo_of(A)[2]), shape=A.shape
            ),
            np.abs(x),
        )
        tolerance = 100 * np.finfo(y.dtype).eps
        assert (np.abs(y - want) <= tolerance * np.abs(scale)).all()


ROWS = matrix(40_000, 30, 5000, seed=2)
SQUARE = matrix(300_000, 5000, 5000, seed=3)


def cube():
    rng = np.random.default_rng(4)
    coords = np.unique(rng.integers(0, [[60], [70], [80]], (3, 90_000)), axis=1)
    values = rng.standard_normal(coords.shape[1])
    return Tensor.from_coo(
        coords.astype(np.int32), values, shape=(60, 70, 80), format="csf"
    )


CUBE = cube()
EXPRESSIONS = {
    # Rows of the result, over which products are scattered.
    ("Z[i,k] = A[i,j] * B[j,k]", "ijk"): {"A": ROWS, "B": SQUARE},
    # A row for the whole result, with other terms.
    ("y[j] = A[i,j] * x[i] + b[j]", "ij"): {
        "A": SQUARE,
        "x": vector(5000),
        "b": vector(5000),
    },
    # Two scattered indices, and other levels between the summed one and theirs.
    ("Z[j,k] = T[i,j,k] * x[i]", "ijk"): {"T": CUBE, "x": vector(60)},
    ("Z[k,j] = T[i,j,k] * x[i]", "ijk"): {"T": CUBE, "x": vector(60)},
    ("y[k] = T[i,j,k] * x[i]", "ijk"): {"T": CUBE, "x": vector(60)},
    # Indices that only dense operands have, between those that are summed.
    ("y[k] = x[i] * B[i,k]", "ik"): {
        "x": vector(400),
        "B": vector(400 * 3000).reshape(400, 3000),
    },
    ("y[k] = A[i,j] * B[j,k]", "ikj"): {
        "A": matrix(9000, 200, 300),
        "B": vector(300 * 50).reshape(300, 50),
    },
    # Reductions that are not sums.
    ("y[j] max= A[i,j]", "ij"): {"A": SQUARE},
}


@pytest.mark.parametrize("case", EXPRESSIONS, ids=lambda case: case[0])
def test_expressions(case):
    text, order = case
    operands = EXPRESSIONS[case]
    found = assert_same(results(text, operands, out="dense", order=tuple(order)))
    if "max=" in text:
        want = operands["A"].to_dense().max(axis=0)
    else:
        want = einsum(text, operands)
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-6)


def einsum(text, operands):
    """Return what NumPy finds for a sum of products of operands."""
    dense = {
        name: value.to_dense() if isinstance(value, Tensor) else value
        for name, value in operands.items()
    }
    result, *terms = (
        [
            (factor[0], factor[2:-1].replace(",", ""))
            for factor in map(str.strip, term.split("*"))
        ]
        for term in text.replace("=", "+").split("+")
    )
    return sum(
        np.einsum(
            ",".join(indices for _, indices in term) + "->" + result[0][1],
            *(dense[name] for name, _ in term),
            optimize=True,
        )
        for term in terms
    )


@pytest.mark.host_only
def test_plan_says_how_many_parts():
    """The number of parts depends on the cost and the extent, not on what is asked."""
    A, x = matrix(700_000, 1500, 1000), vector(1500)
    kernel = nacho.mlir.compile(
        "y[j] = A[i,j] * x[i]",
        {"A": "csr", "x": "dense", "y": "dense"},
        order=("i", "j"),
    )
    plans = [kernel.plan(A, x, parts=parts) for parts in PARTS]
    assert {plan.parts for plan in plans} == {8}
    assert all(np.ptp(plan.costs) <= 2 * plan.delta for plan in plans)
    cut = nacho.partition("y[j] = A[i,j] * x[i]", 7, {"A": A, "x": x}, order=("i", "j"))
    assert len(cut.costs) == 7
    assert "the sums do not depend on it" in kernel.explain(A, x)


@pytest.mark.host_only
@pytest.mark.parametrize("entries, columns", [(2000, 300_000), (300_000, 1000)])
def test_steps_are_bounded(entries, columns):
    """Steps are bounded by entries and extents, for every number of parts."""
    A, x = matrix(entries, 5000, columns), vector(5000)
    for parts in (*PARTS, 100_000):
        before = _nacho.counted_steps()
        nacho.evaluate(
            "y[j] = A[i,j] * x[i]",
            {"A": A, "x": x},
            order=("i", "j"),
            out="dense",
            parts=parts,
            threads=1,
            choices={"count-steps": True},
        )
        steps = _nacho.counted_steps() - before
        assert steps <= 4 * (A.nnz + 5000 + columns), parts


MEMORY = """
import resource, numpy as np, nacho
n, entries = 10**7, 1000
coords = np.stack([np.arange(entries), np.arange(entries) * (n // entries)])
A = nacho.Tensor.from_coo(
    coords.astype("i4"), np.ones(entries), shape=(entries, n), format="csr"
)
kernel = nacho.mlir.compile(
    "y[j] = A[i,j] * x[i]", {"A": "csr", "x": "dense", "y": "dense"}, order=("i", "j")
)
kernel.mlir("llvm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
y = kernel(A, np.ones(entries), threads=16)
assert y.sum() == entries
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.host_only
def test_memory_is_bounded():
    """A thousand entries in ten million columns take little more than the result."""
    run = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) * 1024 < 1.5 * 8 * 10**7


# --- Products that are sorted, since rows of sums are too long for several parts ------

COLUMN = "y[j] = A[i,j] * x[i]"
# One of the columns has many entries in the second case, and half of them in the third.
WIDE = {
    "even": matrix(300_000, 3000, 200_000, seed=5),
    "power": matrix(300_000, 40_000, 300_000, seed=6),
    "full": matrix(600_000, 200_000, 800_000, seed=7, full=11),
}


def sorting_kernel():
    formats = {"A": "csr", "x": "dense", "y": "dense"}
    return nacho.mlir.compile(COLUMN, formats, order=("i", "j"))


@pytest.mark.host_only
@pytest.mark.parametrize("parts", [2, 16, 1000])
@pytest.mark.parametrize("name", WIDE)
def test_sorted_products_are_balanced(name, parts):
    """A part costs its share and the elements of one sum at most."""
    A = WIDE[name]
    x = vector(A.shape[0])
    kernel = sorting_kernel()
    assert kernel.plan(A, x, parts=parts, threads=2).parts == 1
    plan = kernel.plan(A, x, parts=parts, threads=16)
    assert plan.choices["sort-products"] == (parts > 2)
    if parts == 2:
        assert plan.parts == 1
        return
    assert plan.parts == parts
    per_row, longest = 4, np.bincount(coo_of(A)[1]).max()
    assert plan.costs.max() <= plan.total / parts + longest + per_row + 1
    np.testing.assert_allclose(plan.execute(), expected(A, x), atol=1e-6)


@pytest.mark.parametrize("name", WIDE)
def test_sorted_sums_are_those_of_one_part(name):
    A = WIDE[name]
    x = vector(A.shape[0])
    options = {"order": ("i", "j"), "out": "dense"}
    y = assert_same(results(COLUMN, {"A": A, "x": x}, **options))
    assert y.tobytes() == expected(A, x).tobytes()
    for choice in (True, False):
        pinned = {"sort-products": choice}
        found = nacho.evaluate(COLUMN, {"A": A, "x": x}, choices=pinned, **options)
        assert found.tobytes() == y.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "c8", "c16", "i2", "i8", "u1", "?"])
def test_types_of_sorted_products(dtype):
    A = matrix(300_000, 4000, 200_000, dtype=dtype)
    operands = {"A": A, "x": vector(4000, dtype)}
    one, several = (
        nacho.evaluate(COLUMN, operands, order=("i", "j"), out="dense", threads=threads)
        for threads in (1, 8)
    )
    assert one.dtype == several.dtype
    assert one.tobytes() == several.tobytes()


def thin(*shape, seed=0):
    """Return a tree with 300,000 entries."""
    rng = np.random.default_rng(seed)
    extents = np.array(shape)[:, None]
    coords = np.unique(rng.integers(0, extents, (len(shape), 300_000)), axis=1)
    values = rng.standard_normal(coords.shape[1])
    return Tensor.from_coo(coords.astype("i4"), values, shape=shape, format="csf")


SORTED_EXPRESSIONS = {
    ("y[j] = A[i,j] * x[i] + b[j]", "ij"): {
        "A": WIDE["even"],
        "x": vector(3000),
        "b": vector(200_000),
    },
    ("y[j] = b[j] - A[i,j]", "ij"): {"A": WIDE["even"], "b": vector(200_000)},
    ("y[k] = T[i,j,k] * x[i]", "ijk"): {"T": thin(40, 50, 200_000), "x": vector(40)},
    ("y[k] = T[j,i,k]", "ijk"): {"T": thin(40, 50, 200_000)},
    ("Z[j,k] = T[i,j,k] * x[i]", "ijk"): {"T": thin(90, 400, 500), "x": vector(90)},
    ("Z[i,k] = T[i,j,k]", "ijk"): {"T": thin(3, 400, 150_000)},
    ("Z[i,k] = A[i,j] * B[j,k]", "ijk"): {
        "A": matrix(200, 6, 300, seed=2),
        "B": matrix(600_000, 300, 150_000, seed=3),
    },
    ("Z[k,l] = A[i,k] * B[i,l]", "ikl"): {
        "A": matrix(60_000, 20_000, 600, seed=2),
        "B": matrix(100_000, 20_000, 700, seed=3),
    },
    ("Z[j,k] = A[i,j] * B[i,k]", "ijk"): {
        "A": matrix(300_000, 20_000, 250_000, seed=2),
        "B": vector(20_000 * 3).reshape(20_000, 3),
    },
    ("y[j] max= A[i,j]", "ij"): {"A": WIDE["even"]},
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", SORTED_EXPRESSIONS, ids=lambda case: case[0])
def test_expressions_whose_products_are_sorted(case):
    text, order = case
    operands = SORTED_EXPRESSIONS[case]
    found = [
        nacho.evaluate(
            text,
            operands,
            out="dense",
            order=tuple(order),
            parts=parts,
            threads=threads,
        )
        for parts, threads in ((1, 1), (2, 2), (16, 7), (16, 16), (1000, 8), (None, 8))
    ]
    assert_same(found)


@pytest.mark.sampled
@pytest.mark.parametrize("case", EXPRESSIONS, ids=lambda case: case[0])
def test_sorted_products_are_right(case):
    text, order = case
    operands = EXPRESSIONS[case]
    sums = nacho.evaluate(
        text,
        operands,
        out="dense",
        order=tuple(order),
        choices={"sort-products": True},
    )
    if "max=" in text:
        want = operands["A"].to_dense().max(axis=0)
    else:
        want = einsum(text, operands)
    np.testing.assert_allclose(sums, want, rtol=1e-9, atol=1e-6)


SEVERAL_SUMS = [
    "y[j] = A[i,j] * x[i] + B[i,j] * x[i]",
    "y[j] = A[i,j] * x[i] + B[j,i] * x[i]",
    "y[j] = b[j] - A[i,j] * x[i] - B[i,j] * C[i,j]",
    "Z[i,k] = A[i,j] * B[j,k] + C[i,j] * B[j,k]",
    "Z[i,k] = A[j,i] * B[j,k] + C[i,k]",
    "y[j] = A[i,j] + B[i,j] + C[i,j]",
    "s = A[i,j] + B[j,i]",
]


@pytest.mark.host_only
@pytest.mark.parametrize("text", SEVERAL_SUMS)
def test_sorted_and_scattered_sums_have_one_order(text):
    """Each term is added up alone, whether its products are listed or not."""
    matrices = {
        name: matrix(4000, 300, 300, seed, full=seed) for seed, name in enumerate("ABC")
    }
    given = matrices | {"x": vector(300), "b": vector(300)}
    given = {name: value for name, value in given.items() if name in text}
    for parts in (1, 7):
        sums = [
            nacho.evaluate(text, given, out="dense", parts=parts, **options)
            for options in (
                {"choices": {"sort-products": False}},
                {"choices": {"sort-products": True}},
                {"target": "cuda-sim"},
            )
        ]
        assert_same(sums)


@pytest.mark.host_only
def test_explain_says_why_products_are_sorted():
    A = WIDE["even"]
    text = sorting_kernel().explain(A, vector(3000), threads=8)
    assert "products are sorted, and added up sum by sum: rows of 200000 sums" in text
    assert "list 0" in text
    assert "sorted" not in sorting_kernel().explain(A, vector(3000), threads=2)


@pytest.mark.host_only
def test_steps_of_sorted_products_are_bounded():
    A = WIDE["even"]
    for parts in (16, 1000):
        before = _nacho.counted_steps()
        choices = {"count-steps": True, "sort-products": True}
        options = {"parts": parts, "threads": 1, "choices": choices}
        operands = {"A": A, "x": vector(3000)}
        nacho.evaluate(COLUMN, operands, order=("i", "j"), out="dense", **options)
        steps = _nacho.counted_steps() - before
        assert steps <= 8 * (A.nnz + 3000 + 200_000), parts


@pytest.mark.host_only
def test_memory_of_sorted_products_is_bounded():
    """The list needs less than 100 bytes for each entry, and the result its extent."""
    text = MEMORY.replace("entries = 10**7, 1000", "entries = 10**7, 10**6")
    text = text.replace("threads=16", "threads=8")
    run = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) * 1024 < 1.5 * 8 * 10**7 + 100 * 10**6
