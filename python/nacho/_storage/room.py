"""Containers that callers give for results: ``out=`` of a call.

A kernel writes a dense result to such an array itself, where it can: else it writes to
memory of its own, of which the array gets a copy. Of a sparse result, the container
gets the values, if its pattern is that of the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from nacho._elements import STORED, DType
from nacho._notation.tree import Access
from nacho._storage.containers import view_of
from nacho._storage.conversion import by_dimension
from nacho._storage.device_arrays import HOST, DeviceArray
from nacho._storage.formats import Format, TensorType
from nacho._storage.lengths import filled
from nacho._storage.views import Array, View, is_plain
from nacho.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    FormatError,
    OperandError,
    ShapeError,
    UnsupportedError,
)


def is_container(out: object) -> bool:
    """Return whether ``out=`` is a container, and not the name of a format."""
    other = isinstance(out, str | Format | type | np.dtype | np.generic)
    return not other and hasattr(out, "shape")


def memory_of(out: object, type: TensorType, shape: tuple[int, ...]) -> Array | None:
    """Return an array if kernels of the host can surely write such a result to it."""
    format = type.format
    if not isinstance(out, np.ndarray) or out.shape != shape or not out.size:
        return None
    if format is None or not (format.is_dense and format.is_row_major):
        return None
    fits = out.dtype == STORED[type.dtype] and out.flags.writeable
    return out if fits and is_plain(out) else None


def _meets_itself(array: np.ndarray[Any, Any]) -> bool:
    """Return whether elements of an array share memory, or may do so."""
    reach = array.itemsize
    dimensions = zip(array.strides, array.shape, strict=True)
    for stride, extent in sorted((abs(s), n) for s, n in dimensions if n > 1):
        if stride < reach and array.size:
            return True
        reach += stride * (extent - 1)
    return False


class Room:
    """The container that a caller gives for the result of a call."""

    __slots__ = ("container", "name", "shape", "view")

    def __init__(self, out: Any, result: Access) -> None:
        """Look at a container, or refuse one whose values cannot be written."""
        self.name = result.name
        if not is_container(out):
            shown = type(out).__name__
            raise ArgumentError(
                f"out= is of type {shown}: expected the array or sparse container that "
                f"the result '{self.name}' is written to"
            )
        self.container = out
        self.shape = tuple(out.shape)
        self._require_rank(len(result.indices))
        # An array without dimensions has one number, as an array with one has.
        array = out if self.shape else out.reshape(1)
        self.view = view_of("out", array, len(array.shape))
        self._require_writable()

    @property
    def device(self) -> str:
        """Where the memory is."""
        return self.view.device

    @property
    def format(self) -> str | Format:
        """The format that ``evaluate`` computes a result in that is written here."""
        format = self.view.format
        return "dense" if format.is_dense and format.is_row_major else format

    # Checks -----------------------------------------------------------------------

    def _require_rank(self, rank: int) -> None:
        if len(self.shape) != rank:
            plural = "index" if rank == 1 else "indices"
            raise ShapeError(
                f"out= has shape {self.shape}, but the result '{self.name}' has {rank} "
                f"{plural}"
            )

    def _require_writable(self) -> None:
        view = self.view
        if view.note or view.format.parts:
            why = view.note or f"it is stored in blocks, as {view.format}"
            raise UnsupportedError(f"out=: no result can be written to it: {why}")
        if getattr(self.container, "requires_grad", False):
            raise UnsupportedError(
                "out=: PyTorch computes gradients of this tensor, and would not know "
                "that it is written: pass a tensor that was detached"
            )
        if self.device != HOST and not view.format.is_dense:
            raise UnsupportedError(
                f"out= is {view.format} in the memory of '{self.device}', where only "
                "dense results are written to a given array"
            )
        if self.device == HOST and not view.values.flags.writeable:
            raise OperandError("out= is read-only")
        if isinstance(self.container, np.ndarray) and _meets_itself(self.container):
            raise OperandError("out= has elements that share memory with each other")

    def require(
        self, format: Format | None, dtype: DType, shape: tuple[int, ...]
    ) -> None:
        """Refuse a container of another shape, type or format than a result."""
        if self.shape != shape:
            raise ShapeError(
                f"out= has shape {self.shape}, but the result '{self.name}' has shape "
                f"{shape}"
            )
        given = self.view.values.dtype
        if given.newbyteorder("=") != dtype:
            raise DTypeError(
                f"out= is {given}, but the result '{self.name}' is {dtype}"
            )
        found, wanted = self.view.format, format or self.view.format
        both_dense = found.is_dense and wanted.is_dense
        if not both_dense and found != wanted:
            raise FormatError(
                f"out= is {found}, but the result '{self.name}' is {wanted}"
            )

    def require_device(self, target: str) -> None:
        """Refuse the memory of a device on which the kernel does not run."""
        if self.device not in (HOST, target):
            raise DeviceError(
                f"out= is in the memory of '{self.device}', but the target is "
                f"'{target}'"
            )

    # Memory -----------------------------------------------------------------------

    def in_place(
        self, format: Format | None, target: str, operands: Iterable[View]
    ) -> tuple[Any, str]:
        """Return the memory that a kernel writes a dense result to, and "".

        If it cannot do so, return None and the reason. The array is then filled with a
        copy, unless it is on a device, where that is refused.
        """
        view = self.view
        if not view.format.is_dense or not view.values.size:
            return None, ""
        if self.device != HOST:
            memory: Any = view.values.native  # type: ignore[attr-defined]
            reason = _reason_on_device(self, format, operands)
            if reason:
                raise UnsupportedError(f"out= on '{self.device}': {reason}")
            return memory, ""
        if target != HOST:
            return None, f"the result is copied from the memory of '{target}'"
        values = by_dimension(view)
        if format is not None and not format.is_row_major:
            values = values.transpose(format.order)
        if not is_plain(values):
            return None, "not in the order of the result, contiguous and aligned"
        for operand in operands:
            if any(np.may_share_memory(values, each) for each in _arrays_of(operand)):
                return None, "it shares memory with an operand"
        return values, ""

    def take(self, made: Any) -> Any:
        """Copy the values of a result to the container, and return it.

        Nothing is written before the result has been found to be one for the container.
        """
        if not self.shape:
            np.copyto(self.view.values, made)
            return self.container
        result = view_of("the result", made, len(made.shape))
        self.require(result.format, result.values.dtype, result.shape)
        if result.format.is_dense:
            np.copyto(by_dimension(self.view), by_dimension(result))
            return self.container
        room = filled("out", self.view)
        _require_pattern(self.name, room, result)
        np.copyto(room.values, result.values)
        return self.container


def _arrays_of(view: View) -> list[Array]:
    found = [*view.pos, *view.crd, view.values]
    return [array for array in found if isinstance(array, np.ndarray)]


def _reason_on_device(
    room: Room, format: Format | None, operands: Iterable[View]
) -> str:
    """Return why a kernel cannot write to memory of a device; "" if it can."""
    order = () if format is None else format.order
    if tuple(room.view.format.order) != tuple(order):
        return "its dimensions are in another order than those of the result"
    for operand in operands:
        arrays: list[Any] = [*operand.pos, *operand.crd, operand.values]
        for array in arrays:
            if isinstance(array, DeviceArray) and _overlap(array, room.view.values):
                return "it shares memory with an operand"
    return ""


def _overlap(one: Any, other: Any) -> bool:
    begin, end = one.native.address, other.native.address
    return bool(begin < end + other.nbytes and end < begin + one.nbytes)


def _require_pattern(name: str, room: View, made: View) -> None:
    """Refuse a container whose entries are at other coordinates than the result's."""
    if room.values.size != made.values.size:
        _refuse_pattern(
            name, f"it has {room.values.size} entries, the result {made.values.size}"
        )
    for level, (given, found) in enumerate(zip(room.pos, made.pos, strict=True)):
        if given is not None and found is not None:
            _require_same(name, room.pos_label(level), given, found)
    for level, (given, found) in enumerate(zip(room.crd, made.crd, strict=True)):
        if given is not None and found is not None:
            _require_same(name, room.array_label(level), given, found)


def _require_same(name: str, label: str, given: Array, found: Array) -> None:
    if given.shape != found.shape:
        _refuse_pattern(name, f"{label} has shape {given.shape}, not {found.shape}")
    place = np.argwhere(given != found)
    if len(place):
        at = tuple(place[0].tolist())
        shown = f"{label}[{', '.join(map(str, at))}]"
        _refuse_pattern(name, f"{shown} = {given[at]}, that of the result {found[at]}")


def _refuse_pattern(name: str, what: str) -> NoReturn:
    raise OperandError(
        f"out= has another pattern than the result '{name}', whose entries are sorted "
        f"and distinct: {what}"
    )
