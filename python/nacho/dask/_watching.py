"""An engine that remembers what it submits, and what workers tell of it.

Of a task, it keeps the name, which others it needs, and how much work it is, but
neither arguments nor results: watching must not keep them in the memory of workers.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dask.sizeof import sizeof
from distributed import Client, Future
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.worker import Worker

from nacho._pieces import tasks
from nacho._pieces.inputs import Input, Record
from nacho._pieces.tensor import Numbers
from nacho._pieces.windows import Range
from nacho.dask._engine import DaskEngine


class Gathered(NamedTuple):
    """What a task brings together of an operand."""

    empty: Input
    ranges: tuple[Range, ...]
    """The elements of each array."""

    def entries(self, cuts: Numbers) -> int:
        """Return how many entries lie between the first cut and the last."""
        columns = self.empty.columns
        if len(columns) == len(self.empty.layout.levels):
            last, _ = columns[-1]
            return int(cuts[-1, last] - cuts[0, last])
        begin, end = self.ranges[-1]
        return end - begin


class Computed(NamedTuple):
    """The parts of a step that a task computes."""

    step: int
    first: int
    """The number of the first part."""
    cuts: Numbers
    """The begin of each part and the end of the last: costs, coordinates, places."""
    written: int
    """The number of values of the result that they write."""
    read: dict[str, Gathered]
    """What they read of the operands that are cut, by name."""

    @property
    def parts(self) -> range:
        return range(self.first, self.first + len(self.cuts) - 1)


class Task(NamedTuple):
    """What is known of a task."""

    name: str
    needs: tuple[str, ...]
    """The keys of the tasks whose results it reads."""
    owners: dict[str, str]
    """The operands of which the results of other tasks are parts, by their keys."""
    work: Computed | None

    @property
    def operand(self) -> str:
        """The operand of which it makes a part; empty for other tasks."""
        # Behind the operand may be the number of a piece.
        words = self.name.split("-")[1:2]
        return "" if not words or words[0].isdigit() else words[0]


class Told(NamedTuple):
    """What a worker tells."""

    received: dict[str, int]
    """How many bytes came from other workers, by the key of the task that made them."""
    times: dict[str, list[tuple[str, float]]]
    """What was done for each task that ran here, and for how many seconds."""


class WatchedEngine(DaskEngine):
    """Runs tasks on workers, and knows afterwards which there were."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.tasks: dict[str, Task] = {}
        self.rounds = 0
        """How often the client has waited for numbers."""
        self.fetched = 0
        """The bytes of these."""

    def submit(
        self, name: str, function: Callable[..., Any], *args: Any, **how: Any
    ) -> Any:
        handle = super().submit(name, function, *args, **how)
        owners = {
            key: empty.name
            for empty, _, parts in _gathered(args)
            for key in _keys(parts)
        }
        task = Task(name, tuple(_keys(args)), owners, _work(function, args))
        self.tasks[handle.key] = task
        return handle

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        found = super().fetch(handles)
        self.rounds += 1
        self.fetched += sum(map(sizeof, found))
        return found

    def watch(self, function: Callable[[], Any]) -> tuple[Any, dict[str, Told]]:
        """Return what a function returns, and what each worker did meanwhile."""
        name = f"nacho-{uuid.uuid4().hex}"
        self.client.register_plugin(_Teller(), name=name)
        try:
            found = function()
            told: dict[str, Told] = self.client.run(_told, name)
        finally:
            self.client.unregister_worker_plugin(name)
        return found, told


class _Teller(WorkerPlugin):  # type: ignore[misc]
    """Remembers what a worker receives, and how long it is busy."""

    def setup(self, worker: Worker) -> None:
        self.state = worker.state
        self.told = Told({}, {})

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        if finish != "memory":
            return
        task = self.state.tasks[key]
        if start == "flight":
            self.told.received[str(key)] = task.get_nbytes()
        else:
            self.told.times[str(key)] = [
                (each["action"], each["stop"] - each["start"])
                for each in task.startstops
            ]


def _told(name: str, dask_worker: Worker) -> Told:
    """Return what the plugin of a worker has to tell; Dask passes the worker."""
    plugin = dask_worker.plugins.get(name)
    return Told({}, {}) if plugin is None else plugin.told


def _keys(args: Sequence[Any]) -> Iterator[str]:
    """Return the keys of the futures among arguments, also of those in lists."""
    for each in args:
        if isinstance(each, Future):
            yield each.key
        elif isinstance(each, list):
            yield from _keys(each)


def _gathered(args: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Return what arguments bring together: an operand, its elements, and windows."""
    for each in args:
        if isinstance(each, list):
            is_one = len(each) == 3 and isinstance(each[0], Input)
            if is_one and isinstance(each[2], list):
                yield each
            else:
                yield from _gathered(each)


def _work(function: Callable[..., Any], args: Sequence[Any]) -> Computed | None:
    if function is not tasks.compute:
        return None
    step, _, record, _, written = args
    assert isinstance(record, Record), "a task of parts has their record"
    begin, end = written[-1]
    read = {
        empty.name: Gathered(empty, tuple(ranges))
        for empty, ranges, _ in _gathered(args)
        if empty.kept is None and ranges is not None
    }
    return Computed(step.number, record.first, record.rows, end - begin, read)
