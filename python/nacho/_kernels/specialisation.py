"""Specialisations: a statement for one choice of types, which the extension compiles.

A program, which is a variant of it, is compiled when it is first needed. Operands are
arguments here: arrays and extents, in the order of the statement's types.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from nacho._kernels.logs import LOGGER, compiling, informs
from nacho._kernels.options import Lowering
from nacho._kernels.program import MERGE_KEYS, Program
from nacho._kernels.refusals import refuse_cost, refuse_entries, refuse_memory
from nacho._kernels.statement import Source
from nacho._kernels.types import Reader, Typing
from nacho._kernels.wheels import find_in_wheels
from nacho._mlir.refusals import refuse_compilation
from nacho._notation.warnings import warn
from nacho._storage.extents import WorkEstimate, narrow_indices
from nacho._storage.views import INT32_MAX, View
from nacho._targets import TARGETS
from nacho.errors import (
    CompilationError,
    DeviceError,
    OptionError,
    UnsupportedError,
    displayed,
)

if TYPE_CHECKING:
    from nacho import _nacho

Asked = tuple[int, int, int, int]
"""The parts and threads that the caller asked for, the work, the most memory.

What the caller did not ask for is 0. The work is an estimate of how many entries are
read and written (``WorkEstimate``).
"""


class Specialisation:
    """A statement for operands of one choice of types, and its programs."""

    def __init__(self, source: Source, typing: Typing, lowering: Lowering) -> None:
        """Read the statement, or refuse it with a message about its expression."""
        from nacho import _nacho

        self._read(source, typing, lowering)
        try:
            self.native = _nacho.Kernel(
                self.statement.module, lowering.target, native_options(lowering)
            )
        except _nacho.CompileError as error:
            self._refuse_compilation(error)
        except _nacho.DeviceError as error:
            raise DeviceError(str(error)) from error
        _log_refusal(_nacho.cache_refusal(lowering.target))
        self._begun: set[str] = set()
        """The purposes that something was planned for: most calls compile nothing."""
        self._known: set[tuple[str, ...]] = set()
        """The variants that were logged."""

    def _read(self, source: Source, typing: Typing, lowering: Lowering) -> None:
        """Read the statement, and how its operands are read; compile nothing."""
        self.source = source
        self.statement = statement = source.statement(typing)
        self.lowering = lowering
        self.target = lowering.target
        types = statement.types
        self.readers = [
            Reader(name, type, kind)
            for (name, type), kind in zip(types.items(), typing.kinds, strict=True)
        ]
        self.narrow = narrow_indices(statement.assignment, types, statement.result)
        """The indices whose extents the result's coordinates may be too narrow for."""
        self.work = WorkEstimate(statement.assignment, types)

    def fits(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        extents: Mapping[str, int],
    ) -> bool:
        """Return whether this is obviously the specialisation for some operands.

        This test is faster than a look-up by key, for repeated calls with operands of
        the same types. It may say False although the specialisation fits.
        """
        if max(extents.values(), default=0) > INT32_MAX:
            return False
        for reader, value in zip(self.readers, given, strict=True):
            if not reader.fits(value, views.get(reader.name)):
                return False
        return True

    def prepare(self, threads: int) -> None:
        """Compile what most calls begin with, or refuse the statement."""
        from nacho import _nacho

        try:
            with compiling(self.statement.assignment.text):
                self.native.prepare(threads)
        except _nacho.CompileError as error:
            self._refuse_compilation(error)
        except MemoryError as error:
            statement = self.statement
            refuse_memory(statement.assignment, statement.result, threads, error)

    def program(self, choices: Mapping[str, bool] | None = None) -> Program:
        """Return the program of plans, with other choices if any are given."""
        native = self.native.program({} if choices is None else dict(choices))
        return Program(self.statement, native)

    def planned(self, plan: _nacho.Plan) -> Program:
        """Return the program that a plan was made with."""
        return Program(self.statement, plan.program)

    def lowered(self, stage: str, choices: Mapping[str, bool] | None = None) -> str:
        """Return the IR of such a program after a stage."""
        from nacho import _nacho

        stages = _nacho.stages(self.target)
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

    def _refuse_compilation(self, error: _nacho.CompileError) -> NoReturn:
        """Turn an error of the compiler into one about the expression."""
        refuse_compilation(self.statement.assignment, self.statement.bindings, error)

    def partition(self, args: list[object], asked: Asked, purpose: str) -> _nacho.Plan:
        """Cut the work, and do no more."""
        return self._planned(self.native.partition, args, asked, purpose)

    def plan(self, args: list[object], asked: Asked, purpose: str) -> _nacho.Plan:
        """Cut the work, and find the size of the result.

        The purposes are those of ``Purpose`` in the extension: "call" does not count
        the entries of the result if they can be computed without; "count" does nothing
        else; and the plan of "plan" can be executed again and again.
        """
        return self._planned(self.native.plan, args, asked, purpose)

    def _planned(
        self,
        act: Callable[..., _nacho.Plan],
        args: list[object],
        asked: Asked,
        purpose: str,
    ) -> _nacho.Plan:
        """Partition or plan; the first time for a purpose, this compiles a program."""
        try:
            if purpose in self._begun:
                plan = act(args, *asked, purpose)
            else:
                with compiling(self.statement.assignment.text):
                    plan = act(args, *asked, purpose)
                self._begun.add(purpose)
        except (RuntimeError, MemoryError) as error:
            self._refuse(error, asked[1])
        if informs():
            self._log_variant(plan)
        return plan

    def _log_variant(self, plan: _nacho.Plan) -> None:
        """Log the choices that a plan follows, and the reasons, if they are new."""
        variant = tuple(name for name, is_on in plan.program.choices.items() if is_on)
        if variant in self._known:
            return
        self._known.add(variant)
        why = "".join(f"; {reason}" for reason in plan.reasons)
        shown = ", ".join(variant) or "plain"
        LOGGER.info("'%s': variant %s%s", self.statement.assignment.text, shown, why)

    def execute(
        self,
        plan: _nacho.Plan,
        args: list[object],
        *,
        planned: bool,
        trusted: bool,
        on_device: bool = False,
        into: object = None,
    ) -> list[Any]:
        """Compute the values of a plan, and return the arrays of the result.

        ``planned`` says that the operands cannot have changed since the plan was made,
        ``trusted`` that nothing of them is checked. If there is an array ``into`` which
        a dense result is written, no arrays are returned.
        """
        try:
            return list(plan.execute(args, planned, trusted, on_device, into))
        except (RuntimeError, MemoryError) as error:
            self._refuse(error, plan.threads)

    def compute(self, args: list[object], asked: Asked) -> list[_nacho.DeviceArray]:
        """Plan and execute a call on a device, of which an earlier one is known."""
        try:
            return self.native.compute(args, asked)
        except (RuntimeError, MemoryError) as error:
            self._refuse(error, asked[1])

    def _refuse(self, error: Exception, threads: int) -> NoReturn:
        """Turn a failure of the extension into an error that names the cause.

        ``threads`` is the number of threads of the call, or 0 if that is not known.
        """
        from nacho import _nacho

        statement = self.statement
        if isinstance(error, _nacho.CompileError):
            self._refuse_compilation(error)
        if isinstance(error, _nacho.IndexOverflow):
            refuse_entries(statement.assignment, statement.result, error)
        if isinstance(error, _nacho.CostOverflow):
            refuse_cost(statement.assignment, error)
        if isinstance(error, MemoryError):
            refuse_memory(statement.assignment, statement.result, threads, error)
        if isinstance(error, _nacho.DeviceError):
            raise DeviceError(str(error)) from error
        raise error


@functools.lru_cache(maxsize=1)
def _log_refusal(why: str) -> None:
    """Say, once, why compiled code is not kept on disk; warn if it was asked to be."""
    if why and "NACHO_CACHE_DIR" in os.environ:
        warn(f"compiled code is not kept in NACHO_CACHE_DIR: {why}")
    elif why:
        LOGGER.warning("compiled code is not kept: %s", why)


@functools.lru_cache
def _toolkit() -> str:
    """Return where the wheels of NVIDIA have functions of numbers for GPUs.

    It is empty if there are no such wheels: the compiler then looks for an installed
    CUDA.
    """
    found = find_in_wheels("*/nvvm/libdevice/libdevice.10.bc")
    return str(found.parents[2]) if found else ""


def native_options(lowering: Lowering) -> dict[str, object]:
    """Return the options of the extension."""
    options: dict[str, object] = {"cost": lowering.cost, "remap": lowering.remap}
    if lowering.order:
        # A caller who orders the loops wants a loop over each index, not over keys.
        options[MERGE_KEYS] = False
    if TARGETS[lowering.target].needs_toolkit:
        options["toolkit"] = _toolkit()
    return options | dict(lowering.choices)
