"""PyTorch's tensors: views of their memory, and results that are such tensors.

PyTorch itself is never imported: whoever passes its tensors has done that. Tensors that
require gradients are used by value, as if they had been detached.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from nacho.elements import supported_elements
from nacho.errors import DTypeError, UnsupportedError
from nacho.storage.given import require_element
from nacho.storage.layouts import CSC, CSR, coo_view, dense_view
from nacho.storage.memory import Memory, remember
from nacho.storage.views import INT32, INT64, TORCH, Array, View


def is_torch(kind: type) -> bool:
    """Return whether a class is that of PyTorch's tensors; not one derived from it."""
    return kind.__name__ == "Tensor" and kind.__module__.partition(".")[0] == "torch"


def torch_view(name: str, container: Any) -> View:
    """Return the view of a tensor, or refuse its layout or its type."""
    torch, tensor = sys.modules["torch"], container.detach()
    if tensor.device.type != "cpu":
        _refuse(name, f"a tensor on device '{tensor.device}'", f"{name}.cpu()")
    if tensor.layout == torch.strided:
        return _dense_view(name, tensor)
    _require_layout(name, tensor, torch)
    shape = tuple(tensor.shape)
    if tensor.layout == torch.sparse_coo:
        (indices,) = _index_arrays(container, [tensor._indices()])
        return coo_view(shape, indices, _values(name, tensor._values()), TORCH)
    in_rows = tensor.layout == torch.sparse_csr
    index = (
        [tensor.crow_indices(), tensor.col_indices()]
        if in_rows
        else [tensor.ccol_indices(), tensor.row_indices()]
    )
    pos, crd = _index_arrays(container, index)
    values = _values(name, tensor.values())
    format, layout = (CSR, "csr") if in_rows else (CSC, "csc")
    return View(format, shape, (None, pos), (None, crd), values, TORCH, layout)


def scalar_of(name: str, tensor: Any) -> Array:
    """Return a tensor without dimensions as such an array of NumPy."""
    return _values(name, tensor.detach())


def _dense_view(name: str, tensor: Any) -> View:
    note = ""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
        note = "the array is conjugated or negated when it is read: copied"
    return dense_view(_values(name, tensor), TORCH, note)


def _values(name: str, tensor: Any) -> Array:
    try:
        values: Array = tensor.numpy()
    except TypeError as error:
        raise DTypeError(
            f"operand '{name}': type {tensor.dtype} is not supported (supported: "
            f"{supported_elements()})"
        ) from error
    require_element(name, values.dtype)
    return values


def _require_layout(name: str, tensor: Any, torch: Any) -> None:
    """Refuse sparse tensors that are neither coo nor csr nor csc, without blocks."""
    if tensor.layout in (torch.sparse_bsr, torch.sparse_bsc):
        _refuse(name, "a tensor of blocks", f"{name}.to_sparse()")
    if tensor.layout not in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        _refuse(name, f"a tensor of layout {tensor.layout}", f"{name}.to_dense()")
    if tensor.dense_dim():
        what = f"a hybrid tensor (with dense_dim() = {tensor.dense_dim()})"
        _refuse(name, what, f"{name}.to_dense().to_sparse()")
    if tensor.dim() != tensor.sparse_dim():
        _refuse(name, "a batch of matrices", f"{name}.to_sparse()")


def _refuse(name: str, what: str, fix: str) -> NoReturn:
    raise UnsupportedError(
        f"operand '{name}': {what} is not supported; convert it with {fix}"
    )


# --- Index arrays ---------------------------------------------------------------------


class _Indices:
    """The index tensors of a container, and the same memory as NumPy's arrays.

    A container makes new objects for its index tensors each time that it is asked. It
    was checked with certain arrays, so these stay the same as long as the memory does.
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        self.arrays: list[Any] = []
        for tensor in tensors:
            array = tensor.numpy()
            self.arrays.append(tuple(array) if array.ndim == 2 else array)
        self._tensors = tensors

    def fits(self, tensors: Sequence[Any]) -> bool:
        return all(
            known.data_ptr() == now.data_ptr()
            and known.shape == now.shape
            and known.stride() == now.stride()
            and known.dtype == now.dtype
            for known, now in zip(self._tensors, tensors, strict=True)
        )


_indices: Memory[_Indices] = Memory()


def _index_arrays(container: object, tensors: Sequence[Any]) -> list[Any]:
    """Return index tensors as arrays; one of rank 2 as a tuple of its rows."""
    known = _indices.get(container)
    if known is None or not known.fits(tensors):
        known = _Indices(tensors)
        _indices.put(container, known)
    return known.arrays


# --- Results --------------------------------------------------------------------------


def dense_tensor(values: Array) -> Any:
    """Return a tensor that shares the memory of an array."""
    return sys.modules["torch"].from_numpy(values)


def sparse_tensor(view: View, canonical: bool) -> Any:
    """Return a tensor that shares the arrays of a view where PyTorch's layout has them.

    Its coo has the coordinates of all dimensions in one array of int64. ``canonical``
    says that the entries are known to be sorted and distinct.
    """
    torch = sys.modules["torch"]
    values = torch.from_numpy(view.values)
    if view.layout == "coo":
        indices = torch.from_numpy(np.stack(view.crd, dtype=INT64))  # type: ignore[arg-type]
        made = torch.sparse_coo_tensor(
            indices,
            values,
            view.shape,
            is_coalesced=canonical,
            check_invariants=False,
        )
    else:
        pos, crd = view.pos_at(1), view.crd_at(1)
        width = INT32 if pos.dtype == crd.dtype == INT32 else INT64
        index = [
            torch.from_numpy(each.astype(width, copy=False)) for each in (pos, crd)
        ]
        make = getattr(torch, f"sparse_{view.layout}_tensor")
        made = make(*index, values, view.shape, check_invariants=False)
    if canonical:
        remember(made, torch_view("the result", made))
    return made
