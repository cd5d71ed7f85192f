"""Runs cases of one kind: reads their numbers, and writes a line about each."""

from __future__ import annotations

import faulthandler
import importlib
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
    """Run the cases whose numbers are in the input."""
    faulthandler.disable()
    for line in sys.stdin:
        print(run_case(sys.argv[1], int(line)), flush=True)


if __name__ == "__main__":
    main()
