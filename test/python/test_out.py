"""``out=`` of calls: results in arrays and containers that the caller gives."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import Tensor
from nacho._kernels.repetition import Repeatable

MATVEC = "y[i] = A[i,j] * x[j]"
UNION = "Z[i,j] = A[i,j] + B[i,j]"
PRODUCT = "Z[i,k] = A[i,j] * D[j,k]"
DENSE = {"A": "csr", "x": "dense", "y": "dense"}


def matrix(seed=0, shape=(40, 30), dtype=np.float64, density=0.2):
    rng = np.random.default_rng(seed)
    made = sp.random_array(shape, density=density, rng=rng, format="csr")
    made.data = rng.integers(1, 9, made.nnz).astype(dtype)
    return made


def vector(seed=1, size=30, dtype=np.float64):
    return np.random.default_rng(seed).integers(-9, 9, size).astype(dtype)


def copied(explanation):
    """Return what is said of copies."""
    text = str(explanation)
    return text[text.index("copies") : text.index("kernels")]


# --- Dense results --------------------------------------------------------------------


@pytest.mark.any_target
def test_a_dense_result_is_written_to_the_array():
    A, x, y = matrix(), vector(), np.full(40, np.nan)
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    for other in (x, 2 * x, 3 * x):
        y.fill(np.nan)
        assert kernel(A, other, out=y) is y
        assert np.array_equal(y, A @ other)
    assert np.array_equal(kernel(A, x), A @ x)
    assert nacho.evaluate(MATVEC, A=A, x=2 * x, out=y) is y
    assert np.array_equal(y, A @ (2 * x))
    assert nacho.einsum("ij,j->i", A, x, out=y) is y
    assert np.array_equal(y, A @ x)


@pytest.mark.any_target
@pytest.mark.parametrize("threads", [1, 4])
def test_plans_write_to_arrays(threads):
    A, x, y = matrix(), vector(), np.empty(40)
    plan = nacho.mlir.compile(MATVEC, DENSE).plan(A, x, threads=threads, parts=7)
    assert plan.execute(out=y) is y
    assert np.array_equal(y, A @ x)
    assert plan.execute(A, 2 * x, out=y) is y
    assert np.array_equal(y, A @ (2 * x))


@pytest.mark.any_target
def test_fortran_order_and_strides():
    A, D = matrix(), matrix(3, (30, 8)).toarray()
    wanted = A @ D
    rooms = {
        "C": np.empty((40, 8)),
        "F": np.empty((40, 8), order="F"),
        "strided": np.empty((40, 20))[:, 2:18:2],
        "reversed": np.empty((40, 8))[::-1],
        "swapped": np.empty((40, 8), ">f8"),
        "unaligned": np.frombuffer(bytearray(8 * 320 + 1), np.uint8)[1:]
        .view(np.float64)
        .reshape(40, 8),
    }
    kernel = nacho.mlir.compile(PRODUCT, {"A": "csr", "D": "dense", "Z": "dense"})
    for name, room in rooms.items():
        assert nacho.evaluate(PRODUCT, A=A, D=D, out=room) is room
        assert np.array_equal(room, wanted), name
        room.fill(0)
        assert kernel(A, D, out=room) is room
        assert np.array_equal(room, wanted), name


def test_explain_says_when_the_result_is_copied():
    A, x, y = matrix(), vector(), np.empty(40)
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    assert "none" in copied(kernel.explain(A, x, out=y))
    assert np.array_equal(y, A @ x)
    strided = np.empty(80)[::2]
    assert "out: not in the order" in copied(kernel.explain(A, x, out=strided))
    square = matrix(4, (30, 30))
    shared = copied(nacho.explain(MATVEC, A=square, x=x, out=x))
    assert "out: it shares memory with an operand" in shared
    there = copied(nacho.explain(MATVEC, A=A, x=x, out=y, target="cuda-sim"))
    assert "out: the result is copied from the memory of 'cuda-sim'" in there


def test_the_kernel_writes_in_place(monkeypatch):
    """A large result takes no memory besides that of the array."""
    size = 1 << 20
    x, y = np.ones(size), np.empty(size)
    nacho.evaluate("y[i] = 2 * x[i]", x=x, out=y, memory_limit=1 << 21)
    assert (y == 2).all()
    with pytest.raises(nacho.OutOfMemoryError):
        nacho.evaluate("y[i] = 2 * x[i]", x=x, memory_limit=1 << 21)


def test_repeated_calls_write_in_place(monkeypatch):
    A, x, y = matrix(), vector(), np.empty(40)
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    kernel(A, x, out=y)
    filled = []
    whole = Repeatable._filled

    def spy(self, operands, room):
        filled.append(whole(self, operands, room))
        return filled[-1]

    monkeypatch.setattr(Repeatable, "_filled", spy)
    assert kernel(A, 2 * x, out=y) is y
    assert filled[-1] is y
    assert np.array_equal(y, A @ (2 * x))
    strided = np.empty(80)[::2]
    assert kernel(A, 3 * x, out=strided) is strided
    assert filled[-1] is None
    assert np.array_equal(strided, A @ (3 * x))


@pytest.mark.parametrize("times", [1, 3])
def test_operands_that_share_memory_with_the_result(times):
    A, x = matrix(4, (30, 30)), vector()
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    kernel(A, np.ones(30))
    for _ in range(times):
        wanted = A @ x
        assert kernel(A, x, out=x) is x
        assert np.array_equal(x, wanted)
    both = np.arange(40.0)
    nacho.evaluate("y[i] = x[i] + 1", x=both[:30], out=both[10:])
    assert np.array_equal(both, [*range(10), *range(1, 31)])
    wanted = A.toarray() @ A.data[:30]
    nacho.evaluate(MATVEC, A=A, x=vector() * 0 + A.data[:30], out=A.data[:30])
    assert np.array_equal(A.data[:30], wanted)


@pytest.mark.any_target
def test_numbers_and_empty_results():
    A = matrix()
    room = np.zeros(())
    assert nacho.evaluate("s += A[i,j]", A=A, out=room) is room
    assert room == A.sum()
    empty = np.zeros((0, 3))
    D = np.ones((30, 3))
    made = nacho.evaluate(PRODUCT, A=sp.csr_array((0, 30)), D=D, out=empty)
    assert made is empty
    full = np.full((4, 3), 7.0)
    nacho.evaluate(PRODUCT, A=sp.csr_array((4, 0)), D=np.ones((0, 3)), out=full)
    assert not full.any()


@pytest.mark.parametrize("name", samples.DTYPES)
def test_every_type(name):
    dtype = samples.DTYPES[name]
    A = sp.csr_array(samples.sample(np.random.default_rng(5), (20, 30), dtype=name))
    room = np.zeros(A.shape, dtype)
    nacho.evaluate("Z[i,j] = A[i,j]", A=A, out=room)
    assert np.array_equal(room, A.toarray(), equal_nan=room.dtype.kind in "fc")


def test_the_format_follows_the_container():
    A, B = matrix(), matrix(1)
    wanted = (A + B).toarray()
    dense = np.empty((40, 30))
    assert nacho.evaluate(UNION, A=A, B=B, out=dense) is dense
    assert np.array_equal(dense, wanted)
    for format in ("csr", "csc", "coo"):
        room = (A + B).asformat(format)
        room.sum_duplicates()
        room.data[:] = 0
        assert nacho.evaluate(UNION, A=A, B=B, out=room) is room
        assert np.array_equal(room.toarray(), wanted)
    tensor = Tensor.from_dense(wanted, "dcsr")
    tensor.values[:] = 0
    assert nacho.evaluate(UNION, A=A, B=B, out=tensor) is tensor
    assert np.array_equal(tensor.to_dense(), wanted)
    assert nacho.evaluate(UNION, A=A, B=B, out="dense").shape == (40, 30)


def test_tensors_in_blocks_are_read():
    blocks = sp.bsr_array(sp.kron(matrix(0, (6, 5)), np.ones((2, 3))), blocksize=(2, 3))
    x, y = vector(1, 15), np.empty(12)
    assert nacho.evaluate(MATVEC, A=blocks, x=x, out=y) is y
    assert np.array_equal(y, blocks @ x)
    with pytest.raises(nacho.ShapeError, match=r"\(1,\), .* 'y' has shape \(12,\)"):
        nacho.evaluate(MATVEC, A=blocks, x=x, out=np.empty(1))
    with pytest.raises(nacho.DTypeError, match=r"out= is float32, .* 'y' is float64"):
        nacho.evaluate(MATVEC, A=blocks, x=x, out=np.empty(12, np.float32))
    with pytest.raises(nacho.UnsupportedError, match="no result can be written to it"):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=blocks, out=blocks.copy())


def test_an_operand_may_be_named_out():
    A = matrix()
    made = nacho.evaluate("Z[i,j] = 2 * out[i,j]", {"out": A})
    assert (made != 2 * A).nnz == 0
    kernel = nacho.mlir.compile("Z[i,j] = 2 * out[i,j]")
    assert (kernel(out=A) != 2 * A).nnz == 0
    assert (kernel.plan(out=A).execute(out=A) != 2 * A).nnz == 0


def test_torch():
    torch = pytest.importorskip("torch")
    A, x = matrix(), vector()
    y = torch.empty(40, dtype=torch.float64)
    assert nacho.evaluate(MATVEC, A=A, x=x, out=y) is y
    assert np.array_equal(y.numpy(), A @ x)
    there = torch.sparse_csr_tensor(A.indptr, A.indices, np.zeros(A.nnz), A.shape)
    assert nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out=there) is there
    assert np.array_equal(there.values().numpy(), 2 * A.data)
    with pytest.raises(nacho.UnsupportedError, match="gradients"):
        nacho.evaluate(MATVEC, A=A, x=x, out=y.requires_grad_())


# --- Sparse results -------------------------------------------------------------------


@pytest.mark.any_target
@pytest.mark.parametrize("threads", [1, 4])
def test_a_sparse_result_gives_its_values(threads):
    A, B = matrix(), matrix(1)
    kernel = nacho.mlir.compile(UNION)
    room = kernel(A, B, threads=threads)
    arrays = room.indptr, room.indices, room.data
    twice = 2 * A, 2 * B
    assert kernel(*twice, out=room, threads=threads) is room
    assert np.array_equal(room.toarray(), (2 * A + 2 * B).toarray())
    now = room.indptr, room.indices, room.data
    assert all(one is other for one, other in zip(arrays, now, strict=True))
    plan = kernel.plan(A, B)
    assert plan.execute(out=room) is room
    assert np.array_equal(room.toarray(), (A + B).toarray())


def test_a_result_may_be_its_own_operand():
    A = matrix()
    wanted = 3 * A.toarray()
    assert nacho.evaluate("Z[i,j] = 3 * A[i,j]", A=A, out=A) is A
    assert np.array_equal(A.toarray(), wanted)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_longer_arrays_and_other_index_types(index):
    A = matrix()
    data, indices = np.full(A.nnz + 9, -1.0), np.zeros(A.nnz + 9, index)
    indices[: A.nnz] = A.indices
    room = sp.csr_array(A.shape)
    room.indptr, room.indices, room.data = A.indptr.astype(index), indices, data
    nacho.evaluate("Z[i,j] = 3 * A[i,j]", A=A, out=room)
    assert np.array_equal(data[: A.nnz], 3 * A.data)
    assert (data[A.nnz :] == -1).all()


def test_another_pattern_is_refused_and_stays():
    A, B = matrix(), matrix(1)
    room = A.copy()
    before = room.data.copy()
    message = r"out= has another pattern than the result 'Z'.* it has \d+ entries"
    with pytest.raises(nacho.OperandError, match=message):
        nacho.evaluate(UNION, A=A, B=B, out=room)
    assert np.array_equal(room.data, before)
    moved = A.copy()
    row = int(np.flatnonzero(np.diff(A.indptr) < 30)[0])
    free = np.setdiff1d(np.arange(30), A[[row]].indices)[-1:]
    moved.indices[A.indptr[row] : A.indptr[row + 1]] = np.sort(
        np.append(A.indices[A.indptr[row] + 1 : A.indptr[row + 1]], free)
    )
    with pytest.raises(nacho.OperandError, match=r"indices\[\d+\] = \d+, that of the"):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out=moved)
    assert np.array_equal(moved.data, A.data)
    shifted = A[::-1].tocsr()
    shifted.sort_indices()
    with pytest.raises(nacho.OperandError, match=r"indptr\[\d+\] = "):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out=shifted)


# --- What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.empty(41), nacho.ShapeError, r"out= has shape \(41,\), .* 'y' has shape"),
        (np.empty((40, 1)), nacho.ShapeError, r"\(40, 1\), but the result 'y' has"),
        (np.empty(40, np.float32), nacho.DTypeError, "out= is float32, .* float64"),
        (np.empty(40, object), nacho.DTypeError, "object"),
        (sp.csr_array((40, 30)), nacho.ShapeError, "but the result 'y' has"),
        (np.broadcast_to(0.0, 40), nacho.OperandError, "out= is read-only"),
        (np.ma.masked_array(np.empty(40)), nacho.UnsupportedError, "masked"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_refused(out, error, message):
    A, x = matrix(), vector()
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    calls = [
        lambda: kernel(A, x, out=out),
        lambda: kernel.plan(A, x).execute(out=out),
        lambda: nacho.evaluate(MATVEC, A=A, x=x, out=out),
    ]
    for call in calls:
        with pytest.raises(error, match=message):
            call()


def test_no_container():
    A, x = matrix(), vector()
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    for out in ("dense", [0.0] * 40, nacho.Format("dense"), np.dtype("f8"), float):
        with pytest.raises(nacho.ArgumentError, match="out= is of type"):
            kernel(A, x, out=out)
    with pytest.raises(nacho.ArgumentError, match="no operand is named 'out'"):
        kernel.plan(A, x, out=np.empty(40))
    assert np.array_equal(kernel(A, x, out=None), A @ x)


def test_formats_that_differ():
    A, B = matrix(), matrix(1)
    kernel = nacho.mlir.compile(UNION)
    with pytest.raises(nacho.FormatError, match=r"out= is dense, .* 'Z' is csr"):
        kernel(A, B, out=np.empty((40, 30)))
    with pytest.raises(nacho.FormatError, match=r"out= is csc, .* 'Z' is csr"):
        kernel(A, B, out=(A + B).tocsc())


# --- Devices --------------------------------------------------------------------------


def test_arrays_of_a_device():
    A = Tensor.from_dense(matrix().toarray(), "csr").to("cuda-sim")
    x = Tensor.from_dense(vector(), "dense").to("cuda-sim")
    y = Tensor.from_dense(np.zeros(40), "dense").to("cuda-sim")
    at = y.values.native.address
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    for _ in range(3):
        assert kernel(A, x, out=y) is y
        assert y.values.native.address == at
        assert np.array_equal(y.to("cpu").values, matrix() @ vector())
    room = np.empty(40)
    assert kernel(A, x, out=room) is room
    assert np.array_equal(room, matrix() @ vector())
    assert kernel(A, x).device == "cuda-sim"
    there = nacho.evaluate(MATVEC, A=matrix(), x=vector(2), out=y, target="cuda-sim")
    assert there is y
    assert np.array_equal(y.to("cpu").values, matrix() @ vector(2))


def test_devices_are_refused():
    there = Tensor.from_dense(vector(), "dense").to("cuda-sim")
    A, square = matrix(), Tensor.from_dense(matrix(4, (30, 30)).toarray(), "csr")
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    with pytest.raises(nacho.DeviceError, match="out= is in the memory of 'cuda-sim'"):
        kernel(square, vector(), out=there)
    with pytest.raises(nacho.UnsupportedError, match="shares memory with an operand"):
        kernel(square.to("cuda-sim"), there, out=there)
    sparse = Tensor.from_dense(A.toarray(), "csr").to("cuda-sim")
    with pytest.raises(nacho.UnsupportedError, match="only dense results"):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out=sparse, target="cuda-sim")


@pytest.mark.host_only
@pytest.mark.parametrize("stride", [0, 4])
def test_arrays_whose_elements_share_memory(stride):
    A = sp.eye_array(4, format="csr")
    out = np.lib.stride_tricks.as_strided(np.zeros(8), (4,), (stride,), writeable=True)
    with pytest.raises(nacho.OperandError, match="share memory with each other"):
        nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=np.ones(4), out=out)


@pytest.mark.host_only
def test_calls_are_repeated_with_arrays_of_any_kind():
    class Converted:
        def __array__(self, dtype=None, copy=None):
            return np.arange(4.0)

    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"A": "csr"})
    A = sp.eye_array(4, format="csr")
    for _ in range(3):
        np.testing.assert_array_equal(kernel(A, Converted()), np.arange(4.0))
