"""The options of a caller, except for options about types; they are checked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nacho._kernels.options import (
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
from nacho._notation.tree import Assignment


class Lowering(NamedTuple):
    """The options on which the code of a statement depends."""

    target: str = "cpu"
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


class Request(NamedTuple):
    """All options of a caller, checked."""

    lowering: Lowering
    running: Running


def checked_request(
    assignment: Assignment | None,
    target: str | None = None,
    cost: str = "time",
    order: Sequence[str] | str | None = None,
    remap: bool | None = None,
    threads: int | None = None,
    parts: int | None = None,
    validate: str | bool = "safe",
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    device: int | None = None,
    stream: object = None,
) -> Request:
    """Return the options of a caller for an expression; None stands for a module.

    Options with their default values are not checked, since this runs in every call.
    """
    target = "cpu" if target is None else target
    if not is_word(target, "cpu"):
        check_target(target)
    if device is not None:
        check_device(device, target)
    if not is_word(cost, "time"):
        check_cost(cost)
    if threads is not None:
        threads = checked_count("threads", threads, MAX_THREADS)
    if parts is not None:
        parts = checked_count("parts", parts, MAX_PARTS)
    if memory_limit is not None:
        memory_limit = checked_count("memory_limit", memory_limit, MAX_MEMORY)
    loops: tuple[str, ...] = ()
    sums: tuple[str, ...] | None = None
    if assignment is not None and order is not None:
        loops = checked_order(order, assignment.indices)
    if assignment is not None and not is_word(contract, "auto"):
        sums = checked_contract(contract, assignment.reduced)
    lowering = Lowering(
        target,
        cost,
        loops,
        sums,
        remap is None or checked_remap(remap),
        () if choices is None else checked_choices(choices, target),
    )
    address = checked_stream(stream)
    validation = checked_validation(validate)
    running = Running(threads, parts, validation, memory_limit, device, address)
    return Request(lowering, running)
