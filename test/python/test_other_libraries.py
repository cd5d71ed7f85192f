"""Operands of other libraries than SciPy and PyTorch: PyData's sparse, and DLPack."""

import numpy as np
import pytest

import nacho
from libraries import needed
from nacho._kernels.loading import load
from nacho._storage.containers import view_of
from nacho._storage.operand_types import tensor_type
from nacho._storage.operands import arguments
from nacho._storage.views import DLPACK

SUM = "Z[i,j] = A[i,j] + B[i,j]"


def loaded(container, notes):
    view = view_of("A", container, len(container.shape))
    return load("A", container, view, tensor_type("A", view), "safe", notes)


def address(array):
    return array.__array_interface__["data"][0]


def dense(*shape, seed=0, density=0.2, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return (rng.integers(1, 9, shape) * (rng.random(shape) < density)).astype(dtype)


# --- DLPack ---------------------------------------------------------------------------


class Exchanged:
    """An array of some library that lets others use its memory."""

    def __init__(self, array, device=(1, 0)):
        self.array = array
        self.shape, self.ndim = array.shape, array.ndim
        self.device = device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def test_dlpack_in_place():
    D, notes = dense(4, 3), []
    view = loaded(Exchanged(D), notes)
    assert (address(view.values), view.library) == (D.ctypes.data, DLPACK)
    assert address(loaded(Exchanged(D.T), notes).values) == D.ctypes.data
    assert notes == []


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i8", "u1", "?", "c8", "c16"])
def test_dlpack_operands(dtype):
    D, x = dense(4, 3, dtype=dtype), dense(3, seed=1, dtype=dtype)
    kernel = nacho.mlir.compile("y[i] = D[i,j] * x[j]", {"D": "dense", "x": "dense"})
    for _ in range(2):
        y = kernel(Exchanged(D), Exchanged(x))
        assert type(y) is np.ndarray
        assert (y == D @ x).all()
        D += D


def test_dlpack_of_constants():
    D = dense(4, 3)
    D.flags.writeable = False
    found = nacho.evaluate("Z[i,j] = 2 * D[i,j]", D=Exchanged(D))
    assert (found == 2 * D).all()


def test_dlpack_numbers():
    D, two = dense(4, 3), Exchanged(np.array(2.0))
    assert (nacho.evaluate("Z[i,j] = t * D[i,j]", D=D, t=two) == 2 * D).all()
    with pytest.raises(nacho.ShapeError, match="operand 't' has rank 2"):
        nacho.evaluate("Z[i,j] = t * D[i,j]", D=D, t=Exchanged(D))


def test_dlpack_that_is_refused():
    on_device = Exchanged(dense(4, 3), device=(7, 0))
    with pytest.raises(nacho.UnsupportedError, match=r"operand 'A'.*not in the memory"):
        view_of("A", on_device, 2)

    class Broken(Exchanged):
        def __dlpack__(self, **options):
            raise BufferError("bits of 12")

    with pytest.raises(nacho.DTypeError, match=r"operand 'A'.*bits of 12"):
        view_of("A", Broken(dense(4, 3)), 2)


# --- PyData's sparse ------------------------------------------------------------------


@pytest.fixture(scope="module")
def sparse():
    return needed("sparse")


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_coo(sparse, rank):
    shape, letters = range(3, 3 + rank), ",".join("ijkl"[:rank])
    (one, other), notes = (dense(*shape, seed=seed) for seed in (1, 2)), []
    A, B = sparse.COO(one), sparse.COO(other)
    pos, *crd, values = arguments(loaded(A, notes))[: 2 + rank]
    assert pos.tolist() == [0, A.nnz]
    assert [address(row) for row in crd] == [address(row) for row in A.coords]
    assert values is A.data
    assert notes == []
    Z = nacho.evaluate(f"Z[{letters}] = A[{letters}] + B[{letters}]", A=A, B=B)
    assert isinstance(Z, sparse.COO)
    assert (Z.todense() == one + other).all()


@pytest.mark.parametrize("axis", [0, 1])
def test_gcxs(sparse, axis):
    (one, other), notes = (dense(6, 5, seed=seed) for seed in (1, 2)), []
    A, B = (sparse.GCXS(each, compressed_axes=(axis,)) for each in (one, other))
    view = loaded(A, notes)
    assert arguments(view)[:3] == [A.indptr, A.indices, A.data]
    assert notes == []
    Z = nacho.evaluate(SUM, A=A, B=B)
    assert isinstance(Z, sparse.GCXS)
    assert Z.compressed_axes == (axis,)
    assert (Z.todense() == one + other).all()


def test_gcxs_of_other_ranks(sparse):
    v, cube, notes = dense(9), dense(3, 4, 5, seed=1), []
    assert arguments(loaded(sparse.GCXS(v), notes))[2].tolist() == v[v != 0].tolist()
    assert notes == []
    found = nacho.evaluate("Z[i] = 2 * A[i]", A=sparse.GCXS(v))
    assert (found.todense() == 2 * v).all()
    for axes in ((0,), (0, 2), (1,)):
        A = sparse.GCXS(cube, compressed_axes=axes)
        found = nacho.evaluate("Z[i,j,k] = 2 * A[i,j,k]", A=A)
        assert isinstance(found, sparse.COO)
        assert (found.todense() == 2 * cube).all()
        loaded(A, notes)
    assert notes == ["A: GCXS of rank 3 converted to COO"] * 3


def test_results_in_sparse(sparse):
    A, x = sparse.GCXS(dense(6, 5)), dense(5, seed=1)
    y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)
    assert type(y) is np.ndarray
    assert (y == A.todense() @ x).all()
    assert nacho.evaluate("s = A[i,j]", A=A) == A.todense().sum()
    made = nacho.evaluate("Z[i,j] = A[i,j]", A=A, out="dcsr")
    assert isinstance(made, nacho.Tensor)
    trusted = nacho.evaluate("Z[i,j] = A[i,j]", A=A, out="coo", validate="none")
    assert (trusted.todense() == A.todense()).all()


def test_operands_are_checked_once(sparse, monkeypatch):
    A, B = sparse.COO(dense(6, 5)), sparse.GCXS(dense(6, 5, seed=1))
    text = "Z[i,j] = A[i,j] * B[i,j]"
    first = nacho.evaluate(text, A=A, B=B)
    nacho.evaluate(text, A=first, B=B)
    monkeypatch.setattr("nacho._kernels.canonical.has_canonical_entries", None)
    again = nacho.evaluate(text, A=A, B=B)
    nacho.evaluate(text, A=again, B=B)


def test_what_sparse_has_that_is_refused(sparse):
    filled = sparse.COO(dense(4, 3), fill_value=1.0)
    with pytest.raises(nacho.UnsupportedError, match=r"operand 'A': fill_value is 1"):
        view_of("A", filled, 2)
    with pytest.raises(nacho.UnsupportedError, match=r"convert it with A.to_coo\(\)"):
        view_of("A", sparse.DOK(dense(4, 3)), 2)
    wrong = sparse.COO(dense(4, 3))
    wrong.coords[1, 0] = 9
    with pytest.raises(nacho.OperandError, match=r"operand 'A': coords\[1\]\[0\] = 9"):
        nacho.evaluate("Z[i,j] = A[i,j]", A=wrong)
