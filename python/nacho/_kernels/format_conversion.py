"""From one format to another: what a conversion leaves out, shares, and refuses.

A kernel moves the entries themselves.
"""

from __future__ import annotations

import numpy as np

from nacho._kernels.copies import copied
from nacho._kernels.sorting import sorted_entries
from nacho._storage.conversion import (
    coordinates,
    coordinates_by_dimension,
    index_type,
    packed,
    require_within,
)
from nacho._storage.formats import Format
from nacho._storage.layouts import coo_tensor_view
from nacho._storage.splitting import require_multiples, split_columns
from nacho._storage.usual_views import usual_view, with_levels_of
from nacho._storage.views import View, subject
from nacho.errors import OutOfMemoryError, UnsupportedError


def converted(view: View, wanted: Format, name: str | None = None) -> View:
    """Return a view with sorted entries in another format; unchanged arrays are shared.

    ``name`` is that of the operand in messages; None stands for a tensor being made.
    """
    if view.format == wanted:
        return view
    if wanted.not_packed:
        raise UnsupportedError(f"{subject(name)}: {wanted}: {wanted.not_packed}")
    view = usual_view(view)
    if view.format.parts or wanted.parts:
        require_within(view, name)
        return _through_coordinates(view, wanted, name)
    require_within(view, name)
    if not wanted.is_usual:
        return with_levels_of(wanted, converted(view, wanted.usual, name))
    given = _without_fill(view) if _leaves_zeros_out(view.format, wanted) else view
    if given.format == wanted:
        return given
    try:
        made = copied(given, wanted)
    except OutOfMemoryError as error:
        message = f"no memory to convert {view.format} to {wanted}"
        raise OutOfMemoryError(f"{subject(name)}: {message}") from error
    except UnsupportedError as error:
        message = f"{view.format} cannot be converted to {wanted}"
        raise UnsupportedError(f"{subject(name)}: {message}: {error}") from error
    return _sharing(given, made)


def _through_coordinates(view: View, wanted: Format, name: str | None) -> View:
    """Return a view in another format, by the coordinates of all its entries.

    Zeros that fill up blocks, or other dense levels, do not become entries.
    """
    columns, values = coordinates_by_dimension(view), view.values.reshape(-1)
    if view.format.level_kinds[-1].is_full:
        kept = np.flatnonzero(values)
        columns, values = [column[kept] for column in columns], values[kept]
    if wanted.parts:
        require_multiples(view.shape, wanted.parts, subject(name))
        columns = split_columns(columns, wanted.parts)
    else:
        columns = [columns[dimension] for dimension in wanted.order]
    return packed(wanted, view.shape, *sorted_entries(columns, values))


def _sharing(given: View, made: View) -> View:
    """Return ``made`` with the innermost ``crd`` and the values of ``given``.

    They are the same if the order of the levels is, and no innermost level is dense.
    """
    innermost = (given.format.level_kinds[-1], made.format.level_kinds[-1])
    is_any_full = any(kind.is_full for kind in innermost)
    if is_any_full or given.format.order != made.format.order:
        return made
    mine, other = given.crd[-1], made.crd[-1]
    if mine is not None and other is not None and mine.dtype == other.dtype:
        made.crd = (*made.crd[:-1], mine)
    made.values = given.values
    return made


# --- Zeros that fill up ---------------------------------------------------------------


def _leaves_zeros_out(given: Format, wanted: Format) -> bool:
    """Return whether zeros that fill up dense levels are left out of another format."""
    if not given.level_kinds[-1].is_full or wanted.is_dense:
        return False
    return given.is_dense or not wanted.level_kinds[-1].is_full


def _without_fill(view: View) -> View:
    """Return the values that are not zero, in coo with the same order of levels."""
    format, kinds = view.format, view.format.kinds
    depth = 1 + max(format.stored, default=-1)
    inner = view.extents[depth:]
    values = view.values.reshape(-1)
    kept = np.flatnonzero(values)
    width = index_type(view)
    columns = [column[kept // np.prod(inner)] for column in coordinates(view, depth)]
    columns += np.unravel_index(kept % np.prod(inner), inner)
    crd = tuple(column.astype(width, copy=False) for column in columns)
    coo = Format("coo").for_rank(len(kinds)).in_order(format.order)
    return coo_tensor_view(coo, view.shape, crd, values[kept])
