"""Expressions that PyTorch differentiates: ``nacho.torch.evaluate``.

>>> import nacho.torch  # doctest: +SKIP
>>> y = nacho.torch.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)  # doctest: +SKIP
>>> y.sum().backward()  # doctest: +SKIP

``import nacho`` does not import this package, which imports PyTorch.
"""

from nacho.torch._arrays import SparseArrays
from nacho.torch._evaluation import evaluate

__all__ = ["SparseArrays", "evaluate"]


def __dir__() -> list[str]:
    """Return the public names, which are those that an editor completes."""
    return sorted(__all__)
