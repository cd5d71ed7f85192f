"""``+=`` adds to the tensor of the result's name, if one is given."""

import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples

rng = np.random.default_rng(7)
A = sp.random_array((9, 8), density=0.3, format="csr", rng=rng)
B = sp.random_array((8, 7), density=0.3, format="csr", rng=rng)
Z = sp.random_array((9, 7), density=0.3, format="csr", rng=rng)
D = rng.random((9, 7))
x, y = rng.random(8), rng.random(9)
PRODUCT, SPMV = "Z[i,k] += A[i,j] * B[j,k]", "y[i] += A[i,j] * x[j]"


def plain(array):
    return array.toarray() if sp.issparse(array) else np.asarray(array)


@pytest.mark.any_target
@pytest.mark.parametrize("given", [Z, Z.tocsc(), sp.coo_array(Z), D])
def test_matrices(given):
    before = given.copy()
    made = nacho.evaluate(PRODUCT, A=A, B=B, Z=given)
    np.testing.assert_allclose(plain(made), plain(A @ B) + plain(given))
    assert sp.issparse(made) == sp.issparse(given)
    np.testing.assert_array_equal(plain(given), plain(before))


@pytest.mark.any_target
def test_vectors_and_numbers():
    made = nacho.evaluate(SPMV, A=A, x=x, y=y)
    np.testing.assert_allclose(made, A @ x + y)
    assert nacho.evaluate("s += x[i]", x=x, s=2.5) == pytest.approx(2.5 + x.sum())


def test_nothing_to_add_to():
    made = nacho.evaluate(PRODUCT, A=A, B=B)
    assert samples.same(made, nacho.evaluate(PRODUCT.replace("+=", "="), A=A, B=B))


def test_any_number_of_threads_and_parts():
    given = {"A": A, "B": B, "Z": Z}
    wanted = nacho.evaluate(PRODUCT, given)
    for threads, parts in ((1, 1), (2, 5), (3, 40)):
        made = nacho.evaluate(PRODUCT, given, threads=threads, parts=parts)
        np.testing.assert_allclose(plain(made), plain(wanted))
    for threads in (1, 2, 7):
        assert samples.same(nacho.evaluate(PRODUCT, given, threads=threads), wanted)


def test_semirings():
    E = sp.csr_array(np.ones((9, 7)))
    made = nacho.evaluate(PRODUCT, A=A, B=B, Z=E, semiring="min_plus")
    best = nacho.evaluate(PRODUCT, A=A, B=B, semiring="min_plus").tocoo()
    wanted = np.ones((9, 7))
    wanted[best.row, best.col] = np.minimum(1, best.data)
    np.testing.assert_allclose(made.toarray(), wanted)


def test_types_are_those_of_sums():
    made = nacho.evaluate(SPMV, A=A.astype(np.float32), x=x.astype(np.float32), y=y)
    assert made.dtype == np.float64


@pytest.mark.parametrize("parts", [1, 4])
def test_kernels(parts):
    kernel = nacho.mlir.compile(SPMV, parts=parts)
    assert kernel.operands == ("A", "x")
    for _ in range(2):
        np.testing.assert_allclose(kernel(A, x), A @ x)
        for made in (kernel(A, x, y), kernel(A, x, y=y), kernel(x=x, y=y, A=A)):
            np.testing.assert_allclose(made, A @ x + y)
    again = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_allclose(again(A, x, y=y), A @ x + y)


def test_plans_counts_and_cuts():
    kernel = nacho.mlir.compile(PRODUCT)
    wanted = plain(A @ B) + plain(Z)
    plan = kernel.plan(A, B, Z=Z)
    assert plan.nnz == kernel.count(A, B, Z) == kernel(A, B, Z=Z).nnz
    np.testing.assert_allclose(plan.execute().toarray(), wanted)
    made = plan.execute(A, B, 2 * Z)
    np.testing.assert_allclose(made.toarray(), wanted + plain(Z))
    sections = kernel.explain(A, B, Z=Z).sections
    assert sections["expression"] == ("new_Z[i,k] = sum(j, A[i,j] * B[j,k]) + Z[i,k]",)
    assert "Z: csr" in "\n".join(sections["operands"])
    named = nacho.explain(PRODUCT, A=A, B=B, Z=Z).sections
    assert named["expression"] == sections["expression"]
    text = "Z[i,k] += C[i,k]"
    cut = nacho.partition(text, 3, C=Z, Z=Z, cost="nnz")
    assert cut.total == 2 * nacho.partition(text, 3, C=Z, cost="nnz").total


def test_the_format_of_the_result_is_that_of_what_is_added_to():
    kernel = nacho.mlir.compile("Z[i,j] += A[i,j]", {"A": "csr", "Z": "dcsr"})
    given = nacho.asarray(A, "dcsr")
    made = kernel(A, Z=given)
    assert made.format == nacho.Format("dcsr")
    np.testing.assert_allclose(made.to_dense(), 2 * A.toarray())
    with pytest.raises(nacho.DTypeError, match="operand 'Z' is complex128"):
        pinned = nacho.mlir.compile("Z[i,j] += A[i,j]", dtype={"Z": "f64"})
        pinned(A, Z=A.astype(np.complex128))


def test_a_type_that_is_pinned_for_all():
    """It is that of the tensor to which the result is added, too, as an operand."""
    kernel = nacho.mlir.compile("Z[i,j] += A[i,j]", dtype="f32")
    narrow = A.astype(np.float32)
    assert kernel(narrow, Z=narrow).dtype == np.float32
    for call in (kernel, kernel.plan, lambda *given: kernel.map([given])):
        with pytest.raises(nacho.DTypeError, match="operand 'Z' is float64, but the k"):
            call(narrow, A)
    quotients = nacho.mlir.compile("Z[i,j] += A[i,j] / 2", dtype="i32")
    whole = (4 * A).astype(np.int32)
    assert quotients(whole).dtype == np.float64
    assert quotients(whole, Z=whole).dtype == np.float64


def test_expressions_of_indices_have_it_as_a_term():
    i, j = nacho.indices("i j")
    a = nacho.access(A)[i, j]
    with pytest.raises(nacho.ArgumentError, match=r"what is 'Z'\? What it is added to"):
        nacho.evaluate(2 * a, (i, j), Z=A)
    found = nacho.evaluate(nacho.access(A)[i, j] + 2 * a, (i, j))
    np.testing.assert_allclose(found.toarray(), 3 * A.toarray())


CSR = nacho.mlir.compile("Z[i,j] += A[i,j]")
REFUSED = {
    "another extent": (
        lambda: nacho.evaluate("Z[i,j] += A[i,j]", A=A, Z=A[:3]),
        "index 'i' has extent 9 in operand 'A', but 3 in operand 'Z'\n"
        "  new_Z[i,j] = A[i,j] + Z[i,j]\n"
        "                        ^^^^^^",
    ),
    "another rank": (
        lambda: nacho.evaluate("Z[i,j] += A[i,j]", A=A, Z=x),
        "operand 'Z' has rank 1, but is written with 2 indices",
    ),
    "=": (
        lambda: nacho.evaluate("Z[i,j] = A[i,j]", A=A, Z=A),
        "operand 'Z' has the name of the result: only += adds to what is given, and "
        "'=' does not\n  Z[i,j] = A[i,j]\n         ^",
    ),
    "max=": (
        lambda: nacho.mlir.compile("y[i] max= A[i,j]")(A, y=y),
        "operand 'y' has the name of the result: only += adds to what is given, and "
        "'max=' does not\n  y[i] max= A[i,j]\n       ^^^^",
    ),
    "on the right": (
        lambda: nacho.evaluate("Z[i,j] += Z[i,j]", Z=A),
        "the result 'Z' is also read\n  Z[i,j] += Z[i,j]\n            ^^^^^^",
    ),
    "too many": (lambda: CSR(A, A, A), "3 operands given, expected 2: A, Z"),
    "twice": (lambda: CSR(A, A, Z=A), "operand 'Z' is given twice"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, message = REFUSED[case]
    with pytest.raises(nacho.NachoError, match=re.escape(message)):
        call()


def test_positions_under_a_semiring():
    """The tensor that is added to is the last, wherever the semiring puts it."""
    rng = np.random.default_rng(3)
    A, B, Z = rng.random((3, 5, 5))
    formats = dict.fromkeys("ABZ", "dense")
    kernel = nacho.mlir.compile(
        "Z[i,j] += A[i,k] * B[k,j]", formats, semiring="min_plus"
    )
    expected = np.minimum((A[:, :, None] + B[None]).min(axis=1), Z)
    for made in (kernel(A, B, Z), kernel(A, B, Z=Z), kernel(A=A, B=B, Z=Z)):
        np.testing.assert_array_equal(made, expected)
