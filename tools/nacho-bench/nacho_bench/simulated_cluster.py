"""An engine that runs tasks here, and counts what a cluster would move for them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nacho._pieces.inputs import Input
from nacho._pieces.tasks import Made
from nacho._pieces.windows import Windows


@dataclass
class Held:
    """What a task has returned, and the workers that have it."""

    value: Any
    nbytes: int
    workers: set[int]


@dataclass
class Counts:
    """What a statement has taken."""

    tasks: Counter[str] = field(default_factory=Counter)
    """The number of tasks, by the first word of their names."""
    rounds: int = 0
    """How often the client has waited for answers."""
    received: Counter[int] = field(default_factory=Counter)
    """The bytes that came to each worker."""
    gathered: dict[float, Counter[int]] = field(default_factory=dict)
    """The bytes of windows of each group of parts, by the worker that had them."""

    @property
    def moved(self) -> int:
        return sum(self.received.values())

    @property
    def bound(self) -> int:
        """The bytes that move at least, if each group runs where most of its bytes are.

        It is a bound for these groups, and for pieces that lie as they do.
        """
        each = self.gathered.values()
        return sum(sum(n.values()) - max(n.values(), default=0) for n in each)


class SimulatedCluster:
    """Workers with a task at a time each.

    A task without a place runs where most bytes of its arguments are. What has come to
    a worker remains there.
    """

    def __init__(self, workers: int) -> None:
        self.slots = workers
        self.counts = Counts()

    def submit(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        at: float | None = None,
        turn: int = 0,
    ) -> Held:
        given = [*_held(args)]
        worker = self._nearest(given) if at is None else self._worker_at(at)
        kind = name.partition("-")[0]
        self.counts.tasks[kind] += 1
        if kind == "compute" and at is not None:
            had = self.counts.gathered.setdefault(at, Counter())
            for each in given:
                had[min(each.workers)] += each.nbytes
        for each in given:
            if worker not in each.workers:
                each.workers.add(worker)
                self.counts.received[worker] += each.nbytes
        value = function(*_values(args))
        return Held(value, size_of(value), {worker})

    def put(self, value: Any, at: float | None = None) -> Held:
        worker = 0 if at is None else self._worker_at(at)
        return Held(value, size_of(value), {worker})

    def fetch(self, handles: Sequence[Held]) -> list[Any]:
        self.counts.rounds += 1
        return [handle.value for handle in handles]

    def _worker_at(self, fraction: float) -> int:
        return min(int(fraction * self.slots), self.slots - 1)

    def _nearest(self, given: Sequence[Held]) -> int:
        bytes = {0: 0}
        for each in given:
            if each.nbytes:
                for worker in each.workers:
                    bytes[worker] = bytes.get(worker, 0) + each.nbytes
        return max(bytes, key=bytes.__getitem__)


def size_of(value: Any) -> int:
    """Return the bytes of the arrays of a value."""
    if isinstance(value, Windows | np.ndarray):
        return value.nbytes
    if isinstance(value, Input):
        return value.windows.nbytes
    if isinstance(value, Made):
        return value.windows.nbytes + sum(array.nbytes for array in value.sums)
    return 0


def _held(args: Sequence[Any]) -> Iterator[Held]:
    for each in args:
        if isinstance(each, Held):
            yield each
        elif isinstance(each, list):
            yield from _held(each)


def _values(args: Sequence[Any]) -> list[Any]:
    return [
        each.value
        if isinstance(each, Held)
        else _values(each)
        if isinstance(each, list)
        else each
        for each in args
    ]
