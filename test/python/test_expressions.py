"""Named kernels over formats, against the dense oracle, in several parts."""

import itertools
import math

import numpy as np
import pytest

import nacho
import oracle
import samples

pytestmark = pytest.mark.any_target

EXTENTS = {"i": 9, "j": 11, "k": 7, "l": 5, "m": 4, "r": 3}
RUNS = ((1, 1), (3, 2), (7, 3), (200, 2))
INNER = "(d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed)"
BLOCKS = "(d0, d1) -> (d0 : compressed, d1 : dense)"
FIBRES = "(d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : dense)"
GROUP = "(d0, d1, d2) -> (d0 : dense, d1 : compressed(nonunique), d2 : singleton(soa))"
MIXED = (
    "(d0, d1, d2, d3) -> (d0 : dense, d1 : compressed, d2 : compressed(nonunique), "
    "d3 : singleton(soa))"
)


def named(text, formats):
    """Return the formats of the operands, in order, and of the result, by name.

    A scalar has no format.
    """
    ranks = {name: rank for name, rank in oracle.ranks(text).items() if rank}
    return dict(zip(ranks, formats, strict=True))


def levels_of(format, rank):
    if "->" in format:
        return nacho.Format(format).levels
    return samples.levels_of(format, rank)


def orders_of(text, formats):
    """Return the dimensions by level, None for what is dense: see the oracle."""
    ranks, orders = oracle.ranks(text), {}
    for name, format in named(text, formats).items():
        levels = levels_of(format, ranks[name])
        dense = all(kind == "dense" for _, kind in levels)
        orders[name] = None if dense else tuple(dimension for dimension, _ in levels)
    return orders


def compiled(text, formats, dtype="f64", cost="nnz+loops", choices=None):
    return nacho.mlir.compile(
        text, named(text, formats), dtype=dtype, cost=cost, choices=choices
    )


def operands_of(text, formats, extents=EXTENTS, kinds=("sparse",), dtype="f64", seed=0):
    """Return random operands by name; ``kinds`` are used in turn."""
    rng = np.random.default_rng(seed)
    stored, kind = named(text, formats), itertools.cycle(kinds)
    made = {}
    for name, indices in oracle.accesses(text):
        if name not in made:
            shape = tuple(extents[index] for index in indices)
            levels = levels_of(stored[name], len(shape))
            made[name] = samples.sample(rng, shape, next(kind), levels, dtype)
    if "s *" in text:
        made["s"] = samples.numbers(rng, 1, samples.DTYPES[dtype])[0]
    return made


def check(kernel, text, operands, runs=RUNS):
    answer = oracle.solve(text, operands)
    for parts, threads in runs:
        result = kernel(**operands, parts=parts, threads=threads)
        samples.check_answer(result, answer)
        again = kernel(**operands, parts=parts, threads=1)
        assert samples.same(result, again)


# --- The kernels ----------------------------------------------------------------------

UNION, PRODUCT = "Z[i,j] = A[i,j] + B[i,j]", "Z[i,j] = A[i,j] * B[i,j]"
UNION3, PRODUCT3 = "Z[i,j,k] = A[i,j,k] + B[i,j,k]", "Z[i,j,k] = A[i,j,k] * B[i,j,k]"
UNION4 = "Z[i,j,k,l] = A[i,j,k,l] + B[i,j,k,l]"
FUSED = "Z[i,j] = A[i,j] * B[i,j] + C[i,j]"
SUMS = "Z[i,j] = (A[i,j] + B[i,j]) * C[i,j] * D[i,j]"
SCALED = "Z[i,j] = 2 * A[i,j] - s * B[i,j]"
VECTORS = "Z[i] = x[i] + s * y[i] * x[i]"

ELEMENT_WISE = [
    (UNION, "csr", "coo", "csr"),
    (UNION, "csr", "coo", "coo"),
    (UNION, "coo", "dcsr", "dcsr"),
    (UNION, "coo", "coo", "coo"),
    (UNION, "coo-interleaved", "coo-interleaved", "coo-interleaved"),
    (UNION, "coo-interleaved", "csr", "coo"),
    (UNION, "dcsr", BLOCKS, "dcsr"),
    (UNION, "csc", "dcsc", "csc"),
    (PRODUCT, "coo", "coo", "coo"),
    (PRODUCT, "csr", "coo", "dcsr"),
    (PRODUCT, "dcsr", "coo", "coo"),
    (PRODUCT, "coo", "dense", "coo"),
    (PRODUCT, "coo-interleaved", "coo-interleaved", "coo-interleaved"),
    (PRODUCT, "csr", "coo-interleaved", "coo-interleaved"),
    (PRODUCT, "csr", BLOCKS, "csr"),
    (UNION3, "csf", "csf", "csf"),
    (UNION3, "csf", "coo", "coo"),
    (UNION3, "coo", "coo", "csf"),
    (UNION3, INNER, "csf", INNER),
    (UNION3, GROUP, "coo", GROUP),
    (UNION3, "coo-interleaved", "csf", "coo-interleaved"),
    (UNION3, FIBRES, "csf", "csf"),
    (PRODUCT3, "csf", "csf", "csf"),
    (PRODUCT3, "coo", "csf", "coo"),
    (PRODUCT3, INNER, "csf", "csf"),
    (PRODUCT3, FIBRES, FIBRES, FIBRES),
    (UNION4, "csf", "csf", "csf"),
    (UNION4, "coo", MIXED, "coo"),
    (UNION4, MIXED, "csf", MIXED),
    (FUSED, "csr", "coo", "dcsr", "csr"),
    (FUSED, "coo", "coo", "coo", "coo"),
    (FUSED, "coo-interleaved", "coo", "dcsr", "coo-interleaved"),
    (FUSED, "dcsr", "dense", "csr", "dcsr"),
    (SUMS, "csr", "dcsr", "coo", "csr", "csr"),
    (SUMS, "coo", "coo", "coo", "coo", "coo"),
    (SUMS, "csr", "dense", "dcsr", "coo", "dcsr"),
    (SCALED, "csr", "coo", "csr"),
    (SCALED, "coo", "dcsr", "coo"),
    (SCALED, "csc", "csc", "dense"),
    (VECTORS, "coo", "sparse-vector", "coo"),
    (VECTORS, "sparse-vector", "dense", "sparse-vector"),
]

BROADCAST = "Z[i,j] = A[i,j] * x[i] * y[j]"
OUTER = "Z[i,j] = x[i] * y[j]"
ADDED = "Z[i,j] = A[i,j] + x[j]"
ROWS = "Z[i,j] = A[i,j] + x[i]"
LIFTED = "Z[i,j,k] = A[i,j] * B[j,k]"

BROADCASTS = [
    *[
        (BROADCAST, matrix, x, y, matrix)
        for matrix in ("csr", "dcsr", "coo")
        for x in ("dense", "sparse-vector")
        for y in ("dense", "sparse-vector")
    ],
    (BROADCAST, "csc", "sparse-vector", "dense", "csc"),
    (OUTER, "sparse-vector", "sparse-vector", "coo"),
    (OUTER, "sparse-vector", "dense", BLOCKS),
    (OUTER, "dense", "sparse-vector", "csr"),
    (OUTER, "dense", "dense", "dense"),
    (ADDED, "csr", "sparse-vector", "csr"),
    (ADDED, "csr", "dense", "dense"),
    (ADDED, "coo", "sparse-vector", "dense"),
    (ROWS, "csr", "sparse-vector", "csr"),
    (ROWS, "dcsr", "sparse-vector", "dcsr"),
    (LIFTED, "csr", "csr", "csf"),
    (LIFTED, "coo", "csr", "coo"),
]

SPMV = "Z[i] = A[i,j] * x[j]"
SPMM = "Z[i,k] = A[i,j] * X[j,k]"
SDDMM = "Z[i,j] = M[i,j] * A[i,k] * B[k,j]"
SDDMT = "Z[i,j] = M[i,j] * A[i,k] * B[j,k]"
TTV = "Z[i,j] = A[i,j,k] * x[k]"
TTM = "Z[i,j,l] = A[i,j,k] * X[k,l]"
MTTKRP = "Z[i,r] = A[i,j,k] * B[j,r] * C[k,r]"
INNER3 = "Z = A[i,j,k] * B[i,j,k]"
INNER4 = "Z = A[i,j,k,l] * B[i,j,k,l]"
DOT = "Z = x[i] * y[i]"
NORM = "Z = x[i] * x[i]"
BIASED = "Z[i] = b[i] + A[i,j] * x[j]"
SIBLINGS = "Z[i] = A[i,j] * x[j] + B[i,k] * z[k]"
TWO = "Z[i,l] = A[i,j] * B[j,k] * C[k,l]"
SUM, TOTAL = "Z[i] = A[i,j]", "Z = A[i,j]"
PRODUCTS = "Z[i,k] = A[i,j] * B[k,j]"
QUADRATIC = "Z = x[i] * A[i,j] * y[j]"

REDUCTIONS = [
    *[(SPMV, m, "dense", "dense") for m in ("csr", "dcsr", "coo", BLOCKS, "dense")],
    (SPMV, "dcsr", "dense", "sparse-vector"),
    (SPMV, "coo", "dense", "coo"),
    (SPMV, "csr", "sparse-vector", "dense"),
    (SPMV, "csr", "sparse-vector", "sparse-vector"),
    *[(SPMM, m, "dense", "dense") for m in ("csr", "dcsr", "coo", "dense")],
    (SPMM, "dcsr", "dense", BLOCKS),
    (SPMM, "csr", "csc", "csr"),
    (SPMM, "csr", "csc", "dense"),
    *[(SDDMM, m, "dense", "dense", m) for m in ("csr", "dcsr", "coo")],
    (SDDMM, "csr", "csr", "csc", "csr"),
    (SDDMM, "csr", "dense", "dense", "dense"),
    *[(SDDMT, m, "dense", "dense", m) for m in ("csr", "dcsr", "coo")],
    (SDDMT, "csr", "csr", "csr", "csr"),
    (TTV, "csf", "dense", "dense"),
    (TTV, "csf", "dense", "dcsr"),
    (TTV, "coo", "dense", "coo"),
    (TTV, INNER, "dense", "dense"),
    (TTV, "csf", "sparse-vector", "dcsr"),
    (TTM, "csf", "dense", FIBRES),
    (TTM, "coo", "dense", "dense"),
    (TTM, "csf", "csc", "csf"),
    (MTTKRP, "csf", "dense", "dense", "dense"),
    (MTTKRP, "coo", "dense", "dense", "dense"),
    (MTTKRP, "csf", "dense", "dense", BLOCKS),
    (INNER3, "csf", "csf"),
    (INNER3, "coo", "csf"),
    (INNER3, INNER, GROUP),
    (INNER3, "csf", "dense"),
    (INNER4, "csf", "csf"),
    (INNER4, "coo", MIXED),
    (DOT, "sparse-vector", "sparse-vector"),
    (DOT, "sparse-vector", "dense"),
    (DOT, "dense", "dense"),
    (NORM, "coo"),
    (QUADRATIC, "dense", "csr", "dense"),
    (QUADRATIC, "sparse-vector", "coo", "sparse-vector"),
    (BIASED, "dense", "csr", "dense", "dense"),
    (BIASED, "dense", "dcsr", "dense", "dense"),
    (BIASED, "sparse-vector", "dcsr", "dense", "sparse-vector"),
    (BIASED, "sparse-vector", "coo", "sparse-vector", "dense"),
    (SIBLINGS, "csr", "dense", "csr", "dense", "dense"),
    (SIBLINGS, "dcsr", "dense", "coo", "dense", "dense"),
    (SIBLINGS, "dcsr", "sparse-vector", "dcsr", "dense", "sparse-vector"),
    (SUM, "csr", "dense"),
    (SUM, "coo", "sparse-vector"),
    (TOTAL, "coo"),
    (TOTAL, "csc"),
    (TWO, "csr", "dense", "dense", "dense"),
    (PRODUCTS, "csr", "csr", "csr"),
    (PRODUCTS, "csr", "dcsr", "dense"),
]

OTHER_REDUCTIONS = [
    (f"{left} {operator}= {right}", *formats)
    for operator in ("max", "min", "*")
    for left, right, *formats in (
        ("Z[i]", "A[i,j]", "csr", "dense"),
        ("Z[i]", "A[i,j]", "dcsr", "sparse-vector"),
        ("Z[i]", "A[i,j] * x[j]", "csr", "dense", "dense"),
        ("Z[i]", "A[i,j] + x[i]", "coo", "sparse-vector", "sparse-vector"),
        ("Z[i]", "A[i,j]", "dense", "dense"),
        ("Z", "A[i,j]", "csr"),
        ("Z[i,j]", "A[i,j,k]", "csf", "dcsr"),
    )
]

INTO_DENSE = [
    ("Z[i,j] = A[i,j] + B[i,j]", "csr", "dense", "dense"),
    ("Z[i,j] = A[i,j] + B[i,j]", "coo", "csr", "dense"),
    ("Z[i,j] = A[i,j] - B[i,j]", "dcsr", "dcsr", "dense"),
    ("Z[i,j] = A[i,j] + 1", "csr", "dense"),
    ("Z[i,j] = 2 - s * A[i,j]", "dcsr", "dense"),
    ("Z[i,j] = (A[i,j] + s * 1) * (B[i,j] + 2)", "csr", "coo", "dense"),
    ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", "csf", "dense", "dense"),
    ("Z[i] = A[i,j] * x[j] + 1", "csr", "dense", "dense"),
]

KERNELS = ELEMENT_WISE + BROADCASTS + REDUCTIONS + OTHER_REDUCTIONS + INTO_DENSE


def shown(case):
    text, *formats = case
    short = {INNER: "inner", BLOCKS: "blocks", FIBRES: "fibres", GROUP: "group"}
    short[MIXED] = "mixed"
    return f"{text} ({', '.join(short.get(format, format) for format in formats)})"


def empties(text):
    """Return extents with one index, or all, without coordinates.

    What is the largest of no numbers is an error.
    """
    indices = {index for _, names in oracle.accesses(text) for index in names}
    left = text.partition("=")[0]
    plain = not left.endswith(("max", "min", "*"))
    for index in sorted(indices):
        if plain or f"{index}," in left or f"{index}]" in left:
            yield {**EXTENTS, index: 0}
    if plain:
        yield dict.fromkeys(EXTENTS, 0)
    yield dict.fromkeys(EXTENTS, 1)


CHOICES = (
    None,
    {"vector-bits": 0, "branches": True},
    {"vector-bits": 512, "drafts": True, "draft-unions": True},
)
"""What Nacho chooses by the machine and the operands, or what these tests choose."""


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("case", KERNELS, ids=shown)
def test_kernel(case, choices):
    text, *formats = case
    kernel = compiled(text, formats, choices=choices)
    for seed, kinds in enumerate((("sparse",), ("power", "dense"), ("row", "column"))):
        operands = operands_of(text, formats, kinds=kinds, seed=seed)
        if "*=" in text or text == TWO:
            operands = {name: finite(operand) for name, operand in operands.items()}
        check(kernel, text, operands)
    for kinds in (("empty",), ("dense", "empty")):
        check(kernel, text, operands_of(text, formats, kinds=kinds, seed=9), RUNS[:2])
    for extents in empties(text):
        operands = operands_of(text, formats, extents, ("dense",), seed=7)
        check(kernel, text, operands, RUNS[:2])


def finite(operand):
    """Replace what is not finite: what an infinity times 0 is depends on the order."""
    values = getattr(operand, "values", operand)
    values[~np.isfinite(values)] = 0.5
    return operand


# --- Types ----------------------------------------------------------------------------


@pytest.mark.each_value
@pytest.mark.each_pair
@pytest.mark.parametrize("dtype", samples.DTYPES)
@pytest.mark.parametrize(
    "case",
    [
        (UNION, "csr", "coo", "csr"),
        (PRODUCT, "coo", "coo", "coo"),
        (SPMV, "csr", "dense", "dense"),
        (SPMM, "dcsr", "dense", "dense"),
        (DOT, "sparse-vector", "sparse-vector"),
    ],
    ids=shown,
)
@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_types(case, dtype, choices):
    text, *formats = case
    kernel = compiled(text, formats, dtype, choices=choices)
    for kinds in (("sparse",), ("dense",)):
        operands = operands_of(text, formats, kinds=kinds, dtype=dtype)
        check(kernel, text, operands)


def test_sums_of_bytes_wrap_around():
    operand = samples.tensor(np.ones((2, 9), bool), np.full(18, 100, np.int8), "csr")
    result = nacho.evaluate("y[i] = A[i,j]", A=operand)
    assert result.dtype == np.int8
    assert oracle.dense(result).tolist() == [-124, -124]


@pytest.mark.parametrize("operator", ["max", "min"])
def test_nothing_has_no_extreme(operator):
    operand = samples.tensor(np.ones((3, 0), bool), np.zeros(0), "csr")
    with pytest.raises(ValueError, match="j"):
        nacho.evaluate(f"y[i] {operator}= A[i,j]", A=operand)
    ones = nacho.evaluate("y[i] *= A[i,j]", A=operand, out="dense")
    assert ones.tolist() == [1, 1, 1]


# --- Skew -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [
        (UNION, "csr", "coo", "csr"),
        (PRODUCT, "dcsr", "coo", "coo"),
        (BROADCAST, "csr", "sparse-vector", "dense", "csr"),
        (SPMV, "csr", "dense", "dense"),
        (SPMV, "dcsr", "sparse-vector", "sparse-vector"),
        (SPMM, "csr", "dense", "dense"),
        (SDDMM, "csr", "dense", "dense", "csr"),
        (QUADRATIC, "dense", "coo", "dense"),
        (BIASED, "sparse-vector", "dcsr", "dense", "sparse-vector"),
    ],
    ids=shown,
)
@pytest.mark.parametrize("shape", [(3, 500), (500, 3)])
def test_one_slice_holds_everything(case, shape):
    """One full row, or one full column: every part has to begin or end inside it."""
    text, *formats = case
    kernel = compiled(text, formats)
    extents = {**EXTENTS, "i": shape[0], "j": shape[1], "k": 2}
    for kind in ("row", "column"):
        operands = operands_of(text, formats, extents, (kind,))
        check(kernel, text, operands, ((1, 1), (13, 3), (100, 2)))


def test_plans_of_a_single_row_are_balanced():
    operands = operands_of(
        SPMV, ("csr", "dense", "dense"), {"i": 3, "j": 999}, ("row",)
    )
    kernel = compiled(SPMV, ("csr", "dense", "dense"), cost="nnz")
    plan = kernel.plan(**operands, parts=10, threads=2)
    assert math.isclose(plan.balance, 1, abs_tol=0.05)
