"""``nacho.Tensor``: a tensor of any rank in any format, and how one is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nacho.elements import DType, element_name, supported_elements
from nacho.errors import (
    DTypeError,
    OperandError,
    ShapeError,
    UnsupportedError,
    displayed,
    naming_memory,
)
from nacho.notation.tree import MAX_RANK
from nacho.storage.conversion import (
    coordinates,
    densified,
    packed,
    sorted_entries,
)
from nacho.storage.formats import Format
from nacho.storage.views import (
    INT32,
    INT64,
    Array,
    Arrays,
    View,
    filled,
    has_canonical_entries,
    made_plain,
    require_positions,
    subject,
)

if TYPE_CHECKING:
    from nacho.notation.symbols import Expression

_IN_ROWS = frozenset({"csr", "dcsr"})
_IN_COLUMNS = frozenset({"csc", "dcsc"})


@naming_memory(
    "from_coo", "from_dense", "from_parts", "to_dense", "to_scipy", "convert"
)
class Tensor:
    """A tensor in any format: arrays by level, as a kernel reads them.

    Entries are sorted and distinct. ``pos`` and ``crd`` have an item per level, which
    is None where the level has no such array. In a format such as coo-interleaved, the
    ``crd`` of the first level has the coordinates of all levels: it is an array with a
    row for each entry and a column for each level.
    """

    __slots__ = ("__weakref__", "_view")

    _view: View

    def __init__(self) -> None:
        raise TypeError("use Tensor.from_coo, Tensor.from_dense or Tensor.from_parts")

    @classmethod
    def from_coo(
        cls,
        coords: ArrayLike,
        values: ArrayLike,
        *,
        shape: Sequence[int] | None = None,
        format: str | Format = "coo",
    ) -> Tensor:
        """Build a tensor from coordinates of shape (rank, nnz); duplicates are summed.

        Without ``shape``, the extents are the smallest that hold every coordinate.
        """
        entries = _values_array(values)
        if entries.ndim != 1:
            message = f"values has {entries.ndim} dimensions, expected 1"
            raise OperandError(f"Tensor: {message}")
        extents = None if shape is None else checked_shape(shape)
        where = _coordinates(coords, entries.size, extents)
        if extents is None:
            if not entries.size:
                raise ShapeError("Tensor: without entries, shape= is needed")
            largest = [int(column.max()) + 1 for column in where]
            extents = checked_shape(largest)
        wanted = _format(format, len(extents))
        _require_within(where, extents)
        columns = [where[dimension] for dimension in wanted.order]
        columns, entries = sorted_entries(columns, entries)
        return cls._of(packed(wanted, extents, columns, entries))

    @classmethod
    def from_dense(cls, array: ArrayLike, format: str | Format = "coo") -> Tensor:
        """Build a tensor from the elements of an array that are not zero.

        If all levels of the format are dense, the tensor has all elements, and uses the
        memory of the array where possible.
        """
        given = _values_array(array)
        shape = checked_shape(given.shape)
        wanted = _format(format, given.ndim)
        none: Arrays = (None,) * given.ndim
        if wanted.is_dense:
            ordered = made_plain(given.transpose(wanted.order))
            return cls._of(View(wanted, shape, none, none, ordered))
        where = given.nonzero()
        coords = np.array(where) if shape else np.empty((0, 0), INT32)
        return cls.from_coo(coords, given[where], shape=shape, format=wanted)

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

        The item of a level without such an array is None or empty. Values of dense
        levels are in the order of the levels. The arrays are used in place and checked
        in full; index arrays of different types are converted to the widest type.
        Interleaved coordinates may have one dimension, as MLIR stores them, or two.
        """
        extents = checked_shape(shape)
        wanted = _format(format, len(extents))
        view = View(
            wanted,
            extents,
            _level_arrays("pos", wanted, wanted.compressed, pos),
            _level_arrays("crd", wanted, wanted.owners, crd),
            made_plain(_values_array(values)),
        )
        if wanted.is_dense and view.values.size == np.prod(view.extents):
            view.values = view.values.reshape(view.extents)
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
        """The number of stored values."""
        return self._view.values.size

    @property
    def pos(self) -> Arrays:
        return self._view.pos

    @property
    def crd(self) -> Arrays:
        return self._view.crd

    @property
    def values(self) -> Array:
        """The stored values.

        If all levels are dense, the array has one dimension per level, else just one.
        """
        return self._view.values

    @property
    def coords(self) -> Array:
        """The coordinates of the values in storage order: an array (rank, nnz)."""
        columns = coordinates(self._view)
        coords = np.empty((self.ndim, self.nnz), np.result_type(*columns))
        for dimension, column in zip(self.format.order, columns, strict=True):
            coords[dimension] = column
        return coords

    def to_dense(self) -> Array:
        """Return a NumPy array of all elements, which shares no memory."""
        return densified(self._view)

    def to_scipy(self) -> Any:
        """Return a SciPy array that shares all arrays that need no change.

        A matrix stored by row or column becomes a ``csr_array`` or ``csc_array``; any
        other tensor becomes a ``coo_array``.
        """
        import scipy.sparse

        name = self.format.name
        if name in _IN_ROWS or name in _IN_COLUMNS:
            rows = name in _IN_ROWS
            view = self.convert("csr" if rows else "csc")._view
            kind = scipy.sparse.csr_array if rows else scipy.sparse.csc_array
            return kind((view.values, view.crd[1], view.pos[1]), shape=self.shape)
        view = self.convert("coo")._view
        made = scipy.sparse.coo_array((view.values, view.crd), shape=self.shape)
        made.has_canonical_format = True
        return made

    def convert(
        self, format: str | Format, order: Sequence[int] | None = None
    ) -> Tensor:
        """Return the same tensor in another format; unchanged arrays are shared.

        ``order`` is the order in which the dimensions are stored, outermost first. With
        ``("csf", order=(2, 0, 1))``, the levels store d2, d0 and d1; the dimensions of
        the tensor stay what they are.

        Zeros that only fill up a dense level do not become entries of a sparse level.
        Index arrays keep their types unless coordinates or positions need a wider one.
        """
        wanted = _format(format, self.ndim)
        if order is not None:
            wanted = wanted.in_order(order)
        if wanted == self.format:
            return self._of(self._view)
        # Imported here, because reformat imports this module.
        from nacho.storage.reformat import checked, converted

        return self._of(converted(checked(self), wanted))

    def __getitem__(self, key: object) -> Expression:
        """Return the element at some index variables, to be used in an expression.

        >>> i, j = nacho.indices("i j")  # doctest: +SKIP
        >>> nacho.evaluate(A[i, j] + B[i, j], (i, j))  # doctest: +SKIP
        """
        from nacho.notation.symbols import index_tensor

        return index_tensor(self, key)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        kind = f"{self.format}, {shape}, {self.dtype}"
        return f"<nacho.Tensor: {kind}, {self.nnz} entries>"


# --- What users hand in ---------------------------------------------------------------


def checked_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a shape of Nacho's tensors as Python integers, or refuse it."""
    try:
        given = np.asarray(shape)
        extents = tuple(int(extent) for extent in given)
        integral = given.dtype.kind in "iu"
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError(f"Tensor: {displayed(shape)} is not a shape") from error
    if not extents:
        raise ShapeError("Tensor: rank 0: a scalar needs no tensor")
    if len(extents) > MAX_RANK:
        message = f"rank {len(extents)} is not supported (supported: 1 to {MAX_RANK})"
        raise UnsupportedError(f"Tensor: {message}")
    if not integral or min(extents) < 0:
        raise ShapeError(f"Tensor: {displayed(shape)} is not a shape")
    return extents


def require_element(name: str | None, dtype: DType) -> None:
    """Refuse types that no kernel computes with."""
    if element_name(dtype) is None and element_name(dtype.newbyteorder("=")) is None:
        raise DTypeError(
            f"{subject(name)}: type {dtype} is not supported (supported: "
            f"{supported_elements()})"
        )


def _format(format: str | Format, rank: int) -> Format:
    return Format(format).for_rank(rank).require_compiled("Tensor")


def _array(label: str, given: ArrayLike) -> Array:
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        raise OperandError(f"Tensor: {label} is not an array: {error}") from error


def _values_array(values: ArrayLike) -> Array:
    array = _array("values", values)
    require_element(None, array.dtype)
    return array if array.dtype.isnative else made_plain(array)


def _integers(label: str, given: ArrayLike) -> Array:
    """Return an index array as int32 or int64; other integer types become int64."""
    array = made_plain(_array(label, given))
    if array.dtype in (INT32, INT64):
        return array
    if array.size and array.dtype.kind not in "iu":
        raise DTypeError(f"Tensor: {label} has type {array.dtype}, expected integers")
    if array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(INT64).max:
        raise OperandError(f"Tensor: {label} has an entry beyond int64")
    return array.astype(INT64)


def _coordinates(coords: ArrayLike, nnz: int, extents: tuple[int, ...] | None) -> Array:
    where = _integers("coords", coords)
    if where.size == 0 and nnz == 0:
        return np.empty((len(extents or where), 0), INT32)
    if where.ndim != 2 or where.shape[1] != nnz:
        raise ShapeError(
            f"Tensor: coords has shape {where.shape}, expected (rank, {nnz})"
        )
    if extents is not None and len(where) != len(extents):
        raise ShapeError(
            f"Tensor: coords has {len(where)} rows, but shape has {len(extents)} "
            "extents"
        )
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


def _in_columns(array: Array, columns: int) -> Array:
    """Return a flat array of several columns as an array of rank two."""
    is_flat = columns > 1 and array.ndim == 1 and array.size % columns == 0
    return array.reshape(-1, columns) if is_flat else array


def _level_arrays(
    label: str,
    format: Format,
    levels: tuple[int, ...],
    given: Sequence[ArrayLike | None],
) -> Arrays:
    """Return the arrays of the levels that have one, in one common index type."""
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
    arrays: list[Array | None] = [None] * count
    for level, item in enumerate(given):
        name = f"{label}[{level}]"
        if level in levels:
            if item is None:
                raise OperandError(f"Tensor: {name} is missing")
            columns = len(format.sharing[level]) if label == "crd" else 1
            arrays[level] = _in_columns(_integers(name, item), columns)
        elif item is not None and np.size(item):
            kind = format.level_kinds[level].word
            raise OperandError(f"Tensor: {name} belongs to a {kind} level: not empty")
    wide = any(array is not None and array.dtype == INT64 for array in arrays)
    width = INT64 if wide else INT32
    return tuple(
        None if array is None else array.astype(width, copy=False) for array in arrays
    )


def _require_no_surplus(view: View, used: View) -> None:
    for level in view.format.stored:
        given, kept = view.crd_at(level).size, used.crd_at(level).size
        if given != kept:
            above = max(each for each in view.format.compressed if each <= level)
            raise OperandError(
                f"Tensor: {view.crd_label(level)} has {given} entries, but "
                f"{view.pos_label(above)} ends at {kept}"
            )
    if view.values.size != used.values.size:
        raise OperandError(
            f"Tensor: values has {view.values.size} entries, expected "
            f"{used.values.size}"
        )
