"""Programs: the variants of a statement, and the nests that each runs as steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nacho._kernels.statement import Statement
from nacho._mlir.names import spelled_indices

if TYPE_CHECKING:
    from nacho import _nacho

MERGE_KEYS = "merge-keys"


class ArrayOfLevel(NamedTuple):
    """An array of a level of a tensor."""

    type: str
    holds_positions: bool
    """Whether it has positions of the level, and not its coordinates."""
    per_entry: int
    """How many elements there are for each position of the level."""
    extra: int
    """How many elements there are besides those for positions."""


class Level(NamedTuple):
    """A level of a tensor, as kernels see it."""

    is_full: bool
    """Whether every parent has a child at every coordinate."""
    arrays: tuple[ArrayOfLevel, ...]

    @property
    def shares_positions(self) -> bool:
        """Whether its positions are those of the level above."""
        return not self.is_full and not any(a.holds_positions for a in self.arrays)


class Layout(NamedTuple):
    """The arrays of a tensor, as kernels see them: level by level, then its values."""

    levels: tuple[Level, ...]
    values: str

    @property
    def array_count(self) -> int:
        """The number of the arrays of all levels."""
        return sum(len(level.arrays) for level in self.levels)

    @property
    def is_dense(self) -> bool:
        """Whether it has all elements; a number has its only one."""
        return all(level.is_full for level in self.levels)

    @property
    def has_compressed_rows(self) -> bool:
        """Whether it is a matrix whose rows are all there, and have coordinates."""
        if len(self.levels) != 2:
            return False
        rows, columns = self.levels
        holds = [array.holds_positions for array in columns.arrays]
        return rows.is_full and not rows.arrays and holds == [True, False]

    @classmethod
    def of(cls, described: tuple[Any, str]) -> Layout:
        """Return a layout that the extension describes."""
        levels, values = described
        made = [
            Level(full, tuple(ArrayOfLevel(*array) for array in arrays))
            for full, arrays in levels
        ]
        return cls(tuple(made), values)


class KeptNumber(NamedTuple):
    """What a level of a list has for each entry: a position, or any other number."""

    is_made: bool
    """Whether the position is one in the result of a step, or in an operand."""
    number: int
    """The number of that step or operand; -1 if it is another number."""
    level: int
    is_end: bool
    """Whether children of an entry end there."""


Recalled = tuple[int, int, bool]
"""An input of a step whose position a list has kept, its level, and whether children
end there. An input of -1 is none that the step reads."""


class Step(NamedTuple):
    """One nest of a kernel; its result is an operand of later steps or the result."""

    order: tuple[str, ...]
    """The indices of the loops that are cut into parts, outermost first."""
    loops: tuple[tuple[int, ...], ...]
    """Per loop that is cut, the accesses (by number) that have positions in a cut.

    -1, -2, … are the results of the first step, the second step, ….
    """
    loop_inputs: tuple[tuple[int, ...], ...]
    """The same as ``loops``, but by the numbers of the step's ``inputs``."""
    delta: int
    """The most by which the cost of a part may be off its share; -1 without a bound."""
    inputs: tuple[tuple[bool, int], ...]
    """Per input, whether it is the result of a step (or an operand), and its number."""
    is_sorted: bool
    """Whether the step's result is a list that is sorted, for a later step."""
    is_draft: bool
    """Whether calls make a draft: parts append entries without having counted them."""
    is_list: bool
    """Whether the step's result is a list for later steps, sorted or not."""
    layouts: tuple[Layout, ...]
    """The arrays of the inputs and, at last, of the result."""
    count_columns: int
    """The numbers that a part counts of the entries that it appends."""
    runs_alone: bool
    """Whether parts can be counted and computed where the others are not."""
    kept: tuple[KeptNumber, ...]
    """What the last levels of a list have for each entry."""
    lists_pieces: bool
    """Whether the list is one of the pieces into which heavy rows are cut."""
    full_loops: tuple[bool, ...]
    """Per loop that is cut, whether it visits all coordinates, stored or not."""
    has_sums: bool
    """Whether parts have rows of sums: then these depend on where parts are cut."""
    has_fixed_parts: bool
    """Whether the number of parts follows from the cost and the sizes alone."""
    has_tables: bool
    """Whether parts fill tables of what they look up in operands."""
    is_reordering: bool
    """Whether the result is the only operand, a matrix, in another order."""
    digest: int
    """Of its loops: with the same, and the same inputs, steps make the same."""
    indices_read: tuple[tuple[tuple[str, ...], ...], ...]
    """Per input, the indices of the loops over the levels of each access to it.

    An index is empty if no loop over the level is known.
    """
    indices_made: tuple[str, ...]
    """The indices of the loops over the levels of the result, in the same way."""

    @property
    def lists_costs(self) -> bool:
        """Whether the result is a list of costs; another list has elements."""
        return self.is_list and (self.lists_pieces or not self.is_sorted)

    def kept_by(self, earlier: Step) -> tuple[Recalled, ...]:
        """Return what a list has kept that an earlier step, or this one, makes."""
        sources = [(kept.is_made, kept.number) for kept in earlier.kept]
        return tuple(
            (self.inputs.index(source) if source in self.inputs else -1, *kept[2:])
            for source, kept in zip(sources, earlier.kept, strict=True)
        )

    def first_argument(self, input: int) -> int:
        """Return the number of the first argument that stands for an input."""
        before = self.layouts[:input]
        return sum(each.array_count + 1 + len(each.levels) for each in before)

    def delta_of(self, costs: NDArray[np.int64]) -> int:
        """Return a number above what any cut is short of its share of the cost.

        The compiler knows one, unless what a coordinate costs depends on the operands,
        as with rows that stay whole. Then the parts' ``costs`` tell it.
        """
        if self.delta >= 0:
            return self.delta
        cuts = np.concatenate([[0], np.cumsum(costs)])
        # Python's integers do not overflow.
        shares = (int(cuts[-1]) * part // len(costs) for part in range(len(cuts)))
        return 1 + max(
            share - int(cut) for share, cut in zip(shares, cuts, strict=True)
        )


class Program:
    """A statement compiled as one variant."""

    def __init__(self, statement: Statement, native: _nacho.Program) -> None:
        self.statement = statement
        self.native = native
        self.choices: dict[str, bool] = native.choices
        """What is on or off in this variant, by the names of ``choices=``."""
        self.steps = _steps(statement, native)
        """The nests that are run one after the other; the last makes the result."""

    @property
    def is_rewritten(self) -> bool:
        """Whether the compiler has made several statements of the assignment.

        The numbers of a step's accesses are then not those of the assignment's.
        """
        *earlier, _ = self.steps
        return any(step.is_sorted or not step.is_list for step in earlier)

    def made_by(self, number: int) -> str:
        """Name what a step makes for later steps."""
        return f"{'list' if self.steps[number].is_list else 'tensor'} {number}"

    def recalled(self, step: Step, input: int) -> tuple[Recalled, ...]:
        """Return what a list has kept that is one of the inputs of a step."""
        _, source = step.inputs[input]
        return step.kept_by(self.steps[source])

    @property
    def delta(self) -> int:
        """The bound ``delta`` of the last step; -1 without a bound."""
        return self.steps[-1].delta


def _steps(statement: Statement, native: _nacho.Program) -> tuple[Step, ...]:
    """Return the steps, with the indices as the expression spells them."""
    spelled = spelled_indices(statement.assignment)
    names = {name: index for index, name in spelled.items()}

    def indices_of(found: Sequence[str]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in found)

    steps = tuple(
        step._replace(
            order=indices_of(step.order),
            layouts=tuple(map(Layout.of, step.layouts)),
            kept=tuple(map(KeptNumber._make, step.kept)),
            indices_read=tuple(
                tuple(map(indices_of, accesses)) for accesses in step.indices_read
            ),
            indices_made=indices_of(step.indices_made),
        )
        for step in map(Step._make, native.steps)
    )
    if native.choices[MERGE_KEYS] and len(steps) == 1:
        # A loop over keys is the only loop. It stands for a loop over each index.
        return (steps[0]._replace(order=statement.assignment.indices),)
    return steps
