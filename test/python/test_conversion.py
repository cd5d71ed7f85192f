"""``Tensor.convert``: from any format to any that a result has, entry by entry."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import buffers, check_structure, same
from entries import closed, entries
from nacho import Tensor
from nacho._kernels import copies
from nacho._kernels.specialisation import Specialisation
from nacho._storage.formats import Format
from selection import THOROUGH

MATRICES = ("coo", "coo-interleaved", "csr", "csc", "dcsr", "dcsc", "dense")
DTYPES = ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "?", "c8", "c16")
ORDERS = [*itertools.permutations(range(3))]
BLOCKS = "(d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : dense)"
ROWS = "(d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed)"
CUBES = [
    *(("csf", order) for order in ORDERS),
    ("coo", None),
    ("coo", (1, 2, 0)),
    ("coo-interleaved", None),
    ("coo-interleaved", (2, 1, 0)),
    (BLOCKS, None),
    (BLOCKS, (2, 0, 1)),
    (ROWS, None),
    (ROWS, (2, 0, 1)),
    ("dense", None),
    ("dense", (2, 1, 0)),
]


def stored(shape, format="coo", dtype="f8", order=None, seed=0):
    """Return a tensor of random entries, of which some are 0."""
    rng = np.random.default_rng([seed, *shape])
    where = rng.random(shape) < 0.4
    values = rng.integers(-3, 4, int(where.sum())).astype(dtype)
    wanted = Format(format).for_rank(len(shape))
    wanted = wanted if order is None else wanted.in_order(order)
    coords = np.array(where.nonzero(), np.int32)
    return Tensor.from_coo(coords, values, shape=shape, format=wanted)


def leaves_zeros_out(given, wanted):
    if given.kinds[-1] != "dense" or wanted.is_dense:
        return False
    return given.is_dense or wanted.kinds[-1] != "dense"


def check_converted(tensor, format, order=None):
    """Check what is stored, and where, against the arrays of the given tensor."""
    value, pattern = entries(tensor)
    made = tensor.convert(format, order=order)
    check_structure(made)
    assert made.shape == tensor.shape
    assert made.dtype == tensor.dtype
    if leaves_zeros_out(tensor.format, made.format):
        pattern = value != 0
    found, kept = entries(made)
    np.testing.assert_array_equal(kept, closed(pattern, made.format.levels))
    assert found[pattern].tobytes() == value[pattern].tobytes()
    assert not found[~pattern].any()
    return made


def parallel(monkeypatch):
    """Have every kernel run on three threads."""
    monkeypatch.setattr(copies, "_THREADS", 3)


# --- Every pair -----------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("source, target", [*itertools.product(MATRICES, repeat=2)])
def test_matrices(source, target, monkeypatch):
    made = {}
    for shape in [(7, 5), (1, 9), (9, 1), (0, 4), (4, 0), (0, 0), (60, 50)]:
        tensor = stored(shape, source)
        made[shape] = check_converted(tensor, target)
        assert made[shape].format == Format(target).for_rank(2)
    parallel(monkeypatch)
    for shape, serial in made.items():
        assert same(stored(shape, source).convert(target), serial)


SOURCES = [
    CUBES[0],
    CUBES[4],
    ("coo", None),
    ("coo-interleaved", None),
    (BLOCKS, None),
    ("dense", None),
]


def pairs_of_cubes():
    """Return sources with targets: all or, with each source, each format in some order.

    The orders of a format take turns, so that each of them is a target of some source.
    """
    by_format = {}
    for target in CUBES:
        by_format.setdefault(target[0], []).append(target)
    return [
        (source, target)
        for n, source in enumerate(SOURCES)
        for targets in by_format.values()
        for target in (targets if THOROUGH else [targets[n % len(targets)]])
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(("source", "target"), pairs_of_cubes())
def test_cubes(source, target, monkeypatch):
    made = {}
    for shape in [(4, 3, 5), (1, 1, 1), (2, 0, 3), (0, 1, 2), (11, 12, 13)]:
        tensor = stored(shape, source[0], order=source[1])
        made[shape] = check_converted(tensor, *target)
    parallel(monkeypatch)
    for shape, serial in made.items():
        tensor = stored(shape, source[0], order=source[1])
        assert same(tensor.convert(*target), serial)


@pytest.mark.parametrize("order", ORDERS)
def test_there_and_back(order):
    tensor = stored((5, 4, 6), "csf", order=(1, 2, 0))
    there = check_converted(tensor, "csf", order)
    assert there.format.order == order
    assert same(there.convert(tensor.format), tensor)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", ["dcsc", "coo", "dense"])
def test_element_types(dtype, target):
    check_converted(stored((6, 8), "csr", dtype), target)


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_types_of_dense_arrays(dtype):
    check_converted(stored((6, 8), "dense", dtype), "csc")


@pytest.mark.parametrize(
    ("rank", "source", "target", "order"),
    [
        (1, "sparse-vector", "dense", None),
        (1, "dense", "sparse-vector", (0,)),
        (4, "coo", "csf", (3, 1, 0, 2)),
        (4, "csf", "coo", (1, 0, 3, 2)),
        (4, "csf", "dense", None),
        (5, "coo", "csf", (4, 3, 2, 1, 0)),
        (8, "coo", "csf", (7, 6, 5, 4, 3, 2, 1, 0)),
        (8, "csf", "coo", None),
        (8, "coo-interleaved", "coo-interleaved", (7, 6, 5, 4, 3, 2, 1, 0)),
    ],
)
def test_ranks(rank, source, target, order):
    for shape in [(3, 2, 2, 3, 1, 2, 2, 1)[:rank], (2, 0, 1, 1, 1, 1, 1, 1)[:rank]]:
        check_converted(stored(shape, source), target, order)


# --- Entries --------------------------------------------------------------------------


@pytest.mark.parametrize("target", MATRICES)
def test_values_are_kept_bit_for_bit(target):
    """Also zeros that are stored, their sign, and which NaN it is."""
    values = np.array([0.0, -0.0, np.inf, 5e-324, 1.0])
    values[4:].view(np.int64)[:] = 0x7FF8000000000123
    coords = [[0, 0, 1, 2, 2], [3, 1, 0, 2, 0]]
    tensor = Tensor.from_coo(coords, values, shape=(3, 4))
    for source in ("coo", "csr", "dcsc"):
        check_converted(tensor.convert(source), target)


def test_empty_fibres():
    parts = ([[0, 3], [0, 0, 1, 1]], [[0, 2, 4], [1]], [0.0])
    tensor = Tensor.from_parts("dcsr", (5, 3), *parts)
    for target in ("coo", "csr", "csc", "dcsc", "dense"):
        check_converted(tensor, target)


def test_blocks_of_zeros():
    """They are stored as long as the target stores blocks."""
    where = [[0, 1], [1, 0], [0, 0]]
    blocks = Tensor.from_coo(where, [0.0, 3.0], shape=(3, 2, 2), format=BLOCKS)
    assert blocks.nnz == 8
    assert check_converted(blocks, BLOCKS, (0, 2, 1)).nnz == 8
    assert check_converted(blocks, "coo").nnz == 1
    assert check_converted(blocks.convert("dense"), BLOCKS).nnz == 4


@pytest.mark.parametrize("target", ["csr", "csc", "coo", "dcsc"])
@pytest.mark.parametrize("pos, crd", [*itertools.product(("i4", "i8"), repeat=2)])
def test_index_types_are_kept(target, pos, crd):
    given = stored((5, 6), "dcsr")
    tensor = Tensor.from_parts(
        "dcsr",
        given.shape,
        [array.astype(pos) for array in given.pos],
        [array.astype(crd) for array in given.crd],
        given.values,
    )
    made = check_converted(tensor, target)
    assert {array.dtype for array in made.pos if array is not None} == {np.dtype(pos)}
    assert {array.dtype for array in made.crd if array is not None} == {np.dtype(crd)}


def test_index_types_that_are_too_narrow():
    shape = (2**31 + 7, 3)
    parts = ([[0, 1], [0, 1]], [np.array([5], "i4"), np.array([2], "i4")], [1.0])
    tensor = Tensor.from_parts("dcsr", shape, *parts)
    made = tensor.convert("dcsc")
    assert made.coords.tolist() == [[5], [2]]
    assert made.crd[1].dtype == np.int64


def test_what_is_the_same_is_shared():
    tensor = stored((5, 6), "csr")
    made = tensor.convert("coo")
    assert made.values is tensor.values
    assert made.crd[1] is tensor.crd[1]
    assert tensor.convert("csr").crd[1] is tensor.crd[1]


def test_kernels_are_compiled_once(monkeypatch):
    """For all shapes; and for the same format, none is."""
    stored((5, 6), "csr", "i2").convert("dcsc")
    monkeypatch.setattr(Specialisation, "__init__", None)
    check_converted(stored((8, 3), "csr", "i2"), "dcsc")
    check_converted(stored((8, 3), "csc", "u1"), "csc")


# --- Orders ---------------------------------------------------------------------------


def test_order():
    tensor = stored((3, 4, 5), "coo")
    made = tensor.convert("csf", order=(2, 0, 1))
    kinds = "(d2 : compressed, d0 : compressed, d1 : compressed)"
    assert made.format == Format(f"(d0, d1, d2) -> {kinds}")
    assert made.shape == (3, 4, 5)
    matrix = stored((3, 4))
    assert matrix.convert("csr", order=[1, 0]).format == Format("csc")
    assert matrix.convert("csr", order=np.array([0, 1])).format == Format("csr")
    assert matrix.convert("csc", order=(1, 0)).format == Format("csc")


@pytest.mark.parametrize("order", [(0,), (0, 0), (0, 2), (0, 1, 2), "ij", (0.0, 1), 7])
def test_no_order(order):
    with pytest.raises(nacho.FormatError, match=r"expected the dimensions \(0, 1\)"):
        stored((3, 4)).convert("dcsr", order=order)


def test_formats_with_an_order_of_their_own():
    message = r"order=\(0, 1\): format 'csc' has the order \(1, 0\)"
    with pytest.raises(nacho.FormatError, match=message):
        stored((3, 4)).convert("csc", order=(0, 1))


# --- Refused --------------------------------------------------------------------------


def test_edited_tensors():
    def edited(array, place, value):
        tensor = stored((5, 6), "dcsr")
        getattr(tensor, array)[1][place] = value
        return tensor

    for target in ("csr", "csc", "coo", "dense"):
        with pytest.raises(nacho.OperandError, match=r"crd\[1\]\[0\] = 6 is out of ra"):
            edited("crd", 0, 6).convert(target)
        with pytest.raises(nacho.OperandError, match=r"Tensor: pos\[1\]\[1\] = -1, be"):
            edited("pos", 1, -1).convert(target)


def test_no_memory():
    tensor = Tensor.from_coo([[0], [0]], [1.0], shape=(2**40, 2**40), format="dcsr")
    message = "Tensor: no memory to convert dcsr to csc"
    with pytest.raises(nacho.OutOfMemoryError, match=message):
        tensor.convert("csc")


# --- What calls need ------------------------------------------------------------------


@pytest.mark.parametrize("given", MATRICES[:-1])
@pytest.mark.parametrize("wanted", ["csc", "dcsr", "coo"])
def test_operands_in_other_formats(given, wanted):
    formats = {"A": wanted, "x": "dense", "y": "dense"}
    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", formats)
    tensor, x = stored((7, 5), given), np.arange(5.0)
    np.testing.assert_array_equal(kernel(tensor, x), entries(tensor)[0] @ x)
    converted = f"A: {given} converted to {wanted}"
    assert (converted in kernel.explain(tensor, x)) is (given != wanted)


def test_blocks_of_scipy_in_another_order():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * 2", {"A": "csc", "Z": "csc"})
    dense = entries(stored((6, 8)))[0]
    blocks = sp.bsr_array(dense, blocksize=(3, 4))
    np.testing.assert_array_equal(kernel(blocks).toarray(), 2 * dense)
    notes = kernel.explain(blocks)
    assert "A: bsr converted to csr" in notes
    assert "A: csr converted to csc" in notes


# --- Unsorted entries -----------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f8", "i1", "?", "c8"])
@pytest.mark.parametrize("width", ["i4", "i8"])
@pytest.mark.parametrize("rank", [1, 2, 3, 7, 8])
def test_sorting_by_a_kernel(rank, width, dtype, monkeypatch):
    """As NumPy sorts them: many are sorted by a kernel, few are not."""
    rng = np.random.default_rng(rank)
    coords = rng.integers(0, 3, (rank, 300)).astype(width)
    values = rng.integers(-3, 4, 300).astype(dtype)
    wanted = Tensor.from_coo(coords, values, shape=(3,) * rank)
    monkeypatch.setattr(nacho._kernels.sorting, "_SORTED_IN_NUMPY", 0)
    parallel(monkeypatch)
    made = Tensor.from_coo(coords, values, shape=(3,) * rank)
    assert same(made, wanted)
    value = np.zeros((3,) * rank, dtype)
    np.add.at(value, tuple(coords), values)
    np.testing.assert_array_equal(entries(made)[0], value)


def test_unsorted_operands_by_a_kernel(monkeypatch):
    monkeypatch.setattr(nacho._kernels.sorting, "_SORTED_IN_NUMPY", 0)
    rows, columns = np.random.default_rng(1).integers(0, 20, (2, 300))
    matrix = sp.coo_array((np.arange(300.0), (rows, columns)), shape=(20, 20))
    result = nacho.evaluate("Z[i,j] = A[i,j] * 2", A=matrix, out="csr")
    np.testing.assert_array_equal(entries(result)[0], 2 * entries(matrix)[0])
    assert len(buffers(result)[2]) == np.count_nonzero(entries(matrix)[1])
