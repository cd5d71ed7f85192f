"""``tools/dev fuzz``: run random cases for some minutes, a line for each failure."""

from __future__ import annotations

import argparse
import time

from nacho_fuzz import farm, worker

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
    return parser.parse_args()


def main() -> int:
    """Run the farm; returns 1 if any case failed."""
    options = _options()
    kinds = options.kind or KINDS
    if options.case is not None:
        outcomes = [worker.run_case(kind, options.case) for kind in kinds]
        print(*outcomes, sep="\n")
        return any(outcome.startswith("fail") for outcome in outcomes)
    failed = False
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
