"""Sparse tensors as their arrays, which ``torch.compile`` can trace."""

from __future__ import annotations

from typing import NamedTuple

import torch

from nacho.errors import UnsupportedError


class SparseArrays(NamedTuple):
    """A sparse operand of ``nacho.torch.evaluate``, as arrays.

    ``torch.compile`` takes no sparse tensor, but takes these. The gradient is that of
    ``values``, and results of these operands are dense, also outside of
    ``torch.compile``.

    >>> A = nacho.torch.SparseArrays.of(A)  # doctest: +SKIP
    """

    layout: str
    """"csr", "csc" or "coo"."""
    shape: tuple[int, ...]
    """The extents of the tensor."""
    indices: tuple[torch.Tensor, ...]
    """The index arrays of PyTorch's layout, two tensors or a single one of coo."""
    values: torch.Tensor
    """The values of the entries, for which there are gradients."""

    @classmethod
    def of(cls, tensor: torch.Tensor) -> SparseArrays:
        """Return the index arrays of a sparse tensor, and a copy of its values.

        The values themselves would be a view of the sparse tensor, which
        ``torch.compile`` refuses, too.
        """
        shape = tuple(tensor.shape)
        if tensor.layout == torch.sparse_csr:
            indices = (tensor.crow_indices(), tensor.col_indices())
            return cls("csr", shape, indices, tensor.values().clone())
        if tensor.layout == torch.sparse_csc:
            indices = (tensor.ccol_indices(), tensor.row_indices())
            return cls("csc", shape, indices, tensor.values().clone())
        if tensor.layout == torch.sparse_coo:
            tensor = tensor.coalesce()
            return cls("coo", shape, (tensor.indices(),), tensor.values().clone())
        raise UnsupportedError(
            f"a tensor of layout {tensor.layout} has no such arrays: only coo, csr and "
            "csc have them"
        )

    def tensor(self) -> torch.Tensor:
        """Return a sparse tensor of these arrays, whose second gradients are lost.

        That is how PyTorch makes sparse tensors of arrays.
        """
        if self.layout == "coo":
            (indices,) = self.indices
            return torch.sparse_coo_tensor(
                indices,
                self.values,
                self.shape,
                is_coalesced=True,
                check_invariants=False,
            )
        make = torch.sparse_csr_tensor
        if self.layout == "csc":
            make = torch.sparse_csc_tensor
        outer, inner = self.indices
        return make(outer, inner, self.values, self.shape, check_invariants=False)
