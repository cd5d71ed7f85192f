"""Scalar operands: Python numbers adapt, those of NumPy have their type."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._storage.formats import TensorType
from nacho._storage.scalars import load_scalar, scalar_dtype


@pytest.mark.parametrize(
    "value",
    [2, 2.0, True, np.int32(2), np.float64(2), np.array(2.0), np.array(2, ">f4")],
)
def test_scalars(value):
    array = load_scalar("s", value, TensorType(None, "f64"))
    assert (array.ndim, array.dtype, array[()]) == (0, np.float64, value)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (2, None),
        (2.0, None),
        (2j, None),
        (True, np.bool_),
        (np.int8(2), np.int8),
        (np.array(2, ">f4"), np.float32),
        (np.float64(2), np.float64),
    ],
)
def test_types_of_scalars(value, dtype):
    """Python numbers adapt to the others; a bool promotes to all of them."""
    assert scalar_dtype("s", value) == dtype


@pytest.mark.parametrize(
    ("value", "dtype", "error", "message"),
    [
        ("2", "f32", nacho.UnsupportedError, "str is not a number"),
        (None, "f32", nacho.UnsupportedError, "NoneType is not a number"),
        (np.ones(3), "f32", nacho.ShapeError, "rank 1, but is written without"),
        (
            sp.csr_array((3, 4)),
            "f32",
            nacho.ShapeError,
            "rank 2, but is written without indices",
        ),
        (np.float16(2), "i32", nacho.DTypeError, "is float16, but the kernel was"),
        (np.longdouble(2), "f64", nacho.DTypeError, "is not supported"),
        (
            np.uint64(2**63),
            "i64",
            nacho.DTypeError,
            "has the value 92233720368547",
        ),
        (np.float64(2), "f32", nacho.DTypeError, "is float64, but the kernel was"),
        (np.int64(2), "f32", nacho.DTypeError, "is int64, but the kernel was"),
        (2j, "f64", nacho.DTypeError, "is a Python complex, but the kernel was"),
        (2.5, "i32", nacho.DTypeError, "is a Python float, but the kernel was"),
        (2, "bool", nacho.DTypeError, "is a Python int, but the kernel was"),
        (10**400, "f32", nacho.DTypeError, "does not fit float32"),
        (300, "u8", nacho.DTypeError, "does not fit uint8"),
        (-1, "u8", nacho.DTypeError, "does not fit uint8"),
    ],
)
def test_bad_scalars(value, dtype, error, message):
    with pytest.raises(error) as caught:
        load_scalar("s", value, TensorType(None, dtype))
    assert "operand 's'" in str(caught.value)
    assert message in str(caught.value)
