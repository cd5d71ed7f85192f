"""Arrays of other libraries on a device: CuPy's, and those with an interface for it.

``__cuda_array_interface__`` says where an array is in the memory of a GPU, and
``__cuda_sim_array_interface__`` says the same of the simulated GPU. Other arrays on a
GPU are exchanged by DLPack. CuPy is never imported: whoever passes its arrays has done
that.
"""

from __future__ import annotations

import sys
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from nacho._elements import DType, supported_elements
from nacho._storage.device_arrays import ELEMENT_DTYPES, DeviceArray, wait_for
from nacho._storage.layouts import CSC, CSR, coo_view, dense_device_view
from nacho._storage.memory import lasting, remember
from nacho._storage.views import CUPY, DLPACK, View
from nacho._targets import GPU, TARGETS
from nacho.errors import DeviceError, DTypeError, OperandError

_INTERFACES = {each.interface: each.name for each in TARGETS.values() if each.interface}
_DLPACK_GPU = 2
"""kDLCUDA: how DLPack calls the memory of a GPU."""
_DLPACK_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
"""NumPy's letters for DLPack's codes of types."""


def has_interface(container: object) -> bool:
    """Return whether an object says where it is in the memory of a device."""
    named = any(hasattr(container, name) for name in _INTERFACES)
    return named or _is_exchanged(container)


def _is_exchanged(container: Any) -> bool:
    """Return whether an object is exchanged by DLPack, and is on a GPU."""
    if not hasattr(container, "__dlpack__"):
        return False
    kind, _ = container.__dlpack_device__()
    return int(kind) == _DLPACK_GPU


class _Exchanged:
    """What an array says by DLPack, as ``__cuda_array_interface__`` says it."""

    def __init__(self, name: str, array: Any) -> None:
        from nacho import _nacho

        _, number = array.__dlpack_device__()
        self.device = SimpleNamespace(id=number)
        try:
            address, shape, strides, code, bits, self._owner = _nacho.read_dlpack(array)
        except RuntimeError as error:
            raise OperandError(
                f"operand '{name}': it cannot be exchanged by DLPack"
            ) from error
        size = bits // 8
        interface = {
            "shape": shape,
            "typestr": f"{_DLPACK_KINDS.get(code, '?')}{size}",
            "strides": tuple(size * stride for stride in strides),
            "data": (address, False),
        }
        setattr(self, GPU.interface, interface)


def dense_on_device(name: str, array: Any) -> View:
    """Return the view of a dense array on a device."""
    found, fortran = _array(name, "the array", array)
    library = CUPY if _is_in_cupy(array) else DLPACK
    return dense_device_view(found, fortran, library)


def _is_in_cupy(array: object) -> bool:
    """Return whether an array is one of CuPy, on whose stream kernels run, too."""
    return type(array).__module__.partition(".")[0] == "cupy"


def number_on_device(name: str, array: Any) -> Any:
    """Return an array without dimensions as such an array of NumPy."""
    return _array(name, "the array", array)[0].to_host()


def cupy_view(name: str, matrix: Any, layout: str) -> View:
    """Return the view of a sparse matrix of CuPy."""
    labels = ("row", "col") if layout == "coo" else ("indptr", "indices")
    index = [_vector(name, label, getattr(matrix, label)) for label in labels]
    one, other = lasting(matrix, index)
    values, shape = _vector(name, "data", matrix.data), tuple(matrix.shape)
    if layout == "coo":
        return coo_view(shape, (one, other), values, CUPY)
    format = CSR if layout == "csr" else CSC
    return View(format, shape, (None, one), (None, other), values, CUPY, layout)


def _vector(name: str, label: str, array: Any) -> Any:
    return _array(name, label, array)[0]


def _array(name: str, label: str, array: Any) -> tuple[DeviceArray, bool]:
    """Return an array of any library as one of ours, in the same memory.

    An array in Fortran order is returned with its dimensions reversed, and with True.
    """
    if isinstance(array, DeviceArray):
        return array, False
    if _is_exchanged(array) and not hasattr(array, GPU.interface):
        array = _Exchanged(name, array)
    number = getattr(getattr(array, "device", None), "id", 0)
    if number:
        raise DeviceError(
            f"operand '{name}': {label} is on GPU {number}, but kernels run on the "
            "first GPU"
        )
    attribute = next((each for each in _INTERFACES if hasattr(array, each)), None)
    if attribute is None:
        shown = type(array).__name__
        raise OperandError(
            f"operand '{name}': {label} is no array on a device, but {shown}"
        )
    told = getattr(array, attribute)
    dtype = _element(name, label, told["typestr"])
    shape = tuple(told["shape"])
    fortran = _require_contiguous(name, label, shape, told.get("strides"), dtype)
    if told.get("mask") is not None:
        raise OperandError(f"operand '{name}': {label} has a mask")
    shape = shape[::-1] if fortran else shape
    address, _ = told["data"]
    device = _INTERFACES[attribute]
    if told.get("stream") is not None and not _is_in_cupy(array):
        wait_for(device, told["stream"])
    return DeviceArray.at(device, address or 0, shape, dtype, array), fortran


def _element(name: str, label: str, typestr: str) -> DType:
    found = _dtype_of(typestr)
    if found is None:
        raise DTypeError(
            f"operand '{name}': {label} has type {typestr}, which is not supported "
            f"(supported: {supported_elements()})"
        )
    return found


@cache
def _dtype_of(typestr: str) -> DType | None:
    """Return the type of elements that a string names, or None for another type."""
    try:
        dtype = np.dtype(typestr)
    except TypeError:
        return None
    found = ELEMENT_DTYPES.get(dtype.name)
    return found if found == dtype else None


def _require_contiguous(
    name: str,
    label: str,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    dtype: DType,
) -> bool:
    """Return whether an array is in Fortran order, not in C order; else refuse it."""
    if strides is None or 0 in shape:
        return False
    if _fits(shape, strides, dtype):
        return False
    if _fits(shape[::-1], strides[::-1], dtype):
        return True
    raise OperandError(
        f"operand '{name}': {label} has strides {tuple(strides)}, but operands on a "
        "device are used as they are: pass a contiguous copy"
    )


def _fits(shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType) -> bool:
    """Return whether strides are those of an array in C order."""
    expected = dtype.itemsize
    for extent, stride in zip(shape[::-1], strides[::-1], strict=True):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


# --- Results --------------------------------------------------------------------------


def is_in_cupy(dtype: DType) -> bool:
    """Return whether CuPy's sparse matrices can have such elements."""
    return dtype.char in "?fdFD"


def dense_in_cupy(values: Any) -> Any:
    """Return an array of CuPy that shares the memory of one of ours."""
    return sys.modules["cupy"].asarray(values)


def sparse_in_cupy(view: View, canonical: bool) -> Any:
    """Return a matrix of CuPy that shares the arrays of a view.

    CuPy itself copies index arrays of int64, since its matrices have int32.
    """
    sparse = sys.modules["cupyx.scipy.sparse"]
    values = dense_in_cupy(view.values)
    make = getattr(sparse, f"{view.layout}_matrix")
    index: tuple[Any, ...] = (view.crd[1], view.pos[1])
    if view.layout == "coo":
        index = view.crd
    arrays = tuple(map(dense_in_cupy, index))
    parts = (values, arrays) if view.layout == "coo" else (values, *arrays)
    matrix = make(parts, shape=view.shape)
    if canonical:
        remember(matrix, cupy_view("the result", matrix, view.layout))
    return matrix
