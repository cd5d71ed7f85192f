"""The pieces of a result: their cuts, and what each has of the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from nacho._kernels.program import Layout
from nacho._pieces import lists, tasks
from nacho._pieces.engine import Engine
from nacho._pieces.tensor import Numbers, Pieces, sharing
from nacho._pieces.windows import Range


def cuts_of(
    layout: Layout,
    extents: Sequence[int],
    counts: Sequence[int],
    loops: Sequence[int],
    rows: Numbers,
    written: list[list[Range]],
) -> tuple[Numbers, Numbers]:
    """Return the coordinates of cuts in a result, and its positions there.

    ``loops`` are the numbers of the loops over its levels, ``rows`` the cuts of the
    step, and ``written`` what each piece has of every array.
    """
    rank = len(layout.levels)
    coordinates = np.zeros((len(rows), rank), np.int64)
    positions = np.zeros((len(rows), rank), np.int64)
    for n, loop in enumerate(loops):
        if loop != n:
            break
        coordinates[:, n] = rows[:, 1 + loop]
    for row, ranges in enumerate(written[1:], start=1):
        positions[row] = _positions(layout, extents, ranges, coordinates[row])
    if rank:
        coordinates[-1] = 0
        coordinates[-1, 0] = extents[0]
        positions[-1] = counts
    return coordinates, positions


def _positions(
    layout: Layout, extents: Sequence[int], written: list[Range], coordinates: Numbers
) -> list[int]:
    """Return the positions at which windows of a result begin, by level."""
    found: list[int] = []
    begins = iter(begin for begin, _ in written)
    for n, level in enumerate(layout.levels):
        own: dict[bool, int] = {}
        for array in level.arrays:
            own[array.holds_positions] = next(begins) // max(array.per_entry, 1)
        if True in own and n:
            # Whoever ends a fiber writes where it ends.
            found[n - 1] = own[True] - 1
        if level.is_full:
            parent = found[n - 1] if n else 0
            found.append(parent * extents[n] + int(coordinates[n]))
        else:
            found.append(own[False])
    values = next(begins)
    for n in range(len(layout.levels) - 1, -1, -1):
        if not layout.levels[n].is_full:
            break
        found[n] = values
        values //= max(extents[n], 1)
    return found


def counts_of(layout: Layout, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the number of positions of each level of a result."""
    counts: list[int] = []
    for n, level in enumerate(layout.levels):
        parents = counts[-1] if counts else 1
        counts.append(parents * sizes[n] if level.is_full else sizes[n])
    return tuple(counts)


def with_sums(made: Sequence[Any], engine: Engine) -> list[Any]:
    """Return the windows of a list, whose costs become the sums of all so far."""
    handles = [engine.submit("cost-list", lists.total_cost, each) for each in made]
    before = [0, *accumulate(engine.fetch(handles))]
    return [
        engine.submit("sum-list", lists.with_sums, each, sum)
        for each, sum in zip(made, before, strict=False)
    ]


def with_runs(made: Pieces, engine: Engine) -> Pieces:
    """Return pieces whose cuts begin where runs of equal coordinates begin.

    Levels that share positions have such runs, and a cut may divide one. The pieces
    that are given have their own elements only.
    """
    levels = [n for n in range(len(made.counts)) if sharing(made.layout, n)[-1] != n]
    if not levels or made.count < 2:
        return made
    ends = engine.fetch(
        [
            engine.submit("ends", tasks.last_runs, made.layout, levels, each)
            for each in made.handles[:-1]
        ]
    )
    positions = made.positions.copy()
    for m, n in enumerate(levels):
        first = sharing(made.layout, n)[0]
        for cut in range(1, made.count):
            asked = tuple(made.coordinates[cut, first : n + 1].tolist())
            for piece in reversed(range(cut)):
                end = ends[piece]
                if end is None:
                    continue
                if end.coordinates[: len(asked)] != asked:
                    break
                positions[cut, n] = end.begins[m]
                if not end.go_on[m]:
                    break
    return replace(made, positions=positions)


def sealed(made: Pieces, engine: Engine) -> Pieces:
    """Return pieces that have what the piece behind them tells of fibers they end in.

    Those that are given have their own elements only.
    """
    handles: list[Any] = []
    for piece in range(made.count):
        ranges = made.all_ranges[piece]
        parts = [made.handles[piece]]
        for other in made.owners(ranges):
            if other != piece:
                part = (f"cut-result-{other}", tasks.taken, made.handles[other], ranges)
                parts.append(engine.submit(*part, turn=other))
        first = made.counts[0] if made.layout.levels else 0
        seal = (f"seal-{piece}", tasks.sealed, made.layout, first, ranges, parts)
        handles.append(engine.submit(*seal, turn=piece))
    return replace(made, handles=tuple(handles))
