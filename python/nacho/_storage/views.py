"""Views: a container of any library as a format, a shape, and the arrays of the levels.

All checks take views. They never write into one, and their messages call the arrays
by the names that they have in the container.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from nacho._storage.formats import Format
from nacho._storage.plain_checks import checks
from nacho.errors import OperandError

Array = NDArray[Any]
Arrays = tuple[Array | None, ...]
"""An array per level; None where a level has no such array."""

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
INT32_MAX = 2**31 - 1

NACHO, NUMPY = "nacho", "numpy"
SCIPY_ARRAY, SCIPY_MATRIX = "scipy array", "scipy matrix"
TORCH, SPARSE, CUPY, DLPACK = "torch", "sparse", "cupy", "dlpack"
"""The libraries that containers come from."""

_LABELS: dict[tuple[str, str], tuple[str, str, str]] = {
    (TORCH, "csr"): ("crow_indices", "col_indices", "values"),
    (TORCH, "csc"): ("ccol_indices", "row_indices", "values"),
    (TORCH, "coo"): ("", "indices[{}]", "values"),
    (CUPY, "coo"): ("", "(row, col)[{}]", "data"),
}
"""How messages call ``pos``, ``crd`` and values of a library's layout; SciPy's names
are the default."""

_PLAIN = 0x101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED


class View:
    """The arrays of a container, by level.

    ``values`` has one dimension, or, if all levels are dense, one per level.
    ``library`` says where the container comes from. ``layout`` is the name that its
    library has for its sparse format, and empty for dense arrays and for
    ``nacho.Tensor``. A coo of other libraries has no ``pos``: the ``pos`` in its view
    was made for the view. ``note`` says what else had to be made for the view, for
    ``Kernel.explain``.
    """

    __slots__ = (
        "crd",
        "extents",
        "format",
        "layout",
        "library",
        "note",
        "pos",
        "shape",
        "values",
    )

    def __init__(
        self,
        format: Format,
        shape: tuple[int, ...],
        pos: Arrays,
        crd: Arrays,
        values: Array,
        library: str = NACHO,
        layout: str = "",
        note: str = "",
    ) -> None:
        self.format = format
        self.shape = shape
        if format.is_row_major:
            self.extents = shape
        elif format.parts:
            split = (part.of(shape[part.dimension]) for part in format.parts)
            self.extents = tuple(split)
        else:
            self.extents = tuple([shape[dimension] for dimension in format.order])
        """The extent of each level."""
        self.pos = pos
        self.crd = crd
        self.values = values
        self.library = library
        self.layout = layout
        self.note = note

    @property
    def device(self) -> str:
        """Where the arrays are; on a device they are no NumPy's, but DeviceArray's."""
        return str(self.values.device)

    def pos_at(self, level: int) -> Array:
        """Return ``pos`` of a level that has it."""
        pos = self.pos[level]
        assert pos is not None
        return pos

    def crd_at(self, level: int) -> Array:
        """Return the coordinates of a level; they may be a column of a shared array."""
        levels = self.format.sharing[level]
        crd = self.crd[levels[0]]
        assert crd is not None
        return crd if len(levels) == 1 else crd[:, level - levels[0]]

    def array_at(self, level: int) -> Array:
        """Return the whole ``crd`` of a level that has it, with all columns."""
        crd = self.crd[level]
        assert crd is not None
        return crd

    @property
    def is_foreign(self) -> bool:
        """Whether the container belongs to a library with sparse formats of its own.

        Such a library may leave entries unsorted and repeated.
        """
        return self.layout != ""

    @property
    def _labels(self) -> tuple[str, str, str]:
        """The names of ``pos``, ``crd`` and values in the container."""
        coordinates = "coords[{}]" if self.layout == "coo" else "indices"
        default = ("indptr", coordinates, "data")
        return _LABELS.get((self.library, self.layout), default)

    @property
    def index_arrays(self) -> list[Array]:
        """All ``pos`` and ``crd`` that belong to the container."""
        pos = () if self.layout == "coo" else self.pos
        return [array for array in (*pos, *self.crd) if array is not None]

    def pos_label(self, level: int) -> str:
        """Return the name of a level's ``pos`` in the container."""
        return self._labels[0] if self.is_foreign else f"pos[{level}]"

    def crd_label(self, level: int) -> str:
        """Return the name of a level's coordinates in the container."""
        if self.is_foreign:
            return self._labels[1].format(self.format.order[level])
        levels = self.format.sharing[level]
        label = f"crd[{levels[0]}]"
        return label if len(levels) == 1 else f"{label}[:, {level - levels[0]}]"

    def array_label(self, level: int) -> str:
        """Return the name of a level's whole ``crd`` in the container."""
        shared = len(self.format.sharing[level]) > 1
        return f"crd[{level}]" if shared else self.crd_label(level)

    @property
    def values_label(self) -> str:
        if self.library != NACHO and not self.is_foreign:
            return "the array"
        return self._labels[2] if self.is_foreign else "values"

    def with_arrays(self, pos: Arrays, crd: Arrays, values: Array) -> View:
        return View(
            self.format, self.shape, pos, crd, values, self.library, self.layout
        )


def is_plain(array: Array) -> bool:
    """Return whether an array is contiguous (C order), aligned and of native bytes."""
    return array.flags.num & _PLAIN == _PLAIN and array.dtype.isnative


def made_plain(array: Array) -> Array:
    """Return the array itself if it is plain, else a copy that is."""
    if is_plain(array):
        return array
    return np.array(array, array.dtype.newbyteorder("="), order="C")


def subject(name: str | None) -> str:
    """Return how a message names an operand; None stands for a tensor being made."""
    return "Tensor" if name is None else f"operand '{name}'"


# --- Positions and coordinates --------------------------------------------------------


def require_positions(name: str | None, view: View) -> None:
    """Check that every ``pos`` starts at 0, never falls, and ends at ``len(crd)``.

    Levels that do not store their coordinates in the usual way have rules of their own.
    """
    for level in view.format.compressed:
        _require_positions_of(name, view, level, view.pos_at(level))


def sound_positions(view: View, level: int, name: str | None = None) -> Array:
    """Return a copy of ``pos`` of a level, checked: no other thread can edit it."""
    pos = view.pos_at(level).copy()
    _require_positions_of(name, view, level, pos)
    return pos


def _require_positions_of(name: str | None, view: View, level: int, pos: Array) -> None:
    wrong = view.format.level_kinds[level].wrong_position(pos, view.array_at(level))
    if wrong is not None:
        _refuse_position(name, view.pos_label(level), pos, *wrong)


def has_canonical_entries(name: str | None, view: View, threads: int = 0) -> bool:
    """Check that the coordinates in every ``crd`` are in range, sorted and distinct.

    ``threads`` may do so; 0 are as many as calls use by default.

    Return False if the entries of another library's container are unsorted or have
    duplicates, which such libraries allow. Everything else is refused.
    """
    for levels in groups(view.format):
        try:
            place, level, why = _first_violation(view, levels, threads)
        except ValueError as error:
            # ``pos`` was checked before, so another thread has edited it since.
            label = view.pos_label(levels[0])
            message = f"{subject(name)}: {label} was edited while it was checked"
            raise OperandError(message) from error
        if place < 0:
            continue
        if why == "range":
            _refuse_coordinate(name, view, level, place)
        if view.is_foreign:
            _require_range(name, view, levels)
            return False
        _refuse_disorder(name, view, levels, place, why)
    return True


@cache
def groups(format: Format) -> tuple[range, ...]:
    """Return the sparse levels in groups: a compressed level and its singletons."""
    sparse, kinds = set(format.stored), format.level_kinds
    starts = [level for level in format.stored if not kinds[level].shares_positions]
    starts.append(len(format.levels))
    return tuple(
        range(start, start + sum(level in sparse for level in range(start, end)))
        for start, end in pairwise(starts)
    )


def _first_violation(view: View, levels: range, threads: int) -> tuple[int, int, str]:
    """Return the first wrong position of a group, the level, and what is wrong.

    A negative position says that nothing is wrong.
    """
    first = levels[0]
    if len(levels) == 1:
        kind, extent = view.format.level_kinds[first], view.extents[first]
        crd = view.crd_at(first)
        wrong = kind.wrong_coordinate(view.pos[first], crd, extent, threads)
        return (-1, first, "none") if wrong is None else (wrong[0], first, wrong[1])
    crds = [view.crd_at(level) for level in levels]
    extents = [view.extents[level] for level in levels]
    pos, check = view.pos_at(first), checks().check_tuples
    place, number, why = check(pos, crds, extents, threads)
    return place, first + number, why


def _require_range(name: str | None, view: View, levels: range) -> None:
    """Check that all coordinates are in range, sorted or not."""
    for level in levels:
        crd = view.crd_at(level)
        wrong = np.flatnonzero((crd < 0) | (crd >= view.extents[level]))
        if wrong.size:
            _refuse_coordinate(name, view, level, int(wrong[0]))


def _refuse_position(
    name: str | None, label: str, pos: Array, place: int, reason: str
) -> NoReturn:
    if place and pos[place] < pos[place - 1]:
        reason = f"below {label}[{place - 1}] = {pos[place - 1]}"
    raise OperandError(f"{subject(name)}: {label}[{place}] = {pos[place]}, {reason}")


def _refuse_coordinate(
    name: str | None, view: View, level: int, place: int
) -> NoReturn:
    raise OperandError(
        f"{subject(name)}: {view.crd_label(level)}[{place}] = "
        f"{view.crd_at(level)[place]} is out of range [0, {view.extents[level]})"
    )


def _refuse_disorder(
    name: str | None, view: View, levels: range, place: int, why: str
) -> NoReturn:
    reason = "a duplicate of" if why == "duplicate" else "not sorted after"

    def shown(place: int) -> str:
        labels = ", ".join(f"{view.crd_label(level)}[{place}]" for level in levels)
        found = ", ".join(str(view.crd_at(level)[place]) for level in levels)
        return f"({labels}) = ({found})" if len(levels) > 1 else f"{labels} = {found}"

    message = f"{shown(place)} is {reason} {shown(place - 1)}"
    raise OperandError(f"{subject(name)}: {message}")
