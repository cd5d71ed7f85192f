"""Tensors in pieces, each on a worker of a cluster."""

from __future__ import annotations

import html
import os
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NoReturn

import numpy as np
from distributed import Client, wait

from nacho._pieces import tasks
from nacho._pieces.tensor import Pieces
from nacho._pieces.windows import Windows
from nacho._storage.formats import Format
from nacho.dask import _exports
from nacho.dask._engine import DaskEngine
from nacho.errors import ArgumentError


class Tensor:
    """A tensor whose pieces are on the workers of a cluster, and not here.

    ``from_tensor`` and ``read`` make tensors, and ``evaluate`` computes others from
    them. It returns at once: what asks a tensor for more than its text waits until the
    pieces are known.
    """

    def __init__(
        self,
        client: Client,
        make: Callable[[], Pieces] | Pieces,
        text: str = "",
        shape: tuple[int, ...] | None = None,
    ) -> None:
        self._client = client
        self._text = text
        self._given_shape = shape
        self._state: Future[Pieces] = Future()
        if isinstance(make, Pieces):
            self._state.set_result(make)
        else:
            _start(make, self._state)

    @property
    def _pieces(self) -> Pieces:
        """What is known of the pieces, and their futures."""
        return self._state.result()

    @property
    def _known_shape(self) -> tuple[int, ...] | None:
        """The shape, if nobody has to wait for it."""
        if self._given_shape is None and self._state.done():
            return None if self._state.exception() else self.shape
        return self._given_shape

    @property
    def _has_failed(self) -> bool:
        """Whether what makes the pieces has failed, or the task of any piece."""
        if not self._state.done():
            return False
        if self._state.exception():
            return True
        return any(handle.status == "error" for handle in self._pieces.handles)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._pieces.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def format(self) -> Format:
        """The format of the whole tensor."""
        return self._pieces.format_of_whole

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._pieces.dtype

    @property
    def nnz(self) -> int:
        """The number of stored entries."""
        return self._pieces.nnz

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays of the whole tensor."""
        return self._pieces.nbytes

    @property
    def npieces(self) -> int:
        """The number of pieces."""
        return self._pieces.count

    def compute(self) -> Any:
        """Bring all pieces here, and return the tensor in a container of its library.

        That is the one of the first sparse operand, as with ``nacho.evaluate``.
        """
        pieces = self._pieces
        engine = DaskEngine(self._client, self._text)
        own = [
            engine.submit(
                f"own-{number}", tasks.taken, handle, pieces.own_ranges_of(number)
            )
            for number, handle in enumerate(pieces.handles)
        ]
        return tasks.whole(pieces.known, engine.fetch(own))

    def persist(self) -> Tensor:
        """Wait until all pieces are there, and return the tensor."""
        wait(list(self._pieces.handles))
        return self

    def to_dask_array(self) -> Any:
        """Return a Dask array whose chunks are rows, in pieces where the tensor is.

        The chunks of a sparse matrix are SciPy's, and those of a dense tensor NumPy's.
        A row that a cut divides is in one chunk.
        """
        return _exports.dask_array(self._client, self._pieces)

    def write(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file for each piece, by the workers, which all see the folder.

        ``nacho.dask.read`` reads the folder, and makes the same pieces.

        Parameters
        ----------
        folder
            A folder that is empty, or is not there yet.
        overwrite
            Replaces the pieces in a folder.
        """
        place = os.fspath(folder)
        _exports.write(self._client, self._pieces, place, overwrite)

    # What follows makes a tensor one of Dask's collections.

    def __dask_graph__(self) -> dict[str, Any]:
        """Return the futures of the pieces, once the pieces are known."""
        if self._client.asynchronous and not self._state.done():
            raise RuntimeError(
                "the pieces of this tensor are not known yet, and Dask asks for them "
                "where it must not wait: call persist() before"
            )
        return {handle.key: handle for handle in self._pieces.handles}

    def __dask_keys__(self) -> list[str]:
        return [handle.key for handle in self._pieces.handles]

    def __dask_tokenize__(self) -> tuple[str, list[str]]:
        return type(self).__name__, self.__dask_keys__()

    @staticmethod
    def __dask_optimize__(graph: Any, keys: Any, **_: Any) -> Any:
        return graph

    @property
    def __dask_scheduler__(self) -> Any:
        return self._client.get

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return a function that makes a container of the pieces, and what it knows."""
        return _whole, (self._pieces.known,)

    def __dask_postpersist__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return a function that is given the futures, and returns this tensor."""
        return _itself, (self,)

    def __reduce__(self) -> NoReturn:
        raise ArgumentError(
            "a tensor in pieces is not pickled, as its pieces are on workers of its "
            "client: write() it to a folder, which nacho.dask.read reads, or pickle "
            "what compute() returns"
        )

    def _repr_html_(self) -> str:
        if not self._state.done() or self._state.exception():
            return f"<pre>{html.escape(repr(self))}</pre>"
        return _exports.described(self._client, self._pieces, self.nbytes)

    def __repr__(self) -> str:
        if not self._state.done():
            return f"<nacho.dask.Tensor {self._text!r}: not known yet>"
        if error := self._state.exception():
            return f"<nacho.dask.Tensor {self._text!r}: {type(error).__name__}>"
        pieces = self._pieces
        count = f"{pieces.count} piece" + ("s" if pieces.count != 1 else "")
        shape = "x".join(map(str, pieces.shape)) or "a number"
        return (
            f"<nacho.dask.Tensor {shape} of {pieces.dtype} in {self.format}: "
            f"{pieces.nnz} entries in {count}>"
        )


def _whole(windows: Sequence[Windows], known: Pieces) -> Any:
    """Return the container whose pieces are given."""
    own = (
        tasks.taken(each, known.own_ranges_of(number))
        for number, each in enumerate(windows)
    )
    return tasks.whole(known, list(own))


def _itself(futures: Any, tensor: Tensor, **_: Any) -> Tensor:
    """Return a tensor whose futures are these already."""
    return tensor


def _start(make: Callable[[], Pieces], future: Future[Pieces]) -> None:
    """Call a function on a thread of its own, for which no exit waits."""

    def run() -> None:
        try:
            future.set_result(make())
        except BaseException as error:
            # The frames of the error would keep the futures of tasks alive.
            traceback.clear_frames(error.__traceback__)
            future.set_exception(error)

    threading.Thread(target=run, name="nacho.dask", daemon=True).start()
