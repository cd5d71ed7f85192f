"""Chooses the variant that computes a call, and the number of threads and parts.

All decisions that depend on the operands of a call are made here:

    sizes       the order of loops depends on roughly how large the operands are
    keys        operands in coo or csf are merged by keys, or level by level
    whole rows  parts own whole rows of the result, unless a row is too heavy
    workers     one thread computes a call with few entries

The rest of the package sees variants only through ``Programs``.
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
"""With fewer entries to read and write, one thread runs unless the caller says more."""
WORTH_VARIANTS = 1 << 20
"""With fewer entries to read, another way to merge them is not worth compiling."""

_PARTS_PER_THREAD = 4
_MOST_BITS = 62
_LONG_ROW = 16
"""From so many entries per row on, merging level by level is faster than by keys."""


class Programs:
    """The programs of a statement; each is compiled when it is first needed."""

    def __init__(self, statement: Statement, lowering: Lowering) -> None:
        self._statement = statement
        self._lowering = lowering
        self._has_keys = not lowering.order and _merges_lists(statement)
        self._programs: Cache[Program] = Cache()

    @property
    def shown(self) -> Program:
        """The program that represents a kernel while no operands are known."""
        rank = len(self._statement.assignment.indices)
        return self._program(Variant(flatten=self._has_keys and _suits_rank(rank)))

    @cached_property
    def nested(self) -> Program:
        """The program with a loop per index, for plans and operands of any shape."""
        return self._program(Variant())

    def suited(self, call: Call) -> Program:
        """Return the program whose way of merging is the faster for the operands.

        The choice does not depend on earlier calls, so that equal calls give sums that
        are the same bit by bit.
        """
        if not self._has_keys:
            return self.nested
        return self._program(Variant(flatten=_suit_keys(call.loaded.values())))

    def instead(
        self, program: Program, call: Call, error: Exception
    ) -> tuple[Program, Call] | None:
        """Return the program and the call to try after a program has refused a call.

        If a row is too heavy for one part, it is a program whose parts share rows. For
        any other error it is None.
        """
        # Imported here, so that ``import nacho`` does not load the compiler.
        from nacho import _nacho

        if not isinstance(error, _nacho.RowsTooHeavy):
            return None
        splitting = self._program(program.variant._replace(split=True))
        # Values of several parts for the same row have to be merged afterwards, which
        # is cheaper with fewer parts.
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
    """Return the number of threads, of parts, and whether parts are ``Call.shared``.

    Numbers that the caller did not ask for follow from the estimated cost.
    """
    threads, parts = asked.threads, asked.parts
    if threads is None:
        threads = 1 if cost < SERIAL_BELOW else default_threads()
    if parts is not None:
        return min(threads, parts), parts, False
    return threads, _PARTS_PER_THREAD * threads if threads > 1 else 1, True


# --- Sizes ----------------------------------------------------------------------------

_natives: WeakValueDictionary[tuple[object, ...], _nacho.Kernel] = WeakValueDictionary()
"""The kernels whose loops were chosen by the sizes of operands.

The key is the IR of these loops, with everything else that the code depends on.
"""


def are_sizes_relevant(
    assignment: Assignment, formats: Mapping[str, Format | None]
) -> bool:
    """Return whether the order of loops may depend on the sizes of operands."""
    if not assignment.reduced:
        return False
    found = [formats[access.name] for access in assignment.accesses if access.indices]
    return sum(format is not None and not format.is_dense for format in found) > 1


def rough_sizes(views: Mapping[str, View]) -> Sizes:
    """Return the entries and extents of operands, rounded to powers of four.

    Operands of similar sizes thus share a statement.
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
    """Return the kernel for operands of other sizes if its loops are the same.

    Otherwise, compile one.
    """
    loops = lowered(statement, lowering, variant, "loops")
    key = (loops, lowering.cost, lowering.remap, variant)
    native = _natives.get(key)
    if native is None:
        native = _natives[key] = compiled(statement, lowering, variant)
    return native


# --- Keys -----------------------------------------------------------------------------


def _merges_lists(statement: Statement) -> bool:
    """Return whether a statement can be merged by keys.

    All operands must be in coo or csf with the same indices in the same order. The
    result is a scalar or in coo. A module cannot, because it brings its own loops.
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
    """Return whether keys fit into one integer, and merging by keys is a gain.

    The operands have the same shape. With few entries, only the rank decides.
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
    """Return how many rows of a csf tensor have entries; of coo, how many may have."""
    pos = view.pos[-1]
    return prod(view.shape[:-1]) if pos is None else len(pos) - 1
