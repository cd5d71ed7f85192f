"""From the tree of an assignment to the `assign` stage of the IR, as text.

Each distinct access becomes one binding of ``nacho.assign``. Every operator computes in
one type, to which its operands are cast right before it. Each term is reduced over
those of its indices that the result does not have.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nacho._elements import MLIR
from nacho._mlir.literals import literal
from nacho._mlir.names import Names, spelled_indices
from nacho._mlir.preamble import Preamble
from nacho._mlir.types import type_text
from nacho._notation.monoids import Semiring
from nacho._notation.operators import Operator
from nacho._notation.promotion import (
    Kinds,
    Number,
    is_complex,
    kinds_of,
    strong,
)
from nacho._notation.tree import (
    Access,
    AccessKey,
    Assignment,
    Expr,
    Operation,
    Reduction,
    StoredOnly,
    children,
    postorder,
    sums,
)
from nacho._storage.formats import TensorType
from nacho.errors import Span

_INDENT = "    "


def emit(
    assignment: Assignment,
    operands: Mapping[str, TensorType],
    result: TensorType,
    kinds: Kinds | None = None,
    order: tuple[str, ...] = (),
    sizes: Mapping[str, tuple[int, ...]] | None = None,
    contract: tuple[str, ...] | None = None,
) -> str:
    """Return a module whose function ``kernel`` computes the assignment.

    ``order`` lists the indices of the loops, outermost first; if it is empty, the
    compiler chooses. ``sizes`` helps it: per operand, the number of entries and the
    extents. Operands of unknown size are left out. ``contract`` lists the indices that
    are summed on their own; if it is None, the compiler chooses.
    """
    if kinds is None:
        kinds = kinds_of(assignment, {name: t.dtype for name, t in operands.items()})
    pinned = {"order": order or None, "contract": contract}
    return _Emitter(assignment, operands, result, kinds, pinned, sizes or {}).module()


def spans_of_values(
    assignment: Assignment,
    operands: Mapping[str, TensorType],
    result: TensorType,
    kinds: Kinds,
) -> dict[str, list[Span]]:
    """Return, per value of the statement, where it is in the text of the expression.

    The values have the names that ``emit`` gives them, which the compiler keeps. An
    access is wherever the expression has it.
    """
    pinned: dict[str, tuple[str, ...] | None] = {}
    emitter = _Emitter(assignment, operands, result, kinds, pinned, {})
    emitter.module()
    return emitter.spans


class _Emitter:
    def __init__(
        self,
        assignment: Assignment,
        operands: Mapping[str, TensorType],
        result: TensorType,
        kinds: Kinds,
        pinned: Mapping[str, tuple[str, ...] | None],
        sizes: Mapping[str, tuple[int, ...]],
    ) -> None:
        self.assignment = assignment
        self.pinned = pinned
        """Lists of indices that are attributes of the statement, or None, by name."""
        self.sizes = sizes
        self.types = {**operands, assignment.result.name: result}
        self.result = result
        self.kinds = kinds
        values = Names()
        # Tensors get their names first: they keep their spelling, and values get
        # numbers where names clash.
        self.tensors = {name: values.fresh(name) for name in self.types}
        self.indices = spelled_indices(assignment)
        self.numbers = Names(self.indices.values())
        self.names = values
        self.equations: list[str] = []
        """What says which index is a number."""
        self.before = Preamble(self.tensors, self.type, values)
        self.body: list[str] = []
        self.values: dict[int, str] = {}
        """Per node (by ``id``), its value before any reduction."""
        self.spans: dict[str, list[Span]] = {}
        """Per name of a value, where the nodes are that have it."""
        self.monoids: list[str] = []
        """The lines of the monoids that the table of operators lacks."""
        self.casts: dict[tuple[str, str], str] = {}
        """The casts that were emitted: by value and target type, the cast value."""

    def module(self) -> str:
        result = self.assignment.result.name
        arguments = ", ".join(
            f"%{self.tensors[name]}: {self.type(name)}{self.size(name)}"
            for name in self.assignment.operands
        )
        bindings = self.bindings()
        value = self.reduced_terms()
        where = f"where ({', '.join(self.equations)}) " if self.equations else ""
        lines = [
            *self.encodings(),
            *self.monoids,
            f"func.func @kernel({arguments}) -> {self.type(result)} {{",
            *self.before.lines,
            f"  %{self.tensors[result]} = nacho.assign ({bindings})",
            f"      {where}-> {self.subscript(self.assignment.result)} : "
            f"{self.type(result)} {{",
            *(_INDENT + line for line in self.body),
            f"{_INDENT}nacho.yield %{value} : {MLIR[self.result.dtype]}",
            f"  }}{self.attributes()}",
            f"  return %{self.tensors[result]} : {self.type(result)}",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def size(self, name: str) -> str:
        known = ", ".join(map(str, self.sizes.get(name, ())))
        return f" {{nacho.sizes = array<i64: {known}>}}" if known else ""

    def attributes(self) -> str:
        texts: list[str] = []
        for attribute, indices in self.pinned.items():
            if indices is not None:
                names = ", ".join(f'"{self.indices[index]}"' for index in indices)
                texts.append(f"{attribute} = [{names}]")
        return f" {{{', '.join(texts)}}}" if texts else ""

    def encodings(self) -> list[str]:
        return [
            f"#{self.tensors[name]} = "
            f"{tensor.format.encoding(tensor.pos_width, tensor.crd_width)}"
            for name, tensor in self.types.items()
            if tensor.format is not None
        ]

    def bindings(self) -> str:
        """Return the bindings, and note the bound name as the value of each access."""
        texts: list[str] = []
        bound: dict[AccessKey, str] = {}
        for access in self.assignment.accesses:
            name = self.names.fresh(access.name.lower())
            texts.append(
                f"%{name} = %{self.before.tensor(access)}{self.subscript(access)} : "
                f"{self.type(access.name)}"
            )
            bound[access.key] = name
        for index in self.assignment.coordinates:
            bound["", (index,), ()] = name = self.names.fresh(index)
            read = f"%{self.coordinates(index)}[{self.indices[index]}]"
            texts.append(f"%{name} = {read} : tensor<?xi64>")
        for node in postorder(self.assignment.expr):
            if isinstance(node, Access):
                self.note(node, bound[node.key], self.values)
        return ", ".join(texts)

    def coordinates(self, index: str) -> str:
        """Define the coordinates of an index, with the extent that an operand has."""
        access = next(a for a in self.assignment.accesses if index in a.indices)
        return self.before.coordinates(index, access)

    # Values -----------------------------------------------------------------------

    def reduced_terms(self) -> str:
        """Emit the terms, their reductions and their sum; return what is stored."""
        reductions = self.assignment.reductions
        value: dict[int, str] = {}
        for node in sums(self.assignment.expr, reductions):
            if id(node) in reductions:
                made = self.term(node, reductions[id(node)])
            else:
                made = self.operator(node, value)
            self.note(node, made, value)
        root = self.assignment.expr
        made = self.filled(value[id(root)])
        return self.cast(made, self.kind(root), self.result.dtype)

    def filled(self, value: str) -> str:
        """Return a value that is the zero of a semiring where nothing is stored.

        It is the value itself, unless the result is dense and nothing is reduced.
        """
        root, semiring = self.assignment.expr, self.assignment.semiring
        is_dense = self.result.format is None or self.result.format.is_dense
        if not isinstance(semiring, Semiring) or not is_dense:
            return value
        if isinstance(root, Reduction):
            return value
        node = semiring.add.reduced((), root)
        return self.reduction(node.operator, value, (), self.kind(root), node.stored)

    def term(self, term: Expr, over: tuple[str, ...]) -> str:
        """Emit a term and its reduction, and return the name of its value.

        The name is empty for a literal, which is emitted where it is used.
        """
        for node in postorder(term):
            if id(node) not in self.values and id(node) not in self.kinds.constants:
                self.note(node, self.operator(node, self.values), self.values)
        if not over:
            return self.values.get(id(term), "")
        operator = self.assignment.reduction_operator
        return self.reduction(operator, self.values[id(term)], over, self.kind(term))

    def note(self, node: Expr, value: str, values: dict[int, str]) -> None:
        """Keep the value of a node, and where the node is in the text."""
        values[id(node)] = value
        spans = self.spans.setdefault(value, [])
        if node.span not in spans:
            spans.append(node.span)

    def reduction(
        self,
        operator: Operator,
        value: str,
        over: tuple[str, ...],
        element: str,
        stored: StoredOnly | None = None,
    ) -> str:
        kind = operator.bool_reduction if element == "bool" else operator.name
        if stored is not None:
            kind = self.monoid(kind, stored, element)
        indices = ", ".join(self.indices[index] for index in over)
        return self.emitted(
            "reduce", f"nacho.reduce {kind} %{value} over [{indices}]", element
        )

    def operator(self, node: Expr, values: Mapping[int, str]) -> str:
        if id(node) in self.kinds.constants:
            return ""
        if isinstance(node, Reduction):
            value = values[id(node.operand)]
            operator, kind = node.operator, self.kind(node)
            return self.reduction(operator, value, node.indices, kind, node.stored)
        assert isinstance(node, Operation)
        if node.operator.name == "keep":
            return self.keep(children(node), values)
        inside = strong(self.kinds.inside[id(node)])
        operator = node.operator
        operands: list[str] = []
        for child in children(node):
            is_condition = operator.name == "where" and not operands
            element = "bool" if is_condition else inside
            operands.append(f"%{self.operand(child, element, values)}")
        text = f"nacho.{operator.mnemonic} {', '.join(operands)}"
        if operator.name == "notbits" and inside == "bool":
            text = f"nacho.compare eq {operands[0]}, %{self.constant(False, inside)}"
        return self.emitted(operator.name, text, inside)

    def keep(self, operands: tuple[Expr, ...], values: Mapping[int, str]) -> str:
        """Emit an element that has an entry only where a condition holds."""
        value, condition = operands
        element = strong(self.kinds.of[id(value)])
        kept = self.operand(value, element, values)
        stored = self.emitted("stored", f"nacho.stored %{kept}", element)
        holds = self.operand(condition, "bool", values)
        both = self.emitted(
            "binary", f"nacho.binary andbits %{stored}, %{holds}", "bool"
        )
        return self.emitted("keep", f"nacho.keep %{kept} if %{both}", element)

    def monoid(self, kind: str, stored: StoredOnly, element: str) -> str:
        """Return how the IR writes the monoid of a reduction of stored elements."""
        start = stored.identity
        if stored.operator is None:
            shown = "" if start is None else f" from {self.typed(start, element)}"
            return f"{kind} stored{shown}"
        assert start is not None, "a monoid that the table lacks has an identity"
        name = f"monoid{len(self.monoids)}"
        self.monoids += _defined_monoid(
            name, stored, element, self.typed(start, element)
        )
        return f"@{name}"

    def typed(self, value: Number, element: str) -> str:
        return f"{literal(value, element)} : {MLIR[element]}"

    def operand(self, node: Expr, element: str, values: Mapping[int, str]) -> str:
        """Return the value of a node in the type of the operator that takes it."""
        if id(node) in self.kinds.constants:
            return self.constant(self.kinds.constants[id(node)], element)
        return self.cast(values[id(node)], self.kind(node), element)

    def kind(self, node: Expr) -> str:
        return strong(self.kinds.of[id(node)])

    def cast(self, value: str, source: str, target: str) -> str:
        if source == target:
            return value
        if (value, target) not in self.casts:
            self.casts[value, target] = self.emitted(
                f"{value}_{target}",
                f"nacho.cast %{value} : {MLIR[source]} to",
                target,
                separator=" ",
            )
        return self.casts[value, target]

    def constant(self, value: Number, element: str) -> str:
        """Emit a literal where it is used, in the type of the operator that uses it."""
        if is_complex(element):
            return self.cast(self.constant(value, "f64"), "f64", element)
        if element == "u8":
            bits = int(np.array(value, np.uint8).view(np.int8))
            return self.cast(self.constant(bits, "i8"), "i8", "u8")
        return self.emitted(
            "constant", f"arith.constant {literal(value, element)}", element
        )

    def emitted(
        self, wanted: str, text: str, element: str, separator: str = " : "
    ) -> str:
        name = self.names.fresh(wanted)
        self.body.append(f"%{name} = {text}{separator}{MLIR[element]}")
        return name

    # Types ------------------------------------------------------------------------

    def type(self, name: str) -> str:
        split = self.assignment.split_of(name)
        return type_text(self.types[name], split, f"#{self.tensors[name]}")

    def subscript(self, access: Access) -> str:
        names: list[str] = []
        for place, index in enumerate(access.indices):
            if index.isdecimal():
                # An index of its own, which is this number.
                names.append(self.numbers.fresh(f"{access.name}_{place}"))
                self.equations.append(f"{names[-1]} = {index}")
            else:
                names.append(self.indices[index])
        return f"[{', '.join(names)}]"


def _defined_monoid(
    name: str, stored: StoredOnly, element: str, identity: str
) -> list[str]:
    """Return the lines that define a monoid whose operator is an expression."""
    assert stored.operator is not None
    result = Access("result_", (), stored.operator.span)
    assignment = Assignment(result, stored.operator, "", None, (0, 0))
    number = TensorType(None, element)
    operands = dict.fromkeys(assignment.operands, number)
    kinds = kinds_of(assignment, dict.fromkeys(operands, element))
    emitter = _Emitter(assignment, operands, number, kinds, {}, {})
    emitter.bindings()
    value = emitter.reduced_terms()
    bound = {access.name: emitter.values[id(access)] for access in assignment.accesses}
    arguments = ", ".join(
        f"%{bound.get(parameter, f'unused_{parameter}')}: {MLIR[element]}"
        for parameter in stored.parameters
    )
    return [
        f"nacho.monoid @{name} identity {identity} {{",
        f"^bb0({arguments}):",
        *(f"  {line}" for line in emitter.body),
        f"  nacho.yield %{value} : {MLIR[element]}",
        "}",
    ]
