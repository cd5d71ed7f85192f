"""What is pickled and copied: tensors, expressions, kernels and plans."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples

A = sp.random_array((20, 30), density=0.2, format="csr", rng=1)
B = sp.random_array((20, 30), density=0.2, format="csr", rng=2)
UNION = "Z[i,j] = A[i,j] + B[i,j]"
MODULE = """
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @add(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
"""


def pickled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "coo-interleaved", "dense"])
def test_tensors(format):
    given = nacho.Tensor.from_dense(A.toarray(), format)
    for made in (pickled(given), copy.copy(given), copy.deepcopy(given)):
        assert (made.format, made.shape) == (given.format, given.shape)
        assert samples.same(made, given)
    assert copy.copy(given).values is given.values
    assert not np.shares_memory(copy.deepcopy(given).values, given.values)


def test_tensors_of_a_device():
    given = nacho.Tensor.from_dense(A.toarray(), "csr").to("cuda-sim")
    made = pickled(given)
    assert made.device == "cuda-sim"
    np.testing.assert_array_equal(made.to("cpu").to_dense(), A.toarray())
    assert copy.copy(given).values is given.values


def test_a_pickle_that_was_edited_is_checked():
    given = nacho.Tensor.from_dense(np.eye(3), "csr")
    given.crd[1][2] = 7
    with pytest.raises(nacho.OperandError, match="= 7 is out of range"):
        nacho.evaluate("Z[i,j] = A[i,j] * 2", A=pickled(given))


def test_expressions():
    tensor = nacho.asarray(A)
    lazy = tensor * 2 - tensor * B
    made = pickled(lazy)
    text, operands = made.statement
    assert text == lazy.statement[0]
    assert list(operands) == ["A", "B"]
    np.testing.assert_array_equal(made, lazy)
    for each in (copy.copy(lazy), copy.deepcopy(lazy)):
        np.testing.assert_array_equal(each, lazy)
    assert copy.copy(lazy).statement[1]["A"] is tensor
    long = sum([tensor] * 900)
    assert pickled(long).statement[0] == copy.deepcopy(long).statement[0]
    assert list(pickled(long).statement[1]) == ["A"]
    element = nacho.access(A)["i,j"] * 2.5
    for each in (pickled(element), copy.copy(element), copy.deepcopy(element)):
        assert repr(each) == repr(element)
        found = nacho.evaluate(each, "i,j")
        np.testing.assert_array_equal(found.toarray(), A.toarray() * 2.5)


OPTIONS = [
    {},
    {"formats": {"A": "csr", "B": "dcsr", "Z": "dcsr"}, "dtype": "f64"},
    {"threads": 2, "parts": 3, "validate": "full", "order": "j,i"},
    {"index": {"A": "i32"}, "cost": "nnz", "choices": {"drafts": False}},
    {"target": "cuda-sim"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_kernels(options):
    kernel = nacho.mlir.compile(UNION, **options)
    made = pickled(kernel)
    for name in ("expression", "types", "result_type", "order", "stages", "target"):
        assert getattr(made, name) == getattr(kernel, name)
    for name in ("threads", "parts", "validate", "cost", "choices"):
        assert getattr(made, name) == getattr(kernel, name)
    assert samples.same(made(A, B), kernel(A, B))
    assert made.plan(A, B).parts == kernel.plan(A, B).parts


def test_pinned_types_are_pinned_again():
    made = pickled(nacho.mlir.compile(UNION, dtype="f32"))
    with pytest.raises(nacho.DTypeError, match="operand 'A' is float64"):
        made(A, B)


def test_kernels_of_modules():
    kernel = nacho.mlir.compile(MODULE)
    made = pickled(kernel)
    assert made.expression == kernel.expression
    assert samples.same(made(A, B), kernel(A, B))


def test_kernels_are_not_copied():
    kernel = nacho.mlir.compile(UNION)
    assert copy.copy(kernel) is copy.deepcopy(kernel) is kernel


def test_a_kernel_is_loaded_in_another_process(tmp_path):
    """Not by what was compiled, but by its expression and options."""
    data = pickle.dumps((nacho.mlir.compile(UNION, parts=3), A, B))
    assert len(data) < 60_000
    path = tmp_path / "kernel.pickle"
    path.write_bytes(data)
    code = (
        "import pickle, sys\n"
        "kernel, A, B = pickle.load(open(sys.argv[1], 'rb'))\n"
        "assert abs(kernel(A, B) - (A + B)).nnz == 0\n"
        "assert kernel.plan(A, B).parts == 3\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


@pytest.mark.parametrize("options", [{}, {"parts": 5, "threads": 2}])
def test_plans(options):
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j] + B[i,j]")
    plan = kernel.plan(2.5, A, B, **options)
    made = pickled(plan)
    assert (made.parts, made.nnz, made.nbytes) == (plan.parts, plan.nnz, plan.nbytes)
    np.testing.assert_array_equal(made.bounds, plan.bounds)
    assert samples.same(made.execute(), plan.execute())
    assert samples.same(made.execute(1.5, A, B), kernel(1.5, A, B))
    with pytest.raises(nacho.OperandError, match="another pattern"):
        made.execute(2.5, B, A)


def test_plans_of_modules():
    plan = nacho.mlir.compile(MODULE).plan(A, B, parts=2)
    assert samples.same(pickled(plan).execute(), plan.execute())


def test_types_of_results():
    """Formats, indices, and what notebooks keep: explanations."""
    assert pickled(nacho.Format("csr")) == nacho.Format("csr")
    text = nacho.explain(UNION, A=A, B=B)
    made = pickled(text)
    assert (made, made.sections) == (text, text.sections)
