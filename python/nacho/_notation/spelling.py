"""How operators are written in the notation, with parentheses where it needs them."""

from __future__ import annotations

from nacho._notation.operators import written_in

PATTERN = "pattern"
"""The function of an access that is written ``pattern(A)[i,j]``."""
_OR, _XOR, _AND, _SUM, _PRODUCT, _SIGN, _POWER, ATOM = range(1, 9)
"""How tightly the outermost operator of a text binds."""
COMPARISONS = written_in("comparison")
_PREFIXES = written_in("sign") | written_in("not")
_OPERATORS = {
    **dict.fromkeys(COMPARISONS, 0),
    **dict.fromkeys(written_in("or"), _OR),
    **dict.fromkeys(written_in("xor"), _XOR),
    **dict.fromkeys(written_in("and"), _AND),
    **dict.fromkeys(written_in("sum"), _SUM),
    **dict.fromkeys(written_in("product"), _PRODUCT),
    **dict.fromkeys(written_in("power"), _POWER),
}


def operator_text(symbol: str, operands: list[tuple[str, int]]) -> tuple[str, int]:
    """Write an operator, with parentheses where the notation needs them."""
    if symbol not in _OPERATORS and symbol not in _PREFIXES:
        return f"{symbol}({', '.join(text for text, _ in operands)})", ATOM
    if len(operands) == 1:
        return f"{symbol}{_enclosed(operands[0], _SIGN)}", _SIGN
    binds = _OPERATORS[symbol]
    if binds == _POWER:
        base, exponent = operands
        return f"{_enclosed(base, ATOM)}**{_enclosed(exponent, _SIGN)}", binds
    lhs = _enclosed(operands[0], max(binds, _OR))
    rhs = _enclosed(operands[1], binds + 1)
    return f"{lhs} {symbol} {rhs}", binds


def _enclosed(written: tuple[str, int], least: int) -> str:
    text, binds = written
    return text if binds >= least else f"({text})"
