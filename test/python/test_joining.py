"""Parts of tensors, tensors that are joined, and other shapes, compared with NumPy."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import Tensor

FORMATS = ("csr", "csc", "dcsr", "dcsc", "coo", "coo-interleaved", "dense")
EVERYTHING = slice(None)


def random_dense(rng, shape, dtype="f8"):
    return np.where(rng.random(shape) < 0.4, rng.integers(1, 9, shape), 0).astype(dtype)


def check(found, expected):
    """Compare a tensor with an array, and have all of its arrays checked."""
    assert isinstance(found, Tensor)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.to_dense(), expected)
    Tensor.from_parts(found.format, found.shape, found.pos, found.crd, found.values)


# --- Parts ----------------------------------------------------------------------------

KEYS = (
    (EVERYTHING, slice(2, 5)),
    (EVERYTHING, slice(-2, None)),
    (EVERYTHING, slice(4, 2)),
    (EVERYTHING, 0),
    (EVERYTHING, -1),
    (slice(1, 4), slice(1, 3)),
    (slice(1, 4), 2),
    (3, slice(1, 6)),
    (..., 1),
    (..., slice(2, 4)),
)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_parts_of_matrices(format, key):
    dense = random_dense(np.random.default_rng(3), (5, 6))
    tensor = Tensor.from_dense(dense, format)
    check(tensor[key], dense[key])
    assert tensor[key].nnz <= tensor.nnz


@pytest.mark.parametrize("format", FORMATS)
def test_elements(format):
    dense = random_dense(np.random.default_rng(3), (4, 3), "f4")
    tensor = Tensor.from_dense(dense, format)
    for place in itertools.product(range(-4, 4), range(-3, 3)):
        found = tensor[place]
        assert type(found) is np.float32
        assert found == dense[place]


@pytest.mark.parametrize("format", ["csf", "coo", "coo-interleaved", "dense"])
def test_parts_of_tensors_of_more_dimensions(format):
    dense = random_dense(np.random.default_rng(4), (3, 4, 5))
    tensor = Tensor.from_dense(dense, format)
    choices = (EVERYTHING, slice(1, 3), 2)
    for key in itertools.product(choices, repeat=3):
        if all(isinstance(each, int) for each in key):
            assert tensor[key] == dense[key]
        else:
            check(tensor[key], dense[key])
    turned = tensor.convert(nacho.Format(format).for_rank(3), order=(2, 0, 1))
    for key in ((EVERYTHING, 1), (EVERYTHING, 2, slice(1, 4)), (..., 3)):
        check(turned[key], dense[key])


def test_blocks_of_bsr_and_bitmaps():
    dense = random_dense(np.random.default_rng(5), (6, 8))
    blocks = nacho.asarray(sp.bsr_array(dense, blocksize=(2, 4)))
    check(blocks[:, 1:7], dense[:, 1:7])
    check(blocks[:, 3], dense[:, 3])


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        ((0, 4), nacho.RowError, "there is no 4 along axis 1: it has 4"),
        ((slice(2), slice(None, None, 2)), nacho.UnsupportedError, "in steps"),
        ((0, 1, 2), nacho.ShapeError, "2 dimensions"),
        ((slice(2), [1]), nacho.ArgumentError, "what may be taken are rows"),
        ((slice(2), True), nacho.ArgumentError, "slices of other axes"),
        ((slice(2), slice("a", None)), nacho.ArgumentError, "are integers"),
    ],
)
def test_parts_that_are_refused(key, error, message):
    with pytest.raises(error, match=message):
        Tensor.from_dense(np.eye(4), "csr")[key]


# --- Joined ---------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concatenate(format, axis):
    rng = np.random.default_rng(6)
    first = random_dense(rng, (4, 5))
    second = random_dense(rng, (2, 5) if axis == 0 else (4, 3), "i4")
    expected = np.concatenate([first, second], axis)
    for other in (
        Tensor.from_dense(second, "coo"),
        second,
        sp.csc_array(second),
        Tensor.from_dense(second, "csr") * 1,
    ):
        found = np.concatenate([Tensor.from_dense(first, format), other], axis)
        if not isinstance(other, nacho.Lazy):
            check(found, expected)
        np.testing.assert_array_equal(found.to_dense(), expected)
    same = np.concatenate([Tensor.from_dense(first, format)] * 2, axis)
    assert same.format == nacho.Format(format).for_rank(2)


def test_other_ways_to_join():
    rng = np.random.default_rng(7)
    a, b, c, d = (random_dense(rng, (2, 3)) for _ in "abcd")
    A, B, C, D = (Tensor.from_dense(each, "csr") for each in (a, b, c, d))
    check(np.vstack([A, b]), np.vstack([a, b]))
    check(np.hstack([A, B, C]), np.hstack([a, b, c]))
    check(np.block([[A, B], [C, D]]), np.block([[a, b], [c, d]]))
    check(np.block([A, B]), np.block([a, b]))
    check(np.concatenate([A, B], axis=None), np.concatenate([a, b], axis=None))
    for axis in (0, 1, 2, -1):
        check(np.stack([A, B, C], axis), np.stack([a, b, c], axis))
    check(np.vstack([A[0], A[1]]), a)
    check(np.hstack([A[0], A[1]]), a.reshape(-1))
    check(np.stack([A[0], A[1]], 1), a.T)


def test_blocks_of_any_rank():
    rng = np.random.default_rng(9)
    for shape, format in (((3,), "coo"), ((2, 3), "csr"), ((2, 3, 4), "csf")):
        a = random_dense(rng, shape)
        A = Tensor.from_dense(a, format if len(shape) > 1 else "sparse-vector")
        check(np.block([A, A]), np.block([a, a]))
        check(np.block([[A, A], [A, A]]), np.block([[a, a], [a, a]]))
        check(np.block([[[A], [A]]]), np.block([[[a], [a]]]))
    with pytest.raises(nacho.ArgumentError, match="in as many lists as the others"):
        np.block([[A], A])


def test_stacks_of_tensors_in_blocks():
    """The levels of two dimensions may be three, which are no format of a stack."""
    a = random_dense(np.random.default_rng(10), (4, 6))
    A = Tensor.from_dense(
        a, "(i, j) -> (j floordiv 2 : dense, i : compressed, j mod 2 : dense)"
    )
    check(np.stack([A, A]), np.stack([a, a]))


def test_stored_zeros_are_elements_like_others():
    dense = np.arange(6.0).reshape(2, 3)
    for format in ("(d0, d1) -> (d1 : compressed, d0 : dense)", "csr"):
        tensor = nacho.asarray(dense).convert(format)
        check(tensor.reshape(3, 2), dense.reshape(3, 2))
        check(np.stack([tensor, tensor]), np.stack([dense, dense]))
        check(np.concatenate([tensor, tensor], axis=None), np.tile(np.arange(6.0), 2))


def test_what_does_not_fit_is_not_joined():
    A = Tensor.from_dense(np.eye(3), "csr")
    with pytest.raises(nacho.ShapeError, match=r"array 1 has shape \(2, 2\)"):
        np.concatenate([A, np.eye(2)])
    with pytest.raises(nacho.ShapeError, match="axis=2: there are 2 axes"):
        np.concatenate([A, A], axis=2)
    with pytest.raises(nacho.ArgumentError, match="expected an integer"):
        np.concatenate([A, A], axis="rows")


# --- Shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_reshape(format):
    dense = random_dense(np.random.default_rng(8), (4, 6))
    tensor = Tensor.from_dense(dense, format)
    for shape in ((6, 4), (24,), (2, 3, 4), (1, 24), (2, -1), -1, (4, 6)):
        check(tensor.reshape(shape), dense.reshape(shape))
        check(np.reshape(tensor, shape), dense.reshape(shape))
    check(tensor.reshape(3, 8), dense.reshape(3, 8))
    assert tensor.reshape(6, 4).format == tensor.format
    check((tensor * 1).compute(out="coo").reshape(-1), dense.reshape(-1))


def test_reshape_is_refused():
    tensor = Tensor.from_dense(np.eye(4), "csr")
    for shape in ((3, 5), (-1, -1), (5, -1), (), (-2, -8)):
        with pytest.raises(nacho.ShapeError, match="has 16 elements"):
            tensor.reshape(shape)
    with pytest.raises(nacho.ArgumentError, match="is no shape"):
        tensor.reshape("ab")
    with pytest.raises(nacho.UnsupportedError, match=r"T\.T\.reshape"):
        np.reshape(tensor, (2, 8), order="F")
    huge = Tensor.from_coo([[1], [2], [3]], [1.0], shape=(1 << 31,) * 3)
    with pytest.raises(nacho.UnsupportedError, match="more elements than int64"):
        huge.reshape(-1)
    empty = Tensor.from_coo(np.empty((2, 0), int), [], shape=(0, 3))
    assert empty.reshape(3, 0).shape == (3, 0)


# --- Functions ------------------------------------------------------------------------


def test_functions_of_numpy():
    rng = np.random.default_rng(9)
    a, b = (random_dense(rng, (4, 5)) - 3 * (rng.random((4, 5)) < 0.2) for _ in "ab")
    A, B, x = Tensor.from_dense(a, "csr"), Tensor.from_dense(b, "coo"), np.arange(5.0)
    np.testing.assert_allclose(np.dot(A, B.T), a @ b.T)
    np.testing.assert_allclose(np.dot(A, x), a @ x)
    np.testing.assert_allclose(np.dot(A, 3), a * 3)
    np.testing.assert_allclose(np.dot(2.5, A), a * 2.5)
    np.testing.assert_allclose(np.clip(A, 0, 4), np.clip(a, 0, 4))
    np.testing.assert_allclose(np.clip(A, None, 2), np.clip(a, None, 2))
    np.testing.assert_allclose(np.clip(A, -1, None), np.clip(a, -1, None))
    assert isinstance(np.clip(A, 0, 4).compute(), Tensor)
    zeros = np.array([-0.0, 0.0, -1.0])
    found = np.asarray(np.clip(nacho.asarray(zeros), 0, 4))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(np.clip(zeros, 0, 4)))
    found = np.asarray(np.clip(nacho.asarray(zeros), 0, None))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(np.clip(zeros, 0, 9)))
    assert np.size(A) == a.size
    for value in (A, A * 1, A.astype("c16") * 1j):
        expected = np.linalg.norm(np.asarray(value))
        assert float(np.linalg.norm(value)) == pytest.approx(expected)
    for options in ({"axis": 0}, {"axis": 1, "keepdims": True}, {"ord": "fro"}):
        found, wanted = np.linalg.norm(A, **options), np.linalg.norm(a, **options)
        np.testing.assert_allclose(np.asarray(found), wanted)
    integers = Tensor.from_dense(np.full((3, 3), 100, np.int8), "csr")
    assert float(np.linalg.norm(integers)) == pytest.approx(300)
    with pytest.raises(nacho.UnsupportedError, match="ord=1 is not supported"):
        np.linalg.norm(A, 1)


def test_rounded_values():
    values = np.array([[0.5, 1.5, 0], [-2.5, 2.345, 0]])
    A = Tensor.from_dense(values, "csr")
    check(np.round(A), np.round(values))
    check(np.round(A, 2), np.round(values, 2))
    check(np.round(A * 2), np.round(values * 2))
    assert np.shares_memory(np.round(A).crd[1], A.crd[1])
