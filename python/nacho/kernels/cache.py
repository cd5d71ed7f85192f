"""A cache of what is expensive to make, such as a compiled kernel."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

CAPACITY = 128

_Value = TypeVar("_Value")


class _Entry(Generic[_Value]):
    """A value, or the promise of one, which the first thread that comes keeps."""

    __slots__ = ("lock", "made")

    def __init__(self) -> None:
        self.lock = Lock()
        self.made: list[_Value] = []


class Cache(Generic[_Value]):
    """Values by key. Each is made once, also if several threads ask at a time.

    Beyond the capacity, the value that was not asked for for the longest time is
    dropped.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[Hashable, _Entry[_Value]] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable) -> _Value | None:
        """Return the value of a key; None if nobody has made it yet."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or not entry.made:
                return None
            self._entries.move_to_end(key)
        return entry.made[0]

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return the value of a key; make it if that has not succeeded before."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.made:
                entry.made.append(make())
        return entry.made[0]

    def __len__(self) -> int:
        return len(self._entries)
