"""``nacho.partition``: how the work of an expression is cut into parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nacho._kernels.call import Call
from nacho._kernels.given import given_operands, read_statement, views_of_operands
from nacho._kernels.nests import Nest, Partition, nests_of
from nacho._kernels.options import Options
from nacho._kernels.specialisers import specialiser_for
from nacho.errors import ArgumentError

__all__ = ["Nest", "Partition", "partition"]

_FUNCTION = ("partition(expr, parts, {})", ("cost", "order", "remap", "contract"))


def partition(
    expr: str,
    /,
    *args: Any,
    cost: str = "time",
    order: Sequence[str] | str | None = None,
    remap: bool | None = None,
    contract: Sequence[str] | str = "auto",
    **named: Any,
) -> Partition:
    """Cut the work of an expression into parts, and compute nothing.

    The call is ``partition(expr, parts, cost="time", **operands)``.

    Parameters
    ----------
    expr
        A statement in the notation.
    *args
        The number of parts and, behind it, operands that have the name of an option, in
        a mapping.
    cost
        The cost model by which parts are equal: ``"nnz"``, ``"nnz+loops"``,
        ``"flops"``, ``"time"``, or the text of a ``#nacho.cost_model``. By default, the
        cuts are those of calls; ``"nnz"`` is the model of the paper.
    order, remap, contract
        As for ``evaluate``.
    **named
        The operands by name.

    Examples
    --------
    >>> nacho.partition("Z[i,j] = A[i,j] + B[i,j]", 4, A=A, B=B)  # doctest: +SKIP
    """
    if not args and "parts" not in named:
        raise ArgumentError("partition needs the number of parts")
    parts, *rest = args or (named.pop("parts"),)
    operands = None
    for arg in rest:
        if isinstance(arg, str):
            cost = arg
        else:
            operands = arg
    options = Options(
        cost=cost, order=order, remap=remap, parts=parts, contract=contract
    )
    assignment = read_statement(expr, operands, named, options)
    given = given_operands(assignment, operands, named, _FUNCTION)
    lowering, running = options.lowering(assignment), options.running()
    views = views_of_operands(assignment, given)
    found = specialiser_for(assignment, views, None, lowering)
    return found.run(given, views, running, _partition)


def _partition(call: Call) -> Partition:
    plan = call.partition()
    program = call.specialisation.planned(plan)
    nests = nests_of(program, plan, call.extents)
    return Partition(**vars(nests[-1]), nests=nests)
