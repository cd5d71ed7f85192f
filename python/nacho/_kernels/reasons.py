"""Why the loops of a statement are in their order, as ``explain`` tells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations
from typing import TYPE_CHECKING

from nacho._kernels.options import Lowering
from nacho._kernels.statement import Statement

if TYPE_CHECKING:
    from nacho import _nacho

_MOST_COUNTED = 7
"""Orders of more indices are not counted."""


def loop_order(loops: Sequence[_nacho.LoopDescription]) -> tuple[str, ...]:
    """Return the indices of the loops of the last nest, outermost first."""
    starts = [number for number, loop in enumerate(loops) if loop.depth == 0]
    last = loops[starts[-1] :] if starts else ()
    return tuple(dict.fromkeys(loop.index for loop in last))


def reason_of_order(
    statement: Statement, lowering: Lowering, order: Sequence[str]
) -> str:
    """Say why the loops are in an order."""
    if lowering.order:
        return "order= asks for it"
    if not statement.is_notation:
        return "it is that of the module"
    return _reason_of_choice(statement, order) + _skew(statement)


def _reason_of_choice(statement: Statement, order: Sequence[str]) -> str:
    """Say why the compiler chose an order."""
    chains = _chains(statement)
    turned = [name for name, chain in chains if not _agree(order, [chain])]
    if turned:
        names = ", ".join(dict.fromkeys(turned))
        return f"expected to be the cheapest, although {names} has to be transposed"
    names = ", ".join(dict.fromkeys(name for name, chain in chains if len(chain) > 1))
    indices = statement.assignment.indices
    if not names or len(indices) > _MOST_COUNTED:
        return "expected to be the cheapest"
    lists = [chain for _, chain in chains]
    count = sum(_agree(each, lists) for each in permutations(indices))
    if count == 1:
        return f"the only one in which {names} can be read as stored"
    return (
        f"expected to be the cheapest of the {count} in which {names} can be read as "
        "stored"
    )


def _skew(statement: Statement) -> str:
    """Say in which indices entries of operands meet more often than others would."""
    found: dict[str, int] = {}
    sizes = dict(
        zip(statement.assignment.tensors, statement.typing.sizes, strict=False)
    )
    for access in statement.assignment.accesses:
        skew = sizes.get(access.name, ())[len(access.indices) + 1 :]
        for index, factor in zip(access.indices, skew, strict=False):
            if factor > 1:
                found[index] = max(factor, found.get(index, 1))
    if not found:
        return ""
    each = ", ".join(f"{factor} in {index}" for index, factor in found.items())
    return (
        "; entries of operands meet more often than if they were spread evenly, by "
        f"factors of about {each}"
    )


def _chains(statement: Statement) -> list[tuple[str, tuple[str, ...]]]:
    """Return, per access to a sparse operand, its indices in the order of levels."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for access in statement.assignment.accesses:
        format = statement.types[access.name].format
        if format is not None and not format.is_dense:
            chain = tuple(access.indices[dimension] for dimension in format.order)
            found.append((access.name, chain))
    return found


def _agree(order: Sequence[str], chains: Sequence[Sequence[str]]) -> bool:
    """Return whether an order of loops has the indices of every chain in its order."""
    place = {index: number for number, index in enumerate(order)}
    return all(
        place.get(outer, -1) <= place.get(inner, len(place))
        for chain in chains
        for outer, inner in pairwise(chain)
    )
