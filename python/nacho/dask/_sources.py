"""Tensors in pieces that are made of containers of one machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from distributed import Client

from nacho._elements import ELEMENTS, READ_AS
from nacho._kernels.block_operands import plain_view
from nacho._kernels.canonical import canonical
from nacho._kernels.option_checks import checked_count
from nacho._pieces.cutting import cut
from nacho._storage.input_checks import cast_to
from nacho._storage.scalars import is_number
from nacho.dask._engine import DaskEngine, client_of
from nacho.dask._tensor import Tensor
from nacho.errors import ArgumentError

_MOST_PIECES = 1 << 20


def from_tensor(
    tensor: Any, pieces: int | None = None, *, client: Client | None = None
) -> Tensor:
    """Cut a container of this machine, and send copies of the pieces to workers.

    They go by the scheduler, which keeps them for workers that are lost. What is large
    is better read by the workers: ``read``.

    Parameters
    ----------
    tensor
        A sparse container of any library, or an array.
    pieces
        Into how many pieces with equally many entries it is cut; by default, as many as
        the cluster has threads.
    client
        The client of the cluster; by default, the current one.

    Examples
    --------
    >>> A = nacho.dask.from_tensor(A, pieces=8)  # doctest: +SKIP
    """
    engine = DaskEngine(client_of(client))
    count = checked_count("pieces", pieces, _MOST_PIECES) or engine.slots
    rank = 0 if is_number(tensor) else getattr(tensor, "ndim", 1)
    if not rank:
        raise ArgumentError("tensor: a number needs no pieces: pass it as it is")
    view = plain_view("tensor", tensor, rank)
    view = canonical("tensor", tensor, view, view, "full", None)
    read = READ_AS.get(view.values.dtype)
    if read is not None:
        values = cast_to("tensor", view.values, ELEMENTS[read])
        view = view.with_arrays(view.pos, view.crd, values)
    known, windows = cut(view, count)
    # Not later: the caller may change the container.
    handles = tuple(
        engine.put(window, at=number / count) for number, window in enumerate(windows)
    )
    return Tensor(engine.client, replace(known, handles=handles))
