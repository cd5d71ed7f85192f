"""``nacho.asarray``: a tensor of whatever container it is given."""

from __future__ import annotations

from typing import Any

from nacho._arrays.lazy import Lazy
from nacho._arrays.tensor import Tensor
from nacho._kernels.canonical import canonical_view
from nacho._storage.formats import Format


def asarray(array: Any, format: str | Format | None = None) -> Tensor:
    """Return a tensor that shares the memory of an array of any known library.

    Parameters
    ----------
    array
        A container of SciPy, NumPy, PyTorch, CuPy or PyData's ``sparse``, a tensor, or
        a list. Entries that are not sorted, or not distinct, are sorted and summed in a
        copy. A ``nacho.Lazy`` is computed.
    format
        The format into which the tensor is converted. By default, it stays as it is.

    Examples
    --------
    >>> nacho.asarray(scipy.sparse.random_array((9, 9)), "csr")  # doctest: +SKIP
    """
    if isinstance(array, Lazy):
        array = array.compute(out=format)
    tensor = array if isinstance(array, Tensor) else Tensor._of(canonical_view(array))
    return tensor if format is None else tensor.convert(format)
