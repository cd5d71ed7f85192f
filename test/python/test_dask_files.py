"""Tensors that the workers of a cluster read from files, and write into folders."""

import gzip
import json
import os

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import nacho
from libraries import needed

distributed = needed("distributed")
import nacho.dask as nd  # noqa: E402


@pytest.fixture(scope="module")
def client():
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def folder(client, tmp_path):
    return tmp_path


def same(found, expected) -> None:
    """Compare a tensor in pieces with a container, bit for bit."""
    whole, tensor = nacho.asarray(found.compute()), nacho.asarray(expected)
    assert (whole.format, whole.shape) == (tensor.format, tensor.shape)
    assert whole.dtype == tensor.dtype
    for name in ("pos", "crd"):
        pairs = zip(getattr(whole, name), getattr(tensor, name), strict=True)
        for array, wanted in pairs:
            assert (array is None) == (wanted is None)
            if array is not None:
                np.testing.assert_array_equal(array, wanted)
    np.testing.assert_array_equal(whole.values, tensor.values)


def lines_of(coords, values) -> str:
    rows = zip(*(coords + 1), values, strict=True)
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def random_entries(rank=3, size=500, extent=20):
    rng = np.random.default_rng(rank)
    return rng.integers(0, extent, (rank, size)), rng.integers(1, 9, size) * 0.5


@pytest.mark.parametrize("format", [None, "csf", "coo"])
def test_one_file_in_blocks(folder, format):
    coords, values = random_entries()
    (folder / "a.tns").write_text(lines_of(coords, values))
    found = nd.read(folder / "a.tns", format, blocksize=700, pieces=5)
    expected = nacho.Tensor.from_coo(coords, values, format=format or "coo")
    same(found, expected)
    assert found.npieces == 5
    assert repr(found).startswith("<nacho.dask.Tensor 20x20x20 of float64")


def test_files_in_any_order_with_duplicates_and_an_empty_one(folder):
    coords, values = random_entries(2, 300)
    for number, part in enumerate(np.array_split(np.arange(300), 4)):
        text = lines_of(coords[:, part], values[part])
        (folder / f"{number}.tns").write_text(text)
    (folder / "4.tns").write_text("# nothing\n")
    found = nd.read(str(folder / "*.tns"))
    same(found, nacho.Tensor.from_coo(coords, values, format="csr"))


@pytest.mark.parametrize("options", [{}, {"symmetry": "symmetric"}])
@pytest.mark.parametrize("field", ["real", "integer", "pattern", "complex"])
def test_matrix_market_in_blocks(folder, field, options):
    matrix = sp.random_array((30, 30), density=0.1, rng=np.random.default_rng(0))
    matrix = sp.coo_array(matrix + matrix.T)
    matrix.data = np.ceil(matrix.data * 9)
    matrix = matrix.astype({"integer": int, "complex": complex}.get(field, float))
    path = folder / "a.mtx"
    scipy.io.mmwrite(path, matrix, field=field, **options)
    found = nd.read(path, blocksize=150)
    same(found, nacho.read(path, format="csr"))


def test_files_that_are_read_as_a_whole(folder):
    coords, values = random_entries(2, 100)
    with gzip.open(folder / "a.tns.gz", "wt") as file:
        file.write(lines_of(coords, values))
    tensor = nacho.Tensor.from_coo(coords, values, format="csr", shape=(20, 20))
    matrix = tensor.to_scipy()
    sp.save_npz(folder / "b.npz", matrix)
    scipy.io.mmwrite(folder / "c.mtx", matrix.toarray())
    for name in ("a.tns.gz", "b.npz", "c.mtx"):
        same(nd.read(folder / name), tensor)
    twice = nd.read([folder / "b.npz", folder / "c.mtx"], dtype=np.float32)
    same(twice, (tensor.to_scipy() * 2).astype(np.float32))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
def test_archives_in_blocks(folder, format):
    rng = np.random.default_rng(0)
    matrix = sp.random_array((40, 30), density=0.2, rng=rng, format="lil")
    matrix[7:20] = 0
    matrix = matrix.asformat(format)
    sp.save_npz(folder / "a.npz", matrix, compressed=format != "csr")
    found = nd.read(folder / "a.npz", blocksize=300)
    same(found, nacho.read(folder / "a.npz", format="csr"))
    assert (found.npieces > 5) == (format in ("csr", "coo"))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "dcsc"])
def test_binsparse(folder, format):
    needed("h5py", "binsparse")
    matrix = sp.random_array((9, 9), density=0.3, format="lil")
    matrix[4] = 0
    matrix[7] = 1
    nacho.write(folder / "a.bsp.h5", nacho.asarray(matrix.tocsr(), format))
    for size in (None, 60):
        found = nd.read(folder / "a.bsp.h5", blocksize=size)
        same(found, matrix.tocsr())
        is_in_order = format not in ("csc", "dcsc")
        assert (found.npieces > 3) == (size is not None and is_in_order)


@pytest.mark.parametrize(
    "values", [np.ones(7, bool), np.arange(7) * 1j, np.broadcast_to(2.0, 7)]
)
def test_values_of_binsparse(folder, values):
    """Numbers that are packed, are pairs, or are one number for all entries."""
    binsparse = needed("h5py", "binsparse")
    rows = np.arange(7, dtype=np.uint32)
    matrix = binsparse.COORMatrix(
        (7, 9), 7, indices_0=rows, indices_1=rows + 1, values=values
    )
    binsparse.save_binsparse(matrix, folder / "a.bsp.h5")
    found = nd.read(folder / "a.bsp.h5", blocksize=50)
    assert found.npieces > 1
    same(found, nacho.read(folder / "a.bsp.h5").convert("csr"))


def test_matrices_of_binsparse_that_are_wrong(folder):
    """A file whose arrays do not fit together is read, and refused, as a whole."""
    h5py = needed("binsparse", "h5py")
    path = folder / "a.bsp.h5"
    nacho.write(path, sp.eye_array(30, format="csr"))
    with h5py.File(path, "a") as file:
        file["indices_1"][5] = 77
    raised(nacho.FileError, r"a\.bsp\.h5'.*coordinate", path, blocksize=60)
    with h5py.File(path, "a") as file:
        said = file.attrs["binsparse"]
        wrong = said.replace(
            '"number_of_stored_values": 30', '"number_of_stored_values": 3'
        )
        assert wrong != said
        file.attrs["binsparse"] = wrong
    raised(nacho.FileError, r"a\.bsp\.h5' cannot be read", path, blocksize=60)
    with h5py.File(path, "a") as file:
        file.attrs["binsparse"] = said.replace('"CSR"', '["CSR"]')
    raised(nacho.FileError, r"a\.bsp\.h5' cannot be read", path, blocksize=60)
    with h5py.File(path, "a") as file:
        file.attrs["binsparse"] = said
        del file["pointers_to_1"]
    raised(nacho.FileError, r"a\.bsp\.h5' cannot be read", path, blocksize=60)


def test_large_coordinates_of_binsparse(folder):
    binsparse = needed("h5py", "binsparse")
    columns = np.array([2**53 + 1], np.uint64)
    matrix = binsparse.CSRMatrix(
        (1, 2**60),
        1,
        pointers_to_1=np.array([0, 1], np.uint64),
        indices_1=columns,
        values=np.ones(1),
    )
    binsparse.save_binsparse(matrix, folder / "a.bsp.h5")
    found = nd.read(folder / "a.bsp.h5", "coo").compute()
    np.testing.assert_array_equal(nacho.asarray(found).coords[1], [2**53 + 1])


def test_a_heavy_row_is_in_all_pieces(folder):
    columns = np.random.default_rng(0).permutation(1000)
    coords = np.array([np.full(1000, 2), columns])
    (folder / "a.tns").write_text(lines_of(coords, np.ones(1000)))
    found = nd.read(folder / "a.tns", shape=(5, 1000), blocksize=3000, pieces=4)
    same(
        found,
        nacho.Tensor.from_coo(coords, np.ones(1000), shape=(5, 1000)).convert("csr"),
    )
    assert np.diff(found._pieces.positions[:, -1]).max() < 400


def test_more_pieces_than_entries(folder):
    (folder / "a.tns").write_text("2 2 2.5\n1 3 0.5\n")
    found = nd.read(folder / "a.tns", pieces=6, shape=(4, 4))
    assert found.npieces == 6
    expected = sp.csr_array(([0.5, 2.5], ([0, 1], [2, 1])), shape=(4, 4))
    same(found, nacho.Tensor.from_scipy(expected))
    total = nd.evaluate("Z[i,j] = A[i,j] + A[i,j]", A=found)
    np.testing.assert_array_equal(
        nacho.asarray(total.compute()).to_dense(), 2 * expected.toarray()
    )


# --- Folders --------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["csr", "coo", "dcsr", "csc", "dense"])
@pytest.mark.parametrize("pieces", [1, 3, 40])
def test_folders_have_the_same_pieces(folder, format, pieces):
    matrix = sp.random_array((9, 7), density=0.4, rng=np.random.default_rng(1))
    matrix = matrix.tolil()
    matrix[3] = 1
    tensor = nacho.asarray(matrix.tocsr()).convert(format)
    given = nd.from_tensor(tensor, pieces=pieces)
    given.write(folder / "t")
    found = nd.read(folder / "t")
    assert found.npieces == pieces
    gathered = found._client.gather(list(found._pieces.handles))
    wanted = given._client.gather(list(given._pieces.handles))
    for windows, others in zip(gathered, wanted, strict=True):
        assert windows.begins == others.begins
        for array, other in zip(windows.arrays, others.arrays, strict=True):
            assert array.dtype == other.dtype
            np.testing.assert_array_equal(array, other)
    np.testing.assert_array_equal(found._pieces.positions, given._pieces.positions)
    if format != "dense":
        same(nd.read(folder / "t", "csf"), tensor.convert("csf"))


def test_folders_of_numbers(folder):
    A = nd.from_tensor(sp.eye_array(9, format="csr"))
    made = nd.evaluate("s += A[i,j]", A=A)
    made.write(folder / "s")
    found = nd.read(folder / "s")
    assert (found.shape, found.npieces, found.compute()) == ((), 1, 9.0)
    assert nd.evaluate("s += c * A[i,j]", A=A, c=found).compute() == 81


def test_folders_are_not_overwritten(folder):
    tensor = nd.from_tensor(sp.eye_array(4, format="csr"), pieces=3)
    tensor.write(folder / "t")
    with pytest.raises(nacho.FileError, match=r"not empty: overwrite=True"):
        tensor.write(folder / "t")
    # What is read from a folder may be written into it.
    shorter = nd.evaluate("Z[i,j] = 2 * A[i,j]", A=nd.read(folder / "t"))
    shorter.write(folder / "t", overwrite=True)
    names = [name for name in os.listdir(folder / "t") if name.startswith("piece")]
    assert len(names) == shorter.npieces
    again = nd.read(folder / "t").compute()
    np.testing.assert_array_equal(again.toarray(), 2 * np.eye(4))


# --- Errors ---------------------------------------------------------------------------


def raised(kind, match, *args, **options) -> None:
    with pytest.raises(kind, match=match):
        nd.read(*args, **options).compute()


def test_errors_name_the_file(folder):
    raised(nacho.FileError, r"no file '.*none-\*", str(folder / "none-*.tns"))
    raised(FileNotFoundError, "gone.tns", folder / "gone.tns")
    raised(nacho.FileError, "a.txt", folder / "a.txt")
    bad = folder / "bad.tns"
    bad.write_text("1 1 1\n" * 40 + "1 x 1\n" + "1 1 1\n" * 9)
    raised(nacho.FileError, r"bad\.tns', line 41", bad, blocksize=60)
    (folder / "bad.npz").write_bytes(b"no archive")
    raised(nacho.FileError, r"bad\.npz", folder / "bad.npz")
    wrong = {"indices": [0, 1], "format": b"csr", "shape": (2, 2), "data": [1.0, 2.0]}
    for indptr in ([0, 2, 1], [1, 1, 2], [0, 1, 1]):
        np.savez(folder / "bad.npz", indptr=indptr, **wrong)
        raised(nacho.FileError, r"bad\.npz", folder / "bad.npz")
    (folder / "b3.tns").write_text("1 1 1 1\n")
    (folder / "b2.tns").write_text("1 1 1\n")
    raised(nacho.FileError, r"b2.*b3|b3.*b2", str(folder / "b?.tns"))
    raised(nacho.FileError, r"b3\.tns.*3 coord", folder / "b3.tns", shape=(2, 2))
    (folder / "far.tns").write_text("7 1 1\n0 1 1\n")
    raised(nacho.FileError, r"far\.tns", folder / "far.tns", shape=(9, 9))
    (folder / "far.tns").write_text("7 1 1\n")
    raised(nacho.FileError, r"far\.tns.*within", folder / "far.tns", shape=(3, 3))
    (folder / "empty.tns").write_text("")
    raised(nacho.FileError, r"empty\.tns.*shape=", folder / "empty.tns")


def test_errors_of_matrix_market(folder):
    path = folder / "a.mtx"
    head = "%%MatrixMarket matrix coordinate real general\n"
    path.write_text(head + "3 3 5\n1 1 2\n2 2 2\n")
    raised(nacho.FileError, r"a\.mtx' has 2 entries.* 5", path)
    path.write_text(head + "3 3 30\n" + "1 1 2\n" * 29 + "9 9 9\n")
    raised(nacho.FileError, r"a\.mtx'.*Line 32.*'9 9 9'", path, blocksize=40)
    other = folder / "b.mtx"
    path.write_text(head + "3 3 1\n1 1 2\n")
    other.write_text(head + "3 4 1\n1 1 2\n")
    raised(nacho.ShapeError, r"b\.mtx.*\(3, 4\).*a\.mtx.*\(3, 3\)", [path, other])
    raised(nacho.UnsupportedError, "not put into pieces", path, "dense")


def test_errors_of_folders(folder):
    raised(nacho.FileError, "no nacho-index.json", folder)
    nd.from_tensor(sp.eye_array(4, format="csr"), pieces=2).write(folder / "t")
    raised(nacho.OptionError, "says what is in it", folder / "t", pieces=3)
    piece = folder / "t" / "piece-000001.npz"
    piece.write_bytes(b"")
    raised(nacho.FileError, "piece-000001", folder / "t")
    np.savez(piece, np.ones(1), np.ones(2), np.ones(2))
    raised(nacho.FileError, "other arrays than the index", folder / "t")
    index = folder / "t" / "nacho-index.json"
    index.write_text(json.dumps({"nacho": 99}))
    raised(nacho.FileError, "another version", folder / "t")
    index.write_text("{")
    raised(nacho.FileError, "no index of pieces", folder / "t")
    with pytest.raises(nacho.FileError, match="is a file"):
        nd.from_tensor(sp.eye_array(4, format="csr")).write(index)
