"""Tensors in pieces as Dask's arrays, as files in a folder, and as HTML."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import dask.array
import numpy as np
from dask import delayed
from distributed import Client, wait

from nacho._arrays import html
from nacho._pictures.bars import Bars
from nacho._pieces import folders, rows
from nacho._pieces.assembling import converted
from nacho._pieces.tensor import Pieces
from nacho._storage.formats import Format
from nacho.dask._engine import DaskEngine
from nacho.errors import UnsupportedError

_MATRIX = 2


def dask_array(client: Client, pieces: Pieces) -> Any:
    """Return a Dask array whose chunks are rows."""
    engine = DaskEngine(client)
    shape, format = pieces.shape, pieces.format
    if not shape:
        handle = rows.dense_rows(engine, pieces, 0, 1)
        return dask.array.from_delayed(delayed(handle), (), dtype=pieces.dtype)
    if format.is_dense and not format.is_row_major:
        raise UnsupportedError(f"to_dask_array: the order of '{format}' is not by rows")
    if not format.is_dense and len(shape) != _MATRIX:
        raise UnsupportedError(
            f"to_dask_array: SciPy's chunks are matrices, and this is a sparse tensor "
            f"of {len(shape)} dimensions"
        )
    if format.is_dense:
        make, meta = rows.dense_rows, np.empty((0,) * len(shape), pieces.dtype)
    else:
        import scipy.sparse

        make = rows.matrix_rows
        meta = scipy.sparse.csr_array((0, 0), dtype=pieces.dtype)
        if format != Format("csr"):
            pieces = converted(engine, pieces, Format("csr"))
    bounds = rows.bounds_of(pieces)
    chunks: list[Any] = []
    for begin, end in pairwise(bounds):
        handle = delayed(make(engine, pieces, begin, end))
        extents = (end - begin, *shape[1:])
        chunks.append(dask.array.from_delayed(handle, extents, meta=meta))
    return dask.array.concatenate(chunks) if len(chunks) > 1 else chunks[0]


def write(client: Client, pieces: Pieces, folder: str, overwrite: bool) -> None:
    """Write a file for each piece, then an index."""
    engine = DaskEngine(client)
    # All pieces are there before any file is replaced: they may come from these.
    wait(list(pieces.handles))
    engine.fetch([each for each in pieces.handles if each.status == "error"])
    engine.fetch([engine.submit("prepare", folders.prepare, folder, overwrite)])
    own = [pieces.own_ranges_of(number) for number in range(pieces.count)]
    written = [
        engine.submit(f"write-{number}", folders.write_piece, folder, number, *each)
        for number, each in enumerate(zip(pieces.handles, own, strict=True))
    ]
    index = engine.submit(
        "write-index", folders.write_index, folder, pieces.known, written
    )
    engine.fetch([index])


def described(client: Client, pieces: Pieces, nbytes: int) -> str:
    """Return a table that describes a tensor, its workers, and a bar for each piece."""
    ranges = [pieces.own_ranges_of(piece)[-1] for piece in range(pieces.count)]
    sizes = [end - begin for begin, end in ranges]
    has = client.who_has(list(pieces.handles))
    entries: Counter[str] = Counter()
    held: dict[str, list[int]] = {}
    for number, handle in enumerate(pieces.handles):
        workers = has.get(handle.key, ()) or ("not computed yet",)
        for worker in workers:
            held.setdefault(worker, []).append(number)
            entries[worker] += sizes[number]
    table = {
        "nacho.dask.Tensor": "x".join(map(str, pieces.shape)) or "a number",
        "format": str(pieces.format_of_whole),
        "type": str(pieces.dtype),
        "entries": f"{pieces.nnz}",
        "memory": f"{nbytes} bytes in {pieces.count} pieces",
    }
    for worker, numbers in sorted(held.items()):
        names = ", ".join(map(str, numbers))
        table[worker] = f"{entries[worker]} entries in the pieces {names}"
    bars = Bars.of("entries of pieces", "piece", "entries", sizes)
    return html.table(table) + bars.svg()
