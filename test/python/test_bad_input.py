"""Operands that are wrong: refused by name, never a crash, and never modified."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from selection import THOROUGH

# The checks of coordinates have to hold in the code that users run.
pytestmark = pytest.mark.optimized

UNION = "Z[i,j] = A[i,j] + B[i,j]"
VALIDATIONS = ("safe", "full", "none")
ROUNDS = 400 if THOROUGH else 40


def matrix(
    indptr=(0, 2, 2, 4), indices=(0, 2, 1, 3), data=(1.0, 2, 3, 4), shape=(3, 4)
):
    """Return a SciPy array around arrays that need not be consistent."""
    made = sp.csr_array(shape)
    made.indptr = np.array(indptr, np.int32)
    made.indices = np.array(indices, np.int32)
    made.data = np.array(data)
    return made


def refusal(error, expression, **operands):
    """Return the message of an error that leaves the operands as they were."""
    before = {name: snapshot(operand) for name, operand in operands.items()}
    with pytest.raises(error) as caught:
        nacho.evaluate(expression, **operands)
    assert isinstance(caught.value, nacho.NachoError)
    assert before == {name: snapshot(operand) for name, operand in operands.items()}
    return str(caught.value)


def snapshot(operand):
    return [(array.dtype, array.tobytes()) for array in samples.buffers(operand)]


# --- Refused by name ------------------------------------------------------------------


@pytest.mark.parametrize("format", ["csr", "dcsr", "csc"])
@pytest.mark.parametrize("shape", [(3, 5), (4, 4), (0, 4), (4, 3)])
def test_extents_must_agree(shape, format):
    one, other = (
        samples.tensor(np.zeros(extents, bool), [], format)
        for extents in ((3, 4), shape)
    )
    message = refusal(nacho.ShapeError, UNION, A=one, B=other)
    index = 0 if shape[0] != 3 else 1
    assert f"index '{'ij'[index]}' has extent {(3, 4)[index]} in operand 'A'" in message
    assert f"but {shape[index]} in operand 'B'" in message


CORRUPT = {
    "falling": ({"indptr": (0, 3, 2, 4)}, "indptr[2] = 2, below indptr[1] = 3"),
    "beyond": ({"indptr": (0, 9, 9, 4)}, "indptr[3] = 4, below"),
    "negative": ({"indptr": (0, -1, 2, 4)}, "indptr[1] = -1, below"),
    "start": ({"indptr": (1, 2, 2, 4)}, "indptr[0] = 1, expected 0"),
    "end": ({"indptr": (0, 2, 2, 5)}, "indptr[3] = 5, but indices has 4"),
    "short indptr": ({"indptr": (0, 2, 4)}, "indptr has shape (3,), expected (4,)"),
    "long indptr": ({"indptr": (0, 1, 2, 3, 4)}, "indptr has shape (5,)"),
    "no indptr": ({"indptr": ()}, "indptr has shape (0,), expected (4,)"),
    "short indices": ({"indices": (0, 2, 1)}, "indptr[3] = 4, but indices has 3"),
    "short data": ({"data": (1.0, 2)}, "data has shape (2,), expected (4,)"),
    "too large": ({"indices": (0, 2, 1, 4)}, "indices[3] = 4 is out of range [0, 4)"),
    "below 0": ({"indices": (0, -2, 1, 3)}, "indices[1] = -2 is out of range"),
    "huge": ({"indices": (0, 2, 1, 2**31 - 1)}, "indices[3] = 2147483647 is out of"),
}


@pytest.mark.parametrize("case", CORRUPT)
def test_corrupt_arrays(case):
    parts, message = CORRUPT[case]
    good, bad = matrix(), matrix(**parts)
    assert f"operand 'B': {message}" in refusal(
        nacho.OperandError, UNION, A=good, B=bad
    )
    message = message.replace("'B'", "'A'")
    assert f"operand 'A': {message}" in refusal(
        nacho.OperandError, UNION, A=bad, B=good
    )


def coordinates(rows=(0, 0, 2, 2), columns=(0, 2, 1, 3), data=(1.0, 2, 3, 4)):
    """Return a SciPy coo array around arrays that need not be consistent."""
    made = sp.coo_array((3, 4))
    made.coords = (np.array(rows, np.int32), np.array(columns, np.int32))
    made.data = np.array(data)
    made.has_canonical_format = False
    return made


CORRUPT_COO = {
    "short rows": ({"rows": (0, 0, 2)}, "coords[0] has shape (3,), but data has"),
    "long columns": ({"columns": range(5)}, "coords[1] has shape (5,), but data has"),
    "short data": ({"data": (1.0,)}, "coords[0] has shape (4,), but data has"),
    "too large": ({"rows": (0, 0, 2, 3)}, "coords[0][3] = 3 is out of range [0, 3)"),
    "below 0": ({"columns": (0, -2, 1, 3)}, "coords[1][1] = -2 is out of range"),
    "unsorted": ({"rows": (2, 9, 0, 0)}, "coords[0][1] = 9 is out of range [0, 3)"),
}


@pytest.mark.parametrize("case", CORRUPT_COO)
def test_corrupt_coo(case):
    parts, message = CORRUPT_COO[case]
    good, bad = coordinates(), coordinates(**parts)
    assert f"operand 'B': {message}" in refusal(
        nacho.OperandError, UNION, A=good, B=bad
    )


@pytest.mark.parametrize("dtype", ["g", "O", "M8[s]"])
def test_element_types(dtype):
    message = refusal(
        nacho.DTypeError, UNION, A=matrix(), B=matrix(data=np.ones(4, dtype))
    )
    assert "operand 'B': type" in message


@pytest.mark.parametrize("attribute", ["indptr", "indices"])
@pytest.mark.parametrize("dtype", ["i2", "u4", "u8", "f8", ">i4"])
def test_index_types(attribute, dtype):
    bad = matrix()
    setattr(bad, attribute, getattr(bad, attribute).astype(dtype))
    message = refusal(nacho.UnsupportedError, UNION, A=bad, B=matrix())
    assert f"operand 'A': {attribute} of type" in message


@pytest.mark.parametrize(
    "expression, error, message",
    [
        ("Z[i,j] = A[i] + B[i,j]", nacho.NachoError, "'A'"),
        ("Z[i,j] = A + B[i,j]", nacho.NachoError, "'A'"),
        ("Z[i,j] = A[i,j] + 1", nacho.NachoError, "1"),
        ("Z[i,j] = A[i,j] +", nacho.ParseError, "^"),
    ],
)
def test_malformed_or_unsupported(expression, error, message):
    square = {"indptr": (0, 2, 2, 4, 4), "shape": (4, 4)}
    operands = {name: matrix(**square) for name in "AB" if f"{name}" in expression}
    assert message in refusal(error, expression, **operands)


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0), (1, 1), (1, 5), (5, 1)])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("parts", [1, 7])
def test_tiny_and_empty_operands(shape, kind, parts):
    nothing, everything = kind(shape), kind(np.ones(shape))
    for one, other in ((nothing, nothing), (nothing, everything), (everything,) * 2):
        for operator in "+*-":
            expression = f"Z[i,j] = A[i,j] {operator} B[i,j]"
            operands = {"A": one, "B": other}
            result = nacho.evaluate(expression, **operands, parts=parts, threads=2)
            assert result.shape == shape
            samples.check(result, expression, operands)


def test_operands_are_not_modified():
    rng = np.random.default_rng(1)
    operands = {name: sp.csr_array(rng.random((9, 9)) * 10 // 7) for name in "AB"}
    operands["B"].indices[:] = operands["B"].indices[::-1]
    before = {name: snapshot(operand) for name, operand in operands.items()}
    for validate in ("safe", "full"):
        nacho.evaluate(UNION, **operands, validate=validate, parts=3, threads=2)
    assert before == {name: snapshot(operand) for name, operand in operands.items()}


# --- Edited after they were checked ---------------------------------------------------


def test_coordinate_edited_after_the_check():
    """Coordinates are not read on every call, but those that index memory are."""
    tensor = samples.tensor(np.eye(4, dtype=bool), np.ones(4), "dcsr")
    assert nacho.evaluate("Z[i,j] = -A[i,j]", A=tensor).nnz == 4
    tensor.crd[0][2] = 7
    with pytest.raises(nacho.OperandError, match=r"operand 'A': crd\[0\]\[2\] = 7"):
        nacho.evaluate("Z[i,j] = -A[i,j]", A=tensor)


@pytest.mark.parametrize(
    "expression",
    [
        "Z[i,k] = A[i,j] * B[j,k]",
        "Z[k,i] = A[i,j] * B[j,k]",
        "Z[i,k] = A[i,j] * B[j,k] + B[i,k]",
        "Z[i,k] = B[i,k] * A[i,j] * B[j,k]",
        "y[i] = A[i,j] * x[j]",
        "Z[i,k] = A[i,j] * u[j,k]",
    ],
)
def test_column_edited_after_the_check(expression):
    """No other operand has a row of that number, so that none is multiplied with it."""
    rng = np.random.default_rng(1)
    dense = {"x": rng.random(60), "u": rng.random((60, 60))}
    given = {name: value for name, value in dense.items() if f"{name}[" in expression}
    for name in "AB":
        if f"{name}[" in expression:
            matrix = sp.random_array((60, 60), density=0.1, rng=rng, format="csr")
            given[name] = matrix
    nacho.evaluate(expression, given)
    columns = given["A"].indices
    for where in (0, 40, -1):
        for wrong in (60, 2**31 - 1, -1):
            right, columns[where] = columns[where], wrong
            with pytest.raises(nacho.OperandError, match=r"operand 'A': indices"):
                nacho.evaluate(expression, given)
            columns[where] = right
    nacho.evaluate(expression, given)


def test_positions_edited_after_the_check():
    operand = matrix()
    nacho.evaluate("Z[i,j] = -A[i,j]", A=operand)
    operand.indptr[1] = 4
    with pytest.raises(nacho.OperandError, match=r"indptr\[2\] = 2, below"):
        nacho.evaluate("Z[i,j] = -A[i,j]", A=operand)


def test_full_validation_sees_every_edit():
    operand = matrix()
    for validate in VALIDATIONS:
        nacho.evaluate("Z[i,j] = -A[i,j]", A=operand, validate=validate)
    operand.indices[3] = 4
    with pytest.raises(nacho.OperandError, match=r"indices\[3\] = 4 is out of range"):
        nacho.evaluate("Z[i,j] = -A[i,j]", A=operand, validate="full")


def test_pattern_edited_between_plan_and_execute():
    """Other entries than were counted: an error, or as many as there was room for."""
    one, other = matrix(), matrix((0, 1, 2, 3), (3, 0, 0), (1.0, 2, 3))
    plan = nacho.mlir.compile(UNION).plan(one, other, parts=3, threads=2)
    other.indices[:] = one.indices[:3]
    with pytest.raises(nacho.OperandError, match="since the plan was made"):
        plan.execute()


@pytest.mark.parametrize("wrong", [2**31 - 1, -1, 1000])
@pytest.mark.parametrize("width", samples.INDICES)
@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("Z[i,j] = -A[i,j]", ("csr",)),
        ("Z[i,j] = -A[i,j]", ("dcsr",)),
        (UNION, ("csr", "csr")),
        (UNION, ("csr", "dcsr")),
        (UNION, ("dcsr", "csr")),
    ],
)
def test_no_coordinate_leaves_its_extent(text, formats, width, wrong):
    """Also the inner ones, which index nothing: they would end up in the result."""
    rng = np.random.default_rng(0)
    operands = {
        name: samples.sample(rng, (40, 40), "dense", format, index=(width, width))
        for name, format in zip("AB", formats, strict=False)
    }
    nacho.evaluate(text, **operands)
    operands["A"].crd[1][7] = wrong
    message = rf"operand 'A': crd\[1\]\[7\] = {wrong} is out of range \[0, 40\)"
    for parts in (1, 5):
        with pytest.raises(nacho.OperandError, match=message):
            nacho.evaluate(text, **operands, parts=parts, threads=2)


@pytest.mark.parametrize("wrong", [2**31 - 1, -1, 1000])
@pytest.mark.parametrize("width", samples.INDICES)
@pytest.mark.parametrize("other", ["csr", "dcsr"])
def test_an_intersection_stores_no_such_coordinate(other, width, wrong):
    """It looks for no match of what it skips, so it need not notice."""
    rng = np.random.default_rng(0)
    A = samples.sample(rng, (40, 40), "dense", "csr", index=(width, width))
    B = samples.sample(rng, (40, 40), "dense", other, index=(width, width))
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * B[i,j]", {"A": "csr", "B": other})
    kernel(A, B)
    A.crd[1][7] = wrong
    for parts in (1, 5):
        Z = kernel(A, B, parts=parts)
        rows, columns = Z.coords
        assert 0 <= columns.min() <= columns.max() < 40
        assert (np.diff(rows * 40 + columns) > 0).all()


def corrupt(rng, tensors):
    """Overwrite a few positions and coordinates."""
    arrays = [a for t in tensors for a in samples.buffers(t)[:-1] if a.size]
    for _ in range(rng.integers(1, 5)):
        array = arrays[rng.integers(len(arrays))]
        info = np.iinfo(array.dtype)
        place = rng.integers(array.size)
        more = min(int(array[place]), info.max - 1) + 1
        array[place] = rng.choice(
            (info.min, info.max, -1, 0, 1, array.size, 10**6, more)
        )


TEXTS = (
    "Z[i,j] = -A[i,j]",
    UNION,
    "Z[i,j] = A[i,j] * B[i,j]",
    "Z[i,j] = A[i,j] * B[i,j] + C[i,j]",
    "Z[i,j] = (A[i,j] + B[i,j]) * C[i,j]",
)


def fuzz(seed, validate, format, rounds):
    """Run on operands that are edited after they were checked; anything but a crash."""
    rng = np.random.default_rng(seed)
    for text in TEXTS:
        names = [name for name in "ABC" if f"{name}[" in text]
        mixed = [*rng.choice(samples.ROWS, len(names)), format]
        formats = dict(zip([*names, "Z"], mixed, strict=True))
        width = str(rng.choice(list(samples.INDICES)))
        kernel = nacho.mlir.compile(text, formats, index=width, validate=validate)
        for _ in range(rounds):
            tensors = [
                samples.sample(
                    rng, (20, 20), "sparse", formats[n], index=(width, width)
                )
                for n in names
            ]
            parts = int(rng.integers(1, 9))
            plan = kernel.plan(*tensors, parts=parts, threads=2)
            kernel(*tensors)
            corrupt(rng, tensors)
            attempt(plan.execute)
            attempt(kernel, *tensors, parts=parts, threads=2)
            attempt(plan.execute, *tensors)


def attempt(function, *operands, **options):
    """Take any answer, but no other error than those of this package."""
    with contextlib.suppress(nacho.NachoError):
        function(*operands, **options)


def fuzz_concurrently(seed, validate, format, rounds):
    """Run while another thread edits the operands."""
    import threading

    rng = np.random.default_rng(seed)
    text = TEXTS[3]
    formats = {"A": "csr", "B": "dcsr", "C": "dcsr", "Z": format}
    kernel = nacho.mlir.compile(text, formats, validate=validate)
    tensors = [samples.sample(rng, (200, 200), format=formats[name]) for name in "ABC"]
    arrays = [array for t in tensors for array in samples.buffers(t)[:-1]]
    good = [array.copy() for array in arrays]
    done = threading.Event()

    def edit():
        mine = np.random.default_rng(seed + 1)
        while not done.is_set():
            corrupt(mine, tensors)
            for array, kept in zip(arrays, good, strict=True):
                array[:] = kept

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        for _ in range(10 * rounds):
            attempt(kernel, *tensors, parts=5, threads=2)
    finally:
        done.set()
        editor.join()


def locate_outside(width, out):
    """Have a dense level located at a coordinate that another operand invented."""
    formats = {"A": "csr", "B": "dcsr", "C": "dcsr", "Z": out}
    kernel = nacho.mlir.compile(TEXTS[3], formats, index=width)
    for wrong in (7, -1, *ends(width)):
        rng = np.random.default_rng(0)
        tensors = [
            samples.sample(rng, (7, 6), "dense", formats[name], index=(width, width))
            for name in "ABC"
        ]
        plan = kernel.plan(*tensors, parts=3, threads=2)
        kernel(*tensors)
        tensors[2].crd[0][3] = wrong
        attempt(kernel, *tensors)
        attempt(plan.execute)


def fill_from_outside(width, out):
    """Have rows of the result be filled from a coordinate that is out of range."""
    kernel = nacho.mlir.compile(TEXTS[0], {"A": "dcsr", "Z": out}, index=width)
    for wrong in (50, -1, -100_000_000, *ends(width)):
        rng = np.random.default_rng(0)
        tensor = samples.sample(rng, (50, 6), "dense", "dcsr", index=(width, width))
        plan = kernel.plan(tensor)
        tensor.crd[0][3] = wrong
        attempt(plan.execute)


def ends(width):
    info = np.iinfo(samples.INDICES[width])
    return info.min, info.max


def run_apart(function, *arguments, module=__name__):
    """Call a function of a test file in a process that may crash or hang."""
    code = f"import {module} as tests; tests.{function}(*{arguments!r})"
    paths = [str(Path(__file__).parent), str(Path(nacho.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.each_value
@pytest.mark.parametrize("format", samples.ROWS)
@pytest.mark.parametrize("validate", VALIDATIONS)
def test_edits_do_not_crash(validate, format):
    run_apart("fuzz", 1, validate, format, ROUNDS)


@pytest.mark.each_value
@pytest.mark.parametrize("out", samples.ROWS)
@pytest.mark.parametrize("width", samples.INDICES)
@pytest.mark.parametrize("function", ["locate_outside", "fill_from_outside"])
def test_rows_edited_to_anything(function, width, out):
    run_apart(function, width, out)


@pytest.mark.each_value
@pytest.mark.parametrize("format", samples.ROWS)
@pytest.mark.parametrize("validate", VALIDATIONS)
def test_concurrent_edits_do_not_crash(validate, format):
    run_apart("fuzz_concurrently", 2, validate, format, ROUNDS)


def test_coordinates_are_trusted_on_request():
    """Unsorted coordinates that nobody looks at do not crash either: there may be
    other entries than were counted."""
    operand = matrix(indices=(2, 0, 3, 1))
    with pytest.raises(nacho.OperandError, match="not in order"):
        nacho.evaluate(UNION, A=operand, B=matrix(), validate="none")
    result = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=operand, validate="none")
    assert result.shape == (3, 4)
