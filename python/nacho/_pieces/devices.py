"""The kernels of devices, which count and compute parts that the processor has cut."""

from __future__ import annotations

import pickle
from collections.abc import Mapping

from nacho._kernels.program import Step
from nacho._kernels.specialisation import Specialisation

_ALONE = {"tile": 0}
"""Choices with which parts are counted alone: those of a tile are cut meanwhile."""


def chooser_of(made: Specialisation, target: str) -> bytes:
    """Return what a worker needs to choose a variant for a target."""
    lowering = made.lowering.on(target)
    return pickle.dumps((made.source, made.statement.typing, lowering))


def kernel_of(made: Specialisation, target: str, choices: Mapping[str, bool]) -> bytes:
    """Return the kernel of a target for parts that run alone."""
    known = dict(made.lowering.choices) | _ALONE
    lowering = made.lowering.on(target)._replace(choices=tuple(sorted(known.items())))
    return pickle.dumps((made.source, made.statement.typing, lowering, choices))


def why_not_alone(step: Step, target: str, *, is_asked: bool) -> str:
    """Say why the parts of a step do not run alone on a target, if they do not.

    Where sums depend on the cuts, these have to be those of one machine, which Nacho
    finds there unless the caller has asked for a number of parts.
    """
    if step.has_fixed_parts:
        return f"the target '{target}' may sort what is added to the result"
    if step.has_sums and step.has_tables and not is_asked:
        return f"tables decide how many parts the target '{target}' has"
    return ""
