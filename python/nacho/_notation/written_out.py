"""Statements written out: with every sum, or with the tensor that ``+=`` adds to.

An index that is not on the left is summed over, in each term as a whole. That may not
be where a reader takes the sum to be, who thinks of the product that needs it:

    y[i] = relu(A[i,j]*x[j] + b[i])            the statement
    y[i] = sum(j, relu(A[i,j]*x[j] + b[i]))    what it means
    y[i] = relu(sum(j, A[i,j]*x[j]) + b[i])    what may be meant

The two differ where a function, or an addend that lacks the index, is around the
product. ``doubt`` finds such an index, and writes both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from nacho._notation.parser import parse, parse_as_written
from nacho._notation.rewriting import access_text, free_indices
from nacho._notation.shorthands import integer
from nacho._notation.spelling import PATTERN
from nacho._notation.tree import (
    Assignment,
    Binary,
    Call,
    Expr,
    Literal,
    Operation,
    Reduction,
    Unary,
    children,
    is_sum,
    name_of,
    postorder,
    terms,
)
from nacho.errors import Span

_Sum = tuple[Span, tuple[str, ...]]
"""What is to be summed, by its place in the text, and over which indices."""


@lru_cache(maxsize=512)
def with_sums(text: str) -> str:
    """Return a statement in which all sums are written: ``y[i] = sum(j, A[i,j])``.

    Reductions of the whole, such as ``max=``, stay as they are.
    """
    assignment = parse_as_written(text)
    return _inserted(text, _implicit(assignment))


@lru_cache(maxsize=512)
def with_added(assignment: Assignment) -> Assignment:
    """Return the statement of ``+=`` for which the tensor that it adds to is given.

    It is another term, and the result has a new name:

        Z[i] += A[i,j]    ->    new_Z[i] = A[i,j] + Z[i]
    """
    text, left = assignment.text, assignment.result
    taken = {left.name, *assignment.operands, *assignment.indices}
    for node in assignment.nested:
        taken.update(node.indices)
    name = f"new_{left.name}"
    while name in taken:
        name += "_"
    right = text[assignment.reduction_span[1] :].strip()
    root = assignment.expr
    if isinstance(root, Binary) and root.operator.grammar in _LOOSE:
        right = f"({right})"
    result, added = (access_text(each, left.indices) for each in (name, left.name))
    return parse(f"{result} = {right} + {added}")


_LOOSE = ("comparison", "or", "xor", "and")
"""What binds less than a sum."""


class Doubt(NamedTuple):
    """Indices whose sums may be meant to be further inside of their term."""

    summed: tuple[str, ...]
    span: Span
    """The term, which is summed as a whole."""
    meaning: str
    """The statement with the sum where it is."""
    alternative: str
    """The statement with the sum where it may be meant."""


def doubt(text: str) -> Doubt | None:
    """Return the indices whose sums would have another value further inside.

    They are those of the first term that has any.
    """
    assignment = parse_as_written(text)
    if assignment.reduction is not None or not assignment.reduced:
        return None
    for term in terms(assignment.expr):
        over = assignment.reductions[id(term)]
        if not over:
            continue
        places = _Places(term, over)
        if not places.doubtful:
            continue
        inner = [index for index in over if index in places.doubtful]
        outer = tuple(index for index in over if index not in inner)
        sums = [each for each in _implicit(assignment) if each != (term.span, over)]
        sums += [(term.span, outer), *places.sums(inner)]
        return Doubt((*inner,), term.span, with_sums(text), _inserted(text, sums))
    return None


def _implicit(assignment: Assignment) -> list[_Sum]:
    """Return the sums that a statement does not write."""
    if assignment.reduction is not None:
        return []
    found = assignment.reductions
    return [(term.span, found[id(term)]) for term in terms(assignment.expr)]


def _inserted(text: str, sums: Iterable[_Sum]) -> str:
    """Write sums into a text; of those that begin in one place, the longer first."""
    written: list[tuple[int, int, str]] = []
    for (begin, end), over in sums:
        if over and _is_enclosed(text[begin:end]):
            written.append((begin + 1, -end, f"{', '.join(over)}, "))
            written.append((begin, -end, "sum"))
        elif over:
            written.append((begin, -end, f"sum({', '.join(over)}, "))
            written.append((end, 0, ")"))
    for place, _, inserted in sorted(written, reverse=True):
        text = text[:place] + inserted + text[place:]
    return text


def _is_enclosed(text: str) -> bool:
    """Return whether the parenthesis that begins a text ends with it."""
    opened = 0
    for place, letter in enumerate(text):
        opened += (letter == "(") - (letter == ")")
        if not opened:
            return 0 < place == len(text) - 1
    return False


class _Places:
    """Finds the innermost places where a term may be summed over some indices.

    These are products that have an index in several factors, or else accesses. An index
    is *doubtful* if the term is not linear in such a product of it, or if an addend
    around it lacks the index. A function that has an index in several operands is meant
    for each of its values: nothing inside of it is doubtful.
    """

    def __init__(self, term: Expr, over: Sequence[str]) -> None:
        self.free = free_indices(term)
        self.doubtful: set[str] = set()
        self._order = over
        self._found: list[_Sum] = []
        self._left = [(term, frozenset(over), True)]
        while self._left:
            node, within, is_linear = self._left.pop()
            over_here = within & self.free[id(node)]
            if over_here:
                self._visit(node, over_here, is_linear)

    def sums(self, chosen: Collection[str]) -> list[_Sum]:
        """Return the sums over the chosen indices that are written furthest inside."""
        return [
            (span, tuple(index for index in over if index in chosen))
            for span, over in self._found
        ]

    def _visit(self, node: Expr, over: frozenset[str], is_linear: bool) -> None:
        """Place the sums of a node, or leave them to its operands."""
        if is_sum(node):
            self._visit_sum(node, over, is_linear)
        elif isinstance(node, Reduction):
            self._left.append((node.operand, over, is_linear and node.op == "add"))
        elif isinstance(node, Unary | Binary | Call) and name_of(node) != PATTERN:
            self._visit_operation(node, over, is_linear)
        else:
            self._place(node, over)

    def _visit_sum(self, node: Expr, over: frozenset[str], is_linear: bool) -> None:
        addends = terms(node)
        for addend in addends:
            if is_linear:
                self.doubtful |= over - self.free[id(addend)]
            self._left.append((addend, over, is_linear))

    def _visit_operation(
        self, node: Operation, over: frozenset[str], is_linear: bool
    ) -> None:
        operands = _operands(node)
        shared = _shared([over & self.free[id(operand)] for operand, _ in operands])
        if _is_power(node) and not self._has_product(children(node)[0], over):
            shared = over
        if shared:
            self._place(node, shared)
        if not is_linear and (_is_power(node) or name_of(node) in _PRODUCTS):
            self.doubtful |= shared
        for operand, keeps in operands:
            self._left.append((operand, over - shared, is_linear and keeps))

    def _has_product(self, root: Expr, over: frozenset[str]) -> bool:
        """Return whether something is multiplied that both has some of the indices."""
        for node in postorder(root):
            if isinstance(node, Binary) and (
                (_is_power(node) and over & self.free[id(node)])
                or (
                    node.op in _PRODUCTS
                    and over & self.free[id(node.lhs)] & self.free[id(node.rhs)]
                )
            ):
                return True
        return False

    def _place(self, node: Expr, over: Collection[str]) -> None:
        self._found.append((node.span, tuple(i for i in self._order if i in over)))


_PRODUCTS = ("mul", "div")


def _operands(node: Operation) -> list[tuple[Expr, bool]]:
    """Return the operands of an operator, and in which of them it is linear.

    Those of a product are all of its factors, and its divisors.
    """
    if name_of(node) not in _PRODUCTS:
        return [
            (child, _keeps_sums(node, place))
            for place, child in enumerate(children(node))
        ]
    found: list[tuple[Expr, bool]] = []
    left: list[Expr] = [node]
    while left:
        factor = left.pop()
        if not isinstance(factor, Binary) or factor.op not in _PRODUCTS:
            found.append((factor, True))
            continue
        left.append(factor.lhs)
        if factor.op == "mul":
            left.append(factor.rhs)
        else:
            found.append((factor.rhs, False))
    return found


def _keeps_sums(node: Operation, place: int) -> bool:
    """Return whether an operator other than a product is linear in an operand.

    The other value of ``where`` has to be 0.
    """
    match node:
        case Call("keep"):
            return place == 0
        case Call("where", (_, _, Literal(0))):
            return place == 1
        case Call("where", (_, Literal(0), _)):
            return place == 2
    return False


def _shared(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return what several sets have."""
    seen: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    for each in sets:
        shared |= seen & each
        seen |= each
    return shared


def _is_power(node: Expr) -> bool:
    """Return whether a node is a product of copies of its base."""
    return (
        isinstance(node, Binary) and node.op == "pow" and integer(node.rhs) is not None
    )
