"""From what a caller passes to the arguments of a kernel: look, check, convert.

Arrays are used in place where they can be; what had to be copied or converted is noted
in words. A container is checked in full once: the memory of it holds weak references
to the container *and* to its arrays, so that replaced arrays are checked again.
"""

from __future__ import annotations

import weakref
from typing import Any, NoReturn

import numpy as np

from nacho.errors import DTypeError, OperandError, ShapeError, UnsupportedError
from nacho.formats import Format, TensorType
from nacho.storage import (
    CSC,
    CSR,
    ELEMENTS,
    FLOAT64,
    INT32,
    INT64,
    Array,
    DType,
    Tensor,
    View,
    converted,
    filled,
    first_of_runs,
    has_canonical_entries,
    is_plain,
    require_float,
    require_positions,
)

_INDICES = {32: INT32, 64: INT64}
_LAYOUTS = {"csr": CSR, "csc": CSC}

Notes = list[str]


# --- Looking --------------------------------------------------------------------------

_scipy_kinds: dict[type, tuple[Format, type] | None] = {}


def view_of(name: str, container: Any, rank: int) -> View:
    """Return the arrays of an operand, or refuse its type or its rank."""
    known = _scipy_kind(type(container))
    if known is None and type(container) is not Tensor:
        _refuse_container(name, container, rank)
    shape = container.shape
    if len(shape) != rank:
        _refuse_rank(name, len(shape), rank)
    if rank != 2:
        raise UnsupportedError(f"operand '{name}' has rank {rank}, not 2")
    if known is None:
        view: View = container._view
        return view
    pos, crd, values = container.indptr, container.indices, container.data
    for label, array in (("indptr", pos), ("indices", crd), ("data", values)):
        if not isinstance(array, np.ndarray):
            shown = type(array).__name__
            raise OperandError(f"operand '{name}': {label} is no array, but {shown}")
    return View(known[0], shape, (pos,), (crd,), values, known[1])


def _scipy_kind(kind: type) -> tuple[Format, type] | None:
    """Return format and class if ``kind`` is SciPy's csr or csc, or derives from it.

    Classes are told by their names: SciPy is not imported for that.
    """
    if kind in _scipy_kinds:
        return _scipy_kinds[kind]
    found = None
    for base in kind.__mro__:
        layout, _, family = base.__name__.partition("_")
        known = layout in _LAYOUTS and family in ("array", "matrix")
        if known and base.__module__.startswith("scipy.sparse"):
            found = (_LAYOUTS[layout], base)
            break
    _scipy_kinds[kind] = found
    return found


def _refuse_container(name: str, container: object, rank: int) -> NoReturn:
    if _is_number(container):
        _refuse_rank(name, 0, rank)
    kind = type(container)
    shown = f"{kind.__module__}.{kind.__qualname__}"
    if hasattr(container, "tocsr"):
        advice = f"convert it with {name}.tocsr()"
    else:
        advice = f"convert it with scipy.sparse.csr_array({name})"
    raise UnsupportedError(f"operand '{name}': {shown} is not supported; {advice}")


def _refuse_rank(name: str, given: int, rank: int) -> NoReturn:
    written = f"with {rank} indices" if rank else "without indices"
    raise ShapeError(f"operand '{name}' has rank {given}, but is written {written}")


def _is_number(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return isinstance(value, int | float | complex | np.generic)


# --- Scalars --------------------------------------------------------------------------


def scalar_dtype(name: str, value: Any) -> DType | None:
    """Return the type of a scalar operand; None for a Python number, which adapts."""
    kind = type(value)
    if kind is float or kind is int:
        return None
    if not _is_number(value):
        if getattr(value, "ndim", 0):
            _refuse_rank(name, value.ndim, 0)
        raise UnsupportedError(f"operand '{name}': {kind.__name__} is not a number")
    if isinstance(value, np.generic | np.ndarray):
        require_float(name, value.dtype)
        return value.dtype
    if isinstance(value, bool | complex):
        raise UnsupportedError(f"operand '{name}': {kind.__name__} is not supported")
    return None


def load_scalar(name: str, value: Any, type: TensorType) -> Array:
    """Return a scalar operand as the array that a kernel reads."""
    given = scalar_dtype(name, value)
    wanted = ELEMENTS[type.dtype]
    if given is not None and not np.can_cast(given, wanted, "safe"):
        raise DTypeError(
            f"operand '{name}' is {given}, but the kernel was compiled for {wanted}"
        )
    try:
        array: Array = np.array(value, wanted)
    except OverflowError as error:
        raise DTypeError(f"operand '{name}' does not fit {wanted}") from error
    return array


# --- Loading --------------------------------------------------------------------------


def load(
    name: str,
    container: object,
    view: View,
    type: TensorType,
    validate: str,
    notes: Notes | None = None,
) -> View:
    """Check an operand, and return it as the kernel reads it."""
    assert type.format is not None
    _check_types(name, view, type)
    ready = view if _is_plain(view) else _made_plain(name, view, notes)
    ready = filled(name, ready)
    if validate != "none" or _known_unsorted(container):
        require_positions(name, ready)
        ready = _canonical(name, container, view, ready, validate, notes)
    if ready.format is not type.format and ready.format != type.format:
        if notes is not None:
            notes.append(f"{name}: {ready.format} converted to {type.format}")
        ready = converted(ready, type.format)
    return ready


def _known_unsorted(container: object) -> bool:
    """Return whether SciPy has found out that entries are unsorted or repeated."""
    known: dict[str, Any] = getattr(container, "__dict__", {})
    return (
        known.get("_has_sorted_indices") is False
        or known.get("_has_canonical_format") is False
    )


def arguments(view: View) -> list[object]:
    """Return a loaded operand as a kernel takes it: arrays by level, then extents."""
    args: list[object] = []
    for pos, crd in zip(view.pos, view.crd, strict=True):
        args += (pos, crd)
    args += (view.values, *view.extents)
    return args


def element_type(name: str, dtype: DType) -> str:
    """Return ``f32`` or ``f64``, or refuse a type."""
    require_float(name, dtype)
    return "f64" if dtype == FLOAT64 else "f32"


def index_width(name: str, label: str, dtype: DType) -> int:
    """Return the width of an index array, or refuse its type."""
    if dtype == INT32:
        return 32
    if dtype == INT64:
        return 64
    raise UnsupportedError(
        f"operand '{name}': {label} of type {dtype} is not supported "
        "(supported: int32, int64)"
    )


def _check_types(name: str, view: View, type: TensorType) -> None:
    """Compare order and types of a container with those of the kernel."""
    format = type.format
    assert format is not None
    if view.format.order != format.order:
        raise UnsupportedError(
            f"operand '{name}' is {view.format}, but the kernel reads {format}: "
            "transposition is not supported"
        )
    values, wanted = view.values.dtype, ELEMENTS[type.dtype]
    if values != wanted:
        require_float(name, values)
        raise DTypeError(
            f"operand '{name}' is {values}, but the kernel was compiled for {wanted}"
        )
    pos_dtype, crd_dtype = _INDICES[type.pos_width], _INDICES[type.crd_width]
    for number, (pos, crd) in enumerate(zip(view.pos, view.crd, strict=True)):
        if pos.dtype != pos_dtype or crd.dtype != crd_dtype:
            _refuse_widths(name, view, number, type)


def _refuse_widths(name: str, view: View, number: int, type: TensorType) -> None:
    labels = view.labels(number)
    arrays = (view.pos[number], view.crd[number])
    widths = [
        index_width(name, label, array.dtype)
        for label, array in zip(labels, arrays, strict=True)
    ]
    wanted = (type.pos_width, type.crd_width)
    for label, width, compiled in zip(labels, widths, wanted, strict=True):
        if width != compiled:
            fix = f'"i{width}"' if widths[0] == widths[1] else _pair(widths)
            raise DTypeError(
                f"operand '{name}': {label} is int{width}, but the kernel was compiled "
                f'for int{compiled}; compile it with index={{"{name}": {fix}}}'
            )


def _pair(widths: list[int]) -> str:
    return f'("i{widths[0]}", "i{widths[1]}")'


def _is_plain(view: View) -> bool:
    for array in view.pos:
        if not is_plain(array):
            return False
    for array in view.crd:
        if not is_plain(array):
            return False
    return is_plain(view.values)


def _made_plain(name: str, view: View, notes: Notes | None) -> View:
    def copied(array: Array, label: str) -> Array:
        if is_plain(array):
            return array
        if notes is not None:
            notes.append(f"{name}: {label} is not contiguous and aligned: copied")
        return array.copy()

    labels = [view.labels(number) for number in range(len(view.pos))]
    pos = [copied(a, label) for a, (label, _) in zip(view.pos, labels, strict=True)]
    crd = [copied(a, label) for a, (_, label) in zip(view.crd, labels, strict=True)]
    values = copied(view.values, view.values_label)
    return view.with_arrays(tuple(pos), tuple(crd), values)


# --- Remembering ----------------------------------------------------------------------


class _Reordering:
    """How the entries of an unsorted SciPy container become sorted and distinct.

    Values are gathered anew on every call, for they may have been edited. The indices
    may have been as well (``A.sort_indices()`` works in place): they are compared with
    a snapshot, which is still much cheaper than sorting.
    """

    def __init__(self, view: View) -> None:
        pos, crd = view.pos[0], view.crd[0]
        self.given = (pos.copy(), crd.copy())
        outer = np.repeat(np.arange(pos.size - 1, dtype=np.int64), np.diff(pos))
        self.order = np.lexsort((crd, outer))
        crd = crd[self.order]
        first = first_of_runs(outer, crd)  # sorting keeps entries in their rows
        self.duplicates = crd.size - int(np.count_nonzero(first))
        self.starts = np.flatnonzero(first) if self.duplicates else None
        self.crd = crd[first]
        self.pos = np.zeros_like(pos)
        rows = np.bincount(outer[first], minlength=pos.size - 1)
        np.cumsum(rows, out=self.pos[1:])

    def fits(self, view: View) -> bool:
        pos, crd = self.given
        return np.array_equal(pos, view.pos[0]) and np.array_equal(crd, view.crd[0])

    def apply(self, view: View) -> View:
        values = view.values[self.order]
        if self.starts is not None:
            values = np.add.reduceat(values, self.starts)
        return view.with_arrays((self.pos,), (self.crd,), values)


class _Check:
    """A container whose coordinates were checked, with the arrays it had then."""

    __slots__ = ("arrays", "container", "format", "reordering", "shape")

    def __init__(
        self,
        container: weakref.ref[object],
        view: View,
        reordering: _Reordering | None,
    ) -> None:
        self.container = container
        self.format = view.format
        self.shape = view.shape
        self.arrays = [weakref.ref(array) for array in (*view.pos, *view.crd)]
        self.reordering = reordering

    def covers(self, container: object, view: View) -> bool:
        if self.container() is not container or self.shape != view.shape:
            return False
        arrays = (*view.pos, *view.crd)
        for reference, array in zip(self.arrays, arrays, strict=True):
            if reference() is not array:
                return False
        return True


# By the address of the container: SciPy's are not hashable. An entry is dropped when
# its container dies, before the address can be taken again.
_checks: dict[int, _Check] = {}


def remember(
    container: object, view: View, reordering: _Reordering | None = None
) -> None:
    """Have the coordinates of a container pass as checked."""
    key = id(container)

    def drop(reference: weakref.ref[object]) -> None:
        check = _checks.get(key)
        if check is not None and check.container is reference:
            _checks.pop(key, None)

    _checks[key] = _Check(weakref.ref(container, drop), view, reordering)


def forget(container: object) -> None:
    """Have a container checked in full again, the next time that it is seen."""
    _checks.pop(id(container), None)


def _canonical(
    name: str,
    container: object,
    view: View,
    ready: View,
    validate: str,
    notes: Notes | None,
) -> View:
    """Return ``ready`` with sorted and distinct entries: itself, or a private copy."""
    check = _checks.get(id(container))
    if check is not None and not check.covers(container, view):
        check = None
    reordering = None if check is None else check.reordering
    if check is not None and reordering is None and validate != "full":
        return ready
    if reordering is None or not reordering.fits(ready):
        if has_canonical_entries(name, ready):
            remember(container, view)
            return ready
        reordering = _Reordering(ready)
        remember(container, view, reordering)
    if notes is not None:
        summed = f", {reordering.duplicates} duplicates summed"
        notes.append(
            f"{name}: entries sorted into a private copy"
            f"{summed if reordering.duplicates else ''}"
        )
    return reordering.apply(ready)
