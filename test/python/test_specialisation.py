"""Kernels are compiled for the types of operands that they have not seen before."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho._kernels.call import Call
from nacho._kernels.specialisation import Specialisation

UNION = "Z[i,j] = A[i,j] + B[i,j]"
WIDTHS = ("i32", "i64")


def matrix(seed=0, dtype=np.float64, pos="i32", crd="i32", shape=(20, 30)):
    """Return a csr array of small numbers with arrays of these types."""
    made = sp.random_array(shape, density=0.2, format="csr", rng=seed)
    made.data = np.ceil(5 * made.data).astype(dtype)
    made.indptr = made.indptr.astype(np.dtype(pos.replace("i", "int")))
    made.indices = made.indices.astype(np.dtype(crd.replace("i", "int")))
    return made


def counted(monkeypatch):
    """Return a list to which every compilation is added."""
    found, begin = [], Specialisation.__init__

    def counting(self, *args):
        begin(self, *args)
        found.append(self.statement)

    monkeypatch.setattr(Specialisation, "__init__", counting)
    return found


# --- Index widths ---------------------------------------------------------------------


def test_lists_of_three_indices():
    """SciPy's coordinates of a coo_array of rank 3 are int64."""
    rng = np.random.default_rng(1)
    dense = np.round(rng.random((5, 6, 7)))
    A = sp.coo_array(dense)
    kernel = nacho.mlir.compile("Z[i,j,k] = 2 * A[i,j,k]", {"A": "coo", "Z": "coo"})
    found = kernel(A)
    assert found.coords[0].dtype == A.coords[0].dtype
    np.testing.assert_array_equal(found.toarray(), 2 * dense)
    narrow = nacho.Tensor.from_coo(
        np.array(A.coords, np.int32), A.data, shape=A.shape, format="coo"
    )
    assert kernel(narrow).crd[0].dtype == np.int32


@pytest.mark.parametrize("widths", list(itertools.product(WIDTHS, repeat=4)))
def test_index_widths_in_every_position(widths):
    """One kernel for all: that of the result is the widest of the operands."""
    A, B = (
        matrix(1, pos=widths[0], crd=widths[1]),
        matrix(2, pos=widths[2], crd=widths[3]),
    )
    found = mixing(A, B)
    wanted = np.int64 if "i64" in widths else np.int32
    assert found.indptr.dtype == found.indices.dtype == wanted
    np.testing.assert_array_equal(found.toarray(), A.toarray() + B.toarray())
    assert samples.same(found, nacho.evaluate(UNION, A=A, B=B))


mixing = nacho.mlir.compile(UNION)


def test_converted_operands_share_a_specialisation(monkeypatch):
    kernel, compiled = nacho.mlir.compile(UNION), counted(monkeypatch)
    A, B = matrix(1), matrix(2)
    wanted = kernel(A, B)
    assert samples.same(kernel(A, B.tocsc()), wanted)
    assert samples.same(kernel(A.tocoo(), B), wanted)
    assert {statement.assignment.text for statement in compiled} <= {
        "Z[d0,d1] = A[d0,d1]"
    }


def test_positions_that_overflow_become_wide(monkeypatch):
    """Unless they are pinned; in calls, plans and counts."""
    A, B = matrix(1), matrix(2)
    wanted = mixing(A, B)
    for name in ("compute", "plan"):
        monkeypatch.setattr(Call, name, overflowing(name))
    free = nacho.mlir.compile(UNION)
    for found in (free(A, B), free.plan(A, B).execute()):
        assert found.indptr.dtype == found.indices.dtype == np.int64
        np.testing.assert_array_equal(found.toarray(), wanted.toarray())
    assert free.count(A, B) == wanted.nnz
    assert "-> Z f64 i64" in free.explain(A, B)
    pinned = nacho.mlir.compile(UNION, index={"Z": "i32"})
    for call in (pinned, pinned.plan, pinned.count, pinned.explain):
        with pytest.raises(nacho.IndexOverflowError):
            call(A, B)


def overflowing(name):
    method = getattr(Call, name)

    def called(self, *args):
        if self.specialisation.statement.result.pos_width == 32:
            raise nacho.IndexOverflowError("more entries than int32 can count")
        return method(self, *args)

    return called


def test_coordinates_beyond_int32():
    extent = 2**40
    A = nacho.Tensor.from_coo([[0, extent - 1]], [1.0, 2], shape=(extent,))
    kernel = nacho.mlir.compile("z[i] = 2 * a[i]", dict.fromkeys("az", "sparse-vector"))
    assert kernel(A).crd[0].tolist() == [0, extent - 1]
    small = nacho.Tensor.from_coo([[0, 3]], [1.0, 2], shape=(5,))
    assert kernel(small).crd[0].dtype == np.int32


def test_wide_indices_for_large_extents_are_not_kept():
    """What the types of a result are does not depend on earlier calls."""
    arrays = [np.array([0, 1], np.int32)], [np.array([2], np.int32)]
    kernel = nacho.mlir.compile("z[i] = 2 * a[i]", dict.fromkeys("az", "sparse-vector"))
    for extent, width in ((5, np.int32), (2**33, np.int64), (5, np.int32)):
        parts = ("sparse-vector", (extent,), *arrays, np.array([3.0]))
        found = kernel(nacho.Tensor.from_parts(*parts))
        assert found.crd[0].dtype == width
        assert found.coords.tolist() == [[2]]


# --- Element types --------------------------------------------------------------------


def test_element_types_in_one_kernel():
    """They promote as NumPy's, also among each other."""
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * B[i,j]")
    for one, other in (
        (np.float64, np.float64),
        (np.float32, np.float32),
        (np.float32, np.float64),
        (np.int8, np.int16),
        (np.int64, np.float32),
        (np.uint8, np.bool_),
        (np.bool_, np.bool_),
        (np.complex64, np.float64),
        (np.complex128, np.int32),
    ):
        operands = {"A": matrix(1, one), "B": matrix(2, other)}
        samples.check(kernel(**operands), kernel.expression, operands)


def test_python_numbers_are_weak():
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]")
    for number, dtype, wanted in (
        (2.0, np.float32, np.float32),
        (2, np.float32, np.float32),
        (2, np.int8, np.int8),
        (2.0, np.int8, np.float64),
        (2j, np.float32, np.complex64),
        (np.float64(2), np.float32, np.float64),
        (True, np.int16, np.int16),
    ):
        A = matrix(1, dtype)
        found = kernel(number, A)
        assert found.dtype == wanted
        np.testing.assert_array_equal(found.toarray(), number * A.toarray())
    with pytest.raises(nacho.DTypeError, match="the integer 300 is out of bounds"):
        kernel(300, matrix(1, np.int8))


def test_types_that_the_notation_refuses():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] - B[i,j]")
    assert kernel(matrix(1), matrix(2)).dtype == np.float64
    with pytest.raises(nacho.DTypeError, match="the difference of bools"):
        kernel(matrix(1, np.bool_), matrix(2, np.bool_))
    assert kernel(matrix(1, np.bool_), matrix(2)).dtype == np.float64


def test_types_are_compiled_once(monkeypatch):
    compiled = counted(monkeypatch)
    kernel = nacho.mlir.compile(UNION)
    assert len(compiled) == 1
    for seed in range(3):
        kernel(matrix(seed), matrix(seed + 1))
    assert len(compiled) == 1
    for _ in range(3):
        kernel(matrix(1, np.float32), matrix(2))
        kernel(matrix(1, pos="i64"), matrix(2))
    assert len(compiled) == 3


# --- Pins -----------------------------------------------------------------------------


def test_pins_are_enforced():
    A, B = matrix(1), matrix(2)
    kernel = nacho.mlir.compile(UNION, dtype={"A": "f64"}, index={"B": "i32"})
    kernel(A, B.astype(np.float32))
    kernel(matrix(1, pos="i64", crd="i64"), B)
    with pytest.raises(nacho.DTypeError) as caught:
        kernel(A.astype(np.complex64), B)
    message = "operand 'A' is complex64, but the kernel was compiled for float64"
    assert str(caught.value) == message
    with pytest.raises(nacho.DTypeError) as caught:
        kernel(A, matrix(2, crd="i64"))
    message = "operand 'B': indices is int64, but the kernel was compiled for int32"
    assert message in str(caught.value)
    # In another format it is read in the same types.
    with pytest.raises(nacho.DTypeError, match="compiled for int32"):
        kernel(A, matrix(2, pos="i64", crd="i64").tocsc())


def test_operands_are_widened_to_pinned_types():
    """In kernels, with a note; a plan takes what it was made for, in the same types."""
    A, B = matrix(1), matrix(2)
    narrow = A.astype(np.float32)
    kernel = nacho.mlir.compile(UNION, dtype="f64", index="i64")
    assert samples.same(kernel(narrow, B), kernel(narrow.astype(np.float64), B))
    for integers in (B.astype(np.int32), B.astype(np.int64), B.astype(np.bool_)):
        found = kernel(narrow, integers)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(
            found.toarray(), narrow.toarray().astype(np.float64) + integers.toarray()
        )
    text = kernel.explain(narrow, B)
    assert "A: data widened from float32 to float64" in text
    assert "A: indices copied to int64" in text
    assert "B: data widened" not in text
    plan = kernel.plan(narrow, B)
    narrow.data *= 2
    assert samples.same(plan.execute(), kernel(narrow, B))
    with pytest.raises(nacho.DTypeError, match="'B' is float32, but the plan was"):
        plan.execute(narrow, B.astype(np.float32))


def test_a_pinned_result():
    A, B = matrix(1), matrix(2)
    kernel = nacho.mlir.compile(UNION, dtype={"Z": "f32"}, index={"Z": ("i64", "i32")})
    for pair in ((A, B), (A.astype(np.int8), matrix(2, pos="i64"))):
        found = kernel(*pair)
        assert found.data.dtype == np.float32
    assert kernel.result_type.pos_width == 64


def test_scalars_may_be_pinned():
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]", dtype={"s": "f32"})
    assert kernel(2, matrix(1, np.float32)).dtype == np.float32
    assert kernel(2.5, matrix(1, np.float64)).dtype == np.float64
    with pytest.raises(nacho.DTypeError, match="'s' is float64, but the kernel"):
        kernel(np.float64(2), matrix(1))


# --- What is shown --------------------------------------------------------------------


def test_what_is_shown_is_the_default():
    """f64 and int32 but for what is pinned, whatever was called."""
    kernel = nacho.mlir.compile(UNION)
    shown = kernel.types, kernel.result_type, kernel.mlir("assign")
    kernel(matrix(1, np.float32, "i64", "i64"), matrix(2, np.int8))
    assert (kernel.types, kernel.result_type, kernel.mlir("assign")) == shown
    assert {type.dtype for type in shown[0].values()} == {"f64"}
    assert {type.crd_width for type in shown[0].values()} == {32}
    pinned = nacho.mlir.compile(UNION, dtype={"A": "f32"}, index={"B": "i64"})
    assert (pinned.types["A"].dtype, pinned.types["B"].dtype) == ("f32", "f64")
    assert (pinned.types["A"].pos_width, pinned.types["B"].pos_width) == (32, 64)
    assert pinned.result_type.crd_width == 64


def test_explain_names_the_specialisation():
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]", index={"A": ("i64", "i32")})
    text = kernel.explain(2, matrix(1, np.float32, pos="i64"))
    line = "types       s int (weak), A f32 (i64, i32) -> Z f32 i64\n"
    assert line in text
    assert "pinned: A\n" in text
    free = nacho.mlir.compile(UNION).explain(matrix(1), matrix(2, np.int8))
    assert "A f64 i32, B i8 i32 -> Z f64 i32\n" in free
    assert "pinned: none, types are those of the operands" in free


# --- Plans and threads ----------------------------------------------------------------


def test_plans_are_for_their_types():
    A, B = matrix(1), matrix(2)
    plan = mixing.plan(A, B)
    np.testing.assert_array_equal(
        plan.execute(2 * A, B).toarray(), 2 * A.toarray() + B.toarray()
    )
    with pytest.raises(nacho.DTypeError) as caught:
        plan.execute(A.astype(np.float32), B)
    message = "operand 'A' is float32, but the plan was made for float64"
    assert str(caught.value) == message
    with pytest.raises(nacho.DTypeError) as caught:
        plan.execute(A, matrix(2, pos="i64"))
    assert str(caught.value) == (
        "operand 'B': indptr is int64, but the plan was made for int32"
    )
    A.data = A.data.astype(np.float32)
    with pytest.raises(nacho.DTypeError, match="the plan was made for float64"):
        plan.execute()
    assert mixing.plan(A, B).execute().dtype == np.float64


def test_threads_specialise_at_once(monkeypatch):
    """All types at a time, each compiled by one of the threads."""
    compiled = counted(monkeypatch)
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * B[i,j] + A[i,j]")
    types = (np.float64, np.float32, np.int16, np.bool_, np.complex64)
    given = [(matrix(1, one), matrix(2, other)) for one in types for other in types[:2]]
    wanted = [one.toarray() * other.toarray() + one.toarray() for one, other in given]

    def work(number):
        pick = number % len(given)
        found = kernel(*given[pick])
        np.testing.assert_array_equal(found.toarray(), wanted[pick])
        return found.dtype == wanted[pick].dtype

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8 * len(given))))
    assert len(compiled) == len(given)


# --- Modules --------------------------------------------------------------------------

ADD = """
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#N = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), crdWidth = 32 }>
#map = affine_map<(i, j) -> (i, j)>
func.func @add(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #N>,
               %C: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %0 = linalg.generic {indexing_maps = [#map, #map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<?x?xf64, #CSR>, tensor<?x?xf64, #N>)
      outs(%C : tensor<?x?xf64, #CSR>) {
    ^bb0(%a: f64, %b: f64, %c: f64):
      %1 = arith.mulf %a, %b : f64
      %2 = arith.addf %c, %1 : f64
      linalg.yield %2 : f64
  } -> tensor<?x?xf64, #CSR>
  return %0 : tensor<?x?xf64, #CSR>
}
"""


@pytest.fixture(scope="module")
def module():
    return nacho.mlir.compile(ADD)


@pytest.mark.parametrize("widths", list(itertools.product(WIDTHS, repeat=3)))
def test_default_widths_of_modules_are_those_of_operands(module, widths):
    """Also where operands and the result share an encoding."""
    A, B, C = (
        matrix(seed, pos=pos, crd=crd)
        for seed, (pos, crd) in enumerate(
            ((widths[0], widths[0]), (widths[1], "i32"), ("i32", widths[2]))
        )
    )
    found = module(A, B, C)
    wanted = np.int64 if "i64" in widths else np.int32
    assert found.indptr.dtype == found.indices.dtype == wanted
    np.testing.assert_array_equal(
        found.toarray(), A.toarray() * B.toarray() + C.toarray()
    )
    plan = module.plan(A, B, C, parts=3)
    assert samples.same(plan.execute(), found)


def test_widths_that_a_module_says_are_pinned(module):
    A, B, C = matrix(0), matrix(1), matrix(2)
    with pytest.raises(nacho.DTypeError, match="operand 'B': indices is int64"):
        module(A, matrix(1, crd="i64"), C)
    with pytest.raises(nacho.DTypeError, match="operand 'A' is complex64"):
        module(A.astype(np.complex64), matrix(1), C)
    narrow = A.astype(np.float32)
    wide = narrow.astype(np.float64)
    assert samples.same(module(narrow, B, C), module(wide, B, C))
    assert module.types["A"].pos_width == module.result_type.pos_width == 32
    assert "posWidth = 32, crdWidth = 32" in module.mlir("assign")
    assert "pinned: A, B, C, Z" in module.explain(A, matrix(1), C)
