"""Operators of whole arrays: what they are written as, and what they compute."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import nacho
import samples
from libraries import needed
from selection import THOROUGH

i, j = nacho.indices("i j")


def tensor(shape, seed=0, format="csr", dtype="f8"):
    """Return a tensor with small integers, so that sums are exact."""
    rng = np.random.default_rng((seed, *shape))
    values = np.where(rng.random(shape) < 0.5, rng.integers(1, 5, shape), 0)
    return nacho.Tensor.from_dense(values.astype(dtype), format)


A, B = tensor((4, 5), 1), tensor((4, 5), 2)
C, D = tensor((4, 6), 3), tensor((6, 5), 4)
X = np.arange(5.0)
COLUMN = nacho.Tensor.from_dense(np.arange(4.0).reshape(4, 1), "coo")


def dense(operand):
    """Return an operand as an array of NumPy; a number stays one."""
    if sp.issparse(operand):
        return operand.toarray()
    return operand.to_dense() if isinstance(operand, nacho.Tensor) else operand


def agree(expr, *operands, exact=True):
    """Compare a function of tensors with the same function of arrays."""
    found, wanted = expr(*operands), expr(*map(dense, operands))
    wanted = np.asarray(wanted)
    assert isinstance(found, nacho.Lazy)
    assert (found.shape, found.ndim) == (wanted.shape, wanted.ndim)
    assert found.dtype == wanted.dtype
    array = np.asarray(found)
    assert array.dtype == wanted.dtype
    compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
    compare(array, wanted)
    return found


# --- How it is written ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("lazy", "text"),
    [
        (lambda: A + B, "Z[i,j] = A[i,j] + B[i,j]"),
        (lambda: A + A, "Z[i,j] = A[i,j] + A[i,j]"),
        (lambda: A * X, "Z[i,j] = A[i,j] * B[j]"),
        (lambda: A * COLUMN, "Z[i,j] = A[i,j] * sum(k, B[i,k])"),
        (lambda: COLUMN * COLUMN, "Z[i,j] = A[i,j] * A[i,j]"),
        (lambda: 2 - A, "Z[i,j] = 2 - A[i,j]"),
        (lambda: 2.5 * A, "Z[i,j] = A * B[i,j]"),
        (lambda: A > 2.5, "Z[i,j] = A[i,j] > 2.5"),
        (lambda: np.sqrt(A) ** 2, "Z[i,j] = sqrt(A[i,j])**2"),
        (lambda: np.maximum(A, 0), "Z[i,j] = max(A[i,j], 0)"),
        (lambda: A @ X, "Z[i] = A[i,j] * B[j]"),
        (lambda: C @ D, "Z[i,j] = A[i,k] * B[k,j]"),
        (lambda: C @ D @ X, "Z[i] = A[i,k] * B[k,j] * C[j]"),
        (lambda: A * (C @ D), "Z[i,j] = A[i,j] * B[i,k] * C[k,j]"),
        (
            lambda: (A + B) * (C @ D),
            "Z[i,j] = (A[i,j] + B[i,j]) * C[i,k] * D[k,j]",
        ),
        (lambda: A - C @ D, "Z[i,j] = A[i,j] - B[i,k] * C[k,j]"),
        (lambda: -(C @ D), "Z[i,j] = -(A[i,k] * B[k,j])"),
        (lambda: np.exp(C @ D), "Z[i,j] = exp(sum(k, A[i,k] * B[k,j]))"),
        (lambda: A.sum(axis=1), "Z[i] = A[i,j]"),
        (lambda: A.sum(), "Z = A[i,j]"),
        (lambda: (A + B).sum(axis=0), "Z[i] = sum(j, A[j,i] + B[j,i])"),
        (lambda: (A * B).sum(axis=0), "Z[i] = A[j,i] * B[j,i]"),
        (lambda: A * A.sum(axis=0), "Z[i,j] = A[i,j] * sum(k, A[k,j])"),
        (lambda: A.max(axis=1), "Z[i] = max(j, A[i,j])"),
        (lambda: A.mean(axis=1), "Z[i] = sum(j, A[i,j]) / 5"),
        (lambda: A.T @ B, "Z[i,j] = A[i,k] * B[k,j]"),
        (lambda: (A + B).T, "Z[i,j] = A[j,i] + B[j,i]"),
        (
            lambda: A / A.sum(axis=1, keepdims=True),
            "Z[i,j] = A[i,j] / sum(k, A[i,k])",
        ),
        (
            lambda: A.sum(axis=1, keepdims=True),
            "Z[i,j] = sum(k, A[i,k]) * B[j]",
        ),
    ],
)
def test_text(lazy, text):
    made = lazy()
    assert made.statement[0] == text
    shape = "x".join(map(str, made.shape)) or "scalar"
    assert repr(made) == f"<nacho.Lazy: {text}, {shape}, {made.dtype}>"


def test_a_long_expression_is_shortened_where_it_is_shown():
    total = sum([tensor((2, 2), seed) for seed in range(40)])
    assert "…" in repr(total)
    assert len(repr(total)) < 300


def test_the_same_operand_is_one_operand():
    text, operands = (A * B - A * 2.5).statement
    assert text == "Z[i,j] = A[i,j] * B[i,j] - A[i,j] * C"
    assert operands["A"] is A
    assert operands["B"] is B
    assert operands["C"] == 2.5


# --- What it computes -----------------------------------------------------------------

PAIRS = [
    (lambda a, b: a + b),
    (lambda a, b: a - b),
    (lambda a, b: a * b),
    (lambda a, b: a < b),
    (lambda a, b: a >= b),
    (lambda a, b: a != b),
    (lambda a, b: a == b),
    (lambda a, b: (a > 1) & (b > 2)),
    (lambda a, b: (a > 1) | (b > 2)),
    (lambda a, b: (a > 1) ^ ~(b > 2)),
    (lambda a, b: np.minimum(a, b)),
    (lambda a, b: np.where(a > b, a, b)),
    (lambda a, b: abs(-a) ** 2 - np.square(b)),
    (lambda a, b: np.sqrt(a) + np.log1p(b) - np.sign(a - b)),
    (lambda a, b: a / (b + 1)),
    (lambda a, b: a @ b.T),
    (lambda a, b: a.T @ b),
    (lambda a, b: (a * b).sum(axis=0)),
    (lambda a, b: a.sum() * b.max(axis=1)),
    (lambda a, b: (a - b).mean(axis=-1)),
    (lambda a, b: a.max(axis=0, keepdims=True) - b),
    (lambda a, b: np.prod(a + 1, axis=1)),
    (lambda a, b: np.transpose(a) @ (a + b) * 2),
]


@pytest.mark.each_value
@pytest.mark.parametrize("expr", PAIRS)
@pytest.mark.parametrize("formats", [("csr", "coo"), ("csc", "dense")])
def test_operators(expr, formats):
    pair = (tensor((4, 5), seed, format) for seed, format in enumerate(formats))
    agree(expr, *pair, exact=False)


@pytest.mark.each_value
@pytest.mark.parametrize(
    "shapes",
    [
        ((4, 5), (5,)),
        ((4, 5), (1, 5)),
        ((4, 5), (4, 1)),
        ((4, 1), (1, 5)),
        ((1, 5), (4, 1)),
        ((5,), (4, 1)),
        ((4, 1), (4, 1)),
        ((3, 4, 5), (4, 5)),
        ((3, 4, 5), (3, 1, 5)),
        ((3, 1, 5), (4, 1)),
        ((1, 1), (4, 5)),
        ((1, 1), (1, 1)),
        ((0, 5), (1, 5)),
        ((0, 1), (1, 5)),
    ],
)
@pytest.mark.parametrize("format", ["coo", "dense"])
def test_broadcasting(shapes, format):
    one, other = (tensor(shape, seed, format) for seed, shape in enumerate(shapes))
    agree(lambda a, b: a * b, one, other)
    agree(lambda a, b: a - b * 2, one, other)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "shapes",
    [
        ((4, 6), (6, 5)),
        ((4, 6), (6,)),
        ((6,), (6, 5)),
        ((6,), (6,)),
        ((4, 1), (1, 5)),
        ((1, 6), (6, 1)),
        ((3, 4, 6), (6, 5)),
        ((3, 4, 6), (3, 6, 5)),
        ((1, 4, 6), (3, 6, 5)),
        ((3, 4, 6), (6,)),
        ((4, 0), (0, 5)),
    ],
)
def test_matrix_products(shapes):
    one, other = (tensor(shape, seed, "coo") for seed, shape in enumerate(shapes))
    agree(lambda a, b: a @ b, one, other)
    agree(lambda a, b: a @ b, dense(one), other)
    agree(lambda a, b: a @ b, one, dense(other))


@pytest.mark.each_value
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (), (2, 1, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(axis, keepdims):
    given = tensor((2, 3, 4), 5, "coo")
    for name in ("sum", "prod", "max", "min", "mean"):
        agree(
            lambda a, name=name: getattr(np, name)(
                a * 2 - 3, axis=axis, keepdims=keepdims
            ),
            given,
            exact=False,
        )


def test_functions_of_nacho():
    """Those that NumPy lacks, too."""
    np.testing.assert_array_equal(nacho.relu(A - 2), np.maximum(dense(A) - 2, 0))
    np.testing.assert_allclose(nacho.sigmoid(A), 1 / (1 + np.exp(-dense(A))))
    assert nacho.sqrt(A).statement[0] == np.sqrt(A).statement[0]
    assert nacho.maximum(A, B).statement[0] == "Z[i,j] = max(A[i,j], B[i,j])"
    stored = nacho.pattern(A)
    assert stored.dtype == bool
    assert stored.compute().nnz == A.nnz
    with pytest.raises(nacho.ArgumentError, match="max takes expressions"):
        nacho.maximum(A, B["i,j"])


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", sorted(samples.DTYPES))
def test_types_are_those_of_numpy(dtype):
    """Except for sums of unsigned integers, which are in int64."""
    given = tensor((3, 4), 1, dtype=samples.DTYPES[dtype])
    agree(lambda a: a * 2, given)
    agree(lambda a: a @ a.T, given)
    agree(lambda a: a.mean(axis=0), given, exact=False)
    for reduced in (given.sum(axis=1), given.prod()):
        wanted = np.dtype("i8") if given.dtype.kind in "uib" else given.dtype
        assert reduced.dtype == np.asarray(reduced).dtype == wanted
    np.testing.assert_array_equal(given.sum(axis=1), dense(given).sum(axis=1))
    wide = given.sum(axis=0, dtype="c16")
    np.testing.assert_array_equal(wide, dense(given).sum(axis=0))
    assert wide.dtype == np.complex128


def test_products_of_bools_are_summed_as_bools():
    """And only then become numbers, though the product is of numbers."""
    found = agree(lambda a: ((a > 1) @ (a > 1).T) * 2, A)
    assert found.statement[0].startswith("Z[i,j] = sum(k, ")


def random_expression(rng, depth):
    """Return an expression as a function of arrays of shapes (4, 5), (4, 1), (5,)."""
    if depth == 0:
        return [
            lambda a, b, c, d: a,
            lambda a, b, c, d: b,
            lambda a, b, c, d: c,
            lambda a, b, c, d: d,
            lambda a, b, c, d: b * 2.5,
        ][rng.integers(5)]
    one, other = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    return [
        lambda *t: one(*t) + other(*t),
        lambda *t: one(*t) - other(*t),
        lambda *t: one(*t) * other(*t),
        lambda *t: np.minimum(one(*t), other(*t)),
        lambda *t: np.where(one(*t) > 1, other(*t), 0),
        lambda *t: one(*t) * (other(*t) != 2),
        lambda *t: abs(one(*t)) + t[0].max(axis=1, keepdims=True),
        lambda *t: (t[0] @ t[0].T) @ (one(*t) - t[1]),
        lambda *t: t[0] * (t[1] @ np.transpose(t[1]) @ t[0]) + one(*t),
        lambda *t: one(*t) + other(*t).sum(axis=-1).mean(),
        lambda *t: np.tanh(one(*t)) / 2,
    ][rng.integers(11)]


@pytest.mark.parametrize("seed", range(40 if THOROUGH else 16))
def test_random_expressions(seed):
    rng = np.random.default_rng(seed)
    formats = rng.choice(["csr", "csc", "coo", "dcsr", "dense"], 3)
    operands = [
        tensor((4, 5), seed, formats[0]),
        tensor((4, 5), seed + 1, formats[1]),
        tensor((4, 1), seed + 2, formats[2]),
        np.arange(5.0),
    ]
    expr = random_expression(rng, int(rng.integers(1, 4)))
    if isinstance(expr(*operands), nacho.Lazy):
        agree(expr, *operands, exact=False)


# --- Results --------------------------------------------------------------------------


def test_a_result_stays_sparse():
    for lazy, name in ((A + B, "csr"), (A * X, "csr"), (C @ D, "csr"), (-A, "csr")):
        result = lazy.compute()
        assert isinstance(result, nacho.Tensor)
        assert result.format.name == name
    scipy = sp.csr_array(dense(B))
    assert isinstance((A * scipy).compute(), nacho.Tensor)
    assert isinstance((scipy * A).compute(), sp.csr_array)
    assert isinstance((A @ X).compute(), np.ndarray)
    assert isinstance(A.sum().compute(), np.float64)


def test_options_are_those_of_evaluate():
    found = (A + B).compute(out="dcsr", threads=2, parts=3)
    assert found.format.name == "dcsr"
    assert samples.same(found, nacho.evaluate(A + B, out="dcsr"))
    text = (A + B).explain()
    assert text.sections["expression"] == ("Z[i,j] = A[i,j] + B[i,j]",)
    assert nacho.explain(A + B).sections["order"] == text.sections["order"]
    assert nacho.asarray(A + B, "csc").format.name == "csc"
    assert nacho.asarray(A @ X).format.is_dense
    with pytest.raises(nacho.ArgumentError, match="what is 'A'"):
        nacho.evaluate(A + B, A=A)


@pytest.mark.parametrize(
    "expr",
    [
        lambda a: a + 1,
        lambda a: np.exp(a),
        lambda a: a == 0,
        lambda a: a + X,
        lambda a: 1 / a,
        lambda a: ~(a > 1),
    ],
)
def test_nothing_becomes_dense_unasked(expr):
    with pytest.raises(nacho.UnsupportedError, match=r'ask for that with out="dense"'):
        expr(A).compute()
    with np.errstate(divide="ignore"):
        agree(expr, A, exact=False)
        found = expr(A).compute(out="dense")
        np.testing.assert_allclose(found, expr(dense(A)))


def test_one_kernel_for_all_of_it(monkeypatch):
    """Of an expression, and of the same one over other operands."""
    from nacho._kernels.specialisation import Specialisation

    (A + B * (C @ D)).compute()
    monkeypatch.setattr(Specialisation, "__init__", None)
    found = (B + A * (C @ D)).compute()
    np.testing.assert_array_equal(found, dense(B) + dense(A) * (dense(C) @ dense(D)))
    with pytest.raises(TypeError):
        (A + B * (C @ D) * 7).compute()


def test_values_are_those_of_the_time_of_computing():
    given = tensor((3, 4), 9)
    twice = given * 2
    given.values[:] = 7
    np.testing.assert_array_equal(twice.compute(), dense(given) * 2)


def test_numbers():
    total = A.sum()
    assert float(total) == int(total) == complex(total) == dense(A).sum()
    assert total > 0
    assert total != 0
    np.testing.assert_array_equal(A * total, dense(A) * dense(A).sum())
    with pytest.raises(nacho.ShapeError, match="is not a number"):
        float(A + B)


def test_no_warning_of_sums_that_are_meant(recwarn):
    (A * A.sum(axis=1, keepdims=True)).compute()
    A.sum(axis=0).explain()
    assert not [each for each in recwarn if each.category is nacho.NachoWarning]


# --- Other libraries ------------------------------------------------------------------

OTHERS = {
    "numpy": lambda dense: dense,
    "array": sp.csr_array,
    "coo": sp.coo_array,
    "csc": sp.csc_array,
    "matrix": sp.csr_matrix,
    "Tensor": lambda dense: nacho.Tensor.from_dense(dense, "csc"),
}


WITH_OTHERS = [
    lambda a, b: a + b,
    lambda a, b: b - a,
    lambda a, b: a * b,
    lambda a, b: b * a,
    lambda a, b: a @ b.T,
    lambda a, b: b @ a.T,
    lambda a, b: b @ (a + a).T,
    lambda a, b: b / (a + 1),
    lambda a, b: b != a,
    lambda a, b: b > a,
    lambda a, b: b @ nacho.asarray(X),
]


@pytest.mark.parametrize("library", OTHERS)
def test_operators_of_other_libraries(library):
    """On either side: SciPy leaves its operators to us, and nothing becomes dense."""
    other = OTHERS[library](dense(B))
    for expr in WITH_OTHERS:
        assert isinstance(expr(A, other), nacho.Lazy)


@pytest.mark.each_value
@pytest.mark.parametrize("library", OTHERS)
@pytest.mark.parametrize("expr", WITH_OTHERS)
def test_operands_of_other_libraries(library, expr):
    other = OTHERS[library](dense(B))
    a, b = dense(A), dense(B)
    wanted = b @ X if expr is WITH_OTHERS[-1] else expr(a, b)
    np.testing.assert_array_equal(expr(A, other), wanted)


def test_operands_of_torch():
    torch = needed("torch")
    other = torch.tensor(dense(B))
    for expr in (
        lambda a, b: a + b,
        lambda a, b: b * a,
        lambda a, b: b @ a.T,
        lambda a, b: a @ b.T,
        lambda a, b: b - a,
    ):
        found = expr(A, other)
        assert isinstance(found, nacho.Lazy)
        np.testing.assert_array_equal(found, expr(dense(A), dense(B)))
    sparse = other.to_sparse_csr()
    np.testing.assert_array_equal(sparse * A, dense(B) * dense(A))


def test_scipy_can_still_ask_for_all_elements():
    np.testing.assert_array_equal(sp.csr_array(A).toarray(), dense(A))
    linear = aslinearoperator(sp.csr_array(dense(B)))
    np.testing.assert_array_equal(linear @ A.T, dense(B) @ dense(A).T)
    np.testing.assert_array_equal(np.asarray(A), dense(A))


@pytest.mark.parametrize(
    "call",
    [
        lambda: np.tile(A, 2),
        lambda: np.kron(A, B),
        lambda: np.dot(np.ones((2, 2, 4)), A),
        lambda: np.clip(A, 0, 1, casting="no"),
        lambda: np.add.reduce(A),
        lambda: np.add(A, B, out=np.empty((4, 5))),
        lambda: np.spacing(A),
        lambda: A + "b",
        lambda: A + list(X),
        lambda: A @ None,
        lambda: list(A + B),
        lambda: A + A[i, j],
    ],
)
def test_what_is_no_operator_of_the_notation(call):
    with pytest.raises(TypeError):
        call()


# --- Refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: A + C, nacho.ShapeError, "(4, 5) and (4, 6) cannot be broadcast"),
        (lambda: A @ B, nacho.ShapeError, "5 columns, but 4 rows"),
        (lambda: A @ 2, nacho.ShapeError, "not numbers"),
        (lambda: -(A > 1), nacho.DTypeError, "the negative of a bool"),
        (lambda: A & B, nacho.DTypeError, "'&' is for integers and bools only"),
        (lambda: (A * 1j).max(), nacho.DTypeError, "complex numbers"),
        (lambda: A.sum(axis=2), nacho.ShapeError, "axis=2: expected different ones"),
        (lambda: A.sum(axis=(0, -2)), nacho.ShapeError, "axis=(0, -2)"),
        (lambda: A.sum(axis="i"), nacho.ArgumentError, "axis='i': expected integers"),
        (lambda: A.sum(out=X), nacho.ArgumentError, "out= is not supported"),
        (lambda: A.sum(dtype="f4"), nacho.DTypeError, "only be summed in a wider type"),
        (lambda: np.transpose(A, (0,)), nacho.ShapeError, "axes=(0,)"),
        (lambda: bool(A), nacho.ShapeError, "no truth value"),
        (lambda: bool(A > B), nacho.ShapeError, "no truth value"),
        (lambda: 0 < A < 5, nacho.ShapeError, "no truth value"),
        (lambda: A * np.longdouble(2), nacho.DTypeError, "is not supported"),
        (
            lambda: A * np.ones((4, 5), "g"),
            nacho.DTypeError,
            "operand 'ndarray': type float128 is not supported",
        ),
        (
            lambda: tensor((0, 3)).max(axis=0).compute(),
            nacho.ReductionError,
            "over the empty index",
        ),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_an_expression_that_doubles_is_refused_in_time():
    growing = A * 1
    with pytest.raises(nacho.UnsupportedError, match="more than 2000 operations"):
        for _ in range(30):
            growing = growing + growing


def test_a_sum_of_many_operands():
    """Neither operators nor what writes them recurse."""
    total = sum([A] * 600)
    np.testing.assert_array_equal(total.compute(), dense(A) * 600)


def test_a_lazy_operand_has_to_be_computed_first():
    with pytest.raises(nacho.UnsupportedError, match=r"compute it first: A\.compute\("):
        nacho.evaluate("Z[i,j] = A[i,j] * 2", A=A + B)


def test_an_expression_is_written_once(monkeypatch):
    """Its values are read in each call, but its text is that of the first."""
    made = nacho.asarray(dense(A)) * 1 + B
    wanted, (text, operands) = dense(made.compute()), made.statement
    monkeypatch.setattr("nacho._arrays.lazy.spelled", None)
    operands.clear()
    assert made.statement[0] == text
    np.testing.assert_array_equal(dense(made.compute()), wanted)
