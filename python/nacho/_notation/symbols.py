"""Expressions of Python operators: ``T[i, j] * x[j]``, by ``nacho.indices("i j")``.

Such an expression is written as text in the notation, with invented names for the
operands, and then parsed. So there is only one kind of tree, and messages can point
into the text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import count
from string import ascii_uppercase
from typing import Any, NamedTuple, NoReturn, overload

import numpy as np

from nacho._notation.overloads import Overloads
from nacho._notation.ranges import key_text
from nacho._notation.spelling import ATOM, COMPARISONS, operator_text
from nacho._notation.tree import identifier
from nacho.errors import ArgumentError, displayed

_RESULT = "Z"


class Index(Overloads["Expression"]):
    """An index variable; variables with the same name are equal.

    In operators, it is a number: ``A[i, j] * (i < j)``. It is so in all but ``==`` and
    ``!=``, which compare variables: write ``i - j == 0`` for that of numbers.
    """

    __slots__ = ("name",)

    __array_ufunc__ = None  # NumPy leaves operators to us

    name: str
    """Its name in the text of an expression."""

    def __init__(self, name: str) -> None:
        spelled = identifier(name)
        if not isinstance(spelled, str) or not spelled.isidentifier():
            raise ArgumentError(f"{name!r} is not the name of an index")
        object.__setattr__(self, "name", spelled)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Index is immutable: cannot set '{name}'")

    def _operation(self, symbol: str, *operands: object) -> Expression:
        return operation(symbol, *operands)

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return isinstance(other, Index) and self.name == other.name

    def __ne__(self, other: object) -> bool:  # type: ignore[override]
        return not self == other

    def __hash__(self) -> int:
        return hash((Index, self.name))

    def __reduce__(self) -> tuple[type[Index], tuple[str]]:
        return (Index, (self.name,))

    def __repr__(self) -> str:
        return self.name


def indices(names: str) -> tuple[Index, ...]:
    """Return index variables for names that are separated by spaces or commas.

    >>> i, j = nacho.indices("i j")  # doctest: +SKIP
    """
    if not isinstance(names, str):
        kind = type(names).__name__
        raise ArgumentError(f"indices takes names in a string, not {kind}")
    return tuple(Index(name) for name in names.replace(",", " ").split())


class Expression(Overloads["Expression"]):
    """A part of an expression over containers; ``nacho.evaluate`` computes it.

    An int in an expression is a literal. A float is a literal if it is an operand of a
    comparison or a power, or an argument of a function such as ``nacho.where``, since
    its value decides where the result is 0. Any other number is a scalar operand, so
    that another value does not need another kernel.
    """

    __slots__ = ("_node",)

    __array_ufunc__ = None  # NumPy leaves operators to us

    def __init__(self, node: _Node) -> None:
        self._node = node

    def _operation(self, symbol: str, *operands: object) -> Expression:
        return operation(symbol, *operands)

    def __bool__(self) -> NoReturn:
        raise ArgumentError(
            "an expression of nacho.indices has no truth value: 'and', 'or' and "
            "chained comparisons cannot be part of it"
        )

    def __repr__(self) -> str:
        return f"<nacho.Expression: {_Writer(self._node, ()).text}>"


class Unindexed(Expression):
    """A scalar, or a container that is still to be indexed: ``access(A)[i, j]``."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: slice | tuple[slice, ...]) -> Unindexed: ...

    @overload
    def __getitem__(self, key: object) -> Expression: ...

    def __getitem__(self, key: object) -> Expression:
        assert isinstance(self._node, _Access)
        container, _, part = self._node
        places = key if isinstance(key, tuple) else (key,)
        if part or not any(isinstance(place, slice) for place in places):
            return Expression(_Access(container, _places(places), part))
        return Unindexed(_Access(container, (), key_text(places)))

    def __setitem__(self, key: object, value: object) -> NoReturn:
        """Refuse ``y[i] = …`` and ``y[i] -= …``: an expression is computed later."""
        raise ArgumentError(
            "nothing is assigned to an expression of nacho.indices: evaluate(expr, i, "
            "out=y) writes the result to y, and one of its terms may be access(y)[i]"
        )

    __iter__ = None  # Python would iterate over what can be indexed


@overload
def access(container: object) -> Unindexed: ...


@overload
def access(container: object, *indices: Index | str | int) -> Expression: ...


def access(container: object, *indices: Index | str | int) -> Expression:
    """Return the element of a container of any library at some indices.

    Without indices, it is a scalar, or a container that is indexed next. Indices may
    also be strings, and numbers: ``access(A)[3, j]`` is the row 3. Ranges come before:
    ``access(A)[:, 2:10][i, j]``.

    >>> i, j = nacho.indices("i j")  # doctest: +SKIP
    >>> nacho.evaluate(nacho.access(A)[i, j] * nacho.access(x)["j"], "i")
    ... # doctest: +SKIP
    """
    kind = Expression if indices else Unindexed
    return kind(_Access(container, _places(indices)))


def index_tensor(tensor: object, key: Any) -> Expression:
    """Return the element of a tensor that ``tensor[key]`` stands for."""
    return access(tensor, *(key if isinstance(key, tuple) else (key,)))


def applied(function: str, *operands: object) -> Expression:
    """Return a function of expressions and numbers; one is an expression."""
    nodes: list[_Node] = []
    for operand in operands:
        node = _node_of(operand, has_literals(function))
        if node is None:
            kind = type(operand).__name__
            raise ArgumentError(
                f"{function} takes expressions of nacho.indices and numbers, not {kind}"
            )
        nodes.append(node)
    if not any(isinstance(operand, Expression | Index) for operand in operands):
        raise ArgumentError(f"{function} takes an expression of nacho.indices")
    return Expression(_Operator(function, tuple(nodes)))


def reduced(
    function: str, indices: Iterable[object], operand: Expression
) -> Expression:
    """Return an expression that is reduced over some indices."""
    return Expression(_Reduction(function, _checked(indices), operand._node))


def indices_of(expr: Expression) -> set[Index]:
    """Return the indices of all accesses in an expression."""
    return {
        index
        for node in _postorder(expr._node)
        if isinstance(node, _Access)
        for index in _indices(node)
    }


def statement(expr: Expression, indices: object) -> tuple[str, dict[str, Any]]:
    """Return the assignment of an expression as text, and its operands by name."""
    left = tuple(index.name for index in _result_indices(indices))
    writer = _Writer(expr._node, left)
    return f"{writer.result} = {writer.text}", writer.operands


# --- Nodes ----------------------------------------------------------------------------


class _Access(NamedTuple):
    container: object
    indices: tuple[Index | int, ...]
    part: str = ""
    """The ranges that come before the indices, as text."""


class _Coordinate(NamedTuple):
    variable: Index


class _Literal(NamedTuple):
    value: int | float


class _Operator(NamedTuple):
    symbol: str
    operands: tuple[_Node, ...]


class _Reduction(NamedTuple):
    function: str
    indices: tuple[Index, ...]
    operand: _Node


_Atom = _Access | _Coordinate | _Literal
_Node = _Atom | _Operator | _Reduction


def has_literals(symbol: str) -> bool:
    """Return whether a float is a literal if it is an operand of this."""
    return symbol.isidentifier() or symbol in COMPARISONS or symbol == "**"


def operation(symbol: str, *operands: object) -> Expression:
    """Return an operator of expressions and numbers; NotImplemented for others."""
    literal = has_literals(symbol)
    nodes: list[_Node] = []
    for operand in operands:
        node = _node_of(operand, literal)
        if node is None:
            return NotImplemented  # type: ignore[no-any-return]
        nodes.append(node)
    return Expression(_Operator(symbol, tuple(nodes)))


def _node_of(operand: object, literal: bool = False) -> _Node | None:
    """Return the node of an operand; None if it is neither an expression nor a number.

    ``literal`` says that a float becomes a literal. A float that is not finite cannot
    be written in the notation, and is always an operand.
    """
    if isinstance(operand, Expression):
        return operand._node
    if isinstance(operand, Index):
        return _Coordinate(operand)
    if type(operand) is int:
        return _Literal(operand)
    if literal and type(operand) is float and math.isfinite(operand):
        return _Literal(operand)
    if isinstance(operand, int | float | complex | np.generic):
        return _Access(operand, ())
    if isinstance(operand, np.ndarray) and operand.ndim == 0:
        return _Access(operand, ())
    return None


def _places(given: Iterable[object]) -> tuple[Index | int, ...]:
    """Return index variables, and the coordinates among them."""
    places: list[Index | int] = []
    for index in given:
        if isinstance(index, int | np.integer) and not isinstance(index, bool):
            places.append(int(index))
        else:
            places += _checked([index])
    return (*places,)


def _checked(given: Iterable[object]) -> tuple[Index, ...]:
    """Return index variables; strings are their names, each of one or several."""
    found: list[Index] = []
    for index in given:
        if isinstance(index, str):
            found += indices(index)
            continue
        if not isinstance(index, Index):
            raise ArgumentError(
                f"{displayed(index)} is not an index variable, such as those of "
                'nacho.indices("i j")'
            )
        found.append(index)
    return tuple(found)


def _result_indices(given: object) -> tuple[Index, ...]:
    if given is None:
        raise ArgumentError(
            "the indices of the result are missing: evaluate(expr, (i, j)), or () for "
            "a scalar"
        )
    if isinstance(given, Index):
        return (given,)
    if isinstance(given, str):
        return indices(given)
    if not isinstance(given, list | tuple):
        kind = type(given).__name__
        raise ArgumentError(f"the indices of the result are a tuple, not {kind}")
    return _checked(given)


# --- Text -----------------------------------------------------------------------------


def fresh_names(taken: Iterable[str]) -> Iterator[str]:
    """Yield names for operands: A, B, …, Y, then A1 and so on."""
    used = {*taken, _RESULT}
    names = (f"{a}{number or ''}" for number in count() for a in ascii_uppercase)
    return (name for name in names if name not in used)


def result_name(taken: Iterable[str]) -> str:
    """Return a name for the result: Z, or Z1 and so on."""
    used = set(taken)
    names = (f"{_RESULT}{number or ''}" for number in count())
    return next(name for name in names if name not in used)


class _Writer:
    """Writes a tree in the notation; the same container becomes only one operand."""

    def __init__(self, root: _Node, left: tuple[str, ...]) -> None:
        used = {index.name for node in _postorder(root) for index in _indices(node)}
        taken = {*used, *left}
        self.names = fresh_names(taken)
        self.operands: dict[str, Any] = {}
        self.by_identity: dict[tuple[int, int], str] = {}
        name = result_name(taken)
        self.result = f"{name}[{','.join(left)}]" if left else name
        self.text = self.written(root)

    def written(self, root: _Node) -> str:
        stack: list[tuple[str, int]] = []
        for node in _postorder(root):
            if isinstance(node, _Operator):
                first = len(stack) - len(node.operands)
                operands = stack[first:]
                stack[first:] = [operator_text(node.symbol, operands)]
            elif isinstance(node, _Reduction):
                arguments = [*(index.name for index in node.indices), stack.pop()[0]]
                stack.append((f"{node.function}({', '.join(arguments)})", ATOM))
            else:
                stack.append((self.atom(node), ATOM))
        return stack[0][0]

    def atom(self, node: _Atom) -> str:
        if isinstance(node, _Coordinate):
            return node.variable.name
        if isinstance(node, _Literal):
            text = repr(node.value)
            return f"({text})" if text.startswith("-") else text
        key = (id(node.container), len(node.indices))
        if key not in self.by_identity:
            name = self.by_identity[key] = next(self.names)
            self.operands[name] = node.container
        name = self.by_identity[key]
        subscript = ",".join(map(str, node.indices))
        return f"{name}{node.part}[{subscript}]" if subscript else name + node.part


def _indices(node: _Node) -> tuple[Index, ...]:
    if isinstance(node, _Coordinate):
        return (node.variable,)
    if isinstance(node, _Access):
        return tuple(index for index in node.indices if isinstance(index, Index))
    return node.indices if isinstance(node, _Reduction) else ()


def _postorder(root: _Node) -> Iterator[_Node]:
    stack: list[tuple[_Node, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded or isinstance(node, _Atom):
            yield node
            continue
        stack.append((node, True))
        inner = node.operands if isinstance(node, _Operator) else (node.operand,)
        stack.extend((child, False) for child in reversed(inner))
