"""Checks that the names and the indices of an assignment make sense."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import NoReturn

from nacho._notation.shorthands import PLACES
from nacho._notation.tree import (
    Access,
    Assignment,
    Coordinate,
    Expr,
    Reduction,
    postorder,
)
from nacho.errors import ParseError, pointed


def require_well_formed(assignment: Assignment) -> None:
    """Refuse names and indices that contradict each other."""
    for check in (_check_result, _check_coordinates, _check_ranks, _check_names):
        check(assignment)


def _check_result(assignment: Assignment) -> None:
    result = assignment.result
    for access in assignment.accesses:
        if access.name == result.name:
            _refuse(assignment, f"the result '{result.name}' is also read", access)
    if not result.is_whole:
        has_number = any(map(str.isdecimal, result.indices))
        what = "coordinate" if has_number else "range"
        message = f"the left has a {what}: a result has all elements of its indices"
        _refuse(assignment, message, result)
    repeated = repeated_index(result)
    if repeated is not None:
        _refuse_repeated(assignment, repeated)
    known = {index for access in assignment.accesses for index in access.indices}
    for index in result.indices:
        if index not in known:
            message = f"index '{index}' on the left is an index of no operand"
            if index in assignment.coordinates:
                message += ", so that nothing says how many coordinates it has"
            _refuse(assignment, message, result)


def _refuse_repeated(assignment: Assignment, index: str) -> NoReturn:
    """Refuse a result that repeats an index; say how only its diagonal is stored."""
    result = assignment.result
    taken = {result.name, *assignment.operands, *result.indices}
    taken.update(*[access.indices for access in assignment.accesses])
    other = next(name for name in _names() if name not in taken)
    indices = list(result.indices)
    indices[len(indices) - 1 - indices[::-1].index(index)] = other
    _refuse(
        assignment,
        f"index '{index}' is repeated on the left: a diagonal is written "
        f"{result.name}[{','.join(indices)}] = keep(…, {index} == {other}), of a value "
        "with both indices",
        result,
    )


def _names() -> Iterator[str]:
    """Yield names of indices: letters, and then more."""
    yield from "jklmnopqrstuvwxyz"
    yield from map("j{}".format, count(2))


def _check_coordinates(assignment: Assignment) -> None:
    known = {index for access in assignment.accesses for index in access.indices}
    for node in postorder(assignment.expr):
        if isinstance(node, Coordinate) and node.indices[0] not in known:
            index = node.indices[0]
            message = (
                f"index '{index}' is a number here, but the index of no operand, so "
                "that nothing says how many coordinates it has"
            )
            _refuse(assignment, message, node)


def _check_ranks(assignment: Assignment) -> None:
    ranks: dict[str, int] = {}
    for access in assignment.accesses:
        rank = ranks.setdefault(access.name, len(access.indices))
        if rank != len(access.indices):
            message = (
                f"operand '{access.name}' is used with {len(access.indices)} and "
                f"with {rank} indices"
            )
            _refuse(assignment, message, access)


def _check_names(assignment: Assignment) -> None:
    names = {assignment.result.name, *assignment.operands}
    for access in (assignment.result, *assignment.accesses):
        for index in access.indices:
            if index in names:
                message = f"'{index}' is the name of an index and of a tensor"
                _refuse(assignment, message, access)


def require_reducible(node: Reduction, text: str) -> None:
    """Refuse a reduction over an index that is repeated, or that nothing in it has."""
    known = {
        index
        for each in postorder(node.operand)
        if isinstance(each, Access) and not isinstance(each, Coordinate)
        for index in each.indices
    }
    for index in node.indices:
        if index not in known or node.indices.count(index) > 1:
            wrong = "is repeated" if index in known else "is that of no operand in it"
            message = f"index '{index}' of the reduction {wrong}"
            raise ParseError(pointed(message, text, node.span))
    if node.op in PLACES and len(node.indices) > 1:
        message = f"'{node.op}' has one index, of which its result is a coordinate"
        raise ParseError(pointed(message, text, node.span))


def repeated_index(access: Access) -> str | None:
    """Return the first index that an access uses twice."""
    seen: set[str] = set()
    for index in access.indices:
        if index in seen:
            return index
        seen.add(index)
    return None


def _refuse(assignment: Assignment, message: str, node: Expr) -> NoReturn:
    raise ParseError(pointed(message, assignment.text, node.span))
