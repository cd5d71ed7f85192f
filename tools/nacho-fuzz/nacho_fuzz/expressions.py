"""Random statements on random operands, compared with dense NumPy.

Formats, types, index widths, numbers of parts and threads are drawn; with the same
number of parts, a result is the same on any threads.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from nacho_fuzz.suite import properties

RUNS = 3


def run(case: int) -> str:
    """Run a case."""
    kind = (
        properties.expressions.contractions()
        if case % 2
        else properties.expressions.elementwise()
    )
    runs = st.lists(properties.runs(), min_size=RUNS, max_size=RUNS)

    # Hypothesis draws the case; a failure is reported as it is, and not made smaller.
    # The first example that it draws is always the simplest one.
    drawn = []

    @seed(case)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.tuples(kind, runs))
    def draw(example: Any) -> None:
        drawn.append(example)

    draw()
    statement, drawn_runs = drawn[-1]
    kernel = statement.compile()
    for each in drawn_runs:
        properties.check_run(kernel, statement, each)
    return "equal"
