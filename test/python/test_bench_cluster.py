"""The benchmark of clusters, and the model of large ones."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from libraries import needed
from nacho._pieces.row_windows import Names, RowsOfPiece, Stretches

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "nacho-bench"))

from nacho_bench import __main__, cluster_model  # noqa: E402
from nacho_bench.simulated_cluster import SimulatedCluster  # noqa: E402


def test_bytes_count_once_for_each_worker():
    engine = SimulatedCluster(4)
    there = engine.put(np.zeros(100), at=0.25)
    for at in (0.25, 0.5, 0.5):
        engine.submit("sum-A", np.sum, there, at=at)
    assert engine.counts.received == {2: 800}
    assert engine.counts.tasks == {"sum": 3}
    more = engine.put(np.zeros(1), at=0.75)
    made = engine.submit("join", list, [more, there])
    assert made.workers <= {1, 2}
    assert engine.counts.moved == 808


def test_the_bound_is_what_is_not_where_most_is():
    engine = SimulatedCluster(2)
    small, large = engine.put(np.zeros(1), at=0.0), engine.put(np.zeros(9), at=0.5)
    engine.submit("compute-A", len, [small], at=0.0)
    engine.submit("compute-B", len, [large], at=0.0)
    assert engine.counts.moved == 72
    assert engine.counts.bound == 8


def test_the_bound_is_of_where_bytes_were_made():
    """A copy that has moved for another task is no reason to move nothing."""
    engine = SimulatedCluster(3)
    made = [engine.put(np.zeros(n), at=at) for n, at in ((4, 0.4), (2, 0.7))]
    for task in ("count", "compute"):
        engine.submit(f"{task}-Z", len, made, at=0.0)
    assert engine.counts.moved == 48
    assert engine.counts.bound == 16


def test_rows_have_the_bytes_of_their_arrays():
    engine = SimulatedCluster(2)
    names = Names.of(np.zeros(1, np.int64), 0, 8)
    runs = Stretches(np.zeros(1, np.int32), np.ones(1, np.int32))
    rows = RowsOfPiece(names, runs, np.zeros(1), np.zeros(1), (0, 1))
    made = engine.submit("rows-B", tuple.__getitem__, engine.put((rows,), at=0.5), 0)
    engine.submit("gather-B", len, [made], at=0.0)
    assert (engine.counts.moved, engine.counts.bound) == (25, 0)


@pytest.mark.parametrize("statement", cluster_model.STATEMENTS, ids=lambda s: s.name)
def test_records(statement):
    operands = statement.make(4000)
    for workers in (1, 16):
        record = cluster_model.counted(statement, operands, workers, seconds=1.0)
        # Where rows are heavy, these are listed, and cut, once more.
        assert record.counts.rounds <= (30 if "SpGEMM" in statement.name else 16)
        assert record.counts.bound <= record.counts.moved
        assert (record.counts.moved == 0) == (workers == 1)
        # Pieces of heavy rows are not as equal as entries are.
        assert 1 <= record.largest < (1.5 if "SpGEMM" in statement.name else 1.1)
        assert 0 < record.efficiency(cluster_model.FAST) <= 1


def test_all_of_a_statement_is_counted():
    """Cuts are searched for, and a part then has three tasks besides those of cuts."""
    statement = cluster_model.STATEMENTS[0]
    record = cluster_model.counted(statement, statement.make(4000), 16, seconds=1.0)
    tasks = dict(record.counts.tasks)
    assert tasks.pop("cut") > 0
    assert tasks.pop("place") <= 2 * 16
    assert tasks.pop("cost") <= 2 * 16 - 1
    assert tasks.pop("search") <= 15
    assert tasks == {"count": 16, "compute": 16, "seal": 16}
    assert record.counts.rounds == 4


def test_a_search_reads_no_dense_operand():
    """Else, it would run where the vector is, and bring the matrix there."""
    (statement,) = (x for x in cluster_model.STATEMENTS if x.name.startswith("SpMV"))
    operands = statement.make(4000)
    record = cluster_model.counted(statement, operands, 16, seconds=1.0)
    assert record.counts.rounds == 3
    most = max(record.counts.received.values())
    assert most < record.needed / 8


def test_the_page_of_the_model(tmp_path, capsys):
    needed("dask", "distributed")
    made = ["--plot", str(tmp_path / "figures"), "--json", str(tmp_path / "raw.json")]
    __main__.main(["--cluster-model", "--quick", *made])
    out = capsys.readouterr().out
    assert "This is a model" in out
    assert "- this machine: " in out
    assert "](figures/cluster-model.svg)" in out
    drawn = (tmp_path / "figures/cluster-model.svg").read_text()
    assert drawn.count("<polyline") == len(cluster_model.STATEMENTS)
    raw = json.loads((tmp_path / "raw.json").read_text())
    assert [each["workers"] for each in raw["records"][:2]] == [10, 100]
    assert all(each["busiest"] <= each["moved"] for each in raw["records"])


def test_the_page_of_a_cluster(capsys):
    needed("dask", "distributed")
    __main__.main(["--cluster", "--quick", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in lines]
    rows = [row for row in rows if row[-1].replace(".", "").isdigit()]
    assert [row[:1] + row[2:3] for row in rows] == [
        [case, way]
        for case in ("addition", "times dense", "SpGEMM")
        for way in ("nacho", "dask.array")
    ]
    assert all(1 <= float(row[4]) <= 2 for row in rows)


def test_the_page_of_balance(tmp_path, capsys):
    asked = ["--kernel", "csr-add", "spgemm-masked", "--workload", "heavy-row-50"]
    raw = ["--json", str(tmp_path / "raw.json")]
    __main__.main(["--cluster-balance", "--quick", "--workers", "4", *asked, *raw])
    lines = capsys.readouterr().out.splitlines()
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in lines]
    added, masked = (row for row in rows if row[1:2] == ["4"])
    assert added[:2] + added[-1:] == ["csr-add", "4", "0 of 1"]
    assert masked[:1] + masked[-1:] == ["spgemm-masked", ""]
    shares = json.loads((tmp_path / "raw.json").read_text())["shares"]
    assert [each["delta"] >= 0 for each in shares] == [True, False]
    assert all(1 <= each["largest"] < 1.2 for each in shares)
