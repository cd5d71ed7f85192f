"""Quotients, comparisons, choices and functions, against NumPy on dense arrays."""

import itertools
import re

import numpy as np
import pytest

import nacho
import oracle
import samples

pytestmark = pytest.mark.any_target

REALS = (0.0, -0.0, 0.5, -1.0, 2.0, 88.0, -745.0, 1e22, 1e-30, np.inf, -np.inf, np.nan)
FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tanh", "abs")
COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
NAMED = {"min": np.minimum, "max": np.maximum, "where": np.where, "abs": np.abs}


def special(dtype):
    """Return numbers of a type, with those on which functions are peculiar."""
    kind = np.dtype(samples.DTYPES[dtype])
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return np.array([0, 1, 2, 7, limits.min, limits.max], kind)
    with np.errstate(all="ignore"):
        if kind.kind == "f":
            return np.array(REALS, kind)
        pairs = itertools.product(REALS, repeat=2)
        return np.array([complex(*pair) for pair in pairs]).astype(kind)


def pairs(dtype):
    """Return two arrays that have every pair of special numbers."""
    values = special(dtype)
    one, other = (a.ravel() for a in np.meshgrid(values, values))
    return (one[::7], other[::7]) if values.dtype.kind == "c" else (one, other)


def sparse(values):
    """Return the numbers that are not 0, and -0, as a sparse vector."""
    return samples.tensor(
        (values != 0) | np.signbit(values.real), values, "sparse-vector"
    )


def named_in(text, operands):
    """Return the operands that an expression names."""
    return {n: o for n, o in operands.items() if re.search(rf"\b{n}\b", text)}


def computed(text, **operands):
    given = named_in(text, operands)
    return nacho.evaluate(f"Z[i] = {text}", given, out="dense", parts=3)


def check(found, wanted, ulps=0):
    """Check numbers: a NaN is one, and the others differ in the last places only."""
    assert found.dtype == wanted.dtype
    for part in ("real", "imag") if wanted.dtype.kind == "c" else ("real",):
        one, other = getattr(found, part), getattr(wanted, part)
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        if not ulps:
            np.testing.assert_array_equal(one, other)
            continue
        known = np.isfinite(other)
        np.testing.assert_array_equal(one[~known], other[~known])
        distance = np.abs(one[known] - other[known])
        assert (distance <= ulps * np.spacing(np.abs(other[known]))).all()


# --- As NumPy -------------------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["f32", "f64", "c64", "c128", "i16", "u8", "bool"])
def test_functions(function, dtype):
    values = special(dtype)
    exact = values.dtype.kind in "biu" and function == "abs"
    with np.errstate(all="ignore"):
        wanted = as_numpy(function, values)
    check(computed(f"{function}(A[i])", A=values), wanted, ulps=0 if exact else 2)


def as_numpy(function, values):
    """Apply a function: of integers that of f64, of c64 as accurately as can be."""
    ufunc = getattr(np, function)
    if values.dtype.kind == "c":
        return ufunc(values.astype(complex)).astype(ufunc(values[:1]).dtype)
    if values.dtype.kind in "biu" and function != "abs":
        return ufunc(values.astype(float))
    return ufunc(values)


@pytest.mark.parametrize("dtype", ["f32", "f64", "c64", "c128", "i8", "bool"])
def test_quotients(dtype):
    one, other = pairs(dtype)
    with np.errstate(all="ignore"):
        wanted = one / other
    check(computed("A[i] / B[i]", A=one, B=other), wanted)


@pytest.mark.parametrize("dtype", ["f32", "f64", "i64", "u8", "bool", "c128"])
def test_comparisons(dtype):
    one, other = pairs(dtype)
    symbols = ("==", "!=") if dtype == "c128" else COMPARISONS
    for symbol in symbols:
        found = computed(f"A[i] {symbol} B[i]", A=one, B=other)
        check(found, COMPARISONS[symbol](one, other))


@pytest.mark.parametrize("dtype", ["f32", "f64", "i8", "u8", "bool"])
@pytest.mark.parametrize("function", ["min", "max"])
def test_extremes(function, dtype):
    one, other = pairs(dtype)
    found = computed(f"{function}(A[i], B[i])", A=one, B=other)
    check(found, NAMED[function](one, other))


@pytest.mark.parametrize("dtype", ["f32", "f64", "i8", "i64", "u8"])
@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("A[i] % B[i]", np.remainder),
        ("A[i] // B[i]", np.floor_divide),
        ("fmod(A[i], B[i])", np.fmod),
    ],
)
def test_rounded_quotients(text, function, dtype):
    """Also by 0, of infinities, and of the least integer by -1."""
    one, other = pairs(dtype)
    more, less = np.array([7, 7, -7, -7, 1, 6, -6]), np.array([3, -3, 3, -3, -5, 3, 3])
    one = np.concatenate([one, more.astype(one.dtype)])
    other = np.concatenate([other, less.astype(other.dtype)])
    with np.errstate(all="ignore"):
        wanted = function(one, other)
    found = computed(text, A=one, B=other)
    check(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


@pytest.mark.parametrize("dtype", ["f32", "f64", "i16", "bool"])
@pytest.mark.parametrize("function", ["hypot", "copysign", "logaddexp", "atan2"])
def test_functions_of_two_numbers(function, dtype):
    one, other = pairs(dtype)
    if one.dtype.kind == "f":
        rng, tiny = np.random.default_rng(5), np.finfo(one.dtype).tiny
        one = np.concatenate([one, rng.normal(size=99), [3 * tiny, 1e38, 1e38]])
        other = np.concatenate([other, rng.normal(size=99), [4 * tiny, 1e38, 1e-38]])
        one, other = (a.astype(samples.DTYPES[dtype]) for a in (one, other))
    ufunc = getattr(np, {"atan2": "arctan2"}.get(function, function))
    wide = [a.astype(float) if a.dtype.kind in "biu" else a for a in (one, other)]
    with np.errstate(all="ignore"):
        wanted = ufunc(*wide).astype(wide[0].dtype)
    found = computed(f"{function}(A[i], B[i])", A=one, B=other)
    if function == "logaddexp":
        # Near 0, where numbers cancel, last places are those of the summands.
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
        return
    check(found, wanted, ulps=0 if function == "copysign" else 2)


@pytest.mark.parametrize("dtype", ["f32", "f64", "c64", "c128", "i16", "u8", "bool"])
@pytest.mark.parametrize("function", ["conj", "real", "imag", "angle"])
def test_parts_of_numbers(function, dtype):
    values = given = special(dtype)
    if values.dtype.kind in "biu" and function == "angle":
        given = values.astype(float)
    wanted = getattr(np, function)(given)
    if values.dtype.kind == "b" and function != "angle":
        wanted = wanted.astype(bool)  # NumPy makes an integer of a conjugate
    ulps = 2 if function == "angle" else 0
    check(computed(f"{function}(A[i])", A=values), wanted, ulps)


def test_rounding_and_clipping():
    halves = np.array([-2.5, -1.5, -0.5, -0.2, 0.5, 1.5, 2.6, np.nan, np.inf])
    check(computed("round(A[i])", A=halves), np.round(halves))
    check(computed("round(A[i])", A=np.arange(3)), np.arange(3))
    for low, high in ((-1.0, 0.75), (2.0, 1.0)):
        found = computed("clip(A[i], l, h)", A=halves, l=low, h=high)
        check(found, np.clip(halves, low, high))
    zeros = np.array([-0.0, 0.0])
    found = computed("clip(A[i], 0, 3)", A=zeros)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(np.clip(zeros, 0, 3)))
    bounds = np.linspace(0, 2, 9)
    check(
        computed("clip(A[i], 0.5, B[i])", A=halves, B=bounds),
        np.clip(halves, 0.5, bounds),
    )


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("hypot(A[i], B[i])", "a | b"),
        ("A[i] % 3", "a"),
        ("fmod(A[i], D[i])", "a"),
        ("A[i] // D[i]", "a"),
        ("copysign(A[i], B[i])", "a"),
        ("clip(A[i], -1, 1)", "a"),
        ("clip(A[i], B[i], 1)", "a | b"),
        ("round(A[i]) + imag(A[i])", "a"),
        ("K[i] % L[i]", "a"),
        ("K[i] // L[i]", "a"),
    ],
)
def test_patterns_of_functions_of_two_numbers(text, stored):
    rng = np.random.default_rng(6)
    a, b = rng.random((2, 40)) < 0.5
    A, B = (samples.tensor(p, rng.normal(size=40), "sparse-vector") for p in (a, b))
    K, L = (samples.tensor(p, rng.integers(-9, 9, 40), "sparse-vector") for p in (a, b))
    D = rng.normal(size=40)
    operands = named_in(text, {"A": A, "B": B, "D": D, "K": K, "L": L})
    result = nacho.evaluate(f"Z[i] = {text}", operands, parts=4)
    wanted = eval(stored, {}, {"a": a, "b": b})
    np.testing.assert_array_equal(oracle.pattern(result), wanted)
    samples.check(result, f"Z[i] = {text}", operands)


def test_remainders_by_what_is_not_stored():
    """Of floats that is 0 % 0, of bools nothing."""
    A, B = (sparse(np.array(row)) for row in ([1.0, 0, 2, 0], [0, 3.0, 2, 0]))
    for operator in ("%", "//"):
        with pytest.raises(nacho.UnsupportedError, match="make the result dense"):
            nacho.evaluate(f"Z[i] = A[i] {operator} B[i]", A=A, B=B)
    found = computed("A[i] % B[i]", A=A, B=B)
    np.testing.assert_array_equal(found, [np.nan, 0, 0, np.nan])
    flags = np.array([True, False])
    for text in ("A[i] % A[i]", "A[i] // A[i]", "fmod(A[i], A[i])"):
        with pytest.raises(nacho.DTypeError, match=r"of bools\n.*\n *\^"):
            nacho.evaluate(f"Z[i] = {text}", A=flags)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("7 // 2 + 0 * A[i]", 3),
        ("-7 // 2 + A[i] * 0", -4),
        ("-7 % 3 + 0 * A[i]", 2),
        ("fmod(-7, 3) + 0 * A[i]", -1),
        ("7 % 0 + 0 * A[i]", 0),
        ("round(2.5) + round(-3.5) + 0 * A[i]", -2),
        ("hypot(3, 4) + 0 * A[i]", 5),
        ("copysign(3, -1) + clip(7, 1, 5) + 0 * A[i]", 2),
        ("conj(2) + real(2) + imag(2) + angle(-1) + 0 * A[i]", 4 + np.pi),
    ],
)
def test_functions_of_literals(text, wanted):
    np.testing.assert_allclose(computed(text, A=np.ones(2)), wanted)


@pytest.mark.parametrize("dtype", ["f32", "i8", "u8", "bool", "c64"])
def test_choices(dtype):
    one, other = pairs(dtype)
    for condition in (one, one.real.astype(bool), other):
        found = computed("where(C[i], A[i], B[i])", C=condition, A=one, B=other)
        check(found, np.where(condition, one, other))


def test_large_and_small_quotients():
    """What overflows on the way does not overflow in the end."""
    values = [1e308 + 1e308j, 1e-308 - 1e-300j, 3e200 - 1j, 1e-200j, 1, 1j]
    one, other = (
        np.array(side)
        for side in zip(*itertools.product(values, repeat=2), strict=True)
    )
    with np.errstate(all="ignore"):
        check(computed("A[i] / B[i]", A=one, B=other), one / other)


@pytest.mark.parametrize(
    "text",
    [
        "exp(A[i]) + B[i]",
        "cos(A[i]) * B[i] - 1",
        "min(A[i], 1) + max(B[i], s)",
        "where(A[i] < B[i], A[i], 2)",
        "where(A[i] <= 0.5, B[i], s)",
        "(A[i] == 0) * (1 / B[i])",
        "abs(A[i] - 3) / 2",
    ],
)
def test_what_absent_entries_are(text):
    """Into a dense result, they are what the function makes of 0."""
    rng = np.random.default_rng(4)
    one, other = (rng.integers(-3, 4, 50) * (rng.random(50) < 0.4) for _ in "ab")
    one, other = one / 2, other / 2
    wanted = re_evaluated(text, A=one, B=other, s=1.5)
    finite = np.isfinite(wanted)
    found = computed(text, A=sparse(one), B=sparse(other), s=1.5)
    np.testing.assert_allclose(found[finite], wanted[finite], rtol=1e-15)


def re_evaluated(text, **values):
    named = {**NAMED, "exp": np.exp, "cos": np.cos}
    with np.errstate(all="ignore"):
        return eval(text.replace("[i]", ""), {}, {**named, **values})


# --- Zeros ----------------------------------------------------------------------------


def test_zero_divided_by_anything():
    """An absent entry stays 0; a stored one is a number like others."""
    A = nacho.Tensor.from_coo([[0, 1]], [0.0, 3.0], shape=(5,), format="sparse-vector")
    D = np.array([0.0, 0.0, 0.0, np.nan, np.inf])
    quotient = nacho.evaluate("Z[i] = A[i] / D[i]", A=A, D=D)
    assert quotient.nnz == 2
    np.testing.assert_array_equal(quotient.values, [np.nan, np.inf])
    added = computed("A[i] / D[i] + D[i]", A=A, D=D)
    np.testing.assert_array_equal(added, [np.nan, np.inf, 0, np.nan, np.inf])
    np.testing.assert_array_equal(computed("A[i] / s", A=A, s=0.0)[2:], 0)
    B = nacho.Tensor.from_coo([[1, 2]], [1.0, 0.0], shape=(5,), format="sparse-vector")
    both = computed("A[i] / B[i]", A=A, B=B)
    np.testing.assert_array_equal(both, [np.nan, 3, np.nan, np.nan, np.nan])


def test_products_inside_of_functions():
    """0 times an infinity is 0 where it is absent, also inside of a function."""
    A = nacho.Tensor.from_coo([[0]], [2.0], shape=(3,), format="sparse-vector")
    B = nacho.Tensor.from_coo([[0, 1]], [-5.0, 7.0], shape=(3,), format="sparse-vector")
    D = np.array([np.inf, np.inf, np.nan])
    for text, wanted in {
        "max(A[i] * D[i], B[i])": [np.inf, 7, 0],
        "min(-abs(A[i] * D[i]), B[i])": [-np.inf, 0, 0],
        "where(A[i] * D[i] == 0, B[i], A[i])": [2, 7, 0],
        "exp(A[i] * D[i]) - B[i]": [np.inf, -6, 1],
        "(A[i] * D[i] != 0) + (B[i] > 6)": [True, True, False],
    }.items():
        operands = {"A": A, "B": B, "D": D}
        found = computed(text, **operands)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(
            found, oracle.evaluate(f"Z[i] = {text}", operands)[0]
        )


def test_complex_numbers_are_not_exact():
    """The compiler undoes no operator by its inverse, as if numbers were exact."""
    A = np.array([1 + 2j, np.inf + 0j, 1 + 5j, -1e-3 + 10j])
    B = np.array([1e20 + 2j, np.inf + 0j, 0.1 - 5j, 1 + 1j])
    for dtype in (np.complex64, np.complex128):
        a, b = A.astype(dtype), B.astype(dtype)
        with np.errstate(all="ignore"):
            sums = {
                "(a[i] - b[i]) + b[i]": a - b + b,
                "(a[i] + b[i]) - b[i]": a + b - b,
            }
        for text, wanted in sums.items():
            np.testing.assert_array_equal(computed(text, a=a, b=b), wanted)
        found = computed("log(exp(a[i]))", a=a[2:])
        np.testing.assert_allclose(found, np.log(np.exp(a[2:])), rtol=1e-6)


def test_infinite_complex_backgrounds():
    """What is computed from 1 / 0 is not finite: it is true, and no finite number."""
    A, B = (
        samples.tensor(np.arange(4) < n, np.full(4, 2 + 1j), "sparse-vector")
        for n in (2, 1)
    )
    for text in (
        "1 / B[i]",
        "3 * (1 / B[i])",
        "-(1 / B[i]) - 5",
        "(sqrt(1 / B[i]) + 4) / 2",
    ):
        for condition in (f"({text}) == 2", f"where(({text}) != 2, 0, 1)"):
            whole = f"Z[i] = A[i] + ({text}) * ({condition})"
            result = nacho.evaluate(whole, A=A, B=B)
            np.testing.assert_array_equal(oracle.pattern(result), np.arange(4) < 2)
            np.testing.assert_array_equal(result.values, A.values)


# --- Results that are sparse ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("A[i] > 0.5", "a"),
        ("sqrt(abs(A[i]))", "a"),
        ("max(A[i], B[i])", "a | b"),
        ("A[i] != B[i]", "a | b"),
        ("where(A[i] > 0, B[i], 0)", "a & b"),
        ("where(A[i], 1, 0)", "a"),
        ("where(A[i] > 0, A[i], B[i])", "a | b"),
        ("where(A[i] < 9, B[i], A[i])", "a | b"),
        ("exp(A[i]) - 1", "a"),
        ("B[i] / exp(A[i])", "b"),
        ("B[i] / (2 - A[i] * s)", "b"),
    ],
)
def test_patterns(text, stored):
    rng = np.random.default_rng(6)
    a, b = rng.random((2, 40)) < 0.5
    A, B = (samples.tensor(p, rng.normal(size=40), "sparse-vector") for p in (a, b))
    operands = named_in(text, {"A": A, "B": B, "s": 0.5})
    result = nacho.evaluate(f"Z[i] = {text}", operands, parts=4)
    wanted = eval(stored, {}, {"a": a, "b": b})
    np.testing.assert_array_equal(oracle.pattern(result), wanted)
    samples.check(result, f"Z[i] = {text}", operands)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_zeros(name, dtype):
    a = np.array([0.0, -0.0, 0.0, -0.0, np.nan, 1, np.nan, -2], dtype)
    b = np.array([-0.0, 0.0, 0.0, -0.0, 1, np.nan, np.nan, -1], dtype)
    A = samples.tensor(np.ones(8, bool), a, "sparse-vector")
    for text, wanted in (("b[i]", b), ("0", 0), ("-0.0", -0.0)):
        found = nacho.evaluate(
            f"y[i] = {name}(A[i], {text})",
            named_in(text, {"b": b}) | {"A": A},
            out="dense",
        )
        wanted = NAMED[name](a, dtype(wanted))
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


# --- Reductions -----------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_reductions_of_zeros(parts):
    dense = np.array([[0.0, -0.0, 0.0], [-0.0, 0.0, -0.0]])
    A = samples.tensor(np.ones((2, 3), bool), dense.ravel())
    for text, negative in (("y min= A[i,j]", True), ("y max= A[i,j]", False)):
        found = nacho.evaluate(text, A=A, parts=parts)
        assert np.signbit(found) == negative


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("y[i] = abs(A[i,j])", lambda A, x: np.abs(A).sum(1)),
        ("y[i] = A[i,j] / x[j]", lambda A, x: (A / x).sum(1)),
        ("y[i] = A[i,j] < x[j]", lambda A, x: (x > A).any(1)),
        ("y[i] *= A[i,j] < x[j]", lambda A, x: (x > A).all(1)),
        ("y[i] = sqrt(A[i,j] * A[i,j]) + x[i]", lambda A, x: np.abs(A).sum(1) + x),
        ("y[i] = exp(A[i,j])", lambda A, x: np.exp(A).sum(1)),
        ("y[i] max= cos(A[i,j])", lambda A, x: np.cos(A).max(1)),
        ("y = where(A[i,j] > 0, x[j], 0)", lambda A, x: np.where(A > 0, x, 0).sum()),
        ("y[i] = min(A[i,j], x[j]) - max(A[i,k], x[k])",
         lambda A, x: np.minimum(A, x).sum(1) - np.maximum(A, x).sum(1)),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:ind.* summed over")
def test_reductions(text, wanted):
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((6, 6)) < 0.4, rng.normal(size=(6, 6)), 0)
    x = rng.normal(size=6)
    operands = {"A": samples.tensor(dense != 0, dense[dense != 0]), "x": x}
    operands = named_in(text, operands)
    for parts in (1, 5):
        found = nacho.evaluate(text, operands, out="dense", parts=parts)
        np.testing.assert_allclose(found, wanted(dense, x), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["f64", "c64", "c128"])
@pytest.mark.parametrize(
    "condition", ["log(A[i])", "1 / A[i]", "log(A[i] * s)", "sqrt(A[i] - 1)", "A[i]"]
)
def test_conditions_that_are_not_finite(dtype, condition):
    """Infinity and nan are true, also where the imaginary part is not known."""
    rng = np.random.default_rng(3)
    values = rng.integers(-2, 3, (3, 60)).astype(samples.DTYPES[dtype])
    given = {name: sparse(row) for name, row in zip("ABF", values, strict=True)}
    given["s"] = 2.0
    chosen = "1, F[i]" if condition == "A[i]" else "F[i], 1"
    text = f"Z[i] = B[i] - where({condition}, {chosen}) * 3"
    given = named_in(text, given)
    with np.errstate(all="ignore"):
        samples.check(nacho.evaluate(text, **given, out="sparse-vector"), text, given)
