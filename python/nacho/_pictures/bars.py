"""Bars: what each part costs, or how long it takes, against the mean and the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._pictures.svg import (
    BAR_COLOR,
    BOUND_COLOR,
    MEAN_COLOR,
    drawing,
    element,
    label,
    title,
)

MOST_BARS = 128
"""More values share bars: a bar is then as high as the largest of its values."""

_WIDTH, _HEIGHT = 640.0, 150.0
_LEFT, _TOP, _BOTTOM = 70.0, 8.0, 20.0


@dataclass(frozen=True, eq=False)
class Bars:
    """A value for each part or thread."""

    title: str
    what: str
    """What each value belongs to: "part" or "thread"."""
    unit: str
    values: NDArray[np.float64]
    off: float | None = None
    """How far values may be off their mean, if there is such a bound."""

    @classmethod
    def of(
        cls,
        title: str,
        what: str,
        unit: str,
        values: Sequence[float] | NDArray[Any],
        off: float | None = None,
    ) -> Bars:
        bound = None if off is None else float(off)
        return cls(title, what, unit, np.asarray(values, np.float64), bound)

    @property
    def mean(self) -> float:
        return float(self.values.mean()) if self.values.size else 0.0

    @property
    def highest(self) -> float:
        """The value at the upper end of the axis."""
        largest = float(self.values.max(initial=0.0))
        return max(largest, self.mean + (self.off or 0.0)) or 1.0

    @property
    def caption(self) -> str:
        """What the picture shows, in a sentence."""
        text = f"{self.unit} per {self.what}; the line is the mean, {shown(self.mean)}"
        if self.off is not None:
            text += f", and the band is the bound, ±{shown(self.off)}"
        each = self.values_per_bar
        if each > 1:
            text += f". A bar is the largest of {each} neighbours"
        return text + "."

    @property
    def values_per_bar(self) -> int:
        return -(-self.values.size // MOST_BARS)

    def bars(self) -> list[tuple[int, int, float]]:
        """Return for each bar the first value, the last one, and the largest."""
        step = self.values_per_bar
        starts = range(0, self.values.size, step or 1)
        ends = [min(start + step, self.values.size) for start in starts]
        return [
            (start, end - 1, float(self.values[start:end].max()))
            for start, end in zip(starts, ends, strict=True)
        ]

    def svg(self) -> str:
        bottom = _HEIGHT - _BOTTOM
        scale = (bottom - _TOP) / self.highest
        content: list[str] = []
        if self.off is not None:
            upper = bottom - scale * min(self.mean + self.off, self.highest)
            lower = bottom - scale * max(self.mean - self.off, 0.0)
            content.append(_band(upper, lower))
        content += self._columns(bottom, scale)
        level = bottom - scale * self.mean
        content += [
            element(
                "line",
                class_="mean",
                x1=_LEFT,
                x2=_WIDTH,
                y1=level,
                y2=level,
                stroke=MEAN_COLOR,
                stroke_dasharray="4 3",
            ),
            label(shown(self.highest), _LEFT - 6, _TOP + 8, "end"),
            label("0", _LEFT - 6, bottom, "end"),
            label(f"{self.what} 0", _LEFT, _HEIGHT - 5),
            label(f"{self.what} {self.values.size - 1}", _WIDTH, _HEIGHT - 5, "end"),
        ]
        return drawing("bars", _WIDTH, _HEIGHT, *content, name=self.title)

    def _columns(self, bottom: float, scale: float) -> list[str]:
        bars = self.bars()
        pitch = (_WIDTH - _LEFT) / max(len(bars), 1)
        return [
            element(
                "rect",
                title(f"{_named(self.what, first, last)}: {shown(value)} {self.unit}"),
                class_="bar",
                data_first=first,
                data_value=f"{value:.12g}",
                x=_LEFT + place * pitch,
                y=bottom - scale * value,
                width=pitch * 0.85,
                height=scale * value,
                fill=BAR_COLOR,
            )
            for place, (first, last, value) in enumerate(bars)
        ]

    def plot(self, axes: Any) -> None:
        """Draw the same on axes of matplotlib."""
        if self.off is not None:
            low, high = max(self.mean - self.off, 0.0), self.mean + self.off
            axes.axhspan(low, high, color=BOUND_COLOR)
        bars = self.bars()
        axes.bar(
            [first for first, _, _ in bars],
            [value for _, _, value in bars],
            width=0.85 * (self.values_per_bar or 1),
            align="edge",
            color=BAR_COLOR,
        )
        axes.axhline(self.mean, color=MEAN_COLOR, linestyle="--")
        axes.set(title=self.title, xlabel=self.what, ylabel=self.unit)


def shown(value: float) -> str:
    """Return whole numbers in full, and others with four digits or more."""
    if value.is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def _band(upper: float, lower: float) -> str:
    return element(
        "rect",
        class_="bound",
        x=_LEFT,
        y=upper,
        width=_WIDTH - _LEFT,
        height=lower - upper,
        fill=BOUND_COLOR,
    )


def _named(what: str, first: int, last: int) -> str:
    return f"{what} {first}" if first == last else f"{what}s {first} to {last}"
