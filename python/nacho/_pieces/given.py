"""The operands of a statement, as its steps read them.

cut      by the loops: parts read windows of what is in pieces (``Cut``), also of what
         earlier steps have made, and of their lists (``List``)
named    of which parts ask for rows (``NamedRows``)
whole    anything else (``Whole``); steps that list coordinates only read where fibers
         begin
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.program import Layout, Program, Step
from nacho._kernels.specialisation import Specialisation
from nacho._pieces import tasks
from nacho._pieces.engine import Engine
from nacho._pieces.inputs import Input
from nacho._pieces.lists import List, RecalledCut
from nacho._pieces.named_rows import NamedRows, Naming, naming_of_list, naming_of_loop
from nacho._pieces.operands import Cut, Whole, slices, structure
from nacho._pieces.tensor import Pieces
from nacho._pieces.windows import Windows
from nacho._storage.views import View

_SMALL = 1 << 20
"""A dense operand of fewer bytes comes to every machine: nobody asks who needs what."""


class Elsewhere(NamedTuple):
    """A container that is not here, but as a whole on some machine."""

    handle: Any
    view: View
    """A view like its own, whose arrays have no memory."""


class Containers:
    """What is given: tensors in pieces, containers here or elsewhere, and numbers."""

    def __init__(
        self, given: Mapping[str, Any], views: Mapping[str, View], engine: Engine
    ) -> None:
        self._given = dict(given)
        self.views = views
        self._engine = engine

    def whole(self, name: str) -> Any:
        """Return a handle of the container of an operand, or of a number."""
        given = self._given[name]
        if isinstance(given, Pieces):
            # Programs read the levels that pieces have.
            known = replace(given.known, container=None)
            whole = (tasks.whole, known, list(given.handles))
            return self._engine.submit(f"join-{name}", *whole)
        if isinstance(given, Elsewhere):
            return given.handle
        return self._engine.put(given)

    def in_pieces(self, name: str) -> Pieces | None:
        """Return an operand that is in pieces."""
        given = self._given[name]
        return given if isinstance(given, Pieces) else None

    def cut(self, name: str, layout: Layout, *, always: bool = False) -> Pieces | None:
        """Return an operand in pieces, into which large dense containers are cut.

        If it is to be in pieces ``always``, any container is cut.
        """
        view = self.views.get(name)
        if isinstance(self._given[name], Pieces) or view is None:
            return self.in_pieces(name)
        values = np.asarray(view.values)
        # A view of what is elsewhere may have no memory.
        is_usual = values.flags.c_contiguous or not any(values.strides)
        is_large = layout.is_dense and values.nbytes >= _SMALL
        if always or (is_large and is_usual and str(values.dtype) == layout.values):
            self._given[name] = pieces_of(self.whole(name), name, self._engine)
        return self.in_pieces(name)


def pieces_of(container: Any, name: str, engine: Engine) -> Pieces:
    """Cut a container that is on some machine; the pieces stay there."""
    known = engine.submit(f"cut-{name}", tasks.known, container, engine.slots)
    pieces: Pieces = engine.fetch([known])[0]
    handles = [
        engine.submit(f"cut-{name}-{number}", tasks.piece, container, pieces, number)
        for number in range(pieces.count)
    ]
    return replace(pieces, handles=tuple(handles))


class _Source(NamedTuple):
    """What an input of a step is."""

    name: str
    pieces: Pieces | None
    """Its pieces, if it is in pieces as the step reads it."""
    accesses: Sequence[Sequence[str]]
    """The indices of its levels, in each access to it."""
    number: int = -1
    """The number of the operand, if it is one."""
    has_costs: bool = False
    """Whether it is a list of costs."""

    @property
    def is_made(self) -> bool:
        """Whether an earlier step has made it."""
        return self.number < 0

    def indices(self, step: Step, input: int) -> list[str] | None:
        """Return the indices of its outermost levels in a step that accesses it once.

        If the access may be one of several, these are what all have in common. There is
        nothing if no index is known, or if one is of two levels.
        """
        if len(step.indices_read[input]) != 1:
            return None
        (read,) = step.indices_read[input]
        found = [
            indices
            for indices in self.accesses
            if all(a in ("", b) for a, b in zip(read, indices, strict=True))
        ]
        common = takewhile(lambda each: len(set(each)) == 1, zip(*found, strict=True))
        indices = [index for index, *_ in common]
        return indices if found and len(set(indices)) == len(indices) else None


class Operands:
    """Makes the operands of steps."""

    def __init__(
        self,
        specialisation: Specialisation,
        program: Program,
        kernel: bytes,
        containers: Containers,
        engine: Engine,
    ) -> None:
        self._statement = specialisation.statement
        self._assignment = specialisation.statement.assignment
        self._program = program
        self._kernel = kernel
        self._containers = containers
        self._engine = engine
        self._loaded: dict[str, Any] = {}

    def of(self, step: Step, made: Sequence[Pieces]) -> list[Cut | Whole]:
        """Return the operands of a step, which may read what earlier ones have made."""
        sources = [self._source(step, input, made) for input in range(len(step.inputs))]
        cut: dict[int, Cut] = {}
        for input, source in enumerate(sources):
            if source.has_costs and source.pieces is not None:
                cut[input] = self._list(step, input, source.name, source.pieces)
        kind = RecalledCut if cut else Cut
        for input, source in enumerate(sources):
            found = None if input in cut else self._cut(step, input, source, kind)
            if found is not None:
                cut[input] = found
        return [
            cut[input] if input in cut else self._uncut(step, input, source, cut)
            for input, source in enumerate(sources)
        ]

    def _source(self, step: Step, input: int, made: Sequence[Pieces]) -> _Source:
        """Return what an input of a step is: an operand, or what a step has made."""
        is_made, number = step.inputs[input]
        if is_made:
            return self._made_source(number, made[number])
        name = self._assignment.operands[number]
        pieces = self._if_as_read(name, self._containers.in_pieces(name))
        format = self._statement.types[name].format
        accesses = self._accesses(name, format.order if format is not None else ())
        return _Source(name, pieces, accesses, number)

    def _made_source(self, number: int, made: Pieces) -> _Source:
        """Return what a step has made."""
        step = self._program.steps[number]
        if not step.is_reordering:
            about = (self._program.made_by(number), made, (step.indices_made,))
            return _Source(*about, has_costs=step.lists_costs)
        _, operand = step.inputs[0]
        name = self._assignment.operands[operand]
        return _Source(name, made, self._accesses(name, made.format.order))

    def _accesses(self, name: str, order: Sequence[int]) -> list[list[str]]:
        """Return the indices of levels, in this order, in each access to an operand."""
        return [
            [access.indices[dimension] for dimension in order]
            for access in self._assignment.accesses
            if access.name == name
        ]

    def _cut(
        self, step: Step, input: int, source: _Source, kind: type[Cut]
    ) -> Cut | None:
        """Return an operand, if the loops cut it."""
        loops = self._loops(step, input, source)
        pieces = source.pieces
        if not loops or loops != [*range(len(loops))]:
            return None
        if len(step.indices_read[input]) != 1:
            return None
        if not source.is_made:
            pieces = self._cut_source(step, input, source, always=step.is_reordering)
        if pieces is None:
            return None
        return kind(step, input, source.name, loops, pieces, self._engine)

    def _cut_source(
        self, step: Step, input: int, source: _Source, *, always: bool = False
    ) -> Pieces | None:
        """Return an operand in pieces, as loops read it."""
        layout = step.layouts[input]
        pieces = self._containers.cut(source.name, layout, always=always)
        return self._if_as_read(source.name, pieces)

    def _if_as_read(self, name: str, pieces: Pieces | None) -> Pieces | None:
        """Return an operand in pieces if they have the format that loops read."""
        format = self._statement.types[name].format
        return pieces if pieces is not None and pieces.format == format else None

    def _uncut(
        self, step: Step, input: int, source: _Source, cut: Mapping[int, Cut]
    ) -> Whole:
        """Return an operand that the loops do not cut."""
        loops = self._loops(step, input, source)
        about, layout = (step, input, source.name, loops), step.layouts[input]
        naming = self._naming(step, input, source, cut)
        pieces = source.pieces
        if naming and not source.is_made:
            pieces = self._cut_source(step, input, source)
        if pieces is not None:
            whole = cache(partial(self._whole, source, pieces, layout))
            if step.lists_costs:
                depth = len(layout.levels if step.lists_pieces else loops)
                looked_at = (self._engine, source.name, pieces, depth)
                whole = cache(partial(structure, *looked_at))
            if naming:
                return NamedRows(*about, pieces, naming, whole, self._engine)
            return Whole(*about, pieces.extents, whole(), self._engine)
        extents: tuple[int, ...] = ()
        view = self._containers.views.get(source.name)
        format = self._statement.types[source.name].format
        if view is not None and format is not None:
            extents = tuple(view.shape[dimension] for dimension in format.order)
        return Whole(*about, extents, self._input(source, layout), self._engine)

    def _naming(
        self, step: Step, input: int, source: _Source, cut: Mapping[int, Cut]
    ) -> list[Naming]:
        """Return where parts of a step find the rows that they need of an operand."""
        layout = step.layouts[input]
        if any(input in inputs for inputs in step.loop_inputs):
            # In rows that come alone, positions are others than in cuts.
            return []
        if layout.has_compressed_rows:
            return naming_of_list(cut, input)
        if not layout.levels or not layout.is_dense:
            return []
        indices = {read[0] for read in step.indices_read[input]}
        loop = [step.order.index(index) for index in indices if index in step.order]
        return naming_of_loop(step, loop[0], cut) if len(indices) == 1 and loop else []

    def _loops(self, step: Step, input: int, source: _Source) -> list[int]:
        """Return the loop over each outermost level of an operand that is cut."""
        indices = source.indices(step, input)
        if indices is None or len(step.loop_inputs) != len(step.order):
            return _loops_over(step, input)
        cut = takewhile(step.order.__contains__, indices)
        return [step.order.index(index) for index in cut]

    def _list(self, step: Step, input: int, name: str, made: Pieces) -> List:
        """Return a list that an earlier step has made."""
        loops = _loops_over(step, input)
        kept = self._program.recalled(step, input)
        return List(step, input, name, loops, made, kept, self._engine)

    def _whole(self, source: _Source, pieces: Pieces, layout: Layout) -> Any:
        """Return a handle of all pieces, as tasks read them."""
        if not source.is_made:
            return self._input(source, layout)
        key = f"{source.name}, made"
        if key not in self._loaded:
            ranges = [(0, length) for length in pieces.lengths]
            empty = Input(Windows((), ()), pieces.extents, layout, name=source.name)
            parts = slices(self._engine, source.name, pieces, ranges)
            task = (f"load-{source.name}", tasks.gathered, [empty, ranges, parts])
            self._loaded[key] = self._engine.submit(*task)
        return self._loaded[key]

    def _input(self, source: _Source, layout: Layout) -> Any:
        """Return a handle of an operand as a whole, as tasks read it."""
        name = source.name
        if name not in self._loaded:
            given = self._containers.whole(name)
            task = (f"load-{name}", tasks.loaded, self._kernel, source.number, layout)
            self._loaded[name] = self._engine.submit(*task, given)
        return self._loaded[name]


def _loops_over(step: Step, input: int) -> list[int]:
    """Return the loops whose cuts have positions of an input."""
    return [loop for loop, inputs in enumerate(step.loop_inputs) if input in inputs]
