"""Python's operators, as the operators of the notation that have the same symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from nacho.errors import ArgumentError

_Result = TypeVar("_Result", covariant=True)


class Overloads(Generic[_Result]):
    """An object that stands for a part of an expression, and so do its operators."""

    __slots__ = ()

    def _operation(self, symbol: str, *operands: object) -> _Result:
        """Return what an operator gives, or NotImplemented for what it does not take.

        ``symbol`` is the operator's in the notation, or the name of a function.
        """
        raise NotImplementedError

    def __neg__(self) -> _Result:
        return self._operation("-", self)

    def __invert__(self) -> _Result:
        return self._operation("~", self)

    def __abs__(self) -> _Result:
        return self._operation("abs", self)

    def __round__(self, digits: int | None = None) -> _Result:
        """Return the nearest numbers with so many digits, as NumPy finds them."""
        if not digits:
            return self._operation("round", self)
        scale = 10.0 ** abs(digits)
        there, back = ("*", "/") if digits > 0 else ("/", "*")
        scaled = self._operation(there, self, scale)
        return self._operation(back, self._operation("round", scaled), scale)

    def __add__(self, other: object) -> _Result:
        return self._operation("+", self, other)

    def __radd__(self, other: object) -> _Result:
        return self._operation("+", other, self)

    def __sub__(self, other: object) -> _Result:
        return self._operation("-", self, other)

    def __rsub__(self, other: object) -> _Result:
        return self._operation("-", other, self)

    def __mul__(self, other: object) -> _Result:
        return self._operation("*", self, other)

    def __rmul__(self, other: object) -> _Result:
        return self._operation("*", other, self)

    def __truediv__(self, other: object) -> _Result:
        return self._operation("/", self, other)

    def __rtruediv__(self, other: object) -> _Result:
        return self._operation("/", other, self)

    def __floordiv__(self, other: object) -> _Result:
        return self._operation("//", self, other)

    def __rfloordiv__(self, other: object) -> _Result:
        return self._operation("//", other, self)

    def __mod__(self, other: object) -> _Result:
        return self._operation("%", self, other)

    def __rmod__(self, other: object) -> _Result:
        return self._operation("%", other, self)

    def __pow__(self, other: object) -> _Result:
        return self._operation("**", self, other)

    def __rpow__(self, other: object) -> _Result:
        return self._operation("**", other, self)

    def __and__(self, other: object) -> _Result:
        return self._operation("&", self, other)

    def __rand__(self, other: object) -> _Result:
        return self._operation("&", other, self)

    def __or__(self, other: object) -> _Result:
        return self._operation("|", self, other)

    def __ror__(self, other: object) -> _Result:
        return self._operation("|", other, self)

    def __xor__(self, other: object) -> _Result:
        return self._operation("^", self, other)

    def __rxor__(self, other: object) -> _Result:
        return self._operation("^", other, self)

    def __lt__(self, other: object) -> _Result:
        return self._operation("<", self, other)

    def __le__(self, other: object) -> _Result:
        return self._operation("<=", self, other)

    def __gt__(self, other: object) -> _Result:
        return self._operation(">", self, other)

    def __ge__(self, other: object) -> _Result:
        return self._operation(">=", self, other)

    def __eq__(self, other: object) -> _Result:  # type: ignore[override]
        return self._operation("==", self, other)

    def __ne__(self, other: object) -> _Result:  # type: ignore[override]
        return self._operation("!=", self, other)

    __hash__ = object.__hash__

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Round, or refuse a function of NumPy, which would read an object."""
        if function is np.round:
            return round(*args, *kwargs.values())
        raise ArgumentError(
            f"numpy.{function.__name__} takes arrays, and no expressions of "
            "nacho.indices: nacho.sqrt, nacho.sum(j, …) and the like do, and evaluate "
            "returns an array"
        )


class WholeExpression:
    """An expression over whole arrays, which are in it: ``nacho.Lazy``."""

    __slots__ = ()

    @property
    def statement(self) -> tuple[str, dict[str, Any]]:
        """The expression as text, and its operands by the names that it gives them."""
        raise NotImplementedError
