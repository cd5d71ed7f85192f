"""From the tree of an assignment to the `assign` stage of the IR, as text.

Each distinct access becomes one binding of ``nacho.assign``; elements are converted to
the widest type of the statement where they are bound, and back where it is stored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from nacho.formats import TensorType
from nacho.notation import Access, Assignment, Binary, Call, Literal, Unary, postorder

_INDENT = "    "
_INFINITY = {"f32": "0x7F800000", "f64": "0x7FF0000000000000"}
_LARGEST = {"f32": 3.4028235677973366e38, "f64": math.inf}
"""From here on a literal rounds to infinity."""


class _Names:
    """Distinct MLIR identifiers for the names of the text."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """Return ``wanted`` in ASCII, numbered if it was given out before."""
        base = re.sub(r"[^A-Za-z0-9_]", lambda c: f"u{ord(c[0]):x}", wanted)
        name, number = base, 0
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def emit(
    assignment: Assignment, operands: Mapping[str, TensorType], result: TensorType
) -> str:
    """Return a module whose function ``kernel`` computes the assignment."""
    return _Emitter(assignment, operands, result).module()


class _Emitter:
    def __init__(
        self,
        assignment: Assignment,
        operands: Mapping[str, TensorType],
        result: TensorType,
    ) -> None:
        self.assignment = assignment
        self.types = {**operands, assignment.result.name: result}
        self.result = result
        elements = {tensor.dtype for tensor in self.types.values()}
        self.element = "f64" if "f64" in elements else "f32"
        values, indices = _Names(), _Names()
        # Names of tensors first: they keep their spelling, values adapt.
        self.tensors = {name: values.fresh(name) for name in self.types}
        accesses = (*assignment.accesses, assignment.result)
        used = dict.fromkeys(index for access in accesses for index in access.indices)
        self.indices = {index: indices.fresh(index) for index in used}
        self.names = values
        self.body: list[str] = []

    def module(self) -> str:
        result = self.assignment.result.name
        arguments = ", ".join(
            f"%{self.tensors[name]}: {self.type(name)}"
            for name in self.assignment.operands
        )
        bindings, bound = self.bindings()
        value = self.expression(bound)
        lines = [
            *self.encodings(),
            f"func.func @kernel({arguments}) -> {self.type(result)} {{",
            f"  %{self.tensors[result]} = nacho.assign ({bindings})",
            f"      -> {self.subscript(self.assignment.result)} : "
            f"{self.type(result)} {{",
            *(_INDENT + line for line in self.body),
            f"{_INDENT}nacho.yield %{value} : {self.result.dtype}",
            "  }",
            f"  return %{self.tensors[result]} : {self.type(result)}",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def encodings(self) -> list[str]:
        return [
            f"#{self.tensors[name]} = "
            f"{tensor.format.encoding(tensor.pos_width, tensor.crd_width)}"
            for name, tensor in self.types.items()
            if tensor.format is not None
        ]

    def bindings(self) -> tuple[str, dict[Access, str]]:
        """Return the bindings, and the name of the element of each access."""
        texts: list[str] = []
        bound: dict[Access, str] = {}
        for access in self.assignment.accesses:
            name = self.names.fresh(access.name.lower())
            texts.append(
                f"%{name} = %{self.tensors[access.name]}{self.subscript(access)} : "
                f"{self.type(access.name)}"
            )
            bound[access] = name
        for access, name in bound.items():
            if self.types[access.name].dtype != self.element:
                bound[access] = self.convert("extf", name, "f32", "f64")
        return ", ".join(texts), bound

    def expression(self, bound: Mapping[Access, str]) -> str:
        """Emit the operators, and return the name of the value to store."""
        elements = {(access.name, access.indices): n for access, n in bound.items()}
        value: dict[int, str] = {}
        for node in postorder(self.assignment.expr):
            match node:
                case Access():
                    value[id(node)] = elements[node.name, node.indices]
                case Literal():
                    value[id(node)] = self.constant(node.value)
                case Unary():
                    operand = value[id(node.operand)]
                    value[id(node)] = self.operator("unary", node.op, operand)
                case Binary():
                    operands = (value[id(node.lhs)], value[id(node.rhs)])
                    value[id(node)] = self.operator("binary", node.op, *operands)
                case Call():
                    raise AssertionError(f"not compiled: {node.function}")
        root = value[id(self.assignment.expr)]
        if self.result.dtype == self.element:
            return root
        return self.convert("truncf", root, "f64", "f32")

    def operator(self, op: str, kind: str, *operands: str) -> str:
        arguments = ", ".join(f"%{operand}" for operand in operands)
        name = self.names.fresh(kind)
        self.body.append(f"%{name} = nacho.{op} {kind} {arguments} : {self.element}")
        return name

    def constant(self, value: float) -> str:
        name = self.names.fresh("constant")
        shown = literal(value, self.element)
        self.body.append(f"%{name} = arith.constant {shown} : {self.element}")
        return name

    def convert(self, op: str, value: str, source: str, target: str) -> str:
        name = self.names.fresh(f"{value}_{target}")
        self.body.append(f"%{name} = arith.{op} %{value} : {source} to {target}")
        return name

    def type(self, name: str) -> str:
        tensor = self.types[name]
        if tensor.format is None:
            return f"tensor<{tensor.dtype}>"
        extents = "?x" * (tensor.format.rank or 0)
        return f"tensor<{extents}{tensor.dtype}, #{self.tensors[name]}>"

    def subscript(self, access: Access) -> str:
        return f"[{', '.join(self.indices[index] for index in access.indices)}]"


def literal(value: float, element: str) -> str:
    """Return a non-negative number as MLIR's float literal, which needs a point."""
    if value >= _LARGEST[element]:
        return _INFINITY[element]
    mantissa, exponent, power = repr(value).partition("e")
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}{exponent}{power}"
