"""Which of the variants of a statement computes a call, and by how many threads.

Everything that is decided by the operands of a call is decided here:

    sizes       the order of loops depends on roughly how large operands are
    keys        lists and trees (COO, CSF) are merged by keys, or level by level
    whole rows  parts have rows of the result whole, unless one is too heavy for that
    workers     few entries are computed by one thread

``Programs`` is all that the rest of the package sees of variants.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from nacho.kernels.cache import Cache
from nacho.kernels.call import Call
from nacho.kernels.options import default_threads
from nacho.kernels.program import Program, Variant, compiled, lowered
from nacho.kernels.request import Lowering, Running
from nacho.kernels.statement import Statement
from nacho.kernels.types import Sizes
from nacho.notation.tree import Assignment
from nacho.storage.formats import LISTS, Format, TensorType
from nacho.storage.views import View

if TYPE_CHECKING:
    from nacho import _nacho

SERIAL_BELOW = 1 << 15
"""With fewer entries to read and write, one thread runs unless told otherwise."""
WORTH_VARIANTS = 1 << 20
"""With fewer entries to read, another way to merge them is not worth compiling."""

_PARTS_PER_THREAD = 4
_MOST_BITS = 62
_LONG_ROW = 16
"""From so many entries on it pays to take a row as a whole, or to skip it."""


class Programs:
    """The programs of a statement: each is compiled when it is needed first."""

    def __init__(self, statement: Statement, lowering: Lowering) -> None:
        self._statement = statement
        self._lowering = lowering
        self._has_keys = not lowering.order and _merges_lists(statement)
        self._programs: Cache[Program] = Cache()

    @property
    def shown(self) -> Program:
        """The program to show while nothing is known of operands."""
        rank = len(self._statement.assignment.indices)
        return self._program(Variant(flatten=self._has_keys and _suits_rank(rank)))

    @cached_property
    def nested(self) -> Program:
        """The program with a loop for every index: for any shape, and for plans."""
        return self._program(Variant())

    def suited(self, call: Call) -> Program:
        """Return the program that merges as it suits the operands.

        It does not depend on earlier calls: sums are the same, bit by bit, in every
        call.
        """
        if not self._has_keys:
            return self.nested
        return self._program(Variant(flatten=_suit_keys(call.loaded.values())))

    def instead(
        self, program: Program, call: Call, error: Exception
    ) -> tuple[Program, Call] | None:
        """Return what to run after a program has refused a call.

        If a row is too heavy for one part, parts share rows; for any other error there
        is nothing to be done.
        """
        # Imported here, where nothing is in a hurry.
        from nacho import _nacho

        if not isinstance(error, _nacho.RowsTooHeavy):
            return None
        splitting = self._program(program.variant._replace(split=True))
        # What parts collect of the same row is put together: the fewer, the better.
        parts = call.threads if call.shared else call.parts
        return splitting, call._replace(parts=parts)

    def _program(self, variant: Variant) -> Program:
        return self._programs.get(variant, lambda: self._compiled(variant))

    def _compiled(self, variant: Variant) -> Program:
        share = _shared if self._statement.typing.sizes else compiled
        native = share(self._statement, self._lowering, variant)
        return Program(self._statement, self._lowering, variant, native)


# --- Workers --------------------------------------------------------------------------


def workers(cost: int, asked: Running) -> tuple[int, int, bool]:
    """Return threads and parts that suit a call of about this cost, or as asked for.

    And whether the parts are shared: if nobody asked for so many, threads take them as
    they come.
    """
    threads, parts = asked.threads, asked.parts
    if threads is None:
        threads = 1 if cost < SERIAL_BELOW else default_threads()
    if parts is not None:
        return min(threads, parts), parts, False
    return threads, _PARTS_PER_THREAD * threads if threads > 1 else 1, True


# --- Sizes ----------------------------------------------------------------------------

_natives: WeakValueDictionary[tuple[object, ...], _nacho.Kernel] = WeakValueDictionary()
"""Kernels whose loops were chosen by the sizes of operands, by these loops."""


def are_sizes_relevant(
    assignment: Assignment, formats: Mapping[str, Format | None]
) -> bool:
    """Return whether the order of loops may depend on the sizes of operands."""
    if not assignment.reduced:
        return False
    found = [formats[access.name] for access in assignment.accesses if access.indices]
    return sum(format is not None and not format.is_dense for format in found) > 1


def rough_sizes(views: Mapping[str, View]) -> Sizes:
    """Return the entries and extents of operands, roughly.

    As powers of four, so that operands of similar sizes share a statement.
    """
    return tuple(
        [
            tuple([4 ** (n.bit_length() // 2) for n in (view.values.size, *view.shape)])
            for view in views.values()
        ]
    )


def _shared(
    statement: Statement, lowering: Lowering, variant: Variant
) -> _nacho.Kernel:
    """Return that of operands of other sizes, if its loops are the same."""
    loops = lowered(statement, lowering, variant, "loops")
    key = (loops, lowering.cost, lowering.remap, variant)
    native = _natives.get(key)
    if native is None:
        native = _natives[key] = compiled(statement, lowering, variant)
    return native


# --- Keys -----------------------------------------------------------------------------


def _merges_lists(statement: Statement) -> bool:
    """Return whether all tensors are lists or trees with the same indices.

    The result may be a scalar, but no tree. The loops of a module are its own.
    """
    assignment, types = statement.assignment, statement.types
    accesses = [access for access in assignment.accesses if access.indices]
    if len(accesses) < 2 or not statement.is_notation:
        return False
    indices = accesses[0].indices
    kept = assignment.result.indices
    return (
        1 < len(indices) == len(set(indices))
        and all(access.indices == indices for access in accesses)
        and all(_is(types[access.name], *LISTS, "csf") for access in accesses)
        and (not kept or (kept == indices and _is(statement.result, *LISTS)))
    )


def _is(type: TensorType, *names: str) -> bool:
    return type.format is not None and type.format.name in names


def _suit_keys(lists: Collection[View]) -> bool:
    """Return whether operands of one shape have keys, and these are a gain.

    With few entries, that depends on their rank.
    """
    shape = next(iter(lists)).shape
    bits = sum((extent - 1).bit_length() for extent in shape if extent)
    if bits > _MOST_BITS:
        return False
    entries = sum(view.values.size for view in lists)
    if entries < WORTH_VARIANTS:
        return _suits_rank(len(shape))
    return entries < _LONG_ROW * sum(_most_rows(view) for view in lists)


def _suits_rank(rank: int) -> bool:
    """Return whether keys are a gain for most operands of a rank."""
    return rank > 2


def _most_rows(view: View) -> int:
    """Return how many rows have entries; of a list, how many there can be."""
    pos = view.pos[-1]
    return prod(view.shape[:-1]) if pos is None else len(pos) - 1
