"""The specialisers of expressions, one for each choice of formats and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nacho._kernels.blocks import split_by_blocks
from nacho._kernels.cache import Cache
from nacho._kernels.devices import target_for
from nacho._kernels.given import views_of_operands
from nacho._kernels.logs import LOGGER
from nacho._kernels.options import Lowering, Options, Running
from nacho._kernels.pins import Pin, requested_format
from nacho._kernels.specialiser import Specialiser
from nacho._kernels.statement import NotationSource
from nacho._notation.limits import require_supported
from nacho._notation.tree import Assignment
from nacho._storage.formats import Format
from nacho._storage.results import library_of
from nacho._storage.views import View

_specialisers: Cache[Specialiser] = Cache()


def prepared(
    assignment: Assignment, given: Sequence[Any], options: Options
) -> tuple[Specialiser, dict[str, View], Running]:
    """Return the specialiser for these operands, their views, and how it is run.

    Without a target, it is the device where the operands are.
    """
    lowering, running = options.lowering(assignment), options.running()
    room = options.room(assignment)
    asked = options.format if room is None else room.format
    running = running._replace(out=room)
    assignment, out = split_by_blocks(assignment, given, asked, lowering)
    views = views_of_operands(assignment, given)
    if not options.is_placed:
        lowering = lowering.on(target_for(views.values()))
    return specialiser_for(assignment, views, out, lowering), views, running


def specialiser_for(
    assignment: Assignment,
    views: Mapping[str, View],
    out: str | Format | None,
    lowering: Lowering,
) -> Specialiser:
    """Return the specialiser for operands of these formats and of any types."""
    if out is not None and type(out) is not str:
        out = Format(out)
    library = library_of(list(views.values()))
    formats = [view.format.name for view in views.values()]
    splits = assignment.splits
    asked = (assignment.text, assignment.semiring, splits, out, lowering)
    key = (*asked, library, *formats)
    found = _specialisers.find(key)
    if found is not None:
        LOGGER.debug("'%s': kernel found in memory", assignment.text)
        return found
    return _specialisers.get(
        key, lambda: _specialiser(assignment, views, out, library, lowering)
    )


def _specialiser(
    assignment: Assignment,
    views: Mapping[str, View],
    out: str | Format | None,
    library: str,
    lowering: Lowering,
) -> Specialiser:
    result = assignment.result.name
    pins = {name: Pin() for name in (*assignment.operands, result)}
    pins |= {name: Pin(view.format) for name, view in views.items()}
    if out is not None:
        require_supported(assignment)
        pins[result] = Pin(requested_format(assignment, out))
    source = NotationSource(assignment, pins, lowering, library)
    return Specialiser(source, lowering)
