"""Devices: where the operands of a call are, and where its result will be."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from nacho._storage.device_arrays import HOST, DeviceArray, refuse_late
from nacho._storage.memory import Notes
from nacho._storage.views import CUPY, NACHO, TORCH, View
from nacho._targets import TARGETS
from nacho.errors import DeviceError


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
        elif device is None and not TARGETS[target].copies:
            _refuse_host(name, target)
        elif notes is not None:
            notes.append(f"{name}: copied to the memory of '{target}'")
    return found


# --- Streams --------------------------------------------------------------------------


@contextmanager
def on_stream(
    views: Mapping[str, View], target: str, stream: int | None
) -> Iterator[None]:
    """Have everything done in the order of a stream: the given one, or that of views.

    What other streams have made of the operands is waited for.
    """
    from nacho import _nacho

    arrays = [array for view in views.values() for array in _on_device(view)]
    chosen = _current(views.values(), arrays) if stream is None else stream
    before = _nacho.set_stream(chosen)
    try:
        for made_on in {array.native.stream for array in arrays} - {None, chosen}:
            _nacho.synchronize(target, made_on or 0)
        yield
    except _nacho.DeviceError as error:
        raise DeviceError(str(error)) from error
    except _nacho.LateError as error:
        refuse_late(error)
    finally:
        _nacho.set_stream(before)


def _on_device(view: View) -> list[DeviceArray]:
    arrays: list[Any] = [*view.pos, *view.crd, view.values]
    return [array for array in arrays if isinstance(array, DeviceArray)]


def _current(views: Iterable[View], arrays: Iterable[DeviceArray]) -> int:
    """Return the current stream of the library of the first operand on a device.

    Results of Nacho that belong to no library stay on their stream.
    """
    for view in views:
        if view.device == HOST:
            continue
        if view.library == TORCH:
            return int(sys.modules["torch"].cuda.current_stream().cuda_stream)
        if view.library == CUPY:
            return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return next((array.native.stream or 0 for array in arrays), 0)


# --- What is refused ------------------------------------------------------------------


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
