"""Arrays of operands that are edited before, between and during calls."""

import queue
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import check_structure, same
from nacho._kernels import canonical
from nacho._storage import containers
from selection import THOROUGH

sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "nacho-fuzz"))

from nacho_fuzz import farm

# The checks of coordinates have to hold in the code that users run.
pytestmark = pytest.mark.optimized

CASES = range(20_000) if THOROUGH else range(0, 15_000, 1201)


def test_random_edits():
    """No case of the fuzzer crashes, hangs, or returns what is not canonical."""
    found = list(farm.run("corruptions", CASES, minutes=120, jobs=2))
    tally = found.pop()
    assert not found, [str(failure) for failure in found]
    assert tally.cases == len(CASES)
    # Both are common, or the attack is none.
    assert min(tally.outcomes["refused"], tally.outcomes["returned"]) > len(CASES) // 10


def test_farm_reports_what_goes_wrong(tmp_path, monkeypatch):
    """A case that dies, or fails, is reported, and the next ones are run."""
    (tmp_path / "broken.py").write_text(
        "import nacho_fuzz, os\n"
        "def run(case):\n"
        "    assert case != 1, 'wrong'\n"
        "    if case == 2:\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return 'fine'\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(
        f"import nacho_fuzz; nacho_fuzz.__path__.append({str(tmp_path)!r})\n"
    )
    *failures, tally = farm.run("broken", range(5), minutes=1, jobs=1)
    assert [failure.case for failure in failures] == [1, 2]
    assert "wrong" in failures[0].what
    assert failures[1].what == "crash: SIGKILL"
    assert tally.outcomes == {"fine": 3, "fail": 2}


@pytest.mark.parametrize("how", ["time.sleep(600)", "while True: pass"])
def test_farm_reports_hangs(tmp_path, monkeypatch, how):
    """A case that waits, or runs, for too long does not keep the next ones waiting."""
    (tmp_path / "slow.py").write_text(f"import time\ndef run(case):\n    {how}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(
        f"import nacho_fuzz; nacho_fuzz.__path__.append({str(tmp_path)!r})\n"
    )
    monkeypatch.setattr(farm, "SECONDS_PER_CASE", 0.5)
    failure, tally = farm.run("slow", range(1), minutes=1, jobs=1)
    assert failure.what.startswith("hang: ")
    assert tally.outcomes == {"fail": 1}


def test_a_starved_case_is_not_a_hang(monkeypatch):
    """Only seconds of a processor count, unless there are none."""
    used = iter([0.0, 0.1, 0.2, 0.3, 9.0])
    monkeypatch.setattr(farm, "processor_seconds", lambda process: next(used))
    monkeypatch.setattr(farm._Worker, "_read", lambda worker: None)
    worker = farm._Worker("corruptions")
    with pytest.raises(queue.Empty):
        worker.run(0, seconds=0.5)
    worker.kill()
    assert next(used, None) is None


@pytest.mark.parametrize("validate", ["safe", "none"])
def test_repeated_coordinates_in_a_table(validate):
    """A coordinate that a row of the mask has twice is not a position too far."""
    ones = np.ones((2, 2))
    mask, a, b = (nacho.Tensor.from_dense(ones, "csr") for _ in range(3))
    text = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"
    kernel = nacho.mlir.compile(text, validate=validate)
    kernel(mask, a, b)
    mask.crd[1][:] = 1
    check_structure(kernel(mask, a, b))


def edited(array, how):
    array[...] = array[::-1].copy() if how == "reverse" else array[0]


@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
@pytest.mark.parametrize("how", ["reverse", "repeat"])
def test_results_are_canonical_or_refused(format, how):
    """The first call has checked the operands; later edits stay in range."""
    rng = np.random.default_rng(1)
    dense = [rng.random((40, 40)) * (rng.random((40, 40)) < 0.3) for _ in range(2)]
    a, b = (nacho.Tensor.from_dense(each, format) for each in dense)
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
    expected = kernel(a, b)
    plain = a.crd[1].copy()
    edited(a.crd[1], how)
    for _ in range(2):
        with pytest.raises(nacho.OperandError, match=r"not sorted|duplicate"):
            kernel(a, b)
    a.crd[1][...] = plain
    assert same(kernel(a, b), expected)


def test_rows_that_became_empty_are_refused():
    """An entry of a level is there for the entries below it."""
    a = nacho.Tensor.from_dense(np.eye(2), "dcsr")
    b = nacho.Tensor.from_dense(np.eye(2), "csr")
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]", {"Z": "dcsr"})
    plan = kernel.plan(a, b)
    b.pos[1][1] = 2
    with pytest.raises(nacho.OperandError, match="have changed since"):
        plan.execute(a, b)
    assert kernel.plan(a, b).execute(a, b).pos[0].tolist() == [0, 1]


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("how", ["reverse", "repeat"])
def test_scipy_operands_may_become_unsorted(format, how):
    """SciPy allows entries in any order, and repeated ones: they are added up."""
    a = sp.random_array((40, 40), density=0.3, format=format, rng=1)
    b = sp.random_array((40, 40), density=0.3, format=format, rng=2)
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
    kernel(a, b)
    edited(a.coords[1] if format == "coo" else a.indices, how)
    try:
        result = kernel(a, b)
    except nacho.OperandError as error:
        # It was checked when the kernel saw it first; now it is sorted in a copy.
        assert str(error) == (
            "operand 'A': its entries are not in order, or are repeated; it has "
            "changed since it was checked"
        )
        result = kernel(a, b)
    check_structure(result)
    np.testing.assert_allclose(result.toarray(), a.toarray() + b.toarray())


def edit_positions_after_check(monkeypatch, module, array):
    """Edit ``indptr`` behind the check of an operand, as another thread could."""
    check = module.has_canonical_entries

    def edit(*arguments):
        found = check(*arguments)
        array.indptr[1:3] = [9, 5]
        return found

    monkeypatch.setattr(module, "has_canonical_entries", edit)


def test_positions_that_are_edited_while_entries_are_sorted(monkeypatch):
    for convert in (nacho.asarray, lambda a: nacho.evaluate("Z[i,j] = A[i,j]", A=a)):
        a = sp.random_array((40, 40), density=0.3, format="csr", rng=1)
        a.indices[:] = 39 - a.indices
        with monkeypatch.context() as patch:
            edit_positions_after_check(patch, canonical, a)
            with pytest.raises(nacho.OperandError, match=r"indptr\[2\] = 5, below"):
                convert(a)


def test_positions_that_are_edited_while_blocks_are_converted(monkeypatch):
    """The conversion reads a copy, which was checked."""
    b = sp.random_array((40, 40), density=0.3, format="csr", rng=1)
    a = b.tobsr((2, 2))
    edit_positions_after_check(monkeypatch, containers, a)
    text = "Z[i,j] = A[i,j] + B[i,j]"
    found = nacho.evaluate(text, A=a, B=b)
    np.testing.assert_array_equal(found.toarray(), 2 * b.toarray())
    with pytest.raises(nacho.OperandError, match=r"indptr\[2\] = 5, below indptr\[1\]"):
        nacho.evaluate(text, A=a, B=b)


@pytest.mark.parametrize("wrong", [99, -1])
def test_coordinates_that_were_edited_between_calls(wrong):
    """No call was running: the message says so, and whose coordinate is wrong."""
    a = sp.random_array((40, 40), density=0.3, format="csr", rng=1)
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * 2", {"A": "csr"})
    plan = kernel.plan(a)
    for call in (lambda: kernel(a), plan.execute, lambda: kernel.map([(a,)] * 2)):
        call()
        kept, a.indices[3] = a.indices[3], wrong
        message = rf"{wrong} is out of range \[0, 40\); it has changed since it was che"
        with pytest.raises(nacho.OperandError, match=message) as caught:
            call()
        assert "in use" not in str(caught.value)
        with pytest.raises(nacho.OperandError, match="is out of range"):
            call()
        a.indices[3] = kept


@pytest.mark.parametrize("target", ["cpu", "cuda-sim"])
@pytest.mark.parametrize("text", ["y[i] = argmax(j, A[i,j])", "s += j * A[i,j]"])
def test_coordinates_that_results_have_as_numbers(text, target):
    """They index no memory, but what is outside of an extent is no result."""
    a = sp.random_array((40, 40), density=0.3, format="csr", rng=1)
    kernel = nacho.mlir.compile(text, {"A": "csr"}, target=target)
    kernel(a)
    a.indices[3], a.data[3] = 99, 1000.0
    with pytest.raises(nacho.OperandError, match=r"99 is out of range \[0, 40\)"):
        kernel(a)
