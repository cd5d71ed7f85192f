"""``nacho.array_api``: NumPy has all of its functions, by the same names."""

import inspect

import numpy as np
import pytest

import nacho
from nacho import array_api

DENSE = np.array([[0.0, 2, 0, 0.25], [0.5, 0, 3, 0], [0, 0, 0, 0]])
OTHER = np.array([[1.0, 2, 0, 0], [0, 0, 1, 0], [0, 5, 0, 0]])
A, B = (nacho.Tensor.from_dense(each, "csr") for each in (DENSE, OTHER))
FUNCTIONS = sorted(
    name for name in array_api.__all__ if callable(getattr(array_api, name))
)
REDUCTIONS = ("sum", "prod", "max", "min", "mean")
OTHERS = ("matmul", "permute_dims", "matrix_transpose", "asarray", "astype", "where")
ELEMENTWISE = sorted({*FUNCTIONS} - {*REDUCTIONS, *OTHERS})


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    mine, numpys = getattr(array_api, name), getattr(np, name)
    arity = len(inspect.signature(mine).parameters)
    pairs = [(A, DENSE), (B, OTHER)][:arity]
    if "bitwise" in name:
        pairs = [(tensor > 1, dense > 1) for tensor, dense in pairs]
    tensors, arrays = zip(*pairs, strict=True)
    with np.errstate(all="ignore"):
        wanted = numpys(*arrays)
    found = mine(*tensors)
    assert isinstance(found, nacho.Lazy)
    np.testing.assert_allclose(found, wanted)
    assert found.dtype == wanted.dtype


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": 0, "keepdims": True}])
def test_reductions(name, options):
    found = getattr(array_api, name)(A, **options)
    wanted = getattr(np, name)(DENSE, **options)
    np.testing.assert_allclose(found, wanted)
    assert found.shape == wanted.shape


def test_other_functions():
    np.testing.assert_array_equal(array_api.matmul(A, B.T), DENSE @ OTHER.T)
    np.testing.assert_array_equal(array_api.matrix_transpose(A), DENSE.T)
    np.testing.assert_array_equal(array_api.permute_dims(A, (1, 0)), DENSE.T)
    chosen = array_api.where(A > 1, A, B)
    np.testing.assert_array_equal(chosen, np.where(DENSE > 1, DENSE, OTHER))
    narrow = array_api.asarray(DENSE, dtype=array_api.float32)
    assert (type(narrow), narrow.dtype) == (nacho.Tensor, np.float32)
    assert array_api.astype(A + B, array_api.float32).dtype == np.float32
    deep = nacho.Tensor.from_dense(np.arange(24.0).reshape(2, 3, 4), "coo")
    np.testing.assert_array_equal(deep.mT, deep.to_dense().swapaxes(1, 2))


def test_it_is_the_namespace_of_tensors():
    assert A.__array_namespace__() is (A + B).__array_namespace__() is array_api
    for name in array_api.__all__:
        if name not in ("e", "nan", "pi", "inf", "asarray", "astype"):
            assert hasattr(np, name), name
    assert array_api.float64 == A.dtype
