"""PyTorch's tensors as operands and as results, on the host."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed
from nacho._kernels.loading import load
from nacho._nacho import SANITIZER
from nacho._storage.containers import view_of
from nacho._storage.operand_types import tensor_type
from nacho._storage.operands import arguments
from nacho._storage.views import NUMPY, TORCH

if SANITIZER != "none":
    pytest.skip("PyTorch is not made for sanitizers", allow_module_level=True)
torch = needed("torch")

# PyTorch says once per process that its csr is in beta.
pytestmark = pytest.mark.filterwarnings("ignore:Sparse CS. tensor support")

NAMES = {
    "sparse_coo": ("indices",),
    "sparse_csr": ("crow_indices", "col_indices"),
    "sparse_csc": ("ccol_indices", "row_indices"),
}
"""The index tensors of each layout."""
LAYOUTS = tuple(NAMES)
DTYPES = (
    torch.float32,
    torch.float64,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.bool,
    torch.complex64,
    torch.complex128,
)
SUM = "Z[i,j] = A[i,j] + B[i,j]"


def dense(*shape, seed=0, density=0.2, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    kept = rng.random(shape) < density
    values = rng.integers(1, 9, shape) * kept
    return torch.from_numpy(values).to(dtype)


def sparse(layout, *shape, **options):
    return dense(*shape, **options).to_sparse(layout=getattr(torch, layout))


def repeated():
    """A coo whose entries are unsorted, and of which one occurs twice."""
    where = torch.tensor([[1, 0, 1, 0], [2, 1, 2, 0]])
    values = torch.tensor([1.0, 2.0, 3.0, 4.0])
    return torch.sparse_coo_tensor(where, values, (2, 3), check_invariants=False)


def loaded(container, notes):
    view = view_of("A", container, container.dim())
    return load("A", container, view, tensor_type("A", view), "safe", notes)


def check_invariants(made):
    """Let PyTorch check what it was told not to check."""
    layout = str(made.layout).removeprefix("torch.")
    arrays = [getattr(made, name)() for name in (*NAMES[layout], "values")]
    make = getattr(torch, f"{layout}_tensor")
    make(*arrays, made.shape, check_invariants=True)


def address(array):
    return array.__array_interface__["data"][0]


# --- In place -------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["sparse_csr", "sparse_csc"])
def test_compressed_operands_are_used_in_place(layout):
    A, notes = sparse(layout, 6, 5), []
    view = loaded(A, notes)
    pos, crd, values, *extents = arguments(view)
    used = [getattr(A, name)().data_ptr() for name in NAMES[layout]]
    assert [address(pos), address(crd)] == used
    assert address(values) == A.values().data_ptr()
    assert extents == ([6, 5] if layout == "sparse_csr" else [5, 6])
    assert view.library == TORCH
    assert notes == []


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_coo_operands_are_used_in_place(rank):
    A, notes = sparse("sparse_coo", *range(3, 3 + rank)), []
    assert A.is_coalesced()
    pos, *crd, values = arguments(loaded(A, notes))[: 2 + rank]
    assert pos.tolist() == [0, A.values().numel()]
    assert [address(row) for row in crd] == [row.data_ptr() for row in A.indices()]
    assert address(values) == A.values().data_ptr()
    assert notes == []


def test_dense_operands_are_used_in_place():
    D, notes = dense(4, 3), []
    for each in (D, D.T):
        assert address(loaded(each, notes).values) == D.data_ptr()
    assert notes == []
    assert loaded(D[:, ::2], notes).values.flags.owndata
    assert notes == ["A: the array is not contiguous and aligned: copied"]


def test_conjugates_are_copied():
    D, notes = dense(4, 3, dtype=torch.complex128) * (1 + 2j), []
    assert (torch.from_numpy(loaded(D.conj(), notes).values) == D.conj()).all()
    assert notes == ["A: the array is conjugated or negated when it is read: copied"]


def test_operands_are_checked_once(monkeypatch):
    """Index tensors are new objects in each call, but the same memory."""
    A, B = sparse("sparse_coo", 6, 5, seed=1), sparse("sparse_csr", 6, 5, seed=2)
    kernel = nacho.mlir.compile(SUM, formats={"A": "coo", "B": "csr"})
    first = kernel(A, B)
    text = "Z[i,j] = A[i,j] * B[i,j]"
    nacho.evaluate(text, A=first, B=A)
    monkeypatch.setattr("nacho._kernels.canonical.has_canonical_entries", None)
    assert (kernel(A, B).to_dense() == first.to_dense()).all()
    # Results are known to be canonical.
    nacho.evaluate(text, A=kernel(A, B), B=A)


def test_memory_is_not_kept():
    A = sparse("sparse_coo", 6, 5)
    nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A)
    known = weakref.ref(A)
    del A
    gc.collect()
    assert known() is None


# --- Results --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_results(layout, dtype):
    A, B = (sparse(layout, 20, 30, seed=seed, dtype=dtype) for seed in (1, 2))
    Z = nacho.evaluate(SUM, A=A, B=B)
    assert Z.layout == getattr(torch, layout)
    assert Z.dtype == dtype
    assert (Z.to_dense() == A.to_dense() + B.to_dense()).all()
    if layout == "sparse_coo":
        assert Z.is_coalesced()
        assert not nacho.evaluate(SUM, A=A, B=B, validate="none").is_coalesced()
    check_invariants(Z)


@pytest.mark.parametrize("rank", [1, 3, 4])
def test_results_of_any_rank(rank):
    shape, letters = range(3, 3 + rank), ",".join("ijkl"[:rank])
    A, B = (sparse("sparse_coo", *shape, seed=seed) for seed in (1, 2))
    Z = nacho.evaluate(f"Z[{letters}] = A[{letters}] + B[{letters}]", A=A, B=B)
    assert Z.layout == torch.sparse_coo
    assert (Z.to_dense() == A.to_dense() + B.to_dense()).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_products(layout):
    A, B = sparse(layout, 20, 30, seed=1), sparse(layout, 30, 10, seed=2)
    Z = nacho.evaluate("Z[i,k] = A[i,j] * B[j,k]", A=A, B=B)
    assert Z.layout in (torch.sparse_coo, torch.sparse_csr)
    check_invariants(Z)
    assert (Z.to_dense() == A.to_dense() @ B.to_dense()).all()
    assert (nacho.einsum("ij,jk->ik", A, B).to_dense() == Z.to_dense()).all()


def test_int32_indices():
    A = sparse("sparse_csr", 20, 30)
    narrow = [each.int() for each in (A.crow_indices(), A.col_indices())]
    A32 = torch.sparse_csr_tensor(*narrow, A.values(), A.shape, check_invariants=False)
    Z = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A32)
    assert Z.crow_indices().dtype == Z.col_indices().dtype == torch.int32
    in_coo = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A32, out="coo")
    assert in_coo.indices().dtype == torch.int64
    assert (in_coo.to_dense() == 2 * A.to_dense()).all()


def test_formats_without_a_layout():
    Z = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=sparse("sparse_csr", 6, 5), out="dcsr")
    assert isinstance(Z, nacho.Tensor)


def test_dense_results_and_numbers():
    A, x = sparse("sparse_csr", 20, 30), dense(30, seed=3)
    y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)
    assert isinstance(y, torch.Tensor)
    assert (y == A.to_dense() @ x).all()
    total = nacho.evaluate("s = A[i,j]", A=A)
    assert isinstance(total, torch.Tensor)
    assert total.shape == ()
    assert total == A.to_dense().sum()
    D = dense(4, 3)
    assert (nacho.evaluate("Z[j,i] = D[i,j]", D=D) == D.T).all()


def test_libraries_of_results():
    """The first sparse operand decides; where that is Nacho's, a dense one does."""
    A, x = sparse("sparse_csr", 20, 30), dense(30, seed=3)
    text = "y[i] = A[i,j] * x[j]"
    in_scipy = sp.csr_array(A.to_dense().numpy())
    wanted = A.to_dense() @ x
    for matrix, vector, kind in (
        (A, x.numpy(), torch.Tensor),
        (in_scipy, x, np.ndarray),
        (nacho.Tensor.from_dense(A.to_dense().numpy(), "csr"), x, torch.Tensor),
        (A.to_dense(), x.numpy(), torch.Tensor),
    ):
        y = nacho.evaluate(text, A=matrix, x=vector)
        assert type(y) is kind
        assert (torch.as_tensor(y) == wanted).all()
    mixed = nacho.evaluate(SUM, A=in_scipy, B=A)
    assert isinstance(mixed, sp.csr_array)
    assert isinstance(nacho.evaluate(SUM, A=A, B=in_scipy), torch.Tensor)


def test_numbers_as_operands():
    A = sparse("sparse_csr", 6, 5, dtype=torch.float32)
    text = "Z[i,j] = t * A[i,j]"
    Z = nacho.evaluate(text, A=A, t=torch.tensor(2.0, requires_grad=True))
    assert Z.dtype == torch.float32
    assert (Z.to_dense() == 2 * A.to_dense()).all()
    wide = nacho.evaluate(text, A=A, t=torch.tensor(2.0, dtype=torch.float64))
    assert wide.dtype == torch.float64
    with pytest.raises(nacho.NachoError, match="operand 't' has rank 1"):
        nacho.evaluate(text, A=A, t=torch.ones(2))
    narrow = nacho.evaluate(text, A=A, t=torch.tensor(2.0, dtype=torch.bfloat16))
    assert (narrow.to_dense() == Z.to_dense()).all()
    with pytest.raises(nacho.NachoError, match=r"operand 't'.*float8"):
        nacho.evaluate(text, A=A, t=torch.tensor(2.0, dtype=torch.float8_e5m2))


def test_gradients_are_not_recorded():
    A = sparse("sparse_csr", 6, 5).requires_grad_()
    x = torch.nn.Parameter(dense(5))
    y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)
    assert not y.requires_grad
    assert (y == (A @ x).detach()).all()


# --- Entries that are not canonical ---------------------------------------------------


@pytest.mark.parametrize("validate", ["safe", "full", "none"])
def test_repeated_entries_are_summed(validate):
    A, wanted = repeated(), repeated().to_dense()
    kernel = nacho.mlir.compile(
        "Z[i,j] = 2 * A[i,j]", formats={"A": "coo"}, validate=validate
    )
    for factor in (2, 4):
        assert (kernel(A).to_dense() == factor * wanted).all()
        A._values().mul_(2)
    assert not A.is_coalesced()
    note = "A: entries sorted into a private copy, 1 duplicates summed"
    assert note in kernel.explain(A)


def test_replaced_entries():
    """PyTorch changes sparse tensors by giving them other arrays."""
    A, B = sparse("sparse_coo", 6, 5, seed=1), sparse("sparse_coo", 6, 5, seed=2)
    wanted = A.to_dense() + B.to_dense()
    nacho.evaluate(SUM, A=A, B=B)
    A.add_(B)
    assert (nacho.evaluate("Z[i,j] = A[i,j]", A=A).to_dense() == wanted).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_wrong_coordinates(layout):
    A = sparse(layout, 6, 5)
    kernel = nacho.mlir.compile(
        "y[i] = A[i,j] * x[j]", formats={"A": layout[-3:], "x": "dense"}
    )
    x = dense(5)
    kernel(A, x)
    *_, name = NAMES[layout]
    getattr(A, name)()[..., -1] = 99
    with pytest.raises(nacho.OperandError, match=name):
        kernel(A, x)
    fresh = A.clone()
    with pytest.raises(nacho.OperandError, match=r"operand 'A'.*99 is out of range"):
        kernel(fresh, x)


# --- What is refused ------------------------------------------------------------------


def refusal(container, rank=2, error=nacho.UnsupportedError):
    with pytest.raises(error) as caught:
        view_of("A", container, rank)
    assert "operand 'A'" in str(caught.value)
    return str(caught.value)


def test_unsupported_layouts():
    D = dense(4, 4)
    hybrid = refusal(D.to_sparse(1))
    assert "dense_dim() = 1" in hybrid
    assert "A.to_dense().to_sparse()" in hybrid
    for made in (D.to_sparse_bsr((2, 2)), D.to_sparse_bsc((2, 2))):
        assert "blocks" in refusal(made)
        view_of("A", made.to_sparse(), 2)
    batch = torch.ones(2, 3, 4).to_sparse_csr()
    assert "batch" in refusal(batch, 3)
    assert refusal(batch, 2, nacho.ShapeError)


def test_unsupported_types():
    made = torch.ones(2, 2, dtype=torch.float8_e5m2)
    assert "float8_e5m2" in refusal(made, 2, nacho.DTypeError)


def test_types_that_are_widened():
    for given, wanted in ((torch.float16, torch.float32), (torch.uint16, torch.int32)):
        for made in (torch.full((2, 2), 3).to(given), sparse("sparse_coo", 4, 4)):
            found = nacho.evaluate("Z[i,j] = A[i,j]", A=made.to(given))
            assert found.dtype == wanted
            assert (found.to_dense() == made.to(wanted).to_dense()).all()


@pytest.mark.parametrize("layout", ["strided", *LAYOUTS])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_narrow_floats_are_read_as_float32(layout, dtype):
    A = (dense(5, 4) / 3).to(dtype)
    given = A if layout == "strided" else A.to_sparse(layout=getattr(torch, layout))
    x = torch.arange(4).to(dtype)
    text = "Z[i,j] = A[i,j] * x[j]"
    found = nacho.evaluate(text, A=given, x=x)
    assert found.layout == given.layout
    assert found.dtype == torch.float32
    assert (found.to_dense() == A.float() * x.float()).all()
    name = str(dtype).removeprefix("torch.")
    assert f"widened from {name} to float32" in nacho.explain(text, A=given, x=x)
    given.mul_(2)
    twice = nacho.evaluate(text, A=given, x=x)
    assert (twice.to_dense() == 2 * found.to_dense()).all()


def test_no_result_is_written_to_bfloat16():
    out = torch.zeros(5, 4, dtype=torch.bfloat16)
    with pytest.raises(nacho.UnsupportedError, match=r"out=.*bfloat16"):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=dense(5, 4), out=out)


def test_other_devices():
    message = refusal(torch.ones(2, 2, device="meta"))
    assert "on device 'meta'" in message
    assert "A.cpu()" in message


def test_kernels_for_other_formats():
    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", formats={"x": "dense"})
    A, x = dense(4, 4), dense(4)
    with pytest.warns(nacho.NachoWarning, match="operand 'A' is dense, but"):
        assert (kernel(A, x) == kernel(A.to_sparse_csr(), x)).all()
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j]", formats={"A": "dense"})
    with pytest.raises(nacho.NachoError, match=r"pass A.to_dense\(\)"):
        kernel(sparse("sparse_csr", 4, 4))


def test_plans():
    A, B = sparse("sparse_csr", 20, 30, seed=1), sparse("sparse_csr", 20, 30, seed=2)
    plan = nacho.mlir.compile(SUM).plan(A, B)
    doubled = 2 * A
    Z = plan.execute(doubled, B)
    assert (Z.to_dense() == doubled.to_dense() + B.to_dense()).all()


def test_dense_views_are_numpys_only_for_numpy():
    assert view_of("A", dense(2, 2).numpy(), 2).library == NUMPY
