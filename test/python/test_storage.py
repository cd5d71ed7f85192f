"""Tensors and operands: built, converted, checked, and never modified."""

import gc
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import oracle
from nacho import Tensor
from nacho.formats import Format, TensorType
from nacho.operands import _checks, arguments, load, load_scalar, view_of
from nacho.results import make_result, result_class

FORMATS = ("csr", "csc", "dcsr", "dcsc")
INT = np.int32

# 1 . 2 .
# . . . .
# . 3 . 4
DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 4]])


def example(format="csr"):
    coords = [[2, 0, 2, 0], [3, 2, 1, 0]]
    return Tensor.from_coo(coords, [4.0, 2, 3, 1], shape=(3, 4), format=format)


def csr(indptr=(0, 2, 2, 4), indices=(0, 2, 1, 3), data=(1.0, 2, 3, 4), kind=None):
    """Return a SciPy matrix around arrays that need not be consistent."""
    made = (kind or sp.csr_array)((3, 4))
    made.indptr, made.indices = np.array(indptr, INT), np.array(indices, INT)
    made.data = np.array(data)
    return made


def loaded(container, format=None, validate="safe", notes=None, **type):
    view = view_of("A", container, 2)
    wanted = TensorType(Format(format) if format else view.format, "f64", **type)
    return load("A", container, view, wanted, validate, notes)


def refusal(error, container, **options):
    with pytest.raises(error) as caught:
        loaded(container, **options)
    assert "operand 'A'" in str(caught.value)
    return str(caught.value)


# --- Tensor ---------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_from_coo(format):
    tensor = example(format)
    assert tensor.format == Format(format)
    assert (tensor.shape, tensor.ndim, tensor.nnz) == ((3, 4), 2, 4)
    assert tensor.dtype == np.float64
    np.testing.assert_array_equal(tensor.to_dense(), DENSE)
    np.testing.assert_array_equal(oracle.dense(tensor), DENSE)
    np.testing.assert_array_equal(DENSE[tuple(tensor.coords)], tensor.values)
    np.testing.assert_array_equal(tensor.to_scipy().toarray(), DENSE)
    assert repr(tensor) == f"<nacho.Tensor: {format}, 3x4, float64, 4 entries>"


def test_arrays_by_level():
    tensor = example("dcsr")
    assert [array.tolist() for array in tensor.pos] == [[0, 2], [0, 2, 4]]
    assert [array.tolist() for array in tensor.crd] == [[0, 2], [0, 2, 1, 3]]
    assert example("csr").pos[0] is None
    assert example("csc").crd[1].tolist() == [0, 2, 0, 2]


def test_from_coo_sums_duplicates():
    tensor = Tensor.from_coo([[1, 0, 1], [1, 0, 1]], [1.0, 2, 3], format="dcsr")
    assert tensor.shape == (2, 2)
    assert tensor.values.tolist() == [2, 4]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_empty(format, shape):
    tensor = Tensor.from_coo(np.empty((2, 0), int), [], shape=shape, format=format)
    assert tensor.nnz == 0
    for other in FORMATS:
        assert tensor.convert(other).to_dense().shape == shape


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_convert(source, target):
    tensor = example(source)
    converted = tensor.convert(target)
    assert converted.format == Format(target)
    np.testing.assert_array_equal(oracle.dense(converted), DENSE)
    if converted.format.order == tensor.format.order:
        assert converted.values is tensor.values
        assert converted.crd[1] is tensor.crd[1]


def test_from_parts_shares_the_arrays():
    source = example("dcsr")
    parts = (source.pos, source.crd, source.values)
    tensor = Tensor.from_parts("dcsr", (3, 4), *parts)
    assert tensor.values is source.values
    assert tensor.crd[1] is source.crd[1]
    np.testing.assert_array_equal(tensor.to_dense(), DENSE)


def test_from_parts_unifies_index_types():
    pos, crd = [np.array([0, 1]), np.array([0, 1], INT)], [[0], [1]]
    tensor = Tensor.from_parts("dcsr", (1, 2), pos, crd, [1.0])
    assert [array.dtype for array in tensor.pos] == [np.int64, np.int64]


def test_empty_fibres_are_allowed():
    parts = ([[0, 2], [0, 0, 1]], [[0, 2], [1]], [5.0])
    tensor = Tensor.from_parts("dcsr", (3, 4), *parts)
    assert tensor.convert("csr").pos[1].tolist() == [0, 0, 0, 1]


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
    ],
)
def test_corrupt_parts(pos, crd, values, message):
    with pytest.raises(nacho.OperandError) as caught:
        Tensor.from_parts("csr", (3, 4), [None, pos], [None, crd], values)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("coords", "values", "options", "error", "message"),
    [
        ([[0], [4]], [1.0], {}, nacho.OperandError, "coords[1, 0] = 4 is out of range"),
        ([[-1], [0]], [1.0], {}, nacho.OperandError, "coords[0, 0] = -1"),
        ([[0], [0]], [1], {}, nacho.UnsupportedError, "type int64"),
        ([[0.5], [0]], [1.0], {}, nacho.DTypeError, "coords has type float64"),
        ([[0], [0]], [1.0, 2], {}, nacho.ShapeError, "expected (rank, 2)"),
        ([[0]], [1.0], {}, nacho.UnsupportedError, "rank 1"),
        ([[0], [0]], [1.0], {"shape": (3,)}, nacho.UnsupportedError, "rank 1"),
        ([[0], [0]], [1.0], {"shape": (3, -1)}, nacho.ShapeError, "not a shape"),
        ([[0], [0]], [1.0], {"shape": 7}, nacho.ShapeError, "not a shape"),
        ([[], []], [], {"shape": None}, nacho.ShapeError, "shape= is needed"),
        ([[0], [0]], [1.0], {"format": "coo"}, nacho.UnsupportedError, "'coo'"),
    ],
)
def test_bad_coordinates(coords, values, options, error, message):
    with pytest.raises(error) as caught:
        Tensor.from_coo(coords, values, **({"shape": (3, 4)} | options))
    assert message in str(caught.value)


@pytest.mark.parametrize("level", [None, 7, np.array(1.0)])
def test_no_levels(level):
    with pytest.raises(nacho.OperandError, match=r"expected one item per level"):
        Tensor.from_parts("csr", (2, 2), level, level, [1.0])


@pytest.mark.parametrize(("format", "other"), [("dcsr", "dcsc"), ("dcsc", "dcsr")])
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
    assert converted.format == Format(other)
    assert sorted(converted.coords.T.tolist()) == wanted
    assert converted.convert(format).values.tolist() == tensor.values.tolist()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("wrong", [-1, 9])
def test_edited_coordinates_are_not_made_dense(format, wrong):
    tensor = example(format)
    for level in tensor.format.compressed:
        kept = tensor.crd[level][1]
        tensor.crd[level][1] = wrong
        with pytest.raises(nacho.OperandError, match=f"= {wrong} is out of range"):
            tensor.to_dense()
        tensor.crd[level][1] = kept


def test_too_large_to_be_dense():
    tensor = Tensor.from_coo([[0], [0]], [1.0], shape=(2**40, 2**40), format="dcsr")
    with pytest.raises(nacho.OutOfMemoryError):
        tensor.to_dense()


# --- Loading --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["csr_array", "csr_matrix", "csc_array", "csc_matrix"])
def test_scipy_in_place(name):
    matrix = getattr(sp, name)(DENSE)
    notes = []
    view = loaded(matrix, notes=notes)
    extents = (3, 4) if "csr" in name else (4, 3)
    indptr, indices, values, *rest = arguments(view)
    assert indptr is matrix.indptr
    assert indices is matrix.indices
    assert values is matrix.data
    assert tuple(rest) == extents
    assert notes == []


def test_spare_room_is_left_out():
    matrix = csr(indices=(0, 2, 1, 3, 9, 9), data=(1.0, 2, 3, 4, 5))
    view = loaded(matrix)
    assert (view.crd[0].size, view.values.size) == (4, 4)
    assert np.shares_memory(view.values, matrix.data)


def test_unsorted_entries_and_duplicates():
    matrix = csr((0, 3, 3, 4), (2, 0, 2, 1), (1.0, 2, 3, 4))
    before = [array.copy() for array in (matrix.indptr, matrix.indices, matrix.data)]
    flags = set(vars(matrix))
    for scale in (1, 10):
        matrix.data[:] = before[2] * scale
        notes = []
        view = loaded(matrix, notes=notes)
        assert view.crd[0].tolist() == [0, 2, 1]
        assert view.pos[0].tolist() == [0, 2, 2, 3]
        assert view.values.tolist() == [2 * scale, 4 * scale, 4 * scale]
        assert notes == ["A: entries sorted into a private copy, 1 duplicates summed"]
    np.testing.assert_array_equal(matrix.indptr, before[0])
    np.testing.assert_array_equal(matrix.indices, before[1])
    assert set(vars(matrix)) == flags


def test_sorting_in_place_is_noticed():
    matrix = csr((0, 2, 2, 3), (2, 0, 1), (1.0, 2, 3))
    assert loaded(matrix).values.tolist() == [2, 1, 3]
    matrix.sort_indices()
    notes = []
    assert loaded(matrix, notes=notes).values.tolist() == [2, 1, 3]
    assert notes == []


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"indptr": (0, 2, 4)}, "indptr has shape (3,), expected (4,)"),
        ({"indptr": (0, 3, 2, 4)}, "indptr[2] = 2, below indptr[1] = 3"),
        ({"indptr": (1, 2, 2, 4)}, "indptr[0] = 1, expected 0"),
        ({"indptr": (0, 2, 2, 5)}, "indptr[3] = 5, but indices has 4 entries"),
        ({"indptr": (0, 2, 2, -1)}, "indptr[3] = -1, but indices has 4 entries"),
        ({"data": (1.0, 2, 3)}, "data has shape (3,), expected (4,)"),
        ({"indices": (0, 4, 1, 3)}, "indices[1] = 4 is out of range [0, 4)"),
        ({"indices": (2, 1, -7, 3)}, "indices[2] = -7 is out of range [0, 4)"),
    ],
)
@pytest.mark.parametrize("validate", ["safe", "full"])
def test_corrupt_arrays(parts, message, validate):
    matrix = csr(**parts)
    for _ in range(2):
        assert message in refusal(nacho.OperandError, matrix, validate=validate)


def test_replaced_arrays_are_checked_again():
    matrix = csr()
    loaded(matrix)
    matrix.indices = np.array([0, 2, 1, 9], INT)
    assert "indices[3] = 9" in refusal(nacho.OperandError, matrix)


def test_edited_arrays():
    matrix = csr()
    loaded(matrix)
    matrix.indices[3] = 9
    loaded(matrix)  # the kernels themselves guard against this
    loaded(matrix, validate="none")
    assert "indices[3] = 9" in refusal(nacho.OperandError, matrix, validate="full")
    matrix.indptr[1] = 5
    assert "indptr[2]" in refusal(nacho.OperandError, matrix)


def test_checks_do_not_outlive_the_container():
    matrix = csr()
    loaded(matrix)
    key = id(matrix)
    assert key in _checks
    del matrix
    gc.collect()
    assert key not in _checks


def test_strided_arrays_are_copied():
    matrix = csr()
    matrix.indices = np.repeat(matrix.indices, 2)[::2]
    matrix.data = np.repeat(matrix.data, 2)[::2]
    notes = []
    view = loaded(matrix, notes=notes)
    assert view.values.flags.c_contiguous
    assert view.crd[0].tolist() == [0, 2, 1, 3]
    assert [note.split(" is ")[0] for note in notes] == ["A: indices", "A: data"]


def test_misaligned_arrays_are_copied():
    matrix = csr()
    raw = np.zeros(33, np.uint8)
    matrix.data = raw[1:].view(np.float64)
    assert loaded(matrix).values.flags.aligned


def test_read_only_arrays_are_used_in_place():
    matrix = csr()
    for array in (matrix.indptr, matrix.indices, matrix.data):
        array.flags.writeable = False
    assert loaded(matrix).values is matrix.data


@pytest.mark.parametrize(("given", "wanted"), [("csr", "dcsr"), ("dcsr", "csr")])
def test_conversion_to_the_compiled_format(given, wanted):
    tensor, notes = example(given), []
    view = loaded(tensor, wanted, notes=notes)
    assert view.values is tensor.values
    assert notes == [f"A: {given} converted to {wanted}"]
    converted = tensor.convert(wanted)
    for level, pos in zip(converted.format.compressed, view.pos, strict=True):
        np.testing.assert_array_equal(pos, converted.pos[level])


def test_transposition_is_refused():
    assert "transposition" in refusal(nacho.UnsupportedError, csr(), format="csc")


@pytest.mark.parametrize(
    "dtype", ["int64", "bool", "complex128", "longdouble", ">f8", "object"]
)
def test_element_types_that_are_refused(dtype):
    matrix = csr()
    matrix.data = matrix.data.astype(dtype)
    shown = str(np.dtype(dtype))
    assert shown in refusal(nacho.UnsupportedError, matrix)


def test_types_other_than_compiled():
    matrix = csr()
    message = refusal(nacho.DTypeError, matrix, pos_width=64, crd_width=32)
    assert "indptr is int32, but the kernel was compiled for int64" in message
    assert 'index={"A": "i32"}' in message
    matrix.data = matrix.data.astype(np.float32)
    message = refusal(nacho.DTypeError, matrix)
    assert "float32, but the kernel was compiled for float64" in message


def test_index_types_may_differ():
    matrix = csr()
    matrix.indptr = matrix.indptr.astype(np.int64)
    view = loaded(matrix, pos_width=64, crd_width=32)
    assert view.pos[0] is matrix.indptr


@pytest.mark.parametrize(
    "operand",
    [DENSE, DENSE.tolist(), sp.coo_array(DENSE), sp.bsr_array(DENSE), None, "A"],
)
def test_other_containers(operand):
    with pytest.raises(nacho.UnsupportedError, match=r"operand 'A'.*convert it with"):
        view_of("A", operand, 2)


def test_wrong_rank():
    for operand, rank in ((csr(), 3), (2.0, 2), (example(), 1)):
        with pytest.raises(nacho.ShapeError, match="operand 'A' has rank"):
            view_of("A", operand, rank)


def test_subclasses_of_scipy():
    class Mine(sp.csr_matrix):
        pass

    assert view_of("A", Mine(DENSE), 2).scipy is sp.csr_matrix


# --- Scalars --------------------------------------------------------------------------


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.float64(2), np.array(2.0)])
def test_scalars(value):
    array = load_scalar("s", value, TensorType(None, "f64"))
    assert (array.ndim, array.dtype, array[()]) == (0, np.float64, 2.0)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (True, nacho.UnsupportedError),
        (2j, nacho.UnsupportedError),
        ("2", nacho.UnsupportedError),
        (np.int64(2), nacho.UnsupportedError),
        (np.ones(3), nacho.ShapeError),
        (csr(), nacho.ShapeError),
        (np.float64(2), nacho.DTypeError),
        (10**400, nacho.DTypeError),
    ],
)
def test_bad_scalars(value, error):
    with pytest.raises(error, match="operand 's'"):
        load_scalar("s", value, TensorType(None, "f32"))


# --- Results --------------------------------------------------------------------------


def views(*kinds):
    made = [example() if k is Tensor else k(DENSE) for k in kinds]
    return [view_of("A", each, 2) for each in made]


@pytest.mark.parametrize(
    ("format", "kinds", "expected"),
    [
        ("csr", [sp.csr_array], sp.csr_array),
        ("csr", [sp.csr_matrix, sp.csr_matrix], sp.csr_matrix),
        ("csr", [sp.csr_matrix, sp.csr_array], sp.csr_array),
        ("csc", [sp.csc_matrix], sp.csc_matrix),
        ("dcsr", [sp.csr_array], None),
        ("csr", [Tensor], None),
        ("csr", [sp.csr_matrix, Tensor], sp.csr_matrix),
    ],
)
def test_library_of_the_result(format, kinds, expected):
    assert result_class(Format(format), views(*kinds)) is expected


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_results_are_like_those_of_scipy(kind):
    known = kind(DENSE)
    known.sum_duplicates()
    _ = known.has_canonical_format
    format = Format(known.format)
    buffers = [known.indptr, known.indices, known.data]
    made = make_result(format, known.shape, buffers, kind)
    assert type(made) is kind
    assert vars(made).keys() == vars(known).keys()
    assert made.data is known.data
    np.testing.assert_array_equal((2 * made).toarray(), 2 * DENSE)


def test_results_with_two_index_types():
    pos, crd = np.array([0, 1], np.int64), np.array([0], INT)
    made = make_result(Format("csr"), (1, 1), [pos, crd, np.ones(1)], sp.csr_array)
    assert made.has_canonical_format
    assert made.toarray() == [[1.0]]


def test_results_as_tensors():
    tensor = example("dcsr")
    (p0, p1), (c0, c1) = tensor.pos, tensor.crd
    made = make_result(Format("dcsr"), (3, 4), [p0, c0, p1, c1, tensor.values], None)
    np.testing.assert_array_equal(made.to_dense(), DENSE)


def test_import_is_inert():
    code = (
        "import sys, nacho\n"
        "print('scipy' in sys.modules, 'nacho._nacho' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(nacho.__path__[0]) + "/.."},
    )
    assert done.stdout.split() == ["False", "False"]
