"""Operands that a statement accesses several times, each time under another name.

Then each access is cut as if it were to an operand of its own. All are the same pieces.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from nacho._notation.parser import parse
from nacho._notation.tree import Access, Assignment, postorder


def named_apart(
    assignment: Assignment, names: Collection[str]
) -> tuple[Assignment, dict[str, Access]]:
    """Return a statement with a name for each access to some operands.

    Also return which accesses have the new names: all but the first to each operand.
    """
    taken = {*assignment.indices, *assignment.operands, assignment.result.name}
    found: dict[tuple[str, tuple[str, ...]], str] = {}
    renamed: dict[str, Access] = {}
    for access in assignment.accesses:
        if access.name not in names:
            continue
        name, number = access.name, 1
        while any(name == known for known in found.values()) or (
            number > 1 and name in taken
        ):
            number += 1
            name = f"{access.name}_{number}"
        found[access.name, access.indices] = name
        if number > 1:
            renamed[name] = access
    if not renamed:
        return assignment, {}
    text = assignment.text
    spans = {
        node.span: node
        for node in postorder(assignment.expr)
        if isinstance(node, Access)
    }
    for (begin, _), access in sorted(spans.items(), reverse=True):
        name = found.get((access.name, access.indices), access.name)
        text = f"{text[:begin]}{name}{text[begin + len(access.name) :]}"
    return replace(parse(text), semiring=assignment.semiring), renamed
