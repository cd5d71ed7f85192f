"""Reading and writing files of tensors."""

import gzip
import itertools
import pickle
import sys

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import nacho
from libraries import needed
from nacho._files import archives, ranges

rng = np.random.default_rng(5)
A = sp.random_array((23, 17), density=0.2, rng=rng, format="csr")
A.data[0] = 0  # an entry all the same
T = nacho.Tensor.from_coo(rng.integers(0, 6, (3, 40)), rng.random(40), shape=(6, 7, 8))
ENDS = [".mtx", ".mtx.gz", ".tns", ".tns.gz", ".npz", ".bsp.h5"]


def require(end):
    if end == ".bsp.h5":
        needed("binsparse", "h5py")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "dcsc"])
def test_matrices_come_back(tmp_path, end, format):
    require(end)
    given = nacho.asarray(A, format)
    nacho.write(tmp_path / f"a{end}", given)
    found = nacho.read(str(tmp_path / f"a{end}"), format=format)
    assert found.format == given.format
    assert found.shape == given.shape
    assert found.dtype == given.dtype
    np.testing.assert_array_equal(found.coords, given.coords)
    np.testing.assert_array_equal(found.values, given.values)


@pytest.mark.parametrize("end", ENDS)
def test_dense_matrices_lose_nothing(tmp_path, end):
    require(end)
    nacho.write(tmp_path / f"a{end}", A.toarray())
    found = nacho.read(tmp_path / f"a{end}")
    np.testing.assert_array_equal(found.to_dense(), A.toarray())


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.bool_, np.float32])
@pytest.mark.parametrize("end", [".mtx", ".tns", ".npz"])
def test_types(tmp_path, end, dtype):
    B = (A * 9).astype(dtype)
    nacho.write(tmp_path / f"b{end}", B)
    found = nacho.read(tmp_path / f"b{end}", dtype=dtype)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.to_dense(), B.toarray())


def test_large_integers_and_their_type(tmp_path):
    values = [2**62 + 1, 2**63 - 1, -(2**63)]
    B = sp.csr_array(np.array([values], np.int64))
    for end in (".tns", ".tns.gz", ".mtx", ".npz"):
        nacho.write(tmp_path / f"b{end}", B)
        found = nacho.read(tmp_path / f"b{end}")
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.to_dense(), [values])
    text = "1 1 4611686018427387905\n"
    assert read_text(tmp_path, text, dtype="int64").values[0] == 2**62 + 1
    with pytest.raises(nacho.FileError, match="line 1: the value is no integer"):
        read_text(tmp_path, "1 1 1.5\n", dtype="int64")
    with pytest.raises(nacho.DTypeError, match="wat"):
        read_text(tmp_path, text, dtype="wat")


def test_complex_numbers(tmp_path):
    C = A * (1 + 2j)
    nacho.write(tmp_path / "c.mtx", C)
    np.testing.assert_array_equal(
        nacho.read(tmp_path / "c.mtx").to_dense(), C.toarray()
    )
    with pytest.raises(nacho.FileError, match="has no complex numbers"):
        nacho.write(tmp_path / "c.tns", C)


@pytest.mark.parametrize("end", [".tns", ".tns.gz", ".npz"])
def test_tensors_of_order_3(tmp_path, end):
    nacho.write(tmp_path / f"t{end}", T)
    found = nacho.read(tmp_path / f"t{end}", format="csf")
    assert found.shape == T.shape
    np.testing.assert_array_equal(found.to_dense(), T.to_dense())
    with pytest.raises(nacho.FileError, match="two dimensions, not 3"):
        nacho.write(tmp_path / "t.mtx", T)


def test_a_symmetric_matrix_has_both_halves(tmp_path):
    S = A[:17] + A[:17].T
    scipy.io.mmwrite(tmp_path / "s.mtx", S, symmetry="symmetric")
    np.testing.assert_allclose(nacho.read(tmp_path / "s.mtx").to_dense(), S.toarray())


# --- FROSTT ---------------------------------------------------------------------------


def read_text(tmp_path, text, **options):
    path = tmp_path / "x.tns"
    path.write_text(text)
    return nacho.read(path, **options)


def test_frostt_takes_comments_spaces_and_any_order(tmp_path):
    text = "# of entries\r\n\n  2\t3  4 -1.5e1\r\n% more\n1 1 1 +2\n2 3 4 1"
    found = read_text(tmp_path, text)
    assert found.shape == (2, 3, 4)
    assert found.nnz == 2  # entries of the same coordinates are summed
    assert found.to_dense()[1, 2, 3] == -14
    assert found.to_dense()[0, 0, 0] == 2
    assert read_text(tmp_path, text, shape=(5, 5, 5)).shape == (5, 5, 5)


def test_frostt_takes_any_size_of_numbers(tmp_path):
    found = read_text(tmp_path, "1 1e400\n2 -1e400\n3 1e-400\n4 inf\n5 nan\n")
    np.testing.assert_array_equal(
        found.to_dense(), [np.inf, -np.inf, 0, np.inf, np.nan]
    )


def test_frostt_comments_follow_numbers(tmp_path):
    text = "# a\n1 1 2.5 # b 7\n  % c\n2 1 3%d\n3 3 4\t#\n"
    found = read_text(tmp_path, text)
    np.testing.assert_array_equal(found.to_dense(), [[2.5, 0, 0], [3, 0, 0], [0, 0, 4]])


def test_frostt_keeps_the_shape(tmp_path):
    nacho.write(tmp_path / "e.tns", sp.csr_array((4, 9)))
    found = nacho.read(tmp_path / "e.tns")
    assert found.shape == (4, 9)
    assert found.nnz == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 2.5\n2 x 3\n", "line 2: a coordinate is no integer: 'x'"),
        ("1 1 banana # a\n", "line 1: the value is no number: 'banana'"),
        ("1 1 1\n1 1 # a\n", "line 2: there are too few numbers"),
        (f"1 1 {'x' * 1000}\n", f"the value is no number: '{'x' * 40}...'"),
        ("# a\n\n1 2 3\n1 2\n", "line 4: there are too few numbers"),
        ("1 2 3\n1 2 3 4\n", "line 2: there are too many numbers: '4'"),
        ("1 0 3\n", "line 1: a coordinate is less than 1"),
        ("1 1 1e\n", "line 1: the value is no number"),
        ("1 99999999999999999999 1\n", "line 1: a coordinate is no integer"),
        ("1 1 +-5\n", "line 1: the value is no number"),
        ("1 +-1 5\n", "line 1: a coordinate is no integer"),
        ("1 1 +\n", "line 1: the value is no number"),
        (f"{'1 ' * 50_000}\n" + "1 1 1\n" * 50_000, "different numbers of coordinates"),
        ("", "has no entries, and no shape"),
        ("# shape: 3 3\n1 1 1 5\n", "3 coordinates, but the shape 2"),
        ("# shape: 1 1\n2 2 2\n", "out of range"),
        (f"# shape: {10**20} 4\n1 1 1\n", "x.tns"),
        ("# dtype: wat\n1 1 1\n", "the type 'wat' is none of"),
        ("5\n", "x.tns"),
    ],
)
def test_frostt_names_the_line(tmp_path, text, message):
    with pytest.raises(nacho.FileError, match=message) as error:
        read_text(tmp_path, text)
    assert "x.tns" in str(error.value)
    assert isinstance(error.value, ValueError)


def test_frostt_in_pieces(tmp_path, monkeypatch):
    """Threads read pieces of about 64 KiB, and long files are read in several steps."""
    coords = np.unique(rng.integers(0, 500, (3, 30_000)), axis=1)
    given = nacho.Tensor.from_coo(coords, rng.random(coords.shape[1]))
    nacho.write(tmp_path / "big.tns", given)
    for chunk in (1 << 26, 100_000):
        monkeypatch.setattr("nacho._files.frostt.CHUNK", chunk)
        found = nacho.read(tmp_path / "big.tns")
        np.testing.assert_array_equal(found.coords, given.coords)
        np.testing.assert_array_equal(found.values, given.values)
    lines = (tmp_path / "big.tns").read_text().splitlines()
    lines[20_000] = "1 1 one 1"
    with pytest.raises(nacho.FileError, match="line 20001: a coordinate is no integer"):
        read_text(tmp_path, "\n".join(lines))


KINDS = ("tns", "tns.gz", "mtx", "mtx.gz", "npz", "csv", "csv.gz")


@pytest.mark.parametrize("kind", KINDS)
def test_a_bar_on_terminals(tmp_path, monkeypatch, capsys, kind):
    """It tells of all bytes, and files are read as they are without it."""
    needed("tqdm")
    given = sp.random_array((30, 40), density=0.3, rng=np.random.default_rng(3))
    path = tmp_path / f"x.{kind}"
    nacho.write(path, given.toarray() if "csv" in kind else given)
    wanted = nacho.read(path).to_dense()
    assert "reading" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    np.testing.assert_array_equal(nacho.read(path).to_dense(), wanted)
    assert "reading" not in capsys.readouterr().err
    monkeypatch.setattr("nacho._progress.PATIENCE", 0.0)
    np.testing.assert_array_equal(nacho.read(path).to_dense(), wanted)
    shown = capsys.readouterr().err
    assert f"reading x.{kind}: 100%" in shown


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_is_told_how_much_is_read(tmp_path, monkeypatch, capsys, kind):
    given = sp.random_array((30, 40), density=0.3, rng=np.random.default_rng(3))
    path = tmp_path / f"x.{kind}"
    nacho.write(path, given.toarray() if "csv" in kind else given)
    told = []
    wanted = nacho.read(path, progress=lambda *numbers: told.append(numbers)).to_dense()
    assert not told, "that takes less than a second"
    monkeypatch.setattr("nacho._progress.PATIENCE", 0.0)
    found = nacho.read(path, progress=lambda *numbers: told.append(numbers))
    np.testing.assert_array_equal(found.to_dense(), wanted)
    assert told == sorted(told)
    done, size = told[-1]
    assert done == size > 0
    before = len(told)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    nacho.read(path, progress=False)
    assert "reading" not in capsys.readouterr().err
    with pytest.raises(nacho.OptionError, match="progress=3: expected True, False or"):
        nacho.read(path, progress=3)
    assert len(told) == before


@pytest.mark.parametrize("kind", KINDS)
def test_errors_behind_a_bar(tmp_path, monkeypatch, kind):
    """Files that are cut off are refused in the same words."""
    nacho.write(
        tmp_path / f"x.{kind}", np.eye(300) if "csv" in kind else sp.eye_array(300)
    )
    whole = (tmp_path / f"x.{kind}").read_bytes()
    (tmp_path / f"x.{kind}").write_bytes(whole[: len(whole) // 2])
    said = []
    for is_terminal in (False, True):
        monkeypatch.setattr(
            sys.stderr, "isatty", lambda found=is_terminal: found, raising=False
        )
        try:
            said.append(nacho.read(tmp_path / f"x.{kind}").nnz)
        except nacho.FileError as error:
            said.append(str(error))
    assert said[0] == said[1]


# --- Dense tensors --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.npy", "a.csv", "a.csv.gz"])
@pytest.mark.parametrize("shape", [(5,), (4, 3), (3, 4, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_dense_tensors_are_read_as_they_were_written(tmp_path, name, shape, dtype):
    rng = np.random.default_rng(5)
    values = (rng.standard_normal(shape) * 3).astype(dtype)
    if len(shape) > 2 and "csv" in name:
        with pytest.raises(nacho.FileError, match="a table has no 3 dimensions"):
            nacho.write(tmp_path / name, values)
        return
    nacho.write(tmp_path / name, values)
    found = nacho.read(tmp_path / name, dtype=dtype)
    assert found.format.is_dense
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.to_dense(), values)
    if ".gz" in name:
        assert gzip.decompress((tmp_path / name).read_bytes()).count(b"\n") == shape[0]


def test_sparse_tensors_are_not_made_dense_by_a_name(tmp_path):
    for name in ("a.npy", "a.csv"):
        with pytest.raises(nacho.FileError, match=r"zeros included, of .* in csr"):
            nacho.write(tmp_path / name, A)
        assert not (tmp_path / name).exists()


def test_integers_in_tables_are_read_as_such(tmp_path):
    large = np.array([2**53 + 1, 2**63 - 1, -(2**63)])
    nacho.write(tmp_path / "a.csv", nacho.asarray(large))
    found = nacho.read(tmp_path / "a.csv", dtype="int64")
    np.testing.assert_array_equal(found.to_dense(), large)
    for text, dtype in (("300", "uint8"), ("-1", "uint8"), ("1.7", "int64")):
        (tmp_path / "a.csv").write_text(f"1\n{text}\n")
        with pytest.raises(nacho.FileError, match=f"'{text}' to {dtype} at line 2"):
            nacho.read(tmp_path / "a.csv", dtype=dtype)


def test_bad_dense_files(tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n3,two\n")
    with pytest.raises(nacho.FileError, match=r"'two' .* line 2"):
        nacho.read(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("1,2\n3\n")
    with pytest.raises(nacho.FileError, match="line 2"):
        nacho.read(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("")
    with pytest.raises(nacho.FileError, match="has no numbers"):
        nacho.read(tmp_path / "a.csv")
    (tmp_path / "a.csv.gz").write_bytes(b"nothing packed")
    with pytest.raises(nacho.FileError, match="Not a gzipped file"):
        nacho.read(tmp_path / "a.csv.gz")
    for content in (b"", b"nothing of the kind"):
        (tmp_path / "a.npy").write_bytes(content)
        with pytest.raises(nacho.FileError, match="is no array of NumPy"):
            nacho.read(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(nacho.FileError, match="is no array of NumPy"):
        nacho.read(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.array(3.0))
    with pytest.raises(nacho.FileError, match="has a number, and no tensor"):
        nacho.read(tmp_path / "a.npy")
    with pytest.raises(nacho.FileError, match="no complex numbers"):
        nacho.write(tmp_path / "a.csv", np.ones(3, complex))


# --- What is refused ------------------------------------------------------------------


def test_other_names(tmp_path):
    for call in (nacho.read, lambda path: nacho.write(path, A)):
        with pytest.raises(nacho.FileError, match=r"one of \.bsp\.h5, \.csv"):
            call(tmp_path / "a.txt")
    with pytest.raises(nacho.FileError, match="shape= is for"):
        nacho.read(tmp_path / "a.mtx", shape=(3, 3))


@pytest.mark.parametrize("kind", [".tns", ".mtx", ".npz", ".npy", ".csv.gz"])
def test_files_that_the_system_refuses(tmp_path, kind):
    """They are errors of Python's own, and of Nacho."""
    missing, folder = tmp_path / "none" / f"a{kind}", tmp_path / f"a{kind}"
    folder.mkdir()
    refused = r"\[Errno \d+\] .*: '.*a" + kind
    values = np.eye(3) if kind in (".npy", ".csv.gz") else A
    for path, wanted in ((missing, FileNotFoundError), (folder, IsADirectoryError)):
        for call in (nacho.read, lambda path: nacho.write(path, values)):
            with pytest.raises(wanted, match=refused) as caught:
                call(path)
            assert isinstance(caught.value, nacho.FileAccessError)
            assert isinstance(caught.value, nacho.FileError)
            again = pickle.loads(pickle.dumps(caught.value))
            assert type(again) is type(caught.value)
            assert str(again) == str(caught.value)


JUNK = [
    ("coordinate real general", "2 2 2\n1 1 3\n\n2 2 1.5abc", 5, "no number: '1.5abc'"),
    ("coordinate real general", "2 2 1\n1 1 1.5 2.5", 3, "too many numbers: '2.5'"),
    ("coordinate real symmetric", "2 2 1\n2 1 0x10", 3, "no number: '0x10'"),
    ("coordinate integer general", "2 2 1\n1 1 1.5", 3, "no integer: '1.5'"),
    ("coordinate pattern general", "2 2 1\n1 1 7", 3, "too many numbers: '7'"),
    ("coordinate complex general", "2 2 1\n1 1 7 8 x", 3, "too many numbers: 'x'"),
    ("array real general", "2 1\n1.5\n2,5", 4, "no number: '2,5'"),
    ("array real general", "2 1\n1.5 2\n3", 3, "too many numbers: '2'"),
]


@pytest.mark.parametrize("end", ["mtx", "mtx.gz"])
@pytest.mark.parametrize(("kind", "text", "line", "message"), JUNK)
def test_junk_behind_numbers(tmp_path, end, kind, text, line, message):
    """SciPy takes the number that a field begins with, and leaves the rest."""
    path = tmp_path / f"a.{end}"
    with gzip.open(path, "wt") if end == "mtx.gz" else path.open("w") as file:
        file.write(f"%%MatrixMarket matrix {kind}\n{text}")
    with pytest.raises(nacho.FileError, match=f"a.{end}', line {line}: .*{message}"):
        nacho.read(path)


@pytest.mark.parametrize("field", ["real", "double", "integer", "pattern", "complex"])
@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_all_fields_of_matrix_market(tmp_path, layout, field):
    if (layout, field) == ("array", "pattern"):
        pytest.skip("there is no such file")
    value = {"integer": "-7", "pattern": "", "complex": "1e3 -2"}.get(field, "2.5e-3")
    lines = f"3 2 1\n3 1 {value}  " if layout == "coordinate" else f"1 1\n {value}"
    text = f"%%MatrixMarket Matrix {layout} {field} general\n% a comment\n\n{lines}\n"
    (tmp_path / "a.mtx").write_text(text)
    wanted = {"integer": -7, "pattern": 1, "complex": 1000 - 2j}.get(field, 0.0025)
    assert nacho.read(tmp_path / "a.mtx").to_dense().sum() == wanted


def test_bad_files(tmp_path):
    header = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n"
    (tmp_path / "a.mtx").write_text(f"{header}1 z 4\n")
    with pytest.raises(nacho.FileError, match=r"a\.mtx', line 4: .* no integer: 'z'"):
        nacho.read(tmp_path / "a.mtx")
    for name in ("a.npz", "a.tns.gz"):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(nacho.FileError, match=name):
            nacho.read(tmp_path / name)
    with gzip.open(tmp_path / "b.tns.gz", "wb") as file:
        file.write(b"1 1 1\n" * 1000)
    whole = (tmp_path / "b.tns.gz").read_bytes()
    middle = len(whole) // 2
    for bad in (
        b"text",
        whole[:middle],
        whole[:middle] + bytes(9) + whole[middle + 9 :],
    ):
        for name in ("c.tns.gz", "c.mtx.gz"):
            (tmp_path / name).write_bytes(bad)
            with pytest.raises(nacho.FileError, match=name):
                nacho.read(tmp_path / name)
    (tmp_path / "d.mtx").mkdir()
    with pytest.raises(IsADirectoryError):
        nacho.read(tmp_path / "d.mtx")


def test_binsparse_needs_its_package(tmp_path, monkeypatch):
    (tmp_path / "a.bsp.h5").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "binsparse", None)
    with pytest.raises(nacho.FileError, match="pip install binsparse h5py"):
        nacho.read(tmp_path / "a.bsp.h5")


def test_bad_binsparse(tmp_path):
    require(".bsp.h5")
    (tmp_path / "a.bsp.h5").write_bytes(b"nothing of the kind")
    with pytest.raises(nacho.FileError, match=r"a\.bsp\.h5' cannot be read"):
        nacho.read(tmp_path / "a.bsp.h5")
    with pytest.raises(nacho.FileError, match="are matrices, csr, csc"):
        nacho.write(tmp_path / "t.bsp.h5", T)


# --- asarray --------------------------------------------------------------------------


def test_asarray_shares_memory():
    found = nacho.asarray(A)
    assert np.shares_memory(found.values, A.data)
    assert found.format == nacho.Format("csr")
    assert nacho.asarray(found) is found
    dense = A.toarray()
    assert np.shares_memory(nacho.asarray(dense).values, dense)
    assert nacho.asarray([[1, 2], [3, 4]], "coo").nnz == 4
    assert isinstance(nacho.evaluate("Z[i,j] = T[i,j]", T=found), nacho.Tensor)


def test_asarray_sorts_and_sums():
    given = sp.coo_array(([1.0, 2, 3], ([1, 0, 1], [0, 1, 0])), shape=(2, 2))
    found = nacho.asarray(given)
    np.testing.assert_array_equal(found.coords, [[0, 1], [1, 0]])
    np.testing.assert_array_equal(found.values, [2, 4])
    for wrong in (np.array(["text"]), 5, np.float64(2)):
        with pytest.raises(nacho.NachoError):
            nacho.asarray(wrong)


def test_astype():
    with pytest.raises(nacho.DTypeError, match="wat"):
        nacho.asarray(A).astype("wat")
    found = nacho.asarray(A).astype(np.float32)
    assert found.dtype == np.float32
    assert np.shares_memory(found.crd[1], A.indices)
    np.testing.assert_array_equal(found.to_dense(), A.toarray().astype(np.float32))


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("shape", [(50, 40), (1, 1), (3, 0), (4000, 3)])
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_parts_of_archives(tmp_path, monkeypatch, format, shape, is_packed):
    matrix = sp.random_array(shape, density=0.2, format="lil", rng=rng)
    matrix[2:9] = 0
    matrix = matrix.asformat(format)
    sp.save_npz(tmp_path / "a.npz", matrix, compressed=is_packed)
    monkeypatch.setattr(archives, "CHUNK", 40)
    head = ranges.head_of(str(tmp_path / "a.npz"))
    assert (head.is_divisible, head.shape, head.end) == (True, shape, matrix.nnz)
    for count in (1, 3, 7):
        bounds = [matrix.nnz * n // count for n in range(count + 1)]
        parts = [
            ranges.read_range(head, begin, end, None, None)
            for begin, end in itertools.pairwise(bounds)
        ]
        coords = np.concatenate([part.coords for part in parts], axis=1)
        assert coords.dtype == np.int32
        np.testing.assert_array_equal(coords, matrix.tocoo().coords)
        values = np.concatenate([part.values for part in parts])
        np.testing.assert_array_equal(values, matrix.tocoo().data)
