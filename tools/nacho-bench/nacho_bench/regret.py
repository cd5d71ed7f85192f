"""How much longer calls take than with the best choices that can be forced.

A kernel chooses a variant, a number of threads and of parts, and the order of its loops
by itself. Here each of these is forced, one at a time. The regret of a call is its time
over that of the best one: 1 if Nacho chose best.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import nacho
from nacho._nacho import CHOICES
from nacho._notation.parser import parse
from nacho_bench import machine
from nacho_bench.files import Store
from nacho_bench.kernels import Kernel
from nacho_bench.operands import Operands
from nacho_bench.peers.nacho_peer import container
from nacho_bench.progress import say
from nacho_bench.spread import geometric_mean, summary
from nacho_bench.table import markdown
from nacho_bench.workloads import Workload

Call = Callable[[], Any]

CHOSEN = "as chosen"
PARTS = (16, 256)
GOOD, WORST = 1.10, 1.5
_HOPELESS = 2.0
"""A call that takes so many times as long as the chosen one is not timed again."""
_LEAST_TURN = 0.002
"""Calls are repeated until they take so many seconds."""

_MEANING = f"""\
Made by `tools/dev bench --regret`. Each kernel is called with the choices that Nacho
makes, and with others that are forced, one at a time: each value of each choice
between variants, one thread, {" and ".join(map(str, PARTS))} parts, and other orders of
the loops of products. *regret* is the time as chosen over that of the best of all, in
medians of runs that alternate; the best one is timed anew with the chosen one, so that
it is not best by accident."""


class Regret(NamedTuple):
    """The time of a call as chosen, and of the best that was forced, in seconds."""

    kernel: str
    workload: str
    chosen: float
    best: float
    forced: str
    """What was forced; `CHOSEN` if nothing that was forced took less time."""

    @property
    def ratio(self) -> float:
        return self.chosen / self.best


def forced(kernel: Kernel) -> dict[str, dict[str, Any]]:
    """Return the options that force something, by what it is called."""
    found: dict[str, dict[str, Any]] = {CHOSEN: {}}
    for name, value in itertools.product(CHOICES, (True, False)):
        found[f"{name}={value}"] = {"choices": {name: value}}
    found["threads=1"] = {"threads": 1}
    found |= {f"parts={parts}": {"parts": parts} for parts in PARTS}
    indices = parse(kernel.expression).indices
    if len(indices) > 2 and kernel.family == "matrix":
        for order in itertools.permutations(indices):
            found[f"order={','.join(order)}"] = {"order": order}
    return found


class Calls:
    """The calls of one kernel, each with something forced."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
        self.compiled: dict[str, Any] = {}
        for name, options in forced(kernel).items():
            try:
                self.compiled[name] = nacho.mlir.compile(
                    kernel.expression,
                    formats=formats,
                    semiring=kernel.semiring,
                    **options,
                )
            except nacho.NachoError as error:
                say(f"{kernel.name}: {name} is left out: {error}")

    def with_operands(self, given: Operands) -> dict[str, Call]:
        chosen = self.compiled[CHOSEN]
        operands = [container(given, name) for name in chosen.operands]

        def call_of(compiled: Any) -> Call:
            return lambda: compiled(*operands)

        return {name: call_of(each) for name, each in self.compiled.items()}


def _turn(call: Call, repeats: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats


def _medians(calls: dict[str, Call], rounds: int, least: float) -> dict[str, float]:
    """Time calls in turn, and return the median of each."""
    repeats = max(1, round(_LEAST_TURN / max(least, 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(_turn(call, repeats))
    return {name: summary(found).median for name, found in times.items()}


def _promising(calls: dict[str, Call]) -> tuple[dict[str, Call], float]:
    """Return the calls that are worth timing, and about what the chosen one takes."""
    _turn(calls[CHOSEN], 2)
    usual = _turn(calls[CHOSEN], 2)
    kept = {}
    for name, call in calls.items():
        try:
            call()
        except nacho.NachoError as error:
            say(f"  {name} is left out: {error}")
            continue
        if min(_turn(call, 1), _turn(call, 1)) < _HOPELESS * usual:
            kept[name] = call
    return kept, usual


def regret(calls: dict[str, Call], rounds: int) -> tuple[float, float, str]:
    """Return the median as chosen, that of the best call, and the best one's name."""
    kept, usual = _promising(calls)
    first = _medians(kept, rounds, usual)
    best = min(first, key=lambda name: first[name])
    if best == CHOSEN:
        return first[CHOSEN], first[CHOSEN], CHOSEN
    two = {CHOSEN: kept[CHOSEN], best: kept[best]}
    again = _medians(two, 2 * rounds + 1, usual)
    if again[CHOSEN] <= again[best]:
        return again[CHOSEN], again[CHOSEN], CHOSEN
    return again[CHOSEN], again[best], best


def measure(
    pairs: Iterable[tuple[Kernel, Workload]], store: Store, rounds: int
) -> list[Regret]:
    """Return the regret of each pair of a kernel and a workload."""
    found = []
    compiled: dict[str, Calls] = {}
    for kernel, workload in pairs:
        given = Operands.of(kernel, workload, store)
        if kernel.name not in compiled:
            compiled[kernel.name] = Calls(kernel)
        times = regret(compiled[kernel.name].with_operands(given), rounds)
        found.append(Regret(kernel.name, workload.name, *times))
        last = found[-1]
        say(f"{kernel.name} {workload.name}: {last.ratio:.2f} ({last.forced})")
    return found


def data_of(found: Sequence[Regret]) -> dict[str, Any]:
    """Return the raw data."""
    records = [each._asdict() for each in found]
    return {"machine": machine.description(), "regret": records}


def document(found: Sequence[Regret]) -> str:
    """Return the tables: by kernel, and each call with a regret that is not good."""
    rows = []
    for kernel in dict.fromkeys(each.kernel for each in found):
        mine = [each for each in found if each.kernel == kernel]
        worst = max(mine, key=lambda each: each.ratio)
        good = sum(each.ratio <= GOOD for each in mine)
        rows.append(
            (
                kernel,
                f"{good} of {len(mine)}",
                f"{geometric_mean([each.ratio for each in mine]):.3f}",
                f"{worst.ratio:.2f} ({worst.workload})",
            )
        )
    worse = [
        (
            each.kernel,
            each.workload,
            f"{1e3 * each.chosen:.3g}",
            f"{1e3 * each.best:.3g}",
            f"{each.ratio:.2f}",
            each.forced,
        )
        for each in sorted(found, key=lambda each: -each.ratio)
        if each.ratio > GOOD
    ]
    good = sum(each.ratio <= GOOD for each in found)
    bad = sum(each.ratio > WORST for each in found)
    result = (
        f"A regret of at most {GOOD} has {good} of {len(found)} calls, "
        f"and {bad} have one above {WORST}."
    )
    by_kernel = markdown(("kernel", f"at most {GOOD}", "geom. mean", "worst"), rows)
    parts = [f"# Regret of choices\n\n{_MEANING}", result, by_kernel]
    if worse:
        head = ("kernel", "workload", "chosen ms", "best ms", "regret", "best with")
        parts.append(f"## Above {GOOD}\n\n{markdown(head, worse)}")
    return "\n\n".join(parts) + "\n"
