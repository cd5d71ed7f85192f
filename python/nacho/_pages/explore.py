"""What the page of ``nacho explore`` shows, and how it is found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nacho._kernels.call import Call
from nacho._kernels.drawing import drawn
from nacho._kernels.given import given_operands, read_statement, views_of_operands
from nacho._kernels.nests import Nest, nests_of
from nacho._kernels.options import Options, Running
from nacho._kernels.program import Program
from nacho._kernels.reasons import loop_order, reason_of_order
from nacho._kernels.specialisation import Specialisation
from nacho._kernels.specialiser import Specialiser
from nacho._kernels.specialisers import specialiser_for
from nacho._kernels.statement import Statement
from nacho._notation.parser import parse
from nacho._once import cached_property
from nacho._pages.origins import Origins
from nacho._pages.sample import sampled
from nacho._pictures.lattice import Lattice
from nacho._pictures.pattern import Pattern
from nacho._storage.formats import Format

if TYPE_CHECKING:
    from nacho import _nacho

PART_COUNTS = (1, 2, 4, 8, 16, 32, 64)
"""The numbers of parts that the slider of the page chooses between."""

_FUNCTION = ("explore(expr, {})", ())


@dataclass(frozen=True, eq=False)
class Exploration:
    """An expression, compiled for some operands and cut into several numbers of parts.

    The cuts are made by the compiler's code, for each number of parts.
    """

    specialiser: Specialiser
    specialisation: Specialisation
    program: Program
    cuts: Mapping[int, tuple[Nest, ...]]
    """The nests for each number of parts."""
    patterns: Sequence[Pattern]
    is_sample: bool
    """Whether the operands are random, since none were given."""

    @property
    def statement(self) -> Statement:
        return self.program.statement

    @property
    def expression(self) -> str:
        return self.statement.assignment.text

    @cached_property
    def stages(self) -> dict[str, str]:
        """The IR after each stage."""
        from nacho import _nacho

        choices = self.program.choices
        names = _nacho.stages(self.specialisation.target)
        return {name: self.specialisation.lowered(name, choices) for name in names}

    @property
    def lines(self) -> dict[str, list[str]]:
        """The names of the values that lines of the IR are about, by stages."""
        native, choices = self.specialisation.native, self.program.choices
        return {stage: native.lines(stage, choices) for stage in self.stages}

    @property
    def assembly(self) -> str:
        return self.program.native.asm()

    @cached_property
    def origins(self) -> Origins:
        return Origins.of(self.statement)

    @cached_property
    def loops(self) -> list[_nacho.LoopDescription]:
        return self.specialisation.native.loops(self.program.choices)

    @property
    def lattices(self) -> list[Lattice]:
        """The lattice of each loop, from the merge expression that the IR has."""
        return [
            Lattice.of(f"{'  ' * loop.depth}loop {loop.index} over {loop.merge}", loop)
            for loop in self.loops
        ]

    @property
    def facts(self) -> dict[str, list[str]]:
        """What the page begins with, by titles."""
        statement, order = self.statement, loop_order(self.loops)
        types = statement.types | {statement.assignment.result.name: statement.result}
        on = [name for name, is_on in self.program.choices.items() if is_on]
        reason = reason_of_order(statement, self.specialiser.lowering, order)
        remarks = self.specialisation.native.remarks()
        return {
            "formats": [
                f"{name}: {type.format or 'scalar'}, {type.dtype}"
                for name, type in types.items()
            ],
            "all sums": [statement.written_out],
            "loop order": [f"{', '.join(order) or 'no loops'}: {reason}", *remarks],
            "nests": [", ".join(step.order) for step in self.program.steps],
            "variant": [", ".join(on) or "plain"],
            "cost model": [self.specialiser.lowering.cost],
            "target": [self.specialisation.target],
        }


def explored(
    expr: str,
    formats: Mapping[str, str],
    operands: Mapping[str, Any] | None = None,
    target: str | None = None,
) -> Exploration:
    """Compile an expression and cut it into parts; compute nothing.

    Without operands, these are random, in the given formats. The format of the result
    may be among the formats, too.
    """
    options = Options(target=target)
    assignment = read_statement(expr, operands, {}, options)
    is_sample = not operands
    if is_sample:
        operands = sampled(assignment, formats)
    given = given_operands(assignment, operands, {}, _FUNCTION)
    views = views_of_operands(assignment, given)
    result = formats.get(parse(expr).result.name)
    out = None if result is None else Format(result)
    found = specialiser_for(assignment, views, out, options.lowering(assignment))

    def act(call: Call) -> _Cut:
        plan = call.partition()
        program = call.specialisation.planned(plan)
        return _Cut(
            call.specialisation, program, call, nests_of(program, plan, call.extents)
        )

    cuts = {
        parts: found.run(given, views, Running(parts=parts), act)
        for parts in PART_COUNTS
    }
    last = cuts[PART_COUNTS[-1]]
    loops = last.specialisation.native.loops(last.program.choices)
    nests = {parts: cut.nests for parts, cut in cuts.items()}
    # Which variant is run may depend on the number of parts.
    programs = [cut.program for cut in cuts.values()]
    shown = next((each for each in programs if each.is_rewritten), last.program)
    patterns = drawn(shown, last.call.loaded, nests, loops)
    return Exploration(
        found, last.specialisation, last.program, nests, patterns, is_sample
    )


@dataclass(frozen=True, eq=False)
class _Cut:
    specialisation: Specialisation
    program: Program
    call: Call
    nests: tuple[Nest, ...]
