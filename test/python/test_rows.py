"""Rows of tensors, by numbers and slices: which they are, and what they share."""

import numpy as np
import pytest

import nacho
from nacho import Tensor
from nacho._storage.formats import Format
from nacho._storage.memory import is_known
from test_tensor import kinds_of, random_dense, valid


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_rows_of_every_format(rank):
    """With rows that are empty, and every order of the levels below those of rows."""
    rng = np.random.default_rng(rank)
    for kinds in kinds_of(rank):
        below = (1 + rng.permutation(rank - 1)).tolist()
        order = [0, *below] if set(kinds) != {"dense"} else rng.permutation(rank)
        format = Format.of_levels(
            tuple((int(at), kind) for at, kind in zip(order, kinds, strict=True))
        )
        shape = tuple(rng.integers(1, 6, rank).tolist())
        dense = random_dense(rng, shape)
        dense[rng.random(shape[0]) < 0.4] = 0
        tensor = Tensor.from_dense(dense, format)
        for begin in range(-1, shape[0] + 1):
            for end in (begin, begin + 1, begin + 2, None):
                found = valid(tensor[begin:end])
                assert found.format == format
                np.testing.assert_array_equal(found.to_dense(), dense[begin:end])
        for number, row in enumerate(tensor):
            if rank > 1:
                row = valid(row).to_dense()
            np.testing.assert_array_equal(row, dense[number])
        assert len(tensor) == shape[0]


@pytest.mark.parametrize(
    ("format", "wanted"),
    [
        ("csr", "sparse-vector"),
        ("dcsr", "sparse-vector"),
        ("coo", "sparse-vector"),
        ("coo-interleaved", "sparse-vector"),
        ("dense", "dense"),
    ],
)
def test_the_format_of_a_row(format, wanted):
    tensor = Tensor.from_dense(np.eye(3), format)
    for row in (tensor[1], tensor[-2], tensor[np.int64(1)], tensor[1, :]):
        assert row.format == Format(wanted).for_rank(1)
        assert row.to_dense().tolist() == [0, 1, 0]


def test_rows_share_the_arrays():
    tensor = Tensor.from_dense(np.arange(12.0).reshape(4, 3), "csr")
    for found in (tensor[1:3], tensor[2], tensor[1:3, ...], tensor[2, :]):
        assert np.shares_memory(found.values, tensor.values)
        assert np.shares_memory(found.crd[-1], tensor.crd[1])
    assert np.shares_memory(tensor[...].crd[1], tensor.crd[1])
    tensor.values[:] = 1
    assert tensor[1:3].to_dense().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert tensor[1:3].pos[1].tolist() == [0, 3, 6]


def test_rows_of_a_checked_tensor_are_not_checked_again():
    tensor = Tensor.from_dense(np.eye(4), "csr")
    assert not is_known(tensor[1:3], tensor[1:3]._view)
    nacho.evaluate("Z[i,j] = A[i,j] * 2", A=tensor)
    part = tensor[1:3]
    assert is_known(part, part._view)
    found = nacho.evaluate("Z[i,j] = A[i,j] * 2", A=part)
    np.testing.assert_array_equal(found.to_dense(), 2 * np.eye(4)[1:3])
    # What is edited later is found out by whoever uses it.
    tensor.crd[1][1] = 9
    with pytest.raises(nacho.OperandError, match=r"crd\[1\]\[0\] = 9 is out of range"):
        nacho.evaluate("Z[i,j] = A[i,j] * 2", A=part)


def test_elements_of_a_vector():
    vector = Tensor.from_dense([0.0, 2, 0, 3], "sparse-vector")
    assert list(vector) == [0, 2, 0, 3]
    assert (vector[-1], type(vector[0])) == (3, np.float64)
    assert vector[1:].to_dense().tolist() == [2, 0, 3]


def test_rows_are_operands():
    dense = random_dense(np.random.default_rng(1), (6, 5))
    tensor = Tensor.from_dense(dense, "csr")
    found = (tensor[2:5] @ dense.T).compute()
    np.testing.assert_array_equal(found, dense[2:5] @ dense.T)
    np.testing.assert_array_equal((tensor * tensor[3]).compute(), dense * dense[3])


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (7, nacho.RowError, "there is no row 7: the tensor has 4"),
        (-5, IndexError, "there is no row -5"),
        (slice(None, None, 2), nacho.UnsupportedError, "rows in steps"),
        (slice(None, None, -1), nacho.UnsupportedError, "rows in steps"),
        (slice("a", None), nacho.ArgumentError, "the bounds of rows are integers"),
        ((0, 1.5), nacho.ArgumentError, "T[0, 1.5]: what may be taken are rows"),
        ((slice(2), None), nacho.ArgumentError, "T['i,j']"),
        (True, nacho.ArgumentError, "T[True]"),
        (1.5, nacho.ArgumentError, "T[1.5]"),
        (None, nacho.ArgumentError, "T[None]"),
        (np.array([1, 2]), nacho.ArgumentError, "what may be taken are rows"),
    ],
)
def test_what_is_no_row(key, error, message):
    tensor = Tensor.from_dense(np.eye(4), "csr")
    with pytest.raises(error) as caught:
        tensor[key]
    assert message in str(caught.value)


def test_rows_of_columns_are_refused():
    tensor = Tensor.from_dense(np.eye(4), "csc")
    with pytest.raises(nacho.FormatError, match=r"rows of csc .*convert\(\"csr\"\)"):
        tensor[1:2]
    assert tensor.T[1].to_dense().tolist() == [0, 1, 0, 0]


def test_rows_on_a_device_are_refused():
    with pytest.raises(nacho.DeviceError, match="copy it to the host"):
        Tensor.from_dense(np.eye(4), "csr").to("cuda-sim")[1]


def test_a_table_for_notebooks():
    tensor = Tensor.from_dense(np.eye(4), "csr")
    html = tensor._repr_html_()
    for text in ("4x4", "csr: (d0, d1) -&gt; (d0 : dense, d1 : comp", "float64"):
        assert text in html
    assert "4 (25.00% of all elements)" in html
    assert f"{5 * 4 + 4 * 4 + 4 * 8} bytes on cpu" in html
    large = Tensor.from_coo([[0, 1999]], [1.0, 2], format="dense")
    assert "16.0 KB" in large._repr_html_()
    assert large.nbytes == 16000
    lazy = (tensor + tensor * 2.5)._repr_html_()
    for text in ("4x4", "A[i,j] + A[i,j] * B", "&lt;nacho.Tensor: csr", "2.5"):
        assert text in lazy
