"""``linalg.generic`` as an operand of ``compile``: what its body may say.

Each kernel is compared with NumPy on dense arrays, and its result must not depend on
parts and threads.
"""

import operator
import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

ENCODINGS = {
    "SV": "map = (d0) -> (d0 : compressed)",
    "CSR": "map = (d0, d1) -> (d0 : dense, d1 : compressed)",
    "DCSR": "map = (d0, d1) -> (d0 : compressed, d1 : compressed)",
}

FORMATS = {"SV": "sparse-vector", "CSR": "csr", "DCSR": "dcsr"}


def tensor(element, rank, encoding=None):
    extents = "?x" * rank
    return f"tensor<{extents}{element}{f', #{encoding}' if encoding else ''}>"


def element_of(type):
    """Return the type of the elements of a tensor; a number is its own type."""
    if not type.startswith("tensor"):
        return type
    return re.fullmatch(r"tensor<(?:\?x)*([\w<>]+?)(?:, #\w+)?>", type)[1]


def generic(operands, out, body, maps, iterators, before="", given=None):
    """Return a function with one ``linalg.generic``.

    ``operands`` are the types of the inputs, a0, a1, ...; ``given`` those of the
    arguments, if these are others. The output is the argument x unless ``before``
    makes it.
    """
    indices = {1: "(i)", 2: "(i, j)", 3: "(i, j, k)"}[len(iterators)]
    names = [f"%a{n}" for n in range(len(operands))]
    makes_output = "%x =" in before
    arguments = dict(zip(names, operands, strict=True)) if given is None else given
    if not makes_output:
        arguments = {**arguments, "%x": out}
    inputs = f"ins({', '.join(names)} : {', '.join(operands)})" if operands else ""
    elements = [
        f"%{n[1:]}_: {element_of(t)}" for n, t in zip(names, operands, strict=True)
    ]
    kinds = {"p": '"parallel"', "r": '"reduction"'}
    signature = ", ".join(f"{name}: {type}" for name, type in arguments.items())
    accesses = ", ".join(f"affine_map<{indices} -> ({m})>" for m in maps)
    encodings = "".join(
        f"#{name} = #sparse_tensor.encoding<{{ {text} }}>\n"
        for name, text in ENCODINGS.items()
    )
    return f"""{encodings}
    func.func @kernel({signature}) -> {out} {{
      {before}
      %r = linalg.generic {{
          indexing_maps = [{accesses}],
          iterator_types = [{", ".join(kinds[kind] for kind in iterators)}]}}
          {inputs} outs(%x : {out}) {{
        ^bb0({", ".join([*elements, f"%x_: {element_of(out)}"])}):
          {body}
      }} -> {out}
      return %r : {out}
    }}"""


def as_array(result):
    if isinstance(result, nacho.Tensor):
        return result.to_dense()
    return result.toarray() if sp.issparse(result) else np.asarray(result)


def run(text, *operands):
    """Compute a kernel, also in several parts, for which threads make no difference.

    Parts may only change in which order floats are added up.
    """
    found = as_array(nacho.mlir.compile(text)(*operands))
    for parts in (3, 7):
        first, second = (
            as_array(nacho.mlir.compile(text, parts=parts, threads=threads)(*operands))
            for threads in (1, 2)
        )
        np.testing.assert_array_equal(second, first, strict=True)
        np.testing.assert_allclose(first, found, rtol=1e-14, atol=1e-14, strict=True)
    return found


def sparse(dense, encoding):
    dense = np.asarray(dense)
    coords = np.array(np.nonzero(dense))
    made = nacho.Tensor.from_coo(coords, dense[tuple(coords)], shape=dense.shape)
    return made.convert(FORMATS[encoding])


def matrix(seed, shape=(7, 9), density=0.4, dtype="f8"):
    rng = np.random.default_rng(seed)
    values = rng.integers(-9, 10, shape) if dtype[0] == "i" else rng.normal(size=shape)
    return np.where(rng.random(shape) < density, values, 0).astype(dtype)


# --- Numbers from outside -------------------------------------------------------------

SCALE = "%0 = arith.mulf %a0_, {} : f64\nlinalg.yield %0 : f64"
SCALED = {
    "an operand that is a number": (["f64"], SCALE.format("%a1_"), "", None),
    "a tensor of rank 0": (["tensor<f64>"], SCALE.format("%a1_"), "", None),
    "a constant": ([], SCALE.format("%s"), "%s = arith.constant 2.5 : f64", None),
    "a constant in the body": (
        [],
        "%s = arith.constant 2.5 : f64\n" + SCALE.format("%s"),
        "",
        None,
    ),
    "an argument": ([], SCALE.format("%s"), "", {"%s": "f64"}),
    "an element": (
        [],
        SCALE.format("%s"),
        "%s = tensor.extract %t[] : tensor<f64>",
        {"%t": "tensor<f64>"},
    ),
}


@pytest.mark.parametrize("case", SCALED)
@pytest.mark.parametrize("encoding", ["CSR", "DCSR"])
def test_numbers_from_outside(case, encoding):
    numbers, body, before, given = SCALED[case]
    type = tensor("f64", 2, encoding)
    maps = ["i, j", *[""] * len(numbers), "i, j"]
    arguments = given and {"%a0": type, **given}
    before += f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %d0 = tensor.dim %a0, %c0 : {type}
      %d1 = tensor.dim %a0, %c1 : {type}
      %x = tensor.empty(%d0, %d1) : {type}"""
    text = generic([type, *numbers], type, body, maps, "pp", before, arguments)
    A = matrix(1)
    operands = [sparse(A, encoding)]
    if numbers or given:
        operands.append(2.5)
    np.testing.assert_array_equal(run(text, *operands), A * 2.5)


def test_a_number_that_is_yielded():
    text = generic(
        [tensor("f64", 1, "SV")],
        tensor("f64", 1),
        "linalg.yield %s : f64",
        ["i", "i"],
        "p",
        "%s = arith.constant 3.0 : f64",
    )
    x = np.arange(5.0)
    np.testing.assert_array_equal(run(text, sparse(x, "SV"), x), np.full(5, 3.0))


@pytest.mark.parametrize("number", [0.0, 2.5])
@pytest.mark.parametrize("encoding", ["CSR", "DCSR"])
def test_a_number_is_stored_everywhere(encoding, number):
    text = generic(
        [],
        tensor("f64", 2, encoding),
        "linalg.yield %s : f64",
        ["i, j"],
        "pp",
        f"%s = arith.constant {number} : f64",
    )
    X = sparse(matrix(2), encoding)
    np.testing.assert_array_equal(run(text, X), np.full((7, 9), number))
    assert nacho.mlir.compile(text)(X).nnz == (7 * 9 if number else 0)


@pytest.mark.parametrize("given", [None, "CSR"])
def test_a_number_is_added_everywhere(given):
    body = """
      %0 = arith.addf %a0_, %a1_ : f64
      linalg.yield %0 : f64"""
    types, out = [tensor("f64", 2, given), "f64"], tensor("f64", 2, "CSR")
    text = generic(types, out, body, ["i, j", "", "i, j"], "pp")
    A = matrix(3)
    operands = (A if given is None else sparse(A, given)), 2.5, sparse(A, "CSR")
    np.testing.assert_array_equal(run(text, *operands), A + 2.5)
    assert nacho.mlir.compile(text)(*operands).nnz == A.size


# --- Outputs --------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["CSR", "DCSR", None])
def test_in_place(encoding):
    body = "%0 = math.tanh %x_ : f64\nlinalg.yield %0 : f64"
    text = generic([], tensor("f64", 2, encoding), body, ["i, j"], "pp")
    X = matrix(2)
    operand = X if encoding is None else sparse(X, encoding)
    np.testing.assert_allclose(run(text, operand), np.tanh(X))


@pytest.mark.parametrize("encoding", ["CSR", None])
@pytest.mark.parametrize("op", ["addf", "subf", "mulf"])
def test_output_that_is_an_operand(encoding, op):
    type = tensor("f64", 2, "CSR")
    out = tensor("f64", 2, encoding)
    body = f"%0 = arith.{op} %x_, %a0_ : f64\nlinalg.yield %0 : f64"
    text = generic([type], out, body, ["i, j", "i, j"], "pp")
    A, X = matrix(3), matrix(4)
    operand = X if encoding is None else sparse(X, encoding)
    compute = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply}[op]
    np.testing.assert_array_equal(run(text, sparse(A, "CSR"), operand), compute(X, A))


FILL = """
  %s = arith.constant {} : f64
  %x = linalg.fill ins(%s : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>"""
STARTS = {
    FILL.format(1.5): 1.5,
    FILL.format(0.0): 0,
    "%x = bufferization.alloc_tensor(%d0) : tensor<?xf64>": 0,
    "%x = bufferization.alloc_tensor() copy(%e) : tensor<?xf64>": 0,
}


@pytest.mark.parametrize("start", STARTS)
def test_output_that_is_made(start):
    type = tensor("f64", 2, "CSR")
    before = f"""
      %c0 = arith.constant 0 : index
      %d0 = tensor.dim %a0, %c0 : {type}
      %e = tensor.empty(%d0) : tensor<?xf64>
      {start}"""
    body = """
      %0 = arith.mulf %a0_, %a1_ : f64
      %1 = arith.addf %x_, %0 : f64
      linalg.yield %1 : f64"""
    maps = ["i, j", "j", "i"]
    text = generic([type, tensor("f64", 1)], tensor("f64", 1), body, maps, "pr", before)
    A, x = matrix(5), np.arange(9.0)
    expected = A @ x + STARTS[start]
    np.testing.assert_allclose(run(text, sparse(A, "CSR"), x), expected)


def test_scatter_into_an_argument():
    body = """
      %0 = arith.mulf %a0_, %a1_ : f64
      %1 = arith.addf %0, %x_ : f64
      linalg.yield %1 : f64"""
    vector, type = tensor("f64", 1), tensor("f64", 2, "CSR")
    text = generic([type, vector], vector, body, ["i, j", "i", "j"], "rp")
    A, x, y = matrix(6), np.arange(7.0), np.arange(9.0)
    np.testing.assert_allclose(run(text, sparse(A, "CSR"), x, y), y + x @ A)


def test_scatter_into_a_sparse_argument():
    body = """
      %0 = arith.mulf %a0_, %a1_ : f64
      %1 = arith.addf %x_, %0 : f64
      linalg.yield %1 : f64"""
    type = tensor("f64", 2, "CSR")
    maps = ["k, i", "k, j", "i, j"]
    text = generic([type, type], type, body, maps, "ppr")
    A, B, X = matrix(20, (8, 5)), matrix(21, (8, 6)), matrix(22, (5, 6))
    found = run(text, *(sparse(each, "CSR") for each in (A, B, X)))
    np.testing.assert_allclose(found, X + A.T @ B, atol=1e-14)


def test_a_chain_of_terms():
    body = """
      %0 = arith.subf %x_, %a0_ : f64
      %1 = arith.addf %a1_, %0 : f64
      linalg.yield %1 : f64"""
    type = tensor("f64", 2, "CSR")
    text = generic([type, type], tensor("f64", 1), body, ["i, j", "i, j", "i"], "pr")
    A, B, x = matrix(7), matrix(8), np.arange(7.0)
    expected = x + (B - A).sum(1)
    np.testing.assert_allclose(
        run(text, sparse(A, "CSR"), sparse(B, "CSR"), x), expected
    )


def test_broadcast_over_the_output():
    body = "linalg.yield %a0_ : f64"
    text = generic([tensor("f64", 1)], tensor("f64", 2), body, ["j", "i, j"], "pp")
    x = np.arange(4.0)
    found = run(text, x, np.zeros((3, 4)))
    np.testing.assert_array_equal(found, np.broadcast_to(x, (3, 4)))


# --- Reductions -----------------------------------------------------------------------

UNSIGNED = {"minui": np.minimum, "maxui": np.maximum}
REDUCTIONS = {
    "addf": np.add,
    "mulf": np.multiply,
    "minimumf": np.minimum,
    "maximumf": np.maximum,
    "minnumf": np.fmin,
    "maxnumf": np.fmax,
    "addi": np.add,
    "muli": np.multiply,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    **UNSIGNED,
}


@pytest.mark.each_value
@pytest.mark.parametrize("encoding", ["CSR", None])
@pytest.mark.parametrize("op", REDUCTIONS)
def test_reductions(op, encoding):
    dtype, element = ("f8", "f64") if op.endswith("f") else ("i4", "i32")
    body = f"%0 = arith.{op} %x_, %a0_ : {element}\nlinalg.yield %0 : {element}"
    type, out = tensor(element, 2, encoding), tensor(element, 1)
    text = generic([type], out, body, ["i, j", "i"], "pr")
    A = matrix(9, density=0.6, dtype=dtype)
    A[0] = np.arange(1, 10)
    x = np.arange(-3, 4).astype(dtype)
    if op in ("minnumf", "maxnumf"):
        A[1, 2], x[3] = np.nan, np.nan
    view = "u4" if op in UNSIGNED else dtype
    expected = x.view(view).copy()
    for column in A.view(view).T:
        expected = REDUCTIONS[op](expected, column)
    found = run(text, A if encoding is None else sparse(A, encoding), x)
    np.testing.assert_allclose(found.view(view), expected)


BOOLEANS = {
    "addi": np.logical_xor,
    "muli": np.logical_and,
    "andi": np.logical_and,
    "ori": np.logical_or,
    "xori": np.logical_xor,
}


@pytest.mark.parametrize("encoding", ["CSR", None])
@pytest.mark.parametrize("op", BOOLEANS)
def test_reductions_of_booleans(op, encoding):
    body = f"%0 = arith.{op} %x_, %a0_ : i1\nlinalg.yield %0 : i1"
    text = generic(
        [tensor("i1", 2, encoding)], tensor("i1", 1), body, ["i, j", "i"], "pr"
    )
    A = matrix(10, density=0.6) != 0
    A[0] = True
    x = np.arange(7) % 2 == 0
    expected = x
    for column in A.T:
        expected = BOOLEANS[op](expected, column)
    found = run(text, A if encoding is None else sparse(A, encoding), x)
    np.testing.assert_array_equal(found, expected)


# --- Casts ----------------------------------------------------------------------------

WHOLE = np.array([-4, -3, 0, 0, 1, 2, 305])
FRACTIONS = np.array([-4.4, -3.3, 0, -1.1, 1.1, 2.2, 305.5])
CASTS = {
    ("sitofp", "i32", "f32"): (WHOLE, lambda x: x.astype("f4")),
    ("uitofp", "i32", "f32"): (WHOLE, lambda x: x.view("u4").astype("f4")),
    ("fptosi", "f32", "i32"): (FRACTIONS, lambda x: x.astype("i4")),
    ("fptoui", "f64", "i32"): (
        np.array([4294967295.0, 0, 0, 1.1, 305.5]),
        lambda x: x.astype("u4").view("i4"),
    ),
    ("fptoui", "f64", "i64"): (
        np.array([1.5e19, 0, 1.1, 305.5]),
        lambda x: x.astype("u8").view("i8"),
    ),
    ("extf", "f32", "f64"): (FRACTIONS, lambda x: x.astype("f8")),
    ("truncf", "f64", "f32"): (FRACTIONS, lambda x: x.astype("f4")),
    ("extsi", "i32", "i64"): (WHOLE, lambda x: x.astype("i8")),
    ("extui", "i32", "i64"): (WHOLE, lambda x: x.view("u4").astype("i8")),
    ("extui", "i8", "i32"): (WHOLE, lambda x: x.view("u1").astype("i4")),
    ("trunci", "i32", "i8"): (WHOLE, lambda x: x.astype("i1")),
    ("trunci", "i32", "i1"): (WHOLE, lambda x: x & 1 != 0),
    ("bitcast", "f32", "i32"): (FRACTIONS, lambda x: x.view("i4")),
    ("bitcast", "i64", "f64"): (WHOLE, lambda x: x.view("f8")),
    ("extui", "i1", "i8"): (WHOLE != 0, lambda x: x.astype("i1")),
    ("extsi", "i1", "i8"): (WHOLE != 0, lambda x: -x.astype("i1")),
    ("sitofp", "i1", "f64"): (WHOLE != 0, lambda x: -x.astype("i1").astype("f8")),
}
DTYPES = {"f32": "f4", "f64": "f8", "i1": "?", "i8": "i1", "i32": "i4", "i64": "i8"}


@pytest.mark.sampled
@pytest.mark.parametrize("out", ["SV", None])
@pytest.mark.parametrize("cast", CASTS, ids="-".join)
def test_casts(cast, out):
    op, before, after = cast
    values, compute = CASTS[cast]
    values = values.astype(DTYPES[before])
    body = f"%0 = arith.{op} %a0_ : {before} to {after}\nlinalg.yield %0 : {after}"
    text = generic(
        [tensor(before, 1, "SV")], tensor(after, 1, out), body, ["i", "i"], "p"
    )
    x = np.zeros(len(values), DTYPES[after])
    found = run(text, sparse(values, "SV"), x if out is None else sparse(x, out))
    np.testing.assert_array_equal(found, compute(values), strict=True)


# --- Comparisons ----------------------------------------------------------------------


def ordered(x, y):
    return ~(np.isnan(x) | np.isnan(y))


COMPARED = {
    "eq": operator.eq,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "ne": operator.ne,
}
FLOATS = {
    **{f"o{p}": lambda x, y, f=f: ordered(x, y) & f(x, y) for p, f in COMPARED.items()},
    **{
        f"u{p}": lambda x, y, f=f: ~ordered(x, y) | f(x, y) for p, f in COMPARED.items()
    },
    "ord": ordered,
    "uno": lambda x, y: ~ordered(x, y),
    "false": lambda x, y: np.zeros(x.shape, bool),
    "true": lambda x, y: np.ones(x.shape, bool),
}


def compared(op, element, predicate, A, B):
    body = f"""
      %0 = arith.{op} {predicate}, %a0_, %a1_ : {element}
      %1 = arith.extui %0 : i1 to i8
      linalg.yield %1 : i8"""
    type, maps = tensor(element, 2, "DCSR"), ["i, j"] * 3
    text = generic([type, type], tensor("i8", 2), body, maps, "pp")
    return run(text, sparse(A, "DCSR"), sparse(B, "DCSR"), np.zeros(A.shape, "i1"))


@pytest.mark.sampled
@pytest.mark.parametrize("predicate", FLOATS)
def test_comparisons_of_floats(predicate):
    A, B = matrix(11), matrix(12)
    A[1] = B[1]
    A[2, 3] = B[3, 4] = A[4, 5] = B[4, 5] = np.nan
    expected = FLOATS[predicate](A, B).astype("i1")
    np.testing.assert_array_equal(compared("cmpf", "f64", predicate, A, B), expected)


@pytest.mark.parametrize(
    "predicate", ["eq", "ne", *(s + p for s in "su" for p in ("lt", "le", "gt", "ge"))]
)
def test_comparisons_of_integers(predicate):
    A, B = matrix(13, dtype="i4"), matrix(14, dtype="i4")
    A[1] = B[1]
    view = "u4" if predicate[0] == "u" else "i4"
    compute = COMPARED[predicate[-2:]]
    expected = compute(A.view(view), B.view(view)).astype("i1")
    np.testing.assert_array_equal(compared("cmpi", "i32", predicate, A, B), expected)


# --- Integers -------------------------------------------------------------------------


def divided(x, y):
    return np.where(y == 0, 0, np.trunc(x / np.where(y == 0, 1, y))).astype(x.dtype)


INTEGERS = {
    "shli": lambda x, y: x << y,
    "shrsi": lambda x, y: x >> y,
    "shrui": lambda x, y: (x.view("u4") >> y.view("u4")).view("i4"),
    "divsi": divided,
    "divui": lambda x, y: divided(x.view("u4"), y.view("u4")).view("i4"),
    "remsi": lambda x, y: np.where(y == 0, 0, x - divided(x, y) * y),
    "remui": lambda x, y: np.where(
        y == 0, 0, x.view("u4") % np.where(y == 0, 1, y).view("u4")
    ).astype("i4"),
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "minui": lambda x, y: np.minimum(x.view("u4"), y.view("u4")).view("i4"),
    "maxsi": np.maximum,
}


@pytest.mark.sampled
@pytest.mark.parametrize("is_constant", [True, False])
@pytest.mark.parametrize("op", INTEGERS)
def test_integers(op, is_constant):
    vector = tensor("i32", 1)
    other = "%c" if is_constant else "%a1_"
    body = f"""
      %c = arith.constant 3 : i32
      %0 = arith.{op} %a0_, {other} : i32
      linalg.yield %0 : i32"""
    operands = [tensor("i32", 1, "SV"), *([] if is_constant else [vector])]
    text = generic(operands, vector, body, ["i"] * (len(operands) + 1), "p")
    x = np.array([0, -(2**31), 7, -7, 100, 0, 5, -1], "i4")
    y = np.array([4, 3, 2, 5, 0, 0, 7, 1], "i4")
    arrays = [sparse(x, "SV"), *([] if is_constant else [y])]
    found = run(text, *arrays, np.zeros(8, "i4"))
    expected = INTEGERS[op](x, np.full(8, 3, "i4") if is_constant else y)
    np.testing.assert_array_equal(found, expected)


def test_shifts_by_the_width_and_the_least_quotient():
    body = """
      %0 = arith.{} %a0_, %a1_ : i32
      linalg.yield %0 : i32"""
    vector = tensor("i32", 1)
    x, y = np.array([-8, 8, -(2**31)], "i4"), np.array([32, 40, -1], "i4")
    for op, expected in {
        "shli": [0, 0, 0],
        "shrsi": [-1, 0, -1],
        "shrui": [0, 0, 0],
        "divsi": [0, 0, -(2**31)],
        "remsi": [-8, 8, 0],
    }.items():
        text = generic([vector] * 2, vector, body.format(op), ["i"] * 3, "p")
        np.testing.assert_array_equal(run(text, x, y, np.zeros(3, "i4")), expected)


@pytest.mark.parametrize("zero_points", [(2, 0), (0, 3)])
def test_quantised_product(zero_points):
    first, second = zero_points
    text = f"""
    #DCSR = #sparse_tensor.encoding<{{ {ENCODINGS["DCSR"]} }}>
    func.func @kernel(%a: tensor<?x?xi8>, %b: tensor<?x?xi8, #DCSR>,
                      %x: tensor<?x?xi32>) -> tensor<?x?xi32> {{
      %s = arith.constant {first} : i32
      %t = arith.constant {second} : i32
      %0 = linalg.quantized_matmul
          ins(%a, %b, %s, %t : tensor<?x?xi8>, tensor<?x?xi8, #DCSR>, i32, i32)
          outs(%x : tensor<?x?xi32>) -> tensor<?x?xi32>
      return %0 : tensor<?x?xi32>
    }}"""
    A = np.random.default_rng(15).integers(-128, 128, (5, 7)).astype("i1")
    B = matrix(16, dtype="i1")
    X = np.arange(45, dtype="i4").reshape(5, 9)
    expected = X + (A.astype("i4") - first) @ (B.astype("i4") - second)
    np.testing.assert_array_equal(run(text, A, sparse(B, "DCSR"), X), expected)


# --- Functions ------------------------------------------------------------------------


def test_sign():
    body = """
      %z = arith.constant 0.0 : f64
      %1 = arith.cmpf one, %a0_, %z : f64
      %2 = arith.uitofp %1 : i1 to f64
      %3 = math.copysign %2, %a0_ : f64
      %4 = arith.cmpf uno, %a0_, %a0_ : f64
      %5 = arith.select %4, %a0_, %3 : f64
      linalg.yield %5 : f64"""
    vector = tensor("f64", 1, "SV")
    text = generic([vector], vector, body, ["i", "i"], "p")
    x = np.array([-1.5, 0, 1.5, np.nan, np.inf, -np.inf, 0])
    found = run(text, sparse(x, "SV"), sparse(np.zeros(7), "SV"))
    np.testing.assert_array_equal(found, np.sign(x))


def log1p(z):
    """Return log(1 + z); NumPy's loses the digits of small numbers."""
    x, y = z.real.astype(np.longdouble), z.imag.astype(np.longdouble)
    real = np.log1p(x * (2 + x) + y * y) / 2
    return (real + 1j * np.arctan2(y, 1 + x)).astype(z.dtype)


def test_relu():
    body = """
      %z = arith.constant 0.0 : f64
      %0 = arith.cmpf ugt, %a0_, %z : f64
      %1 = arith.select %0, %a0_, %z : f64
      linalg.yield %1 : f64"""
    type = tensor("f64", 2, "DCSR")
    A = matrix(19)
    text = generic([type], type, body, ["i, j"] * 2, "pp")
    found = run(text, sparse(A, "DCSR"), sparse(np.zeros(A.shape), "DCSR"))
    np.testing.assert_array_equal(found, np.maximum(A, 0))


COMPLEX = {
    "neg": np.negative,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "log1p": log1p,
    "expm1": np.expm1,
    "re": np.real,
    "im": np.imag,
    "abs": np.abs,
}


@pytest.mark.parametrize("element", ["complex<f64>", "complex<f32>"])
@pytest.mark.parametrize("op", COMPLEX)
def test_functions_of_complex_numbers(op, element):
    part = element[8:-1]
    after = part if op in ("re", "im", "abs") else element
    body = f"%0 = complex.{op} %a0_ : {element}\nlinalg.yield %0 : {after}"
    text = generic(
        [tensor(element, 1, "SV")], tensor(after, 1, "SV"), body, ["i"] * 2, "p"
    )
    dtype = {"f32": "c8", "f64": "c16"}[part]
    x = np.array([-5.13 + 2j, 0, 3 + 4j, 0, 5 - 6j, 1e-9 + 2e-9j, -2 + 1e-3j], dtype)
    expected = COMPLEX[op](x)
    out = sparse(np.zeros(7, expected.dtype), "SV")
    found = run(text, sparse(x, "SV"), out)
    np.testing.assert_allclose(found, expected, rtol=1e-12 if part == "f64" else 2e-6)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
def test_operators_on_complex_numbers(op):
    element = "complex<f64>"
    body = f"%0 = complex.{op} %a0_, %c : {element}\nlinalg.yield %0 : {element}"
    before = f"%c = complex.constant [2.0, 0.5] : {element}"
    text = generic(
        [tensor(element, 1)], tensor(element, 1), body, ["i"] * 2, "p", before
    )
    x = np.array([-5.13 + 2j, 0, 3 + 4j])
    compute = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
    np.testing.assert_allclose(run(text, x, x), compute[op](x, 2 + 0.5j))


def test_sum_of_complex_numbers():
    element = "complex<f64>"
    body = f"%0 = complex.add %x_, %a0_ : {element}\nlinalg.yield %0 : {element}"
    text = generic([tensor(element, 1, "SV")], tensor(element, 0), body, ["i", ""], "r")
    x = np.array([-5.13 + 2j, 0, 3 + 4j])
    np.testing.assert_allclose(run(text, sparse(x, "SV"), 1 + 1j), x.sum() + 1 + 1j)


# --- Coordinates ----------------------------------------------------------------------

INDEX = """
  %i = linalg.index 0 : index
  %ii = arith.index_cast %i : index to i64
  %j = linalg.index 1 : index
  %jj = arith.index_cast %j : index to i64
  %0 = arith.{op} %ii, %a0_ : i64
  %1 = arith.{op} %jj, %0 : i64
  linalg.yield %1 : i64"""


@pytest.mark.parametrize("out", ["DCSR", "CSR", None])
@pytest.mark.parametrize("op", ["muli", "addi"])
def test_coordinates(op, out):
    types = tensor("i64", 2, "DCSR"), tensor("i64", 2, out)
    text = generic([types[0]], types[1], INDEX.format(op=op), ["i, j"] * 2, "pp")
    A = matrix(17, dtype="i8")
    i, j = np.indices(A.shape)
    X = np.zeros(A.shape, "i8")
    found = run(text, sparse(A, "DCSR"), X if out is None else sparse(X, out))
    np.testing.assert_array_equal(found, i * j * A if op == "muli" else i + j + A)


def test_coordinates_under_a_sum():
    body = """
      %j = linalg.index 1 : index
      %0 = arith.index_cast %j : index to i32
      %1 = arith.sitofp %0 : i32 to f64
      %2 = arith.mulf %a0_, %1 : f64
      %3 = arith.addf %x_, %2 : f64
      linalg.yield %3 : f64"""
    type, out = tensor("f64", 2, "CSR"), tensor("f64", 1)
    text = generic([type], out, body, ["i, j", "i"], "pr")
    A, x = matrix(18), np.arange(7.0)
    np.testing.assert_allclose(run(text, sparse(A, "CSR"), x), x + A @ np.arange(9.0))


def test_coordinates_alone():
    body = """
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %0 = arith.muli %i, %j : index
      %1 = arith.index_cast %0 : index to i64
      linalg.yield %1 : i64"""
    text = generic([], tensor("i64", 2), body, ["i, j"], "pp")
    i, j = np.indices((4, 5))
    np.testing.assert_array_equal(run(text, np.zeros((4, 5), "i8")), i * j)
