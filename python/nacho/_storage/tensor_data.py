"""The arrays of a tensor's levels, and what follows from them."""

from __future__ import annotations

from typing import Self

from nacho._elements import DType
from nacho._storage.formats import Format
from nacho._storage.usual_views import usual_view
from nacho._storage.views import Array, Arrays, View


class TensorData:
    """A tensor without operators, as kernels read it; users have ``nacho.Tensor``."""

    __slots__ = ("__weakref__", "_view")

    _view: View

    @classmethod
    def _of(cls, view: View) -> Self:
        """Return a tensor that has the arrays of a view."""
        tensor = cls.__new__(cls)
        tensor._view = view
        return tensor

    @property
    def format(self) -> Format:
        """How the tensor is stored."""
        return self._view.format

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the dimensions."""
        return self._view.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._view.shape)

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._view.values.dtype

    @property
    def nnz(self) -> int:
        """The number of stored values, without what lies in gaps."""
        view = self._view
        has_gaps = any(kind.has_gaps for kind in view.format.level_kinds)
        return (usual_view(view) if has_gaps else view).values.size

    @property
    def nbytes(self) -> int:
        """The memory that all arrays take, in bytes."""
        arrays = (*self.pos, *self.crd, self.values)
        return sum(
            array.size * array.dtype.itemsize for array in arrays if array is not None
        )

    @property
    def device(self) -> str:
        """Where the arrays are, "cpu" or the target whose kernels can use them."""
        return self._view.device

    @property
    def pos(self) -> Arrays:
        """Per level, where the children of each position begin, or None."""
        return self._view.pos

    @property
    def crd(self) -> Arrays:
        """Per level, the coordinates of its positions, or None."""
        return self._view.crd

    @property
    def values(self) -> Array:
        """The stored values.

        If all levels are dense, the array has one dimension per level, else just one.
        """
        return self._view.values
