"""The documented tables, made from the raw data of a run."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nacho_bench.kernels import KERNELS
from nacho_bench.peers import MLIR, OURS, SPARSIFIER
from nacho_bench.spread import Summary, geometric_mean, summary
from nacho_bench.workloads import KINDS, kind_of

_MEANING = """\
Times are medians in ms; ~ marks one whose quartiles are more than 15 % apart. *ratio*
is the time of the best peer over nacho's: above 1, nacho is faster. *bound* is nacho's
time over that of moving the operands and the result once, at the rate at which as many
threads copy memory. *T1/T2* is nacho's time with one thread over that with two. The
shape and the entries are those of A. In steady mode the previous result was dropped
before a call, in keep mode all results stay alive. *Mean* is the geometric mean of the
ratios, of files of real data and of synthetic workloads each on its own."""
_BESIDE = """\
*beside* is the ratio, in steady mode, of times that were taken while {} kept the
processors busy."""
_COLD = """\
*cold* is how long `nacho.mlir.compile` takes in a fresh process with an empty cache, in
ms."""
_MEANING_ON_GPU = """\
Times are medians in ms by the clock of the GPU, from before a call to when the GPU has
done all that the call started; ~ marks one whose quartiles are more than 15 % apart.
*ratio* is the time of the best peer over nacho's: above 1, nacho is faster. *bound* is
nacho's time over that of moving the operands and the result once, at the rate at which
the GPU copies its memory. The shape and the entries are those of A. The previous result
was dropped before a call. SciPy's results are compared with the others', and not timed.
*Mean* is the geometric mean of the ratios, of files of real data and of synthetic
workloads each on its own."""
_FIGURES = {
    "skew": "Times on power laws, by the exponent",
    "scatter": "Speed-up over each peer on every workload",
    "remap": "What remapping gains, by the exponent and the rows skipped",
}
"""Titles of figures, by the beginning of the names of their files."""


def document(data: dict[str, Any], figures: Sequence[str] = ()) -> str:
    """Return the whole text: the machine, a summary, a table per kernel."""
    on_gpu = "gpu" in data
    sections = [_header(data), _MEANING_ON_GPU if on_gpu else _MEANING]
    sections += _more_meaning(data)
    sections += _included(data)
    for mode in ("steady", "keep"):
        sections += _overview(data, mode)
        sections += _sparsifier_overview(data, mode)
    sections += _links(figures)
    for kernel in _kernels(data["records"]):
        for threads in sorted({r["threads"] for r in data["records"]}, reverse=True):
            for mode in ("steady", "keep"):
                sections += kernel_table(data, kernel, threads, mode)
    sections += _notes(data)
    return "\n\n".join(sections) + "\n"


def _more_meaning(data: dict[str, Any]) -> list[str]:
    """Return what columns mean that not all tables have."""
    more = []
    if busy := data["machine"].get("beside", 0):
        more.append(_BESIDE.format(f"{busy} other program{'s' * (busy > 1)}"))
    if data.get("cold"):
        more.append(_COLD)
    return more


def _header(data: dict[str, Any]) -> str:
    machine = data["machine"]
    rates = ", ".join(
        f"{rate / 1e9:.1f} GB/s with {threads}"
        for threads, rate in sorted(data["bandwidth"].items())
    )
    copied = f"Threads copy memory (read and written) at {rates}."
    if "gpu" in data:
        copied = _gpu_line(data["gpu"], *data["bandwidth"].values())
    versions = ", ".join(f"{n} {v}" for n, v in sorted(data["versions"].items()))
    changed = " and changes" if machine["changed"] else ""
    return (
        f"Measured {machine['date']} at commit {machine['commit'][:12]}{changed}.\n"
        f"{machine['cores']} cores of {machine['cpu']}, "
        f"{machine['memory'] / 2**30:.0f} GiB, Linux {machine['kernel']}.\n"
        f"{copied}\n"
        f"Versions: {versions}."
    )


def _gpu_line(gpu: dict[str, Any], rate: float) -> str:
    """Return a line about the GPU: its name, clocks, memory and driver."""
    cores, memory = (gpu[name] / 1e6 for name in ("clock_khz", "memory_clock_khz"))
    now = f" ({gpu['clocks_sm']} at first)" if "clocks_sm" in gpu else ""
    return (
        f"GPU: {gpu['name']} (sm_{gpu['major']}{gpu['minor']}), "
        f"{gpu['multiprocessors']} multiprocessors at up to {cores:.2f} GHz{now}, "
        f"{gpu['memory'] / 2**30:.0f} GiB at up to {memory:.2f} GHz; "
        f"driver {gpu.get('driver', 'unknown')}, CUDA {gpu['cuda']}; "
        f"it copies its memory (read and written) at {rate / 1e9:.1f} GB/s."
    )


def _included(data: dict[str, Any]) -> list[str]:
    """Return lines that say what the times of peers have in them."""
    lines = [f"- {peer}: {what}" for peer, what in data.get("included", {}).items()]
    return ["\n".join(lines)] if lines else []


def _kernels(records: Iterable[dict[str, Any]]) -> list[str]:
    found = {record["kernel"] for record in records}
    return [name for name in KERNELS if name in found]


class Row:
    """The times of nacho and its peers in one record and one mode."""

    def __init__(self, record: dict[str, Any], mode: str, rate: float) -> None:
        times = record["times"].get(mode, {})
        self.workload = record["workload"]
        self.found: dict[str, Summary] = {p: summary(t) for p, t in times.items()}
        self.ours = self.found.get(OURS)
        self.best, self.ratio = _best_of(self.found)
        beside = record.get("beside", {}) if mode == "steady" else {}
        _, self.beside = _best_of({p: summary(t) for p, t in beside.items()})
        self.bound = None
        if self.ours and record.get("bytes"):
            self.bound = self.ours.median / (record["bytes"] / rate)
        self.shown = {*self.found, *record["wrong"]}
        self.record = record


def _best_of(found: dict[str, Summary]) -> tuple[str, float | None]:
    """Return the best peer, if any, and its time over nacho's, if there are both."""
    peers = {p: s.median for p, s in found.items() if p not in (OURS, SPARSIFIER)}
    best = min(peers, key=lambda peer: peers[peer], default="")
    rated = best and OURS in found
    return best, peers[best] / found[OURS].median if rated else None


def rows_of(data: dict[str, Any], kernel: str, threads: int, mode: str) -> list[Row]:
    rate = data["bandwidth"].get(str(threads), 1.0)
    return [
        Row(record, mode, rate)
        for record in data["records"]
        if (record["kernel"], record["threads"]) == (kernel, threads)
        and record["times"].get(mode)
    ]


class Marks(NamedTuple):
    """What the ratios of one kind of workloads come to."""

    kind: str
    count: int
    mean: float
    worst: Row


def marks_of(rows: Sequence[Row]) -> list[Marks]:
    """Return the marks of real and of synthetic workloads, of which there are any."""
    found = []
    for kind in KINDS:
        rated = [
            (row.ratio, row)
            for row in rows
            if row.ratio is not None and kind_of(row.workload) == kind
        ]
        if rated:
            mean = geometric_mean([ratio for ratio, _ in rated])
            _, worst = min(rated, key=lambda pair: pair[0])
            found.append(Marks(kind, len(rated), mean, worst))
    return found


def _overview(data: dict[str, Any], mode: str) -> list[str]:
    """Return lines per kernel: geometric means, and the worst workload of each kind."""
    lines = [
        _overview_line(data, kernel, threads, rows)
        for kernel in _kernels(data["records"])
        for threads in sorted({record["threads"] for record in data["records"]})
        if marks_of(rows := rows_of(data, kernel, threads, mode))
    ]
    if not lines:
        return []
    head = ["kernel", "threads", *[n for k in KINDS for n in (k, "mean", "worst")]]
    head += ["bound", "beside", "cold"]
    filled = [n for n, column in enumerate(zip(*lines, strict=True)) if any(column)]
    shown = [[line[n] for n in filled] for line in (head, *lines)]
    return [f"## Summary, {mode} mode", markdown(shown[0], shown[1:])]


def _overview_line(
    data: dict[str, Any], kernel: str, threads: int, rows: Sequence[Row]
) -> list[str]:
    marks = {each.kind: each for each in marks_of(rows)}
    cells = [kernel, "GPU" if "gpu" in data else str(threads)]
    cells += [cell for kind in KINDS for cell in _mark_cells(marks.get(kind))]
    for factors in ([row.bound for row in rows], [row.beside for row in rows]):
        known = [factor for factor in factors if factor]
        cells.append(_ratio(geometric_mean(known) if known else None))
    cold = data.get("cold", {}).get(kernel)
    return [*cells, "" if cold is None else f"{1e3 * cold:.0f}"]


def _mark_cells(marks: Marks | None) -> tuple[str, str, str]:
    """Return how many workloads there are, the mean, and the worst."""
    if marks is None:
        return "", "", ""
    worst = marks.worst
    where = f"{_ratio(worst.ratio)} ({worst.workload}, {worst.best})"
    return str(marks.count), _ratio(marks.mean), where


def _links(figures: Sequence[str]) -> list[str]:
    """Return links to the files of figures, a line for each kind."""
    lines = []
    for kind, text in _FIGURES.items():
        links = [
            f"[{Path(path).stem.removeprefix(f'{kind}-')}]({path})"
            for path in figures
            if Path(path).stem.startswith(f"{kind}-")
        ]
        if links:
            lines.append(f"- {text}: {', '.join(links)}")
    return ["## Figures", "\n".join(lines)] if lines else []


def kernel_table(
    data: dict[str, Any], kernel: str, threads: int, mode: str
) -> list[str]:
    """Return the heading, the table of one kernel, and its means."""
    rows = rows_of(data, kernel, threads, mode)
    if not rows:
        return []
    peers = _peers_shown(data, rows)
    single = {row.workload: row.ours for row in rows_of(data, kernel, 1, mode)}
    head = ["workload", "shape", "entries"]
    are_beside = any(row.beside for row in rows)
    head += [f"{OURS} ms", "best peer", "ratio", *peers, "bound"]
    head += ["beside"] if are_beside else []
    head += [f"T1/T{threads}"] if threads > 1 else []
    lines = [_cells(row, peers, threads, single, are_beside) for row in rows]
    plural = "s" if threads > 1 else ""
    where = "on the GPU" if "gpu" in data else f"{threads} thread{plural}"
    title = f"## {kernel}: `{KERNELS[kernel].expression}`, {where}, {mode}"
    means = [*_means(rows, peers), *_as_sparsifier(rows)]
    return [title, markdown(head, lines), *means]


def _peers_shown(data: dict[str, Any], rows: Sequence[Row]) -> list[str]:
    """Return the peers that have a column: those with a time or a wrong result."""
    return [
        peer
        for peer in data["versions"]
        if peer != OURS and any(peer in row.shown for row in rows)
    ]


def _means(rows: Sequence[Row], peers: Sequence[str]) -> list[str]:
    """Return the sentences below a table; nothing if no row has a ratio."""
    marks = marks_of(rows)
    if not marks:
        return []
    best = "; ".join(
        f"{each.kind} **{_ratio(each.mean)}**, "
        f"worst {_ratio(each.worst.ratio)} on {each.worst.workload}"
        for each in marks
    )
    means = ", ".join(_mean_against(rows, peer) for peer in peers)
    return [f"Mean against the best peer: {best}. Of all, against each: {means}."]


def _sparsifier_ratios(rows: Sequence[Row]) -> dict[str, float]:
    """Return how much faster than MLIR's the module is that Nacho compiled."""
    return {
        row.workload: row.found[MLIR].median / row.found[SPARSIFIER].median
        for row in rows
        if MLIR in row.found and SPARSIFIER in row.found
    }


def _as_sparsifier(rows: Sequence[Row]) -> list[str]:
    """Return a sentence about the module that Nacho compiled, if there is one."""
    ratios = list(_sparsifier_ratios(rows).values())
    if not ratios:
        return []
    mean, worst = _ratio(geometric_mean(ratios)), _ratio(min(ratios))
    return [f"As a sparsifier, against {MLIR}: mean **{mean}**, worst {worst}."]


def _sparsifier_overview(data: dict[str, Any], mode: str) -> list[str]:
    """Return a line per kernel that MLIR's and Nacho's sparsifier compiled."""
    lines = []
    for threads in sorted({record["threads"] for record in data["records"]}):
        means = []
        for kernel in _kernels(data["records"]):
            ratios = _sparsifier_ratios(rows_of(data, kernel, threads, mode))
            if not ratios:
                continue
            means.append(geometric_mean(list(ratios.values())))
            worst = min(ratios, key=lambda workload: ratios[workload])
            where = f"{_ratio(ratios[worst])} ({worst})"
            count = str(len(ratios))
            lines.append((kernel, str(threads), count, _ratio(means[-1]), where))
        if means:
            mean = f"**{_ratio(geometric_mean(means))}**"
            lines.append(("all of these", str(threads), "", mean, ""))
    if not lines:
        return []
    return [
        f"## As a sparsifier, {mode} mode",
        "The time of the code that MLIR's `--sparsifier` makes of a module, over that "
        "of\n`--nacho-sparsifier`. MLIR's code has one thread.",
        markdown(["kernel", "threads", "workloads", "mean", "worst"], lines),
    ]


def _cells(
    row: Row,
    peers: Sequence[str],
    threads: int,
    single: dict[str, Summary | None],
    are_beside: bool,
) -> list[str]:
    best = f"{row.best} {_ms(row.found[row.best])}" if row.best else ""
    shape = "x".join(map(str, row.record.get("shape", ())))
    stored = row.record.get("stored")
    cells = [row.workload, shape, "" if stored is None else f"{stored:,}"]
    cells += [_ms(row.ours), best, _ratio(row.ratio)]
    for peer in peers:
        if peer in row.record["wrong"]:
            cells.append("wrong")
        else:
            cells.append(_ms(row.found.get(peer)))
    cells.append(_ratio(row.bound))
    if are_beside:
        cells.append(_ratio(row.beside))
    if threads > 1:
        alone = single.get(row.workload)
        both = alone and row.ours
        cells.append(_ratio(alone.median / row.ours.median) if both else "")
    return cells


def _mean_against(rows: Iterable[Row], peer: str) -> str:
    ratios = [
        row.found[peer].median / row.ours.median
        for row in rows
        if row.ours and peer in row.found
    ]
    return f"{peer} {_ratio(geometric_mean(ratios)) if ratios else '-'}"


def _notes(data: dict[str, Any]) -> list[str]:
    """Return lines that say which peers were not measured, and why."""
    lines = [f"- {p}: not installed ({why})" for p, why in data["missing"].items()]
    refused = data.get("refused", {}).items()
    lines += [f"- {pair}: left out: {why}" for pair, why in refused]
    seen = set()
    for record in data["records"]:
        for what in ("wrong", "left_out"):
            for peer, why in record[what].items():
                known = (record["kernel"], record["workload"], peer)
                if known in seen:
                    continue
                seen.add(known)
                label = "wrong result" if what == "wrong" else "left out"
                lines.append(f"- {' / '.join(known)}: {label}: {why}")
        if record["checked"] < 2 and (record["kernel"], "") not in seen:
            seen.add((record["kernel"], ""))
            lines.append(f"- {record['kernel']}: a result had none to compare it with")
    return ["## Left out", "\n".join(lines)] if lines else []


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table with aligned columns."""
    rows = [list(head), *map(list, lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    )


def _ms(found: Summary | None) -> str:
    if found is None:
        return ""
    mark = "~" if found.is_disturbed else ""
    value = found.median * 1e3
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}{mark}"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
