"""Plans: the cuts and the size of a result, whose values are computed repeatedly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nacho.elements import ELEMENTS
from nacho.errors import ArgumentError, OperandError
from nacho.notation.tree import Assignment, identifier
from nacho.storage.operands import view_of
from nacho.storage.views import Array, View

if TYPE_CHECKING:
    from nacho import _nacho
    from nacho.kernels.kernel import Kernel


class Call(NamedTuple):
    """Operands that were checked, and how they are to be worked on."""

    given: Sequence[Any]
    args: list[object]
    loaded: dict[str, View]  # the operands with indices, by name
    extents: dict[str, int]  # of the indices
    cost: int  # about, to choose the number of threads by
    threads: int
    parts: int
    shared: bool  # nobody asked for so many parts: threads take them as they come
    kind: Any  # the class of the result, None for nacho.Tensor
    validate: str

    def splitting_rows(self) -> Call:
        """Return the call for a kernel of which parts share rows.

        What they collect of the same row is put together: the fewer, the better.
        """
        return self._replace(parts=self.threads) if self.shared else self


class Plan:
    """The cuts and the size of a result, whose values can be computed repeatedly."""

    def __init__(self, kernel: Kernel, native: _nacho.Plan, call: Call) -> None:
        self._kernel = kernel
        self._call = call
        self._native = native

    def execute(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the values, of the planned operands or of others like them.

        Values and scalars are those of now; the pattern must be the planned one.
        """
        kernel, planned = self._kernel, self._call
        given = planned.given
        if operands or named:
            given = bind(kernel.operands, operands, named)
        call = kernel.prepare(
            given, kernel.views(given), planned.threads, planned.parts, kernel.validate
        )
        for name, now in call.loaded.items():
            if not _same_pattern(planned.loaded[name], now, kernel.validate):
                raise OperandError(
                    f"operand '{name}' has another pattern than the one planned for"
                )
        return kernel.execute(self._native, call)

    @property
    def parts(self) -> int:
        return self._native.parts

    @property
    def threads(self) -> int:
        return self._call.threads

    @property
    def bounds(self) -> NDArray[np.int64]:
        """The cuts: (parts + 1, depth) coordinates in loop order, half-open."""
        return self._native.bounds

    @property
    def positions(self) -> NDArray[np.int64]:
        """Where the cuts are in the operands: a column per loop and operand."""
        return self._native.positions

    @property
    def costs(self) -> NDArray[np.int64]:
        """The cost of each part."""
        return np.diff(self._native.costs)

    @property
    def total(self) -> int:
        """The cost of all parts."""
        return self._native.total

    @property
    def delta(self) -> int:
        """What the cost of a part may deviate by, on either side."""
        return self.total if self._kernel.delta < 0 else self._kernel.delta

    @property
    def balance(self) -> float:
        """The largest part's cost over the mean."""
        mean = self.total / self.parts
        return float(self.costs.max() / mean) if mean else 1.0

    @property
    def nnz(self) -> int:
        """The number of entries of the result."""
        return self._native.nnz

    @property
    def nbytes(self) -> int:
        """The size of the result's arrays."""
        result = self._kernel.result_type
        pos, crd = result.pos_width // 8, result.crd_width // 8
        total = self.nnz * ELEMENTS[result.dtype].itemsize
        kinds = () if result.format is None else result.format.kinds
        fibres = 1
        for kind, size in zip(kinds, self._native.sizes, strict=True):
            if kind == "dense":
                fibres *= size
                continue
            total += size * crd
            if kind.startswith("compressed"):
                total += (fibres + 1) * pos
            fibres = size
        return total

    def __repr__(self) -> str:
        return f"<nacho.mlir.Plan: {self.parts} parts, {self.nnz} entries>"


def bind(
    names: tuple[str, ...], operands: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """Return the operands in order, as Python binds arguments to parameters."""
    if not named and len(operands) == len(names):
        return list(operands)
    expected = ", ".join(names)
    if len(operands) > len(names):
        raise ArgumentError(
            f"{len(operands)} operands given, expected {len(names)}: {expected}"
        )
    bound = dict(zip(names, operands, strict=False))
    for spelled, value in named.items():
        name = identifier(spelled)
        if name not in names:
            raise ArgumentError(f"no operand is named '{name}', expected: {expected}")
        if name in bound:
            raise ArgumentError(f"operand '{name}' is given twice")
        bound[name] = value
    missing = [name for name in names if name not in bound]
    if missing:
        shown = ", ".join(f"'{name}'" for name in missing)
        raise ArgumentError(f"missing operand {shown}, expected: {expected}")
    return [bound[name] for name in names]


def views_of(assignment: Assignment, given: Sequence[Any]) -> dict[str, View]:
    """Look at the operands with indices, by name."""
    return {
        name: view_of(name, value, rank)
        for (name, rank), value in zip(assignment.ranks.items(), given, strict=True)
        if rank
    }


def _same_pattern(before: View, now: View, validate: str) -> bool:
    if before.shape != now.shape:
        return False
    old, new = chain(before.pos, before.crd), chain(now.pos, now.crd)
    return all(
        one is other or _same_array(one, other, validate)
        for one, other in zip(old, new, strict=True)
    )


def _same_array(one: Array | None, other: Array | None, validate: str) -> bool:
    if one is None or other is None or one.size != other.size:
        return False
    trusted = validate == "none" or one.ctypes.data == other.ctypes.data
    return trusted or np.array_equal(one, other)
