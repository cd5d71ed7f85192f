"""Where in the expression the values of the IR come from.

The compiler keeps the names of tensors, indices and values of the expression, and
derives those of fibers, positions and arrays from them: ``A1``, ``posA`` and ``A_crd1``
belong to A. Names that the compiler has made up tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nacho._kernels.statement import Statement
from nacho._mlir.emit import spans_of_values
from nacho._mlir.names import spelled_indices
from nacho._notation.promotion import kinds_of
from nacho._once import cached_property
from nacho.errors import Span

_DERIVED = r"(?:pos|cost|loops)?{}\d*(?:_(?:pos|crd|values|extent|flat)\d*)?"


@dataclass(frozen=True)
class Origins:
    """What the names of values stand for, by places in the text of the expression."""

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

    def of_name(self, name: str) -> str | None:
        """Return the key of what a name stands for; None if it tells nothing."""
        if name in self.exact or name in self.tensors:
            return name
        for tensor, pattern in self._patterns.items():
            if pattern.fullmatch(name):
                return tensor
        return None

    def spans(self, key: str) -> Sequence[Span]:
        return self.exact[key] if key in self.exact else self.tensors[key]

    def shown(self, key: str) -> str:
        """Return the text of an origin."""
        begin, end = self.spans(key)[0]
        return self.text[begin:end]


def _words(text: str, word: str) -> list[Span]:
    return [found.span() for found in re.finditer(rf"\b{re.escape(word)}\b", text)]
