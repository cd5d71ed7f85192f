"""The model of a GPU's time, and how far it is off where it was checked."""

import json
import sys
from pathlib import Path

import pytest

from nacho._kernels import gpu_model
from nacho._kernels.counts import KernelCounts
from nacho._kernels.gpu_model import FITTED, H100, H200, parts, resident_warps, seconds
from nacho._kernels.ptxas import Assembled

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "nacho-bench"))

from nacho_bench import __main__, counted, gpu_model_page  # noqa: E402
from nacho_bench import gpu_model as bench  # noqa: E402
from nacho_bench.files import Store  # noqa: E402
from nacho_bench.kernels import KERNELS  # noqa: E402
from nacho_bench.workloads import SYNTHETIC  # noqa: E402

SMALL = Assembled("k", registers=32, spilled=0, shared=0)
LARGE = Assembled("k", registers=128, spilled=0, shared=32768)
NONE = KernelCounts(*[0] * len(KernelCounts._fields))


def launch(warps=100_000, instructions=1000, **more):
    """Return the counts of a launch of so many equal warps, two in each block."""
    given = {
        "launches": 1,
        "warps": warps,
        "blocks": warps // 2,
        "threads": 64,
        "issued": warps * instructions,
        "longest": instructions,
    }
    return NONE._replace(**given | more)


def test_a_kernel_that_waits_for_nothing_issues_all_the_time():
    counts = launch()
    cycles = counts.issued / (4 * H100.processors * FITTED.peak)
    assert parts(counts, SMALL).issuing == pytest.approx(cycles / H100.clock)
    assert seconds(counts, SMALL) == pytest.approx(cycles / H100.clock + FITTED.start)


def test_waits_need_resident_warps():
    """Where warps wait, those that are resident decide; a large kernel has fewer."""
    assert resident_warps(launch(), SMALL) == 64
    assert resident_warps(launch(), LARGE) == 12
    counts = launch(far_waits=100_000 * 4 * 20)
    times = [seconds(counts, made) for made in (SMALL, LARGE)]
    assert times[1] > 2.5 * times[0]
    assert times[0] == seconds(launch(), SMALL)
    warp = 1000 * FITTED.issue + 20 * FITTED.far
    wanted = 100_000 / (H100.processors * 12) * warp / H100.clock
    assert parts(counts, LARGE).issuing == pytest.approx(wanted)


def test_a_kernel_that_was_not_assembled_has_64_registers():
    made = Assembled("k", registers=64, spilled=0, shared=0)
    assert resident_warps(launch(), None) == resident_warps(launch(), made) == 32


def test_few_warps_take_what_one_takes():
    counts = launch(warps=4, far_waits=4 * 4 * 5, longest_far_waits=4 * 5)
    warp = (1000 * FITTED.issue + 5 * FITTED.far) / H100.clock
    assert seconds(counts, SMALL) == pytest.approx(warp + FITTED.start)
    assert resident_warps(counts, SMALL) == 2


def test_the_longest_warp():
    counts = launch(longest=10_000_000, longest_near_waits=4)
    cycles = 1e7 * FITTED.issue + FITTED.near
    assert parts(counts, SMALL).most == "longest"
    assert seconds(counts, SMALL) == pytest.approx(cycles / H100.clock + FITTED.start)


def test_lines_and_memory():
    counts = launch(lines=10**9)
    cycles = 1e9 * FITTED.line / H100.processors
    assert parts(counts, SMALL).most == "lines"
    assert seconds(counts, SMALL) == pytest.approx(cycles / H100.clock + FITTED.start)
    counts = launch(sectors_moved=10**9)
    assert parts(counts, SMALL).most == "memory"
    times = [seconds(counts, SMALL, gpu) - FITTED.start for gpu in (H100, H200)]
    assert times == pytest.approx([32e9 / H100.bandwidth, 32e9 / H200.bandwidth])


def test_several_launches_take_as_long_as_each_together():
    one = launch(far_waits=10**7, longest_far_waits=100, lines=10**6)
    assert seconds(one + one + one, SMALL) == pytest.approx(3 * seconds(one, SMALL))
    assert seconds(NONE._replace(launches=2), SMALL) == 2 * FITTED.start


def records():
    return json.loads(bench.COUNTED.read_text())["records"]


def test_the_page():
    """The page, and what `explain` says, follow from the raw data and the constants."""
    page = (bench.RESULTS / "gpu-model.md").read_text()
    assert page == gpu_model_page.document(records())
    assert bench.checked(bench.compared(records())) == gpu_model.CHECKED


def test_nine_in_ten_are_close():
    rows = bench.compared(records())
    assert len(rows) >= 40
    assert sum(row.is_close for row in rows) >= 0.9 * len(rows)
    held = [row for row in rows if row.is_held_out]
    assert len(rows) / 4 < len(held) < len(rows) / 2
    assert sum(row.is_close for row in held) >= 0.85 * len(held)


def test_the_constants_are_fitted():
    """None of them, made larger or smaller, would be better by more than it is round.

    Kernels that are held out have no say.
    """
    rows = bench.compared(records())
    used = [row for row in rows if not row.is_held_out]
    found = bench.fitted(rows)
    assert bench.loss(used, FITTED) <= bench.loss(used, found) + 0.01
    wrong = [row._replace(microseconds=1e6) if row.is_held_out else row for row in rows]
    assert bench.fitted(wrong) == found


def test_what_the_model_does_not_know():
    """The model with the bandwidth of memory only is what it was: far too fast."""
    rows = bench.compared(records())
    memory = [
        parts(row.counts, row.made, H200).memory * 1e6 / row.microseconds
        for row in rows
    ]
    assert sorted(memory)[len(memory) // 2] < 0.25


def test_calls_are_counted(tmp_path):
    """Kernels are found by name, blocks and threads; others are left out."""
    kernel, workload = KERNELS["sddmm"], SYNTHETIC["uniform"]
    record = counted.count(kernel, workload, Store(tmp_path, quick=True), tile=None)
    raw = json.loads(json.dumps(bench.raw(record)))
    compute = record.counts["kernel_compute_kernel"]
    measured = {"name": "kernel_compute_kernel", "us": 7.0}
    measured |= {"blocks": compute.blocks, "threads": compute.threads}
    other = measured | {"name": "kernel_cuts_kernel", "blocks": compute.blocks + 1}
    (found,) = bench._matched(raw, [measured, other])
    assert found.counts == compute
    assert found.made == record.made.get("kernel_compute_kernel")
    assert (found.name, found.microseconds) == ("compute", 7.0)


def test_the_command(capsys):
    __main__.main(["--gpu-model", "--table", str(bench.COUNTED)])
    assert capsys.readouterr().out == gpu_model_page.document(records())
    assert bench.selected(["spmv"]) == ["spmv / uniform", "spmv / power-2.0"]
    assert set(bench.CALLS) <= set(bench.measured_calls())
