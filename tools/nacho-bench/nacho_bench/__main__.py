"""The command line of ``tools/dev bench``."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nacho_bench import (
    calibration,
    cluster_balance,
    cluster_model,
    compilation,
    counted,
    gpu,
    gpu_model,
    gpu_model_page,
    heatmap,
    machine,
    registers,
    regret,
    session,
    table,
)
from nacho_bench.driver import Driver, Options, selected, suited
from nacho_bench.files import Store, data_folder
from nacho_bench.kernels import KERNELS, Kernel
from nacho_bench.listing import listing, real_workloads, reason_against
from nacho_bench.peers import BEFORE, GPU_NAMES, NAMES, OURS
from nacho_bench.progress import say
from nacho_bench.workloads import (
    BY_DEFAULT,
    KINDS,
    SYNTHETIC,
    Workload,
)

_BUILD = Path(__file__).resolve().parents[3] / "build"


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/dev bench",
        description="Measure nacho and its peers, and print tables of ratios.",
        epilog="--setup, which has to come first, installs the peers; "
        "--setup --gpu also those on a GPU.",
    )
    add = parser.add_argument
    add("--kernel", nargs="+", choices=KERNELS, metavar="K", help="only these kernels")
    only = "only these workloads; also `real` or `synthetic`, for all of a kind"
    add("--workload", nargs="+", metavar="W", help=only)
    add("--threads", nargs="+", type=int, default=[1, 2], metavar="N")
    on_gpu = ", ".join(GPU_NAMES)
    beside = "time all once more while N other programs keep processors busy"
    add("--beside", type=int, default=0, metavar="N", help=beside)
    peers = f"of {', '.join(NAMES)}; with --gpu, of {on_gpu}"
    add("--peers", nargs="+", metavar="P", help=peers)
    gpus = "measure kernels for NVIDIA's GPUs, and peers there, by the GPU's clock"
    add("--gpu", action="store_true", help=gpus)
    short = "with --gpu: begin no more after N minutes; the most worth knowing is first"
    add("--minutes", type=float, metavar="N", help=short)
    files = "a folder of .npz, .mtx, .tns files of real data, for this and later runs"
    other = "a checkout that is built: compare with the nacho of it, not with peers"
    add("--against", type=Path, metavar="DIR", help=other)
    add("--data", type=Path, metavar="DIR", help=files)
    add("--json", type=Path, metavar="FILE", help="write the raw data there")
    add("--resume", action="store_true", help="measure only what --json FILE lacks")
    add("--quick", action="store_true", help="small workloads, few rounds")
    add("--mode", choices=("steady", "keep", "both"), help="default: both")
    add("--rounds", type=int, metavar="N", help="how often calls are timed")
    add("--plot", type=Path, metavar="DIR", help="draw figures there, with --table too")
    add("--compile-time", action="store_true", help="measure the compiler instead")
    parts = "measure how long parts of equal cost take, by the weight of a row"
    add("--calibrate", action="store_true", help=parts)
    add("--registers", action="store_true", help="print what ptxas makes of kernels")
    choices = "compare calls with the best choices that can be forced"
    add("--regret", action="store_true", help=choices)
    beside = "measure a Dask cluster of two processes beside dask.array instead"
    add("--cluster", action="store_true", help=beside)
    model = "count what plans for 10 to 10,000 workers move, and predict times"
    add("--cluster-model", action="store_true", help=model)
    modelled = "predict times that were measured on a GPU; --json FILE: count again"
    add("--gpu-model", action="store_true", help=modelled)
    shares = "cut operands for 4 to 1,024 workers, and compare what parts cost"
    add("--cluster-balance", action="store_true", help=shares)
    workers = "numbers of workers for --cluster-model and --cluster-balance"
    add("--workers", nargs="+", type=int, metavar="N", help=workers)
    simulated = "cuda-sim: count what a simulated GPU does instead"
    add("--target", choices=("cpu", "cuda-sim"), default="cpu", help=simulated)
    add("--table", type=Path, metavar="FILE", help="print the tables of raw data")
    add("--list", action="store_true", help="list kernels, workloads and peers")
    add("--cache", type=Path, default=_BUILD / "bench-data", help=argparse.SUPPRESS)
    found = parser.parse_args(given)
    unknown = set(found.peers or ()) - set(GPU_NAMES if found.gpu else NAMES)
    if unknown:
        parser.error(f"no such peer: {', '.join(sorted(unknown))}")
    _refuse(parser, found)
    if found.against is not None:
        package = found.against / "python" / "nacho"
        if not [*package.glob("_nacho*.so")]:
            parser.error(f"no extension in {package}: run tools/dev build there")
        found.against = found.against.resolve()
        found.peers = [*(found.peers or (OURS,)), BEFORE]
    return found


def _refuse(parser: argparse.ArgumentParser, found: argparse.Namespace) -> None:
    """End the program if options do not go together."""
    if found.gpu and (found.calibrate or found.registers or found.compile_time):
        parser.error("--gpu measures kernels, and nothing else")
    if found.beside and found.mode == "keep":
        parser.error("--beside is for the mode steady")
    if found.gpu and found.mode not in (None, "steady"):
        parser.error("--gpu has the mode steady only: results would fill the GPU")
    if found.minutes is not None and not found.gpu:
        parser.error("--minutes is for --gpu")
    if found.resume and found.json is None:
        parser.error("--resume needs the file of --json")


def workloads_of(found: argparse.Namespace) -> list[Workload]:
    """Return the selected workloads; by default, synthetic ones and all files."""
    real = real_workloads(data_folder(found.cache, found.data))
    # The figures show more exponents of power laws than the tables.
    names = BY_DEFAULT if found.plot is None else SYNTHETIC
    known = {each.name: [each] for each in (*SYNTHETIC.values(), *real)}
    known |= {"real": real, "synthetic": [SYNTHETIC[name] for name in names]}
    selected = found.workload or KINDS
    unknown = [name for name in selected if name not in known]
    if unknown:
        sys.exit(f"bench: error: no such workload: {', '.join(unknown)}; see --list")
    return [workload for name in selected for workload in known[name]]


def options_of(found: argparse.Namespace) -> Options:
    mode = found.mode or ("steady" if found.quick or found.gpu else "both")
    modes = ("steady", "keep") if mode == "both" else (mode,)
    rounds = found.rounds or (5 if found.quick and not found.gpu else 7)
    kind = (
        Options(rounds, repeats=1, turn=0.005, budget=2.0, modes=modes)
        if found.quick
        else Options(rounds, repeats=2, turn=0.03, budget=10.0, modes=modes)
    )
    return kind._replace(against=found.against, on_gpu=found.gpu, beside=found.beside)


def begun(found: argparse.Namespace) -> dict[str, Any]:
    """Return raw data without records, or those of the run that is resumed."""
    here = machine.description() | {"beside": found.beside}
    if found.resume and found.json.exists():
        data: dict[str, Any] = json.loads(found.json.read_text())
        if data["machine"]["commit"] != here["commit"] or data["quick"] != found.quick:
            sys.exit(f"bench: error: {found.json} has times of another commit or size")
        if data["machine"].get("beside", 0) != found.beside:
            sys.exit(f"bench: error: {found.json} has times of another --beside")
        if ("gpu" in data) != found.gpu:
            sys.exit(f"bench: error: {found.json} has times of another device")
        return data
    names = ("bandwidth", "missing", "refused", "versions", "included", "cold")
    none: dict[str, Any] = {name: {} for name in names}
    data = {"machine": here, "quick": found.quick, **none, "records": []}
    return data | ({"gpu": gpu.description()} if found.gpu else {})


def pairs_of(
    found: argparse.Namespace, names: Sequence[str] = (), *, fit: bool = False
) -> list[tuple[Kernel, Workload]]:
    """Return the selected kernels, each with every selected workload that suits it.

    Kernels are those of ``names`` if none is selected. Operands may have to fit.
    """
    pairs = [
        (kernel, workload)
        for kernel in selected(found.kernel or names or None)
        for workload in workloads_of(found)
        if suited(kernel, workload) and not (fit and reason_against(kernel, workload))
    ]
    if not pairs:
        sys.exit("bench: error: none of these kernels is measured on these workloads")
    return pairs


def measure(found: argparse.Namespace) -> dict[str, Any]:
    """Measure all selected kernels on all selected workloads; return the raw data."""
    store = Store(found.cache, found.quick)
    options = options_of(found)
    pairs, budget = pairs_of(found), session.Budget(found.minutes)
    if found.minutes is not None:
        pairs = session.most_wanted(pairs)
    data = begun(found)
    known = {(r["kernel"], r["workload"], r["threads"]) for r in data["records"]}
    # One number of threads stands for all that the host does.
    counts, names, bandwidth = found.threads, NAMES, machine.bandwidth
    if found.gpu:
        counts, names, bandwidth = [1], GPU_NAMES, gpu.bandwidth
    where = "on the GPU" if found.gpu else f"threads {counts}"
    say(f"{len(pairs)} pairs of a kernel and a workload, {where}")
    for threads in counts:
        size = 1 << (24 if found.quick else 28)
        data["bandwidth"][str(threads)] = bandwidth(threads, size)
        driver = Driver(found.peers or names, threads, store, options, data["records"])
        data["missing"] |= driver.missing
        data["versions"] |= driver.versions
        data["included"] |= driver.included
        try:
            for kernel, workload in pairs:
                if (kernel.name, workload.name, threads) in known:
                    continue
                if budget.is_over():
                    say("the time is over; --resume measures the rest")
                    break
                driver.run(kernel, workload)
                data["refused"] |= driver.refused
                if not found.gpu and kernel.name not in data["cold"]:
                    data["cold"][kernel.name] = compilation.cold(kernel.name)
                _write(found.json, data)
        finally:
            driver.close()
    return data


def calibrate(found: argparse.Namespace) -> str:
    """Measure the spread of parts by cost model, or read it; return the tables."""
    if found.table is not None:
        return calibration.document(json.loads(found.table.read_text()))
    pairs = pairs_of(found, calibration.CALIBRATED, fit=True)
    records = calibration.measure(pairs, Store(found.cache, found.quick))
    data = calibration.data_of(records)
    _write(found.json, data)
    return calibration.document(data)


def count(found: argparse.Namespace) -> str:
    """Count what kernels do on a simulated GPU; return the table."""
    found.workload = found.workload or [*counted.WORKLOADS]
    store = Store(found.cache, found.quick)
    return counted.document(pairs_of(found, counted.COUNTED), store)


def cluster(found: argparse.Namespace) -> str:
    """Measure a cluster on this machine; return the table."""
    from nacho_bench import cluster

    rounds = found.rounds or (3 if found.quick else 7)
    return cluster.document(quick=found.quick, rounds=rounds)


def model_cluster(found: argparse.Namespace) -> str:
    """Return the tables of the model of clusters, and draw its picture for --plot."""
    networks = [cluster_model.FAST]
    try:
        from nacho_bench import cluster
    except ImportError as error:
        say(f"no network is measured: {error}")
    else:
        with cluster.started() as client:
            networks.append(cluster.constants(client))
    sizes = found.workers or ([10, 100] if found.quick else [10, 100, 1000, 10000])
    records = cluster_model.records(20_000 if found.quick else 1_000_000, sizes)
    _write(found.json, cluster_model.data_of(records, networks))
    return cluster_model.document(records, networks, found.plot)


def balance_cluster(found: argparse.Namespace) -> str:
    """Return the table of how equal the shares of workers are."""
    pairs = pairs_of(found, cluster_balance.BALANCED, fit=True)
    sizes = found.workers or cluster_balance.WORKERS
    return _study(found, cluster_balance, pairs, sizes)


def compare_choices(found: argparse.Namespace) -> str:
    """Return the tables of what calls would gain by other choices."""
    return _study(found, regret, pairs_of(found, fit=True), found.rounds or 7)


def _study(found: argparse.Namespace, study: Any, pairs: Any, *more: Any) -> str:
    """Measure pairs by a module, write its raw data, and return its tables."""
    records = study.measure(pairs, Store(found.cache, found.quick), *more)
    _write(found.json, study.data_of(records))
    return str(study.document(records))


def model_gpu(found: argparse.Namespace) -> str:
    """Return the page of the model of a GPU; for --json, calls are counted again."""
    store = Store(found.cache, quick=False) if found.json else None
    records = gpu_model.records_of(found.kernel, found.table, store)
    _write(found.json, {"records": records})
    say(f"fitted: {gpu_model.fitted(gpu_model.compared(records))}")
    return gpu_model_page.document(records)


def _write(path: Path | None, data: dict[str, Any]) -> None:
    """Write raw data to a file, which is complete whenever the run is interrupted."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(data, indent=1) + "\n")
        unfinished.rename(path)


def plot(data: dict[str, Any], folder: Path) -> list[Path]:
    """Draw the figures, if matplotlib is installed; return their files."""
    try:
        from nacho_bench import figures
    except ImportError as error:
        say(f"no figures are drawn: {error}")
        return []
    return figures.draw(data, folder)


def measured(found: argparse.Namespace) -> dict[str, Any]:
    """Return the raw data from the file of --table, or else measure now."""
    if found.table is not None:
        return dict(json.loads(found.table.read_text()))
    data = measure(found)
    if found.plot and not found.gpu and "dcsr-mul" in (found.kernel or KERNELS):
        store, threads = Store(found.cache, found.quick), max(found.threads)
        data["heat"] = heatmap.measure(store, threads, options_of(found))
    _write(found.json, data)
    return data


def report(found: argparse.Namespace) -> str:
    """Return the tables, with links to the figures.

    The links are relative to the folder of the raw data, or to the current one.
    """
    data = measured(found)
    if found.plot is None:
        return table.document(data)
    raw = found.table or found.json
    folder = Path.cwd() if raw is None else raw.parent
    drawn = [os.path.relpath(path, folder) for path in plot(data, found.plot)]
    return table.document(data, drawn)


_REPORTS = {
    "calibrate": calibrate,
    "gpu_model": model_gpu,
    "cluster": cluster,
    "cluster_model": model_cluster,
    "cluster_balance": balance_cluster,
    "regret": compare_choices,
    "registers": lambda found: registers.table(selected(found.kernel)),
    "compile_time": lambda found: compilation.report(
        found.kernel or [*KERNELS], found.against
    ),
}
"""What makes the page that an option asks for."""


def main(given: list[str] | None = None) -> None:
    found = arguments(given)
    if found.gpu and found.table is None:
        gpu.require()
    asked = next((name for name in _REPORTS if getattr(found, name)), None)
    if found.list:
        print(listing(data_folder(found.cache, found.data)))
    elif found.target == "cuda-sim":
        print(count(found), end="")
    else:
        print(_REPORTS[asked](found) if asked else report(found), end="")


if __name__ == "__main__":
    main()
