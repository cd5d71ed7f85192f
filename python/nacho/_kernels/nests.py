"""How nests are cut into parts, as users see it: ``Nest`` and ``Partition``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nacho._kernels.program import Program, Step
from nacho._kernels.statement import Statement
from nacho._notation.tree import Access
from nacho._pictures.bars import Bars
from nacho._pictures.figure import as_html, plotted


@dataclass(frozen=True, eq=False, repr=False)
class Nest:
    """How one nest is cut into parts of nearly equal cost."""

    order: tuple[str, ...]
    """The indices of the loops, outermost first.

    An index ``part`` is the number of a part of an earlier nest: several such parts may
    contribute to the same entry of the result.
    """
    bounds: NDArray[np.int64]
    """The cuts, (parts + 1, depth) coordinates in loop order.

    A part begins at its row and ends before the next.
    """
    costs: NDArray[np.int64]
    """The cost of each part."""
    total: int
    """The cost of all parts."""
    delta: int
    """The most by which the cost of a part may be off its share, on either side.

    If that depends on the operands, it is what these cuts are off.
    """
    positions: dict[str, NDArray[np.int64]]
    """Per sparse operand, the positions of the cuts, (parts + 1, levels that are cut).

    A second access to an operand with other indices has an item of its own, such as
    ``"A[j,i]"``. The result of the first nest is ``"#0"``, of the second ``"#1"``, ….
    """

    def __repr__(self) -> str:
        costs = f"{self.costs.min()} to {self.costs.max()}"
        return (
            f"<nacho.{type(self).__name__}: loops {', '.join(self.order)} in "
            f"{len(self.costs)} parts that cost {costs}, within {2 * self.delta} of "
            "each other>"
        )

    @property
    def bars(self) -> Bars:
        """The cost of each part, to be drawn."""
        title = f"Cost of each part of the loops {', '.join(self.order)}"
        return Bars.of(title, "part", "cost", self.costs, self.delta)

    def _repr_html_(self) -> str:
        return as_html([self.bars])


@dataclass(frozen=True, eq=False, repr=False)
class Partition(Nest):
    """How the work of an expression is cut into parts of nearly equal cost.

    If several nests run one after the other, these are the cuts of the last.
    """

    nests: tuple[Nest, ...]
    """All nests, the last one included."""

    def _repr_html_(self) -> str:
        return as_html([nest.bars for nest in self.nests])

    def plot(self) -> Any:
        """Draw the cost of each part with matplotlib, and return the figure."""
        return plotted([nest.bars for nest in self.nests])


class Planned(Protocol):
    """What knows the cuts of steps."""

    def cuts(
        self, step: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the costs before the cuts of a step, their coordinates, and places."""
        ...


def nests_of(
    program: Program, plan: Planned, extents: Mapping[str, int]
) -> tuple[Nest, ...]:
    """Describe the cuts of all steps of a plan that has been partitioned.

    ``extents`` are those of the indices of the call.
    """
    nests = tuple(
        _nest(step, plan.cuts(number), _sources(program, step))
        for number, step in enumerate(program.steps)
    )
    return tuple(_with_coordinates(nest, extents) for nest in nests)


def _with_coordinates(nest: Nest, extents: Mapping[str, int]) -> Nest:
    """Return a nest with a coordinate for each index, where one loop runs over keys.

    A key has the coordinates of an entry in its bits, those of the first index in front
    (``lib/Levels/Keys.cpp``).
    """
    if nest.bounds.shape[1] == len(nest.order):
        return nest
    keys = nest.bounds[:, 0]
    columns: list[NDArray[np.int64]] = []
    for index in reversed(nest.order[1:]):
        bits = (max(extents[index], 1) - 1).bit_length()
        columns.append(keys & ((1 << bits) - 1))
        keys = keys >> bits
    return replace(nest, bounds=np.column_stack([keys, *reversed(columns)]))


def _nest(
    step: Step,
    cuts: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    sources: Mapping[int, str],
) -> Nest:
    """Describe the cuts of a step; ``sources`` names the numbers in ``step.loops``."""
    costs, bounds, table = cuts
    columns = [number for loop in step.loops for number in loop]
    positions: dict[str, NDArray[np.int64]] = {}
    for number, name in sources.items():
        mine = [place for place, owner in enumerate(columns) if owner == number]
        positions[name] = np.ascontiguousarray(table[:, mine])
    total, parts = int(costs[-1] - costs[0]), np.diff(costs)
    return Nest(step.order, bounds, parts, total, step.delta_of(parts), positions)


def _sources(program: Program, step: Step) -> dict[int, str]:
    """Return the names of operands and lists by their numbers in ``step.loops``."""
    assignment = program.statement.assignment
    numbers = dict(zip(chain(*step.loops), chain(*step.loop_inputs), strict=True))
    given = not program.is_rewritten
    if len(program.steps) == 1:
        numbers.update(dict.fromkeys(_sparse_accesses(program.statement), 0))
    found: dict[int, str] = {}
    for number in sorted(numbers):
        if number < 0:
            found[number] = f"#{-1 - number}"
        elif given:
            access = assignment.accesses[number]
            found[number] = named(access, found.values(), program)
        else:
            _, operand = step.inputs[numbers[number]]
            found[number] = _fresh(assignment.operands[operand], found.values())
    return found


def named(access: Access, taken: Collection[str], program: Program) -> str:
    """Return the name of an access to an operand, which is not taken."""
    if program.is_rewritten:
        return _fresh(access.name, taken)
    return _shown(access) if access.name in taken else access.name


def _sparse_accesses(statement: Statement) -> list[int]:
    types, accesses = statement.types, statement.assignment.accesses
    formats = [types[access.name].format for access in accesses]
    return [
        number
        for number, format in enumerate(formats)
        if format is not None and not format.is_dense
    ]


def _fresh(name: str, taken: Collection[str]) -> str:
    count = sum(known.partition("#")[0] == name for known in taken)
    return f"{name}#{count + 1}" if count else name


def _shown(access: Access) -> str:
    return access.name + access.subscript
