"""Code that is chosen by the machine, or by the operands, computes the same."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import check, same, same_numbers

PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"


def matrix(seed, n=200, nnz=2000):
    """Return a matrix of small integers."""
    rng = np.random.default_rng(seed)
    coords = tuple(rng.integers(0, n, (2, nnz)))
    values = rng.integers(1, 9, nnz).astype(float)
    return sp.csr_array(sp.coo_array((values, coords), (n, n)))


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("drafts", [True, False])
def test_choices_are_followed_and_named(rows, drafts):
    A, B = matrix(1), matrix(2)
    asked = {"whole-rows": rows, "drafts": drafts}
    kernel = nacho.mlir.compile(PRODUCT, choices=asked)
    text = kernel.explain(A, B, parts=3)
    assert ("whole rows: the busiest worker has" in text) == rows
    assert ("rows shared by parts: as asked for" in text) != rows
    assert ("drafts: entries are appended" in text) == drafts
    Z = nacho.evaluate(PRODUCT, A=A, B=B, choices=asked)
    np.testing.assert_array_equal(Z.toarray(), (A @ B).toarray())


UNION = "Z[i,j] = A[i,j] + B[i,j]"


def narrow(kernel, *operands):
    """Return whether kernels compute with indices of 32 bits, as explained."""
    return "indices of 64 bits in kernels" not in str(kernel.explain(*operands))


@pytest.mark.parametrize("text", [PRODUCT, UNION, "y[i] = sum(j, A[i,j]) * d"])
def test_indices_of_32_and_64_bits_compute_the_same(text):
    operands = (matrix(1), matrix(2) if "B" in text else 2.0)
    kernels = [
        nacho.mlir.compile(text, target="cuda-sim", choices={"narrow-indices": asked})
        for asked in (False, True)
    ]
    assert [narrow(kernel, *operands) for kernel in kernels] == [False, True]
    assert same(*(kernel(*operands) for kernel in kernels))


ABSENT = [
    "Z[i,j] = (A[i,j] + B[i,j]) * C[i,j]",
    "Z[i,j] = A[i,j] + B[i,j] * C[i,j]",
    "Z[i,j] = A[i,k] * (B[k,j] + C[k,j])",
]


@pytest.mark.parametrize("parts", [1, 5])
@pytest.mark.parametrize("text", ABSENT)
def test_positions_that_a_list_says_are_absent(text, parts):
    """A list of 32-bit positions has -1 where an operand lacks a coordinate."""
    formats = dict.fromkeys("ABC", "dcsr")
    kernel = nacho.mlir.compile(text, formats, target="cuda-sim")
    for seed in range(12):
        given = {name: matrix(3 * seed + n, 9, 8) for n, name in enumerate("ABC")}
        tensors = {
            name: nacho.Tensor.from_scipy(given[name]).convert("dcsr") for name in given
        }
        check(kernel(**tensors, parts=parts), text, given)


def test_an_extent_that_narrow_indices_do_not_fit():
    """Neither the extents nor the arrays of a call may be longer than 2^28."""
    kernel = nacho.mlir.compile(
        "z[i] = a[i] + b[i]",
        dict.fromkeys("abz", "sparse-vector"),
        target="cuda-sim",
    )
    for extent in (1 << 28, (1 << 28) + 1):
        ends = (np.array([0, extent - 1]),)
        vector = sp.coo_array((np.array([1.0, 2.0]), ends), shape=(extent,))
        made = kernel(vector, vector)
        assert narrow(kernel, vector, vector) == (extent == 1 << 28)
        assert made.coords[0].tolist() == [0, extent - 1]
        assert made.data.tolist() == [2.0, 4.0]


def test_work_that_narrow_indices_do_not_fit():
    """What a loop counts may be more than any length: the products of a row."""
    A, B = (sp.csr_array(np.ones(shape)) for shape in ((1 << 14, 1), (1, 1 << 15)))
    text = "s = sum(i, sum(j, sum(k, A[i,j] * B[j,k])))"
    kernel = nacho.mlir.compile(text, target="cuda-sim", contract="none")
    plan = kernel.plan(A, B, parts=64)
    assert not plan.choices["narrow-indices"]
    assert kernel.plan(A[:100], B, parts=64).choices["narrow-indices"]


REACHABLE = [
    (PRODUCT, "csr"),
    (UNION, "csr"),
    pytest.param(PRODUCT, "dense", marks=pytest.mark.slow),
    pytest.param(UNION, "coo", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("text", "result"), REACHABLE)
def test_all_variants_that_calls_come_to_compute_the_same(text, result):
    A, B = (nacho.Tensor.from_scipy(matrix(seed)) for seed in (1, 2))
    if result == "coo":
        A, B = (given.convert("coo") for given in (A, B))
    formats = {"A": A.format, "B": B.format, "Z": result}
    kernel = nacho.mlir.compile(text, formats=formats)
    variants = kernel._default.native.variants()
    assert len(set(map(str, variants))) == len(variants) > 2
    expected = kernel(A, B)
    for choices in variants:
        pinned = nacho.mlir.compile(text, formats=formats, choices=choices)
        assert same(pinned(A, B, parts=3), expected)


def test_what_is_shown_is_what_a_plan_runs():
    kernel = nacho.mlir.compile(PRODUCT)
    assert kernel.choices == kernel.plan(matrix(1), matrix(2)).choices
    assert kernel.choices["whole-rows"]
    assert not kernel.choices["drafts"]
    assert kernel.mlir("scf", choices=kernel.choices) == kernel.mlir("scf")
    other = kernel.mlir("scf", choices={"whole-rows": False})
    assert other != kernel.mlir("scf")
    assert kernel.asm(choices={"drafts": True}) != kernel.asm()


def test_choices_that_are_refused_are_not_followed():
    """One row has nearly all entries: several parts have to share it."""
    dense = np.eye(300)
    dense[7] = 1
    A = sp.csr_array(dense)
    B = matrix(2, 300, 9000)
    kernel = nacho.mlir.compile(PRODUCT, choices={"whole-rows": True})
    text = kernel.explain(A, B, parts=16)
    assert "heavy rows in pieces, by columns: with" in text
    np.testing.assert_array_equal(kernel(A, B, parts=16).toarray(), (A @ B).toarray())


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"rows": True}, "choices='rows': expected 'whole-rows', 'heavy-rows', "),
        ({"drafts": 1}, "choices={'drafts': 1}: expected True or False"),
        ({"vector-bits": "many"}, "expected an integer"),
        ({"vector-bits": 7}, "choices={'vector-bits': 7}: expected 0, 256 or 512"),
    ],
)
def test_choices_that_there_are_not(choices, message):
    for call in (
        lambda: nacho.mlir.compile(PRODUCT, choices=choices),
        lambda: nacho.evaluate(PRODUCT, A=matrix(1), B=matrix(2), choices=choices),
    ):
        with pytest.raises(nacho.NachoError) as caught:
            call()
        assert message in str(caught.value)


def test_variants_of_a_kernel_have_the_same_vectors():
    kernel = nacho.mlir.compile(PRODUCT)
    with pytest.raises(nacho.NachoError, match="all variants of a kernel share it"):
        kernel.mlir("scf", choices={"vector-bits": 0})


@pytest.mark.parametrize("kind", ["the same", "moved", "random"])
def test_what_can_be_foreseen_is_merged_with_branches_after_a_while(kind):
    """Nobody can tell by the values."""
    rng = np.random.default_rng(3)
    n, width = 40_000, 25
    A = sp.random_array((n, n - 3), density=width / n, rng=rng, format="csr")
    A.resize((n, n))
    others = {
        "the same": (A.indices, A.indptr),
        "moved": (A.indices + 3, A.indptr),
    }
    B = sp.random_array((n, n), density=width / n, rng=rng, format="csr")
    if kind in others:
        B = sp.csr_array((rng.random(A.nnz), *others[kind]), (n, n))
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", threads=2)
    first = kernel(A, B)
    np.testing.assert_array_equal((first - (A + B)).data, 0)
    for _ in range(12):
        assert same(kernel(A, B), first)


FORESEEN = """
import sys
import numpy as np, scipy.sparse as sp, nacho
kind, format = sys.argv[1:]
rng = np.random.default_rng(3)
A, B = (sp.random_array((20_000, 20_000), density=0.002, rng=rng) for _ in "AB")
if kind == "the same":
    B = A
tensors = []
for matrix in (A, B):
    matrix = sp.csr_array(matrix).tocoo()
    at = np.array(matrix.coords, np.int32)
    tensors.append(nacho.Tensor.from_coo(at, matrix.data, shape=A.shape, format=format))
formats = {"A": format, "B": format, "Z": format}
choices = {"draft-unions": True}  # Whatever else the machine does.
kernel = nacho.mlir.compile(
    "Z[i,j] = A[i,j] + B[i,j]", formats, threads=2, choices=choices
)
for _ in range(12):
    kernel(*tensors)
"""


@pytest.mark.parametrize("format", ["csr", "dcsr"])
@pytest.mark.parametrize(("kind", "compiled"), [("the same", 2), ("random", 1)])
def test_only_what_can_be_foreseen_is_compiled_with_branches(
    tmp_path, format, kind, compiled
):
    environment = os.environ | {"NACHO_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", FORESEEN, kind, format]
    subprocess.run(command, env=environment, check=True)
    assert len(list(tmp_path.glob("llvmcache-*"))) == compiled


def _rows(kind, shape, rng):
    """Rows that overlap those of other kinds in all kinds of ways."""
    rows, columns = shape
    here = np.zeros(shape, bool)
    if kind == "random":
        here = rng.random(shape) < rng.random((rows, 1)) ** 3
    elif kind == "full":
        here[:] = True
    elif kind == "first":
        here[:, : columns // 3] = True
    elif kind == "last":
        here[:, columns // 2 :] = rng.random((rows, columns - columns // 2)) < 0.8
    return sp.csr_array(here * rng.integers(1, 9, shape).astype(float))


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("names", ["ABC", "ABCD"])
def test_unions_of_several_are_counted_exactly(names, bits):
    """The result has the room that was counted, in every part."""
    rng = np.random.default_rng(5)
    kinds = ["random", "full", "first", "last", "empty"]
    text = "Z[i,j] = " + " + ".join(f"{name}[i,j]" for name in names)
    kernel = nacho.mlir.compile(text, index=f"i{bits}", threads=2)
    for _ in range(20):
        shape = tuple(rng.integers(1, [30, 150]))
        operands = [_rows(rng.choice(kinds), shape, rng) for _ in names]
        for operand in operands:
            operand.indices = operand.indices.astype(f"int{bits}")
            operand.indptr = operand.indptr.astype(f"int{bits}")
        expected = sum(operands[1:], operands[0])
        for parts in (1, 5, 40):
            result = kernel(*operands, parts=parts)
            assert np.array_equal(result.indptr, expected.indptr)
            assert np.array_equal(result.indices, expected.indices)
            assert np.array_equal(result.data, expected.data)


# --- Dense operands that are transposed -----------------------------------------------

ACROSS = {
    "Z[i,j] = A[i,j] * D[i,k] * E[k,j]": {"A": "csr", "Z": "csr"},
    "Z[i,j] = A[i,j] * C[k,i] * E[k,j]": {"A": "dcsr", "Z": "dcsr"},
    "Z[i,k] = A[i,j] * F[k,j]": {"A": "csr"},
    "Z[i,k] = A[i,j] * F[k,j] + G[i,k]": {"A": "csc"},
    "y[i] += A[i,j] * E[k,j]": {"A": "coo"},
    "Z[i,r] = T[i,j,m] * H[r,j] * U[r,m]": {"T": "csf", "Z": "dense"},
    "Z[i,r] = T[i,j,m] * V[r,m,j]": {"T": "csf", "Z": "dense"},
}
SHAPES = {
    "A": (40, 50),
    "C": (9, 40),
    "D": (40, 9),
    "E": (9, 50),
    "F": (7, 50),
    "G": (40, 7),
    "H": (6, 30),
    "T": (20, 30, 10),
    "U": (6, 10),
    "V": (6, 10, 30),
}


def given_across(text, formats):
    rng = np.random.default_rng(4)
    operands = {}
    for name in (name for name in SHAPES if f"{name}[" in text):
        values = rng.random(SHAPES[name]) - 0.5
        operands[name] = values
        if name in formats:
            values[rng.random(values.shape) < 0.6] = 0
            operands[name] = nacho.Tensor.from_dense(values, formats[name])
    return operands


@pytest.mark.any_target
@pytest.mark.optimized
@pytest.mark.parametrize("text", ACROSS)
@pytest.mark.sampled
def test_transposed_operands_have_the_same_sums(text):
    operands = given_across(text, ACROSS[text])
    found = []
    for turns in (False, True):
        kernel = nacho.mlir.compile(
            text,
            formats=dict.fromkeys(operands, "dense") | ACROSS[text],
            choices={"transpose-dense": turns},
        )
        told = str(kernel.explain(**operands))
        assert ("dense operands transposed: as asked for" in told) == turns
        found += [kernel(**operands, parts=parts) for parts in (1, 5)]
        check(found[-1], text, operands)
    assert same_numbers(found[0], found[2])
    assert same_numbers(found[1], found[3])


def test_few_entries_are_not_worth_transposing():
    text = "Z[i,j] = A[i,j] * D[i,k] * E[k,j]"
    rng = np.random.default_rng(1)
    D, E = rng.random((200, 8)), rng.random((8, 300))
    formats = {"A": "csr", "D": "dense", "E": "dense", "Z": "csr"}
    kernel = nacho.mlir.compile(text, formats=formats)
    for entries, told in ((599, "not transposed"), (600, "transposed")):
        A = sp.csr_array(
            (np.ones(entries), np.unravel_index(np.arange(entries), (200, 300))),
            (200, 300),
        )
        explained = str(kernel.explain(A, D, E))
        assert f"dense operands {told}: {entries} entries for 300 rows" in explained
        assert kernel.plan(A, D, E).choices["transpose-dense"] == (entries == 600)
        np.testing.assert_allclose(kernel(A, D, E).toarray(), A.toarray() * (D @ E))
    limited = nacho.mlir.compile(text, formats=formats, memory_limit=100_000)
    assert "not transposed: memory is limited" in str(limited.explain(A, D, E))
