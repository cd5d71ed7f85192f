"""Expressions as operators: inside of ``torch.compile``, and of ``SparseArrays``.

PyTorch traces calls of two operators, and runs them later. ``nacho::evaluate`` has a
dense result, the gradients of which are calls of the same operator or, for the values
of sparse operands, of ``nacho::entries``. Operators take tensors, numbers and texts: so
the operands are a list of arrays, and a text says which of them is what.

    A=csr x=dense t=number      three arrays of A, one of x, and a number
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from nacho._elements import ELEMENTS
from nacho._kernels.call import bind, is_result_given
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._notation.promotion import kinds_of, weak_kind
from nacho._notation.tree import Assignment
from nacho._notation.written_out import with_added
from nacho._storage.formats import Format
from nacho._storage.inference import result_format
from nacho._storage.scalars import refuse_rank
from nacho._storage.torch_tensors import element_of
from nacho.errors import ArgumentError, OperandError, UnsupportedError
from nacho.torch._arrays import SparseArrays
from nacho.torch._differentiation import (
    derivative,
    on_pattern,
    options_of_gradients,
    require_real,
    result,
)

DENSE, NUMBER = "dense", "number"
_NAMES = Options._fields

_ARRAYS = {DENSE: 1, NUMBER: 0, "csr": 3, "csc": 3, "coo": 2}
"""How many arrays an operand of a kind has."""


class Packed(NamedTuple):
    """Operands, as operators take them."""

    operands: str
    arrays: list[torch.Tensor]
    numbers: list[Any]
    shapes: list[int]
    """Those of the sparse operands, one after the other."""


def traced(expr: object, operands: Any, named: dict[str, Any]) -> torch.Tensor:
    """Compute an expression by an operator; PyTorch may trace what is done here."""
    if not isinstance(expr, str):
        raise ArgumentError("an operator of PyTorch takes an expression as a string")
    options = [f"{name}={named.pop(name)!r}" for name in _NAMES if name in named]
    packed = pack({**(operands or {}), **named})
    found: torch.Tensor = _evaluate_operator(expr, *packed, ";".join(options))
    return found


def pack(given: Mapping[str, Any]) -> Packed:
    """Lay operands out for an operator."""
    packed = Packed("", [], [], [])
    kinds: list[str] = []
    for name, operand in given.items():
        if isinstance(operand, SparseArrays):
            kinds.append(f"{name}={operand.layout}")
            packed.arrays.extend((*operand.indices, operand.values))
            packed.shapes.extend(operand.shape)
        elif isinstance(operand, torch.Tensor):
            kinds.append(f"{name}={DENSE}")
            packed.arrays.append(operand)
        elif isinstance(operand, int | float):
            kinds.append(f"{name}={NUMBER}")
            packed.numbers.append(operand)
        else:
            raise ArgumentError(
                f"operand '{name}': an operator of PyTorch takes tensors, SparseArrays "
                f"and Python's real numbers, not {type(operand).__name__}"
            )
    return packed._replace(operands=" ".join(kinds))


def unpack(packed: Packed) -> dict[str, Any]:
    """Return operands by name."""
    given: dict[str, Any] = {}
    arrays, numbers = iter(packed.arrays), iter(packed.numbers)
    shapes = iter(packed.shapes)
    for name, kind in _kinds(packed):
        own = [next(arrays) for _ in range(_ARRAYS[kind])]
        if kind == NUMBER:
            given[name] = next(numbers)
        elif kind == DENSE:
            (given[name],) = own
        else:
            *indices, values = own
            rank = indices[0].shape[0] if kind == "coo" else 2
            shape = tuple(next(shapes) for _ in range(rank))
            given[name] = SparseArrays(kind, shape, tuple(indices), values)
    return given


def _kinds(packed: Packed) -> Iterator[tuple[str, str]]:
    for word in packed.operands.split():
        name, _, kind = word.partition("=")
        yield name, kind


def _options(text: str) -> Options:
    found: dict[str, Any] = {}
    for word in filter(None, text.split(";")):
        name, _, value = word.partition("=")
        try:
            found[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            raise ArgumentError(
                f"option '{name}': an operator of PyTorch takes texts, numbers and "
                f"tuples of them, not {value}"
            ) from None
    return Options(**found)


def _tensors(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: each.tensor() if isinstance(each, SparseArrays) else each
        for name, each in given.items()
    }


# --- What operators do ----------------------------------------------------------------


def evaluated(text: str, packed: Packed, options: str) -> torch.Tensor:
    """Compute an expression whose result is dense."""
    found = result(text, _tensors(unpack(packed)), _options(options))
    if found.layout != torch.strided:
        _refuse_sparse_result()
    return found.contiguous()


def shaped(text: str, packed: Packed, options: str) -> torch.Tensor:
    """Return a tensor of the shape and of the type that ``evaluated`` would return."""
    given = unpack(packed)
    assignment = _meant(text, given)
    bind(assignment.operands, (), given)
    extents: dict[str, int] = {}
    for access in assignment.accesses:
        shape = getattr(given[access.name], "shape", ())
        if len(shape) != len(access.indices):
            refuse_rank(access.name, len(shape), len(access.indices))
        extents.update(zip(access.indices, access.extents(shape), strict=True))
    dtype = _dtype(assignment, given, _options(options).out)
    device = packed.arrays[0].device if packed.arrays else None
    shape = [extents[index] for index in assignment.result.indices]
    return torch.empty(shape, dtype=dtype, device=device)


def _meant(text: str, given: Mapping[str, Any]) -> Assignment:
    """Return the statement of a text, in which += adds to a result that is given."""
    written = parse(text)
    return with_added(written) if is_result_given(written, given) else written


def _dtype(
    assignment: Assignment, given: Mapping[str, Any], out: object
) -> torch.dtype:
    """Return the type of a result, which has to be dense."""
    kinds = kinds_of(assignment, {name: _kind(name, x) for name, x in given.items()})
    formats = {
        name: Format(_layout(given[name])).for_rank(assignment.ranks[name])
        for name in assignment.tensors
    }
    format = result_format(kinds, formats) if out is None else Format(str(out))
    if format is not None and not format.is_dense:
        _refuse_sparse_result()
    found: torch.dtype = getattr(torch, ELEMENTS[kinds.result].name)
    return found


def _layout(operand: object) -> str:
    return operand.layout if isinstance(operand, SparseArrays) else DENSE


def _kind(name: str, operand: Any) -> str:
    weak = weak_kind(operand)
    if weak is not None:
        return weak
    if isinstance(operand, bool):
        return "bool"
    values = operand.values if isinstance(operand, SparseArrays) else operand
    return element_of(name, values)


def _refuse_sparse_result() -> None:
    raise UnsupportedError(
        "inside of torch.compile, and of SparseArrays, results are dense: ask for that "
        "with out='dense', or pass sparse tensors outside of torch.compile"
    )


def entries(text: str, packed: Packed, like: str, options: str) -> torch.Tensor:
    """Compute values for the entries of an operand, of its type and in its order."""
    given = unpack(packed)
    operand: SparseArrays = given[like]
    tensors = _tensors(given)
    chosen = _options(options)._replace(out=operand.layout)
    found = result(text, tensors, chosen)
    if found._nnz() != operand.values.numel():
        found = on_pattern(found, tensors[like], chosen)
    made = SparseArrays.of(found)
    pairs = zip(made.indices, operand.indices, strict=True)
    if not all(torch.equal(mine, own.to(mine.dtype)) for mine, own in pairs):
        raise OperandError(
            f"operand '{like}': its entries are not sorted, or repeated, so that its "
            "values have no gradient: pass SparseArrays.of(A) of a tensor that is not"
        )
    return made.values.to(operand.values.dtype).contiguous()


def gradients(
    text: str,
    packed: Packed,
    options: str,
    needed: Sequence[bool],
    cotangent: torch.Tensor,
    like: str | None,
) -> list[torch.Tensor | None]:
    """Return the gradients for the arrays of an expression, by operators.

    If the result has the entries of an operand, it is called ``like``.
    """
    given = unpack(packed)
    text = _meant(text, given).text
    of_result = cotangent if like is None else given[like]._replace(values=cotangent)
    require_real({name: each for name, each in given.items() if hasattr(each, "shape")})
    found: list[torch.Tensor | None] = []
    kept = options_of_gradients(_options(options)).given
    chosen = ";".join(f"{name}={value!r}" for name, value in kept.items())
    for name, kind in _kinds(packed):
        count = _ARRAYS[kind]
        is_needed = count > 0 and needed[len(found) + count - 1]
        found += [None] * count
        if is_needed:
            found[-1] = _gradient(text, name, given, chosen, of_result)
    return found


def _gradient(
    text: str,
    name: str,
    given: Mapping[str, Any],
    options: str,
    cotangent: torch.Tensor,
) -> torch.Tensor:
    operand = given[name]
    is_sparse = isinstance(operand, SparseArrays)
    found = derivative(text, name, is_sparse)
    every = {**given, found.cotangent: cotangent}
    packed = pack({each: every[each] for each in found.operands})
    made: torch.Tensor
    if is_sparse:
        made = _entries_operator(found.text, *packed, name, options)
        return made
    if operand.dim():
        options = f"{options};out='{DENSE}'"
    made = _evaluate_operator(found.text, *packed, options)
    return made.to(operand.dtype)


# --- The operators --------------------------------------------------------------------


@torch.library.custom_op("nacho::evaluate", mutates_args=())
def _evaluate_operator(
    text: str,
    operands: str,
    arrays: Sequence[torch.Tensor],
    numbers: Sequence[int | float | bool],
    shapes: Sequence[int],
    options: str,
) -> torch.Tensor:
    packed = Packed(operands, list(arrays), list(numbers), list(shapes))
    return evaluated(text, packed, options)


@_evaluate_operator.register_fake
def _(
    text: str, operands: str, arrays: Any, numbers: Any, shapes: Any, options: str
) -> torch.Tensor:
    return shaped(text, Packed(operands, arrays, numbers, shapes), options)


@torch.library.custom_op("nacho::entries", mutates_args=())
def _entries_operator(
    text: str,
    operands: str,
    arrays: Sequence[torch.Tensor],
    numbers: Sequence[int | float | bool],
    shapes: Sequence[int],
    like: str,
    options: str,
) -> torch.Tensor:
    packed = Packed(operands, list(arrays), list(numbers), list(shapes))
    return entries(text, packed, like, options)


@_entries_operator.register_fake
def _(
    text: str,
    operands: str,
    arrays: Any,
    numbers: Any,
    shapes: Any,
    like: str,
    options: str,
) -> torch.Tensor:
    given = unpack(Packed(operands, arrays, numbers, shapes))
    return torch.empty_like(given[like].values)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    """Keep the arguments of either operator for its gradients."""
    ctx.text, ctx.operands, arrays, ctx.numbers, ctx.shapes, *others = inputs
    *ctx.like, ctx.options = others
    ctx.save_for_backward(*arrays)


def _gradients(ctx: Any, cotangent: torch.Tensor) -> tuple[Any, ...]:
    packed = Packed(ctx.operands, ctx.saved_tensors, ctx.numbers, ctx.shapes)
    needed = ctx.needs_input_grad[2]
    like = ctx.like[0] if ctx.like else None
    found = gradients(ctx.text, packed, ctx.options, needed, cotangent, like)
    numbers, shapes = _nothing(ctx.numbers), _nothing(ctx.shapes)
    return None, None, found, numbers, shapes, *(None for _ in ctx.like), None


def _nothing(values: Sequence[object]) -> list[object] | None:
    """Return the gradient of a list of numbers: that of an empty one is empty."""
    return None if values else []


for _operator in (_evaluate_operator, _entries_operator):
    _operator.register_autograd(_gradients, setup_context=_keep)
