"""The benchmark's table of what the simulated GPU counts."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "nacho-bench"))

from nacho_bench import __main__, counted  # noqa: E402
from nacho_bench.files import Store  # noqa: E402
from nacho_bench.kernels import KERNELS  # noqa: E402
from nacho_bench.operands import Operands  # noqa: E402
from nacho_bench.workloads import SYNTHETIC  # noqa: E402


@pytest.mark.parametrize("name", ["csr-add", "coo-add", "spmv"])
def test_records(name, tmp_path):
    store = Store(tmp_path, quick=True)
    record = counted.count(KERNELS[name], SYNTHETIC["uniform"], store)
    assert record.parts > 1000
    assert 0 < record.partition < 0.9
    assert record.all.ideal_sectors < record.all.sectors
    assert record.units == record.entries
    assert len(record.row()) == len(counted.HEAD)
    rows = record.kernel_rows()
    assert all(len(row) == len(counted.KERNEL_HEAD) for row in rows)
    largest = max(rows, key=lambda row: float(row[5]))
    assert largest[3] == "compute"


def test_products(tmp_path):
    """Instructions of a product of matrices are for each product of two entries."""
    store = Store(tmp_path, quick=True)
    kernel, workload = KERNELS["spgemm"], SYNTHETIC["uniform"]
    record = counted.count(kernel, workload, store, tile=None)
    assert record.tile == counted.TILES[-1]
    files = {name: str(store.path(workload, name, "product")) for name in "AB"}
    given = Operands("spgemm", files, threads=1)
    ones = [given.csr(name).astype(bool).astype(float) for name in "AB"]
    assert record.units == (ones[0] @ ones[1]).sum()
    # Cuts take so few, by a search that does not look for each run of a list.
    cuts = sum(float(row[5]) for row in record.kernel_rows() if row[3] == "cuts")
    assert 0 < cuts < 1.6


def test_the_table(tmp_path, capsys):
    named = ["--kernel", "csr-mul", "--workload", "power-2.0"]
    small = ["--target", "cuda-sim", "--quick", "--cache", str(tmp_path)]
    __main__.main([*small, *named])
    out = capsys.readouterr().out
    table, kernels = out.split("## Each kernel")
    assert "| run" in kernels
    lines = [each for each in table.splitlines() if each.startswith("| csr-mul")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[:2] + row[3:4] for row in rows] == [
        ["csr-mul", "power-2.0", "0"],
        ["csr-mul", "power-2.0", "64"],
    ]
    alone, together = (float(row[6]) for row in rows)
    assert all(1 <= float(row[7]) <= float(row[6]) for row in rows)
    assert 1 <= together < alone
    assert "It was not measured" in out


def test_no_such_workload(tmp_path):
    with pytest.raises(SystemExit, match="no such workload"):
        __main__.main(
            f"--target cuda-sim --workload hyper-none --cache {tmp_path}".split()
        )
