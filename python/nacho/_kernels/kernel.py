"""The kernels that ``compile`` returns, with everything that users can do with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeVar

from nacho._kernels.call import Call, bind, is_result_given, views_of, with_result
from nacho._kernels.devices import target_for
from nacho._kernels.explanation import Explanation
from nacho._kernels.many import computed
from nacho._kernels.option_checks import check_chip, choices_of_variant
from nacho._kernels.options import Lowering, Running, options_of_call, out_of_call
from nacho._kernels.plan import Plan
from nacho._kernels.program import Program, Step
from nacho._kernels.repetition import RepetitionsByOptions
from nacho._kernels.specialiser import Specialiser
from nacho._kernels.statement import NotationSource, Source
from nacho._once import cached_property
from nacho._pictures.figure import table
from nacho._storage.formats import TensorType
from nacho._storage.room import Room
from nacho._storage.views import View
from nacho.errors import ArgumentError

_Result = TypeVar("_Result")

Choices = Mapping[str, object] | None
"""Choices between the variants of a kernel, by name, as for ``compile``."""


class Kernel:
    """A compiled expression: call it with the operands, by position or by name.

    A kernel has one specialisation per choice of element types and index widths and, if
    the order of loops may depend on them, of rough sizes of the operands. The first
    call with a new choice compiles one, and later calls use it again. Properties and IR
    are those of the default specialisation: f64 and int32, except for the types that
    ``dtype=`` and ``index=`` of compile pin, or that the module has.
    """

    def __init__(
        self,
        source: Source,
        lowering: Lowering,
        running: Running,
        *,
        is_placed: bool = True,
    ) -> None:
        """Compile the default specialisation, so that errors are raised now.

        ``is_placed`` says that the caller has named the target. Otherwise the kernel is
        compiled for other targets as well, when it gets operands on their devices.
        """
        self.threads = running.threads
        self.parts = running.parts
        self.validate = running.validate
        self.memory_limit = running.memory_limit
        self.device = running.device
        self.target = lowering.target
        self.cost = lowering.cost
        self.remap = lowering.remap
        self._assignment = source.assignment
        self._adds = source.assignment.adds
        self._lowering = lowering
        self._is_placed = is_placed
        self._elsewhere: dict[str, Specialiser] = {}
        self._specialiser = Specialiser(source, lowering)
        self._repetitions = RepetitionsByOptions()
        self._default = self._specialiser.default
        self._default.prepare(running.threads or 0)

    # Copies -----------------------------------------------------------------------

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[Any, ...]]:
        """Pickle the expression and the options; loading compiles it again.

        What it compiles comes from the cache, if that has it.
        """
        asked = (self._lowering, self._running({}), self._is_placed)
        return _unpickled, (self._specialiser.source, *asked)

    def __copy__(self) -> Kernel:
        return self

    def __deepcopy__(self, memo: object) -> Kernel:
        return self

    # Calls ------------------------------------------------------------------------

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the result.

        Parameters
        ----------
        *operands
            The operands in the order in which they first occur in the expression; and
            then, for ``+=``, the tensor that the result is added to, if there is one.
        **named
            The operands by name, and options: ``threads``, ``parts`` and
            ``memory_limit`` override those of compile. On a GPU, everything is done in
            the order of ``stream``: the address of a stream of CUDA, or a stream of
            PyTorch or CuPy. By default, it is the current stream of the library that
            the operands come from.

            The result is written to ``out``, and that is returned: an array of the
            shape and the type of a dense result, or a container that has the pattern of
            a sparse result, of which only the values change. An ``out`` that is refused
            stays as it is. A dense one whose memory is not as the kernel writes it, or
            that shares memory with an operand, is filled with a copy.
        """
        if (given := self._given_result(operands, named)) is not None:
            return self._adding(*given, **named)
        options: dict[str, Any] = {}
        out = None
        if named:
            options = options_of_call(named, self.operands)
            out = out_of_call(named, self.operands)
            operands = tuple(bind(self._assignment, operands, named))
        repetitions = self._repetitions.of(options)
        made = repetitions.compute(operands, out)
        if made is None:

            def compute(call: Call) -> Any:
                made = call.compute()
                repetitions.remember(call)
                return made

            running = self._running(options)._replace(checks=True, out=self._room(out))
            made = self._run(operands, running, compute)
        return made

    def map(self, problems: Iterable[Any], /, **options: Any) -> list[Any]:
        """Compute the results for many operands, such as many small matrices, at once.

        The results are those of one call after the other, bit for bit. A problem that
        is worth more than a thread's share is computed by all, each other by one.
        Small results are parts of common arrays, which remain as long as any of them.

        Parameters
        ----------
        problems
            A tuple of operands for each problem, or a mapping with operands by name.
            They are read when all are there: no two may share an array that changes in
            between. Errors name the number of the problem, from 0 on.
        **options
            ``threads``, ``parts``, ``memory_limit`` and ``stream``, as for calls; of
            ``parts`` and ``memory_limit``, each problem may have as many.
        """
        running = self._running(options_of_call(options, ()))
        if options:
            shown = ", ".join(f"'{name}'" for name in options)
            raise ArgumentError(f"map: {shown} is no option of calls")

        def load(given: list[Any]) -> Call:
            added = self._given_result(given, {})
            kernel = self if added is None else self._adding
            return kernel._run(added or given, running, lambda call: call)

        return computed(problems, self._assignment, load, running)

    def plan(self, /, *operands: Any, **named: Any) -> Plan:
        """Cut the work and count the result's entries, but compute no values yet."""
        return self._acted(Plan.of, operands, named)

    def count(self, /, *operands: Any, **named: Any) -> int:
        """Return the exact number of entries of the result, and compute no values.

        A product of sparse matrices takes a step for each product of two entries.
        """
        return self._acted(lambda call: call.plan("count").nnz, operands, named)

    def explain(self, /, *operands: Any, **named: Any) -> Explanation:
        """Run, and say in text and pictures what was done and how it was balanced."""
        from nacho._kernels.explain import explain

        if (added := self._given_result(operands, named)) is not None:
            return self._adding.explain(*added, **named)
        room = self._room(out_of_call(named, self.operands))
        running, given = self._taken(operands, named)
        running = running._replace(out=room)
        views = views_of(self._assignment, given)
        return explain(self._specialiser_for(views), given, running)

    def _given_result(
        self, operands: Sequence[Any], named: dict[str, Any]
    ) -> list[Any] | None:
        """Return the operands of ``_adding``, or None if there is nothing to add to.

        Assignments other than ``+=`` refuse to add.
        """
        is_last = self._adds and len(operands) > len(self.operands)
        if not is_last and not (named and is_result_given(self._assignment, named)):
            return None
        return with_result(self._assignment, self._adding.operands, operands, named)

    @cached_property
    def _adding(self) -> Kernel:
        """The same kernel with a tensor, of the result's format, that it adds to."""
        source = self._specialiser.source
        assert isinstance(source, NotationSource), "modules have no signs"
        made = source.adding(self.result_type.format)
        running = self._running({})
        return Kernel(made, self._lowering, running, is_placed=self._is_placed)

    def _acted(
        self,
        act: Callable[[Call], _Result],
        operands: Sequence[Any],
        named: dict[str, Any],
    ) -> _Result:
        if (added := self._given_result(operands, named)) is not None:
            return self._adding._acted(act, added, named)
        running, given = self._taken(operands, named)
        return self._run(given, running, act)

    def _taken(
        self, operands: Sequence[Any], named: dict[str, Any]
    ) -> tuple[Running, list[Any]]:
        """Take the options of a call out of the keywords; the rest are operands."""
        running = self._running(options_of_call(named, self.operands))
        return running, bind(self._assignment, operands, named)

    def _room(self, out: Any) -> Room | None:
        return None if out is None else Room(out, self._assignment.result)

    def _run(
        self,
        operands: Sequence[Any],
        running: Running,
        act: Callable[[Call], _Result],
    ) -> _Result:
        given = bind(self._assignment, operands, {})
        views = views_of(self._assignment, given)
        return self._specialiser_for(views).run(given, views, running, act)

    def _specialiser_for(self, views: Mapping[str, View]) -> Specialiser:
        """Return the specialiser for the device where the operands are."""
        if self._is_placed:
            return self._specialiser
        target = target_for(views.values())
        if target == self.target:
            return self._specialiser
        if target not in self._elsewhere:
            lowering = self._lowering.on(target)
            made = Specialiser(self._specialiser.source, lowering)
            self._elsewhere.setdefault(target, made)
        return self._elsewhere[target]

    def _running(self, options: Mapping[str, Any]) -> Running:
        """Return the options of compile, with those of a call in place of some."""
        running = Running(
            self.threads, self.parts, self.validate, self.memory_limit, self.device
        )
        return running._replace(**options) if options else running

    # What is compiled -------------------------------------------------------------

    @property
    def expression(self) -> str:
        """The statement that was compiled."""
        return self._assignment.text

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, in the order of the positional arguments."""
        return self._assignment.operands

    @property
    def indices(self) -> tuple[str, ...]:
        """All indices, those of the result first, then those that are reduced over."""
        return self._assignment.indices

    @property
    def result_name(self) -> str:
        """The name of the result in the expression."""
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
        """The nests that are run one after the other; the last makes the result."""
        return self._shown.steps

    @property
    def delta(self) -> int:
        """The most by which the cost of a part may be off its share, on either side.

        It is -1 if there is no such bound for all operands.
        """
        return self._shown.delta

    @property
    def order(self) -> tuple[str, ...]:
        """The indices of the loops that are cut into parts, outermost first.

        If there are several steps, these are the loops of the last one.
        """
        return self.steps[-1].order

    def export(self, path: str | PathLike[str]) -> None:
        """Write the code of the default specialisation to a file, with a header for C.

        ``nacho.load`` calls it from Python, without a compiler, and programs of C link
        it. It needs ``libnacho_runtime.so``, which it finds where it is now, or beside
        the file; and a processor that can do what this one does.

        Parameters
        ----------
        path
            The file, ``NAME.so``. The header is ``NAME.h`` beside it.
        """
        from nacho._kernels.exporting import export

        export(self._default, path)

    # The default specialisation, as text ------------------------------------------

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages of the IR."""
        from nacho import _nacho

        return _nacho.stages(self.target)

    def mlir(self, stage: str = "", *, choices: Choices = None) -> str:
        """Return the IR of the default specialisation after a stage, one of ``stages``.

        This is the IR of the program that ``plan`` runs. Calls may run another variant;
        ``explain`` names its choices. ``choices`` shows one with other choices, such as
        ``{"drafts": True}``.
        """
        return self._default.lowered(stage, choices_of_variant(choices))

    def llvm(self, *, choices: Choices = None) -> str:
        """Return the LLVM IR of the same program, or of other ``choices``."""
        return self._program(choices).native.llvm()

    def asm(self, *, choices: Choices = None) -> str:
        """Return the assembly of the same program, or of other ``choices``."""
        return self._program(choices).native.asm()

    def ptx(self, chip: str = "sm_90", *, choices: Choices = None) -> str:
        """Return the same program, or that of other ``choices``, for NVIDIA's GPUs.

        ``chip`` is one from "sm_75" to "sm_120". The text can be looked at and
        assembled; kernels of ``target="cuda"`` run.
        """
        check_chip(chip)
        return self._default.ptx(chip, choices_of_variant(choices))

    @property
    def choices(self) -> dict[str, bool]:
        """The choices of the program that is shown, by name."""
        return self._shown.choices

    @cached_property
    def _shown(self) -> Program:
        return self._program(None)

    def _program(self, choices: Choices) -> Program:
        return self._default.program(choices_of_variant(choices))

    def __repr__(self) -> str:
        operands = ", ".join(f"{name} {type}" for name, type in self.types.items())
        result = f"{self.result_name} {self.result_type}"
        written = self._default.statement.written_out
        return (
            f"<nacho.mlir.Kernel {written!r}: {operands} -> {result}, on {self.target}>"
        )

    def _repr_html_(self) -> str:
        types = self.types | {self.result_name: self.result_type}
        shown = [f"{name}: {type}" for name, type in types.items()]
        rows = {
            "expression": [self._default.statement.written_out],
            "operands": shown[:-1],
            "result": shown[-1:],
            "target": [self.target],
            "cost": [self.cost],
            "stages": [", ".join(self.stages)],
        }
        return table(rows)


def _unpickled(
    source: Source, lowering: Lowering, running: Running, is_placed: bool
) -> Kernel:
    return Kernel(source, lowering, running, is_placed=is_placed)
