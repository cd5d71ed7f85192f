"""``Kernel.map``: many problems in one call."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import _nacho

UNION = "Z[i,j] = A[i,j] + B[i,j]"
MATVEC = "y[i] = A[i,j] * x[j]"
PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"
FORMATS = {"A": "csr", "x": "dense", "y": "dense"}


def matrix(seed, shape=(10, 10), density=0.3):
    return sp.random_array(shape, density=density, rng=seed, format="csr")


def of_many_sizes(count=60):
    """Return operands of a product of which some are worth more than all others."""
    rng = np.random.default_rng(0)
    sizes = [int(size) for size in rng.integers(0, 40, count)]
    sizes[3], sizes[-1] = 600, 300
    return [
        (matrix(n, (size, size + 1), 0.1), rng.random(size + 1))
        for n, size in enumerate(sizes)
    ]


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
def test_the_results_are_those_of_single_calls(threads):
    problems = of_many_sizes()
    kernel = nacho.mlir.compile(MATVEC, FORMATS)
    wanted = [kernel(A, x) for A, x in problems]
    found = kernel.map(problems, threads=threads)
    assert len(found) == len(wanted)
    assert all(
        samples.same(one, other) for one, other in zip(found, wanted, strict=True)
    )
    assert np.allclose(found[3], problems[3][0] @ problems[3][1])


@pytest.mark.parametrize("text", [UNION, PRODUCT])
@pytest.mark.parametrize("threads", [1, 3])
def test_sparse_results(text, threads):
    problems = [(matrix(n, (30, 30)), matrix(n + 100, (30, 30))) for n in range(20)]
    problems.append((matrix(7, (900, 900), 0.05), matrix(8, (900, 900), 0.05)))
    kernel = nacho.mlir.compile(text)
    wanted = [kernel(*problem) for problem in problems]
    for found in (
        kernel.map(problems, threads=threads, parts=5),
        kernel.map(iter(problems), threads=threads),
    ):
        for made, other in zip(found, wanted, strict=True):
            assert type(made) is type(other)
            assert np.allclose(made.toarray(), other.toarray())
    assert all(samples.same(*pair) for pair in zip(found, wanted, strict=True))


@pytest.mark.any_target
def test_small_results_are_parts_of_common_arrays():
    kernel = nacho.mlir.compile(UNION, dict.fromkeys("ABZ", "csr"))
    small = [(matrix(n, (9, 7)), matrix(n + 1, (9, 7))) for n in range(5)]
    small.append((sp.csr_array((9, 7)), sp.csr_array((9, 7))))
    made = kernel.map(small)
    for part in ("indptr", "indices", "data"):
        assert len({id(getattr(each, part).base) for each in made}) == 1
    for each, operands in zip(made, small, strict=True):
        assert samples.same(each, kernel(*operands))
    made[1].data[:] = made[1].indices[:] = 0
    assert samples.same(made[0], kernel(*small[0]))
    assert samples.same(made[2], kernel(*small[2]))
    large = [(matrix(n, (90, 70)), matrix(n + 1, (90, 70))) for n in range(3)]
    made = kernel.map(large)
    assert len({id(each.data.base) for each in made}) == 3
    assert all(map(samples.same, made, [kernel(*each) for each in large]))


def test_mappings_and_numbers():
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]")
    A = matrix(1)
    given = [(2.0, A), {"A": A, "s": 3.0}, [4.0, A]]
    found = kernel.map(given)
    for factor, made in zip((2, 3, 4), found, strict=True):
        assert np.array_equal(made.toarray(), factor * A.toarray())
    assert kernel.map([]) == []


def test_types_may_differ():
    kernel = nacho.mlir.compile(UNION)
    A, B = matrix(1), matrix(2)
    wide = A.copy()
    wide.indptr, wide.indices = A.indptr.astype(np.int64), A.indices.astype(np.int64)
    found = kernel.map([(A, B), (A.astype(np.float32), B), (wide, B), (A, B.tocsc())])
    for made in found:
        assert np.allclose(made.toarray(), (A + B).toarray())
    assert found[2].indices.dtype == np.int64


def test_errors_name_the_problem():
    kernel = nacho.mlir.compile(MATVEC, FORMATS)
    good = matrix(1), np.ones(10)
    with pytest.raises(
        nacho.ShapeError, match=r"problem 2: index 'j' has .*\n.*\n *\^"
    ):
        kernel.map([good, good, (matrix(1), np.ones(9))])
    with pytest.raises(nacho.ArgumentError, match="problem 1: expected a tuple of op"):
        kernel.map([good, matrix(1)])
    with pytest.raises(nacho.ArgumentError, match="problem 0: missing operand 'x'"):
        kernel.map([(matrix(1),)])
    with pytest.raises(nacho.ArgumentError, match="map: 'out', 'x' is no option"):
        kernel.map([good], out=np.empty(10), x=1)
    with pytest.raises(nacho.OptionError, match="threads="):
        kernel.map([good], threads=0)


def test_what_the_kernel_refuses_is_named(monkeypatch):
    """Entries beyond the extent, seen only while the kernel runs."""
    kernel = nacho.mlir.compile(MATVEC, FORMATS)
    problems = [(matrix(n), np.ones(10)) for n in range(5)]
    kernel.map(problems)
    problems[3][0].indices[4] = 1000
    with pytest.raises(nacho.OperandError, match=r"problem 3: .* out of range"):
        kernel.map(problems)


def test_a_memory_limit_is_that_of_each_problem():
    kernel = nacho.mlir.compile("y[i] = 2 * x[i]", {"x": "dense", "y": "dense"})
    problems = [(np.ones(1000),)] * 50
    kernel.map(problems, memory_limit=20000)
    problems[7] = (np.ones(100000),)
    with pytest.raises(nacho.OutOfMemoryError, match="problem 7: "):
        kernel.map(problems, memory_limit=20000)


def test_wide_results_are_called_again(monkeypatch):
    """A problem that the extension does not compute is called on its own."""
    kernel = nacho.mlir.compile(UNION)
    problems = [(matrix(n), matrix(n + 9)) for n in range(4)]
    whole = _nacho.compute_many

    def refusing(calls, threads, trusted):
        found = whole(calls, threads, trusted)
        return [None, *found[1:]]

    monkeypatch.setattr(_nacho, "compute_many", refusing)
    for made, (A, B) in zip(kernel.map(problems), problems, strict=True):
        assert np.array_equal(made.toarray(), (A + B).toarray())


def test_the_interpreter_is_free_meanwhile():
    kernel = nacho.mlir.compile(PRODUCT)
    problems = [
        (matrix(n, (300, 300), 0.3), matrix(n, (300, 300), 0.3)) for n in range(8)
    ]
    turns = []
    done = threading.Event()

    def count():
        while not done.wait(0.001):
            turns.append(1)

    kernel.map(problems[:1])
    other = threading.Thread(target=count)
    other.start()
    kernel.map(problems)
    done.set()
    other.join()
    assert turns


def test_tensors_that_problems_add_to():
    A, Z = (sp.random_array((4, 4), density=0.5, format="csr", rng=n) for n in (1, 2))
    kernel = nacho.mlir.compile("Z[i,j] += A[i,j]", {"A": "csr"})
    made = kernel.map([(A,), (A, Z), {"A": A, "Z": Z}])
    for found, expected in zip(made, (A, A + Z, A + Z), strict=True):
        np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_what_is_no_list_of_problems():
    kernel = nacho.mlir.compile("Z[i,j] = 2 * A[i,j]", {"A": "csr"})
    with pytest.raises(nacho.ArgumentError, match=r"expected problems.*int"):
        kernel.map(5)


def test_problems_that_repeat_others():
    """Of these, the extension takes the arrays itself: other matrices, and types."""
    kernel = nacho.mlir.compile(UNION, {"A": "csr", "B": "csr"})
    small = [(matrix(n), matrix(n + 100)) for n in range(12)]
    changed = small[5][0].astype(np.float32)
    others = [(changed, small[5][1]), (matrix(1, (4, 7)), matrix(2, (4, 7)))]
    same = small[3][0]
    problems = [*small, *others, (same, same), *small[::-1]]
    for threads in (1, 2):
        found = kernel.map(problems, threads=threads)
        for each, (A, B) in zip(found, problems, strict=True):
            alone = kernel(A, B)
            assert each.dtype == alone.dtype
            assert each.shape == alone.shape
            for name in ("indptr", "indices", "data"):
                np.testing.assert_array_equal(getattr(each, name), getattr(alone, name))


def test_wrong_problems_among_those_that_repeat_others():
    kernel = nacho.mlir.compile(MATVEC, FORMATS)
    x = np.ones(10)
    problems = [(matrix(n), x) for n in range(6)]
    broken = matrix(7)
    broken.indices[-1] = 10
    with pytest.raises(nacho.OperandError, match="problem 6: operand 'A'"):
        kernel.map([*problems, (broken, x)])
    with pytest.raises(nacho.ShapeError, match="problem 6: "):
        kernel.map([*problems, (matrix(7), np.ones(9))])


def test_what_is_added_to_by_problems_that_repeat_others():
    kernel = nacho.mlir.compile("y[i] += A[i,j] * x[j]", FORMATS)
    x, y = np.arange(10.0), np.arange(10.0) / 3
    problems = [
        (matrix(n), x) if n % 3 == 2 else (matrix(n), x, n * y) for n in range(12)
    ]
    found = kernel.map(problems)
    for n, (each, problem) in enumerate(zip(found, problems, strict=True)):
        wanted = problem[0] @ x + (0 if n % 3 == 2 else n * y)
        np.testing.assert_allclose(each, wanted, rtol=1e-12)
