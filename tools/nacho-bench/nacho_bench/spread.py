"""Medians and quartiles of times."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

DISTURBED = 0.15
"""Runs are repeated if their quartiles differ by more than this part of the median."""


class Summary(NamedTuple):
    """Statistics of the runs of one call in seconds; lower and upper are quartiles."""

    median: float
    least: float
    lower: float
    upper: float
    runs: int

    @property
    def spread(self) -> float:
        return (self.upper - self.lower) / self.median if self.median else 0.0

    @property
    def is_disturbed(self) -> bool:
        return self.spread > DISTURBED


def summary(times: Sequence[float]) -> Summary:
    lower, median, upper = np.quantile(np.asarray(times), (0.25, 0.5, 0.75))
    return Summary(float(median), min(times), float(lower), float(upper), len(times))


def calmest(attempts: Sequence[Sequence[float]]) -> Sequence[float]:
    """Return the attempt with the smallest spread."""
    return min(attempts, key=lambda times: summary(times).spread)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean; NaN if there are no values."""
    if not values:
        return math.nan
    return math.exp(sum(math.log(value) for value in values) / len(values))
