"""``nacho.Tensor``: a tensor of any rank in any format, and how one is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from nacho._arrays.html import described
from nacho._arrays.lazy import ArrayOperators
from nacho._kernels.canonical import canonical_view, checked
from nacho._kernels.format_conversion import converted
from nacho._kernels.sorting import sorted_entries
from nacho._notation.symbols import Expression, Index, index_tensor
from nacho._storage.boxes import box
from nacho._storage.conversion import (
    coordinates_by_dimension,
    densified,
    packed,
)
from nacho._storage.device_arrays import HOST, moved
from nacho._storage.formats import Format
from nacho._storage.input_checks import (
    checked_coordinates,
    checked_format,
    checked_shape,
    level_arrays,
    require_no_surplus,
    require_within_shape,
    values_array,
)
from nacho._storage.lengths import filled
from nacho._storage.memory import is_known, remember
from nacho._storage.rows import row, row_key, rows
from nacho._storage.splitting import (
    bsr_array,
    is_bsr_format,
    require_multiples,
    split_columns,
    transposed,
)
from nacho._storage.tensor_data import TensorData
from nacho._storage.views import (
    INT32,
    Array,
    Arrays,
    View,
    has_canonical_entries,
    made_plain,
    require_positions,
)
from nacho.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    OperandError,
    ShapeError,
    naming_memory,
)

_IN_ROWS = frozenset({"csr", "dcsr"})
_IN_COLUMNS = frozenset({"csc", "dcsc"})


@naming_memory(
    "from_coo", "from_dense", "from_parts", "to_dense", "to_scipy", "convert"
)
class Tensor(TensorData, ArrayOperators):
    """A tensor in any format: arrays by level, as a kernel reads them.

    Entries are sorted and distinct. ``pos`` and ``crd`` have an item per level, which
    is None where the level has no such array. In a format such as coo-interleaved, the
    ``crd`` of the first level has the coordinates of all levels: it is an array with a
    row for each entry and a column for each level.
    """

    __slots__ = ()

    def __init__(self, *given: object, **named: object) -> None:
        what = f"{type(given[0]).__name__} is no argument of Tensor: " if given else ""
        raise ArgumentError(
            f"{what}use nacho.asarray for a container of any library, Tensor.from_coo, "
            "Tensor.from_dense or Tensor.from_parts"
        )

    @classmethod
    def from_coo(
        cls,
        coords: ArrayLike,
        values: ArrayLike,
        *,
        shape: Sequence[int] | None = None,
        format: str | Format = "coo",
    ) -> Tensor:
        """Build a tensor from coordinates and values; duplicates are summed.

        Parameters
        ----------
        coords
            The coordinates, of shape (rank, nnz), in any order.
        values
            A value for each of them.
        shape
            The extents. By default, the smallest that hold every coordinate.
        format
            The format of the tensor.
        """
        entries = values_array(values)
        if entries.ndim != 1:
            message = f"values has {entries.ndim} dimensions, expected 1"
            raise OperandError(f"Tensor: {message}")
        extents = None if shape is None else checked_shape(shape)
        where = checked_coordinates(coords, entries.size, extents)
        if extents is None:
            if not entries.size:
                raise ShapeError("Tensor: without entries, shape= is needed")
            largest = [int(column.max()) + 1 for column in where]
            extents = checked_shape(largest)
        wanted = checked_format(format, len(extents))
        require_within_shape(where, extents)
        if wanted.parts:
            require_multiples(extents, wanted.parts, "Tensor")
            columns = split_columns([*where], wanted.parts)
        else:
            columns = [where[dimension] for dimension in wanted.order]
        columns, entries = sorted_entries(columns, entries)
        return cls._of(packed(wanted, extents, columns, entries))

    @classmethod
    def from_dense(cls, array: ArrayLike, format: str | Format = "coo") -> Tensor:
        """Build a tensor from the elements of ``array`` that are not zero.

        If all levels of ``format`` are dense, the tensor has all elements, and uses the
        memory of the array where possible.
        """
        given = values_array(array)
        shape = checked_shape(given.shape)
        wanted = checked_format(format, given.ndim)
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

        The arrays are used in place and checked in full; index arrays of different
        types are converted to the widest type.

        Parameters
        ----------
        format, shape
            The format and the extents of the tensor.
        pos
            Per level, where the children of each position begin; None or empty for a
            level without such an array.
        crd
            Per level, the coordinates of its positions; None or empty likewise.
            Interleaved coordinates may have one dimension, as MLIR stores them, or two.
        values
            The values in storage order, those of dense levels in the order of levels.
        """
        extents = checked_shape(shape)
        wanted = checked_format(format, len(extents))
        view = View(
            wanted,
            extents,
            level_arrays("pos", wanted, wanted.compressed, pos),
            level_arrays("crd", wanted, wanted.owners, crd),
            made_plain(values_array(values)),
        )
        if wanted.is_dense and view.values.size == np.prod(view.extents):
            view.values = view.values.reshape(view.extents)
        require_no_surplus(view, filled(None, view))
        require_positions(None, view)
        has_canonical_entries(None, view)
        return cls._of(view)

    @classmethod
    def from_scipy(cls, array: Any) -> Tensor:
        """Return a tensor that shares the memory of SciPy's ``array`` or matrix."""
        return cls._of(canonical_view(array))

    @classmethod
    def from_torch(cls, tensor: Any) -> Tensor:
        """Return a tensor that shares the memory of ``tensor``, one of PyTorch."""
        return cls._of(canonical_view(tensor))

    @property
    def T(self) -> Tensor:
        """The same tensor with its dimensions in the reverse order; arrays are shared.

        That of a tensor stored by rows is stored by columns: csr becomes csc.
        """
        view = self._view
        if self.ndim < 2:
            return self
        turned = transposed(view.format)
        return self._of(View(turned, self.shape[::-1], view.pos, view.crd, view.values))

    @property
    def coords(self) -> Array:
        """The coordinates of the values in storage order, an array (rank, nnz)."""
        return np.stack(coordinates_by_dimension(self._on_host()))

    def to_dense(self) -> Array:
        """Return a NumPy array of all elements, which shares no memory."""
        return densified(self._on_host())

    def to_scipy(self) -> Any:
        """Return a SciPy array that shares all arrays that need no change.

        A matrix stored by row or column becomes a ``csr_array`` or ``csc_array``; any
        other tensor becomes a ``coo_array``.
        """
        import scipy.sparse

        name = self.format.name
        if is_bsr_format(self.format):
            return bsr_array(self._on_host())
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
        wanted = checked_format(format, self.ndim)
        self._on_host()
        if order is not None:
            wanted = wanted.in_order(order)
        if wanted == self.format:
            return self._of(self._view)
        return self._of(converted(checked(self), wanted))

    def reshape(self, *shape: Any) -> Tensor:
        """Return the same elements in another shape, a tuple or numbers; one may be -1.

        It has the same format if that is one for the new number of dimensions, and is
        in coo otherwise.
        """
        given = shape[0] if len(shape) == 1 else shape
        made: Any = np.reshape(self, given)
        return made  # type: ignore[no-any-return]

    def astype(self, dtype: DTypeLike) -> Tensor:
        """Return the same tensor with values of type ``dtype``, converted as by NumPy.

        All other arrays are shared.
        """
        view = self._on_host()
        try:
            wanted = values_array(view.values.astype(dtype))
        except TypeError as error:
            raise DTypeError(f"Tensor: {error}") from error
        return self._of(View(view.format, view.shape, view.pos, view.crd, wanted))

    def to(self, device: str) -> Tensor:
        """Return the same tensor in the memory of another device, or this tensor.

        With "cuda", kernels of ``target="cuda"`` use it in place, and with "cuda-sim",
        those of the simulated GPU. Only "cpu" has arrays of NumPy.
        """
        if device == self.device:
            return self
        if self.device != HOST:
            view = moved(self._view, HOST)
            return self._of(view) if device == HOST else self._of(view).to(device)
        made = self._of(moved(checked(self), device))
        remember(made, made._view)
        return made

    def _on_host(self) -> View:
        """Return the view, or refuse arrays that the host cannot read."""
        if self.device != HOST:
            raise DeviceError(
                f"Tensor: it lies on '{self.device}', where only kernels can use it; "
                f'copy it to the host with .to("{HOST}")'
            )
        return self._view

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))

    @overload
    def __getitem__(
        self,
        key: slice
        | tuple[slice, *tuple[int | slice | EllipsisType, ...]]
        | tuple[int, slice, *tuple[int | slice | EllipsisType, ...]],
    ) -> Tensor: ...

    @overload
    def __getitem__(self, key: int | tuple[int | slice | EllipsisType, ...]) -> Any: ...

    @overload
    def __getitem__(self, key: Index | str | tuple[Index | str, ...]) -> Expression: ...

    def __getitem__(self, key: object) -> Any:
        """Return rows, or the element at some index variables, for an expression.

        ``A[2:7]`` and ``A[3]`` share the arrays of ``A``; slices along other axes, as
        ``A[:, 2:5]`` and ``A[:, 0]``, are copies. The names of indices may be strings.

        >>> A[2:7].shape  # doctest: +SKIP
        (5, 9)
        >>> A[:, 2:5].shape  # doctest: +SKIP
        (9, 3)
        >>> A["i,j"] + B["i,j"]  # doctest: +SKIP
        <nacho.Expression: A[i,j] + B[i,j]>
        >>> i, j = nacho.indices("i j")  # doctest: +SKIP
        >>> nacho.evaluate(A[i, j] * nacho.access(x)[j], "i")  # doctest: +SKIP
        """
        taken = row_key(key)
        if taken is None:
            return index_tensor(self, key)
        view = self._on_host()
        if view.format.parts:
            return self.convert("csr" if self.ndim == 2 else "coo")[taken]
        if isinstance(taken, tuple):
            found = box(checked(self), taken)
        else:
            found = rows(view, taken) if isinstance(taken, slice) else row(view, taken)
        if not isinstance(found, View):
            return found
        made = self._of(found)
        if is_known(self, view):
            remember(made, found)
        return made

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        kind = f"{self.format}, {shape}, {self.dtype}"
        place = "" if self.device == HOST else f", on {self.device}"
        return f"<nacho.Tensor: {kind}, {self.nnz} entries{place}>"

    def _repr_html_(self) -> str:
        return described(self._view, self.nbytes)

    def __copy__(self) -> Tensor:
        return self._of(self._view)

    def __reduce__(self) -> tuple[Callable[..., Tensor], tuple[Any, ...]]:
        """Pickle and copy the arrays; those on a device go there again."""
        view = moved(self._view, HOST) if self.device != HOST else self._view
        arrays = (view.pos, view.crd, view.values)
        return _unpickled, (view.format, view.shape, *arrays, self.device)


def _unpickled(
    format: Format,
    shape: tuple[int, ...],
    pos: Arrays,
    crd: Arrays,
    values: Array,
    device: str,
) -> Tensor:
    """Return a tensor of these arrays, which are checked when they are used."""
    made = Tensor._of(View(format.for_rank(len(shape)), shape, pos, crd, values))
    return made.to(device)
