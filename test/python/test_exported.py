"""Kernels as files: ``Kernel.export`` and ``nacho.load``."""

import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import nacho
import samples
from nacho import _nacho
from nacho._runtime import library
from nacho._storage.plain_checks import PlainChecks

MATVEC = "y[i] = A[i,j] * x[j]"
UNION = "Z[i,j] = A[i,j] + B[i,j]"
PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"
DENSE = {"A": "csr", "x": "dense", "y": "dense"}


def matrix(seed=0, shape=(30, 20), format="csr"):
    rng = np.random.default_rng(seed)
    made = sp.random_array(shape, density=0.2, rng=rng, format="csr")
    made.data = rng.integers(1, 9, made.nnz).astype(np.float64)
    return made.asformat(format)


def two(format):
    return [matrix(n, format=format) for n in range(2)]


def exported(kernel, folder, name="kernel"):
    path = folder / f"{name}.so"
    kernel.export(path)
    return nacho.load(path)


CASES = {
    "matvec": (MATVEC, DENSE, lambda: (matrix(), np.arange(20.0))),
    "union": (UNION, None, lambda: (matrix(), matrix(1))),
    "product": (PRODUCT, None, lambda: (matrix(), matrix(1, (20, 40)))),
    "coo": (UNION, dict.fromkeys("ABZ", "coo"), lambda: two("coo")),
    "csc": (UNION, dict.fromkeys("ABZ", "csc"), lambda: two("csc")),
    "scaled": ("Z[i,j] = s * A[i,j]", None, lambda: (2.5, matrix())),
    "number": ("y += A[i,j] * B[i,j]", None, lambda: (matrix(), matrix(1))),
    "transposed": ("Z[j,i] = A[i,j]", {"A": "csr", "Z": "csr"}, lambda: (matrix(),)),
    "function": ("Z[i,j] = tanh(A[i,j])", None, lambda: (matrix(),)),
    "empty": (UNION, None, lambda: (sp.csr_array((0, 4)), sp.csr_array((0, 4)))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_kernel(name, tmp_path, capfd):
    text, formats, make = CASES[name]
    operands = make()
    kernel = nacho.mlir.compile(text, formats or {})
    loaded = exported(kernel, tmp_path, name)
    assert capfd.readouterr() == ("", "")
    assert loaded.expression == kernel.expression
    assert loaded.operands == kernel.operands
    assert loaded.types == kernel.types
    assert loaded.result_type == kernel.result_type
    assert name in repr(loaded)
    wanted = kernel(*operands)
    for threads in (1, 3):
        for _ in range(2):
            found = loaded(*operands, threads=threads)
            assert type(found) is type(wanted)
            assert samples.same(found, wanted)
    named = dict(zip(kernel.operands, operands, strict=True))
    assert samples.same(loaded(**named, parts=5), wanted)


def test_types_are_those_that_were_exported(tmp_path):
    kernel = nacho.mlir.compile(MATVEC, DENSE, dtype="f32", index="i64")
    loaded = exported(kernel, tmp_path)
    A, x = matrix().astype(np.float32), np.arange(20, dtype=np.float32)
    assert np.array_equal(loaded(A, x), A @ x)
    assert np.array_equal(loaded(A, x.astype(np.float16)), A @ x)
    with pytest.raises(nacho.DTypeError, match="operand 'x' is float64"):
        loaded(A, x.astype(float))
    found = loaded(A.tocsc(), x)
    assert np.array_equal(found, A @ x)


def test_results_in_given_arrays(tmp_path):
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    A, x, y = matrix(), np.arange(20.0), np.empty(30)
    assert loaded(A, x, out=y) is y
    assert np.array_equal(y, A @ x)
    with pytest.raises(nacho.ShapeError, match="out= has shape"):
        loaded(A, x, out=np.empty(31))


def test_what_is_added_to_is_exported_as_a_term(tmp_path):
    loaded = exported(nacho.mlir.compile("y[i] += A[i,j] * x[j]", DENSE), tmp_path)
    A, x, y = matrix(), np.arange(20.0), np.ones(30)
    assert np.array_equal(loaded(A, x), A @ x)
    message = "does not add to 'y': export that of 'new_y[i] = A[i,j] * x[j] + y[i]'\n"
    for operands, named in (((A, x, y), {}), ((A, x), {"y": y})):
        with pytest.raises(nacho.ArgumentError) as error:
            loaded(*operands, **named)
        assert message in str(error.value)
    text = re.search("'(new_y.*)'", str(error.value))[1]
    adding = exported(nacho.mlir.compile(text, {"A": "csr"}), tmp_path, "adding")
    assert np.array_equal(adding(A, x, y), A @ x + 1)


def test_operands_are_checked(tmp_path):
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    A, x = matrix(), np.arange(20.0)
    with pytest.raises(nacho.ShapeError, match="index 'j' has extent 20"):
        loaded(A, x[1:])
    with pytest.raises(nacho.ArgumentError, match="missing operand 'x'") as caught:
        loaded(A)
    assert type(caught.value) is nacho.ArgumentError
    assert "^^^^" in str(caught.value)
    with pytest.raises(nacho.OptionError, match="memory_limit= is no option"):
        loaded(A, x, memory_limit=100)
    loaded(A, x)
    A.indices[3] = 1000
    with pytest.raises(
        nacho.OperandError, match=r"operand 'A': indices\[3\] = 1000 is out of range"
    ):
        loaded(A, x)
    with pytest.raises(
        nacho.OperandError, match=r"indices\[3\] = 1000 is out of range"
    ):
        nacho.load(loaded.path, validate="full")(A, x)


def test_what_cannot_be_exported(tmp_path):
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    with pytest.raises(nacho.FileError, match="is to be a library"):
        kernel.export(tmp_path / "kernel.dll")
    with pytest.raises(nacho.FileError, match="cannot be linked"):
        kernel.export(tmp_path / "nowhere" / "kernel.so")
    with pytest.raises(nacho.ArgumentError, match="path=3: expected a path"):
        kernel.export(3)
    simulated = nacho.mlir.compile(MATVEC, DENSE, target="cuda-sim")
    with pytest.raises(nacho.UnsupportedError, match="only those for 'cpu'"):
        simulated.export(tmp_path / "kernel.so")


def test_what_cannot_be_loaded(tmp_path):
    with pytest.raises(nacho.FileError, match="cannot be loaded"):
        nacho.load(tmp_path / "nothing.so")
    with pytest.raises(nacho.FileError, match="has no kernel that Nacho exported"):
        nacho.load(library.LIBRARY)


def test_another_processor(tmp_path, monkeypatch):
    kernel = nacho.mlir.compile(MATVEC, DENSE)
    flags = library.processor_flags()
    assert flags
    exported(kernel, tmp_path)
    one = min(flags)
    monkeypatch.setattr(library, "processor_flags", lambda: flags - {one})
    with pytest.raises(nacho.DeviceError, match=f"another processor, which has {one}"):
        nacho.load(tmp_path / "kernel.so")


ALONE = """
import sys
import numpy as np, scipy.sparse as sp
import nacho

A = sp.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 4]]))
k = nacho.load(sys.argv[1])
print(k(A, np.array([1.0, 10, 100])).tolist())
A.indices[1] = 7
try:
    nacho.load(sys.argv[1], validate="full")(A, np.ones(3))
except nacho.OperandError as error:
    print(error)
assert "nacho._nacho" not in sys.modules
maps = open("/proc/self/maps").read()
assert "libLLVM" not in maps and "libMLIR" not in maps
"""


def test_no_compiler_is_loaded(tmp_path):
    nacho.mlir.compile(MATVEC, DENSE).export(tmp_path / "spmv.so")
    where = {**os.environ, "PYTHONPATH": str(Path(nacho.__file__).parents[1])}
    command = [sys.executable, "-c", ALONE, str(tmp_path / "spmv.so")]
    ran = subprocess.run(
        command, env=where, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    one, other = ran.stdout.splitlines()
    assert one == "[201.0, 0.0, 430.0]"
    assert other == "operand 'A': indices[1] = 7 is out of range [0, 3)"


PROGRAM = r"""
#include "spmv.h"
#include <stdio.h>
#include <stdlib.h>

static nacho_argument array(void *data, int64_t size) {
  nacho_argument made;
  made.data = data;
  made.size = size;
  return made;
}

static void print_error(const char *text) { printf("error: %s\n", text); }

int main(void) {
  int32_t pos[] = {0, 2, 2, 4}, crd[] = {0, 2, 1, 2};
  double values[] = {1, 2, 3, 4}, x[] = {1, 10, 100};
  nacho_argument operands[spmv_OPERANDS];
  operands[spmv_A_pos_1] = array(pos, 4);
  operands[spmv_A_crd_1] = array(crd, 4);
  operands[spmv_A_values] = array(values, 4);
  operands[spmv_A_extent_0] = array(NULL, 3);
  operands[spmv_A_extent_1] = array(NULL, 3);
  operands[spmv_x_values] = array(x, 3);
  operands[spmv_x_extent_0] = array(NULL, 3);
  nacho_argument results[spmv_RESULTS];
  spmv(operands, results, 2);
  const double *y = (const double *)results[spmv_y_values].data;
  for (int64_t i = 0; i < results[spmv_y_extent_0].size; ++i)
    printf("%g\n", y[i]);
  free(results[spmv_y_values].data);
  nacho_set_error_handler(print_error);
  crd[1] = 7;
  spmv(operands, results, 1);
  return 0;
}
"""


@pytest.mark.parametrize("flags", [["-std=c11"], ["-x", "c++", "-std=c++20"]])
def test_programs_of_c(tmp_path, flags):
    compiler = next(filter(shutil.which, ("cc", "clang", "clang-22", "gcc")), None)
    if compiler is None:
        pytest.skip("there is no compiler of C")
    nacho.mlir.compile(MATVEC, DENSE).export(tmp_path / "spmv.so")
    (tmp_path / "main.c").write_text(PROGRAM)
    warnings = ["-Wall", "-Wextra", "-Werror"]
    files = ["main.c", "-x", "none", "spmv.so", str(library.LIBRARY)]
    places = [
        f"-Wl,-rpath,{tmp_path}:{library.FOLDER}",
        f"-Wl,-rpath-link,{library.FOLDER}",
    ]
    command = [compiler, *flags, *warnings, *files, *places, "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ran = subprocess.run(
        [tmp_path / "main"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split("\n")[:3] == ["201", "0", "430"]
    assert "error: coordinate-out-of-range" in ran.stdout


# --- Checks without the extension -----------------------------------------------------


def numbers(most):
    return st.lists(st.integers(-1, most), max_size=8)


@given(numbers(6), st.integers(0, 6))
def test_positions_are_checked_alike(pos, nnz):
    array = np.array([*pos, nnz], np.int32)
    given = array, array.size - 1, nnz
    found, wanted = PlainChecks.check_positions(*given), _nacho.check_positions(*given)
    assert (found < 0) == (wanted < 0)
    assert found <= wanted or wanted < 0


@given(
    st.lists(st.lists(st.integers(-1, 4), max_size=4), max_size=4), st.integers(1, 4)
)
def test_coordinates_are_checked_alike(fibers, extent):
    pos = np.cumsum([0, *map(len, fibers)]).astype(np.int32)
    crd = np.array([each for fiber in fibers for each in fiber], np.int32)
    found = PlainChecks.check_coordinates(pos, crd, extent)
    wanted = _nacho.check_coordinates(pos, crd, extent)
    assert found == tuple(wanted)


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=6))
def test_tuples_are_checked_alike(entries):
    pos = np.array([0, len(entries)], np.int32)
    crds = [np.array([each[n] for each in entries], np.int32) for n in (0, 1)]
    found = PlainChecks.check_tuples(pos, crds, [3, 2])
    assert found == tuple(_nacho.check_tuples(pos, crds, [3, 2]))


def test_a_file_that_was_written_again(tmp_path):
    A, x = matrix(), np.arange(20.0)
    first = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    second = exported(nacho.mlir.compile("y[i] = 2 * A[i,j] * x[j]", DENSE), tmp_path)
    np.testing.assert_array_equal(second(A, x), 2 * (A @ x))
    np.testing.assert_array_equal(first(A, x), A @ x)
    copied = pickle.loads(pickle.dumps(second))
    np.testing.assert_array_equal(copied(A, x), 2 * (A @ x))


def test_names_that_c_does_not_allow(tmp_path):
    nacho.mlir.compile(MATVEC, DENSE).export(tmp_path / "int.so")
    assert "static inline void kint(" in (tmp_path / "int.h").read_text()


def test_what_is_no_path():
    with pytest.raises(nacho.ArgumentError, match="path of a file, not int"):
        nacho.load(5)
