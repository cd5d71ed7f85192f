"""Parts of plans that run alone: each is computed where the others are not.

A part knows its cuts and has the windows of the operands' arrays that its loops visit;
operands that loops read in no order are there as a whole. What it computes, a piece,
has the windows of the result's arrays that it writes, and its sums of entries that cuts
divide. Coordinates are those of the whole operands; positions begin at 0 in windows.
"""

from __future__ import annotations

import pickle
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from nacho._kernels.cache import Cache
from nacho._kernels.call import Call
from nacho._kernels.named_rows import namings, with_named_rows
from nacho._kernels.program import MERGE_KEYS, Program
from nacho._kernels.specialisation import Specialisation
from nacho._storage.blocks import joined
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.results import library_of, make_result
from nacho._storage.views import Array
from nacho.errors import ArgumentError, OperandError, OptionError, UnsupportedError

if TYPE_CHECKING:
    from nacho import _nacho

_Window = tuple[int, int]
"""The first element of an array that belongs to a part, and the one after the last."""

_Read = tuple[int, int, int, int, int]
"""A window of an argument, the indices in it, and what is subtracted from elements."""

_Record = tuple[int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""The part's number, the number of parts, two cuts, two rows of counts, and sizes."""


class _Origin(NamedTuple):
    """What all parts of a plan have in common."""

    name: str
    """Tells plans apart, also those of other processes."""
    text: str
    kernel: bytes
    """The source, the types, the options and the choices of the program, pickled."""
    shape: tuple[int, ...]
    kind: type[Any]
    """The class of the result."""
    library: str
    is_trusted: bool
    arrays: tuple[tuple[str, int], ...]
    """The types and lengths of the arrays of the result."""
    sums: tuple[tuple[str, int], ...]
    """The types and lengths of the rows of sums of a part."""
    is_combined: bool
    """Whether cuts divide entries, whose sums are then added up at last."""


class Part:
    """A part of a plan. It is pickled with what it needs of the operands, and no more.

    Its operands are windows between the part's cuts, if the loops, from the outermost
    one on, visit their levels in order, or between the positions that lists of earlier
    steps keep for its loops, where rows of CSR that no position names are empty; others
    are read at random, and come whole.
    """

    def __init__(
        self,
        origin: _Origin,
        record: _Record,
        arguments: list[Any],
        written: tuple[_Window, ...],
    ) -> None:
        self._origin = origin
        self._record = record
        self._arguments = arguments
        self._written = written

    @property
    def number(self) -> int:
        """The number of the part, from 0 on."""
        return self._record[0]

    @property
    def nbytes(self) -> int:
        """The bytes of the operands' arrays that the part has."""
        arrays = (each[0] for each in self._arguments if isinstance(each, tuple))
        return sum(array.nbytes for array in arrays)

    def compute(self) -> Piece:
        """Compute the part's piece of the result, on one thread."""
        origin = self._origin
        specialisation, program = loaded_program(origin.kernel)
        made = [
            np.empty(end - begin, name)
            for (name, _), (begin, end) in zip(
                origin.arrays, self._written, strict=True
            )
        ]
        results = [
            (array, begin, size)
            for array, (begin, _), (_, size) in zip(
                made, self._written, origin.arrays, strict=True
            )
        ]
        sums = [np.empty(size, name) for name, size in origin.sums]
        try:
            program.compute(
                _last(program), self._record, self._arguments, results, sums
            )
        except (RuntimeError, MemoryError) as error:
            refuse(specialisation, error)
        if not origin.is_combined:
            sums = []
        return Piece(origin, self._record, self._scalars(), self._written, made, sums)

    def _scalars(self) -> list[Any]:
        """Return the arguments without the elements of the operands' arrays."""
        return [
            (each[0][:0], 0, each[2])
            if isinstance(each, tuple) and each[0].ndim
            else each
            for each in self._arguments
        ]

    def __repr__(self) -> str:
        number, of, *_ = self._record
        return f"<part {number} of {of} of {self._origin.text!r}: {self.nbytes} bytes>"


class Piece:
    """What a part has computed of the result; ``nacho.join`` joins all pieces."""

    def __init__(
        self,
        origin: _Origin,
        record: _Record,
        arguments: list[Any],
        written: tuple[_Window, ...],
        made: list[Array],
        sums: list[Array],
    ) -> None:
        self._origin = origin
        self._record = record
        self._arguments = arguments
        self._written = written
        self._made = made
        self._sums = sums

    @property
    def number(self) -> int:
        """The number of the part, from 0 on."""
        return self._record[0]

    @property
    def nbytes(self) -> int:
        """The bytes of its windows of the result's arrays, and of its sums."""
        return sum(array.nbytes for array in (*self._made, *self._sums))

    def __repr__(self) -> str:
        number, of, *_ = self._record
        return f"<piece {number} of {of} of {self._origin.text!r}: {self.nbytes} bytes>"


def join(pieces: Sequence[Piece]) -> Any:
    """Join the pieces of all parts of a plan, in any order, to the result.

    It is, bit for bit, what ``execute`` of the plan returns.
    """
    ordered = _checked(pieces)
    origin = ordered[0]._origin
    whole = [np.empty(size, name) for name, size in origin.arrays]
    for piece in ordered:
        for array, made, (begin, end) in zip(
            whole, piece._made, piece._written, strict=True
        ):
            array[begin:end] = made
    specialisation, program = loaded_program(origin.kernel)
    format = specialisation.statement.result.format
    sizes = ordered[0]._record[4]
    if format is not None and 0 in format.compressed:
        # The only fiber of the first level has all its entries.
        whole[0][:] = 0, sizes[0]
    if origin.is_combined:
        _combine(program, ordered, whole)
    made = make_result(format, origin.shape, whole, origin.kind, not origin.is_trusted)
    assignment = specialisation.statement.assignment
    split = assignment.split_of(assignment.result.name)
    return made if split is None else joined(made, split, origin.library)


def _combine(
    program: _nacho.Program, pieces: Sequence[Piece], whole: list[Array]
) -> None:
    """Add up the sums of the parts, as one machine does."""
    sums = [np.concatenate(rows) for rows in zip(*(p._sums for p in pieces))]  # noqa: B905
    results = [(array, 0, array.size) for array in whole]
    records = [piece._record for piece in pieces]
    program.combine(_last(program), records, pieces[0]._arguments, results, sums)


def _last(program: _nacho.Program) -> int:
    """Return the number of the last step."""
    return len(program.steps) - 1


def _checked(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces in order, or refuse what are not those of one plan."""
    given = list(pieces)
    if not given:
        raise ArgumentError("join needs the pieces of a plan, got none")
    for piece in given:
        if not isinstance(piece, Piece):
            kind = type(piece).__name__
            raise ArgumentError(f"join takes what parts compute, got {kind}")
    first = given[0]
    for piece in given:
        if piece._origin.name != first._origin.name:
            raise OperandError(
                f"{piece!r} and {first!r} are of different plans: cuts differ"
            )
    count = first._record[1]
    found = Counter(piece.number for piece in given)
    for number, times in found.items():
        if times > 1:
            raise OperandError(f"piece {number} of {count} is given {times} times")
    missing = [number for number in range(count) if number not in found]
    if missing:
        shown = ", ".join(map(str, missing[:5])) + (", ..." if missing[5:] else "")
        raise OperandError(f"{len(missing)} of {count} pieces are missing: {shown}")
    return sorted(given, key=lambda piece: piece.number)


_Loaded = tuple[Specialisation, "_nacho.Program"]
_programs: Cache[_Loaded] = Cache()


def loaded_program(kernel: bytes) -> _Loaded:
    """Return a specialisation and a program of it, which the process may compile."""

    def load() -> _Loaded:
        source, typing, lowering, choices = pickle.loads(kernel)
        made = Specialisation(source, typing, lowering)
        return made, made.native.program(choices)

    return _programs.get(kernel, load)


def refuse(specialisation: Specialisation, error: Exception) -> NoReturn:
    """Turn a failure of a part into an error that names the cause."""
    from nacho import _nacho

    if isinstance(error, _nacho.CoordinateOutOfRange | _nacho.OperandsChanged):
        raise OperandError(
            f"the arrays of an operand of '{specialisation.statement.assignment.text}' "
            "are not those that the plan was made for"
        ) from error
    specialisation._refuse(error, threads=1)


class Parts:
    """The parts of a plan, made when they are asked for."""

    def __init__(self, call: Call, native: _nacho.Plan, program: Program) -> None:
        self._native = native
        self._call = call
        made = call.specialisation
        self._text = made.statement.assignment.text
        if made.target != HOST:
            self._refuse(f"the target '{made.target}' runs all parts at once")
        if not _has_windows(made.statement.result.format):
            self._refuse("the result has levels whose windows are not known")
        arrays, sums, is_combined = native.whole
        kernel = (made.source, made.statement.typing, made.lowering, program.choices)
        self._origin = _Origin(
            uuid.uuid4().hex,
            self._text,
            pickle.dumps(kernel),
            call.shape,
            call.kind,
            library_of(list(call.loaded.values())),
            call.running.validate == "none",
            arrays,
            sums,
            is_combined,
        )
        self._program = program
        self._are_windows = _windowed(program)
        self._namings = namings(program, self._are_windows)
        self._loops = loops_of_levels(program)
        self._arguments = native.last_arguments(call.args)

    def part(self, number: int) -> Part:
        """Return a part, or refuse a number that none has."""
        count = self._native.parts
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise ArgumentError(f"a part has a number, got {type(number).__name__}")
        if not 0 <= number < count:
            raise OptionError(f"part {number}: the plan has parts 0 to {count - 1}")
        record, read, written = self._native.part(
            self._call.args, int(number), self._are_windows, self._loops
        )
        if written is None:
            self._refuse("they do not write one window each of the result's arrays")
        arguments = [
            each if isinstance(each, int) else _window(each, how)
            for each, how in zip(self._arguments, read, strict=True)
        ]
        arguments = with_named_rows(arguments, self._namings)
        return Part(self._origin, record, arguments, written)

    def _refuse(self, why: str) -> NoReturn:
        raise UnsupportedError(f"the parts of '{self._text}' cannot run alone: {why}")


def _window(array: Any, read: _Read) -> tuple[Any, int, int]:
    """Return a window of an array, and the indices by which a kernel reads it."""
    if not array.ndim:
        return array, 0, 1
    begin, end, first, size, subtracted = read
    window = np.asarray(array).reshape(-1)[begin:end]
    return moved(window, -subtracted), first, size


def moved(positions: Array, by: int) -> Array:
    """Return positions to which something is added.

    What is not there is kept in a list as a negative position, and stays.
    """
    if not by:
        return positions
    return np.where(positions < 0, positions, positions + positions.dtype.type(by))


def _windowed(program: Program) -> list[bool]:
    """Return of which inputs of the last step the loops may visit windows.

    An operand that is read more than once is read as a whole.
    """
    assignment = program.statement.assignment
    times = Counter(access.name for access in assignment.accesses)
    names, types = assignment.operands, program.statement.types
    inputs = program.steps[-1].inputs
    if program.choices[MERGE_KEYS]:
        return [False] * len(inputs)
    return [
        is_step or (times[names[n]] == 1 and _has_windows(types[names[n]].format))
        for is_step, n in inputs
    ]


def _has_windows(format: Format | None) -> bool:
    """Return whether all levels are of kinds whose windows are known."""
    levels = () if format is None else format.levels
    return all(
        kind.startswith(("dense", "compressed", "singleton")) for _, kind in levels
    )


def loops_of_levels(program: Program) -> list[int]:
    """Return the number of the cut loop over each level of the result, or -1."""
    result = program.statement.result
    if result.format is None:
        return []
    indices = program.statement.assignment.result.indices
    order = program.steps[-1].order
    levels = [indices[dimension] for dimension in result.format.order]
    return [order.index(index) if index in order else -1 for index in levels]
