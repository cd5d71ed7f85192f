"""Derivatives of expressions: the text of one is an expression in the notation, too.

Reverse mode. From the result down to each access of an operand, a product collects the
partial derivatives of the operators on the way:

    Z[i,k] = A[i,j] * B[j,k]       dA[i,j] = dZ[i,k] * B[j,k]
    Z[i] = exp(sum(j, A[i,j]))     dA[i,j] = dZ[i] * exp(sum(j1, A[i,j1])) * ...

It is summed over the indices that the way passes, those of the result and of sums,
except those of the access. Each access of the operand gives a term.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from nacho._notation.checks import repeated_index
from nacho._notation.monoids import Semiring, semiring_of
from nacho._notation.parser import parse_as_written
from nacho._notation.partials import partials, reduced_partial
from nacho._notation.products import NOWHERE, Product
from nacho._notation.rewriting import (
    access_text,
    accesses_in,
    free_indices,
    numbered,
    spelled,
    with_plain_names,
)
from nacho._notation.spelling import PATTERN
from nacho._notation.tree import (
    Access,
    Assignment,
    Binary,
    Call,
    Expr,
    Literal,
    Reduction,
    children,
    identifier,
    postorder,
)
from nacho.errors import ArgumentError, UnsupportedError, displayed, pointed


def grad(
    expr: str,
    operand: str,
    /,
    *,
    cotangent: str | None = None,
    sparse: bool = False,
    semiring: Semiring | str | None = None,
) -> str:
    """Return the derivative of a loss for an operand, as an expression.

    Where a function has no derivative, as ``max`` has none where both sides are equal,
    one of those next to it is taken. Numbers are real.

    Parameters
    ----------
    expr
        The statement on whose result the loss depends.
    operand
        The name of the operand for which the loss is differentiated.
    cotangent
        The name of the derivative of the loss for the result, an operand of the new
        expression. By default, it is called like the result, with a ``d`` before it,
        and a number after it if there is that name already; so is the derivative
        itself, like the operand.
    sparse
        Whether the derivative is that for the entries of a sparse operand: it has no
        entry where the operand has none, so that for a product of matrices only these
        entries are computed.
    semiring
        The semiring of the statement. Only the usual one has derivatives.

    Examples
    --------
    >>> nacho.grad("Z[i,k] = A[i,j] * B[j,k]", "A", sparse=True)
    'dA[i,j] = pattern(A)[i,j] * dZ[i,k] * B[j,k]'
    """
    assignment = parse_as_written(expr)
    given = semiring_of(semiring)
    if given is not None:
        raise UnsupportedError(
            f"no derivatives are known under {given!r}, only under the usual semiring"
        )
    if operand not in assignment.ranks:
        known = ", ".join(assignment.operands)
        raise ArgumentError(
            f"{displayed(operand)} is no operand of the expression, which has {known}"
        )
    names = Names(assignment)
    name = names.cotangent(cotangent)
    found = derivative(assignment, operand, name, sparse)
    return found or _zero(assignment, operand, names)


def derivative(
    assignment: Assignment, operand: str, cotangent: str, sparse: bool
) -> str | None:
    """Return what ``grad`` returns, or None if the derivative is 0 everywhere.

    The assignment is one that was parsed as it is written.
    """
    names = Names(assignment)
    names.taken.add(cotangent)
    target = names.target(operand)
    left: tuple[str, ...] | None = None
    terms: dict[str, _Term] = {}
    for path in _paths(assignment, operand, cotangent, names):
        left = path.access.indices if left is None else left
        product = _covering(path, assignment, sparse)
        product, summed = _onto(left, product, path, names)
        tensors = {target, cotangent, *assignment.operands}
        term = _Term(product, summed, Access(operand, left, NOWHERE), sparse, tensors)
        text = spelled(term.tree(1))
        known = terms.get(text)
        terms[text] = term if known is None else known.plus(term)
    trees = _signed_trees(list(terms.values()))
    if left is None or not trees:
        return None
    return f"{access_text(target, left)} = {spelled(_total(trees))}"


class Names:
    """The names of an assignment, and those that are invented beside them."""

    def __init__(self, assignment: Assignment) -> None:
        self.result = assignment.result.name
        inner = (index for node in assignment.nested for index in node.indices)
        self.taken = {self.result, *assignment.operands, *assignment.indices, *inner}

    def fresh(self, name: str) -> str:
        """Return a name with another number, which nothing else has, and take it."""
        found = next(each for each in numbered(name) if each not in self.taken)
        self.taken.add(found)
        return found

    def target(self, operand: str) -> str:
        """Return the name of the derivative for an operand, or for the result."""
        name = f"d{operand}"
        if name in self.taken:
            return self.fresh(name)
        self.taken.add(name)
        return name

    def cotangent(self, given: str | None) -> str:
        """Return the name of the derivative for the result, which may be given."""
        if given is None:
            return self.target(self.result)
        name = identifier(given)
        if not isinstance(name, str) or not name.isidentifier():
            raise ArgumentError(f"{displayed(given)} is not the name of an operand")
        if name in self.taken:
            raise ArgumentError(f"the expression has the name '{name}' already")
        self.taken.add(name)
        return name


# --- From the result to an access -----------------------------------------------------


@dataclass(frozen=True)
class _Path:
    """The derivative for one access of the operand."""

    access: Access
    product: Product
    scope: tuple[str, ...]
    """The indices of the result, and those of the sums on the way."""


def _paths(
    assignment: Assignment, operand: str, cotangent: str, names: Names
) -> Iterator[_Path]:
    left = assignment.result.indices
    root, reductions = _root(assignment)
    wanted, free = _mentioning(root, operand), free_indices(root)
    start = Product(1, (Access(cotangent, left, NOWHERE),))
    stack = [(root, start, left)]
    while stack:
        node, product, scope = stack.pop()
        scope += reductions.get(id(node), ())
        if isinstance(node, Access):
            yield _Path(node, product, scope)
        elif isinstance(node, Reduction):
            partial = reduced_partial(node, names.fresh)
            if partial is not None:
                product, scope = _summed(product, scope, free[id(node)])
                # What the product has of this reduction keeps indices of its own.
                known = product.indices()
                clashing = [index for index in node.indices if index in known]
                product = product.renamed({i: names.fresh(i) for i in clashing})
                scope += node.indices
                stack.append((node.operand, product.times(partial), scope))
        elif not isinstance(node, Literal):
            ways = zip(children(node), partials(node), strict=True)
            stack.extend(
                (child, product.times(partial), scope)
                for child, partial in reversed(list(ways))
                if partial is not None and id(child) in wanted
            )


def _summed(
    product: Product, scope: tuple[str, ...], kept: Collection[str]
) -> tuple[Product, tuple[str, ...]]:
    """Sum a product over what a reduction does not depend on, before it is passed.

    Otherwise it would be summed for each of the values that are reduced.
    """
    known = product.indices()
    over = tuple(i for i in scope if i in known and i not in kept)
    if not over:
        return product, scope
    return product.summed(over), tuple(i for i in scope if i not in over)


def _root(assignment: Assignment) -> tuple[Expr, dict[int, tuple[str, ...]]]:
    """Return the right-hand side, and the indices over which its terms are summed.

    An assignment such as ``max=`` is a reduction of the whole right-hand side.
    """
    if assignment.reduction is None:
        return assignment.expr, assignment.reductions
    expr = assignment.expr
    over = assignment.reductions[id(expr)]
    if not over:
        return expr, {}
    return Reduction(assignment.reduction_operator.name, over, expr, expr.span), {}


def _mentioning(root: Expr, operand: str) -> set[int]:
    """Return the nodes, by ``id``, that depend on an operand."""
    found: set[int] = set()
    for node in postorder(root):
        is_access = isinstance(node, Access) and node.name == operand
        if is_access or any(id(child) in found for child in children(node)):
            found.add(id(node))
    return found


# --- From an access to a term ---------------------------------------------------------


def _covering(path: _Path, assignment: Assignment, sparse: bool) -> Product:
    """Return the product of a path with all indices that it is summed over, or has.

    An index that a sum passes without using it counts its extent: b[i] in
    sum(j, A[i,j] + b[i]) is added once for each j.
    """
    access, product = path.access, path.product
    if not access.is_whole:
        message = (
            f"the derivative for '{access.name}' is that for a part of it, which the "
            "notation cannot write: pass the part as an operand"
        )
        raise UnsupportedError(pointed(message, assignment.text, access.span))
    if repeated_index(access) is not None:
        message = (
            f"the derivative for '{access.name}' is on a diagonal, which the notation "
            "cannot write: pass the diagonal as a vector"
        )
        raise UnsupportedError(pointed(message, assignment.text, access.span))
    for index in path.scope:
        if index not in access.indices and index not in product.covered():
            shape = _with_extent(index, path, assignment)
            product = product.spread(Call(PATTERN, (shape,), NOWHERE))
    # A sparse derivative is multiplied by the pattern, which has all indices.
    known = product.covered()
    if not sparse and any(index not in known for index in access.indices):
        product = product.spread(Call(PATTERN, (access,), NOWHERE))
    return product


def _with_extent(index: str, path: _Path, assignment: Assignment) -> Access:
    """Return an access that has an index, and no index that is not summed there."""
    usable = {*path.scope, *path.access.indices}
    for access in assignment.accesses:
        if index in access.indices and usable.issuperset(access.indices):
            return access
    message = (
        f"'{path.access.name}' is added once for each '{index}', and nothing there has "
        f"'{index}' to say how often: multiply by an operand with this index"
    )
    raise UnsupportedError(pointed(message, assignment.text, path.access.span))


def _onto(
    left: tuple[str, ...], product: Product, path: _Path, names: Names
) -> tuple[Product, tuple[str, ...]]:
    """Name the indices of an access like those of the derivative.

    Also return the indices that are summed. One that has such a name itself gets one
    that became free, or a new one.
    """
    own = path.access.indices
    mapped = dict(zip(own, left, strict=True))
    free = [index for index in own if index not in left]
    for index in dict.fromkeys((*path.scope, *product.indices())):
        if index in left and index not in mapped:
            mapped[index] = free.pop(0) if free else names.fresh(index)
    changed = {index: name for index, name in mapped.items() if index != name}
    scope = (mapped.get(index, index) for index in path.scope)
    summed = tuple(index for index in scope if index not in left)
    return product.renamed(changed), summed


@dataclass(frozen=True)
class _Term:
    """A product that is summed over some indices, perhaps on a pattern only."""

    product: Product
    summed: tuple[str, ...]
    operand: Access
    is_sparse: bool
    tensors: Collection[str]
    """The names that no index may have."""

    @property
    def number(self) -> int | float:
        return self.product.number

    def plus(self, other: _Term) -> _Term:
        """Return the sum with a term that differs in its number only."""
        number = self.number + other.number
        return replace(self, product=replace(self.product, number=number))

    def tree(self, number: int | float) -> Expr:
        """Return the term with another number."""
        product, mask = replace(self.product, number=number), None
        if self.is_sparse and self.operand.indices:
            mask = Call(PATTERN, (self.operand,), NOWHERE)
        node = with_plain_names(product.tree(), self.tensors)
        if self._needs_sum(node):
            node = Reduction("add", self.summed, node, NOWHERE)
        elif mask is not None:
            return with_plain_names(product.tree(mask), self.tensors)
        return node if mask is None else Binary("mul", mask, node, NOWHERE)

    def _needs_sum(self, node: Expr) -> bool:
        """Return whether a sum has to be written, although the indices imply it.

        Nacho warns of an index that is summed, but which only one operand has.
        """
        used = Counter(i for access in accesses_in(node) for i in access.indices)
        return any(used[index] == 1 for index in self.summed)


def _signed_trees(terms: list[_Term]) -> list[tuple[str, Expr]]:
    """Return the terms that are not 0; a sign leads all of them but the first."""
    found: list[tuple[str, Expr]] = []
    for term in terms:
        if term.number == 0:
            continue
        is_less = term.number < 0 and bool(found)
        number = -term.number if is_less else term.number
        found.append(("sub" if is_less else "add", term.tree(number)))
    return found


def _total(trees: list[tuple[str, Expr]]) -> Expr:
    (_, total), *others = trees
    for operator, tree in others:
        total = Binary(operator, total, tree, NOWHERE)
    return total


def _zero(assignment: Assignment, operand: str, names: Names) -> str:
    """Return the derivative for an operand on which nothing depends smoothly."""
    indices = assignment.access_of(operand).indices
    target = access_text(names.target(operand), indices)
    if indices:
        return f"{target} = 0.0 * {access_text(f'{PATTERN}({operand})', indices)}"
    return f"{target} = where({operand} == {operand}, 0.0, 0.0)"
