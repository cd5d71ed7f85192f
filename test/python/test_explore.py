"""The page of ``nacho explore``: what is on it, and that it needs nothing else.

``test_browser.py`` opens it in a browser.
"""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from markup import loaded, parsed
from nacho import _nacho
from nacho._command import main
from nacho._notation.parser import parse
from nacho._pages.explore import PART_COUNTS, explored
from nacho._pages.page import page_of
from nacho._pages.sample import sampled

A = sp.random_array((50, 40), density=0.2, rng=3, format="csr")
B = sp.random_array((50, 40), density=0.2, rng=4, format="csr")
TEXT = "Z[i,j] = A[i,j] + B[i,j] * C[i,j]"
FORMATS = {"A": "csr", "B": "dcsr", "C": "dcsr", "Z": "csr"}


@pytest.fixture(scope="module")
def found():
    return explored(TEXT, FORMATS)


@pytest.fixture(scope="module")
def page(found):
    return parsed(page_of(found))


def by_id(page, name, kind):
    (found,) = (each for each in page.all(name) if each.attributes.get("id") == kind)
    return found


def test_the_page_is_complete(page):
    assert loaded(page) == []
    (html,) = page.children
    assert [child.name for child in html.children] == ["head", "body"]
    tabs = [each.text for each in page.all("button")]
    stages = nacho.mlir.compile(TEXT, formats=FORMATS).stages
    assert tabs == ["overview", "lattice", *stages, "assembly", "parts"]
    for name in tabs:
        panel = by_id(page, "section", f"panel-{name}")
        assert panel["aria-labelledby"] == by_id(page, "button", f"tab-{name}")["id"]


def test_operands_that_are_made_up_fit_ranges():
    for text, extent in {
        "Z[i,k] = A[:, 2:10][i,j] * B[j,k]": {"A": (64, 64), "B": (8, 64)},
        "Z[i,j] = A[1:][i,j] - A[:-1][i,j]": {"A": (64, 64)},
        "Z[i,j] = A[3,j] * B[i,j]": {"A": (64, 64), "B": (64, 64)},
    }.items():
        made = sampled(parse(text), {"A": "csr"})
        assert {name: operand.shape for name, operand in made.items()} == extent
        assert explored(text, {"A": "csr"}).is_sample


def test_stages_and_assembly_are_those_of_the_kernel(page):
    kernel = nacho.mlir.compile(TEXT, formats=FORMATS)
    texts = {each["data-stage"]: each.text for each in page.all("pre", "code")}
    assert texts.pop("assembly").count("\n") > 100
    assert list(texts) == list(kernel.stages)
    for stage, text in texts.items():
        assert text == kernel.mlir(stage)


def test_the_overview_says_formats_and_the_order(page):
    rows = by_id(page, "section", "panel-overview").all("tr")
    facts = {row.all("th")[0].text: row.all("td")[0].text for row in rows}
    assert facts["formats"] == "A: csr, f64\nB: dcsr, f64\nC: dcsr, f64\nZ: csr, f64"
    assert facts["loop order"].startswith("i, j: the only one in which A, B, C")
    assert facts["nests"] == "i\ni, j"


# --- Lattices -------------------------------------------------------------------------


def test_lattices_are_those_of_the_loops(page):
    panel = by_id(page, "section", "panel-lattice")
    titles = [each.all("b")[0].text.strip() for each in panel.all("figure")]
    merge = "union(A, intersect(B, C))"
    assert titles == [f"loop i over {merge}", f"loop j over {merge}"]
    for svg in panel.all("svg", "lattice"):
        points = {each["data-point"] for each in svg.all("g", "point")}
        assert points == {"A", "B, C", "A, B, C"}
    captions = [each.text for each in panel.all("figcaption")]
    assert ["Dense, with every coordinate: A." in text for text in captions] == [
        True,
        False,
    ]


def loops_of(kernel):
    return _nacho.Kernel(kernel.mlir("loops")).loops()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Z[i,j] = A[i,j] * B[i,j]", {"i": ["AB"], "j": ["AB"]}),
        ("Z[i,j] = (A[i,j] + B[i,j]) * C[i,j]", {"i": ["AC", "BC"], "j": ["AC", "BC"]}),
        ("Z[i,k] = A[i,j] * B[j,k]", {"i": ["A"], "j": ["AB"], "k": ["B"]}),
        ("Z[i,j] = A[i,j] + A[i,j] * B[i,j]", {"i": ["A"], "j": ["A"]}),
    ],
)
def test_lattices_follow_from_merge_expressions(text, expected):
    loops = loops_of(nacho.mlir.compile(text))
    lowest = {loop.index: ["".join(sorted(p)) for p in loop.lowest] for loop in loops}
    assert {index: sorted(points) for index, points in lowest.items()} == expected
    assert [loop.depth for loop in loops] == list(range(len(loops)))


def test_a_loop_over_every_coordinate_has_no_operands_to_wait_for():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + 1", formats={"Z": "dense"})
    assert [loop.lowest for loop in loops_of(kernel)] == [[set()], [set()]]


def test_a_product_of_many_sums_has_too_many_points_to_be_told():
    names = [f"A{n}" for n in range(24)]
    pairs = zip(names[::2], names[1::2], strict=True)
    factors = " * ".join(f"({one}[i] + {other}[i])" for one, other in pairs)
    sparse = dict.fromkeys(names, "sparse-vector")
    found = explored(f"y[i] = {factors}", sparse)
    (lattice,) = found.lattices
    assert lattice.lowest is None
    assert lattice.svg() == ""
    assert lattice.caption == "The lattice has more than 64 points."


# --- Origins --------------------------------------------------------------------------


def origins(found, page, stage):
    """Return, per line of a stage, what the page says that it comes from."""
    data = json.loads(by_id(page, "script", "data").text)
    texts = [origin["text"] for origin in data["origins"]] + [None]
    lines = found.stages[stage].splitlines()
    return dict(zip(lines, (texts[n] for n in data["lines"][stage]), strict=True))


@pytest.mark.parametrize("stage", ["assign", "loops", "remap", "assemble", "scf"])
def test_a_product_comes_from_the_product(found, page, stage):
    products = [
        origin
        for line, origin in origins(found, page, stage).items()
        if "nacho.binary mul" in line or "arith.mulf" in line
    ]
    assert products
    assert set(products) == {"B[i,j] * C[i,j]"}


def test_lines_come_from_operands_and_indices(found, page):
    loops = {line.strip(): o for line, o in origins(found, page, "loops").items()}
    assert loops["%a = nacho.load %A2 : !fiber4"] == "A[i,j]"
    assert loops["nacho.append %add at(%i, %j) : f64"] == "A[i,j] + B[i,j] * C[i,j]"
    assert [o for line, o in loops.items() if line.startswith("%B0")] == ["B"]
    assert [o for line, o in loops.items() if "coiterate %j" in line] == ["j"]
    assert [o for line, o in loops.items() if line.startswith("func.func")] == [None]
    scf = origins(found, page, "scf")
    assert {o for line, o in scf.items() if "%loopsB" in line.split("=")[0]} == {"B"}
    assert {o for line, o in scf.items() if "arith.constant" in line} == {None}


def test_copies_of_names_and_constants_are_told_apart():
    found = explored("Z[i,j] = c[i,j] + a[i,j] * b[i,j] * a[i,j]", {})
    known = found.origins
    assert known.shown(known.of_name("mul")) == "a[i,j] * b[i,j]"
    assert known.shown(known.of_name("mul_1")) == "a[i,j] * b[i,j] * a[i,j]"
    assert known.of_name("c_crd1") == known.of_name("posc") == "c"
    assert known.of_name("7") is None
    lines, copies = found.stages["scf"].splitlines(), 0
    for line, name in zip(lines, found.lines["scf"], strict=True):
        if made := re.match(r" *%([a-z]\w*) = ", line):
            assert name == "" or re.fullmatch(rf"{name}(_\d+)?", made[1])
            copies += name not in ("", made[1])
        if "arith.constant" in line or "func.func" in line:
            assert name == ""
    assert copies


def test_spans_are_places_in_the_expression(page):
    data = json.loads(by_id(page, "script", "data").text)
    for origin in data["origins"]:
        assert origin["spans"]
        for begin, end in origin["spans"]:
            assert TEXT[begin:end] == origin["text"]


# --- Parts ----------------------------------------------------------------------------


def test_cuts_are_those_of_the_partition():
    text, operands = "Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}
    found = explored(text, {}, operands)
    assert not found.is_sample
    for parts in PART_COUNTS:
        expected = nacho.partition(text, parts, "time", **operands)
        for picture in found.patterns:
            np.testing.assert_array_equal(picture.cuts[parts].places, expected.bounds)
    tree = by_id(parsed(page_of(found)), "section", "panel-parts")
    slider = by_id(tree, "input", "slider")
    assert int(slider["max"]) == len(PART_COUNTS) - 1
    for svg in tree.all("svg", "pattern"):
        layers = svg.all("g", "parts")
        counts = [int(layer["data-parts"]) for layer in layers]
        assert counts == [*PART_COUNTS, *PART_COUNTS]
        hidden = ["none" in layer.attributes.get("style", "") for layer in layers]
        assert hidden == 2 * [False, *[True] * (len(PART_COUNTS) - 1)]
        lines = [len(layer.all("polyline", "cut")) for layer in layers]
        assert lines == [0] * len(PART_COUNTS) + [parts - 1 for parts in PART_COUNTS]


def test_operands_that_are_not_given_are_a_sample(found, page):
    assert found.is_sample
    (note,) = by_id(page, "section", "panel-parts").all("p")
    assert note.text.startswith("No operands were given")
    again = explored(TEXT, FORMATS)
    for one, other in zip(found.patterns, again.patterns, strict=True):
        np.testing.assert_array_equal(one.grid.visited, other.grid.visited)


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("s = c + d", {}),
        ("y[i] = b[i] + A[i,j] * x[j]", {"b": "dense", "x": "dense"}),
        ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", {"A": "coo"}),
        ("D[i,j] = A[i,j] + B[i,j]", {"A": "dense", "B": "dense"}),
        ("d[i] = A[i,i]", {}),
        ("Ж[i,j] = Ä[i,j] * ß[i,j]", {"Ä": "coo", "ß": "coo"}),
    ],
)
def test_any_expression_has_a_page(text, formats):
    assert loaded(parsed(page_of(explored(text, formats)))) == []


# --- The command ----------------------------------------------------------------------


def run(*arguments):
    return main(["explore", *arguments])


def test_the_command_writes_the_page(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nacho.write("a.mtx", A)
    assert run("Z[i,j] = A[i,j] * 2", "-f", "A:csr", "-f", "Z:dcsr") == 0
    size = (tmp_path / "explore.html").stat().st_size
    assert capsys.readouterr().out == f"wrote explore.html, {size} bytes\n"
    page = parsed((tmp_path / "explore.html").read_text(encoding="utf-8"))
    assert "Z: dcsr" in by_id(page, "section", "panel-overview").all("td")[0].text
    given = ("Z[i,j] = A[i,j] * 2", "A=a.mtx", "-f", "A:csc", "-f", "Z:csc")
    assert run(*given, "-o", "p.html") == 0
    page = parsed((tmp_path / "p.html").read_text(encoding="utf-8"))
    facts = by_id(page, "section", "panel-overview").all("td")[0].text
    assert facts == "A: csc, f64\nZ: csc, f64"
    assert by_id(page, "section", "panel-parts").all("p") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Z[i,j] = A[i,j",), "expected ']', found the end"),
        (("Z[i,j] = A[i,j]", "-f", "Q:csr"), "'Q' is no tensor of the expression"),
        (("Z[i,j] = A[i,j]", "-f", "A:cs"), "'cs'"),
        (("Z[i,j] = exp(A[i,j])",), "would make the result dense"),
    ],
)
def test_what_is_refused_writes_nothing(
    capsys, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 1
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_help_teaches_by_example(capsys):
    with pytest.raises(SystemExit):
        run("--help")
    assert (
        'nacho explore "Z[i,j] = A[i,j] * B[i,j]" -f A:dcsr' in capsys.readouterr().out
    )
