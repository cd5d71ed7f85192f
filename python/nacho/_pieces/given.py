"""The operands of a statement, as its steps read them.

cut      by the loops: parts read windows of what is in pieces (``Cut``), and of the
         lists that earlier steps have made (``List``)
named    of which parts ask for rows (``NamedRows``)
whole    anything else (``Whole``); steps that list coordinates only read where fibers
         begin
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from nacho._kernels.program import Layout, Program, Step
from nacho._kernels.specialisation import Specialisation
from nacho._pieces import tasks
from nacho._pieces.engine import Engine
from nacho._pieces.named_rows import NamedRows, Naming, naming_of_list, naming_of_loop
from nacho._pieces.operands import Cut, List, RecalledCut, Whole, structure
from nacho._pieces.row_windows import is_dense
from nacho._pieces.tensor import Pieces
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
            pieces = (given.known, list(given.handles))
            return self._engine.submit(f"join-{name}", tasks.whole, *pieces)
        if isinstance(given, Elsewhere):
            return given.handle
        return self._engine.put(given)

    def in_pieces(self, name: str) -> Pieces | None:
        """Return an operand that is in pieces."""
        given = self._given[name]
        return given if isinstance(given, Pieces) else None

    def cut(self, name: str, layout: Layout) -> Pieces | None:
        """Return an operand in pieces, into which large dense containers are cut."""
        view = self.views.get(name)
        if isinstance(self._given[name], Pieces) or view is None:
            return self.in_pieces(name)
        values = view.values
        is_usual = values.flags.c_contiguous or isinstance(self._given[name], Elsewhere)
        is_large = is_dense(layout) and values.nbytes >= _SMALL
        if is_large and is_usual and str(values.dtype) == layout.values:
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

    def of(self, step: Step, lists: Sequence[Pieces]) -> list[Cut | Whole]:
        """Return the operands of a step, which may read lists of earlier steps."""
        cut: dict[int, Cut] = {}
        for input, (is_made, source) in enumerate(step.inputs):
            if is_made:
                cut[input] = self._list(step, input, source, lists[source])
        kind = RecalledCut if cut else Cut
        for input, (is_made, source) in enumerate(step.inputs):
            found = None if is_made else self._cut(step, input, source, kind)
            if found is not None:
                cut[input] = found
        return [
            cut[input] if input in cut else self._uncut(step, input, source, cut)
            for input, (_, source) in enumerate(step.inputs)
        ]

    def _cut(self, step: Step, input: int, number: int, kind: type[Cut]) -> Cut | None:
        """Return an operand, if the loops cut it."""
        name = self._assignment.operands[number]
        loops = self._loops(step, input, name)
        times = sum(access.name == name for access in self._assignment.accesses)
        if times > 1 or not loops or loops != [*range(len(loops))]:
            return None
        given = self._containers.cut(name, step.layouts[input])
        if given is None or given.format != self._statement.types[name].format:
            return None
        return kind(step, input, name, loops, given, self._engine)

    def _uncut(
        self, step: Step, input: int, number: int, cut: Mapping[int, Cut]
    ) -> Whole:
        """Return an operand that the loops do not cut."""
        name = self._assignment.operands[number]
        loops = self._loops(step, input, name)
        about, layout = (step, input, name, loops), step.layouts[input]
        naming = self._naming(step, input, name, cut)
        pieces = self._containers.in_pieces(name)
        if naming:
            pieces = self._containers.cut(name, layout)
        format = self._statement.types[name].format
        if pieces is not None and pieces.format == format:
            if naming:
                whole = partial(self._input, number, name, layout)
                return NamedRows(*about, pieces, naming, whole, self._engine)
            if step.is_list:
                handle = structure(self._engine, name, pieces, len(loops))
                return Whole(*about, pieces.extents, handle, self._engine)
        extents: tuple[int, ...] = ()
        views = self._containers.views
        if name in views and format is not None:
            extents = tuple(views[name].shape[dimension] for dimension in format.order)
        handle = self._input(number, name, layout)
        return Whole(*about, extents, handle, self._engine)

    def _naming(
        self, step: Step, input: int, name: str, cut: Mapping[int, Cut]
    ) -> list[Naming]:
        """Return where parts of a step find the rows that they need of an operand."""
        layout = step.layouts[input]
        if any(input in inputs for inputs in step.loop_inputs):
            # In rows that come alone, positions are others than in cuts.
            return []
        if layout.has_compressed_rows:
            return naming_of_list(cut, input)
        if not is_dense(layout):
            return []
        format = self._statement.types[name].format
        outermost = format.order[0] if format is not None else 0
        indices = {
            access.indices[outermost]
            for access in self._assignment.accesses
            if access.name == name
        }
        loop = [step.order.index(index) for index in indices if index in step.order]
        return naming_of_loop(step, loop[0], cut) if len(indices) == 1 and loop else []

    def _loops(self, step: Step, input: int, name: str) -> list[int]:
        """Return the loop over each outermost level of an operand that is cut."""
        format = self._statement.types[name].format
        accesses = [a.indices for a in self._assignment.accesses if a.name == name]
        is_known = len(accesses) == 1 and len(set(accesses[0])) == len(accesses[0])
        if format is None or not is_known or len(step.loop_inputs) != len(step.order):
            return [m for m, each in enumerate(step.loop_inputs) if input in each]
        indices = [accesses[0][dimension] for dimension in format.order]
        cut = takewhile(step.order.__contains__, indices)
        return [step.order.index(index) for index in cut]

    def _list(self, step: Step, input: int, source: int, made: Pieces) -> List:
        """Return a list that an earlier step has made."""
        earlier = self._program.steps[source]
        listed = earlier.order[: len(made.counts) - len(earlier.kept)]
        loops = [*range(len([*takewhile(step.order.__contains__, listed)]))]
        kept = self._program.recalled(step, input)
        return List(step, input, f"list-{source}", loops, made, kept, self._engine)

    def _input(self, number: int, name: str, layout: Layout) -> Any:
        """Return a handle of an operand as a whole, as tasks read it."""
        if name not in self._loaded:
            arguments = (self._kernel, number, layout, self._containers.whole(name))
            self._loaded[name] = self._engine.submit(
                f"load-{name}", tasks.loaded, *arguments
            )
        return self._loaded[name]
