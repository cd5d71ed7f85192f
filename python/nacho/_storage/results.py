"""Results: the buffers of a kernel, wrapped in a container of the caller's library."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import Any

import numpy as np

from nacho._public import public
from nacho._storage.conversion import by_dimension
from nacho._storage.device_arrays import HOST, DeviceArray
from nacho._storage.formats import Format
from nacho._storage.gpu_arrays import dense_in_cupy, is_in_cupy, sparse_in_cupy
from nacho._storage.memory import remember, remember_made
from nacho._storage.sparse_arrays import sparse_result
from nacho._storage.torch_tensors import dense_tensor, sparse_tensor
from nacho._storage.usual_views import with_levels_of
from nacho._storage.views import (
    CUPY,
    INT32,
    NACHO,
    NUMPY,
    SCIPY_ARRAY,
    SCIPY_MATRIX,
    SPARSE,
    TORCH,
    Array,
    View,
)

_TEMPLATES: dict[str, tuple[set[str], set[str]]] = {
    # The attributes of SciPy's classes: first arrays and shape, then the flags that say
    # what is known of the entries.
    "csr": (
        {"data", "indices", "indptr", "_shape"},
        {"_has_canonical_format", "_has_sorted_indices"},
    ),
    "coo": ({"data", "coords", "_shape"}, {"has_canonical_format"}),
}
_templates: dict[type, dict[str, Any] | None] = {}


def library_of(views: Sequence[View | None]) -> str:
    """Return the library for a sparse result: that of the first sparse operand.

    SciPy's arrays win over its matrices. Without sparse operands, it is Nacho.
    """
    found = ""
    for view in views:
        if view is None or view.format.is_dense:
            continue
        found = found or view.library
        if found == SCIPY_MATRIX and view.library == SCIPY_ARRAY:
            return SCIPY_ARRAY
    return found or NACHO


def holds(library: str, format: Format | None, rank: int) -> bool:
    """Return whether a library has a container for a result.

    Every library holds numbers and dense arrays. Libraries hold coo only if its levels
    are in the order of the dimensions, but for SciPy's, whose entries have no order.
    """
    if format is None or format.is_dense or library == NACHO:
        return True
    if library == NUMPY or format.rank not in (None, rank):
        return False
    if library == CUPY and rank != 2:
        return False
    known = format.for_rank(rank)
    return _layout(known) != "" or (library in _OF_SCIPY and _is_turned_coo(known))


_OF_SCIPY = (SCIPY_ARRAY, SCIPY_MATRIX)


def _layout(format: Format) -> str:
    """Return the name of a format in other libraries; empty if it has none."""
    if format.name in ("csr", "csc", "coo"):
        return format.name
    return "coo" if format.name == "sparse-vector" else ""


def _is_turned_coo(format: Format) -> bool:
    """Return whether a format is coo but for the order of its levels."""
    if format.is_row_major or format.parts:
        return False
    return format.kinds == Format("coo").for_rank(len(format.levels)).kinds


def _in_order(view: View) -> View:
    """Return a turned coo as one in the order of the dimensions, without an order."""
    rank = len(view.shape)
    crd = [view.crd[view.format.order.index(n)] for n in range(rank)]
    format = Format("coo").for_rank(rank)
    return View(format, view.shape, view.pos, (*crd,), view.values)


def result_class(
    format: Format | None, views: Sequence[View | None], place: str = HOST
) -> type[Any]:
    """Return the class of the result.

    ``place`` is where the result is. NumPy has no arrays on devices: a dense result
    there is a ``nacho.Tensor``.

    A scalar result is a NumPy scalar and a dense one a NumPy array, unless the operands
    are PyTorch's: then all results are its tensors.
    """
    is_sparse = format is not None and not format.is_dense
    library = library_of(views) if is_sparse else _library_of_dense(views)
    if not is_sparse and library not in (TORCH, CUPY):
        dense = np.ndarray if place == HOST else public("Tensor")
        return np.generic if format is None else dense
    return _class_of(library, format)


def _library_of_dense(views: Sequence[View | None]) -> str:
    """Return the library for a dense result, or for a number.

    It is that of the first sparse operand, if that is none of Nacho's. Else it is
    PyTorch or CuPy if any operand is an array of it.
    """
    library = library_of(views)
    if library != NACHO:
        return library
    dense = (view.library for view in views if view and view.format.is_dense)
    return next((each for each in dense if each in (TORCH, CUPY)), NUMPY)


@lru_cache(maxsize=1024)
def _class_of(library: str, format: Format | None) -> type[Any]:
    """Return the class of a library for a format; Nacho's own if it has none."""
    rank = 0 if format is None else len(format.levels)
    layout = "" if format is None else _layout(format)
    if library == NACHO or not holds(library, format, rank):
        return public("Tensor")  # type: ignore[no-any-return]
    if library == TORCH:
        module, name = "torch", "Tensor"
    elif library == CUPY and layout:
        module, name = "cupyx.scipy.sparse", f"{layout}_matrix"
    elif library == CUPY:
        module, name = "cupy", "ndarray"
    elif library == SPARSE:
        module, name = "sparse", "COO" if layout == "coo" else "GCXS"
    else:
        # SciPy's matrices are of rank 2.
        family = "matrix" if library == SCIPY_MATRIX and rank == 2 else "array"
        module, name = "scipy.sparse", f"{layout or 'coo'}_{family}"
    # The operands of another process may have come from it.
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    return found


def make_result(
    format: Format | None,
    shape: tuple[int, ...],
    buffers: Sequence[Any],
    kind: type[Any],
    canonical: bool = True,
) -> Any:
    """Wrap the buffers of a kernel: by level ``pos`` and ``crd``, then the values.

    ``canonical`` says that the entries are known to be sorted and distinct. Such a
    result is not checked when it becomes an operand.
    """
    library = kind.__module__.partition(".")[0]
    if format is None:
        return _number(buffers[-1].reshape(()), library)
    view = view_of_buffers(format.usual, shape, buffers)
    if not format.is_usual:
        view = with_levels_of(format, view)
    if library == "cupyx" and not is_in_cupy(view.values.dtype):
        kind, library = public("Tensor"), NACHO
    if format.is_dense:
        return kind._of(view) if library == NACHO else _dense_result(view, library)
    if library == "scipy" and _is_turned_coo(format):
        view, canonical = _in_order(view), False
    if library != NACHO:
        view.layout = _layout(view.format)
    if library in _MAKERS:
        return _MAKERS[library](view, canonical)
    made = kind._of(view) if library == NACHO else _scipy_result(kind, view, canonical)
    if canonical:
        remember(made, view)
    return made


def result_maker(
    format: Format | None, kind: type[Any]
) -> Callable[[tuple[int, ...], Sequence[Any]], Any]:
    """Return a function that makes canonical results as ``make_result`` does.

    It takes their shapes and their buffers. Most of what has to be known for that
    follows from the format and the class.
    """
    if format is not None and format.is_usual and kind.__module__.startswith("scipy."):
        layout = _layout(format)
        if layout == "coo":
            template = _template(kind, layout)
            if template is not None:
                return partial(_coo_of_buffers, kind, template)
        elif layout:
            template = _template(kind, "csr")
            if template is not None:
                return partial(_compressed_of_buffers, kind, template, format)
    if format is not None and format.is_usual and not format.is_dense:
        is_shared = any(len(levels) > 1 for levels in format.sharing)
        if kind is public("Tensor") and not is_shared:
            return partial(_tensor_of_buffers, kind, format, *_numbers(format))
    return lambda shape, buffers: make_result(format, shape, buffers, kind)


_Numbers = list[int | None]


def _numbers(format: Format) -> tuple[_Numbers, _Numbers]:
    """Return which of the buffers each level has as ``pos``, and which as ``crd``."""
    numbers = count()
    pos: _Numbers = []
    crd: _Numbers = []
    for level in range(len(format.levels)):
        pos.append(next(numbers) if level in format.compressed else None)
        crd.append(next(numbers) if level in format.owners else None)
    return pos, crd


def _tensor_of_buffers(
    kind: Any,
    format: Format,
    pos: _Numbers,
    crd: _Numbers,
    shape: tuple[int, ...],
    buffers: Sequence[Any],
) -> Any:
    view = View(
        format,
        shape,
        tuple([None if n is None else buffers[n] for n in pos]),
        tuple([None if n is None else buffers[n] for n in crd]),
        buffers[-1],
    )
    made = kind._of(view)
    remember_made(made, shape, buffers[:-1])
    return made


def _coo_of_buffers(
    kind: type[Any],
    template: Mapping[str, Any],
    shape: tuple[int, ...],
    buffers: Sequence[Any],
) -> Any:
    coords = (*buffers[1:-1],)
    own = {"_shape": shape, "data": buffers[-1], "coords": coords}
    made = _filled(kind, template, own)
    remember_made(made, shape, coords)
    return made


def _compressed_of_buffers(
    kind: type[Any],
    template: Mapping[str, Any],
    format: Format,
    shape: tuple[int, ...],
    buffers: Sequence[Any],
) -> Any:
    pos, crd, values = buffers
    if pos.dtype != crd.dtype:
        return make_result(format, shape, buffers, kind)
    own = {"_shape": shape, "data": values, "indptr": pos, "indices": crd}
    made = _filled(kind, template, own)
    remember_made(made, shape, (pos, crd))
    return made


_MAKERS: dict[str, Callable[[View, bool], Any]] = {
    "torch": sparse_tensor,
    "sparse": sparse_result,
    "cupyx": sparse_in_cupy,
}
"""Per package, the function that wraps a sparse result."""


def _number(number: Any, library: str) -> Any:
    if library == "torch":
        return dense_tensor(number)
    if library == "cupy":
        return dense_in_cupy(number)
    read: Array = number.to_host() if isinstance(number, DeviceArray) else number
    return read[()]


def _dense_result(view: View, library: str) -> Any:
    if library == "numpy":
        return by_dimension(view)
    axes = np.argsort(view.format.order).tolist()
    if library == "torch":
        return dense_tensor(view.values).permute(axes)
    return dense_in_cupy(view.values).transpose(axes)


def view_of_buffers(
    format: Format, shape: tuple[int, ...], buffers: Sequence[Array]
) -> View:
    """Return the buffers of a kernel as a view: those of levels, then the values."""
    arrays = iter(buffers)
    pos: list[Array | None] = []
    crd: list[Array | None] = []
    for level, shared in enumerate(format.sharing):
        pos.append(next(arrays) if level in format.compressed else None)
        if level not in format.owners:
            crd.append(None)
        else:
            stored = next(arrays)
            crd.append(stored.reshape(-1, len(shared)) if len(shared) > 1 else stored)
    view = View(format, shape, (*pos,), (*crd,), next(arrays))
    if format.is_dense:
        view.values = view.values.reshape(view.extents)
    return view


def _scipy_result(kind: Any, view: View, canonical: bool) -> Any:
    layout = "coo" if view.layout == "coo" else "csr"
    template = _template(kind, layout)
    own: dict[str, Any] = {"_shape": view.shape, "data": view.values}
    if layout == "coo":
        own["coords"] = view.crd
    else:
        own["indptr"], own["indices"] = pos, crd = view.pos_at(1), view.crd_at(1)
        if pos.dtype != crd.dtype:
            template = None
    if template is None:
        return _constructed(kind, view, canonical)
    made = _filled(kind, template, own)
    if not canonical:
        _claim_nothing(made, layout)
    return made


def _filled(kind: Any, template: Mapping[str, Any], own: Mapping[str, Any]) -> Any:
    """Make a canonical matrix of a template, without SciPy's constructor."""
    made: Any = object.__new__(kind)
    fields = made.__dict__
    fields.update(template)
    fields.update(own)
    return made


def _claim_nothing(made: Any, layout: str) -> None:
    """Leave it to SciPy to find out whether entries are sorted and distinct."""
    if layout == "coo":
        made.has_canonical_format = False
        return
    for flag in _TEMPLATES[layout][1]:
        del made.__dict__[flag]


def _constructed(kind: Any, view: View, canonical: bool) -> Any:
    if view.layout == "coo":
        made: Any = kind((view.values, view.crd), shape=view.shape)
    else:
        parts = (view.values, view.crd_at(1), view.pos_at(1))
        made = kind(parts, shape=view.shape)
        if canonical:
            made.has_sorted_indices = True
    if canonical:
        made.has_canonical_format = True
    return made


def _template(kind: type, layout: str) -> dict[str, Any] | None:
    """Return the attributes of a canonical matrix, or None if they look unfamiliar.

    SciPy's constructor scans the index arrays, so results are made without it: by
    filling in the attributes. This is only safe if the class has exactly the attributes
    that are listed in ``_TEMPLATES``.
    """
    if kind in _templates:
        return _templates[kind]
    one, zero = np.ones(1), np.zeros(1, INT32)
    make: Any = kind
    if layout == "coo":
        sample = make((one, (zero, zero)), shape=(1, 1))
    else:
        sample = make((one, zero, np.array([0, 1], INT32)), shape=(1, 1))
        sample.has_sorted_indices = True
    sample.has_canonical_format = True
    fields = vars(sample)
    arrays, flags = _TEMPLATES[layout]
    familiar = set(fields) == arrays | flags | {"maxprint"}
    familiar = familiar and fields["_shape"] == (1, 1)
    _templates[kind] = dict(fields) if familiar else None
    return _templates[kind]
