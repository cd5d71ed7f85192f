"""``evaluate`` and ``partition``: types from the operands, kernels from a cache."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho.errors import ArgumentError, UnsupportedError
from nacho.formats import Format, TensorType
from nacho.inference import result_format, widest_element, widest_index
from nacho.mlir.kernel import Kernel, bind
from nacho.notation import Assignment, identifier
from nacho.operands import element_type, index_width, scalar_dtype, view_of
from nacho.options import (
    MAX_PARTS,
    MAX_THREADS,
    check_cost,
    check_order,
    check_target,
    check_validation,
    checked_count,
)
from nacho.parser import parse, require_supported
from nacho.storage import DType, View

_OPTIONS = ("out", "target", "threads", "parts", "order", "validate", "cost")
_EVALUATE = ("evaluate(expr, {})", _OPTIONS)
_PARTITION = ("partition(expr, parts, {})", ("cost",))
_INT32_MAX = np.iinfo(np.int32).max


def evaluate(
    expr: str,
    operands: Mapping[str, Any] | None = None,
    /,
    *,
    out: str | Format | None = None,
    target: str = "cpu",
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str = "safe",
    cost: str = "nnz+loops",
    **named: Any,
) -> Any:
    """Compute an expression: compile it for its operands once, and run it.

    Operands are keywords; those whose names clash with an option go into the mapping.

    >>> nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
    """
    assignment = parse(expr)
    given = _given(assignment, operands, named, _EVALUATE)
    if target != "cpu":
        check_target(target)
    if validate != "safe":
        check_validation(validate)
    if cost != "nnz+loops":
        check_cost(cost)
    if threads is not None or parts is not None:
        threads = checked_count("threads", threads, MAX_THREADS)
        parts = checked_count("parts", parts, MAX_PARTS)
    views = _views(assignment, given)
    kernel = _kernel(assignment, given, views, out, cost)
    if order is not None:
        check_order(order, kernel.order)
    return kernel.run(given, views, threads, parts, validate)


@dataclass(frozen=True, eq=False)
class Partition:
    """How the work of an expression is cut into parts of equal cost."""

    order: tuple[str, ...]
    """The indices of the loops, outermost first."""
    bounds: NDArray[np.int64]
    """The cuts: (parts + 1, depth) coordinates in loop order, half-open."""
    costs: NDArray[np.int64]
    """The cost of each part."""
    total: int
    delta: int
    """What a part may deviate by, on either side."""
    positions: dict[str, NDArray[np.int64]]
    """Per sparse operand, (parts + 1, levels): the positions of the cuts."""


def partition(expr: str, /, *args: Any, cost: str = "nnz", **named: Any) -> Partition:
    """Cut the work of an expression into parts, and compute nothing.

    ``partition(expr, parts, cost="nnz", **operands)``: an operand named ``cost`` goes
    into a mapping, which comes last of the arguments without names.
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
    assignment = parse(expr)
    given = _given(assignment, operands, named, _PARTITION)
    check_cost(cost)
    count = checked_count("parts", parts, MAX_PARTS)
    views = _views(assignment, given)
    kernel = _kernel(assignment, given, views, None, cost)
    call = kernel.prepare(given, views, None, count, "safe")
    cut = kernel.partition(call)
    sparse = kernel.sparse_operands
    # Columns are loop-major: per loop, the operands in order.
    positions = {
        name: np.ascontiguousarray(cut.positions[:, number :: len(sparse)])
        for number, name in enumerate(sparse)
    }
    costs = np.diff(cut.costs)
    return Partition(
        kernel.order, cut.bounds, costs, cut.total, kernel.delta, positions
    )


# --- Operands -------------------------------------------------------------------------


def _given(
    assignment: Assignment,
    operands: Mapping[str, Any] | None,
    named: Mapping[str, Any],
    function: tuple[str, tuple[str, ...]],
) -> list[Any]:
    """Return the operands in the order of the expression.

    ``function`` is the call of the function that they were given to, with a mapping in
    place of {}, and its options.
    """
    names = assignment.operands
    if (
        operands is None
        and len(named) == len(names)
        and all(name in named for name in names)
    ):
        return [named[name] for name in names]
    call, options = function
    if operands is not None:
        operands = _mapping(operands, names, call)
        twice = next((name for name in named if name in operands), None)
        if twice is not None:
            raise ArgumentError(f"operand '{twice}' is given twice")
        named = {**operands, **named}
    for name in names:
        if name not in named and name in options:
            shown = call.format(f'{{"{name}": {name}}}')
            raise ArgumentError(
                f"operand '{name}' has the name of an option: pass it in a mapping, "
                f"{shown}"
            )
    return bind(names, (), named)


def _mapping(operands: object, names: Sequence[str], call: str) -> dict[str, Any]:
    """Return operands by name, or refuse what has no names."""
    if not isinstance(operands, Mapping):
        keywords = ", ".join(f"{name}={name}" for name in names)
        raise ArgumentError(
            f"operands are passed by name, {call.format(keywords)}, or in a mapping of "
            f"names, not in one {type(operands).__name__}"
        )
    return {identifier(name): value for name, value in operands.items()}


def _views(assignment: Assignment, given: Sequence[Any]) -> list[View | None]:
    ranks = assignment.ranks.items()
    try:
        return [
            view_of(name, value, rank) if rank else None
            for (name, rank), value in zip(ranks, given, strict=True)
        ]
    except UnsupportedError:
        # If the expression is not supported either, that is the better answer.
        require_supported(assignment)
        raise


# --- Kernels --------------------------------------------------------------------------

_CAPACITY = 128


class _Entry:
    """A kernel, or the promise of one: the first thread that comes compiles it."""

    __slots__ = ("kernel", "lock")

    def __init__(self) -> None:
        self.lock = Lock()
        self.kernel: Kernel | None = None


_entries: OrderedDict[tuple[object, ...], _Entry] = OrderedDict()
_lock = Lock()


def _kernel(
    assignment: Assignment,
    given: Sequence[Any],
    views: Sequence[View | None],
    out: str | Format | None,
    cost: str,
) -> Kernel:
    """Return the kernel for these types of operands, compiled once."""
    if out is not None and type(out) is not str:
        out = Format(out)
    types: list[object] = []
    nnz = largest = 0
    for name, value, view in zip(assignment.operands, given, views, strict=True):
        if view is None:
            types.append(scalar_dtype(name, value))
            continue
        types += (view.format.name, view.values.dtype, *_index_types(view))
        nnz += view.values.size
        largest = max(largest, *view.extents)
    # Entries are counted, and coordinates stored, in the index type of the result.
    wide = nnz > _INT32_MAX or largest > _INT32_MAX + 1
    key = (assignment.text, out, cost, wide, *types)
    with _lock:
        entry = _entries.get(key)
        if entry is None:
            entry = _entries[key] = _Entry()
            if len(_entries) > _CAPACITY:
                _entries.popitem(last=False)
        else:
            _entries.move_to_end(key)
    if entry.kernel is None:
        with entry.lock:
            if entry.kernel is None:
                entry.kernel = _compile(assignment, given, views, out, cost, wide)
    return entry.kernel


def _index_types(view: View) -> tuple[DType, DType]:
    return view.pos[-1].dtype, view.crd[-1].dtype


def _compile(
    assignment: Assignment,
    given: Sequence[Any],
    views: Sequence[View | None],
    out: str | Format | None,
    cost: str,
    wide: bool,
) -> Kernel:
    require_supported(assignment)
    types = _operand_types(assignment, given, views)
    result = assignment.result.name
    if out is None:
        formats = {name: t.format for name, t in types.items() if t.format is not None}
        format = result_format(assignment, formats)
    else:
        format = Format(out).require_compiled(result)
    element = widest_element(type.dtype for type in types.values())
    width = 64 if wide else widest_index(types.values())
    return Kernel(
        assignment, types, TensorType(format, element, width, width), cost=cost
    )


def _operand_types(
    assignment: Assignment, given: Sequence[Any], views: Sequence[View | None]
) -> dict[str, TensorType]:
    types: dict[str, TensorType] = {}
    adapting: list[str] = []
    for name, value, view in zip(assignment.operands, given, views, strict=True):
        if view is not None:
            types[name] = _sparse_type(name, view)
            continue
        dtype = scalar_dtype(name, value)
        if dtype is None:
            adapting.append(name)
        else:
            types[name] = TensorType(None, element_type(name, dtype))
    # Python numbers are weak: they take the type of the others.
    element = widest_element(type.dtype for type in types.values())
    types.update((name, TensorType(None, element)) for name in adapting)
    return types


def _sparse_type(name: str, view: View) -> TensorType:
    labels = view.labels(len(view.pos) - 1)
    pos, crd = (
        index_width(name, label, dtype)
        for label, dtype in zip(labels, _index_types(view), strict=True)
    )
    return TensorType(view.format, element_type(name, view.values.dtype), pos, crd)
