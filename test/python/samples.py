"""Random operands and expressions, and what every result has to satisfy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import nacho
import oracle
from nacho.formats import Format
from nacho.storage import View

ROWS, COLUMNS = ("csr", "dcsr"), ("csc", "dcsc")
DTYPES = {"f32": np.float32, "f64": np.float64}
INDICES = {"i32": np.int32, "i64": np.int64}
PATTERNS = (
    "sparse",
    "dense",
    "empty",
    "one",
    "row",
    "column",
    "diagonal",
    "power",
    "middle",
)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan)


# --- Operands -------------------------------------------------------------------------


def stored(rng: Any, shape: tuple[int, int], kind: str) -> Any:
    """Return a random pattern, as a boolean array."""
    rows, columns = shape
    made = np.zeros(shape, bool)
    if not made.size or kind == "empty":
        return made
    if kind == "sparse":
        return rng.random(shape) < 0.3
    if kind == "dense":
        return rng.random(shape) < 0.9
    if kind == "one":
        made[rng.integers(rows), rng.integers(columns)] = True
    elif kind == "row":
        made[rng.integers(rows)] = True
    elif kind == "column":
        made[:, rng.integers(columns)] = True
    elif kind == "diagonal":
        made[np.arange(rows), np.arange(rows) * columns // rows] = True
    elif kind == "power":
        share = 1.0 / (1 + rng.permutation(rows))
        return rng.random(shape) < share[:, None]
    else:
        # Empty rows before and behind.
        made[rows // 3 : rows - rows // 3] = True
        made &= rng.random(shape) < 0.5
    return made


def numbers(rng: Any, count: int, dtype: Any, special: bool = True) -> Any:
    """Return values, of which some are stored zeros, infinite, or not numbers."""
    values = rng.integers(-8, 9, count) / 4
    if special and count:
        where = rng.random(count) < 0.2
        values[where] = rng.choice(SPECIAL, int(where.sum()))
    return values.astype(dtype)


def tensor(
    pattern: Any,
    values: Any,
    format: str = "csr",
    pos: Any = np.int32,
    crd: Any = np.int32,
) -> Any:
    """Return a ``nacho.Tensor`` whose ``pos`` and ``crd`` may differ in type.

    ``values`` are by row and column, whatever the format.
    """
    where, values = np.array(np.nonzero(pattern)), np.asarray(values)
    if format in COLUMNS:
        order = np.lexsort((where[0], where[1]))
        where, values = where[::-1, order], values[order]
    extents = pattern.shape[:: -1 if format in COLUMNS else 1]
    ends = np.searchsorted(where[0], np.arange(extents[0] + 1))
    levels: tuple[Any, Any] = (ends.astype(pos),), (where[1].astype(crd),)
    if format.startswith("d"):
        rows = np.unique(where[0])
        inner = np.append(np.searchsorted(where[0], rows), where[0].size)
        levels = (
            (np.array([0, rows.size], pos), inner.astype(pos)),
            (rows.astype(crd), where[1].astype(crd)),
        )
    view = View(Format(format), pattern.shape, *levels, np.ascontiguousarray(values))
    return nacho.Tensor._of(view)


def sample(
    rng: Any,
    shape: tuple[int, int],
    kind: str = "sparse",
    format: str = "csr",
    dtype: str = "f64",
    index: tuple[str, str] = ("i32", "i32"),
    special: bool = True,
) -> Any:
    """Return a random operand."""
    pattern = stored(rng, shape, kind)
    values = numbers(rng, int(pattern.sum()), DTYPES[dtype], special)
    return tensor(pattern, values, format, *(INDICES[width] for width in index))


# --- Expressions ----------------------------------------------------------------------


class Case(NamedTuple):
    """What ``nacho.mlir.compile`` takes."""

    text: str
    formats: dict[str, str]
    dtype: dict[str, str]
    index: dict[str, tuple[str, str]]
    cost: str

    @property
    def sparse(self) -> list[str]:
        return [name for name in self.index if name != "Z"]

    @property
    def scalars(self) -> list[str]:
        return [name for name in self.dtype if name not in self.index]

    def compile(self, **options: Any) -> Any:
        return nacho.mlir.compile(
            self.text, self.formats, self.dtype, self.index, cost=self.cost, **options
        )

    def operands(self, rng: Any, shape: tuple[int, int], kinds: list[str]) -> Any:
        """Return random operands by name; ``kinds`` are used in turn."""
        made: dict[str, Any] = {
            name: sample(
                rng,
                shape,
                kinds[number % len(kinds)],
                self.formats[name],
                self.dtype[name],
                self.index[name],
            )
            for number, name in enumerate(self.sparse)
        }
        for name in self.scalars:
            made[name] = numbers(rng, 1, DTYPES[self.dtype[name]])[0]
        return made


_LITERALS = ("2", "0.5", "3", "1e-3")


@st.composite
def _sums(draw: Any, names: list[str], leaves: int) -> str:
    """An expression that is 0 wherever no operand has an entry."""
    text = _leaf(draw, names) if leaves == 1 else _node(draw, names, leaves)
    match draw(st.integers(0, 11)):
        case 0:
            return f"-({text})"
        case 1:
            return f"{draw(st.sampled_from(_LITERALS))} * ({text})"
        case 2:
            return f"({text}) * {draw(st.sampled_from(('s', 't')))}"
        case 3:
            return f"(s - t) * ({text})"
    return text


def _leaf(draw: Any, names: list[str]) -> str:
    return f"{draw(st.sampled_from(names))}[i,j]"


def _node(draw: Any, names: list[str], leaves: int) -> str:
    left = draw(st.integers(1, leaves - 1))
    lhs = draw(_sums(names, left))
    rhs = draw(_sums(names, leaves - left))
    shape = draw(st.integers(0, 9))
    if shape < 4:
        return f"({lhs} {draw(st.sampled_from('+-'))} {rhs})"
    if shape < 8:
        return f"{lhs} * {rhs}"
    # A factor that is not 0 where its operand has no entries.
    added = draw(st.sampled_from(("1", "s", "2 * t")))
    return (
        f"({lhs} + {added}) * ({rhs})" if shape == 8 else f"{lhs} * ({added} - {rhs})"
    )


@st.composite
def cases(draw: Any, most: int = 10) -> Case:
    """Random expressions with random formats and types."""
    leaves = draw(st.integers(1, most))
    names = [chr(ord("A") + n) for n in range(draw(st.integers(1, leaves)))]
    text = "Z[i,j] = " + draw(_sums(names, leaves))
    family = draw(st.sampled_from((ROWS, ROWS, COLUMNS)))
    sparse = [name for name in names if f"{name}[" in text]
    formats = {name: draw(st.sampled_from(family)) for name in (*sparse, "Z")}
    elements = st.sampled_from(("f64", "f64", "f32"))
    scalars = [name for name in ("s", "t") if name in text]
    dtype = {name: draw(elements) for name in (*sparse, *scalars)}
    dtype["Z"] = "f64" if "f64" in dtype.values() else "f32"
    widths = st.sampled_from(("i32", "i64"))
    index = {name: (draw(widths), draw(widths)) for name in (*sparse, "Z")}
    cost = draw(st.sampled_from(("nnz", "nnz+loops")))
    return Case(text, formats, dtype, index, cost)


extents = st.one_of(st.sampled_from((0, 1)), st.integers(2, 12))
shapes = st.tuples(extents, extents)
kinds = st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=4)
seeds = st.integers(0, 2**32 - 1)


# --- Results --------------------------------------------------------------------------


def buffers(result: Any) -> list[Any]:
    """Return the arrays of a result, in the order of its levels."""
    if hasattr(result, "indptr"):
        return [result.indptr, result.indices, result.data]
    arrays = [a for pair in zip(result.pos, result.crd, strict=True) for a in pair]
    return [*(a for a in arrays if a is not None), result.values]


def same(one: Any, other: Any) -> bool:
    """Return whether two results are the same, bit for bit."""
    pairs = zip(buffers(one), buffers(other), strict=True)
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs)


def check_structure(result: Any) -> None:
    """Check that fibres are sorted, distinct, and (if compressed) not empty."""
    *levels, values = buffers(result)
    extents = result.shape[:: -1 if str(result.format) in COLUMNS else 1]
    count = 1
    if len(levels) == 2:
        count, extents = extents[0], extents[1:]
    for pos, crd, extent in zip(levels[::2], levels[1::2], extents, strict=True):
        assert pos.size == count + 1
        assert pos[0] == 0
        assert pos[-1] == crd.size
        lengths = np.diff(pos)
        assert (lengths >= (0 if crd is levels[1] else 1)).all()
        assert ((crd >= 0) & (crd < extent)).all()
        steps = np.diff(crd.astype(np.int64))
        starts = np.zeros(crd.size + 1, bool)
        starts[pos] = True
        assert (steps[~starts[1:-1]] > 0).all()
        count = crd.size
    assert values.shape == (count,)


def check(result: Any, text: str, operands: dict[str, Any]) -> None:
    """Check a result against the dense oracle."""
    check_structure(result)
    wanted, pattern = oracle.evaluate(text, operands)
    value, found = oracle.entries(result)
    np.testing.assert_array_equal(found, pattern)
    np.testing.assert_array_equal(value, wanted)
    assert result.dtype == wanted.dtype
