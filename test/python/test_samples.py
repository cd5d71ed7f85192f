"""The generators: what they build is what the oracle reads."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import samples


class Stored(SimpleNamespace):
    """What the oracle reads of a ``nacho.Tensor``."""


def stored_by(levels, values, pattern):
    pos, crd, stored = samples.packed(levels, values, pattern)
    return Stored(
        format=SimpleNamespace(levels=levels, rank=len(levels)),
        shape=values.shape,
        ndim=values.ndim,
        dtype=values.dtype,
        pos=pos,
        crd=crd,
        values=stored,
    )


@st.composite
def tensors(draw):
    rank = draw(st.integers(1, 4))
    shape = tuple(draw(samples.extents) % (7 - rank) for _ in range(rank))
    order = draw(st.permutations(range(rank)))
    kinds = draw(samples.any_kinds(rank))
    rng = np.random.default_rng(draw(samples.seeds))
    pattern = samples.stored(rng, shape, draw(st.sampled_from(samples.PATTERNS)))
    values = rng.integers(1, 9, shape).astype(np.float64)
    return tuple(zip(order, kinds, strict=True)), values, pattern


@given(tensors())
def test_packed_is_read_back(tensor):
    levels, values, pattern = tensor
    made = stored_by(levels, values, pattern)
    value, found = oracle.entries(made)
    np.testing.assert_array_equal(found, oracle.closed(pattern, levels))
    np.testing.assert_array_equal(value, np.where(found, values, 0))
    assert made.values.size == found.sum()
    samples.check_structure(made)


@given(tensors(), st.sampled_from(("i32", "i64")), st.sampled_from(("i32", "i64")))
def test_tensors_hold_what_is_packed(tensor, pos, crd):
    levels, values, pattern = tensor
    widths = (samples.INDICES[width] for width in (pos, crd))
    made = samples.tensor(pattern, values, levels, *widths)
    assert made.format.levels == levels
    assert made.shape == values.shape
    value, found = oracle.entries(made)
    np.testing.assert_array_equal(found, oracle.closed(pattern, levels))
    np.testing.assert_array_equal(value, np.where(found, values, 0))
    np.testing.assert_array_equal(made.to_dense(), value)
    samples.check_structure(made)


def test_known_arrays():
    dense = np.array([[0, 5, 0], [0, 0, 0], [7, 0, 8]])
    for format, pos, crd in (
        ("csr", [None, [0, 1, 1, 3]], [None, [1, 0, 2]]),
        ("dcsr", [[0, 2], [0, 1, 3]], [[0, 2], [1, 0, 2]]),
        ("dcsc", [[0, 3], [0, 1, 2, 3]], [[0, 1, 2], [2, 0, 2]]),
        ("coo", [[0, 3], None], [[0, 2, 2], [1, 0, 2]]),
    ):
        found = samples.packed(samples.levels_of(format, 2), dense, dense != 0)
        for arrays, wanted in zip(found, (pos, crd), strict=False):
            assert [a if a is None else a.tolist() for a in arrays] == wanted


@pytest.mark.parametrize("container", samples.MATRICES)
@pytest.mark.parametrize("disorder", samples.DISORDERS)
@pytest.mark.parametrize("shape", [(4, 6), (0, 3), (5, 1)])
def test_scipy_containers(container, disorder, shape):
    rng = np.random.default_rng(1)
    for dtype in samples.DTYPES:
        made = samples.scipy_sample(rng, shape, "sparse", container, dtype, disorder)
        assert type(made).__name__ == container
        assert made.dtype == samples.DTYPES[dtype]
        value = oracle.dense(made)
        if dtype != "bool":
            np.testing.assert_array_equal(value, made.toarray())


@pytest.mark.parametrize("shape", [(5,), (3, 4, 2), (2, 0, 3)])
def test_scipy_containers_of_other_ranks(shape):
    rng = np.random.default_rng(2)
    for container in ("coo_array", *["csr_array"] * (len(shape) == 1)):
        for disorder in samples.DISORDERS:
            made = samples.scipy_sample(
                rng, shape, "dense", container, disorder=disorder
            )
            assert made.shape == shape
            np.testing.assert_array_equal(oracle.dense(made), made.toarray())


def test_arrays_of_every_layout():
    rng = np.random.default_rng(3)
    for layout in samples.ARRAYS:
        made = samples.numpy_sample(rng, (3, 4, 5), layout, "i16")
        assert made.shape == (3, 4, 5)
        assert made.flags.c_contiguous == (layout == "C")
        assert made.flags.f_contiguous == (layout == "F")


@pytest.mark.parametrize("kind", samples.PATTERNS)
def test_patterns_of_every_rank(kind):
    rng = np.random.default_rng(4)
    for shape in ((7,), (4, 5), (3, 4, 5), (2, 3, 2, 3), (0, 3), (1, 1)):
        made = samples.stored(rng, shape, kind)
        assert made.shape == shape
        assert made.dtype == bool
