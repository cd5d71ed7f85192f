"""Every error that Nacho raises, and how a message points into an expression."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_Class = TypeVar("_Class")

Span = tuple[int, int]
"""Half-open interval of columns in the text of an expression."""


class NachoError(Exception):
    """Base of all errors of this package; each is also one of Python's own errors."""


class ParseError(NachoError, ValueError):
    """The text of an expression is not tensor index notation."""


class ShapeError(NachoError, ValueError):
    """An operand has the wrong rank or shape, or an index has two extents."""


class FormatError(NachoError, ValueError):
    """A format does not exist, or does not fit the tensor."""


class OperandError(NachoError, ValueError):
    """The arrays of an operand contradict each other or its shape."""


class DTypeError(NachoError, TypeError):
    """The types of an operand are not those that the kernel was compiled for."""


class ArgumentError(NachoError, TypeError):
    """Operands are missing, superfluous, or given twice; an option has a wrong type."""


class OptionError(NachoError, ValueError):
    """An option has a value that it cannot have."""


class UnsupportedError(NachoError, NotImplementedError, ValueError):
    """The input is valid, but this version cannot compile it."""


class UnsupportedOperandError(UnsupportedError, TypeError):
    """An operand is of a kind that this version cannot read."""


class CompilationError(NachoError, ValueError):
    """The compiler refuses a program: a module of MLIR that is wrong, or its own."""


class ReductionError(NachoError, ValueError):
    """A reduction over an empty index has no value, or none that is stored."""


class RowError(NachoError, IndexError):
    """A tensor has no such rows."""


class OutOfMemoryError(NachoError, MemoryError):
    """A buffer could not be allocated."""


class IndexOverflowError(NachoError, OverflowError):
    """The result has more entries or larger coordinates than its index type holds."""


class CostOverflowError(NachoError, OverflowError):
    """The work costs more than can be counted, so it cannot be divided."""


class FileError(NachoError, ValueError):
    """A file is not what its name says, or cannot hold what is to be written."""


class FileAccessError(OSError, FileError):
    """The system refuses to open a file, or to write it.

    It is also the error that Python has for the reason, such as FileNotFoundError.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return file_access_error, (self.errno, self.strerror, self.filename)


class NachoWarning(UserWarning):
    """Something may not be meant, or costs more than it has to."""


class DeviceError(NachoError, RuntimeError):
    """There is no device for a target, it refused a call, or a kernel failed on it.

    Also: an operand is in the memory of another device.
    """


def file_access_error(number: int, reason: str, name: str) -> FileAccessError:
    """Return the error that is also the one that Python has for a number of errno."""
    return _access_error(number)(number, reason, name)


@functools.cache
def _access_error(number: int) -> type[FileAccessError]:
    own = type(OSError(number, ""))
    if own is OSError:
        return FileAccessError
    return type("FileAccessError", (own, FileAccessError), {"__module__": __name__})


def naming_memory(*names: str) -> Callable[[type[_Class]], type[_Class]]:
    """Make methods of a class raise OutOfMemoryError where NumPy has no memory."""

    def wrapped(method: Any) -> Any:
        if isinstance(method, classmethod):
            return classmethod(wrapped(method.__func__))

        @functools.wraps(method)
        def call(self: Any, *args: Any, **options: Any) -> Any:
            try:
                return method(self, *args, **options)
            except MemoryError as error:
                if isinstance(error, NachoError):
                    raise
                raise OutOfMemoryError(f"Tensor: {error}") from error

        return call

    def change(owner: type[_Class]) -> type[_Class]:
        for name in names:
            setattr(owner, name, wrapped(vars(owner)[name]))
        return owner

    return change


_MOST_SHOWN = 200


def displayed(value: object) -> str:
    """Return how a message shows a value of the caller, whatever that is.

    Only the class of a value is shown whose ``repr`` raises an error.
    """
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def pointed(message: str, text: str, span: Span) -> str:
    """Return ``message`` above the line of ``text`` with a caret under ``span``."""
    begin, end = span
    first = text.rfind("\n", 0, begin) + 1
    last = text.find("\n", begin)
    line = text[first : len(text) if last < 0 else last]
    column = begin - first
    width = max(1, min(end - first, len(line)) - column)
    shown = line.replace("\t", " ")
    return f"{message}\n  {shown}\n  {' ' * column}{'^' * width}"
