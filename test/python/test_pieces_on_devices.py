"""Parts of statements on pieces that GPUs of workers compute: simulated ones.

The bits are those of one machine with the same target, and with as many parts.
"""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given

import fake_cuda
import nacho
from guarded_memory import guarded
from nacho._pieces import plans, searching, tasks
from nacho._pieces.windows import joined
from test_pieces import ADD, CASES, HEAVY, A, B, X, arrays_of, check, evaluation
from test_pieces_of_kernels import check as check_kernel
from test_pieces_of_kernels import fuzzed
from test_properties import examples

pytestmark = pytest.mark.filterwarnings("ignore::nacho.NachoWarning")

ON_DEVICE = {"target": "cuda-sim", "choices": {"merge-keys": False}}
RANGES = {"ranges", "a range of rows", "shifted rows", "dense ranges"}
WHOLE = {"a column", "spmv of columns", *RANGES}
SUMS = ("spmv", "spmm", "mttkrp", "an inner product", "sums of rows", "a sum")


@pytest.fixture
def seen(monkeypatch):
    """The targets that tasks count and compute on, and the records of these."""
    found = []

    def watch(name):
        function = getattr(tasks, name)

        def watched(step, given, record, *more):
            lowering = pickle.loads(step.computing)[2]
            found.append((name, lowering.target, record))
            return function(step, given, record, *more)

        monkeypatch.setattr(tasks, name, watched)

    watch("count")
    watch("compute")
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("name", CASES)
def test_the_result_is_that_of_one_machine(name, seen):
    check(name, slots=3, pieces=4, parts=5, **ON_DEVICE)
    assert (not seen) == (name in WHOLE)
    assert {target for _, target, _ in seen} <= {"cuda-sim"}


@pytest.mark.parametrize("name", SUMS)
def test_there_are_as_many_sums_as_on_one_machine(name):
    """Nobody asks for a number of parts, on which sums depend."""
    expr, operands = CASES[name]
    with guarded() as guard:
        made = evaluation(guard, expr, operands, 3, 4, **ON_DEVICE)
        result = made.run()
        found = joined([(0, size) for size in result.lengths], result.handles).arrays
        wanted = arrays_of(nacho.evaluate(expr, operands, **ON_DEVICE))
        assert made.is_divided
        assert made.last_step.plan.parts > 3
        for one, other in zip(found, wanted, strict=True):
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("name", [*SUMS, "csr-add", "dcsr-add", "lists"])
def test_a_device_finds_many_cuts(name, monkeypatch):
    monkeypatch.setattr(searching, "_MANY", 1)
    check(name, slots=3, pieces=4, parts=40, **ON_DEVICE)


def test_a_device_divides_parts_that_have_no_sums(seen):
    with guarded() as guard:
        made = evaluation(guard, ADD, {"A": A, "B": B}, 3, 4, **ON_DEVICE)
        assert (made.last_step.plan.parts, made.last_step.plan.inner) == (3, 52)
        made.run()
    records = [record for _, _, record in seen]
    assert {record.inner for record in records} == {52}
    assert [record.first for record in records] == [0, 1, 2] * 2


def test_there_are_few_tables(monkeypatch):
    coords = np.arange(0, HEAVY.shape[1], 2)[None]
    v = nacho.Tensor.from_coo(coords, X[::2], shape=X.shape)
    expr, operands = "Z[i,j] = A[i,j] * v[j]", {"A": HEAVY, "v": v}

    def division():
        with guarded() as guard:
            made = evaluation(guard, expr, operands, 3, 4, **ON_DEVICE)
            plan = made.last_step.plan
            made.run()
            return plan.parts, plan.inner

    assert division() == (3, 6)
    monkeypatch.setattr(plans, "_MOST_TABLES", 8)
    assert division() == (3, 2)
    monkeypatch.setattr(plans, "_MOST_TABLES", 2)
    assert division() == (3, 1)


@pytest.mark.parametrize("name", ["whole rows", "lists"])
def test_parts_that_read_a_list_are_not_divided(name, seen):
    check(name, slots=3, pieces=4, parts=40, **ON_DEVICE)
    *_, (_, _, last) = seen
    assert (last.parts, last.inner) == (40, 1)


@pytest.mark.parametrize(
    "text", ["Z[i,j] = A[i,k] * B[k,j] + A[i,j]", "Z[i,j] = A[i,j] * sum(k, A[i,k])"]
)
def test_parts_of_an_expression_that_are_computed_first(text, seen):
    operands = {name: x for name, x in (("A", A), ("B", B)) if f"{name}[" in text}
    check_kernel(text, operands, parts=9, **ON_DEVICE)
    assert {target for _, target, _ in seen} == {"cuda-sim"}


def test_sums_of_too_many_parts_are_those_of_one_worker(monkeypatch, seen):
    monkeypatch.setattr(plans, "_MOST_CUTS", 4)
    operands = {"A": HEAVY, "x": X}
    with guarded() as guard:
        made = evaluation(guard, "y[i] = A[i,j] * x[j]", operands, 3, 4, **ON_DEVICE)
        assert made.is_divided
        result = made.run()
        assert not made.is_divided
        assert made.why_whole == "its sums depend on the cuts of 14 parts, more than 4"
        assert not seen
        found = joined([(0, HEAVY.shape[0])], result.handles).arrays[-1]
        wanted = nacho.evaluate("y[i] = A[i,j] * x[j]", operands, **ON_DEVICE)
        assert found.tobytes() == wanted.tobytes()
    # The processor computes any number of parts.
    check("spmv", slots=3, pieces=4, parts=7)


@pytest.mark.parametrize(
    "expr, parts, why",
    [
        ("y[j] = A[i,j] * x[i]", 5, "the target 'cuda-sim' may sort what is added to"),
        ("y[i] = A[i,j] * v[j]", None, "tables decide how many parts the target"),
        ("y[i] = A[i,j] * v[j]", 5, ""),
    ],
)
def test_what_decides_on_a_device_how_sums_are_cut(expr, parts, why):
    coords = np.arange(0, HEAVY.shape[1], 2)[None]
    v = nacho.Tensor.from_coo(coords, X[::2], shape=X.shape)
    given = {"A": HEAVY, "x": X, "v": v}
    operands = {name: value for name, value in given.items() if f"{name}[" in expr}
    with guarded() as guard:
        made = evaluation(guard, expr, operands, 3, 4, parts=parts, **ON_DEVICE)
        assert made.why_whole[: len(why)] == why
        assert bool(made.why_whole) == bool(why)
        result = made.run()
        found = joined([(0, size) for size in result.lengths], result.handles).arrays
        wanted = arrays_of(nacho.evaluate(expr, operands, parts=parts, **ON_DEVICE))
        assert all(
            a.tobytes() == b.tobytes() for a, b in zip(found, wanted, strict=True)
        )


@given(fuzzed())
@examples(4, 200)
def test_random_expressions(drawn):
    case, operands, pieces, slots, parts = drawn
    options = {"parts": parts, "cost": case.cost, "target": "cuda-sim"}
    try:
        nacho.evaluate(case.text, operands, **options)
    except nacho.NachoError:
        assume(False)
    check_kernel(case.text, operands, pieces, slots, **options)


@pytest.mark.parametrize("name", ["csr-add", "spmv", "spmv of columns"])
def test_gpus_of_nvidia_take_operands_of_the_host(name):
    """The driver of tests is in place of NVIDIA's."""
    fake_cuda.use()
    options = ON_DEVICE | {"target": "cuda"}
    expr, operands = CASES[name]
    with guarded() as guard:
        made = evaluation(guard, expr, operands, 2, 3, parts=4, **options)
        assert made.is_divided == (name not in WHOLE)
        result = made.run()
        found = joined([(0, size) for size in result.lengths], result.handles).arrays
        wanted = arrays_of(nacho.evaluate(expr, operands, parts=4, device=0, **options))
        assert all(
            a.tobytes() == b.tobytes() for a, b in zip(found, wanted, strict=True)
        )
