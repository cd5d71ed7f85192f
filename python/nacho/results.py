"""Results: the buffers of a kernel, in a container of the callers' library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from nacho.formats import Format
from nacho.operands import remember
from nacho.storage import CSC, CSR, INT32, Array, Tensor, View

_ARRAYS = {"data", "indices", "indptr", "_shape"}
_FLAGS = {"_has_canonical_format", "_has_sorted_indices"}
_KNOWN = _ARRAYS | _FLAGS | {"maxprint"}

_templates: dict[type, dict[str, Any] | None] = {}


def result_class(format: Format, views: Sequence[View]) -> type | None:
    """Return the SciPy class for a result; None stands for ``nacho.Tensor``.

    It is the library of the first sparse operand, if that has the format; an array
    wins over a matrix.
    """
    if views[0].scipy is None or format not in (CSR, CSC):
        return None
    family = "matrix"
    for view in views:
        if view.scipy is not None and view.scipy.__name__.endswith("array"):
            family = "array"
    found = getattr(sys.modules["scipy.sparse"], f"{format.name}_{family}")
    assert isinstance(found, type)
    return found


def make_result(
    format: Format,
    shape: tuple[int, ...],
    buffers: Sequence[Array],
    kind: type | None,
    canonical: bool = True,
) -> Any:
    """Wrap the buffers of a kernel: by level ``pos`` and ``crd``, then the values.

    ``canonical`` entries are known to be sorted and distinct: as an operand, the result
    is not checked again.
    """
    *levels, values = buffers
    view = View(format, shape, (*levels[::2],), (*levels[1::2],), values, kind)
    made = Tensor._of(view) if kind is None else _scipy_result(kind, view, canonical)
    if canonical:
        remember(made, view)
    return made


def _scipy_result(kind: type, view: View, canonical: bool) -> Any:
    (pos,), (crd,), values = view.pos, view.crd, view.values
    template = _template(kind)
    if template is None or pos.dtype != crd.dtype:
        made: Any = kind((values, crd, pos), shape=view.shape)
        if canonical:
            made.has_sorted_indices = made.has_canonical_format = True
        return made
    made = object.__new__(kind)
    fields = made.__dict__
    fields.update(template)
    fields["_shape"] = view.shape
    fields["indptr"] = pos
    fields["indices"] = crd
    fields["data"] = values
    if not canonical:
        for flag in _FLAGS:
            del fields[flag]
    return made


def _template(kind: type) -> dict[str, Any] | None:
    """Return the attributes of a canonical matrix, or None if they look unfamiliar.

    SciPy's constructor scans the index arrays; filling in the attributes does not. It
    is only done if the class keeps exactly those that we know.
    """
    if kind in _templates:
        return _templates[kind]
    parts = (np.ones(1), np.zeros(1, INT32), np.array([0, 1], INT32))
    sample: Any = kind(parts, shape=(1, 1))
    sample.has_sorted_indices = sample.has_canonical_format = True
    fields = vars(sample)
    familiar = set(fields) == _KNOWN and fields["_shape"] == (1, 1)
    _templates[kind] = dict(fields) if familiar else None
    return _templates[kind]
