"""Programs: a statement that is compiled as one of its variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nacho.errors import NachoError
from nacho.kernels.request import Lowering
from nacho.kernels.statement import Statement
from nacho.mlir.emit import spelled_indices
from nacho.mlir.refusals import refuse_compilation

if TYPE_CHECKING:
    from nacho import _nacho


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


class Variant(NamedTuple):
    """One of several ways to compile the same statement."""

    split: bool = False
    """Set when several parts may contribute to one row of the result.

    Otherwise, every part owns whole rows.
    """
    flatten: bool = False
    """Set when entries are merged by their keys; otherwise, level by level."""


class Program:
    """A statement compiled as one variant."""

    def __init__(
        self,
        statement: Statement,
        lowering: Lowering,
        variant: Variant,
        native: _nacho.Kernel,
    ) -> None:
        self.statement = statement
        self.lowering = lowering
        self.variant = variant
        self.native = native
        self.steps = _steps(statement, variant, native)
        """The nests that are run one after the other; the last makes the result."""

    @property
    def delta(self) -> int:
        """The bound ``delta`` of the last step; -1 without a bound."""
        return self.steps[-1].delta


def compiled(
    statement: Statement, lowering: Lowering, variant: Variant
) -> _nacho.Kernel:
    """Compile a statement, or refuse it with a message about its expression."""
    from nacho import _nacho

    try:
        return _nacho.Kernel(
            statement.text,
            lowering.cost,
            lowering.remap,
            variant.split,
            variant.flatten,
            lowering.target,
        )
    except _nacho.CompileError as error:
        refuse_compilation(statement.assignment, statement.bindings, error)


def lowered(
    statement: Statement,
    lowering: Lowering,
    variant: Variant,
    stage: str,
    *,
    single_pass: bool = False,
) -> str:
    """Return the IR of a statement after a stage."""
    from nacho import _nacho

    stages = _nacho.stages(lowering.target)
    if stage not in stages:
        shown = ", ".join(f"'{name}'" for name in stages)
        raise NachoError(f"stage={stage!r}: expected {shown}")
    try:
        return _nacho.lower(
            statement.text,
            stage,
            lowering.cost,
            lowering.remap,
            variant.split,
            single_pass,
            variant.flatten,
            lowering.target,
        )
    except _nacho.CompileError as error:
        raise NachoError(f"cannot lower to '{stage}': {error}") from error


def _steps(
    statement: Statement, variant: Variant, native: _nacho.Kernel
) -> tuple[Step, ...]:
    """Return the steps, with the indices as the expression spells them."""
    spelled = spelled_indices(statement.assignment)
    names = {name: index for index, name in spelled.items()}
    steps = tuple(
        Step(*step)._replace(order=tuple(names.get(name, name) for name in step[0]))
        for step in native.steps
    )
    if variant.flatten and len(steps) == 1:
        # There is one loop over keys. It stands for a loop over each index.
        return (steps[0]._replace(order=statement.assignment.indices),)
    return steps
