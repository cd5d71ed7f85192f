"""An engine that runs tasks here, and counts what a cluster would move for them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nacho._pieces.inputs import Input


@dataclass
class Held:
    """What a task has returned, and the workers that have it."""

    value: Any
    nbytes: int
    origin: int
    """The worker on which the task ran."""
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
    """The bytes that the parts at each place read, by the worker that made them. What
    every worker gets as a whole is left out."""

    @property
    def moved(self) -> int:
        return sum(self.received.values())

    @property
    def busiest(self) -> int:
        """The bytes of the worker to which most came."""
        return max(self.received.values(), default=0)

    @property
    def bound(self) -> int:
        """The bytes that move at least, if parts run where most of their bytes are.

        Parts at the same place run on the same worker. It is a bound for these groups,
        and for pieces that lie as they do.
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
        if kind in {"compute", "gather"} and at is not None:
            had = self.counts.gathered.setdefault(at, Counter())
            for each in given:
                if not isinstance(each.value, Input):
                    had[each.origin] += each.nbytes
        for each in given:
            if worker not in each.workers:
                each.workers.add(worker)
                self.counts.received[worker] += each.nbytes
        return _held_by(worker, function(*_values(args)))

    def put(self, value: Any, at: float | None = None) -> Held:
        return _held_by(0 if at is None else self._worker_at(at), value)

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


def _held_by(worker: int, value: Any) -> Held:
    return Held(value, size_of(value), worker, {worker})


def size_of(value: Any) -> int:
    """Return the bytes of the arrays of a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        value = tuple(value.values())
    return sum(map(size_of, value)) if isinstance(value, tuple) else 0


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
