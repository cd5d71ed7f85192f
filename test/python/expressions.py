"""Random expressions, with formats and types for their operands and their result."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

import nacho
import oracle
import samples
from samples import Levels

NAMES = "ABCDEFGHKL"
LITERALS = ("2", "0.5", "3", "1e-3")
ORDERS = ("<", "<=", ">", ">=")
FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tanh", "abs")
PARTS = ("conj", "real", "imag", "angle")
ZERO_PRESERVING = ("sqrt", "sin", "tanh", "abs")
# Extents that keep what the oracle tabulates small, by the number of indices.
LARGEST = (12, 12, 12, 7, 5, 4, 3)


class Operand(NamedTuple):
    """An operand, and the indices of its first access."""

    indices: tuple[str, ...]
    levels: Levels

    @property
    def dense(self) -> bool:
        return all(kind == "dense" for _, kind in self.levels)


@dataclasses.dataclass
class Case:
    """What ``nacho.mlir.compile`` takes, and how to make operands for it."""

    text: str
    operands: dict[str, Operand]
    result: Operand
    dtype: dict[str, str]
    index: dict[str, tuple[str, str]]
    cost: str
    name: str = "Z"
    ties: tuple[tuple[str, str], ...] = ()
    """Pairs of indices that need equal extents."""

    @property
    def formats(self) -> dict[str, str]:
        tensors = {**self.operands, self.name: self.result}
        return {name: format_text(t.levels) for name, t in tensors.items() if t.levels}

    @property
    def scalars(self) -> list[str]:
        return [n for n in self.dtype if n != self.name and n not in self.operands]

    @property
    def orders(self) -> dict[str, tuple[int, ...] | None]:
        """The dimensions by level, None for what is dense: see the oracle."""
        return {
            name: None if t.dense else tuple(dimension for dimension, _ in t.levels)
            for name, t in {**self.operands, self.name: self.result}.items()
        }

    @property
    def indices(self) -> list[str]:
        accesses = (t.indices for t in (self.result, *self.operands.values()))
        tied = (index for pair in self.ties for index in pair)
        return sorted({index for access in accesses for index in access}.union(tied))

    @property
    def reduction(self) -> str:
        """The operator of the assignment: "" for sums."""
        return self.text.partition("=")[0].rpartition(" ")[2]

    @property
    def exact(self) -> bool:
        """Whether no value depends on the order of a reduction."""
        return not oracle.reduces(self.text)

    @property
    def is_factorable(self) -> bool:
        """Whether factors may be taken out of sums, and an infinity times 0 be any.

        A sum over several indices may be factored, and so may one whose index a factor
        lacks, also if it is written with +=.
        """
        if self.reduction in ("max", "min", "*"):
            return False
        # An operand may be accessed again, with other indices.
        written = re.findall(r"\[([^]]*)\]", self.text.partition("=")[2])
        accesses = [set(access.split(",")) for access in written]
        reduced = set().union(*accesses) - set(self.result.indices)
        return len(reduced) > 1 or not all(reduced <= access for access in accesses)

    @property
    def needs_lists(self) -> bool:
        """Whether no order of the loops suits all operands and the result."""
        return oracle.is_scatter_or_transposition(self.text, self.orders)

    @property
    def written(self) -> str:
        """The statement that is compiled, which reads what ``seen`` has."""
        return self.text

    def shape(self, name: str, extents: dict[str, int]) -> tuple[int, ...]:
        """Return the shape of an operand."""
        return tuple(extents[index] for index in self.operands[name].indices)

    def seen(self, operands: dict[str, Any]) -> dict[str, Any]:
        """Return what the text reads of operands: all of them."""
        return operands

    def compile(self, **options: Any) -> Any:
        return nacho.mlir.compile(
            self.written,
            self.formats,
            self.dtype,
            self.index,
            cost=self.cost,
            **options,
        )

    def extents(self, drawn: Sequence[int]) -> dict[str, int]:
        """Return the extents of all indices."""
        largest = LARGEST[min(len(self.indices), len(LARGEST) - 1)]
        pairs = zip(self.indices, drawn, strict=False)
        found = {index: min(extent, largest) for index, extent in pairs}
        if self.reduction:
            # Nothing is the largest of no numbers.
            for index in set(found) - set(self.result.indices):
                found[index] = max(found[index], 1)
        for one, other in self.ties * (len(self.ties) + 1):
            found[one] = found[other] = max(found[one], found[other])
        return found

    def sample(self, rng: Any, drawn: Sequence[int], kinds: Sequence[str]) -> Any:
        """Return random operands by name; ``kinds`` are used in turn."""
        extents = self.extents(drawn)
        # What an infinity times 0 is depends on the order of products and sums.
        special = self.reduction != "*" and not self.is_factorable
        made: dict[str, Any] = {}
        for number, (name, operand) in enumerate(self.operands.items()):
            made[name] = samples.sample(
                rng,
                self.shape(name, extents),
                kinds[number % len(kinds)],
                operand.levels,
                self.dtype[name],
                self.index.get(name, ("i32", "i32")),
                bool(special),
            )
        for name in self.scalars:
            dtype = samples.DTYPES[self.dtype[name]]
            made[name] = samples.numbers(rng, 1, dtype, bool(special))[0]
        return made


def format_text(levels: Levels) -> str:
    """Return a name for levels that have one, or their map."""
    rank = len(levels)
    names = ["dense", "coo-interleaved", "coo", "csf"]
    names += {1: ["sparse-vector"], 2: ["csr", "csc", "dcsr", "dcsc"]}.get(rank, [])
    for name in reversed(names):
        if samples.levels_of(name, rank) == levels:
            return name
    return samples.level_map(levels)


# --- Types ----------------------------------------------------------------------------

_ALIKE = (("f64",), ("f64",), ("f32",), ("i32",), ("u8",), ("bool",), ("c128",))
_MIXED = (("f64", "f32"), ("i8", "i16", "i32", "i64", "u8"), tuple(samples.DTYPES))
# Types that results may have instead of their own.
_OTHERS = {"f64": "f32", "f32": "f64", "i32": "i64", "i64": "i32", "c128": "c64"}


@st.composite
def elements(draw: Any) -> tuple[str, ...]:
    """The types that the operands of one expression have."""
    return draw(st.sampled_from((*_ALIKE, *_MIXED)))


# --- Expressions ----------------------------------------------------------------------


class Builder:
    """Draws accesses, factors, and terms, and keeps what operands there are."""

    def __init__(self, draw: Any, types: tuple[str, ...], budget: int) -> None:
        self.draw = draw
        self.types = types
        self.budget = budget
        self.operands: dict[str, Operand] = {}
        self.scalars: set[str] = set()
        self.ties: list[tuple[str, str]] = []
        self.order: list[str] = []
        """An order of the loops that most operands agree with."""

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) < percent

    def pick(self, choices: Any) -> Any:
        return self.draw(st.sampled_from(tuple(choices)))

    # Operands ---------------------------------------------------------------------

    def access(self, indices: Sequence[str]) -> str:
        """Return an access to an operand with exactly these indices, in any order."""
        known = [name for name, o in self.operands.items() if len(o.indices) > 0]
        alike = [n for n in known if set(self.operands[n].indices) == set(indices)]
        if alike and (len(known) >= self.budget or self.chance(15)):
            name = self.pick(alike)
            return _access(name, self.operands[name].indices)
        same_rank = [n for n in known if len(self.operands[n].indices) == len(indices)]
        if same_rank and (len(known) >= self.budget or self.chance(4)):
            name = self.pick(same_rank)
            self.ties += zip(self.operands[name].indices, indices, strict=True)
            return _access(name, indices)
        return self.new_operand(indices)

    def new_operand(self, indices: Sequence[str]) -> str:
        name = NAMES[len(self.operands)]
        places = tuple(indices)
        if len(places) > 1 and self.chance(30):
            places = tuple(self.draw(st.permutations(places)))
        if len(places) < 4 and self.chance(3):
            # A diagonal.
            places = (*places, places[0])
        self.operands[name] = Operand(places, self.levels(places))
        return _access(name, places)

    def levels(self, indices: tuple[str, ...], result: bool = False) -> Levels:
        rank = len(indices)
        dimensions = list(range(rank))
        if self.chance(94) or result:
            dimensions.sort(key=lambda n: self.order.index(indices[n]))
        else:
            dimensions = self.draw(st.permutations(dimensions))
        if self.chance(30):
            kinds = ["dense"] * rank
            if self.chance(80):
                dimensions.sort(reverse=rank > 1 and self.chance(30))
        else:
            kinds = self.draw(samples.kinds_of_levels(rank))
        return tuple(zip(dimensions, kinds, strict=True))

    def scalar(self) -> str:
        name = self.pick("st")
        self.scalars.add(name)
        return name

    def sign(self) -> str:
        return "+" if "bool" in self.types else self.pick("+-")

    def negated(self, text: str) -> str:
        if "bool" in self.types:
            return text
        # Of an unsigned type, there is no -2, and of a comparison no negative.
        enclosed = text[0].isdigit() or re.search("[<>=]", text)
        return f"-({text})" if enclosed else f"-{text}"

    # Functions --------------------------------------------------------------------

    @property
    def ordered(self) -> bool:
        return not {"c64", "c128"} & set(self.types)

    def condition(self, lhs: str, rhs: str) -> str:
        """Return a comparison, of two expressions or with a number."""
        symbol = self.pick((*ORDERS, "==", "!=") if self.ordered else ("==", "!="))
        if self.chance(30):
            rhs = self.pick((*LITERALS, "0", self.scalar()))
        return f"({lhs} {symbol} {rhs})"

    def call(self, lhs: str, rhs: str) -> str:
        """Return a function of expressions; it may be anything where they are 0."""
        match self.draw(st.integers(0, 9)):
            case 0 | 1:
                return f"{self.pick(FUNCTIONS)}({lhs})"
            case 8 if self.ordered:
                return self.binary_function(lhs, self.pick(("2", "0.5", rhs, rhs)))
            case 9:
                return f"{self.pick(PARTS)}({lhs})"
            case 2 if self.ordered:
                other = self.pick(("0", "2", rhs, rhs))
                return f"{self.pick(('min', 'max'))}({lhs}, {other})"
            case 3:
                return f"where({self.condition(lhs, rhs)}, {rhs}, {lhs})"
            case 4:
                return f"where({rhs}, {lhs}, {self.pick(('0', '1', rhs))})"
            case 5:
                return f"({lhs} / {self.pick((rhs, self.scalar(), '2', '0.5'))})"
            case 6:
                return f"(1 / {lhs})"
        return f"{self.pick(ZERO_PRESERVING)}({lhs})"

    def binary_function(self, lhs: str, rhs: str) -> str:
        """Return a function of two real numbers."""
        names = ["hypot", "logaddexp", "copysign", "clip"]
        if "bool" not in self.types:
            names += ["fmod", "%", "//"]
        name = self.pick(names)
        if name in ("%", "//"):
            return f"({lhs} {name} {rhs})"
        if name == "clip":
            return f"clip({lhs}, {self.pick(('0', '0.5', rhs))}, {rhs})"
        return f"{name}({lhs}, {rhs})"

    # Terms ------------------------------------------------------------------------

    def subset(self, indices: Sequence[str], most: int = 4) -> list[str]:
        """Return some of the indices, at least one, in the same order."""
        count = self.draw(st.integers(1, min(most, len(indices))))
        kept = set(self.draw(st.permutations(indices))[:count])
        return [index for index in indices if index in kept]

    def factor(self, indices: Sequence[str]) -> str:
        """Return what may stand beside an access in a product."""
        match self.draw(st.integers(0, 12)):
            case 0:
                return self.scalar()
            case 1:
                return self.pick(LITERALS)
            case 2 | 3:
                one, other = (self.access(self.subset(indices)) for _ in "ab")
                return f"({one} {self.sign()} {other})"
            case 12 if self.ordered:
                return self.of_coordinates(indices)
            case 4:
                added = self.pick(("1", "2", self.scalar()))
                return f"({self.access(self.subset(indices))} + {added})"
            case 5 | 6 as kind:
                one, other = (self.access(self.subset(indices)) for _ in "ab")
                return (self.call if kind == 5 else self.condition)(one, other)
        return self.access(self.subset(indices))

    def of_coordinates(self, indices: Sequence[str]) -> str:
        """Return what depends on where an element is, and not on operands."""
        one, other = (self.pick(indices) for _ in "ab")
        condition = f"({one} {self.pick(ORDERS)} {other})"
        chosen = f"where({condition}, {self.access(self.subset(indices))}, 0)"
        return self.pick((one, condition, f"({one} + 2)", chosen))

    def term(self, indices: Sequence[str]) -> str:
        """Return a product that is 0 wherever some operand of it has no entry."""
        factors = [self.access(self.subset(indices))]
        count = self.draw(st.integers(0, 2))
        factors += [self.factor(indices) for _ in range(count)]
        text = " * ".join(self.draw(st.permutations(factors)))
        match self.draw(st.integers(0, 12)):
            case 0:
                return self.negated(text)
            case 1:
                return f"{self.pick(LITERALS)} * ({text})"
            case 3:
                return self.call(f"({text})", self.access(self.subset(indices)))
            case 2:
                other = self.access(self.subset(indices))
                return f"{self.scalar()} * ({text} {self.sign()} {other})"
        return text

    def terms(self, left: list[str], reduced: list[str]) -> str:
        """Return a sum of terms that has all the indices on the left.

        An index that is a number somewhere is also one of an operand.
        """
        text = self.term(left + reduced) if left + reduced else self.scalar()
        for _ in range(self.pick((0, 0, 1, 1, 2))):
            some = [index for index in reduced if self.chance(50)]
            if left + some:
                text = f"{text} {self.sign()} {self.term(left + some)}"
        used = [*left, *(i for i in reduced if re.search(rf"\b{i}\b", text))]
        missing = [i for i in used if not re.search(rf"[\[,]{i}[\],]", text)]
        for start in range(0, len(missing), 4):
            text = f"{text} * {self.access(missing[start : start + 4])}"
        return self.negated(f"({text})") if self.chance(8) else text

    # Element-wise -----------------------------------------------------------------

    def sums(self, accesses: Sequence[str], leaves: int) -> str:
        """Return an expression that is 0 wherever no operand has an entry."""
        many = leaves > 1
        text = self.node(accesses, leaves) if many else str(self.pick(accesses))
        match self.draw(st.integers(0, 11)):
            case 0:
                return self.negated(f"({text})")
            case 1:
                return f"{self.pick(LITERALS)} * ({text})"
            case 2:
                return f"({text}) * {self.scalar()}"
            case 3:
                self.scalars |= {"s", "t"}
                return f"(s {self.sign()} t) * ({text})"
        return text

    def node(self, accesses: Sequence[str], leaves: int) -> str:
        left = self.draw(st.integers(1, leaves - 1))
        lhs = self.sums(accesses, left)
        rhs = self.sums(accesses, leaves - left)
        shape = self.draw(st.integers(0, 12))
        if shape < 4:
            return f"({lhs} {self.sign()} {rhs})"
        if shape < 7:
            return f"{lhs} * {rhs}"
        if shape == 7:
            return f"{lhs} * {self.condition(f'({lhs})', rhs)}"
        if shape > 9:
            return self.call(f"({lhs})", f"({rhs})")
        # A factor that is not 0 where its operand has no entries.
        added = self.pick(("1", "s", "2 * t"))
        self.scalars |= {"s", "t"} & set(added)
        if shape == 8:
            return f"({lhs} + {added}) * ({rhs})"
        return f"{lhs} * ({added} {self.sign()} {rhs})"


def _access(name: str, indices: Sequence[str]) -> str:
    return f"{name}[{','.join(indices)}]"


@st.composite
def elementwise(draw: Any, most: int = 10, rank: int | None = None) -> Case:
    """Expressions of many operands with the same indices, in any formats."""
    builder = Builder(draw, draw(elements()), budget=most)
    left = list("ijkl"[: rank or draw(st.sampled_from((1, 2, 2, 2, 3, 4)))])
    builder.order = draw(st.permutations(left)) if builder.chance(40) else left
    leaves = draw(st.integers(1, most))
    for _ in range(draw(st.integers(1, leaves))):
        builder.new_operand(left)
    made = [_access(name, o.indices) for name, o in builder.operands.items()]
    text = builder.sums(made, leaves)
    if builder.chance(6):
        text = builder.condition(text, builder.pick(made))
    return _finished(builder, left, "=", text)


@st.composite
def contractions(draw: Any, most: int = 5) -> Case:
    """Expressions with reductions, broadcasts, and several terms."""
    builder = Builder(draw, draw(elements()), budget=most)
    left = list("ijkl"[: draw(st.sampled_from((0, 1, 1, 2, 2, 2, 3, 3, 4)))])
    reduced = list("mno"[: draw(st.sampled_from((0, 1, 1, 1, 2) if left else (1, 2)))])
    outer = draw(st.permutations(left)) if builder.chance(25) else left
    builder.order = [*outer, *reduced]
    text = builder.terms(left, reduced)
    operator = draw(st.sampled_from(("=",) * 8 + ("+=", "max=", "min=", "*=")))
    if operator in ("max=", "min=") and not builder.ordered:
        operator = "="
    if operator == "*=" and re.search(r"/|%|log|exp|fmod", text):
        # What an infinity times 0 is depends on the order.
        operator = "="
    return _finished(builder, left, operator, text)


def cases() -> st.SearchStrategy[Case]:
    """Any expressions."""
    return st.one_of(elementwise(), contractions(), contractions())


def _finished(builder: Builder, left: list[str], operator: str, text: str) -> Case:
    """Choose how the result is stored, and all types."""
    draw = builder.draw
    builder.operands = {n: o for n, o in builder.operands.items() if f"{n}[" in text}
    names = [*builder.operands, *(n for n in sorted(builder.scalars) if _has(text, n))]
    dtype = {name: builder.pick(builder.types) for name in names}
    name = f"Z[{','.join(left)}]" if left else "Z"
    try:
        result = _result(builder, left, text, dtype)
        text = f"{name} {operator} {text}"
        dtype["Z"] = _result_type(builder, text, dtype)
    except OverflowError:
        # NumPy refuses a number of Python that a type does not have.
        reject()
    widths = st.tuples(*[st.sampled_from(("i32", "i64"))] * 2)
    tensors = {**builder.operands, "Z": result}
    index = {name: draw(widths) for name, t in tensors.items() if not t.dense}
    return Case(
        text,
        dict(builder.operands),
        result,
        dtype,
        index,
        draw(st.sampled_from(("nnz", "nnz+loops"))),
        ties=tuple(dict.fromkeys(p for p in builder.ties if p[0] != p[1])),
    )


def _result(
    builder: Builder, left: list[str], text: str, dtype: dict[str, str]
) -> Operand:
    """Choose levels for the result; dense ones if it has a value everywhere."""
    result = Operand(tuple(left), builder.levels(tuple(left), True) if left else ())
    if not result.dense and _without_zero(text, left, builder.operands, dtype):
        kinds = ["dense"] * len(left)
        result = Operand(tuple(left), tuple(enumerate(kinds)))
    return result


def _result_type(builder: Builder, text: str, dtype: dict[str, str]) -> str:
    """Return the type of the result: the statement's own or, at times, another."""

    def rank(name: str) -> int:
        operand = builder.operands.get(name)
        return len(operand.indices) if operand else 0

    types = {name: (rank(name), samples.DTYPES[dtype[name]]) for name in dtype}
    kind = np.dtype(oracle.result_dtype(text, types))
    own = next(n for n, known in samples.DTYPES.items() if kind == known)
    return _OTHERS.get(own, own) if builder.chance(8) else own


def _has(text: str, scalar: str) -> bool:
    return re.search(rf"\b{scalar}\b", text) is not None


def _without_zero(
    text: str, left: list[str], operands: dict[str, Operand], dtype: dict[str, str]
) -> bool:
    """Return whether the result has a value where no operand has an entry."""
    ones: dict[str, Any] = {}
    for name, element in dtype.items():
        operand = operands.get(name)
        rank = len(operand.indices) if operand else 0
        ones[name] = np.ones((1,) * rank, samples.DTYPES[element])
        if operand and not operand.dense:
            pattern = np.ones((1,) * rank, bool)
            ones[name] = samples.tensor(pattern, ones[name], operand.levels)
    return not oracle.solve(f"Z[{','.join(left)}] = {text}", ones).sparse
