"""Cases in which a simpler compiler would go wrong, each once found by a reviewer."""

import ctypes
import mmap

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import oracle
import samples

pytestmark = pytest.mark.any_target

tensor = nacho.Tensor.from_coo

DENSE_INSIDE = "(d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed)"


def checked(text, operands, **options):
    """Evaluate with several numbers of parts, and compare with the oracle."""
    for parts in (1, 3, 13):
        result = nacho.evaluate(text, operands, parts=parts, threads=2, **options)
        samples.check(result, text, operands)
    return result


@pytest.mark.parametrize("format", ["csr", "coo", "dcsr"])
def test_one_access_in_terms_with_different_loops(format):
    """Both terms start at one root, but step through it in different loops."""
    A = tensor([[1, 2], [0, 2]], [1.0, 2.0], shape=(4, 3), format=format)
    B = tensor([[1, 1], [1, 2], [0, 1]], [3.0, 4.0], shape=(2, 4, 3), format="csf")
    checked("z = A[j,k] * B[i,j,k] + A[j,k]", {"A": A, "B": B})


def test_dense_level_of_an_absent_parent():
    """Its children stand where those of the next parent begin, and not beyond."""
    A = tensor([[0], [2], [1]], [1.0], shape=(6, 6, 6), format=DENSE_INSIDE)
    B = tensor(
        [[5, 2], [2, 3], [1, 1]], [1.0, 1.0], shape=(6, 6, 6), format=DENSE_INSIDE
    )
    checked("Z[i,j,k] = A[i,j,k] + B[i,j,k]", {"A": A, "B": B}, out="csf")


LEVELS_BETWEEN = [
    ("compressed", "dense", "compressed", "compressed"),
    ("compressed", "dense", "dense", "compressed"),
    ("dense", "compressed", "dense", "compressed"),
    ("compressed", "dense", "compressed(nonunique)", "singleton(soa)"),
    ("compressed(nonunique)", "singleton(soa)", "dense", "compressed"),
]


@pytest.mark.parametrize("text", ["Z[{0}] = A[{0}] * B[{0}]", "Z[{0}] = A[{0},m]"])
@pytest.mark.parametrize("kinds", LEVELS_BETWEEN, ids=" ".join)
def test_results_with_dense_levels_between_sparse_ones(text, kinds):
    """Parts begin and end under parents of which nobody knows yet whether they stay."""
    rng = np.random.default_rng(5)
    shape = (5, 3, 4, 2)
    full = [np.where(rng.random(shape) < p, 2.0, 0.0) for p in (0.3, 0.2)]
    operands = {"A": full[0], "B": full[1]}
    if "m" in text:
        operands = {"A": np.stack(full, axis=-1)}
    operands = {
        name: nacho.Tensor.from_dense(array, "csf") for name, array in operands.items()
    }
    out = nacho.Format.of_levels((*enumerate(kinds),))
    for parts in (1, 2, 5, 40, 300):
        result = nacho.evaluate(text.format("i,j,k,l"), operands, out=out, parts=parts)
        samples.check(result, text.format("i,j,k,l"), operands)


@pytest.mark.host_only
def test_cost_of_a_dense_level_of_an_absent_parent():
    coords = [[1] * 5, [0, 0, 1, 1, 2], [0, 4, 1, 3, 1]]
    D = tensor(coords, np.ones(5), shape=(9, 3, 5), format=DENSE_INSIDE)
    C = tensor([[2] * 4, [1, 2, 4, 7]], np.ones(4), shape=(3, 9), format="csr")
    cut = nacho.partition("Z[i] = C[j,l] + D[i,j,k]", 7, C=C, D=D)
    queries = [part * cut.total // 7 for part in range(8)]
    short = np.subtract(queries, np.concatenate([[0], np.cumsum(cut.costs)]))
    assert short.min() >= 0
    assert short.max() < max(cut.delta, 1)


def test_operand_that_an_inner_sparse_loop_repeats():
    """Every row of A is looked into at all entries of B, which are what is cut."""
    rows = np.concatenate([np.zeros(200, int), np.arange(1, 100)])
    columns = np.concatenate([np.arange(200), np.arange(99)])
    A = tensor([rows, columns], np.ones(299), shape=(100, 200), format="dcsr")
    diagonal = np.arange(50)
    B = tensor([diagonal, diagonal], np.ones(50), shape=(50, 200), format="dcsr")
    operands = {"A": A, "B": B}
    text = "Z[i,j] = A[i,k] * B[j,k]"
    cut = nacho.partition(text, 4, order="i,j,k", cost="nnz", **operands)
    assert cut.delta <= 2
    assert np.ptp(cut.costs) <= 2 * cut.delta
    assert 100 * B.nnz <= cut.total < 50 * A.nnz
    checked(text, operands, order="i,j,k")
    checked(text, operands)


@pytest.mark.parametrize(
    ("shape", "format", "out"),
    [
        ((1 << 31, 1 << 30), "csf", "dense"),
        ((1 << 31, 1 << 59), "coo", "(d0, d1) -> (d0 : compressed, d1 : dense)"),
    ],
)
def test_results_beyond_any_memory(shape, format, out):
    entries = np.arange(1, 5)
    A = tensor([entries, entries], np.ones(4), shape=shape, format=format)
    with pytest.raises(nacho.OutOfMemoryError):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out=out)


def test_empty_result_beyond_any_memory():
    A, B = sp.csr_array((0, 0)), np.zeros((0, 1 << 59))
    made = nacho.evaluate("Z[i,k] = A[i,j] * B[j,k]", A=A, B=B, parts=2)
    assert made.shape == (0, 1 << 59)


@pytest.mark.parametrize(("operator", "wanted"), [("max=", 0), ("*=", 0), ("min=", -1)])
def test_more_absent_entries_than_can_be_counted(operator, wanted):
    A = tensor([[1], [1]], [-1.0], shape=(1 << 32, 1 << 32), format="coo")
    assert nacho.evaluate(f"z {operator} A[i,j]", A=A) == wanted


def test_zero_next_to_a_reduction():
    A = sp.csr_array(np.eye(3))
    made = nacho.evaluate("Z[i] = A[i,j] + 0*d", A=A, d=2.0, out="sparse-vector")
    assert np.array_equal(made.toarray(), np.ones(3))


def test_sums_over_many_rows_are_not_cleared_by_every_part():
    """Rows of partial entries are only touched by parts that begin one."""
    A, X = sp.csr_array(np.ones((2, 5))), np.ones((5, 1000))
    checked("Z[i,k] = A[i,j] * X[j,k]", {"A": A, "X": X})
    made = nacho.evaluate("Z[i,k] = A[i,j] * X[j,k]", A=A, X=X, parts=500)
    assert np.array_equal(made, A @ X)


def test_int64_is_numpys():
    assert isinstance(nacho.evaluate("z = a[i]", a=np.arange(3)), np.int64)


def test_block_in_which_some_entries_have_nothing_to_reduce():
    """What no part writes into a block is zero, not what the memory had before."""
    format = "(d0, d1, d2) -> (d2 : dense, d1 : dense, d0 : compressed)"
    out = "(d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : dense)"
    A = tensor([[0, 1], [1, 3], [0, 2]], [1.0, 2.0], shape=(2, 5, 6), format=format)
    B = np.array([1.0, 2.0])
    for _ in range(3):
        checked("Z[i,j,k] = -A[m,k,j] * B[i]", {"A": A, "B": B}, out=out)


def test_sums_of_two_types_that_end_in_one_loop_over_all_coordinates():
    S, T = sp.csr_array(np.eye(3, dtype=np.int8) * 3), sp.csr_array(np.ones((3, 3)))
    X, Y = np.ones((3, 4), np.int8), np.ones((3, 4))
    statement = "Z[i,j] = S[i,j] * X[i,k] * X[j,k] + T[i,j] * Y[i,k] * Y[j,k]"
    checked(statement, {"S": S, "X": X, "T": T, "Y": Y})


def test_reduction_over_no_coordinates_that_shares_a_loop():
    """The loop runs for the other term; this one has nothing to store."""
    format = "(d0, d1) -> (d0 : compressed, d1 : dense)"
    A = tensor([[1], [0]], [1.0], shape=(3, 2), format=format)
    B, C = np.ones((2, 4)), np.ones((3, 0))
    for text in ("Z[i] = A[i,j] * B[j,k] - C[i,n]", "Z[i] = B[j,k] * A[i,j] + C[i,n]"):
        checked(text, {"A": A, "B": B, "C": C}, out="sparse-vector")


def test_nothing_can_be_charged_but_the_outermost_loop():
    """Both operands are repeated by runs of the other."""
    format = (
        "(d0, d1, d2, d3) -> (d1 : compressed(nonunique), "
        "d3 : singleton(nonunique, soa), d2 : singleton(nonunique, soa), "
        "d0 : singleton(soa))"
    )
    coords = np.array(np.unravel_index(np.arange(0, 120, 7), (3, 4, 2, 5)))
    values = np.ones(coords.shape[1], np.bool_)
    A = tensor(coords, values, shape=(3, 4, 2, 5), format=format)
    B = tensor([[0, 1, 1, 3], [0, 0, 1, 1]], [True] * 4, shape=(4, 2), format="coo")
    checked("Z[i,j,k] max= 1e-3 * B[i,k] * A[n,i,m,j]", {"A": A, "B": B}, out="coo")


def test_terms_without_the_loop_that_another_one_is_reduced_over():
    """What lies outside of all loops is no obstacle to lists of what they skip."""
    rng = np.random.default_rng(2)
    shapes = {"A": (5,), "C": (5, 4), "B": (3, 4, 5), "D": (3,)}
    text = "Z[i,j] = A[m] - C[m,j] * B[i,j,m] - D[i]"
    formats = {
        "A": "sparse-vector",
        "C": "(d0, d1) -> (d1 : compressed, d0 : dense)",
        "B": "coo",
        "D": "sparse-vector",
    }
    operands = {}
    for name, shape in shapes.items():
        at = np.nonzero(rng.random(shape) < 0.5)
        values = rng.random(at[0].size)
        operands[name] = tensor(list(at), values, shape=shape, format=formats[name])
    operands["D"] = operands["D"].to_dense()
    checked(text, operands, out="dense")


@pytest.mark.parametrize("shape", [(40, 30, 3), (1, 60, 3), (60, 1, 3), (2, 3, 500)])
@pytest.mark.parametrize("format", ["csf", "dcsr"])
def test_stored_rows_that_cuts_divide(format, shape):
    """They have loops of their own, and so have fibers with a single entry."""
    rng = np.random.default_rng(sum(shape))
    shape = shape if format == "csf" else (shape[0] * shape[1], shape[2])
    A, B = (rng.integers(1, 9, shape) * (rng.random(shape) < 0.3) for _ in "AB")
    at = "i,j,k" if format == "csf" else "i,j"
    formats = dict.fromkeys("ABZ", format)
    for operator, expected in (("+", A + B), ("*", A * B)):
        kernel = nacho.mlir.compile(f"Z[{at}] = A[{at}] {operator} B[{at}]", formats)
        operands = [nacho.Tensor.from_dense(dense, format) for dense in (A, B)]
        for parts in (1, 2, 3, 7, 64):
            Z = kernel(*operands, parts=parts, threads=2)
            np.testing.assert_array_equal(Z.to_dense(), expected)
            assert Z.nnz == np.count_nonzero(expected)


def test_scattered_levels_with_a_dense_one_inside():
    """Parts cannot collect the rows of two levels in one table."""
    rng = np.random.default_rng(9)
    A = np.where(rng.random((4, 5, 3)) < 0.5, rng.normal(size=(4, 5, 3)), 0)
    text = "Z[i,j,k] = A[i,k,m] * (B[i,j,k,i] + 1)"
    nested = "(d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : dense)"
    operands = {
        "A": nacho.Tensor.from_dense(A, nested),
        "B": rng.normal(size=(4, 6, 5, 4)),
    }
    checked(text, operands, out=nested)


def test_runs_that_no_inner_loop_takes_apart():
    """Parts cut inside of i all read the whole run of E at k and l."""
    rng = np.random.default_rng(2)

    def some(shape):
        return np.where(rng.random(shape) < 0.6, rng.integers(1, 5, shape), 0)

    text = "Z[k,l,i,m,j] = A[k,l,i,m] * B[i,j] + C[i,m] * D[i,j] * (E[k,l,m] < F[i])"
    operands = {
        "A": nacho.Tensor.from_dense(some((3, 4, 3, 5)), "coo"),
        "B": some((3, 4)),
        "C": nacho.Tensor.from_dense(some((3, 5)), "dcsr"),
        "D": nacho.Tensor.from_dense(some((3, 4)), "csr"),
        "E": nacho.Tensor.from_dense(some((3, 4, 5)), "coo"),
        "F": some(3),
    }
    wanted, _ = oracle.evaluate(text, operands)
    for parts in range(1, 40, 3):
        result = nacho.evaluate(text, operands, parts=parts, out="coo")
        np.testing.assert_array_equal(result.to_dense(), wanted)


def _before_a_gap(array):
    """Return a copy behind which no memory can be read."""
    pages = -(-array.nbytes // mmap.PAGESIZE)
    memory = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    end = ctypes.c_void_p(begin + pages * mmap.PAGESIZE)
    libc = ctypes.CDLL(None)
    assert libc.mprotect(end, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    offset = pages * mmap.PAGESIZE - array.nbytes
    copy = np.frombuffer(memory, array.dtype, array.size, offset)
    copy[:] = array
    return copy


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("s = A[i,j] + B[i,j]", ("csr", "csc", "csr")),
        ("Z[i,j] = A[i,j] + B[i,j] + C[i,j]", ("csr", "csr", "csr")),
        ("Z[i,j] = A[i,j] + B[i,j] * C[i,j]", ("dcsr", "csr", "csr")),
        ("Z[i,j] = A[i,j] + B[i,j]", ("coo", "csr", "csr")),
        ("Z[i,j] = C[i,j] * A[i,k] * B[k,j]", ("csr", "csr", "csr")),
        ("Z[i,l,j] = B[i,l,j] + C[i,l,j]", ("coo", "coo", "coo")),
        ("s = B[i,l,j] * C[i,l,j]", ("csf", "csf", "csf")),
        ("s = B[i,l,j] * C[i,l,j]", ("coo", "coo", "csf")),
    ],
    ids=str,
)
def test_nothing_is_read_behind_arrays(text, formats):
    """Not by searches beyond an extent either, nor by loads a step ahead."""
    rng = np.random.default_rng(1)
    operands = {}
    for name, format in zip("ABC", formats, strict=True):
        shape = (5, 150) if "k" not in text else (40, 40)
        if "l" in text:
            shape = (5, 150, 7)
        dense = (rng.random(shape) < (0 if name == "A" else 0.5)) * 1.0
        made = nacho.Tensor.from_dense(dense, format)
        arrays = ((*made.pos,), (*made.crd,), (made.values,))
        pos, crd, (values,) = [
            [a if a is None or a.size == 0 else _before_a_gap(a) for a in some]
            for some in arrays
        ]
        operands[name] = nacho.Tensor.from_parts(format, shape, pos, crd, values)
    used = {name: operands[name] for name in operands if f"{name}[" in text}
    checked(text, used, cost="nnz")
