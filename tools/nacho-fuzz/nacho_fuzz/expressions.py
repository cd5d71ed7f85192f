"""Random statements on random operands, compared with dense NumPy.

Formats, types, index widths, numbers of parts and threads are drawn, and so are the
order of the loops and choices between variants, which Nacho would make otherwise, and,
now and then, the simulated GPU as the target; with
the same number of parts, a result is the same on any threads. The cases of a block have
their statement and its options in common, which are compiled once, and differ in their
operands.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from nacho import Tensor, UnsupportedError
from nacho._nacho import CHOICES
from nacho_fuzz.farm import BLOCKS, block_of
from nacho_fuzz.suite import properties

SIZE = BLOCKS["expressions"]


def run(case: int) -> str:
    """Run a case."""
    block = block_of("expressions", case)
    statement, _, runs = _example(block)
    kernel = _kernel(block)
    if kernel is None:
        return "refused"
    properties.check_run(kernel, statement, runs[case % SIZE])
    return "equal"


def minimise(case: int) -> str:
    """Make a failing case smaller, and return a program that shows the failure."""
    failed: list[tuple[str, str]] = []

    def check(example: Any) -> None:
        statement, options, runs = example
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
    return drawn[-1]


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
    {statement.text!r},
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
