"""The figures of the paper, drawn from the raw data of a run."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from nacho_bench.kernels import KERNELS
from nacho_bench.peers import NAMES, OURS
from nacho_bench.progress import say
from nacho_bench.table import Row, rows_of

_SWEEP = "power-"
_TICKS = (1, 1.5, 2, 3, 5, 7)
_STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "grid.alpha": 0.3,
    "savefig.dpi": 150,
    "svg.hashsalt": "nacho",
}


def draw(data: dict[str, Any], folder: Path) -> list[Path]:
    """Draw all figures for which there are data, as PNG and SVG; return the SVGs."""
    folder.mkdir(parents=True, exist_ok=True)
    threads = max((record["threads"] for record in data["records"]), default=1)
    drawn = []
    with plt.rc_context(_STYLE):
        for kernel in KERNELS:
            rows = rows_of(data, kernel, threads, "steady")
            rows = [row for row in rows if row.ours]
            sweep = [row for row in rows if row.workload.startswith(_SWEEP)]
            if len(sweep) > 2:
                drawn.append(_save(folder, "skew", kernel, partial(_skew, rows=sweep)))
            rated = [row for row in rows if row.ratio]
            if len(rated) > 2:
                plot = partial(_scatter, rows=rated)
                drawn.append(_save(folder, "scatter", kernel, plot))
        if data.get("heat"):
            plot = partial(_heat, heat=data["heat"])
            drawn.append(_save(folder, "remap", "dcsr-mul", plot))
    return drawn


def _save(folder: Path, kind: str, kernel: str, plot: Callable[[Any], None]) -> Path:
    figure, axes = plt.subplots(figsize=(6.5, 3.6))
    axes.set_title(f"{kernel}: {KERNELS[kernel].expression}")
    plot(axes)
    path = folder / f"{kind}-{kernel}.svg"
    figure.savefig(path, metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"))
    plt.close(figure)
    say(f"drew {path} and .png")
    return path


def _color(peer: str) -> Any:
    """Return the color of a peer: the same in every figure."""
    return "black" if peer == OURS else plt.get_cmap("tab10")(NAMES.index(peer) - 1)


def _peers(rows: list[Row]) -> list[str]:
    return [name for name in NAMES if any(name in row.found for row in rows)]


def _skew(axes: Any, rows: list[Row]) -> None:
    """Draw the time over the exponent of the power law; low exponents are skewed."""
    rows = sorted(rows, key=lambda row: row.workload)
    for peer in _peers(rows):
        points = [
            (float(row.workload.removeprefix(_SWEEP)), row.found[peer].median * 1e3)
            for row in rows
            if peer in row.found
        ]
        width = 2.2 if peer == OURS else 1.2
        axes.plot(
            *zip(*points, strict=True),
            marker="o",
            markersize=3,
            linewidth=width,
            color=_color(peer),
            label=peer,
        )
    axes.set_xticks([float(row.workload.removeprefix(_SWEEP)) for row in rows])
    axes.set_xlabel("exponent of the power law (lower: more skewed)")
    axes.set_ylabel("ms")
    _finish(axes)


def _scatter(axes: Any, rows: list[Row]) -> None:
    """Draw the speed-up over each peer on every workload.

    The workloads are sorted by the speed-up over the best peer.
    """
    rows = sorted(rows, key=lambda row: row.ratio or 0)
    for peer in _peers(rows):
        if peer == OURS:
            continue
        points = [
            (place, row.found[peer].median / row.ours.median)
            for place, row in enumerate(rows)
            if peer in row.found and row.ours
        ]
        axes.scatter(
            *zip(*points, strict=True), s=14, color=_color(peer), label=peer, alpha=0.8
        )
    axes.axhline(1, color="black", linewidth=1, zorder=0.5)
    names = [row.workload for row in rows]
    axes.set_xticks(range(len(rows)), names, rotation=90, fontsize=7)
    axes.set_xlabel("workload, by the speed-up over the best peer")
    axes.set_ylabel("speed-up of nacho")
    _finish(axes)


def _finish(axes: Any) -> None:
    """Make the ordinate logarithmic, and put the legend beside the axes."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=_TICKS))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.figure.legend(loc="outside right center", fontsize=7, frameon=False)


def _heat(axes: Any, heat: list[dict[str, float]]) -> None:
    """Draw the gain of remapping as a heat map, by skew and skipped rows."""
    exponents = sorted({point["exponent"] for point in heat})
    skipped = sorted({point["skipped"] for point in heat})
    gains = {(point["exponent"], point["skipped"]): point["gain"] for point in heat}
    grid = [[gains.get((e, s), math.nan) for s in skipped] for e in exponents]
    shown = axes.imshow(grid, cmap="viridis", aspect="auto", origin="lower")
    for y, row in enumerate(grid):
        for x, gain in enumerate(row):
            color = "black" if shown.norm(gain) > 0.6 else "white"
            axes.text(x, y, f"{gain:.2f}", ha="center", va="center", color=color)
    axes.grid(False)
    axes.set_xticks(range(len(skipped)), [f"{100 * each:.0f} %" for each in skipped])
    axes.set_yticks(range(len(exponents)), [f"{each:.1f}" for each in exponents])
    axes.set_xlabel("rows of A that are skipped")
    axes.set_ylabel("exponent of the power law")
    axes.figure.colorbar(shown, label="time with remap=False / with remap")
