"""What a function does before its statement: parts of tensors, and coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nacho._mlir.names import Names
from nacho._notation.ranges import Range
from nacho._notation.tree import Access


class _Part(NamedTuple):
    name: str
    extents: tuple[str, ...]


class Preamble:
    """The lines of a function before the statement, and the values that they define.

    ``tensors`` are the names of the values of tensors, and ``type`` returns the type of
    one in MLIR's syntax.
    """

    def __init__(
        self, tensors: dict[str, str], type: Callable[[str], str], names: Names
    ) -> None:
        self.lines: list[str] = []
        self._tensors = tensors
        self._type = type
        self._names = names
        self._parts: dict[tuple[str, tuple[Range, ...]], _Part] = {}

    def tensor(self, access: Access) -> str:
        """Return the value that an access reads: an argument, or a slice of it."""
        if not access.ranges:
            return self._tensors[access.name]
        return self._part(access).name

    def coordinates(self, index: str, access: Access) -> str:
        """Define the coordinates of an index that an access has."""
        dimension = access.indices.index(index)
        if access.ranges:
            extent = self._part(access).extents[dimension]
        else:
            extent = self._extent(access, dimension)
        return self._defined(
            f"coordinates_{index}", f"nacho.coordinates %{extent} : tensor<?xi64>"
        )

    def _part(self, access: Access) -> _Part:
        key = access.name, access.ranges
        if key not in self._parts:
            self._parts[key] = self._sliced(access)
        return self._parts[key]

    def _sliced(self, access: Access) -> _Part:
        offsets: list[str] = []
        sizes: list[str] = []
        for dimension, each in enumerate(access.ranges):
            extent = self._extent(access, dimension)
            if each.is_whole:
                offsets.append("0")
                sizes.append(extent)
                continue
            low, high = each.bounds
            begin = self._bound(low, extent)
            end = extent if high is None else self._bound(high, extent)
            size = self._arith("subi", end, begin)
            offsets.append(f"%{begin}")
            sizes.append(self._arith("maxsi", size, self._number(0)))
        type = self._type(access.name)
        first, count = ", ".join(offsets), ", ".join(f"%{size}" for size in sizes)
        strides = ", ".join("1" for _ in offsets)
        name = self._defined(
            f"{access.name}_part",
            f"nacho.slice %{self._tensors[access.name]}[{first}] [{count}] "
            f"[{strides}] : {type} to {type}",
        )
        return _Part(name, (*sizes,))

    def _bound(self, bound: int, extent: str) -> str:
        """Define where a bound lies; one that is negative is counted from the end."""
        number = self._number(bound)
        if bound >= 0:
            return self._arith("minsi", number, extent)
        from_end = self._arith("addi", extent, number)
        return self._arith("maxsi", from_end, self._number(0))

    def _extent(self, access: Access, dimension: int) -> str:
        tensor, place = self._tensors[access.name], self._number(dimension)
        return self._defined(
            f"extent_{access.indices[dimension]}",
            f"tensor.dim %{tensor}, %{place} : {self._type(access.name)}",
        )

    def _number(self, value: int) -> str:
        return self._defined("number", f"arith.constant {value} : index")

    def _arith(self, op: str, lhs: str, rhs: str) -> str:
        return self._defined("bound", f"arith.{op} %{lhs}, %{rhs} : index")

    def _defined(self, wanted: str, text: str) -> str:
        name = self._names.fresh(wanted)
        self.lines.append(f"  %{name} = {text}")
        return name
