"""``compile``, and what it returns: kernels, and plans of kernels.

A kernel checks its operands, has the extension plan (cut the work, count the result)
and execute (fill it in), and wraps the buffers in a container.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from nacho.errors import (
    ArgumentError,
    IndexOverflowError,
    NachoError,
    OperandError,
    OutOfMemoryError,
    ShapeError,
    pointed,
)
from nacho.formats import Format, TensorType
from nacho.inference import (
    IndexType,
    loop_order,
    requested_types,
    widest_element,
)
from nacho.mlir.emit import emit
from nacho.notation import Access, Assignment, identifier
from nacho.operands import (
    Notes,
    arguments,
    forget,
    load,
    load_scalar,
    view_of,
)
from nacho.options import (
    MAX_PARTS,
    MAX_THREADS,
    check_cost,
    check_order,
    check_remap,
    check_target,
    check_validation,
    checked_count,
    default_threads,
)
from nacho.parser import parse, require_sparse, require_supported
from nacho.results import make_result, result_class
from nacho.storage import ELEMENTS, Array, View

if TYPE_CHECKING:
    from nacho import _nacho

_PARTS_PER_THREAD = 4
_INT32_COORDINATES = 1 << 31


def compile(
    expr: str,
    formats: Mapping[str, str | Format] | None = None,
    dtype: str | Mapping[str, str] = "f64",
    index: IndexType | Mapping[str, IndexType] = "i32",
    target: str = "cpu",
    threads: int | None = None,
    parts: int | None = None,
    cost: str = "nnz+loops",
    order: Sequence[str] | str | None = None,
    validate: str = "safe",
    remap: bool | None = None,
) -> Kernel:
    """Compile an expression for operands of any shape.

    ``formats`` names the format of operands and of the result: csr by default, and
    inferred for the result. ``dtype`` and ``index`` hold for all tensors, or are a
    mapping by name.
    """
    check_target(target)
    check_cost(cost)
    check_validation(validate)
    check_remap(remap)
    assignment = parse(expr)
    require_supported(assignment)
    types, result = requested_types(assignment, formats or {}, dtype, index)
    kernel = Kernel(
        assignment,
        types,
        result,
        threads=checked_count("threads", threads, MAX_THREADS),
        parts=checked_count("parts", parts, MAX_PARTS),
        cost=cost,
        validate=validate,
    )
    if order is not None:
        check_order(order, kernel.order)
    return kernel


class Kernel:
    """A compiled expression: call it with the operands, by position or by name."""

    serial_below: ClassVar[int] = 1 << 15
    """With fewer non-zeros in all operands, one thread runs unless told otherwise."""

    def __init__(
        self,
        assignment: Assignment,
        types: Mapping[str, TensorType],
        result: TensorType,
        *,
        threads: int | None = None,
        parts: int | None = None,
        cost: str = "nnz+loops",
        validate: str = "safe",
    ) -> None:
        from nacho import _nacho

        assert result.format is not None
        elements = [type.dtype for type in (*types.values(), result)]
        require_sparse(assignment, widest_element(elements))
        self._assignment = assignment
        self._types = tuple((name, types[name]) for name in assignment.operands)
        self._ranks = assignment.ranks
        self._result_format = result.format
        self._result_type = result
        self._narrow = _narrow_levels(types.values(), result)
        formats = {name: t.format for name, t in types.items() if t.format is not None}
        formats[assignment.result.name] = result.format
        self.order = loop_order(assignment, formats)
        self.threads = threads
        self.parts = parts
        self.cost = cost
        self.validate = validate
        self._text = emit(assignment, types, result)
        try:
            self._native = _nacho.Kernel(self._text, cost)
        except _nacho.CompileError as error:
            raise NachoError(f"cannot compile '{assignment.text}': {error}") from error

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the result; ``threads`` and ``parts`` override those of compile."""
        threads, parts = self._pop_workers(named)
        given = bind(self.operands, operands, named)
        return self.run(given, self._views(given), threads, parts, self.validate)

    def plan(self, /, *operands: Any, **named: Any) -> Plan:
        """Cut the work and count the result, but do not compute values yet."""
        threads, parts = self._pop_workers(named)
        given = bind(self.operands, operands, named)
        call = self.prepare(given, self._views(given), threads, parts, self.validate)
        return Plan(self, call, self._plan(call))

    def explain(self, /, *operands: Any, **named: Any) -> str:
        """Run once and say, in plain text, what was done and how it was balanced."""
        from nacho.mlir.explain import explain

        return explain(self, operands, named)

    @property
    def expression(self) -> str:
        return self._assignment.text

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, in the order of the positional arguments."""
        return self._assignment.operands

    @property
    def sparse_operands(self) -> tuple[str, ...]:
        return self._assignment.sparse_operands

    @property
    def result_type(self) -> TensorType:
        return self._result_type

    @property
    def delta(self) -> int:
        """What the cost of a part may deviate by, on either side."""
        return self._native.delta

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages of the IR."""
        from nacho import _nacho

        return tuple(_nacho.STAGES)

    def mlir(self, stage: str) -> str:
        """Return the IR after a stage."""
        from nacho import _nacho

        if stage not in self.stages:
            shown = ", ".join(f"'{name}'" for name in self.stages)
            raise NachoError(f"stage={stage!r}: expected {shown}")
        try:
            return _nacho.lower(self._text, stage, self.cost)
        except _nacho.CompileError as error:
            raise NachoError(f"cannot lower to '{stage}': {error}") from error

    def llvm(self) -> str:
        """Return the LLVM IR, optimised for this machine."""
        return self._native.llvm()

    def asm(self) -> str:
        """Return the assembly for this machine."""
        return self._native.asm()

    def __repr__(self) -> str:
        return f"<nacho.mlir.Kernel: {self.expression!r}>"

    # What follows is shared by calls, plans, `evaluate` and `partition`.

    def run(
        self,
        given: Sequence[Any],
        views: Sequence[View | None],
        threads: int | None,
        parts: int | None,
        validate: str,
    ) -> Any:
        """Plan and execute; ``views`` are those of the sparse operands in ``given``."""
        call = self.prepare(given, views, threads, parts, validate)
        return self._execute(self._plan(call), call)

    def partition(self, call: Call) -> _nacho.Plan:
        """Cut the work, and do no more."""
        try:
            return self._native.partition(call.args, call.parts, call.threads)
        except (RuntimeError, MemoryError) as error:
            self._refuse(call, error)

    def prepare(
        self,
        given: Sequence[Any],
        views: Sequence[View | None],
        threads: int | None,
        parts: int | None,
        validate: str,
        notes: Notes | None = None,
    ) -> Call:
        """Check the operands and lay out the arguments of the extension."""
        args: list[object] = []
        loaded: list[View] = []
        nnz = 0
        for (name, type), value, view in zip(self._types, given, views, strict=True):
            if view is None:
                args.append(load_scalar(name, value, type))
                continue
            ready = load(name, value, view, type, validate, notes)
            args += arguments(ready)
            loaded.append(ready)
            nnz += ready.values.size
        extents = loaded[0].extents
        for other in loaded:
            if other.extents != extents:
                self._refuse_extents(loaded)
        for level in self._narrow:
            if extents[level] > _INT32_COORDINATES:
                self._refuse_extent(level, extents[level])
        threads, parts = self._workers(nnz, threads, parts)
        kind = result_class(self._result_format, [v for v in views if v is not None])
        return Call(given, args, loaded, nnz, extents, threads, parts, kind, validate)

    def _views(self, given: Sequence[Any]) -> list[View | None]:
        return [
            view_of(name, value, self._ranks[name]) if type.format else None
            for (name, type), value in zip(self._types, given, strict=True)
        ]

    def _plan(self, call: Call) -> _nacho.Plan:
        try:
            return self._native.plan(call.args, call.parts, call.threads)
        except (RuntimeError, MemoryError) as error:
            self._refuse(call, error)

    def _execute(self, plan: _nacho.Plan, call: Call) -> Any:
        try:
            buffers = plan.execute(call.args, call.threads)
        except (RuntimeError, MemoryError) as error:
            self._refuse(call, error)
        format = self._result_format
        trusted = call.validate != "none"
        return make_result(format, self.shape(call), buffers, call.kind, trusted)

    def shape(self, call: Call) -> tuple[int, ...]:
        """Return the shape of the result."""
        outer, inner = call.extents
        return (inner, outer) if self._result_format.order[0] else (outer, inner)

    def _workers(
        self, nnz: int, threads: int | None, parts: int | None
    ) -> tuple[int, int]:
        threads = threads or self.threads
        parts = parts or self.parts
        if threads is None:
            threads = 1 if nnz < self.serial_below else default_threads()
        if parts is None:
            parts = _PARTS_PER_THREAD * threads if threads > 1 else 1
        return min(threads, parts), parts

    def _pop_workers(self, named: dict[str, Any]) -> tuple[int | None, int | None]:
        """Take the options out of the keywords; operands of that name go first."""
        if not named:
            return None, None
        found: list[int | None] = []
        for option, largest in (("threads", MAX_THREADS), ("parts", MAX_PARTS)):
            value = None if option in self.operands else named.pop(option, None)
            found.append(checked_count(option, value, largest))
        return found[0], found[1]

    def _refuse_extents(self, loaded: Sequence[View]) -> NoReturn:
        first, extents = self.sparse_operands[0], loaded[0].extents
        for name, view in zip(self.sparse_operands, loaded, strict=True):
            for index, one, other in zip(
                self.order, extents, view.extents, strict=True
            ):
                if one != other:
                    message = (
                        f"index '{index}' has extent {one} in operand '{first}', but "
                        f"{other} in operand '{name}'"
                    )
                    span = self._access(name).span
                    text = self._assignment.text
                    raise ShapeError(pointed(message, text, span))
        raise AssertionError("all extents agree")

    def _refuse_extent(self, level: int, extent: int) -> NoReturn:
        name = self._assignment.result.name
        raise IndexOverflowError(
            f"index '{self.order[level]}' has extent {extent}, but the coordinates of "
            f'result \'{name}\' are int32: compile with index={{"{name}": "i64"}}'
        )

    def _access(self, name: str) -> Access:
        return next(each for each in self._assignment.accesses if each.name == name)

    def _refuse(self, call: Call, error: Exception) -> NoReturn:
        """Turn a failure of the extension into an error that names the cause."""
        from nacho import _nacho

        if isinstance(error, MemoryError):
            message = f"no memory for the result of '{self.expression}'"
            raise OutOfMemoryError(message) from error
        if isinstance(error, _nacho.IndexOverflow):
            width = self._result_type.pos_width
            name = self._assignment.result.name
            raise IndexOverflowError(
                f"result '{name}' has more entries than int{width} can count: compile "
                f'with index={{"{name}": "i64"}}'
            ) from error
        if isinstance(error, _nacho.CoordinateOutOfRange | _nacho.OperandsChanged):
            self._refuse_changed(call, error)
        raise error

    def _refuse_changed(self, call: Call, error: Exception) -> NoReturn:
        """Find the operand whose arrays were edited since they were checked."""
        for value, (_, type) in zip(call.given, self._types, strict=True):
            if type.format is not None:
                forget(value)
        self.prepare(call.given, self._views(call.given), None, None, "full")
        raise OperandError(
            f"the arrays of an operand of '{self.expression}' changed while they were "
            "in use"
        ) from error


class Call(NamedTuple):
    """Operands that were checked, and how they are to be worked on."""

    given: Sequence[Any]
    args: list[object]
    loaded: list[View]
    nnz: int  # of all sparse operands
    extents: tuple[int, ...]  # in loop order
    threads: int
    parts: int
    kind: type | None  # the class of the result, None for nacho.Tensor
    validate: str


class Plan:
    """The cuts and the size of a result, whose values can be computed repeatedly."""

    def __init__(self, kernel: Kernel, call: Call, native: _nacho.Plan) -> None:
        self._kernel = kernel
        self._call = call
        self._native = native

    def execute(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the values, of the planned operands or of others like them.

        Values and scalars are those of now; the pattern must be the planned one.
        """
        kernel, planned = self._kernel, self._call
        given = planned.given
        if operands or named:
            given = bind(kernel.operands, operands, named)
        views = kernel._views(given)
        call = kernel.prepare(
            given, views, planned.threads, planned.parts, kernel.validate
        )
        pairs = zip(kernel.sparse_operands, planned.loaded, call.loaded, strict=True)
        for name, before, now in pairs:
            if not _same_pattern(before, now, kernel.validate):
                raise OperandError(
                    f"operand '{name}' has another pattern than the one planned for"
                )
        return kernel._execute(self._native, call)

    @property
    def parts(self) -> int:
        return self._native.parts

    @property
    def threads(self) -> int:
        return self._call.threads

    @property
    def bounds(self) -> NDArray[np.int64]:
        """The cuts: (parts + 1, 2) coordinates in loop order, half-open."""
        return self._native.bounds

    @property
    def costs(self) -> NDArray[np.int64]:
        """The cost of each part."""
        return np.diff(self._native.costs)

    @property
    def total(self) -> int:
        """The cost of all parts."""
        return self._native.total

    @property
    def balance(self) -> float:
        """The largest part's cost over the mean."""
        mean = self.total / self.parts
        return float(self.costs.max() / mean) if mean else 1.0

    @property
    def nnz(self) -> int:
        """The number of entries of the result."""
        return self._native.nnz

    @property
    def nbytes(self) -> int:
        """The size of the result's arrays."""
        result = self._kernel.result_type
        assert result.format is not None
        pos, crd = result.pos_width // 8, result.crd_width // 8
        total = self.nnz * ELEMENTS[result.dtype].itemsize
        fibres = 1
        levels = zip(
            result.format.levels, self._native.sizes, self._call.extents, strict=True
        )
        for (_, kind), size, extent in levels:
            if kind == "dense":
                fibres *= extent
                continue
            total += (fibres + 1) * pos + size * crd
            fibres = size
        return total

    def __repr__(self) -> str:
        return f"<nacho.mlir.Plan: {self.parts} parts, {self.nnz} entries>"


def bind(
    names: tuple[str, ...], operands: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """Return the operands in order, as Python binds arguments to parameters."""
    if not named and len(operands) == len(names):
        return list(operands)
    expected = ", ".join(names)
    if len(operands) > len(names):
        raise ArgumentError(
            f"{len(operands)} operands given, expected {len(names)}: {expected}"
        )
    bound = dict(zip(names, operands, strict=False))
    for spelled, value in named.items():
        name = identifier(spelled)
        if name not in names:
            raise ArgumentError(f"no operand is named '{name}', expected: {expected}")
        if name in bound:
            raise ArgumentError(f"operand '{name}' is given twice")
        bound[name] = value
    missing = [name for name in names if name not in bound]
    if missing:
        shown = ", ".join(f"'{name}'" for name in missing)
        raise ArgumentError(f"missing operand {shown}, expected: {expected}")
    return [bound[name] for name in names]


def _narrow_levels(operands: Iterable[TensorType], result: TensorType) -> list[int]:
    """Return the levels of the result that may get a coordinate beyond its type.

    Coordinates are those of operands, which are int32 themselves, if they are stored.
    """
    assert result.format is not None
    if result.crd_width > 32:
        return []
    sparse = [(t.format, t.crd_width) for t in operands if t.format is not None]
    return [
        level
        for level in result.format.compressed
        if any(w > 32 or level not in format.compressed for format, w in sparse)
    ]


def _same_pattern(before: View, now: View, validate: str) -> bool:
    if before.shape != now.shape:
        return False
    old, new = (*before.pos, *before.crd), (*now.pos, *now.crd)
    return all(
        one is other or _same_array(one, other, validate)
        for one, other in zip(old, new, strict=True)
    )


def _same_array(one: Array, other: Array, validate: str) -> bool:
    if one.size != other.size:
        return False
    trusted = validate == "none" or one.ctypes.data == other.ctypes.data
    return trusted or np.array_equal(one, other)
