"""Expressions inside of torch.compile, which traces calls of Nacho's operators."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import nacho
from differentiable import SPARSE, operands
from libraries import needed
from nacho._nacho import SANITIZER

if SANITIZER != "none":
    pytest.skip("PyTorch is not made for sanitizers", allow_module_level=True)
torch = needed("torch")
import nacho.torch  # noqa: E402, what it imports may be missing
from nacho.torch import SparseArrays, _tracing  # noqa: E402, the same

pytestmark = [
    # PyTorch says once per process that its csr is in beta, and that it checks nothing.
    pytest.mark.filterwarnings("ignore:Sparse (CS. tensor support|invariant checks)"),
]

BACKENDS = ("eager", "aot_eager")
LAYOUTS = ("dense", "csr", "csc", "coo")


def matrix(layout, *shape, dtype=torch.float64, seed=1):
    """Return a tensor, or the arrays of a sparse one, and what has a gradient of it."""
    random = torch.Generator().manual_seed(seed)
    values = torch.rand(*shape, generator=random, dtype=dtype) + 0.5
    kept = values * (torch.rand(*shape, generator=random) < 0.6)
    if layout == "dense":
        leaf = kept.requires_grad_()
        return leaf, leaf
    arrays = SparseArrays.of(kept.to_sparse(layout=getattr(torch, f"sparse_{layout}")))
    leaf = arrays.values.requires_grad_()
    return arrays._replace(values=leaf), leaf


def compiled(function, backend):
    torch._dynamo.reset()
    return torch.compile(function, backend=backend, fullgraph=True)


def assert_same(function, backend, arguments, leaves):
    """Check results and gradients of a function that is traced against itself."""
    found, wanted = compiled(function, backend)(*arguments), function(*arguments)
    torch.testing.assert_close(found, wanted)
    if leaves:
        mine, theirs = (torch.autograd.grad(each, leaves) for each in (found, wanted))
        for each, other in zip(mine, theirs, strict=True):
            torch.testing.assert_close(each, other)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_and_gradients(layout, backend):
    A, values = matrix(layout, 4, 5)
    x = torch.rand(5, dtype=torch.float64, requires_grad=True)

    def loss(A, x):
        y = nacho.torch.evaluate("y[i] = tanh(A[i,j]) * x[j]", A=A, x=x)
        return (y.sin() * 2).sum()

    assert_same(loss, backend, (A, x), (values, x))


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_calls_in_one_graph(backend):
    A, values = matrix("csr", 5, 5)
    X, W = (torch.rand(5, 5, dtype=torch.float64, requires_grad=True) for _ in "XW")
    text = "Y[i,f] = A[i,j] * X[j,g] * W[g,f]"

    def loss(A, X, W):
        hidden = nacho.torch.evaluate(text, A=A, X=X, W=W).relu()
        return nacho.torch.evaluate(text, {"A": A}, X=hidden, W=W).square().mean()

    assert_same(loss, backend, (A, X, W), (values, X, W))


def test_numbers_and_options():
    A, values = matrix("csr", 4, 5)

    def loss(A, s):
        options = {"threads": 2, "order": ("i", "j"), "validate": "full"}
        text = "Z[i,j] = s * A[i,j] + t"
        Z = nacho.torch.evaluate(text, A=A, s=s, t=2, out="dense", **options)
        return Z.square().sum()

    for number in (0.5, 3):
        assert_same(loss, "aot_eager", (A, number), (values,))


def test_other_shapes_later():
    """PyTorch makes extents symbols when they change."""
    torch._dynamo.reset()

    def product(A, x):
        return nacho.torch.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)

    traced = torch.compile(product, backend="aot_eager", fullgraph=True)
    for rows, columns in ((3, 4), (5, 6), (7, 2)):
        A, x = torch.rand(rows, columns), torch.rand(columns, requires_grad=True)
        torch.testing.assert_close(traced(A, x), A @ x)
        traced(A, x).sum().backward()
        torch.testing.assert_close(x.grad, A.sum(0))


TYPED = (
    "Z[i,k] = A[i,j] * B[j,k]",
    "z = s * t * 2",
    "Z[i,j] = s * A[i,j] + x[j] / 3",
    "Z[i,j] = sqrt(abs(A[i,j])) + B[j,i]**2",
    "Z[i,j] = A[i,j] > B[i,j]",
    "Z[i,j] = where(A[i,j], B[i,j], 2.5)",
    "Z[i] = count(j, A[i,j]) + x[i]",
    "Z[i,j] = pattern(A)[i,j] * sigmoid(x[i])",
)
DTYPES = (
    (torch.float32, torch.float64),
    (torch.float32, torch.int64),
    (torch.bool, torch.float32),
    (torch.int32, torch.uint8),
    (torch.bfloat16, torch.float16),
)


@pytest.mark.parametrize("dtypes", DTYPES, ids=str)
@pytest.mark.parametrize("text", TYPED)
def test_shapes_and_types_are_known_before(text, dtypes):
    given = operands(text, "positive", np.random.default_rng(1))
    kinds = itertools.cycle(dtypes)
    given = {name: torch.tensor(each).to(next(kinds)) for name, each in given.items()}
    wanted = nacho.torch.evaluate(text, given)
    packed = _tracing.pack({name: each.to("meta") for name, each in given.items()})
    found = torch.ops.nacho.evaluate(text, *packed, "")
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_operators_are_what_pytorch_asks_for(layout):
    A, _ = matrix(layout, 4, 5)
    x = torch.rand(5, dtype=torch.float64, requires_grad=True)
    packed = _tracing.pack({"A": A, "x": x, "s": 2.0})
    text = "y[i] = s * A[i,j] * x[j]"
    torch.library.opcheck(torch.ops.nacho.evaluate, (text, *packed, ""))
    if layout != "dense":
        packed = _tracing.pack({"A": A, "x": x, "dy": torch.rand(4)})
        derivative = nacho.grad("y[i] = A[i,j] * x[j]", "A", sparse=True)
        arguments = (derivative, *packed, "A", "")
        torch.library.opcheck(torch.ops.nacho.entries, arguments)


@pytest.mark.each_value
@pytest.mark.parametrize("layout", LAYOUTS[1:])
@pytest.mark.parametrize("text, names", SPARSE)
def test_operands_as_arrays_outside_of_compile(text, names, layout):
    """Their gradients have gradients, too."""
    given = operands(text, "smooth", np.random.default_rng(2))
    given = {name: torch.tensor(each) for name, each in given.items()}
    patterns = {}
    for name in names:
        kept = given[name] * (torch.rand(given[name].shape) < 0.6)
        sparse = kept.to_sparse(layout=getattr(torch, f"sparse_{layout}"))
        patterns[name] = SparseArrays.of(sparse)
        given[name] = patterns[name].values
    given = {name: each.requires_grad_() for name, each in given.items()}
    options = {} if text.startswith("z") else {"out": "dense"}

    def compute(*values):
        every = dict(zip(given, values, strict=True))
        every |= {n: p._replace(values=every[n]) for n, p in patterns.items()}
        return nacho.torch.evaluate(text, every, **options)

    inputs = tuple(given.values())
    assert torch.autograd.gradcheck(compute, inputs, fast_mode=True)
    assert torch.autograd.gradgradcheck(compute, inputs, fast_mode=True)


# --- What is refused ------------------------------------------------------------------


def raised(function, *arguments):
    """Return what PyTorch says when it cannot trace a function."""
    with pytest.raises(Exception) as caught:
        compiled(function, "eager")(*arguments)
    return str(caught.value)


def test_sparse_results_are_refused():
    A, _ = matrix("csr", 4, 5)
    message = raised(lambda A: nacho.torch.evaluate("Z[i,j] = 2 * A[i,j]", A=A), A)
    assert "ask for that with out='dense'" in message


def test_sparse_tensors_are_refused_by_pytorch():
    A = torch.eye(3).to_sparse_csr()
    message = raised(lambda A: nacho.torch.evaluate("y[i] = A[i,j]", A=A), A)
    assert "does not support sparse Tensors" in message


def test_wrong_operands():
    def product(A, x):
        return nacho.torch.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)

    x = torch.ones(3)
    assert "operand 'A' has rank 1" in raised(product, x, x)
    assert "missing operand 'x'" in raised(
        lambda A: nacho.torch.evaluate("y[i] = A[i,j] * x[j]", A=A), torch.ones(3, 3)
    )


def test_options_that_are_no_texts():
    A, _ = matrix("csr", 4, 5)
    with pytest.raises(
        nacho.ArgumentError, match="option 'out': an operator of PyTorch"
    ):
        nacho.torch.evaluate("Z[i,j] = A[i,j]", A=A, out=nacho.Format("dense"))


def test_numbers_that_operators_do_not_take():
    A, _ = matrix("csr", 4, 5)
    with pytest.raises(nacho.ArgumentError, match=r"operand 's'.* not complex"):
        nacho.torch.evaluate("Z[i,j] = s * A[i,j]", A=A, s=1j, out="dense")


def test_layouts_without_arrays():
    with pytest.raises(nacho.UnsupportedError, match="strided has no such arrays"):
        SparseArrays.of(torch.ones(2, 2))


def test_entries_out_of_order():
    """Values of the gradient would be in another order than those of the operand."""
    columns = torch.tensor([1, 0])
    values = torch.ones(2, requires_grad=True)
    A = SparseArrays("csr", (1, 2), (torch.tensor([0, 2]), columns), values)

    def product(A):
        return nacho.torch.evaluate("y[i] = A[i,j] * x[j]", A=A, x=torch.ones(2)).sum()

    with pytest.raises(nacho.OperandError, match="entries are not sorted"):
        compiled(product, "aot_eager")(A).backward()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_of_gradients(layout):
    """Operators have them, but not what AOTAutograd makes of operators."""
    A, values = matrix(layout, 4, 5)
    x = torch.rand(5, dtype=torch.float64, requires_grad=True)

    def loss(A, x):
        y = nacho.torch.evaluate("y[i] = A[i,j]**3 * sin(x[j])", A=A, x=x)
        return y.square().sum()

    def twice(function):
        leaves = (values, x)
        first = torch.autograd.grad(function(A, x), leaves, create_graph=True)
        total = sum(each.square().sum() for each in first)
        return torch.autograd.grad(total, leaves)

    found, wanted = twice(compiled(loss, "eager")), twice(loss)
    for each, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(each, other)
    with pytest.raises(
        RuntimeError, match="does not currently support double backward"
    ):
        twice(compiled(loss, "aot_eager"))


def test_kernels_are_freed_although_pytorch_keeps_operators():
    code = (
        "import torch, nacho.torch\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "def f(x): return nacho.torch.evaluate('y[i] = 2 * x[i]', x=x)\n"
        "y = torch.compile(f, backend='aot_eager', fullgraph=True)(x)\n"
        "y.sum().backward()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert "leaked" not in done.stderr


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_added_to_has_a_gradient(backend):
    A, values = matrix("csr", 4, 5)
    x = torch.rand(5, dtype=torch.float64, requires_grad=True)
    y = torch.rand(4, dtype=torch.float64, requires_grad=True)

    def loss(A, x, y):
        made = nacho.torch.evaluate("y[i] += A[i,j] * x[j]", A=A, x=x, y=y)
        return (made**2).sum()

    assert_same(loss, backend, (A, x, y), (values, x, y))
    dense = matrix("dense", 4, 5)[0]
    made = nacho.torch.evaluate("y[i] += A[i,j] * x[j]", A=dense, x=x, y=y)
    torch.testing.assert_close(made, dense @ x + y)
    assert torch.equal(torch.autograd.grad(made.sum(), y)[0], torch.ones_like(y))
