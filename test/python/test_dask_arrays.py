"""Tensors in pieces of Dask's arrays and of delayed blocks, and the way back."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import same
from libraries import needed

distributed = needed("distributed")
dask = needed("dask")
import dask.array as da  # noqa: E402

import nacho.dask as nd  # noqa: E402


@pytest.fixture(scope="module")
def client():
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


pytestmark = pytest.mark.usefixtures("client")


def random_array(shape=(23, 17), density=0.3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random(shape) * (rng.random(shape) < density)


def chunked(array, chunks, kind):
    """Return a Dask array whose chunks are of a kind, without elements that are 0."""
    return da.from_array(array, chunks).map_blocks(kind, dtype=array.dtype)


def check(found, array, format="csr") -> None:
    tensor = nacho.asarray(found.compute())
    assert str(found.format) == format
    assert found.shape == array.shape
    np.testing.assert_array_equal(tensor.to_dense(), array)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("chunks", [(5, 17), (6, 4), (23, 17), (1, 17)])
def test_chunks_of_scipy(kind, chunks):
    array = random_array()
    found = nd.from_array(chunked(array, chunks, kind))
    check(found, array)
    expected = sp.csr_array(array)
    whole = found.compute()
    assert isinstance(whole, sp.csr_array)
    np.testing.assert_array_equal(whole.indptr, expected.indptr)
    np.testing.assert_array_equal(whole.indices, expected.indices)
    assert found.nnz == expected.nnz


@pytest.mark.parametrize("format", ["csr", "dense"])
@pytest.mark.parametrize("chunks", [(1, 17), (2, 3)])
def test_many_small_chunks_are_joined(chunks, format):
    """Two workers have eight pieces or a few more, however many chunks there are."""
    array = random_array((61, 17))
    array[7:20] = 0
    kind = sp.csr_array if format == "csr" else np.asarray
    found = nd.from_array(chunked(array, chunks, kind))
    assert 2 <= found.npieces <= 16
    check(found, array, format)
    text = "Z[i,j] = A[i,j] * 2 + B[i,j]"
    sparse = sp.csr_array(array)
    out = nd.evaluate(text, A=found, B=sparse, out="csr", parts=5).compute()
    expected = nacho.evaluate(text, A=kind(array), B=sparse, out="csr", parts=5)
    assert same(out, expected)


def test_joined_chunks_have_values_of_one_type():
    """No value becomes one of another type on its way: 2**53 + 1 is no float64."""
    blocks = [sp.csr_array(np.array([[2**53 + 1]])) for _ in range(30)]
    blocks[4] = sp.csr_array(np.array([[1.0]]))
    found = nd.from_delayed([dask.delayed(each) for each in blocks], dtype="int64")
    assert found.npieces < 30
    assert found.compute().sum() == 29 * (2**53 + 1) + 1


def test_chunks_of_some_size_are_not_joined():
    rows = [sp.csr_array(np.ones((1, 100_000))), *[sp.csr_array((1, 100_000))] * 40]
    found = nd.from_delayed([dask.delayed(each) for each in rows * 2])
    sizes = np.diff(found._pieces.positions[:, -1])
    assert sizes.max() == 100_000


def test_rows_in_order_are_not_sorted():
    array = random_array()
    array[5:15] = 0
    found = nd.from_array(chunked(array, (5, 17), sp.csr_array))
    # Each chunk is a piece, and two of them are empty.
    assert found.npieces == 5
    sizes = np.diff(found._pieces.positions[:, -1])
    wanted = [np.count_nonzero(array[row : row + 5]) for row in range(0, 23, 5)]
    assert sizes.tolist() == wanted
    check(found, array)
    assert nd.from_array(chunked(array, (5, 17), sp.csr_array), pieces=3).npieces == 3


def test_matrices_of_scipy_stay_matrices():
    array = random_array()
    whole = nd.from_array(chunked(array, (9, 17), sp.csr_matrix)).compute()
    assert isinstance(whole, sp.csr_matrix)
    np.testing.assert_array_equal(whole.toarray(), array)


@pytest.mark.parametrize("chunks", [(5, 17), (6, 4)])
def test_chunks_of_numpy(chunks):
    array = random_array()
    found = nd.from_array(da.from_array(array, chunks))
    check(found, array, "dense")
    assert isinstance(found.compute(), np.ndarray)
    check(nd.from_array(da.from_array(array, chunks), "csf"), array, "dcsr")


@pytest.mark.parametrize("rows", [(2, 3), (0, 2, 0, 0, 3, 0)])
@pytest.mark.parametrize("parts", [1, 2, 4, 7])
def test_parts_that_end_where_a_chunk_of_numpy_begins(rows, parts):
    """A cut in the first row of a chunk asks the piece before for that row, too."""
    array = random_array((5, 4), density=0.6)
    given = {"D": 1 + array, "A": sp.csr_array(array)}
    text = "Z[i,j] = D[i,j] * A[i,j]"
    pieces = nd.from_array(da.from_array(given["D"], (rows, (0, 4))))
    assert pieces.npieces == 2
    found = nd.evaluate(text, D=pieces, A=given["A"], parts=parts).compute()
    expected = nacho.evaluate(text, **given, parts=parts)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_chunks_of_numpy_without_elements():
    for shape in ((0, 4), (3, 0), (0, 0)):
        pieces = nd.from_array(da.zeros(shape, chunks=(1, 2)))
        assert pieces.compute().shape == shape


@pytest.mark.parametrize("dtype", ["u2", "u4", "f2"])
def test_tensors_of_types_that_are_read_as_others(dtype):
    coords, values = ([0, 2, 2], [1, 0, 3]), np.arange(3, dtype=dtype)
    A = nacho.Tensor.from_coo(coords, values)
    if dtype != "f2":  # SciPy has no half floats.
        A = sp.csr_array((values, coords))
    text = "Z[i,j] = A[i,j] + A[i,j]"
    found = nd.evaluate(text, A=nd.from_tensor(A, pieces=2)).compute()
    expected = nacho.evaluate(text, A=A)
    assert found.dtype == expected.dtype
    assert same(found, expected)


def test_dense_tensors_and_vectors():
    array = random_array((7, 5, 6))
    check(nd.from_array(da.from_array(array, (3, 2, 4))), array, "dense")
    check(nd.from_array(da.from_array(array, (3, 2, 4)), "coo"), array, "coo")
    check(nd.from_array(da.from_array(array[0, 0], 4)), array[0, 0], "dense")
    vector = nd.from_array(da.from_array(array[:, 0, 0], 3))
    matrix = nd.from_array(chunked(array[:, 0].T.copy(), (2, 7), sp.csr_array))
    product = nd.evaluate("y[i] = A[i,j] * x[j]", A=matrix, x=vector)
    expected = array[:, 0].T @ array[:, 0, 0]
    np.testing.assert_allclose(product.compute(), expected)


def test_chunks_of_pydata():
    sparse = needed("sparse")
    array = random_array((7, 5, 6))
    found = nd.from_array(chunked(array, (3, 2, 4), sparse.COO.from_numpy))
    check(found, array, "coo")


def test_delayed_blocks():
    array = random_array()
    parts = [sp.csr_array(array[:6]), sp.coo_array(array[6:6]), array[6:]]
    blocks = [dask.delayed(part) for part in parts]
    check(nd.from_delayed(blocks, (None, 17)), array)
    check(nd.from_delayed(blocks, dtype=np.complex128), array.astype(complex))
    futures = distributed.default_client().scatter([array[:6], array[6:]])
    check(nd.from_delayed(futures, array.shape), array, "dense")


def raised(kind, match, make, *args, **options) -> None:
    with pytest.raises(kind, match=match):
        make(*args, **options).compute()


@pytest.mark.parametrize("block", ["text", None, 2.5])
def test_chunks_that_are_no_arrays(block):
    made = da.zeros((4, 3), chunks=(2, 3)).map_blocks(lambda _: block, dtype=float)
    with pytest.raises(nacho.NachoError, match="operand 'block'") as error:
        nd.from_array(made).compute()
    assert "of piece" in error.value.__notes__[0]


def test_errors():
    array = random_array()
    blocks = [dask.delayed(sp.csr_array(array[:, :n])) for n in (17, 16)]
    raised(
        nacho.ShapeError, r"block 1 has the shape \(23, 16\)", nd.from_delayed, blocks
    )
    raised(nacho.ShapeError, "together", nd.from_delayed, blocks[:1], (9, None))
    raised(nacho.ShapeError, "together", nd.from_delayed, blocks[:1], (23,))
    raised(nacho.ArgumentError, "not csr_array", nd.from_delayed, [sp.csr_array(array)])
    raised(nacho.ArgumentError, "one block or more", nd.from_delayed, [])
    raised(nacho.ArgumentError, "from_tensor", nd.from_array, array)
    raised(nacho.ArgumentError, "a dimension", nd.from_array, da.sum(da.ones(3)))
    dense = da.from_array(array, (9, 17))
    raised(nacho.OptionError, "pieces", nd.from_array, dense, pieces=2)
    sparse = chunked(array, (9, 17), sp.csr_array)
    raised(nacho.UnsupportedError, "not put into", nd.from_array, sparse, "dense")
    unsigned = chunked(array.astype(np.uint64), (9, 17), sp.csr_array)
    raised(TypeError, "uint64", nd.from_array, unsigned)


# --- Back to Dask's arrays ------------------------------------------------------------


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "dense"])
@pytest.mark.parametrize("pieces", [1, 4, 60])
def test_dask_arrays_have_whole_rows(format, pieces):
    array = random_array((9, 6))
    array[4], array[5:8] = 1, 0
    tensor = nd.from_tensor(nacho.asarray(array, format), pieces=pieces)
    found = tensor.to_dask_array()
    assert found.shape == array.shape
    assert found.dtype == array.dtype
    chunks = dask.compute(*found.to_delayed().ravel().tolist())
    kind = np.ndarray if format == "dense" else sp.csr_array
    assert all(isinstance(chunk, kind) for chunk in chunks)
    assert [chunk.shape[0] for chunk in chunks] == list(found.chunks[0])
    rows = [chunk if format == "dense" else chunk.toarray() for chunk in chunks]
    np.testing.assert_array_equal(np.vstack(rows), array)
    if pieces == 4:
        assert len(chunks) > 1
    again = nd.from_array(found)
    check(again, array, "dense" if format == "dense" else "csr")


def test_a_heavy_row_is_one_chunk():
    array = np.zeros((5, 40))
    array[2] = 1
    tensor = nd.from_tensor(sp.csr_array(array), pieces=6)
    found = tensor.to_dask_array()
    assert found.chunks[0] == (2, 3)
    np.testing.assert_array_equal(
        found.map_blocks(lambda x: x.toarray(), dtype=float, meta=np.empty((0, 0))),
        array,
    )


def test_other_dask_arrays():
    empty = nd.from_tensor(sp.csr_array((0, 4)), pieces=3).to_dask_array()
    assert empty.compute().shape == (0, 4)
    number = nd.evaluate("s = sum(i, x[i])", x=np.ones(4)).to_dask_array()
    assert number.compute() == 4
    cube = nacho.Tensor.from_coo(np.zeros((3, 1), int), [1.0], shape=(2, 2, 2))
    with pytest.raises(nacho.UnsupportedError, match="of 3 dimensions"):
        nd.from_tensor(cube).to_dask_array()


def test_html_has_a_bar_for_each_piece():
    array = np.ones((6, 4))
    tensor = nd.from_tensor(sp.csr_array(array), pieces=3).persist()
    text = tensor._repr_html_()
    assert text.count('class="bar"') == 3
    assert "nacho.dask.Tensor" in text
    assert "tcp://" in text
    workers = distributed.default_client().who_has(list(tensor._pieces.handles))
    assert all(name in text for names in workers.values() for name in names)
    failed = nd.from_delayed([dask.delayed(np.ones)((2, 2))], shape=(3, 3))
    with pytest.raises(nacho.ShapeError):
        failed.compute()
    assert "ShapeError" in failed._repr_html_()
