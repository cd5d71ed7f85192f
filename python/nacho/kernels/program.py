"""A statement compiled in one way: its steps, and its code."""

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
    """One nest of loops of a kernel."""

    order: tuple[str, ...]
    """The indices of the loops that are cut into parts, outermost first."""
    loops: tuple[tuple[int, ...], ...]
    """Per loop that is cut, the accesses (by number) with positions in a cut.

    -1, -2, … are the results of the first step, the second, ….
    """
    loop_inputs: tuple[tuple[int, ...], ...]
    """The same by the numbers of the step's inputs."""
    delta: int
    """What the cost of a part may deviate by; -1 if that depends on the operands."""
    inputs: tuple[tuple[bool, int], ...]
    """Where each comes from: an earlier step, or else an operand, of some number."""
    is_sorted: bool
    """Whether the entries are sorted: it makes a list for a later step."""
    is_draft: bool
    """Whether calls append its entries without having counted them."""


class Variant(NamedTuple):
    """In which of several ways a statement is compiled."""

    split: bool = False
    """Parts share what they collect of a row of the result, or else have it whole."""
    flatten: bool = False
    """Lists of entries are merged by one key each, or else level by level."""


class Program:
    """A statement compiled in one way."""

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
        """The nests of loops that are run one after the other."""

    @property
    def delta(self) -> int:
        """What the cost of a part may deviate by; -1 if that depends on operands."""
        return self.steps[-1].delta


def compiled(
    statement: Statement, lowering: Lowering, variant: Variant
) -> _nacho.Kernel:
    """Compile a statement, or refuse it in the words of its expression."""
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

    if stage not in _nacho.STAGES:
        shown = ", ".join(f"'{name}'" for name in _nacho.STAGES)
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
        # One loop over the keys of all indices stands for a loop over each.
        return (steps[0]._replace(order=statement.assignment.indices),)
    return steps
