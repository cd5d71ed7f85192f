"""What is said while measuring; stdout is the tables'."""

import sys


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)
