"""``nacho.asarray``: a tensor of whatever container it is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacho._storage.containers import view_of
from nacho._storage.formats import Format
from nacho._storage.given import require_element
from nacho._storage.lazy import Lazy
from nacho._storage.lengths import filled
from nacho._storage.memory import canonical
from nacho._storage.tensor import Tensor
from nacho._storage.views import View, require_positions
from nacho.errors import OperandError

_NAME = "asarray"


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
    tensor = array if isinstance(array, Tensor) else _tensor(array)
    return tensor if format is None else tensor.convert(format)


def _tensor(array: Any) -> Tensor:
    shape = getattr(array, "shape", None)
    if shape is None:
        array = np.asarray(array)
        shape = array.shape
    if not shape:
        raise OperandError(f"{_NAME}: a number needs no tensor")
    view = view_of(_NAME, array, len(shape))
    require_element(_NAME, view.values.dtype)
    if not (view.format.is_dense or view.device != "cpu"):
        ready = filled(_NAME, view)
        require_positions(_NAME, ready)
        view = canonical(_NAME, array, view, ready, "safe", None)
    # Results are of the library of the first operand: Nacho's, from now on.
    return Tensor._of(View(view.format, view.shape, view.pos, view.crd, view.values))
