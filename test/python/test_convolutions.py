"""Operands at sums of indices: convolutions, pooling, and shifted operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import nacho
from checks import check_structure, same
from entries import closed, dense, pattern
from samples import Levels, level_map, levels_of, tensor

pytestmark = pytest.mark.any_target


class Case(NamedTuple):
    """A sum of products of elements, for all values of some dimensions.

    The maps say at which coordinates each operand is accessed, and then the result.
    """

    extents: tuple[int, ...]
    maps: tuple[tuple[str, ...], ...]

    @property
    def reduced(self) -> tuple[int, ...]:
        kept = self.maps[-1]
        return tuple(n for n in range(len(self.extents)) if f"d{n}" not in kept)

    def coordinates(self, operand: int) -> tuple[Any, ...]:
        """Return the coordinates of an operand's elements, by dimension."""
        values = np.indices(self.extents)
        names = {f"d{n}": axis for n, axis in enumerate(values)}
        zero = np.zeros(self.extents, np.int64)
        return tuple(zero + eval(text, {}, names) for text in self.maps[operand])

    def shape(self, operand: int) -> tuple[int, ...]:
        return tuple(int(axis.max()) + 1 for axis in self.coordinates(operand))

    def reduce(self, arrays: list[Any]) -> Any:
        """Return the sums of the products, computed in the order of the dimensions."""
        product = np.ones(self.extents, arrays[0].dtype)
        for number, array in enumerate(arrays):
            product = product * array[self.coordinates(number)]
        order = [int(text[1:]) for text in self.maps[-1]]
        kept = sorted(order)
        return product.sum(axis=self.reduced).transpose([kept.index(n) for n in order])


CASES = {
    "1d": Case((7, 3), (("d0 + d1",), ("d1",), ("d0",))),
    "1d-steps": Case((5, 4), (("d0 * 3 + d1 * 2 + 1",), ("d1",), ("d0",))),
    "1d-backwards": Case((6, 3), (("d0 - d1 + 2",), ("d1",), ("d0",))),
    "2d": Case((6, 5, 3, 2), (("d0 + d2", "d1 + d3"), ("d2", "d3"), ("d0", "d1"))),
    "2d-steps": Case(
        (4, 3, 3, 3), (("d0 * 2 + d2", "d1 + d3 * 2"), ("d2", "d3"), ("d0", "d1"))
    ),
    "1d-channels": Case(
        (2, 5, 3, 3, 2),
        (("d0", "d1 + d3", "d4"), ("d3", "d4", "d2"), ("d0", "d1", "d2")),
    ),
    "2d-channels-last": Case(
        (2, 3, 3, 2, 2, 3, 2),
        (
            ("d0", "d1 * 2 + d4", "d2 + d5 * 2", "d6"),
            ("d4", "d5", "d6", "d3"),
            ("d0", "d1", "d2", "d3"),
        ),
    ),
    "2d-channels-first": Case(
        (2, 2, 4, 3, 2, 3, 2),
        (
            ("d0", "d4", "d2 + d5", "d3 + d6"),
            ("d1", "d4", "d5", "d6"),
            ("d0", "d1", "d2", "d3"),
        ),
    ),
    "2d-depthwise": Case(
        (2, 3, 4, 2, 2, 2),
        (
            ("d0", "d1 + d4", "d2 + d5", "d3"),
            ("d4", "d5", "d3"),
            ("d0", "d1", "d2", "d3"),
        ),
    ),
    "3d-channels": Case(
        (1, 3, 2, 3, 2, 2, 2, 1, 2),
        (
            ("d0", "d1 + d5", "d2 + d6", "d3 + d7", "d8"),
            ("d5", "d6", "d7", "d8", "d4"),
            ("d0", "d1", "d2", "d3", "d4"),
        ),
    ),
    "3d": Case(
        (3, 4, 2, 2, 2, 3),
        (("d0 + d3", "d1 + d4", "d2 + d5"), ("d3", "d4", "d5"), ("d0", "d1", "d2")),
    ),
    "pair": Case((6, 3), (("d0 + d1", "d1"), ("d0", "d1"), ("d0",))),
    "shift": Case((6,), (("d0 + 2",), ("d0",), ("d0",))),
    "diagonal": Case((5,), (("d0", "d0 + 1"), ("d0",), ("d0",))),
    "two-sums": Case((5, 3), (("d0 + d1",), ("d0 + d1 * 2", "d1"), ("d0",))),
    "crossed": Case(
        (4, 3, 2, 3), (("d0 + d1", "d2", "d3"), ("d3", "d2", "d1"), ("d0", "d2"))
    ),
    "constant": Case((5, 3), (("d0", "2"), ("d1",), ("d0",))),
}
FORMATS = {
    1: ("dense", "compressed"),
    2: ("dense", "csr", "dcsr", "csc", "coo"),
    3: ("dense", "csf", "coo", "mixed"),
    4: ("dense", "csf", "coo", "mixed"),
    5: ("dense", "csf", "mixed"),
}
WIDTHS = ", posWidth = 32, crdWidth = 32"


def levels(format: str, rank: int) -> Levels:
    """Return the levels of a format. In a mixed one, every second level is dense."""
    if format != "mixed":
        return levels_of(format, rank)
    return tuple((n, "dense" if n % 2 else "compressed") for n in range(rank))


def tensor_type(format: str, shape: tuple[int | str, ...]) -> str:
    """Return the type of a tensor in MLIR; dense ones have no encoding."""
    text = "x".join(map(str, shape))
    if format == "dense":
        return f"tensor<{text}xf64>"
    stored = level_map(levels(format, len(shape)))
    widths = "posWidth = 32, crdWidth = 32"
    return (
        f"tensor<{text}xf64, #sparse_tensor.encoding<{{ map = {stored}, {widths} }}>>"
    )


def module(
    case: Case,
    formats: tuple[str, ...],
    shapes: Sequence[tuple[int | str, ...]] | None = None,
) -> str:
    """Return a function that computes a case by `linalg.generic`."""
    if shapes is None:
        shapes = [case.shape(n) for n in range(len(formats))]
    rank = len(case.extents)
    dims = ", ".join(f"d{n}" for n in range(rank))
    maps = ", ".join(
        f"affine_map<({dims}) -> ({', '.join(texts)})>" for texts in case.maps
    )
    kinds = ", ".join(
        '"reduction"' if n in case.reduced else '"parallel"' for n in range(rank)
    )
    *types, result = map(tensor_type, formats, shapes)
    return f"""
func.func @sums(%A: {types[0]}, %F: {types[1]}) -> {result} {{
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : {result}
  %z = linalg.fill ins(%zero : f64) outs(%e : {result}) -> {result}
  %0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins(%A, %F : {types[0]}, {types[1]}) outs(%z : {result}) {{
    ^bb0(%a: f64, %f: f64, %o: f64):
      %1 = arith.mulf %a, %f : f64
      %2 = arith.addf %o, %1 : f64
      linalg.yield %2 : f64
  }} -> {result}
  return %0 : {result}
}}
"""


def operand(
    rng: Any, shape: tuple[int, ...], format: str, values: str, index: Any = np.int32
) -> Any:
    """Return a random operand; sums of its whole numbers are exact."""
    found = rng.random(shape) < 0.4
    numbers = rng.integers(1, 9, shape) if values == "whole" else rng.random(shape)
    numbers = numbers.astype(np.float64)
    if format == "dense":
        return np.where(rng.random(shape) < 0.8, numbers, 0)
    return tensor(found, numbers, levels(format, len(shape)), index, index)


def check(case: Case, found: Any, operands: list[Any]) -> None:
    """Check the result of whole numbers: its values, and where it has entries."""
    np.testing.assert_array_equal(
        dense(found), case.reduce([dense(x) for x in operands])
    )
    check_structure(found)
    if hasattr(found, "format") and not all(
        isinstance(x, np.ndarray) for x in operands
    ):
        stored = case.reduce([pattern(x).astype(np.int64) for x in operands])
        expected = stored > 0
        if isinstance(found, nacho.Tensor):
            expected = closed(expected, found.format.levels)
        np.testing.assert_array_equal(pattern(found), expected)


def formats_of(name: str) -> list[tuple[str, ...]]:
    """Return formats for the operands and the result, at least one of them sparse."""
    ranks = [len(texts) for texts in CASES[name].maps]
    made = []
    for first in FORMATS[ranks[0]]:
        for second in FORMATS[ranks[1]]:
            for result in FORMATS[ranks[2]]:
                if first == second == "dense" != result:
                    continue
                made.append((first, second, result))
    return made


def check_formats(name: str, *formats: str) -> None:
    case = CASES[name]
    kernel = nacho.mlir.compile(module(case, formats))
    rng = np.random.default_rng(len(name))
    for _ in range(3):
        operands = [
            operand(rng, case.shape(n), format, "whole")
            for n, format in enumerate(formats[:2])
        ]
        check(case, kernel(*operands), operands)


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize(
    ("name", "first", "second", "result"),
    [(name, *formats) for name in CASES for formats in formats_of(name)],
)
def test_maps(name: str, first: str, second: str, result: str) -> None:
    check_formats(name, first, second, result)


@pytest.mark.each_pair
@pytest.mark.parametrize(("first", "second", "result"), formats_of("2d-steps"))
def test_formats(first: str, second: str, result: str) -> None:
    check_formats("2d-steps", first, second, result)


@pytest.mark.parametrize("result", ["dense", "csr", "coo"])
@pytest.mark.parametrize("first", ["dense", "csr", "dcsr", "coo"])
def test_parts_and_threads_do_not_change_sums(first: str, result: str) -> None:
    case = Case(
        (40, 30, 4, 3), (("d0 * 2 + d2", "d1 + d3"), ("d2", "d3"), ("d0", "d1"))
    )
    kernel = nacho.mlir.compile(module(case, (first, "csr", result)))
    rng = np.random.default_rng(3)
    operands = [
        operand(rng, case.shape(0), first, "any"),
        operand(rng, case.shape(1), "csr", "any"),
    ]
    expected = kernel(*operands, parts=1, threads=1)
    np.testing.assert_allclose(
        dense(expected), case.reduce([dense(x) for x in operands]), rtol=1e-13
    )
    for parts, threads in [(1, 2), (3, 1), (7, 2), (100, 3)]:
        assert same(kernel(*operands, parts=parts, threads=threads), expected)


def named(op: str, types: tuple[str, str, str], attributes: str = "") -> str:
    """Return a function that computes one named op, and adds to its output."""
    first, second, result = types
    return f"""
func.func @named(%A: {first}, %F: {second}, %O: {result}) -> {result} {{
  %0 = {op} {attributes} ins(%A, %F : {first}, {second}) outs(%O : {result}) -> {result}
  return %0 : {result}
}}
"""


def windows(array: Any, size: tuple[int, ...], strides: Any, dilations: Any) -> Any:
    """Return the windows of an array's last axes; they have axes of their own."""
    spans = [(n - 1) * step + 1 for n, step in zip(size, dilations, strict=True)]
    axes = tuple(range(-len(size), 0))
    found = np.lib.stride_tricks.sliding_window_view(array, spans, axes)
    skipped = [slice(None, None, step) for step in (*strides, *dilations)]
    return found[(..., *skipped)]


@pytest.mark.parametrize("first", ["dense", "compressed"])
def test_conv_1d(first: str) -> None:
    types = tuple(
        tensor_type(format, ("?",)) for format in (first, "compressed", "dense")
    )
    kernel = nacho.mlir.compile(named("linalg.conv_1d", types))
    rng = np.random.default_rng(4)
    A = operand(rng, (30,), first, "whole")
    F = operand(rng, (5,), "compressed", "whole")
    start = rng.integers(0, 9, 26).astype(np.float64)
    expected = start + np.correlate(dense(A), dense(F))
    np.testing.assert_array_equal(kernel(A, F, start), expected)


@pytest.mark.parametrize(
    ("strides", "dilations"), [((1, 1), (1, 1)), ((2, 1), (1, 1)), ((2, 3), (1, 2))]
)
@pytest.mark.parametrize(
    ("first", "second"), [("csf", "csf"), ("csf", "dense"), ("dense", "csf")]
)
def test_conv_2d_of_channels(
    first: str, second: str, strides: tuple[int, int], dilations: tuple[int, int]
) -> None:
    shapes = [("?",) * 4] * 3
    formats = (first, second, "dense")
    types = tuple(
        tensor_type(format, shape)
        for format, shape in zip(formats, shapes, strict=True)
    )
    attributes = (
        f"{{strides = dense<[{strides[0]}, {strides[1]}]> : tensor<2xi64>, "
        f"dilations = dense<[{dilations[0]}, {dilations[1]}]> : tensor<2xi64>}}"
    )
    kernel = nacho.mlir.compile(named("linalg.conv_2d_nhwc_hwcf", types, attributes))
    rng = np.random.default_rng(5)
    A = operand(rng, (2, 9, 12, 3), first, "whole")
    F = operand(rng, (3, 2, 3, 4), second, "whole")
    seen = windows(dense(A).transpose(0, 3, 1, 2), (3, 2), strides, dilations)
    expected = np.einsum("nchwkl,klcf->nhwf", seen, dense(F))
    start = rng.integers(0, 9, expected.shape).astype(np.float64)
    np.testing.assert_array_equal(kernel(A, F, start), start + expected)


@pytest.mark.parametrize("format", ["csf", "coo"])
@pytest.mark.parametrize("result", ["csf", "dense"])
def test_pooling_sums_what_is_stored(format: str, result: str) -> None:
    first, out = tensor_type(format, (2, 9, 8, 3)), tensor_type(result, (2, 4, 3, 3))
    kernel = nacho.mlir.compile(f"""
func.func @pool(%A: {first}) -> {out} {{
  %w = tensor.empty() : tensor<3x2xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : {out}
  %z = linalg.fill ins(%zero : f64) outs(%e : {out}) -> {out}
  %0 = linalg.pooling_nhwc_sum {{strides = dense<2> : tensor<2xi64>,
                                dilations = dense<[1, 3]> : tensor<2xi64>}}
      ins(%A, %w : {first}, tensor<3x2xf64>) outs(%z : {out}) -> {out}
  return %0 : {out}
}}
""")
    rng = np.random.default_rng(6)
    A = operand(rng, (2, 9, 8, 3), format, "whole")
    seen = windows(dense(A).transpose(0, 3, 1, 2), (3, 2), (2, 2), (1, 3))
    found = kernel(A)
    np.testing.assert_array_equal(dense(found), np.einsum("nchwkl->nhwc", seen))
    check_structure(found)


@pytest.mark.parametrize("format", ["csf", "dense"])
@pytest.mark.parametrize("op", ["max", "min"])
def test_pooling_of_numbers_that_are_not_stored(op: str, format: str) -> None:
    """They are zeros, and take part unless the whole window is stored."""
    first, out = tensor_type(format, (1, 5, 6, 2)), tensor_type("dense", (1, 4, 5, 2))
    start = {"max": "0xFFF0000000000000", "min": "0x7FF0000000000000"}[op]
    kernel = nacho.mlir.compile(f"""
func.func @pool(%A: {first}, %w: tensor<2x2xf64>) -> {out} {{
  %start = arith.constant {start} : f64
  %e = tensor.empty() : {out}
  %z = linalg.fill ins(%start : f64) outs(%e : {out}) -> {out}
  %0 = linalg.pooling_nhwc_{op} ins(%A, %w : {first}, tensor<2x2xf64>)
                                outs(%z : {out}) -> {out}
  return %0 : {out}
}}
""")
    rng = np.random.default_rng(12)
    found = rng.random((1, 5, 6, 2)) < 0.8
    numbers = np.where(found, rng.integers(1, 9, found.shape), 0.0)
    for sign in (1.0, -1.0):
        values = sign * numbers
        A = values if format == "dense" else tensor(found, values, "csf")
        seen = windows(values.transpose(0, 3, 1, 2), (2, 2), (1, 1), (1, 1))
        expected = getattr(seen, op)(axis=(-2, -1)).transpose(0, 2, 3, 1)
        np.testing.assert_array_equal(kernel(A, np.ones((2, 2))), expected)


@pytest.mark.parametrize("format", ["dense", "mixed"])
def test_padding_is_not_stored(format: str) -> None:
    first = tensor_type(format, (2, 6, 7, 3))
    padded = tensor_type(format, (2, 10, 8, 3))
    second, out = tensor_type("dense", (5, 2, 3, 2)), tensor_type("csf", (2, 6, 7, 2))
    if format == "dense":
        out = tensor_type("dense", (2, 6, 7, 2))
    kernel = nacho.mlir.compile(f"""
func.func @padded(%A: {first}, %F: {second}) -> {out} {{
  %zero = arith.constant 0.0 : f64
  %p = tensor.pad %A low[0, 2, 0, 0] high[0, 2, 1, 0] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f64
  }} : {first} to {padded}
  %e = tensor.empty() : {out}
  %z = linalg.fill ins(%zero : f64) outs(%e : {out}) -> {out}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %F : {padded}, {second})
                                outs(%z : {out}) -> {out}
  return %0 : {out}
}}
""")
    rng = np.random.default_rng(9)
    A = operand(rng, (2, 6, 7, 3), format, "whole")
    F = operand(rng, (5, 2, 3, 2), "dense", "whole")
    around = np.pad(dense(A), ((0, 0), (2, 2), (0, 1), (0, 0)))
    seen = windows(around.transpose(0, 3, 1, 2), (5, 2), (1, 1), (1, 1))
    found = kernel(A, F)
    np.testing.assert_array_equal(dense(found), np.einsum("nchwkl,klcf->nhwf", seen, F))


@pytest.mark.parametrize(
    "name, formats",
    [("2d-steps", ("csr", "dcsr", "csr")), ("2d", ("dcsr", "dense", "dcsr"))],
)
def test_open_widths_of_index_arrays(name: str, formats: tuple[str, ...]) -> None:
    case = CASES[name]
    text = module(case, formats).replace(WIDTHS, "")
    kernel = nacho.mlir.compile(text)
    rng = np.random.default_rng(10)
    for index in (np.int32, np.int64):
        operands = [
            operand(rng, case.shape(n), format, "whole", index)
            for n, format in enumerate(formats[:2])
        ]
        check(case, kernel(*operands), operands)


@pytest.mark.parametrize("side", [1, 2])
def test_nothing_to_do(side: int) -> None:
    """Operands without entries, and a result with just one."""
    case = Case((1, side, 3, 3), CASES["2d"].maps)
    for formats in [("csr", "csr", "csr"), ("csr", "dense", "dense")]:
        kernel = nacho.mlir.compile(module(case, formats))
        rng = np.random.default_rng(11)
        full = operand(rng, case.shape(1), formats[1], "whole")
        for pattern_of in (np.zeros, np.ones):
            found = pattern_of(case.shape(0), bool)
            A = tensor(found, np.full(case.shape(0), 2.0), "csr")
            check(case, kernel(A, full), [A, full])


def test_a_shift_in_a_sum() -> None:
    longer, vector = (tensor_type("compressed", (n,)) for n in (9, 8))
    kernel = nacho.mlir.compile(f"""
#next = affine_map<(d0) -> (d0 + 1)>
#here = affine_map<(d0) -> (d0)>
func.func @difference(%A: {longer}, %B: {vector}) -> {vector} {{
  %e = tensor.empty() : {vector}
  %0 = linalg.generic {{indexing_maps = [#next, #here, #here],
                       iterator_types = ["parallel"]}}
      ins(%A, %B : {longer}, {vector}) outs(%e : {vector}) {{
    ^bb0(%a: f64, %b: f64, %o: f64):
      %1 = arith.maximumf %a, %b : f64
      %2 = arith.subf %1, %b : f64
      linalg.yield %2 : f64
  }} -> {vector}
  return %0 : {vector}
}}
""")
    rng = np.random.default_rng(7)
    A, B = (operand(rng, (n,), "compressed", "whole") for n in (9, 8))
    found = kernel(A, B)
    expected = np.maximum(dense(A)[1:], dense(B)) - dense(B)
    np.testing.assert_array_equal(dense(found), expected)
    np.testing.assert_array_equal(pattern(found), pattern(A)[1:] | pattern(B))


def test_work_follows_the_entries() -> None:
    """No loop visits the coordinates of a plane of 10^14 elements."""
    side = 10**7
    case = Case((1, 1, 3, 3), (("d0 + d2", "d1 + d3"), ("d2", "d3"), ("d0", "d1")))
    shapes = [(side + 2, side + 2), (3, 3), (side, side)]
    kernel = nacho.mlir.compile(module(case, ("coo", "csr", "coo"), shapes))
    rng = np.random.default_rng(8)
    coords = rng.integers(0, side + 2, (2, 1000))
    A = nacho.Tensor.from_coo(coords, np.ones(1000), shape=(side + 2,) * 2)
    F = operand(rng, (3, 3), "csr", "whole")
    found = kernel(A, F)
    inside = (coords >= 2).all(axis=0) & (coords < side).all(axis=0)
    total = dense(F).sum()
    assert inside.sum() * total <= found.values.sum() <= 1000 * total
