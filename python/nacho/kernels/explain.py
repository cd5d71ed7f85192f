"""What a kernel did with its operands, as text: ``explain``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nacho.kernels import tiles
from nacho.kernels.call import Call, views_of
from nacho.kernels.counts import Counted, counted, described, since
from nacho.kernels.explanation import Explanation
from nacho.kernels.pins import Pin
from nacho.kernels.plan import Plan
from nacho.kernels.program import Program
from nacho.kernels.request import Running
from nacho.kernels.specialisation import Specialisation, Specialiser
from nacho.kernels.statement import Statement
from nacho.notation.promotion import WEAK
from nacho.storage.formats import TensorType

if TYPE_CHECKING:
    from nacho import _nacho

_SHOWN_PARTS = 16
_CHIP = "sm_90"
"""The GPU whose registers are told."""


class _Run(NamedTuple):
    """One run: the program of a specialisation, its plan, and the loaded operands."""

    specialisation: Specialisation
    program: Program
    native: _nacho.Plan
    call: Call
    seconds: dict[str, float]
    """The time of each phase, by name."""
    counts: Counted
    """What a simulated GPU has counted, if it counts."""


def explain(
    specialiser: Specialiser, given: Sequence[Any], running: Running
) -> Explanation:
    """Plan and execute once, and describe as text what was done."""
    notes: list[str] = []
    clock = _Clock()

    def act(specialisation: Specialisation, call: Call) -> _Run:
        return _run(specialisation, call, clock)

    views = views_of(specialiser.source.assignment, given)
    run = specialiser.run(given, views, running, act, notes)
    statement = run.specialisation.statement
    sections: list[tuple[str, Iterable[str]]] = [
        ("expression", [statement.assignment.text]),
        ("types", _types(statement, specialiser.source.pins)),
        ("order", _order(run.program)),
        ("contract", _contract(run)),
        ("operands", _operands(statement, run.call)),
        ("result", [_result(run)]),
        ("copies", notes or ["none: every array is used in place"]),
        ("kernels", ["partition, assemble (count, scan, allocate), compute"]),
        *_tiles(run, specialiser.lowering.target),
        ("variant", _variant(run)),
        ("memory", _memory(run)),
        ("workers", [run.native.workers]),
        ("cost", _costs(run, specialiser.lowering.cost)),
        ("time", [_times(run.seconds)]),
    ]
    if run.counts:
        sections.append(("counted", described(run.counts)))
    return Explanation.of(sections)


def _run(specialisation: Specialisation, call: Call, clock: _Clock) -> _Run:
    clock.stop("check")
    specialisation.partition(call, "call")
    clock.stop("partition")
    before = counted()
    native = specialisation.plan(call, "call")
    clock.stop("plan")
    specialisation.execute(native, call, planned=True)
    clock.stop("compute")
    program = specialisation.programs.planned(native)
    counts = since(before)
    return _Run(specialisation, program, native, call, clock.seconds, counts)


class _Clock:
    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.seconds: dict[str, float] = {}

    def stop(self, phase: str) -> None:
        now = time.perf_counter()
        self.seconds[phase] = now - self.began
        self.began = now


def _types(statement: Statement, pins: Mapping[str, Pin]) -> list[str]:
    """Describe the types for which the kernel was compiled, and which are pinned."""
    result = statement.assignment.result.name
    operands = [
        f"{name} {_specialised(type, kind)}"
        for (name, type), kind in zip(
            statement.types.items(), statement.typing.kinds, strict=True
        )
    ]
    into = f"{', '.join(operands)} -> {result} {_specialised(statement.result)}"
    pinned = [name for name, pin in pins.items() if not pin.is_free]
    shown = ", ".join(pinned) or "none, types are those of the operands"
    return [into, f"pinned: {shown}"]


def _specialised(type: TensorType, kind: str | None = None) -> str:
    if kind in WEAK:
        return f"{kind} (weak)"
    if type.format is None or type.format.is_dense:
        return type.dtype
    if type.pos_width == type.crd_width:
        return f"{type.dtype} i{type.pos_width}"
    return f"{type.dtype} (i{type.pos_width}, i{type.crd_width})"


def _order(program: Program) -> list[str]:
    assignment = program.statement.assignment
    if not assignment.indices:
        return ["no loops"]
    lines: list[str] = []
    for number, step in enumerate(program.steps):
        read = ", ".join(
            _made(program, source) if is_step else assignment.operands[source]
            for is_step, source in step.inputs
        )
        what = f"{', '.join(step.order)} over {read}"
        if number + 1 < len(program.steps):
            made = _made(program, number)
            what += f": makes {made}" + (", sorted" if step.is_sorted else "")
        lines.append(what)
    return lines


def _made(program: Program, number: int) -> str:
    """Name what a step makes for later steps."""
    return f"{'list' if program.steps[number].is_list else 'tensor'} {number}"


def _contract(run: _Run) -> list[str]:
    """Describe the sums of a product that are computed on their own, and why."""
    if len(run.program.statement.assignment.reduced) < 2:
        return ["nothing to factor: no product is summed over several indices"]
    remarks = run.specialisation.programs.native.remarks()
    return list(remarks) or ["products stay whole"]


def _operands(statement: Statement, call: Call) -> list[str]:
    lines: list[str] = []
    for name, type in statement.types.items():
        if type.format is None:
            lines.append(f"{name}: scalar, {type.dtype}")
            continue
        view = call.loaded[name]
        lines.append(
            f"{name}: {_type(type)}, {_shape(view.shape)}, {view.values.size} entries"
        )
    return lines


def _result(run: _Run) -> str:
    statement = run.specialisation.statement
    name, type = statement.assignment.result.name, statement.result
    if type.format is None:
        return f"{name}: scalar, {type.dtype}"
    shape = _shape(run.specialisation.shape(run.call))
    return f"{name}: {_type(type)}, {shape}, {run.native.nnz} entries"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _type(type: TensorType) -> str:
    assert type.format is not None
    if type.format.is_dense:
        return f"{type.format}, {type.dtype}"
    return f"{type.format}, {type.dtype}, pos i{type.pos_width}, crd i{type.crd_width}"


def _memory(run: _Run) -> list[str]:
    """Describe the memory that is needed besides the operands and the result."""
    lists, workspaces = run.native.memory
    lines = [
        f"{_made(run.program, number)}: {entries} entries, {_megabytes(size)}"
        + (f" ({size / entries:.0f} bytes per entry)" if entries else "")
        for number, (entries, size) in enumerate(lists)
    ]
    if any(workspaces):
        each = _megabytes(max(workspaces))
        lines.append(f"workspaces: {each} per thread on {run.native.threads} thread(s)")
    if run.program.steps[-1].is_draft:
        lines.append("draft: as much as the result, for a while")
    return lines or ["no more than the operands and the result"]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def _variant(run: _Run) -> list[str]:
    """Name the variant that was run, by its choices, and say why they were made."""
    on = [name for name, is_on in run.program.choices.items() if is_on]
    return [", ".join(on) or "plain", *run.native.reasons]


def _tiles(run: _Run, target: str) -> Iterable[tuple[str, Iterable[str]]]:
    """Describe what the threads of a GPU share, and how many run at a time."""
    from nacho import _nacho

    if "tile" not in _nacho.stages(target):
        return
    programs, choices = run.specialisation.programs, run.program.choices
    tiled, lowered = (programs.lowered(stage, choices) for stage in ("tile", "scf"))
    yield "tiles", tiles.described(tiled, lowered)
    yield (
        "on " + _CHIP,
        tiles.occupancy(
            programs.lowered("gpu", choices), programs.ptx(_CHIP, choices), _CHIP
        ),
    )


def _costs(run: _Run, model: str) -> list[str]:
    plan = Plan(run.specialisation, run.native, run.call)
    costs = plan.costs.tolist()
    mean = plan.total / plan.parts
    deviation = max(abs(cost - mean) for cost in costs)
    shown = ", ".join(map(str, costs[:_SHOWN_PARTS]))
    more = ", …" if len(costs) > _SHOWN_PARTS else ""
    bound = f"bound 2*delta = {2 * plan.delta}"
    if run.program.delta < 0:
        bound = f"delta = {plan.delta} with these operands"
    return [
        f"model {model}, total {plan.total}, mean {mean:.1f} per part",
        f"per part: {shown}{more}",
        f"largest {max(costs)} (balance {plan.balance:.3f}), spread "
        f"{max(costs) - min(costs)}, off the mean by {deviation:.1f} at most; {bound}",
    ]


def _times(seconds: Mapping[str, float]) -> str:
    """Describe the time of each phase.

    Making a plan partitions again, so its time less that of partitioning is assembly.
    """
    phases = {
        "check": seconds["check"],
        "partition": seconds["partition"],
        "assemble": max(0.0, seconds["plan"] - seconds["partition"]),
        "compute": seconds["compute"],
    }
    return ", ".join(f"{phase} {time * 1e3:.3f} ms" for phase, time in phases.items())
