"""Engines: they run tasks somewhere, and move what tasks need to where they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol


class Engine(Protocol):
    """Runs functions of ``tasks`` on some machine, and keeps what they return there.

    A handle stands for what a task returns. Arguments may be handles, also in lists.

    Machines are in a line. A task may be asked to run ``at`` a fraction of it, from 0
    to 1: what is near in tensors is near in the line, and one task's place is another's
    who needs the same. Without a place, a task runs where most of its arguments are.
    Where several tasks could run, one of an earlier turn does: what is made in a turn,
    and only needed in it, is dropped before the next begins.
    """

    def submit(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        at: float | None = None,
        turn: int = 0,
    ) -> Any:
        """Return a handle of what the function returns; ``name`` says what it is."""
        ...

    def put(self, value: Any, at: float | None = None) -> Any:
        """Return a handle of a value."""
        ...

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        """Return the values, which are small, or raise what their tasks have raised."""
        ...

    @property
    def slots(self) -> int:
        """The number of tasks that run at a time."""
        ...


def drained(handles: list[Any]) -> Iterator[Any]:
    """Yield handles, each of which the list has no more then.

    What a handle stands for is dropped as soon as no task needs it, if nobody here has
    the handle.
    """
    handles.reverse()
    while handles:
        yield handles.pop()


class Here:
    """The engine that runs every task at once, where it is called."""

    slots = 4

    def submit(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        at: float | None = None,
        turn: int = 0,
    ) -> Any:
        return function(*args)

    def put(self, value: Any, at: float | None = None) -> Any:
        return value

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        return list(handles)
