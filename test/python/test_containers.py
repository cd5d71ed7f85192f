"""What callers pass: looked at in place, whatever library it comes from."""

import gc
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import Format, Tensor
from nacho._kernels.loading import load
from nacho._storage.containers import _expansions, view_of
from nacho._storage.operand_types import tensor_type
from nacho._storage.operands import arguments
from nacho._storage.views import NACHO, NUMPY, SCIPY_ARRAY, SCIPY_MATRIX

# 1 . 2 .
# . . . .
# . 3 . 4
DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 4]])
CUBE = np.arange(24.0).reshape(2, 3, 4) % 5
FAMILIES = {"array": SCIPY_ARRAY, "matrix": SCIPY_MATRIX}


def loaded(container, notes=None):
    """Return an operand as a kernel reads it that was compiled for it."""
    view = view_of("A", container, len(container.shape))
    return load("A", container, view, tensor_type("A", view), "safe", notes)


def as_dense(view):
    return Tensor._of(view).to_dense()


def refusal(error, container, rank):
    with pytest.raises(error) as caught:
        view_of("A", container, rank)
    assert "operand 'A'" in str(caught.value)
    return str(caught.value)


# --- SciPy ----------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_compressed(layout, family):
    matrix = getattr(sp, f"{layout}_{family}")(DENSE)
    notes = []
    view = loaded(matrix, notes)
    assert (view.format, view.library) == (Format(layout), FAMILIES[family])
    indptr, indices, values, *extents = arguments(view)
    assert indptr is matrix.indptr
    assert indices is matrix.indices
    assert values is matrix.data
    assert extents == ([3, 4] if layout == "csr" else [4, 3])
    assert notes == []


@pytest.mark.parametrize("family", FAMILIES)
def test_coo(family):
    matrix = getattr(sp, f"coo_{family}")(DENSE)
    notes = []
    view = loaded(matrix, notes)
    assert (view.format, view.library) == (
        Format("coo").for_rank(2),
        FAMILIES[family],
    )
    pos, rows, columns, values, *extents = arguments(view)
    assert pos.tolist() == [0, 4]
    assert pos.dtype == rows.dtype
    assert rows is matrix.coords[0]
    assert columns is matrix.coords[1]
    assert values is matrix.data
    assert extents == [3, 4]
    assert notes == []


@pytest.mark.parametrize("rank", [1, 3, 4])
def test_coo_of_other_ranks(rank):
    dense = np.arange(120.0).reshape(2, 3, 4, 5)[(1,) * (4 - rank)] % 3
    array = sp.coo_array(dense)
    view = loaded(array)
    assert view.format == Format("coo").for_rank(rank)
    assert arguments(view)[1] is array.coords[0]
    np.testing.assert_array_equal(as_dense(view), dense)


def test_csr_of_one_dimension():
    array = sp.csr_array(DENSE[2])
    view = loaded(array)
    assert view.format == Format("sparse-vector")
    assert arguments(view)[:2] == [array.indptr, array.indices]
    np.testing.assert_array_equal(as_dense(view), DENSE[2])


def test_subclasses_of_scipy():
    class Mine(sp.csr_matrix):
        pass

    view = view_of("A", Mine(DENSE), 2)
    assert (view.library, view.layout) == (SCIPY_MATRIX, "csr")


@pytest.mark.parametrize("layout", ["lil", "dok", "dia"])
@pytest.mark.parametrize("family", FAMILIES)
def test_other_layouts_of_scipy(layout, family):
    matrix = getattr(sp, f"{layout}_{family}")(DENSE)
    notes = []
    view = loaded(matrix, notes)
    assert (view.format, view.library) == (Format("csr"), FAMILIES[family])
    np.testing.assert_array_equal(as_dense(view), DENSE)
    assert notes[0] == f"A: {layout} converted to csr"


@pytest.mark.parametrize("row", [[0, 9], ["a", "b"]])
def test_lists_that_are_wrong(row):
    matrix = sp.lil_array(DENSE)
    matrix.rows[0] = row
    with pytest.raises(nacho.OperandError, match="operand 'A': "):
        loaded(matrix)


def test_parts_that_do_not_fit():
    """SciPy would put their entries into other rows, or leave them out."""
    matrix = sp.lil_array(DENSE)
    matrix.rows[0] = [1]
    matrix.data[0] = [1.0, 2.0]
    message = refusal(nacho.OperandError, matrix, 2)
    assert "rows and data of the lil do not fit" in message
    for offsets, diagonals in (([0, 0], 2), ([0, 1], 1)):
        matrix = sp.dia_array((np.ones((2, 4)), [0, 1]), shape=(4, 4))
        matrix.offsets, matrix.data = np.array(offsets), np.ones((diagonals, 4))
        message = refusal(nacho.OperandError, matrix, 2)
        assert "offsets and data of the dia do not fit" in message


@pytest.mark.parametrize("name", ["indptr", "indices", "data"])
def test_no_arrays(name):
    matrix = sp.csr_array(DENSE)
    setattr(matrix, name, [1, 2, 3])
    message = refusal(nacho.OperandError, matrix, 2)
    assert f"{name} is no array, but list" in message


def test_coo_without_arrays():
    array = sp.coo_array(DENSE)
    array.coords = (array.coords[0],)
    assert "one array per dim" in refusal(nacho.OperandError, array, 2)
    array.coords = (array.data, [1])
    assert "coords[1] is no array" in refusal(nacho.OperandError, array, 2)


# --- SciPy's bsr ----------------------------------------------------------------------


def blocks(indptr, indices, shape=(6, 9), block=(2, 3), dtype=float):
    data = np.arange(1, len(indices) * block[0] * block[1] + 1, dtype=dtype)
    data = data.reshape(-1, *block)
    made = sp.bsr_array(shape, blocksize=block)
    made.indptr, made.indices = np.array(indptr, np.int32), np.array(indices, np.int32)
    made.data = data
    return made


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("block", [(1, 1), (2, 3), (3, 1), (6, 9)])
def test_bsr(family, block):
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((6, 9)) < 0.3, rng.integers(1, 9, (6, 9)), 0)
    matrix = getattr(sp, f"bsr_{family}")(dense, blocksize=block)
    matrix.sort_indices()
    notes = []
    view = loaded(matrix, notes)
    assert (view.format, view.library) == (Format("csr"), FAMILIES[family])
    assert view.values.size == matrix.data.size  # also the zeros in a block
    np.testing.assert_array_equal(as_dense(view), dense)
    expected = matrix.tocsr()
    expected.sort_indices()
    np.testing.assert_array_equal(view.crd[1], expected.indices)
    assert notes == ["A: bsr converted to csr"]


def test_bsr_values_are_those_of_now():
    matrix = blocks((0, 2, 2, 3), (0, 2, 1))
    first = loaded(matrix)
    matrix.data *= 10
    second = loaded(matrix)
    assert second.crd[1] is first.crd[1]
    assert second.values.tolist() == (10 * first.values).tolist()


def test_bsr_edited_in_place():
    matrix = blocks((0, 2, 2, 3), (0, 2, 1))
    loaded(matrix)
    matrix.indices[2] = 0
    np.testing.assert_array_equal(as_dense(loaded(matrix)), matrix.toarray())


def test_bsr_unsorted_and_duplicates():
    matrix = blocks((0, 3, 3, 4), (2, 0, 2, 1))
    wanted, notes = matrix.toarray(), []
    for _ in range(2):
        np.testing.assert_array_equal(as_dense(loaded(matrix, notes)), wanted)
    copied = "A: entries sorted into a private copy, 6 duplicates summed"
    assert notes == 2 * ["A: bsr converted to csr", copied]


def test_bsr_spare_room():
    matrix = blocks((0, 1, 1, 2), (0, 2, 1, 99))
    loaded(matrix)
    assert loaded(matrix).values.size == 12


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"indptr": (0, 2, 3)}, "indptr has shape (3,), expected (4,)"),
        ({"indptr": (0, 2, 1, 3)}, "indptr[2] = 1, below indptr[1] = 2"),
        ({"indptr": (0, 2, 2, 4)}, "indptr[3] = 4, but indices has 3 entries"),
        ({"indices": (0, 3, 1)}, "indices[1] = 3 is out of range [0, 3)"),
        ({"shape": (6, 10)}, "shape (6, 10) is not a multiple of the blocks, 2x3"),
    ],
)
def test_corrupt_bsr(parts, message):
    given = {"indptr": (0, 2, 2, 3), "indices": (0, 2, 1), "shape": (6, 9)} | parts
    matrix = blocks(given["indptr"], given["indices"])
    matrix._shape = given["shape"]
    for _ in range(2):
        assert message in refusal(nacho.OperandError, matrix, 2)


def test_bsr_without_blocks():
    matrix = blocks((0, 0, 0, 0), ())
    assert loaded(matrix).values.size == 0
    matrix.data = np.ones(3)
    assert "expected (blocks, rows, columns)" in refusal(nacho.OperandError, matrix, 2)


def test_expansions_do_not_outlive_the_container():
    gc.collect()
    before = len(_expansions)
    matrix = blocks((0, 1, 1, 2), (0, 2))
    loaded(matrix)
    assert len(_expansions) == before + 1
    del matrix
    gc.collect()
    assert len(_expansions) == before


# --- NumPy ----------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_arrays_in_c_order(rank):
    array, notes = CUBE[(0,) * (3 - rank)].copy(), []
    view = loaded(array, notes)
    assert (view.format, view.library) == (Format("dense").for_rank(rank), NUMPY)
    assert arguments(view) == [view.values, *array.shape]
    assert np.shares_memory(view.values, array)
    assert notes == []


@pytest.mark.parametrize("rank", [2, 3])
def test_arrays_in_fortran_order(rank):
    array, notes = np.asfortranarray(CUBE[(0,) * (3 - rank)]), []
    view = loaded(array, notes)
    assert view.format.is_dense
    assert view.format.order == tuple(range(rank))[::-1]
    assert arguments(view)[1:] == list(array.shape[::-1])
    assert view.values.flags.c_contiguous
    assert np.shares_memory(view.values, array)
    np.testing.assert_array_equal(as_dense(view), array)
    assert notes == []


@pytest.mark.parametrize(
    "array",
    [CUBE[:, ::2], CUBE.transpose(1, 0, 2), CUBE[::-1], CUBE[0, :, 1], CUBE[0, ::-1]],
)
def test_arrays_in_another_order(array):
    notes = []
    view = loaded(array, notes)
    assert view.format == Format("dense").for_rank(array.ndim)
    np.testing.assert_array_equal(view.values, array)
    assert notes == ["A: the array is not contiguous and aligned: copied"]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1, 1), (3, 1), (1, 3)])
def test_small_arrays(shape):
    for array in (np.ones(shape), np.ones(shape, order="F")):
        view = loaded(array)
        assert view.format == Format("dense").for_rank(len(shape))
        assert view.extents == shape


def test_arrays_of_another_byte_order():
    array, notes = CUBE.astype(">f4"), []
    view = loaded(array, notes)
    assert view.values.dtype == np.float32
    np.testing.assert_array_equal(view.values, CUBE)
    assert notes == ["A: the array has the byte order of another machine: copied"]


def test_subclasses_of_arrays(tmp_path):
    matrix = DENSE.view(np.matrix)
    assert type(loaded(matrix).values) is np.ndarray
    assert np.shares_memory(loaded(matrix).values, matrix)
    CUBE.tofile(tmp_path / "cube")
    mapped = np.memmap(tmp_path / "cube", np.float64, "r", shape=CUBE.shape)
    assert np.shares_memory(loaded(mapped).values, mapped)


def test_masked_arrays():
    array = np.ma.masked_array(DENSE, DENSE == 0)
    message = refusal(nacho.UnsupportedError, array, 2)
    assert "a masked array is not supported; convert it with A.filled(0)" in message


# --- Others ---------------------------------------------------------------------------


def test_tensors():
    for format in ("csf", "coo", "dense"):
        tensor = Tensor.from_dense(CUBE, format)
        view = loaded(tensor)
        assert view.library == NACHO
        assert view.values is tensor.values


@pytest.mark.parametrize(
    ("container", "message"),
    [
        ([[1.0]], "list is not supported; convert it with numpy.asarray(A)"),
        ((1.0, 2.0), "tuple is not supported; convert it with numpy.asarray(A)"),
        (None, "NoneType is not supported; pass a NumPy array, a SciPy sparse"),
        ("A", "str is not supported; pass a NumPy array"),
        (Format("csr"), "nacho._storage.formats.Format is not supported; pass"),
    ],
)
def test_other_containers(container, message):
    assert message in refusal(nacho.UnsupportedError, container, 2)


@pytest.mark.parametrize(
    ("container", "rank", "message"),
    [
        (sp.csr_array(DENSE), 3, "has rank 2, but is written with 3 indices"),
        (sp.coo_array(CUBE), 2, "has rank 3, but is written with 2 indices"),
        (sp.bsr_array(DENSE), 1, "has rank 2, but is written with 1 index"),
        (DENSE, 1, "has rank 2, but is written with 1 index"),
        (Tensor.from_dense(CUBE), 4, "has rank 3, but is written with 4 indices"),
        (2.0, 2, "has rank 0, but is written with 2 indices"),
        (np.array(2.0), 1, "has rank 0, but is written with 1 index"),
        (np.float32(2), 1, "has rank 0, but is written with 1 index"),
    ],
)
def test_wrong_rank(container, rank, message):
    assert f"operand 'A' {message}" == refusal(nacho.ShapeError, container, rank)


@pytest.mark.parametrize("dtype", ["g", "O", "U1", "M8[s]"])
def test_element_types_that_are_refused(dtype):
    array = np.ones(3).astype(dtype)
    with pytest.raises(nacho.DTypeError) as caught:
        loaded(array)
    known = "(supported: float32, float64, int8"
    message = f"operand 'A': type {np.dtype(dtype)} is not supported {known}"
    assert str(caught.value).startswith(message)


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
