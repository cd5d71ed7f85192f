"""The engine that runs the tasks of ``nacho._pieces`` on the workers of a cluster.

No folder but this one knows Dask. What statements need of it is in this file, and so
another engine is one file. Others read Dask's arrays (``_arrays``, ``_evaluation``) or
make them (``_exports``), wait for futures (``_tensor``, ``_explanation``), or ask
workers what they did (``_watching``); the rest know only that there is a client.
"""

from __future__ import annotations

import copy
import pickle
import uuid
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dask.sizeof import sizeof
from distributed import Client, Future, KilledWorker, Scheduler, default_client
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.protocol.pickle import dumps, loads
from distributed.worker import get_worker

from nacho._pieces.inputs import Input, Record
from nacho._pieces.row_windows import Names, RowsOfPiece, Stretches
from nacho._pieces.tasks import Made
from nacho._pieces.windows import Windows
from nacho.errors import ArgumentError


def _size_of_input(given: Input) -> int:
    return given.windows.nbytes


def _size_of_made(made: Made) -> int:
    return made.windows.nbytes + sum(each.nbytes for each in made.sums)


def _size_of_rows(rows: RowsOfPiece) -> int:
    arrays = (*rows.names, *rows.runs, rows.crd, rows.values)
    return sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))


def _size_of_stretches(stretches: Stretches) -> int:
    return sum(array.nbytes for array in stretches)


# Of tuples, Dask estimates how large they are.
sizeof.register(Windows, lambda windows: windows.nbytes)
sizeof.register(Input, _size_of_input)
sizeof.register(Made, _size_of_made)
sizeof.register(Names, lambda names: names.packed.nbytes)
sizeof.register(RowsOfPiece, _size_of_rows)
sizeof.register(Stretches, _size_of_stretches)


def client_of(given: Client | None) -> Client:
    """Return a client: the given one, or the current one, as Dask's functions do."""
    if given is not None:
        if not isinstance(given, Client):
            kind = type(given).__name__
            raise ArgumentError(f"client: expected a distributed.Client, got {kind}")
        return given
    try:
        current: Client = default_client()
    except ValueError as error:
        raise ArgumentError(
            "there is no client: connect one, client = distributed.Client(…), or pass "
            "it as client="
        ) from error
    return current


class _Freeing(SchedulerPlugin):  # type: ignore[misc]
    """Lets tasks that were placed run anywhere, once no worker was there at all.

    Dask keeps such a task for the worker that was asked for, also if another may run
    it, and waits forever: workers that are started again have other addresses.
    """

    name = "nacho-freeing"
    idempotent = True

    def start(self, scheduler: Scheduler) -> None:
        self._tasks = scheduler.tasks

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        if finish == "no-worker" and self._tasks[key].loose_restrictions:
            self._tasks[key].worker_restrictions = None


_FREED: weakref.WeakSet[Client] = weakref.WeakSet()
"""The clients whose schedulers have the plugin."""


class DaskEngine:
    """Runs tasks on the workers to which a client is connected.

    Tasks have speaking names, by which Dask's dashboard groups them. A number behind a
    name is that of the piece, or of the group of parts, that the task is about.
    """

    def __init__(self, client: Client, about: str = "") -> None:
        self.client = client
        self._about = about
        """What is computed, for errors of which no worker can tell."""
        self._line: list[str] = []
        """The addresses of all workers, if any task was placed since the last round.
        Between rounds, workers may come and leave."""

    @property
    def slots(self) -> int:
        threads: dict[str, int] = self.client.nthreads()
        return max(sum(threads.values()), 1)

    def submit(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        at: float | None = None,
        turn: int = 0,
    ) -> Any:
        key = f"{name}-{uuid.uuid4().hex}"
        how: dict[str, Any] = {"key": key, "pure": False, "priority": -turn}
        worker = None if at is None else self._worker_at(at)
        if worker is not None:
            # Another worker runs the task if that one is lost.
            how |= {"workers": [worker], "allow_other_workers": True}
        return self.client.submit(_run, name, function, *args, **how)

    def put(self, value: Any, at: float | None = None) -> Any:
        # A task, unlike what is scattered, is run again where its worker was lost.
        return self.submit("operand", unpacked, *packed(value), at=at)

    def _worker_at(self, fraction: float) -> str | None:
        """Return the address of the worker at a place in the line of all workers.

        There is none if no worker is there: Dask waits for one, wherever that is.
        """
        if self.client not in _FREED:
            self.client.register_plugin(_Freeing())
            _FREED.add(self.client)
        if not self._line:
            # The scheduler is asked, which takes longer than to submit a task.
            self._line = sorted(self.client.nthreads())
        if not self._line:
            return None
        return self._line[min(int(fraction * len(self._line)), len(self._line) - 1)]

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        self._line = []
        try:
            found: list[Any] = self.client.gather(list(handles))
        except Exception as error:
            raise renewed(error, *self._notes_on(error)) from None
        return found

    def _notes_on(self, error: Exception) -> list[str]:
        """Return what no worker can tell of an error."""
        of = f" of '{self._about}'" if self._about else ""
        if isinstance(error, KilledWorker):
            name, _, _ = str(error.task).rpartition("-")
            return [f"in the task {_shown(name)}{of}"]
        if self.client.status in ("closing", "closed"):
            return [f"the client is closed: the tasks{of} are dropped"]
        return []

    def failed(self, futures: Sequence[Future]) -> list[str]:
        """Return where each future has failed; it is empty if it has not.

        The scheduler knows it, for tasks that are not the engine's, and says it if
        Nacho is installed there.
        """
        keys = [future.key for future in futures]
        try:
            found: list[str] = self.client.run_on_scheduler(_failed, keys=keys)
        except Exception:
            return ["a worker" if each.status == "error" else "" for each in futures]
        return found


def renewed(error: Exception, *notes: str) -> Exception:
    """Return the same error with notes, and without frames.

    Dask, or a tensor, keeps the error, whose frames would keep futures.
    """
    error.__traceback__ = None
    made = copy.copy(error)
    all = [*getattr(error, "__notes__", ()), *notes]
    # The copy shares the attributes of the original.
    made.__dict__ = {**error.__dict__, "__notes__": all}
    return made


def packed(value: Any) -> tuple[Any, ...]:
    """Return a copy of a value in bytes: the caller may change it before Dask sends it.

    Its arrays are apart, so that workers do not copy them once more.
    """
    buffers: list[pickle.PickleBuffer] = []
    text = dumps(value, buffer_callback=buffers.append)
    return text, *(np.array(each.raw()) for each in buffers)


def unpacked(text: bytes, *arrays: Any) -> Any:
    """Return the value."""
    return loads(text, buffers=arrays)


def _failed(keys: Sequence[str], dask_scheduler: Any) -> list[str]:
    """Return where each task has failed; Dask passes the scheduler."""
    tasks = map(dask_scheduler.tasks.get, keys)
    failed = (task.erred_on if task is not None else () for task in tasks)
    return [f"the worker {min(each)}" if each else "" for each in failed]


def _run(name: str, function: Callable[..., Any], *args: Any) -> Any:
    """Run a task; an error says which one, and where."""
    try:
        return function(*args)
    except Exception as error:
        where = f"on the worker {get_worker().address}"
        error.add_note(f"in the task {_shown(name, _parts_of(args))} {where}")
        raise


def _shown(name: str, parts: str = "") -> str:
    """Return the name of a task, and its parts or the piece whose number it has."""
    words, _, number = name.rpartition("-")
    if not number.isdigit():
        return f"'{name}'{parts}"
    return f"'{words}'" + (parts or f" of piece {number}")


def _parts_of(args: Sequence[Any]) -> str:
    """Say which parts of a step a task is about, if it is about some."""
    for each in args:
        if isinstance(each, Record):
            last = each.first + len(each.rows) - 2
            parts = f"parts {each.first} to {last}"
            return f" of the {parts if last > each.first else f'part {last}'}"
    return ""
