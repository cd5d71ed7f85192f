"""PyTorch's tensors: views of their memory, and results that are such tensors.

PyTorch itself is never imported: whoever passes its tensors has done that. Tensors that
require gradients are used by value, as if they had been detached.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from nacho._elements import BFLOAT16, READ_AS, element_name, supported_elements
from nacho._storage.device_arrays import ELEMENT_DTYPES, HOST, DeviceArray
from nacho._storage.layouts import CSC, CSR, coo_view, dense_device_view, dense_view
from nacho._storage.memory import lasting, remember
from nacho._storage.read_arrays import BFLOAT16_NOTE
from nacho._storage.views import TORCH, Array, View
from nacho._targets import GPU
from nacho.errors import DeviceError, DTypeError, OperandError, UnsupportedOperandError

_READ_AS = {dtype.name: element for dtype, element in READ_AS.items()}
_READ_AS[BFLOAT16] = "f32"
"""The names of the types that expressions read as others, which the host converts."""

_GPU = "cuda"
"""The type of PyTorch's devices that have the memory of GPUs."""


def is_torch(kind: type) -> bool:
    """Return whether a class is that of PyTorch's tensors; not one derived from it."""
    return kind.__name__ == "Tensor" and kind.__module__.partition(".")[0] == "torch"


def torch_view(name: str, container: Any) -> View:
    """Return the view of a tensor, or refuse its device, its layout or its type."""
    torch, tensor = sys.modules["torch"], container.detach()
    _require_device(name, tensor)
    if tensor.layout == torch.strided:
        return _dense_view(name, tensor)
    _require_layout(name, tensor, torch)
    view = _sparse_view(name, container, tensor, torch)
    view.note = _note(tensor)
    return view


def _sparse_view(name: str, container: Any, tensor: Any, torch: Any) -> View:
    shape = tuple(tensor.shape)
    if tensor.layout == torch.sparse_coo:
        index = _index_arrays(name, container, tensor._indices().unbind(0), "indices")
        values = _array(name, "values", tensor._values())
        return coo_view(shape, tuple(index), values, TORCH)
    if tensor.layout == torch.sparse_csr:
        parts, format, layout = ("crow_indices", "col_indices"), CSR, "csr"
    else:
        parts, format, layout = ("ccol_indices", "row_indices"), CSC, "csc"
    found = [getattr(tensor, part)() for part in parts]
    pos, crd = _index_arrays(name, container, found, "an index tensor")
    values = _array(name, "values", tensor.values())
    return View(format, shape, (None, pos), (None, crd), values, TORCH, layout)


def element_of(name: str, tensor: Any) -> str:
    """Return the name of the type that expressions read a tensor's elements as."""
    given = _dtype_name(tensor)
    dtype = ELEMENT_DTYPES.get(given)
    found = _READ_AS.get(given) if dtype is None else element_name(dtype)
    return found or _refuse_type(name, tensor)


def _refuse_type(name: str, tensor: Any) -> NoReturn:
    raise DTypeError(
        f"operand '{name}': type {tensor.dtype} is not supported (supported: "
        f"{supported_elements()})"
    )


def scalar_of(name: str, tensor: Any) -> Array:
    """Return a tensor without dimensions as such an array of NumPy."""
    array: Array = _array(name, "the tensor", tensor.detach().cpu())
    return array


def _require_device(name: str, tensor: Any) -> None:
    kind, number = tensor.device.type, tensor.device.index
    if kind == _GPU and number:
        raise DeviceError(
            f"operand '{name}' is on GPU {number}, but kernels run on the first GPU: "
            f"pass {name}.to('{_GPU}:0')"
        )
    if kind not in (HOST, _GPU):
        _refuse(name, f"a tensor on device '{tensor.device}'", f"{name}.cpu()")


def _dense_view(name: str, tensor: Any) -> View:
    note = _note(tensor)
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
        note = "the array is conjugated or negated when it is read: copied"
    if tensor.device.type == HOST:
        return dense_view(_array(name, "the tensor", tensor), TORCH, note)
    fortran = (
        not tensor.is_contiguous()
        and tensor.permute(*range(tensor.dim() - 1, -1, -1)).is_contiguous()
    )
    if fortran:
        tensor = tensor.permute(*range(tensor.dim() - 1, -1, -1))
    return dense_device_view(_array(name, "the tensor", tensor), fortran, TORCH, note)


def _note(tensor: Any) -> str:
    return BFLOAT16_NOTE if _dtype_name(tensor) == BFLOAT16 else ""


def _dtype_name(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _array(name: str, label: str, tensor: Any) -> Any:
    """Return the memory of a tensor as an array of NumPy, or as one on the device."""
    given = _dtype_name(tensor)
    dtype = ELEMENT_DTYPES.get(given)
    if tensor.device.type == HOST and given in _READ_AS:
        return tensor.float().numpy() if given == BFLOAT16 else tensor.numpy()
    if dtype is None:
        _refuse_type(name, tensor)
    if tensor.device.type == HOST:
        return tensor.numpy()
    if not tensor.is_contiguous():
        raise OperandError(
            f"operand '{name}': {label} is not contiguous, and operands on a device "
            f"are used as they are: pass {name}.contiguous()"
        )
    shape = tuple(tensor.shape)
    return DeviceArray.at(GPU.name, tensor.data_ptr(), shape, dtype, tensor)


def _index_arrays(
    name: str, container: object, tensors: Sequence[Any], label: str
) -> list[Any]:
    return lasting(container, [_array(name, label, each) for each in tensors])


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
    raise UnsupportedOperandError(
        f"operand '{name}': {what} is not supported; convert it with {fix}"
    )


# --- Results --------------------------------------------------------------------------


def dense_tensor(values: Any) -> Any:
    """Return a tensor that shares the memory of an array."""
    torch = sys.modules["torch"]
    if isinstance(values, DeviceArray):
        return torch.as_tensor(values, device=f"{_GPU}:0")
    return torch.from_numpy(values)


def sparse_tensor(view: View, canonical: bool) -> Any:
    """Return a tensor that shares the arrays of a view where PyTorch's layout has them.

    Its coo has the coordinates of all dimensions in one array of int64. ``canonical``
    says that the entries are known to be sorted and distinct.
    """
    torch = sys.modules["torch"]
    values = dense_tensor(view.values)
    if view.layout == "coo":
        indices = torch.stack([dense_tensor(crd).long() for crd in view.crd])
        made = torch.sparse_coo_tensor(
            indices,
            values,
            view.shape,
            is_coalesced=canonical,
            check_invariants=False,
        )
    else:
        index = [dense_tensor(each) for each in (view.pos_at(1), view.crd_at(1))]
        if index[0].dtype != index[1].dtype:
            index = [each.long() for each in index]
        make = getattr(torch, f"sparse_{view.layout}_tensor")
        made = make(*index, values, view.shape, check_invariants=False)
    if canonical:
        remember(made, torch_view("the result", made))
    return made
