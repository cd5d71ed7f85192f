"""Random statements on random operands, compared with dense NumPy.

Formats, types, index widths, numbers of parts and threads are drawn, and so are the
order of the loops and choices between variants, which Nacho would make otherwise, and,
now and then, the simulated GPU as the target; with
the same number of parts, a result is the same on any threads. The cases of a block have
their statement and its options in common, which are compiled once, and differ in their
operands. Of three blocks, one reads ranges of its operands, one also asks where values
are the largest, or the smallest, and one computes several cases at once, and into
containers.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import nacho
from nacho import Tensor, UnsupportedError
from nacho._nacho import CHOICES
from nacho_fuzz.farm import BLOCKS, block_of
from nacho_fuzz.suite import checks, oracle, properties

Case = properties.expressions.Case
SIZE = BLOCKS["expressions"]


def run(case: int) -> str:
    """Run a case."""
    block = block_of("expressions", case)
    statement, _, runs = _example(block)
    kernel = _kernel(block)
    if kernel is None:
        return "refused"
    properties.check_run(kernel, statement, runs[case % SIZE])
    if block % 3 == 0:
        _check_places(block, statement, runs[case % SIZE])
    if block % 3 == 1:
        _check_ways(kernel, statement, [runs[(case + n) % SIZE] for n in range(3)])
    return "equal"


def minimise(case: int) -> str:
    """Make a failing case smaller, and return a program that shows the failure."""
    failed: list[tuple[str, str]] = []

    def check(example: Any) -> None:
        statement, options, runs = example
        statement = _ranged(statement, block_of("expressions", case))
        run = runs[case % SIZE]
        try:
            kernel = statement.compile(**options)
            properties.check_run(kernel, statement, run)
        except Exception as error:
            program = _program(statement, options, run)
            failed.append((program, f"{type(error).__name__}: {error}"))
            raise

    try:
        _draw(block_of("expressions", case), [Phase.generate, Phase.shrink], check)
    except Exception:
        program, what = failed[-1]
        return program + "".join(f"# {line}\n" for line in what.splitlines())
    return "# equal\n"


def _draw(block: int, phases: list[Phase], use: Callable[[Any], None]) -> None:
    """Call ``use`` with a block's statement, its options, and the runs of its cases."""
    kinds = (properties.expressions.elementwise, properties.expressions.contractions)
    statements = kinds[block % 2]()
    runs = st.lists(properties.runs(), min_size=SIZE, max_size=SIZE)
    examples = statements.flatmap(
        lambda statement: st.tuples(st.just(statement), _options(statement), runs)
    )

    @seed(block)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(examples)
    def draw(example: Any) -> None:
        use(example)

    draw()


@functools.lru_cache(maxsize=1)
def _example(block: int) -> Any:
    # The first example that Hypothesis draws is always the simplest one.
    drawn: list[Any] = []
    _draw(block, [Phase.generate], drawn.append)
    statement, options, runs = drawn[-1]
    return _ranged(statement, block), options, runs


@functools.lru_cache(maxsize=1)
def _kernel(block: int) -> Any:
    """Compile a block's statement; None if it is refused for the order of its loops."""
    statement, options, _ = _example(block)
    try:
        return statement.compile(**options)
    except UnsupportedError as error:
        if "order" in options and "in the order of loops" in str(error):
            return None
        raise


def _options(statement: Any) -> Any:
    """Return a strategy for options, of which a caller gives none, some or all."""
    forced = st.dictionaries(st.sampled_from(CHOICES), st.booleans())
    # An access that was drawn, and then not used, may have had an index of its own.
    written = ",".join(re.findall(r"\[([^]]*)\]", statement.text)).split(",")
    orders = st.permutations([n for n in statement.indices if n in written])
    targets = st.sampled_from((*["cpu"] * 7, "cuda-sim"))
    return st.fixed_dictionaries(
        {"choices": st.one_of(st.none(), forced), "target": targets},
        optional={"order": orders},
    )


# --- Ranges ---------------------------------------------------------------------------


@dataclasses.dataclass
class _Ranged(Case):
    """A statement whose operands are larger than the parts that it reads."""

    margins: dict[str, list[tuple[int, int]]] = dataclasses.field(default_factory=dict)
    """How much of each dimension lies before a range, and behind it."""

    @property
    def written(self) -> str:
        text = self.text
        for name, margins in self.margins.items():
            part = ", ".join(f"{a or ''}:{-b or ''}" for a, b in margins)
            text = text.replace(f"{name}[", f"{name}[{part}][")
        return text

    def shape(self, name: str, extents: dict[str, int]) -> tuple[int, ...]:
        shape = super().shape(name, extents)
        margins = self.margins.get(name, [(0, 0)] * len(shape))
        return tuple(n + a + b for n, (a, b) in zip(shape, margins, strict=True))

    def seen(self, operands: dict[str, Any]) -> dict[str, Any]:
        return {
            name: self._part(name, whole) if name in self.margins else whole
            for name, whole in operands.items()
        }

    def _part(self, name: str, whole: Any) -> Any:
        pairs = zip(whole.shape, self.margins[name], strict=True)
        return whole[tuple(slice(a, n - b) for n, (a, b) in pairs)]


def _ranged(statement: Any, block: int) -> Any:
    """Return a statement of every third block with ranges for some operands."""
    if block % 3 != 2:
        return statement
    rng = np.random.default_rng((block, 7))
    margins = {
        name: [(int(a), int(b)) for a, b in rng.integers(0, 3, (len(each.indices), 2))]
        for name, each in statement.operands.items()
        if statement.text.count(f"{name}[") == 1
    }
    fields = {f.name: getattr(statement, f.name) for f in dataclasses.fields(Case)}
    return _Ranged(**fields, margins=margins)


# --- Places ---------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def _place_kernel(block: int) -> Any:
    """Compile what says where a block's values are the largest, if that is one."""
    statement, _, _ = _example(block)
    *left, last = statement.result.indices or ("",)
    name, is_real = (
        f"{statement.name}[{','.join(left)}]",
        "c" not in str(statement.dtype),
    )
    if not (last and is_real and statement.exact and not statement.reduction):
        return None
    value = statement.text.partition("=")[2]
    formats = {n: f for n, f in statement.formats.items() if n != statement.name}
    if left:
        formats[statement.name] = "dense"
    types = {n: t for n, t in statement.dtype.items() if n != statement.name}
    text = f"{name if left else statement.name} = {_place_name(block)}({last}, {value})"
    try:
        return nacho.mlir.compile(text, formats, types)
    except UnsupportedError:
        return None


def _place_name(block: int) -> str:
    return ("argmax", "argmin")[block // 6 % 2]


def _check_places(block: int, statement: Any, run: Any) -> None:
    kernel = _place_kernel(block)
    number, extents, kinds, parts, threads = run
    operands = statement.sample(np.random.default_rng(number), extents, kinds)
    answer = oracle.solve(statement.text, operands)
    if kernel is None or not answer.value.shape[-1]:
        return
    try:
        found = np.asarray(kernel(**operands, parts=parts, threads=threads))
    except UnsupportedError:
        return
    values = np.where(answer.pattern, answer.value, 0).astype(float)
    stored = np.broadcast_to(answer.pattern | (not answer.sparse), values.shape)
    values = values if answer.sparse else answer.value.astype(float)
    values = -values if _place_name(block) == "argmin" else values
    for place in np.ndindex(found.shape):
        _check_place(values[place], stored[place], int(found[place]))


def _check_place(values: Any, stored: Any, found: int) -> None:
    """Check the first place of the largest value; rounding may have made it another."""
    if np.isnan(values[stored]).any():
        assert found == np.flatnonzero(stored & np.isnan(values))[0]
        return
    largest = values.max()
    if found < 0:
        assert found == -1
        assert not stored.all()
        assert np.isclose(largest, 0, atol=1e-5)
        assert not (values[stored] > 1e-5).any()
        return
    assert stored[found]
    assert values[found] == largest or np.isclose(values[found], largest, 1e-4, 1e-5)


# --- Other ways to call ---------------------------------------------------------------


def _check_ways(kernel: Any, statement: Any, runs: list[Any]) -> None:
    """Check that problems at once, and results in containers, are those of calls."""
    _, _, _, parts, threads = runs[0]
    how = {"parts": parts, "threads": threads}
    problems = [
        statement.sample(np.random.default_rng(number), extents, kinds)
        for number, extents, kinds, _, _ in runs
    ]
    wanted = [kernel(**problem, **how) for problem in problems]
    for one, other in zip(kernel.map(problems, **how), wanted, strict=True):
        assert checks.same_numbers(one, other)
    room = kernel(**problems[0], **how)
    if not isinstance(room, Tensor | np.ndarray) or not np.ndim(room):
        return
    (room.values if isinstance(room, Tensor) else room)[...] = 1
    assert kernel(**problems[0], **how, out=room) is room
    assert checks.same_numbers(room, wanted[0])


# --- Programs that show a failure -----------------------------------------------------


def _program(statement: Any, options: Any, run: Any) -> str:
    number, extents, kinds, parts, threads = run
    operands = statement.sample(np.random.default_rng(number), extents, kinds)
    shown = "\n".join(f"    {n!r}: {_operand(o)}," for n, o in operands.items())
    return f"""\
from numpy import array, inf, nan

import nacho

operands = {{
{shown}
}}
kernel = nacho.mlir.compile(
    {statement.written!r},
    {statement.formats!r},
    {statement.dtype!r},
    {statement.index!r},
    cost={statement.cost!r},
    **{options!r},
)
print(kernel(**operands, parts={parts}, threads={threads}))
"""


def _operand(value: Any) -> str:
    if not isinstance(value, Tensor):
        # NumPy's text leaves out what is in the middle of a long array.
        return f"array({np.asarray(value).tolist()!r}, {str(value.dtype)!r})[()]"
    pos, crd = (_arrays(arrays) for arrays in (value.pos, value.crd))
    values = f"array({value.values.tolist()!r}, {str(value.values.dtype)!r})"
    given = f"{value.format.name!r}, {value.shape}, {pos}, {crd}, {values}"
    return f"nacho.Tensor.from_parts({given})"


def _arrays(arrays: Any) -> str:
    shown = [
        "None" if each is None else f"array({each.tolist()!r}, {str(each.dtype)!r})"
        for each in arrays
    ]
    return f"[{', '.join(shown)}]"
