"""Arrays in the memory of a device, which only kernels can use in place.

In a view of a container on a device, they stand where NumPy's arrays stand otherwise.
They have NumPy's names for what can be known without reading an element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from nacho._elements import ELEMENTS, DType
from nacho._storage.views import Array, Arrays, View, made_plain
from nacho._targets import CPU, GPU, SIMULATED, TARGETS
from nacho.errors import (
    DeviceError,
    OperandError,
    OptionError,
    OutOfMemoryError,
    displayed,
)

if TYPE_CHECKING:
    from nacho import _nacho

HOST = CPU.name
"""Where arrays of NumPy are; targets with memory of their own are devices, too."""

ELEMENT_DTYPES = {dtype.name: dtype for dtype in ELEMENTS.values()}
"""The element types by the names that NumPy and other libraries have for them."""
_NAMES = {dtype: name for name, dtype in ELEMENT_DTYPES.items()}
"""The names by the types, for which NumPy takes as long as a call of the extension."""


@contextmanager
def _naming_errors() -> Iterator[None]:
    from nacho import _nacho

    try:
        yield
    except _nacho.DeviceError as error:
        raise DeviceError(str(error)) from error
    except _nacho.LateError as error:
        refuse_late(error)
    except MemoryError as error:
        raise OutOfMemoryError(str(error)) from error


class LateOperandError(OperandError):
    """The operands of an earlier call are refused, and not those of this one."""


_late_errors = 0


def times_refused_late() -> int:
    """Return how often operands of an earlier call were refused.

    Any container may be among them: what was known of containers before is not any
    more.
    """
    return _late_errors


def refuse_late(error: Exception) -> NoReturn:
    """Refuse the operands of an earlier call, for which nobody has waited."""
    global _late_errors
    _late_errors += 1
    raise LateOperandError(
        "an earlier call on the GPU has a wrong result, since arrays of its operands "
        f"changed before it, or while they were in use ({error})"
    ) from error


class DeviceArray:
    """A contiguous array in the memory of a device.

    Other libraries can use it in place: by ``__cuda_array_interface__`` if it is in the
    memory of a GPU, and else by ``__cuda_sim_array_interface__``, which says the same
    of the simulated one.
    """

    __slots__ = ("__weakref__", "dtype", "native", "shape")

    def __init__(
        self, native: _nacho.DeviceArray, shape: tuple[int, ...] | None = None
    ) -> None:
        self.native = native
        self.dtype: DType = ELEMENT_DTYPES[native.dtype]
        self.shape = (native.size,) if shape is None else shape

    @classmethod
    def copy_of(cls, array: Array, device: str) -> DeviceArray:
        """Return a copy of an array of the host, which is contiguous."""
        from nacho import _nacho

        with _naming_errors():
            made = _nacho.DeviceArray.copy_of(device, array, array.dtype.name)
        return cls(made, array.shape)

    @classmethod
    def at(
        cls, device: str, address: int, shape: tuple[int, ...], dtype: DType, owner: Any
    ) -> DeviceArray:
        """Return the array at an address of a device, whose memory is its owner's."""
        from nacho import _nacho

        size = math.prod(shape)
        with _naming_errors():
            made = _nacho.DeviceArray(device, address, size, _NAMES[dtype], owner)
        return cls(made, shape)

    @property
    def device(self) -> str:
        """The target whose kernels use the array in place."""
        return self.native.target

    @property
    def size(self) -> int:
        return self.native.size

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def reshape(self, *shape: Any) -> DeviceArray:
        """Return the same elements with another shape, which may have one -1."""
        wanted = shape[0] if isinstance(shape[0], tuple | list) else shape
        known = math.prod(extent for extent in wanted if extent >= 0)
        free = self.size // known if known else 0
        return DeviceArray(
            self.native, tuple(free if each < 0 else each for each in wanted)
        )

    def __getitem__(self, key: Any) -> Any:
        """Return the first elements, or a copy of a column for the host to read."""
        if isinstance(key, slice) and key.start is None and key.step is None:
            shape = (min(key.stop, len(self)), *self.shape[1:])
            address = self.native.address
            return self.at(self.device, address, shape, self.dtype, self.native)
        return self.to_host()[key]

    __iter__ = None

    def __array__(self, *_: object, **__: object) -> Array:
        """Refuse to be read element by element, as NumPy would do it."""
        message = f"the array lies on '{self.device}'; copy it with .to_host()"
        raise DeviceError(message)

    def to_host(self, room: Array | None = None) -> Array:
        """Return a copy in the memory of the host: that of ``room``, if it is given."""
        made: Array = np.empty(self.shape, self.dtype) if room is None else room
        with _naming_errors():
            self.native.read(made)
        return made

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self._interface(GPU.name)

    @property
    def __cuda_sim_array_interface__(self) -> dict[str, Any]:
        return self._interface(SIMULATED.name)

    def _interface(self, device: str) -> dict[str, Any]:
        if self.device != device:
            raise AttributeError(f"the array lies on '{self.device}'")
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.native.address if self.size else 0, False),
            "version": 3,
            # 1 is the default stream.
            "stream": self.native.stream or 1,
        }

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"<nacho.DeviceArray: {shape}, {self.dtype}, on {self.device}>"


def wait_for(device: str, stream: int) -> None:
    """Wait until everything on a stream of another library is done."""
    from nacho import _nacho

    with _naming_errors():
        _nacho.synchronize(device, stream)


def moved(view: View, device: str) -> View:
    """Return a view of copies: from the host to a device, or the other way."""
    if device not in TARGETS:
        shown = ", ".join(f"'{name}'" for name in TARGETS)
        raise OptionError(f"device={displayed(device)}: expected {shown}")

    def copied(array: Any) -> Any:
        if device == HOST:
            return array.to_host() if isinstance(array, DeviceArray) else array
        return DeviceArray.copy_of(made_plain(array), device)

    def all_copied(arrays: Arrays) -> Arrays:
        return tuple(None if array is None else copied(array) for array in arrays)

    return view.with_arrays(
        all_copied(view.pos), all_copied(view.crd), copied(view.values)
    )
