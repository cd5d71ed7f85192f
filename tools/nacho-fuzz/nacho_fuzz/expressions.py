"""Random statements on random operands, compared with dense NumPy.

Formats, types, index widths, numbers of parts and threads are drawn, and so are
choices between variants, which Nacho would make otherwise; with the same number of
parts, a result is the same on any threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from nacho import Tensor
from nacho._nacho import CHOICES
from nacho_fuzz.suite import properties

RUNS = 3


def run(case: int) -> str:
    """Run a case."""
    drawn: list[Any] = []
    # Hypothesis draws the case; a failure is reported as it is, and not made smaller.
    # The first example that it draws is always the simplest one.
    _draw(case, [Phase.generate], drawn.append)
    _check(drawn[-1], [])
    return "equal"


def minimise(case: int) -> str:
    """Make a failing case smaller, and return a program that shows the failure."""
    failed: list[tuple[str, str]] = []

    def check(example: Any) -> None:
        program: list[str] = []
        try:
            _check(example, program)
        except Exception as error:
            failed.append((program[-1], f"{type(error).__name__}: {error}"))
            raise

    try:
        _draw(case, [Phase.generate, Phase.shrink], check)
    except Exception:
        program, what = failed[-1]
        return program + "".join(f"# {line}\n" for line in what.splitlines())
    return "# equal\n"


def _draw(case: int, phases: list[Phase], use: Callable[[Any], None]) -> None:
    """Call ``use`` with the examples of a case: a statement, its choices, its runs."""
    kind = (
        properties.expressions.contractions()
        if case % 2
        else properties.expressions.elementwise()
    )
    runs = st.lists(properties.runs(), min_size=RUNS, max_size=RUNS)

    @seed(case)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(st.tuples(kind, runs, _choices()))
    def draw(example: Any) -> None:
        use(example)

    draw()


def _choices() -> Any:
    """Return a strategy for choices, of which a caller makes none, some or all."""
    forced = st.dictionaries(st.sampled_from(CHOICES), st.booleans())
    return st.one_of(st.none(), forced)


def _check(example: Any, programs: list[str]) -> None:
    """Run an example. ``programs`` gets a program for each run before it is begun."""
    statement, runs, choices = example
    programs.append(_program(statement, choices, runs[0]))
    kernel = statement.compile(choices=choices)
    for each in runs:
        programs.append(_program(statement, choices, each))
        properties.check_run(kernel, statement, each)


# --- Programs that show a failure -----------------------------------------------------


def _program(statement: Any, choices: Any, run: Any) -> str:
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
    choices={choices!r},
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
