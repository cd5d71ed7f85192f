"""``tools/dev fuzz``: run random cases for some minutes, a line for each failure."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from nacho_fuzz import farm, worker

CORPUS = Path(__file__).resolve().parents[1] / "corpus.txt"
KINDS = ("corruptions", "expressions", "mutants")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/dev fuzz",
        description=(
            "Attack Nacho with random cases: corruptions (of operands' arrays, before, "
            "between and during calls), expressions (compared with dense NumPy) and "
            "mutants (of the MLIR tests, run through nacho-opt). A case is a number: "
            "--case runs it again."
        ),
    )
    parser.add_argument("--kind", choices=KINDS, action="append", help="all of them")
    parser.add_argument("--minutes", type=float, default=5.0, help="for each kind (5)")
    parser.add_argument("--cases", type=int, default=10**9, help="at most so many")
    parser.add_argument("--seed", type=int, default=0, help="the first case (0)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--case", type=int, help="run this case alone, in this process")
    parser.add_argument(
        "--minimise",
        action="store_true",
        help="make the case of --case, an expression, smaller; print it as a program",
    )
    options = parser.parse_args()
    if options.minimise and options.case is None:
        parser.error("--minimise needs --case")
    return options


def _corpus() -> Iterator[tuple[str, int, str]]:
    """Yield the cases that failed once: their kinds, numbers, and what was wrong."""
    for line in CORPUS.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, case, what = line.split(" ", 2)
            yield kind, int(case), what


def main() -> int:
    """Run the farm; returns 1 if any case failed."""
    options = _options()
    kinds = options.kind or KINDS
    if options.minimise:
        from nacho_fuzz import expressions

        print(expressions.minimise(options.case), end="")
        return 0
    if options.case is not None:
        outcomes = [worker.run_case(kind, options.case) for kind in kinds]
        print(*outcomes, sep="\n")
        return any(outcome.startswith("fail") for outcome in outcomes)
    failed = False
    for kind, case, what in _corpus():
        if kind in kinds and worker.run_case(kind, case).startswith("fail"):
            failed = True
            print(f"{kind} {case} fails again: {what}", flush=True)
    for kind in kinds:
        begun = time.monotonic()
        cases = range(options.seed, options.seed + options.cases)
        for found in farm.run(kind, cases, options.minutes, options.jobs):
            if isinstance(found, farm.Failure):
                failed = True
                print(found, flush=True)
                continue
            counts = sorted(found.outcomes.items())
            outcomes = ", ".join(f"{count} {name}" for name, count in counts)
            seconds = time.monotonic() - begun
            print(f"{kind}: {found.cases} cases in {seconds:.0f} s: {outcomes}")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
