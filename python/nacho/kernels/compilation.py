"""``nacho.mlir.compile``: a kernel from an expression, or from MLIR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nacho.errors import ArgumentError
from nacho.kernels.kernel import Kernel
from nacho.kernels.pins import IndexType, requested_pins
from nacho.kernels.request import checked_request
from nacho.kernels.statement import ModuleSource, NotationSource
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
    inferred.

    The kernel takes any element types, and index arrays of 32 or 64 bits: for those
    that it has not seen it is compiled when it is called. ``dtype`` ("f64") pins the
    type of all operands, and ``index`` ("i32") that of all index arrays, so that others
    are refused; both may be a mapping by name, which leaves the others free.

    ``expr`` may also be MLIR: the text of a module, or an object that is one when it is
    printed. Formats, types and the order of the loops are those of its function then;
    only widths of index arrays that are MLIR's default are free.

    ``order`` lists the indices from the outermost loop inwards, instead of the order
    that is expected to be the cheapest. With ``remap=False`` what outer intersections
    leave over is not listed first: parts then cost the same by what the operands
    store, whether it is iterated or not.
    """
    options = (target, cost, order, remap, threads, parts, validate)
    if is_module(expr):
        given = {"formats": formats, "dtype": dtype, "index": index, "order": order}
        return _of_module(str(expr), given, options)
    assignment = parse(expr)
    require_supported(assignment)
    request = checked_request(assignment.indices, *options)
    pins = requested_pins(assignment, formats or {}, dtype, index)
    source = NotationSource(assignment, pins, request.lowering.order)
    return Kernel(source, request)


def _of_module(text: str, given: Mapping[str, object], options: Any) -> Kernel:
    for option, value in given.items():
        if value is not None:
            raise ArgumentError(f"{option}= of a module are those of its function")
    request = checked_request((), *options)
    return Kernel(ModuleSource(read_module(text, request.lowering.cost)), request)
