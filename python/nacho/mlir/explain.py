"""``Kernel.explain``: what a kernel did with its operands, as text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nacho.formats import TensorType

if TYPE_CHECKING:
    from nacho.mlir.kernel import Call, Kernel, Plan

_SHOWN_PARTS = 16


def explain(kernel: Kernel, operands: Sequence[Any], named: Mapping[str, Any]) -> str:
    """Plan and execute once, and describe it."""
    from nacho.mlir.kernel import Plan, bind

    options = dict(named)
    threads, parts = kernel._pop_workers(options)
    given = bind(kernel.operands, operands, options)
    notes: list[str] = []
    views = kernel._views(given)
    began = time.perf_counter()
    call = kernel.prepare(given, views, threads, parts, kernel.validate, notes)
    checked = time.perf_counter()
    native = kernel._plan(call)
    planned = time.perf_counter()
    kernel._execute(native, call)
    executed = time.perf_counter()
    plan = Plan(kernel, call, native)
    times = {
        "check": checked - began,
        "plan": planned - checked,
        "execute": executed - planned,
    }
    sections = (
        ("expression", [kernel.expression]),
        ("order", [f"{', '.join(kernel.order)} (as every operand is stored)"]),
        ("operands", _operands(kernel, call)),
        ("result", [_result(kernel, call, plan)]),
        ("copies", notes or ["none: every array is used in place"]),
        ("workers", [_workers(kernel, call, explicit=bool(threads or parts))]),
        ("cost", _costs(kernel, plan)),
        ("time", [", ".join(f"{name} {_shown(t)}" for name, t in times.items())]),
    )
    return "\n".join(_section(title, lines) for title, lines in sections) + "\n"


def _section(title: str, lines: Iterable[str]) -> str:
    separator = "\n" + " " * 12
    return f"{title:<12}{separator.join(lines)}"


def _operands(kernel: Kernel, call: Call) -> list[str]:
    loaded = dict(zip(kernel.sparse_operands, call.loaded, strict=True))
    lines: list[str] = []
    for name, type in kernel._types:
        if type.format is None:
            lines.append(f"{name}: scalar, {type.dtype}")
            continue
        view = loaded[name]
        shape = "x".join(map(str, view.shape))
        lines.append(f"{name}: {_type(type)}, {shape}, {view.values.size} entries")
    return lines


def _result(kernel: Kernel, call: Call, plan: Plan) -> str:
    shape = "x".join(map(str, kernel.shape(call)))
    name = kernel._assignment.result.name
    return f"{name}: {_type(kernel.result_type)}, {shape}, {plan.nnz} entries"


def _type(type: TensorType) -> str:
    return f"{type.format}, {type.dtype}, pos i{type.pos_width}, crd i{type.crd_width}"


def _workers(kernel: Kernel, call: Call, *, explicit: bool) -> str:
    chosen = f"{call.parts} part(s) on {call.threads} thread(s)"
    if explicit or kernel.threads or kernel.parts:
        return f"{chosen} (as asked for)"
    if call.nnz < kernel.serial_below:
        return f"{chosen} (serial: {call.nnz} non-zeros < {kernel.serial_below})"
    return f"{chosen} ({call.nnz} non-zeros >= {kernel.serial_below})"


def _costs(kernel: Kernel, plan: Plan) -> list[str]:
    costs = plan.costs.tolist()
    mean = plan.total / plan.parts
    deviation = max(abs(cost - mean) for cost in costs)
    shown = ", ".join(map(str, costs[:_SHOWN_PARTS]))
    more = ", …" if len(costs) > _SHOWN_PARTS else ""
    return [
        f"model {kernel.cost}, total {plan.total}, mean {mean:.1f} per part",
        f"per part: {shown}{more}",
        f"largest {max(costs)} (balance {plan.balance:.3f}), spread "
        f"{max(costs) - min(costs)}, off the mean by {deviation:.1f} at most; "
        f"bound 2*delta = {2 * kernel.delta}",
    ]


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms"
