"""The benchmark in a short time on a GPU: its order, its end, and single kernels."""

import json
import sys
import types
from pathlib import Path

import pytest

import fake_cuda

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "nacho-bench"))

from nacho_bench import __main__, launches, session  # noqa: E402
from nacho_bench.kernels import KERNELS  # noqa: E402
from nacho_bench.workloads import SYNTHETIC, from_file  # noqa: E402

# --- The order, and the end -----------------------------------------------------------


def named(pairs):
    return [f"{kernel.name} {workload.name}" for kernel, workload in pairs]


def test_the_slowest_workload_of_each_kernel_comes_first(tmp_path):
    real = from_file(tmp_path / "real.npz")
    workloads = [SYNTHETIC["uniform"], SYNTHETIC["banded"], real]
    pairs = [(KERNELS[k], w) for k in ("csr-mul", "csr-add", "spmv") for w in workloads]
    known = {
        ("csr-add", "banded"): 0.2,
        ("csr-add", "uniform"): 3.0,
        ("spmv", "uniform"): 0.1,
        ("spmv", "banded"): 0.15,
    }
    assert named(session.most_wanted(pairs, known)) == [
        "spmv uniform",
        "csr-add banded",
        "csr-mul real",
        "csr-add real",
        "spmv real",
        "csr-mul uniform",
        "csr-mul banded",
        "csr-add uniform",
        "spmv banded",
    ]


def test_ratios_are_those_of_the_last_times(tmp_path):
    steady = {"nacho": [4.0, 2.0, 3.0], "torch": [6.0], "cupy": [1.5, 1.5]}
    alone = {"nacho": [1.0]}
    records = [
        {"kernel": "spmv", "workload": "uniform", "times": {"steady": steady}},
        {"kernel": "spmm", "workload": "uniform", "times": {"steady": alone}},
    ]
    path = tmp_path / "times.json"
    path.write_text(json.dumps({"records": records}))
    assert session.ratios(path) == {("spmv", "uniform"): 0.5}
    assert session.ratios()["spmv", "uniform"] < 0.2


def test_a_budget(monkeypatch):
    now = 100.0
    monkeypatch.setattr(session.time, "monotonic", lambda: now)
    budgets = [session.Budget(None), session.Budget(1)]
    assert [budget.is_over() for budget in budgets] == [False, False]
    now = 159.0
    assert [budget.is_over() for budget in budgets] == [False, False]
    now = 160.0
    assert [budget.is_over() for budget in budgets] == [False, True]


def test_minutes_are_for_a_gpu(capsys):
    with pytest.raises(SystemExit):
        __main__.arguments(["--minutes", "8"])
    assert "--minutes is for --gpu" in capsys.readouterr().err


def test_what_is_left_is_measured_later(tmp_path, monkeypatch, capsys):
    """What took no time is there after the next run, which resumes it."""
    monkeypatch.setenv("NACHO_LIBCUDA", str(fake_cuda.LIBRARY))
    raw = tmp_path / "raw.json"
    given = ["--gpu", "--quick", "--kernel", "spmv", "--workload", "uniform", "banded"]
    given += ["--peers", "nacho", "--cache", str(tmp_path), "--json", str(raw)]
    over = iter([False, True])
    monkeypatch.setattr(session.Budget, "is_over", lambda budget: next(over, False))
    __main__.main([*given, "--minutes", "8"])
    assert "--resume measures the rest" in capsys.readouterr().err
    # The driver of tests has no profiler, and the peer PyTorch may not be there.
    (record,) = json.loads(raw.read_text())["records"]
    worst = min(("uniform", "banded"), key=lambda name: session.ratios()["spmv", name])
    assert record["workload"] == worst
    assert set(record["profile"]) == {"unknown"}
    __main__.main([*given, "--resume"])
    records = json.loads(raw.read_text())["records"]
    assert {each["workload"] for each in records} == {"uniform", "banded"}


# --- Single kernels -------------------------------------------------------------------


def kernel(name, begin, **more):
    shape = {"grid": [7, 1, 1], "block": [64, 1, 1]}
    made = {"registers per thread": 40, "shared memory": 512}
    event = {"ph": "X", "cat": "kernel", "name": name, "ts": begin, "dur": 2.5}
    return event | {"args": shape | made} | more


TRACE = {
    "traceEvents": [
        kernel("second", 20),
        kernel("first", 10, dur=4.0),
        {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "ts": 1, "dur": 1},
        {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "ts": 2, "dur": 1},
        {"ph": "X", "cat": "cuda_runtime", "name": "cuLaunchKernel", "ts": 5, "dur": 1},
        {"ph": "M", "name": "process_name"},
    ]
}


def test_events_of_a_trace():
    found = launches.events(TRACE)
    assert found["copies"] == {"Memset (Device)": 2}
    assert [each["name"] for each in found["launches"]] == ["first", "second"]
    shape = {"blocks": 7, "threads": 64, "registers": 40, "shared": 512}
    assert found["launches"][0] == {"name": "first", "us": 4.0, **shape}


@pytest.fixture
def torch(monkeypatch):
    """PyTorch with a profiler that has seen ``TRACE``."""
    calls = []

    class Profile:
        trace = TRACE

        def __init__(self, activities):
            calls.append(activities)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            calls.append("ended")

        def export_chrome_trace(self, path):
            Path(path).write_text(json.dumps(self.trace))

    made, profiler = types.ModuleType("torch"), types.ModuleType("torch.profiler")
    made.cuda = types.SimpleNamespace(synchronize=lambda: calls.append("waited"))
    made.profiler = profiler
    profiler.profile = Profile
    profiler.ProfilerActivity = types.SimpleNamespace(CUDA="of a GPU")
    monkeypatch.setitem(sys.modules, "torch", made)
    monkeypatch.setitem(sys.modules, "torch.profiler", profiler)
    return calls


def test_a_call_is_profiled(torch):
    """The profiler ends after the GPU has done all that the call has started."""
    found = launches.profiled(lambda: torch.append("called"))
    assert found == launches.events(TRACE)
    assert torch == [["of a GPU"], "called", "waited", "ended"]


def test_a_profiler_that_sees_nothing(torch, monkeypatch):
    profile = sys.modules["torch.profiler"].profile
    monkeypatch.setattr(profile, "trace", {"traceEvents": []})
    found = launches.profiled(lambda: None)
    assert found == {"unknown": "the profiler has seen no kernel"}


def test_no_profiler(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "torch" in launches.profiled(lambda: None)["unknown"]
