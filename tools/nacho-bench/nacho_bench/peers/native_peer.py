"""Peers that are shared libraries: each kernel is a function on tensors by levels."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from nacho_bench.build import library
from nacho_bench.native import MAX_LEVELS, Result, pointer, unpacked
from nacho_bench.operands import Levels, Operands
from nacho_bench.peers import Kernels, NotInstalledError, Prepared


class Tensor(ctypes.Structure):
    """``struct tensor`` of reference/tensor.h."""

    _fields_ = (
        ("shape", ctypes.c_int64 * MAX_LEVELS),
        ("pos", ctypes.c_void_p * MAX_LEVELS),
        ("crd", ctypes.c_void_p * MAX_LEVELS),
        ("values", ctypes.c_void_p),
        ("size", ctypes.c_int64),
    )


class Native:
    """A library that has a function for each kernel, with the kernel's name."""

    def __init__(self, name: str, kernels: tuple[str, ...]) -> None:
        path = library(name)
        if not path.exists():
            raise NotInstalledError(f"{path.name} is not built")
        self._library = ctypes.CDLL(str(path))
        self.kernels: Kernels = dict.fromkeys(kernels, self.prepare)

    def prepare(self, given: Operands) -> Prepared:
        kernel = given.kernel
        parts = [levels_of(given, name) for name in kernel.operands]
        tensors = [_tensor(levels) for levels in parts]
        pointers = (ctypes.POINTER(Tensor) * len(tensors))(
            *map(ctypes.pointer, tensors)
        )
        function = getattr(self._library, symbol(kernel.name))
        # The arrays have to live as long as the call may be made.
        return _Call(function, self._library, pointers, (parts, tensors)), entries(
            given
        )


class _Call:
    def __init__(
        self, function: Any, library: ctypes.CDLL, pointers: Any, kept: Any
    ) -> None:
        self._function = function
        self._library = library
        self._pointers = pointers
        self._kept = kept

    def __call__(self) -> Result:
        result = Result(self._library)
        self._function(self._pointers, ctypes.byref(result.buffers))
        return result


def symbol(kernel: str) -> str:
    return kernel.replace("+", "_").replace("-", "_").replace("coo_csr", "coo_csr_add")


def levels_of(given: Operands, name: str) -> Levels:
    """Return an operand by levels; a dense operand has no ``pos`` and no ``crd``."""
    format = given.kernel.formats[name]
    if format != "dense":
        return given.levels(name, format)
    values = given.dense(name)
    return Levels([], [], values, values.shape)


def _tensor(levels: Levels) -> Tensor:
    tensor = Tensor()
    for level, extent in enumerate(levels.shape):
        tensor.shape[level] = extent
    for level, (pos, crd) in enumerate(zip(levels.pos, levels.crd, strict=True)):
        tensor.pos[level] = None if pos is None else pos.ctypes.data
        tensor.crd[level] = None if crd is None else crd.ctypes.data
    tensor.values = pointer(levels.values)
    tensor.size = levels.values.size
    return tensor


def entries(given: Operands) -> Callable[[Result], Any]:
    """Return the function that reads the entries of the kernel's result."""
    format, shape = given.kernel.result, given.shape
    if format in ("dense", "scalar"):
        return lambda result: result.values.reshape(shape)

    def found(result: Result) -> Any:
        levels = range(len(shape))
        if format == "csr":
            pos, crd = result.pos(1), [np.arange(shape[0]), result.crd(1)]
            return unpacked([None, pos], crd), result.values, shape
        crd = [result.crd(level) for level in levels]
        if format == "coo":
            return tuple(crd), result.values, shape
        return (
            unpacked([result.pos(level) for level in levels], crd),
            result.values,
            shape,
        )

    return found
