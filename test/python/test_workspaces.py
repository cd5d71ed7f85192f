"""Sums that are scattered: each part adds up what comes to the same coordinates.

A table has a place for every coordinate of a moderate extent; beyond, coordinates are
hashed, and the table grows when it is half full.
"""

import functools
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from samples import PARTS, checked, sampled

pytestmark = pytest.mark.any_target

PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"
CSR = {"A": "csr", "B": "csr", "Z": "csr"}
FAR = 3_000_000_000


@functools.cache
def by_row():
    return nacho.mlir.compile(PRODUCT, CSR)


def collects(kernel):
    """Return whether sums are collected in a workspace."""
    nests = r"nacho\.nest collect<(part_sums|whole_rows)>"
    return bool(re.search(nests, kernel.mlir("loops")))


# --- Formats and expressions ----------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("formats", "order"),
    [
        ("csr csr -> csr", None),
        ("csr csr -> csc", None),
        ("csr csr -> coo", None),
        ("csc csc -> csc", None),
        ("csc csc -> csr", None),
        ("coo csr -> dcsr", None),
        ("dcsr dcsr -> csr", None),
        ("coo coo -> coo", None),
        ("csr csc -> csr", "i,j,k"),
    ],
)
def test_formats(formats, order):
    formats = dict(zip("ABZ", re.findall(r"\w+", formats), strict=True))
    kernel = nacho.mlir.compile(PRODUCT, formats, order=order)
    assert collects(kernel)
    for seed, kind in enumerate(("sparse", "power", "empty")):
        shapes = {"A": (13, 17), "B": (17, 70)}
        checked(kernel, sampled(seed, shapes, formats, kind=kind))


def test_two_scattered_levels_need_all_products():
    formats = {"A": "dcsr", "B": "dcsr", "Z": "csr"}
    kernel = nacho.mlir.compile(PRODUCT, formats, order="j,i,k")
    assert not collects(kernel)
    checked(kernel, sampled(1, {"A": (13, 17), "B": (17, 11)}, formats))


def test_rows_that_are_transposed_can_be_located():
    formats = {"A": "csr", "B": "csc", "Z": "csr"}
    kernel = nacho.mlir.compile(PRODUCT, formats)
    assert collects(kernel)
    assert kernel.order == ("i",)
    checked(kernel, sampled(1, {"A": (13, 17), "B": (17, 11)}, formats))


def test_dense_results_have_rows_of_sums():
    """Nothing is listed, and nothing sorted."""
    for text, formats, shapes in (
        (PRODUCT, CSR | {"Z": "dense"}, {"A": (13, 17), "B": (17, 70)}),
        ("y[j] = A[i,j]", {"A": "csr", "y": "dense"}, {"A": (40, 30)}),
        (
            "y[i] = A[i,j] * x[j]",
            {"A": "csc", "x": "dense", "y": "dense"},
            {"A": (9, 30), "x": (30,)},
        ),
        (
            "y[j] = b[j] - A[i,j]",
            {"A": "csr", "b": "dense"},
            {"A": (40, 30), "b": (30,)},
        ),
    ):
        kernel = nacho.mlir.compile(text, formats)
        assert not any(step.is_sorted for step in kernel.steps)
        for kind in ("sparse", "power", "empty"):
            checked(kernel, sampled(4, shapes, formats, kind=kind))


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["f32", "i8", "u8", "bool", "c128"])
def test_types(dtype):
    kernel = nacho.mlir.compile(PRODUCT, CSR, dtype)
    for kind in ("sparse", "dense", "row"):
        operands = sampled(2, {"A": (9, 20), "B": (20, 40)}, CSR, dtype, kind)
        checked(kernel, operands, parts=(1, 5))


SIBLINGS = "Z[i,k] = C[i,k] + A[i,j] * B[j,k] - D[i,j] * E[j,k]"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "order", "is_collected"),
    [
        ("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", None, True),
        ("Z[i,l] = A[i,j,k] * B[j,k,l]", "i,j,k,l", True),
        ("Z[i,l] = A[i,j] * B[j,k] * C[k,l]", None, True),
        ("Z[j] = A[i,j]", "i,j", True),
        ("Z[k] = A[i,j] * B[j,k]", "i,j,k", True),
        ("Z[j] = A[i,i] * B[i,j]", "i,j", True),
        ("Z[k,i] = A[i,j] * B[j,k]", None, True),
        ("Z[i,k] = (A[i,j] + D[i,j]) * B[j,k]", None, True),
        (SIBLINGS, None, True),
        ("Z[i,part] = A[i,j] * B[j,part]", None, True),
        ("Z[i,k] max= A[i,j] * B[j,k]", None, False),
        ("Z[i,k,l] = A[i,j] * B[j,k,l]", None, False),
    ],
)
def test_expressions(text, order, is_collected):
    extents = {"i": 6, "j": 11, "k": 14, "l": 9, "part": 14}
    accesses = re.findall(r"(\w)\[([\w,]+)\]", text)
    shapes = {name: [extents[n] for n in at.split(",")] for name, at in accesses}
    names = ("", "sparse-vector", "csr", "csf")
    formats = {name: names[len(shape)] for name, shape in shapes.items()}
    kernel = nacho.mlir.compile(text, formats, order=order)
    assert collects(kernel) == is_collected
    del shapes["Z"]
    if "A[i,i]" in text:
        shapes["A"] = (6, 6)
    checked(kernel, sampled(3, shapes, formats), parts=(1, 3, 50))


def test_special_values():
    rng = np.random.default_rng(5)
    A, B = (samples.sample(rng, shape, "sparse") for shape in ((5, 8), (8, 12)))
    checked(by_row(), {"A": A, "B": B})


def test_sums_of_exactly_0_stay():
    """Also those that are 0 only when the parts come together."""
    A = sp.csr_array(np.ones((1, 4)))
    B = nacho.Tensor.from_coo(
        [[0, 1, 2, 3], [5, 5, 3, 3]], [1.0, -1.0, 2.0, -2.0], shape=(4, 9), format="csr"
    ).to_scipy()
    for parts in (1, 2, 3, 4, 9):
        Z = nacho.evaluate(PRODUCT, A=A, B=B, parts=parts)
        assert Z.indices.tolist() == [3, 5]
        assert Z.data.tolist() == [0.0, 0.0]


# --- Shapes ---------------------------------------------------------------------------


def test_extents_of_0_and_1():
    for m, n, k in product((0, 1, 3), repeat=3):
        for kind in ("empty", "dense"):
            operands = sampled(6, {"A": (m, n), "B": (n, k)}, CSR, kind=kind)
            checked(by_row(), operands, parts=(1, 4))


def test_tables_that_are_full():
    """Every coordinate is there, in every word of the marks; half of them, twice."""
    A = sp.csr_array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    for extent in (63, 64, 65, 4096, 4097, (1 << 18) + 1, 1 << 20):
        columns = np.arange(extent, dtype=np.int32)
        rows = [columns, columns[: extent // 2], columns[-1:]]
        ends = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        arrays = (np.arange(ends[-1]) % 7.0 + 1, np.hstack(rows), ends)
        B = sp.csr_array(arrays, (3, extent))
        wanted = A @ B
        wanted.sort_indices()
        for parts in (1, 3):
            Z = by_row()(A, B, parts=parts, threads=2)
            check_known(Z, wanted, columns)


# --- Hashed tables --------------------------------------------------------------------


def far(columns, rows, extent, width=np.int64):
    """Return a tensor with rows of these columns, one after the other.

    Also the same for SciPy, of the columns that occur only; and which these are. No sum
    is 0: SciPy would drop it.
    """
    row = np.sort(np.arange(columns.size) % rows)
    known, places = np.unique(columns, return_inverse=True)
    values = np.random.default_rng(7).integers(1, 5, columns.size).astype(float)
    near = sp.csr_array((values, (row, places)), (rows, known.size))
    near.sum_duplicates()
    pos, crd = near.indptr.astype(width), known[near.indices].astype(width)
    made = nacho.Tensor.from_parts(
        "csr", (rows, extent), [None, pos], [None, crd], near.data
    )
    return made, near, known


def check_known(result, wanted, known):
    """Check a result by row, of whose columns these occur; sums are exact."""
    wanted.sort_indices()
    pos, crd, values = samples.buffers(result)[-3:]
    assert np.array_equal(pos, wanted.indptr)
    assert np.array_equal(crd, known[wanted.indices])
    assert np.array_equal(values, wanted.data)


COLUMNS = {
    "anywhere": (lambda n: np.random.default_rng(8).integers(0, FAR, n.size), FAR),
    "multiples of 2**20": (lambda n: n % 300 << 20, FAR),
    "multiples of 2**40": (lambda n: n % 700 << 40, 1 << 60),
    "the last ones": (lambda n: FAR - 1 - n % 99, FAR),
    "the largest": (lambda n: (1 << 62) - 1 - n % 99, 1 << 62),
    "one too many": (lambda n: n * 7919 % ((1 << 20) + 1), (1 << 20) + 1),
    "32 bits": (lambda n: (1 << 31) - 1 - n % 999, 1 << 31),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_extents_beyond_any_table(kind):
    columns, extent = COLUMNS[kind]
    width = np.int32 if kind == "32 bits" else np.int64
    B, near, known = far(columns(np.arange(4000)), 40, extent, width)
    A = sp.random_array((50, 40), density=0.2, rng=9, format="csr")
    A.data = np.ceil(A.data * 8)
    for parts in PARTS:
        result, other = (
            nacho.evaluate(PRODUCT, A=A, B=B, out="csr", parts=parts, threads=threads)
            for threads in (1, 2)
        )
        check_known(result, A @ near, known)
        assert samples.same(result, other)


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_tables_that_grow(width):
    """A row has more columns than half of the first table, and of the next one."""
    columns = np.arange(330_000) * 6007
    B, near, known = far(columns, 3, 1 << 31, width)
    A = sp.csr_array([[0.0, 1.0, 0.0], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])
    index = {"A": "i32", "B": "i32" if width is np.int32 else "i64"}
    kernel = nacho.mlir.compile(PRODUCT, CSR, index=index)
    assert collects(kernel)
    assert B.crd[1].dtype == width
    plan = kernel.plan(A, B, parts=3, threads=2)
    for _ in range(2):
        check_known(plan.execute(), A @ near, known)
    check_known(kernel(A, B, parts=1), A @ near, known)


# --- Parts ----------------------------------------------------------------------------


def heavy():
    """A row of A, and so one of the result, is more than all others together."""
    rng = np.random.default_rng(10)
    A, B = rng.random((30, 60)) < 0.03, rng.random((60, 90)) < 0.2
    A[17] = True
    return {name: sp.csr_array(mask * 1.0) for name, mask in (("A", A), ("B", B))}


def test_rows_that_are_left_whole():
    """As long as none is too heavy: then the parts do not change a bit."""
    operands = sampled(11, {"A": (900, 60), "B": (60, 70)}, CSR)
    kernel = nacho.mlir.compile(PRODUCT, CSR)
    whole = kernel(**operands, parts=1)
    for parts in (2, 5, 9):
        plan = kernel.plan(**operands, parts=parts, threads=2)
        assert plan.balance <= 9 / 8
        assert samples.same(plan.execute(), whole)
    assert nacho.partition(PRODUCT, 9, operands).order == ("i",)
    assert nacho.partition(PRODUCT, 2000, operands).order == ("i", "k")


@pytest.mark.parametrize("extent", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_whole_rows_of_the_largest_extents(extent):
    columns = np.array([0, 1, extent - 1], np.int32)
    B = sp.csr_array((np.ones(3), columns, np.array([0, 3], np.int32)), (1, extent))
    A = sp.csr_array(np.ones((4, 1)))
    Z = by_row()(A, B)
    assert Z.indices.tolist() == columns.tolist() * 4


@pytest.mark.parametrize("column", [64 + 5, -1])
@pytest.mark.parametrize("split", [False, True])
def test_columns_that_do_not_exist_in_a_table_that_is_full(column, split):
    A = sp.csr_array(np.ones((1, 2)))
    columns = np.append(np.arange(64), 0).astype(np.int32)
    B = sp.csr_array((np.ones(65), columns, np.array([0, 64, 65], np.int32)), (2, 64))
    plan = by_row().plan(A, B, parts=2 if split else 1)
    B.indices[-1] = column
    with pytest.raises(nacho.OperandError):
        plan.execute(A, B)


def test_row_that_all_parts_share():
    operands = heavy()
    work = operands["A"] @ np.diff(operands["B"].indptr)
    assert work.max() > work.sum() / 2
    checked(by_row(), operands)


@pytest.mark.parametrize("cost", ["nnz", "nnz+loops"])
def test_nests_are_balanced(cost):
    cut = nacho.partition(PRODUCT, 16, heavy(), cost=cost)
    orders = [nest.order for nest in cut.nests]
    elements, sums, light, both = 2, 3, 5, 6
    assert orders[elements] == ("i", "j", "k") and orders[light] == ("i",)
    for number, nest in enumerate(cut.nests):
        assert np.ptp(nest.costs) <= 2 * nest.delta
        assert number in (sums, light) or 0 < nest.delta <= 3
    # Each element of a heavy row is listed once, and each entry is copied once.
    assert cut.nests[sums].total <= cut.nests[elements].total
    assert cut.total <= 2 * (by_row().count(**heavy()) + 30)
    assert orders[both] == cut.order == ("i", "k")


# --- Plans ----------------------------------------------------------------------------


def test_plans_are_executed_with_other_values():
    operands = heavy()
    A, B = operands.values()
    plan = by_row().plan(A, B, parts=7, threads=2)
    for factor in (1.0, -2.0, 0.0):
        A2, B2 = A * factor, B + B
        result = plan.execute(A2, B2)
        samples.check(result, PRODUCT, {"A": A2, "B": B2})
        assert samples.same(result, by_row()(A2, B2, parts=7, threads=2))


@pytest.mark.parametrize("threads", [1, 2])
def test_plans_are_executed_from_several_threads_at_once(threads):
    A, B = heavy().values()
    plan = by_row().plan(A, B, parts=7, threads=threads)
    factors = np.arange(1.0, 41.0)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda factor: plan.execute(A * factor, B), factors))
    for factor, result in zip(factors, results, strict=True):
        assert samples.same(result, by_row()(A * factor, B, parts=7, threads=1))


def test_plans_refuse_other_patterns_and_go_on():
    """More columns come together than were counted, or fewer; then as planned."""
    A, B = heavy().values()
    plan = by_row().plan(A, B, parts=7, threads=2)
    for other in (np.full(A.nnz, 3), np.arange(A.nnz) % 60):
        A2 = A.copy()
        A2.indices[:] = other
        with pytest.raises(nacho.OperandError):
            plan.execute(A2, B)
        samples.check(plan.execute(A, B), PRODUCT, {"A": A, "B": B})


# --- Rows with few and with many repeated coordinates ---------------------------------


@pytest.mark.parametrize("values", ["f8", "i4", "c16", "?"])
@pytest.mark.parametrize("parts", [1, 3])
def test_coordinates_that_repeat_here_and_there(values, parts):
    """How often coordinates repeat decides from row to row how they are inserted."""
    rng = np.random.default_rng(7)
    n = 400
    rows = np.concatenate(
        [np.full(40, i) if i // 60 % 2 else np.full(2, i) for i in range(n)]
    )
    A = sp.coo_array((rows.size * [1], (rows, rng.integers(0, n, rows.size))), (n, n))
    # Half of the rows have entries in the same few columns, the others anywhere.
    columns = rng.integers(0, np.where(np.arange(n) % 2, 12, 70_000)[:, None], (n, 6))
    at = (np.repeat(np.arange(n), 6), columns.ravel())
    B = sp.coo_array((rng.integers(1, 4, 6 * n), at), (n, 70_000))
    A, B = (sp.csr_array(each).astype(values) for each in (A, B))
    Z = nacho.evaluate(PRODUCT, A=A, B=B, parts=parts)
    wanted = sp.csr_array(A.astype(complex) @ B.astype(complex))
    wanted.sort_indices()
    np.testing.assert_array_equal(Z.indptr, wanted.indptr)
    np.testing.assert_array_equal(Z.indices, wanted.indices)
    np.testing.assert_array_equal(Z.data, wanted.data.astype(values))
