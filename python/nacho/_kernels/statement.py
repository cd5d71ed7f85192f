"""Statements: an assignment with the types of its tensors, written as MLIR.

Everything that is compiled becomes a statement first. In this order: unsupported
notation is refused, types are promoted, the result gets its format and its type, and
the MLIR of the statement is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from nacho._kernels.options import Lowering
from nacho._kernels.pins import Pin
from nacho._kernels.types import Typing
from nacho._mlir.emit import emit
from nacho._mlir.module import read_module
from nacho._notation.background import require_sparse
from nacho._notation.limits import require_supported
from nacho._notation.monoids import Semiring
from nacho._notation.parser import parse
from nacho._notation.promotion import Kinds, kinds_of
from nacho._notation.semirings import under
from nacho._notation.tree import Access, Assignment, Split
from nacho._notation.written_out import with_added, with_sums
from nacho._storage.formats import Format, TensorType
from nacho._storage.inference import result_format
from nacho._storage.results import holds
from nacho._storage.views import View

if TYPE_CHECKING:
    from nacho import _nacho


@dataclass(frozen=True, eq=False)
class Statement:
    """An assignment with the types of its tensors."""

    assignment: Assignment
    typing: Typing
    result: TensorType
    module: str | _nacho.Module
    """The module, at the `assign` stage: MLIR that is written, or that was read."""
    bindings: tuple[Access, ...]
    """The accesses, by the numbers that the compiler gives them."""
    limits: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Per weak operand, the integer types that its value has to fit into."""
    is_notation: bool = True
    """Whether the compiler chooses the loops; a module brings its own."""

    @property
    def written_out(self) -> str:
        """The expression, with all sums that it means."""
        text = self.assignment.text
        return with_sums(text) if self.is_notation else text

    @property
    def types(self) -> dict[str, TensorType]:
        """The types of the operands, by name."""
        names = self.assignment.operands
        return dict(zip(names, self.typing.operands, strict=True))


class Source(Protocol):
    """An expression or a module that can be compiled for operands of several types.

    It is pickled as text and options.
    """

    @property
    def assignment(self) -> Assignment: ...

    @property
    def pins(self) -> Mapping[str, Pin]:
        """Per operand and for the result, the parts of its type that are pinned."""
        ...

    @property
    def takes_sizes(self) -> bool:
        """Whether its statements may depend on the sizes of operands."""
        ...

    def require_shapes(self, views: Mapping[str, View], given: Sequence[Any]) -> None:
        """Refuse operands of shapes that the source does not allow."""

    def statement(self, typing: Typing) -> Statement:
        """Write the statement for operands of some types, or refuse it."""
        ...


class NotationSource:
    """An expression in the notation.

    The format of the result is pinned or inferred. If ``library`` is given, only
    formats are inferred for which that library has a container.
    """

    takes_sizes = True

    def __init__(
        self,
        assignment: Assignment,
        pins: Mapping[str, Pin],
        lowering: Lowering | None = None,
        library: str | None = None,
    ) -> None:
        require_supported(assignment)
        self.assignment = assignment
        self.pins = pins
        self.lowering = lowering or Lowering()
        self._library = library

    def __reduce__(self) -> tuple[Callable[..., NotationSource], tuple[Any, ...]]:
        assignment, pins = self.assignment, dict(self.pins)
        written = (assignment.text, assignment.semiring, assignment.splits)
        return _notation_source, (*written, pins, self.lowering, self._library)

    def adding(self, format: Format | None) -> NotationSource:
        """Return the source of ``+=`` with a tensor to add to, of the result's format.

        Like the result, it has the type that is pinned for the result, or else that of
        all operands.
        """
        written = self.assignment
        added = with_added(parse(written.text))
        name, new = written.result.name, added.result.name
        pin = replace(self.pins[name], format=format)
        pins = {**self.pins, new: pin}
        pins[name] = replace(pin, element=pin.element or pin.added)
        made = under(added, written.semiring)
        return NotationSource(made, pins, self.lowering, self._library)

    def require_shapes(self, views: Mapping[str, View], given: Sequence[Any]) -> None:
        """Do nothing, because an expression fits operands of any shape."""

    def statement(self, typing: Typing) -> Statement:
        assignment, names = self.assignment, self.assignment.operands
        types = dict(zip(names, typing.operands, strict=True))
        kinds = kinds_of(assignment, dict(zip(names, typing.kinds, strict=True)))
        result = self.result_type(kinds, types, typing.index_width)
        if result.format is not None and not result.format.is_dense:
            require_sparse(kinds)
        made = result
        if result.format is not None:
            made = replace(result, format=result.format.usual)
        sizes = dict(zip(assignment.tensors, typing.sizes, strict=False))
        text = emit(
            assignment,
            types,
            made,
            kinds,
            self.lowering.order,
            sizes,
            self.lowering.contract,
        )
        return Statement(
            assignment, typing, result, text, assignment.accesses, kinds.limits
        )

    def result_type(
        self, kinds: Kinds, types: Mapping[str, TensorType], width: int
    ) -> TensorType:
        """Return the type of the result; ``width`` is the width of free indices."""
        pin = self.pins[self.assignment.result.name]
        format = pin.format or self._inferred_format(kinds, types)
        return pin.of(TensorType(format, kinds.result, width, width))

    def _inferred_format(
        self, kinds: Kinds, types: Mapping[str, TensorType]
    ) -> Format | None:
        formats = {name: t.format for name, t in types.items() if t.format is not None}
        if self._library is None:
            return result_format(kinds, formats)
        rank = len(self.assignment.result.indices)
        return result_format(kinds, formats, partial(holds, self._library, rank=rank))


def _notation_source(
    text: str,
    semiring: Semiring | None,
    splits: tuple[tuple[str, Split], ...],
    pins: Mapping[str, Pin],
    lowering: Lowering,
    library: str | None,
) -> NotationSource:
    assignment = replace(under(parse(text), semiring), splits=splits)
    return NotationSource(assignment, pins, lowering, library)


class ModuleSource:
    """A module of MLIR, which pins its types.

    Only the widths of index arrays that its encodings do not give are free.
    """

    takes_sizes = False

    def __init__(self, text: str) -> None:
        module = read_module(text)
        self.assignment = module.assignment
        result = module.assignment.result.name
        types = {**module.operands, result: module.result}
        self.pins = {name: _pinned(type) for name, type in types.items()}
        self._module = module

    def __reduce__(self) -> tuple[type[ModuleSource], tuple[str]]:
        return ModuleSource, (self._module.text,)

    def require_shapes(self, views: Mapping[str, View], given: Sequence[Any]) -> None:
        operands = dict(zip(self.assignment.operands, given, strict=True))
        self._module.require_shapes(views, operands)

    def statement(self, typing: Typing) -> Statement:
        module, width = self._module, typing.index_width
        free = replace(module.result, pos_width=width, crd_width=width)
        result = self.pins[self.assignment.result.name].of(free)
        return Statement(
            module.assignment,
            typing,
            result,
            module.with_widths(typing.operands, result),
            module.bindings,
            is_notation=False,
        )


def _pinned(type: TensorType) -> Pin:
    """Return the pin for a type of a module, in which a width of 0 means free."""
    pos, crd = type.pos_width or None, type.crd_width or None
    return Pin(type.format, type.dtype, pos, crd)
