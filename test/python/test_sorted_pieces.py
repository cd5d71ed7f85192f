"""Entries in any order, which are sorted and put into pieces, as on one machine."""

import itertools
import mmap
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

import nacho
from nacho._pieces import assembling, cutting, entries, sorting, tasks
from nacho._pieces.engine import Here
from nacho._pieces.entries import Entries
from nacho._pieces.tensor import Pieces
from nacho._storage.containers import view_of
from nacho._storage.formats import Format

SHAPE = (11, 7, 5)
FLOAT = np.dtype(np.float64)
FORMATS = [
    *((rank, name) for rank in (1, 2, 3) for name in ("coo", "csf")),
    *((2, name) for name in ("csr", "csc", "dcsr", "dcsc")),
]


def assembled(coords, values, format: Format, lists: int, pieces: int | None) -> Pieces:
    size = values.size
    bounds = [size * n // lists for n in range(lists + 1)]
    given = [
        Entries(tuple(coords[:, begin:end]), values[begin:end])
        for begin, end in itertools.pairwise(bounds)
    ]
    engine = Here()
    handles = sorting.sort(engine, given, format.order, FLOAT, pieces)
    shape = SHAPE[: len(coords)]
    return assembling.assemble(engine, handles, shape, format, FLOAT, "nacho")


def check_like_cut(pieces: Pieces, tensor: nacho.Tensor) -> None:
    """Compare pieces with windows of the whole tensor, and cuts with those of it."""
    view = view_of("tensor", tensor, tensor.ndim)
    for number, windows in enumerate(pieces.handles):
        wanted = cutting.windows_of_view(view, pieces, number)
        assert windows.begins == wanted.begins
        for found, array in zip(windows.arrays, wanted.arrays, strict=True):
            assert found.dtype == array.dtype
            np.testing.assert_array_equal(found, array)
    for cut in range(1, pieces.count):
        entry = int(pieces.positions[cut, -1])
        if 0 < entry < pieces.nnz:
            coordinates, positions = np.zeros((2, tensor.ndim), np.int64)
            deepest = tensor.ndim - 1
            args = (view, pieces.layout, deepest, entry)
            cutting._place(*args, coordinates, positions)
            np.testing.assert_array_equal(pieces.coordinates[cut], coordinates)
            np.testing.assert_array_equal(pieces.positions[cut], positions)


@pytest.mark.parametrize("is_skewed", [False, True])
@pytest.mark.parametrize("size", [0, 1, 3, 200])
@pytest.mark.parametrize(("rank", "name"), FORMATS)
def test_pieces_of_unsorted_entries(rank, name, size, is_skewed):
    rng = np.random.default_rng(size)
    coords = np.array([rng.integers(0, extent, size) for extent in SHAPE[:rank]])
    if is_skewed:
        coords[0] = 4
    values = rng.random(size)
    format = Format(name).for_rank(rank)
    tensor = nacho.Tensor.from_coo(coords, values, shape=SHAPE[:rank], format=format)
    for lists, pieces in itertools.product((1, 3, 9), (None, 1, 2, 7, 30)):
        found = assembled(coords, values, format, lists, pieces)
        check_like_cut(found, tensor)
        own = [
            tasks.taken(windows, found.own_ranges_of(number))
            for number, windows in enumerate(found.handles)
        ]
        whole = tasks.whole(found.known, own)
        assert whole.format == format
        np.testing.assert_array_equal(whole.values, tensor.values)
        np.testing.assert_array_equal(whole.coords, tensor.coords)


@pytest.mark.parametrize("wanted", ["coo", "csr", "csc", "dcsr", "dcsc"])
@pytest.mark.parametrize("name", ["coo", "csr", "csc", "dcsr", "dense"])
def test_formats_of_pieces(name, wanted):
    rng = np.random.default_rng(1)
    array = rng.random(SHAPE[:2]) * (rng.random(SHAPE[:2]) < 0.4)
    array[3] = 1
    array[5:9] = 0
    tensor = nacho.asarray(array, name)
    known, windows = cutting.cut(view_of("tensor", tensor, 2), 9)
    pieces = replace(known, handles=tuple(windows))
    found = assembling.converted(Here(), pieces, Format(wanted).for_rank(2))
    expected = tensor.convert("coo").convert(wanted)
    if name == "dense":
        # All elements of a dense tensor are entries, also those that are zero.
        where = np.indices(array.shape).reshape(2, -1)
        options = {"shape": array.shape, "format": wanted}
        expected = nacho.Tensor.from_coo(where, array.reshape(-1), **options)
    check_like_cut(found, expected)


def test_a_heavy_row_is_divided_evenly():
    rng = np.random.default_rng(0)
    columns = rng.permutation(4000)
    coords = np.array([np.full(4000, 1), columns])
    parts = np.array_split(np.arange(4000), 5)
    given = [Entries(tuple(coords[:, part]), np.ones(part.size)) for part in parts]
    sorted_parts = sorting.sort(Here(), given, (0, 1), FLOAT, 4)
    sizes = [entries.values.size for entries in sorted_parts]
    assert sum(sizes) == 4000
    assert max(sizes) < 1.5 * 1000


def test_lists_in_order_stay():
    given = [
        Entries((np.array([0, 0]), np.array([1, 4])), np.array([1.0, 2.0])),
        Entries((np.array([0, 3]), np.array([5, 0])), np.array([3.0, 4.0])),
    ]
    found = sorting.sort(Here(), given, (0, 1), FLOAT, None)
    assert [entries.values.tolist() for entries in found] == [[1, 2], [3, 4]]
    # Whoever has the lists only here does not keep them.
    assembling.assemble(Here(), found, (4, 6), Format("csr"), FLOAT, "nacho")
    assert not found
    # A coordinate that two lists have is one entry.
    given[1].columns[1][0] = 4
    found = sorting.sort(Here(), given, (0, 1), FLOAT, None)
    assert sum(entries.values.size for entries in found) == 3


def test_narrow_and_wide_coordinates():
    far = 2**40
    given = [
        Entries((np.array([5, 1], np.int32),), np.array([1.0, 2.0])),
        Entries((np.array([far, 2]),), np.array([3.0, 4.0])),
    ]
    for pieces in (1, 2, 3, 4):
        found = sorting.sort(Here(), given, (0,), FLOAT, pieces)
        assert [x for each in found for x in each.columns[0]] == [1, 2, 5, far]
        assert [x for each in found for x in each.values] == [2, 4, 1, 3]


def test_buckets_are_made_only_of_lists_that_have_some_of_them():
    class Counting(Here):
        names: ClassVar[list[str]] = []

        def submit(self, name, function, *args, at=None, turn=0):
            self.names.append(name)
            return function(*args)

    columns = np.arange(1000).reshape(10, 100)
    given = [Entries((each,), np.ones(100)) for each in columns]
    found = sorting.sort(Counting(), given, (0,), FLOAT, 20)
    assert sum(entries.values.size for entries in found) == 1000
    assert Counting.names.count("bucket") < 40
    # No piece is larger than some megabytes, however many lists there are.
    rows = np.random.default_rng(0).permutation(1 << 22)
    given = [Entries((rows,), np.ones(rows.size))]
    sizes = [x.nbytes for x in sorting.sort(Counting(), given * 2, (0,), FLOAT, None)]
    assert sum(sizes) == given[0].nbytes
    assert max(sizes) < 20 << 20


@pytest.mark.parametrize("name", ["dense", "coo-interleaved"])
def test_formats_that_are_not_assembled(name):
    with pytest.raises(nacho.UnsupportedError, match="are not put into pieces"):
        assembling.require_assembled(Format(name).for_rank(2))


class RoundsEngine(Here):
    """Remembers how many merges are submitted before the client waits again."""

    slots = 2

    def __init__(self):
        self.rounds = [[]]

    def submit(self, name, function, *args, at=None, turn=0):
        if name == "merge":
            self.rounds[-1].append(at)
        return super().submit(name, function, *args, at=at, turn=turn)

    def fetch(self, handles):
        if self.rounds[-1]:
            self.rounds.append([])
        return super().fetch(handles)


def test_few_merges_are_asked_for_at_a_time():
    """All along the line of machines, each of which would fetch all buckets at once."""
    engine = RoundsEngine()
    columns = np.random.default_rng(0).permutation(1000)
    given = [Entries((part,), np.ones(part.size)) for part in np.split(columns, 4)]
    made = sorting.sort(engine, given, (0,), FLOAT, 9)
    found = np.concatenate([each.columns[0] for each in made])
    np.testing.assert_array_equal(found, np.arange(1000))
    rounds = [[round(9 * at) for at in each] for each in engine.rounds]
    assert rounds == [[2, 5, 8], [1, 4, 7], [0, 3, 6]]


@pytest.mark.parametrize("count", [0, 1, 100_000])
def test_what_is_cut_from_a_list_keeps_nothing_else(count):
    columns = (np.arange(count + 2, dtype=np.int32), np.zeros(count + 2, np.int64))
    given = Entries(columns, np.arange(count + 2, dtype=np.int8))
    found = entries.between(given, (1, 0), (count + 1, 0))
    arrays = [found.values, *found.columns]
    for array, whole in zip(arrays, [given.values, *given.columns], strict=True):
        assert array.dtype == whole.dtype
        np.testing.assert_array_equal(array, whole[1:-1])
    (buffer,) = {id(base): base for base in map(base_of, arrays)}.values()
    size = len(buffer) if isinstance(buffer, mmap.mmap) else buffer.nbytes
    assert size == found.nbytes
    # Else, what lies between would keep it in the memory of the process.
    assert isinstance(buffer, mmap.mmap) == (count > 10_000)


def base_of(array):
    """Return what has the memory of an array."""
    while isinstance(array, np.ndarray | memoryview):
        base = array.base if isinstance(array, np.ndarray) else array.obj
        if base is None:
            return array
        array = base
    return array
