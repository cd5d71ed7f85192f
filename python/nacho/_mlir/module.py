"""MLIR as an argument of ``compile``: what the function of a module reads and returns.

The function is described by an assignment, ``Z[i,j] = name(A[i,j], B[i,j])``, so that
calls, checks and messages are those of the notation. The compiler lowers the module to
the `assign` stage, and describes what it reads there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from nacho._elements import MLIR
from nacho._mlir.refusals import refuse_module
from nacho._mlir.slices import SliceBounds
from nacho._notation.symbols import result_name
from nacho._notation.tree import Access, Assignment, LevelPart, Split
from nacho._notation.tree import Call as FunctionCall
from nacho._storage.formats import Format, TensorType
from nacho._storage.views import View
from nacho.errors import ShapeError, UnsupportedError, pointed

if TYPE_CHECKING:
    from nacho import _nacho

_ELEMENTS = {text: name for name, text in MLIR.items()}

_FUNCTION = "func.func"

Accesses = list[tuple[str, tuple[str, ...]]]
"""Operands, and the indices by which each is accessed."""
_Tensor = tuple[TensorType, tuple[int | None, ...]]
"""The type of a tensor, and its extents; None stands for an extent of any size."""
_RESULT = ""
"""The key of the result among the names of arguments."""


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
    native: _nacho.Module
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

    def with_widths(
        self, operands: Sequence[TensorType], result: TensorType
    ) -> _nacho.Module:
        """Return the module with the index widths of these types."""
        if not self.has_free_widths:
            return self.native
        from nacho import _nacho

        pairs = [_widths(type) for type in (*operands, result)]
        try:
            return self.native.with_index_widths(pairs)
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


def read_module(text: str) -> Module:
    """Read the signature of the only function, and how it accesses its operands."""
    from nacho import _nacho

    try:
        native = _nacho.Module(text)
        found = native.describe()
    except _nacho.CompileError as error:
        refuse_module(error)
    names = argument_names(found.arguments)
    given = _tensor_types(names, found.given)
    assigned, splits = given, {}
    if any(type.blocks for type in found.assigned):
        assigned = _tensor_types(names, found.assigned)
        splits = {
            name: _split(given[name][0].format, type.blocks)
            for name, type in zip((*names, _RESULT), found.assigned, strict=True)
            if type.blocks
        }
    accesses = _accesses(found, names)
    left = tuple(found.indices)
    wanted, _ = assigned.pop(_RESULT)
    # An argument that is only an output is an operand, too: its shape is the result's.
    read = {name for name, _ in accesses}
    accesses += [
        (name, left)
        for name, (_, shape) in assigned.items()
        if name not in read and len(shape) == len(left)
    ]
    extents = _extents(found, accesses)
    assignment, bindings = _assignment(found.name, names, left, accesses, extents)
    if _RESULT in splits:
        splits[assignment.result.name] = splits.pop(_RESULT)
    assignment = replace(assignment, splits=(*splits.items(),))
    operands = {name: type for name, (type, _) in assigned.items()}
    shapes = {name: shape for name, (_, shape) in assigned.items()}
    slices = tuple(SliceBounds.of(slice, names) for slice in found.slices)
    return Module(text, native, assignment, operands, wanted, bindings, shapes, slices)


# --- Types ----------------------------------------------------------------------------


def _tensor_types(
    names: Sequence[str], types: Sequence[_nacho.TypeDescription]
) -> dict[str, _Tensor]:
    """Read the types of the arguments, and that of the result behind them."""
    shown = {**{name: name for name in names}, _RESULT: "the result"}
    return {
        name: tensor_type(shown[name], type)
        for name, type in zip((*names, _RESULT), types, strict=True)
    }


def tensor_type(name: str, type: _nacho.TypeDescription) -> _Tensor:
    """Return the type of an argument: format, element type, widths, and extents.

    A number is a tensor without indices.
    """
    if type.element not in _ELEMENTS:
        message = f"'{name}' is of type {type.text}, not a ranked tensor of numbers"
        raise UnsupportedError(f"{message}: not supported")
    format, widths = None, (32, 32)
    if type.shape:
        format, widths = _encoding(name, type)
    return TensorType(format, _ELEMENTS[type.element], *widths), tuple(type.shape)


def _encoding(
    name: str, type: _nacho.TypeDescription
) -> tuple[Format, tuple[int, int]]:
    """Return the format, and the widths of ``pos`` and ``crd``; 0 if they are free.

    A tensor without an encoding is dense, and its widths do not matter.
    """
    rank = len(type.shape)
    if not type.encoding:
        return Format("dense").for_rank(rank), (32, 32)
    if not type.levels:
        message = f"'{name}' has the encoding {type.encoding}: not supported"
        raise UnsupportedError(message)
    format = Format(type.levels).for_rank(rank, name)
    widths = (type.pos_width, type.crd_width)
    for array, width in zip(("pos", "crd"), widths, strict=True):
        if width not in (0, 32, 64):
            raise UnsupportedError(f"{array}Width = {width} is not supported")
    return format.require_compiled(name), (32, 32) if format.is_dense else widths


def _widths(type: TensorType) -> tuple[int, int]:
    return type.pos_width, type.crd_width


def _split(format: Format | None, blocks: Sequence[int]) -> Split:
    """Return how a tensor of a format was split, whose dimensions have these blocks."""
    if format is not None and format.parts:
        return Split(format.parts, format.name)
    parts: list[LevelPart] = []
    for dimension, size in enumerate(blocks):
        parts.append(LevelPart(dimension, size))
        if size > 1:
            parts.append(LevelPart(dimension, size, is_inside=True))
    return Split((*parts,))


# --- Accesses -------------------------------------------------------------------------


def _accesses(found: _nacho.ModuleDescription, names: Sequence[str]) -> Accesses:
    """Return each operand with its indices.

    An argument of which there is a slice has an index of its own for each dimension.
    """
    if not found.is_one_op:
        message = f"@{found.name} is not one assignment: not supported"
        raise UnsupportedError(message)
    taken = {index for access in found.accesses for index in access.indices}
    accesses: Accesses = []
    for access in found.accesses:
        if access.argument is None:
            message = f"an operand in @{found.name} is not one of its arguments"
            raise UnsupportedError(f"{message}: not supported")
        name, indices = names[access.argument], tuple(access.indices)
        if access.is_slice:
            indices = _fresh_indices(name, len(indices), taken)
        accesses.append((name, indices))
    return accesses


def _fresh_indices(stem: str, rank: int, taken: Collection[str]) -> tuple[str, ...]:
    """Return names for the dimensions of a tensor that are no names of indices."""
    while any(f"{stem}{n}" in taken for n in range(rank)):
        stem += "_"
    return tuple(f"{stem}{n}" for n in range(rank))


def _extents(
    found: _nacho.ModuleDescription, accesses: Accesses
) -> tuple[tuple[str, int], ...]:
    """Return the extents of indices that no operand has, which are the result's."""
    read = {index for _, indices in accesses for index in indices}
    missing = [index for index in found.indices if index not in read]
    for index in missing:
        if index not in found.extents:
            message = f"@{found.name} computes the extent of index '{index}'"
            raise UnsupportedError(f"{message} of its result: not supported")
    return tuple((index, found.extents[index]) for index in missing)


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
