"""MLIR as an argument of ``compile``: what the function of a module reads and returns.

The function is described by an assignment, ``Z[i,j] = name(A[i,j], B[i,j])``, so that
calls, checks and messages are those of the notation. The compiler first lowers the
module to the `assign` stage, from which the accesses are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nacho._elements import MLIR
from nacho._notation.symbols import result_name
from nacho._notation.tree import Access, Assignment
from nacho._notation.tree import Call as FunctionCall
from nacho._storage.formats import Format, TensorType
from nacho._storage.views import View
from nacho.errors import ShapeError, UnsupportedError, pointed
from nacho.mlir._refusals import refuse_module
from nacho.mlir._slices import (
    Accesses,
    SliceBounds,
    bounds_of_slices,
    numbers_read,
    of_whole_tensors,
    sizes_of_indices,
    slices_in,
)
from nacho.mlir._splits import RESULT, read_splits

_ELEMENTS = {text: name for name, text in MLIR.items()}

_FUNCTION = "func.func"
_TENSOR = re.compile(r"tensor<((?:(?:\?|\d+)x)*)([\w<>]+?)(?:,\s*(.*))?>", re.DOTALL)
_COORDINATES = re.compile(
    r"(%[\w$.-]+) = nacho\.coordinates\b[^:]*: tensor<(\d+|\?)xi64>"
)
_SLICED_TYPE = "#sparse_tensor<slice"
_MAP = re.compile(r"map\s*=\s*(\(.*\)\s*->\s*\(.*\))\s*(?:,\s*\w+Width|\}>)", re.DOTALL)
_WIDTH = r"\b{}Width\s*=\s*(\d+)"

_ARGUMENT = re.compile(r"(%[\w$.-]+): ")
_BINDING = re.compile(r"%[\w$.-]+ = (%[\w$.-]+)\[([^\]]*)\] :")
_INIT = re.compile(r"\binit\((%[\w$.-]+) :")
_MADE = re.compile(r"(%[\w$.-]+) = nacho\.assign ")
_RESULT = re.compile(r"-> \[([^\]]*)\] : tensor")


class Calls(NamedTuple):
    """A function as calls of kernels, one after the other.

    Its values have numbers: first its arguments, then the result of each call.
    """

    text: str
    """The module: the function, and those that it calls."""
    name: str
    arguments: tuple[str, ...]
    """The names of the arguments, which may be empty."""
    calls: tuple[tuple[str, tuple[int, ...]], ...]
    """The module of each kernel, and the numbers of its operands.

    If there are none, the function is a kernel.
    """
    results: tuple[int, ...]


@dataclass(frozen=True)
class Module:
    """A module with one function, whose arguments are the operands."""

    text: str
    assigned: str
    """The module at the `assign` stage, as text."""
    assignment: Assignment
    operands: dict[str, TensorType]
    result: TensorType
    bindings: tuple[Access, ...]
    """The accesses, by the numbers that the compiler gives them."""
    shapes: dict[str, tuple[int | None, ...]]
    """The extents of the operands; None stands for an extent of any size."""
    slices: tuple[SliceBounds, ...]

    @property
    def has_free_widths(self) -> bool:
        """Whether some encoding gives no width of index arrays.

        Then, the widths are those of the operands of a call.
        """
        return any(
            0 in _widths(type) for type in (*self.operands.values(), self.result)
        )

    def with_widths(self, operands: Sequence[TensorType], result: TensorType) -> str:
        """Return the text of the module with the index widths of these types."""
        if not self.has_free_widths:
            return self.text
        from nacho import _nacho

        pairs = [_widths(type) for type in (*operands, result)]
        try:
            return _nacho.with_index_widths(self.assigned, pairs)
        except _nacho.CompileError as error:
            refuse_module(error)

    def require_shapes(
        self, views: Mapping[str, View], operands: Mapping[str, object]
    ) -> None:
        """Refuse an operand of another shape than the function was written for.

        ``operands`` are the containers and numbers of the caller.
        """
        for name, view in views.items():
            for dimension, (wanted, extent) in enumerate(
                zip(self.shapes[name], view.shape, strict=True)
            ):
                if wanted is not None and wanted != extent:
                    message = (
                        f"dimension {dimension} of operand '{name}' has extent "
                        f"{extent}, but the function is for {wanted}"
                    )
                    span = self.assignment.access_of(name).span
                    raise ShapeError(pointed(message, self.assignment.text, span))
        for slice in self.slices:
            slice.require_inside(views[slice.operand].shape, operands)


def is_module(expr: object) -> bool:
    """Return whether an object is MLIR: a text, or an object that prints as one."""
    try:
        return _FUNCTION in (expr if isinstance(expr, str) else str(expr))
    except Exception:
        # An object that does not print, whatever it is.
        return False


def read_function(text: str, entry: str | None) -> Calls:
    """Read a function of a module, by default its only one, as calls of kernels."""
    from nacho import _nacho

    try:
        return Calls(*_nacho.read_function(text, entry or ""))
    except _nacho.CompileError as error:
        refuse_module(error)


def argument_names(names: Sequence[str]) -> list[str]:
    """Return names for the arguments of a function, also for those without one."""
    return [name or f"arg{number}" for number, name in enumerate(names)]


def read_module(text: str, cost: str) -> Module:
    """Read the signature of the only function, and how it accesses its operands."""
    from nacho import _nacho

    try:
        function, names, types, result = _nacho.signature(text)
        lowered = _nacho.lower(text, "assign", "cpu", {"cost": cost})
    except _nacho.CompileError as error:
        refuse_module(error)
    names = argument_names(names)
    types = _taken_types(types, lowered)
    parsed = {n: _tensor_type(n, t) for n, t in zip(names, types, strict=True)}
    wanted, shape = _tensor_type("the result", result)
    given = {**parsed, RESULT: (wanted, shape)}
    splits = read_splits(lowered, names, {n: t.format for n, (t, _) in given.items()})
    if splits:
        _, _, types, result = _nacho.signature(lowered)
        parsed = {n: _tensor_type(n, t) for n, t in zip(names, types, strict=True)}
        wanted, _ = _tensor_type("the result", result)
    left, accesses, known = _accesses(function, names, lowered)
    # An argument that is only an output is an operand, too: its shape is the result's.
    read = {name for name, _ in accesses}
    accesses += [
        (name, left)
        for name, (_, shape) in parsed.items()
        if name not in read and len(shape) == len(left)
    ]
    extents = _extents(function, left, accesses, known)
    assignment, bindings = _assignment(function, names, left, accesses, extents)
    if RESULT in splits:
        splits[assignment.result.name] = splits.pop(RESULT)
    assignment = replace(assignment, splits=(*splits.items(),))
    operands = {name: type for name, (type, _) in parsed.items()}
    shapes = {name: shape for name, (_, shape) in parsed.items()}
    slices = bounds_of_slices(lowered, _values_of_arguments(names, lowered))
    return Module(
        text, lowered, assignment, operands, wanted, bindings, shapes, (*slices,)
    )


def _values_of_arguments(names: Sequence[str], lowered: str) -> dict[str, str]:
    """Return the names of the arguments of the function, by their values."""
    _, _, rest = lowered.partition(_FUNCTION)
    header, _, _ = rest.partition("{\n")
    return dict(zip(_ARGUMENT.findall(header), names, strict=False))


def _taken_types(types: list[str], lowered: str) -> list[str]:
    """Return the types of what the compiler takes for arguments.

    It takes whole tensors for slices, and tensors without indices for numbers to slice
    by.
    """
    from nacho import _nacho

    def is_replaced(type: str) -> bool:
        return _SLICED_TYPE in type or type == "index"

    if not any(map(is_replaced, types)):
        return types
    _, _, taken, _ = _nacho.signature(lowered)
    return [
        new if is_replaced(type) else type
        for type, new in zip(types, taken, strict=True)
    ]


# --- Types ----------------------------------------------------------------------------


def _tensor_type(name: str, text: str) -> tuple[TensorType, tuple[int | None, ...]]:
    """Read the type of an argument: format, element type, widths, and extents.

    A number is read as a tensor without indices.
    """
    text = text.strip()
    if text in _ELEMENTS:
        return TensorType(None, _ELEMENTS[text]), ()
    found = _TENSOR.fullmatch(text)
    if found is None or found[2] not in _ELEMENTS:
        message = f"'{name}' is of type {text}, not a ranked tensor of numbers"
        raise UnsupportedError(f"{message}: not supported")
    extents = found[1].split("x")[:-1]
    shape = tuple(None if extent == "?" else int(extent) for extent in extents)
    format, widths = None, (32, 32)
    if shape:
        format, widths = _encoding(name, found[3], len(shape))
    return TensorType(format, _ELEMENTS[found[2]], *widths), shape


def _encoding(name: str, text: str | None, rank: int) -> tuple[Format, tuple[int, int]]:
    """Read an encoding: the format, and the widths of ``pos`` and ``crd``.

    A tensor without an encoding is dense, and its widths do not matter.
    """
    if text is None:
        return Format("dense").for_rank(rank), (32, 32)
    found = _MAP.search(text)
    if found is None:
        raise UnsupportedError(f"'{name}' has the encoding {text}: not supported")
    format = Format(" ".join(found[1].split())).for_rank(rank, name)
    widths = (_width("pos", text), _width("crd", text))
    return format.require_compiled(name), (32, 32) if format.is_dense else widths


def _width(array: str, text: str) -> int:
    """Return the width that an encoding gives for ``pos`` or ``crd``; 0 if none."""
    found = re.search(_WIDTH.format(array), text)
    width = int(found[1]) if found else 0
    if width not in (0, 32, 64):
        raise UnsupportedError(f"{array}Width = {width} is not supported")
    return width


def _widths(type: TensorType) -> tuple[int, int]:
    return type.pos_width, type.crd_width


# --- Accesses -------------------------------------------------------------------------


def _accesses(
    function: str, names: list[str], lowered: str
) -> tuple[tuple[str, ...], Accesses, dict[str, int]]:
    """Return the indices of the result, and each operand with its indices.

    Also return the extents of indices that slices or coordinates have, if the function
    knows them.
    """
    _, _, rest = lowered.partition(_FUNCTION)
    header, *statements = rest.split("nacho.assign ")
    if not _is_one_op(statements):
        raise UnsupportedError(f"@{function} is not one assignment: not supported")
    operands = _values_of_arguments(names, lowered)
    accesses = []
    for statement in statements:
        bindings, _, end = statement.partition("-> [")
        indices = _RESULT.match("-> [" + end)
        if indices is None:
            raise UnsupportedError(f"@{function} is not one assignment: not supported")
        left = _indices(indices[1])
        found = [(value, _indices(text)) for value, text in _BINDING.findall(bindings)]
        accesses += found + [(value, left) for value in _INIT.findall(bindings)]
    # Coordinates of loops, and lists, are operands of an assignment, but no arguments.
    coordinates = dict(_COORDINATES.findall(rest))
    made = {*coordinates, *_MADE.findall(rest)}
    slices = slices_in(rest)
    sizes = {value: [size] for value, size in coordinates.items()}
    sizes |= {value: listed.split(", ") for value, _, listed in slices}
    extents = sizes_of_indices(accesses, sizes)
    accesses = [access for access in accesses if access[0] not in made]
    accesses = of_whole_tensors(accesses, slices, operands)
    accesses += numbers_read(header, accesses)
    for value, _ in accesses:
        if value not in operands:
            message = f"an operand in @{function} is not one of its arguments"
            raise UnsupportedError(f"{message}: not supported")
    return left, [(operands[value], at) for value, at in accesses], extents


def _is_one_op(statements: Sequence[str]) -> bool:
    """Return whether statements compute one op.

    Entries of tensors without blocks may be listed for it, and the last statement may
    make its result of the list of what another one computes.
    """
    lists = [text for text in statements if text.startswith("collect<sorted_list>")]
    return len(statements) - len(lists) in ((1, 2) if lists else (1,))


def _indices(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _extents(
    function: str,
    left: tuple[str, ...],
    accesses: Accesses,
    coordinates: Mapping[str, int],
) -> tuple[tuple[str, int], ...]:
    """Return the extents of indices that no operand has, which are the result's.

    ``coordinates`` has the extents that the function knows.
    """
    read = {index for _, indices in accesses for index in indices}
    missing = [index for index in left if index not in read]
    for index in missing:
        if index not in coordinates:
            message = f"@{function} computes the extent of index '{index}'"
            raise UnsupportedError(f"{message} of its result: not supported")
    return tuple((index, coordinates[index]) for index in missing)


def _assignment(
    function: str,
    names: list[str],
    left: tuple[str, ...],
    accesses: Accesses,
    extents: tuple[tuple[str, int], ...],
) -> tuple[Assignment, tuple[Access, ...]]:
    """Build ``Z[i,j] = name(A[i,j], …)``, with the operands in the order of arguments.

    Also return the accesses in the order in which they were given.
    """
    used = {name for name, _ in accesses}
    missing = next((name for name in names if name not in used), None)
    if missing is not None:
        message = f"argument '{missing}' of @{function} is not an operand"
        raise UnsupportedError(f"{message}: not supported")
    result = _access(result_name({*names, *left}), left)
    text = f"{result} = {function}("
    found: dict[int, Access] = {}
    for number in sorted(
        range(len(accesses)), key=lambda n: names.index(accesses[n][0])
    ):
        name, indices = accesses[number]
        text += ", " if found else ""
        shown = _access(name, indices)
        found[number] = Access(name, indices, (len(text), len(text) + len(shown)))
        text += shown
    text += ")"
    head = len(result)
    call = FunctionCall(function, tuple(found.values()), (head + 3, len(text)))
    left_side = Access(result.partition("[")[0], left, (0, head))
    span = (head + 1, head + 2)
    assignment = Assignment(left_side, call, text, None, span, extents=extents)
    return assignment, tuple(found[number] for number in range(len(accesses)))


def _access(name: str, indices: tuple[str, ...]) -> str:
    return f"{name}[{','.join(indices)}]" if indices else name
