"""``evaluate`` and ``einsum``: types from the operands, kernels from a cache."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

from nacho.errors import ArgumentError, IndexOverflowError, UnsupportedError
from nacho.kernels.kernel import Kernel
from nacho.kernels.options import (
    MAX_PARTS,
    MAX_THREADS,
    check_cost,
    check_target,
    check_validation,
    checked_count,
    checked_order,
    checked_remap,
)
from nacho.kernels.plan import bind, views_of
from nacho.kernels.requests import requested_format, widest_index
from nacho.notation.einsum import spelled_product
from nacho.notation.parser import parse, require_supported
from nacho.notation.promotion import kinds_of, strong, weak_kind
from nacho.notation.symbols import Expression, Index, statement
from nacho.notation.tree import Assignment, identifier
from nacho.storage.extents import index_extents
from nacho.storage.formats import Format, TensorType
from nacho.storage.inference import result_format
from nacho.storage.operands import element_type, scalar_dtype, signature, tensor_type
from nacho.storage.results import holds, library_of
from nacho.storage.views import INT32_MAX, View

_OPTIONS = ("out", "target", "threads", "parts", "order", "validate", "cost", "remap")
_EVALUATE = ("evaluate(expr, {})", _OPTIONS)


def evaluate(
    expr: str | Expression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    *,
    out: str | Format | None = None,
    target: str = "cpu",
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str = "safe",
    cost: str = "nnz+loops",
    remap: bool | None = None,
    **named: Any,
) -> Any:
    """Compute an expression: compile it for its operands once, and run it.

    Operands are keywords; those whose names clash with an option go into the mapping.
    An expression of ``nacho.indices`` has its operands in it: it is followed by the
    indices of the result.

    >>> nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
    >>> nacho.evaluate(A[i, j] * B[j, k], (i, k))  # doctest: +SKIP
    """
    if isinstance(expr, Expression):
        expr, operands = _spelled(expr, operands, named)
    assignment = parse(expr)
    given = given_operands(assignment, operands, named, _EVALUATE)
    if target != "cpu":
        check_target(target)
    if validate != "safe":
        check_validation(validate)
    if cost != "nnz+loops":
        check_cost(cost)
    if threads is not None or parts is not None:
        threads = checked_count("threads", threads, MAX_THREADS)
        parts = checked_count("parts", parts, MAX_PARTS)
    views = views_of_operands(assignment, given)
    loops = () if order is None else checked_order(order, assignment.indices)
    compiled = Compiled(cost, loops, remap is None or checked_remap(remap))
    kernel = kernel_for(assignment, given, views, out, compiled)
    try:
        return kernel.run(given, views, threads, parts, validate)
    except IndexOverflowError:
        # Only counting the entries tells how many there are.
        kernel = kernel_for(assignment, given, views, out, compiled, wide=True)
        return kernel.run(given, views, threads, parts, validate)


def einsum(subscripts: str, /, *operands: Any, **options: Any) -> Any:
    """Multiply operands and sum over indices, as ``numpy.einsum`` does.

    Without ``->``, the result has the indices that occur once, in alphabetical order.
    The options are those of ``evaluate``; ``out`` is the format of the result.

    >>> nacho.einsum("ij,jk->ik", A, B)  # doctest: +SKIP
    """
    text, given = spelled_product(subscripts, operands)
    return evaluate(text, given, **options)


def _spelled(
    expr: Expression, indices: object, named: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return an expression as text, and its operands by name."""
    if indices is None:
        indices = named.pop("indices", None)
    if named:
        shown = ", ".join(f"'{name}'" for name in named)
        raise ArgumentError(
            f"an expression of nacho.indices has its operands in it: what is {shown}?"
        )
    return statement(expr, indices)


# --- Operands -------------------------------------------------------------------------


def given_operands(
    assignment: Assignment,
    operands: object,
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
        mapped = _mapping(operands, names, call)
        twice = next((name for name in named if name in mapped), None)
        if twice is not None:
            raise ArgumentError(f"operand '{twice}' is given twice")
        named = {**mapped, **named}
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


def views_of_operands(assignment: Assignment, given: Sequence[Any]) -> dict[str, View]:
    try:
        return views_of(assignment, given)
    except UnsupportedError:
        # If the expression is not supported either, that is the better answer.
        require_supported(assignment)
        raise


# --- Kernels --------------------------------------------------------------------------

_CAPACITY = 128


class Compiled(NamedTuple):
    """The options that a kernel is compiled with."""

    cost: str = "nnz+loops"
    order: tuple[str, ...] = ()
    remap: bool = True
    keys: bool = True


class _Entry:
    """A kernel, or the promise of one: the first thread that comes compiles it."""

    __slots__ = ("kernel", "lock")

    def __init__(self) -> None:
        self.lock = Lock()
        self.kernel: Kernel | None = None


_entries: OrderedDict[tuple[object, ...], _Entry] = OrderedDict()
_lock = Lock()


def kernel_for(
    assignment: Assignment,
    given: Sequence[Any],
    views: Mapping[str, View],
    out: str | Format | None,
    options: Compiled,
    wide: bool = False,
) -> Kernel:
    """Return the kernel for these types of operands, compiled once.

    Its indices are those of the operands; they are ``wide`` if extents ask for it.
    """
    if out is not None and type(out) is not str:
        out = Format(out)
    types: list[object] = []
    for name, value in zip(assignment.operands, given, strict=True):
        view = views.get(name)
        if view is None:
            types.append(weak_kind(value) or scalar_dtype(name, value))
        else:
            types += signature(view)
    library = library_of(list(views.values()))
    wide |= _is_wide(assignment, views)
    sizes = () if options.order else _sizes(assignment, views)
    key = (assignment.text, out, options, wide, library, sizes, *types)
    return cached_kernel(
        key,
        lambda: _compile(assignment, given, views, library, out, options, wide, sizes),
    )


def cached_kernel(key: tuple[object, ...], compile: Callable[[], Kernel]) -> Kernel:
    """Return the kernel of a key, compiled the first time that it is asked for."""
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
                entry.kernel = compile()
    return entry.kernel


def _is_wide(assignment: Assignment, views: Mapping[str, View]) -> bool:
    """Return whether int32 is too narrow for coordinates."""
    extents = index_extents(assignment, views)
    return max(extents.values(), default=0) > INT32_MAX + 1


def _sizes(
    assignment: Assignment, views: Mapping[str, View]
) -> tuple[tuple[int, ...], ...]:
    """Return the entries and extents of operands, if loops may depend on them.

    Only roughly, as powers of four, so that operands of similar sizes share a kernel.
    """
    if not assignment.reduced:
        return ()
    sparse = sum(
        not views[access.name].format.is_dense
        for access in assignment.accesses
        if access.indices
    )
    if sparse < 2:
        return ()
    return tuple(
        [
            tuple([4 ** (n.bit_length() // 2) for n in (view.values.size, *view.shape)])
            for view in views.values()
        ]
    )


def _compile(
    assignment: Assignment,
    given: Sequence[Any],
    views: Mapping[str, View],
    library: str,
    out: str | Format | None,
    options: Compiled,
    wide: bool,
    sizes: tuple[tuple[int, ...], ...],
) -> Kernel:
    require_supported(assignment)
    types: dict[str, TensorType] = {}
    elements: dict[str, str] = {}
    for name, value in zip(assignment.operands, given, strict=True):
        if name in views:
            types[name] = tensor_type(name, views[name])
            elements[name] = types[name].dtype
        else:
            elements[name] = _scalar_kind(name, value)
            types[name] = TensorType(None, strong(elements[name]))
    kinds = kinds_of(assignment, elements)
    if out is not None:
        format = requested_format(assignment, out)
    else:
        rank = len(assignment.result.indices)
        formats = {name: t.format for name, t in types.items() if t.format is not None}
        format = result_format(kinds, formats, partial(holds, library, rank=rank))
    width = 64 if wide else widest_index(types.values())
    result = TensorType(format, kinds.result, width, width)
    known = dict(zip(views, sizes, strict=True)) if sizes else None
    return Kernel(
        assignment,
        types,
        result,
        kinds=kinds,
        sizes=known,
        first=views.values(),
        **options._asdict(),
    )


def _scalar_kind(name: str, value: Any) -> str:
    """Return the kind of a scalar: Python's numbers are weak, but for bools."""
    dtype = scalar_dtype(name, value)
    if dtype is not None:
        return element_type(name, dtype)
    return weak_kind(value) or "float"
