"""``nacho.Tensor``, and the arrays by level that every container is looked at through.

A ``View`` is a format, a shape, and the arrays of the compressed levels. Checks and
conversions are functions of a view; they share arrays wherever they can and never write
into them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nacho.errors import (
    DTypeError,
    OperandError,
    OutOfMemoryError,
    ShapeError,
    UnsupportedError,
)
from nacho.formats import Format

Array = NDArray[Any]
DType = np.dtype[Any]

CSR, CSC = Format("csr"), Format("csc")
DCSR, DCSC = Format("dcsr"), Format("dcsc")
_WITH_DENSE_LEVEL = {CSR: CSR, CSC: CSC, DCSR: CSR, DCSC: CSC}

_PLAIN = 0x101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
ELEMENTS: dict[str, DType] = {"f32": FLOAT32, "f64": FLOAT64}


class View:
    """The arrays of a container; ``pos`` and ``crd`` are by compressed level."""

    __slots__ = ("crd", "extents", "format", "pos", "scipy", "shape", "values")

    def __init__(
        self,
        format: Format,
        shape: tuple[int, ...],
        pos: tuple[Array, ...],
        crd: tuple[Array, ...],
        values: Array,
        scipy: type | None = None,
    ) -> None:
        outer, inner = format.order
        self.format = format
        self.shape = shape
        self.extents = (shape[outer], shape[inner])
        """The extent of each level."""
        self.pos = pos
        self.crd = crd
        self.values = values
        self.scipy = scipy
        """The class of scipy.sparse, if the container is of one."""

    def labels(self, number: int) -> tuple[str, str]:
        """Return what users call ``pos`` and ``crd`` of a compressed level."""
        if self.scipy is not None:
            return "indptr", "indices"
        level = self.format.compressed[number]
        return f"pos[{level}]", f"crd[{level}]"

    @property
    def values_label(self) -> str:
        return "data" if self.scipy is not None else "values"

    def with_arrays(
        self, pos: tuple[Array, ...], crd: tuple[Array, ...], values: Array
    ) -> View:
        return View(self.format, self.shape, pos, crd, values, self.scipy)


class Tensor:
    """A sparse matrix in any of the compiled formats: csr, csc, dcsr or dcsc.

    Entries are sorted and distinct. ``pos`` and ``crd`` have an item per level, which
    is None for a dense level.
    """

    __slots__ = ("__weakref__", "_view")

    _view: View

    def __init__(self) -> None:
        raise TypeError("use Tensor.from_coo or Tensor.from_parts")

    @classmethod
    def from_coo(
        cls,
        coords: ArrayLike,
        values: ArrayLike,
        *,
        shape: Sequence[int] | None = None,
        format: str | Format = "csr",
    ) -> Tensor:
        """Build a tensor from coordinates of shape (rank, nnz); duplicates are summed.

        Without ``shape``, the extents are the smallest that hold every coordinate.
        """
        wanted = Format(format).require_compiled("Tensor")
        entries = _values_array(values)
        where = _coordinates(coords, entries.size)
        if shape is None:
            if not entries.size:
                raise ShapeError("Tensor: without entries, shape= is needed")
            shape = [int(largest) + 1 for largest in where.max(axis=1)]
        extents = checked_shape(shape)
        _require_within(where, extents)
        outer, inner = (where[dimension] for dimension in wanted.order)
        return cls._of(_compressed(wanted, extents, outer, inner, entries))

    @classmethod
    def from_parts(
        cls,
        format: str | Format,
        shape: Sequence[int],
        pos: Sequence[ArrayLike | None],
        crd: Sequence[ArrayLike | None],
        values: ArrayLike,
    ) -> Tensor:
        """Build a tensor around existing arrays: one ``pos`` and ``crd`` per level.

        The item of a dense level is None or empty. The arrays are used in place and
        checked in full.
        """
        wanted = Format(format).require_compiled("Tensor")
        view = View(
            wanted,
            checked_shape(shape),
            _level_arrays("pos", wanted, pos),
            _level_arrays("crd", wanted, crd),
            _values_array(values),
        )
        _require_no_surplus(view, filled(None, view))
        require_positions(None, view)
        has_canonical_entries(None, view)
        return cls._of(view)

    @classmethod
    def _of(cls, view: View) -> Tensor:
        tensor = cls.__new__(cls)
        tensor._view = view
        return tensor

    @property
    def format(self) -> Format:
        return self._view.format

    @property
    def shape(self) -> tuple[int, ...]:
        return self._view.shape

    @property
    def ndim(self) -> int:
        return len(self._view.shape)

    @property
    def dtype(self) -> DType:
        return self._view.values.dtype

    @property
    def nnz(self) -> int:
        return self._view.values.size

    @property
    def pos(self) -> tuple[Array | None, ...]:
        return self._by_level(self._view.pos)

    @property
    def crd(self) -> tuple[Array | None, ...]:
        return self._by_level(self._view.crd)

    @property
    def values(self) -> Array:
        return self._view.values

    @property
    def coords(self) -> Array:
        """The coordinates of the entries, of shape (rank, nnz), in storage order."""
        view = self._view
        pos, inner = view.pos[-1], view.crd[-1]
        fibres = np.arange(pos.size - 1, dtype=inner.dtype)
        outer = np.repeat(fibres if len(view.crd) == 1 else view.crd[0], np.diff(pos))
        coords = np.empty((2, inner.size), inner.dtype)
        coords[list(self.format.order)] = outer, inner
        return coords

    def to_dense(self) -> Array:
        """Return a NumPy array."""
        dense, coords = _allocated(self.shape, self.dtype), self.coords
        _require_within(coords, self.shape)
        dense[tuple(coords)] = self.values
        return dense

    def to_scipy(self) -> Any:
        """Return a ``csr_array`` or ``csc_array``, sharing what it can."""
        import scipy.sparse

        view = converted(self._view, _WITH_DENSE_LEVEL[self.format])
        row_major = view.format == CSR
        kind = scipy.sparse.csr_array if row_major else scipy.sparse.csc_array
        return kind((view.values, view.crd[0], view.pos[0]), shape=self.shape)

    def convert(self, format: str | Format) -> Tensor:
        """Return the same tensor in another format, sharing what it can."""
        wanted = Format(format).require_compiled("Tensor")
        if wanted.order == self.format.order:
            return self._of(converted(self._view, wanted))
        outer, inner = self.coords[list(wanted.order)]
        return self._of(_compressed(wanted, self.shape, outer, inner, self.values))

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        kind = f"{self.format}, {shape}, {self.dtype}"
        return f"<nacho.Tensor: {kind}, {self.nnz} entries>"

    def _by_level(self, arrays: tuple[Array, ...]) -> tuple[Array | None, ...]:
        stored = dict(zip(self.format.compressed, arrays, strict=True))
        return tuple(stored.get(level) for level in range(self.ndim))


# --- What users hand in ---------------------------------------------------------------


def checked_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a shape of rank 2 as Python integers, or refuse it."""
    try:
        given = np.asarray(shape)
        extents = tuple(int(extent) for extent in given)
        integral = given.dtype.kind in "iu"
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError(f"Tensor: {shape!r} is not a shape") from error
    if len(extents) != 2:
        raise UnsupportedError(f"Tensor: rank {len(extents)}; only rank 2 is supported")
    if not integral or min(extents) < 0:
        raise ShapeError(f"Tensor: {shape!r} is not a shape")
    return extents


def require_float(name: str | None, dtype: DType) -> None:
    """Refuse element types other than native f32 and f64."""
    if dtype != FLOAT64 and dtype != FLOAT32:
        raise UnsupportedError(
            f"{_subject(name)}: type {dtype} is not supported (supported: float32, "
            "float64)"
        )


def _array(label: str, given: ArrayLike) -> Array:
    try:
        array = np.asarray(given)
    except (TypeError, ValueError) as error:
        raise OperandError(f"Tensor: {label} is not an array: {error}") from error
    return array if is_plain(array) else array.copy()


def is_plain(array: Array) -> bool:
    """Return whether an array is contiguous (C order) and aligned."""
    return array.flags.num & _PLAIN == _PLAIN


def _values_array(values: ArrayLike) -> Array:
    array = _array("values", values)
    require_float(None, array.dtype)
    if array.ndim != 1:
        raise OperandError(f"Tensor: values has {array.ndim} dimensions, expected 1")
    return array


def _integers(label: str, given: ArrayLike) -> Array:
    """Return index arrays as int32 or int64; other integers are widened."""
    array = _array(label, given)
    if array.dtype in (INT32, INT64):
        return array
    if array.size and array.dtype.kind not in "iu":
        raise DTypeError(f"Tensor: {label} has type {array.dtype}, expected integers")
    if array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(INT64).max:
        raise OperandError(f"Tensor: {label} has an entry beyond int64")
    return array.astype(INT64)


def _coordinates(coords: ArrayLike, nnz: int) -> Array:
    where = _integers("coords", coords)
    if where.size == 0 and nnz == 0:
        return np.empty((2, 0), INT32)
    if where.ndim != 2 or where.shape[1] != nnz:
        raise ShapeError(
            f"Tensor: coords has shape {where.shape}, expected (rank, {nnz})"
        )
    if len(where) != 2:
        raise UnsupportedError(f"Tensor: rank {len(where)}; only rank 2 is supported")
    return where


def _require_within(where: Array, extents: tuple[int, ...]) -> None:
    for dimension, extent in enumerate(extents):
        wrong = np.flatnonzero((where[dimension] < 0) | (where[dimension] >= extent))
        if wrong.size:
            place = int(wrong[0])
            raise OperandError(
                f"Tensor: coords[{dimension}, {place}] = {where[dimension, place]} is "
                f"out of range [0, {extent})"
            )


def _level_arrays(
    label: str, format: Format, given: Sequence[ArrayLike | None]
) -> tuple[Array, ...]:
    """Return the arrays of the compressed levels, in one common index type."""
    try:
        count = len(given)
    except TypeError as error:
        shown = type(given).__name__
        message = f"Tensor: {label} is {shown}, expected one item per level"
        raise OperandError(message) from error
    if count != len(format.levels):
        raise OperandError(
            f"Tensor: {label} has {count} levels, but {format} has {len(format.levels)}"
        )
    arrays: list[Array] = []
    for level, item in enumerate(given):
        name = f"{label}[{level}]"
        if level in format.compressed:
            if item is None:
                raise OperandError(f"Tensor: {name} is missing")
            arrays.append(_integers(name, item))
        elif item is not None and np.size(item):
            raise OperandError(f"Tensor: {name} belongs to a dense level: not empty")
    width = np.result_type(*arrays)
    return tuple(array.astype(width, copy=False) for array in arrays)


def _require_no_surplus(view: View, used: View) -> None:
    for number, (given, kept) in enumerate(zip(view.crd, used.crd, strict=True)):
        if given.size != kept.size:
            pos, crd = view.labels(number)
            raise OperandError(
                f"Tensor: {crd} has {given.size} entries, but {pos} ends at {kept.size}"
            )
    if view.values.size != used.values.size:
        raise OperandError(
            f"Tensor: values has {view.values.size} entries, expected "
            f"{used.values.size}"
        )


# --- Checks ---------------------------------------------------------------------------


def filled(name: str | None, view: View) -> View:
    """Check all lengths, and leave out what lies behind the last entry.

    SciPy allows ``indices`` and ``data`` to be longer than ``indptr[-1]``.
    """
    count, number, longer = 1, 0, False
    for dimension, kind in view.format.levels:
        if kind == "dense":
            count *= view.shape[dimension]
            continue
        pos, crd = view.pos[number], view.crd[number]
        if pos.ndim != 1 or crd.ndim != 1 or pos.size != count + 1:
            _refuse_length(name, view, number, count + 1)
        count = int(pos[-1])
        if not 0 <= count <= crd.size:
            _refuse_end(name, view, number)
        longer = longer or crd.size > count
        number += 1
    values = view.values
    if values.ndim != 1 or values.size < count:
        raise OperandError(
            f"{_subject(name)}: {view.values_label} has shape {values.shape}, expected "
            f"({count},)"
        )
    if not longer and values.size == count:
        return view
    crd_filled = tuple(c[: p[-1]] for p, c in zip(view.pos, view.crd, strict=True))
    return view.with_arrays(view.pos, crd_filled, values[:count])


def require_positions(name: str | None, view: View) -> None:
    """Check that every ``pos`` starts at 0, never falls, and ends with ``crd``."""
    # Imported here, so that `import nacho` does not load the compiler.
    from nacho._nacho import check_positions

    for number, pos in enumerate(view.pos):
        place = check_positions(pos, pos.size - 1, view.crd[number].size)
        if place >= 0:
            _refuse_position(name, view, number, place)


def has_canonical_entries(name: str | None, view: View) -> bool:
    """Check every ``crd``: in range, sorted, distinct.

    Return False if a SciPy container merely is unsorted or has duplicates, which is
    legal there.
    """
    from nacho._nacho import check_coordinates

    extents = view.extents
    for number, level in enumerate(view.format.compressed):
        pos, crd = view.pos[number], view.crd[number]
        try:
            place, why = check_coordinates(pos, crd, extents[level])
        except ValueError as error:
            # Positions were checked before: another thread has edited them since.
            label, _ = view.labels(number)
            message = f"{_subject(name)}: {label} was edited while it was checked"
            raise OperandError(message) from error
        if place < 0:
            continue
        if why == "range":
            _refuse_coordinate(name, view, number, place)
        if view.scipy is not None:
            wrong = np.flatnonzero((crd < 0) | (crd >= extents[level]))
            if wrong.size:
                _refuse_coordinate(name, view, number, int(wrong[0]))
            return False
        _, label = view.labels(number)
        reason = "a duplicate of" if why == "duplicate" else "not sorted after"
        raise OperandError(
            f"{_subject(name)}: {label}[{place}] = {crd[place]} is {reason} "
            f"{label}[{place - 1}] = {crd[place - 1]}"
        )
    return True


def _refuse_length(name: str | None, view: View, number: int, wanted: int) -> NoReturn:
    pos, crd = view.pos[number], view.crd[number]
    pos_label, crd_label = view.labels(number)
    if crd.ndim != 1:
        message = f"{crd_label} has {crd.ndim} dimensions, expected 1"
    else:
        message = f"{pos_label} has shape {pos.shape}, expected ({wanted},)"
    raise OperandError(f"{_subject(name)}: {message}")


def _refuse_end(name: str | None, view: View, number: int) -> NoReturn:
    pos, crd = view.pos[number], view.crd[number]
    pos_label, crd_label = view.labels(number)
    raise OperandError(
        f"{_subject(name)}: {pos_label}[{pos.size - 1}] = {pos[-1]}, but {crd_label} "
        f"has {crd.size} entries"
    )


def _refuse_position(name: str | None, view: View, number: int, place: int) -> NoReturn:
    pos, (label, _) = view.pos[number], view.labels(number)
    if place == 0:
        reason = "expected 0"
    elif pos[place] < pos[place - 1]:
        reason = f"below {label}[{place - 1}] = {pos[place - 1]}"
    else:
        reason = f"expected {view.crd[number].size}"
    raise OperandError(f"{_subject(name)}: {label}[{place}] = {pos[place]}, {reason}")


def _refuse_coordinate(
    name: str | None, view: View, number: int, place: int
) -> NoReturn:
    _, label = view.labels(number)
    extent = view.extents[view.format.compressed[number]]
    raise OperandError(
        f"{_subject(name)}: {label}[{place}] = {view.crd[number][place]} is out of "
        f"range [0, {extent})"
    )


def _subject(name: str | None) -> str:
    return "Tensor" if name is None else f"operand '{name}'"


# --- Conversions ----------------------------------------------------------------------


def converted(view: View, wanted: Format) -> View:
    """Return a view in a format of the same order, sharing the inner level."""
    if view.format == wanted:
        return view
    if view.format in (CSR, CSC):
        return _with_compressed_outer(view, wanted)
    return _with_dense_outer(view, wanted)


def _with_compressed_outer(view: View, wanted: Format) -> View:
    pos, crd = view.pos[0], view.crd[0]
    fibres = np.flatnonzero(pos[1:] != pos[:-1])
    outer_pos = np.array([0, fibres.size], pos.dtype)
    inner_pos = np.append(pos[fibres], pos[-1])
    outer_crd = fibres.astype(crd.dtype)
    return View(
        wanted, view.shape, (outer_pos, inner_pos), (outer_crd, crd), view.values
    )


def _with_dense_outer(view: View, wanted: Format) -> View:
    inner_pos, outer_crd = view.pos[1], view.crd[0]
    extent = view.extents[0]
    if outer_crd.size and not 0 <= outer_crd.min() <= outer_crd.max() < extent:
        raise OperandError(
            f"Tensor: {view.labels(0)[1]} leaves its range [0, {extent})"
        )
    pos = _allocated((extent + 1,), inner_pos.dtype)
    pos[1:][outer_crd] = np.diff(inner_pos)
    np.cumsum(pos, dtype=pos.dtype, out=pos)
    return View(wanted, view.shape, (pos,), (view.crd[1],), view.values)


def _compressed(
    format: Format, shape: tuple[int, ...], outer: Array, inner: Array, values: Array
) -> View:
    """Sort entries into a format and sum duplicates."""
    order = np.lexsort((inner, outer))
    outer, inner, values = outer[order], inner[order], values[order]
    first = first_of_runs(outer, inner)
    if not first.all():
        values = np.add.reduceat(values, np.flatnonzero(first))
        outer, inner = outer[first], inner[first]
    largest = max(*shape, values.size)
    width = INT32 if largest <= np.iinfo(INT32).max else INT64
    starts = np.flatnonzero(np.diff(outer, prepend=-1))
    pos = np.array([0, starts.size], width), np.append(starts, values.size)
    crd = outer[starts], inner
    view = View(
        DCSR if format.order == DCSR.order else DCSC,
        shape,
        tuple(array.astype(width, copy=False) for array in pos),
        tuple(array.astype(width, copy=False) for array in crd),
        values,
    )
    return converted(view, format)


def first_of_runs(outer: Array, inner: Array) -> Array:
    """Return, per sorted entry, whether it differs from the one before."""
    first = np.ones(inner.size, np.bool_)
    first[1:] = (outer[1:] != outer[:-1]) | (inner[1:] != inner[:-1])
    return first


def _allocated(shape: tuple[int, ...], dtype: DType) -> Array:
    try:
        return np.zeros(shape, dtype)
    except (MemoryError, ValueError) as error:
        # NumPy raises ValueError for a size beyond the address space.
        raise OutOfMemoryError(f"an array of shape {shape}: {error}") from error
