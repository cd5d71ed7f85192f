"""The types for which a kernel is compiled: those of the operands of a call.

Operands must have the types that are pinned; all other types are as the operands have
them. A Python number is weak, as in NumPy: it takes the type of the other operand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nacho._elements import STORED
from nacho._kernels.pins import Pin
from nacho._kernels.sizes import Sizes
from nacho._notation.promotion import WEAK, strong, weak_kind
from nacho._notation.tree import Assignment
from nacho._storage.formats import TensorType
from nacho._storage.operand_types import read_type, require_type, signature
from nacho._storage.scalars import scalar_dtype, scalar_kind
from nacho._storage.views import INT32, INT32_MAX, INT64, View


class Typing(NamedTuple):
    """What is known of the operands when a statement is written."""

    operands: tuple[TensorType, ...]
    kinds: tuple[str, ...]
    """Per operand its element type, or the kind of a weak number."""
    index_width: int
    """The index width of the result, where it is not pinned."""
    sizes: Sizes = ()


class Reader:
    """An operand of a specialisation, with a fast test of its type in a call."""

    __slots__ = ("_crd", "_format", "_kind", "_pos", "_values", "name", "type")

    def __init__(self, name: str, type: TensorType, kind: str) -> None:
        self.name = name
        self.type = type
        self._kind = kind
        self._format = type.format
        self._values = STORED[type.dtype]
        self._pos, self._crd = (
            INT32 if width == 32 else INT64
            for width in (type.pos_width, type.crd_width)
        )

    def fits(self, value: Any, view: View | None) -> bool:
        """Return whether an operand surely has this type; False may be wrong."""
        format = self._format
        if view is None or format is None:
            return _WEAK.get(type(value)) == self._kind
        if view.format is not format or view.values.dtype is not self._values:
            return False
        if format.is_dense:
            return True
        for array in view.pos:
            if array is not None and array.dtype is not self._pos:
                return False
        return all([crd is None or crd.dtype is self._crd for crd in view.crd])


_WEAK = {type: kind for kind, type in WEAK.items()}
"""The kinds of Python's own numbers, which most scalars are, by their exact type."""

Key = tuple[object, ...]
"""All that decides the types of a call: calls with equal keys have equal types."""


def key_of_call(
    assignment: Assignment,
    pins: Mapping[str, Pin],
    given: Sequence[Any],
    views: Mapping[str, View],
    extents: Mapping[str, int],
) -> Key:
    """Return the key of the operands, without any check that takes long."""
    largest = max(extents.values(), default=0)
    # 0: int32 holds the extents; 1: int32 holds the coordinates, but not the largest
    # extent, which is 2^31; 2: int32 does not hold all coordinates either.
    key: list[object] = [min(max(largest - INT32_MAX, 0), 2)]
    for name, value in zip(assignment.operands, given, strict=True):
        view = views.get(name)
        if view is None:
            key.append(_scalar_key(name, value))
            continue
        key += signature(view)
        if view.format is not pins[name].format:
            # A conversion widens ``pos`` if 32 bits cannot count the entries.
            key.append(view.values.size > INT32_MAX)
    return tuple(key)


def _scalar_key(name: str, value: Any) -> object:
    return _WEAK.get(type(value)) or weak_kind(value) or scalar_dtype(name, value)


def typing_of_call(
    assignment: Assignment,
    pins: Mapping[str, Pin],
    given: Sequence[Any],
    views: Mapping[str, View],
    extents: Mapping[str, int],
    sizes: Sizes,
) -> Typing:
    """Return the types of the operands, or refuse one that is not of a pinned type."""
    types: list[TensorType] = []
    kinds: list[str] = []
    for name, value in zip(assignment.operands, given, strict=True):
        pin, view = pins[name], views.get(name)
        if view is None:
            kind = pin.element or scalar_kind(name, value)
            type = TensorType(None, strong(kind))
        else:
            type = pin.of(read_type(name, view, pin.format or view.format, pin.element))
            kind = type.dtype
            if not pin.is_free:
                require_type(name, view, type)
        types.append(type)
        kinds.append(kind)
    wide = max(extents.values(), default=0) > INT32_MAX + 1
    width = 64 if wide else _widest_index(types)
    return Typing(tuple(types), tuple(kinds), width, sizes)


def typing_by_default(assignment: Assignment, pins: Mapping[str, Pin]) -> Typing:
    """Return the types before any call: f64 and i32, where nothing is pinned.

    Scalar operands that are not pinned are Python floats. Where bits are computed with,
    elements are i64, and scalars are integers.
    """
    element, weak = ("i64", "int") if assignment.has_bits else ("f64", "float")
    types: list[TensorType] = []
    kinds: list[str] = []
    for name in assignment.operands:
        pin = pins[name]
        kinds.append(pin.element or (element if assignment.ranks[name] else weak))
        types.append(pin.of(TensorType(pin.format, element)))
    return Typing(tuple(types), tuple(kinds), _widest_index(types))


def _widest_index(types: Sequence[TensorType]) -> int:
    """Return the widest index width of the sparse operands; 32 if there are none."""
    sparse = [t for t in types if t.format is not None and not t.format.is_dense]
    return max((max(type.pos_width, type.crd_width) for type in sparse), default=32)
