"""What ``explain`` shows: sections, and pictures of what the compiler has cut."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed
from markup import loaded, parsed
from nacho._kernels import measured
from nacho._kernels.explanation import verdict
from nacho._pictures.bars import Bars
from nacho._pictures.pattern import Pattern

RNG = np.random.default_rng(7)
A = sp.random_array((40, 30), density=0.2, rng=RNG, format="csr")
B = sp.random_array((40, 30), density=0.2, rng=RNG, format="csr")
SQUARE = sp.random_array((30, 30), density=0.2, rng=RNG, format="csr")


def tensor(matrix, format):
    return nacho.asarray(matrix).convert(nacho.Format(format))


def patterns(found):
    return {each.title: each for each in found.pictures if isinstance(each, Pattern)}


def bars(found):
    return {each.title: each for each in found.pictures if isinstance(each, Bars)}


def places(picture):
    (cuts,) = picture.cuts.values()
    return cuts.places


# --- Cuts -----------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo"])
def test_cuts_are_those_of_the_partition(format):
    operands = {"A": tensor(A, format), "B": tensor(B, format)}
    text = "Z[i,j] = A[i,j] + B[i,j]"
    found = nacho.explain(text, **operands, parts=6)
    expected = nacho.partition(text, 6, **operands)
    assert expected.order == (("j", "i") if format == "csc" else ("i", "j"))
    for name in ("A[i,j]", "B[i,j]"):
        picture = patterns(found)[name]
        np.testing.assert_array_equal(places(picture), expected.bounds)
        (cuts,) = picture.cuts.values()
        assert cuts.is_by_column == (format == "csc")
        assert picture.grid.visited.sum() == (A if name[0] == "A" else B).nnz
    costs = bars(found)[f"Cost of each part of the loops {', '.join(expected.order)}"]
    np.testing.assert_array_equal(costs.values, expected.costs)
    assert costs.off == expected.delta


def test_keys_are_drawn_as_rows_and_columns():
    """A loop over keys is cut where a loop over rows and one over columns would be."""
    text = "Z[i,j] = A[i,j] + B[i,j]"
    kernel = nacho.mlir.compile(text, dict.fromkeys("ABZ", "coo"))
    operands = {"A": tensor(A, "coo"), "B": tensor(B, "coo")}
    found = kernel.explain(**operands, parts=5)
    assert "merge-keys" in found.sections["variant"][0]
    plan = kernel.plan(**operands, parts=5)
    assert not plan.choices["merge-keys"]
    np.testing.assert_array_equal(places(patterns(found)["A[i,j]"]), plan.bounds)


def test_positions_agree_with_what_is_drawn():
    """The entries before a cut are as many as the position of the cut says."""
    text, operands = "Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}
    picture = patterns(nacho.explain(text, **operands, parts=5))["A[i,j]"]
    positions = nacho.partition(text, 5, "time", **operands).positions["A"][:, -1]
    keys = A.tocoo().coords[0] * 30 + A.tocoo().coords[1]
    before = [int((keys < row * 30 + col).sum()) for row, col in places(picture)]
    assert before == positions.tolist()


def test_rows_that_no_loop_visits_are_gray():
    a, b = A.toarray(), B.toarray()
    a[::2], b[::3] = 0, 0
    operands = {"A": tensor(sp.csr_array(a), "dcsr"), "B": tensor(b, "dcsr")}
    found = patterns(nacho.explain("Z[i,j] = A[i,j] * B[i,j]", **operands))
    grid = found["A[i,j]"].grid
    assert grid.is_exact
    np.testing.assert_array_equal(np.nonzero(grid.skipped), np.nonzero(a * ~rows(b)))
    np.testing.assert_array_equal(np.nonzero(grid.visited), np.nonzero(a * rows(b)))
    assert "Gray entries" in found["A[i,j]"].caption
    united = patterns(nacho.explain("Z[i,j] = A[i,j] + B[i,j]", **operands))
    assert united["A[i,j]"].grid.skipped is None


def rows(matrix):
    return (matrix != 0).any(axis=1, keepdims=True)


def test_an_operand_whose_rows_are_not_cut_is_drawn_without_cuts():
    found = patterns(nacho.explain("Z[i,k] = A[i,j] * B[j,k]", A=SQUARE, B=SQUARE))
    assert found["A[i,j]"].cuts
    assert not found["B[j,k]"].cuts
    assert "does not run over its rows" in found["B[j,k]"].caption


def test_which_access_is_cut_is_not_guessed():
    (picture,) = patterns(nacho.explain("Z[i,j] = A[i,j] + A[j,i]", A=SQUARE)).values()
    assert not picture.cuts


def test_a_vector_is_a_row_and_a_tensor_is_drawn_by_two_dimensions():
    a = tensor(np.arange(20.0) % 3, "sparse-vector")
    found = patterns(nacho.explain("y[i] = a[i] + b[i]", a=a, b=a, parts=3))
    assert found["a[i]"].grid.shape == (1, 20)
    dense = (RNG.random((4, 5, 6)) < 0.3) * 1.0
    T = nacho.Tensor.from_dense(dense, "csf")
    picture = patterns(nacho.explain("y[i,j] = T[i,j,k] * 2", T=T))["T[i,j,k]"]
    np.testing.assert_array_equal(picture.grid.visited, (dense != 0).sum(axis=2))
    assert "Dimensions 0 and 1 are drawn." in picture.caption


# --- Sections -------------------------------------------------------------------------


def test_compiling_is_apart_from_running():
    found = nacho.explain("Z[i,j] = A[i,j] * 17.25", A=A, parts=4, threads=2)
    compiled, phases, *_ = found.sections["time"]
    assert compiled.startswith("compile ")
    assert compiled.endswith("before the call")
    assert "compute" in phases and "compile" not in phases


def test_parts_and_threads_are_measured():
    found = nacho.explain("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B, parts=6, threads=2)
    times = bars(found)["Time of each part of the loops i, j, alone"].values
    threads = bars(found)["Time of each thread, if parts take as long as alone"].values
    assert len(times) == 6
    assert (times > 0).all()
    assert len(threads) == 2
    assert threads.sum() == pytest.approx(times.sum())
    text = "\n".join(found.sections["time"])
    assert "per part, alone: " in text
    assert "per thread, if parts take as long as alone: " in text
    assert ", of which parts alone " in text


@pytest.mark.parametrize("threads", [1, 3])
def test_what_threads_shared_is_told(threads):
    given = {"A": A, "B": B, "parts": 6, "threads": threads}
    time = nacho.explain("Z[i,j] = A[i,j] + B[i,j]", **given).sections["time"]
    (line,) = [line for line in time if line.startswith("parts done")]
    done, awaited = line.split("; ")
    counts = [int(count) for count in done.split(": ")[1].split(", ")]
    assert 1 <= len(counts) <= threads
    # A call has several loops over the same parts.
    assert sum(counts) >= 6
    assert sum(counts) % 6 == 0
    assert awaited.startswith("others were awaited for ")


def test_threads_take_the_next_part_when_they_are_free():
    assert measured.thread_times([4, 1, 1, 1, 3], 2) == [4, 1 + 1 + 1 + 3]


def test_bytes_are_those_of_arrays():
    found = nacho.explain("Z[i,j] = A[i,j] * 2", A=A)
    read = A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
    moved, rate = found.sections["moved"]
    shown = f"{read / 1e6:.2f} MB"
    assert moved == f"operands {shown}, result {shown}, each array once"
    assert "GB/s" in rate


@pytest.mark.parametrize(
    ("text", "operands", "options", "reason"),
    [
        ("Z[i,j] = A[i,j] + B[i,j]", "AB", {}, "the only one in which A, B can be"),
        ("Z[i,j] = A[i,j] + A[j,i]", "A", {}, "although A has to be transposed"),
        ("Z[i,j] = A[i,j] + B[i,j]", "AB", {"order": "ij"}, "order= asks for it"),
        ("y[j] = x[i] * x[j]", "", {"out": "dense"}, "expected to be the cheapest"),
    ],
)
def test_the_order_has_a_reason(text, operands, options, reason):
    given = dict.fromkeys(operands, SQUARE) or {"x": np.ones(5)}
    *_, last = nacho.explain(text, given, **options).sections["order"]
    assert reason in last
    assert last.startswith("loops ")


def test_kernels_are_named():
    found = nacho.explain("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)
    (names,) = found.sections["kernels"]
    assert "kernel_partition" in names
    assert "kernel_compute" in names


def test_the_simulated_gpu_is_explained_too():
    found = nacho.explain("Z[i,j] = A[i,j] + A[i,j]", A=A, target="cuda-sim")
    assert "not measured" in found.sections["time"][-1]
    assert patterns(found) == {} or "A[i,j]" in patterns(found)


@pytest.mark.parametrize("operator", ["+", "*"])
def test_parts_of_a_device_are_explained(operator):
    """What is computed at once, or again, leaves no cuts; they are found apart."""
    text, operands = f"Z[i,j] = A[i,j] {operator} B[i,j]", {"A": A, "B": B}
    wanted = nacho.partition(text, 6, **operands)
    for _ in range(2):
        found = nacho.explain(text, **operands, target="cuda-sim", parts=6)
        assert f"per part: {', '.join(map(str, wanted.costs))}" in found
        share = wanted.costs.max() * 6 / wanted.total
        assert f"largest {wanted.costs.max()} (balance {share:.3f})" in found


@pytest.mark.parametrize(
    ("text", "operands", "options", "expected"),
    [
        ("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}, {"parts": 6}, "balanced: "),
        ("Z[i,j] = A[i,j] * 2", {"A": A}, {"parts": 1}, "in one part; "),
        ("Z[i,j] = A[i,j] * 2", {"A": A.todia()}, {}, "; operands were copied"),
        ("Z[i,j] = A[i,j] * 2", {"A": A}, {}, "; nothing was copied"),
        ("Z[i,j] = A[i,j] * 2", {"A": A}, {}, "% of memory bandwidth; "),
    ],
)
def test_it_begins_with_a_verdict(text, operands, options, expected):
    found = nacho.explain(text, operands, **options)
    assert next(iter(found.sections)) == "verdict"
    (line,) = found.sections["verdict"]
    assert expected in f"; {line}"
    assert found.startswith(f"verdict     {line}\n")


def test_parts_that_differ_are_called_unbalanced():
    """A row that one part has to own costs more than all others together."""
    line = verdict(4, 2.5, None, is_copied=False)
    assert line == (
        "unbalanced: the heaviest of 4 parts has 2.500 of its share; nothing was copied"
    )


def test_what_is_read_is_not_called_what_is_computed():
    found = nacho.explain("Z[i,k] = A[i,j] * A[j,k]", A=SQUARE)
    assert f"reads about {2 * SQUARE.nnz} entries" in found.sections["workers"][0]


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("Z[i,k] = A[i,j] * B[j,k]", "computes about {} products"),
        ("Z[i,k] = D[i,j] * B[j,k]", "computes about {} products"),
        ("y[i] = A[i,j] * x[j]", "reads about {} entries"),
        ("Z[i,j] = A[i,j] + x[j]", "reads about {} entries"),
    ],
)
def test_products_are_called_so(text, work):
    """Their number is that of the steps of all loops, if it is more than is read."""
    n = SQUARE.shape[0]
    given = {"A": SQUARE, "B": np.ones((n, 30)), "D": np.ones((n, n)), "x": np.ones(n)}
    used = {name: each for name, each in given.items() if f"{name}[" in text}
    count = SQUARE.nnz * 30 if "A[i,j] * B" in text else SQUARE.nnz
    count = n * n * 30 if "D[" in text else count
    found = nacho.explain(text, **used, out="dense")
    assert work.format(count) in found.sections["workers"][0]


# --- HTML -----------------------------------------------------------------------------


def test_html_has_sections_and_pictures(tmp_path):
    found = nacho.explain("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B, parts=6)
    for text in (found._repr_html_(), page(found, tmp_path / "e.html")):
        tree = parsed(text)
        assert loaded(tree) == []
        titles = [(each.all("a") or [each])[0].text for each in tree.all("th")]
        assert titles == list(found.sections)
        assert len(tree.all("svg")) == len(found.pictures)
        # The cuts between six parts of two operands.
        assert len(tree.all("polyline", "cut")) == 2 * 5


def test_words_are_links_to_what_they_mean():
    found = nacho.explain("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B, parts=6)
    tree = parsed(found._repr_html_())
    meanings = dict(
        zip(
            [each["id"] for each in tree.all("dt")],
            [each.text for each in tree.all("dd")],
            strict=True,
        )
    )
    links = tree.all("a")
    assert {each["href"] for each in links} == {f"#{name}" for name in meanings}
    assert all(meanings[each["href"][1:]] == each["title"] for each in links)
    assert {"nacho-part", "nacho-cost", "nacho-share"} <= meanings.keys()
    # The lines of a section stay apart.
    cells = dict(zip(found.sections, tree.all("td"), strict=True))
    assert "white-space: pre-wrap" in cells["cost"]["style"]
    assert cells["cost"].text.count("\n") == len(found.sections["cost"]) - 1


def page(found, path):
    found.to_html(path)
    return path.read_text(encoding="utf-8")


def test_explanations_can_be_plotted():
    needed("matplotlib").use("agg")
    found = nacho.explain("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B, parts=6)
    assert len(found.plot().axes) == len(found.pictures)


# --- Kernels, plans and partitions ----------------------------------------------------


def test_reprs_are_short_and_informative():
    kernel = nacho.mlir.compile(
        "Z[i,j] = c * A[i,j] + B[i,j]", formats={"A": "csr", "B": "dcsr", "Z": "csr"}
    )
    assert repr(kernel) == (
        "<nacho.mlir.Kernel 'Z[i,j] = c * A[i,j] + B[i,j]': c scalar, A csr, B dcsr "
        "-> Z csr, on cpu>"
    )
    plan = kernel.plan(2.0, A, tensor(B, "dcsr"), parts=3, threads=1)
    assert repr(plan) == (
        f"<nacho.mlir.Plan 'Z[i,j] = c * A[i,j] + B[i,j]': 3 parts on 1 thread, "
        f"balance {plan.balance:.3f}, {plan.nnz} entries>"
    )
    cut = nacho.partition("Z[i,j] = A[i,j] + B[i,j]", 3, A=A, B=B, cost="nnz")
    costs = f"{cut.costs.min()} to {cut.costs.max()}"
    shown = f": loops i, j in 3 parts that cost {costs}, within 4 of each other>"
    assert repr(cut) == f"<nacho.Partition{shown}"
    assert repr(cut.nests[0]) == f"<nacho.Nest{shown}"


def test_html_of_kernels_plans_and_partitions():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
    rows = [row.all("td")[0].text for row in parsed(kernel._repr_html_()).all("tr")]
    assert rows[:3] == ["Z[i,j] = A[i,j] + B[i,j]", "A: csr\nB: csr", "Z: csr"]
    tree = parsed(kernel.plan(A, B, parts=4)._repr_html_())
    assert len(tree.all("rect", "bar")) == 4
    assert len(tree.all("polyline", "cut")) == 2 * 3
    cut = nacho.partition("Z[i,j] = A[i,j] + B[i,j]", 5, A=A, B=B)
    for shown in (cut, cut.nests[0]):
        (svg,) = parsed(shown._repr_html_()).all("svg")
        found = [float(bar["data-value"]) for bar in svg.all("rect", "bar")]
        assert found == cut.costs.tolist()


def test_partitions_can_be_plotted():
    needed("matplotlib").use("agg")
    cut = nacho.partition("Z[i,j] = A[i,j] + A[j,i]", 5, A=SQUARE)
    assert len(cut.plot().axes) == len(cut.nests) == 2


def test_few_entries_with_many_products_are_shared():
    """What operands let expect is little; the cuts tell what there is to do."""
    rng = np.random.default_rng(0)
    A, B = sp.csr_array(rng.random((4500, 1))), sp.csr_array(rng.random((1, 4500)))
    text = "Z[i,k] = A[i,j] * B[j,k]"
    wanted = nacho.evaluate(text, A=A, B=B, threads=1)
    explained = str(nacho.explain(text, A=A, B=B))
    assert "(reads about 9000 entries and costs 2" in explained
    assert (nacho.evaluate(text, A=A, B=B) != wanted).nnz == 0
