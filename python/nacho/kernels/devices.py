"""Devices: where the operands of a call are, and where its result will be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

from nacho.errors import DeviceError
from nacho.storage.device_arrays import HOST
from nacho.storage.operands import Notes
from nacho.storage.views import NACHO, TORCH, View

_COPYING = frozenset({HOST, "cuda-sim"})
"""The targets that take operands of the host unasked."""


def target_for(views: Iterable[View]) -> str:
    """Return the target that uses the operands in place: that of the first device."""
    return next((view.device for view in views if view.device != HOST), HOST)


def result_device(
    views: Mapping[str, View], target: str, device: int | None, notes: Notes | None
) -> str:
    """Return where the result is: on the device of any operand, else on the host.

    Operands that kernels of the target cannot use are refused. Those of the host are
    copied if the target does that unasked, or with ``device=0``.
    """
    if target == HOST and all(view.device == HOST for view in views.values()):
        return HOST
    found = HOST
    for name, view in views.items():
        if view.device == target:
            found = target
        elif view.device != HOST:
            _refuse_other(name, view, target)
        elif device is None and target not in _COPYING:
            _refuse_host(name, target)
        elif notes is not None:
            notes.append(f"{name}: copied to the memory of '{target}'")
    return found


def _refuse_other(name: str, view: View, target: str) -> NoReturn:
    is_movable = view.library == NACHO or (view.library == TORCH and target == HOST)
    move = f"move it with {name}.to('{target}'), or use " if is_movable else "use "
    raise DeviceError(
        f"operand '{name}' is in the memory of '{view.device}', but the target is "
        f"'{target}': {move}target='{view.device}'"
    )


def _refuse_host(name: str, target: str) -> NoReturn:
    raise DeviceError(
        f"operand '{name}' is in the memory of the host, but the target is '{target}': "
        f"pass device=0 to have it copied to the first GPU, or copy it once, as "
        f"nacho.Tensor.to('{target}') does"
    )
