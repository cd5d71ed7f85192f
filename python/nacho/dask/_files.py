"""Tensors in pieces that workers read from files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from distributed import Client
from numpy.typing import DTypeLike

from nacho._elements import DType, element_name
from nacho._files import Name, ranges
from nacho._files.ranges import Found, Head
from nacho._kernels.option_checks import checked_count
from nacho._pieces import folders
from nacho._pieces.assembling import (
    assemble,
    converted,
    require_assembled,
    with_neighbours,
)
from nacho._pieces.engine import drained
from nacho._pieces.entries import Entries, together
from nacho._pieces.groups import neighbours
from nacho._pieces.sorting import sort
from nacho._pieces.tensor import Pieces
from nacho._storage.formats import Format
from nacho._storage.input_checks import checked_shape
from nacho._storage.views import INT64, NACHO
from nacho.dask._engine import DaskEngine, client_of
from nacho.dask._tensor import Tensor
from nacho.errors import DTypeError, FileError, OptionError, ShapeError

_MOST_PIECES = 1 << 20
_LARGEST_BLOCK = 1 << 60
_SMALLEST_BLOCK, _DEFAULT_BLOCK = 1 << 20, 12 << 20
"""Files with fewer bytes than the first are read by one task, and tasks read no more
bytes than the second, unless other blocks are asked for."""
_MATRIX = 2


class _Facts(NamedTuple):
    """What the client knows of entries that a worker has read."""

    rank: int
    size: int
    largest: tuple[int, ...]
    smallest: tuple[int, ...]
    dtype: DType
    shape: tuple[int, ...] | None
    lines: int | None


class _Options(NamedTuple):
    """What is asked for of a tensor in files."""

    format: Format | None
    shape: tuple[int, ...] | None
    dtype: DType | None
    pieces: int | None
    blocksize: int | None


def read(
    paths: Name | Iterable[Name],
    format: str | Format | None = None,
    *,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    pieces: int | None = None,
    blocksize: int | None = None,
    client: Client | None = None,
) -> Tensor:
    """Read a tensor on the workers of a cluster, from files that all of them see.

    Each file has some of the entries, in any order, with coordinates in the whole
    tensor. Workers sort them together, and sum what has the same coordinates.

    Parameters
    ----------
    paths
        A path, a pattern such as ``"part-*.tns"``, or several of these: files that
        ``nacho.read`` reads; or a folder that ``Tensor.write`` wrote.
    format
        The format of the tensor, in which the last level is not dense; by default, csr
        for matrices and coo for others, and for a folder that in which it was written.
    shape
        The extents, if no file has them; by default, the smallest that hold entries.
    dtype
        The type of the values. By default, one that holds those of all files.
    pieces
        The number of pieces; by default, as many as blocks are read if these are in
        order, and else so many that each has 12 megabytes at most. Where there are many
        blocks, those of less than a megabyte are joined with their neighbours.
    blocksize
        How many bytes of a file in ``.tns``, ``.mtx``, ``.npz`` or ``.bsp.h5`` a task
        reads; by default, 12 megabytes at most.
    client
        The client of the cluster; by default, the current one.

    Examples
    --------
    >>> A = nacho.dask.read("nell-*.tns")  # doctest: +SKIP
    """
    engine = DaskEngine(client_of(client))
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    names = [os.fspath(each) for each in given]
    options = _Options(
        None if format is None else Format(format),
        None if shape is None else checked_shape(shape),
        None if dtype is None else np.dtype(dtype),
        checked_count("pieces", pieces, _MOST_PIECES),
        checked_count("blocksize", blocksize, _LARGEST_BLOCK),
    )

    def make() -> Pieces:
        (found,) = engine.fetch([engine.submit("find", _found, names)])
        if isinstance(found, str):
            return _folder(engine, found, options)
        return _files(engine, found, options)

    text = names[0] if len(names) == 1 else f"{len(names)} paths"
    return Tensor(engine.client, make, text, options.shape)


def _found(names: Sequence[str]) -> list[str] | str:
    """Return the files that are named, or the folder."""
    files: list[str] = []
    for name in names:
        if glob.has_magic(name) and not os.path.exists(name):
            files += sorted(glob.glob(name))
        else:
            files.append(name)
    if not files:
        raise FileError(f"there is no file {', '.join(map(repr, names))}")
    is_folder = [Path(name).is_dir() for name in files]
    if len(files) == 1 and is_folder[0]:
        return files[0]
    if any(is_folder):
        name = files[is_folder.index(True)]
        raise FileError(f"'{name}' is a folder, which is read alone")
    return files


# --- Folders --------------------------------------------------------------------------


def _folder(engine: DaskEngine, folder: str, options: _Options) -> Pieces:
    for name in ("shape", "dtype", "pieces", "blocksize"):
        if getattr(options, name) is not None:
            raise OptionError(f"{name}: the folder '{folder}' says what is in it")
    index = engine.submit("read-index", folders.read_index, folder)
    (known,) = engine.fetch([index])
    own = [
        engine.submit(
            f"read-{piece}",
            folders.read_piece,
            folder,
            index,
            piece,
            at=piece / known.count,
        )
        for piece in range(known.count)
    ]
    pieces = with_neighbours(engine, known, own)
    if options.format is None:
        return pieces
    format = options.format.for_rank(len(pieces.shape))
    return pieces if format == pieces.format else converted(engine, pieces, format)


# --- Files ----------------------------------------------------------------------------


def _files(engine: DaskEngine, names: Sequence[str], options: _Options) -> Pieces:
    heads: list[Head] = engine.fetch(
        [engine.submit("head", ranges.head_of, name) for name in names]
    )
    blocks = _blocks(heads, options.blocksize, options.pieces or engine.slots)
    read = [
        engine.submit(
            "read",
            ranges.read_range,
            *block,
            options.dtype,
            options.shape,
            at=number / len(blocks),
        )
        for number, block in enumerate(blocks)
    ]
    facts: list[_Facts] = engine.fetch(
        [engine.submit("facts", _facts_of, each) for each in read]
    )
    owners = [head.path for head, _, _ in blocks]
    _require_all_lines(heads, owners, facts)
    shape = _shape_of(owners, facts, options.shape)
    dtype = options.dtype or _type_of(facts)
    if element_name(dtype) is None:
        raise DTypeError(f"values of {dtype} are not supported: dtype= is another type")
    default = Format("csr" if len(shape) == _MATRIX else "coo")
    format = (options.format or default).for_rank(len(shape))
    require_assembled(format)
    sizes = [
        each.size * (len(shape) * INT64.itemsize + each.dtype.itemsize)
        for each in facts
    ]
    joined = neighbours(sizes, engine.slots if options.blocksize is None else len(read))
    entries = (
        engine.submit("entries", _entries_of, [*each], len(shape), dtype)
        for each in drained([read[slice(*numbers)] for numbers in joined])
    )
    del read
    lists = sort(engine, entries, format.order, dtype, options.pieces)
    return assemble(engine, lists, shape, format, dtype, NACHO)


def _blocks(
    heads: Sequence[Head], size: int | None, count: int
) -> list[tuple[Head, int, int]]:
    """Return the ranges of files that tasks read, at least one of each file."""
    total = sum(
        (head.end - head.begin) * head.width for head in heads if head.is_divisible
    )
    each = size or min(max(-(-total // count), _SMALLEST_BLOCK), _DEFAULT_BLOCK)
    blocks: list[tuple[Head, int, int]] = []
    for head in heads:
        step = max(each // head.width, 1)
        begins = list(range(head.begin, head.end, step)) if head.is_divisible else []
        begins = begins or [head.begin]
        ends = [*begins[1:], max(head.end, head.begin)]
        blocks += [(head, *pair) for pair in zip(begins, ends, strict=True)]
    return blocks


def _facts_of(found: Found) -> _Facts:
    coords, count = found.coords, found.values.size
    largest = tuple(int(each) for each in coords.max(axis=1)) if count else ()
    smallest = tuple(int(each) for each in coords.min(axis=1)) if count else ()
    bounds = (len(coords), count, largest, smallest)
    return _Facts(*bounds, found.values.dtype, found.shape, found.lines)


def _entries_of(found: Sequence[Found], rank: int, dtype: DType) -> Entries:
    return together([_entries_of_one(each, rank) for each in found], dtype)


def _entries_of_one(found: Found, rank: int) -> Entries:
    if not found.values.size:
        return Entries((np.empty(0, np.int32),) * rank, found.values)
    return Entries(tuple(found.coords), found.values)


def _require_all_lines(
    heads: Sequence[Head], owners: Sequence[str], facts: Sequence[_Facts]
) -> None:
    for head in heads:
        pairs = zip(owners, facts, strict=True)
        lines = sum(each.lines or 0 for owner, each in pairs if owner == head.path)
        if head.lines is not None and lines != head.lines:
            raise FileError(
                f"'{head.path}' has {lines} entries, but says that it has {head.lines}"
            )


def _shape_of(
    owners: Sequence[str], facts: Sequence[_Facts], given: tuple[int, ...] | None
) -> tuple[int, ...]:
    """Return the shape that is given, or is in files, or that holds all entries."""
    shape, source = given, "shape="
    for owner, each in zip(owners, facts, strict=True):
        if each.shape is not None and shape is None:
            shape, source = each.shape, f"'{owner}'"
        if each.shape is not None and each.shape != shape:
            raise ShapeError(
                f"'{owner}' has the shape {each.shape}, but {source} {shape}"
            )
    pairs = zip(owners, facts, strict=True)
    filled = [(owner, each) for owner, each in pairs if each.size]
    if shape is None:
        shape = _smallest_shape(filled, owners)
    for owner, each in filled:
        _require_within(owner, each, shape)
    return shape


def _smallest_shape(
    filled: Sequence[tuple[str, _Facts]], owners: Sequence[str]
) -> tuple[int, ...]:
    """Return the smallest shape that holds all entries."""
    if not filled:
        names = ", ".join(map(repr, dict.fromkeys(owners)))
        raise FileError(f"{names}: no entries, and no shape: give one, shape=")
    ranks = {each.rank: owner for owner, each in filled}
    if len(ranks) > 1:
        (rank, owner), (other, second) = list(ranks.items())[:2]
        raise FileError(
            f"entries have {rank} coordinates in '{owner}', but {other} in '{second}'"
        )
    columns = zip(*(each.largest for _, each in filled), strict=True)
    return tuple(max(column) + 1 for column in columns)


def _require_within(owner: str, facts: _Facts, shape: tuple[int, ...]) -> None:
    if facts.rank != len(shape):
        raise FileError(
            f"'{owner}': entries have {facts.rank} coordinates, but the shape "
            f"{len(shape)}"
        )
    limits = zip(facts.smallest, facts.largest, shape, strict=True)
    if any(low < 0 or high >= extent for low, high, extent in limits):
        raise FileError(f"'{owner}': a coordinate is not within the shape {shape}")


def _type_of(facts: Sequence[_Facts]) -> DType:
    filled = [each.dtype for each in facts if each.size]
    return np.result_type(*(filled or [each.dtype for each in facts]))
