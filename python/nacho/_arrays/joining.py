"""Tensors of other tensors: joined along an axis, or with the same entries in a shape.

They are tensors and not lazy: where an entry of the result is no product of indices, no
statement of the notation computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.views import Array
from nacho.errors import ArgumentError, ShapeError, UnsupportedError, displayed

_ONE_DIMENSION = "sparse-vector"
_MOST_ELEMENTS = (1 << 63) - 1


def concatenate(arrays: Sequence[Any], axis: Any = 0) -> Tensor:
    """Return arrays one after the other along an axis, in the format of the first.

    All are sparse but those that are of NumPy: of these, zeros are left out.
    """
    tensors = [asarray(each) for each in arrays]
    if not tensors:
        raise ArgumentError("concatenate: there is nothing to join")
    if axis is None:
        return concatenate([reshape(each, (-1,)) for each in tensors])
    along = _axis(axis, tensors[0].ndim)
    _require_fit(tensors, along)
    shape = list(tensors[0].shape)
    shape[along] = 0
    dtype = np.result_type(*[each.dtype for each in tensors])
    columns: list[Array] = []
    values: list[Array] = []
    for each in tensors:
        stored = _stored(each)
        coords = stored.coords.astype(np.int64)
        coords[along] += shape[along]
        columns.append(coords)
        values.append(stored.values.astype(dtype, copy=False))
        shape[along] += each.shape[along]
    sparse = next((each for each in tensors if not each.format.is_dense), tensors[0])
    return Tensor.from_coo(
        np.concatenate(columns, axis=1),
        np.concatenate(values),
        shape=shape,
        format=sparse.format if sparse.format.not_packed == "" else "coo",
    )


def _require_fit(tensors: Sequence[Tensor], along: int) -> None:
    first = tensors[0].shape
    for number, each in enumerate(tensors):
        whole = (
            *each.shape[:along],
            *first[along : along + 1],
            *each.shape[along + 1 :],
        )
        if whole != first:
            raise ShapeError(
                f"concatenate: array {number} has shape {each.shape}, which does not "
                f"fit {first} along axis {along}"
            )


def stack(arrays: Sequence[Any], axis: Any = 0) -> Tensor:
    """Return arrays of one shape along a new axis."""
    tensors = [asarray(each) for each in arrays]
    if not tensors:
        raise ArgumentError("stack: there is nothing to join")
    along = _axis(axis, tensors[0].ndim + 1)
    raised = [
        reshape(each, (*each.shape[:along], 1, *each.shape[along:])) for each in tensors
    ]
    return concatenate(raised, along)


def vstack(arrays: Sequence[Any]) -> Tensor:
    """Return matrices below each other; vectors are rows."""
    tensors = [asarray(each) for each in arrays]
    return concatenate(
        [reshape(each, (1, -1)) if each.ndim == 1 else each for each in tensors]
    )


def hstack(arrays: Sequence[Any]) -> Tensor:
    """Return matrices beside each other, or vectors one after the other."""
    tensors = [asarray(each) for each in arrays]
    return concatenate(tensors, 0 if tensors and tensors[0].ndim == 1 else 1)


def block(blocks: Any) -> Tensor:
    """Return a tensor of blocks in nested lists, the innermost along the last axis."""
    depth = _depth(blocks)
    if depth == 0:
        raise ArgumentError("block: expected blocks in lists, such as one for each row")
    rank = max(depth, _most_axes(blocks))

    def joined(part: Any, level: int) -> Tensor:
        if level < depth:
            parts = [joined(each, level + 1) for each in part]
            return concatenate(parts, rank - depth + level)
        tensor = asarray(part)
        return reshape(tensor, (*(1,) * (rank - tensor.ndim), *tensor.shape))

    return joined(blocks, 0)


def _depth(blocks: Any) -> int:
    """Return in how many lists each block is, or refuse blocks that differ in that."""
    if not isinstance(blocks, list):
        return 0
    depths = {_depth(each) for each in blocks}
    if len(depths) != 1:
        raise ArgumentError("block: expected each block in as many lists as the others")
    return depths.pop() + 1


def _most_axes(blocks: Any) -> int:
    """Return how many dimensions a block has at most."""
    return max(map(_most_axes, blocks)) if isinstance(blocks, list) else np.ndim(blocks)


def reshape(array: Any, shape: Any, order: str = "C") -> Tensor:
    """Return the same elements in another shape; one extent may be -1.

    A tensor keeps its format if that is one for the new number of dimensions, and is in
    coo otherwise; ``convert`` it as you like.
    """
    if order != "C":
        raise UnsupportedError(
            f"reshape: order={displayed(order)} is not supported: transpose before, as "
            "T.T.reshape(…).T"
        )
    tensor = asarray(array)
    wanted = _extents(tensor, shape)
    if tensor.format.is_dense:
        return Tensor.from_dense(tensor.to_dense().reshape(wanted), "dense")
    if prod(tensor.shape) > _MOST_ELEMENTS:
        raise UnsupportedError(
            f"reshape: {displayed(tensor.shape)} has more elements than int64 counts"
        )
    stored = _stored(tensor)
    places = np.zeros(stored.values.size, np.int64)
    for column, extent in zip(stored.coords, tensor.shape, strict=True):
        places = places * extent + column
    columns: list[Array] = []
    for extent in reversed(wanted):
        columns.append(places % max(extent, 1))
        places //= max(extent, 1)
    return Tensor.from_coo(
        np.stack(columns[::-1]),
        stored.values,
        shape=wanted,
        format=_format(tensor.format, len(wanted)),
    )


def rounded(array: Any, decimals: int = 0) -> Tensor:
    """Return a tensor with rounded values; halves become even, as in NumPy."""
    tensor = asarray(array).to(HOST)
    view = tensor._view
    values = np.round(view.values, decimals)
    return Tensor._of(view.with_arrays(view.pos, view.crd, values))


def _stored(tensor: Tensor) -> Tensor:
    """Return a tensor whose values are those of its coordinates, in order."""
    is_listed = tensor.format.name in ("coo", _ONE_DIMENSION)
    if tensor.format.is_dense:
        return Tensor.from_dense(tensor.to_dense(), "coo")
    return tensor if is_listed else tensor.convert("coo")


def _format(format: Format, rank: int) -> Format | str:
    """Return a format with another number of dimensions, or coo."""
    if rank == format.rank and not format.not_packed:
        return format
    if rank == 1:
        return _ONE_DIMENSION
    return format.name if format.name in ("coo", "coo-interleaved", "csf") else "coo"


def _extents(tensor: Tensor, shape: Any) -> tuple[int, ...]:
    """Return the extents of a shape, of which one may be -1, or refuse them."""
    given = shape if isinstance(shape, tuple | list) else (shape,)
    try:
        wanted = [index(each) for each in given]
    except TypeError as error:
        message = f"reshape: {displayed(shape)} is no shape"
        raise ArgumentError(message) from error
    size, known = prod(tensor.shape), prod(n for n in wanted if n != -1)
    if wanted.count(-1) == 1 and known > 0:
        wanted[wanted.index(-1)] = size // known
    if not wanted or min(wanted) < 0 or prod(wanted) != size:
        raise ShapeError(
            f"reshape: a tensor of shape {tensor.shape} has {size} elements, and "
            f"cannot have the shape {tuple(given)}"
        )
    return tuple(wanted)


def _axis(axis: Any, rank: int) -> int:
    try:
        at = index(axis)
    except TypeError as error:
        message = f"axis={displayed(axis)}: expected an integer"
        raise ArgumentError(message) from error
    if not -rank <= at < rank:
        raise ShapeError(f"axis={at}: there are {rank} axes")
    return at % rank


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.block: block,
    np.concatenate: concatenate,
    np.hstack: hstack,
    np.reshape: reshape,
    np.round: rounded,
    np.stack: stack,
    np.vstack: vstack,
}
"""The functions of NumPy that these are."""
