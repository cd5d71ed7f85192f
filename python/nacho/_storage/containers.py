"""From a container of any known library to a view of its arrays.

Classes are recognised by their names, so that no library has to be imported.
"""

from __future__ import annotations

from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import numpy as np

from nacho._elements import DType
from nacho._storage.formats import Format
from nacho._storage.gpu_arrays import cupy_view, dense_on_device, has_interface
from nacho._storage.input_checks import require_element, require_stored
from nacho._storage.layouts import CSC, CSR, SPARSE_VECTOR, coo_view, dense_view
from nacho._storage.lengths import filled
from nacho._storage.memory import Memory
from nacho._storage.read_arrays import (
    frame_view,
    is_read_as_array,
    is_sparse_frame,
    read_array,
    widened_bfloat16,
)
from nacho._storage.scalars import from_dlpack, is_number, refuse_rank
from nacho._storage.sparse_arrays import SPARSE_CLASSES, sparse_view
from nacho._storage.tensor_data import TensorData
from nacho._storage.torch_tensors import is_torch, torch_view
from nacho._storage.views import (
    CUPY,
    DLPACK,
    INT32,
    INT32_MAX,
    INT64,
    NUMPY,
    SCIPY_ARRAY,
    SCIPY_MATRIX,
    SPARSE,
    TORCH,
    Array,
    View,
    has_canonical_entries,
    require_positions,
)
from nacho.errors import OperandError, UnsupportedError, UnsupportedOperandError

_LAYOUTS = frozenset({"csr", "csc", "coo", "bsr", "dia", "lil", "dok"})
_CONVERTED = frozenset({"dia", "lil", "dok"})
"""The layouts of SciPy that have no arrays of entries, sorted by coordinates."""
_FAMILIES = {"array": SCIPY_ARRAY, "matrix": SCIPY_MATRIX}

Place = tuple[str | int, ...]
"""The names of attributes, and the numbers of items, that lead to an array."""
_POS_PLACES: dict[str, Place | None] = {
    "csr": ("indptr",),
    "csc": ("indptr",),
    "coo": None,
}
_CRD_PLACES: dict[str, Place] = {"csr": ("indices",), "csc": ("indices",)}

_kinds: WeakKeyDictionary[type, tuple[str, str] | None] = WeakKeyDictionary()
"""Held weakly: classes of a script lead to all of its variables, and keep these."""


def view_of(name: str, container: Any, rank: int) -> View:
    """Return a view of an operand, or refuse its class or its rank."""
    kind = type(container)
    if isinstance(container, TensorData):
        view = container._view
        if len(view.shape) != rank:
            refuse_rank(name, len(view.shape), rank)
        return view
    known = None if kind is np.ndarray else _kind_of(kind)
    if known is None and not isinstance(container, np.ndarray):
        return _exchanged_view(name, container, rank)
    shape = container.shape
    if len(shape) != rank:
        refuse_rank(name, len(shape), rank)
    if known is None:
        return _numpy_view(name, container)
    return _foreign_view(name, container, *known)


def _foreign_view(name: str, container: Any, layout: str, library: str) -> View:
    """Return a view of a container of another library than NumPy."""
    if library == TORCH:
        return torch_view(name, container)
    if library == CUPY:
        return cupy_view(name, container, layout)
    if library == SPARSE:
        return sparse_view(name, container, layout)
    if layout in _CONVERTED:
        return _converted_view(name, container, layout, library)
    if layout == "coo":
        return _coo_view(name, container, library)
    if layout == "bsr":
        return _bsr_view(name, container, library)
    return _compressed_view(name, container, layout, library)


def _kind_of(kind: type) -> tuple[str, str] | None:
    """Return the layout and the library of a known class or of one derived from it.

    None stands for any other class. Tensors of PyTorch say themselves which layout they
    have.
    """
    if kind in _kinds:
        return _kinds[kind]
    found = None
    for base in kind.__mro__:
        layout, _, family = base.__name__.partition("_")
        known = layout in _LAYOUTS and family in _FAMILIES
        if known and base.__module__.startswith("scipy.sparse"):
            found = (layout, _FAMILIES[family])
            break
        if known and base.__module__.startswith("cupyx.scipy.sparse"):
            found = (layout, CUPY)
            break
        if is_torch(base):
            found = ("", TORCH)
            break
        if base.__name__ in SPARSE_CLASSES and base.__module__.startswith("sparse."):
            found = (base.__name__, SPARSE)
            break
    _kinds[kind] = found
    return found


def _exchanged_view(name: str, container: Any, rank: int) -> View:
    """Return the view of a dense array of any library that says where its memory is."""
    if is_sparse_frame(container):
        view = frame_view(name, container)
    elif has_interface(container):
        view = dense_on_device(name, container)
    elif hasattr(container, "__dlpack__"):
        array = from_dlpack(name, container)
        require_element(name, array.dtype)
        view = dense_view(array, DLPACK)
    elif is_read_as_array(container):
        array, note = read_array(name, container)
        require_stored(name, array.dtype)
        view = dense_view(array, NUMPY, note)
    else:
        _refuse_container(name, container, rank)
    if len(view.shape) != rank:
        refuse_rank(name, len(view.shape), rank)
    return view


def _refuse_container(name: str, container: object, rank: int) -> NoReturn:
    if is_number(container):
        refuse_rank(name, 0, rank)
    kind = type(container)
    shown = kind.__qualname__
    if kind.__module__ != "builtins":
        shown = f"{kind.__module__}.{shown}"
    if kind.__module__.startswith("dask."):
        advice = (
            f"nacho.dask.evaluate computes with nacho.dask.from_array({name}) on a "
            f"cluster, and {name}.compute() makes an array of it here"
        )
    elif hasattr(container, "compute"):
        advice = f"compute it first: {name}.compute()"
    elif hasattr(container, "tocsr"):
        advice = f"convert it with {name}.tocsr()"
    elif hasattr(container, "tocoo") or hasattr(container, "to_coo"):
        method = "tocoo" if hasattr(container, "tocoo") else "to_coo"
        advice = f"convert it with {name}.{method}()"
    elif isinstance(container, list | tuple):
        advice = f"convert it with numpy.asarray({name})"
    else:
        advice = (
            "pass a NumPy array, a SciPy sparse array or matrix, a PyTorch tensor, "
            "anything else with __dlpack__ or __array__, or a nacho.Tensor"
        )
    raise UnsupportedOperandError(
        f"operand '{name}': {shown} is not supported; {advice}"
    )


# --- NumPy ----------------------------------------------------------------------------


def _numpy_view(name: str, array: Array) -> View:
    """Return the view of an array, or refuse its type."""
    if type(array) is not np.ndarray:
        if isinstance(array, np.ma.MaskedArray):
            raise UnsupportedOperandError(
                f"operand '{name}': a masked array is not supported; convert it with "
                f"{name}.filled(0)"
            )
        array = np.asarray(array)
    array, note = widened_bfloat16(array)
    require_stored(name, array.dtype)
    return dense_view(array, NUMPY, note)


# --- SciPy ----------------------------------------------------------------------------


def _require_arrays(name: str, **arrays: object) -> None:
    for label, array in arrays.items():
        if not isinstance(array, np.ndarray):
            shown = type(array).__name__
            raise OperandError(f"operand '{name}': {label} is no array, but {shown}")


def places_of(view: View) -> list[Place | None] | None:
    """Return where the container of a view has each array, as the levels order them.

    None in the list stands for the ``pos`` that was made for the view of a coo. None
    in place of the list stands for containers whose arrays were all made for the view.
    """
    if view.library == NUMPY and not view.note:
        return [()]
    if view.note or view.library in (TORCH, SPARSE, CUPY, DLPACK):
        return None
    places: list[Place | None] = []
    for level, (pos, crd) in enumerate(zip(view.pos, view.crd, strict=True)):
        if pos is not None:
            places.append(_POS_PLACES.get(view.layout, ("pos", level)))
        if crd is not None:
            name = "coords" if view.layout == "coo" else "crd"
            places.append(_CRD_PLACES.get(view.layout, (name, level)))
    places.append(("data",) if view.is_foreign else ("values",))
    return places


def _compressed_view(name: str, container: Any, layout: str, library: str) -> View:
    indptr, indices, data = container.indptr, container.indices, container.data
    if not type(indptr) is type(indices) is type(data) is np.ndarray:
        _require_arrays(name, indptr=indptr, indices=indices, data=data)
    shape = container.shape
    if len(shape) == 1:
        return View(SPARSE_VECTOR, shape, (indptr,), (indices,), data, library, layout)
    format = CSR if layout == "csr" else CSC
    return View(format, shape, (None, indptr), (None, indices), data, library, layout)


def _coo_view(name: str, container: Any, library: str) -> View:
    coords, data, shape = container.coords, container.data, container.shape
    if not isinstance(coords, tuple) or len(coords) != len(shape):
        raise OperandError(f"operand '{name}': coords has not one array per dimension")
    labelled = {f"coords[{n}]": column for n, column in enumerate(coords)}
    _require_arrays(name, **labelled, data=data)
    return coo_view(shape, coords, data, library)


def _converted_view(name: str, container: Any, layout: str, library: str) -> View:
    """Return the view of a container whose entries become csr in each call.

    Any of them may have been edited since the last one.
    """
    _require_parts_that_fit(name, container, layout)
    try:
        made = container.tocsr()
    except (ValueError, IndexError, TypeError) as error:
        raise OperandError(
            f"operand '{name}': SciPy cannot convert it to csr: {error}"
        ) from error
    view = _compressed_view(name, made, "csr", library)
    view.note = f"{layout} converted to csr"
    return view


def _require_parts_that_fit(name: str, container: Any, layout: str) -> None:
    """Refuse parts that do not fit, which SciPy converts to entries in other places."""
    fits = True
    if layout == "dia":
        offsets = container.offsets.tolist()
        fits = len(set(offsets)) == len(offsets) == len(container.data)
    elif layout == "lil":
        fits = [*map(len, container.rows)] == [*map(len, container.data)]
    if not fits:
        parts = "offsets and data" if layout == "dia" else "rows and data"
        raise OperandError(f"operand '{name}': {parts} of the {layout} do not fit")


def is_bsr(container: Any) -> bool:
    """Return whether a container is SciPy's bsr."""
    known = _kind_of(type(container))
    return known is not None and known[0] == "bsr"


def blocks_view(name: str, container: Any, format: Format) -> View:
    """Return the view of a bsr container in blocks, which uses its arrays."""
    indptr, indices, data = container.indptr, container.indices, container.data
    _require_arrays(name, indptr=indptr, indices=indices, data=data)
    require_stored(name, data.dtype)
    known = _kind_of(type(container))
    assert known is not None
    pos, crd = (None, indptr, None, None), (None, indices, None, None)
    return View(format, container.shape, pos, crd, data.reshape(-1), known[1], "bsr")


def _bsr_view(name: str, container: Any, library: str) -> View:
    """Return the blocks as csr; where each value goes is computed once per container.

    Every call gathers the values anew, because they may have been edited.
    """
    indptr, indices, data = container.indptr, container.indices, container.data
    _require_arrays(name, indptr=indptr, indices=indices, data=data)
    require_stored(name, data.dtype)
    if data.ndim != 3 or 0 in data.shape[1:]:
        message = f"data has shape {data.shape}, expected (blocks, rows, columns)"
        raise OperandError(f"operand '{name}': {message}")
    known = _expansions.get(container)
    if known is None or not known.fits(container):
        known = _Expansion(name, container)
        _expansions.put(container, known)
    values = data[: known.blocks].reshape(-1)[known.order]
    pos, crd = (None, known.pos), (None, known.crd)
    note = "bsr converted to csr"
    return View(CSR, container.shape, pos, crd, values, library, "bsr", note)


class _Expansion:
    """The csr arrays of a bsr container, without values.

    ``order`` is, per entry of the csr arrays, the place of its value in the blocks. A
    snapshot of the index arrays shows whether they were edited in place since then.
    """

    def __init__(self, name: str, container: Any) -> None:
        self.shape = container.shape
        self.block = rows, columns = container.data.shape[1:]
        self.given = container.indptr.copy(), container.indices.copy()
        indptr, indices = self.given
        blocks = _checked_blocks(name, container, indptr, indices)
        first, length = indptr[:-1].astype(np.int64), np.diff(indptr)
        self.blocks = int(indptr[-1])
        count = self.blocks * rows * columns
        # The entries of row r in a row of blocks follow those of the rows 0 to r - 1
        # in all blocks of that row of blocks.
        starts = rows * columns * first[:, None]
        starts = starts + columns * length[:, None] * np.arange(rows)
        along = np.arange(self.blocks) - np.repeat(first, length)
        places = np.repeat(starts, length, axis=0) + columns * along[:, None]
        places = (places[:, :, None] + np.arange(columns)).reshape(-1)
        width = _wide_enough(indptr, indices, max(*self.shape, count))
        self.order = np.empty(count, np.int64)
        self.order[places] = np.arange(count)
        inside = columns * blocks[:, None].astype(np.int64) + np.arange(columns)
        self.crd = np.empty(count, width)
        self.crd[places] = np.repeat(inside, rows, axis=0).reshape(-1)
        self.pos = np.append(starts.reshape(-1), count).astype(width)

    def fits(self, container: Any) -> bool:
        indptr, indices = self.given
        return (
            self.shape == container.shape
            and self.block == container.data.shape[1:]
            and self.blocks <= container.data.shape[0]
            and np.array_equal(indptr, container.indptr)
            and np.array_equal(indices, container.indices)
        )


def _checked_blocks(name: str, container: Any, pos: Array, crd: Array) -> Array:
    """Check the indices of the blocks, as a csr matrix whose entries are the blocks.

    ``pos`` and ``crd`` are copies of the container's, which no other thread can edit.
    Return the column of each block.
    """
    rows, columns = container.data.shape[1:]
    shape = container.shape
    if shape[0] % rows or shape[1] % columns:
        message = f"shape {shape} is not a multiple of the blocks, {rows}x{columns}"
        raise OperandError(f"operand '{name}': {message}")
    grid = (shape[0] // rows, shape[1] // columns)
    corner = container.data[:, 0, 0]
    view = View(CSR, grid, (None, pos), (None, crd), corner, SCIPY_ARRAY, "bsr")
    for label, array in (("indptr", pos), ("indices", crd)):
        index_width(name, label, array.dtype)
    view = filled(name, view)
    require_positions(name, view)
    has_canonical_entries(name, view)
    return view.crd_at(1)


def _wide_enough(indptr: Array, indices: Array, largest: int) -> DType:
    wide = INT64 in (indptr.dtype, indices.dtype) or largest > INT32_MAX
    return INT64 if wide else INT32


def index_width(name: str, label: str, dtype: DType) -> int:
    """Return the width in bits of an index array, or refuse its type."""
    if dtype == INT32:
        return 32
    if dtype == INT64:
        return 64
    raise UnsupportedError(
        f"operand '{name}': {label} of type {dtype} is not supported "
        "(supported: int32, int64)"
    )


_expansions: Memory[_Expansion] = Memory()
