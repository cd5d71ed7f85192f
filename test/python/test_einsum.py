"""``nacho.einsum``, against NumPy's."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._notation.einsum import _parsed

pytestmark = pytest.mark.any_target


@pytest.mark.host_only
@pytest.mark.parametrize(
    ("subscripts", "inputs", "left"),
    [
        ("ij,jk->ik", ["ij", "jk"], "ik"),
        ("ij,jk", ["ij", "jk"], "ik"),
        ("ba", ["ba"], "ab"),
        ("ij,ij", ["ij", "ij"], ""),
        ("ij->", ["ij"], ""),
        (" i j , j -> i ", ["ij", "j"], "i"),
        ("Bb,b", ["Bb", "b"], "B"),
        ("bA", ["bA"], "Ab"),
        (",i->i", ["", "i"], "i"),
        ("ii->i", ["ii"], "i"),
    ],
)
def test_subscripts(subscripts, inputs, left):
    assert _parsed(subscripts) == (inputs, left)


@pytest.mark.parametrize(
    ("subscripts", "count", "error", "message", "under"),
    [
        ("..j,jk", 2, nacho.ParseError, "unexpected character '.'", "."),
        ("...j...,jk", 2, nacho.ParseError, "unexpected character '.'", "."),
        ("...j->j", 1, nacho.ParseError, "the result lacks the ellipsis", "-"),
        ("ij,j1", 2, nacho.ParseError, "unexpected character '1'", "1"),
        ("ij->i>", 1, nacho.ParseError, "unexpected character '>'", ">"),
        ("ij-i", 1, nacho.ParseError, "unexpected character '-'", "-"),
        ("ij->k", 1, nacho.ParseError, "index 'k' of the result is that of no", "k"),
        ("ij->ii", 1, nacho.ParseError, "index 'i' is repeated in the result", "i"),
        ("ij->i,j", 1, nacho.ParseError, "there is one result", ","),
        ("iµ", 1, nacho.ParseError, "unexpected character 'µ'", "µ"),
    ],
)
def test_malformed(subscripts, count, error, message, under):
    with pytest.raises(error) as caught:
        nacho.einsum(subscripts, *[np.ones((2, 2))] * count)
    assert message in str(caught.value)
    _, line, marks = str(caught.value).rsplit("\n", 2)
    assert line[marks.index("^")] == under


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("...j,j->...", [(2, 3), (3,)]),
        ("...j,j->...", [(3,), (3,)]),
        ("...ij, ...jk -> ...ik", [(4, 2, 3), (4, 3, 5)]),
        ("...ij,...jk", [(4, 2, 3), (3, 5)]),
        ("i...->...", [(2, 3, 4)]),
        ("i...,i...", [(2, 3), (2, 3)]),
        ("b...a,a...->...b", [(2, 4, 3), (3, 4)]),
        ("...,...->...", [(2, 3), (2, 3)]),
        ("...,->...", [(2, 3), ()]),
        ("...->", [()]),
        ("...ii->...i", [(2, 3, 3)]),
    ],
)
def test_ellipses_are_those_of_numpy(subscripts, shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.random(shape) for shape in shapes]
    found = nacho.einsum(subscripts, *arrays)
    np.testing.assert_allclose(found, np.einsum(subscripts, *arrays))
    sparse = nacho.asarray(arrays[0], "coo") if arrays[0].ndim > 1 else arrays[0]
    found = nacho.einsum(subscripts, sparse, *arrays[1:], out="dense")
    np.testing.assert_allclose(found, np.einsum(subscripts, *arrays))


def test_numpy_asks_tensors():
    array = np.arange(6.0).reshape(2, 3)
    A = nacho.asarray(array, "csr")
    found = np.einsum("ij,kj->ik", A, A, optimize=True)
    assert isinstance(found, nacho.Tensor)
    np.testing.assert_array_equal(found.to_dense(), array @ array.T)


def test_an_ellipsis_needs_dimensions():
    with pytest.raises(nacho.ShapeError, match="operand 1 is of rank 1, and has the i"):
        nacho.einsum("...j,...jk", np.ones((2, 2)), np.ones(2))
    with pytest.raises(nacho.ShapeError, match="has extent 2 in operand 'A', but 3"):
        nacho.einsum("...j,...j->...", np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(nacho.ArgumentError, match="1 operands given, but"):
        nacho.einsum("...j,...j", np.ones((2, 2)))


def test_wrong_operands():
    with pytest.raises(nacho.ArgumentError, match="1 operands given, but 'ij,jk'"):
        nacho.einsum("ij,jk", np.ones((2, 2)))
    with pytest.raises(nacho.ArgumentError, match="must be a string, not ndarray"):
        nacho.einsum(np.ones((2, 2)), "ij")
    with pytest.raises(nacho.ShapeError, match="operand 'A' has rank 2, but is"):
        nacho.einsum("ijk->i", np.ones((2, 2)))
    with pytest.raises(nacho.ShapeError, match="index 'j' has extent 3 in operand 'A'"):
        nacho.einsum("ij,jk->ik", sp.csr_array((2, 3)), np.ones((2, 3)))


# --- Values ---------------------------------------------------------------------------


def operand(indices, kind, seed):
    shape = [{"i": 4, "j": 5, "k": 3, "l": 2}[index] for index in indices]
    rng = np.random.default_rng(seed)
    dense = rng.integers(-3, 4, shape) * (rng.random(shape) < 0.5) * 1.0
    if kind == "dense":
        return dense, dense
    if kind == "tensor":
        return dense, nacho.Tensor.from_dense(dense, "csf" if len(shape) > 2 else "coo")
    if len(shape) == 2 and kind == "csr":
        return dense, sp.csr_array(dense)
    return dense, sp.coo_array(dense)


@pytest.mark.parametrize(
    ("subscripts", "kinds"),
    [
        ("ij->ij", "csr"),
        ("ij->ji", "csr"),
        ("ij->i", "csr"),
        ("ij->", "csr"),
        ("i,i", "coo coo"),
        ("ij,j->i", "csr dense"),
        ("ij,jk->ik", "csr dense"),
        ("ij,ij->ij", "csr csr"),
        ("ij,ik,jk->ij", "csr dense dense"),
        ("ijk,k->ij", "tensor dense"),
        ("ijk,kl->ijl", "coo dense"),
        ("ijk,jl,kl->il", "tensor dense dense"),
        ("ijk,ijk", "tensor tensor"),
        ("i,j->ij", "dense dense"),
        ("ij,jk", "dense dense"),
    ],
)
def test_as_numpy(subscripts, kinds):
    inputs = subscripts.partition("->")[0].split(",")
    pairs = [
        operand(indices, kind, seed)
        for seed, (indices, kind) in enumerate(zip(inputs, kinds.split(), strict=True))
    ]
    wanted = np.einsum(subscripts, *(dense for dense, _ in pairs))
    found = nacho.einsum(subscripts, *(given for _, given in pairs))
    for dense in ("toarray", "to_dense"):
        found = getattr(found, dense)() if hasattr(found, dense) else found
    np.testing.assert_array_equal(found, wanted)


def test_options():
    A = sp.random_array((9, 9), density=0.5, format="csr", rng=1)
    found = nacho.einsum("ij,ij->ij", A, A, out="dcsr", parts=3, threads=2)
    assert str(found.format) == "dcsr"
    np.testing.assert_array_equal(found.to_dense(), (A * A).toarray())
