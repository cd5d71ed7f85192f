"""A cache of values that are expensive to make, such as compiled kernels."""

from __future__ import annotations

import atexit
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

CAPACITY = 128

_Value = TypeVar("_Value")


class _Entry(Generic[_Value]):
    """A value, or a place for one: the first thread that takes the lock makes it."""

    __slots__ = ("lock", "made")

    def __init__(self) -> None:
        self.lock = RLock()
        self.made: list[_Value] = []


_caches: WeakSet[Cache[Any]] = WeakSet()


class Cache(Generic[_Value]):
    """Values by key. Each is made once, even if several threads ask at the same time.

    When the cache is full, the least recently used value is dropped. A thread may ask
    again while it makes a value, as handlers of signals do.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[Hashable, _Entry[_Value]] = OrderedDict()
        self._lock = RLock()
        _caches.add(self)

    def find(self, key: Hashable) -> _Value | None:
        """Return the value of a key; None if nobody has made it yet."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or not entry.made:
                return None
            self._entries.move_to_end(key)
        return entry.made[0]

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return the value of a key; call ``make`` if there is none.

        If ``make`` raises, nothing is kept, and the next call tries again.
        """
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.made:
                entry.made.append(make())
        return entry.made[0]

    def forget_threads(self) -> None:
        """Release what other threads hold, which a forked process does not have."""
        self._lock = RLock()
        for key, entry in list(self._entries.items()):
            if not entry.made:
                del self._entries[key]

    def drop(self) -> None:
        """Forget all values."""
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)


def _forget_threads() -> None:
    for cache in list(_caches):
        cache.forget_threads()


os.register_at_fork(after_in_child=_forget_threads)


@atexit.register
def _drop_all() -> None:
    """Free all kernels before Python ends; what others keep may lead to a cache."""
    for cache in list(_caches):
        cache.drop()
