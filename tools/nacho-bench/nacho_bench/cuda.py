"""NVIDIA's driver, called by ctypes: a GPU's memory, its clock, and what it is.

The library is ``libcuda.so.1``, or the one that the environment variable NACHO_LIBCUDA
names. Everything happens in the primary context, which is that of nacho and of other
libraries, and on the default stream.
"""

import contextlib
import ctypes
import os
from collections.abc import Callable
from ctypes import POINTER, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64
from ctypes import c_void_p as pointer
from typing import Any

import numpy as np

from nacho_bench.peers import NotInstalledError

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetPCIBusId": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDeviceTotalMem_v2": (POINTER(c_size_t), c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(pointer), c_int),
    "cuCtxPushCurrent_v2": (pointer,),
    "cuMemPoolCreate": (POINTER(pointer), pointer),
    "cuMemPoolSetAttribute": (pointer, c_int, pointer),
    "cuMemAllocFromPoolAsync": (POINTER(c_uint64), c_size_t, pointer, pointer),
    "cuMemFreeAsync": (c_uint64, pointer),
    "cuMemcpyHtoDAsync_v2": (c_uint64, pointer, c_size_t, pointer),
    "cuMemcpyDtoHAsync_v2": (pointer, c_uint64, c_size_t, pointer),
    "cuMemcpyDtoDAsync_v2": (c_uint64, c_uint64, c_size_t, pointer),
    "cuStreamSynchronize": (pointer,),
    "cuEventCreate": (POINTER(pointer), c_uint),
    "cuEventRecord": (pointer, pointer),
    "cuEventSynchronize": (pointer,),
    "cuEventElapsedTime": (POINTER(c_float), pointer, pointer),
}
"""The types of the parameters of each function; all return a status."""

_ATTRIBUTES = {
    "major": 75,
    "minor": 76,
    "multiprocessors": 16,
    "clock_khz": 13,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
}
_RELEASE_THRESHOLD = 4
_DEFAULT_STREAM = None


class CudaError(RuntimeError):
    """A function of the driver failed; the text says which one, and how."""


class _PoolProperties(ctypes.Structure):
    """``CUmemPoolProps``: memory of the first device."""

    _fields_ = (
        ("allocation_type", c_int),
        ("handle_types", c_int),
        ("location_type", c_int),
        ("device", c_int),
        ("security", pointer),
        ("most_bytes", c_size_t),
        ("reserved", ctypes.c_ubyte * 56),
    )


def _load() -> Any:
    name = os.environ.get("NACHO_LIBCUDA") or "libcuda.so.1"
    try:
        library = ctypes.CDLL(name)
        for function, types in _SIGNATURES.items():
            getattr(library, function).argtypes = types
    except (OSError, AttributeError) as error:
        raise NotInstalledError(f"no driver of NVIDIA: {error}") from error
    return library


class Cuda:
    """The first GPU; of each process there should be one."""

    def __init__(self) -> None:
        self._library = _load()
        self._find_device()
        context, pool, kept = pointer(), pointer(), c_uint64(2**64 - 1)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._device)
        self("cuCtxPushCurrent_v2", context)
        properties = _PoolProperties(1, 0, 1, self._device)
        self("cuMemPoolCreate", ctypes.byref(pool), ctypes.byref(properties))
        # What is released stays in the pool, for the next call.
        self("cuMemPoolSetAttribute", pool, _RELEASE_THRESHOLD, ctypes.byref(kept))
        self._pool = pool
        self._begin, self._end = self._event(), self._event()

    def __call__(self, function: str, *arguments: Any) -> None:
        """Call a function of the driver; raise CudaError if it fails."""
        status = getattr(self._library, function)(*arguments)
        if status:
            name = c_char_p()
            self._library.cuGetErrorName(status, ctypes.byref(name))
            shown = (name.value or b"an unknown error").decode()
            raise CudaError(f"{function} failed: {shown} ({status})")

    def _find_device(self) -> None:
        count, device = c_int(), c_int()
        try:
            self("cuInit", 0)
            self("cuDeviceGetCount", ctypes.byref(count))
        except CudaError as error:
            raise NotInstalledError(f"no GPU: {error}") from error
        if not count.value:
            raise NotInstalledError("no GPU: the driver finds none")
        self("cuDeviceGet", ctypes.byref(device), 0)
        self._device = device.value

    # Memory -----------------------------------------------------------------------

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> "Array":
        """Return an array whose elements have no values yet."""
        return Array(self, (shape,) if isinstance(shape, int) else shape, dtype)

    def array(self, values: np.ndarray) -> "Array":
        """Copy an array to the GPU."""
        values = np.ascontiguousarray(values)
        made = self.empty(values.shape, values.dtype)
        if values.nbytes:
            at, size = values.ctypes.data, values.nbytes
            self("cuMemcpyHtoDAsync_v2", made.address, at, size, _DEFAULT_STREAM)
            self.wait()
        return made

    def allocate(self, size: int) -> int:
        """Return the address of new memory."""
        address = c_uint64()
        # The driver refuses to allocate nothing.
        size = max(size, 1)
        self(
            "cuMemAllocFromPoolAsync",
            ctypes.byref(address),
            size,
            self._pool,
            _DEFAULT_STREAM,
        )
        return address.value

    def release(self, address: int) -> None:
        """Release memory once everything that was started before is done."""
        self("cuMemFreeAsync", address, _DEFAULT_STREAM)

    def copy(self, target: "Array", source: "Array") -> None:
        self(
            "cuMemcpyDtoDAsync_v2",
            target.address,
            source.address,
            source.nbytes,
            _DEFAULT_STREAM,
        )

    def wait(self) -> None:
        """Wait until everything is done."""
        self("cuStreamSynchronize", _DEFAULT_STREAM)

    # Time -------------------------------------------------------------------------

    def _event(self) -> pointer:
        event = pointer()
        self("cuEventCreate", ctypes.byref(event), 0)
        return event

    def timed(self, call: Callable[[], Any]) -> tuple[Any, float]:
        """Return the result of a call, and the seconds that the GPU's clock measures.

        The GPU has nothing to do before: the time begins when the call does, and ends
        when the GPU has done everything that the call started.
        """
        self.wait()
        self("cuEventRecord", self._begin, _DEFAULT_STREAM)
        result = call()
        self("cuEventRecord", self._end, _DEFAULT_STREAM)
        self("cuEventSynchronize", self._end)
        milliseconds = c_float()
        elapsed = ctypes.byref(milliseconds)
        self("cuEventElapsedTime", elapsed, self._begin, self._end)
        return result, milliseconds.value / 1e3

    def bandwidth(self, size: int, rounds: int = 15) -> float:
        """Return the bytes per second, read and written, at which arrays are copied.

        The best round counts.
        """
        source, target = (self.empty(size, np.uint8) for _ in range(2))
        self.copy(target, source)
        times = [self.timed(lambda: self.copy(target, source)) for _ in range(rounds)]
        return 2 * size / max(min(seconds for _, seconds in times), 1e-9)

    # Facts ------------------------------------------------------------------------

    def description(self) -> dict[str, Any]:
        """Return the facts that identify the GPU, its driver and its clocks."""
        name, bus = (ctypes.create_string_buffer(256) for _ in range(2))
        size, version = c_size_t(), c_int()
        self("cuDeviceGetName", name, len(name), self._device)
        self("cuDeviceGetPCIBusId", bus, len(bus), self._device)
        self("cuDeviceTotalMem_v2", ctypes.byref(size), self._device)
        self("cuDriverGetVersion", ctypes.byref(version))
        return {
            "name": name.value.decode(),
            "bus": bus.value.decode(),
            "memory": size.value,
            "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}",
            **{name: self._attribute(number) for name, number in _ATTRIBUTES.items()},
        }

    def _attribute(self, number: int) -> int:
        value = c_int()
        self("cuDeviceGetAttribute", ctypes.byref(value), number, self._device)
        return value.value


class Array:
    """An array in the memory of the GPU, which is released with it."""

    def __init__(self, cuda: Cuda, shape: tuple[int, ...], dtype: Any) -> None:
        self._cuda = cuda
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.nbytes = int(np.prod(shape)) * self.dtype.itemsize
        self.address = cuda.allocate(self.nbytes)
        # What ctypes passes to functions.
        self._as_parameter_ = self.address

    def __del__(self) -> None:
        # A process that ends, or whose kernel failed, has no memory to release.
        with contextlib.suppress(CudaError, AttributeError):
            self._cuda.release(self.address)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "strides": None,
            "version": 3,
            "stream": 1,
        }

    def host(self) -> np.ndarray:
        """Copy the array to the host."""
        found = np.empty(self.shape, self.dtype)
        if found.nbytes:
            at, size = found.ctypes.data, found.nbytes
            self._cuda("cuMemcpyDtoHAsync_v2", at, self.address, size, _DEFAULT_STREAM)
            self._cuda.wait()
        return found
