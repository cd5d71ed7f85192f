"""Statements on the tensors of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from dask.base import is_dask_collection
from distributed import Client

from nacho._kernels.block_operands import plain_view
from nacho._kernels.given import given_operands, read_statement, spelled
from nacho._kernels.nests import Partition
from nacho._kernels.option_checks import MAX_PARTS, checked_count
from nacho._kernels.options import Options
from nacho._notation.monoids import Semiring
from nacho._notation.overloads import WholeExpression
from nacho._notation.symbols import Expression, Index
from nacho._notation.tree import Assignment
from nacho._pieces.evaluation import Evaluation
from nacho._pieces.given import Elsewhere
from nacho._pieces.tensor import Pieces
from nacho._storage.extents import known_extents
from nacho._storage.formats import Format
from nacho._storage.room import is_container
from nacho._storage.scalars import refuse_rank
from nacho._storage.views import NUMPY, View
from nacho.dask._engine import DaskEngine, client_of, packed, renewed, unpacked
from nacho.dask._explanation import Explanation, explained
from nacho.dask._tensor import Tensor
from nacho.dask._watching import WatchedEngine
from nacho.errors import OperandError, OptionError

_EVALUATE = ("nacho.dask.evaluate(expr, {})", (*Options._fields, "client"))
_EXPLAIN = ("nacho.dask.explain(expr, {})", (*Options._fields, "client"))
_PARTITION = ("nacho.dask.partition(expr, parts, {})", ("cost", "order", "client"))
_LOCAL = ("device", "stream", "threads", "memory_limit", "progress")
"""The options of ``nacho.evaluate`` that are about one machine."""


class _Asked(NamedTuple):
    """What a caller asks for."""

    assignment: Assignment
    options: Options
    given: Sequence[Any]
    """The operands, in the order of the expression."""
    shape: tuple[int, ...] | None
    """The shape of the result, if those of the operands are known."""


def evaluate(
    expr: str | Expression | WholeExpression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    *others: Any,
    client: Client | None = None,
    out: str | Format | None = None,
    target: str | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    semiring: Semiring | str | None = None,
    **named: Any,
) -> Tensor:
    """Compute an expression on a cluster, and leave the result there, in pieces.

    It returns as soon as operands of this machine are copied, which may be changed
    then. Shapes that do not fit are refused, as far as they are known; other errors
    that the operands cause are raised where the result is asked for more.

    Parameters
    ----------
    expr, operands
        What to compute, as for ``nacho.evaluate``.
    client
        The client of the cluster; by default, the current one.
    out, target, parts, order, validate, cost, remap, choices, contract, semiring
        As for ``nacho.evaluate``; ``out`` is the format of the result.
    **named
        The operands by name: tensors in pieces, containers of this machine, which go to
        every worker that needs them, and numbers.

    Examples
    --------
    >>> Z = nacho.dask.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
    """
    chosen = client_of(client)
    options = Options(
        out=out,
        target=target,
        parts=parts,
        order=order,
        validate=validate,
        cost=cost,
        remap=remap,
        choices=choices,
        contract=contract,
        semiring=semiring,
    )
    asked = _asked(_EVALUATE, expr, (operands, others), options, named)
    engine = DaskEngine(chosen, asked.assignment.text)
    asked = _sent(asked, engine)

    def make() -> Pieces:
        with _blaming(asked):
            return _evaluation(asked, engine).run()

    return Tensor(engine.client, make, asked.assignment.text, asked.shape)


def explain(
    expr: str | Expression | WholeExpression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    *others: Any,
    client: Client | None = None,
    **named: Any,
) -> Explanation:
    """Compute an expression on a cluster, and describe what was done, and where.

    It says how many bytes moved between workers and why, how many entries each worker
    read and what they cost, beside the bound, and how long workers searched, received,
    and computed. It waits until everything is computed, and the result is dropped.
    The first time that a worker meets an expression, it also compiles it.

    Parameters
    ----------
    expr, operands, client, **named
        As for ``nacho.dask.evaluate``.

    Examples
    --------
    >>> print(nacho.dask.explain("y[i] = A[i,j] * x[j]", A=A, x=x))  # doctest: +SKIP
    """
    engine = WatchedEngine(client_of(client))
    taken = {n: named.pop(n) for n in Options._fields if n in named and n not in _LOCAL}
    asked = _asked(_EXPLAIN, expr, (operands, others), Options(**taken), named)
    with _blaming(asked):
        return explained(_evaluation(asked, engine), engine)


def partition(
    expr: str,
    parts: int,
    operands: Mapping[str, Any] | None = None,
    /,
    *,
    client: Client | None = None,
    cost: str = "time",
    order: Sequence[str] | str | None = None,
    remap: bool | None = None,
    contract: Sequence[str] | str = "auto",
    **named: Any,
) -> Partition:
    """Cut the work of an expression into parts, and compute nothing.

    The cuts are those of ``nacho.partition``; they are found where the pieces are.

    Parameters
    ----------
    expr
        A statement in the notation.
    parts
        The number of parts.
    operands
        A mapping with operands by name, for those that have the name of an option.
    client
        The client of the cluster; by default, the current one.
    cost, order, remap, contract
        As for ``nacho.dask.evaluate``.
    **named
        The operands by name.

    Examples
    --------
    >>> nacho.dask.partition("Z[i,j] = A[i,j] + B[i,j]", 9, A=A, B=B)  # doctest: +SKIP
    """
    engine = DaskEngine(client_of(client))
    checked_count("parts", parts, MAX_PARTS)
    how = {"cost": cost, "order": order, "remap": remap, "contract": contract}
    options = Options(parts=parts, **how)  # type: ignore[arg-type]
    assignment = read_statement(expr, operands, named, options)
    given = given_operands(assignment, operands, named, _PARTITION)
    asked = _checked(assignment, options, given)
    with _blaming(asked):
        return _evaluation(asked, engine).partition(parts)


def _asked(
    function: tuple[str, tuple[str, ...]],
    expr: str | Expression | WholeExpression,
    by_position: tuple[object, tuple[Any, ...]],
    options: Options,
    named: dict[str, Any],
) -> _Asked:
    """Return what is asked for of a function, or refuse it."""
    for name in _LOCAL:
        wanted = named.pop(name, None)
        if wanted is not None and wanted is not False:
            raise OptionError(f"{name}: a cluster has no such option")
    if is_container(options.out):
        raise OptionError(
            f"out= is a {type(options.out).__name__}: on a cluster, the result is a "
            "tensor in pieces, and out= the format of it"
        )
    text, operands = spelled(expr, *by_position, named)
    assignment = read_statement(text, operands, named, options)
    given = given_operands(assignment, operands, named, function)
    # Workers check these again, where nobody may see that for a while.
    options.running()
    options.lowering(assignment)
    if options.out is not None:
        Format(options.out)  # type: ignore[arg-type]
    return _checked(assignment, options, given)


def _checked(assignment: Assignment, options: Options, given: Sequence[Any]) -> _Asked:
    """Return what is asked for, or refuse operands whose shapes do not fit.

    Nobody waits for shapes that are not known yet. Those are looked at later.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    for (name, rank), value in zip(assignment.ranks.items(), given, strict=True):
        is_tensor = isinstance(value, Tensor)
        shape = value._known_shape if is_tensor else getattr(value, "shape", None)
        if shape is not None:
            _require_rank(name, shape, rank)
            if all(isinstance(extent, Integral) for extent in shape):
                shapes[name] = tuple(map(int, shape))
    extents = known_extents(assignment, shapes)
    indices = assignment.result.indices
    is_known = all(index in extents for index in indices)
    made = tuple(extents[index] for index in indices) if is_known else None
    return _Asked(assignment, options, given, made)


def _require_rank(name: str, shape: Sequence[Any], rank: int) -> None:
    if len(shape) != rank:
        refuse_rank(name, len(shape), rank)


def _sent(asked: _Asked, engine: DaskEngine) -> _Asked:
    """Send operands of this machine at once: the caller may change them later."""
    given: list[Any] = []
    ranked = zip(asked.assignment.ranks.items(), asked.given, strict=True)
    for (name, rank), value in ranked:
        if isinstance(value, Tensor) or is_dask_collection(value):
            given.append(value)
        elif rank:
            view = plain_view(name, value, rank)
            given.append(Elsewhere(engine.put(value), view))
        else:
            given.append(unpacked(*packed(value)))
    return asked._replace(given=given)


@contextmanager
def _blaming(asked: _Asked) -> Iterator[None]:
    """Let an error say in which operand it is; the task said in which piece."""
    try:
        yield
    except Exception as error:
        for name, value in zip(asked.assignment.operands, asked.given, strict=True):
            if isinstance(value, Tensor) and value._has_failed:
                raise renewed(error, f"in the operand '{name}'") from None
        raise


def _evaluation(asked: _Asked, engine: DaskEngine) -> Evaluation:
    """Return an evaluation, whose operands are known."""
    assignment, options, given, _ = asked
    found: dict[str, Any] = {}
    views = {}
    ranked = zip(assignment.ranks.items(), given, strict=True)
    for (name, rank), value in ranked:
        if isinstance(value, Tensor):
            _require_rank(name, value.shape, rank)
            found[name] = value._pieces if rank else value.compute()
            if rank:
                views[name] = found[name].skeleton()
            continue
        if is_dask_collection(value):
            value = _dense(name, value, engine)
        found[name] = value
        if isinstance(value, Elsewhere):
            views[name] = value.view
        elif rank:
            views[name] = plain_view(name, value, rank)
    return Evaluation(assignment, options, found, views, engine)


def _dense(name: str, array: Any, engine: DaskEngine) -> Elsewhere:
    """Return a Dask array of NumPy's arrays, which a worker puts together."""
    if not isinstance(getattr(array, "_meta", None), np.ndarray):
        raise OperandError(
            f"operand '{name}': of Dask's collections, arrays of NumPy's arrays are "
            "operands; nacho.dask.from_array takes those of sparse arrays"
        )
    rank = array.ndim
    values = np.broadcast_to(np.zeros((), array.dtype), array.shape)
    none = (None,) * rank
    view = View(Format("dense").for_rank(rank), array.shape, none, none, values, NUMPY)
    return Elsewhere(engine.client.compute(array), view)
