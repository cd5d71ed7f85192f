"""From views of any levels to views of the usual ones, and back.

The usual levels store an item of ``crd`` for each entry, and nothing between entries.
"""

from __future__ import annotations

import numpy as np

from nacho._storage.formats import Format
from nacho._storage.level_kind import positions_in
from nacho._storage.views import Array, View, sound_positions


def usual_view(view: View) -> View:
    """Return a view that has usual levels in place of any others: a copy.

    A view without other levels is returned as it is.
    """
    if view.format.is_usual:
        return view
    pos: list[Array | None] = [None] * len(view.pos)
    crd: list[Array | None] = [None] * len(view.crd)
    kept = np.zeros(1, np.int64)
    """The positions of the level above that are left, in their order."""
    parents = 1
    """The number of positions of the level above, with those in gaps."""
    for level, kind in enumerate(view.format.level_kinds):
        extent, ends, stored = view.extents[level], view.pos[level], view.crd[level]
        if ends is not None:
            ends = sound_positions(view, level)
        if kind.is_full:
            kept = (kept[:, None] * extent + np.arange(extent)).reshape(-1)
        elif not kind.shares_positions:
            first, lengths = kind.fibers(ends, parents, extent)
            lengths = lengths[kept]
            width = view.crd_at(level).dtype if ends is None else ends.dtype
            pos[level] = np.append(0, np.cumsum(lengths)).astype(width)
            kept = positions_in(first[kept], lengths)
        if stored is not None:
            crd[level] = kind.coordinates(stored, extent)[kept]
        parents = kind.count(ends, stored, parents, extent)
    return View(
        view.format.usual, view.shape, (*pos,), (*crd,), view.values[kept], view.library
    )


def with_levels_of(wanted: Format, view: View) -> View:
    """Return a view in a format whose usual format is that of the view."""
    pos, crd = list(view.pos), list(view.crd)
    for level, kind in enumerate(wanted.level_kinds):
        ends, stored = pos[level], crd[level]
        if ends is not None and stored is not None:
            ends = sound_positions(view, level)
            made = kind.stored(ends, stored, view.extents[level])
            pos[level], crd[level] = made
    return View(wanted, view.shape, (*pos,), (*crd,), view.values, view.library)
