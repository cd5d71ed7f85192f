"""Where in the expression the lines of the IR come from.

The compiler keeps the names of tensors, indices and values of the expression, and
derives those of fibers, positions and arrays from them: ``%A1``, ``%posA`` and
``%A_crd1`` belong to A. A line comes from what the first name on it stands for: that is
its result or, if it has none, its first operand. Names that the compiler has made up,
such as ``%7``, tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nacho._kernels.statement import Statement
from nacho._notation.promotion import kinds_of
from nacho.errors import Span
from nacho.mlir._emit import spans_of_values, spelled_indices

_NAME = re.compile(r"%([\w.$-]+)")
_CONSTANT = re.compile(r"%([\w.$-]+) = (?:arith|llvm\.mlir)\.constant\b")
_HEAD = re.compile(r"\bfunc(?:\.func)? ")
_COPY = re.compile(r"_\d+$")
"""What the printer adds to a name that another value has already."""
_DERIVED = r"(?:pos|cost|loops)?{}\d*(?:_(?:pos|crd|values|extent|flat)\d*)?"


@dataclass(frozen=True)
class Origins:
    """What the names of the IR stand for, by places in the text of the expression."""

    text: str
    exact: Mapping[str, Sequence[Span]]
    """Names of values and indices."""
    tensors: Mapping[str, Sequence[Span]]

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {
            name: re.compile(_DERIVED.format(re.escape(name))) for name in self.tensors
        }

    @classmethod
    def of(cls, statement: Statement) -> Origins:
        assignment = statement.assignment
        names = assignment.operands
        types = dict(zip(names, statement.typing.kinds, strict=True))
        kinds = kinds_of(assignment, types)
        given = (assignment, statement.types, statement.result, kinds)
        exact = dict(spans_of_values(*given)) if statement.is_notation else {}
        # A literal has no name of its own.
        exact.pop("", None)
        for index, name in spelled_indices(assignment).items():
            exact[name] = _words(assignment.text, index)
        stored = (*assignment.tensors, assignment.result.name)
        tensors = {name: _words(assignment.text, name) for name in stored}
        return cls(assignment.text, exact, tensors)

    def of_lines(self, text: str) -> list[str | None]:
        """Return, per line, the key of what it comes from; None if it tells nothing.

        The names of constants, such as ``%c1``, may look like those of fibers.
        """
        found: list[str | None] = []
        constants: set[str] = set()
        for line in text.splitlines():
            is_head = _HEAD.search(line) is not None
            if is_head:
                constants = set()
            elif constant := _CONSTANT.search(line):
                constants.add(constant[1])
            name = None if is_head else _NAME.search(line)
            is_told = name is not None and name[1] not in constants
            found.append(self.of_name(name[1]) if name and is_told else None)
        return found

    def of_name(self, name: str) -> str | None:
        """Return the key of what a name stands for; copies of a name are like it."""
        while True:
            if name in self.exact or name in self.tensors:
                return name
            for tensor, pattern in self._patterns.items():
                if pattern.fullmatch(name):
                    return tensor
            shorter = _COPY.sub("", name)
            if shorter == name:
                return None
            name = shorter

    def spans(self, key: str) -> Sequence[Span]:
        return self.exact[key] if key in self.exact else self.tensors[key]

    def shown(self, key: str) -> str:
        """Return the text of an origin."""
        begin, end = self.spans(key)[0]
        return self.text[begin:end]


def _words(text: str, word: str) -> list[Span]:
    return [found.span() for found in re.finditer(rf"\b{re.escape(word)}\b", text)]
