"""A distributed sort: workers sample, the client splits, and workers merge.

Each list of entries is sorted where it is. From samples of all lists, the client takes
coordinates between which there are about equally many entries; these may be anywhere in
a row, so that a heavy one is divided. Lists are cut there, and merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from nacho._elements import DType
from nacho._pieces import entries
from nacho._pieces.engine import Engine
from nacho._pieces.entries import Coordinates, Sampled

_FEWEST_SAMPLES = 16


def sort(
    engine: Engine,
    handles: Sequence[Any],
    order: Sequence[int],
    dtype: DType,
    pieces: int | None,
) -> list[Any]:
    """Return handles of entries in order, from list to list, without duplicates.

    ``handles`` are entries by dimensions. Lists that are in order stay where they are,
    unless another number of pieces is wanted.
    """
    count = pieces or engine.slots
    order = tuple(order)
    lists = [
        engine.submit("sort", entries.in_order, each, order, dtype) for each in handles
    ]
    wanted = max(count, _FEWEST_SAMPLES)
    samples: list[Sampled] = engine.fetch(
        [engine.submit("sample", entries.sampled, each, wanted) for each in lists]
    )
    if pieces in (None, len(lists)) and _are_in_order(samples):
        return lists
    bounds = [None, *splitters(samples, count), None]
    return [
        engine.submit(
            "merge",
            entries.merged,
            [
                engine.submit("bucket", entries.between, each, lower, upper)
                for each in lists
            ],
            at=number / count,
        )
        for number, (lower, upper) in enumerate(pairwise(bounds))
    ]


def splitters(samples: Sequence[Sampled], count: int) -> list[Coordinates]:
    """Return coordinates between buckets with about equally many entries.

    A sample stands for as many entries as there are between it and the next.
    """
    weighted = sorted(
        (row, each.size / len(each.samples)) for each in samples for row in each.samples
    )
    if not weighted:
        return []
    before = np.cumsum([0.0, *(weight for _, weight in weighted)])
    targets = before[-1] * np.arange(1, count) / count
    places = np.searchsorted(before[:-1], targets, "left")
    last = len(weighted) - 1
    return [weighted[min(int(place), last)][0] for place in places]


def _are_in_order(samples: Sequence[Sampled]) -> bool:
    filled = [each for each in samples if each.size]
    return all(each.is_distinct for each in filled) and all(
        each.last < after.first for each, after in pairwise(filled)
    )
