"""Errors of calls, with messages in terms of the expression."""

from __future__ import annotations

import os
import resource
from typing import NoReturn

from nacho._kernels.statement import Statement
from nacho._notation.promotion import fits
from nacho._notation.tree import Assignment
from nacho._storage.formats import TensorType
from nacho.errors import (
    CostOverflowError,
    DTypeError,
    IndexOverflowError,
    OutOfMemoryError,
)

INT32_COORDINATES = 1 << 31


def refuse_memory(
    assignment: Assignment, result: TensorType | None, threads: int, error: Exception
) -> NoReturn:
    """Refuse to compute what there is no memory for, and say what may need less.

    ``result`` is the type of the result, and ``threads`` is the number of threads, if
    that is known; else it is 0.
    """
    told = "" if "std::bad_alloc" in str(error) else f": {error}".rstrip(": ")
    if "memory_limit" not in told:
        told += f"{', but' if told else ':'} {_limit_of_system()}"
    ways = ["a computation in several steps"]
    if result is not None and result.format is not None and result.format.is_dense:
        ways.insert(0, "a sparse format of the result")
    if threads != 1 and "for the result" not in told:
        ways.insert(0, "fewer threads=")
    advice = " or ".join(ways)
    raise OutOfMemoryError(
        f"no memory to compute '{assignment.text}'{told}. {advice[0].upper()}"
        f"{advice[1:]} may need less"
    ) from error


def _limit_of_system() -> str:
    """Return how much memory this process may have."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        return f"the address space is limited to {limit} bytes (RLIMIT_AS)"
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"the machine has {pages * size / 1e9:.1f} GB"


def refuse_entries(
    assignment: Assignment, result: TensorType, error: Exception
) -> NoReturn:
    """Refuse a result with more entries than its ``pos`` can count."""
    name = assignment.result.name
    raise IndexOverflowError(
        f"result '{name}' has more entries than int{result.pos_width} can count: "
        f'compile with index={{"{name}": "i64"}}'
    ) from error


def refuse_cost(assignment: Assignment, error: Exception) -> NoReturn:
    """Refuse work that costs more than can be counted."""
    message = f"the work of '{assignment.text}' costs more than 2^56"
    raise CostOverflowError(message) from error


def require_extent(assignment: Assignment, index: str, extent: int) -> None:
    """Refuse coordinates that an int32 ``crd`` of the result cannot store."""
    if extent <= INT32_COORDINATES:
        return
    name = assignment.result.name
    raise IndexOverflowError(
        f"index '{index}' has extent {extent}, but the coordinates of result '{name}' "
        f'are int32: compile with index={{"{name}": "i64"}}'
    )


def require_fit(statement: Statement, name: str, value: int) -> None:
    """Refuse a Python integer that overflows in a type that the kernel casts it to."""
    for kind in statement.limits.get(name, ()):
        if not fits(value, kind):
            raise DTypeError(
                f"operand '{name}': the integer {value} is out of bounds for {kind}"
            )
