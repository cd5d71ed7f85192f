"""The lengths of arrays: each has to fit the arrays of the levels around it."""

from __future__ import annotations

from typing import NoReturn

from nacho._storage.views import Array, View, subject
from nacho.errors import OperandError


def filled(name: str | None, view: View) -> View:
    """Check all lengths; return a view whose arrays end with the last entry.

    SciPy allows ``indices`` and ``data`` to be longer than ``indptr[-1]``.
    """
    if view.layout == "coo":
        _require_equal_lengths(name, view)
    count, longer = 1, False
    for level, kind in enumerate(view.format.level_kinds):
        parents, extent = count, view.extents[level]
        if kind.is_full:
            count = kind.count(None, None, parents, extent)
            continue
        pos, crd = view.pos[level], view.crd[level]
        if crd is None or crd.ndim != 1 or len(view.format.sharing[level]) > 1:
            crd = _required_column(name, view, level)
        if pos is not None:
            _require_length(name, view, level, pos, parents)
        count = kind.count(pos, view.crd[level], parents, extent)
        needed = kind.crd_length(parents, count, extent)
        if count < 0 or not needed <= crd.size:
            _refuse_end(name, view, level, needed)
        longer = longer or crd.size > needed
    return _with_values(name, view, count, longer)


def _required_column(name: str | None, view: View, level: int) -> Array:
    """Return the coordinates of a level, or refuse an array of other dimensions."""
    levels = view.format.sharing[level]
    crd = view.crd[levels[0]]
    assert crd is not None
    columns = crd.shape[1:]
    if len(levels) == 1 and crd.ndim != 1:
        label = view.crd_label(level)
        message = f"{label} has {crd.ndim} dimensions, expected 1"
        raise OperandError(f"{subject(name)}: {message}")
    if len(levels) > 1 and columns != (len(levels),):
        message = f"crd[{levels[0]}] has shape {crd.shape}"
        expected = f"expected one column for each of {len(levels)} levels"
        raise OperandError(f"{subject(name)}: {message}, {expected}")
    return view.crd_at(level)


def _require_length(
    name: str | None, view: View, level: int, pos: Array, parents: int
) -> None:
    kind = view.format.level_kinds[level]
    length = kind.pos_length(parents, view.extents[level])
    if pos.ndim != 1 or pos.size != length:
        label = view.pos_label(level)
        message = f"{label} has shape {pos.shape}, expected ({length},)"
        raise OperandError(f"{subject(name)}: {message}")


def _with_values(name: str | None, view: View, count: int, longer: bool) -> View:
    """Check the number of values, and shorten arrays that are longer than necessary."""
    values = view.values
    wanted = view.extents if view.format.is_dense else (count,)
    if view.format.is_dense:
        fits = values.shape == wanted
    else:
        fits = values.ndim == 1 and values.size >= count
    if not fits:
        message = f"{view.values_label} has shape {values.shape}, expected {wanted}"
        raise OperandError(f"{subject(name)}: {message}")
    if values.size == count and not longer:
        return view
    crd = [None if array is None else array[:end] for array, end in _ends(view)]
    return view.with_arrays(view.pos, tuple(crd), values[:count])


def _ends(view: View) -> list[tuple[Array | None, int]]:
    """Return ``crd`` of each level, and the items of it that are used."""
    ends: list[tuple[Array | None, int]] = []
    count = 1
    for level, kind in enumerate(view.format.level_kinds):
        parents, extent, pos = count, view.extents[level], view.pos[level]
        count = kind.count(pos, view.crd[level], parents, extent)
        ends.append((view.crd[level], kind.crd_length(parents, count, extent)))
    return ends


def _require_equal_lengths(name: str | None, view: View) -> None:
    for level in view.format.stored:
        crd = view.crd_at(level)
        if crd.shape != view.values.shape:
            raise OperandError(
                f"{subject(name)}: {view.crd_label(level)} has shape {crd.shape}, but "
                f"{view.values_label} has shape {view.values.shape}"
            )


def _refuse_end(name: str | None, view: View, level: int, count: int) -> NoReturn:
    if view.format.level_kinds[level].fixes_crd:
        label, size = view.crd_label(level), view.crd_at(level).size
        message = f"{label} has {size} entries, expected {count}"
        raise OperandError(f"{subject(name)}: {message}")
    parent = max(above for above in view.format.compressed if above <= level)
    raise OperandError(
        f"{subject(name)}: {view.pos_label(parent)}[{view.pos_at(parent).size - 1}] "
        f"= {count}, but {view.crd_label(level)} has {view.crd_at(level).size} entries"
    )
