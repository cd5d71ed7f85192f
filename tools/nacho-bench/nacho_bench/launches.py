"""The kernels that a call launches on a GPU, and their times by PyTorch's profiler."""

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

_COPIES = ("gpu_memcpy", "gpu_memset")


def profiled(call: Callable[[], Any]) -> dict[str, Any]:
    """Return the launches and copies of one call, or why they are not known."""
    try:
        import torch
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            call()
            torch.cuda.synchronize()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json")
            profiler.export_chrome_trace(str(path))
            found = events(json.loads(path.read_text()))
    except (ImportError, RuntimeError, AssertionError, OSError) as error:
        return {"unknown": f"{type(error).__name__}: {error}".split("\n")[0]}
    if not found["launches"]:
        return {"unknown": "the profiler has seen no kernel"}
    return found


def events(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the launches of a trace, in their order, and its copies by kind.

    A launch has the fields of results/2026-11-27-gpu-h200-launches.json.
    """
    timed = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    kernels = [event for event in timed if event.get("cat") == "kernel"]
    copies = Counter(event["name"] for event in timed if event.get("cat") in _COPIES)
    return {
        "launches": [
            {
                "name": event["name"],
                "us": event["dur"],
                "blocks": event["args"]["grid"][0],
                "threads": event["args"]["block"][0],
                "registers": event["args"]["registers per thread"],
                "shared": event["args"]["shared memory"],
            }
            for event in sorted(kernels, key=lambda event: event["ts"])
        ],
        "copies": dict(copies),
    }
