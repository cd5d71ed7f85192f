"""What each worker had to do of a nest: parts, entries and cost, beside the bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from nacho._kernels.program import Step
from nacho._pictures.bars import Bars, shown
from nacho._pictures.figure import Picture
from nacho._pictures.levels import Levels
from nacho._pieces.tensor import Numbers
from nacho.dask._watching import Computed, Task, Told


class Share(NamedTuple):
    """What a worker had to do of a nest."""

    worker: str
    """Its address."""
    parts: tuple[int, ...]
    """The numbers of its parts."""
    entries: dict[str, int]
    """How many entries it read of each operand that is cut, and made of the result."""
    cost: int
    fair: float
    """As many parts' share of all costs."""
    bound: float
    """The most that the cost may be off that."""


class Group(NamedTuple):
    """Parts that follow each other, which one task computes."""

    worker: str
    computed: Computed
    entries: dict[str, int]


def groups_of(
    tasks: Mapping[str, Task], told: Mapping[str, Told], made: Sequence[str]
) -> dict[int, list[Group]]:
    """Return the groups of parts of each step, in order; these have ``made`` that."""
    where = {key: worker for worker, each in told.items() for key in each.times}
    found: dict[int, list[Group]] = {}
    for key, task in tasks.items():
        work = task.work
        if work is None or key not in where:
            continue
        entries = {name: read.entries(work.cuts) for name, read in work.read.items()}
        entries[made[work.step]] = work.written
        found.setdefault(work.step, []).append(Group(where[key], work, entries))
    for groups in found.values():
        groups.sort(key=lambda group: group.computed.first)
    return dict(sorted(found.items()))


class Nest:
    """A nest whose parts have run alone, and where they did."""

    def __init__(self, step: Step, groups: Sequence[Group]) -> None:
        # A statement without indices has a loop without a name.
        self._order = tuple(filter(None, step.order))
        self._groups = groups
        cuts = [group.computed.cuts[:-1] for group in groups]
        self._cuts: Numbers = np.vstack([*cuts, groups[-1].computed.cuts[-1:]])
        self._costs = np.diff(self._cuts[:, 0])
        self._delta = step.delta_of(self._costs)

    @property
    def parts(self) -> int:
        return len(self._costs)

    @property
    def total(self) -> int:
        """The cost of all parts."""
        return int(self._costs.sum())

    def shares(self) -> list[Share]:
        """Return what each worker had to do."""
        found: list[Share] = []
        for worker in sorted({group.worker for group in self._groups}):
            mine = [group for group in self._groups if group.worker == worker]
            parts = tuple(part for group in mine for part in group.computed.parts)
            entries: Counter[str] = Counter()
            for group in mine:
                entries.update(group.entries)
            cost = int(self._costs[list(parts)].sum())
            # Each run of parts has two ends, each of which a cut is off by delta.
            runs = 1 + int((np.diff(parts) > 1).sum())
            fair = self.total * len(parts) / self.parts
            bound = float(runs * self._delta)
            found.append(Share(worker, parts, dict(entries), cost, fair, bound))
        return found

    def described(self, shares: Sequence[Share], model: str) -> list[str]:
        """Describe the balance of the workers."""
        costs = [share.cost for share in shares]
        mean = self.total / len(shares)
        off = max(abs(share.cost - share.fair) for share in shares)
        bound = max(share.bound for share in shares)
        balance = max(costs) / mean if mean else 1.0
        loops = f"loops {', '.join(self._order)}" if self._order else "no loops,"
        return [
            f"{loops} in {_counted(self.parts, 'part')} on "
            f"{_counted(len(shares), 'worker')}",
            f"model {model}, total {self.total}, mean {mean:.1f} per worker",
            f"largest {max(costs)} (balance {balance:.3f}), off the "
            f"share by {shown(off)} at most; bound {shown(bound)}",
        ]

    def pictures(self, shares: Sequence[Share]) -> list[Picture]:
        """Draw both levels of cuts, and the cost of each worker."""
        loops = ", ".join(self._order)
        mean = self.total / len(shares)
        off = max(abs(share.fair - mean) + share.bound for share in shares)
        costs = [share.cost for share in shares]
        title = f"Cost of each worker in the loops {loops}"
        bars = Bars.of(title, "worker", "cost", costs, off)
        return [self._levels(loops, shares), bars] if self._order else [bars]

    def _levels(self, loops: str, shares: Sequence[Share]) -> Levels:
        numbers = {share.worker: number for number, share in enumerate(shares)}
        owners = [
            numbers[group.worker]
            for group in self._groups
            for _ in group.computed.parts
        ]
        title = f"Cuts of the loops {loops} between workers, and between their parts"
        return Levels.of(title, self._order[0], self._cuts[:, :2], owners)


def lines_of(shares: Sequence[Share]) -> list[str]:
    """Return a line for each worker."""
    lines: list[str] = []
    for number, share in enumerate(shares):
        entries = ", ".join(f"{name} {size}" for name, size in share.entries.items())
        lines.append(
            f"{number}: {share.worker}, {_parts(share.parts)}, entries {entries}; cost "
            f"{share.cost}, share {shown(share.fair)} ±{shown(share.bound)}"
        )
    return lines


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _parts(parts: Sequence[int]) -> str:
    """Return numbers as runs: "parts 0 to 3, 6"."""
    runs: list[list[int]] = []
    for part in parts:
        if runs and runs[-1][1] == part - 1:
            runs[-1][1] = part
        else:
            runs.append([part, part])
    texts = [f"{a}" if a == b else f"{a} to {b}" for a, b in runs]
    return ("part " if len(parts) == 1 else "parts ") + ", ".join(texts)
