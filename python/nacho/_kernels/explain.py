"""What a kernel did with its operands, as text and pictures: ``explain``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nacho._kernels import gpu_model, tiles
from nacho._kernels.call import Call, views_of
from nacho._kernels.counts import Counted, counted, described, since
from nacho._kernels.drawing import drawn
from nacho._kernels.explanation import Explanation, verdict
from nacho._kernels.measured import (
    Clock,
    Shared,
    Sharing,
    bytes_of,
    copy_bandwidth,
    thread_times,
)
from nacho._kernels.nests import nests_of
from nacho._kernels.options import Running
from nacho._kernels.pins import Pin
from nacho._kernels.plan import Plan
from nacho._kernels.program import Program
from nacho._kernels.ptxas import Assembled, assembled
from nacho._kernels.reasons import loop_order, reason_of_order
from nacho._kernels.specialisation import Specialisation
from nacho._kernels.specialiser import Specialiser
from nacho._kernels.statement import Statement
from nacho._notation.promotion import WEAK
from nacho._pictures.bars import Bars
from nacho._pictures.figure import Picture
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import TensorType

if TYPE_CHECKING:
    from nacho import _nacho

_SHOWN_PARTS = 16
_TIMED_RUNS = 3
"""How often each part is run alone; the shortest time counts."""


class _Run(NamedTuple):
    """One run: the program of a specialisation, its plan, and the loaded operands."""

    plan: Plan
    native: _nacho.Plan
    cuts: _nacho.Plan
    """The parts: what a device computes at once leaves no cuts in the plan itself."""
    call: Call
    seconds: dict[str, float]
    """The time of each phase, by name."""
    counts: Counted
    """What a simulated GPU has counted, if it counts."""
    times: list[float] | None
    """The seconds that each part takes alone, if parts can run alone."""
    shared: Shared
    """How threads shared the computation."""

    @property
    def specialisation(self) -> Specialisation:
        return self.call.specialisation

    @property
    def program(self) -> Program:
        return self.specialisation.planned(self.native)

    @property
    def kernel(self) -> _nacho.Kernel:
        return self.specialisation.native


def explain(
    specialiser: Specialiser, given: Sequence[Any], running: Running
) -> Explanation:
    """Plan and execute, and describe as text and as pictures what was done.

    A plan is made twice: the first time, everything is compiled that the second needs.
    """
    notes: list[str] = []
    views = views_of(specialiser.source.assignment, given)
    clock = Clock()
    specialiser.run(given, views, running, _prepared, notes)
    clock.stop("compile")

    run = specialiser.run(given, views, running, lambda call: _run(call, clock))
    statement = run.specialisation.statement
    loops = run.kernel.loops(run.program.choices)
    bandwidth = _bandwidth(run)
    cuts = Plan(run.call, run.cuts)
    told = verdict(cuts.parts, cuts.balance, bandwidth, bool(notes))
    sections: list[tuple[str, Iterable[str]]] = [
        ("verdict", [told]),
        ("expression", [statement.written_out]),
        ("types", _types(statement, specialiser.source.pins)),
        ("order", _order(run, loops)),
        ("contract", _contract(run)),
        ("operands", _operands(statement, run.call)),
        ("result", [_result(run)]),
        ("copies", notes or ["none: every array is used in place"]),
        ("kernels", _kernels(run)),
        *_tiles(run, specialiser.lowering.target),
        ("variant", _variant(run)),
        ("memory", _memory(run)),
        ("workers", [run.call.workers(run.native)]),
        ("cost", _costs(cuts, run.program, specialiser.lowering.cost)),
        ("time", _times(run)),
        ("moved", _moved(run, bandwidth)),
    ]
    if run.counts:
        sections.append(("counted", described(run.counts)))
        sections.append(("predicted", gpu_model.described(run.counts, _made(run))))
    return Explanation.of(sections, _pictures(run, loops))


def _prepared(call: Call) -> None:
    call.plan("call")


def _run(call: Call, clock: Clock) -> _Run:
    clock.stop("check")
    cuts = call.partition("call")
    clock.stop("partition")
    before = counted()
    native = call.plan("call")
    clock.stop("plan")
    sharing = Sharing()
    call.execute(native, planned=True)
    clock.stop("compute")
    shared = sharing.stop()
    plan = Plan(call, native)
    counts = since(before)
    times = _part_times(call)
    if call.specialisation.target == HOST:
        cuts = native
    return _Run(plan, native, cuts, call, clock.seconds, counts, times, shared)


def _part_times(call: Call) -> list[float] | None:
    """Return the seconds that each part takes alone; None if parts cannot run alone.

    Only a plan that can be executed again can run its parts.
    """
    if call.specialisation.target != HOST:
        return None
    plan = Plan.of(call)
    try:
        return list(map(float, plan.part_times(_TIMED_RUNS)))
    except RuntimeError as error:
        # Parts that fill buckets depend on each other. The errors of the extension
        # that say more are of classes of their own.
        if type(error) is not RuntimeError:
            raise
        return None


def _pictures(run: _Run, loops: Sequence[_nacho.LoopDescription]) -> list[Picture]:
    """Draw the cost and the time of parts, and what was cut."""
    plan = run.plan
    nests = nests_of(run.program, run.cuts, run.call.extents)
    pictures: list[Picture] = [nest.bars for nest in nests]
    if run.times is not None:
        micros = [1e6 * seconds for seconds in run.times]
        title = f"Time of each part of the loops {', '.join(nests[-1].order)}, alone"
        pictures.append(Bars.of(title, "part", "µs", micros))
        if plan.threads > 1:
            busy = thread_times(micros, plan.threads)
            title = "Time of each thread, if parts take as long as alone"
            pictures.append(Bars.of(title, "thread", "µs", busy))
    patterns = drawn(run.program, run.call.loaded, {run.cuts.parts: nests}, loops)
    return [*pictures, *patterns]


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


def _order(run: _Run, loops: Sequence[_nacho.LoopDescription]) -> list[str]:
    program = run.program
    assignment = program.statement.assignment
    if not assignment.indices:
        return ["no loops"]
    lines: list[str] = []
    for number, step in enumerate(program.steps):
        read = ", ".join(
            program.made_by(source) if is_step else assignment.operands[source]
            for is_step, source in step.inputs
        )
        what = f"{', '.join(step.order)} over {read}"
        if number + 1 < len(program.steps):
            made = program.made_by(number)
            what += f": makes {made}" + (", sorted" if step.is_sorted else "")
        lines.append(what)
    order = loop_order(loops)
    reason = reason_of_order(program.statement, run.specialisation.lowering, order)
    return [*lines, f"loops {', '.join(order)}: {reason}"]


def _contract(run: _Run) -> list[str]:
    """Describe the sums of a product that are computed on their own, and why."""
    if len(run.program.statement.assignment.reduced) < 2:
        return ["nothing to factor: no product is summed over several indices"]
    return run.kernel.remarks() or ["products stay whole"]


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
    shape = _shape(run.call.shape)
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
        f"{run.program.made_by(number)}: {entries} entries, {_megabytes(size)}"
        + (f" ({size / entries:.0f} bytes per entry)" if entries else "")
        for number, (entries, size) in enumerate(lists)
    ]
    if any(workspaces):
        each = _megabytes(max(workspaces))
        lines.append(f"workspaces: {each} per thread on {run.native.threads} thread(s)")
    if run.program.steps[-1].is_draft:
        is_union = run.program.choices.get("draft-unions")
        lines.append(f"draft: {'a part of' if is_union else 'as much as'} the result")
    return lines or ["no more than the operands and the result"]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def _variant(run: _Run) -> list[str]:
    """Name the variant that was run, by its choices, and say why they were made."""
    on = [name for name, is_on in run.program.choices.items() if is_on]
    return [", ".join(on) or "plain", *run.native.reasons]


def _kernels(run: _Run) -> list[str]:
    """Name the functions of each nest, one for each phase."""
    return [
        f"functions: {', '.join(run.kernel.functions(run.program.choices))}",
    ]


def _tiles(run: _Run, target: str) -> Iterable[tuple[str, Iterable[str]]]:
    """Describe what the threads of a GPU share, and how many run at a time."""
    from nacho import _nacho

    if "tile" not in _nacho.stages(target):
        return
    choices = run.program.choices
    found = run.kernel.gpu(choices)
    yield "tiles", tiles.described(found.functions)
    chip = gpu_model.CHIP
    ptx = run.specialisation.ptx(chip, choices)
    yield "on " + chip, tiles.occupancy(found.threads, ptx, chip)


def _made(run: _Run) -> dict[str, Assembled]:
    """Return what ptxas makes of the kernels, if it is there."""
    chip = gpu_model.CHIP
    return assembled(run.specialisation.ptx(chip, run.program.choices), chip)


def _costs(plan: Plan, program: Program, model: str) -> list[str]:
    costs = plan.costs.tolist()
    mean = plan.total / plan.parts
    deviation = max(abs(cost - mean) for cost in costs)
    bound = f"bound 2*delta = {2 * plan.delta}"
    if program.delta < 0:
        bound = f"delta = {plan.delta} with these operands"
    return [
        f"model {model}, total {plan.total}, mean {mean:.1f} per part",
        f"per part: {_shown(map(str, costs))}",
        f"largest {max(costs)} (balance {plan.balance:.3f}), spread "
        f"{max(costs) - min(costs)}, off the mean by {deviation:.1f} at most; {bound}",
    ]


def _shown(values: Iterable[str]) -> str:
    """Return the first values of a list, one for each part or thread."""
    texts = list(values)
    more = ", …" if len(texts) > _SHOWN_PARTS else ""
    return ", ".join(texts[:_SHOWN_PARTS]) + more


def _times(run: _Run) -> list[str]:
    """Describe the time of each phase, and that of parts and threads.

    Making a plan partitions again, so its time less that of partitioning is assembly.
    The first plan took as long as the second, and compiled what was not compiled yet.
    """
    seconds = run.seconds
    phases = {
        "check": seconds["check"],
        "partition": seconds["partition"],
        "assemble": max(0.0, seconds["plan"] - seconds["partition"]),
        "compute": seconds["compute"],
    }
    compiling = max(0.0, seconds["compile"] - seconds["check"] - seconds["plan"])
    lines = [
        f"compile {compiling * 1e3:.3f} ms, before the call",
        ", ".join(f"{phase} {time * 1e3:.3f} ms" for phase, time in phases.items()),
    ]
    if run.specialisation.target == HOST:
        lines.append(run.shared.described())
    if run.times is None:
        return [*lines, "per part: not measured, parts cannot run alone here"]
    micros = [1e6 * time for time in run.times]
    lines.append(f"per part, alone: {_shown(f'{time:.1f}' for time in micros)} µs")
    mean = sum(micros) / len(micros)
    lines.append(f"longest {max(micros):.1f} µs, {max(micros) / mean:.3f} of the mean")
    busy = thread_times(micros, run.plan.threads)
    if run.plan.threads > 1:
        times = _shown(f"{time:.1f}" for time in busy)
        lines.append(f"per thread, if parts take as long as alone: {times} µs")
    return [*lines, run.shared.compared(seconds["compute"], max(busy) / 1e6)]


def _bandwidth(run: _Run) -> float | None:
    """Return the bytes a second that were moved, beside those when arrays are copied.

    None if that is not the memory of the host.
    """
    if run.specialisation.target != HOST:
        return None
    moved = bytes_of(run.call.loaded.values()) + run.plan.nbytes
    return moved / run.seconds["compute"] / copy_bandwidth(run.plan.threads)


def _moved(run: _Run, bandwidth: float | None) -> list[str]:
    """Describe the bytes that have to be moved, and how fast they were."""
    read, written = bytes_of(run.call.loaded.values()), run.plan.nbytes
    lines = [
        f"operands {_megabytes(read)}, result {_megabytes(written)}, each array once"
    ]
    if bandwidth is not None:
        copied = copy_bandwidth(run.plan.threads) / 1e9
        lines.append(
            f"{bandwidth * copied:.2f} GB/s while computing: {bandwidth:.0%} of the "
            f"{copied:.1f} GB/s at which {run.plan.threads} thread(s) copy arrays"
        )
    return lines
