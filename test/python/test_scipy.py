"""SciPy's containers: used in place, and returned as SciPy would have made them."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho._kernels import canonical
from nacho._kernels.call import Call

UNION = "Z[i,j] = A[i,j] + B[i,j]"
PRODUCT = "Z[i,j] = A[i,j] * B[i,j]"
KINDS = (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix)


def random(kind=sp.csr_array, seed=0, shape=(30, 40), dtype=np.float64):
    rng = np.random.default_rng(seed)
    dense = samples.stored(rng, shape, "sparse") * rng.integers(1, 9, shape)
    return kind(dense.astype(dtype))


def check(result, wanted):
    result.check_format(full_check=True)
    assert result.has_canonical_format
    assert result.has_sorted_indices
    np.testing.assert_array_equal(result.toarray(), wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parts", [1, 7])
def test_as_scipy_computes(kind, parts):
    one, other = random(kind, 0), random(kind, 1)
    added = nacho.evaluate(UNION, A=one, B=other, parts=parts, threads=2)
    check(added, (one + other).toarray())
    product = nacho.evaluate(PRODUCT, A=one, B=other, parts=parts, threads=2)
    check(product, one.multiply(other).toarray())
    assert type(added) is type(product) is kind


@pytest.mark.parametrize("one, other", list(itertools.product(KINDS, repeat=2)))
def test_an_array_wins_over_a_matrix(one, other):
    result = nacho.evaluate(UNION, A=random(one), B=random(other))
    kind = "array" if "array" in one.__name__ + other.__name__ else "matrix"
    format = one.__name__[:3] if one.__name__[:3] == other.__name__[:3] else "csr"
    assert type(result).__name__ == f"{format}_{kind}"
    check(result, (random(one) + random(other)).toarray())


def test_formats_that_scipy_lacks():
    result = nacho.evaluate(UNION, A=random(), B=random(seed=1), out="dcsr")
    assert type(result) is nacho.Tensor
    mixed = nacho.evaluate(UNION, A=random(), B=result)
    assert type(mixed) is sp.csr_array
    check(mixed, random().toarray() + result.to_dense())


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "?", "c8"])
def test_types_are_kept(dtype, width):
    one, other = random(dtype=dtype), random(seed=1, dtype=dtype)
    for matrix in (one, other):
        matrix.indptr, matrix.indices = (
            array.astype(width) for array in (matrix.indptr, matrix.indices)
        )
    result = nacho.evaluate(UNION, A=one, B=other)
    assert result.dtype == dtype
    assert result.indptr.dtype == result.indices.dtype == width
    check(result, (one + other).toarray())


def test_mixed_index_types():
    one, other = random(), random(seed=1)
    one.indptr = one.indptr.astype(np.int64)
    result = nacho.evaluate(UNION, A=one, B=other)
    assert result.indices.dtype == np.int64
    check(result, random().toarray() + other.toarray())


def test_arrays_are_used_in_place():
    one, other = random(), random(seed=1)
    plan = nacho.mlir.compile(UNION).plan(one, other)
    arrays = [a for a in plan._call.args if isinstance(a, np.ndarray)]
    owned = [a for m in (one, other) for a in (m.indptr, m.indices, m.data)]
    for used, given in zip(arrays, owned, strict=True):
        assert np.shares_memory(used, given)


def test_read_only_arrays_are_used_in_place():
    one, other = random(), random(seed=1)
    for array in (one.indptr, one.indices, one.data):
        array.flags.writeable = False
    plan = nacho.mlir.compile(UNION).plan(one, other)
    assert np.shares_memory(plan._call.args[2], one.data)
    check(plan.execute(), (one + other).toarray())


def test_strided_arrays():
    one, other = random(), random(seed=1)
    wanted = (one + other).toarray()
    for name in ("indptr", "indices", "data"):
        array = getattr(one, name)
        wide = np.zeros(2 * array.size, array.dtype)
        wide[::2] = array
        setattr(one, name, wide[::2])
    check(nacho.evaluate(UNION, A=one, B=other), wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parts", [1, 5])
def test_unsorted_entries_and_duplicates(kind, parts):
    rng = np.random.default_rng(4)
    extent = 12
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 9, extent))])
    indices = rng.integers(0, extent, indptr[-1])
    data = rng.integers(1, 9, indptr[-1]).astype(float)
    messy = kind((data, indices, indptr), shape=(extent, extent))
    clean = random(kind, shape=(extent, extent))
    before = messy.indices.copy()
    result = nacho.evaluate(UNION, A=messy, B=clean, parts=parts, threads=2)
    check(result, messy.toarray() + clean.toarray())
    np.testing.assert_array_equal(messy.indices, before)


def test_spare_room_behind_the_entries():
    one, other = random(), random(seed=1)
    wanted = (one + other).toarray()
    one.indices = np.append(one.indices, [99, -1]).astype(np.int32)
    one.data = np.append(one.data, [np.nan, np.nan])
    check(nacho.evaluate(UNION, A=one, B=other), wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_tiny(kind, shape):
    for one in (kind(shape), kind(np.ones(shape))):
        result = nacho.evaluate(UNION, A=one, B=one, parts=3)
        check(result, 2 * one.toarray())
        assert result.shape == shape


def test_explicit_zeros_stay_stored():
    one = sp.csr_array((np.array([1.0, -1]), np.array([0, 1]), np.array([0, 2])))
    other = sp.csr_array((np.array([-1.0, 1]), np.array([0, 1]), np.array([0, 2])))
    assert nacho.evaluate(UNION, A=one, B=other).nnz == 2


@pytest.mark.parametrize("family", ["array", "matrix"])
@pytest.mark.parametrize("layout", ["lil", "dok", "dia"])
def test_containers_that_are_converted(layout, family):
    one = getattr(sp, f"csr_{family}")(random()).asformat(layout)
    assert type(one) is getattr(sp, f"{layout}_{family}")
    other, kernel = random(seed=1), nacho.mlir.compile(UNION)
    for _ in range(2):
        wanted = (one + other).toarray()
        for found in (nacho.evaluate(UNION, A=one, B=other), kernel(one, other)):
            np.testing.assert_array_equal(found.toarray(), wanted)
        assert (
            type(nacho.evaluate("Z[i,j] = A[i,j]", A=one)).__name__ == f"csr_{family}"
        )
        if layout == "dia":
            one.data[0] *= 3
        else:
            one[0, 0] = 17
    assert f"A: {layout} converted to csr" in str(nacho.explain(UNION, A=one, B=other))
    made = nacho.asarray(one, "csc")
    np.testing.assert_array_equal(made.to_dense(), one.toarray())
    np.testing.assert_array_equal((made + one).compute().to_dense(), 2 * one.toarray())


def test_sums_of_diagonals():
    laplacian = 2 * sp.eye_array(20) - sp.eye_array(20, k=1) - sp.eye_array(20, k=-1)
    diagonals = sp.diags_array([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(20, 20))
    x = np.arange(20.0) ** 2
    for A in (laplacian, diagonals, sp.eye_array(20, dtype=np.int8)):
        found = nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)
        np.testing.assert_array_equal(found, A @ x)


def test_vectors_of_keys():
    one = sp.dok_array((30,))
    one[[20, 3, 7]] = [1.0, 2, 3]
    found = nacho.evaluate("z[i] = 2 * x[i]", x=one)
    np.testing.assert_array_equal(found.toarray(), 2 * one.toarray())


@pytest.mark.parametrize("family", ["array", "matrix"])
@pytest.mark.parametrize("parts", [1, 7])
def test_coo_as_scipy_computes(family, parts):
    kind = getattr(sp, f"coo_{family}")
    one, other = random(kind), random(kind, 1)
    wanted = (one + other).toarray()
    result = nacho.evaluate(UNION, A=one, B=other, parts=parts, threads=2)
    assert type(result) is kind
    assert result.has_canonical_format
    np.testing.assert_array_equal(result.toarray(), wanted)
    assert result.tocsr().nnz == result.nnz
    product = nacho.evaluate(PRODUCT, A=one, B=other, parts=parts, threads=2)
    assert type(product) is kind
    np.testing.assert_array_equal(product.toarray(), one.multiply(other).toarray())


def test_coo_and_csr():
    one, other = random(sp.coo_array), random(sp.csr_matrix, 1)
    added = nacho.evaluate(UNION, A=one, B=other)
    assert type(added) is sp.csr_array
    check(added, one.toarray() + other.toarray())
    for A, B, kind in ((one, other, sp.coo_array), (other, one, sp.csr_array)):
        product = nacho.evaluate(PRODUCT, A=A, B=B)
        assert type(product) is kind
        wanted = one.toarray() * other.toarray()
        np.testing.assert_array_equal(product.toarray(), wanted)


@pytest.mark.parametrize("shape", [(40,), (7, 8, 9), (3, 4, 5, 6)])
def test_coo_of_other_ranks(shape):
    one, other = random(sp.coo_array, 0, shape), random(sp.coo_array, 1, shape)
    at = ",".join("ijkl"[: len(shape)])
    text = f"Z[{at}] = A[{at}] + B[{at}]"
    result = nacho.evaluate(text, A=one, B=other, parts=3, threads=2)
    assert type(result) is sp.coo_array
    assert result.has_canonical_format
    np.testing.assert_array_equal(result.toarray(), (one + other).toarray())


@pytest.mark.parametrize("kind", [sp.csr_array, sp.coo_array])
def test_one_dimension(kind):
    one, other = random(kind, 0, (40,)), random(kind, 1, (40,))
    wanted = (one + other).toarray()
    operands = {"A": one, "B": other}
    result = nacho.evaluate("z[i] = A[i] + B[i]", operands)
    assert type(result) is sp.coo_array
    np.testing.assert_array_equal(result.toarray(), wanted)


@pytest.mark.parametrize("family", ["array", "matrix"])
def test_bsr_is_converted(family):
    kind, other = getattr(sp, f"bsr_{family}"), random(sp.csr_matrix, 1)
    blocks = kind(random(), blocksize=(3, 4))
    for _ in range(2):
        result = nacho.evaluate(UNION, A=blocks, B=other)
        assert type(result).__name__ == f"csr_{family}"
        np.testing.assert_array_equal(
            result.toarray(), blocks.toarray() + other.toarray()
        )
        blocks.data *= 2
    notes = nacho.mlir.compile(UNION).explain(blocks, other)
    assert "A: bsr converted to csr" in notes


@pytest.mark.parametrize("order", ["C", "F"])
def test_products_with_arrays(order):
    matrix = random()
    x, X = np.arange(40.0), np.array(np.arange(120.0).reshape(40, 3), order=order)
    y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=matrix, x=x, parts=5, threads=2)
    assert type(y) is np.ndarray
    np.testing.assert_array_equal(y, matrix @ x)
    Y = nacho.evaluate("Y[i,k] = A[i,j] * X[j,k]", A=matrix, X=X, parts=5, threads=2)
    assert type(Y) is np.ndarray
    np.testing.assert_array_equal(Y, matrix @ X)


def test_scalar_results():
    one, other = random(), random(seed=1)
    dot = nacho.evaluate("s = A[i,j] * B[i,j]", A=one, B=other, parts=3, threads=2)
    assert type(dot) is np.float64
    assert dot == one.multiply(other).sum()


def test_results_are_ordinary_matrices():
    """Nothing that SciPy does with its own is missing from a result."""
    result = nacho.evaluate(UNION, A=random(), B=random(seed=1))
    dense = result.toarray()
    np.testing.assert_array_equal((result @ result.T).toarray(), dense @ dense.T)
    np.testing.assert_array_equal(result[3:9, ::2].toarray(), dense[3:9, ::2])
    np.testing.assert_array_equal(result.tocsc().toarray(), dense)
    copied = result.copy()
    copied.data *= 2
    copied.eliminate_zeros()
    np.testing.assert_array_equal(result.toarray(), dense)
    assert repr(result) == repr(sp.csr_array(dense))


def test_results_without_validation_claim_nothing():
    one, other = random(), random(seed=1)
    trusted = nacho.evaluate(UNION, A=one, B=other, validate="none")
    flags = {"_has_sorted_indices", "_has_canonical_format"}
    assert flags.isdisjoint(vars(trusted))
    assert flags <= vars(nacho.evaluate(UNION, A=one, B=other)).keys()
    check(trusted, (one + other).toarray())


@pytest.mark.parametrize("flag", ["has_sorted_indices", "has_canonical_format"])
def test_known_disorder_is_not_trusted(flag):
    """Without validation nothing is looked at, but what SciPy knows is believed."""
    data, indices, indptr = np.arange(1.0, 5), [2, 0, 1, 1], [0, 2, 4]
    messy = sp.csr_array((data, indices, indptr), shape=(2, 3))
    assert not getattr(messy, flag)
    clean = sp.csr_array(np.ones((2, 3)))
    result = nacho.evaluate(UNION, A=messy, B=clean, validate="none")
    assert result.nnz == 6
    np.testing.assert_array_equal(result.toarray(), messy.toarray() + 1)
    np.testing.assert_array_equal(messy.indices, indices)


@pytest.mark.parametrize("out", ["csr", "dcsr"])
def test_results_are_not_checked_again(out, monkeypatch):
    # The extension checks small ones itself.
    one, other = random(shape=(300, 400)), random(seed=1, shape=(300, 400))
    trusted = nacho.evaluate(UNION, A=one, B=other, out=out, validate="none")
    result = nacho.evaluate(UNION, A=one, B=other, out=out)
    checked = []
    monkeypatch.setattr(
        canonical, "has_canonical_entries", lambda *of: checked.append(of[0]) or True
    )
    nacho.evaluate("Z[i,j] = -A[i,j]", A=result)
    assert checked == []
    nacho.evaluate("Z[i,j] = -A[i,j]", A=trusted)
    assert checked == ["A"]


def test_a_transposed_access_of_columns():
    """What is stored in the order of the loops needs no transposition."""
    one, other = random(sp.csc_array, shape=(40, 30)), random(seed=1)
    result = nacho.evaluate("Z[i,j] = B[j,i] * A[i,j]", A=other, B=one)
    assert type(result) is sp.csr_array
    check(result, (one.T * other).toarray())
    result = nacho.evaluate("Z[j,i] = A[i,j]", A=other)
    assert type(result) is sp.csc_array
    check(result, other.toarray().T)


def test_results_can_be_operands():
    total = one = random()
    for _ in range(5):
        total = nacho.evaluate(UNION, A=total, B=one, parts=3, threads=2)
    check(total, 6 * one.toarray())


def test_scipy_is_only_loaded_by_its_users():
    code = (
        "import sys, numpy, nacho; "
        "A = nacho.Tensor.from_coo([[0], [1]], [2.0], format='csr'); "
        "Z = nacho.evaluate('Z[i,j] = A[i,j] + A[i,j]', A=A); "
        "assert Z.values.tolist() == [4]; assert 'scipy' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": path()}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def path():
    return nacho.__path__[0].rpartition("/")[0]


def test_indices_are_as_narrow_as_the_entries_let_them(monkeypatch):
    """How many there are is counted, whatever the extents would allow."""
    at = np.array([0, 69_999], np.int32)
    A = sp.csr_array((np.array([1.0, 2.0]), (at, at[::-1])), shape=(70_000, 70_000))
    Z = nacho.evaluate("Z[i,k] = A[i,j] * A[j,k]", A=A)
    assert Z.indices.dtype == Z.indptr.dtype == np.int32
    compute = Call.compute

    def overflowing(self):
        if self.specialisation.statement.result.pos_width == 32:
            raise nacho.IndexOverflowError("more entries than int32 can count")
        return compute(self)

    monkeypatch.setattr(Call, "compute", overflowing)
    # With an option, this is no repetition of the call before.
    Z = nacho.evaluate("Z[i,k] = A[i,j] * A[j,k]", A=A, parts=1)
    assert Z.indptr.dtype == np.int64
    np.testing.assert_array_equal(Z.data, [2.0, 2.0])


@pytest.mark.parametrize("kind", [sp.coo_array, sp.coo_matrix])
def test_transposed_coo_stays_scipys(kind):
    """Its entries are not in the order of the dimensions, which SciPy does not mind."""
    A = random(kind, shape=(5, 7))
    turned = nacho.evaluate("Z[j,i] = A[i,j]", A=A)
    assert type(turned) is kind
    assert not turned.has_canonical_format
    np.testing.assert_array_equal(turned.toarray(), A.toarray().T)
    np.testing.assert_array_equal(turned.tocsr().toarray(), A.toarray().T)
    again = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=turned)
    np.testing.assert_array_equal(again.toarray(), 2 * A.toarray().T)


def test_transposed_coo_of_order_3_stays_scipys():
    dense = random(shape=(6, 20)).toarray().reshape(6, 4, 5)
    T = sp.coo_array(dense)
    turned = nacho.evaluate("Z[k,i,j] = 2 * T[i,j,k]", T=T)
    assert type(turned) is sp.coo_array
    np.testing.assert_array_equal(turned.toarray(), 2 * dense.transpose(2, 0, 1))
