"""Runs the cases of one kind, in the order of their numbers; one line for each."""

from __future__ import annotations

import faulthandler
import importlib
import itertools
import sys
import traceback


def run_case(kind: str, case: int) -> str:
    """Run a case. Returns what became of it, or ``fail`` and why."""
    module = importlib.import_module(f"nacho_fuzz.{kind}")
    try:
        outcome: str = module.run(case)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error}".replace("\n", " | ")
        return f"fail {what[:300]} ({where.filename.rpartition('/')[2]}:{where.lineno})"
    return outcome


def main() -> None:
    """Run every ``stride``-th case from the first one on, until somebody kills us."""
    faulthandler.disable()
    kind, first, stride = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for case in itertools.count(first, stride):
        print(run_case(kind, case), flush=True)


if __name__ == "__main__":
    main()
