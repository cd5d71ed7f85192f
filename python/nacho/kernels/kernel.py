"""The kernels that ``compile`` returns: what users call, ask and print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from nacho.kernels.call import Call, bind, views_of
from nacho.kernels.options import MAX_PARTS, MAX_THREADS, checked_count
from nacho.kernels.plan import Plan
from nacho.kernels.program import Program, Step, lowered
from nacho.kernels.request import Request, Running
from nacho.kernels.specialisation import Specialisation, Specialiser
from nacho.kernels.statement import Source
from nacho.storage.formats import TensorType

_Result = TypeVar("_Result")


class Kernel:
    """A compiled expression: call it with the operands, by position or by name.

    It specialises itself: for element types and index widths that it has not seen, it
    is compiled when it is called, and keeps that. What can be asked of a kernel without
    operands is said of one specialisation: that for f64 and int32, but for what
    ``dtype=`` and ``index=`` of compile pin, or the module says.
    """

    def __init__(self, source: Source, request: Request) -> None:
        """Compile the default specialisation, so that errors come now."""
        lowering, running = request
        self.threads = running.threads
        self.parts = running.parts
        self.validate = running.validate
        self.cost = lowering.cost
        self.remap = lowering.remap
        self._assignment = source.assignment
        self._specialiser = Specialiser(source, lowering)
        self._default = self._specialiser.default
        self._shown = self._default.programs.shown

    # Calls ------------------------------------------------------------------------

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the result; ``threads`` and ``parts`` override those of compile."""
        return self._run(operands, named, Specialisation.compute)

    def plan(self, /, *operands: Any, **named: Any) -> Plan:
        """Cut the work and count the result, but do not compute values yet."""
        return self._run(operands, named, _planned)

    def count(self, /, *operands: Any, **named: Any) -> int:
        """Return the number of entries of the result, and compute no values."""
        return self._run(operands, named, _count)

    def explain(self, /, *operands: Any, **named: Any) -> str:
        """Run once and say, in plain text, what was done and how it was balanced."""
        from nacho.kernels.explain import explain

        running = self._running(named)
        given = bind(self.operands, operands, named)
        return explain(self._specialiser, given, running)

    def _run(
        self,
        operands: Sequence[Any],
        named: dict[str, Any],
        act: Callable[[Specialisation, Call], _Result],
    ) -> _Result:
        running = self._running(named)
        given = bind(self._assignment.operands, operands, named)
        views = views_of(self._assignment, given)
        return self._specialiser.run(given, views, running, act)

    def _running(self, named: dict[str, Any]) -> Running:
        """Take the options out of the keywords; operands of that name go first."""
        threads, parts = self.threads, self.parts
        if named:
            operands = self._assignment.operands
            if "threads" in named and "threads" not in operands:
                asked = checked_count("threads", named.pop("threads"), MAX_THREADS)
                threads = asked or threads
            if "parts" in named and "parts" not in operands:
                parts = checked_count("parts", named.pop("parts"), MAX_PARTS) or parts
        return Running(threads, parts, self.validate)

    # What is compiled -------------------------------------------------------------

    @property
    def expression(self) -> str:
        return self._assignment.text

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, in the order of the positional arguments."""
        return self._assignment.operands

    @property
    def indices(self) -> tuple[str, ...]:
        """All indices: those of the result, then those that are reduced over."""
        return self._assignment.indices

    @property
    def result_name(self) -> str:
        return self._assignment.result.name

    @property
    def types(self) -> dict[str, TensorType]:
        """The types of the operands by name, of the default specialisation."""
        return self._default.statement.types

    @property
    def result_type(self) -> TensorType:
        """The type of the result, of the default specialisation."""
        return self._default.statement.result

    @property
    def steps(self) -> tuple[Step, ...]:
        """The nests of loops that are run one after the other."""
        return self._shown.steps

    @property
    def delta(self) -> int:
        """What the cost of a part may deviate by, on either side.

        -1 if that depends on the operands: then, only the total bounds it.
        """
        return self._shown.delta

    @property
    def order(self) -> tuple[str, ...]:
        """The indices of the loops that are cut into parts, outermost first.

        Of several steps, those of the last.
        """
        return self.steps[-1].order

    # The default specialisation, as text ------------------------------------------

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages of the IR."""
        from nacho import _nacho

        return tuple(_nacho.STAGES)

    def mlir(self, stage: str, *, single_pass: bool = False) -> str:
        """Return the IR of the default specialisation after a stage.

        That of plans, which count what they compute; with ``single_pass`` that of
        calls, which only count what takes less time than computing. Lists of more than
        two indices are merged by keys in both, which plans never do, and calls for
        which that is no gain.
        """
        program: Program = self._shown
        return lowered(
            program.statement,
            program.lowering,
            program.variant,
            stage,
            single_pass=single_pass,
        )

    def llvm(self) -> str:
        """Return the LLVM IR of the default specialisation for this machine."""
        return self._shown.native.llvm()

    def asm(self) -> str:
        """Return the assembly of the default specialisation for this machine."""
        return self._shown.native.asm()

    def __repr__(self) -> str:
        return f"<nacho.mlir.Kernel: {self.expression!r}>"


def _planned(specialisation: Specialisation, call: Call) -> Plan:
    program, plan = specialisation.plan(call, specialisation.programs.nested)
    return Plan(specialisation, program, plan, call)


def _count(specialisation: Specialisation, call: Call) -> int:
    suited = specialisation.programs.suited(call)
    _, plan = specialisation.plan(call, suited)
    return plan.nnz
