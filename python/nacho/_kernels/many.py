"""Many calls of a kernel at once: ``Kernel.map``.

All operands are loaded first, one problem after the other. Then the extension computes
the problems on all threads, without the interpreter. A problem that it refuses is
called again on its own: that says what is wrong, or finds a wider type for the indices
of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nacho._kernels.call import Call, bind
from nacho._kernels.options import Running
from nacho._kernels.progress import shown
from nacho._notation.tree import Assignment
from nacho._storage.device_arrays import HOST
from nacho.errors import ArgumentError, NachoError

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
    calls: list[Call] = []
    for number, problem in enumerate(problems):
        with _numbered(number):
            calls.append(load(_operands(problem, assignment)))
    made = _computed_together(calls, running)
    for number, (call, arrays) in enumerate(zip(calls, made, strict=True)):
        if arrays is None:
            with _numbered(number):
                made[number] = load(list(call.given)).compute()
        else:
            made[number] = call.wrapped(arrays)
    return made


def _computed_together(calls: list[Call], running: Running) -> list[Any]:
    """Return the arrays of each result; None for what the extension did not compute."""
    from nacho import _nacho

    if any(call.specialisation.target != HOST for call in calls):
        # A device has one call after the other.
        return [None] * len(calls)
    given = [(call.specialisation.native, call.args, call.asked) for call in calls]
    trusted = running.validate == "none"
    with shown(running.progress, f"{len(calls)} problems"):
        return _nacho.compute_many(given, running.threads or 0, trusted)


def _operands(problem: Any, assignment: Assignment) -> list[Any]:
    """Return the operands of a problem; for ``+=``, then what it adds to, if given."""
    names, result = assignment.operands, assignment.result.name
    if isinstance(problem, Mapping):
        is_added = assignment.adds and result in problem
        return bind((*names, result) if is_added else names, (), problem)
    if isinstance(problem, tuple | list):
        is_added = assignment.adds and len(problem) > len(names)
        return bind((*names, result) if is_added else names, problem, {})
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
