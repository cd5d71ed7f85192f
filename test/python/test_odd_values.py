"""Odd values for options, expressions and arrays: what is raised is Nacho's own."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

ADD = "Z[i,j] = A[i,j] + B[i,j]"
PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"
A, B = (sp.random_array((6, 6), density=0.5, format="csr", rng=n) for n in (1, 2))
T = nacho.Tensor.from_coo([[0, 1], [1, 2]], [1.0, 2.0], shape=(3, 4), format="csr")
KERNEL = nacho.mlir.compile(ADD)
PLAN = KERNEL.plan(A, B)
ROW, COLUMN = nacho.indices("i j")


class Unprintable:
    def __repr__(self):
        raise RuntimeError("this must not be seen")


ODD = {
    "nothing": None,
    "zero": 0,
    "minus one": -1,
    "half": 0.5,
    "nan": float("nan"),
    "infinity": float("inf"),
    "2^63": 2**63,
    "2^70": 2**70,
    "-2^70": -(2**70),
    "no text": "",
    "text": "nonsense",
    "nul": "\0",
    "letter": "é",
    "bytes": b"i",
    "tuple": (),
    "pair": ("i", 5),
    "list": [None],
    "mapping": {"Q": 1},
    "numbered": {1: 2},
    "unnamed": {None: "csr"},
    "nested": {"A": {}},
    "number for A": {"A": 5},
    "unknown choice": {"no-such-choice": True},
    "choice of 1": {"drafts": 1},
    "wide choice": {"vector-bits": 2**70},
    "int64": np.int64(-3),
    "float64": np.float64(2.0),
    "bool": np.bool_(True),
    "array": np.array([1, 2]),
    "array of text": np.array(["i"]),
    "truth": True,
    "complex": 1 + 2j,
    "object": object(),
    "function": len,
    "type": dict,
    "matrix": A,
    "set": {"i", "j"},
    "range": range(3),
    "ellipsis": ...,
    "unprintable": Unprintable(),
}

COMPILE = (
    "formats",
    "dtype",
    "index",
    "target",
    "threads",
    "parts",
    "cost",
    "order",
    "validate",
    "remap",
    "choices",
    "contract",
    "memory_limit",
)
EVALUATE = ("out", *COMPILE[3:])


def calls():
    """Yield what takes a value, by name; in brackets, the option that messages name."""
    for option in COMPILE:
        yield (
            f"compile [{option}]",
            lambda v, o=option: nacho.mlir.compile(ADD, **{o: v}),
        )
    for option in EVALUATE:
        name = "format" if option == "out" else option
        yield (
            f"evaluate [{name}]",
            lambda v, o=option: nacho.evaluate(PRODUCT, A=A, B=B, **{o: v}),
        )
        yield (
            f"einsum [{name}]",
            lambda v, o=option: nacho.einsum("ij,jk->ik", A, B, **{o: v}),
        )
    yield "compile", nacho.mlir.compile
    yield "evaluate", lambda v: nacho.evaluate(v, A=A, B=B)
    yield "einsum", lambda v: nacho.einsum(v, A, B)
    yield "operand [A]", lambda v: nacho.evaluate(ADD, A=v, B=B)
    yield "operands", lambda v: nacho.evaluate(ADD, v)
    yield "scalar [s]", lambda v: nacho.evaluate("Z[i,j] = s * A[i,j]", A=A, s=v)
    yield "einsum of", lambda v: nacho.einsum("ij,jk->ik", A, v)
    yield "partition [parts]", lambda v: nacho.partition(ADD, v, A=A, B=B)
    yield "partition [cost]", lambda v: nacho.partition(ADD, 2, cost=v, A=A, B=B)
    yield "partition [order]", lambda v: nacho.partition(ADD, 2, order=v, A=A, B=B)
    yield "Format", nacho.Format
    yield "from_coo coords", lambda v: from_coo(coords=v)
    yield "from_coo values", lambda v: from_coo(values=v)
    yield "from_coo [shape]", lambda v: from_coo(shape=v)
    yield "from_coo [format]", lambda v: from_coo(format=v)
    yield "from_parts [format]", lambda v: from_parts(v)
    yield "from_parts [shape]", lambda v: from_parts(shape=v)
    yield "from_parts [pos]", lambda v: from_parts(pos=v)
    yield "from_parts [crd]", lambda v: from_parts(crd=v)
    yield "from_parts values", lambda v: from_parts(values=v)
    yield "convert [format]", T.convert
    yield "kernel", lambda v: KERNEL(v, B)
    yield "kernel [threads]", lambda v: KERNEL(A, B, threads=v)
    yield "kernel [parts]", lambda v: KERNEL(A, B, parts=v)
    yield "kernel [memory_limit]", lambda v: KERNEL(A, B, memory_limit=v)
    yield "kernel.mlir [stage]", KERNEL.mlir
    yield "kernel.mlir [choices]", lambda v: KERNEL.mlir("loops", choices=v)
    yield "kernel.llvm [choices]", lambda v: KERNEL.llvm(choices=v)
    yield "kernel.plan", lambda v: KERNEL.plan(v, B)
    yield "plan.execute", lambda v: PLAN.execute(v, B)
    yield "plan.part_times [repeats]", PLAN.part_times
    yield "indices", nacho.indices
    yield "access", lambda v: nacho.access(v, ROW, COLUMN)
    yield "access of", lambda v: nacho.access(A, v, COLUMN)
    yield "result", lambda v: nacho.evaluate(nacho.access(A, ROW, COLUMN) * 2, v)
    yield "function", nacho.sqrt


def from_coo(coords=((0, 1), (1, 2)), values=(1.0, 2.0), shape=(3, 4), format="csr"):
    return nacho.Tensor.from_coo(coords, values, shape=shape, format=format)


def from_parts(format="csr", shape=(3, 4), **arrays):
    given = {"pos": T.pos, "crd": T.crd, "values": T.values} | arrays
    return nacho.Tensor.from_parts(format, shape, *given.values())


CALLS = dict(calls())


@pytest.mark.parametrize("name", CALLS)
def test_odd_values(name):
    """A value is taken, or refused by an error that names the option."""
    call = CALLS[name]
    option = name.partition("[")[2].rstrip("]")
    refused = 0
    for value in ODD.values():
        try:
            call(value)
        except nacho.NachoError as error:
            refused += 1
            text = str(error)
            assert "this must not be seen" not in text
            assert "incompatible function arguments" not in text
            assert any(word in text for word in (option, "Z", "A", "rank", "range")), (
                text
            )
            assert len(text) < 2000
    # A symbolic access takes any object, until it is evaluated.
    assert refused >= len(ODD) // 3 or name == "access"


def test_there_are_many():
    assert len(list(itertools.product(CALLS, ODD))) > 150 * 10


def test_odd_values_in_expressions():
    """Python's operators refuse with Python's own TypeError."""
    access = nacho.access(A, ROW, COLUMN)
    for value in ODD.values():
        try:
            access * value
        except (nacho.NachoError, TypeError):
            continue
