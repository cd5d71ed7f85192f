"""Pictures of the operands of a call, with the cuts of its nests drawn over them.

The cuts are those of the compiler: the coordinates that each part begins with. They are
drawn over an operand that the outermost loop runs over. Of other operands, such as B in
``A[i,j] * B[j,k]``, each part reads what the coordinates of its loops ask for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nacho._kernels.nests import Nest
from nacho._kernels.program import Program
from nacho._notation.tree import Access
from nacho._pictures.pattern import Cuts, Grid, Pattern
from nacho._storage.conversion import coordinates
from nacho._storage.device_arrays import HOST
from nacho._storage.views import View

if TYPE_CHECKING:
    from nacho import _nacho

Nests = Sequence[Nest]

Coordinates = NDArray[Any]


class _Axes(NamedTuple):
    """Which dimensions of an operand are drawn."""

    rows: int | None
    """None for a vector, which is drawn as a matrix with one row."""
    columns: int


def drawn(
    program: Program,
    loaded: Mapping[str, View],
    cuts: Mapping[int, Nests],
    loops: Sequence[_nacho.LoopDescription],
) -> list[Pattern]:
    """Draw the sparse operands of a call, as far as they are in the host's memory.

    ``cuts`` has the nests for each number of parts that was asked for. ``loops`` are
    those of the IR, which say what is visited.
    """
    found: dict[str, Access] = {}
    accesses = program.statement.assignment.accesses
    for access in accesses:
        view = loaded.get(access.name)
        if view and not view.format.is_dense and view.device == HOST:
            found.setdefault(access.name, access)
    names = [access.name for access in accesses]
    return [
        _pattern(
            access,
            # In a program of several statements, it is not known which of them reads
            # which of several accesses to an operand.
            {} if program.is_rewritten and names.count(name) > 1 else cuts,
            loaded,
            loops,
        )
        for name, access in found.items()
    ]


def _pattern(
    access: Access,
    cuts: Mapping[int, Nests],
    loaded: Mapping[str, View],
    loops: Sequence[_nacho.LoopDescription],
) -> Pattern:
    view = loaded[access.name]
    nests = {parts: _nest_of(access, nests) for parts, nests in cuts.items()}
    known = {parts: nest for parts, nest in nests.items() if nest is not None}
    orders = list(dict.fromkeys(nest.order for nest in known.values()))
    axes = _axes(access, orders[0] if orders else ())
    placed = {
        parts: _cuts(access, axes, nest)
        for parts, nest in known.items()
        if access.indices.index(nest.order[0]) in axes
    }
    shown = access.name + access.subscript
    outer = orders[0][0] if orders else None
    grid = _grid(access, axes, outer, loaded, loops)
    caption = _caption(shown, view, axes, grid, orders)
    return Pattern(shown, caption, grid, placed)


def _nest_of(access: Access, nests: Nests) -> Nest | None:
    """Return the last nest that reads an operand and whose outermost loop is its own.

    A diagonal, as in ``A[i,i]``, has one coordinate for two dimensions, and a range has
    other coordinates than the operand.
    """
    if access.ranges or len(set(access.indices)) < len(access.indices):
        return None
    return next(
        (
            nest
            for nest in reversed(nests)
            if access.name in nest.positions and nest.order[0] in access.indices
        ),
        None,
    )


def _axes(access: Access, order: Sequence[str]) -> _Axes:
    """Return the two dimensions that are cut first; rows of a matrix stay rows."""
    rank = len(access.indices)
    if rank <= 2:
        return _Axes(0, 1) if rank == 2 else _Axes(None, 0)
    wanted = [access.indices.index(index) for index in order if index in access.indices]
    first, second, *_ = dict.fromkeys([*wanted, *range(rank)])
    return _Axes(first, second)


def _grid(
    access: Access,
    axes: _Axes,
    outer: str | None,
    loaded: Mapping[str, View],
    loops: Sequence[_nacho.LoopDescription],
) -> Grid:
    """Count the entries; ``outer`` is the index of the outermost loop over them."""
    view = loaded[access.name]
    by_level = coordinates(view)
    columns = {
        dimension: by_level[level] for level, dimension in enumerate(view.format.order)
    }
    is_visited = None
    if outer is not None:
        visited = _visited(access.name, outer, loaded, loops)
        if visited is not None:
            is_visited = np.isin(columns[access.indices.index(outer)], visited)
    across = columns[axes.columns]
    if axes.rows is None:
        shape, rows = (1, view.shape[0]), np.zeros_like(across)
    else:
        shape = (view.shape[axes.rows], view.shape[axes.columns])
        rows = columns[axes.rows]
    return Grid.of(shape, rows, across, is_visited)


def _cuts(access: Access, axes: _Axes, nest: Nest) -> Cuts:
    """Return the cuts as coordinates of the two dimensions that are drawn.

    A cut inside of a coordinate that is drawn is drawn where that begins.
    """
    names = [None if axis is None else access.indices[axis] for axis in axes]
    is_by_column = nest.order[0] == names[1]
    outer = nest.bounds[:, 0]
    inner = np.zeros_like(outer)
    if len(nest.order) > 1 and nest.order[1] == names[0 if is_by_column else 1]:
        inner = nest.bounds[:, 1]
    return Cuts(np.column_stack([outer, inner]), is_by_column)


def _visited(
    name: str,
    index: str,
    loaded: Mapping[str, View],
    loops: Sequence[_nacho.LoopDescription],
) -> Coordinates | None:
    """Return the coordinates that the outermost loop over an operand visits.

    They follow from the merge expression of the loop. None stands for all coordinates,
    also if the loop merges what is no operand.
    """
    found = [
        loop
        for loop in loops
        if loop.depth == 0 and loop.index == index and name in loop.operands
    ]
    if len(found) != 1 or any(operand not in loaded for operand in found[0].operands):
        return None
    visited: list[Coordinates] = []
    for point in found[0].lowest or [set()]:
        stored = [
            coordinates(view, 1)[0]
            for view in (loaded[operand] for operand in sorted(point))
            if not view.format.level_kinds[0].is_full
        ]
        if not stored:
            return None
        common = stored[0]
        for other in stored[1:]:
            common = np.intersect1d(common, other)
        visited.append(common)
    return np.unique(np.concatenate(visited))


def _caption(
    shown: str, view: View, axes: _Axes, grid: Grid, orders: Sequence[Sequence[str]]
) -> str:
    shape = " x ".join(f"{extent:,}" for extent in view.shape)
    texts = [f"{shown} is {shape} and has {view.values.size:,} entries."]
    if len(view.shape) > 2:
        texts.append(f"Dimensions {axes.rows} and {axes.columns} are drawn.")
    if not grid.is_exact:
        texts.append(
            f"A square stands for up to {grid.steps[0]:,} x {grid.steps[1]:,} "
            "coordinates; it is darker where there are more entries."
        )
    if orders:
        loops = " or ".join(", ".join(order) for order in orders)
        texts.append(f"The loops {loops} are cut where the lines are.")
    else:
        texts.append("The outermost loop that is cut does not run over its rows.")
    if grid.skipped is not None:
        texts.append("Gray entries are in rows that no loop visits.")
    return " ".join(texts)
