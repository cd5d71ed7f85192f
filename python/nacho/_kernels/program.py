"""Programs: the variants of a statement, which the extension compiles and chooses."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from nacho._kernels.logs import LOGGER, compiling
from nacho._kernels.refusals import refuse_memory
from nacho._kernels.request import Lowering
from nacho._kernels.statement import Statement
from nacho._kernels.wheels import find_in_wheels
from nacho.errors import (
    CompilationError,
    DeviceError,
    OptionError,
    UnsupportedError,
    displayed,
)
from nacho.mlir._emit import spelled_indices
from nacho.mlir._refusals import refuse_compilation

if TYPE_CHECKING:
    from nacho import _nacho

_MERGE_KEYS = "merge-keys"


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

    @property
    def delta(self) -> int:
        """The bound ``delta`` of the last step; -1 without a bound."""
        return self.steps[-1].delta


@functools.lru_cache(maxsize=1)
def _log_refusal(why: str) -> None:
    """Say, once, why compiled code is not kept on disk."""
    if why:
        LOGGER.warning("compiled code is not kept: %s", why)


class Programs:
    """The programs of a statement; each is compiled when it is first needed."""

    def __init__(self, statement: Statement, lowering: Lowering) -> None:
        """Read the statement, or refuse it with a message about its expression."""
        from nacho import _nacho

        self._statement = statement
        self._target = lowering.target
        try:
            self.native = _nacho.Kernel(
                statement.text, lowering.target, _options(lowering)
            )
        except _nacho.CompileError as error:
            self.refuse(error)
        except _nacho.DeviceError as error:
            raise DeviceError(str(error)) from error
        _log_refusal(_nacho.cache_refusal(lowering.target))

    def prepare(self, threads: int) -> None:
        """Compile what most calls begin with, or refuse the statement."""
        from nacho import _nacho

        try:
            with compiling(self._statement.assignment.text):
                self.native.prepare(threads)
        except _nacho.CompileError as error:
            self.refuse(error)
        except MemoryError as error:
            refuse_memory(self._statement.assignment, error)

    def of(self, choices: Mapping[str, bool] | None = None) -> Program:
        """Return the program of plans, with other choices if any are given."""
        native = self.native.program({} if choices is None else dict(choices))
        return Program(self._statement, native)

    def planned(self, plan: _nacho.Plan) -> Program:
        """Return the program that a plan was made with."""
        return Program(self._statement, plan.program)

    def lowered(self, stage: str, choices: Mapping[str, bool] | None = None) -> str:
        """Return the IR of such a program after a stage."""
        from nacho import _nacho

        stages = _nacho.stages(self._target)
        if not isinstance(stage, str) or stage not in stages:
            shown = ", ".join(f"'{name}'" for name in stages)
            raise OptionError(f"stage={displayed(stage)}: expected {shown}")
        try:
            return self.native.lower(stage, {} if choices is None else dict(choices))
        except _nacho.CompileError as error:
            raise CompilationError(f"cannot lower to '{stage}': {error}") from error

    def ptx(self, chip: str, choices: Mapping[str, bool] | None = None) -> str:
        """Return the PTX of such a program for a GPU."""
        from nacho import _nacho

        made = {} if choices is None else dict(choices)
        try:
            return self.native.ptx(chip, _toolkit(), made)
        except _nacho.CompileError as error:
            raise UnsupportedError(f"no PTX for '{chip}': {error}") from error

    def refuse(self, error: Exception) -> NoReturn:
        """Turn an error of the compiler into one about the expression."""
        refuse_compilation(self._statement.assignment, self._statement.bindings, error)


@functools.lru_cache
def _toolkit() -> str:
    """Return where the wheels of NVIDIA have functions of numbers for GPUs.

    It is empty if there are no such wheels: the compiler then looks for an installed
    CUDA.
    """
    found = find_in_wheels("*/nvvm/libdevice/libdevice.10.bc")
    return str(found.parents[2]) if found else ""


def _options(lowering: Lowering) -> dict[str, object]:
    """Return the options of the extension."""
    options: dict[str, object] = {"cost": lowering.cost, "remap": lowering.remap}
    if lowering.order:
        # A caller who orders the loops wants a loop over each index, not over keys.
        options[_MERGE_KEYS] = False
    if lowering.target == "cuda":
        options["toolkit"] = _toolkit()
    return options | dict(lowering.choices)


def _steps(statement: Statement, native: _nacho.Program) -> tuple[Step, ...]:
    """Return the steps, with the indices as the expression spells them."""
    spelled = spelled_indices(statement.assignment)
    names = {name: index for index, name in spelled.items()}
    steps = tuple(
        Step(*step)._replace(order=tuple(names.get(name, name) for name in step[0]))
        for step in native.steps
    )
    if native.choices[_MERGE_KEYS] and len(steps) == 1:
        # A loop over keys is the only loop. It stands for a loop over each index.
        return (steps[0]._replace(order=statement.assignment.indices),)
    return steps
