"""A distributed sort: workers sample, the client splits, and workers merge.

Each list of entries is sorted where it is. From samples of all lists, the client takes
coordinates between which there are about equally many entries; these may be anywhere in
a row, so that a heavy one is divided. Lists are cut there, and merged. No task has more
than a list and a piece: both are small, and there may be many of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._elements import DType
from nacho._pieces import entries
from nacho._pieces.engine import Engine, drained
from nacho._pieces.entries import Coordinates, Sampled

Ends = tuple[Coordinates | None, Coordinates | None]

_FEWEST_SAMPLES = 64
_MERGES = 2
"""So many merges are asked for at a time, for each task that runs at a time."""
_LARGEST_PIECE = 12 << 20
"""Pieces have no more bytes, unless fewer pieces are asked for."""


def sort(
    engine: Engine,
    handles: Iterable[Any],
    order: Sequence[int],
    dtype: DType,
    pieces: int | None,
) -> list[Any]:
    """Return handles of entries in order, from list to list, without duplicates.

    ``handles`` are entries by dimensions. Lists that are in order stay where they are,
    unless another number of pieces is wanted.
    """
    order = tuple(order)
    lists = [
        engine.submit("sort", entries.in_order, each, order, dtype) for each in handles
    ]
    wanted = max(pieces or engine.slots, _FEWEST_SAMPLES)
    samples: list[Sampled] = engine.fetch(
        [engine.submit("sample", entries.sampled, each, wanted) for each in lists]
    )
    if pieces in (None, len(lists)) and _are_in_order(samples):
        return lists
    size = sum(each.nbytes for each in samples)
    count = pieces or max(engine.slots, -(-size // _LARGEST_PIECE))
    shares = np.arange(1, count) / count
    if count == len(lists):
        # Lists that are almost in order keep most of their entries.
        sizes = np.cumsum([each.size for each in samples])
        shares = sizes[:-1] / max(sizes[-1], 1)
    bounds = list(pairwise([None, *splitters(samples, shares), None]))
    return _merged(engine, _buckets(engine, lists, samples, bounds))


def _merged(engine: Engine, buckets: list[list[Any]]) -> list[Any]:
    """Return handles of what is merged of each bucket; the list is empty then.

    Machines bring together at once what all tasks need that they are asked to run. So
    they are asked in rounds, all along their line, for a few each time.
    """
    count = len(buckets)
    rounds = -(-count // (_MERGES * engine.slots))
    merged: list[Any] = [None] * count
    for first in reversed(range(rounds)):
        numbers = range(first, count, rounds)
        for number in numbers:
            task = ("merge", entries.merged, buckets[number])
            merged[number] = engine.submit(*task, at=number / count)
            buckets[number] = []
        del task
        if first:
            sizes = (engine.submit("size", entries.size_of, merged[n]) for n in numbers)
            engine.fetch(list(sizes))
    return merged


def _buckets(
    engine: Engine, lists: list[Any], samples: Sequence[Sampled], bounds: Sequence[Ends]
) -> list[list[Any]]:
    """Return, for each two bounds, handles of what the lists have between them.

    All of a list is taken at once, so that it is not read again where lists do not fit
    in memory. There is one of each bucket at least, even if nothing is in it.
    """
    buckets: list[list[Any]] = [[] for _ in bounds]
    last = len(lists) - 1
    for number, each in enumerate(drained(lists)):
        for bucket, ends in zip(buckets, bounds, strict=True):
            if _has_between(samples[number], *ends) or (number == last and not bucket):
                bucket.append(engine.submit("bucket", entries.between, each, *ends))
    return buckets


def splitters(
    samples: Sequence[Sampled], shares: NDArray[np.float64]
) -> list[Coordinates]:
    """Return coordinates before which there are about these shares of all entries.

    A sample stands for as many entries as there are between it and the next.
    """
    weighted = sorted(
        (row, each.size / len(each.samples)) for each in samples for row in each.samples
    )
    if not weighted:
        return []
    before = np.cumsum([0.0, *(weight for _, weight in weighted)])
    # Sums of parts are not exact.
    targets = before[-1] * shares - 1e-9 * before[-1] / before.size
    places = np.searchsorted(before[:-1], targets, "left")
    last = len(weighted) - 1
    return [weighted[min(int(place), last)][0] for place in places]


def _are_in_order(samples: Sequence[Sampled]) -> bool:
    filled = [each for each in samples if each.size]
    return all(each.is_distinct for each in filled) and all(
        each.last < after.first for each, after in pairwise(filled)
    )


def _has_between(
    known: Sampled, lower: Coordinates | None, upper: Coordinates | None
) -> bool:
    """Return whether a list may have entries from some coordinates up to others."""
    is_before = lower is not None and known.last < lower
    is_behind = upper is not None and known.first >= upper
    return known.size > 0 and not is_before and not is_behind
