"""Two levels of cuts: between workers, and between the parts of each.

Parts are drawn twice: along the cost, of which they have equal shares, and along the
coordinates of the outermost loop, of which they have not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._pictures.bars import shown
from nacho._pictures.svg import (
    drawing,
    element,
    label,
    part_color,
    points,
    title,
)

MOST_BOXES = 256
"""More parts are drawn as one box for several neighbours."""

_WIDTH, _HEIGHT = 640.0, 150.0
_LEFT = 70.0
_WORKERS, _COSTS, _COORDINATES = (6.0, 24.0), (32.0, 56.0), (98.0, 122.0)
"""The upper and the lower side of each strip."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The cuts of a nest, and which worker computes which part."""

    title: str
    index: str
    """The index of the outermost loop."""
    costs: NDArray[np.int64]
    """The cost before each cut; the last is the cost of all parts."""
    coordinates: NDArray[np.int64]
    """The coordinates of the cuts in the outermost loop; the last is its extent."""
    workers: tuple[int, ...]
    """The number of the worker that computes each part."""

    @classmethod
    def of(
        cls,
        title: str,
        index: str,
        cuts: NDArray[np.int64],
        workers: Sequence[int],
    ) -> Levels:
        """Return the picture of cuts, which are rows of costs and coordinates."""
        return cls(title, index, cuts[:, 0], cuts[:, 1], tuple(map(int, workers)))

    @property
    def caption(self) -> str:
        """What the picture shows, in a sentence."""
        text = (
            f"Colours are workers. Above, parts are as wide as their cost, "
            f"{shown(float(self.costs[-1]))} in all; below, they are as wide as their "
            f"coordinates '{self.index}'"
        )
        return text + (". A box is several parts." if self._step > 1 else ".")

    @property
    def _step(self) -> int:
        return -(-len(self.workers) // MOST_BOXES)

    def groups(self) -> list[tuple[int, int]]:
        """Return the first part of each group that a worker computes, and its end."""
        owners = np.array(self.workers)
        begins = np.flatnonzero(np.diff(owners)) + 1
        return list(pairwise([0, *begins.tolist(), len(owners)]))

    def boxes(self) -> list[tuple[int, int]]:
        """Return the first part of each box, and the one after its last."""
        return [
            (first, min(first + self._step, end))
            for begin, end in self.groups()
            for first in range(begin, end, self._step)
        ]

    def svg(self) -> str:
        costs = self._places(self.costs)
        rows = self._places(self.coordinates)
        content: list[str] = []
        for first, end in self.groups():
            content.append(self._box("worker", first, end, costs, _WORKERS))
        for first, end in self.boxes():
            corners = [
                (costs[first], _COSTS[1]),
                (costs[end], _COSTS[1]),
                (rows[end], _COORDINATES[0]),
                (rows[first], _COORDINATES[0]),
            ]
            color = part_color(self.workers[first])
            content += [
                self._box("part", first, end, costs, _COSTS),
                element("polygon", points=points(corners), fill=color, opacity=0.35),
                self._box("rows", first, end, rows, _COORDINATES),
            ]
        content += [
            label("workers", _LEFT - 6, _WORKERS[1] - 5, "end"),
            label("cost", _LEFT - 6, _COSTS[1] - 8, "end"),
            label(self.index, _LEFT - 6, _COORDINATES[1] - 8, "end"),
            label("0", _LEFT, _HEIGHT - 10),
            label(shown(float(self.coordinates[-1])), _WIDTH, _HEIGHT - 10, "end"),
        ]
        return drawing("levels", _WIDTH, _HEIGHT, *content, name=self.title)

    def _places(self, values: NDArray[np.int64]) -> list[float]:
        scale = (_WIDTH - _LEFT) / max(int(values[-1]), 1)
        places: list[float] = (_LEFT + scale * values.astype(np.float64)).tolist()
        return places

    def _box(
        self,
        kind: str,
        first: int,
        end: int,
        places: Sequence[float],
        sides: tuple[float, float],
    ) -> str:
        parts = f"part {first}" if end == first + 1 else f"parts {first} to {end - 1}"
        cost = shown(float(self.costs[end] - self.costs[first]))
        text = f"worker {self.workers[first]}, {parts}: cost {cost}"
        return element(
            "rect",
            title(text),
            class_=kind,
            data_first=first,
            x=places[first],
            y=sides[0],
            width=max(places[end] - places[first], 0.5),
            height=sides[1] - sides[0],
            fill=part_color(self.workers[first]),
            stroke="white",
            stroke_width=0.5,
        )

    def plot(self, axes: Any) -> None:
        """Draw the same on axes of matplotlib."""
        lines = (
            (2, self.groups(), self.costs),
            (1, self.boxes(), self.costs),
            (0, self.boxes(), self.coordinates),
        )
        for line, boxes, values in lines:
            places = values / max(int(values[-1]), 1)
            axes.broken_barh(
                [(places[first], places[end] - places[first]) for first, end in boxes],
                (line - 0.4, 0.8),
                facecolors=[part_color(self.workers[first]) for first, _ in boxes],
                edgecolor="white",
            )
        axes.set_yticks([0, 1, 2], [self.index, "cost", "workers"])
        axes.set(title=self.title, xlabel="share of all")
