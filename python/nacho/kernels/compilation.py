"""``nacho.mlir.compile``: a kernel from an expression, or from MLIR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nacho.errors import ArgumentError
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
from nacho.kernels.requests import IndexType, requested_types
from nacho.mlir.module import is_module, read_module
from nacho.notation.parser import parse, require_supported
from nacho.storage.formats import Format


def compile(
    expr: object,
    formats: Mapping[str, str | Format] | None = None,
    dtype: str | Mapping[str, str] | None = None,
    index: IndexType | Mapping[str, IndexType] | None = None,
    target: str = "cpu",
    threads: int | None = None,
    parts: int | None = None,
    cost: str = "nnz+loops",
    order: Sequence[str] | str | None = None,
    validate: str = "safe",
    remap: bool | None = None,
) -> Kernel:
    """Compile an expression for operands of any shape.

    ``formats`` names the format of operands and of the result. By default an operand of
    one index is a sparse-vector, of two csr, of more csf; that of the result is
    inferred. ``dtype`` ("f64") is the type of all operands, and ``index`` ("i32") that
    of all index arrays; both may be a mapping by name.

    ``expr`` may also be MLIR: the text of a module, or an object that is one when it is
    printed. Formats, types and the order of the loops are those of its function then.

    ``order`` lists the indices from the outermost loop inwards, instead of the order
    that is expected to be the cheapest. With ``remap=False`` what outer intersections
    leave over is not listed first: parts then cost the same by what the operands
    store, whether it is iterated or not.
    """
    check_target(target)
    check_cost(cost)
    check_validation(validate)
    options: dict[str, Any] = {
        "threads": checked_count("threads", threads, MAX_THREADS),
        "parts": checked_count("parts", parts, MAX_PARTS),
        "cost": cost,
        "validate": validate,
        "remap": checked_remap(remap),
    }
    if is_module(expr):
        given = {"formats": formats, "dtype": dtype, "index": index, "order": order}
        return _of_module(str(expr), given, options)
    assignment = parse(expr)
    require_supported(assignment)
    types, result = requested_types(
        assignment, formats or {}, dtype or "f64", index or "i32"
    )
    if order is not None:
        options["order"] = checked_order(order, assignment.indices)
    return Kernel(assignment, types, result, **options)


def _of_module(
    text: str, given: Mapping[str, object], options: Mapping[str, Any]
) -> Kernel:
    for option, value in given.items():
        if value is not None:
            raise ArgumentError(f"{option}= of a module are those of its function")
    module = read_module(text, options["cost"])
    return Kernel(
        module.assignment, module.operands, module.result, module=module, **options
    )
