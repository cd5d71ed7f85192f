"""From views with gaps between fibers to views without, and back."""

from __future__ import annotations

import numpy as np

from nacho._storage.formats import Format
from nacho._storage.loose_positions import in_pairs, lengths_of, positions_in
from nacho._storage.views import Array, View


def without_loose_levels(format: Format) -> Format:
    """Return the format with compressed levels in place of those with gaps."""
    if not format.has_gaps:
        return format
    levels = ((dim, kind.replace("loose_", "")) for dim, kind in format.levels)
    return Format.of_levels((*levels,)).for_rank(len(format.levels))


def without_gaps(view: View) -> View:
    """Return a view that has compressed levels in place of those with gaps: a copy.

    A view without such levels is returned as it is.
    """
    if not view.format.has_gaps:
        return view
    pos: list[Array | None] = [None] * len(view.pos)
    crd: list[Array | None] = [None] * len(view.crd)
    kept = np.zeros(1, np.int64)
    """The positions of the level above that are left, in their order."""
    for level, kind in enumerate(view.format.level_kinds):
        if kind.is_full:
            extent = view.extents[level]
            kept = (kept[:, None] * extent + np.arange(extent)).reshape(-1)
        elif kind.has_pos:
            ends = view.pos_at(level)
            pairs = ends if kind.has_gaps else in_pairs(ends)
            lengths = lengths_of(pairs)[kept]
            pos[level] = np.append(0, np.cumsum(lengths)).astype(ends.dtype)
            kept = positions_in(pairs[::2][kept], lengths)
        if level in view.format.owners:
            crd[level] = view.array_at(level)[kept]
    tight = without_loose_levels(view.format)
    values = view.values[kept]
    return View(tight, view.shape, (*pos,), (*crd,), values, view.library)


def with_gaps(view: View, wanted: Format) -> View:
    """Return a view of a format in which there may be gaps; there are none so far."""
    pos = (
        in_pairs(array) if array is not None and kind.has_gaps else array
        for array, kind in zip(view.pos, wanted.level_kinds, strict=True)
    )
    return View(wanted, view.shape, (*pos,), view.crd, view.values, view.library)
