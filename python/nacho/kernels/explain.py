"""``Kernel.explain``: what a kernel did with its operands, as text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nacho.kernels.plan import Call, Plan, bind
from nacho.storage.formats import TensorType

if TYPE_CHECKING:
    from nacho import _nacho
    from nacho.kernels.kernel import Kernel

_SHOWN_PARTS = 16


def explain(kernel: Kernel, operands: Sequence[Any], named: Mapping[str, Any]) -> str:
    """Plan and execute once, and describe it."""
    options = dict(named)
    threads, parts = kernel.pop_workers(options)
    given = bind(kernel.operands, operands, options)
    notes: list[str] = []
    clock = _Clock()
    views = kernel.views(given)
    call = kernel.prepare(given, views, threads, parts, kernel.validate, notes)
    clock.stop("check")
    kernel = kernel.suited(call)
    kernel.partition(call)
    clock.stop("partition")
    kernel, native = kernel.planned(call)
    clock.stop("plan")
    kernel.execute(native, call)
    clock.stop("compute")
    plan = Plan(kernel, native, call)
    sections = (
        ("expression", [kernel.expression]),
        ("order", _order(kernel)),
        ("operands", _operands(kernel, call)),
        ("result", [_result(kernel, call, plan)]),
        ("copies", notes or ["none: every array is used in place"]),
        ("kernels", ["partition, assemble (count, scan, allocate), compute"]),
        ("memory", _memory(kernel, call, native)),
        ("workers", [_workers(kernel, call, explicit=bool(threads or parts))]),
        ("cost", _costs(kernel, plan)),
        ("time", [_times(clock.seconds)]),
    )
    return "\n".join(_section(title, lines) for title, lines in sections) + "\n"


class _Clock:
    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.seconds: dict[str, float] = {}

    def stop(self, phase: str) -> None:
        now = time.perf_counter()
        self.seconds[phase] = now - self.began
        self.began = now


def _section(title: str, lines: Iterable[str]) -> str:
    separator = "\n" + " " * 12
    return f"{title:<12}{separator.join(lines)}"


def _order(kernel: Kernel) -> list[str]:
    if not kernel.indices:
        return ["no loops"]
    lines: list[str] = []
    for number, step in enumerate(kernel.steps):
        read = ", ".join(
            f"list {source}" if is_step else kernel.operands[source]
            for is_step, source in step.inputs
        )
        what = f"{', '.join(step.order)} over {read}"
        if number + 1 < len(kernel.steps):
            what += f": makes list {number}" + (", sorted" if step.is_sorted else "")
        lines.append(what)
    return lines


def _operands(kernel: Kernel, call: Call) -> list[str]:
    lines: list[str] = []
    for name, type in kernel.types.items():
        if type.format is None:
            lines.append(f"{name}: scalar, {type.dtype}")
            continue
        view = call.loaded[name]
        lines.append(
            f"{name}: {_type(type)}, {_shape(view.shape)}, {view.values.size} entries"
        )
    return lines


def _result(kernel: Kernel, call: Call, plan: Plan) -> str:
    name = kernel.result_name
    if kernel.result_type.format is None:
        return f"{name}: scalar, {kernel.result_type.dtype}"
    shape = _shape(kernel.shape(call))
    return f"{name}: {_type(kernel.result_type)}, {shape}, {plan.nnz} entries"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _type(type: TensorType) -> str:
    assert type.format is not None
    if type.format.is_dense:
        return f"{type.format}, {type.dtype}"
    return f"{type.format}, {type.dtype}, pos i{type.pos_width}, crd i{type.crd_width}"


def _memory(kernel: Kernel, call: Call, native: _nacho.Plan) -> list[str]:
    """What is needed besides the operands and the result."""
    lists, workspaces = native.memory
    lines = [
        f"list {number}: {entries} entries, {_megabytes(size)}"
        + (f" ({size / entries:.0f} bytes per entry)" if entries else "")
        for number, (entries, size) in enumerate(lists)
    ]
    if any(workspaces):
        each = _megabytes(max(workspaces))
        lines.append(f"workspaces: {each} per thread on {call.threads} thread(s)")
    if kernel.steps[-1].is_draft:
        lines.append(
            "draft, unless it has to be counted: as much as the result, for a while"
        )
    return lines or ["no more than the operands and the result"]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def _workers(kernel: Kernel, call: Call, *, explicit: bool) -> str:
    chosen = f"{call.parts} part(s) on {call.threads} thread(s)"
    if explicit or kernel.threads or kernel.parts:
        return f"{chosen} (as asked for)"
    limit = kernel.serial_below
    if call.cost < limit:
        return f"{chosen} (serial: about {call.cost} entries < {limit})"
    return f"{chosen} (about {call.cost} entries >= {limit})"


def _costs(kernel: Kernel, plan: Plan) -> list[str]:
    costs = plan.costs.tolist()
    mean = plan.total / plan.parts
    deviation = max(abs(cost - mean) for cost in costs)
    shown = ", ".join(map(str, costs[:_SHOWN_PARTS]))
    more = ", …" if len(costs) > _SHOWN_PARTS else ""
    bound = f"bound 2*delta = {2 * plan.delta}"
    if kernel.delta < 0:
        bound = "no bound but the total: delta depends on the operands"
    return [
        f"model {kernel.cost}, total {plan.total}, mean {mean:.1f} per part",
        f"per part: {shown}{more}",
        f"largest {max(costs)} (balance {plan.balance:.3f}), spread "
        f"{max(costs) - min(costs)}, off the mean by {deviation:.1f} at most; {bound}",
    ]


def _times(seconds: Mapping[str, float]) -> str:
    """Return the time of each phase; a plan partitions and assembles."""
    phases = {
        "check": seconds["check"],
        "partition": seconds["partition"],
        "assemble": max(0.0, seconds["plan"] - seconds["partition"]),
        "compute": seconds["compute"],
    }
    return ", ".join(f"{phase} {time * 1e3:.3f} ms" for phase, time in phases.items())
