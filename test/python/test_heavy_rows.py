"""Rows of scattered results that are too heavy for one part."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import _nacho

pytestmark = pytest.mark.any_target

PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"

# Each of these scatters, or looks up a mask, in rows of very different weights.
EXPRESSIONS = [
    PRODUCT,
    "Z[i,k] = M[i,k] * A[i,j] * B[j,k]",
    "Z[k,i] = M[i,k] * A[i,j] * B[j,k]",
    "Z[i,k] = M[i,j] * A[j,k] * B[i,k]",
    "Z[i,k] = M[i,k] + A[i,j] * B[j,k]",
    "Z[i,l] = M[i,j] * A[j,k] * B[k,l]",
    "Z[i,l] = M[i,l] * A[i,j] * B[j,k] * A[k,l]",
    "Z[i,k] = M[i,k] * A[i,j] * A[j,k]",
    "y[k] = A[i,j] * B[j,k]",
    "t[i] = M[i,k] * A[i,j] * B[j,k]",
    "s = M[i,k] * A[i,j] * B[j,k]",
    "s = M[i,j] * A[j,k] * B[k,l] * M[l,i]",
]


def csr(rows, columns, values, n):
    coordinates = (np.asarray(rows, np.int32), np.asarray(columns, np.int32))
    return sp.csr_array(sp.coo_array((values, coordinates), (n, n)))


def arrow(n):
    """The first row is full, and the diagonal."""
    diagonal = np.arange(n)
    rows = np.append(np.zeros(n, int), diagonal[1:])
    return csr(rows, np.append(diagonal, diagonal[1:]), np.ones(2 * n - 1), n)


def power(n, seed):
    """A few rows have most entries."""
    rng = np.random.default_rng(seed)
    rows = np.minimum((3 * rng.pareto(1.0, 3 * n)).astype(int), n - 1)
    flat = np.unique(rows * n + rng.integers(0, n, 3 * n))
    return csr(flat // n, flat % n, rng.standard_normal(flat.size), n)


def band(n):
    """The diagonal and the one above it."""
    return sp.csr_array(sp.eye_array(n) + sp.eye_array(n, k=1))


def expected(expression, inputs):
    """The result by dense products of two factors at a time."""
    target, terms = expression.split(" = ")
    result = "".join(re.findall(r"\w", target.partition("[")[2]))
    total = 0
    for term in terms.split(" + "):
        factors = re.findall(r"(\w)\[(\w),(\w)\]", term)
        spelling = ",".join(i + j for _, i, j in factors) + "->" + result
        dense = [inputs[name].toarray() for name, _, _ in factors]
        total = total + np.einsum(spelling, *dense, optimize=True)
    return total


def operands(kind, n=150):
    if kind == "arrow":
        return {"M": arrow(n), "A": sp.csr_array(sp.eye_array(n)), "B": band(n)}
    if kind == "sums":  # One entry of the product is a sum of n elements.
        return {"M": arrow(n), "A": arrow(n), "B": sp.csr_array(arrow(n).T)}
    return dict(zip("MAB", (power(n, seed) for seed in range(3)), strict=True))


def used(expression, kind):
    return {k: v for k, v in operands(kind).items() if f"{k}[" in expression}


def bits(result):
    if isinstance(result, nacho.Tensor):
        return [*result.pos, *result.crd, result.values.view(np.int64)]
    if sp.issparse(result):
        result.sum_duplicates()
        return [result.indptr, result.indices, result.data.view(np.int64)]
    return [np.asarray(result).reshape(-1).view(np.int64)]


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["arrow", "sums", "power"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.sampled
def test_parts_do_not_change_a_bit_of_a_scattered_result(expression, kind):
    inputs = used(expression, kind)
    whole = nacho.evaluate(expression, inputs, parts=1)
    sums = expected(expression, inputs)
    dense = whole.toarray() if sp.issparse(whole) else whole
    np.testing.assert_allclose(dense, sums, atol=1e-9)
    for parts, threads in ((2, 2), (16, 1), (1000, 2)):
        cut = nacho.evaluate(expression, inputs, parts=parts, threads=threads)
        if expression[0] in "st":  # Sums are cut, and their parts added up.
            np.testing.assert_allclose(cut, sums, atol=1e-9)
            continue
        for one, other in zip(bits(cut), bits(whole), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.sampled
@pytest.mark.host_only
@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["arrow", "sums", "power"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nests_are_balanced(expression, kind):
    """Within the declared bound; a row that stays whole is a quarter of a share."""
    for parts in (2, 16, 1000):
        cut = nacho.partition(expression, parts, used(expression, kind))
        work = sum(nest.total for nest in cut.nests)
        for nest in cut.nests:
            assert np.ptp(nest.costs) <= 2 * nest.delta
            if nest.order[-1:] == ("i",):
                share = max(work, nest.total) / parts
                assert nest.costs.max() <= nest.costs.mean() + share / 4 + 8


@pytest.mark.host_only
def test_a_full_row_of_a_mask():
    """As the first row of the mask is full, its table would outweigh all else."""
    cut = nacho.partition(EXPRESSIONS[1], 16, used(EXPRESSIONS[1], "arrow"))
    for nest in cut.nests:
        assert nest.costs.max() <= nest.costs.mean() + max(2 * min(nest.delta, 2), 8)


@pytest.mark.host_only
def test_what_is_listed_is_listed_once():
    """The list of a refused program is kept, and light rows are not copied."""
    n = 20_000
    inputs = {"A": arrow(n), "B": band(n)}

    def steps(parts, pins=None):
        choices = {"count-steps": True, "drafts": True} | (pins or {})
        before = _nacho.counted_steps()
        nacho.evaluate(PRODUCT, inputs, parts=parts, threads=1, choices=choices)
        return _nacho.counted_steps() - before

    # The first row, with half of the products, is listed, sorted and added up. All rows
    # are in two more lists, and in the union of heavy and light ones. The lists and the
    # results of several parts are moved together, those of one part are not.
    assert steps(16, {"row-pieces": False}) <= 3.2 * steps(1)
    # The entries are listed twice, and those of the result moved once.
    assert steps(16) <= 2.6 * steps(1)
    assert steps(128) <= 2.6 * steps(1)


def columns(n, hot):
    """Half of the entries of each row lie in a few neighbouring columns."""
    rng = np.random.default_rng(n)
    rows = np.repeat(np.arange(n), 32)
    spread = rng.integers(0, n, rows.size)
    near = (n // 3 + rng.integers(0, hot, rows.size)) % n
    flat = np.unique(rows * n + np.where(rng.random(rows.size) < 0.5, spread, near))
    return csr(flat // n, flat % n, rng.standard_normal(flat.size), n)


@pytest.mark.parametrize("expression", [PRODUCT, "Z[l,i,k] = T[l,i,j] * B[j,k]"])
def test_heavy_rows_come_in_pieces(expression):
    """The columns of a row are cut, and each sum keeps the order of its products."""
    n = 4000
    inputs = {"B": columns(n, hot=n)}
    if "T" in expression:
        rows = sp.coo_array(arrow(n))
        at = (np.arange(rows.nnz) % 2, *rows.coords)
        inputs["T"] = nacho.Tensor.from_coo(
            at, rows.data, shape=(2, n, n), format="csf"
        )
    else:
        inputs["A"] = arrow(n)
    whole = nacho.evaluate(expression, inputs, parts=1)
    for pins in ({}, {"row-pieces": False}, {"drafts": False}):
        kernel = nacho.mlir.compile(expression, choices=pins)
        for parts, threads in ((2, 2), (16, 1), (40, 2)):
            run = {"parts": parts, "threads": threads}
            cut = kernel(**inputs, **run)
            for one, other in zip(bits(cut), bits(whole), strict=True):
                np.testing.assert_array_equal(one, other)
        text = kernel.explain(**inputs, parts=16)
        assert ("heavy rows in pieces" in text) == ("row-pieces" not in pins)


@pytest.mark.host_only
def test_pieces_that_are_too_heavy_are_cut_again():
    n = 4000
    inputs = {"A": arrow(n), "B": columns(n, hot=60)}
    kernel = nacho.mlir.compile(PRODUCT)
    text = kernel.explain(**inputs, parts=16)
    assert "row-pieces, fine-pieces" in text
    plan = kernel.plan(**inputs, parts=16)
    assert plan.costs.max() <= 1.25 * plan.costs.mean() + 8
    whole = kernel(**inputs, parts=1)
    cut = kernel(**inputs, parts=16)
    for one, other in zip(bits(cut), bits(whole), strict=True):
        np.testing.assert_array_equal(one, other)
    # With one column for half of a row's products, no piece is light enough.
    inputs["B"] = columns(n, hot=1)
    assert "heavy rows entry by entry" in kernel.explain(**inputs, parts=64)


# --- What is chosen -------------------------------------------------------------------


def heavy(columns=90):
    """A row with most products, of which one thread of a GPU does up to 4096."""
    rng = np.random.default_rng(10)
    A, B = rng.random((30, 60)) < 0.03, rng.random((60, columns)) < 0.2
    A[17] = True
    return {name: sp.csr_array(mask * 1.0) for name, mask in (("A", A), ("B", B))}


def test_only_heavy_rows_are_listed():
    kernel = nacho.mlir.compile(PRODUCT, choices={"row-pieces": False})
    text = kernel.explain(**heavy(900), parts=8)
    assert "heavy rows entry by entry, others whole: with whole rows, a worker" in text
    inputs = heavy(900)
    inputs["A"] = inputs["A"][:17]
    assert "heavy rows entry" not in kernel.explain(**inputs, parts=2)


@pytest.mark.host_only
def test_heavy_parts_are_started_first():
    """The last row has a quarter of the work, and the parts an eighth each."""
    n = 4000
    rows = np.append(np.repeat(np.arange(n - 1), 3), np.full(n, n - 1))
    columns = np.append(np.arange(3 * n - 3) % n, np.arange(n))
    A = csr(rows, columns, np.ones(rows.size), n)
    B = csr(np.repeat(np.arange(n), 3), np.arange(3 * n) % n, np.ones(3 * n), n)
    kernel = nacho.mlir.compile(PRODUCT, choices={"whole-rows": True})
    costs = kernel.plan(A, B, threads=4).costs
    assert costs.size == 8 and costs[-1] > 1.5 * costs.mean()
    # In their order, the threads would take turns until only the last part is left.
    waiting = (costs[3] + costs[-1]) / (costs.sum() / 4)
    assert waiting > 1.3
    text = kernel.explain(A, B, threads=4)
    share = re.search(r"the busiest worker has ([0-9.]+) of its share", text)
    assert share and float(share[1]) < 1.1
    one = kernel(A, B, threads=1)
    for x, y in zip(bits(kernel(A, B, threads=4)), bits(one), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("values", [np.float32, np.complex128, np.int8, np.uint8, bool])
def test_types(values):
    inputs = {name: operand.astype(values) for name, operand in heavy().items()}
    whole = nacho.evaluate(PRODUCT, inputs, parts=1)
    cut = nacho.evaluate(PRODUCT, inputs, parts=9, threads=2)
    assert cut.dtype == whole.dtype
    assert samples.same(cut, whole)


def test_negative_zeros():
    """The sum of one element is that element, even if it is -0."""
    A = sp.csr_array(-np.ones((3, 40)))
    B = sp.csr_array(sp.coo_array((np.zeros(40), np.tile(np.arange(40), (2, 1)))))
    for parts in (1, 2, 30):
        Z = nacho.evaluate(PRODUCT, A=A, B=B, parts=parts)
        assert Z.nnz == 120
        assert np.signbit(Z.data).all()


@pytest.mark.parametrize("formats", ["csr csr csr", "dcsr csr dcsr", "coo csr coo"])
def test_formats(formats):
    a, b, z = formats.split()
    kernel = nacho.mlir.compile(PRODUCT, {"A": a, "B": b, "Z": z})
    inputs = heavy()
    A = nacho.Tensor.from_dense(inputs["A"].toarray(), a)
    B = nacho.Tensor.from_dense(inputs["B"].toarray(), b)
    for parts in (1, 3, 50):
        samples.check(kernel(A, B, parts=parts), PRODUCT, inputs)


def test_heavy_rows_can_be_shared_instead():
    """A choice that is pinned is not made otherwise."""
    choices = {"heavy-rows": False}
    kernel = nacho.mlir.compile(PRODUCT, choices=choices)
    inputs = heavy(900)
    assert "rows shared by parts: with whole rows" in kernel.explain(**inputs, parts=8)
    samples.check(kernel(**inputs, parts=8), PRODUCT, inputs)
    masked = nacho.mlir.compile(EXPRESSIONS[-2], choices=choices)
    inputs = operands("arrow")
    found = masked(**inputs, parts=16)
    np.testing.assert_allclose(found, expected(EXPRESSIONS[-2], inputs))


def test_plans_are_executed_again():
    A, B = heavy(900).values()
    kernel = nacho.mlir.compile(PRODUCT)
    plan = kernel.plan(A, B, parts=8)
    assert plan.balance <= 1.1
    for factor in (2.0, -0.5):
        samples.check(plan.execute(A * factor, B), PRODUCT, {"A": A * factor, "B": B})


def test_order_three():
    expression = "Z[i,l,k] = T[i,l,j] * B[j,k]"
    rng = np.random.default_rng(4)
    dense = (rng.random((6, 5, 40)) < 0.1) * 1.0
    dense[2, 3] = 1.5
    coordinates = np.array(np.nonzero(dense))
    T = nacho.Tensor.from_coo(
        coordinates, dense[dense != 0], shape=dense.shape, format="csf"
    )
    B = sp.random_array((40, 70), density=0.2, rng=rng, format="csr")
    whole = nacho.evaluate(expression, T=T, B=B, parts=1, out="csf")
    expected = np.einsum("ilj,jk->ilk", dense, B.toarray())
    np.testing.assert_allclose(whole.to_dense(), expected)
    for parts in (4, 30):
        cut = nacho.evaluate(expression, T=T, B=B, parts=parts, out="csf")
        np.testing.assert_array_equal(cut.values, whole.values)
        np.testing.assert_array_equal(cut.coords, whole.coords)
