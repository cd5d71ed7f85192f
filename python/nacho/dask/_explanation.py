"""What ``nacho.dask.explain`` returns: what moved, and what each worker did."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from distributed import wait

from nacho._kernels import explanation
from nacho._notation.written_out import with_sums
from nacho._pictures.figure import Picture
from nacho._pieces.evaluation import Evaluation
from nacho._pieces.tensor import Pieces
from nacho._storage.device_arrays import HOST
from nacho.dask._moved import Moved, Tasks, moved
from nacho.dask._shares import Nest, Share, groups_of, lines_of
from nacho.dask._watching import Told, WatchedEngine


class Explanation(explanation.Explanation):
    """What was done on a cluster, as text that has sections and pictures."""

    moved: tuple[Moved, ...]
    """Bytes that went from workers to others, by what they are and why they moved."""
    shares: tuple[Share, ...]
    """What each worker had to do of the last nest; empty if one worker did all."""
    seconds: dict[str, dict[str, float]]
    """By worker, how long it searched, received, copied, and computed."""


def explained(evaluation: Evaluation, engine: WatchedEngine) -> Explanation:
    """Compute a statement, and describe what was done."""
    began = time.perf_counter()

    def run() -> Pieces:
        made = evaluation.run()
        wait(list(made.handles))
        return made.known

    made, told = engine.watch(run)
    took = time.perf_counter() - began
    tasks = Tasks(engine.tasks)
    name = evaluation.assignment.result.name
    nests = _nests(evaluation, engine, told)
    shares = [nest.shares() for nest in nests]
    found = moved(tasks, told.values(), _cut_operands(evaluation, engine))
    seconds = {worker: _seconds(tasks, each) for worker, each in sorted(told.items())}
    sections: list[tuple[str, Iterable[str]]] = [
        ("expression", [with_sums(evaluation.written.text)]),
        ("result", [f"{name}: {_result(made)}"]),
        ("divided", [_division(evaluation)]),
    ]
    pictures: list[Picture] = []
    model = evaluation.specialisation.lowering.cost
    for nest, each in zip(nests, shares, strict=True):
        number = f" {len(pictures) // 2}" if len(nests) > 1 else ""
        sections.append((f"cost{number}", nest.described(each, model)))
        sections.append((f"workers{number}", lines_of(each)))
        pictures += nest.pictures(each)
    sections += [
        ("moved", [_line(each) for each in found]),
        ("client", [_client(engine)]),
        ("time", _times(seconds, took)),
    ]
    made_of = Explanation.of(sections, pictures)
    made_of.moved = tuple(found)
    made_of.shares = tuple(shares[-1]) if shares else ()
    made_of.seconds = seconds
    return made_of


def _nests(
    evaluation: Evaluation, engine: WatchedEngine, told: Mapping[str, Told]
) -> list[Nest]:
    """Return the nests whose parts have run alone."""
    program = evaluation.program
    made = [program.made_by(number) for number in range(len(program.steps) - 1)]
    made.append(evaluation.assignment.result.name)
    found = groups_of(engine.tasks, told, made)
    return [Nest(program.steps[number], groups) for number, groups in found.items()]


def _result(made: Pieces) -> str:
    count = "1 piece" if made.count == 1 else f"{made.count} pieces"
    return f"{made.nnz} entries in {count}, {made.format_of_whole}"


def _division(evaluation: Evaluation) -> str:
    """Say whether parts run alone, and if not, why."""
    if not evaluation.why_whole:
        where = "" if evaluation.target == HOST else f", on '{evaluation.target}'"
        return f"yes, each worker computes parts of its own{where}"
    return f"no, one worker computes the whole statement: {evaluation.why_whole}"


def _cut_operands(evaluation: Evaluation, engine: WatchedEngine) -> list[str]:
    """Return the operands of which tasks have brought windows together."""
    tasks = engine.tasks.values()
    cut = {name for task in tasks if task.work for name in task.work.read}
    return [name for name in evaluation.assignment.operands if name in cut]


def _line(moved: Moved) -> str:
    return f"{moved.name}: {moved.nbytes} bytes, {moved.why}"


def _client(engine: WatchedEngine) -> str:
    return (
        f"{len(engine.tasks)} tasks, {engine.rounds} rounds, {engine.fetched} bytes of "
        "cuts and counts"
    )


def _seconds(tasks: Tasks, told: Told) -> dict[str, float]:
    """Return for what a worker took how long."""
    found = {"search": 0.0, "transfer": 0.0, "copy": 0.0, "compute": 0.0}
    for key, times in told.times.items():
        if tasks.knows(key):
            for action, seconds in times:
                kind = tasks.kind_of_time(key) if action == "compute" else action
                found[kind] = found.get(kind, 0.0) + seconds
    return found


def _times(seconds: Mapping[str, Mapping[str, float]], took: float) -> Sequence[str]:
    lines = [f"{took * 1e3:.1f} ms from the call to the last piece"]
    for worker, each in seconds.items():
        parts = [f"{kind} {time * 1e3:.1f} ms" for kind, time in each.items()]
        lines.append(f"{worker}: {', '.join(parts)}")
    return lines
