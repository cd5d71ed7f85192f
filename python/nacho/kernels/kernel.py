"""The kernels that ``compile`` returns.

A kernel checks its operands, has the extension plan (cut the work, count the result)
and execute (fill it in), and wraps the buffers in a container.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn
from weakref import WeakValueDictionary

from nacho.errors import DTypeError, NachoError, OperandError
from nacho.kernels.keys import merges_lists, suit_keys, suits_rank
from nacho.kernels.options import (
    MAX_PARTS,
    MAX_THREADS,
    checked_count,
    default_threads,
)
from nacho.kernels.plan import Call, Plan, bind, views_of
from nacho.mlir.emit import emit, spelled_indices
from nacho.mlir.module import Module
from nacho.mlir.refusals import (
    refuse_compilation,
    refuse_entries,
    refuse_extent,
    refuse_memory,
)
from nacho.notation.background import require_sparse
from nacho.notation.promotion import Kinds, fits, kinds_of
from nacho.notation.tree import Assignment
from nacho.storage.extents import (
    CostEstimate,
    index_extents,
    narrow_indices,
    require_values,
)
from nacho.storage.formats import TensorType
from nacho.storage.operands import Notes, arguments, forget, load, load_scalar
from nacho.storage.results import make_result, result_class
from nacho.storage.views import View

if TYPE_CHECKING:
    from nacho import _nacho

_PARTS_PER_THREAD = 4
_INT32_COORDINATES = 1 << 31


_natives: WeakValueDictionary[tuple[object, ...], _nacho.Kernel] = WeakValueDictionary()
"""Kernels whose loops were chosen by the sizes of operands, by these loops."""


class Step(NamedTuple):
    """One nest of loops of a kernel."""

    order: tuple[str, ...]
    """The indices of the loops that are cut into parts, outermost first."""
    loops: tuple[tuple[int, ...], ...]
    """Per loop that is cut, the accesses (by number) with positions in a cut.

    -1, -2, … are the results of the first step, the second, ….
    """
    loop_inputs: tuple[tuple[int, ...], ...]
    """The same by the numbers of the step's inputs."""
    delta: int
    inputs: tuple[tuple[bool, int], ...]
    """Where each comes from: an earlier step, or else an operand, of some number."""
    is_sorted: bool
    """Whether the entries are sorted: it makes a list for a later step."""
    is_draft: bool
    """Whether calls append its entries without having counted them."""


class Kernel:
    """A compiled expression: call it with the operands, by position or by name."""

    serial_below: ClassVar[int] = 1 << 15
    """With fewer entries to read and write, one thread runs unless told otherwise."""
    worth_variants: ClassVar[int] = 1 << 20
    """With fewer entries to read, another way to merge them is not worth compiling."""

    def __init__(
        self,
        assignment: Assignment,
        types: Mapping[str, TensorType],
        result: TensorType,
        *,
        kinds: Kinds | None = None,
        module: Module | None = None,
        threads: int | None = None,
        parts: int | None = None,
        cost: str = "nnz+loops",
        validate: str = "safe",
        order: tuple[str, ...] = (),
        remap: bool = True,
        sizes: Mapping[str, tuple[int, ...]] | None = None,
        keys: bool = True,
        first: Collection[View] = (),
    ) -> None:
        """Compile, for any operands: ``first`` are those of the first call.

        Without ``keys`` there is a loop for every index, whatever they are.
        """
        self._assignment = assignment
        self._types = tuple((name, types[name]) for name in assignment.operands)
        self._result_type = result
        self._narrow = narrow_indices(assignment, types, result)
        self._estimate = CostEstimate(assignment, types)
        self._limits: Mapping[str, Sequence[str]] = {}
        self._module = module
        self.threads = threads
        self.parts = parts
        self.cost = cost
        self.validate = validate
        self.remap = remap
        self._text = (
            self._emitted(kinds, order, sizes) if module is None else module.text
        )
        self._is_sized = bool(sizes)
        self._variants: dict[tuple[bool, bool], Kernel] = {}
        self._lock = threading.Lock()
        self._has_keys = (
            keys
            and module is None
            and not order
            and merges_lists(assignment, types, result)
        )
        flatten = self._has_keys
        if flatten and first:
            flatten = suit_keys(first, self.worth_variants)
        elif flatten:
            flatten = suits_rank(len(assignment.indices))
        self._compile(split=False, flatten=flatten)

    def _compile(self, split: bool, flatten: bool) -> None:
        """Compile, in one of several ways.

        ``split``: parts share what they collect of a row, or else have it whole.
        ``flatten``: lists are merged by keys, or else level by level.
        """
        from nacho import _nacho

        assignment, module = self._assignment, self._module
        self._split, self._flatten = split, flatten
        try:
            self._native = self._shared() if self._is_sized else self._own()
        except _nacho.CompileError as error:
            bindings = assignment.accesses if module is None else module.bindings
            refuse_compilation(assignment, bindings, error)
        spelled = spelled_indices(assignment)
        names = {name: index for index, name in spelled.items()}
        self.steps = tuple(
            Step(*step)._replace(order=tuple(names.get(name, name) for name in step[0]))
            for step in self._native.steps
        )
        """The nests of loops that are run one after the other."""
        if flatten and len(self.steps) == 1:
            # One loop over the keys of all indices, or a loop for each.
            order = assignment.indices
            self.steps = (self.steps[0]._replace(order=order),)

    def _own(self) -> _nacho.Kernel:
        from nacho import _nacho

        return _nacho.Kernel(
            self._text, self.cost, self.remap, self._split, self._flatten
        )

    def _shared(self) -> _nacho.Kernel:
        """Return that of operands of other sizes, if its loops are the same."""
        key = (self.mlir("loops"), self.cost, self.remap, self._split)
        native = _natives.get(key)
        if native is None:
            native = _natives[key] = self._own()
        return native

    @property
    def splitting(self) -> Kernel:
        """The same kernel for operands of which a row is too much for one part."""
        return self._variant(split=True, flatten=self._flatten)

    @property
    def nested(self) -> Kernel:
        """The same kernel with a loop for every index: for any shape, and for plans."""
        return self._variant(split=self._split, flatten=False)

    def suited(self, call: Call) -> Kernel:
        """Return the kernel that merges as it suits the operands.

        Whatever was called before: sums are the same, bit by bit, in every call.
        """
        if not self._has_keys:
            return self
        flatten = suit_keys(call.loaded.values(), self.worth_variants)
        return self._variant(self._split, flatten)

    def _variant(self, split: bool, flatten: bool) -> Kernel:
        if (split, flatten) == (self._split, self._flatten):
            return self
        with self._lock:
            made = self._variants.get((split, flatten))
            if made is None:
                made = copy.copy(self)
                made._variants, made._lock = {}, threading.Lock()
                made._compile(split, flatten)
                self._variants[split, flatten] = made
            made.threads, made.parts = self.threads, self.parts
            made.validate = self.validate
            return made

    def _emitted(
        self,
        kinds: Kinds | None,
        order: tuple[str, ...],
        sizes: Mapping[str, tuple[int, ...]] | None,
    ) -> str:
        """Check that the expression can have such a result, and write it as MLIR."""
        assignment, types = self._assignment, dict(self._types)
        if kinds is None:
            elements = {name: type.dtype for name, type in types.items()}
            kinds = kinds_of(assignment, elements)
        format = self._result_type.format
        if format is not None and not format.is_dense:
            require_sparse(kinds)
        self._limits = kinds.limits
        return emit(assignment, types, self._result_type, kinds, order, sizes)

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the result; ``threads`` and ``parts`` override those of compile."""
        threads, parts = self.pop_workers(named)
        given = bind(self.operands, operands, named)
        return self.run(given, self.views(given), threads, parts, self.validate)

    def plan(self, /, *operands: Any, **named: Any) -> Plan:
        """Cut the work and count the result, but do not compute values yet."""
        call = self._prepared(operands, named)
        return Plan(*self.nested.planned(call), call)

    def count(self, /, *operands: Any, **named: Any) -> int:
        """Return the number of entries of the result, and compute no values."""
        call = self._prepared(operands, named)
        _, plan = self.suited(call).planned(call)
        return plan.nnz

    def _prepared(self, operands: Sequence[Any], named: dict[str, Any]) -> Call:
        threads, parts = self.pop_workers(named)
        given = bind(self.operands, operands, named)
        return self.prepare(given, self.views(given), threads, parts, self.validate)

    def explain(self, /, *operands: Any, **named: Any) -> str:
        """Run once and say, in plain text, what was done and how it was balanced."""
        from nacho.kernels.explain import explain

        return explain(self, operands, named)

    @property
    def expression(self) -> str:
        return self._assignment.text

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, in the order of the positional arguments."""
        return self._assignment.operands

    @property
    def indices(self) -> tuple[str, ...]:
        """All indices: those of the result, then those that are reduced over."""
        return self._assignment.indices

    @property
    def result_name(self) -> str:
        return self._assignment.result.name

    @property
    def types(self) -> dict[str, TensorType]:
        """The types of the operands, by name."""
        return dict(self._types)

    @property
    def result_type(self) -> TensorType:
        return self._result_type

    @property
    def delta(self) -> int:
        """What the cost of a part may deviate by, on either side.

        -1 if that depends on the operands: then, only the total bounds it.
        """
        return self.steps[-1].delta

    @property
    def order(self) -> tuple[str, ...]:
        """The indices of the loops that are cut into parts, outermost first.

        Of several steps, those of the last.
        """
        return self.steps[-1].order

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages of the IR."""
        from nacho import _nacho

        return tuple(_nacho.STAGES)

    def mlir(self, stage: str, *, single_pass: bool = False) -> str:
        """Return the IR after a stage.

        That of plans, which count what they compute; with ``single_pass`` that of
        calls, which only count what takes less time than computing. Lists of more than
        two indices are merged by keys in both, which plans never do, and calls for
        which that is no gain.
        """
        from nacho import _nacho

        if stage not in self.stages:
            shown = ", ".join(f"'{name}'" for name in self.stages)
            raise NachoError(f"stage={stage!r}: expected {shown}")
        try:
            return _nacho.lower(
                self._text,
                stage,
                self.cost,
                self.remap,
                self._split,
                single_pass,
                self._flatten,
            )
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
        views: Mapping[str, View],
        threads: int | None,
        parts: int | None,
        validate: str,
    ) -> Any:
        """Plan and execute; ``views`` are those of the operands with indices."""
        return self.compute(self.prepare(given, views, threads, parts, validate))

    def views(self, given: Sequence[Any]) -> dict[str, View]:
        """Look at the operands with indices."""
        return views_of(self._assignment, given)

    def prepare(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        threads: int | None,
        parts: int | None,
        validate: str,
        notes: Notes | None = None,
    ) -> Call:
        """Check the operands and lay out the arguments of the extension."""
        assignment, format = self._assignment, self._result_type.format
        extents = index_extents(assignment, views)
        if self._module is not None:
            self._module.require_shapes(views)
        if assignment.reduction is not None:
            require_values(assignment, extents, format)
        for index in self._narrow:
            if extents[index] > _INT32_COORDINATES:
                refuse_extent(assignment, index, extents[index])
        args: list[object] = []
        loaded: dict[str, View] = {}
        for (name, type), value in zip(self._types, given, strict=True):
            view = views.get(name)
            if view is None:
                self._require_fit(name, value)
                args.append(load_scalar(name, value, type))
                continue
            ready = loaded[name] = load(name, value, view, type, validate, notes)
            args += arguments(ready)
        cost = self._estimate.of(loaded, extents)
        threads, parts, shared = self._workers(cost, threads, parts)
        kind = result_class(format, list(views.values()))
        return Call(
            given, args, loaded, extents, cost, threads, parts, shared, kind, validate
        )

    def partition(self, call: Call) -> tuple[Kernel, _nacho.Plan]:
        """Cut the work, and do no more; by the kernel that can do it."""
        return self._fitting(
            call,
            lambda native, call: native.partition(call.args, call.parts, call.threads),
        )

    def planned(
        self, call: Call, *, counting: bool = True
    ) -> tuple[Kernel, _nacho.Plan]:
        """Cut the work and count the result; by the kernel that can do it."""
        return self._fitting(
            call,
            lambda native, call: native.plan(
                call.args,
                call.parts,
                call.threads,
                counting=counting,
                shared=call.shared,
            ),
        )

    def compute(self, call: Call) -> Any:
        """Return the result; by the kernel that can do it, and counting if need be."""
        kernel, plan = self.suited(call).planned(call, counting=False)
        try:
            return kernel.execute(plan, call, planned=True)
        except RuntimeError as error:
            if not _is_too_heavy(error):
                raise
            return kernel.splitting.compute(call.splitting_rows())

    def _fitting(
        self, call: Call, plan: Callable[[_nacho.Kernel, Call], _nacho.Plan]
    ) -> tuple[Kernel, _nacho.Plan]:
        try:
            return self, plan(self._native, call)
        except (RuntimeError, MemoryError) as error:
            if _is_too_heavy(error):
                return self.splitting._fitting(call.splitting_rows(), plan)
            self._refuse(call, error)

    def execute(self, plan: _nacho.Plan, call: Call, *, planned: bool = False) -> Any:
        """Compute the values, and return the result in a container.

        ``planned``: the operands have not changed since they were planned for.
        """
        try:
            buffers = plan.execute(call.args, call.threads, planned)
        except (RuntimeError, MemoryError) as error:
            if _is_too_heavy(error):
                raise
            self._refuse(call, error)
        trusted = call.validate != "none"
        format, shape = self._result_type.format, self.shape(call)
        return make_result(format, shape, buffers, call.kind, trusted)

    def shape(self, call: Call) -> tuple[int, ...]:
        """Return the shape of the result."""
        extents = call.extents
        return tuple([extents[index] for index in self._assignment.result.indices])

    def pop_workers(self, named: dict[str, Any]) -> tuple[int | None, int | None]:
        """Take the options out of the keywords; operands of that name go first."""
        if not named:
            return None, None
        found: list[int | None] = []
        for option, largest in (("threads", MAX_THREADS), ("parts", MAX_PARTS)):
            value = None if option in self.operands else named.pop(option, None)
            found.append(checked_count(option, value, largest))
        return found[0], found[1]

    def _workers(
        self, cost: int, threads: int | None, parts: int | None
    ) -> tuple[int, int, bool]:
        threads = threads or self.threads
        parts = parts or self.parts
        if threads is None:
            threads = 1 if cost < self.serial_below else default_threads()
        if parts is not None:
            return min(threads, parts), parts, False
        return threads, _PARTS_PER_THREAD * threads if threads > 1 else 1, True

    def _require_fit(self, name: str, value: Any) -> None:
        """Refuse a Python integer that overflows in a type that it is converted to."""
        for kind in self._limits.get(name, ()):
            if not fits(value, kind):
                raise DTypeError(
                    f"operand '{name}': the integer {value} is out of bounds for {kind}"
                )

    def _refuse(self, call: Call, error: Exception) -> NoReturn:
        """Turn a failure of the extension into an error that names the cause."""
        from nacho import _nacho

        if isinstance(error, MemoryError):
            refuse_memory(self._assignment, error)
        if isinstance(error, _nacho.IndexOverflow):
            refuse_entries(self._assignment, self._result_type, error)
        if isinstance(error, _nacho.CoordinateOutOfRange | _nacho.OperandsChanged):
            self._refuse_changed(call, error)
        raise error

    def _refuse_changed(self, call: Call, error: Exception) -> NoReturn:
        """Find the operand whose arrays were edited since they were checked."""
        for value, (_, type) in zip(call.given, self._types, strict=True):
            if type.format is not None:
                forget(value)
        self.prepare(call.given, self.views(call.given), None, None, "full")
        trusted = ", or are not in order, which validate='none' trusts"
        raise OperandError(
            f"the arrays of an operand of '{self.expression}' changed while they were "
            f"in use{trusted if call.validate == 'none' else ''}"
        ) from error


def _is_too_heavy(error: Exception) -> bool:
    """Return whether a row is too much for one part."""
    # Imported here, where nothing is in a hurry.
    from nacho import _nacho

    return isinstance(error, _nacho.RowsTooHeavy)
