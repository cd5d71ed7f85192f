"""Random statements on random operands, compared with dense NumPy.

Formats, types, index widths, numbers of parts and threads are drawn; with the same
number of parts, a result is the same on any threads. The cases of a block have their
statement in common, which is compiled once, and differ in their operands.
"""

from __future__ import annotations

import functools
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from nacho_fuzz.farm import block_of
from nacho_fuzz.suite import properties


def _draw(number: int, strategy: Any) -> Any:
    """Return what Hypothesis draws first, apart from the simplest example."""
    drawn = []

    @seed(number)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(example: Any) -> None:
        drawn.append(example)

    draw()
    return drawn[-1]


@functools.lru_cache(maxsize=1)
def _kernel(block: int) -> Any:
    kinds = (properties.expressions.elementwise, properties.expressions.contractions)
    statement = _draw(block, kinds[block % 2]())
    return statement, statement.compile()


def run(case: int) -> str:
    """Run a case."""
    statement, kernel = _kernel(block_of("expressions", case))
    properties.check_run(kernel, statement, _draw(case, properties.runs()))
    return "equal"
