"""The extents of indices: all operands must agree on them, and the result has them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from math import prod
from typing import NoReturn

from nacho._notation.shorthands import name_written
from nacho._notation.tree import Access, Assignment, Binary, Reduction, postorder
from nacho._storage.formats import Format, TensorType
from nacho._storage.views import View
from nacho.errors import ReductionError, ShapeError, pointed

Views = Mapping[str, View]
"""The views of the operands with indices, by name."""

Extents = Mapping[str, int]
"""The extent of every index."""


def index_extents(assignment: Assignment, views: Views) -> dict[str, int]:
    """Return the extent of every index, or refuse two that contradict each other."""
    shapes = {name: view.shape for name, view in views.items()}
    return known_extents(assignment, shapes)


def known_extents(
    assignment: Assignment, shapes: Mapping[str, Sequence[int]]
) -> dict[str, int]:
    """Return the extents of the indices of operands whose shapes are known.

    Two that contradict each other are refused.
    """
    found = dict(assignment.extents)
    for access in assignment.accesses:
        if access.name not in shapes:
            continue
        extents = access.extents(shapes[access.name])
        for place, (index, extent) in enumerate(
            zip(access.indices, extents, strict=False)
        ):
            if index.isdecimal():
                if int(index) >= extent:
                    _refuse_coordinate(assignment, access, place, shapes[access.name])
            elif found.setdefault(index, extent) != extent:
                _refuse(assignment, shapes, access, index, (found[index], extent))
    return found


def _refuse_coordinate(
    assignment: Assignment, access: Access, place: int, shape: Sequence[int]
) -> NoReturn:
    """Refuse a number in place of an index, since no element is there."""
    coordinate = access.indices[place]
    if access.ranges:
        coordinate = access.ranges[place].number(coordinate)
    message = (
        f"coordinate {coordinate} is out of bounds in dimension {place} of operand "
        f"'{access.name}', whose extent is {shape[place]}"
    )
    raise ShapeError(pointed(message, assignment.text, access.span))


def _refuse(
    assignment: Assignment,
    known: Container[str],
    access: Access,
    index: str,
    extents: tuple[int, int],
) -> NoReturn:
    before, extent = extents
    first = next(
        each
        for each in assignment.accesses
        if index in each.indices and each.name in known
    )
    message = (
        f"index '{index}' has extent {before} in {_named(first)}, but {extent} "
        f"in {_named(access)}"
    )
    raise ShapeError(pointed(message, assignment.text, access.span))


def _named(access: Access) -> str:
    part = f"{access.name}{access.subscript} of " if access.ranges else ""
    return f"{part}operand '{access.name}'"


def require_values(
    assignment: Assignment, extents: Extents, format: Format | None
) -> None:
    """Refuse a reduction over an empty index unless the result can be given.

    ``max=`` and ``min=`` of nothing have no value. ``*=`` of nothing is 1, which a
    sparse result has no entries for. ``=`` and ``+=`` of nothing are 0.
    """
    for node in assignment.nested:
        _require_value(assignment, node, extents)
    reduction = assignment.reduction
    bound = {index for node in assignment.nested for index in node.indices}
    over = [index for index in assignment.reduced if index not in bound]
    empty = next((index for index in over if not extents[index]), None)
    if reduction is None or empty is None:
        return
    reason = "has no value"
    if assignment.reduction_operator.identity == "one":
        result = assignment.result
        shape = [extents[index] for index in result.indices]
        if format is None or format.is_dense or 0 in shape:
            return
        reason = f"is 1, and result '{result.name}' ({format}) stores no such entries"
    message = f"the reduction '{reduction}' over the empty index '{empty}' {reason}"
    raise ReductionError(pointed(message, assignment.text, assignment.reduction_span))


def _require_value(assignment: Assignment, node: Reduction, extents: Extents) -> None:
    """Refuse a reduction inside of an expression that is one of nothing.

    Only a sum of nothing is 0, as an entry that is not stored is. Under a semiring, a
    reduction of nothing is its zero.
    """
    if node.stored is not None:
        return
    empty = next((index for index in node.indices if not extents[index]), None)
    if empty is not None and node.operator.identity != "zero":
        name = name_written(assignment.text, node)
        message = f"'{name}' over the empty index '{empty}'"
        message += " has nothing to reduce"
        raise ReductionError(pointed(message, assignment.text, node.span))


_MOST_WORK = (1 << 63) - 1


class WorkEstimate:
    """Estimates how many entries a call reads and writes."""

    def __init__(self, assignment: Assignment, types: Mapping[str, TensorType]) -> None:
        accesses = list(_sparse_accesses(assignment, types))
        driven = {index for access in accesses for index in access.indices}
        self.read = [access.name for access in accesses]
        self.accessed = [each.name for each in assignment.accesses if each.indices]
        self.multiplies = any(
            isinstance(node, Binary) and node.op == "mul"
            for node in postorder(assignment.expr)
        )
        bound = {index for node in assignment.nested for index in node.indices}
        outside = set(assignment.indices) - bound
        loops = [outside, *map(_loops_of, assignment.nested)]
        self.free = [each - driven for each in loops]

    def of(self, views: Views, extents: Extents) -> int:
        """Return the entries of all sparse operands times the steps for each."""
        work = sum([views[name].values.size for name in self.read]) if self.read else 1
        return min(work * self.steps(extents), _MOST_WORK)

    def are_products(self, views: Views, extents: Extents) -> bool:
        """Return whether the estimate counts products, and not what is read."""
        entries = sum(views[name].values.size for name in self.accessed)
        return self.multiplies and self.of(views, extents) > entries

    def steps(self, extents: Extents) -> int:
        """Return the product of the extents of free indices.

        An index is free if no sparse operand has it. Loops of one reduction after the
        other do not multiply: those count that take the most steps.
        """
        steps = [prod([extents[index] for index in free]) for free in self.free]
        return min(max(steps), _MOST_WORK)


def _loops_of(reduction: Reduction) -> set[str]:
    """Return the indices that a reduction has, but for those of others inside it."""
    nodes = list(postorder(reduction))
    inner = [node for node in nodes if isinstance(node, Reduction)]
    bound = {i for node in inner if node is not reduction for i in node.indices}
    read = {i for node in nodes if isinstance(node, Access) for i in node.variables}
    return (read | set(reduction.indices)) - bound


# --- Coordinates ----------------------------------------------------------------------


def sparse_names(types: Mapping[str, TensorType]) -> list[str]:
    """Return the names of the operands that have sparse levels."""
    return [
        name
        for name, type in types.items()
        if type.format is not None and not type.format.is_dense
    ]


def narrow_indices(
    assignment: Assignment, types: Mapping[str, TensorType], result: TensorType
) -> tuple[str, ...]:
    """Return the indices of the result whose coordinates may overflow int32 ``crd``.

    An index is safe if there are sparse operands and all store it as int32.
    """
    if result.format is None or result.crd_width > 32:
        return ()
    stored = [result.format.order[level] for level in result.format.stored]
    accesses = list(_sparse_accesses(assignment, types))
    return tuple(
        index
        for index in (assignment.result.indices[dimension] for dimension in stored)
        if not accesses
        or not all(_stores_narrow(index, each, types[each.name]) for each in accesses)
    )


def _sparse_accesses(
    assignment: Assignment, types: Mapping[str, TensorType]
) -> Iterable[Access]:
    sparse = sparse_names(types)
    return (access for access in assignment.accesses if access.name in sparse)


def _stores_narrow(index: str, access: Access, type: TensorType) -> bool:
    """Return whether an access stores the coordinates of an index, as int32."""
    if index not in access.indices or type.crd_width > 32:
        return False
    assert type.format is not None
    level = type.format.order.index(access.indices.index(index))
    return level in type.format.stored
