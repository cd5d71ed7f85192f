"""The benchmark's own logic; nothing here depends on how long anything takes."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from libraries import needed

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "tools" / "nacho-bench"
sys.path.insert(0, str(BENCH))
from nacho_bench import __main__, canonical, machine, patterns, table  # noqa: E402
from nacho_bench.build import is_current  # noqa: E402
from nacho_bench.driver import Options, refusal  # noqa: E402
from nacho_bench.files import (  # noqa: E402
    Store,
    data_files,
    data_folder,
    read_entries,
)
from nacho_bench.kernels import KERNELS, dense_shapes, result_shape  # noqa: E402
from nacho_bench.measurement import Measurement  # noqa: E402
from nacho_bench.native import unpacked  # noqa: E402
from nacho_bench.operands import Operands, moved_bytes, packed  # noqa: E402
from nacho_bench.peers.mlir_text import module  # noqa: E402
from nacho_bench.spread import calmest, geometric_mean, summary  # noqa: E402
from nacho_bench.workloads import (  # noqa: E402
    BY_DEFAULT,
    SYNTHETIC,
    Entries,
    from_file,
    size_of,
)

USES = {"matrix": "add", "hyper": "hyper", "tensor": "tensor"}


def made(name, operand="A", use=None):
    workload = SYNTHETIC[name]
    use = use or USES[workload.family]
    return workload.make(operand, size_of(use, quick=True), use)


# --- Workloads ------------------------------------------------------------------------


@pytest.mark.parametrize("name", SYNTHETIC)
def test_workloads_are_the_same_every_time(name):
    first, second = made(name), made(name)
    assert first.shape == second.shape
    assert np.array_equal(first.coords, second.coords)
    assert np.array_equal(first.values, second.values)


@pytest.mark.parametrize("operand", ["A", "B", "C", "M"])
@pytest.mark.parametrize("name", SYNTHETIC)
def test_entries_are_sorted_distinct_and_inside(name, operand):
    coords, values, shape = made(name, operand)
    keys = patterns.linear(coords, shape)
    assert (np.diff(keys) > 0).all()
    assert all(len(column) == len(values) for column in coords)
    for column, extent in zip(coords, shape, strict=True):
        assert column.min() >= 0
        assert column.max() < extent


@pytest.mark.parametrize("name", SYNTHETIC)
def test_operands_have_about_as_many_entries_as_asked_for(name):
    use = USES[SYNTHETIC[name].family]
    wanted = size_of(use, quick=True).nnz
    assert 0.6 * wanted < made(name)[1].size < 1.1 * wanted


def test_operands_of_products_fit():
    for name, workload in SYNTHETIC.items():
        if workload.family != "matrix":
            continue
        a, b, m = (made(name, each, "product").shape for each in "ABM")
        assert a[1] == b[0]
        assert m == (a[0], b[1])


def test_lower_exponents_are_more_skewed():
    spread = [
        np.bincount(made(f"power-{exponent}").coords[0]).std()
        for exponent in (1.6, 2.0, 3.0)
    ]
    assert spread[0] > spread[1] > spread[2]


@pytest.mark.parametrize("share", [50, 90])
def test_a_heavy_row_has_its_share(share):
    rows = made(f"heavy-row-{share}").coords[0]
    assert np.bincount(rows).max() / rows.size == pytest.approx(share / 100, abs=0.02)


def test_half_of_the_entries_are_in_the_heavy_column():
    columns = made("heavy-column").coords[1]
    assert np.bincount(columns).max() / columns.size == pytest.approx(0.5, abs=0.02)


def test_a_stencil_is_symmetric():
    (rows, columns), values, shape = made("stencil-2d")
    pattern = sp.coo_array((np.ones_like(values), (rows, columns)), shape)
    assert (pattern != pattern.T).nnz == 0
    assert np.bincount(rows).max() == 5


def test_skipped_rows_are_those_that_only_a_has():
    a, b = (np.unique(made("hyper-few", each).coords[0]) for each in "AB")
    assert np.intersect1d(a, b).size / a.size == pytest.approx(0.05, abs=0.03)


# --- Files ----------------------------------------------------------------------------


def test_files_of_all_kinds_are_read_alike(tmp_path):
    matrix = sp.random_array((30, 20), density=0.2, rng=np.random.default_rng(3))
    sp.save_npz(tmp_path / "one.npz", matrix.tocsr())
    scipy.io.mmwrite(tmp_path / "two.mtx", matrix)
    coords = np.array(matrix.coords)
    text = np.column_stack([coords.T + 1.0, matrix.data])
    np.savetxt(tmp_path / "three.tns", text)
    np.savez(
        tmp_path / "four.tensor.npz",
        coords=coords.T,
        vals=matrix.data,
        shape=matrix.shape,
    )
    (tmp_path / "readme.md").write_text("not data")
    found = [read_entries(path, Entries) for path in data_files(tmp_path)]
    assert len(found) == 4
    for each in found:
        assert np.array_equal(each.coords, found[0].coords)
        assert np.allclose(each.values, found[0].values)


def test_operands_of_a_file_are_moved_copies(tmp_path):
    matrix = sp.random_array((10, 20), density=0.2, rng=np.random.default_rng(4))
    sp.save_npz(tmp_path / "real.npz", matrix)
    workload = from_file(tmp_path / "real.npz")
    store = Store(tmp_path / "cache", quick=True)
    a, b = (store.path(workload, each, "add") for each in "AB")
    given = Operands("csr-add", {"A": str(a), "B": str(b)}, 1)
    moved = np.roll(given.csr("A").toarray() != 0, 3, axis=1)
    assert np.array_equal(given.csr("B").toarray() != 0, moved)


def cross(n):
    """A full row and a full column: its square takes a little over n^2 products."""
    line, at = np.arange(1, n), np.zeros(n - 1, int)
    coords = np.concatenate([at, [0], line]), np.concatenate([line, [0], at])
    return sp.coo_array((np.ones(2 * n - 1), coords), (n, n))


def test_tensors_of_four_dimensions_are_folded_to_three(tmp_path):
    path = tmp_path / "deep.tns"
    path.write_text("1 1 2 1 1.0\n2 3 1 4 2.0\n1 1 1 3 3.0\n")
    coords, values, shape = read_entries(path, Entries)
    assert shape == (2, 3, 2 * 4)
    assert np.transpose(coords).tolist() == [[0, 0, 2], [0, 0, 4], [1, 2, 3]]
    assert values.tolist() == [3, 1, 2]


def test_files_have_the_names_of_what_they_hold(tmp_path):
    names = ["road-d.NY_part.npz", "kg.tensor.npz", "web-2007.tns", "a.b.mtx"]
    found = [from_file(tmp_path / name) for name in names]
    assert [each.name for each in found] == ["road-d.NY_part", "kg", "web-2007", "a.b"]
    families = ["matrix", "tensor", "tensor", "matrix"]
    assert [each.family for each in found] == families


@pytest.mark.parametrize(
    "n, refused",
    [
        (11_000, []),
        (11_300, ["spgemm", "spgemm-min-plus"]),
        (22_400, ["spgemm", "spgemm-masked", "spgemm-min-plus", "triangles"]),
    ],
)
def test_products_that_are_too_large_are_refused(n, refused):
    matrix = cross(n)
    assert matrix.sum(0) @ matrix.sum(1) == pytest.approx(n * n, rel=0.001)
    reasons = {
        name: refusal(kernel, lambda _: (matrix.coords, matrix.data, matrix.shape))
        for name, kernel in KERNELS.items()
        if kernel.family == "matrix"
    }
    assert [name for name, reason in reasons.items() if reason] == refused
    if len(refused) == 2:
        assert "may have 1.28e+08 entries, more than 1.25e+08" in reasons["spgemm"]
    if len(refused) == 4:
        assert "5.0e+08 multiplications, more than 5.0e+08" in reasons["spgemm"]


# --- Formats and results --------------------------------------------------------------


@pytest.mark.parametrize("format", ["coo", "csf"])
def test_packing_keeps_every_entry(format):
    coords, values, shape = made("zipf-nell-2")
    levels = packed(coords, values, shape, format)
    found = unpacked(levels.pos, levels.crd)
    assert all(map(np.array_equal, found, coords))


def test_bytes_of_a_sum_are_those_of_operands_and_result(tmp_path):
    store = Store(tmp_path, quick=True)
    workload = SYNTHETIC["uniform"]
    files = {each: str(store.path(workload, each, "add")) for each in "AB"}
    given = Operands("csr-add", files, 1)
    total = (given.csr("A") + given.csr("B")).tocoo()
    sizes = [given.csr("A").nnz, given.csr("B").nnz, total.nnz]
    expected = sum(12 * size + 4 * (given.shape[0] + 1) for size in sizes)
    assert moved_bytes(given, total.coords) == expected


def test_canonical_results_are_sorted_and_summed_and_have_no_zeros():
    coords = (np.array([1, 0, 1, 0]), np.array([2, 1, 2, 0]))
    keys, values = canonical.canonical((coords, np.array([1.0, 5, 2, 0]), (2, 3)))
    assert keys.tolist() == [1, 5]
    assert values.tolist() == [5, 3]


def test_dense_results_compare_with_sparse_ones():
    dense = np.array([[0, 2.0], [3, 0]])
    sparse = ((np.array([0, 1]), np.array([1, 0])), np.array([2.0, 3]), (2, 2))
    one, other = map(canonical.canonical, (dense, sparse))
    assert canonical.differ(one, other) == ""


def test_what_is_left_of_a_cancellation_is_no_difference():
    one = canonical.canonical(np.array([1.0, 1e-16]))
    other = canonical.canonical(np.array([1.0, 0]))
    assert canonical.differ(one, other) == ""


def test_digests_do_not_depend_on_the_order():
    coords = (np.array([1, 0, 1]), np.array([2, 1, 0]))
    values = np.array([1.0, 5, 2])
    turned = tuple(column[::-1] for column in coords)
    one = canonical.digest((coords, values, (2, 3)))
    assert canonical.same_digest(one, canonical.digest((turned, values[::-1], (2, 3))))
    assert not canonical.same_digest(one, canonical.digest((turned, values, (2, 3))))


@pytest.mark.parametrize("wrong", [[1.0, 2.001], [1.0, 0], [1.0, np.nan]])
def test_results_that_differ_are_told_apart(wrong):
    right = canonical.canonical(np.array([1.0, 2.0]))
    assert "1 of 2" in canonical.differ(right, canonical.canonical(np.array(wrong)))


def test_the_majority_is_right(tmp_path):
    results = {"scipy": [1.0], "nacho": [2.0], "torch": [2.0]}
    paths = {name: tmp_path / name for name in results}
    for name, values in results.items():
        canonical.write(paths[name], np.array(values))
    right, wrong = canonical.majority(paths, ("scipy",))
    assert right == "nacho"
    assert list(wrong) == ["scipy"]


class Workers:
    """Stands in for the driver: peers that return what they are told to."""

    def __init__(self, folder, results, refuses=()):
        self.options = Options(3, 1, 0.01, 1.0, ("steady", "keep"))
        self.folder, self.results, self.refuses = folder, results, refuses
        self.threads = 1
        self.asked = []

    def having(self, kernel):
        return list(self.results)

    def result(self, peer):
        return self.folder / peer

    def ask(self, peer, do, **arguments):
        self.asked.append((peer, do))
        if do == "prepare" and peer in self.refuses:
            return {"unsuitable": "not this one"}
        if do == "verify":
            found = np.array(self.results[peer])
            if arguments["path"]:
                canonical.write(Path(arguments["path"]), found)
            return {"digest": canonical.digest(found), "seconds": 0.01}
        return {"times": [0.01] * arguments["calls"]} if do == "time" else {}


def test_peers_that_are_wrong_or_refuse_are_not_timed(tmp_path, monkeypatch):
    monkeypatch.setattr(Measurement, "_size", lambda *_: {})
    results = {"nacho": [1.0], "scipy": [1.0], "torch": [2.0], "mkl": [1.0]}
    workers = Workers(tmp_path, results, refuses=("mkl",))
    found = Measurement(workers, KERNELS["csr-add"], {}).run()
    assert list(found["wrong"]) == ["torch"]
    assert found["left_out"] == {"mkl": "not this one"}
    assert found["checked"] == 2
    assert {peer for peer, do in workers.asked if do == "time"} == {"nacho", "scipy"}
    for times in found["times"].values():
        assert [len(each) for each in times.values()] == [3, 3]


def test_results_are_compared_with_those_of_other_threads(tmp_path):
    workers = Workers(tmp_path, {"nacho": [1.0], "scipy": [1.5], "mkl": [1.0, 0]})
    digest = canonical.digest(np.array([1.0]))
    known = {"digest": digest, "nnz": 1, "entries": 1, "bytes": 8}
    found = Measurement(workers, KERNELS["csr-add"], {}, known).run()
    assert list(found["wrong"]) == ["scipy"]
    assert found["bytes"] == 8


def test_peers_take_turns(tmp_path, monkeypatch):
    monkeypatch.setattr(Measurement, "_size", lambda *_: {})
    workers = Workers(tmp_path, {"nacho": [1.0], "scipy": [1.0]})
    workers.options = workers.options._replace(modes=("steady",))
    Measurement(workers, KERNELS["csr-add"], {}).run()
    turns = [peer for peer, do in workers.asked if do == "time"]
    assert turns == ["nacho", "scipy"] * 3


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_can_be_written_for_mlir(name):
    kernel = KERNELS[name]
    shapes = dict.fromkeys(
        kernel.sparse, (4,) * (3 if kernel.family == "tensor" else 2)
    )
    shapes |= dense_shapes(kernel, shapes["A"])
    text = module(kernel, shapes, result_shape(kernel, shapes))
    assert text.count("sparse_tensor.assemble") == len(kernel.sparse)
    assert text.count("affine_map") == len(kernel.formats)


# --- Statistics and tables ------------------------------------------------------------


def test_summaries():
    found = summary([3.0, 1.0, 2.0, 4.0, 100.0])
    assert (found.median, found.least, found.lower, found.upper) == (3, 1, 2, 4)
    assert found.is_disturbed
    assert not summary([1.0, 1.01, 0.99]).is_disturbed
    assert calmest([[1.0, 9.0], [3.0, 3.1]]) == [3.0, 3.1]
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2)


def record(workload, threads, nacho, scipy):
    return {
        "kernel": "csr-add",
        "workload": workload,
        "threads": threads,
        "times": {"steady": {"nacho": [nacho] * 3, "scipy": [scipy] * 3}},
        "shape": [300, 40],
        "stored": 1_000,
        "bytes": 1_000_000,
        "checked": 2,
        "wrong": {"torch": "1 of 9 entries differ"} if workload == "rmat" else {},
        "left_out": {},
    }


@pytest.fixture
def data():
    return {
        "machine": {
            "commit": "0123456789abcdef",
            "changed": False,
            "date": "2030-01-01",
            "cpu": "a processor",
            "cores": 2,
            "memory": 1 << 34,
            "kernel": "6.1",
        },
        "quick": False,
        "bandwidth": {"1": 1e9, "2": 2e9},
        "missing": {"mkl": "no module"},
        "versions": {"nacho": "1", "scipy": "2", "torch": "3"},
        "records": [
            record("uniform", 1, 0.008, 0.008),
            record("uniform", 2, 0.004, 0.008),
            record("rmat", 2, 0.008, 0.004),
        ],
    }


def test_tables_have_ratios_and_bounds(data):
    lines = table.document(data).splitlines()
    row = next(line for line in lines if line.startswith("| uniform"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        "uniform",
        "300x40",
        "1,000",
        "4.00",
        "scipy 8.00",
        "2.00",
        "8.00",
        "",
        "8.00",
        "2.00",
    ]


def test_tables_have_means_and_say_what_is_left_out(data):
    data["records"].append(record("crossed", 2, 0.004, 0.012))
    text = table.document(json.loads(json.dumps(data)))
    both = (
        "real **3.00**, worst 3.00 on crossed; synthetic **1.00**, worst 0.50 on rmat"
    )
    assert f"best peer: {both}" in text
    row = next(line for line in text.splitlines() if line.startswith("| csr-add | 2"))
    assert [cell.strip() for cell in row.strip("|").split("|")][2:-1] == [
        "1",
        "3.00",
        "3.00 (crossed, scipy)",
        "2",
        "1.00",
        "0.50 (rmat, scipy)",
    ]
    assert "mkl: not installed (no module)" in text
    assert "csr-add / rmat / torch: wrong result" in text
    assert "0123456789ab." in text


def test_what_sparsifiers_make_of_a_module_is_compared(data):
    assert "As a sparsifier" not in table.document(data)
    for each, seconds in zip(data["records"], (0.002, 0.001, 0.004), strict=True):
        each["times"]["steady"] |= {"mlir": [0.008], "nacho-sparsifier": [seconds]}
    lines = table.document(data).splitlines()
    first = lines.index("## As a sparsifier, steady mode") + 7
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines[first : first + 4]
    ]
    assert cells == [
        ["csr-add", "1", "1", "4.00", "4.00 (uniform)"],
        ["all of these", "1", "", "**4.00**", ""],
        ["csr-add", "2", "2", "4.00", "2.00 (rmat)"],
        ["all of these", "2", "", "**4.00**", ""],
    ]


def test_figures_are_linked_by_kind(data):
    drawn = ["../skew-csr-add.svg", "../scatter-coo+csr.svg", "../scatter-csr-add.svg"]
    lines = table.document(data, drawn).splitlines()
    first = lines.index("## Figures") + 2
    assert lines[first].endswith(": [csr-add](../skew-csr-add.svg)")
    assert lines[first + 1].endswith(
        ": [coo+csr](../scatter-coo+csr.svg), [csr-add](../scatter-csr-add.svg)"
    )
    assert "## Figures" not in table.document(data)


def test_every_kernel_has_an_expression_of_its_operands():
    for kernel in KERNELS.values():
        assert all(f"{name}[" in kernel.expression for name in kernel.operands)


def test_peers_are_compiled_when_a_source_is_newer(tmp_path):
    made, source = tmp_path / "peer.so", tmp_path / "peer.c"
    source.write_text("")
    assert not is_current(made, [source])
    made.write_text("")
    os.utime(source, ns=(5, 5))
    os.utime(made, ns=(6, 6))
    assert is_current(made, [source])
    os.utime(source, ns=(7, 7))
    assert not is_current(made, [source])


# --- A run ----------------------------------------------------------------------------


def bench(*arguments):
    paths = [str(BENCH), str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", "nacho_bench", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_quick_run_makes_tables(tmp_path):
    raw = tmp_path / "raw.json"
    options = ["--quick", "--mode", "both", "--peers", "nacho", "scipy", "--json", raw]
    options += ["--cache", tmp_path / "cache", "--threads", "1"]
    options += ["--kernel", "csr-add", "spmv", "--workload", "heavy-row-50"]
    done = bench(*options)
    assert done.returncode == 0, done.stderr
    data = json.loads(raw.read_text())
    assert [r["kernel"] for r in data["records"]] == ["csr-add", "spmv"]
    for each in data["records"]:
        assert each["checked"] == 2
        assert not each["wrong"]
        assert not each["left_out"]
        assert set(each["times"]) == {"steady", "keep"}
        assert len(each["times"]["steady"]["nacho"]) == 5
    assert "| heavy-row-50 |" in done.stdout
    again = bench("--table", raw)
    assert again.stdout == done.stdout


def test_a_run_is_resumed_where_it_was_interrupted(tmp_path):
    raw = tmp_path / "raw.json"
    options = ["--quick", "--peers", "nacho", "scipy", "--json", raw, "--threads", "1"]
    options += ["--cache", tmp_path / "cache", "--workload", "uniform"]
    assert bench(*options, "--kernel", "spmv").returncode == 0
    (first,) = json.loads(raw.read_text())["records"]
    done = bench(*options, "--kernel", "spmv", "csr-mul", "--resume")
    assert done.returncode == 0, done.stderr
    assert "spmv on uniform" not in done.stderr
    found = json.loads(raw.read_text())
    assert found["records"][0] == first
    assert [r["kernel"] for r in found["records"]] == ["spmv", "csr-mul"]
    found["machine"]["commit"] = "another"
    raw.write_text(json.dumps(found))
    done = bench(*options, "--resume")
    assert done.returncode != 0
    assert "another commit" in done.stderr


def test_other_programs_keep_the_cores_busy(tmp_path):
    raw = tmp_path / "raw.json"
    options = ["--quick", "--peers", "nacho", "scipy", "--json", raw, "--threads", "1"]
    options += ["--cache", tmp_path / "cache", "--workload", "uniform"]
    done = bench(*options, "--kernel", "spmv", "--beside", "2")
    assert done.returncode == 0, done.stderr
    assert "while 2 other programs kept the\nprocessors busy" in done.stdout
    data = json.loads(raw.read_text())
    (record,) = data["records"]
    for times in (record["times"]["steady"], record["beside"]):
        assert len(times["nacho"]) == len(times["scipy"]) == 5
    summary = next(line for line in done.stdout.split("\n") if "| spmv " in line)
    beside, cold = summary.split("|")[-3:-1]
    ours, theirs = (np.median(record["beside"][peer]) for peer in ("nacho", "scipy"))
    assert beside.strip() == f"{theirs / ours:.2f}"
    assert cold.strip() == f"{1e3 * data['cold']['spmv']:.0f}"
    done = bench(*options, "--beside", "2", "--mode", "keep")
    assert done.returncode != 0
    assert "--beside is for the mode steady" in done.stderr
    done = bench(*options, "--resume")
    assert done.returncode != 0
    assert "another --beside" in done.stderr


def test_neighbours_end_with_what_they_are_beside():
    def children():
        found = set()
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                text = path.read_text()
                state, parent = text[text.rindex(")") + 2 :].split()[:2]
                if int(parent) == os.getpid() and state != "Z":
                    found.add(path.parent.name)
        return found

    before = children()
    with machine.neighbours(2):
        assert len(children() - before) == 2
    assert children() == before


def test_another_checkout_is_a_peer(tmp_path):
    other = tmp_path / "other"
    (other / "python").mkdir(parents=True)
    (other / "python" / "nacho").symlink_to(ROOT / "python" / "nacho")
    raw = tmp_path / "raw.json"
    options = ["--quick", "--threads", "1", "--json", raw, "--against", other]
    options += ["--cache", tmp_path / "cache", "--kernel", "csr-add"]
    done = bench(*options, "--workload", "uniform")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(raw.read_text())["records"]
    assert set(found["times"]["steady"]) == {"nacho", "before"}
    assert found["checked"] == 2


def test_models_are_calibrated(tmp_path):
    raw = tmp_path / "parts.json"
    options = ["--calibrate", "--quick", "--cache", tmp_path / "cache"]
    options += ["--kernel", "csr-add", "--workload", "uniform", "hyper-few"]
    done = bench(*options, "--json", raw)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(raw.read_text())["parts"]
    assert found["workload"] == "uniform"
    assert min(found["spreads"].values()) >= 1
    assert "| nnz+loops |" in done.stdout
    assert bench("--calibrate", "--table", raw).stdout == done.stdout


def test_choices_are_compared_with_those_that_are_forced(tmp_path):
    raw = tmp_path / "regret.json"
    options = ["--regret", "--quick", "--rounds", "1", "--cache", tmp_path / "cache"]
    options += ["--kernel", "csr-add", "--workload", "uniform"]
    done = bench(*options, "--json", raw)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(raw.read_text())["regret"]
    assert (found["kernel"], found["workload"]) == ("csr-add", "uniform")
    assert 0 < found["best"] <= found["chosen"]
    assert "of 1 calls" in done.stdout


def test_a_checkout_that_is_not_built_is_refused(tmp_path):
    done = bench("--cache", tmp_path, "--against", tmp_path)
    assert done.returncode != 0
    assert "run tools/dev build there" in done.stderr


def test_files_are_listed_with_the_kernels_that_they_are_used_for(tmp_path):
    sp.save_npz(tmp_path / "crossed.npz", cross(22_400))
    (tmp_path / "cubic.tns").write_text("1 1 1 2.0\n3 2 4 1.0\n")
    cache = ["--cache", tmp_path / "cache"]
    lines = bench("--list", *cache, "--data", tmp_path).stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("  crossed:"))
    assert lines[at].endswith(": 22400x22400, 44,799 entries")
    matrix, refused, _, tensor = lines[at + 1 : at + 5]
    assert matrix.split()[:3] == ["for", "csr-add,", "csr-add3,"]
    assert "spgemm" not in matrix
    products = ["spgemm,", "spgemm-masked,", "spgemm-min-plus,", "triangles"]
    assert refused.split(":")[0].split() == ["not", "for", *products]
    assert tensor.split()[0] == "for"
    assert "csf-add" in tensor
    assert "csr" not in tensor
    # The folder is remembered, but not by runs that keep operands elsewhere.
    assert bench("--list", *cache).stdout.splitlines() == lines
    assert "crossed" not in bench("--list", "--cache", tmp_path / "other").stdout


def test_a_folder_that_is_gone_is_not_measured(tmp_path):
    files, cache = tmp_path / "files", tmp_path / "cache"
    files.mkdir()
    assert data_folder(cache, files) == files
    assert data_folder(cache, None) == files.resolve()
    files.rmdir()
    assert data_folder(cache, None) is None


def test_files_are_measured_beside_synthetic_workloads(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    sp.save_npz(files / "crossed.npz", cross(20))

    def names(*options):
        given = ["--cache", str(tmp_path / "cache"), *options]
        found = __main__.workloads_of(__main__.arguments(given))
        return [workload.name for workload in found]

    assert names() == [*BY_DEFAULT]
    assert names("--data", str(files)) == ["crossed", *BY_DEFAULT]
    assert names() == ["crossed", *BY_DEFAULT]
    assert names("--workload", "real") == ["crossed"]
    assert names("--workload", "synthetic") == [*BY_DEFAULT]
    assert names("--workload", "rmat", "crossed") == ["rmat", "crossed"]
    assert names("--plot", str(tmp_path)) == ["crossed", *SYNTHETIC]


def test_a_file_with_the_name_of_a_workload_is_refused(tmp_path):
    sp.save_npz(tmp_path / "rmat.npz", cross(20))
    done = bench("--list", "--cache", tmp_path / "cache", "--data", tmp_path)
    assert done.returncode != 0
    assert "rmat.npz: its name is taken" in done.stderr


def test_a_run_says_what_is_refused(tmp_path):
    raw, files = tmp_path / "raw.json", tmp_path / "files"
    files.mkdir()
    sp.save_npz(files / "crossed.npz", cross(11_300))
    options = ["--quick", "--peers", "nacho", "scipy", "--threads", "1", "--json", raw]
    options += ["--cache", tmp_path / "cache", "--data", files, "--workload", "real"]
    done = bench(*options, "--kernel", "spmv", "spgemm")
    assert done.returncode == 0, done.stderr
    assert "spgemm on crossed: left out, its result may have 1.28e+08" in done.stderr
    data = json.loads(raw.read_text())
    (found,) = data["records"]
    assert (found["kernel"], found["workload"]) == ("spmv", "crossed")
    assert (found["shape"], found["stored"]) == ([11_300, 11_300], 22_599)
    assert "| crossed  | 11300x11300 | 22,599  |" in done.stdout
    reason = data["refused"]["spgemm / crossed"]
    assert f"- spgemm / crossed: left out: {reason}" in done.stdout


def test_figures_of_raw_data_are_linked_from_beside_them(
    tmp_path, data, monkeypatch, capsys
):
    raw, figures = tmp_path / "raw.json", tmp_path / "figures"
    raw.write_text(json.dumps(data))
    drawn = [figures / "skew-csr-add.svg"]
    monkeypatch.setattr(__main__, "plot", lambda found, folder: drawn)
    __main__.main(["--table", str(raw), "--plot", str(figures)])
    assert "[csr-add](figures/skew-csr-add.svg)" in capsys.readouterr().out


def test_figures_are_drawn_from_raw_data(tmp_path, data):
    needed("matplotlib")
    data["records"].append(record("power-2.0", 2, 0.003, 0.009))
    raw = tmp_path / "raw.json"
    raw.write_text(json.dumps(data))
    done = bench("--table", raw, "--plot", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert "[csr-add](figures/scatter-csr-add.svg)" in done.stdout
    drawn = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert drawn == ["scatter-csr-add.png", "scatter-csr-add.svg"]


def test_without_what_draws_the_tables_are_printed(tmp_path, data, monkeypatch):
    raw, blocked = tmp_path / "raw.json", tmp_path / "blocked"
    raw.write_text(json.dumps(data))
    blocked.mkdir()
    (blocked / "matplotlib.py").write_text("raise ImportError('it is not there')")
    monkeypatch.setenv("PYTHONPATH", str(blocked))
    done = bench("--table", raw, "--plot", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert "no figures are drawn: it is not there" in done.stderr
    assert done.stdout == table.document(data)


def test_what_is_unknown_is_refused(tmp_path):
    for options in (["--workload", "no-such"], ["--peers", "no-such"]):
        done = bench("--cache", tmp_path, "--kernel", "csr-add", *options)
        assert done.returncode != 0
        assert "no-such" in done.stderr
