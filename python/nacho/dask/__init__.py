"""Sparse tensors in pieces on the workers of a Dask cluster, and statements on them.

A ``nacho.dask.Tensor`` is cut into pieces, each of which is on some worker. Statements
cut the work as one machine does, bring together, from worker to worker, what the parts
need, and leave the result in pieces. Of these, only numbers pass through the client.
"""

try:
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError("nacho.dask needs Dask: pip install nacho[dask]") from error

from nacho.dask._arrays import from_array, from_delayed
from nacho.dask._evaluation import evaluate, explain, partition
from nacho.dask._explanation import Explanation
from nacho.dask._files import read
from nacho.dask._sources import from_tensor
from nacho.dask._tensor import Tensor

__all__ = [
    "Explanation",
    "Tensor",
    "evaluate",
    "explain",
    "from_array",
    "from_delayed",
    "from_tensor",
    "partition",
    "read",
]


def __dir__() -> list[str]:
    """Return the public names, which are those that an editor completes."""
    return sorted(__all__)
