"""Loading operands: checked, remembered, converted where that is all right."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import Tensor
from nacho._kernels.loading import load
from nacho._storage.containers import view_of
from nacho._storage.formats import Format, TensorType
from nacho._storage.memory import _checks
from nacho._storage.operand_types import signature, tensor_type

INT = np.int32

# 1 . 2 .
# . . . .
# . 3 . 4
DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 4]])


def example(format="csr"):
    return Tensor.from_dense(DENSE, format)


def csr(indptr=(0, 2, 2, 4), indices=(0, 2, 1, 3), data=(1.0, 2, 3, 4), kind=None):
    """Return a SciPy matrix around arrays that need not be consistent."""
    made = (kind or sp.csr_array)((3, 4))
    made.indptr, made.indices = np.array(indptr, INT), np.array(indices, INT)
    made.data = np.array(data)
    return made


def coo(rows=(0, 0, 2, 2), columns=(0, 2, 1, 3), data=(1.0, 2, 3, 4)):
    made = sp.coo_array((3, 4))
    made.coords = (np.array(rows, INT), np.array(columns, INT))
    made.data = np.array(data)
    made.has_canonical_format = False  # SciPy's word for: not looked at
    return made


def loaded(container, format=None, validate="safe", notes=None, **type):
    rank = len(container.shape)
    view = view_of("A", container, rank)
    wanted = Format(format).for_rank(rank) if format else view.format
    options = {"dtype": "f64"} | type
    return load("A", container, view, TensorType(wanted, **options), validate, notes)


def refusal(error, container, **options):
    with pytest.raises(error) as caught:
        loaded(container, **options)
    assert "operand 'A'" in str(caught.value)
    return str(caught.value)


# --- Sorted, or sorted privately ------------------------------------------------------


def test_spare_room_is_left_out():
    matrix = csr(indices=(0, 2, 1, 3, 9, 9), data=(1.0, 2, 3, 4, 5))
    view = loaded(matrix)
    assert (view.crd[1].size, view.values.size) == (4, 4)
    assert np.shares_memory(view.values, matrix.data)


def test_unsorted_entries_and_duplicates():
    matrix = csr((0, 3, 3, 4), (2, 0, 2, 1), (1.0, 2, 3, 4))
    before = [array.copy() for array in (matrix.indptr, matrix.indices, matrix.data)]
    flags = set(vars(matrix))
    for scale in (1, 10):
        matrix.data[:] = before[2] * scale
        notes = []
        view = loaded(matrix, notes=notes)
        assert view.crd[1].tolist() == [0, 2, 1]
        assert view.pos[1].tolist() == [0, 2, 2, 3]
        assert view.values.tolist() == [2 * scale, 4 * scale, 4 * scale]
        assert notes == ["A: entries sorted into a private copy, 1 duplicates summed"]
    np.testing.assert_array_equal(matrix.indptr, before[0])
    np.testing.assert_array_equal(matrix.indices, before[1])
    assert set(vars(matrix)) == flags


def test_unsorted_coo():
    matrix = coo((2, 0, 2, 0), (3, 2, 3, 1), (1.0, 2, 3, 4))
    for scale in (1, 10):
        matrix.data[:] = np.array([1.0, 2, 3, 4]) * scale
        notes = []
        view = loaded(matrix, notes=notes)
        assert [crd.tolist() for crd in view.crd] == [[0, 0, 2], [1, 2, 3]]
        assert view.pos[0].tolist() == [0, 3]
        assert view.values.tolist() == [4 * scale, 2 * scale, 4 * scale]
        assert notes == ["A: entries sorted into a private copy, 1 duplicates summed"]
    assert matrix.coords[0].tolist() == [2, 0, 2, 0]


def test_unsorted_coo_of_other_ranks():
    wide = {"pos_width": 64, "crd_width": 64}
    vector = sp.coo_array((np.array([1.0, 2, 4]), (np.array([3, 1, 3]),)), shape=(5,))
    view = loaded(vector, **wide)
    assert view.format == Format("sparse-vector")
    assert (view.crd[0].tolist(), view.values.tolist()) == ([1, 3], [2, 5])
    coords = tuple(np.array(c) for c in ([1, 0, 1], [0, 2, 0], [1, 0, 0]))
    cube = sp.coo_array((np.array([1.0, 2, 3]), coords), shape=(2, 3, 2))
    assert loaded(cube, **wide).values.tolist() == [2, 3, 1]


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "c8"])
def test_sums_of_duplicates_keep_their_type(dtype):
    matrix = csr((0, 2, 2, 2), (1, 1), np.array([1, 1], dtype))
    view = loaded(matrix, dtype=tensor_type("A", view_of("A", matrix, 2)).dtype)
    assert view.values.dtype == dtype
    assert view.values[0] == np.array([1 + (dtype != "?")]).astype(dtype)


def test_sorting_in_place_is_noticed():
    matrix = csr((0, 2, 2, 3), (2, 0, 1), (1.0, 2, 3))
    assert loaded(matrix).values.tolist() == [2, 1, 3]
    matrix.sort_indices()
    notes = []
    assert loaded(matrix, notes=notes).values.tolist() == [2, 1, 3]
    assert notes == []
    matrix = coo((2, 0, 2), (3, 2, 1), (1.0, 2, 3))
    assert loaded(matrix).values.tolist() == [2, 3, 1]
    matrix.sum_duplicates()
    assert loaded(matrix, notes=notes).values.tolist() == [2, 3, 1]
    assert notes == []


def test_coo_that_scipy_has_not_looked_at():
    """Its flag says no more than that; without validation it is looked at once."""
    matrix = coo((2, 0, 2), (3, 2, 1), (1.0, 2, 3))
    assert loaded(matrix, validate="none").values.tolist() == [2, 3, 1]


# --- Corrupt, replaced, edited --------------------------------------------------------


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


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"rows": (0, 0, 2)}, "coords[0] has shape (3,), but data has shape (4,)"),
        ({"columns": (0, 1, 2, 3, 3)}, "coords[1] has shape (5,), but data has"),
        ({"data": (1.0, 2)}, "coords[0] has shape (4,), but data has shape (2,)"),
        ({"rows": (0, 0, 3, 2)}, "coords[0][2] = 3 is out of range [0, 3)"),
        ({"columns": (0, 2, 1, -1)}, "coords[1][3] = -1 is out of range [0, 4)"),
        ({"rows": (2, 0, 0, 7)}, "coords[0][3] = 7 is out of range [0, 3)"),
    ],
)
@pytest.mark.parametrize("validate", ["safe", "full"])
def test_corrupt_coo(parts, message, validate):
    matrix = coo(**parts)
    for _ in range(2):
        assert message in refusal(nacho.OperandError, matrix, validate=validate)


def test_replaced_arrays_are_checked_again():
    matrix = csr()
    loaded(matrix)
    matrix.indices = np.array([0, 2, 1, 9], INT)
    assert "indices[3] = 9" in refusal(nacho.OperandError, matrix)
    matrix = coo()
    loaded(matrix)
    matrix.coords = (matrix.coords[0], np.array([0, 2, 1, 9], INT))
    assert "coords[1][3] = 9" in refusal(nacho.OperandError, matrix)


def test_edited_arrays():
    matrix = csr()
    loaded(matrix)
    matrix.indices[3] = 9
    loaded(matrix)  # the kernels themselves guard against this
    loaded(matrix, validate="none")
    assert "indices[3] = 9" in refusal(nacho.OperandError, matrix, validate="full")
    matrix.indptr[1] = 5
    assert "indptr[2]" in refusal(nacho.OperandError, matrix)


@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
def test_edited_arrays_are_not_converted(format):
    """Conversions index memory with coordinates: they are looked at every time."""
    tensor = example(format)
    wanted = "dcsr" if format == "coo" else "coo"
    for validate in ("safe", "none"):
        loaded(tensor, wanted, validate)
        tensor.crd[1][3] = 9
        message = refusal(nacho.OperandError, tensor, format=wanted, validate=validate)
        assert "crd[1][3] = 9 is out of range [0, 4)" in message
        tensor.crd[1][3] = 3


@pytest.mark.parametrize("make", [csr, coo, example])
def test_a_container_is_checked_once(make, monkeypatch):
    container, checked = make(), []
    monkeypatch.setattr(
        nacho._kernels.canonical,
        "has_canonical_entries",
        lambda *_: checked.append(1) or True,
    )
    for validate in ("safe", "safe", "full", "full"):
        loaded(container, validate=validate)
    assert len(checked) == 3


@pytest.mark.parametrize("make", [csr, coo, example])
def test_checks_do_not_outlive_the_container(make):
    gc.collect()
    before = len(_checks)
    container = make()
    loaded(container)
    assert len(_checks) == before + 1
    del container
    gc.collect()
    assert len(_checks) == before


# --- Copies ---------------------------------------------------------------------------


def test_strided_arrays_are_copied():
    matrix = csr()
    matrix.indices = np.repeat(matrix.indices, 2)[::2]
    matrix.data = np.repeat(matrix.data, 2)[::2]
    notes = []
    view = loaded(matrix, notes=notes)
    assert view.values.flags.c_contiguous
    assert view.crd[1].tolist() == [0, 2, 1, 3]
    reason = "is not contiguous and aligned: copied"
    assert notes == [f"A: indices {reason}", f"A: data {reason}"]


def test_misaligned_arrays_are_copied():
    matrix = csr()
    raw = np.zeros(33, np.uint8)
    matrix.data = raw[1:].view(np.float64)
    assert loaded(matrix).values.flags.aligned


def test_values_of_another_byte_order_are_copied():
    matrix, notes = csr(data=np.array([1.0, 2, 3, 4], ">f8")), []
    view = loaded(matrix, notes=notes)
    assert view.values.dtype.isnative
    assert view.values.tolist() == [1, 2, 3, 4]
    assert notes == ["A: data has the byte order of another machine: copied"]


def test_read_only_arrays_are_used_in_place():
    matrix = csr()
    for array in (matrix.indptr, matrix.indices, matrix.data):
        array.flags.writeable = False
    assert loaded(matrix).values is matrix.data


# --- Conversions ----------------------------------------------------------------------

ROWS = ("csr", "dcsr", "coo")


@pytest.mark.parametrize("given", ROWS)
@pytest.mark.parametrize("wanted", ROWS)
def test_conversion_to_the_compiled_format(given, wanted):
    tensor, notes = example(given), []
    view = loaded(tensor, wanted, notes=notes)
    assert view.values is tensor.values
    assert view.format == Format(wanted).for_rank(2)
    converted = tensor.convert(wanted)
    given_arrays = (*view.pos, *view.crd)
    arrays = (*converted.pos, *converted.crd)
    for one, other in zip(given_arrays, arrays, strict=True):
        np.testing.assert_array_equal(one, other)
    if given != wanted:
        assert notes == [f"A: {given} converted to {wanted}"]


def test_conversion_of_other_ranks():
    cube = np.arange(24.0).reshape(2, 3, 4) % 3
    tensor, notes = Tensor.from_dense(cube, "coo"), []
    view = loaded(tensor, "csf", notes=notes)
    np.testing.assert_array_equal(Tensor._of(view).to_dense(), cube)
    assert notes == ["A: coo converted to csf"]


@pytest.mark.parametrize("make", [csr, coo, example])
def test_conversion_to_another_order(make):
    operand, notes = make(), []
    view = loaded(operand, "csc", notes=notes)
    assert view.pos[1].tolist() == [0, 1, 2, 3, 4]
    assert view.crd[1].tolist() == [0, 2, 0, 2]
    assert view.values.tolist() == [1, 3, 2, 4]
    assert notes == [f"A: {operand.format} converted to csc"]


@pytest.mark.parametrize("make", [csr, coo, example])
def test_dense_levels_are_filled_up(make):
    """As a kernel wants them; and zeros that fill them up are left out."""
    rows, notes = "(d0, d1) -> (d0 : compressed, d1 : dense)", []
    given = make()
    view = loaded(given, rows, notes=notes)
    assert view.crd[0].tolist() == [0, 2]
    assert view.values.tolist() == [1, 0, 2, 0, 0, 3, 0, 4]
    format = view_of("A", given, 2).format
    assert notes == [
        f"A: {format} converted to {rows}",
        f"A: zeros fill up the dense levels of {rows}",
    ]
    notes.clear()
    back = loaded(Tensor._of(view), str(format), notes=notes)
    np.testing.assert_array_equal(Tensor._of(back).to_dense(), DENSE)
    assert back.values.size == 4
    assert notes[1] == f"A: zeros of the dense levels of {rows} are left out"


def test_a_kernel_takes_any_container():
    """COO into compressed and dense levels, as asked for, with notes in explain."""
    rows = "(d0, d1) -> (d0 : compressed, d1 : dense)"
    kernel = nacho.mlir.compile("y[i] += A[i,j] * x[j]", {"A": rows, "x": "dense"})
    x = np.arange(4.0)
    for given in (csr(), coo(), example("csc"), example("coo-interleaved")):
        np.testing.assert_array_equal(kernel(given, x), DENSE @ x)
        assert f"converted to {rows}" in kernel.explain(given, x)
    with pytest.warns(nacho.NachoWarning, match="its zeros are left out"):
        np.testing.assert_array_equal(kernel(DENSE, x), DENSE @ x)


@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_operands_in_the_other_order(order):
    other = {"C": "(i, j) -> (j : dense, i : dense)", "F": "dense"}[order]
    array, notes = np.array(DENSE, order=order), []
    view = loaded(array, other, notes=notes)
    assert view.format == Format(other).for_rank(2)
    assert view.values.flags.c_contiguous
    np.testing.assert_array_equal(Tensor._of(view).to_dense(), DENSE)
    reason = "lies in another order than the kernel reads"
    assert notes == [f"A: the array {reason}: copied"]


def test_dense_operands_that_lie_in_both_orders():
    array, notes = np.ones((3, 1)), []
    view = loaded(array, "(i, j) -> (j : dense, i : dense)", notes=notes)
    assert np.shares_memory(view.values, array)
    assert notes == []


@pytest.mark.parametrize(
    ("make", "fix"), [(csr, "A.toarray()"), (coo, "A.toarray()"), (example, "A.to_d")]
)
def test_nothing_is_made_dense(make, fix):
    message = refusal(nacho.OperandError, make(), format="dense")
    name = "coo" if make is coo else "csr"
    assert f"operand 'A' is {name}, but the kernel was compiled for a dense" in message
    assert f"pass {fix}" in message
    assert f'or compile it with formats={{"A": "{name}"}}' in message


@pytest.mark.parametrize("format", ["csr", "csf", "csc", "coo"])
@pytest.mark.parametrize(
    "container", [DENSE, np.asfortranarray(DENSE), DENSE[:, ::-1], example("dense")]
)
def test_dense_operands_are_made_sparse(container, format):
    """With a warning that tells how to do without."""
    notes = []
    with pytest.warns(nacho.NachoWarning) as caught:
        view = loaded(container, format, notes=notes)
    assert view.format == Format(format).for_rank(2)
    assert view.values.size == 4
    wanted = container.to_dense() if isinstance(container, Tensor) else container
    np.testing.assert_array_equal(Tensor._of(view).to_dense(), wanted)
    assert any(f"converted to {view.format}" in note for note in notes)
    message = str(caught[0].message)
    assert f"operand 'A' is dense, but the kernel was compiled for {view.format}" in (
        message
    )
    assert 'compile it with formats={"A": "dense"}' in message


# --- Types ----------------------------------------------------------------------------


def test_types_in_place():
    matrix = csr()
    matrix.indptr = matrix.indptr.astype(np.int64)
    view = view_of("A", matrix, 2)
    assert tensor_type("A", view) == TensorType(Format("csr"), "f64", 64, 32)
    array = DENSE.astype(">c8").T
    view = view_of("A", array, 2)
    assert tensor_type("A", view) == TensorType(view.format, "c64")
    assert view.format.order == (1, 0)


def test_signatures():
    one, other = csr(), csr()
    signatures = {signature(view_of("A", each, 2)) for each in (one, other)}
    assert len(signatures) == 1
    other.indptr = other.indptr.astype(np.int64)
    others = (other, coo(), DENSE, np.asfortranarray(DENSE), DENSE.astype("f4"))
    signatures |= {signature(view_of("A", each, 2)) for each in others}
    assert len(signatures) == 6


@pytest.mark.parametrize("dtype", ["longdouble", "object", "datetime64[s]"])
def test_element_types_that_are_refused(dtype):
    matrix = csr()
    matrix.data = matrix.data.astype(dtype)
    shown = str(np.dtype(dtype))
    message = f"type {shown} is not supported (supported: float32, float64, int8"
    assert message in refusal(nacho.DTypeError, matrix)


def test_types_other_than_compiled():
    matrix = csr()
    matrix.indptr = matrix.indptr.astype(np.int64)
    message = refusal(nacho.DTypeError, matrix)
    assert "indptr is int64, but the kernel was compiled for int32" in message
    assert 'index={"A": ("i64", "i32")}' in message
    message = refusal(nacho.DTypeError, csr(), dtype="f32")
    assert "float64, but the kernel was compiled for float32" in message
    message = refusal(nacho.DTypeError, DENSE, dtype="i64")
    assert "float64, but the kernel was compiled for int64" in message


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("f4", "f64"), ("i4", "f64"), ("?", "i8"), ("u1", "i16"), ("f8", "c128")],
)
@pytest.mark.parametrize("make", [csr, coo, example, lambda: DENSE])
def test_types_are_widened(make, given, wanted):
    """As NumPy casts safely, with a note; the operand stays what it is."""
    container, notes = make(), []
    if isinstance(container, Tensor):
        container = container.astype(given)
    elif sp.issparse(container):
        container.data = container.data.astype(given)
    else:
        container = container.astype(given)
    view = loaded(container, dtype=wanted, notes=notes)
    dtype = samples.DTYPES[wanted]
    assert view.values.dtype == dtype
    np.testing.assert_array_equal(
        Tensor._of(view).to_dense(), DENSE.astype(given).astype(dtype)
    )
    assert len(notes) == 1
    assert f"widened from {np.dtype(given)} to {np.dtype(dtype)}" in notes[0]
    assert container.dtype == given
    back = refusal(nacho.DTypeError, Tensor._of(view), dtype="bool")
    assert f"is {np.dtype(dtype)}, but the kernel was compiled for bool" in back


def test_index_arrays_are_widened():
    notes = []
    view = loaded(csr(), pos_width=64, crd_width=64, notes=notes)
    assert view.pos[1].dtype == view.crd[1].dtype == np.int64
    assert notes == ["A: indptr copied to int64", "A: indices copied to int64"]
    notes = []
    view = loaded(example("dcsc"), "csr", pos_width=64, crd_width=64, notes=notes)
    assert view.pos[1].dtype == view.crd[1].dtype == np.int64
    assert notes[0] == "A: dcsc converted to csr"


def test_duplicates_are_summed_in_the_wider_type():
    matrix = coo((0, 0, 0), (1, 1, 2), np.array([100, 100, 3], np.int8))
    assert loaded(matrix, dtype="i16").values.tolist() == [200, 3]


def test_index_types_may_differ():
    matrix = csr()
    matrix.indptr = matrix.indptr.astype(np.int64)
    view = loaded(matrix, pos_width=64, crd_width=32)
    assert view.pos[1] is matrix.indptr


def test_coordinates_of_different_types():
    matrix = coo()
    matrix.coords = (matrix.coords[0].astype(np.int64), matrix.coords[1])
    view = view_of("A", matrix, 2)
    assert tensor_type("A", view) == TensorType(view.format, "f64", 64, 64)
    notes = []
    view = loaded(matrix, pos_width=64, crd_width=64, notes=notes)
    assert view.crd[0] is matrix.coords[0]
    assert view.crd[1].dtype == np.int64
    assert notes == ["A: coords[1] copied to int64"]
    message = refusal(nacho.DTypeError, matrix)
    assert "coords[0] is int64, but the kernel was compiled for int32" in message
    assert 'index={"A": "i64"}' in message


def test_positions_of_coo_have_any_type():
    view = loaded(coo(), pos_width=64, crd_width=32)
    assert view.pos[0].dtype == np.int64


@pytest.mark.parametrize("dtype", ["i2", "u4", "f8", ">i4"])
def test_index_types_that_are_refused(dtype):
    matrix = csr()
    matrix.indices = matrix.indices.astype(dtype)
    shown = np.dtype(dtype)
    message = f"indices of type {shown} is not supported (supported: int32, int64)"
    assert message in refusal(nacho.UnsupportedError, matrix)
    matrix = coo()
    matrix.coords = (matrix.coords[0], matrix.coords[1].astype(dtype))
    message = f"coords[1] of type {shown} is not supported"
    assert message in refusal(nacho.UnsupportedError, matrix)
