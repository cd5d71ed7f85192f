"""Pictures as SVG: bars as high as values, lines where cuts are, cells with entries."""

import sys

import numpy as np
import pytest

import nacho
from libraries import needed
from markup import parsed
from nacho._pictures.bars import MOST_BARS, Bars
from nacho._pictures.figure import plotted
from nacho._pictures.lattice import MOST_POINTS, Lattice
from nacho._pictures.levels import MOST_BOXES, Levels
from nacho._pictures.pattern import MOST_CELLS, MOST_REGIONS, Cuts, Grid, Pattern

# --- Bars -----------------------------------------------------------------------------


def test_bars_are_as_high_as_their_values():
    picture = Bars.of("t", "part", "cost", [10, 20, 0, 40], off=5)
    svg = parsed(picture.svg())
    bars = svg.all("rect", "bar")
    heights = [float(bar["height"]) for bar in bars]
    assert [float(bar["data-value"]) for bar in bars] == [10, 20, 0, 40]
    np.testing.assert_allclose(np.array(heights) / heights[1], [0.5, 1, 0, 2], 1e-3)
    bottoms = {float(bar["y"]) + float(bar["height"]) for bar in bars}
    assert max(bottoms) - min(bottoms) < 0.02
    assert [bar.all("title")[0].text for bar in bars[:2]] == [
        "part 0: 10 cost",
        "part 1: 20 cost",
    ]
    # The mean and what is within the bound of it, on the same scale.
    (mean,), (band,) = svg.all("line", "mean"), svg.all("rect", "bound")
    scale = heights[1] / 20
    bottom = max(bottoms)
    assert float(mean["y1"]) == pytest.approx(bottom - 17.5 * scale, abs=0.02)
    assert float(band["height"]) == pytest.approx(10 * scale, abs=0.02)
    assert "17.5" in picture.caption
    assert "±5" in picture.caption


def test_many_values_share_bars_that_hide_no_peak():
    values = np.ones(1000)
    values[777] = 9
    picture = Bars.of("t", "part", "cost", values)
    bars = parsed(picture.svg()).all("rect", "bar")
    assert len(bars) <= MOST_BARS
    (peak,) = (bar for bar in bars if float(bar["data-value"]) == 9)
    first = int(peak["data-first"])
    assert first <= 777 < first + picture.values_per_bar
    assert f"the largest of {picture.values_per_bar} neighbours" in picture.caption


@pytest.mark.parametrize("values", [[], [0], [0, 0]])
def test_nothing_is_drawn_of_no_cost(values):
    svg = parsed(Bars.of("t", "part", "cost", values, off=0).svg())
    assert len(svg.all("rect", "bar")) == len(values)


# --- Patterns -------------------------------------------------------------------------


def dense_grid(shape):
    rows, columns = np.indices(shape).reshape(2, -1)
    return Grid.of(shape, rows, columns)


def pattern(shape, places, is_by_column=False):
    cuts = Cuts(np.array(places), is_by_column)
    return Pattern("t", "c", dense_grid(shape), {cuts.parts: cuts})


def area(corners):
    """Return the area of a polygon, by the trapezoid formula."""
    x, y = np.array(corners).T
    return abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


PLACES = [(0, 0), (2, 3), (2, 5), (3, 1), (4, 0), (4, 0), (8, 0)]


@pytest.mark.parametrize("is_by_column", [False, True])
def test_regions_cover_what_lies_between_cuts(is_by_column):
    picture = pattern((8, 8), PLACES, is_by_column)
    places = np.array(PLACES)
    counts = np.diff(places @ [8, 1])
    unit = (picture.size[0] / 8) ** 2
    polygons = parsed(picture.svg()).all("polygon", "part")
    # The part between equal cuts has no coordinates.
    assert [int(each["data-part"]) for each in polygons] == [0, 1, 2, 3, 5]
    for each in polygons:
        corners = np.reshape(each.numbers("points"), (-1, 2))
        count = counts[int(each["data-part"])]
        assert area(corners) == pytest.approx(count * unit, rel=1e-3)


@pytest.mark.parametrize("is_by_column", [False, True])
def test_lines_are_where_cuts_are(is_by_column):
    picture = pattern((8, 8), PLACES, is_by_column)
    lines = parsed(picture.svg()).all("polyline", "cut")
    assert [int(line["data-cut"]) for line in lines] == [1, 2, 3, 4, 5]
    pixel = picture.size[0] / 8
    for line, (outer, inner) in zip(lines, PLACES[1:-1], strict=True):
        points = np.reshape(line.numbers("points"), (-1, 2)) / pixel
        if is_by_column:
            points = points[:, ::-1]
        # From the end of the line on, a part has the rest of its first row.
        expected = [(8, outer), (inner, outer)]
        if inner:
            expected += [(inner, outer + 1), (0, outer + 1)]
        np.testing.assert_allclose(points[::-1], expected, atol=1e-2)


def test_many_parts_share_regions():
    parts = 10 * MOST_REGIONS + 1
    places = np.zeros((parts + 1, 2), np.int64)
    places[:, 0] = np.arange(parts + 1)
    svg = parsed(pattern((parts, 4), places).svg())
    regions = svg.all("polygon", "part")
    assert len(regions) <= MOST_REGIONS
    assert regions[0].all("title")[0].text == "parts 0 to 10"
    assert len(svg.all("polyline", "cut")) == len(regions) - 1


def test_cells_have_the_entries():
    grid = Grid.of((2, 3), np.array([0, 1, 1]), np.array([2, 0, 1]))
    assert grid.is_exact
    np.testing.assert_array_equal(grid.visited, [[0, 0, 1], [1, 1, 0]])
    (path,) = parsed(Pattern("t", "c", grid).svg()).all("path")
    square = "h0.7v0.7h-0.7z"
    assert path["d"] == f"M2.15 0.15{square}M0.15 1.15{square}M1.15 1.15{square}"


def test_neighbours_share_a_rectangle_where_cells_are_small():
    grid = Grid.of((2, 100), np.array([0, 1, 1]), np.array([2, 0, 1]))
    assert grid.is_exact
    (path,) = parsed(Pattern("t", "c", grid).svg()).all("path")
    assert path["d"] == "M2 0h1v1H2zM0 1h2v1H0z"


def test_entries_that_are_not_visited_are_apart():
    rows, columns = np.array([0, 1, 1]), np.array([2, 0, 1])
    grid = Grid.of((2, 3), rows, columns, np.array([True, False, True]))
    np.testing.assert_array_equal(grid.visited, [[0, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(grid.skipped, [[0, 0, 0], [1, 0, 0]])
    skipped, visited = parsed(Pattern("t", "c", grid).svg()).all("path")
    assert skipped["d"] == "M0.15 1.15h0.7v0.7h-0.7z"
    assert skipped["fill"] != visited["fill"]


def test_millions_of_entries_fit_into_a_small_picture():
    rng = np.random.default_rng(0)
    count, shape = 3_000_000, (2_000_000_000, 50_000)
    rows = (rng.random(count) ** 3 * shape[0]).astype(np.int32)
    columns = rng.integers(shape[1], size=count)
    grid = Grid.of(shape, rows, columns)
    assert grid.visited.sum() == count
    assert max(grid.visited.shape) <= MOST_CELLS
    row, column = rows[5] // grid.steps[0], columns[5] // grid.steps[1]
    assert grid.visited[row, column] > 0
    assert len(Pattern("t", "c", grid).svg()) < 150_000


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (1, 900)])
def test_any_shape_can_be_drawn(shape):
    picture = pattern(shape, [(0, 0), (shape[0], 0)])
    assert len(parsed(picture.svg()).all("svg", "pattern")) == 1


# --- Lattices -------------------------------------------------------------------------


def lattice(*lowest):
    operands = tuple(sorted(set().union(*lowest)))
    points = tuple(frozenset(point) for point in lowest)
    return Lattice("t", points, operands, frozenset())


def test_a_lattice_has_the_unions_of_its_lowest_points():
    found = lattice("A", "BC")
    assert [found.named(point) for point in found.points()] == ["A, B, C", "B, C", "A"]
    edges = {(found.named(one), found.named(other)) for one, other in found.edges()}
    assert edges == {("A, B, C", "B, C"), ("A, B, C", "A")}
    svg = parsed(found.svg())
    places = {
        point["data-point"]: float(point.all("rect")[0]["y"])
        for point in svg.all("g", "point")
    }
    assert places["A, B, C"] < places["A"] == places["B, C"]
    assert len(svg.all("line", "edge")) == 2
    assert found.caption == "A coordinate is visited where {A} or {B, C} has entries."


def test_a_large_lattice_is_told_and_not_drawn():
    found = lattice(*"ABCDEFGH")
    assert found.points() is None
    assert found.svg() == ""
    assert f"more than {MOST_POINTS} points" in found.caption
    assert len(lattice(*"ABCDEF").points()) == 2**6 - 1


# --- Levels ---------------------------------------------------------------------------

CUTS = np.array([[0, 0], [10, 2], [20, 2], [30, 5], [40, 50]])


def levels(workers=(0, 0, 1, 1), cuts=CUTS):
    return Levels.of("levels", "i", cuts, workers)


def test_parts_are_as_wide_as_their_cost_and_as_their_coordinates():
    svg = parsed(levels().svg())
    widths = {
        kind: [float(box["width"]) for box in svg.all("rect", kind)]
        for kind in ("worker", "part", "rows")
    }
    whole = sum(widths["worker"])
    np.testing.assert_allclose(widths["worker"], [whole / 2] * 2, 1e-3)
    np.testing.assert_allclose(widths["part"], [whole / 4] * 4, 1e-3)
    shares = np.array([2, 0, 3, 45]) / 50
    np.testing.assert_allclose(widths["rows"], shares * whole, 1e-3, atol=0.5)
    first, last = (box.all("title")[0].text for box in svg.all("rect", "worker"))
    assert first == "worker 0, parts 0 to 1: cost 20"
    assert last == "worker 1, parts 2 to 3: cost 20"


def test_many_parts_share_boxes_that_no_two_workers_share():
    count = 3 * MOST_BOXES
    cuts = np.arange(count + 1)[:, None].repeat(2, 1)
    picture = levels([0] * 500 + [1] * (count - 500), cuts)
    boxes = picture.boxes()
    assert len(boxes) <= MOST_BOXES + 1
    assert [first for first, _ in boxes if first in (0, 500)] == [0, 500]
    assert "A box is several parts" in picture.caption


def test_nothing_costs_nothing():
    svg = parsed(levels([0], np.zeros((2, 2), np.int64)).svg())
    assert len(svg.all("rect", "part")) == 1


# --- matplotlib -----------------------------------------------------------------------

PICTURES = [
    Bars.of("bars", "part", "cost", [1, 2, 3], off=1),
    pattern((8, 8), PLACES),
    pattern((8, 8), PLACES, is_by_column=True),
    levels(),
]


def test_plot_names_the_package_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(nacho.UnsupportedError, match="pip install matplotlib"):
        plotted(PICTURES)


def test_plot_draws_the_same():
    needed("matplotlib").use("agg")
    figure = plotted(PICTURES)
    bars, pattern, _, levels = figure.axes
    # The band of the bound is a patch, too.
    assert sorted(patch.get_height() for patch in bars.patches) == [1, 2, 2, 3]
    assert bars.get_title() == "bars"
    assert len(pattern.patches) == 5
    assert len(pattern.lines) == 5
    assert [len(each.get_paths()) for each in levels.collections] == [2, 4, 4]
    figure.canvas.draw()
