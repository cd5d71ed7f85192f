"""What moves between workers, and why, told by the names of tasks.

A result that moves belongs to an operand if its task, or one that reads it, has the
operand in its name. What it is needed for follows from the tasks that read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nacho.dask._watching import Task, Told

_SEARCH = {"limit", "place", "begin", "cost", "search", "partitioned"}
_COMPUTE = {"count", "compute", "combine", "evaluated"}
_RESULT = {"compute", "combine"}
_SORT = {"entries", "sort", "bucket", "merge", "assemble", "neighbour"}

WINDOWS = "windows, to where their parts are computed"
STRUCTURE = "structure without values, for the search"
WHOLE = "as a whole, to each worker that needs it"
REORDERED = "entries, to where they lie in another order"
NAMED = "rows, each once to where parts name it"
SUMS = "of entries that cuts divide, in the order of one machine"
NEIGHBOURS = "what pieces have of their neighbours"
NUMBERS = "cuts and counts"


class Moved(NamedTuple):
    """Bytes that went from workers to others."""

    name: str
    """The operand, or "sums", or "result"."""
    why: str
    nbytes: int


class Tasks:
    """The tasks of a statement, and what they are for."""

    def __init__(self, tasks: Mapping[str, Task]) -> None:
        self._tasks = tasks
        self._readers: dict[str, list[str]] = {}
        for key, task in tasks.items():
            for needed in task.needs:
                self._readers.setdefault(needed, []).append(key)
        self._purposes: dict[str, frozenset[str]] = {}

    def word(self, key: str) -> str:
        """Return the first word of a task's name; it is empty for unknown tasks."""
        task = self._tasks.get(key)
        return task.name.partition("-")[0] if task else ""

    def purposes(self, key: str) -> frozenset[str]:
        """Return what a task is for: "search", "compute", both, or nothing of these."""
        found = self._purposes.get(key)
        if found is None:
            found = self._purposes[key] = self._found_purposes(key)
        return found

    def _found_purposes(self, key: str) -> frozenset[str]:
        word = self.word(key)
        if word in _SEARCH:
            return frozenset({"search"})
        if word in _COMPUTE:
            return frozenset({"compute"})
        readers = self._readers.get(key, ())
        return frozenset().union(*(self.purposes(reader) for reader in readers))

    def why(self, key: str) -> tuple[str, str] | None:
        """Return whose a task's result is, and why it moves; None if nobody reads it.

        Tasks of other statements have made operands.
        """
        readers = self._readers.get(key, ())
        if not readers:
            return None
        words = {self.word(key), *map(self.word, readers)}
        if "sums" in words:
            return "sums", SUMS
        if "seal" in map(self.word, readers) or self.word(key) in _RESULT:
            return "result", NEIGHBOURS
        owner = self._owner(key)
        if not owner:
            return "numbers", NUMBERS
        if self.word(key) in _SORT:
            return owner, REORDERED
        if self.word(key) in {"names", "rows"}:
            return owner, NAMED
        if words & {"load", "join", "evaluated", "partitioned"}:
            return owner, WHOLE
        if self.purposes(key) == {"search"}:
            return owner, STRUCTURE
        return owner, WINDOWS

    def _owner(self, key: str) -> str:
        """Return the operand of which a result is a part."""
        readers = self._readers.get(key, ())
        for reader in readers:
            if key in self._tasks[reader].owners:
                return self._tasks[reader].owners[key]
        for each in (key, *readers):
            if each in self._tasks and self._tasks[each].operand:
                return self._tasks[each].operand
        return ""

    def knows(self, key: str) -> bool:
        """Return whether a task is one of the statement."""
        return key in self._tasks

    def kind_of_time(self, key: str) -> str:
        """Return for what the time of a task counts."""
        word = self.word(key)
        if word in _SEARCH or self.purposes(key) == {"search"}:
            return "search"
        return "compute" if word in _COMPUTE else "copy"


def moved(tasks: Tasks, told: Iterable[Told], cut: Iterable[str]) -> list[Moved]:
    """Return what has moved, also if nothing has of the operands that are cut."""
    sizes: dict[tuple[str, str], int] = {(name, WINDOWS): 0 for name in cut}
    for each in told:
        for key, nbytes in each.received.items():
            why = tasks.why(key)
            if why is not None:
                sizes[why] = sizes.get(why, 0) + nbytes
    return [Moved(*why, sizes[why]) for why in sorted(sizes)]
