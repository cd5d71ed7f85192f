"""Statements that compute a part of the expression first, on tensors in pieces.

What is computed first is itself in pieces, which the later steps read.
"""

import numpy as np
import pytest
import scipy.sparse as sp

import checks
import nacho
from guarded_memory import guarded
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._pieces import evaluation, named_rows, tasks
from nacho._pieces import given as given_operands
from nacho._pieces.made import made_tensor
from test_pieces import GuardedEngine
from test_pieces_of_kernels import (
    D,
    E,
    M,
    N,
    X,
    check,
    evaluation_of,
    heavy,
    matrix,
    pytestmark,  # noqa: F401
    tensor,
)

PLAIN = Options(choices={"merge-keys": False})
DENSE = {"x": X, "D": D, "E": E}
CHAIN = "y[i] = A[i,j] * B[j,k] * x[k]"
TWICE = "y[i] = A[i,j] * A[j,k] * x[k]"
RELU = "Z[i,j] = max(sum(k, A[i,k] * B[k,j]), 0)"
SUM = "Z[i,j] = A[i,k] * B[k,j] + C[i,j]"
SCALED = "Z[i,j] = A[i,j] / sum(k, A[i,k])"

FIRST = {
    "a vector": CHAIN,
    "two vectors": "y[i] = A[i,j] * B[j,k] * C[k,l] * x[l]",
    "a vector, twice the same matrix": TWICE,
    "a matrix": SUM,
    "a matrix alone": RELU,
    "a matrix that is multiplied": "Z[i,j] = sum(k, A[i,k] * B[k,j]) * C[i,j]",
    "a matrix of one that is read again": "Z[i,k] = A[i,j] * B[j,k] + A[i,k]",
    "a factor": "Z[i,l] = A[i,j] * B[j,k] * C[k,l]",
    "rows of a dense matrix": "Z[i,l] = A[i,j] * D[j,k] * E[l,k]",
    "a factor with dense rows": "Z[i,l] = A[i,j] * B[j,k] * D[k,l]",
    "dense rows alone": "Z[i,k] = max(sum(j, A[i,j] * D[j,k]), 0)",
    "sums of rows": SCALED,
    "sums of columns": "Z[i,j] = A[i,j] * sum(k, B[k,j])",
    "sums of rows that are summed": "y[i] = x[i] / sum(j, A[i,j])",
    "a number": "y[i] = A[i,j] * x[j] / sum(k, x[k] * x[k])",
    "a number of a matrix": "Z[i,j] = A[i,j] / sum(k, l, B[k,l])",
    "a part of a sum over all": "s = x[i] * A[i,j] * B[j,k] * x[k]",
    "what is scattered": "y[k] = A[i,k] * A[i,j] * x[j]",
    "a transposed matrix, too": "Z[i,k] = A[i,j] * B[k,j] * x[j] + C[i,k]",
}


def named(text, operands):
    given = {**dict(zip("ABC", operands, strict=True)), **DENSE}
    return {name: given[name] for name in parse(text).operands}


@pytest.mark.each_value
@pytest.mark.parametrize(
    "parts, cost", [(1, "time"), (2, "nnz"), (16, "nnz+loops"), (1000, "time")]
)
@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
@pytest.mark.parametrize("text", FIRST.values(), ids=FIRST)
def test_a_part_of_the_expression_is_computed_first(text, format, parts, cost):
    operands = named(text, M[format])
    for pieces, slots in ((3, 4), (9, 7), (1, 2)):
        check(text, operands, pieces, slots, parts=parts, cost=cost)


@pytest.mark.parametrize("text", FIRST.values(), ids=FIRST)
def test_they_are_divided(text):
    with guarded() as guard:
        engine = GuardedEngine(guard, 4)
        found = evaluation_of(text, named(text, M["csr"]), 3, engine, PLAIN)
        assert found.why_whole == ""
        assert any(
            not (step.is_list or step.is_reordering)
            for step in found.program.steps[:-1]
        )


@pytest.mark.each_value
@pytest.mark.parametrize("slots", [1, 2, 5, 40])
@pytest.mark.parametrize("text", [CHAIN, TWICE, RELU, SUM, SCALED])
def test_one_heavy_row(text, slots):
    for format in ("csr", "dcsr"):
        operands = named(text, [heavy(format), heavy(format), matrix(format)])
        for parts in (2, 12):
            check(text, operands, 4, slots, parts=parts)


@pytest.mark.each_value
@pytest.mark.parametrize("text", [CHAIN, TWICE, RELU, SUM, SCALED])
@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
def test_few_entries_or_none(text, format):
    nothing, few = (matrix(format, density=n / N**2) for n in (0, 3))
    for operands in ([nothing] * 3, [few] * 3, [few, M[format][0], nothing]):
        for pieces, parts in ((1, 3), (4, 64)):
            check(text, named(text, operands), pieces, parts=parts)


@pytest.mark.each_value
@pytest.mark.parametrize("extent", [0, 1, 2])
@pytest.mark.parametrize("text", [CHAIN, TWICE, RELU, SUM, SCALED])
def test_small_extents(text, extent):
    for format in ("csr", "dcsr", "coo"):
        operands = [matrix(format, 0.5, shape=(extent, extent)) for _ in "ABC"]
        given = named(text, operands) | {"x": np.ones(extent)}
        read = {name: given[name] for name in parse(text).operands}
        check(text, read, 2, parts=4)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex128])
def test_types(dtype):
    for text in (CHAIN, SUM):
        operands = named(text, [matrix(dtype=dtype) for _ in "ABC"])
        if "x" in operands:
            operands["x"] = X.astype(dtype)
        check(text, operands, parts=5)


def test_tensors_of_three_dimensions():
    for format in ("csf", "coo"):
        operands = {"A": tensor(format), "B": matrix(density=0.2, shape=(20, 20))}
        text = "y[i] = A[i,j,k] * B[k,l] * x[l]"
        check(text, operands | {"x": X[:20]}, parts=7)
        text = "Z[i,j,k] = A[i,j,k] * sum(l, A[i,j,l])"
        check(text, {"A": operands["A"]}, parts=7)


def test_rows_of_dense_tensors_that_are_made(monkeypatch):
    """Parts name the elements of sums of columns that they need."""
    monkeypatch.setattr(given_operands, "_SMALL", 1)
    monkeypatch.setattr(named_rows, "TASK", 0)
    band = sp.diags_array([1.0, 2.0, 3.0], offsets=[-1, 0, 1], shape=(N, N)).tocsr()
    for text in ("Z[i,j] = A[i,j] * sum(k, B[k,j])", SCALED, CHAIN):
        for parts in (2, 9):
            check(text, named(text, [band, heavy(), band]), 3, 4, parts=parts)


class TellingEngine(GuardedEngine):
    """Remembers the names of tasks."""

    def __init__(self, guard, slots):
        super().__init__(guard, slots)
        self.names = []

    def submit(self, name, function, *args, at=None, turn=0):
        self.names.append(name)
        return super().submit(name, function, *args, at=at, turn=turn)


def loaded(text, operands):
    """Return what comes to tasks as a whole."""
    with guarded() as guard:
        engine = TellingEngine(guard, 4)
        evaluation_of(text, operands, 3, engine, PLAIN).run()
        loads = [name for name in engine.names if name.startswith("load-")]
        return {name.removeprefix("load-") for name in loads}


def test_what_is_made_is_cut_if_loops_are_over_it_in_order():
    assert loaded(RELU, named(RELU, M["csr"])) == {"B"}
    assert loaded(SUM, named(SUM, M["csr"])) == {"B"}
    assert loaded(SCALED, named(SCALED, M["csr"])) == set()
    # Entries of the first matrix find elements of the vector, and their flags.
    assert loaded(CHAIN, named(CHAIN, M["csr"])) == {"x", "tensor 0", "tensor 1"}


def test_repeated_operands_are_cut_in_each_step():
    assert loaded(TWICE, named(TWICE, M["csr"])) == {"x", "tensor 0", "tensor 1"}
    text = "Z[i,k] = A[i,j] * B[j,k] + A[i,k]"
    assert loaded(text, named(text, M["csr"])) == {"B"}


@pytest.mark.parametrize("text", [CHAIN, SUM, SCALED])
def test_the_default_number_of_parts_is_that_of_one_machine(text):
    operands = named(text, [matrix(density=0.9) for _ in "ABC"])
    with guarded() as guard:
        result = evaluation_of(text, operands, 3, GuardedEngine(guard, 3), PLAIN).run()
        made = tasks.whole(result.known, result.handles)
        assert checks.same(made, nacho.evaluate(text, **operands, **PLAIN.given))


def test_what_is_made_in_other_levels_is_not_cut(monkeypatch):
    loose = "(d0, d1) -> (d0 : dense, d1 : loose_compressed)"
    interleaved = "(d0, d1) -> (d0 : compressed(nonunique), d1 : singleton)"
    extents = {"i": 3, "j": 4}
    for format in (loose, interleaved, "csr", "coo", "dcsr"):
        formats = {"A": format}
        step = nacho.mlir.compile("y[i] = A[i,j] * x[j]", formats=formats).steps[-1]
        step = step._replace(layouts=step.layouts[:1], indices_made=("i", "j"))
        found = made_tensor(step, extents)
        assert (found is None) == (format in (loose, interleaved))
        assert found is None or str(found.format) == format
        assert made_tensor(step._replace(indices_made=("i", "")), extents) is None
    monkeypatch.setattr(evaluation, "made_tensor", lambda step, extents: None)
    with guarded() as guard:
        engine = GuardedEngine(guard, 4)
        found = evaluation_of(SUM, named(SUM, M["csr"]), 3, engine, PLAIN)
        assert found.why_whole.endswith("is made in levels that are not cut")
