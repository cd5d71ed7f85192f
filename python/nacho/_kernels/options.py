"""The options of a caller, except for options about types.

``Options`` are as given, for an expression that need not be known yet. They are checked
where they become the options of code, ``Lowering``, and those of a call, ``Running``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.option_checks import (
    MAX_MEMORY,
    MAX_PARTS,
    MAX_THREADS,
    check_cost,
    check_device,
    check_target,
    checked_choices,
    checked_contract,
    checked_count,
    checked_order,
    checked_remap,
    checked_stream,
    checked_validation,
    is_word,
)
from nacho._notation.monoids import Semiring, semiring_of
from nacho._notation.semirings import under
from nacho._notation.tree import Assignment
from nacho._progress import Progress, checked_progress
from nacho._storage.formats import Format
from nacho._storage.room import Room, is_container
from nacho._targets import CPU


class Lowering(NamedTuple):
    """The options on which the code of a statement depends."""

    target: str = CPU.name
    cost: str = "time"
    order: tuple[str, ...] = ()
    """The indices of the loops, outermost first; if empty, the compiler chooses."""
    contract: tuple[str, ...] | None = None
    """The indices that are summed on their own, in order; if None, the compiler
    chooses."""
    remap: bool = True
    choices: tuple[tuple[str, object], ...] = ()
    """Choices that the caller makes in place of Nacho, by name."""

    def on(self, target: str) -> Lowering:
        """Return the same options for another target."""
        return self if target == self.target else self._replace(target=target)


class Running(NamedTuple):
    """The options of a call, on which the code does not depend."""

    threads: int | None = None
    parts: int | None = None
    validate: str = "safe"
    memory_limit: int | None = None
    """The most bytes that are allocated at a time."""
    device: int | None = None
    """The number of the GPU that operands of the host are copied to, if the caller
    wants that."""
    stream: int | None = None
    """The stream of the GPU in whose order everything is done. If it is None, it is the
    current one of the library that the operands come from."""
    checks: bool = False
    """Whether what is called checks the positions of operands on a device itself."""
    out: Room | None = None
    """The container that the result is written to, if the caller gives one."""
    progress: Progress = None
    """Who is told how many parts are done, if anybody is."""


class Options(NamedTuple):
    """The options of ``evaluate``, which explains them; other functions have some.

    Those with their default values are not checked, since that is done in every call.
    """

    out: object = None
    target: str | None = None
    device: int | None = None
    stream: object = None
    threads: int | None = None
    parts: int | None = None
    order: Sequence[str] | str | None = None
    validate: str | bool = "safe"
    cost: str = "time"
    remap: bool | None = None
    choices: Mapping[str, object] | None = None
    contract: Sequence[str] | str = "auto"
    memory_limit: int | None = None
    semiring: Semiring | str | None = None
    progress: Progress = None

    @classmethod
    def taken(cls, named: dict[str, Any]) -> Options:
        """Take the options out of keywords, and leave the operands."""
        return cls(**{name: named.pop(name) for name in cls._fields if name in named})

    @property
    def given(self) -> dict[str, Any]:
        """The options that have other values than by default, by name."""
        given = zip(self._fields, self, _DEFAULTS, strict=True)
        return {name: value for name, value, default in given if value is not default}

    @property
    def key(self) -> tuple[tuple[str, object], ...] | None:
        """By what calls with these options are known again; None if they are not.

        Options may be of any type, such as arrays, which are not compared as a whole:
        of an array for the result, only the type counts.
        """
        if all(map(is_, self, _DEFAULTS)):
            return ()
        given = self.given
        if type(self.out) is np.ndarray:
            given["out"] = "an array"
        is_plain = "progress" not in given and all(
            type(value) in (int, str) for value in given.values()
        )
        return (*given.items(),) if is_plain else None

    @property
    def is_placed(self) -> bool:
        """Whether the caller says where kernels run, and not where the operands are."""
        return self.target is not None

    def room(self, assignment: Assignment) -> Room | None:
        """Return the container that the result is written to, if ``out`` is one."""
        return Room(self.out, assignment.result) if is_container(self.out) else None

    @property
    def format(self) -> str | Format | None:
        """The format of the result, if ``out`` is one."""
        if self.out is None or type(self.out) is str:
            return self.out
        # This refuses what is no format.
        return Format(self.out)  # type: ignore[arg-type]

    def read(self, assignment: Assignment) -> Assignment:
        """Return an assignment as it is meant: under the semiring."""
        return under(assignment, semiring_of(self.semiring))

    def lowering(self, assignment: Assignment | None) -> Lowering:
        """Check the options of the code of an expression; None is a module, of any."""
        target = CPU.name if self.target is None else self.target
        if not is_word(target, CPU.name):
            check_target(target)
        if not is_word(self.cost, "time"):
            check_cost(self.cost)
        loops: tuple[str, ...] = ()
        sums: tuple[str, ...] | None = None
        if assignment is not None and self.order is not None:
            loops = checked_order(self.order, assignment.indices)
        if assignment is not None and not is_word(self.contract, "auto"):
            sums = checked_contract(self.contract, assignment.reduced)
        remap = self.remap is None or checked_remap(self.remap)
        choices = () if self.choices is None else checked_choices(self.choices, target)
        return Lowering(target, self.cost, loops, sums, remap, choices)

    def running(self) -> Running:
        """Check the options of a call."""
        if self.device is not None:
            check_device(self.device, self.target or CPU.name)
        return Running(
            _count("threads", self.threads),
            _count("parts", self.parts),
            checked_validation(self.validate),
            _count("memory_limit", self.memory_limit),
            self.device,
            checked_stream(self.stream),
            progress=checked_progress(self.progress),
        )


_DEFAULTS = tuple(Options._field_defaults.values())


_LARGEST = {"threads": MAX_THREADS, "parts": MAX_PARTS, "memory_limit": MAX_MEMORY}
"""The options that are numbers, and how large each may be."""

OF_CALLS = (*_LARGEST, "stream", "progress")
"""The options that calls of a kernel may have in place of those of ``compile``."""


def _count(option: str, value: object) -> int | None:
    return None if value is None else checked_count(option, value, _LARGEST[option])


def out_of_call(named: dict[str, Any], operands: tuple[str, ...]) -> Any:
    """Take the container for the result out of keywords, unless it is an operand."""
    return None if "out" in operands else named.pop("out", None)


def options_of_call(named: dict[str, Any], operands: tuple[str, ...]) -> dict[str, Any]:
    """Take the options of a call out of keywords, but those that are None, and check.

    If an operand has such a name, the keyword is the operand.
    """
    if named.keys().isdisjoint(OF_CALLS):
        return {}
    asked = {
        option: named.pop(option)
        for option in OF_CALLS
        if option in named and option not in operands
    }
    running = Options(**asked).running()
    return {n: value for n in asked if (value := getattr(running, n)) is not None}
