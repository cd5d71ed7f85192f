"""Calls that append without having counted, against plans, which count."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import same
from nacho import Tensor, _nacho

pytestmark = pytest.mark.any_target

PARTS = (1, 2, 3, 7, 64, 1000)


def random(shape, nnz, format, seed, dtype=np.float64):
    """Few entries: whoever samples the operands sees hardly any match."""
    rng = np.random.default_rng(seed)
    coords = np.array([rng.integers(0, extent, nnz) for extent in shape])
    values = rng.integers(1, 9, nnz).astype(dtype)
    return Tensor.from_coo(coords, values, shape=shape, format=format)


def both(kernel, operands, **options):
    """What a call computes; and what a plan does."""
    return kernel(*operands, **options), kernel.plan(*operands, **options).execute(
        *operands
    )


def dense(tensor):
    return tensor.to_dense() if isinstance(tensor, Tensor) else tensor.toarray()


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("parts", PARTS)
def test_intersection(format, parts):
    A, B = (random((300, 200), 2000, format, seed) for seed in (1, 2))
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] * B[i,j]", formats=dict.fromkeys("ABZ", format)
    )
    assert "_compact" in kernel.mlir("assemble", choices={"drafts": True})
    assert "_compact" not in kernel.mlir("assemble")
    called, planned = both(kernel, (A, B), parts=parts, threads=2)
    assert same(called, planned)
    np.testing.assert_array_equal(dense(called), A.to_dense() * B.to_dense())


UNION = "Z[i,j] = A[i,j] - B[i,j]"


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("parts", PARTS)
def test_union(format, parts):
    A, B = (random((300, 200), 2000, format, seed) for seed in (1, 2))
    formats = dict.fromkeys("ABZ", format)
    drafted = nacho.mlir.compile(UNION, formats=formats, choices={"draft-unions": True})
    assert "in_turn" in drafted.mlir("assemble", choices={"draft-unions": True})
    assert "in_turn" not in drafted.mlir("assemble", choices={"drafts": True})
    called, planned = both(drafted, (A, B), parts=parts, threads=2)
    assert same(called, planned)
    np.testing.assert_array_equal(dense(called), A.to_dense() - B.to_dense())


@pytest.mark.parametrize("shape", [(300, 200), (40_000, 30), (1, 90_000), (0, 3)])
def test_a_union_is_not_counted(shape):
    """The result is the same; it may be far smaller than what rows and entries cost."""
    A, B = (random(shape, 20_000 * bool(shape[0]), "csr", seed) for seed in (1, 2))
    kernel = nacho.mlir.compile(UNION, formats=dict.fromkeys("ABZ", "csr"))
    one, two = (kernel(A, B, threads=threads) for threads in (1, 2))
    counted = kernel(A, B, threads=1, parts=8)
    assert same(one, two)
    assert same(one, counted)
    np.testing.assert_array_equal(dense(one), A.to_dense() - B.to_dense())


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("Z[i,j] = A[i,j] - B[i,j] + C[i,j]", lambda A, B, C: A - B + C),
        ("Z[i,j] = A[i,j] * B[i,j] + C[i,j]", lambda A, B, C: A * B + C),
    ],
)
def test_unions_of_more_than_two_operands(expression, expected):
    """They are not counted, either, and may have few entries."""
    A, B, C = (random((300, 200), 9000, "csr", seed) for seed in (1, 2, 3))
    formats = dict.fromkeys("ABCZ", "csr")
    kernel = nacho.mlir.compile(expression, formats=formats)
    assert "in_turn" in kernel.mlir("assemble", choices={"draft-unions": True})
    for operands in ((A, B, C), (A, A, A)):
        one, two = (kernel(*operands, threads=threads) for threads in (1, 2))
        counted = kernel(*operands, threads=1, parts=8)
        assert same(one, two)
        assert same(one, counted)
        values = expected(*(operand.to_dense() for operand in operands))
        np.testing.assert_array_equal(dense(one), values)


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "sparse-vector"])
def test_parts_that_move_their_entries_in_turn(format, threads):
    """Whichever thread has a part, and in whatever draft: first parts and last ones."""
    shape = (300_000,) if format == "sparse-vector" else (3000, 2000)
    indices = "i" if format == "sparse-vector" else "i,j"
    kernel = nacho.mlir.compile(
        f"Z[{indices}] = A[{indices}] + B[{indices}]",
        formats=dict.fromkeys("ABZ", format),
        threads=threads,
    )
    for entries in ((200_000, 150_000), (200_000, 0), (1, 200_000)):
        A, B = (random(shape, n, format, 1 + at) for at, n in enumerate(entries))
        counted = kernel.plan(A, B).execute(A, B)
        for _ in range(5):
            assert same(kernel(A, B), counted)
    np.testing.assert_array_equal(dense(counted), A.to_dense() + B.to_dense())


@pytest.mark.host_only
@pytest.mark.parametrize("second", ["* B[i,j]", "* B[j,k]"])
def test_what_one_thread_drafts_is_the_result(second):
    """There is one part, whose entries are where they belong."""
    inputs = {
        name: random((9000, 9000), 90_000, "csr", seed)
        for seed, name in enumerate("AB")
    }
    out = "i,k" if "k" in second else "i,j"

    def steps(parts):
        before = _nacho.counted_steps()
        result = nacho.evaluate(
            f"Z[{out}] = A[i,j] {second}",
            inputs,
            parts=parts,
            threads=1,
            choices={"count-steps": True},
        )
        return result, _nacho.counted_steps() - before

    (one, fewest), (chosen, taken) = steps(1), steps(None)
    assert same(one, chosen)
    assert taken == fewest


def test_equal_operands_that_are_united():
    """There is room for twice as many entries, of which half are there."""
    A = random((3000, 2000), 200_000, "csr", 1)
    results = [nacho.evaluate(UNION, A=A, B=A, threads=2) for _ in range(3)]
    for Z in results:
        assert Z.pos[1].tolist() == A.pos[1].tolist()
        assert Z.values.size == A.values.size
        assert not Z.values.any()


@pytest.mark.host_only
@pytest.mark.parametrize("threads", [2, 16])
@pytest.mark.parametrize("is_equal", [False, True])
def test_a_union_is_counted_if_memory_is_short(threads, is_equal):
    """What was allocated for its drafts is released first."""
    A, B = (random((300_000, 20), 100_000, "csr", seed) for seed in (1, 2))
    B = A if is_equal else B
    kernel = nacho.mlir.compile(UNION, formats=dict.fromkeys("ABZ", "csr"))
    counted = kernel.plan(A, B).execute(A, B)
    needed = counted.pos[1].nbytes + counted.values.size * 12
    for percent in range(115, 300, 10):
        limit = needed * percent // 100
        assert same(kernel(A, B, threads=threads, memory_limit=limit), counted)


def test_drafts_of_sums_that_are_added():
    """Sums have as many parts as ever; only the union that takes them has one."""
    A, B = (random((2000, 900), 90_000, "csr", seed) for seed in (1, 2))
    x = np.random.default_rng(3).random(900)
    kernel = nacho.mlir.compile(
        "y[i] = A[i,j]*x[j] + B[i,j]*x[j]",
        formats={"A": "csr", "B": "csr", "x": "dense", "y": "dense"},
    )
    one, two = (kernel(A=A, B=B, x=x, threads=threads) for threads in (1, 2))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("parts", PARTS)
def test_sparse_vectors(parts):
    a, b = (random((50_000,), 4000, "sparse-vector", seed) for seed in (1, 2))
    kernel = nacho.mlir.compile(
        "z[i] = a[i] * b[i]", formats=dict.fromkeys("abz", "sparse-vector")
    )
    called, planned = both(kernel, (a, b), parts=parts, threads=2)
    assert same(called, planned)
    np.testing.assert_array_equal(dense(called), a.to_dense() * b.to_dense())


@pytest.mark.parametrize("parts", PARTS)
def test_a_level_below_two_dense_ones(parts):
    """Positions of all rows, also those that no part has entries in."""
    format = "(d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed)"
    A, B = (random((7, 9, 300), 1500, format, seed) for seed in (1, 2))
    kernel = nacho.mlir.compile(
        "Z[i,j,k] = A[i,j,k] * B[i,j,k]", formats=dict.fromkeys("ABZ", format)
    )
    called, planned = both(kernel, (A, B), parts=parts, threads=2)
    assert same(called, planned)
    np.testing.assert_array_equal(dense(called), A.to_dense() * B.to_dense())


@pytest.mark.sampled
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("out", ["csr", "coo", "dcsr"])
def test_products(parts, out):
    A, B = (random((120, 120), 900, "csr", seed, np.int64) for seed in (1, 2))
    kernel = nacho.mlir.compile(
        "Z[i,k] = A[i,j] * B[j,k]",
        formats={"A": "csr", "B": "csr", "Z": out},
        dtype="i64",
    )
    called, planned = both(kernel, (A, B), parts=parts, threads=2)
    assert same(called, planned)
    np.testing.assert_array_equal(dense(called), A.to_dense() @ B.to_dense())


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("columns", [1, 7, 2**40])
def test_rows_of_less_than_their_products(parts, columns):
    """Parts append from the elements of rows before them, unless these are more."""
    A, B = random((50, 300), 6000, "csr", 1), random((300, 7), 1500, "csr", 2)
    given = B.to_dense()[:, :columns]
    stored = np.nonzero(given)
    B = nacho.Tensor.from_coo(stored, given[stored], shape=(300, columns), format="csr")
    Z = nacho.evaluate("Z[i,k] = A[i,j] * B[j,k]", A=A, B=B, parts=parts, threads=2)
    found = np.zeros((50, given.shape[1]))
    found[tuple(Z.coords)] = Z.values
    np.testing.assert_allclose(found, A.to_dense() @ given)


def test_lists_that_are_remapped():
    A, B = (random((400, 400), 3000, "dcsr", seed) for seed in (1, 2))
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] * B[i,j]", formats=dict.fromkeys("ABZ", "dcsr")
    )
    text = kernel.mlir("assemble", choices={"drafts": True})
    assert text.count("_compact(") == 1, "of the list; rows of the result are counted"
    for parts in PARTS:
        called, planned = both(kernel, (A, B), parts=parts, threads=2)
        assert same(called, planned)
        np.testing.assert_array_equal(dense(called), A.to_dense() * B.to_dense())


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (3, 3)])
def test_nothing(shape):
    A = sp.csr_array(shape)
    for expression in ("Z[i,j] = A[i,j] * B[i,j]", "Z[i,k] = A[i,j] * B[k,j]"):
        Z = nacho.evaluate(expression, A=A, B=A, out="csr")
        assert Z.nnz == 0
        assert Z.indptr.tolist() == [0] * (shape[0] + 1)


def test_equal_operands_are_counted():
    """A draft would be as large as the result; nobody can tell by the values."""
    A = random((500, 500), 20_000, "csr", 1)
    Z = nacho.evaluate("Z[i,j] = A[i,j] * B[i,j]", A=A, B=A, parts=5, threads=2)
    np.testing.assert_array_equal(dense(Z), A.to_dense() ** 2)


def test_matches_where_no_sample_was_taken():
    """All matches are in rows that are far from any cut."""
    n = 3000
    rows = np.repeat(np.arange(n), 4)
    columns = np.tile(np.arange(0, 8, 2), n)
    A = sp.csr_array((np.ones(4 * n), (rows, columns)), (n, 9))
    middle = (rows > n // 3) & (rows < n // 2)
    B = sp.csr_array((np.ones(4 * n), (rows, columns + ~middle)), (n, 9))
    for parts in (1, 2, 3):
        Z = nacho.evaluate("Z[i,j] = A[i,j] * B[i,j]", A=A, B=B, parts=parts, threads=2)
        assert Z.nnz == middle.sum()
        np.testing.assert_array_equal(Z.toarray(), A.toarray() * B.toarray())


@pytest.mark.host_only
def test_a_plan_without_counts_is_executed_once():
    """Its offsets are those of the draft. Nobody but calls makes such plans."""
    A = random((50, 50), 100, "csr", 1)
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] * B[i,j]", formats=dict.fromkeys("ABZ", "csr")
    )
    operands = [A, random((50, 50), 100, "csr", 2)]
    call = kernel.plan(*operands, parts=1, threads=1)._call
    plan = kernel._default.native.plan(call.args, 1, 1, purpose="call")
    plan.execute(call.args, planned=True)
    with pytest.raises(RuntimeError, match="executed once"):
        plan.execute(call.args, planned=True)


@pytest.mark.host_only
@pytest.mark.parametrize("expression", ["Z[i,j] = A[i,j] * B[i,j]", UNION])
def test_positions_that_are_edited(expression):
    """Cuts can then be anything: parts that would write outside of the draft."""
    A, B = (random((300, 200), 2000, "csr", seed) for seed in (1, 2))
    kernel = nacho.mlir.compile(
        expression,
        formats=dict.fromkeys("ABZ", "csr"),
        validate="none",
        choices={"draft-unions": True} if expression == UNION else None,
    )
    positions = A.pos[1]
    for at in (0, 1, 150, 300):
        before = positions[at]
        for value in (5, 1999, 2**31 - 1, -7):
            positions[at] = value
            for parts in (1, 3, 64):
                # An error, or some result; but nothing is written elsewhere.
                with contextlib.suppress(nacho.NachoError, RuntimeError):
                    kernel(A, B, parts=parts, threads=2)
        positions[at] = before
    Z = kernel(A, B, parts=3, threads=2)
    counted = kernel.plan(A, B, parts=3, threads=2).execute(A, B)
    assert same(Z, counted)


LARGE = """
import resource
import numpy as np, scipy.sparse as sp, nacho
n = 10_500
column = sp.csr_array((np.ones(n), (np.arange(n), np.zeros(n, int))), (n, 1))
row = sp.csr_array(column.T)
M = sp.csr_array((np.ones(n), (np.arange(n), np.arange(n)[::-1])), (n, n))
nacho.evaluate("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", M=M[:50, :50], A=column[:50],
               B=row[:, :50], order=list("ijk"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
Z = nacho.evaluate("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", M=M, A=column, B=row,
                   order=list("ijk"), threads=2)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert (Z != M).nnz == 0
print(grown)
"""


@pytest.mark.host_only
def test_a_draft_that_would_be_too_large():
    """1.1e8 products of which 1e4 are stored are counted before."""
    run = subprocess.run(
        [sys.executable, "-c", LARGE],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 200_000, "KiB"


@pytest.mark.host_only
@pytest.mark.parametrize(
    ("share", "running", "splits"),
    [
        (0.2, {"threads": 2}, False),
        (0.9, {"threads": 2}, False),
        (0.9, {"threads": 8}, False),
        (0.9, {"parts": 8}, True),
    ],
)
def test_heavy_rows_among_threads(share, running, splits):
    """A row is left whole if no thread gets more than eight times its share with it.

    If a number of parts is asked for, each has its share.
    """
    n, heavy, rng = 4000, 2000, np.random.default_rng(1)
    light = int(heavy * (1 - share) / share)
    rows = np.concatenate([rng.integers(0, n, light), np.full(heavy, n // 2)])
    columns = np.concatenate([rng.integers(0, n, light), 2 * np.arange(heavy)])
    coords = (rows.astype(np.int32), columns.astype(np.int32))
    A = sp.csr_array(sp.coo_array((np.ones(rows.size), coords), (n, n)))
    B = sp.random_array((n, n), density=0.005, rng=rng, format="csr")
    B.indices, B.indptr = B.indices.astype(np.int32), B.indptr.astype(np.int32)
    B.data = np.ceil(9 * B.data)
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]")
    Z = kernel(A, B, **running)
    np.testing.assert_array_equal(Z.toarray(), (A @ B).toarray())
    assert ("heavy rows in pieces" in kernel.explain(A, B, **running)) == splits
