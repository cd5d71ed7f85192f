"""The format of a result that nobody asked for, and the order of its levels."""

import pytest

import nacho
from nacho import Format
from nacho._notation.parser import parse
from nacho._notation.promotion import kinds_of
from nacho._storage.inference import level_order, result_format
from nacho._storage.results import holds


def inferred(text, formats, library=None):
    assignment = parse(text)
    named = {
        name: Format(formats[name]).for_rank(rank, name)
        for name, rank in assignment.ranks.items()
        if rank
    }
    kinds = kinds_of(assignment, dict.fromkeys(assignment.operands, "f64"))
    rank = len(assignment.result.indices)
    check = None if library is None else lambda f: holds(library, f, rank)
    return result_format(kinds, named, check)


def by_name(formats):
    return dict(part.split(":", 1) for part in formats.split())


ELEMENTWISE = [
    ("A[i,j] + B[i,j]", "A:csr B:csr", "csr"),
    ("A[i,j] + B[i,j]", "A:dcsr B:dcsr", "dcsr"),
    ("A[i,j] + B[i,j]", "A:coo B:coo", "coo"),
    ("A[i,j] - B[i,j]", "A:csr B:dcsr", "csr"),
    ("A[i,j] - B[i,j]", "A:coo B:dcsr", "csr"),
    ("A[i,j] + B[i,j]", "A:coo-interleaved B:coo-interleaved", "coo-interleaved"),
    ("A[i,j] * B[i,j]", "A:coo-interleaved B:coo", "coo-interleaved"),
    ("A[i,j] + B[i,j]", "A:coo B:coo-interleaved", "csr"),
    ("A[i,j] + B[i,j]", "A:csc B:dcsc", "csc"),
    ("A[i,j] * B[i,j]", "A:csr B:dcsr", "csr"),
    ("A[i,j] * B[i,j]", "A:dcsr B:csr", "dcsr"),
    ("A[i,j] * B[i,j]", "A:coo B:csr", "coo"),
    ("s * -A[i,j] + s * B[i,j]", "A:dcsc B:dcsc", "dcsc"),
    ("A[i,j] * B[i,j] + A[i,j]", "A:dcsr B:csr", "dcsr"),
    ("(A[i,j] + 1) * B[i,j]", "A:csr B:dcsr", "dcsr"),
    ("(A[i,j] + 1) * (B[i,j] + 1) - 1", "A:dcsr B:dcsr", "dcsr"),
    ("A[j,i] * B[i,j]", "A:csc B:csr", "csr"),
    ("A[j,i] * B[i,j]", "A:dcsc B:csr", "dcsr"),
    ("A[j,i] + B[i,j]", "A:csr B:csc", "csc"),
    ("A[j,i] + B[i,j]", "A:csr B:dcsc", "csc"),
    ("A[j,i] - A[j,i]", "A:csr", "csc"),
    # Dense operands have everything.
    ("A[i,j] + D[i,j]", "A:csr D:dense", "dense"),
    ("A[i,j] * D[i,j]", "A:csr D:dense", "csr"),
    ("D[i,j] * A[i,j]", "A:dcsr D:dense", "dcsr"),
    ("D[i,j] - D[i,j]", "D:dense", "dense"),
    ("(A[i,j] + D[i,j]) * B[i,j]", "A:csr B:dcsr D:dense", "dcsr"),
    ("A[i,j] + x[i] + D[i,j]", "A:csr x:dense D:dense", "dense"),
    ("(A[i,j] + x[i]) * B[i,j]", "A:csr x:dense B:dcsr", "dcsr"),
    ("x[i] + y[j]", "x:dense y:dense", "dense"),
    ("A[i,j] * x[j]", "A:dcsr x:dense", "dcsr"),
    ("x[j] * A[i,j]", "A:csr x:sparse-vector", "csr"),
    ("x[i] * A[i,j]", "A:csr x:sparse-vector", "dcsr"),
    ("A[i,j] + x[i]", "A:csr x:sparse-vector", "csr"),
    ("x[i] * y[j]", "x:dense y:dense", "dense"),
    ("x[i] * y[j]", "x:sparse-vector y:sparse-vector", "dcsr"),
    ("x[i] * y[j]", "x:dense y:sparse-vector", "csr"),
    # Functions.
    ("exp(A[i,j]) - 1", "A:dcsr", "dcsr"),
    ("min(A[i,j], B[i,j])", "A:dcsr B:dcsr", "dcsr"),
    ("A[i,j] > B[i,j]", "A:dcsr B:coo", "csr"),
    ("A[i,j] / D[i,j]", "A:dcsr D:dense", "dcsr"),
    ("A[i,j] / x[i]", "A:csr x:dense", "csr"),
    ("D[i,j] / A[i,j]", "A:csr D:dense", "dense"),
    ("where(A[i,j] > 1, B[i,j], 0)", "A:dcsr B:csr", "dcsr"),
    ("where(A[i,j] > 1, 1, 0)", "A:coo", "coo"),
    ("where(A[i,j], D[i,j], B[i,j])", "A:dcsr B:dcsr D:dense", "dcsr"),
    ("where(A[i,j], D[i,j], B[i,j])", "A:dcsr B:csr D:dense", "csr"),
    ("where(A[i,j], B[i,j], D[i,j])", "A:dcsr B:csr D:dense", "dense"),
    ("where(A[i,j] < 1, B[i,j], D[i,j])", "A:csr B:dcsr D:dense", "csr"),
    ("where(A[i,j], B[i,j] + 1, 0)", "A:dcsr B:csr", "dcsr"),
    ("where(s, A[i,j], B[i,j])", "A:dcsr B:dcsr", "dcsr"),
    # Sums over what is not on the left.
    ("M[i,j] * X[i,k] * Y[k,j]", "M:csr X:dense Y:dense", "csr"),
    ("A[i,k] * X[k,j]", "A:csr X:dense", "dense"),
    ("A[i,k] * X[k,j]", "A:dcsr X:dense", "(d0,d1)->(d0:compressed,d1:dense)"),
    ("A[i,k] * X[k,j]", "A:coo X:dense", "(d0,d1)->(d0:compressed,d1:dense)"),
    ("T[i,j,k] * x[k]", "T:csf x:dense", "dcsr"),
    ("T[i,j,k] * x[k]", "T:coo x:dense", "coo"),
    ("T[i,j,k] + T[i,j,k]", "T:coo", "coo"),
    ("T[i,j,k] + U[i,j,k]", "T:coo U:csf", "csr"),
    ("(T[i,j,k] + U[i,j,k]) * x[k]", "T:coo U:csf x:dense", "coo"),
    ("where(A[i,j], B[i,j], x[i])", "A:csr B:csr x:sparse-vector", "csr"),
    (
        "where(x[i], A[i,j], 1)",
        "A:csr x:sparse-vector",
        "(d0,d1)->(d0:compressed,d1:dense)",
    ),
    # Only rows with entries have sums.
    ("A[i,j] + A[i,k] * x[k]", "A:csr x:dense", "csr"),
    # A diagonal has no rows.
    ("A[i,i] + B[i,j]", "A:csr B:csr", "csr"),
    # Rows of several sparse operands.
    ("A[i,k] * A[j,k]", "A:csr", "csr"),
    ("A[i,k] * B[k,j]", "A:csr B:csc", "csr"),
    ("A[j,k] * B[k,i]", "A:csr B:csc", "csr"),
    ("A[i,k] * A[j,k] * x[j]", "A:csr x:dense", "csr"),
    ("A[i,k] * A[j,k] + B[i,j]", "A:csr B:csr", "csr"),
    ("A[j,k] * B[k,i]", "A:csr B:csr", "dcsr"),
    ("T[i,j,k]", "T:(d0,d1,d2)->(d0:dense,d1:dense,d2:compressed)", "dense"),
]


@pytest.mark.parametrize(("text", "formats", "expected"), ELEMENTWISE)
def test_two_indices(text, formats, expected):
    found = inferred(f"Z[i,j] = {text}", by_name(formats))
    assert found == Format(expected).for_rank(2)


@pytest.mark.parametrize(
    ("text", "formats", "expected"),
    [
        ("y[i] = A[i,j] * x[j]", "A:csr x:dense", "dense"),
        ("y[i] = A[i,j] * x[j]", "A:dcsr x:dense", "dense"),
        ("y[i] = A[i,j] * x[j]", "A:coo x:dense", "dense"),
        ("y[i] = A[i,j] * x[j]", "A:csr x:sparse-vector", "dense"),
        ("y[j] = A[i,j]", "A:csr", "dense"),
        ("y[i] = v[i] + w[i]", "v:sparse-vector w:sparse-vector", "sparse-vector"),
        ("y[j] = A[i,j]", "A:csc", "dense"),
        ("y[i] = b[i] + A[i,j]*x[j]", "A:dcsr b:dense x:dense", "dense"),
        ("y[i] = b[i] + A[i,j]*x[j]", "A:csr b:sparse-vector x:dense", "dense"),
        ("y[i] = b[i] + A[i,j]*x[j]", "A:dcsr b:coo x:dense", "dense"),
        ("y[i] max= A[i,j]", "A:dcsr", "dense"),
        # Rows, columns and diagonals are arrays, too, whatever the format.
        ("y[j] = A[3,j]", "A:csr", "dense"),
        ("y[j] = A[3,j] + A[2,2]", "A:coo", "dense"),
        ("y[i] = A[i,0] * v[i]", "A:csc v:sparse-vector", "dense"),
        ("y[i] = A[i,i]", "A:dcsr", "dense"),
        ("y[j] = D[3,j] * v[j]", "D:dense v:sparse-vector", "sparse-vector"),
        (
            "Z[i,j,k] = A[i,j] * B[k,j]",
            "A:csr B:csr",
            "(d0,d1,d2)->(d0:dense,d2:compressed,d1:compressed)",
        ),
        ("y[i] = A[i,i]", "A:dense", "dense"),
        ("Z[i,j,k] = T[i,j,k] + U[i,j,k]", "T:csf U:csf", "csf"),
        ("Z[i,j,k] = T[i,j,k] * U[i,j,k]", "T:coo U:csf", "coo"),
        (
            "Z[i,j,r] = T[i,j,k] * X[k,r]",
            "T:csf X:dense",
            "(d0,d1,d2)->(d0:compressed,d1:compressed,d2:dense)",
        ),
        (
            "Z[i,j,r] = T[i,j,k] * X[k,r]",
            "T:coo X:dense",
            "(d0,d1,d2)->(d0:compressed(nonunique),d1:singleton(soa),d2:dense)",
        ),
        # A dense level does not lie between sparse ones.
        (
            "Z[i,r,j] = A[i,j] * x[r]",
            "A:dcsr x:dense",
            "csf",
        ),
        (
            "Z[r,i,j] = A[i,j] * x[r]",
            "A:coo x:dense",
            "(d0,d1,d2)->(d0:dense,d1:compressed(nonunique),d2:singleton(soa))",
        ),
    ],
)
def test_other_ranks(text, formats, expected):
    found = inferred(text, by_name(formats))
    assert found == Format(expected).for_rank(found.rank)


@pytest.mark.parametrize(
    ("text", "formats", "index"),
    [
        ("A[i,j] + x[i]", "A:csr x:dense", "j"),
        ("x[j] - A[i,j]", "A:dcsr x:dense", "i"),
        ("A[i,j] + x[i] + y[j]", "A:csr x:dense y:dense", "j"),
        ("A[i,j] + B[k,l]", "A:csr B:csr", "i"),
        ("max(A[i,j], x[i])", "A:coo x:dense", "j"),
    ],
)
def test_a_dense_term_that_spreads_is_refused(text, formats, index):
    with pytest.raises(nacho.UnsupportedError) as caught:
        inferred(f"Z[i,j] = {text}", by_name(formats))
    assert f"has a value for every '{index}'" in str(caught.value)
    assert 'out="dense"' in str(caught.value)


def test_a_scalar_has_no_format():
    assert inferred("z = A[i,j]", {"A": "csr"}) is None
    assert inferred("z = 2 * s", {}) is None


@pytest.mark.parametrize(
    ("text", "formats", "expected"),
    [
        ("Z[i,j] = x[i] * A[i,j]", "A:csr x:sparse-vector", "csr"),
        ("Z[i,j] = A[i,j] * B[i,j]", "A:dcsc B:csc", "csc"),
        ("Z[i,j] = A[i,k] * X[k,j]", "A:csr X:dense", "dense"),
        ("Z[i,j] = A[i,k] * X[k,j]", "A:coo X:dense", "coo"),
        ("Z[i,j] = T[i,j,k] * x[k]", "T:coo x:dense", "coo"),
        ("Z[i,j,r] = T[i,j,k] * X[k,r]", "T:coo X:dense", "coo"),
        ("Z[i,r] = T[i,j,k] * X[j,r] * Y[k,r]", "T:coo X:dense Y:dense", "coo"),
        ("Z[i,r] = T[i,j,k] * X[j,r] * Y[k,r]", "T:csf X:dense Y:dense", "csr"),
        ("Z[i,j,k] = T[i,j,k] * x[k]", "T:csf x:dense", "coo"),
        ("y[i] = A[i,j]", "A:coo", "dense"),
    ],
)
def test_what_scipy_holds(text, formats, expected):
    found = inferred(text, by_name(formats), "scipy array")
    assert found == Format(expected).for_rank(found.rank)


@pytest.mark.parametrize(
    ("text", "formats", "order"),
    [
        ("Z[i,j] = A[i,j]", "A:csr", "ij"),
        ("Z[i,j] = A[i,j]", "A:csc", "ji"),
        ("Z[j,i] = A[i,j]", "A:csr", "ij"),
        ("Z[k,i] = A[i,j] * X[j,k]", "A:csr X:dense", "kij"),
        ("Z[i,j] = A[i,j] + B[j,i]", "A:csr B:csr", "ij"),
        ("Z[i,j] = A[i,j] + D[i,j]", "A:csc D:dense", "ji"),
        ("Z[i,j] = D[i,j] + E[i,j]", "D:dense E:dense", "ij"),
        ("z = A[i,j] * B[k,j]", "A:csc B:csr", "jik"),
    ],
)
def test_order_of_the_levels(text, formats, order):
    assignment = parse(text)
    named = {
        name: Format(format).for_rank(assignment.ranks[name])
        for name, format in by_name(formats).items()
    }
    found = level_order(assignment, named)
    if text.startswith("z") or text.startswith("Z[i,j] = A[i,j] + B[j,i]"):
        assert sorted(found) == sorted(order)
    else:
        assert found == tuple(order)


def test_arrays_in_fortran_order():
    fortran = "(d0, d1) -> (d1 : dense, d0 : dense)"
    text, formats = "Z[i,j] = D[i,j] + E[i,j]", {"D": fortran, "E": "dense"}
    assert inferred(text, formats) == Format(fortran)


def test_backgrounds_are_those_of_the_types():
    text = "Z[i,j] = (A[i,j] + 1e39 - 1e39) * B[i,j]"
    assignment = parse(text)
    formats = {"A": Format("csr"), "B": Format("dcsr")}
    for element, expected in (("f64", "csr"), ("f32", "dcsr")):
        kinds = kinds_of(assignment, dict.fromkeys("AB", element))
        assert result_format(kinds, formats) == Format(expected)


def test_of_a_kernel():
    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"x": "dense"})
    assert kernel.result_type.format.is_dense
