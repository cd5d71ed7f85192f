"""Lists that steps sort, and operands that statements repeat, on tensors in pieces."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._pieces.accesses import named_apart
from nacho._pieces.engine import Here
from test_pieces_of_kernels import check, evaluation_of
from test_pieces_of_rows import matrix

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="guards memory as Linux does"),
    pytest.mark.filterwarnings("ignore::nacho.NachoWarning"),
]

A, B = matrix(60, 60, 0, [7]), matrix(60, 60, 1)
X = np.random.default_rng(2).random(60)


def tensor(format, seed, count=700, size=20):
    rng = np.random.default_rng(seed)
    made = rng.integers(0, size, (3, count)), rng.random(count)
    return nacho.Tensor.from_coo(*made, shape=(size,) * 3).convert(format)


def converted(format):
    given = zip("AB", (A, B), strict=True)
    return {name: nacho.Tensor.from_scipy(x).convert(format) for name, x in given}


CSF = {"A": tensor("csf", 0), "B": tensor("csf", 1)}
SORTED = {
    "another order": ("Z[i,j,k] = A[i,j,k] + B[k,j,i]", CSF),
    "matches in another order": ("Z[i,j,k] = A[i,j,k] * B[j,i,k]", CSF),
    "COO in another order": (
        "Z[i,j,k] = A[i,j,k] + B[k,j,i]",
        {"A": tensor("coo", 0), "B": tensor("coo", 1)},
    ),
    "sums in another order": ("Z[i,j] = A[k,j,i] * x[k]", {"A": CSF["A"], "x": X[:20]}),
    "no entries": (
        "Z[i,j,k] = A[i,j,k] + B[k,j,i]",
        {"A": tensor("csf", 0), "B": tensor("csf", 1, count=0)},
    ),
    "transposed DCSR": ("Z[i,j] = A[j,i] * B[i,j]", converted("dcsr")),
    "transposed COO": ("Z[i,j] = A[j,i] + B[i,j]", converted("coo")),
    "sums of parts": ("y[k] = A[i,j] * B[j,k]", {"A": A, "B": B}),
}
REPEATED = {
    "square": ("Z[i,k] = A[i,j] * A[j,k]", A),
    "Gram": ("Z[i,k] = A[j,i] * A[j,k]", A),
    "rows by rows": ("Z[i,k] = A[i,j] * A[k,j]", A),
    "and its transpose": ("Z[i,j] = A[i,j] + A[j,i]", A),
    "triangles": ("s = A[i,j] * A[j,k] * A[k,i]", A),
    "masked by itself": ("Z[i,k] = A[i,k] * A[i,j] * A[j,k]", A),
    "square of a vector": ("y[i] = A[i,j] * A[j,k] * x[k]", A),
    "the same access": ("Z[i,j] = A[i,j] * A[i,j] + A[i,j]", A),
    "an order-3 tensor": ("Z[i,j,k] = A[i,j,k] + A[k,j,i]", CSF["A"]),
}


@pytest.mark.parametrize("parts", [1, 2, 16, 1000])
@pytest.mark.parametrize("kind", SORTED)
def test_sorted_lists(kind, parts):
    text, operands = SORTED[kind]
    require_divided(text, operands, parts)


@pytest.mark.parametrize("parts", [1, 2, 16, 1000])
@pytest.mark.parametrize("kind", REPEATED)
def test_repeated_operands(kind, parts):
    text, operand = REPEATED[kind]
    require_divided(text, {"A": operand} | ({"x": X} if "x[" in text else {}), parts)


def require_divided(text, operands, parts):
    for pieces in (1, 5):
        check(text, operands, pieces=pieces, parts=parts)
    options = Options(choices={"merge-keys": False}, parts=parts)
    evaluation = evaluation_of(text, operands, 3, Here(), options)
    assert evaluation.is_divided, evaluation.why_whole


def test_one_machine_chooses_for_the_statement_as_it_was_written():
    """Of an operand that is repeated, entries are counted once."""
    text = "Z[i,j] = A[i,j] + A[j,i]"
    large = sp.random_array((3000, 3000), density=0.03, rng=np.random.default_rng(0))
    operands = {"A": large.tocsr()}
    evaluation = evaluation_of(text, operands, 3, Here(), Options())
    explained = nacho.explain(text, **operands)
    (workers,) = explained.sections["workers"][:1]
    assert workers.startswith(f"{evaluation.last_step.plan.parts} part(s)")


def test_accesses_get_names_of_their_own():
    made, renamed = named_apart(
        parse("Z[i,k] = A[i,j]*A[j,k] - 2*A[i,j]*A_2[j,k]*B[i,j]*B[j,k]"), ["A", "A_2"]
    )
    assert made.text == "Z[i,k] = A[i,j]*A_3[j,k] - 2*A[i,j]*A_2[j,k]*B[i,j]*B[j,k]"
    assert {name: x.indices for name, x in renamed.items()} == {"A_3": ("j", "k")}
    # Accesses may be in parentheses, and names are normalised.
    text = "Z[i,j] = (\ufb01[i,k]) * ((\ufb01 [k,j]))"
    made, _ = named_apart(parse(text), ["fi"])
    assert made.text == "Z[i,j] = (\ufb01[i,k]) * ((fi_2 [k,j]))"
    given = parse("Z[i,j] = A[i,j] * A[i,j]")
    assert named_apart(given, ["A"]) == (given, {})
