"""Messages while measuring; they go to stderr, because the tables go to stdout."""

import sys


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)
