"""From the containers of a caller to the arguments of a kernel: look, check, convert.

Arrays are used in place where possible, and every copy or conversion is noted in words.
No sparse operand is made dense, and no dense operand sparse.
"""

from __future__ import annotations

from typing import Any, NoReturn

from nacho.elements import ELEMENTS, DType, element_name
from nacho.errors import DTypeError, OperandError
from nacho.storage.containers import index_width, view_of
from nacho.storage.conversion import by_dimension
from nacho.storage.device_arrays import HOST
from nacho.storage.device_operands import load_on_device
from nacho.storage.formats import Format, TensorType
from nacho.storage.given import require_element
from nacho.storage.memory import Notes, canonical, forget, remember
from nacho.storage.scalars import load_scalar, scalar_dtype, scalar_kind
from nacho.storage.views import (
    INT32,
    INT32_MAX,
    INT64,
    NACHO,
    NUMPY,
    SCIPY_ARRAY,
    SCIPY_MATRIX,
    TORCH,
    Array,
    Arrays,
    View,
    filled,
    is_plain,
    made_plain,
    require_positions,
)

__all__ = [
    "Notes",
    "arguments",
    "element_type",
    "forget",
    "index_width",
    "load",
    "load_scalar",
    "read_type",
    "remember",
    "require_type",
    "scalar_dtype",
    "scalar_kind",
    "signature",
    "tensor_type",
    "view_of",
]

COMPILED = "the kernel was compiled"
"""How messages say that a kernel, and not a plan, fixes the types of an operand."""

_INDICES: dict[int, DType] = {32: INT32, 64: INT64}


# --- Types ----------------------------------------------------------------------------


def element_type(name: str, dtype: DType) -> str:
    """Return the name of an element type, or refuse it."""
    require_element(name, dtype)
    element = element_name(dtype.newbyteorder("="))
    assert element is not None
    return element


def tensor_type(name: str, view: View) -> TensorType:
    """Return the type with which a kernel reads an operand in place, or refuse it."""
    element = element_type(name, view.values.dtype)
    format = view.format
    if format.is_dense:
        return TensorType(format, element)
    pos = max(
        index_width(name, view.pos_label(level), view.pos_at(level).dtype)
        for level in format.compressed
    )
    crd = max(
        index_width(name, view.crd_label(level), view.crd_at(level).dtype)
        for level in format.owners
    )
    return TensorType(format, element, pos, crd)


def read_type(name: str, view: View, wanted: Format) -> TensorType:
    """Return the type with which a kernel reads an operand in a format, or refuse it.

    The types are those of the operand's arrays, so that most can be used in place.
    """
    require_element(name, view.values.dtype)
    _require_readable(name, view, wanted)
    if view.format == wanted:
        return tensor_type(name, view)
    if wanted.is_dense:
        return TensorType(wanted, element_type(name, view.values.dtype))
    return converted_type(name, view, wanted)


def converted_type(name: str, view: View, wanted: Format) -> TensorType:
    """Return the type of a view that is converted to another format.

    Its index types stay the same unless entries or coordinates need a wider one.
    """
    given = tensor_type(name, view)
    pos = 64 if view.values.size > INT32_MAX else given.pos_width
    crd = 64 if max(view.shape) > INT32_MAX else given.crd_width
    return TensorType(wanted, given.dtype, pos, crd)


def require_type(
    name: str, view: View, type: TensorType, reader: str = COMPILED
) -> None:
    """Refuse an operand whose arrays have other types than ``reader`` was made for."""
    _require_element(name, view, type, reader)
    wanted = type.format
    assert wanted is not None
    if not wanted.is_dense:
        _require_widths(name, view, type, reader)


def signature(view: View) -> tuple[object, ...]:
    """Return all that ``tensor_type`` depends on, to be used in the key of a cache."""
    types = [array.dtype for array in (*view.pos, *view.crd) if array is not None]
    return (view.format.name, view.values.dtype, *types)


# --- Loading --------------------------------------------------------------------------


def load(
    name: str,
    container: object,
    view: View,
    type: TensorType,
    validate: str,
    notes: Notes | None = None,
    *,
    is_typed: bool = False,
) -> View:
    """Check an operand, and return it as the kernel reads it.

    ``is_typed`` says that the format and the arrays are known to have this type.
    """
    wanted = type.format
    assert wanted is not None
    if view.device != HOST:
        _require_element(name, view, type)
        return load_on_device(name, container, view, type, validate)
    same = is_typed or view.format is wanted or view.format == wanted
    if not is_typed:
        _require_element(name, view, type)
    if not same:
        _require_readable(name, view, wanted)
    if view.note and notes is not None:
        notes.append(f"{name}: {view.note}")
    if wanted.is_dense:
        return _load_dense(name, view, wanted, notes)
    ready = view
    if not is_typed:
        own = type if same else tensor_type(name, view)
        ready = _with_widths(name, view, own, notes)
    ready = _made_plain(name, ready, notes)
    ready = filled(name, ready)
    if validate != "none" or not same or _known_unsorted(container, view):
        require_positions(name, ready)
        ready = canonical(name, container, view, ready, validate, notes)
    return ready if same else _converted(name, ready, type, notes)


def arguments(view: View) -> list[object]:
    """Return a loaded operand as a kernel takes it: arrays by level, then extents."""
    args: list[object] = []
    for pos, crd in zip(view.pos, view.crd, strict=True):
        if pos is not None:
            args.append(pos)
        if crd is not None:
            args.append(crd)
    args.append(view.values)
    if view.device != HOST:
        args = [getattr(array, "native", array) for array in args]
    args += view.extents
    return args


def _require_element(
    name: str, view: View, type: TensorType, reader: str = COMPILED
) -> None:
    values, wanted = view.values.dtype, ELEMENTS[type.dtype]
    if values == wanted or values.newbyteorder("=") == wanted:
        return
    require_element(name, values)
    raise DTypeError(f"operand '{name}' is {values}, but {reader} for {wanted}")


def _require_readable(name: str, view: View, wanted: Format) -> None:
    """Refuse a conversion that would have to store zeros or to leave zeros out."""
    given = view.format
    if given.is_dense != wanted.is_dense:
        _refuse_dense(name, view, wanted)
    if given.is_dense:
        return
    if _inner_dense(given) != _inner_dense(wanted):
        raise OperandError(
            f"operand '{name}' is {given}, but the kernel reads {wanted}: their dense "
            f'levels differ; compile it with formats={{"{name}": "{given}"}}'
        )


def _inner_dense(format: Format) -> set[int]:
    """Return the dimensions of the dense levels behind the last sparse one."""
    return {*format.order[max(format.stored) + 1 :]}


def _known_unsorted(container: Any, view: View) -> bool:
    """Return whether a container says that entries are unsorted or repeated.

    A container in coo also says so while its library has not looked at its entries.
    """
    if view.library == TORCH:
        return view.layout == "coo" and not container.is_coalesced()
    known: dict[str, Any] = getattr(container, "__dict__", {})
    return (
        known.get("_has_sorted_indices") is False
        or known.get("_has_canonical_format") is False
        or known.get("has_canonical_format") is False
    )


def _converted(name: str, ready: View, type: TensorType, notes: Notes | None) -> View:
    # Imported here, because reformat is only needed for conversions.
    from nacho.storage.reformat import converted

    assert type.format is not None
    if notes is not None:
        notes.append(f"{name}: {ready.format} converted to {type.format}")
    made = converted(ready, type.format, name)
    _require_widths(name, made, type)
    return made


# --- Dense operands -------------------------------------------------------------------


def _load_dense(name: str, view: View, wanted: Format, notes: Notes | None) -> View:
    values, reason = view.values, ""
    if view.format.order != wanted.order:
        values = by_dimension(view).transpose(wanted.order)
        reason = "lies in another order than the kernel reads"
    elif is_plain(values):
        return view
    if not is_plain(values):
        if notes is not None:
            notes.append(_copied(name, view.values_label, values, reason))
        values = made_plain(values)
    return View(wanted, view.shape, view.pos, view.crd, values, view.library)


def _refuse_dense(name: str, view: View, wanted: Format) -> NoReturn:
    """Refuse to make a sparse operand dense, or a dense one sparse."""
    if view.format.is_dense:
        raise OperandError(
            f"operand '{name}' is dense, but the kernel was compiled for {wanted}: "
            f"pass {_sparse_call(name, view, wanted)}, or compile it with "
            f'formats={{"{name}": "dense"}}'
        )
    is_scipy = view.library in (SCIPY_ARRAY, SCIPY_MATRIX)
    fix = "toarray()" if is_scipy else "to_dense()"
    raise OperandError(
        f"operand '{name}' is {view.format}, but the kernel was compiled for a "
        f"dense array: pass {name}.{fix}, or compile it with "
        f'formats={{"{name}": "{view.format}"}}'
    )


def _sparse_call(name: str, view: View, wanted: Format) -> str:
    if view.library == NUMPY and wanted.name in ("csr", "csc"):
        return f"scipy.sparse.{wanted}_array({name})"
    if view.library == TORCH and wanted.name in ("csr", "csc"):
        return f"{name}.to_sparse_{wanted}()"
    if view.library != NACHO:
        return f'nacho.Tensor.from_dense({name}, "{wanted}")'
    return f'{name}.convert("{wanted}")'


# --- Index types ----------------------------------------------------------------------


def _with_widths(name: str, view: View, type: TensorType, notes: Notes | None) -> View:
    """Return a view whose index arrays have the compiled types.

    If the levels of an operand have different widths, the kernel reads the widest, and
    narrower arrays are widened. ``pos`` of SciPy's coo may always change its type,
    because it was made for the view.
    """
    pos_type, crd_type = _INDICES[type.pos_width], _INDICES[type.crd_width]
    if _have_types(view, pos_type, crd_type):
        return view
    _require_widths(name, view, type)
    for level in view.format.owners:
        crd = view.crd_at(level)
        if crd.dtype != crd_type and notes is not None:
            notes.append(f"{name}: {view.array_label(level)} copied to {crd_type}")
    return view.with_arrays(
        _cast(view.pos, pos_type), _cast(view.crd, crd_type), view.values
    )


def _have_types(view: View, pos: DType, crd: DType) -> bool:
    pairs = ((view.pos, pos), (view.crd, crd))
    for arrays, dtype in pairs:
        for array in arrays:
            if array is not None and array.dtype != dtype:
                return False
    return True


def _cast(arrays: Arrays, dtype: DType) -> Arrays:
    return tuple(
        None if array is None else array.astype(dtype, copy=False) for array in arrays
    )


def _require_widths(
    name: str, view: View, type: TensorType, reader: str = COMPILED
) -> None:
    """Refuse index arrays whose types differ from the compiled ones."""
    wanted = type.format
    assert wanted is not None
    same = view.format == wanted
    given = tensor_type(name, view) if same else converted_type(name, view, wanted)
    if view.layout == "coo":
        if type.pos_width == 32 and view.values.size > INT32_MAX:
            _refuse_width(name, "the number of entries", 64, 32, given, reader)
    elif given.pos_width != type.pos_width:
        label = view.pos_label(view.format.compressed[0])
        _refuse_width(name, label, given.pos_width, type.pos_width, given, reader)
    if given.crd_width != type.crd_width:
        wide = _INDICES[given.crd_width]
        owners = view.format.owners
        at = next((n for n in owners if view.crd_at(n).dtype == wide), owners[0])
        label = view.array_label(at)
        _refuse_width(name, label, given.crd_width, type.crd_width, given, reader)


def _refuse_width(
    name: str, label: str, width: int, wanted: int, given: TensorType, reader: str
) -> NoReturn:
    message = f"operand '{name}': {label} is int{width}, but {reader} for int{wanted}"
    if reader == COMPILED:
        pair = (f"i{given.pos_width}", f"i{given.crd_width}")
        fix = f'"{pair[0]}"' if pair[0] == pair[1] else f'("{pair[0]}", "{pair[1]}")'
        message += f'; compile it with index={{"{name}": {fix}}}'
    raise DTypeError(message)


# --- Copies ---------------------------------------------------------------------------


def _all_plain(view: View) -> bool:
    for array in view.pos:
        if array is not None and not is_plain(array):
            return False
    for array in view.crd:
        if array is not None and not is_plain(array):
            return False
    return is_plain(view.values)


def _made_plain(name: str, view: View, notes: Notes | None) -> View:
    if _all_plain(view):
        return view

    def plain(array: Array, label: str) -> Array:
        if is_plain(array):
            return array
        if notes is not None:
            notes.append(_copied(name, label, array, ""))
        return made_plain(array)

    pos, crd = list(view.pos), list(view.crd)
    for level in view.format.compressed:
        pos[level] = plain(view.pos_at(level), view.pos_label(level))
    for level in view.format.owners:
        crd[level] = plain(view.array_at(level), view.array_label(level))
    values = plain(view.values, view.values_label)
    return view.with_arrays(tuple(pos), tuple(crd), values)


def _copied(name: str, label: str, array: Array, reason: str) -> str:
    """Return the note that an array was copied, and why."""
    if not array.dtype.isnative:
        reason = "has the byte order of another machine"
    return f"{name}: {label} {reason or 'is not contiguous and aligned'}: copied"
