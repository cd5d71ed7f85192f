"""Gradients of expressions in PyTorch: nacho.torch.evaluate."""

import subprocess
import sys

import numpy as np
import pytest

import nacho
from differentiable import CASES, SPARSE, operands
from libraries import needed
from nacho._nacho import SANITIZER

if SANITIZER != "none":
    pytest.skip("PyTorch is not made for sanitizers", allow_module_level=True)
torch = needed("torch")
import nacho.torch  # noqa: E402, what it imports may be missing

gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck

pytestmark = [
    # PyTorch says once per process that its csr is in beta, and that it checks nothing.
    pytest.mark.filterwarnings("ignore:Sparse (CS. tensor support|invariant checks)"),
]

LAYOUTS = (torch.sparse_csr, torch.sparse_coo)


def tensors(text, kind="smooth"):
    """Return dense operands that require gradients."""
    given = operands(text, kind, np.random.default_rng(len(text)))
    return {n: torch.tensor(each, requires_grad=True) for n, each in given.items()}


def function(text, names):
    """Return an expression as a function of its operands."""

    def compute(*given):
        return nacho.torch.evaluate(text, dict(zip(names, given, strict=True)))

    return compute


def values_of(sparse):
    return (sparse.coalesce() if sparse.layout == torch.sparse_coo else sparse).values()


def thinned(dense, layout, seed=1):
    """Return a sparse tensor with some of the elements of a dense one."""
    rng = np.random.default_rng(seed)
    kept = torch.from_numpy(rng.random(dense.shape) < 0.6)
    return (dense.detach() * kept).to_sparse(layout=layout)


def with_values(sparse, values):
    """Return a sparse tensor with the same entries, but other values."""
    if sparse.layout == torch.sparse_coo:
        where = sparse.coalesce().indices()
        return torch.sparse_coo_tensor(where, values, sparse.shape, is_coalesced=True)
    rows, columns = sparse.crow_indices(), sparse.col_indices()
    return torch.sparse_csr_tensor(rows, columns, values, sparse.shape)


# --- Against differences --------------------------------------------------------------


@pytest.mark.parametrize("text, kind", CASES)
def test_gradients_of_dense_operands(text, kind):
    given = tensors(text, kind)
    assert gradcheck(function(text, given), tuple(given.values()))


@pytest.mark.each_value
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("text, names", SPARSE)
def test_gradients_of_values_of_sparse_operands(text, names, layout):
    given = tensors(text)
    patterns = {name: thinned(given[name], layout) for name in names}
    inputs = {n: t for n, t in given.items() if n not in names}
    inputs |= {n: values_of(t).clone().requires_grad_() for n, t in patterns.items()}

    def compute(*values):
        every = dict(zip(inputs, values, strict=True))
        every |= {n: with_values(t, every[n]) for n, t in patterns.items()}
        made = nacho.torch.evaluate(text, every)
        return made if made.layout == torch.strided else values_of(made)

    assert gradcheck(compute, tuple(inputs.values()))


TWICE = (
    "Z[i,k] = A[i,j] * C[j,k]",
    "Z[i,j] = A[i,j] * A[j,i] / B[i,j]",
    "Z[i] = exp(sum(j, A[i,j] * x[j]))",
    "Z[i,j] = sigmoid(A[i,j])**3",
    "Z[i,j] = where(A[i,j] > 0, A[i,j]**2, B[i,j] * A[i,j])",
    "Z[i] = prod(j, A[i,j])",
    "z = sum(i, max(j, A[i,j] * A[i,j]))",
    "Z[i,j] = exp(A[i,j]) / sum(k, exp(A[i,k]))",
)


@pytest.mark.parametrize("text", TWICE)
def test_gradients_have_gradients(text):
    given = tensors(text)
    assert gradgradcheck(function(text, given), tuple(given.values()))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_gradients_of_sparse_operands_have_gradients(layout):
    """The same as of a dense operand, for its entries."""
    text = "y[i] = exp(A[i,j]) * A[i,j] * x[j]"
    given = tensors(text)
    x, sparse = given["x"], thinned(given["A"], layout).requires_grad_()
    dense = sparse.detach().to_dense().requires_grad_()
    where = dense.detach() != 0

    def twice(A, entries_of):
        y = nacho.torch.evaluate(text, A=A, x=x)
        first = torch.autograd.grad(y.square().sum(), (A, x), create_graph=True)
        loss = entries_of(first[0]).square().sum() + first[1].square().sum()
        return torch.autograd.grad(loss, (A, x))

    found = twice(
        sparse, lambda A: nacho.torch.evaluate("Z[i,j] = A[i,j]", A=A, out="dense")
    )
    wanted = twice(dense, lambda A: A * where)
    assert found[0].layout == layout
    torch.testing.assert_close(found[0].to_dense(), wanted[0] * where)
    torch.testing.assert_close(found[1], wanted[1])


# --- Sparse gradients -----------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize(
    "text",
    ["y[i] = A[i,j] * x[j]", "Z[i,j] = A[i,j] * B[i,j]", "Z[i,j] = floor(A[i,j])"],
)
def test_a_gradient_has_the_entries_of_its_operand(text, layout):
    """Even where another sparse factor has none, or the gradient is 0 everywhere."""
    given = tensors(text)
    given["A"] = A = thinned(given["A"], layout).requires_grad_()
    if "B" in given:
        given["B"] = thinned(given["B"], layout, seed=7)
    nacho.torch.evaluate(text, given).to_dense().sum().backward()
    assert A.grad.layout == layout
    assert A.grad.dtype == A.dtype
    for mine, own in zip(index_arrays(A.grad), index_arrays(A.detach()), strict=True):
        assert torch.equal(mine, own)


def index_arrays(sparse):
    if sparse.layout == torch.sparse_coo:
        return (sparse.coalesce().indices(),)
    return sparse.crow_indices(), sparse.col_indices()


def test_entries_that_are_repeated():
    where = torch.tensor([[1, 0, 1], [2, 1, 2]])
    values = torch.tensor([1.0, 2, 3], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([1.0, 10, 100], dtype=torch.float64)

    def compute(values):
        A = torch.sparse_coo_tensor(where, values, (2, 3))
        return nacho.torch.evaluate("y[i] = A[i,j]**2 * x[j]", A=A, x=x)

    assert gradcheck(compute, (values,))


@pytest.mark.parametrize("rank", [1, 3])
def test_coo_of_other_ranks(rank):
    letters = ",".join("ijk"[:rank])
    dense = torch.rand(*range(2, 2 + rank), dtype=torch.float64, requires_grad=True)
    sparse = thinned(dense, torch.sparse_coo).requires_grad_()
    text = f"z = A[{letters}] * A[{letters}]"
    nacho.torch.evaluate(text, A=sparse).backward()
    torch.testing.assert_close(sparse.grad.to_dense(), 2 * sparse.detach().to_dense())
    nacho.torch.evaluate(text, A=dense).backward()
    torch.testing.assert_close(dense.grad, 2 * dense.detach())


def test_leaves_of_csc():
    """PyTorch cannot keep them in .grad, but computes them."""
    A = thinned(tensors("y[i] = A[i,j]")["A"], torch.sparse_csc).requires_grad_()
    x = torch.ones(A.shape[1], dtype=A.dtype)
    y = nacho.torch.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)
    (found,) = torch.autograd.grad(y.sum(), A)
    assert found.layout == torch.sparse_csc
    assert torch.equal(found.values(), torch.ones_like(A.detach().values()))


# --- Types, numbers and options -------------------------------------------------------


def test_types_of_gradients():
    A = torch.ones(2, 3, dtype=torch.float32, requires_grad=True)
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    weights = torch.arange(3)
    y = nacho.torch.evaluate("y[i] = A[i,j] * x[j] * w[j]", A=A, x=x, w=weights)
    assert y.dtype == torch.float64
    y.sum().backward()
    assert (A.grad.dtype, x.grad.dtype) == (torch.float32, torch.float64)
    assert A.grad.tolist() == [[0, 1, 2], [0, 1, 2]]


def test_numbers_as_operands():
    x = torch.tensor([1.0, 2], requires_grad=True)
    t = torch.tensor(3.0, requires_grad=True)
    y = nacho.torch.evaluate("y[i] = s * t * x[i]", x=x, s=2, t=t)
    assert y.dtype == torch.float32
    y.sum().backward()
    assert (x.grad.tolist(), t.grad.item()) == ([6, 6], 6)
    product = nacho.torch.evaluate("z = s * t", s=t.detach(), t=t)
    assert torch.autograd.grad(product, t)[0] == 3


def test_only_what_needs_it_is_recorded():
    x = torch.ones(2, requires_grad=True)
    text = "y[i] = 2 * x[i]"
    assert nacho.torch.evaluate(text, x=x).requires_grad
    assert not nacho.torch.evaluate(text, x=x.detach()).requires_grad
    with torch.no_grad():
        assert not nacho.torch.evaluate(text, x=x).requires_grad
    assert not nacho.torch.evaluate("y[i] = x[i] > 0", x=x).requires_grad


def test_options_are_those_of_evaluate():
    A = torch.rand(3, 3, dtype=torch.float64).to_sparse_csr().requires_grad_()
    text, options = "Z[i,k] = A[i,j] * A[j,k]", {"threads": 2, "order": ("i", "j", "k")}
    made = nacho.torch.evaluate(text, A=A, out="coo", contract="none", **options)
    assert made.layout == torch.sparse_coo
    made.to_dense().sum().backward()
    ones = torch.ones(3, 3, dtype=A.dtype)
    dense = A.detach().to_dense()
    torch.testing.assert_close(A.grad.to_dense(), ones @ dense.T + dense.T @ ones)
    kept = nacho.torch.evaluate("y[i] = order[i]", {"order": torch.ones(2)})
    assert kept.tolist() == [1, 1]


def test_functions_of_torch_func():
    A = torch.rand(3, 3, dtype=torch.float64)
    x = torch.rand(3, dtype=torch.float64)

    def loss(x):
        return nacho.torch.evaluate("y[i] = A[i,j] * sin(x[j])", A=A, x=x).sum()

    torch.testing.assert_close(torch.func.grad(loss)(x), A.sum(0) * x.cos())


def test_expressions_of_operators():
    i, j = nacho.indices("i j")
    A, x = (torch.rand(*shape, requires_grad=True) for shape in ((2, 3), (3,)))
    at, to = nacho.access(A, i, j), nacho.access(x, j)
    y = nacho.torch.evaluate(nacho.tanh(at) * to, (i,))
    y.sum().backward()
    torch.testing.assert_close(x.grad, A.detach().tanh().sum(0))


# --- What is refused ------------------------------------------------------------------


def test_other_containers_are_refused():
    with pytest.raises(nacho.ArgumentError, match=r"operand 'x'.* not ndarray"):
        nacho.torch.evaluate("y[i] = x[i]", x=np.ones(3))


def test_formats_without_a_layout_are_refused():
    A = torch.eye(3).to_sparse_csr()
    with pytest.raises(nacho.UnsupportedError, match=r"no layout.*dcsr"):
        nacho.torch.evaluate("Z[i,j] = A[i,j]", A=A, out="dcsr")
    A = torch.eye(3).to_sparse()
    with pytest.raises(nacho.UnsupportedError, match=r"pass out='coo'"):
        nacho.torch.evaluate("Z[j,i] = A[i,j]", A=A)
    assert nacho.torch.evaluate("Z[j,i] = A[i,j]", A=A, out="coo").is_sparse


def test_complex_numbers_have_no_gradients_yet():
    x = torch.ones(2, dtype=torch.complex128, requires_grad=True)
    with pytest.raises(nacho.UnsupportedError, match=r"operand 'x'.*complex"):
        nacho.torch.evaluate("y[i] = 2 * x[i]", x=x)
    assert nacho.torch.evaluate("y[i] = 2 * x[i]", x=x.detach()).is_complex()


def test_forward_mode_is_refused():
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(nacho.UnsupportedError, match=r"operand 'x' has a tangent"):
            nacho.torch.evaluate("y[i] = 2 * x[i]", x=x)


def test_gradients_that_cannot_be_written_are_refused():
    A = torch.eye(3, requires_grad=True)
    y = nacho.torch.evaluate("y[i] = A[i,i]", A=A)
    with pytest.raises(nacho.UnsupportedError, match="on a diagonal"):
        y.sum().backward()


# --- The end of a process -------------------------------------------------------------


def test_kernels_are_freed_although_pytorch_keeps_what_it_recorded():
    code = (
        "import torch, nacho.torch\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "y = nacho.torch.evaluate('y[i] = 2 * x[i]', x=x)\n"
        "y.sum().backward()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert "leaked" not in done.stderr
