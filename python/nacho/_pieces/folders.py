"""Folders with a file for each piece of a tensor, and an index of what is known of all.

The files are NumPy's, and have the elements that no other piece has. The index is
written last: a folder without it is not complete.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nacho._kernels.program import ArrayOfLevel, Layout, Level
from nacho._pieces.tensor import Pieces
from nacho._pieces.windows import Range, Windows
from nacho._storage.formats import Format
from nacho.errors import FileError

INDEX = "nacho-index.json"
_VERSION = 1
_PIECE = "piece-{:06}.npz"


def prepare(folder: str, overwrite: bool) -> None:
    """Make a folder, or empty it of pieces; refuse one with anything in it."""
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise FileError(f"'{folder}' is a file, not a folder")
    place.mkdir(parents=True, exist_ok=True)
    if not any(place.iterdir()):
        return
    if not overwrite:
        raise FileError(
            f"the folder '{folder}' is not empty: overwrite=True replaces "
            "the pieces in it"
        )
    (place / INDEX).unlink(missing_ok=True)
    for file in place.glob("piece-*.npz"):
        file.unlink()


def write_piece(folder: str, piece: int, windows: Windows, own: Sequence[Range]) -> int:
    """Write the elements that no other piece has, and return their number of bytes."""
    windows = windows.cut(own)
    np.savez(Path(folder) / _PIECE.format(piece), *windows.arrays)
    return windows.nbytes


def write_index(folder: str, pieces: Pieces, written: list[int]) -> None:
    """Write what is known of all pieces, once these are written."""
    levels = [
        {"is_full": level.is_full, "arrays": [list(array) for array in level.arrays]}
        for level in pieces.layout.levels
    ]
    index = {
        "nacho": _VERSION,
        # Of a number, there are no levels.
        "format": pieces.format.level_map() if pieces.shape else pieces.format.name,
        "shape": pieces.shape,
        "levels": levels,
        "values": pieces.layout.values,
        "counts": pieces.counts,
        "coordinates": pieces.coordinates.tolist(),
        "positions": pieces.positions.tolist(),
        "library": pieces.library,
        "name_in_library": pieces.name_in_library,
        "container": pieces.container and pieces.container.level_map(),
        "bytes": written,
    }
    (Path(folder) / INDEX).write_text(json.dumps(index, indent=1) + "\n")


def read_index(folder: str) -> Pieces:
    """Return what is known of the pieces in a folder, without these."""
    place = Path(folder) / INDEX
    try:
        index = json.loads(place.read_text())
        if index["nacho"] != _VERSION:
            raise FileError(f"'{place}' is of another version of nacho")
        return _known(index)
    except FileNotFoundError:
        raise FileError(
            f"the folder '{folder}' has no {INDEX}: Tensor.write() writes such folders"
        ) from None
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"'{place}' is no index of pieces: {error}") from error


def _known(index: dict[str, Any]) -> Pieces:
    levels = tuple(
        Level(
            level["is_full"], tuple(ArrayOfLevel(*array) for array in level["arrays"])
        )
        for level in index["levels"]
    )
    rank = len(levels)
    count, container = len(index["bytes"]), index.get("container")
    coordinates = np.array(index["coordinates"], np.int64).reshape(count + 1, rank)
    positions = np.array(index["positions"], np.int64).reshape(count + 1, rank)
    return Pieces(
        Format(index["format"]),
        tuple(index["shape"]),
        Layout(levels, index["values"]),
        tuple(index["counts"]),
        coordinates,
        positions,
        (None,) * count,
        index["library"],
        index["name_in_library"],
        container and Format(container),
    )


def read_piece(folder: str, pieces: Pieces, piece: int) -> Windows:
    """Read the elements of a piece that no other has."""
    place = Path(folder) / _PIECE.format(piece)
    ranges = pieces.own_ranges_of(piece)
    try:
        with np.load(place, allow_pickle=False) as file:
            arrays = tuple(file[f"arr_{n}"] for n in range(len(ranges)))
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise FileError(f"'{place}', a piece, cannot be read: {error}") from error
    pairs = zip(arrays, ranges, pieces.types, strict=True)
    if any(
        array.size != end - begin or array.dtype != type
        for array, (begin, end), type in pairs
    ):
        raise FileError(f"'{place}' has other arrays than the index says")
    return Windows(tuple(begin for begin, _ in ranges), arrays)
