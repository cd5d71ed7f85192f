"""Fibers that would be merged again and again: their children are found by coordinates.

A row of a mask is read once, into a table, and not for every row that it masks; so is
a sparse vector that is multiplied with every row. A table has a place for every
coordinate of a moderate extent; beyond, coordinates are hashed, and it grows when it is
half full.
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
from entries import dense
from samples import PARTS, ROWS, checked, sampled
from selection import THOROUGH
from test_bad_input import attempt, corrupt, run_apart

pytestmark = pytest.mark.any_target

MASKED = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"
SCALED = "Z[i,j] = A[i,j] * x[j]"
CSR = dict.fromkeys("MABZ", "csr")
SEARCHED = re.compile(r"nacho\.(?:find|seek)\b")


@functools.cache
def masked(index=None):
    index = index and dict.fromkeys("MAB", index)
    return nacho.mlir.compile(MASKED, CSR, order="i,j,k", index=index)


def finds(kernel):
    """Return how many fibers are looked into: in tables, or searched on a GPU."""
    return len(SEARCHED.findall(kernel.mlir("loops")))


def random(rng, shape, density):
    """Return a matrix by row, of small whole numbers: sums are exact."""
    mask = rng.random(shape) < density
    return sp.csr_array(mask * rng.integers(1, 9, shape).astype(float))


# --- What is found --------------------------------------------------------------------


NAMES = ("", "sparse-vector", "csr", "csf")


def by_rank(text, **others):
    """Return the formats of the tensors of an expression, and their shapes."""
    extents = {"i": 7, "j": 12, "k": 15, "l": 9}
    accesses = re.findall(r"(\w)\[([\w,]+)\]", text)
    shapes = {name: tuple(extents[n] for n in at.split(",")) for name, at in accesses}
    formats = {name: NAMES[len(shape)] for name, shape in shapes.items()} | others
    result = text.split("[")[0]
    return formats, {name: shapes[name] for name in shapes if name != result}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "order", "found"),
    [
        (MASKED, "i,j,k", 1),
        ("Z[i,k] = A[i,j] * B[j,k] * M[i,k]", "i,j,k", 1),
        ("Z[i,k] = M[i,k] * N[i,k] * A[i,j] * B[j,k]", "i,j,k", 2),
        ("Z[i,k] = M[i,k] * N[k] * A[i,j] * B[j,k]", "i,j,k", 2),
        ("Z[i,k] = M[i,k] * A[i,j] * B[j,k] + C[i,k]", "i,j,k", 1),
        ("Z[i,k] = (M[i,k] + N[i,k]) * A[i,j] * B[j,k]", "i,j,k", 2),
        ("Z[i,k] = M[i,k] * (A[i,j] + C[i,j]) * B[j,k]", "i,j,k", 1),
        ("Z[i,k] max= M[i,k] * A[i,j] * B[j,k]", "i,j,k", 1),
        ("Z[i,l] = M[i,l] * A[i,j] * B[j,k] * C[k,l]", "i,j,k,l", 1),
        ("y[i] = A[i,j] * x[j]", "i,j", 1),
        ("y[i] = A[i,j] * x[j] + b[i]", "i,j", 1),
        ("y[i] = A[i,j] * x[j] - B[i,j] * z[j]", "i,j", 2),
        (SCALED, "i,j", 1),
        ("Z[i,j] = A[i,j] * (x[j] + y[j])", "i,j", 2),
        ("Z[i,j] = A[i,j] * (x[j] * y[j])", "i,j", 2),
        ("Z[i,j] = A[i,j] * x[j] + B[i,j]", "i,j", 1),
        ("Z[i,j] = (A[i,j] + B[i,j]) * x[j]", "i,j", 1),
        ("Z[i,j] = A[i,j] * x[j] * w[i] + B[i,j]", "i,j", 1),
        ("Z[i,j] = A[i,j] * x[j] + B[i,j] * y[j]", "i,j", 2),
        ("Z[i,j,k] = A[i,j,k] * B[i,k]", "i,j,k", 1),
        ("Z[i,j,k] = A[i,j,k] * B[i,k] * x[k]", "i,j,k", 2),
        ("Z[i,j,k] = A[i,j,k] * (B[i,k] + x[k])", "i,j,k", 2),
        ("Z[i,j] = A[i,j,k] * B[i,k]", "i,j,k", 1),
        ("s = A[i,j] * x[j]", "i,j", 1),
        ("Z[i,j] = A[i,j] + x[j]", "i,j", 0),
        ("Z[i,j] = x[i] * y[j]", "i,j", 0),
        ("Z[i,j] = x[i] * y[j] * z[j]", "i,j", 0),
        ("Z[i,j] = A[i,j] * x[i]", "i,j", 0),
        ("Z[i,j] = A[i,j] * x[j] + y[j]", "i,j", 0),
        ("Z[i,j,k] = A[i,j,k] * x[j]", "i,j,k", 0),
        ("z[i] = x[i] * y[i]", "i", 0),
        (MASKED, "i,k,j", 1),
    ],
)
def test_expressions(text, order, found):
    formats, shapes = by_rank(text)
    kernel = nacho.mlir.compile(text, formats, order=order)
    assert finds(kernel) == found
    kinds = ("sparse", "power", "middle", "empty")
    for seed, kind in enumerate(kinds):
        checked(kernel, sampled(seed, shapes, formats, kind=kind), parts=(1, 3, 50))


def test_vectors_that_may_be_absent():
    """What is found beside a dense operand says nothing of which entries there are."""
    formats = {"A": "csr", "x": "sparse-vector", "y": "dense"}
    shapes = {"A": (7, 12), "x": (12,), "y": (12,)}
    for left, order in (("Z[i,j]", None), ("z[i]", "i,j"), ("z", "i,j")):
        text = f"{left} = A[i,j] * (x[j] + y[j])"
        out = {"Z[i,j]": {"Z": "csr"}, "z[i]": {"z": "dense"}, "z": {}}[left]
        kernel = nacho.mlir.compile(text, formats | out, order=order)
        assert finds(kernel) == 1
        for seed, kind in enumerate(("sparse", "power", "empty")):
            checked(kernel, sampled(seed, shapes, formats, kind=kind), parts=(1, 3, 50))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("formats", "order"),
    [
        *((" ".join(rows) + " -> csr", "i,j,k") for rows in product(ROWS, repeat=3)),
        ("csr csr csr -> csc", None),
        ("csr csr csr -> coo", None),
        ("csr csr csr -> dcsr", "i,j,k"),
        ("csr csr dcsr -> csr", None),
        ("csr csr csr -> dense", None),
        ("csc csc csc -> csc", None),
        ("dcsc csc dcsc -> csr", None),
        ("csc csr csr -> csr", None),
        ("csr csc csr -> csr", None),
        ("csr csr csc -> csr", None),
        ("csr csc csc -> dense", None),
        ("csr coo coo -> csr", "i,j,k"),
        ("coo csr csr -> csr", "i,j,k"),
        ("dense csr csr -> csr", "i,j,k"),
        ("csr dense csr -> csr", "i,j,k"),
        ("csr csr dense -> csr", "i,j,k"),
    ],
)  # fmt: skip
def test_formats(formats, order):
    """Rows or columns, found or not: what matters is the result."""
    formats = dict(zip("MABZ", re.findall(r"\w+", formats), strict=True))
    kernel = nacho.mlir.compile(MASKED, formats, order=order)
    # Rows of a list of entries cannot be looked into, and those of an array need not.
    if order and set(formats.values()) <= set(ROWS):
        assert finds(kernel) == 1
    if formats["M"] in ("coo", "dense"):
        assert finds(kernel) == 0
    shapes = {"M": (13, 70), "A": (13, 17), "B": (17, 70)}
    for seed, kind in enumerate(("sparse", "power", "empty")):
        checked(kernel, sampled(seed, shapes, formats, kind=kind), parts=(1, 2, 7, 200))


@pytest.mark.sampled
@pytest.mark.parametrize("vector", ["sparse-vector", "coo"])
@pytest.mark.parametrize("matrix", ["csr", "dcsr", "csc", "coo"])
@pytest.mark.parametrize("text", ["y[i] = A[i,j] * x[j]", SCALED])
def test_vectors(text, matrix, vector):
    result = ("dense",) if text.startswith("y") else ("csr", "coo", "csc")
    for out in result:
        formats = {"A": matrix, "x": vector, text[0]: out}
        order = "i,j" if matrix in ROWS and out != "csc" else None
        kernel = nacho.mlir.compile(text, formats, order=order)
        assert order is None or finds(kernel) == 1
        for seed, kind in enumerate(("sparse", "power", "diagonal", "empty")):
            shapes = {"A": (30, 25), "x": (25,)}
            checked(kernel, sampled(seed, shapes, formats, kind=kind))


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["f32", "i64", "bool", "c128"])
def test_types(dtype):
    formats = {"A": "csr", "x": "sparse-vector", "Z": "csr"}
    shapes = {"A": (9, 20), "x": (20,)}
    scaled = nacho.mlir.compile(SCALED, formats, dtype)
    kernel = nacho.mlir.compile(MASKED, CSR, dtype, order="i,j,k")
    assert finds(kernel) == finds(scaled) == 1
    for kind in ("sparse", "dense", "row"):
        checked(scaled, sampled(2, shapes, formats, dtype, kind), parts=(1, 5))
        of_product = {"M": (9, 40), "A": (9, 20), "B": (20, 40)}
        operands = sampled(2, of_product, CSR, dtype, kind)
        checked(kernel, operands, parts=(1, 5))


@pytest.mark.parametrize("width", samples.INDICES)
def test_index_types(width):
    rng = np.random.default_rng(3)
    shapes = {"M": (9, 40), "A": (9, 20), "B": (20, 40)}
    kernel = masked(width)
    operands = {
        name: samples.sample(rng, shape, index=(width, width), special=False)
        for name, shape in shapes.items()
    }
    checked(kernel, operands, parts=(1, 5))


@pytest.mark.parametrize("text", [SCALED, "Z[i,j] = A[i,j] * (x[j] + y[j])"])
def test_special_values(text):
    formats, shapes = by_rank(text)
    kernel = nacho.mlir.compile(text, formats)
    for seed in range(5):
        checked(kernel, sampled(seed, shapes, formats, special=True), parts=(1, 4))


# --- Masks ----------------------------------------------------------------------------


@pytest.mark.parametrize("density", [0.0, 0.005, 0.1, 0.6, 1.0])
def test_masks_sparser_and_denser_than_the_product(density):
    """Their values count, and of their pattern is what the result has."""
    rng = np.random.default_rng(4)
    A, B = random(rng, (40, 50), 0.08), random(rng, (50, 130), 0.05)
    M = random(rng, (40, 130), density)
    checked(masked(), {"M": M, "A": A, "B": B})
    Z = masked()(M, A, B, parts=3)
    assert Z.nnz == (M * (A @ B)).nnz


def test_masks_that_no_row_meets():
    rng = np.random.default_rng(5)
    A, B = random(rng, (20, 30), 0.2), random(rng, (30, 40), 0.2)
    M = sp.csr_array((A @ B).toarray() == 0) * 1.0
    for parts in PARTS:
        Z = masked()(M, A, B, parts=parts, threads=2)
        assert Z.nnz == 0
        assert Z.shape == M.shape


def test_rows_with_and_without_masks():
    """Tables are for one row after the other: what is left of another would show."""
    rng = np.random.default_rng(6)
    A, B = random(rng, (60, 20), 0.3), random(rng, (20, 50), 0.5)
    pattern = rng.random((60, 50)) < 0.5
    pattern[::2] = False
    M = {"csr": sp.csr_array(pattern * 2.0)}
    M["dcsr"] = samples.tensor(pattern, M["csr"].data, "dcsr")
    for format, mask in M.items():
        kernel = nacho.mlir.compile(MASKED, CSR | {"M": format}, order="i,j,k")
        checked(kernel, {"M": mask, "A": A, "B": B})
    both = "Z[i,k] = (M[i,k] + N[i,k]) * A[i,j] * B[j,k]"
    formats = CSR | {"M": "dcsr", "N": "dcsr", "A": "dcsr"}
    kernel = nacho.mlir.compile(both, formats, order="i,j,k")
    assert finds(kernel) == 2
    other = samples.tensor(np.roll(pattern, 3, 0), 3.0 * np.ones(pattern.shape), "dcsr")
    A = samples.tensor(A.toarray() != 0, A.toarray(), "dcsr")
    checked(kernel, {"M": M["dcsr"], "N": other, "A": A, "B": B})


def add_rows_of_either(format):
    """Have rows that only one of two operands has, and those that neither has."""
    text = "Z[i,k] = M[i,k] * (A[i,j] + C[i,j]) * B[j,k]"
    patterns = {name: np.ones((4, 5), bool) for name in "AC"}
    patterns["A"][[1, 3]] = patterns["C"][[2, 3]] = False
    patterns |= {"M": np.ones((4, 6), bool), "B": np.ones((5, 6), bool)}
    formats = dict.fromkeys("MABCZ", "csr") | {"A": format, "C": format}
    operands = {
        name: samples.tensor(pattern, np.full(pattern.shape, 2.0), formats[name])
        for name, pattern in patterns.items()
    }
    kernel = nacho.mlir.compile(text, formats, order="i,j,k")
    checked(kernel, operands, parts=(1, 3, 100))


@pytest.mark.parametrize("format", ROWS)
def test_masks_of_sums(format):
    """What a mask costs is shared between the entries of a row, if there are any."""
    run_apart("add_rows_of_either", format, module=__name__)


def test_one_tensor_as_mask_and_factor():
    """The triangles of a graph, one of them counted for each of its edges."""
    rng = np.random.default_rng(7)
    L = sp.csr_array(np.tril(rng.random((70, 70)) < 0.2, -1) * 1.0)
    text = "Z[i,k] = L[i,k] * L[i,j] * L[j,k]"
    kernel = nacho.mlir.compile(text, {"L": "csr", "Z": "csr"}, order="i,j,k")
    assert finds(kernel) == 1
    checked(kernel, {"L": L})
    checked(nacho.mlir.compile("s = L[i,k] * L[i,j] * L[j,k]", {"L": "csr"}), {"L": L})


# --- Shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["empty", "dense"])
def test_extents_of_0_and_1(kind):
    formats = {"A": "csr", "x": "sparse-vector", "Z": "csr"}
    scaled = nacho.mlir.compile(SCALED, formats)
    for m, n in product((0, 1, 3), repeat=2):
        shapes = {"A": (m, n), "x": (n,)}
        checked(scaled, sampled(8, shapes, formats, kind=kind), parts=(1, 4))
        for k in (0, 1, 3):
            shapes = {"M": (m, k), "A": (m, n), "B": (n, k)}
            checked(masked(), sampled(8, shapes, CSR, kind=kind), parts=(1, 4))


def test_tables_that_are_full():
    """Every coordinate has its place, and is there: in every word of the marks."""
    A = sp.csr_array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    for extent in (63, 64, 65, 4096, 4097, (1 << 18) + 1, (1 << 20) - 1, 1 << 20):
        columns = np.arange(extent, dtype=np.int32)
        B = by_rows([columns, columns[::3], columns[-1:]], extent)
        M = by_rows([columns, columns[1::2]], extent)
        wanted = (A @ B).multiply(M).tocsr()
        for parts in (1, 3):
            check_known(masked()(M, A, B, parts=parts, threads=2), wanted, columns)


def by_rows(rows, extent):
    """Return a matrix of which the rows have these columns."""
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    values = np.arange(ends[-1]) % 7.0 + 1
    columns = np.hstack(rows).astype(np.int32)
    return sp.csr_array((values, columns, ends), (len(rows), extent))


def check_known(result, wanted, known):
    """Check a result by row, of whose columns these occur; numbers are exact."""
    wanted = sp.csr_array(wanted)
    wanted.sort_indices()
    pos, crd, values = samples.buffers(result)[-3:]
    assert np.array_equal(pos, wanted.indptr)
    assert np.array_equal(crd, known[wanted.indices])
    assert np.array_equal(values, wanted.data)


# --- Hashed tables --------------------------------------------------------------------

FAR = 1_000_000_000

COLUMNS = {
    "anywhere": (lambda n: np.random.default_rng(9).integers(0, FAR, n.size), FAR),
    "one after the other": (lambda n: n, FAR),
    "multiples of 2**20": (lambda n: n % 900 << 20, FAR),
    "multiples of 2**40": (lambda n: n % 700 << 40, 1 << 60),
    "the last ones": (lambda n: FAR - 1 - n % 2999, FAR),
    "the largest": (lambda n: (1 << 62) - 1 - n % 2999, 1 << 62),
    "one too many": (lambda n: n * 7919 % ((1 << 20) + 1), (1 << 20) + 1),
    "32 bits": (lambda n: (1 << 31) - 1 - n % 2999, 1 << 31),
}


def far(near, known, extent, width=np.int64):
    """Return a matrix by row with its columns being these of a larger extent."""
    near.sort_indices()
    pos, crd = near.indptr.astype(width), known[near.indices].astype(width)
    shape = (near.shape[0], extent)
    return nacho.Tensor.from_parts("csr", shape, [None, pos], [None, crd], near.data)


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.sampled
def test_extents_beyond_any_table(kind):
    columns, extent = COLUMNS[kind]
    width = np.int32 if kind == "32 bits" else np.int64
    known = np.unique(columns(np.arange(3000)))
    rng = np.random.default_rng(10)
    A = random(rng, (30, 40), 0.2)
    B = random(rng, (40, known.size), 0.05)
    x = rng.random(known.size) < 0.4
    vector = nacho.Tensor.from_parts(
        "sparse-vector",
        (extent,),
        [np.array([0, x.sum()], width)],
        [known[x].astype(width)],
        np.full(x.sum(), 3.0),
    )
    for density in (0.01, 0.3, 1.0):
        M = random(rng, (30, known.size), density)
        wanted = (A @ B).multiply(M)
        operands = {
            "M": far(M, known, extent, width),
            "A": A,
            "B": far(B, known, extent, width),
        }
        for parts in PARTS:
            result, other = (
                nacho.evaluate(
                    MASKED,
                    operands,
                    out="csr",
                    order="i,j,k",
                    parts=parts,
                    threads=threads,
                )
                for threads in (1, 2)
            )
            check_known(result, wanted, known)
            assert samples.same(result, other)
    scaled = sp.csr_array(B.multiply(x * 3.0))
    scaled.eliminate_zeros()
    operands = {"A": operands["B"], "x": vector}
    for parts in PARTS:
        result = nacho.evaluate(
            SCALED, operands, out="csr", order="i,j", parts=parts, threads=2
        )
        check_known(result, scaled, known)


@pytest.mark.each_value
@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("size", [100_000, 140_000, 600_000])
@pytest.mark.sampled
def test_tables_that_grow(size, width):
    """A row of the mask has more columns than half of the first table, or the next."""
    known = np.arange(size) * 3001
    extent = (1 << 31) - 1
    few, many = np.arange(0, size, 7), np.arange(size)
    M = by_rows([few, many, few[:1]], size)
    B = by_rows([many[::2], many[-5:], many[::3]], size)
    A = sp.csr_array([[1.0, 0.0, 2.0], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])
    wanted = (A @ B).multiply(M)
    mask, factor = far(M, known, extent, width), far(B, known, extent, width)
    name = "i32" if width is np.int32 else "i64"
    index = {"M": name, "A": "i32", "B": name}
    kernel = nacho.mlir.compile(MASKED, CSR, index=index, order="i,j,k")
    assert finds(kernel) == 1
    plan = kernel.plan(mask, A, factor, parts=3, threads=2)
    for _ in range(2):
        check_known(plan.execute(), wanted, known)
    check_known(kernel(mask, A, factor, parts=1), wanted, known)


def test_tables_that_grow_alone():
    """There is nothing to be collected: only the table can be full."""
    size = (1 << 18) + 5
    known = np.arange(size) * 1601
    crd = known.astype(np.int32)
    pos = np.array([0, size], np.int32)
    x = nacho.Tensor.from_parts("sparse-vector", (FAR,), [pos], [crd], np.ones(size))
    A = by_rows([np.arange(0, size, 1000), [], [3], np.arange(size)], size)
    formats = {"A": "csr", "x": "sparse-vector", "Z": "csr"}
    kernel = nacho.mlir.compile(SCALED, formats)
    for parts in (1, 2, 9):
        result = kernel(far(A, known, FAR, np.int32), x, parts=parts, threads=2)
        check_known(result, A, known)


# --- Parts ----------------------------------------------------------------------------


def heavy():
    """A row of A is more than all others together, and so is one of the mask."""
    rng = np.random.default_rng(11)
    A, B, M = (random(rng, s, d) for s, d in
               (((30, 60), 0.03), ((60, 90), 0.2), ((30, 90), 0.02)))  # fmt: skip
    A, M = A.tolil(), M.tolil()
    A[17], M[4], M[17] = 1.0, 2.0, 3.0
    return {"M": sp.csr_array(M), "A": sp.csr_array(A), "B": B}


def narrow(matrix):
    """Return a matrix with indices of 32 bits."""
    matrix = sp.csr_array(matrix)
    indices, indptr = (a.astype(np.int32) for a in (matrix.indices, matrix.indptr))
    return sp.csr_array((matrix.data, indices, indptr), matrix.shape)


def test_rows_that_parts_share():
    operands = {name: narrow(matrix) for name, matrix in heavy().items()}
    checked(masked(), operands)
    formats = {"A": "csr", "x": "sparse-vector"}
    x = samples.tensor(np.arange(60) % 3 == 0, np.arange(60.0), "sparse-vector")
    for text, out in ((SCALED, "csr"), ("y[i] = A[i,j] * x[j]", "dense")):
        kernel = nacho.mlir.compile(text, formats | {text[0]: out})
        checked(kernel, {"A": operands["A"], "x": x})


def test_a_row_of_the_mask_that_is_heavy():
    """It is read for few products: that is more than what is done for these."""
    rng = np.random.default_rng(12)
    M = sp.csr_array(np.vstack([np.ones((1, 5000)), rng.random((19, 5000)) < 0.001]))
    A, B = random(rng, (20, 10), 0.3), random(rng, (10, 5000), 0.002)
    checked(masked(), {"M": narrow(M * 1.0), "A": A, "B": B})


@pytest.mark.host_only
@pytest.mark.parametrize("cost", ["nnz", "nnz+loops"])
@pytest.mark.parametrize("parts", [3, 16])
def test_nests_are_balanced(cost, parts):
    cut = nacho.partition(MASKED, parts, heavy(), cost=cost, order="i,j,k")
    for nest in cut.nests:
        assert np.ptp(nest.costs) <= 2 * nest.delta


@pytest.mark.host_only
def test_the_mask_costs_something():
    """As much as it has, for every row that is read; but not for every entry of A."""
    rng = np.random.default_rng(13)
    A, B = random(rng, (50, 40), 0.2), random(rng, (40, 300), 0.05)
    totals = []
    for density in (0.01, 0.5):
        M = random(rng, (50, 300), density)
        operands = {"M": M, "A": A, "B": B}
        cut = nacho.partition(MASKED, 1, operands, cost="nnz", order="i,j,k")
        step = cut.nests[-1]
        products = int((A != 0).sum(0) @ np.diff(B.indptr))
        # An entry of A is a step, and its share is rounded up.
        assert products < step.total <= products + M.nnz + 2 * A.nnz
        totals.append(step.total)
    assert totals[1] > totals[0]


def test_results_are_the_same_again():
    operands = {name: narrow(matrix) for name, matrix in heavy().items()}
    for parts in (1, 5, 300):
        first, *others = (
            masked()(**operands, parts=parts, threads=threads)
            for threads in (2, 1, 3, 2, 2)
        )
        assert all(samples.same(first, other) for other in others)


# --- Plans ----------------------------------------------------------------------------


def test_plans_are_executed_with_other_values():
    operands = {name: narrow(matrix) for name, matrix in heavy().items()}
    plan = masked().plan(**operands, parts=7, threads=2)
    for factor in (1.0, -2.0, 0.0):
        others = {name: matrix * factor for name, matrix in operands.items()}
        result = plan.execute(**others)
        samples.check(result, MASKED, others)
        assert samples.same(result, masked()(**others, parts=7, threads=2))


def test_plans_are_executed_for_vectors_of_other_values():
    formats = {"A": "csr", "x": "sparse-vector", "y": "dense"}
    text = "y[i] = A[i,j] * x[j]"
    kernel = nacho.mlir.compile(text, formats, order="i,j")
    operands = sampled(14, {"A": (40, 50), "x": (50,)}, formats)
    plan = kernel.plan(**operands, parts=5, threads=2)
    for value in (1.0, -2.0, 0.0):
        operands["x"].values[:] = value
        samples.check(plan.execute(), text, operands)


@pytest.mark.parametrize("threads", [1, 2])
def test_plans_are_executed_from_several_threads_at_once(threads):
    """They have one set of tables."""
    M, A, B = (narrow(matrix) for matrix in heavy().values())
    x = samples.tensor(np.arange(60) % 2 == 0, np.ones(60), "sparse-vector")
    scaled = nacho.mlir.compile(SCALED, {"A": "csr", "x": "sparse-vector", "Z": "csr"})
    factors = np.arange(1.0, 31.0)
    for kernel, others in ((masked(), {"M": M, "B": B}), (scaled, {"x": x})):
        plan = kernel.plan(A=A, **others, parts=7, threads=threads)
        run = functools.partial(run_scaled, plan.execute, A, others)
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(run, factors))
        for factor, result in zip(factors, results, strict=True):
            wanted = kernel(A=A * factor, **others, parts=7, threads=1)
            assert samples.same(result, wanted)


def run_scaled(execute, A, others, factor):
    return execute(A=A * factor, **others)


def test_plans_refuse_other_patterns_and_go_on():
    """Also with a mask that lets through more than was counted, or less."""
    operands = {name: narrow(matrix) for name, matrix in heavy().items()}
    plan = masked().plan(**operands, parts=7, threads=2)
    M = operands["M"]
    for other in (np.full(M.nnz, 3), (M.indices + 45) % 90):
        changed = M.copy()
        changed.indices[:] = other
        with pytest.raises(nacho.OperandError):
            plan.execute(**operands | {"M": changed})
        samples.check(plan.execute(**operands), MASKED, operands)


# --- Edited after they were checked ---------------------------------------------------


@pytest.mark.parametrize("wrong", [2**31 - 1, -1, 70, 127, 1000])
@pytest.mark.parametrize("width", samples.INDICES)
@pytest.mark.parametrize("name", ["B", "MB"])
def test_columns_that_do_not_exist(name, width, wrong):
    """Where both have it, it must not end up in the result."""
    operands = {
        n: samples.sample(
            np.random.default_rng(15), shape, "dense", "csr", index=(width, width)
        )
        for n, shape in (("M", (9, 70)), ("A", (9, 30)), ("B", (30, 70)))
    }
    kernel = masked(width)
    plan = kernel.plan(**operands, parts=3)
    kernel(**operands)
    for edited in name:
        operands[edited].crd[1][operands[edited].pos[1][1:] - 1] = wrong
    for function in (plan.execute, lambda: kernel(**operands, parts=2, threads=2)):
        try:
            Z = function()
        except nacho.OperandError:
            continue
        columns = np.asarray(samples.buffers(Z)[-2])
        assert 0 <= columns.min() <= columns.max() < 70


def test_masks_of_columns_that_do_not_exist():
    """Nobody looks for them: they are neither found nor in the way."""
    operands = sampled(16, {"M": (9, 70), "A": (9, 30), "B": (30, 70)}, CSR)
    wanted = dense(masked()(**operands, parts=4))
    M = operands["M"]
    last = M.pos[1][1:] - 1
    wanted[np.arange(9), M.crd[1][last]] = 0
    M.crd[1][last] = 127
    for parts in (1, 4):
        try:
            Z = masked()(**operands, parts=parts)
        except nacho.OperandError:
            continue
        np.testing.assert_allclose(dense(Z), wanted, rtol=1e-12, atol=1e-12)


FUZZED = (
    (MASKED, "k", CSR),
    (MASKED, "k", {"M": "dcsr", "A": "dcsr", "B": "dcsr"}),
    ("Z[i,k] = (M[i,k] + N[i,k]) * A[i,j] * B[j,k]", "k", CSR | {"N": "dcsr"}),
    (SCALED, "j", {"A": "csr", "x": "sparse-vector"}),
    ("Z[i,j] = A[i,j] * x[j] + B[i,j]", "j", {"A": "dcsr", "x": "coo", "B": "csr"}),
)
ROUNDS = 200 if THOROUGH else 8
EXTENTS = {"dense": 20, "hashed": 20 << 20}


def fuzz(seed, validate, width, extent):
    """Run on operands that are edited after they were checked; anything but a crash."""
    rng = np.random.default_rng(seed)
    for text, index, formats in FUZZED:
        formats = {"Z": "csr"} | formats
        order = "i,j,k" if index == "k" else "i,j"
        kernel = nacho.mlir.compile(
            text, formats, index=width, validate=validate, order=order
        )
        assert finds(kernel)
        accesses = re.findall(r"(\w)\[([\w,]+)\]", text.split("=")[1])
        for _ in range(ROUNDS):
            tensors = {
                name: edge(rng, at.count(",") + 1, formats[name], width,
                           extent if at.endswith(index) else 20)
                for name, at in accesses
            }  # fmt: skip
            parts = int(rng.integers(1, 9))
            plan = kernel.plan(**tensors, parts=parts, threads=2)
            kernel(**tensors)
            corrupt(rng, list(tensors.values()))
            attempt(plan.execute)
            attempt(kernel, **tensors, parts=parts, threads=2)
            attempt(plan.execute, **tensors)


def edge(rng, rank, format, width, extent):
    """Return an operand of which the innermost coordinates are far from each other."""
    shape, index = (20,) * rank, (width, width)
    made = samples.sample(rng, shape, "sparse", format, index=index, special=False)
    crd = [*made.crd[:-1], made.crd[-1] * (extent // 20)]
    shape = (*shape[:-1], extent)
    return nacho.Tensor.from_parts(made.format, shape, made.pos, crd, made.values)


def look_for_no_key(width, extent):
    """Have a coordinate looked up that is as good as none: -1 is a free place."""
    places = 512 if extent > 1 << 20 else 128
    kernel = masked(width)
    kind = samples.INDICES[width]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        if places == 512:
            known = np.unique(rng.integers(0, extent, 240))
        else:
            known = np.arange(1, extent)
        every = np.arange(known.size)
        rows = [by_rows([every] * count, known.size) for count in (1, 3)]
        M, B = (far(row, known, extent, kind) for row in rows)
        A = samples.tensor(np.ones((1, 3), bool), np.ones(3), "csr", kind, kind)
        plan = kernel.plan(M, A, B, parts=2, threads=2)
        if places == 128:
            M.crd[1][-1] = places - 1
        B.crd[1][B.pos[1][1:] - 1] = -1
        # Tables are not cleared: what was there before can be anything.
        for words in (1, 2, 3):
            junk = [np.full(words * places, 1 << 60) for _ in range(50)]
            del junk
            attempt(plan.execute)
            attempt(kernel, M, A, B, parts=words, threads=words)


@pytest.mark.parametrize(("width", "table"), [("i32", "hashed"), ("i64", "dense")])
@pytest.mark.parametrize("validate", ["safe", "none"])
@pytest.mark.sampled
def test_edits_do_not_crash(validate, width, table):
    arguments = (17, validate, width, EXTENTS[table])
    run_apart("fuzz", *arguments, module=__name__)


@pytest.mark.parametrize("extent", [100, 1 << 22])
@pytest.mark.parametrize("width", samples.INDICES)
def test_no_coordinate_is_a_free_place(width, extent):
    run_apart("look_for_no_key", width, extent, module=__name__)


def plain_parts_of_addresses(code):
    """Return the loads of 32-bit integers, in LLVM's IR, that LLVM may make two of, to
    compare a number and to access memory there. All others are of what Nacho passes."""
    found = []
    for function in re.split(r"^define ", code, flags=re.MULTILINE)[1:]:
        made = dict(re.findall(r"^\s+(%\S+) = (.*)", function, flags=re.MULTILINE))
        left = re.findall(r"= getelementptr .*, i(?:32|64) (%[\w.]+)", function)
        seen = set(left)
        while left:
            op = made.get(left.pop(), "")
            if re.match(r"load (volatile )?i32,", op):
                found.append(op)
            if re.match(r"(zext|sext|trunc|add|sub|mul|shl|or|and|select|phi) ", op):
                new = set(re.findall(r"%[\w.]+", op)) - seen
                seen |= new
                left += new
    return found


@pytest.mark.optimized
@pytest.mark.parametrize("format", ["csr", "coo", "dcsr", "csc"])
@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("y[i] = A[i,j] * x[j]", {"x": "(d0) -> (d0 : compressed)"}),
        ("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", {"M": "csr", "B": "csr"}),
    ],
)
@pytest.mark.sampled
def test_what_is_compared_is_what_is_used(text, others, format):
    """No coordinate is loaded again after it was compared with a bound."""
    kernel = nacho.mlir.compile(text, {"A": format, **others}, validate="none")
    code = kernel.llvm()
    assert "load atomic i32" in code
    assert not plain_parts_of_addresses(code)


def test_a_plain_load_would_be_found():
    plain = """define void @f(ptr %p, ptr %x) {
  %j = load i32, ptr %p, align 4
  %w = zext i32 %j to i64
  %place = getelementptr inbounds double, ptr %x, i64 %w
  ret void
}
"""
    assert plain_parts_of_addresses(plain) == ["load i32, ptr %p, align 4"]
