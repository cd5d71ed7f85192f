"""The values of options: each is checked, and as Nacho reads it afterwards."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from nacho._notation.tree import identifier
from nacho._targets import CPU, GPU, SIMULATED, TARGETS
from nacho.errors import ArgumentError, OptionError, UnsupportedError, displayed

COSTS = ("nnz", "nnz+loops", "flops", "time")
WRITTEN_COST = "#nacho.cost_model<"
"""What the text of a cost model begins with that is written out, not named."""
VALIDATIONS = ("safe", "full", "none")
_LOWERED_TARGETS = ("gpu",)
"""The targets of `nacho-opt` that have no runtime."""

_VECTOR_BITS = (0, 256, 512)
_TILES = (0, 32, 64, 128, 256)
_MOST_REWRITES = (1 << 31) - 1
_SANITIZERS = ("none", "address", "thread")

MAX_THREADS = 1024
MAX_PARTS = 1 << 24
MAX_MEMORY = 1 << 62


def is_word(value: object, word: str) -> bool:
    """Return whether an option has this value; it may be of any type."""
    return isinstance(value, str) and value == word


def check_mapping(option: str, value: object, of: str) -> None:
    """Refuse what should be a mapping."""
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise ArgumentError(f"{option}= is of type {kind}: expected a mapping of {of}")


def check_target(target: object) -> None:
    """Refuse a target that kernels cannot run on."""
    if isinstance(target, str) and target in _LOWERED_TARGETS:
        shown = ", ".join(TARGETS)
        raise UnsupportedError(
            f"target '{target}' is not supported (supported: {shown})"
        )
    _check_choice("target", target, tuple(TARGETS))


def check_device(device: object, target: str) -> None:
    """Refuse a number that is not that of the GPU that a target runs on."""
    if target == CPU.name:
        raise ArgumentError(
            f"device= is the number of a GPU: pass target='{GPU.name}', too"
        )
    if isinstance(device, bool) or not isinstance(device, int) or device:
        raise UnsupportedError(
            f"device={displayed(device)}: kernels run on the first GPU, device=0"
        )


def checked_stream(stream: object) -> int | None:
    """Return the address of a stream of CUDA, which may be one of PyTorch or CuPy."""
    if stream is None:
        return None
    for name in ("cuda_stream", "ptr"):
        stream = getattr(stream, name, stream)
    if isinstance(stream, bool) or not isinstance(stream, int) or stream < 0:
        raise ArgumentError(
            f"stream={displayed(stream)}: expected the address of a stream of CUDA, or "
            "a stream of PyTorch or CuPy"
        )
    return stream


CHIPS = tuple(f"sm_{number}" for number in (75, 80, 86, 87, 89, 90, 100, 101, 103, 120))
"""The GPUs that PTX can be for."""


def check_chip(chip: object) -> None:
    """Refuse a GPU that is none."""
    _check_choice("chip", chip, CHIPS)


def check_cost(cost: object) -> None:
    """Refuse an unknown name of a cost model.

    Models that are written out are the compiler's to read.
    """
    if isinstance(cost, str) and cost.startswith(WRITTEN_COST):
        return
    _check_choice("cost", cost, COSTS)


def checked_validation(validate: object) -> str:
    """Return how operands are checked; True and False mean "safe" and "none"."""
    if is_word(validate, "safe") or validate is True:
        return "safe"
    if validate is False:
        return "none"
    return _check_choice("validate", validate, VALIDATIONS)


def checked_remap(remap: object) -> bool:
    """Return whether outer intersections are done first (remapping); None means yes."""
    if remap is not None and not isinstance(remap, bool):
        raise OptionError(f"remap={displayed(remap)}: expected True, False or None")
    return remap is not False


def checked_order(
    order: Sequence[str] | str, indices: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the order of the loops over all indices, outermost first.

    Indices that are left out come last, in the order of the expression. "ji" is read
    letter by letter if each is an index.
    """
    given = order.split(",") if isinstance(order, str) else order
    if isinstance(order, str) and len(given) == 1 and order not in indices:
        given = list(order) if set(order) <= set(indices) else given
    try:
        names = tuple(identifier(str(name).strip()) for name in given)
    except TypeError:
        names = ()
    if not names or not set(names) <= set(indices) or len(set(names)) != len(names):
        shown = ", ".join(indices)
        raise OptionError(f"order={displayed(order)}: expected the indices ({shown})")
    return (*names, *(index for index in indices if index not in names))


def checked_contract(
    contract: Sequence[str] | str, reduced: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return the indices that are summed on their own, in order; None: Nacho chooses.

    With "none", there are no such indices.
    """
    if is_word(contract, "auto"):
        return None
    if is_word(contract, "none"):
        return ()
    given = contract.split(",") if isinstance(contract, str) else contract
    try:
        names = tuple(identifier(str(name).strip()) for name in given)
    except TypeError:
        names = ()
    if not names or not set(names) <= set(reduced) or len(set(names)) != len(names):
        shown = ", ".join(reduced)
        raise OptionError(
            f"contract={displayed(contract)}: expected 'auto', 'none', or indices that "
            f"are summed over ({shown})"
        )
    return names


def checked_count(option: str, value: object, largest: int) -> int | None:
    """Return a number, as of threads, as a Python integer; None is allowed.

    A float that is an integer, as 1e9 is, is that integer.
    """
    if value is None:
        return None
    allowed = f"expected an integer from 1 to {largest}, or None"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError as error:
        kind = type(value).__name__
        raise ArgumentError(f"{option}= is of type {kind}: {allowed}") from error
    if isinstance(value, bool) or not 1 <= count <= largest:
        raise OptionError(f"{option}={displayed(value)}: {allowed}")
    return count


SHARED_CHOICES: dict[str, type] = {
    "tile": int,
    "warps": bool,
    "vector-bits": int,
    "wide-keys": bool,
    "gathers": bool,
    "rewrites": int,
    "count-steps": bool,
    "count-accesses": bool,
    "sanitizer": str,
}
"""The choices that all variants of a kernel share, and the types of their values."""

_SHOWN_TYPES = {bool: "True or False", int: "an integer", str: "a string"}


def checked_choices(
    choices: Mapping[str, object], target: str = SIMULATED.name
) -> tuple[tuple[str, object], ...]:
    """Return choices that the caller makes, which Nacho would make otherwise."""
    from nacho._nacho import CHOICES

    check_mapping("choices", choices, "choices to their values")
    types = {**dict.fromkeys(CHOICES, bool), **SHARED_CHOICES}
    for name, value in choices.items():
        if name not in types:
            known = ", ".join(f"'{name}'" for name in types)
            raise OptionError(f"choices={displayed(name)}: expected {known}")
        if type(value) is not types[name]:
            wanted = _SHOWN_TYPES[types[name]]
            raise OptionError(
                f"choices={{{displayed(name)}: {displayed(value)}}}: expected {wanted}"
            )
    for name, allowed in (("vector-bits", _VECTOR_BITS), ("tile", _TILES)):
        if choices.get(name, 0) not in allowed:
            *most, last = map(str, allowed)
            shown = f"expected {', '.join(most)} or {last}"
            raise OptionError(f"choices={{'{name}': {choices[name]}}}: {shown}")
    rewrites = choices.get("rewrites", 1)
    if not (isinstance(rewrites, int) and 0 < rewrites <= _MOST_REWRITES):
        limits = f"expected 1 to {_MOST_REWRITES}"
        raise OptionError(f"choices={{'rewrites': {rewrites}}}: {limits}")
    _check_choice("sanitizer", choices.get("sanitizer", "none"), _SANITIZERS)
    if choices.get("count-accesses") and not TARGETS[target].counts:
        raise OptionError(
            f"choices={{'count-accesses': True}}: target={target!r} cannot count, "
            f"only target='{SIMULATED.name}' can"
        )
    return tuple(sorted(choices.items()))


def _check_choice(option: str, value: object, allowed: tuple[str, ...]) -> str:
    names = ", ".join(f"'{name}'" for name in allowed)
    if not isinstance(value, str):
        kind = type(value).__name__
        raise ArgumentError(f"{option}= is of type {kind}: expected {names}")
    if value not in allowed:
        raise OptionError(f"{option}={value!r}: expected {names}")
    return value


def choices_of_variant(choices: Mapping[str, object] | None) -> dict[str, Any]:
    """Return choices between variants, without those that all variants share."""
    if choices is None:
        return {}
    check_mapping("choices", choices, "choices to their values")
    for name in SHARED_CHOICES:
        if name in choices:
            raise OptionError(f"choices={name!r}: all variants of a kernel share it")
    return dict(checked_choices(choices))
