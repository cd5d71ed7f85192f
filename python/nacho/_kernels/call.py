"""Calls: operands as the caller gives them, as views, and as a kernel reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nacho._kernels.request import Running
from nacho._notation.tree import Assignment, identifier
from nacho._storage.blocks import split_view
from nacho._storage.containers import view_of
from nacho._storage.views import View
from nacho.errors import ArgumentError


class Call(NamedTuple):
    """Checked operands, laid out for the extension."""

    given: Sequence[Any]
    """The containers and numbers of the caller."""
    args: list[object]
    """The arguments of the compiled kernel: arrays and extents."""
    loaded: dict[str, View]
    """The operands with indices, as the kernel reads them."""
    extents: dict[str, int]
    """The extents of the indices."""
    asked: tuple[int, int, int, int]
    """The parts and threads that the caller asked for, the work, the most memory.

    What the caller did not ask for is 0. The work is an estimate of how many entries
    are read and written (``WorkEstimate``).
    """
    kind: Any
    """The class of the result; None stands for ``nacho.Tensor``."""
    place: str
    """Where the result is: "cpu", or the target that has it in its memory."""
    running: Running
    """The options of the call."""


def bind(
    names: tuple[str, ...], operands: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """Return the operands in order, as Python binds arguments to parameters."""
    if not named and len(operands) == len(names):
        return list(operands)
    expected = ", ".join(names)
    if len(operands) > len(names):
        raise ArgumentError(
            f"{len(operands)} operands given, expected {len(names)}: {expected}"
        )
    bound = dict(zip(names, operands, strict=False))
    for spelled, value in named.items():
        name = identifier(spelled)
        if name not in names:
            raise ArgumentError(f"no operand is named '{name}', expected: {expected}")
        if name in bound:
            raise ArgumentError(f"operand '{name}' is given twice")
        bound[name] = value
    missing = [name for name in names if name not in bound]
    if missing:
        shown = ", ".join(f"'{name}'" for name in missing)
        raise ArgumentError(f"missing operand {shown}, expected: {expected}")
    return [bound[name] for name in names]


def views_of(assignment: Assignment, given: Sequence[Any]) -> dict[str, View]:
    """Return views of the operands that have indices, by name."""
    if assignment.splits:
        return _split_views(assignment, given)
    return {
        name: view_of(name, value, rank)
        for (name, rank), value in zip(assignment.ranks.items(), given, strict=True)
        if rank
    }


def _split_views(assignment: Assignment, given: Sequence[Any]) -> dict[str, View]:
    """Return views of operands, some of which have more indices than dimensions."""
    views: dict[str, View] = {}
    for (name, rank), value in zip(assignment.ranks.items(), given, strict=True):
        split = assignment.split_of(name)
        if split is not None:
            views[name] = split_view(name, value, split)
        elif rank:
            views[name] = view_of(name, value, rank)
    return views
