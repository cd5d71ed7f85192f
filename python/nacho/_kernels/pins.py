"""The types of tensors that ``formats=``, ``dtype=`` and ``index=`` pin.

Whatever is not pinned is free: it is as the operands of a call have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nacho._elements import ELEMENTS, element_name
from nacho._kernels.option_checks import check_mapping
from nacho._notation.tree import Assignment, identifier
from nacho._storage.formats import Format, TensorType
from nacho.errors import ArgumentError, FormatError, OptionError, displayed

IndexType = str | tuple[str, str]
"""``"i32"`` or ``"i64"``, or a pair of them for ``pos`` and for ``crd``.

NumPy's names and types are understood, too.
"""

_INDEX_WIDTHS: dict[object, int] = {"i32": 32, "i64": 64, "int32": 32, "int64": 64}

_BY_DEFAULT = {1: "dense", 2: "csr"}


def default_format(rank: int) -> str:
    """Return the name of the format of a tensor of this rank that nobody has named."""
    return _BY_DEFAULT.get(rank, "csf")


@dataclass(frozen=True)
class Pin:
    """What the type of one tensor has to be; None stands for anything."""

    format: Format | None = None
    element: str | None = None
    pos_width: int | None = None
    crd_width: int | None = None
    added: str | None = None
    """Of a result of ``+=``: the element type of the tensor that it adds to."""

    def of(self, type: TensorType) -> TensorType:
        """Return ``type`` with everything replaced that is pinned."""
        return TensorType(
            self.format or type.format,
            self.element or type.dtype,
            self.pos_width or type.pos_width,
            self.crd_width or type.crd_width,
        )

    @property
    def is_free(self) -> bool:
        """Whether operands of any element type and index widths will do."""
        return not (self.element or self.pos_width or self.crd_width)


def requested_pins(
    assignment: Assignment,
    formats: Mapping[str, str | Format],
    dtype: str | Mapping[str, str] | None,
    index: IndexType | Mapping[str, IndexType] | None,
) -> dict[str, Pin]:
    """Return the pins of operands and result that the options of compile ask for.

    By default, tensors with one index are dense, operands with two are csr, and those
    with more csf; the format of a result with several indices is inferred. A single
    ``dtype`` for all pins operands only, and not the result; that to which ``+=`` adds
    is an operand.
    """
    check_mapping("formats", formats, "names to formats")
    result, tensors = assignment.result.name, assignment.tensors
    with_levels = (*tensors, result) if assignment.result.indices else tensors
    asked: dict[str, str | Format] = _spelled(formats)
    _check_keys("formats", asked, with_levels)
    for name, given in asked.items():
        if not isinstance(given, str | Format):
            shown = f"formats: that of '{name}' is {displayed(given)}"
            raise FormatError(f"{shown}: expected a name, a level map or a Format")
        try:
            asked[name] = Format(given)
        except FormatError as error:
            raise FormatError(f"formats: that of '{name}': {error}") from error
    named: dict[str, Format | None] = {}
    for name in tensors:
        rank = assignment.ranks[name]
        chosen = Format(asked.get(name, default_format(rank)))
        named[name] = chosen.require_compiled(name).for_rank(rank, name)
    if result in asked or len(assignment.result.indices) == 1:
        wanted = asked.get(result, default_format(1))
        named[result] = requested_format(assignment, wanted)
    elements = _by_name("dtype", dtype, (*assignment.operands, result))
    added = None if isinstance(dtype, Mapping) else elements.pop(result, None)
    widths = _by_name("index", index, with_levels)
    pins = {
        name: Pin(
            named.get(name),
            _element(name, elements[name]) if name in elements else None,
            *(_widths(name, widths[name]) if name in widths else (None, None)),
        )
        for name in (*assignment.operands, result)
    }
    if added is not None:
        pins[result] = replace(pins[result], added=_element(result, added))
    return pins


def requested_format(assignment: Assignment, given: str | Format) -> Format | None:
    """Return the format that the caller wants for the result; None for a scalar."""
    result, format = assignment.result, Format(given)
    if not result.indices and format.rank is None and format.is_dense:
        return None
    return format.for_rank(len(result.indices), result.name).require_compiled(
        result.name, "result"
    )


def _by_name(option: str, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the value of an option by name of tensor.

    If the option is a mapping, tensors that it leaves out are left out here as well.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    named = _spelled(given)
    _check_keys(option, named, names)
    return named


def _spelled(given: Mapping[str, Any]) -> dict[str, Any]:
    return {identifier(name): value for name, value in given.items()}


def _check_keys(option: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            expected = ", ".join(names)
            raise ArgumentError(
                f"{option}: there is no tensor '{name}', expected: {expected}"
            )


def _element(name: str, dtype: object) -> str:
    if isinstance(dtype, str) and dtype in ELEMENTS:
        return dtype
    try:
        found = element_name(np.dtype(dtype))  # type: ignore[call-overload]
    except Exception:
        # NumPy asks the object for its attributes and its text.
        found = None
    if found is None:
        expected = ", ".join(f"'{element}'" for element in ELEMENTS)
        raise OptionError(
            f"dtype of '{name}' is {displayed(dtype)}: expected {expected}"
        )
    return found


def _width(index: object) -> int:
    if isinstance(index, type) and issubclass(index, np.generic):
        index = np.dtype(index)
    if isinstance(index, np.dtype):
        index = index.name
    return _INDEX_WIDTHS[index]


def _widths(name: str, index: object) -> tuple[int, int]:
    pair: Sequence[object] = (index, index)
    if isinstance(index, tuple) and len(index) == 2:
        pair = index
    try:
        return _width(pair[0]), _width(pair[1])
    except (KeyError, TypeError):
        expected = "'i32', 'i64', or a pair of them (for pos and crd)"
        message = f"index of '{name}' is {displayed(index)}: expected {expected}"
        raise OptionError(message) from None
