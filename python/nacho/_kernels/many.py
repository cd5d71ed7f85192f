"""Many calls of a kernel at once: ``Kernel.map``.

All operands are loaded first, one problem after the other: by the extension if they
repeat an earlier problem, with other values or other small matrices. Then the extension
computes the problems on all threads, without the interpreter. A problem that it refuses
is called again on its own: that says what is wrong, or finds a wider type for the
indices of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from nacho._kernels.call import Call, bind
from nacho._kernels.options import Running
from nacho._kernels.progress import shown
from nacho._kernels.repetition import Repetitions
from nacho._notation.tree import Assignment
from nacho._storage.device_arrays import HOST
from nacho.errors import ArgumentError, NachoError

if TYPE_CHECKING:
    from nacho import _nacho

Load = Callable[[list[Any]], Call]
"""Loads the operands of a problem."""


def computed(
    problems: Iterable[Any],
    assignment: Assignment,
    load: Load,
    running: Running,
) -> list[Any]:
    """Return the result of each problem, a tuple of operands or a mapping by name."""
    if not isinstance(problems, Iterable):
        shown = type(problems).__name__
        raise ArgumentError(f"map: expected problems, such as a list, not {shown}")
    loaded = _loaded(problems, assignment, load)
    made = _computed_together(loaded, running)
    for number, (problem, arrays) in enumerate(zip(loaded, made, strict=True)):
        if arrays is None:
            with _numbered(number):
                made[number] = load(problem.operands).compute()
        else:
            made[number] = problem.wrap(arrays)
    return made


class _Problem(NamedTuple):
    operands: list[Any]
    taken: _nacho.TakenCall | None
    """None on a device, which has one call after the other."""
    wrap: Callable[[list[Any]], Any]


def _loaded(
    problems: Iterable[Any], assignment: Assignment, load: Load
) -> list[_Problem]:
    earlier = Repetitions()
    loaded: list[_Problem] = []
    for number, problem in enumerate(problems):
        with _numbered(number):
            operands = _operands(problem, assignment)
            repeated = earlier.take((*operands,))
            if repeated is not None:
                loaded.append(_Problem(operands, *repeated))
                continue
            call, taken = load(operands), None
            if call.specialisation.target == HOST:
                taken = call.specialisation.native.take(call.args, call.asked)
                # What `+=` adds to may have another place among the operands.
                if [*map(id, call.given)] == [*map(id, operands)]:
                    earlier.remember(call)
            loaded.append(_Problem(operands, taken, call.wrapped))
    return loaded


def _computed_together(problems: list[_Problem], running: Running) -> list[Any]:
    """Return the arrays of each result; None for what the extension did not compute."""
    from nacho import _nacho

    taken = [each.taken for each in problems if each.taken is not None]
    if len(taken) < len(problems):
        return [None] * len(problems)
    trusted = running.validate == "none"
    with shown(running.progress, f"{len(taken)} problems"):
        return _nacho.compute_many(taken, running.threads or 0, trusted)


def _operands(problem: Any, assignment: Assignment) -> list[Any]:
    """Return the operands of a problem; for ``+=``, then what it adds to, if given."""
    names, result = assignment.operands, assignment.result.name
    if isinstance(problem, Mapping):
        is_added = assignment.adds and result in problem
        return bind((*names, result) if is_added else assignment, (), problem)
    if isinstance(problem, tuple | list):
        is_added = assignment.adds and len(problem) > len(names)
        return bind((*names, result) if is_added else assignment, problem, {})
    shown = type(problem).__name__
    raise ArgumentError(
        f"expected a tuple of operands, or a mapping of names to operands, not {shown}"
    )


@contextmanager
def _numbered(number: int) -> Iterator[None]:
    """Have errors say in which problem they are."""
    try:
        yield
    except NachoError as error:
        raise type(error)(f"problem {number}: {error}") from error
