"""Tensors in pieces that are made of Dask's arrays, or of blocks of rows.

Blocks stay where they are computed. Those of NumPy's arrays become pieces of a dense
tensor, and the entries of others are sorted if they are not in order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, Future
from numpy.typing import DTypeLike, NDArray

from nacho._arrays.arrays import asarray
from nacho._elements import DType, element_name
from nacho._kernels.option_checks import checked_count
from nacho._kernels.program import Layout, Level
from nacho._pieces.assembling import assemble, require_assembled
from nacho._pieces.engine import drained
from nacho._pieces.entries import Entries, together
from nacho._pieces.groups import neighbours
from nacho._pieces.sorting import sort
from nacho._pieces.tensor import Pieces
from nacho._pieces.windows import Windows
from nacho._storage.containers import view_of
from nacho._storage.formats import Format
from nacho._storage.views import NACHO, NUMPY, Array
from nacho.dask._engine import DaskEngine, client_of, renewed
from nacho.dask._tensor import Tensor
from nacho.errors import ArgumentError, DTypeError, OptionError, ShapeError

_MOST_PIECES = 1 << 20
_MATRIX = 2

Grid = NDArray[np.object_]
"""An object for each block, in an array with the dimensions of the tensor."""


class _Block(NamedTuple):
    """What the client knows of a block."""

    shape: tuple[int, ...]
    dtype: DType
    library: str
    nbytes: int


class _Options(NamedTuple):
    """What is asked for of a tensor."""

    format: Format | None
    shape: tuple[int | None, ...] | None
    dtype: DType | None
    pieces: int | None


def from_array(
    array: Any,
    format: str | Format | None = None,
    *,
    pieces: int | None = None,
    client: Client | None = None,
) -> Tensor:
    """Make a tensor in pieces of a Dask array, whose chunks stay on the workers.

    Parameters
    ----------
    array
        A Dask array, whose chunks are SciPy's sparse arrays, NumPy's arrays, or those
        of PyData's ``sparse``, in a row or in a grid.
    format
        The format of the tensor, in which the last level is not dense; by default, csr
        for sparse matrices, coo for other sparse tensors, and dense for NumPy's chunks.
    pieces
        The number of pieces of a sparse tensor; by default, each chunk is one, if their
        entries are in order, and there are as many as threads if not. Where there are
        many chunks, those of less than a megabyte are joined with their neighbours.
    client
        The client of the cluster; by default, the current one.

    Examples
    --------
    >>> import dask.array
    >>> x = dask.array.ones((9, 9), chunks=3)
    >>> A = nacho.dask.from_array(x)
    """
    chosen = client_of(client)
    if not hasattr(array, "to_delayed") or not hasattr(array, "chunks"):
        kind = type(array).__name__
        raise ArgumentError(
            f"array: expected a Dask array, not {kind}: from_tensor "
            "takes containers of this machine"
        )
    if not array.ndim:
        raise ArgumentError("array: expected a dimension or more")
    options = _options(format, None, None, pieces)
    delayed = array.to_delayed()
    grid = _futures(chosen, delayed.ravel().tolist()).reshape(delayed.shape)
    text = f"Dask array of {array.npartitions} chunks"
    return _tensor(chosen, grid, options._replace(shape=_known(array.shape)), text)


def from_delayed(
    values: Sequence[Any],
    shape: Sequence[int | None] | None = None,
    dtype: DTypeLike | None = None,
    *,
    format: str | Format | None = None,
    pieces: int | None = None,
    client: Client | None = None,
) -> Tensor:
    """Make a tensor in pieces of blocks of rows, which workers compute.

    Parameters
    ----------
    values
        Delayed objects or futures, one for each block of rows: containers as those that
        ``from_array`` takes as chunks.
    shape
        The extents of the whole tensor, which is an error if the blocks have others;
        None stands for any.
    dtype
        The type of the values. By default, one that holds those of all blocks.
    format, pieces, client
        As for ``from_array``.

    Examples
    --------
    >>> import dask
    >>> blocks = [dask.delayed(nacho.read)(name) for name in ["nell-2.tns"]]
    >>> A = nacho.dask.from_delayed(blocks, (None, None))
    """
    chosen = client_of(client)
    given = list(values)
    for value in given:
        if not isinstance(value, Future) and not hasattr(value, "__dask_graph__"):
            kind = type(value).__name__
            raise ArgumentError(f"values: expected delayed objects, not {kind}")
    if not given:
        raise ArgumentError("values: expected one block or more")
    options = _options(format, shape, dtype, pieces)
    text = f"{len(given)} delayed blocks"
    return _tensor(chosen, _futures(chosen, given), options, text)


def _options(
    format: str | Format | None,
    shape: Sequence[int | None] | None,
    dtype: DTypeLike | None,
    pieces: int | None,
) -> _Options:
    return _Options(
        None if format is None else Format(format),
        None if shape is None else tuple(shape),
        None if dtype is None else np.dtype(dtype),
        checked_count("pieces", pieces, _MOST_PIECES),
    )


def _futures(client: Client, delayed: Sequence[Any]) -> Grid:
    """Return futures of delayed objects, in an array of one dimension."""
    grid = np.empty(len(delayed), object)
    grid[:] = client.compute(list(delayed))
    return grid


def _tensor(client: Client, grid: Grid, options: _Options, text: str) -> Tensor:
    engine = DaskEngine(client)

    def make() -> Pieces:
        return _pieces(engine, grid, options)

    return Tensor(client, make, text, _known(options.shape))


def _known(shape: Sequence[Any] | None) -> tuple[int, ...] | None:
    """Return a shape, unless an extent is not known."""
    is_known = shape and all(isinstance(extent, Integral) for extent in shape)
    return tuple(map(int, shape)) if shape and is_known else None


def _pieces(engine: DaskEngine, grid: Grid, options: _Options) -> Pieces:
    """Return the pieces of blocks, once these are computed."""
    blocks = _facts_of(engine, grid.ravel().tolist())
    rank = len(blocks[0].shape)
    grid = grid.reshape(*grid.shape, *(1,) * (rank - grid.ndim))
    known = np.empty(len(blocks), object)
    known[:] = [None, *blocks][1:]
    offsets = _offsets(known.reshape(grid.shape))
    shape = tuple(each[-1] for each in offsets)
    _require_shape(shape, options.shape)
    dtype = _type_of(blocks, options)
    library = next((each.library for each in blocks if each.library != NUMPY), NUMPY)
    if library == NUMPY and (options.format is None or options.format.is_dense):
        if options.pieces is not None:
            raise OptionError("pieces: each block of dense rows is a piece")
        return _dense(engine, grid, offsets, dtype)
    default = Format("csr" if rank == _MATRIX else "coo")
    format = (options.format or default).for_rank(rank)
    require_assembled(format)
    placed = list(np.ndenumerate(grid))
    sizes = [block.nbytes for block in blocks]
    entries = [
        engine.submit(
            f"entries-{n}",
            _entries_of,
            [block for _, block in placed[begin:end]],
            [_origin(offsets, place) for place, _ in placed[begin:end]],
            dtype,
        )
        for n, (begin, end) in enumerate(neighbours(sizes, engine.slots))
    ]
    lists = sort(engine, drained(entries), format.order, dtype, options.pieces)
    library = NACHO if library == NUMPY else library
    return assemble(engine, lists, shape, format, dtype, library)


def _facts_of(engine: DaskEngine, futures: list[Future]) -> list[_Block]:
    """Return what is known of blocks; an error says of which one, and where."""
    asked = [
        engine.submit(f"block-{number}", _block_of, each)
        for number, each in enumerate(futures)
    ]
    try:
        blocks: list[_Block] = engine.fetch(asked)
    except Exception as error:
        places = enumerate(engine.failed(futures))
        failed = [f"in block {n} on {place}" for n, place in places if place]
        raise renewed(error, *failed[:1]) from None
    return blocks


def _type_of(blocks: Sequence[_Block], options: _Options) -> DType:
    """Return the type of the values, by default one that holds those of all blocks."""
    dtype = options.dtype or np.result_type(*(block.dtype for block in blocks))
    if element_name(dtype) is None:
        raise DTypeError(f"values of {dtype} are not supported: dtype= is another type")
    return dtype


def _block_of(block: Any) -> _Block:
    shape = tuple(getattr(block, "shape", ()))
    view = view_of("block", block, len(shape))
    library = NUMPY if view.format.is_dense else view.library
    arrays = (view.values, *view.index_arrays)
    nbytes = sum(array.size * array.dtype.itemsize for array in arrays)
    return _Block(shape, view.values.dtype, library, nbytes)


def _entries_of(
    blocks: Sequence[Any], origins: Sequence[Sequence[int]], dtype: DType
) -> Entries:
    """Return the entries of blocks, with coordinates in the whole tensor."""
    return together([*map(_entries_of_one, blocks, origins)], dtype)


def _entries_of_one(block: Any, origin: Sequence[int]) -> Entries:
    tensor = asarray(block)
    tensor = tensor.convert("coo") if tensor.format.is_dense else tensor
    pairs = zip(tensor.coords, origin, strict=True)
    columns = tuple(column.astype(np.int64) + begin for column, begin in pairs)
    return Entries(columns, tensor.values)


def _origin(offsets: Sequence[Sequence[int]], place: Sequence[int]) -> tuple[int, ...]:
    return tuple(each[n] for each, n in zip(offsets, place, strict=True))


def _offsets(blocks: Grid) -> list[list[int]]:
    """Return where blocks begin in each dimension, and where the last ends."""
    rank = blocks.ndim
    offsets: list[list[int]] = []
    for dimension in range(rank):
        line: list[Any] = [0] * rank
        line[dimension] = slice(None)
        sizes = [_extent(block, dimension) for block in blocks[tuple(line)]]
        offsets.append([0, *np.cumsum(sizes).tolist()])
    for place, block in np.ndenumerate(blocks):
        wanted = tuple(
            each[n + 1] - each[n] for each, n in zip(offsets, place, strict=True)
        )
        if block.shape != wanted:
            number = place[0] if blocks.size == len(blocks) else place
            raise ShapeError(
                f"block {number} has the shape {block.shape}, but its neighbours "
                f"{wanted}"
            )
    return offsets


def _extent(block: _Block, dimension: int) -> int:
    return block.shape[dimension] if dimension < len(block.shape) else 0


def _require_shape(
    shape: tuple[int, ...], wanted: tuple[int | None, ...] | None
) -> None:
    if wanted is None:
        return
    pairs = zip(wanted, shape, strict=False)
    differs = any(each is not None and each != extent for each, extent in pairs)
    if differs or len(wanted) != len(shape):
        raise ShapeError(f"the blocks have together the shape {shape}, not {wanted}")


# --- Dense tensors --------------------------------------------------------------------


def _dense(
    engine: DaskEngine, grid: Grid, offsets: Sequence[Sequence[int]], dtype: DType
) -> Pieces:
    """Return the pieces of a dense tensor: each is a row of blocks that has elements.

    Small ones are joined. As every piece, it has an element more than its own, here the
    row that follows.
    """
    shape = tuple(each[-1] for each in offsets)
    strides = [math.prod(shape[1 : n + 1]) for n in range(len(shape))]
    rows = np.array(offsets[0], np.int64)
    kept = np.flatnonzero(np.diff(rows)) if shape[0] else np.zeros(1, np.int64)
    grid, rows = grid[kept], np.append(rows[kept], shape[0])
    sizes = (np.diff(rows) * math.prod(shape[1:]) * dtype.itemsize).tolist()
    ranges = neighbours(sizes, engine.slots)
    rows = np.append(rows[[begin for begin, _ in ranges]], shape[0])
    coordinates = np.zeros((len(rows), len(shape)), np.int64)
    coordinates[:, 0] = rows
    positions = np.outer(rows, np.array(strides, np.int64))
    begins = positions[:-1, -1].tolist()
    handles = []
    for n, (begin, (first, last)) in enumerate(zip(begins, ranges, strict=True)):
        given = grid[first:last].ravel().tolist()
        behind = grid[last : last + 1]
        edge = [
            engine.submit(f"row-{n + 1}", _first_row, each)
            for each in behind.ravel().tolist()
        ]
        blocks = (last - first + len(behind), *grid.shape[1:])
        task = (_dense_window, begin, dtype, blocks, given + edge)
        handles.append(engine.submit(f"piece-{n}", *task))
    return Pieces(
        Format("dense").for_rank(len(shape)),
        shape,
        Layout((Level(True, ()),) * len(shape), dtype.name),
        tuple(positions[-1].tolist()),
        coordinates,
        positions,
        tuple(handles),
        NUMPY,
    )


def _first_row(block: Any) -> Array:
    return np.asarray(block)[:1]


def _dense_window(
    begin: int, dtype: DType, shape: tuple[int, ...], blocks: Sequence[Any]
) -> Windows:
    """Return the elements of a grid of blocks."""
    grid = np.empty(len(blocks), object)
    for number, block in enumerate(blocks):
        grid[number] = np.asarray(block)
    nested = grid.reshape(shape).tolist()
    whole = np.block(nested).astype(dtype, copy=False)
    return Windows((begin,), (np.ascontiguousarray(whole).reshape(-1),))
