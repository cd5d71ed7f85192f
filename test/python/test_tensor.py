"""``nacho.Tensor``: any rank, any format; built, converted, checked, never modified."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import Tensor
from nacho._storage.formats import Format

MATRICES = ("csr", "csc", "dcsr", "dcsc", "coo", "coo-interleaved", "dense")
DTYPES = ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "?", "c8", "c16")
INT = np.int32

# 1 . 2 .
# . . . .
# . 3 . 4
DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 4]])

PAIR = ("compressed(nonunique)", "singleton(soa)")
TRIPLE = ("compressed(nonunique)", "singleton(nonunique, soa)", "singleton(soa)")


def example(format="csr"):
    coords = [[2, 0, 2, 0], [3, 2, 1, 0]]
    return Tensor.from_coo(coords, [4.0, 2, 3, 1], shape=(3, 4), format=format)


def rows_of(kind):
    return f"(d0, d1) -> (d0 : dense, d1 : {kind})"


def sequences(rank):
    """Return every sequence of level kinds, with coordinates in arrays of their own."""
    if rank == 0:
        return [()]
    return [
        (*block, *rest)
        for block in (("dense",), ("compressed",), PAIR, TRIPLE)
        if len(block) <= rank
        for rest in sequences(rank - len(block))
    ]


def interleaved(kinds):
    """Return the kinds of levels that have the coordinates of lists in one array."""
    return tuple(kind.replace("(soa)", "").replace(", soa", "") for kind in kinds)


def kinds_of(rank):
    """Return every sequence of level kinds that operands can have."""
    apart = sequences(rank)
    return list(dict.fromkeys((*apart, *map(interleaved, apart))))


def random_dense(rng, shape, dtype="f8"):
    return np.where(rng.random(shape) < 0.4, rng.integers(1, 9, shape), 0).astype(dtype)


def valid(tensor):
    """Have the arrays of a tensor checked in full."""
    return Tensor.from_parts(
        tensor.format, tensor.shape, tensor.pos, tensor.crd, tensor.values
    )


# --- Building -------------------------------------------------------------------------


@pytest.mark.parametrize("format", MATRICES)
def test_from_coo(format):
    tensor = example(format)
    assert tensor.format == Format(format).for_rank(2)
    assert (tensor.shape, tensor.ndim) == ((3, 4), 2)
    assert tensor.nnz == (12 if format == "dense" else 4)
    assert tensor.dtype == np.float64
    np.testing.assert_array_equal(tensor.to_dense(), DENSE)
    np.testing.assert_array_equal(
        DENSE[tuple(tensor.coords)], tensor.values.reshape(-1)
    )
    np.testing.assert_array_equal(tensor.to_scipy().toarray(), DENSE)
    shown = f"<nacho.Tensor: {format}, 3x4, float64, {tensor.nnz} entries>"
    assert repr(tensor) == shown


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_every_format(rank):
    """Of every rank and level order: built, checked, and converted to another one.

    Each conversion is compiled: of high ranks, a few are.
    """
    rng = np.random.default_rng(rank)
    every = kinds_of(rank)
    for number, kinds in enumerate(every):
        order, other = rng.permutation(rank).tolist(), rng.permutation(rank).tolist()
        format = Format.of_levels((*zip(order, kinds, strict=True),))
        shape = (*rng.integers(0 if number % 5 == 0 else 1, 5, rank).tolist(),)
        dense = random_dense(rng, shape, DTYPES[number % len(DTYPES)])
        tensor = valid(Tensor.from_dense(dense, format))
        assert (tensor.format, tensor.dtype) == (format, dense.dtype)
        np.testing.assert_array_equal(tensor.to_dense(), dense)
        stored = dense[tuple(tensor.coords)]
        np.testing.assert_array_equal(stored, tensor.values.reshape(-1))
        if number % {3: 2, 4: 8}.get(rank, 1) != 0:
            continue
        target = every[rng.integers(len(every))]
        for levels in (order, other):
            wanted = Format.of_levels((*zip(levels, target, strict=True),))
            converted = valid(tensor.convert(wanted))
            assert converted.format == wanted
            np.testing.assert_array_equal(converted.to_dense(), dense)


def test_coo_is_the_default():
    tensor = Tensor.from_coo([[1, 0], [0, 1], [2, 2]], [1, 2])
    assert tensor.format == Format("coo").for_rank(3)
    assert tensor.shape == (2, 2, 3)
    assert tensor.dtype == np.int64
    assert Tensor.from_coo([[3, 1]], [1.0, 2]).format == Format("sparse-vector")


def test_arrays_by_level():
    def listed(arrays):
        return [None if array is None else array.tolist() for array in arrays]

    tensor = example("dcsr")
    assert listed(tensor.pos) == [[0, 2], [0, 2, 4]]
    assert listed(tensor.crd) == [[0, 2], [0, 2, 1, 3]]
    assert listed(example("csr").pos) == [None, [0, 2, 2, 4]]
    assert listed(example("csc").crd) == [None, [0, 2, 0, 2]]
    assert listed(example("coo").pos) == [[0, 4], None]
    assert listed(example("coo").crd) == [[0, 0, 2, 2], [0, 2, 1, 3]]
    assert listed(example("coo-interleaved").pos) == [[0, 4], None]
    pairs = [[0, 0], [0, 2], [2, 1], [2, 3]]
    assert listed(example("coo-interleaved").crd) == [pairs, None]
    assert listed(example("dense").pos) == [None, None]
    assert example("dense").values.tolist() == DENSE.tolist()


def test_levels_behind_an_entry():
    """A dense level behind sparse ones stores a block per entry."""
    format = Format("(i, j, k) -> (i : compressed, j : dense, k : dense)")
    tensor = Tensor.from_coo([[1, 4], [0, 1], [1, 0]], [5, 6], format=format)
    assert tensor.shape == (5, 2, 2)
    assert tensor.values.tolist() == [0, 5, 0, 0, 0, 0, 6, 0]
    assert tensor.convert("coo").values.tolist() == [5, 6]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("format", ["coo", "coo-interleaved", "dcsr", "dense"])
def test_from_coo_sums_duplicates(dtype, format):
    """In the type of the values, and in the order in which they were given."""
    values = np.array([1, 2, 1, 1], dtype)
    tensor = Tensor.from_coo([[1, 0, 1, 1], [1, 0, 1, 1]], values, format=format)
    assert tensor.shape == (2, 2)
    assert tensor.dtype == values.dtype
    wanted = np.array([2, 1 + 1 + 1], dtype)
    if dtype == "?":
        wanted = np.array([True, True])
    assert tensor.convert("coo").values.tolist() == wanted.tolist()
    large = Tensor.from_coo([[0, 0, 0]], [1e16, 1.0, -1e16])
    assert large.values.tolist() == [(1e16 + 1.0) - 1e16]


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_empty(format, shape):
    tensor = Tensor.from_coo(np.empty((2, 0), int), [], shape=shape, format=format)
    assert not tensor.to_dense().any()
    for other in MATRICES:
        assert tensor.convert(other).to_dense().shape == shape


def test_from_dense():
    tensor = Tensor.from_dense([[0, np.nan], [0, -0.0]], "csr")
    assert tensor.coords.tolist() == [[0], [1]]
    array = np.arange(6.0).reshape(2, 3)
    assert np.shares_memory(Tensor.from_dense(array, "dense").values, array)
    columns = Tensor.from_dense(array, "(i, j) -> (j : dense, i : dense)")
    assert columns.values.tolist() == array.T.tolist()
    fortran = np.asfortranarray(array)
    columns = Tensor.from_dense(fortran, "(i, j) -> (j : dense, i : dense)")
    assert np.shares_memory(columns.values, fortran)


def test_from_parts_shares_the_arrays():
    source = example("dcsr")
    parts = (source.pos, source.crd, source.values)
    tensor = Tensor.from_parts("dcsr", (3, 4), *parts)
    assert tensor.values is source.values
    assert tensor.crd[1] is source.crd[1]
    np.testing.assert_array_equal(tensor.to_dense(), DENSE)


def test_from_parts_unifies_index_types():
    """Those of ``pos`` and those of ``crd``; they may differ from each other."""
    pos, crd = [np.array([0, 1]), np.array([0, 1], INT)], [[0], [1]]
    crd = [np.array(level, INT) for level in crd]
    tensor = Tensor.from_parts("dcsr", (1, 2), pos, crd, [1.0])
    assert [array.dtype for array in tensor.pos] == [np.int64, np.int64]
    assert [array.dtype for array in tensor.crd] == [np.int32, np.int32]


def test_from_parts_of_dense_levels():
    none = (None, None)
    for values in (range(6), [[0, 1, 2], [3, 4, 5]]):
        tensor = Tensor.from_parts("dense", (2, 3), none, none, values)
        assert tensor.to_dense().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_empty_fibres_are_allowed():
    parts = ([[0, 2], [0, 0, 1]], [[0, 2], [1]], [5.0])
    tensor = Tensor.from_parts("dcsr", (3, 4), *parts)
    assert tensor.convert("csr").pos[1].tolist() == [0, 0, 0, 1]
    assert tensor.convert("coo").crd[0].tolist() == [2]


# --- Converting -----------------------------------------------------------------------


@pytest.mark.parametrize("source, target", list(itertools.product(MATRICES, repeat=2)))
def test_convert(source, target):
    tensor = example(source)
    converted = tensor.convert(target)
    assert converted.format == Format(target).for_rank(2)
    np.testing.assert_array_equal(converted.to_dense(), DENSE)
    shared = converted.format.order == tensor.format.order
    if shared and "dense" not in (source, target):
        assert converted.values is tensor.values
        apart = source == target or "coo-interleaved" not in (source, target)
        assert (converted.crd[1] is tensor.crd[1]) is apart


def test_stored_zeros_stay_stored():
    """Other than those that only fill up a dense level."""
    tensor = Tensor.from_coo([[0, 1], [1, 2]], [0.0, 5.0], format="coo")
    for format in ("csr", "dcsr", "csc", "coo"):
        assert tensor.convert(format).nnz == 2
    assert tensor.convert("dense").convert("csr").nnz == 1


SCIPY = {
    "csr": sp.csr_array,
    "dcsr": sp.csr_array,
    "csc": sp.csc_array,
    "dcsc": sp.csc_array,
    "coo": sp.coo_array,
    "coo-interleaved": sp.coo_array,
    "dense": sp.coo_array,
}


@pytest.mark.parametrize("format", SCIPY)
def test_to_scipy(format):
    made = example(format).to_scipy()
    assert type(made) is SCIPY[format]
    assert made.nnz == 4
    assert made.has_canonical_format
    np.testing.assert_array_equal(made.toarray(), DENSE)


@pytest.mark.parametrize("rank", [1, 3, 4])
@pytest.mark.parametrize("format", ["coo", "coo-interleaved", "csf"])
def test_other_ranks_to_scipy(rank, format):
    dense = random_dense(np.random.default_rng(rank), (3, 4, 2, 5)[:rank])
    made = Tensor.from_dense(dense, format).to_scipy()
    assert type(made) is sp.coo_array
    assert made.shape == dense.shape
    np.testing.assert_array_equal(made.toarray(), dense)


@pytest.mark.parametrize(("format", "other"), [("dcsr", "dcsc"), ("dcsc", "coo")])
def test_huge_extents(format, other):
    """Nothing but a conversion to a dense level takes memory for empty rows."""
    extent = 2**40
    coords = np.array([[0, extent - 1, 7], [3, 2, 0]])
    shape = (extent, 5)
    if format == "dcsc":
        coords, shape = coords[::-1], shape[::-1]
    tensor = Tensor.from_coo(coords, [1.0, 2, 3], shape=shape, format=format)
    wanted = sorted(coords.T.tolist())
    assert sorted(tensor.coords.T.tolist()) == wanted
    converted = tensor.convert(other)
    assert sorted(converted.coords.T.tolist()) == wanted
    assert converted.convert(format).values.tolist() == tensor.values.tolist()


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "dcsc", "coo"])
@pytest.mark.parametrize("wrong", [-1, 9])
def test_edited_coordinates_are_not_made_dense(format, wrong):
    tensor = example(format)
    for level in tensor.format.stored:
        kept = tensor.crd[level][1]
        tensor.crd[level][1] = wrong
        for function in (tensor.to_dense, lambda: tensor.convert("dense")):
            with pytest.raises(nacho.OperandError, match=f"= {wrong} is out of range"):
                function()
        tensor.crd[level][1] = kept


@pytest.mark.parametrize(
    "format",
    ["csr", "dcsc", *map(rows_of, ("loose_compressed", "structured[0, 32]"))],
)
def test_edited_positions_are_refused_by_all_that_needs_coordinates(format):
    tensor = example("csr").convert(format)
    tensor.pos[1][1] = -1
    for function in (lambda: tensor.coords, tensor.to_dense):
        with pytest.raises(nacho.OperandError, match=r"Tensor: pos\[1\]\[1\] = -1, "):
            function()


def test_too_large_to_be_dense():
    tensor = Tensor.from_coo([[0], [0]], [1.0], shape=(2**40, 2**40), format="dcsr")
    for function in (tensor.to_dense, lambda: tensor.convert("dense")):
        with pytest.raises(nacho.OutOfMemoryError):
            function()
    with pytest.raises(nacho.OutOfMemoryError):
        tensor.convert("csr")


# --- Refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pos", "crd", "values", "message"),
    [
        ([0, 1, 1], [0], [1.0], "pos[1] has shape (3,), expected (4,)"),
        ([1, 1, 1, 2], [0, 1], [1.0, 2], "pos[1][0] = 1, expected 0"),
        ([0, 2, 1, 2], [0, 1], [1.0, 2], "pos[1][2] = 1, below pos[1][1] = 2"),
        ([0, 1, 1, 3], [0, 1], [1.0, 2], "pos[1][3] = 3, but crd[1] has 2 entries"),
        ([0, 1, 1, 1], [0, 1], [1.0], "crd[1] has 2 entries, but pos[1] ends at 1"),
        ([0, 1, 1, 1], [0], [1.0, 2], "values has 2 entries, expected 1"),
        ([0, 1, 1, 2], [0, 1], [1.0], "values has shape (1,), expected (2,)"),
        ([0, 1, 1, 2], [0, 4], [1.0, 2], "crd[1][1] = 4 is out of range [0, 4)"),
        ([0, 1, 1, 2], [-1, 0], [1.0, 2], "crd[1][0] = -1 is out of range"),
        ([0, 2, 2, 2], [2, 1], [1.0, 2], "crd[1][1] = 1 is not sorted after crd[1][0]"),
        ([0, 2, 2, 2], [2, 2], [1.0, 2], "crd[1][1] = 2 is a duplicate of crd[1][0]"),
        (None, [0], [1.0], "pos[1] is missing"),
        ([[0, 1, 1, 1]], [0], [1.0], "pos[1] has shape (1, 4), expected (4,)"),
        ([0, 1, 1, 1], [[0]], [1.0], "crd[1] has 2 dimensions, expected 1"),
        ([0, 1, 1, 1], [0], [[1.0]], "values has shape (1, 1), expected (1,)"),
    ],
)
def test_corrupt_parts(pos, crd, values, message):
    with pytest.raises(nacho.OperandError) as caught:
        Tensor.from_parts("csr", (3, 4), [None, pos], [None, crd], values)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("pos", "crd", "message"),
    [
        ([0, 3], ([0, 1], [0, 1]), "pos[0][1] = 3, but crd[0] has 2 entries"),
        ([0, 2], ([0, 1], [0]), "pos[0][1] = 2, but crd[1] has 1 entries"),
        ([0, 2], ([0, 1], [0, 1, 2]), "crd[1] has 3 entries, but pos[0] ends at 2"),
        ([0, 2], ([0, 3], [0, 1]), "crd[0][1] = 3 is out of range [0, 3)"),
        ([0, 2], ([0, 1], [4, 1]), "crd[1][0] = 4 is out of range [0, 4)"),
        (
            [0, 2],
            ([1, 1], [2, 1]),
            "(crd[0][1], crd[1][1]) = (1, 1) is not sorted after "
            "(crd[0][0], crd[1][0]) = (1, 2)",
        ),
        ([0, 2], ([1, 0], [1, 2]), "(crd[0][1], crd[1][1]) = (0, 2) is not sorted"),
        ([0, 2], ([1, 1], [2, 2]), "= (1, 2) is a duplicate of (crd[0][0], crd[1][0])"),
        ([0, 2], ([0, 1], None), "crd[1] is missing"),
    ],
)
def test_corrupt_coo(pos, crd, message):
    with pytest.raises(nacho.OperandError) as caught:
        Tensor.from_parts("coo", (3, 4), [pos, None], crd, [1.0, 2])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("pos", "crd", "message"),
    [
        ([0, 3], [[0, 0], [1, 1]], "pos[0][1] = 3, but crd[0][:, 0] has 2 entries"),
        ([0, 1], [[0, 0], [1, 1]], "crd[0][:, 0] has 2 entries, but pos[0] ends at 1"),
        ([0, 2], [[0, 0], [3, 1]], "crd[0][:, 0][1] = 3 is out of range [0, 3)"),
        ([0, 2], [[0, 4], [1, 1]], "crd[0][:, 1][0] = 4 is out of range [0, 4)"),
        (
            [0, 2],
            [[1, 2], [1, 1]],
            "(crd[0][:, 0][1], crd[0][:, 1][1]) = (1, 1) is not sorted after "
            "(crd[0][:, 0][0], crd[0][:, 1][0]) = (1, 2)",
        ),
        ([0, 2], [[1, 2], [1, 2]], "= (1, 2) is a duplicate of (crd[0][:, 0][0],"),
        ([0, 2], None, "crd[0] is missing"),
        (
            [0, 2],
            [0, 1, 2],
            "crd[0] has shape (3,), expected one column for each of 2 levels",
        ),
        (
            [0, 2],
            [[0, 0, 0], [0, 0, 1]],
            "crd[0] has shape (2, 3), expected one column",
        ),
        ([0, 1], [[[0, 0]]], "crd[0] has shape (1, 1, 2), expected one column for"),
    ],
)
def test_corrupt_interleaved(pos, crd, message):
    with pytest.raises(nacho.OperandError) as caught:
        Tensor.from_parts("coo-interleaved", (3, 4), [pos, None], [crd, None], [1.0, 2])
    assert message in str(caught.value)


def test_interleaved_coordinates_are_shared():
    """In one dimension, as MLIR stores them, or in two; in another order, copied."""
    pairs = np.array([[0, 1], [2, 0]], INT)
    pos, values = np.array([0, 2], INT), np.array([1.0, 2])
    for given in (pairs, pairs.reshape(-1), np.asfortranarray(pairs)):
        parts = ([pos, None], [given, None], values)
        tensor = Tensor.from_parts("coo-interleaved", (3, 4), *parts)
        assert tensor.crd[1] is None
        assert tensor.crd[0].tolist() == pairs.tolist()
        in_place = given.flags.c_contiguous
        assert np.shares_memory(tensor.crd[0], given) is in_place
        assert tensor.coords.tolist() == pairs.T.tolist()


def test_edited_interleaved_coordinates():
    """They are checked again, or found out by the kernel; nothing else is read."""
    for wrong, message in (
        ((2, 0), r"crd\[0\]\[:, 0\]\[2\] = 3 is out of range"),
        ((1, 1), r"crd\[0\]\[:, 1\]\[1\] = 4 is out of range"),
    ):
        tensor = example("coo-interleaved")
        tensor.crd[0][wrong] = (3, 4)[wrong[1]]
        with pytest.raises(nacho.OperandError, match=message):
            nacho.evaluate("Z[i,j] = A[i,j] + A[i,j]", A=tensor)
    tensor = example("coo-interleaved")
    tensor.crd[0].shape = (-1,)
    with pytest.raises(
        nacho.OperandError, match=r"crd\[0\] has shape \(8,\), expected"
    ):
        nacho.evaluate("Z[i,j] = A[i,j] + A[i,j]", A=tensor)


def test_arrays_that_a_level_lacks():
    for kind, format in (("dense", "csr"), ("singleton", "coo")):
        pos = ([0, 1], [0, 1])
        message = rf"Tensor: pos\[[01]\] belongs to a {kind} level: not empty"
        with pytest.raises(nacho.OperandError, match=message):
            Tensor.from_parts(format, (1, 1), pos, ([0], [0]), [1.0])


BEYOND = np.array([[2**63], [0]], np.uint64)


@pytest.mark.parametrize(
    ("coords", "values", "options", "error", "message"),
    [
        ([[0], [4]], [1.0], {}, nacho.OperandError, "coords[1, 0] = 4 is out of range"),
        ([[-1], [0]], [1.0], {}, nacho.OperandError, "coords[0, 0] = -1"),
        ([[0], [0]], [1j, 2j], {}, nacho.ShapeError, "expected (rank, 2)"),
        ([[0.5], [0]], [1.0], {}, nacho.DTypeError, "coords has type float64"),
        (BEYOND, [1.0], {}, nacho.OperandError, "an entry beyond int64"),
        ([[0], [0]], [[1.0]], {}, nacho.OperandError, "values has 2 dimensions"),
        ([[0]], [1.0], {}, nacho.ShapeError, "coords has 1 rows, but shape has 2"),
        ([[0], [0]], [1.0], {"shape": ()}, nacho.ShapeError, "rank 0"),
        ([[0], [0]], [1.0], {"shape": (1,) * 9}, nacho.UnsupportedError, "rank 9"),
        ([[0], [0]], [1.0], {"shape": (3, -1)}, nacho.ShapeError, "not a shape"),
        ([[0], [0]], [1.0], {"shape": 7}, nacho.ShapeError, "not a shape"),
        ([[], []], [], {"shape": None}, nacho.ShapeError, "shape= is needed"),
        (
            [[0], [0]],
            [1.0],
            {"format": "sparse-vector"},
            nacho.FormatError,
            "format 'sparse-vector' is of rank 1, not of rank 2",
        ),
        (
            [[0], [0]],
            [1.0],
            {"format": "(i, j) -> (i : compressed(nonunique), j : compressed)"},
            nacho.UnsupportedError,
            "needs a singleton behind it",
        ),
    ],
)
def test_bad_coordinates(coords, values, options, error, message):
    with pytest.raises(error) as caught:
        Tensor.from_coo(coords, values, **({"shape": (3, 4)} | options))
    assert message in str(caught.value)


@pytest.mark.parametrize("dtype", ["g", "O", "U1", "M8[s]"])
def test_element_types_that_are_refused(dtype):
    with pytest.raises(nacho.DTypeError) as caught:
        Tensor.from_coo([[0]], np.array([1]).astype(dtype))
    known = "float32, float64, int8, int16, int32, int64, uint8, bool, complex64"
    assert f"type {np.dtype(dtype)} is not supported (supp" in str(caught.value)
    assert known in str(caught.value)


def test_values_of_another_byte_order():
    values = np.array([1.0, 2], ">f8")
    tensor = Tensor.from_coo([[0, 1]], values)
    assert tensor.dtype == np.float64
    assert tensor.dtype.isnative
    assert tensor.values.tolist() == [1, 2]


@pytest.mark.parametrize("level", [None, 7, np.array(1.0)])
def test_no_levels(level):
    with pytest.raises(nacho.OperandError, match=r"expected one item per level"):
        Tensor.from_parts("csr", (2, 2), level, level, [1.0])


def test_elements_are_those_of_expressions():
    i, j = nacho.indices("i j")
    assert "[i,j]" in repr(example()[i, j]).replace(" ", "")
    assert repr(example()["i,j"]) == repr(example()[i, j])
    assert "[i,-1]" in repr(example()[i, -1]).replace(" ", "")
    with pytest.raises(TypeError, match=r"1\.5 is not an index variable"):
        example()[i, 1.5]


def test_no_constructor():
    with pytest.raises(nacho.ArgumentError, match=r"from_coo"):
        Tensor()
    message = "csr_array is no argument of Tensor: use nacho.asarray for"
    with pytest.raises(nacho.ArgumentError, match=message):
        Tensor(sp.csr_array((2, 2)), format="csr")


@pytest.mark.parametrize("format", ["csr", "dcsc", "coo-interleaved"])
def test_samples_are_what_they_say(format):
    """The tests' own way of laying out a matrix agrees."""
    made = samples.tensor(DENSE != 0, DENSE[DENSE != 0], format)
    tensor = example(format)
    for one, other in zip(
        (*made.pos, *made.crd), (*tensor.pos, *tensor.crd), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("format", MATRICES)
def test_the_transpose_shares_all_arrays(format):
    given = example(format)
    found = given.T
    np.testing.assert_array_equal(found.to_dense(), DENSE.T)
    assert np.shares_memory(found.values, given.values)
    assert found.T.format == given.format
    if format in ("csr", "dcsr"):
        assert found.format == Format(format.replace("r", "c"))
    np.testing.assert_array_equal(
        nacho.evaluate("y[j] = sum(i, A[j,i])", A=found), DENSE.sum(0)
    )


def test_the_transpose_of_order_3():
    values = np.arange(24.0).reshape(2, 3, 4) % 5
    found = Tensor.from_dense(values, "csf").T
    assert found.shape == (4, 3, 2)
    np.testing.assert_array_equal(found.to_dense(), values.T)
    vector = Tensor.from_dense(values[0, 0], "sparse-vector")
    assert vector.T is vector


def test_numpy_makes_it_dense_only_if_asked():
    given = example()
    np.testing.assert_array_equal(np.asarray(given), DENSE)
    np.testing.assert_array_equal(given.toarray(), DENSE)
    assert np.asarray(given, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(given, copy=False)
    assert isinstance(np.sqrt(given), nacho.Lazy)
    assert isinstance(np.concatenate([given, given]), Tensor)
    with pytest.raises(TypeError):
        np.tile(given, 2)


def test_from_scipy():
    found = Tensor.from_scipy(sp.csr_array(DENSE))
    assert found.format == Format("csr")
    np.testing.assert_array_equal(found.to_dense(), DENSE)
